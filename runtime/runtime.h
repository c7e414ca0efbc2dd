/* SPDX-License-Identifier: MIT */
/*
 * runtime.h - the inside of libcinstr: data that all rooms share. Each room declares its services
 * for others in a header of its own: choice.h, control.h, process.h, slow.h, system.h, thunk.h,
 * timeline.h.
 *
 * Who runs what
 *   thunk_template.S   every thread, at every event; the fast path. Its own probe_state and buffer.
 *   slow.c, fold/      every thread, all signals blocked: its own thread, buffer and tree only.
 *   store.c            allocation of segments, under store.lock: signals blocked, held for a few
 *                      microseconds, taken by fork's prepare handler, so that a child finds it
 *                      free.
 *   the others         constructors, destructors, fork and exit handlers; of libc, only the
 *                      functions in libc.h.
 *
 * Shared data, their writers and readers, and the operations of cinstr/atomics.h that they use.
 * "Reader": report/file/, while the process runs or after it was killed; it sees stores in their
 * order, and undoes an unfinished fold.
 *
 *   what                       written by                read by                 how
 *   records of a buffer        its thread                reader                  release
 *   cells, journal, stack,     its thread, in a fold     reader                  release
 *     commit, root, detail
 *   list of threads            whoever has store.lock    thread_names.c          release/acquire
 *   free threads, n_trees      whoever has store.lock    others, only to guess   relaxed
 *   store.lock                 everybody                 everybody               swap, futex
 *   header.file_bytes,         whoever has store.lock    module.c, api.c,        release/acquire
 *     segment.type                                       companion_watch.c, reader
 *   segment.used (timeline)    its thread, timeline_ring reader                  release
 *   modules, n_modules         who opens one, locked     module_of_code()        release/acquire
 *   sleds (code)               switch.c, patch.c, under  all that execute them   compare_swap of
 *                                patch_lock()                                      the whole word
 *   switches, switches_done    switch.c, locked          slow.c, thread.c        release/acquire;
 *                                                                                  membarrier
 *   a probe's armed word       the kernel, at a switch   thunk_template.S        rseq
 *   control: stopped,          control.c, api.c,         levels.c, sampled.c,    relaxed; then
 *     suspensions; epoch         cinstr control            collector_control.c     add, acquire
 *   choice_state, its rules    the command, levels.c     levels.c, the command   compare_swap,
 *                                                                                  release/acquire
 *   hold                       cinstr control (snapshot) hold.c                  release/acquire
 *   marks_at, mark.bytes       threads, cinstr control   cinstr control, reader  compare_swap,
 *                                                                                  release/acquire
 *   phases: n, begin_ticks     marks.c, cinstr control   fold_phase.c, phases.c  compare_swap,
 *                                                                                  acquire
 *   header's counts (lost_...) any thread                reader                  add
 *   budget's totals, trials    any thread; one is chosen budget.c                add, acquire
 *                                by budget.lock
 *   ticks_per_ns, calibration  any thread; one at a time any thread              relaxed
 *                                by a swap
 *   counters of calls, and     their thread              reader                  add, unlocked
 *     of segments
 *   sites.counted, names       who has patch_lock()      fold_events.c           release/acquire
 *   lost, lost_ticks           switch.c, locked          control.c               relaxed, behind
 *                                                                                  switches_done
 *   n_inside, is_mute, state   any thread; seccomp.c     seccomp.c; any thread   add, swap,
 *                                                                                  load_ordered
 *   held blocks                any thread                reader, held.c          compare_swap,
 *                                                                                  release
 *   a held block's cell        its thread, in a fold     reader                  compare_swap
 *   the sampler's slots        a signal's handler        timer_source.c          compare_swap,
 *                                                                                  release/acquire
 *
 * Rules inside the host program: no malloc, no stdio, no exit, errno and signal masks as they were;
 * all functions that a probe can reach are compiled for general registers and call no libc.
 */
#ifndef CINSTR_RUNTIME_H
#define CINSTR_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "arch.h"
#include "choice/choice.h"
#include "choice/image.h"
#include "cinstr/abi.h"
#include "cinstr/atomics.h"
#include "cinstr/call_sums.h"
#include "cinstr/format.h"
#include "cinstr/held.h"
#include "cinstr/options.h"
#include "control/control.h"
#include "fold/fold.h"
#include "probe/probe.h"
#include "probe/slow.h"
#include "probe/thunk.h"
#include "process/folder.h"
#include "process/process.h"
#include "process/session.h"
#include "process/session_job.h"
#include "system/dynamic.h"
#include "system/libc.h"
#include "system/sys.h"
#include "system/system.h"
#include "system/text.h"
#include "timeline/timeline.h"

#define CINSTR_RUNTIME_VERSION "0.1"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define min_of(a, b) \
	({ \
		__typeof__((a) + (b)) min_a = (a), min_b = (b); \
		min_a < min_b ? min_a : min_b; \
	})

/* ---- sizes ----------------------------------------------------------------------------------- */

/* stays in the first-level cache; larger ones fold no faster */
#define BUFFER_SEGMENT (32u << 10)
/* First sizes, enough for most threads; doubled when full. */
#define JOURNAL_SEGMENT CINSTR_PAGE
#define STACK_SEGMENT CINSTR_PAGE
/* The first segment of cells. Each further one doubles the total, up to CELLS_SEGMENT, and later
 * adds an eighth of it, up to CELLS_SEGMENT_MAX. */
#define CELLS_FIRST CINSTR_PAGE
#define CELLS_SEGMENT (16u << 10)
#define CELLS_SEGMENT_MAX (1u << 20)
#define SLOW_STACK (64u << 10)
/* room after `end`: most records that one slow event, or a TARGET with its event, writes */
#define SLOW_RECORDS 12
#define CALIBRATION_RECORDS 256 /* after the buffer, in its segment (clock.c) */
/* threads with a tree of their own; later threads continue the tree of an ended one */
#define TREES_MAX 256

#define WAIT_SEGMENTS 4	   /* waits.c */
#define STRETCH_SEGMENTS 4 /* stretches.c */
#define DEPTH_MAX 64	   /* most levels of functions that can be counted */
/* Parts of a thread's sum of executed instructions: additions to a single one would depend on one
 * another. */
#define SUMS 4
#define SUM_FIRST 1u /* a count before the first instruction; 0: not known */

/* ---- a thread's timeline (timeline.c) -------------------------------------------------------- */

struct timeline {
	struct timeline_work *work; /* NULL: none yet */
	char *segment;		    /* the segment that is being filled; NULL: none yet */
	struct timeline_slot *slot; /* in a ring: the segment's slot */
	uint64_t room;		    /* bytes of the segment's payload */
	uint64_t number;	    /* number of the next chunk */
	/* stamp of the mark that last kept the ring, and the last stamp in it */
	uint64_t kept, kept_until;
	uint32_t last_bytes; /* of the last chunk: the likely size of the next one */
	uint32_t n_slots;    /* in a ring: number of the thread's segments */
	int over;	     /* the budget is used up */
};

/* ---- a thread's samples of itself (self_sample.c) -------------------------------------------- */

#define SELF_WAITING_MAX 256

struct self_samples {
	struct perf_event_mmap_page *page; /* NULL: the thread is not sampled */
	uint64_t bytes;
	int is_late;	      /* 1: sampling starts at an event after its first millisecond */
	uint32_t more_ms;     /* part of its period, as in struct cinstr_self_sample */
	int stays;	      /* 1: the period does not change any more */
	uint64_t looks_at;    /* after so many waits what they cost is looked at next */
	uint32_t busy;	      /* lock: 1: some thread empties the ring */
	uint64_t cpu_ns;      /* the thread's processor time when the ring was last emptied */
	uint64_t lost_untold; /* samples counted as lost that the kernel has not reported */
	uint32_t left, n_segments;
	struct cinstr_self_sample *next, *segment; /* the next one's place; its segment */
	/* stamps of samples whose intervals have not been folded yet */
	uint64_t waiting[SELF_WAITING_MAX];
	uint32_t n_waiting, first_waiting;
	uint64_t last_unlisted; /* last stamp without room in `waiting`; 0: none */
};

/* ---- a thread's long intervals (stretches.c) ------------------------------------------------- */

struct stretches {
	struct cinstr_stretch *segments[STRETCH_SEGMENTS]; /* NULL: not there yet */
	uint32_t n, room;
	uint32_t level;	 /* level of the windows that it keeps */
	uint32_t n_kept; /* later ones are in the current window, which the level may not keep */
	uint64_t window; /* number of the current window */
};

/* ---- a thread's tags (tags.c) ---------------------------------------------------------------- */

struct tag {
	uint32_t name; /* number; 0: none */
	int is_on;
	int64_t id;
};

/* ---- a thread's calls that allocate and free (held.c) ---------------------------------------- */

struct held_call {
	uint64_t first; /* first argument of a call of posix_memalign */
	/* of the last call that may have freed: the end of the sled before it, low half; the block
	 * that it has freed; address 0: none */
	uint32_t freed_site;
	struct cinstr_held old;
};

/* ---- a thread -------------------------------------------------------------------------------- */

struct thread {
	struct probe_state *probe;
	struct cinstr_thread *record; /* its record in the file */
	struct fold fold;
	struct timeline timeline;
	struct cinstr_record *buffer; /* START is buffer[0] */
	struct cinstr_record *buffer_end;
	volatile uint64_t *armed; /* this thread's rseq_cs, or its stand-in */
	uint64_t calibrated_time, marked_time;
	uint64_t calibrate_every_ns;
	struct cinstr_record *resuming; /* RESUME record of the slow path that the thread is in */
	/* the last RESUME, if the record after it has not been examined (resume.c) */
	struct cinstr_record *resumed;
	uint32_t resumed_sp;  /* control_event.sp of the event before `resumed` */
	uint32_t start_high;  /* high half of START's stamp: the buffer holds nothing older */
	uint64_t cells_total; /* bytes of all its CELLS segments */
	uint32_t cells_bytes; /* size of the next CELLS segment */
	void *cells;	      /* its last CELLS segment */
	uint32_t rounds;      /* passes of thread-exit destructors */
	int sealed;
	uint32_t switches; /* value of cinstr.switches_done that it last saw */
	uint32_t depth;	   /* number of levels that it counts (depth.c); 0: none */
	uint32_t n_levels;
	/* stack pointers of the open frames, outermost first */
	uint64_t levels[DEPTH_MAX];
	/* its counters of counted functions, by block (counting.c); NULL: none yet */
	uint64_t *counts[CINSTR_COUNTER_BLOCKS];
	/* segments.c: counters of executed segments, their number, and the record they belong to */
	uint64_t *segments;
	uint32_t segments_room;
	const struct cinstr_thread *segments_owner;
	/* counter.c: the kernel's page of the processor's counter; NULL: not counted */
	const struct perf_event_mmap_page *counter;
	/* call_sums.c: its second tree, of counts; NULL: none */
	struct call_sums *sums;
	/* long_intervals.c: */
	struct cinstr_long_interval *longs, *longs_segment; /* the next one's place; its segment */
	uint32_t longs_left, n_longs;
	/* waits.c: waits that are not added up, with known paths up to n_known; the segments of
	 * sums */
	struct cinstr_wait *waits, *wait_sums[WAIT_SEGMENTS];
	uint32_t n_waits, n_known, waits_room, n_wait_sums[WAIT_SEGMENTS];
	struct stretches stretches;
	struct tag tags[CINSTR_TAG_NAMES];
	struct held_call held;
	struct self_samples self;
	struct thread *next;	  /* next in the list of free ones */
	struct thread *next_made; /* next in the list of all */
	char *slow_stack;	  /* as in probe_state, which vanishes with the thread */
	int no_undo;		  /* 1: there was no room for the journal */
	int running;		  /* 1: no end of the thread has been seen */
	int in_use;
	int is_ending; /* 1: at the process's exit */
	/* budget.c, the thread's account: */
	uint64_t budget_cpu;   /* processor time at the end of the last fold, ticks */
	int64_t budget_credit; /* ticks that its probes may cost; < 0: too much was spent */
	uint32_t budget_trials;
	int budget_has_all, budget_is_open;
	uint64_t budget_counts;	   /* what the thread's counters had counted when last looked at */
	uint64_t budget_counts_at; /* the thread's processor time then, ticks */
	uint64_t budget_counting;  /* what counting took before that, millionths of that time */
};

/* Returns the thread's open entries, outermost first; their number is `depth` in its state. */
static inline const struct cinstr_open *thread_entries(const struct thread *thread)
{
	return (const void *)(thread->fold.file + thread->record->stack_offset);
}

/* ---- actions at sleds (control.c) ------------------------------------------------------------ */

struct action {
	uint32_t code;	 /* code of the sled, without kind */
	uint32_t action; /* enum cinstr_abi_action, or enum watched_action */
	const char *text;
};

/* Actions at sleds before a call that may restrict system calls (seccomp.c), or make a task in this
 * memory (tasks.c). */
enum watched_action {
	ACTION_SECCOMP = 64, /* the first of these actions */
	ACTION_PRCTL = ACTION_SECCOMP,
	ACTION_SECCOMP_CALL,
	ACTION_SYSCALL,
	ACTION_SECCOMP_LOAD,
	ACTION_CLONE,
	ACTION_CLONE3,
	ACTION_VFORK,
	ACTION_FORK,
};

struct control_event {
	uint32_t code;
	int has_actions;
	int silent;	   /* the event itself is not recorded */
	uint64_t sled_end; /* the return address of the thunk */
	uint64_t sp;	   /* its address: 8 below the stack pointer at the sled */
	uint64_t now;
};

/* ---- modules --------------------------------------------------------------------------------- */

struct module {
	const void *ehdr; /* identifies the module */
	struct image image;
	uint64_t base, text_start, text_end;
	uint32_t code_base, code_bytes;
	const char *notes; /* one contiguous, checked range that holds all our notes */
	size_t notes_bytes;
	/* distance of the notes above the place that their references count from */
	int64_t notes_moved;
	uint64_t strings_start, strings_end; /* absolute */
	struct thunks *thunks;
	char *room; /* whole pages of its own for thunks, of room_bytes; NULL: none */
	size_t room_bytes;
	int stays; /* 1: the module is never unloaded */
	uint32_t sleds, functions, indirect_calls, named_calls, patched, refused;
	struct action *actions; /* by code, in their order */
	uint32_t n_actions;
	/* one bit per byte of the strings, set at names of functions: left out as small; counted
	 * (switch.c), NULL: none was */
	uint8_t *small, *counted;
	int loaded;
	uint64_t entry_offset; /* struct cinstr_module in the file */
};

#define MODULES_MAX 512

/* ---- the whole ------------------------------------------------------------------------------- */

/* CINSTR_COUNTS: the calls made by counted functions that are counted. */
enum counts {
	COUNTS_FUNCTIONS, /* none */
	COUNTS_LIBRARIES, /* calls by name */
	COUNTS_SITES,	  /* all calls */
};

/* An address range that grows without moving (place.c). */
struct place {
	char *at;
	uint64_t size;	 /* how far it may grow */
	uint64_t mapped; /* bytes that are accessible */
	int held;	 /* 1: all of `size` is mapped */
};

struct store {
	char *file; /* the mapping; NULL: not recording */
	struct place place;
	uint64_t ready; /* bytes of the file with allocated blocks */
	uint64_t size;	/* length of the file */
	uint32_t lock;
	struct folder_id id, folder; /* identity of the file, and of its folder */
	char path[SESSION_PATH_MAX + 64];
};

#define SWITCHES_KEPT 256u

struct runtime {
	int state; /* enum runtime_state */
	struct store store;
	struct cinstr_header *header; /* = store.file */
	struct fold_sites sites;
	uint32_t sites_reserved; /* words */
	uint8_t *indirect;	 /* bit per word: the site's call is indirect */
	/* two bits per word of code, at ENTER sleds: the level of the function (switch.c): 0 all, 1
	 * entry and exits, 2 none, 3 counted */
	uint8_t *demoted;
	/* by code >> 3 of an ENTER or BEFORE sled: number (`switches`) of the last switch of sleds
	 * in which its function, or the AFTER of the call, lost its events; 0: never */
	uint32_t *lost;
	uint64_t lost_ticks[SWITCHES_KEPT]; /* stamps of switches, by number modulo SWITCHES_KEPT */
	struct place words_place, indirect_place, wrappers_place, demoted_place, counted_place, lost_place,
		names_place;
	uint32_t next_code;
	struct module modules[MODULES_MAX];
	unsigned n_modules;
	/* hook of the module whose TLS holds threads' probe_state; never unloaded; or NULL */
	const struct cinstr_abi_hook *carrier;
	const void *own_image; /* ELF header of this library, if the loader does not know it */
	char own_path[SESSION_PATH_MAX];
	/* under store.lock: all records, those without a thread */
	struct thread *threads, *free_threads;
	struct thread *look_next;
	uint32_t n_threads, n_trees;
	/* address of the parts of the sum of executed instructions, for threads that do not record
	 * (segments.c); 0: nothing is added up. sums_flags: enum cinstr_call_sums_flag */
	uint64_t sums;
	uint32_t sums_flags;
	/* counter.c: what the processor counts for the second trees; then `sums` is 0 */
	enum cinstr_counter counter;
	/* *alive is 1; in a forked child the kernel zeroes it and the words after it (patch.c) */
	uint64_t *alive;
	ptrdiff_t armed_offset; /* of rseq_cs or its substitute, from the thread pointer */
	int restartable;
	int clock;	       /* enum cinstr_clock */
	uint64_t entry_ticks;  /* os_entry_ticks() */
	uint64_t threshold;    /* ticks */
	uint64_t ticks_per_ns; /* << 20 */
	long pid;
	/* address near the outer end of the first thread's stack; 0: not known */
	uint64_t main_stack;
	uint32_t timeline_mode;	  /* enum cinstr_timeline_mode */
	uint64_t timeline_budget; /* bytes */
	uint64_t timeline_left;
	uint64_t timeline_min_ns; /* shorter calls are left out of the timeline */
	uint64_t max_paths;
	int chooses_paths;	/* CINSTR_PATHS=auto */
	uint32_t switches;	/* number of switches of sleds while threads ran */
	uint32_t switches_done; /* switches that are finished */
	int switching;		/* 1: sleds are being patched */
	int any_on;		/* 1: some sleds are patched (patch.c) */
	int has_lines;		/* 1: a module has sleds for lines */
	int starts_off;		/* 1: threads begin with recording off */
	int has_regions;	/* 1: landings must check whether a region was left */
	char *marks;		/* current segment of marks */
	uint32_t n_marks_segments;
	int verbose;
	struct budget *budget;	   /* NULL: no limit on overhead */
	int is_mixed;		   /* 1: the program is sampled, by its threads or from outside */
	int is_self_sampled;	   /* ... by its threads */
	uint32_t switch_ns;	   /* self-sampled: cost of a thread switch, ns; 0: not known yet */
	enum counts counts;	   /* with a budget: which calls of counted functions are counted */
	int is_traced;		   /* 1: traced by a debugger: sleds must not jump */
	struct thunks *any_thunks; /* some module's thunks, for calibration */
	/*
	 * Two pages at a permanent address: the first page of the process's data file (in a forked
	 * child of another file) and the session's page (levels.c). NULL: no thunks yet.
	 */
	char *control_pages;
	int session_writable;
	uint64_t idle_descriptor; /* address of an rseq descriptor whose range is never executed */
	/* of the thread that is between its fork handlers and holds the locks */
	struct probe_state *forking;
	/* in a forked child: a thread of the parent may have held the loader's lock, which then is
	 * never released */
	int loader_is_unsure;
	uint32_t n_inside; /* threads between runtime_enter and runtime_leave */
	/* 1: do not look for other processes' files (seccomp.c) */
	uint32_t is_alone;
	/* consecutive threads that ended without a sample (self_sample.c) */
	uint32_t short_threads;
	uint32_t no_self_samples;  /* 1: a filter may forbid self-sampling (seccomp.c) */
	uint32_t no_thread_clocks; /* likewise: reading other threads' processor time */
	uint32_t no_kcmp;	   /* likewise: comparing the memory of tasks */
	uint32_t no_peers;	   /* likewise: asking for the peers of sockets */
	uint32_t has_ticks;	   /* 1: the time-stamp counter is the clock, and may be read */
	uint32_t not_apart;	   /* 1: no tasks with descriptors of their own (apart.c) */
	/* 1: no system calls any more: a filter would kill the program (seccomp.c) */
	uint32_t is_mute;
	/* threads in a gate: between the check of is_mute and the call that unblocks signals */
	uint32_t n_gates;
};
_Static_assert(__builtin_offsetof(struct runtime, n_gates) ==
		       __builtin_offsetof(struct runtime, is_mute) + MUTE_TO_GATES,
	       "");

enum runtime_state { RUNTIME_NEW = 0, RUNTIME_ON = 1, RUNTIME_OFF = 2, RUNTIME_SAMPLED = 3 };

extern struct runtime cinstr;
/* Offset of each thread's probe_state from its thread pointer (thread_place_probe). */
extern ptrdiff_t probe_offset;
#define cinstr_probe (*(struct probe_state *)(void *)((char *)__builtin_thread_pointer() + probe_offset))
extern int cinstr_has_xsave;
void cinstr_call_preserving(void (*function)(void *), void *argument);
void cinstr_call_on_stack(void (*function)(void *), void *argument, void *top);

/* Returns the process's own control block. */
static inline struct cinstr_control_block *control_block(void)
{
	return (struct cinstr_control_block *)(void *)(cinstr.control_pages + CINSTR_CONTROL_OFFSET);
}

/* Returns the session's control block. May be changed only while cinstr.session_writable. */
static inline struct cinstr_control_block *session_block(void)
{
	return (struct cinstr_control_block *)(void *)(cinstr.control_pages + CINSTR_PAGE +
						       CINSTR_CONTROL_OFFSET);
}

/* Returns a number that changes with every change at any level. Pairs with the additions of those
 * who make changes. */
static inline uint32_t control_epoch(void)
{
	return atomic_load_acquire(&control_block()->epoch) + atomic_load_acquire(&session_block()->epoch);
}

/* Returns ticks per ns << 20. Any thread may update it at any time. */
static inline uint64_t ticks_per_ns(void)
{
	return atomic_load_relaxed(&cinstr.ticks_per_ns);
}

static inline uint64_t clock_now(void)
{
	return likely(cinstr.clock == CINSTR_CLOCK_TSC) ? arch_ticks() : sys_clock_ns(CLOCK_MONOTONIC_RAW);
}

/*
 * Encloses all code that makes system calls after the start, outside of constructors. Returns 0 if
 * it must not make any. Before a filter is installed, threads that have entered are waited for.
 */
static inline int runtime_enter(void)
{
	atomic_add(&cinstr.n_inside, 1); /* before the check; pairs with seccomp.c */
	if (likely(!atomic_load_ordered(&cinstr.is_mute)))
		return 1;
	atomic_add(&cinstr.n_inside, -1);
	return 0;
}

static inline void runtime_leave(void)
{
	atomic_add(&cinstr.n_inside, -1);
}

static inline uint64_t store_offset(const void *at)
{
	return (uint64_t)((const char *)at - cinstr.store.file);
}

#endif
