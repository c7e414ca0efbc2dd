/* SPDX-License-Identifier: MIT */
/*
 * cinstr/abi.h - the interface between plugin-made object code and the runtime.
 *
 * An instrumented object holds no code of ours, only
 *
 *   sleds     5-byte NOPs in the program's text, one per probe site;
 *   tables    ELF notes (section .cinstr.note, SHT_NOTE, SHF_ALLOC | SHF_LINK_ORDER) that say
 *             what each sled stands for. One note per text section of a translation unit, linked
 *             to that text section, so that --gc-sections drops a function and its table together;
 *   strings   section cinstr_str (mergeable), referenced from the tables;
 *   a hook    one COMDAT constructor and destructor per module that calls, when they exist,
 *             cinstr_register_v1() and cinstr_unregister_v1(), and otherwise loads libcinstr.so.
 *
 * The tables hold PC-relative references only: no relocation is processed at load time. A tool that
 * moves notes or code after the link breaks these references; the runtime detects that by the
 * hook's note (struct cinstr_abi_hook_note). The runtime finds them through the program headers
 * (PT_NOTE), so nothing here needs the linker's __start_/__stop_ symbols (which would keep every
 * function alive).
 */
#ifndef CINSTR_ABI_H
#define CINSTR_ABI_H

/* Room for code that outlives its module (struct cinstr_abi_start: carrier). */
#define CINSTR_ROOM_ABORTS 65536

#ifndef __ASSEMBLER__
#include <stdint.h>

#define CINSTR_ABI_VERSION 1

#define CINSTR_NOTE_NAME "cinstr"    /* 7 bytes with the NUL; padded to 8 in the note */
#define CINSTR_NOTE_TABLE 0x43490001 /* note type: struct cinstr_abi_table */
#define CINSTR_NOTE_API \
	0x43490002 /* note type: int32_t: where cinstr.h's variable cinstr_api_v1 is, from there */
#define CINSTR_NOTE_HOOK 0x43490003	/* note type: struct cinstr_abi_hook_note */
#define CINSTR_NOTE_SEGMENTS 0x43490004 /* note type: struct cinstr_abi_segments */
/* note type: segments whose counters also add up instructions: CINSTR_COUNT_SUM_BYTES */
#define CINSTR_NOTE_SEGMENTS_SUM 0x43490005
#define CINSTR_NOTE_SECTION ".cinstr.note"
#define CINSTR_STRING_SECTION "cinstr_str"

#define CINSTR_SLED_BYTES 5
/* Longest call instruction: its return address is at most this far after its before-call's sled. */
#define CINSTR_CALL_BYTES_MAX 16u
/* nopl 0x0(%rax,%rax,1). A sled never crosses an 8-byte boundary: `.p2align 3,,4` stands before
 * it. */
#define CINSTR_SLED_NOP \
	{ \
		0x0f, 0x1f, 0x44, 0x00, 0x00 \
	}

/*
 * A reference to a string: its address minus the address of this field; 0 = no string.
 * The string lies in section cinstr_str of the same module, NUL-terminated.
 */
typedef int32_t cinstr_abi_ref;

/*
 * The descriptor of one note: this header, then refs[n_refs], then records[n_records].
 * All records of a function stand together; a function may have two groups (hot and cold part),
 * in different notes.
 */
struct cinstr_abi_table {
	uint32_t abi;	/* CINSTR_ABI_VERSION */
	uint32_t flags; /* enum cinstr_abi_table_flag */
	int32_t text;	/* address of the text anchor minus the address of this field */
	/* main source file of the translation unit, as given to the compiler */
	cinstr_abi_ref unit;
	cinstr_abi_ref comp_dir; /* working folder of the compilation */
	uint32_t n_refs;
	uint32_t n_records;
	/* cinstr_abi_sum_...() of the table; 0: none (older plugins) */
	uint32_t checksum;
	/* cinstr_abi_ref refs[n_refs]; struct cinstr_abi_record records[n_records]; */
};

enum cinstr_abi_table_flag {
	/* The unit may look at its module's own code. Older runtimes do not record a module with
	 * such a table. */
	CINSTR_TABLE_READS_CODE = 1,
};

/*
 * offset: for sleds, address of the sled's first byte minus the text anchor (may be negative: an
 * int32_t);
 *         for the others see the list.
 * info:   kind (bits 0-3), flags (bits 4-7), payload (bits 8-31).
 */
struct cinstr_abi_record {
	uint32_t offset;
	uint32_t info;
};

/*
 * Kinds of record. The numbers 8 + k are the event kinds k of cinstr/format.h: these are sleds.
 *
 *   FUNCTION     begins a function's group. offset: line of its definition. payload: ref of its
 *                assembler name.
 *   ENTRY        follows FUNCTION. offset: address of the function's enter sled minus the address
 *                of this field (the same address in the hot and the cold group: it identifies the
 *                function). payload: ref of its source file
 *   LINE         offset: source line. payload: ref of the file, or NO_REF: the function's. Gives
 *                the place of the preceding sled if that has no line itself; after a BEFORE also
 *                the file of its AFTER
 *   LEFT_OUT     a function without sleds, outside of groups. offset: enum cinstr_abi_reason.
 *                payload: ref of its name. flags: CINSTR_FUNCTION_LOCAL, _REPLACEABLE, _ALIAS
 *   INLINED      follows a SOURCE_LINE and its LINE: the line lies in inlined code. One per level,
 *                innermost first. payload: ref of a string "function\tfile\tline\n": `function`
 *                (assembler name) was inlined at file:line. (A string may have several such lines,
 *                one per level.) offset: 0
 *   ACTION       follows a sled (and its LINE, INLINED): an additional action there. offset: enum
 *                cinstr_abi_action. payload: ref of a text (MARK), or NO_REF. Several run in their
 *                order
 *   ENTER        payload: 0
 *   EXIT         payload: source line; 0: not known
 *   BEFORE       payload: ref of the callee's assembler name, or NO_REF: the call is indirect. The
 *                call instruction begins right after the sled's 5 bytes
 *   AFTER        payload: source line of the call. flags: CINSTR_SITE_KEEP, and a lock's
 *                (CINSTR_LOCK_FLAGS). The next record after its BEFORE (and that one's LINE)
 *   TAIL         payload as of BEFORE; stands for the exit as well
 *   LANDING      payload: source line. Takes the place of AFTER at a call that may return twice
 *                (setjmp, vfork)
 *   SOURCE_LINE  execution reaches another source line. payload: the line. Any register and the
 *                flags may be live at the sled; the red zone is not in use
 *
 * A NOP without a record is no sled: the plugin drops records of calls that turn out to be
 * unwanted.
 */
enum cinstr_abi_kind {
	CINSTR_REC_FUNCTION = 1,
	CINSTR_REC_ENTRY = 2,
	CINSTR_REC_LINE = 3,
	CINSTR_REC_LEFT_OUT = 4,
	CINSTR_REC_INLINED = 5,
	CINSTR_REC_ACTION = 6,
	CINSTR_REC_ENTER = 8 + 1,
	CINSTR_REC_EXIT = 8 + 2,
	CINSTR_REC_BEFORE = 8 + 3,
	CINSTR_REC_AFTER = 8 + 4,
	CINSTR_REC_TAIL = 8 + 5,
	CINSTR_REC_LANDING = 8 + 6,
	CINSTR_REC_SOURCE_LINE = 8 + 7,
};

#define CINSTR_REC_KIND(info) ((info)&15u)
#define CINSTR_REC_FLAGS(info) (((info) >> 4) & 15u)
#define CINSTR_REC_PAYLOAD(info) ((info) >> 8)
#define CINSTR_REC_NO_REF 0xffffffu

enum cinstr_abi_flag {
	/* r10 or r11 is live at the sled: the probe must preserve every register */
	CINSTR_SITE_KEEP = 1,
	/* BEFORE, TAIL: the callee is a known wrapper of a system call (semantics R11) */
	CINSTR_SITE_SYSCALL = 2,
	CINSTR_SITE_NORETURN = 4, /* BEFORE: the call does not return; no AFTER follows */
	/* TAIL: the callee is one of cinstr/objects.h, declared as by the system: its first
	 * argument is an address */
	CINSTR_SITE_OBJECT = 4,
	/* BEFORE, TAIL: the callee is known to enter the kernel at times (semantics R11) */
	CINSTR_SITE_STREAM = 8,
	/* BEFORE, TAIL: both bits: neither of these, but the callee is known to wait (waits.h).
	 * Older runtimes take it for a wrapper of a system call. */
	CINSTR_SITE_WAITS = CINSTR_SITE_SYSCALL | CINSTR_SITE_STREAM,
	/* FUNCTION, LEFT_OUT: not visible outside its translation unit (static) */
	CINSTR_FUNCTION_LOCAL = 1,
	CINSTR_FUNCTION_COLD =
		2, /* FUNCTION: this group is the cold part of a function that has another group */
	/* LEFT_OUT: the linker or loader may take another function of this name instead (weak, or
	 * public in -fPIC) */
	CINSTR_FUNCTION_REPLACEABLE = 4,
	/* LEFT_OUT: another name of a function that has a record of its own */
	CINSTR_FUNCTION_ALIAS = 8,
};

/*
 * AFTER: the callee takes a lock that is free most times; the 32-bit word that its first argument
 * points to tells whether it is. Older runtimes time these calls like all others.
 */
enum cinstr_abi_lock {
	CINSTR_LOCK_NOT,
	CINSTR_LOCK_MUTEX,     /* pthread_mutex_t: taken if it is not 0 */
	CINSTR_LOCK_WORD,      /* as MUTEX, but the memory after the word is not known */
	CINSTR_LOCK_READ,      /* pthread_rwlock_t, to read: taken by a writer if bit 1 is set */
	CINSTR_LOCK_WRITE,     /* ... to write: also taken by readers if a bit from 3 on is set */
	CINSTR_LOCK_SEMAPHORE, /* sem_t: taken if it is 0 */
	/* No such lock, but an object (cinstr/objects.h), which all of these have too; for a TAIL,
	 * CINSTR_SITE_OBJECT says so. */
	CINSTR_LOCK_OBJECT,
	/* No lock: a function of cinstr/amounts.h, declared as by the system: it returns bytes,
	 * items, a descriptor or memory. */
	CINSTR_LOCK_AMOUNT,
};
#define CINSTR_AFTER_LOCK(flags) ((flags) >> 1)
#define CINSTR_LOCK_FLAGS(lock) ((unsigned int)(lock) << 1)

/* Returns the kind of callee by the flags of a BEFORE or TAIL: 0 (not known), CINSTR_SITE_SYSCALL,
 * CINSTR_SITE_STREAM or CINSTR_SITE_WAITS. */
#define CINSTR_SITE_CALLEE(flags) ((flags)&CINSTR_SITE_WAITS)

enum cinstr_abi_reason {
	CINSTR_LEFT_OUT_ATTRIBUTE = 1, /* no_instrument_function */
	CINSTR_LEFT_OUT_NAKED = 2,     /* naked or interrupt */
	CINSTR_LEFT_OUT_IFUNC = 3,     /* resolver of an ifunc: runs before relocation */
	CINSTR_LEFT_OUT_THUNK = 4,     /* compiler-made thunk */
	CINSTR_LEFT_OUT_OTHER = 5,     /* __builtin_eh_return, ms_abi and other odd shapes */
	/* By choice: */
	/* a small leaf function: its time counts as its caller's, as if inlined */
	CINSTR_LEFT_OUT_SMALL = 6,
	CINSTR_LEFT_OUT_EXCLUDED = 7,	  /* an exclude rule */
	CINSTR_LEFT_OUT_NOT_INCLUDED = 8, /* there are include rules, and none matches */
	CINSTR_LEFT_OUT_SYSTEM = 9,	  /* defined in a system header */
};

/*
 * -fplugin-arg-cinstr-instructions: the segments of one function. A segment is code that is
 * executed from its first instruction to its last: a block, or the part of one up to a call that
 * may not return. Some segments have a counter: 16 bytes of NOPs (CINSTR_COUNT_NOP) that the
 * runtime turns into `movq %fs:OFFSET, %REGISTER; incq ADDRESS + 8 * NUMBER(%REGISTER)` (of a loop:
 * addq %rax). The counts of the others follow from the function's flow graph: a segment is an edge
 * from node `from` to node `to`, the function itself one from node `exit` to node `entry`, and the
 * flow into a node equals the flow out of it. Where a function may be left and come back to
 * (setjmp), no two segments share a node, and each that has instructions has a counter.
 *
 * Where no register is free, or the flags are live, code right before the NOPs saves them and code
 * right after restores them: CINSTR_SEGMENT_BEFORE(), _BEHIND(). That code and all NOPs do not
 * belong to the program.
 *
 * The note stands in CINSTR_NOTE_SECTION, linked to the text section of the function's hot part. A
 * module's counters are numbered in the order of its notes and of the segments in them.
 */
struct cinstr_abi_segments {
	uint32_t abi; /* CINSTR_ABI_VERSION */
	uint32_t n_segments;
	/* nodes */
	uint32_t entry, exit;
	/* struct cinstr_abi_segment segments[n_segments]; */
};

/* Addresses are relative to the address of their field. */
struct cinstr_abi_segment {
	int32_t start, end; /* its first byte, and the one after its last */
	/* first byte of its counter's NOPs, between start and end, or before start
	 * (CINSTR_SEGMENT_LOOP); 0: no counter */
	int32_t counter;
	/* bits 0-27: nodes. Bits 28-31 of `from`: the register, as in code; of `to`: enum
	 * cinstr_abi_saved, or CINSTR_SEGMENT_LOOP */
	uint32_t from, to;
};

#define CINSTR_SEGMENT_NODE(word) ((word)&0xfffffffu)
#define CINSTR_SEGMENT_REGISTER(word) ((word) >> 28)
/* Registers that the code around a counter saves: the counter's register, which then is rax; the
 * flags. */
enum cinstr_abi_saved { CINSTR_SAVED_REGISTER = 1, CINSTR_SAVED_FLAGS = 2 };
#define CINSTR_SEGMENT_SAVED(to) ((to) >> 28 & 3)
/* The segment is a loop, whose counter is before it, outside of all segments: it adds the number of
 * iterations, from rax, before the first one. Code around it computes that, and saves registers. */
#define CINSTR_SEGMENT_LOOP 0x40000000u
#define CINSTR_SEGMENT_IS_LOOP(to) ((to)&CINSTR_SEGMENT_LOOP)
/* Bytes of the code that saves them, and of the code that restores them. */
#define CINSTR_SEGMENT_BEFORE(to) (CINSTR_SEGMENT_SAVED(to) ? CINSTR_SEGMENT_SAVED(to) == 3 ? 8 : 6 : 0)
#define CINSTR_SEGMENT_BEHIND(to) (CINSTR_SEGMENT_SAVED(to) ? CINSTR_SEGMENT_SAVED(to) == 3 ? 10 : 9 : 0)
/* A counter's first byte has an even address. */
#define CINSTR_COUNT_BYTES 16
/* nopw %cs:0x0(%rax,%rax,1) with five prefixes more, 15 bytes; nop. A thread's instruction pointer
 * is before them or at the last byte, so the last byte that the runtime writes must be harmless in
 * front of the following code. */
#define CINSTR_COUNT_NOP \
	{ \
		0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x90 \
	}
/*
 * -fplugin-arg-cinstr-instructions=calls (CINSTR_NOTE_SEGMENTS_SUM): after these, a NOP of 12 bytes
 * becomes `addq $N, SUM(%REGISTER)` and a NOP. N is chosen such that the thread's sum is exact
 * wherever an event may come: after an ENTER or AFTER sled the counter of the same segment has not
 * run yet, before a BEFORE, TAIL or EXIT sled it has.
 */
#define CINSTR_COUNT_SUM_BYTES 28
#define CINSTR_COUNT_SUM_NOP \
	{ \
		0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 \
	}

/*
 * Actions of a thread at a sled, besides recording it. A thread records while (started or a REGION
 * is open) and no QUIET is open and suspensions <= 0. Threads begin as started unless a loaded
 * module has a START or REGION_BEGIN.
 */
enum cinstr_abi_action {
	CINSTR_ACTION_START = 1,   /* started = 1 */
	CINSTR_ACTION_STOP = 2,	   /* started = 0 */
	CINSTR_ACTION_SUSPEND = 3, /* suspensions + 1 */
	CINSTR_ACTION_RESUME = 4,  /* suspensions - 1 */
	CINSTR_ACTION_MARK = 5,
	/* Open until their END, or until the frame that opened them has been left in another
	 * way: */
	CINSTR_ACTION_REGION_BEGIN = 6,
	CINSTR_ACTION_REGION_END = 7,
	CINSTR_ACTION_QUIET_BEGIN = 8,
	CINSTR_ACTION_QUIET_END = 9,
};

/*
 * The checksum of a table covers what does not change between compiler and memory: the lengths of
 * its strings (`unit`, `comp_dir` and refs[], in this order; no string: 0), then of each record
 * `info` and, unless it is a distance, `offset`. It starts as 0; the final value is never 0.
 */
static inline uint32_t cinstr_abi_sum_word(uint32_t sum, uint32_t word)
{
	sum = (sum ^ word) * 0x9e3779b1u;
	return sum ^ sum >> 15;
}

static inline uint32_t cinstr_abi_sum_record(uint32_t sum, uint32_t offset, uint32_t info)
{
	int is_distance = CINSTR_REC_KIND(info) > 8 || CINSTR_REC_KIND(info) == CINSTR_REC_ENTRY;

	return cinstr_abi_sum_word(cinstr_abi_sum_word(sum, info), is_distance ? 0 : offset);
}

static inline uint32_t cinstr_abi_sum_end(uint32_t sum)
{
	return sum ? sum : 1;
}

/* Descriptor of the hook's note, which lies among the notes of the tables. */
struct cinstr_abi_hook_note {
	int32_t code; /* address of the hook's code minus the address of this field */
	int32_t data; /* address of its struct cinstr_abi_hook minus the address of this field */
};

/*
 * A module's hook, in its read-only data. Distances count from their own fields. The address of
 * this struct and that of the hook's code are known twice: computed by the running hook, and from
 * the link in its note. Their differences tell how far the notes were moved, and whether the code
 * was.
 */
struct cinstr_abi_hook {
	uint32_t magic; /* CINSTR_HOOK_MAGIC */
	uint32_t abi;	/* CINSTR_ABI_VERSION */
	int32_t state;	/* distance of its struct cinstr_abi_state */
	/* distances of the begin and end of writable, zeroed memory for probes' code
	 * (CINSTR_ROOM_SECTION) */
	int32_t room, room_end;
};
#define CINSTR_HOOK_MAGIC 0x4b4f4843 /* "CHOK" */
/* Precedes the list of paths where the hook looks for the runtime; an empty path ends the list. */
#define CINSTR_HOOK_PATHS "cinstr hook paths"

/*
 * Section for probes' code, with unwind information: the return address is on top of the stack.
 * Each translation unit reserves as much as its functions may need.
 */
#define CINSTR_ROOM_SECTION "cinstr_room"
/* The hook's part of the room: eight pages for a module's thunks, and for the room's end, whose
 * last page is not whole; and CINSTR_ROOM_ABORTS. */
#define CINSTR_ROOM_BYTES (8 * 4096 + CINSTR_ROOM_ABORTS)
#define CINSTR_ROOM_FUNCTION 96 /* bytes in a unit for each of its functions */
#define CINSTR_ROOM_CALL 96	/* for each call with a probe */

/*
 * Room for the runtime's data of a thread, in the TLS image of each module. In modules that are
 * loaded with the program it is at the same offset from the thread pointer in all threads.
 */
struct cinstr_abi_thread {
	char probe[256]; /* zeros, but for CINSTR_THREAD_PROBE at byte 20 */
	uint64_t magic;	 /* CINSTR_THREAD_MAGIC */
	uint32_t size;
	int32_t hook;	  /* in the image: distance of the module's struct cinstr_abi_hook */
	char awaited[32]; /* the object that the thread waits for */
	char moves[16];	  /* arguments of a call that reads or writes */
};
#define CINSTR_THREAD_MAGIC 0x6461657268546943ull /* "CiThread" */
#define CINSTR_THREAD_ALIGN 64
#define CINSTR_THREAD_PROBE 0x5eed7a5c
#define CINSTR_THREAD_PROBE_AT 20

/* Tells the runtime how it was loaded, and where to keep its thread variables. */
struct cinstr_abi_start {
	uint32_t bytes; /* of this struct */
	/* offset of cinstr_abi_thread's `probe` from the thread pointer; 0: the runtime uses its
	 * own */
	int64_t offset;
	/* hook of the module with that cinstr_abi_thread, which is never unloaded; NULL if offset
	 * is 0 */
	const struct cinstr_abi_hook *carrier;
	struct r_debug *debug; /* the dynamic loader's; NULL: none */
	/* ELF header of the runtime's library, if the dynamic loader does not know it; else NULL */
	const void *runtime;
	const char *path; /* path of that library's file */
};

/*
 * Called by a module's constructor / destructor. ehdr: the module's ELF header as mapped
 * (__ehdr_start). hook, code: the calling hook and its code. Neither fails visibly; both may be
 * called more than once.
 */
typedef void cinstr_register_function(const void *ehdr, const struct cinstr_abi_hook *hook, const void *code,
				      const struct cinstr_abi_start *start);
typedef void cinstr_unregister_function(const void *ehdr);
#ifdef __cplusplus
extern "C" {
#endif
cinstr_register_function cinstr_register_v1;
cinstr_unregister_function cinstr_unregister_v1;
#ifdef __cplusplus
}
#endif

/* The runtime's functions; NULL until a hook has found them. */
struct cinstr_abi_state {
	cinstr_register_function *add;
	cinstr_unregister_function *remove;
};

#endif
#endif
