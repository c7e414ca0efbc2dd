/* SPDX-License-Identifier: MIT */
/*
 * cinstr/format.h - the data file: one per process, written by the runtime (it is the runtime's
 * memory, mapped MAP_SHARED), read by the report. doc/format.md describes it in words.
 *
 * Glossary
 *   stamp      a reading of the clock, in ticks (of the TSC; nanoseconds where it is not usable)
 *   record     16 bytes in a thread's event buffer: one event, or a fused pair of events
 *   code       32 bits that identify a sled (or a special record): see below
 *   cell       64 bytes in a CELLS segment: a node of a call-path tree, or additional data of one
 *   activation one call of a function: from its begin to its end
 *   cell index offset of the cell in the file / 64. Index 0 is the file's header: "none".
 *   segment    a page-aligned piece of the file with a header of 64 bytes
 *
 * Everything is little-endian; sizes are bytes; offsets count from the start of the file.
 */
#ifndef CINSTR_FORMAT_H
#define CINSTR_FORMAT_H

#include <stdint.h>

#include "os_events.h" /* enum cinstr_os_bit */

#define CINSTR_FORMAT_VERSION 4
#define CINSTR_FILE_MAGIC "CINSTR\x1a\n"
#define CINSTR_FILE_SUFFIX ".cinstr"
#define CINSTR_PAGE 4096u

/* ---- codes ----------------------------------------------------------------------------------- */

/*
 * A sled's code = (code_base of its module + (sled address - text_start of its module)) & ~7 |
 * kind. A sled lies inside one aligned 8-byte word, so word and kind identify it. Code 0: no
 * record.
 */
enum cinstr_event_kind {
	CINSTR_EV_SPECIAL = 0,
	CINSTR_EV_ENTER = 1,
	CINSTR_EV_EXIT = 2,
	CINSTR_EV_BEFORE = 3,
	CINSTR_EV_AFTER = 4,
	CINSTR_EV_TAIL = 5,
	CINSTR_EV_LANDING = 6,
	CINSTR_EV_LINE = 7,
};
#define CINSTR_CODE_KIND(code) ((code)&7u)
#define CINSTR_CODE_WORD(code) ((code) & ~7u)
#define CINSTR_LED_CODE(code) ((code) + 8u) /* of a call that leads to a counter of its own */
#define CINSTR_LED_BYTES 1u /* for the code of a site whose calls' bytes of memory are counted */

/* Codes of special records: type << 3 | CINSTR_EV_SPECIAL, argument in bits 8-31. */
enum cinstr_special {
	CINSTR_SP_START = 1, /* first record of a buffer. value: full stamp. */
	/* prefix of the next event record. value: its full stamp. argument: OS bits of the interval
	 * that it ends; not 0: two more records (OS, SWITCHES) precede the event record */
	CINSTR_SP_SLOW = 2,
	/* value: ticks of the interval that the thread spent off the processor */
	CINSTR_SP_OS = 3,
	CINSTR_SP_SWITCHES = 4, /* value: voluntary switches | involuntary switches << 32 */
	CINSTR_SP_RESUME = 5,	/* value: full stamp of the end of the runtime's own work */
	/* precedes an indirect BEFORE or TAIL. value: address of the callee */
	CINSTR_SP_TARGET = 6,
	CINSTR_SP_LOST = 7,	/* value: number of events lost at this place */
	CINSTR_SP_PAUSE = 8,	/* value: full stamp at which recording went off */
	CINSTR_SP_CONTINUE = 9, /* value: full stamp at which it is on again; a STACK follows */
	/* value: number of activations that are still open | half the stack pointer's low half <<
	 * 32 */
	CINSTR_SP_STACK = 10,
	/*
	 * Sleds were switched. argument: enum cinstr_unseen, for a range of stack entries; value:
	 * first entry | number of entries << 32
	 */
	CINSTR_SP_UNSEEN = 11,
};

/* Events of an open FRAME that will not come any more. */
enum cinstr_unseen {
	CINSTR_UNSEEN_AFTER = 1, /* the after-call in its caller */
	CINSTR_UNSEEN_END = 2,	 /* its end: it ends as soon as it is on top of the stack */
	CINSTR_UNSEEN_CALL = 4,	 /* the end of the call that it makes: that call ends likewise */
};
#define CINSTR_SPECIAL(type, argument) ((uint32_t)(argument) << 8 | (uint32_t)(type) << 3)
#define CINSTR_SPECIAL_TYPE(code) (((code) >> 3) & 31u)
#define CINSTR_SPECIAL_ARGUMENT(code) ((code) >> 8)
/* Bit 63 of a special record's value is always set in the file (so that no probe fuses with it). */
#define CINSTR_SPECIAL_VALUE(record) ((((uint64_t)(record)->second << 32) | (record)->extra) & ~(1ull << 63))

/*
 * One record. time_lo: low half of the stamp; within a buffer it never runs backward, except after
 * a record that carries a full stamp.
 *
 *   event                 extra                          second
 *   BEFORE alone          return address of the sled     0
 *   BEFORE + ENTER fused  stack pointer in ENTER's thunk code of the ENTER sled (kind ENTER)
 *   ENTER alone           return address of its function stack pointer | 1
 *   EXIT alone            return address of its function 2
 *   EXIT + AFTER fused    stack pointer in AFTER's thunk 1
 *   AFTER alone           stack pointer                  3
 *   TAIL alone            return address of its function 0
 *   TAIL + ENTER fused    as BEFORE + ENTER
 *   LANDING, LINE         stack pointer                  3
 *   special               low half of value              high half of value
 *
 * Addresses are their low 32 bits. The stack pointer in a thunk is 8 below its value at the sled.
 */
struct cinstr_record {
	uint32_t code;
	uint32_t time_lo;
	uint32_t extra;
	uint32_t second;
};
#define CINSTR_SECOND_FUSED_EXIT 1u
#define CINSTR_SECOND_EXIT 2u
#define CINSTR_SECOND_PLAIN 3u
/* Stack pointer of an ENTER alone. */
#define CINSTR_ENTER_SP(record) ((record)->second & ~1u)

/* ---- cells ----------------------------------------------------------------------------------- */

enum cinstr_cell_kind {
	CINSTR_CELL_FREE = 0,
	/*
	 * Ticks = time outside any function. The thread's root is that of its first phase. The root
	 * of a later phase is its child, with the phase's number << 3 as `site`, and has a tree of
	 * its own, in which activations that were open when the phase began have nodes with calls =
	 * 0.
	 */
	CINSTR_CELL_ROOT = 1,
	/* instrumented function `func`, called from `site` (0: by code without probes) */
	CINSTR_CELL_FRAME = 2,
	/* function without probes, called from `site`; its name is the site's callee */
	CINSTR_CELL_CALL = 3,
	/* CALL through a pointer: address = func | last_exit << 32; 0: not known */
	CINSTR_CELL_INDIRECT = 4,
	CINSTR_CELL_BUCKET = 5, /* struct cinstr_bucket */
	/*
	 * A call without a path of its own is charged to one MERGED child of the node that calls it
	 * (calls: activations that began there), and also to FLAT cells, by site and func, which
	 * are not part of the tree. In these flat_ticks = inclusive ticks of activations that were
	 * the function's only one on the stack, and flat_calls = calls made from it; in a MERGED
	 * cell, calls that FLAT cells made there. parent: CINSTR_FLAT_PARENT(phase). The detail of
	 * the FLAT_FRAME without a site counts the activations of all FLAT_FRAMEs of its function.
	 */
	CINSTR_CELL_MERGED = 6,
	CINSTR_CELL_FLAT_FRAME = 7,
	CINSTR_CELL_FLAT_CALL = 8,
	/*
	 * The time of the parent, a FRAME, from an event of the source line `site` (a SOURCE_LINE
	 * sled) up to the next event; calls made from there hang below. calls: times that the line
	 * was reached.
	 */
	CINSTR_CELL_LINE = 9,
	CINSTR_CELL_DETAIL = 10, /* struct cinstr_detail */
	CINSTR_CELL_MORE = 11,	 /* struct cinstr_more */
	CINSTR_CELL_COUNTS = 12, /* struct cinstr_counts */
	CINSTR_CELL_DIRTY = 13,	 /* struct cinstr_dirty */
				 /* 14 and 15 are never in a file: readers may use them. */
};
#define CINSTR_CELL_KIND(tag) ((tag)&15u)
#define CINSTR_CELL_EPOCH(tag) ((tag) >> 4 & CINSTR_CELL_EPOCH_MASK)
#define CINSTR_CELL_EPOCH_MASK 0x7ffffffu
/* FRAME: jumps that began in it came to the same function again, see doc/semantics.md, R15. */
#define CINSTR_CELL_CYCLIC 0x80000000u
/* `parent` of FLAT cells, and its phase. No cell has such an index. */
#define CINSTR_FLAT_PARENT(phase) ((phase) ? UINT32_MAX - (phase) : 1u)
#define CINSTR_FLAT_PHASE(parent) ((parent) == 1 ? 0 : UINT32_MAX - (parent))

/*
 * A node of a call-path tree. The tree is given by `parent` alone; a parent may have a higher index
 * than its child.
 *
 *   exclusive elapsed ticks = ticks (of a FRAME: and those of its LINE children)
 *   inclusive = ticks + sum of the children's inclusive
 *   sum of ticks over a thread's nodes + runtime ticks + paused ticks + between ticks
 *     = last stamp - first stamp   (R10, raw)
 *
 * A fold changes only the 48 bytes from `calls`, as in every other kind of cell; see struct
 * cinstr_undo.
 */
struct cinstr_cell {
	uint32_t parent; /* cell index; 0 for a root */
	uint32_t site;	 /* code of the BEFORE or TAIL sled, or of the line's; 0: none */
	uint32_t func;	 /* code of the ENTER sled */
	uint32_t tag;	 /* kind | epoch << 4 */
	uint64_t calls;	 /* activations begun */
	uint64_t ticks;	 /* exclusive elapsed ticks, nothing subtracted */
	union {
		/* A part of the parent's ticks: the time from each end of this node's activations
		 * to the next event in the parent. */
		uint64_t after_ticks;
		uint64_t flat_calls; /* FLAT, MERGED */
	};
	union {
		/*
		 * Without a detail: the inclusive ticks of the only activation that has finished
		 * (its exclusive ticks are `ticks`); UINT64_MAX: none has. Where there is an
		 * event_cost: bits 0-37 are the ticks, 38-51 its events with 9 digits, 52-63 its
		 * own events with 7 (see struct cinstr_detail).
		 */
		uint64_t first_ticks;
		/* with a detail: numbers of finished activations by duration, in the slots window
		 * ... window + 7 */
		uint8_t recent[8];
		uint64_t flat_ticks; /* FLAT */
		/* LINE: value of `ticks` when the frame last came to the line */
		uint64_t line_ticks;
	};
	uint32_t down; /* the fold's predictions; without meaning for a reader */
	uint32_t across;
	/* cell index; 0: at most one activation has finished, and no interval had an OS event */
	uint32_t detail;
	uint32_t last_exit;
};

/* Address that an INDIRECT cell calls; also a FLAT_CALL with a func. */
#define CINSTR_CELL_TARGET(cell) ((cell)->func | (uint64_t)(cell)->last_exit << 32)

/* Inclusive and exclusive, in arrays of two. */
enum { CINSTR_INCLUSIVE = 0, CINSTR_EXCLUSIVE = 1 };

/*
 * Durations (inclusive ticks) are counted by slots, four to an octave of ticks + 16: slot s holds
 * durations from (4 + s % 4) * 2^(s / 4 + 2) - 16 up to, not including, that of slot s + 1; the
 * last slot also holds longer ones.
 */
#define CINSTR_SLOT_OCTAVE 4u
#define CINSTR_SLOTS 144u
#define CINSTR_RECENT_SLOTS 8u /* of struct cinstr_cell: recent */
#define CINSTR_GROUP_SLOTS 12u /* of struct cinstr_counts */
#define CINSTR_SLOT_GROUPS (CINSTR_SLOTS / CINSTR_GROUP_SLOTS)

enum cinstr_detail_flag {
	CINSTR_DETAIL_SYSCALL =
		1, /* CALL: of a known wrapper of a system call: all of its activations are dirty */
};

/*
 * Additional data of a node. An activation is dirty if an interval in it, or in its callees, had an
 * OS event of the default mask or time off the processor, or if it, or a callee, is a known wrapper
 * of a system call. Else it is clean: its application time is its elapsed time.
 */
struct cinstr_detail {
	uint32_t owner; /* cell index of the node */
	uint32_t more;	/* cell index; 0: none */
	uint32_t flags; /* enum cinstr_detail_flag */
	uint32_t tag;
	/*
	 * The shortest and longest finished clean activations, inclusive and exclusive; shortest
	 * UINT64_MAX: none. Without an event_cost: ticks. With one: bits 0-15: number of events in
	 * the activation, with 11 digits; 16-63: ticks less events * event_cost / 1024 (rounded
	 * down), plus 2^46. So activations are compared without the cost of their probes.
	 *
	 * Events of an activation: those after its begin, before its end. Own events (in exclusive
	 * ticks): 2 for each FRAME that it called and that has ended, 1 for each CALL and INDIRECT,
	 * and for each LINE. A number with d digits is (word mod 2^d) * 2^(word / 2^d), rounded to
	 * d binary digits.
	 */
	uint64_t shortest[2], longest[2];
	uint32_t window;  /* slot of the owner's recent[0] */
	uint32_t buckets; /* cell index of the first bucket; 0: no interval had an OS event */
	/* first bucket of the intervals in after_ticks: copies of parts of the parent's buckets */
	uint32_t after_buckets;
	uint32_t last_counts; /* FLAT: the COUNTS cell that was used last; only for the fold */
};

struct cinstr_more {
	uint32_t owner;
	uint32_t dirty; /* cell index of the first of three DIRTY; 0: no activation was dirty */
	uint32_t reserved;
	uint32_t tag;
	/* cell indexes of COUNTS, by group of slots; 0: none */
	uint32_t counts[CINSTR_SLOT_GROUPS];
};

/* Finished activations by duration, in addition to those in `recent`. */
struct cinstr_counts {
	uint32_t owner;
	uint32_t carry; /* cell index of COUNTS in units of 2^32, or 0 */
	uint32_t group; /* slots from group * CINSTR_GROUP_SLOTS on */
	uint32_t tag;
	uint32_t n[CINSTR_GROUP_SLOTS];
};

/* Parts of the data of finished dirty activations. */
enum cinstr_dirty_part {
	CINSTR_DIRTY_ELAPSED = 0,
	/* application ticks: elapsed less whole intervals with an OS event of the default mask */
	CINSTR_DIRTY_INTERVAL = 1,
	CINSTR_DIRTY_ON_CPU = 2, /* application ticks: elapsed less time off the processor */
	CINSTR_DIRTY_PARTS = 3,
};
struct cinstr_dirty {
	uint32_t owner;
	uint32_t next; /* cell index of the next part; 0: it is the last */
	uint32_t part; /* enum cinstr_dirty_part */
	uint32_t tag;
	uint64_t shortest[2], longest[2]; /* as in struct cinstr_detail */
	/* the open activation's ticks left out so far: [0] those of its callees, [1] its own */
	uint64_t open[2];
};

/* Intervals of one node that had the same set of OS events. */
struct cinstr_bucket {
	uint32_t owner; /* cell index of the node */
	uint32_t bits;	/* enum cinstr_os_bit */
	uint32_t next;	/* cell index of the owner's next bucket */
	uint32_t tag;
	uint64_t intervals;
	uint64_t ticks;		/* part of the owner's ticks */
	uint64_t off_cpu_ticks; /* part of `ticks` spent off the processor */
	uint64_t switches;	/* voluntary | involuntary << 32 */
	uint32_t reserved[4];
};

/* ---- threads --------------------------------------------------------------------------------- */

/* An open activation: entry i of a thread's STACK segment, i < depth. */
struct cinstr_open {
	uint64_t start_ticks; /* stamp of its begin less the runtime's own ticks until then */
	uint32_t cell;	      /* FRAME: the cell of its current LINE, if it has one */
	/* FRAME: stack pointer at its enter sled; bit 0: its call was announced; bits 1, 2: enum
	 * cinstr_unseen. CALL: return address of the BEFORE sled */
	uint32_t where;
	/*
	 * Exclusive ticks = cell's ticks - ticks_before. Where the cell is a LINE: those of its
	 * FRAME, plus the LINE's ticks - line_ticks. (A node has at most one open activation.)
	 */
	union {
		uint64_t ticks_before;
		/* FLAT: inclusive ticks of the finished calls that it made */
		uint64_t callee_ticks;
	};
	/* enum cinstr_open_flag; from bit CINSTR_OPEN_OWN on: the caller's own events until then */
	uint32_t flags;
	uint32_t events_before; /* the thread's events up to its begin, low half */
};
enum cinstr_open_flag {
	/* dirty: the ticks left out of its application time are in its node's DIRTY cells */
	CINSTR_OPEN_DIRTY = 1,
	/* its begin was not recorded: it is left out of the durations */
	CINSTR_OPEN_CUT = 2,
	/* called by a tail call: the entry below is its caller, and ends with it */
	CINSTR_OPEN_TAILED = 4,
	/* FRAME: on another of the program's stacks than the entries below it */
	CINSTR_OPEN_STACK = 8,
};
#define CINSTR_OPEN_OWN 4

/* Facts that only the next event shows. */
enum cinstr_unsettled {
	CINSTR_UNSETTLED_TOP = 1, /* the function that runs */
	/* whether the target of a tail call has probes; a target without has ended by then */
	CINSTR_UNSETTLED_TAIL = 2,
};

/* State that a fold carries from one buffer to the next. */
struct cinstr_fold_state {
	uint64_t time;		/* last stamp folded */
	uint64_t runtime_ticks; /* time of the runtime's own work, outside every interval */
	uint64_t records;
	uint64_t events;
	uint64_t enters; /* enters = exits + implicit_exits + open frames (R10) */
	uint64_t exits;
	uint64_t implicit_exits;
	uint64_t orphans; /* exits and after-calls without a frame; ignored */
	uint64_t lost_events;
	uint64_t voluntary; /* switches recorded */
	uint64_t involuntary;
	uint64_t os_intervals;
	uint64_t merged_calls; /* calls without a kept path: the budget of paths was used up */
	uint32_t current;      /* cell index */
	uint32_t depth;
	uint32_t slot; /* the cell that predicts the next one ... */
	/* ... bit 0: by its `across` (1) or its `down` (0); the other bits: own events of the
	 * current activation */
	uint32_t slot_across;
	uint32_t merged;       /* index of the MERGED cell whose calls are running; 0: none */
	uint32_t merged_base;  /* depth of the stack where those calls begin */
	uint64_t merged_spans; /* number of times that the thread left the kept paths */
	uint64_t paused_ticks; /* time while recording was off */
	uint64_t pauses;
	uint32_t paused;    /* 1: recording is off since `time` */
	uint32_t unsettled; /* enum cinstr_unsettled */
	/* part of `enters`: functions that were entered while recording was off and were found on
	 * the stack */
	uint64_t repaired;
	/* time between the threads that shared this record (members): belongs to none */
	uint64_t between_ticks;
	uint32_t root; /* cell index of the root of the current phase */
	/* phases that this thread has begun: the first `phase` moments of struct cinstr_phases lie
	 * before `time` */
	uint32_t phase;
	/* number of these without a tree of their own for want of room; they continue the tree
	 * before */
	uint64_t phases_missed;
	/* finished activations missing from durations and extremes, for want of room */
	uint64_t uncounted;
};

/* Kernel counters of a thread (getrusage(RUSAGE_THREAD)). */
struct cinstr_counters {
	uint64_t voluntary, involuntary, major_faults, minor_faults, block_in, block_out;
};

enum cinstr_thread_state { CINSTR_THREAD_LIVE = 1, CINSTR_THREAD_ENDED = 2 };

/*
 * The payload of a THREAD segment. The committed fold state is state[commit & 1].
 *
 * A fold first works on state[~commit & 1], keeps the old content of every 48-byte block it changes
 * in the JOURNAL segment (journal_commit = commit, journal_used = number of entries), and ends with
 * commit++. journal_commit == commit and journal_used > 0 means that a fold was interrupted: the
 * reader copies the entries back, last first, to restore the state before that fold.
 *
 * Then it folds the buffer's records: they are new if START's stamp >= state.time. They end at code
 * 0, at the end of the buffer, or where time_lo runs backward.
 */
struct cinstr_thread {
	uint32_t tid;
	uint32_t index; /* 0 = the first thread recorded */
	uint32_t state; /* enum cinstr_thread_state */
	uint32_t root;	/* cell index of the root of its first phase */
	char name[32];	/* the kernel's, or the program's (named) */
	/* number of threads that shared this record one after another (above 1: short-lived
	 * threads); see between_ticks */
	uint32_t members;
	uint32_t named; /* 1: the program gave it its name */
	/* 1: stopped at thread level, by any thread of any process (struct cinstr_control_block) */
	uint32_t stopped;
	/* likewise: suspend + 1, resume - 1; suspended while > 0 */
	int32_t suspensions;
	uint64_t first_ticks;			/* first stamp */
	uint64_t buffer_offset, buffer_bytes;	/* of the records: begin of a segment's payload */
	uint64_t stack_offset, stack_bytes;	/* struct cinstr_open[] */
	uint64_t journal_offset, journal_bytes; /* struct cinstr_undo[] */
	uint64_t commit;
	uint64_t journal_commit;
	uint64_t journal_used;
	struct cinstr_fold_state states[2];
	struct cinstr_counters counters_first; /* at the thread's first event */
	struct cinstr_counters counters_last;  /* when last read */
	/* switches inside the runtime's own work: not part of any interval (R13) */
	uint64_t own_voluntary;
	uint64_t own_involuntary;
	uint64_t slow_events; /* events that took the slow path */
	/* part of these: interval over the threshold without any OS event (interrupts, steal) */
	uint64_t long_intervals;
	uint64_t timeline_lost;	 /* events missing from the timeline: no room, or overwritten */
	uint64_t timeline_short; /* events left out of the timeline as parts of short calls */
	/* For a call that is open at the end: stamp and the thread's processor time at the last
	 * recorded switch, and its processor time at the end of the recording. In between, the
	 * thread was off the processor only after its last event. */
	uint64_t asked_ticks, asked_cpu_ns;
	uint64_t end_cpu_ns; /* 0: not known; UINT64_MAX: the thread had ended, unseen */
	uint64_t pointer;    /* the thread pointer, the argument of pthread_join(); 0: not known */
};

enum cinstr_mark_kind {
	CINSTR_MARK_PROGRAM = 0, /* set by the program: at a sled or through the API */
	CINSTR_MARK_OUTSIDE = 1, /* cinstr control ... mark TEXT */
	/* Changes of the recording itself; the text describes them in words: */
	/* recording went on or off at the level of the session, the process or a thread */
	CINSTR_MARK_STATE = 2,
	CINSTR_MARK_CHOICE = 3, /* the rules were replaced; text: the new rules */
	/* the budget of overhead took out probes of the function whose ENTER sled is `site`; id:
	 * the remaining level: 0 none, 1 its entry and exits, 3 its calls are counted */
	CINSTR_MARK_DEMOTED = 4,
	CINSTR_MARK_RESTORED = 5, /* ... and put them back */
	/* the timeline's ring was kept: the function of `site` had taken `id` ticks */
	CINSTR_MARK_KEPT = 6,
	CINSTR_MARK_KINDS = 7,
};

/*
 * The `id` of a STATE mark in a companion (CINSTR_SAMPLING_COMPANION): the level, and whether it is
 * off from there on. At the level of a thread `tid` is the thread in question. Samples between a
 * mark with OFF and the next mark of that level are left out.
 */
/* enum cinstr_level of cinstr.h: 1 session, 2 process, 3 thread */
#define CINSTR_STATE_LEVEL(id) ((id)&255)
#define CINSTR_STATE_OFF 256

/* A mark: a moment with a text. Directly followed by the text (NUL-terminated), padded to 8
 * bytes. */
struct cinstr_mark {
	/* size with its text; 0: not written (yet): skip zero words to find the next mark */
	uint32_t bytes;
	uint32_t tid;
	uint64_t ticks; /* stamp */
	/* word of the code (without kind) of the sled that set it (-fplugin-arg-cinstr-mark), or
	 * see `kind` */
	uint32_t site;
	uint32_t kind; /* enum cinstr_mark_kind | number of the phase that begins here << 8 */
	int64_t id;    /* the program's number for the mark; 0: none */
};
#define CINSTR_MARK_KIND(kind) ((kind)&255u)
#define CINSTR_MARK_PHASE(kind) ((kind) >> 8)

/*
 * Moments at which a phase begins (marks of the kinds PROGRAM and OUTSIDE); the payload of the
 * PHASES segment. Each thread keeps one tree per phase: the time between two of these moments.
 * Phase i, from 1, begins at begin_ticks[i - 1]; phase 0 with the thread.
 *
 * To begin one: n++, if n < max; then set each of the first n moments that is still 0, in their
 * order, to the clock, read again for each, by compare and swap. Every fold does so first. So
 * moments are in order, and no thread has folded past a moment that it did not know of.
 */
struct cinstr_phases {
	uint32_t max;	   /* room, in moments */
	uint32_t n;	   /* moments in use; a reader takes those before the first 0 */
	uint64_t left_out; /* marks beyond `max` */
	uint64_t begin_ticks[];
};
#define CINSTR_PHASES_MAX 100000u

/*
 * Controls whether a process records, and what. The process itself, others of its session and
 * `cinstr control` may change it. It lies at CINSTR_CONTROL_OFFSET of each data file (for that
 * process) and of the session's file `session` (for all processes). A thread records while at each
 * of the three levels stopped == 0 and suspensions <= 0, and the actions at sleds (cinstr/abi.h)
 * permit. Change fields with atomic operations; then add 1 to `epoch` (release). Threads compare
 * `epoch` (acquire) at each slow event, at the end of each buffer, and at each probe while they do
 * not record.
 */
#define CINSTR_CONTROL_OFFSET 2048u
struct cinstr_control_block {
	uint32_t epoch;
	uint32_t stopped;
	int32_t suspensions;
	/* in a session: 1: processes that start from now on record, whatever CINSTR_START says */
	uint32_t started_later;
	uint32_t flushes; /* add 1: threads that see it fold their buffers */
	uint32_t named;	  /* 1: name is complete */
	char name[32];	  /* of the process, given by the program */
	/* Rules for what to record (CINSTR_ONLY and so on), from outside. 0 free, 1 being written,
	 * 2 ready to be applied, 3 applied. */
	uint32_t choice_state;
	int32_t choice_result; /* 0 or -errno */
	char choice[1024];
	/*
	 * In a process: threads that are about to fold wait until this moment (CLOCK_REALTIME,
	 * milliseconds, low 32 bits; 50 ms ahead at most; 0: none), so that a reader can copy their
	 * data.
	 */
	uint32_t hold;
};

/*
 * At CINSTR_LAST_END_OFFSET of the session's file `session`, 8 bytes: the last known end of one of
 * its processes (CLOCK_REALTIME, nanoseconds); 0: none ended. A program that began before that
 * moment was recorded at the same time.
 */
#define CINSTR_LAST_END_OFFSET 32u

/*
 * At CINSTR_LAUNCH_OFFSET, 8 bytes: a number shared by all ranks of a parallel job that were
 * started together; 0: none. These ranks record into this session, even if they start when others
 * have ended.
 */
#define CINSTR_LAUNCH_OFFSET 40u

/*
 * At CINSTR_MESSAGES_OFFSET of the session's file `session`: messages of its processes, lines with
 * their newlines. To write one, add its bytes to `used`; store it at the old `used`, or without
 * room add 1 to `lost`. Bytes that are 0 were not written (yet).
 */
#define CINSTR_MESSAGES_OFFSET 64u
struct cinstr_messages {
	uint32_t used; /* may exceed the room */
	uint32_t lost;
	char text[CINSTR_CONTROL_OFFSET - CINSTR_MESSAGES_OFFSET - 8];
};

/*
 * At CINSTR_COMMAND_OFFSET of the session's file `session`: the command line that `cinstr record`
 * was asked to run, quoted for a shell, NUL-terminated, cut off at the end of the room. Empty: not
 * known.
 */
#define CINSTR_COMMAND_OFFSET 3200u
#define CINSTR_COMMAND_BYTES (CINSTR_PAGE - CINSTR_COMMAND_OFFSET)

struct cinstr_undo {
	uint64_t offset;
	uint8_t old[48];
};

/* ---- segments -------------------------------------------------------------------------------- */

enum cinstr_segment_type {
	CINSTR_SEG_PROPERTIES = 1, /* payload: pairs of NUL-terminated strings, key then value */
	CINSTR_SEG_MODULES = 2,	   /* payload: struct cinstr_module, one after another */
	CINSTR_SEG_THREAD = 3,	   /* payload: struct cinstr_thread */
	CINSTR_SEG_BUFFER = 4,	   /* payload: struct cinstr_record[]; owner: thread index */
	CINSTR_SEG_STACK = 5,
	CINSTR_SEG_JOURNAL = 6,
	CINSTR_SEG_CELLS = 7, /* payload: struct cinstr_cell[], and the other kinds of cells */
	/* payload: struct cinstr_timeline_chunk, one after another, up to `used` */
	CINSTR_SEG_TIMELINE = 8,
	/* released by a thread that ended; its content means nothing */
	CINSTR_SEG_FREE = 9,
	CINSTR_SEG_MARKS = 10,	/* payload: struct cinstr_mark, one after another */
	CINSTR_SEG_PHASES = 11, /* payload: struct cinstr_phases */
	/* For the sampling method, which has no segments 3 to 8: */
	CINSTR_SEG_STACKS = 12,	 /* payload: struct cinstr_stack_node[] */
	CINSTR_SEG_SAMPLES = 13, /* payload: struct cinstr_sample[] */
	CINSTR_SEG_TASKS = 14,	 /* payload: struct cinstr_task[] */
	CINSTR_SEG_SYMBOLS = 15, /* payload: struct cinstr_symbols; one a file, made at the end */
	/* For functions whose calls are counted, without times (struct cinstr_budget, mixed): */
	/* payload: uint32_t[]: code of what slot i counts: ENTER, BEFORE or TAIL, or
	 * CINSTR_LED_CODE(); one list over all these segments in order of sequence */
	CINSTR_SEG_COUNTED = 16,
	CINSTR_SEG_LED = 35, /* payload: uint32_t[]: ENTER, for each CINSTR_LED_CODE(), or: */
	/* payload: uint64_t[]: a thread's counts of the sleds of a block of slots; owner: thread
	 * index; sequence: number of the block */
	CINSTR_SEG_COUNTERS = 17,
	CINSTR_SEG_PROBE_CODE = 18, /* payload: struct cinstr_probe_code[] */
	/* payload: struct cinstr_long_interval[], of a mixed recording; owner: thread index */
	CINSTR_SEG_LONG_INTERVALS = 19,
	/* payload: struct cinstr_self_sample[]; owner: thread index */
	CINSTR_SEG_SELF_SAMPLES = 20,
	/* For many processes as one tree (cinstr merge); such a file has no segments 3 to 20: */
	CINSTR_SEG_MERGED = 21, /* payload: struct cinstr_merged and what follows it (merged.h) */
	/* payload: struct cinstr_phase_count[]: counters at a phase's begin; owner: the phase */
	CINSTR_SEG_PHASE_COUNTS = 22,
	/* These two exist if a module was built with -fplugin-arg-cinstr-instructions: */
	CINSTR_SEG_SEGMENT_MODULES = 23, /* payload: struct cinstr_segment_module[], up to `used` */
	/* payload: uint64_t[]: a thread's executions of the segment of each counter; owner: thread
	 * index */
	CINSTR_SEG_SEGMENT_COUNTS = 24,
	/* payload: struct cinstr_wait[], unordered, with unused entries (waits 0); owner: thread
	 * index */
	CINSTR_SEG_WAITS = 25,
};

/* The counters `first` to `first` + `n` - 1 of each thread belong to the module's segments, in the
 * order of abi.h's struct cinstr_abi_segments. */
struct cinstr_segment_module {
	uint64_t base, text_start; /* as in struct cinstr_module */
	uint32_t first, n;
};

/*
 * Slots are grouped in blocks: block k has CINSTR_COUNTERS(k) slots, which follow those of block k
 * - 1. With its header each block fills its segment.
 */
#define CINSTR_COUNTER_BLOCKS 8u
#define CINSTR_COUNTERS(k) ((512u << (k)) - 8u)
#define CINSTR_COUNTERS_ALL (512u * ((1u << CINSTR_COUNTER_BLOCKS) - 1) - 8u * CINSTR_COUNTER_BLOCKS)

/*
 * The first entry has the number of entries that follow as `calls`. Then each thread that existed
 * has one entry with slot UINT32_MAX, and one for each of its counters that was not 0.
 */
struct cinstr_phase_count {
	uint32_t thread; /* index; in the first entry UINT32_MAX */
	uint32_t slot;
	uint64_t calls;
};

enum cinstr_probe_code_kind {
	CINSTR_PROBE_CODE_THUNKS = 1,
	CINSTR_PROBE_CODE_COUNTING = 2,
	CINSTR_PROBE_CODE_RUNTIME = 3, /* functions that thunks call */
};

/* Code of the recording itself, not of the program, at absolute addresses. */
struct cinstr_probe_code {
	uint64_t start, end;
	uint32_t kind; /* enum cinstr_probe_code_kind */
	uint32_t reserved;
};

/*
 * A long interval and the node that its time belongs to; samples of that time show the work in it.
 * In order of time; intervals that end after `time` of the valid state do not count.
 */
struct cinstr_long_interval {
	uint64_t end_ticks;
	uint32_t ticks; /* longer ones are split into consecutive entries */
	uint32_t cell;	/* cell index: FRAME, CALL, INDIRECT, LINE, MERGED, or a root */
};

/*
 * Waits of one call path for one object that were ended by one call (which released or signalled
 * it); or a single wait that has not been added to such an entry yet: its end is `last_ticks`, and
 * its cell may be 0 until its AFTER has been folded.
 */
struct cinstr_wait {
	uint64_t object; /* address; 0: several objects, for want of room */
	/* call that ended it: code of the BEFORE or TAIL sled (without its kind) << 32 | tid; 0:
	 * not known */
	uint64_t given_by;
	uint64_t waits;
	uint64_t ticks;	     /* of the intervals that waited, from begin to end */
	uint64_t longest;    /* longest of these, ticks */
	uint64_t last_ticks; /* stamp of the end of the last one */
	uint32_t cell;	     /* index of the CALL that waited; 0: not known */
	uint32_t site;	     /* code of its BEFORE sled, or of its TAIL */
	uint32_t holder;     /* given_by 0: who had the lock (awaiting.h); 0: not known */
	uint32_t failed;     /* enum cinstr_wait_end (awaiting.h) */
};

/* Address that a thread was executing. It was interrupted after each 1 + more_ms milliseconds of
 * its processor time. In order of time within a segment. */
struct cinstr_self_sample {
	uint64_t ticks;			    /* stamp */
	uint64_t address : 56, more_ms : 8; /* absolute */
};

#define CINSTR_SEGMENT_MAGIC 0x31474553u /* "SEG1" */

struct cinstr_segment {
	uint32_t magic;
	uint32_t type;
	/* size with this header; a multiple of CINSTR_PAGE. The next segment follows directly. */
	uint64_t bytes;
	uint64_t used;	/* bytes of payload in use */
	uint32_t owner; /* thread index, else 0 */
	/* 1: checksum is valid and the payload will not change without clearing this first */
	uint32_t sealed;
	uint64_t checksum; /* XXH3_64bits(payload, used) */
	uint64_t sequence; /* order among the segments of the same type and owner */
	/* TIMELINE: 0, or the stamp of the mark (CINSTR_MARK_KEPT) that kept it */
	uint64_t kept;
	/* CELLS: offset of the payload of the owner's previous one; for the runtime's own use */
	uint64_t previous;
};

/*
 * A folded buffer in the timeline, encoded (runtime/timeline_codec.h, doc/format.md): the bytes
 * follow directly. The codec's state begins with each segment.
 */
struct cinstr_timeline_chunk {
	uint32_t bytes; /* size with this struct; a multiple of 8. The next chunk follows. */
	uint32_t records;
	uint32_t events; /* in them */
	uint32_t reserved;
	uint64_t start_ticks, end_ticks; /* stamps of START and of the last record */
	uint64_t number;		 /* of the buffer in its thread, from 0 */
};

/*
 * A module (executable or library), padded to a multiple of 8. Directly followed by: path
 * (NUL-terminated), note bytes, string bytes, callees[n_callees]; each begins at its offset from
 * the start of this struct, a multiple of 8.
 *
 * notes and strings are copies of the module's image at these addresses (relative to `base`), so
 * that the PC-relative references in them resolve: a reference in a field at address a means
 * address a + value, which lies in [strings_address, strings_address + strings_bytes). notes is a
 * sequence of ELF notes; those of type CINSTR_NOTE_TABLE hold struct cinstr_abi_table (abi.h).
 */
struct cinstr_module {
	uint64_t bytes;		       /* of this entry, with all that follows it */
	uint64_t base;		       /* load address - link address */
	uint64_t text_start, text_end; /* executable range in memory (absolute) */
	uint32_t code_base;	       /* 0: not instrumented */
	/* this module has codes code_base ... code_base + code_bytes - 1 */
	uint32_t code_bytes;
	uint8_t build_id[32];
	uint32_t build_id_bytes; /* 0: none */
	uint32_t path_offset;
	uint64_t notes_address, strings_address; /* link addresses */
	uint32_t notes_offset, notes_bytes;
	uint32_t strings_offset, strings_bytes;
	uint32_t callees_offset, n_callees;
	uint32_t sleds, patched; /* sleds in the tables; sleds switched on */
	/* sleds left alone: overwritten by another tool, or the text is not writable */
	uint32_t refused;
	uint32_t flags; /* enum cinstr_module_flag */
};
enum cinstr_module_flag {
	CINSTR_MODULE_MAIN = 1,
	CINSTR_MODULE_UNLOADED = 2,
	/* Built with the plugin, but not recorded, since its file was changed after the link: */
	CINSTR_MODULE_NO_TABLES = 4,	    /* its tables were removed */
	CINSTR_MODULE_DAMAGED = 8,	    /* its tables violate abi.h */
	CINSTR_MODULE_CODE_MOVED = 16,	    /* its code is not where the tables say */
	CINSTR_MODULE_OTHER_ABI = 32,	    /* it was built by another version of the plugin */
	CINSTR_MODULE_READS_CODE = 64,	    /* ... or it looks at its own code */
	CINSTR_MODULE_REFUSED = 124,	    /* any of these */
	CINSTR_MODULE_SEGMENTS_APART = 128, /* its notes of segments are in its file only */
};

/* Address of a function that this module calls by name and does not define. Sorted by
 * string_address. */
struct cinstr_callee {
	uint64_t string_address; /* link address of its name in the strings */
	/* absolute address of the function; 0: not found. Look its module up by text range. */
	uint64_t address;
};

/* ---- sampling (semantics S1-S5) -------------------------------------------------------------- */

enum cinstr_method {
	CINSTR_METHOD_INSTRUMENTATION = 0,
	CINSTR_METHOD_SAMPLING = 1,
	CINSTR_METHOD_MIXED = 2, /* a session's, never a file's (struct cinstr_header: mixed) */
};

/*
 * A stack is a path of nodes from the outermost frame to the one that was executing. Nodes are
 * numbered from 1 over all STACKS segments in their order; a parent has a lower number than its
 * children.
 */
struct cinstr_stack_node {
	uint32_t parent; /* 0: the outermost frame that is known */
	/* number of the module, from 1, in the order of MODULES; 0: code outside of any file;
	 * or: */
	uint32_t module;
	/* Link address (module 0: absolute) of the executing instruction; in callers, of the last
	 * byte of their call. */
	uint64_t address;
};
#define CINSTR_NODE_KERNEL UINT32_MAX /* the kernel, as one function; address 0 */
/* outermost node of stacks whose outer end is not known; address 0 */
#define CINSTR_NODE_TRUNCATED (UINT32_MAX - 1)

/* One interrupt that found the process's code executing. In order of time within a task only. */
struct cinstr_sample {
	uint64_t ticks; /* stamp */
	uint32_t stack; /* number of the node that was executing; 0: not known */
	uint32_t task;	/* number, from 0, in the order of TASKS */
};

/* A thread that was sampled. */
struct cinstr_task {
	uint32_t tid;
	uint32_t state; /* enum cinstr_thread_state */
	char name[32];
	uint64_t begin_ticks, end_ticks; /* stamps; end 0: not known */
	uint64_t kept;			 /* number of samples in SAMPLES */
	uint64_t discarded;		 /* samples outside of its own code (S2) */
	uint64_t paused;		 /* samples left out because recording was off */
	uint64_t truncated;		 /* part of `kept`: outer end of the stack not known */
};

enum cinstr_sampling_unit {
	CINSTR_SAMPLING_NS = 1,	    /* of the thread's processor time */
	CINSTR_SAMPLING_CYCLES = 2, /* of the processor */
	CINSTR_SAMPLING_EVENTS = 3, /* page faults and the like */
};
enum cinstr_sampling_source {
	CINSTR_SOURCE_PERF = 1,	 /* perf_event_open */
	CINSTR_SOURCE_TIMERS = 2 /* timers of the threads' processor time, through the runtime */
};
enum cinstr_sampling_stacks {
	CINSTR_STACKS_NONE = 0,
	CINSTR_STACKS_FRAME_POINTERS = 1,
	CINSTR_STACKS_CFI = 2
};
enum cinstr_sampling_flag {
	CINSTR_SAMPLING_KERNEL = 1, /* samples in the kernel are kept, as [kernel] */
	/* the collector ended properly: counts and symbols are final */
	CINSTR_SAMPLING_COMPLETE = 2,
	CINSTR_SAMPLING_ATTACHED = 4, /* to a process that was running */
	CINSTR_SAMPLING_DETACHED = 8, /* the process went on when the recording ended */
	/*
	 * No samples, but data from a process with the runtime that was sampled (marks, names, off
	 * and on). Belongs to the file with the same pid and process_start whose program ran at its
	 * clock_ticks[0]. Made at the program's first request.
	 */
	CINSTR_SAMPLING_COMPANION = 16,
	/*
	 * Taken alongside a recording: if the process has probes, its runtime has made another file
	 * in the folder, with the same pid and process_start.
	 */
	CINSTR_SAMPLING_BESIDE = 32,
};

struct cinstr_sampling {
	uint64_t interval; /* between samples, in units */
	uint32_t unit;	   /* enum cinstr_sampling_unit; the event's name is the property `event` */
	uint32_t source;   /* enum cinstr_sampling_source */
	uint32_t stacks;   /* enum cinstr_sampling_stacks */
	uint32_t flags;	   /* enum cinstr_sampling_flag */
	/* Sums over the tasks, and samples whose task is not known. */
	uint64_t kept, discarded, paused, truncated;
	uint64_t lost; /* samples: the ring was full, or no room in the file */
	/* units that the kernel counted, in the process's own code and the kernel; if it counted
	 * several processes together, this one's share by samples; 0: not known */
	uint64_t counted;
	uint64_t throttled;   /* times that the kernel throttled sampling */
	uint32_t stack_bytes; /* largest copy of a stack */
	uint32_t collector;   /* pid */
	/* processes of the session that ended without a sample and have no file; set in one file of
	 * the session */
	uint64_t silent;
};

/* Followed by addresses[n_addresses], sorted by (module, address), frames[n_frames], strings. */
struct cinstr_symbols {
	uint32_t n_addresses, n_frames;
	uint64_t strings_bytes; /* NUL-terminated strings; offset 0: "" = not known */
};
struct cinstr_symbol_address {
	uint64_t address;
	uint32_t module;
	/* innermost first: functions inlined there, then the function that contains them */
	uint32_t first_frame, n_frames;
	uint32_t reserved;
};
struct cinstr_symbol_frame {
	/* link address of the function; if inlined, of its code there */
	uint64_t entry;
	uint32_t name; /* assembler name */
	/* location of the executed code; in an outer frame, of the inlined call */
	uint32_t file, line;
	uint32_t decl_file, decl_line; /* definition of the function */
	uint32_t flags;		       /* enum cinstr_symbol_flag */
};
enum cinstr_symbol_flag {
	CINSTR_SYMBOL_INLINED = 1,
	/* not covered by a symbol: bounds from the unwind information, invented name */
	CINSTR_SYMBOL_GUESSED = 2
};

/* ---- the file's header ----------------------------------------------------------------------- */

enum cinstr_clock { CINSTR_CLOCK_TSC = 1, CINSTR_CLOCK_MONOTONIC_RAW = 2 };

enum cinstr_end {
	/* still running, _exit, exec, killed: the threads' last events tell */
	CINSTR_END_UNKNOWN = 0,
	/* exit() or return from main; end_status = exit status; -1: not known (musl does not report
	 * it) */
	CINSTR_END_EXIT = 1,
	CINSTR_END_SIGNAL = 2, /* as seen by `cinstr record`; end_status = signal */
	CINSTR_END_EXEC = 3,   /* replaced by another program */
	/* in a copy that was made while the process ran (cinstr control ... snapshot) */
	CINSTR_END_SNAPSHOT = 4,
	/* exit() or return from main reached the runtime's handler, with end_status as in
	 * CINSTR_END_EXIT. Destructors of modules that run afterwards may change the end: the
	 * process that waits for this one replaces the value by the real end. */
	CINSTR_END_HANDLERS = 5,
};

enum cinstr_stop {
	CINSTR_STOP_NONE = 0,
	CINSTR_STOP_NO_SPACE = 1, /* disk full, or at a quota or limit; recording ended there */
	CINSTR_STOP_NO_MEMORY = 2,
	CINSTR_STOP_CODES = 3,	      /* more text than codes */
	CINSTR_STOP_OUT_OF_REACH = 4, /* the file was deleted, or could not be opened to grow */
	/* the program was about to forbid itself system calls that recording needs */
	CINSTR_STOP_SECCOMP = 5,
	CINSTR_STOP_TASK = 6,	  /* about to make a task whose thread pointer is no thread's */
	CINSTR_STOP_CLOCK = 7,	  /* about to forbid itself the time-stamp counter */
	CINSTR_STOP_DISPATCH = 8, /* about to redirect its system calls to a handler of its own */
};

/*
 * Cost of a probe by the kind of record that begins the interval, in 1/1024 ticks: the length of an
 * empty interval. An interval's corrected length = raw - cost of its begin.
 */
enum cinstr_cost {
	CINSTR_COST_CALL = 0,	/* BEFORE + ENTER fused -> EXIT: inside an announced callee */
	CINSTR_COST_RETURN = 1, /* EXIT + AFTER fused -> next event of the caller */
	CINSTR_COST_BEFORE = 2, /* BEFORE alone -> AFTER alone: around a callee without probes */
	CINSTR_COST_AFTER = 3,	/* AFTER alone -> next event of the caller */
	CINSTR_COST_ENTER = 4,	/* ENTER alone -> EXIT */
	CINSTR_COST_EXIT = 5,	/* EXIT alone -> next event */
	CINSTR_COST_LINE = 6,	/* LINE -> next event */
	CINSTR_COST_KINDS = 7,
};

/* Events that the timeline keeps: none, the first ones until the budget is used up, or the newest
 * ones. */
enum cinstr_timeline_mode { CINSTR_TIMELINE_NONE = 0, CINSTR_TIMELINE_FIRST = 1, CINSTR_TIMELINE_RING = 2 };

struct cinstr_calibration {
	uint64_t rounds;		     /* number of calibrations; cost = sum / rounds */
	uint64_t sum[CINSTR_COST_KINDS];     /* of each round's mean cost, in 1/1024 ticks */
	uint64_t minimum[CINSTR_COST_KINDS]; /* lowest and highest round */
	uint64_t maximum[CINSTR_COST_KINDS];
	uint64_t call_squares; /* sum over the rounds of (CALL + RETURN)^2: how much they differ */
	/*
	 * A call with all its probes (CALL + RETURN) less the same call without: by itself, and
	 * within work whose steps depend on one another. The difference is hidden by parallel
	 * execution in the processor.
	 */
	uint64_t contexts; /* rounds of these two; 0: not measured */
	uint64_t alone_sum, beside_sum;
};

/*
 * Record of the budget of overhead (CINSTR_MAX_OVERHEAD); all 0 without one. Overhead = probe_ticks
 * / own_ticks, estimated at each fold; marks name each function.
 */
struct cinstr_budget {
	uint64_t limit;	      /* millionths of own_ticks; 0: none */
	uint64_t probe_ticks; /* cost of probes and folds, without counters */
	uint64_t own_ticks;   /* processor time of the program itself, without counters */
	/* part of these before the first function was taken out */
	uint64_t probe_ticks_before, own_ticks_before;
	uint32_t taken_out, put_back; /* times that a function's probes were, in part or whole */
	uint32_t functions_out;	      /* functions with probes taken out now */
	uint32_t reserved;
};

/* struct cinstr_header: packed. Runtimes write files unpacked. */
enum cinstr_packed { CINSTR_PACKED_NOT = 0, CINSTR_PACKED_ZSTD = 1 };

struct cinstr_header {
	char magic[8];
	uint32_t version;
	uint32_t header_bytes; /* offset of the first segment: CINSTR_PAGE */
	/* XXH3_64bits of the fields from `pid` up to, not including, `file_bytes` */
	uint64_t identity_checksum;
	/* Identity: fixed when the file is made. */
	uint32_t pid, parent_pid;
	/* start time of the process in clock ticks since boot (field 22 of /proc/PID/stat) */
	uint64_t process_start;
	uint64_t start_realtime_ns;
	uint32_t clock;		  /* enum cinstr_clock */
	uint32_t probes;	  /* 1 functions, 2 calls, 3 calls and lines */
	uint64_t threshold_ticks; /* intervals longer than this were checked for OS events */
	uint32_t restartable;	  /* 1: restartable sequences in use */
	uint32_t forked;	  /* 1: this process was forked from a recorded one (parent_pid) */
	uint64_t identity_reserved[4];
	/* State: changes while the program runs. */
	uint64_t file_bytes; /* end of the last segment */
	uint64_t clock_ticks[3],
		clock_ns[3]; /* clock against CLOCK_MONOTONIC_RAW: attach begin, attach end, last */
	uint32_t end;	     /* enum cinstr_end */
	int32_t end_status;
	uint64_t end_realtime_ns; /* 0 if not known */
	uint32_t stop;		  /* enum cinstr_stop */
	uint32_t stop_errno;
	uint64_t lost_events; /* of threads that could not be recorded */
	uint64_t lost_threads;
	uint64_t attach_ns;	 /* time spent to attach and patch */
	uint64_t timeline_bytes; /* budget; 0: no timeline */
	struct cinstr_calibration calibration;
	uint32_t threads; /* number of THREAD segments made */
	uint32_t modules;
	uint64_t marks_lost; /* no room */
	/* offset of the payload of the MARKS segment that takes marks; 0: none */
	uint64_t marks_at;
	/* times that sleds were switched on or off while threads ran: events may lack their
	 * counterparts */
	uint32_t switches;
	uint32_t timeline_mode; /* enum cinstr_timeline_mode */
	/* 1: a seccomp filter made the kernel's counters unreadable */
	uint32_t no_counters;
	uint32_t packed;	  /* enum cinstr_packed, for the file after the header page */
	uint64_t timeline_min_ns; /* shorter calls are left out of the timeline; 0: none */
	struct cinstr_budget budget;
	uint64_t phases_at; /* offset of the payload of the PHASES segment; 0: none */
	uint32_t method;    /* enum cinstr_method */
	/*
	 * Cost of an event in 1/1024 ticks, measured before the first event and used to choose
	 * extremes (struct cinstr_detail). 0: they are chosen by ticks alone (no calibration, older
	 * runtimes).
	 */
	uint32_t event_cost;
	struct cinstr_sampling sampling;
	/* 1: calls of stdio and others that entered the kernel have CINSTR_OS_SYSCALL */
	uint32_t streams;
	/* 1: mixed recording: functions whose calls are partly only counted may have samples in
	 * another file of the same process */
	uint32_t mixed;
	/* 1: no collector: threads sample themselves, as far as the kernel permits */
	uint32_t self_sampled;
	/* errno of the first thread that could not be sampled; with mixed 0: why calls are not
	 * sampled although nothing else was asked for. 0: none */
	uint32_t self_errno;
	uint64_t self_refused; /* number of threads that could not be sampled */
	uint64_t self_lost;    /* samples lost because a thread's ring was full */
	/* stamp of the end of the recording; 0: not known. Open activations last up to it */
	uint64_t end_ticks;
};

#define CINSTR_STATIC_ASSERT(condition) _Static_assert(condition, #condition)
#ifndef __cplusplus
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_record) == 16);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_cell) == 64);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_bucket) == 64);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_detail) == 64);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_more) == 64);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_counts) == 64);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_dirty) == 64);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_open) == 32);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_undo) == 56);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_mark) == 32);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_segment) == 64);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_timeline_chunk) == 40);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_fold_state) == 200);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_stack_node) == 16);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_sample) == 16);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_task) == 88);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_symbol_address) == 24);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_symbol_frame) == 32);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_probe_code) == 24);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_long_interval) == 16);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_self_sample) == 16);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_wait) == 64);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_header) <= CINSTR_CONTROL_OFFSET);
CINSTR_STATIC_ASSERT(CINSTR_CONTROL_OFFSET + sizeof(struct cinstr_control_block) <= CINSTR_PAGE);
CINSTR_STATIC_ASSERT(sizeof(struct cinstr_module) % 8 == 0);
#endif

#endif
