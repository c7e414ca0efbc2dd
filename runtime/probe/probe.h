/* SPDX-License-Identifier: MIT */
/*
 * probe.h - what the thunks (thunk_template.S) and the C side agree on. Included by assembly as
 * well.
 */
#ifndef CINSTR_PROBE_H
#define CINSTR_PROBE_H

/* Offsets in struct probe_state. */
#define PROBE_CURSOR 0
#define PROBE_END 8
#define PROBE_HIGH 16
#define PROBE_THRESHOLD 24
#define PROBE_ARMED 32
#define PROBE_SKIP 40
#define PROBE_SEEN 48
#define PROBE_COUNTS 56
#define PROBE_LEFT 120
#define PROBE_GATE 128
#define PROBE_WAITS 136
/* struct awaited, behind it */
#define PROBE_AWAITED 272
#define PROBE_AWAITED_SITE (PROBE_AWAITED + 8)
#define PROBE_AWAITED_HOLDER (PROBE_AWAITED + 16)
#define PROBE_AWAITED_RETURNS (PROBE_AWAITED + 20)
#define PROBE_GAVE (PROBE_AWAITED + 24)
/* struct give (waits.c): its size, and how many there are, as powers of two; offsets */
#define GIVE_BITS 5
#define GIVES_BITS 12
#define GIVE_TICKS 8
#define GIVE_BY 16
#define GIVE_CHECK 24

/* From cinstr.is_mute to cinstr.n_gates. */
#define MUTE_TO_GATES 4

/*
 * What the gate to the slow path (thunk_template.S) keeps below its stack pointer, in the 128 bytes
 * that no signal's frame takes; slow_entry.S leaves it there.
 */
#define GATE_RAX (-8)
#define GATE_RCX (-16)
#define GATE_RDX (-24)
#define GATE_RSI (-32)
#define GATE_RDI (-40)
#define GATE_R8 (-48)
#define GATE_R9 (-56)
#define GATE_R10 (-64)
#define GATE_R11 (-72)
#define GATE_MASK (-80)	 /* the signal mask of before */
#define GATE_LEAVE (-88) /* address of the way out */
#define GATE_ARM (-96)	 /* for the armed word, or GATE_ARM_AS_IT_IS */
#define GATE_NOW (-104)	 /* ticks before signals were switched off */
#define GATE_FLAGS (-112)
#define GATE_BYTES 112
#define GATE_ARM_AS_IT_IS (-1)
/* What the slow path needs of a small stack below the gate's stack pointer (slow_entry.S), and of
 * one that it stays on. */
#define GATE_REACH 192
#define GATE_REACH_WHOLE 1024
#define SLOW_HERE 0
#define SLOW_ASIDE 1
#define SLOW_NOTHING 2
/* Offsets in struct probe_frame, for slow_entry.S. */
#define FRAME_STACK 144
#define FRAME_LEFT 32
#define FRAME_REGISTERS 120
/* Where a counting stub keeps r10. */
#define STUB_R10 (-8)

/* The control blocks' epochs, from runtime.h's control_pages. */
#define PROBE_CONTROL_OFFSET 2048
#define PROBE_CONTROL_PAGE 4096

/* Kinds pushed by a thunk for slow_entry.S: those of cinstr/format.h, and: */
#define PROBE_KIND_FULL 0    /* no event: the buffer is full */
#define PROBE_KIND_ACTION 8  /* added: there is something to do at the sled (control.c) */
#define PROBE_KIND_SILENT 16 /* added: and the event itself was not chosen */
#define PROBE_KIND_STREAM 32 /* added: around a call that may enter the kernel: r11 tells */
/* no event: a function is to be counted, and the thread has no counters in this block (added), or
 * has counted, and a pulse is due */
#define PROBE_KIND_COUNT 64
#define PROBE_KIND_KEPT 128 /* added to that: the stub has kept r10, which is the program's */

/*
 * What the `syscall` instruction leaves in r11: the flags, of which carry, parity, adjust, zero,
 * sign and overflow may be set, and interrupts are on. 64 numbers, from 514 to 2,775.
 */
#define ARCH_LEFT_BY_SYSCALL 0x202
#define ARCH_LEFT_BY_SYSCALL_MASK (~0x8d5)

/* Where a stub puts the distance from the end of its sled to the call, if they are apart: below the
 * stack pointer and what a thunk saves there. */
#define INDIRECT_APART_BY (-24)

/* Fields that are filled in when a thunk page is made (struct thunk_fixup.type). */
#define FIX_CURSOR 1
#define FIX_END 2
#define FIX_HIGH 3
#define FIX_THRESHOLD 4
#define FIX_ARMED 5 /* offset of the rseq_cs word (or its stand-in) from the thread pointer */
#define FIX_SKIP 7
#define FIX_SEEN 8
#define FIX_LEFT 9
#define FIX_TASKS 10
#define FIX_GATE 11
#define FIX_WAITS 12
#define FIX_TID 13
#define FIX_AWAITED 14
#define FIX_AWAITED_SITE 15
#define FIX_AWAITED_HOLDER 16
#define FIX_AWAITED_RETURNS 17
#define FIX_GAVE 18
#define FIX_SEGMENTS 19
#define FIX_SUM 20 /* to 23: addresses of the parts of what a thread has executed (segments.c) */
#define FIX_CODE 6 /* K: code = (return address of the sled + K) & ~7 | kind */

/* From a record to what the thread had executed then (cinstr/call_sums.h). */
#define PROBE_SUMS 36864

#define PROBE_MAGIC CINSTR_THREAD_PROBE

#ifndef __ASSEMBLER__
#include <stdint.h>

#include <stddef.h>

#include "arch.h"
#include "cinstr/abi.h"
#include "cinstr/call_sums.h"
#include "cinstr/format.h"
#include "cinstr/objects.h"

struct thread;
struct tasks;

/* The outermost open REGION or QUIET of a thread: those within it change nothing. */
struct control_span {
	/* 0: none is open. The lowest stack pointer of a probe when the frame that opened it is
	 * left */
	uint64_t limit;
	/* what is at that address as long as it is not: a return address, up to 16 bytes behind
	 * this one */
	uint64_t word;
};

/* Whether a thread records (control.c). */
struct control {
	int32_t suspensions;
	uint32_t tid; /* 0: a new thread */
	uint8_t started;
	/* At the levels above, and of the thread as others see it (levels.c): */
	uint8_t levels_off;
	uint8_t flush;	  /* fold when this event is done */
	uint8_t lends;	  /* the memory, to a task that it waits for (tasks.c) */
	uint32_t stopped; /* these two while it has no record (struct cinstr_thread) */
	int32_t waiting_suspensions;
	uint32_t flushes;    /* asked for, as last seen */
	struct tasks *tasks; /* that use this memory as well; NULL: there was none so far */
	struct control_span region, quiet;
	/* not 0: `skip` outside of the runtime's work, when nothing else is: stack pointer of the
	 * last level (depth.c) */
	uint64_t deep;
};

/*
 * The probes' part of a thread, found by an initial-exec TLS offset from fs. Only its own thread
 * touches it.
 *
 *   cursor  next record in the thread's buffer; in a thread without one: behind a dummy record,
 *           with `high` such that every stamp takes the slow path
 *   end     cursor >= end: the buffer is full (one record of slack lies behind it)
 */
struct probe_state {
	struct cinstr_record *cursor;
	struct cinstr_record *end;
	uint32_t high;	    /* high half of the last stamp */
	uint32_t magic;	    /* PROBE_MAGIC, from the image of a thread's memory (tasks.c) */
	uint64_t threshold; /* ticks << 32: a longer interval takes the slow path */
	/* stands for rseq_cs where there are no restartable sequences; not 0: go ahead */
	uint64_t armed;
	/* recording is off for probes with a stack pointer below this; `armed` is 0 then */
	uint64_t skip;
	uint32_t seen;	    /* sum of the epochs (levels.c) when this thread last looked */
	uint32_t kept_high; /* `high`, while probes are skipped */
	/* counters of counted functions, by block; NULL: stubs ask the slow path (counting.c) */
	uint64_t *counts[CINSTR_COUNTER_BLOCKS];
	uint64_t left; /* ticks when the slow path was left last (resume.c) */
	/* stack pointer of the outermost gate (thunk_template.S) that the thread is in, and counts
	 * for in cinstr.n_gates; 0: in none. A handler may have jumped out of that one. */
	uint64_t gate;
	/* stack pointer at a call that takes a lock, in a function that is counted: its before was
	 * recorded, because the lock was not free, and so its after will be; 0: there is none */
	uint64_t waits;
	/* top of a stack for the slow path: the program's may be small; NULL: not made yet */
	char *slow_stack;
	/* distance from where nobody counts to the thread's counters of executed segments; 0: it
	 * counts there (segments.c) */
	uint64_t segments;
	struct thread *thread; /* NULL: not begun, or over */
	uint32_t phase;	       /* enum probe_phase */
	/* inside the runtime: a nested event (a fault's handler) is dropped */
	uint32_t busy;
	struct control control;
};

/*
 * What the call of a known function (cinstr/objects.h) that a thread has come to waits for. It is
 * there from the call's before on, and means nothing behind its after.
 */
struct awaited {
	uint64_t object;  /* address */
	uint64_t site;	  /* end of the sled before the call, a BEFORE or TAIL */
	uint32_t holder;  /* of a mutex: tid of the thread that had it; 0: not known */
	uint32_t returns; /* TAIL: the address that it returns to, low half; else 0 */
	/* when the thread has last given back a lock that others may have waited for */
	uint64_t gave;
};

enum probe_phase {
	PROBE_NEW = 0,	  /* no event seen yet */
	PROBE_ON = 1,	  /* recording */
	PROBE_OFF = 2,	  /* cannot be recorded (no room) or over */
	PROBE_FORKED = 3, /* in a child: a file of its own is needed first */
};

/* What slow_entry.S hands to cinstr_slow(): the registers at the sled. */
struct probe_frame {
	struct arch_registers registers;
	uint32_t kind;
	uint32_t code_offset; /* K of the module */
	uint64_t now;	      /* ticks, from before signals were switched off; if has_ticks */
	/* The program's stack in the thunk: at[0] is the return address of the sled; ENTER, EXIT,
	 * TAIL: at[1] is that of the function. */
	uint64_t *at;
	/* As cinstr_slow_stack() has returned it. */
	uint64_t stack;
};

enum indirect_thunk {
	INDIRECT_BEFORE,
	INDIRECT_APART, /* a BEFORE whose call is not right behind the sled */
	INDIRECT_TAIL,
	INDIRECT_KEEP, /* added: r10 and r11 are live */
};

struct thunk_fixup {
	uint32_t offset; /* of the 32-bit field in the template */
	uint32_t type;
};

/* A restartable sequence in the template: offsets. descriptor: of the word for its address. */
struct thunk_sequence {
	uint32_t descriptor, start, end, abort;
};

/* Of each there is another one, with _sums behind its name, in a template whose thunks write down
 * what the thread has executed as well. */
extern const char thunk_template[], thunk_template_end[];
/* CINSTR_ROOM_ABORTS bytes (room.S) */
extern char cinstr_own_room[];
extern const struct thunk_fixup thunk_fixups[], thunk_fixups_end[];
extern const struct thunk_sequence thunk_sequences[], thunk_sequences_end[];
/* Offsets in the template, by event kind: the fast thunk, the one that keeps r10 and r11, and the
 * one that leads to the slow path. */
extern const uint32_t thunk_fast[8], thunk_keep[8], thunk_slow[8];
extern const uint32_t thunk_action[8]; /* as thunk_slow, also while recording is off */
extern const uint32_t thunk_silent[8]; /* as thunk_action, for sleds that are not chosen */
/* Before an indirect call, by enum indirect_thunk: rax = the target, rax and rdx are saved; and the
 * same for an unknown target. */
extern const uint32_t thunk_indirect[6], thunk_indirect_nothing[6];
/* An ENTER that no before-call announces: the usual, and one that keeps r10 and r11. */
extern const uint32_t thunk_enter_only[2];
extern const uint32_t thunk_stream[8],
	thunk_stream_slow[8]; /* BEFORE, AFTER of a call that may enter the kernel */
/* Before and after a call that takes a lock, by enum cinstr_abi_lock, and of sleds that keep r10
 * and r11: recorded only if the lock is not free. */
extern const uint32_t thunk_lock[2][6], thunk_unlocked[2];
/* The same, for a lock that is not free; what a stub calls that asks whether it is the thread's. */
extern const uint32_t thunk_lock_taken[2][6], thunk_lock_own[1];
/*
 * Before a call of a function with an object, by enum cinstr_object_use: the same with the usual
 * thunk behind it, for BEFORE and TAIL; and, of one that gives the object, what only notes that: to
 * be called, and to be called by a sled.
 */
extern const uint32_t thunk_object[CINSTR_OBJECT_USES], thunk_object_tail[CINSTR_OBJECT_USES],
	thunk_give[CINSTR_OBJECT_USES], thunk_give_alone[CINSTR_OBJECT_USES];
/* Where a counting stub goes that finds no counters, by block: of a called one, of one that has r10
 * on the stack, and, by a call, of one that the sled jumps to. */
extern const uint32_t thunk_count[CINSTR_COUNTER_BLOCKS], thunk_count_keep[CINSTR_COUNTER_BLOCKS],
	thunk_count_jump[CINSTR_COUNTER_BLOCKS];
extern const uint32_t thunk_slow_pointer, thunk_early_pointer, thunk_slow_reach, thunk_has_ticks,
	thunk_is_mute, thunk_gives, thunk_control_pages, thunk_calibrate_call, thunk_calibrate_plain,
	thunk_calibrate_bare, thunk_calibrate_line, thunk_calibrate_call_bare, thunk_calibrate_serial,
	thunk_calibrate_serial_bare;

/* Signals blocked. Returns what becomes of the thread's armed word, or GATE_ARM_AS_IT_IS. */
uint64_t cinstr_slow(struct probe_frame *frame);
/*
 * On the program's stack, which may be small, with signals blocked. gate: what the gate keeps lies
 * below. Returns the top of the stack that cinstr_slow() is to run on, or SLOW_HERE, each with
 * SLOW_ASIDE added if it is in a task that must not touch the thread's state; SLOW_NOTHING: it is
 * not to run.
 */
uint64_t cinstr_slow_stack(uint64_t *gate);
/* The same, with signals on, where tasks share the thread's memory. 1: the event is left alone. */
int cinstr_slow_early(uint64_t *gate);
/* The same, behind cinstr_slow(); stack: as returned. */
void cinstr_slow_unstack(uint64_t stack);
extern char cinstr_slow_entry[];

_Static_assert(__builtin_offsetof(struct probe_state, cursor) == PROBE_CURSOR, "");
_Static_assert(__builtin_offsetof(struct probe_state, end) == PROBE_END, "");
_Static_assert(__builtin_offsetof(struct probe_state, high) == PROBE_HIGH, "");
_Static_assert(__builtin_offsetof(struct probe_state, threshold) == PROBE_THRESHOLD, "");
_Static_assert(__builtin_offsetof(struct probe_state, armed) == PROBE_ARMED, "");
_Static_assert(__builtin_offsetof(struct probe_state, skip) == PROBE_SKIP, "");
_Static_assert(__builtin_offsetof(struct probe_state, seen) == PROBE_SEEN, "");
_Static_assert(__builtin_offsetof(struct probe_state, counts) == PROBE_COUNTS, "");
_Static_assert(__builtin_offsetof(struct probe_state, magic) == CINSTR_THREAD_PROBE_AT, "");
_Static_assert(sizeof(struct probe_state) <= sizeof(((struct cinstr_abi_thread *)NULL)->probe), "");
_Static_assert(__builtin_offsetof(struct probe_state, left) == PROBE_LEFT, "");
_Static_assert(__builtin_offsetof(struct probe_state, gate) == PROBE_GATE, "");
_Static_assert(__builtin_offsetof(struct probe_state, waits) == PROBE_WAITS, "");
_Static_assert(__builtin_offsetof(struct cinstr_abi_thread, awaited) == PROBE_AWAITED, "");
_Static_assert(CINSTR_CALL_SUMS_AT == PROBE_SUMS, "");
_Static_assert(sizeof(struct awaited) == sizeof(((struct cinstr_abi_thread *)NULL)->awaited), "");
_Static_assert(__builtin_offsetof(struct awaited, site) == PROBE_AWAITED_SITE - PROBE_AWAITED, "");
_Static_assert(__builtin_offsetof(struct awaited, returns) == PROBE_AWAITED_RETURNS - PROBE_AWAITED, "");
_Static_assert(__builtin_offsetof(struct awaited, holder) == PROBE_AWAITED_HOLDER - PROBE_AWAITED, "");
_Static_assert(__builtin_offsetof(struct awaited, gave) == PROBE_GAVE - PROBE_AWAITED, "");
_Static_assert(sizeof(struct arch_registers) == FRAME_REGISTERS, "");
_Static_assert(__builtin_offsetof(struct probe_frame, stack) == FRAME_STACK, "");
_Static_assert(CINSTR_COUNTER_BLOCKS == 8, ""); /* kinds of the slow path; thunk_template.S */
_Static_assert(CINSTR_CONTROL_OFFSET == PROBE_CONTROL_OFFSET && CINSTR_PAGE == PROBE_CONTROL_PAGE, "");
_Static_assert(__builtin_offsetof(struct cinstr_control_block, epoch) == 0, "");
#endif
#endif
