/* SPDX-License-Identifier: MIT */
/*
 * probe.h - the interface between the thunks (thunk_template.S) and C code. Included by assembly as
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
/* struct awaited, which follows probe_state */
#define PROBE_AWAITED 272
#define PROBE_AWAITED_SITE (PROBE_AWAITED + 8)
#define PROBE_AWAITED_HOLDER (PROBE_AWAITED + 16)
#define PROBE_AWAITED_RETURNS (PROBE_AWAITED + 20)
#define PROBE_GAVE (PROBE_AWAITED + 24)
/* struct moves */
#define PROBE_MOVES 304
#define PROBE_MOVES_FD (PROBE_MOVES + 4)
#define PROBE_MOVES_SIZE (PROBE_MOVES + 8)
/* Number of descriptors whose files are kept (files.c); the last one stands for "no descriptor". */
#define FILES_FDS 65536
#define FILES_NO_FD (FILES_FDS - 1)
/* CINSTR_END_BIT and the like: in what stands for a pipe's end among the gives (pipes.c) */
#define END_BIT 63
#define END_WRITES_BIT 32
#define END_READS_BIT 33
/* moves.fd of a call of epoll_ctl() holds the descriptor and, from these bits on, the number of
 * epoll's own descriptor, and the operation (polls.c). */
#define POLLS_SET_AT 16
#define POLLS_HOW_AT 30
/* struct give (waits.c): its size and number as powers of two; offsets */
#define GIVE_BITS 6
#define GIVES_BITS 12
/* CINSTR_HOLDER_WRITER, CINSTR_HOLDER_READERS */
#define HOLDER_WRITER_BIT 30
#define HOLDER_READERS_BIT 31
#define GIVE_TICKS 8
#define GIVE_BY 16
#define GIVE_CHECK 24
#define GIVE_OTHER 32

/* Distance from cinstr.is_mute to cinstr.n_gates. */
#define MUTE_TO_GATES 4

/*
 * Values that the gate to the slow path (thunk_template.S) keeps below its stack pointer, in the
 * 128 bytes that no signal frame overwrites; slow_entry.S leaves them there.
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
#define GATE_MASK (-80)	 /* the previous signal mask */
#define GATE_LEAVE (-88) /* address of the way out */
#define GATE_ARM (-96)	 /* for the armed word, or GATE_ARM_AS_IT_IS */
#define GATE_NOW (-104)	 /* ticks before signals were blocked */
#define GATE_FLAGS (-112)
#define GATE_BYTES 112
#define GATE_ARM_AS_IT_IS (-1)
/* Bytes that the slow path needs below the gate's stack pointer (slow_entry.S): on a small stack
 * that it leaves, and on a stack that it stays on. */
#define GATE_REACH 192
#define GATE_REACH_WHOLE 1024
#define SLOW_HERE 0
#define SLOW_ASIDE 1
#define SLOW_NOTHING 2
/* Offsets in struct probe_frame, for slow_entry.S. */
#define FRAME_STACK 144
#define FRAME_LEFT 32
#define FRAME_REGISTERS 120
/* Place where a counting stub keeps r10, from the stack pointer. */
#define STUB_R10 (-8)

/* Places of the control blocks' epochs, from runtime.h's control_pages. */
#define PROBE_CONTROL_OFFSET 2048
#define PROBE_CONTROL_PAGE 4096

/* Kinds pushed by a thunk for slow_entry.S: those of cinstr/format.h, and: */
#define PROBE_KIND_FULL 0    /* no event: the buffer is full */
#define PROBE_KIND_ACTION 8  /* added: the sled has an action (control.c) */
#define PROBE_KIND_SILENT 16 /* added: the event itself is not to be recorded */
#define PROBE_KIND_STREAM 32 /* added: around a call that may enter the kernel: r11 tells */
/* no event: a counting stub found no counters in this block (added) in its thread, or has counted,
 * and a pulse is due */
#define PROBE_KIND_COUNT 64
#define PROBE_KIND_KEPT 128	    /* added to COUNT: the stub has kept r10, which is live */
#define PROBE_KIND_MOVES 256	    /* added to AFTER: of a call that reads or writes */
#define PROBE_KIND_WRITES 512	    /* added to MOVES: the call writes */
#define PROBE_KIND_OPENS 1024	    /* added to AFTER: of a call that returns a file's descriptor */
#define PROBE_KIND_ALLOCATES 2048   /* added to BEFORE: of a call that allocates memory */
#define PROBE_KIND_FREES 4096	    /* added to BEFORE and TAIL: of a call that frees a block */
#define PROBE_KIND_HOLDS 8192	    /* added to BEFORE and AFTER: of a call that allocates one */
#define PROBE_KIND_HOLDS_AT 16384   /* added to HOLDS in AFTER: the block is at argument 1 */
#define PROBE_KIND_PAIRS 32768	    /* added to AFTER: of a call that makes two ends of a pipe */
#define PROBE_KIND_POLLS 65536	    /* added to AFTER: of poll(); with WRITES: of epoll_wait() */
#define PROBE_KIND_REGISTERS 131072 /* added to AFTER: of epoll_ctl() */

/*
 * Value that the `syscall` instruction leaves in r11: the flags, with interrupts enabled; carry,
 * parity, adjust, zero, sign and overflow may be set. 64 numbers, from 514 to 2,775.
 */
#define ARCH_LEFT_BY_SYSCALL 0x202
#define ARCH_LEFT_BY_SYSCALL_MASK (~0x8d5)

/* Place where a stub puts the distance from the end of its sled to the call, if they are apart:
 * below the stack pointer and the thunk's save area. */
#define INDIRECT_APART_BY (-24)

/* Types of fields that are filled in when a thunk page is made (struct thunk_fixup.type). */
#define FIX_CURSOR 1
#define FIX_END 2
#define FIX_HIGH 3
#define FIX_THRESHOLD 4
#define FIX_ARMED 5 /* offset of the rseq_cs word (or its substitute) from the thread pointer */
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
/* to 23: addresses of the parts of the sum of executed instructions (segments.c) */
#define FIX_SUM 20
#define FIX_COUNTER 24
#define FIX_MOVES 25
#define FIX_MOVES_FD 26
#define FIX_MOVES_SIZE 27
#define FIX_CODE 6 /* K: code = (return address of the sled + K) & ~7 | kind */

/* Distance in bytes from a record to the thread's count at that time (cinstr/call_sums.h). */
#define PROBE_SUMS 36864

/* Offsets in struct perf_event_mmap_page. */
#define COUNTER_LOCK 8
#define COUNTER_INDEX 12
#define COUNTER_OFFSET 16
#define COUNTER_WIDTH 48

#define PROBE_MAGIC CINSTR_THREAD_PROBE

#ifndef __ASSEMBLER__
#include <stdint.h>

#include <stddef.h>

#include "arch.h"
#include "cinstr/abi.h"
#include "cinstr/amounts.h"
#include "cinstr/awaiting.h"
#include "cinstr/call_sums.h"
#include "cinstr/format.h"
#include "cinstr/objects.h"

struct perf_event_mmap_page;
struct thread;
struct tasks;

/* The outermost open REGION or QUIET of a thread; inner ones change nothing. */
struct control_span {
	/* 0: none is open. Else the lowest stack pointer that a probe has once the frame that
	 * opened it is left */
	uint64_t limit;
	/* until then at that address: a return address, up to 16 bytes after this one */
	uint64_t word;
};

/* Whether a thread records (control.c). */
struct control {
	int32_t suspensions;
	uint32_t tid; /* 0: a new thread */
	uint8_t started;
	/* State of the levels above, and of the thread as set from outside (levels.c): */
	uint8_t levels_off;
	uint8_t flush; /* 1: fold after this event */
	uint8_t lends; /* 1: the thread waits for a task that uses its memory (tasks.c) */
	/* these two as in struct cinstr_thread, until the thread has its record */
	uint32_t stopped;
	int32_t waiting_suspensions;
	uint32_t flushes;    /* number of requested folds, as last seen */
	struct tasks *tasks; /* other tasks that use this memory; NULL: none so far */
	struct control_span region, quiet;
	/* stack pointer of the last recorded level (depth.c): `skip` outside of the runtime's work
	 * unless another limit holds; 0: none */
	uint64_t deep;
};

/*
 * The probes' part of a thread, at an initial-exec TLS offset from fs. Only its own thread accesses
 * it.
 *
 *   cursor  next record in the thread's buffer; in a thread without one: after a dummy record, with
 *           `high` such that every stamp takes the slow path
 *   end     cursor >= end: the buffer is full (one record of slack follows)
 */
struct probe_state {
	struct cinstr_record *cursor;
	struct cinstr_record *end;
	uint32_t high;	    /* high half of the last stamp */
	uint32_t magic;	    /* PROBE_MAGIC, from the image of a thread's memory (tasks.c) */
	uint64_t threshold; /* ticks << 32: a longer interval takes the slow path */
	/* replaces rseq_cs where there are no restartable sequences; not 0: armed */
	uint64_t armed;
	/* recording is off for probes with a stack pointer below this; then `armed` is 0; 0:
	 * recording is on */
	uint64_t skip;
	uint32_t seen;	    /* sum of the epochs (levels.c) when this thread last looked */
	uint32_t kept_high; /* holds `high` while probes are skipped */
	/* counters of counted functions, by block; NULL: stubs take the slow path (counting.c) */
	uint64_t *counts[CINSTR_COUNTER_BLOCKS];
	uint64_t left; /* ticks when the slow path was last left (resume.c) */
	/* stack pointer of the outermost gate (thunk_template.S) that the thread is in and is
	 * counted for in cinstr.n_gates; 0: none. A handler may have jumped out of that gate. */
	uint64_t gate;
	/* stack pointer at a call that takes a lock, in a counted function: its BEFORE was recorded
	 * because the lock was not free, so its AFTER will be, too; 0: none */
	uint64_t waits;
	/* top of a stack for the slow path: the program's may be small; NULL: not made yet */
	char *slow_stack;
	/* distance from the counters for no thread to the thread's own counters of executed
	 * segments; 0: it uses the former (segments.c) */
	uint64_t segments;
	struct thread *thread; /* NULL: not begun, or over */
	uint32_t phase;	       /* enum probe_phase */
	/* 1: inside the runtime: nested events (of a fault's handler) are dropped */
	uint32_t busy;
	struct control control;
	/* counter.c, if cinstr.counter is set: the page by which the processor's counter is read:
	 * the kernel's, or one that says that it cannot be read */
	const struct perf_event_mmap_page *counter;
};

/*
 * The object that a thread waits for in a call of a known function (cinstr/objects.h). Set from the
 * call's BEFORE on, without meaning after its AFTER.
 */
struct awaited {
	uint64_t object;  /* address */
	uint64_t site;	  /* end of the sled before the call, a BEFORE or TAIL */
	uint32_t holder;  /* who held it, as in struct cinstr_wait; 0: not known */
	uint32_t returns; /* TAIL: low half of the address that the call returns to; else 0 */
	/* stamp of the thread's last release of a lock that others may have waited for */
	uint64_t gave;
};

/* Arguments of the call of a known function (cinstr/amounts.h) that a thread is in. */
struct moves {
	uint32_t site;	    /* end of the sled before the call, low half */
	uint32_t fd;	    /* FILES_NO_FD: none */
	uint64_t item_size; /* of what the call's result counts; or what it allocates */
};

enum probe_phase {
	PROBE_NEW = 0,	  /* no event seen yet */
	PROBE_ON = 1,	  /* recording */
	PROBE_OFF = 2,	  /* cannot be recorded (no room), or over */
	PROBE_FORKED = 3, /* in a forked child, which first needs a file of its own */
};

/* The argument of cinstr_slow(), from slow_entry.S: the registers at the sled and more. */
struct probe_frame {
	struct arch_registers registers;
	uint32_t kind;
	uint32_t code_offset; /* K of the module */
	uint64_t now;	      /* ticks, from before signals were blocked; if has_ticks */
	/* The program's stack in the thunk: at[0] is the return address of the sled; ENTER, EXIT,
	 * TAIL: at[1] is that of the function. */
	uint64_t *at;
	/* value returned by cinstr_slow_stack() */
	uint64_t stack;
};

enum indirect_thunk {
	INDIRECT_BEFORE,
	INDIRECT_APART, /* a BEFORE whose call does not directly follow the sled */
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

/* Each of these has two more versions, in templates whose thunks also record a count: with _sums
 * appended to its name, the instructions that the thread has executed; with _counter, what the
 * processor's counter says. */
extern const char thunk_template[], thunk_template_end[];
/* CINSTR_ROOM_ABORTS bytes (room.S) */
extern char cinstr_own_room[];
extern const struct thunk_fixup thunk_fixups[], thunk_fixups_end[];
extern const struct thunk_sequence thunk_sequences[], thunk_sequences_end[];
/* Offsets in the template, by event kind: of the fast thunk, of the one that keeps r10 and r11, and
 * of the one that leads to the slow path. */
extern const uint32_t thunk_fast[8], thunk_keep[8], thunk_slow[8];
extern const uint32_t thunk_action[8]; /* as thunk_slow, also while recording is off */
extern const uint32_t thunk_silent[8]; /* as thunk_action, for sleds that are not chosen */
/* Before an indirect call, by enum indirect_thunk: rax = the target, rax and rdx are saved; and
 * likewise for an unknown target. */
extern const uint32_t thunk_indirect[6], thunk_indirect_nothing[6];
/* For an ENTER that no before-call announces: the usual one, and one that keeps r10 and r11. */
extern const uint32_t thunk_enter_only[2];
extern const uint32_t thunk_stream[8],
	thunk_stream_slow[8]; /* BEFORE, AFTER of a call that may enter the kernel */
/* Before and after a call that takes a lock, by enum cinstr_abi_lock, and of sleds that keep r10
 * and r11: recorded only if the lock is not free. */
extern const uint32_t thunk_lock[2][6], thunk_unlocked[2];
/* For a lock that is not free; and the routine by which a stub checks whether the thread holds
 * it. */
extern const uint32_t thunk_lock_taken[2][6], thunk_lock_own[1];
/*
 * Before a call of a function with an object, by enum cinstr_object_use: note the object, then run
 * the usual thunk, for BEFORE and for TAIL; and, for releases of an object, routines that only note
 * the release: called by a stub, and called by a sled.
 */
extern const uint32_t thunk_object[CINSTR_OBJECT_USES], thunk_object_tail[CINSTR_OBJECT_USES],
	thunk_give[CINSTR_OBJECT_USES], thunk_give_alone[CINSTR_OBJECT_USES];
/* Thunks before and after a call of a function that reads, writes or allocates, by enum
 * cinstr_amount_use; and routines for those that allocate: r11 becomes the number of bytes. */
extern const uint32_t thunk_moves[CINSTR_AMOUNT_USES], thunk_moved[CINSTR_AMOUNT_USES],
	thunk_sizes[CINSTR_AMOUNT_USES];
/* The same for calls that allocate, where blocks are held; and for calls that free, by event kind:
 * with their event, and without. */
extern const uint32_t thunk_holds[CINSTR_AMOUNT_USES], thunk_held[CINSTR_AMOUNT_USES], thunk_frees[8],
	thunk_frees_alone[8];
/* Targets of a counting stub that finds no counters, by block: for a called stub, for one that has
 * r10 on the stack, and (by a call) for one that the sled jumps to. */
extern const uint32_t thunk_count[CINSTR_COUNTER_BLOCKS], thunk_count_keep[CINSTR_COUNTER_BLOCKS],
	thunk_count_jump[CINSTR_COUNTER_BLOCKS];
extern const uint32_t thunk_slow_pointer, thunk_early_pointer, thunk_slow_reach, thunk_has_ticks,
	thunk_is_mute, thunk_gives, thunk_files, thunk_pipes, thunk_control_pages, thunk_calibrate_call,
	thunk_calibrate_plain, thunk_calibrate_bare, thunk_calibrate_line, thunk_calibrate_call_bare,
	thunk_calibrate_serial, thunk_calibrate_serial_bare;

/* Handles a slow event, signals blocked. Returns the new value of the thread's armed word, or
 * GATE_ARM_AS_IT_IS. */
uint64_t cinstr_slow(struct probe_frame *frame);
/*
 * Runs on the program's stack, which may be small, with signals blocked. gate: the gate's values
 * lie below. Returns the top of the stack for cinstr_slow(), or SLOW_HERE, each with SLOW_ASIDE
 * added in a task that must not touch the thread's state; or SLOW_NOTHING: do not run it.
 */
uint64_t cinstr_slow_stack(uint64_t *gate);
/* Runs earlier, with signals on, where tasks share the thread's memory. Returns 1 if the event is
 * to be left alone, else 0. */
int cinstr_slow_early(uint64_t *gate);
/* Runs after cinstr_slow(); stack: as returned by cinstr_slow_stack(). */
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
_Static_assert(END_BIT == CINSTR_END_BIT && END_WRITES_BIT == CINSTR_END_WRITES_BIT &&
		       END_READS_BIT == CINSTR_END_READS_BIT,
	       "");
_Static_assert(CINSTR_HOLDER_WRITER == 1u << HOLDER_WRITER_BIT, "");
_Static_assert(CINSTR_HOLDER_READERS == 1u << HOLDER_READERS_BIT, "");
_Static_assert(__builtin_offsetof(struct awaited, gave) == PROBE_GAVE - PROBE_AWAITED, "");
_Static_assert(__builtin_offsetof(struct cinstr_abi_thread, moves) == PROBE_MOVES, "");
_Static_assert(sizeof(struct moves) == sizeof(((struct cinstr_abi_thread *)NULL)->moves), "");
_Static_assert(__builtin_offsetof(struct moves, fd) == PROBE_MOVES_FD - PROBE_MOVES, "");
_Static_assert(__builtin_offsetof(struct moves, item_size) == PROBE_MOVES_SIZE - PROBE_MOVES, "");
_Static_assert(sizeof(struct arch_registers) == FRAME_REGISTERS, "");
_Static_assert(__builtin_offsetof(struct probe_frame, stack) == FRAME_STACK, "");
_Static_assert(CINSTR_COUNTER_BLOCKS == 8, ""); /* kinds of the slow path; thunk_template.S */
_Static_assert(CINSTR_CONTROL_OFFSET == PROBE_CONTROL_OFFSET && CINSTR_PAGE == PROBE_CONTROL_PAGE, "");
_Static_assert(__builtin_offsetof(struct cinstr_control_block, epoch) == 0, "");
#endif
#endif
