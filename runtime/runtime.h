/* SPDX-License-Identifier: MIT */
/*
 * runtime.h - the inside of libcinstr: what all rooms share. What a room does for others is in a
 * header of its own: choice.h, control.h, process.h, slow.h, system.h, thunk.h, timeline.h.
 *
 * Who runs what
 *   thunk_template.S   every thread, at every event; the fast path. Its own probe_state and buffer.
 *   slow.c, fold/      every thread, all signals blocked: its own thread, buffer and tree only.
 *   store.c            allocation of segments, under store.lock: signals blocked, held for a few
 *                      microseconds, taken by fork's prepare handler, so that a child finds it
 *                      free.
 *   the others         constructors, destructors, fork and exit handlers; of libc, what libc.h
 *                      has.
 *
 * Who shares what, and by which operations of cinstr/atomics.h. "Reader": report/file/, while the
 * process runs or after it was killed; it sees stores in their order, and undoes an unfinished
 * fold.
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
/* Most threads need no more; doubled when they are full. */
#define JOURNAL_SEGMENT CINSTR_PAGE
#define STACK_SEGMENT CINSTR_PAGE
/* The first segment of cells. Each next one doubles them up to CELLS_SEGMENT, and later adds an
 * eighth, up to CELLS_SEGMENT_MAX. */
#define CELLS_FIRST CINSTR_PAGE
#define CELLS_SEGMENT (16u << 10)
#define CELLS_SEGMENT_MAX (1u << 20)
#define SLOW_STACK (64u << 10)
#define SLOW_RECORDS \
	12 /* room behind `end`: the most that one slow event, or a TARGET with its event, writes */
#define CALIBRATION_RECORDS 256 /* behind the buffer, in its segment (clock.c) */
/* threads with a tree of their own; later ones carry on in that of an ended thread */
#define TREES_MAX 256

#define WAIT_SEGMENTS 4	   /* waits.c */
#define STRETCH_SEGMENTS 4 /* stretches.c */
#define DEPTH_MAX 64	   /* levels of functions that can be counted */
/* Parts of what a thread has executed: additions to a single one would wait for one another. */
#define SUMS 4
#define SUM_FIRST 1u /* what it is before the first instruction; 0: it is not known */

/* ---- a thread's timeline (timeline.c) -------------------------------------------------------- */

struct timeline {
	struct timeline_work *work; /* NULL: none yet */
	char *segment;		    /* the one that is being filled; NULL: none yet */
	struct timeline_slot *slot; /* of a ring: its place there */
	uint64_t room;		    /* bytes of its payload */
	uint64_t number;	    /* of the next chunk */
	uint64_t kept, kept_until;  /* the ring that was kept last, and the last stamp in it */
	uint32_t last_bytes;	    /* of the last chunk: the next one needs as much, most likely */
	uint32_t n_slots;	    /* of a ring: segments that are the thread's */
	int over;		    /* the budget is used up */
};

/* ---- a thread's samples of itself (self_sample.c) -------------------------------------------- */

#define SELF_WAITING_MAX 256

struct self_samples {
	struct perf_event_mmap_page *page; /* NULL: it is not sampled */
	uint64_t bytes;
	int is_late;	      /* 1: it is sampled from an event behind its first millisecond on */
	uint32_t more_ms;     /* of its period, as in struct cinstr_self_sample */
	int stays;	      /* 1: the period stays as it is */
	uint64_t waits;	      /* voluntary switches of its record when it began */
	uint32_t busy;	      /* somebody empties the ring */
	uint64_t cpu_ns;      /* the thread's when it was emptied last */
	uint64_t lost_untold; /* samples counted as lost, which the kernel has not told of */
	uint32_t left, n_segments;
	struct cinstr_self_sample *next, *segment; /* the next one's place; its segment */
	/* moments of samples whose intervals have not been folded yet */
	uint64_t waiting[SELF_WAITING_MAX];
	uint32_t n_waiting, first_waiting;
	uint64_t last_unlisted; /* of those that there was no room for; 0: there was */
};

/* ---- a thread's long intervals (stretches.c) ------------------------------------------------- */

struct stretches {
	struct cinstr_stretch *segments[STRETCH_SEGMENTS]; /* NULL: not there yet */
	uint32_t n, room;
	uint32_t level;	 /* of the windows that it keeps */
	uint32_t n_kept; /* those behind are of the window at hand, which may not be kept */
	uint64_t window; /* its number */
};

/* ---- a thread -------------------------------------------------------------------------------- */

struct thread {
	struct probe_state *probe;
	struct cinstr_thread *record; /* in the file */
	struct fold fold;
	struct timeline timeline;
	struct cinstr_record *buffer; /* START is buffer[0] */
	struct cinstr_record *buffer_end;
	volatile uint64_t *armed; /* this thread's rseq_cs, or its stand-in */
	uint64_t calibrated_time, marked_time;
	uint64_t calibrate_every_ns;
	struct cinstr_record *resuming; /* RESUME of the slow path that the thread is in */
	/* the last one, if what follows it has not been looked at (resume.c) */
	struct cinstr_record *resumed;
	uint32_t resumed_sp;  /* control_event.sp of the event before that */
	uint32_t start_high;  /* high half of START's stamp: the buffer holds nothing older */
	uint64_t cells_total; /* of the CELLS segments there are */
	uint32_t cells_bytes; /* size of the next CELLS segment */
	void *cells;	      /* the last one */
	uint32_t rounds;      /* of thread-exit destructors */
	int sealed;
	uint32_t switches; /* what it has seen of cinstr.switches_done */
	uint32_t depth;	   /* levels it counts (depth.c); 0: none */
	uint32_t n_levels;
	/* stack pointers of the frames that are open, the outermost first */
	uint64_t levels[DEPTH_MAX];
	/* counters of counted functions that are there, by block (counting.c) */
	uint64_t *counts[CINSTR_COUNTER_BLOCKS];
	/* segments.c: counters of executed segments, how many, and whose they are */
	uint64_t *segments;
	uint32_t segments_room;
	const struct cinstr_thread *segments_owner;
	/* call_sums.c: its second tree, of what it has executed; NULL: none */
	struct call_sums *sums;
	/* long_intervals.c: */
	struct cinstr_long_interval *longs, *longs_segment; /* the next one's place; its segment */
	uint32_t longs_left, n_longs;
	/* waits.c: the first are those that are not added up, whose paths are known up to n_known;
	 * the segments that have sums */
	struct cinstr_wait *waits, *wait_sums[WAIT_SEGMENTS];
	uint32_t n_waits, n_known, waits_room, n_wait_sums[WAIT_SEGMENTS];
	struct stretches stretches;
	struct self_samples self;
	struct thread *next;	  /* of the free ones */
	struct thread *next_made; /* of all */
	char *slow_stack;	  /* as in probe_state, which goes with the thread */
	int no_undo;		  /* 1: there was no room for the journal */
	int running;		  /* 1: its end is not known of */
	int in_use;
	int is_ending; /* the process's exit */
	/* budget.c, its account: */
	uint64_t budget_cpu;   /* processor time at the end of the last fold, ticks */
	int64_t budget_credit; /* ticks that its probes may cost; < 0: too much was spent */
	uint32_t budget_trials;
	int budget_has_all, budget_is_open;
};

/* Returns the thread's open entries, the outermost first: so many as its state's `depth`. */
static inline const struct cinstr_open *thread_entries(const struct thread *thread)
{
	return (const void *)(thread->fold.file + thread->record->stack_offset);
}

/* ---- actions at sleds (control.c) ------------------------------------------------------------ */

struct action {
	uint32_t code;	 /* of the sled's word */
	uint32_t action; /* enum cinstr_abi_action, or enum watched_action */
	const char *text;
};

/* Behind it is called what may restrict system calls (seccomp.c), or make a task in this memory
 * (tasks.c). */
enum watched_action {
	ACTION_SECCOMP = 64, /* this one, and those above */
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
	uint64_t sp;	   /* where that is: 8 below the stack pointer at the sled */
	uint64_t now;
};

/* ---- modules --------------------------------------------------------------------------------- */

struct module {
	const void *ehdr; /* by which it is known */
	struct image image;
	uint64_t base, text_start, text_end;
	uint32_t code_base, code_bytes;
	const char *notes; /* one contiguous range that holds all our notes, checked */
	size_t notes_bytes;
	/* by so much the notes lie further up than where their references count from */
	int64_t notes_moved;
	uint64_t strings_start, strings_end; /* absolute */
	struct thunks *thunks;
	char *room; /* whole pages of its own for thunks, of room_bytes; NULL: none */
	size_t room_bytes;
	int stays; /* it is never unloaded */
	uint32_t sleds, functions, indirect_calls, library_calls, patched, refused;
	struct action *actions; /* by code, in their order */
	uint32_t n_actions;
	/* bit per byte of the strings: the name of a function left out as small; of one that is
	 * counted (switch.c), NULL: none was; of one with probes, NULL: nobody asks */
	uint8_t *small, *counted, *probed;
	int loaded;
	uint64_t entry_offset; /* struct cinstr_module in the file */
};

#define MODULES_MAX 512

/* ---- the whole ------------------------------------------------------------------------------- */

/* CINSTR_COUNTS: what is counted of calls that counted functions make. */
enum counts {
	COUNTS_FUNCTIONS, /* nothing */
	COUNTS_LIBRARIES, /* calls by name of functions that the module has no probes of */
	COUNTS_SITES,	  /* all calls */
};

/* Address space that grows without moving (place.c). */
struct place {
	char *at;
	uint64_t size;	 /* how far it may grow */
	uint64_t mapped; /* accessible */
	int held;	 /* all of `size` is mapped */
};

struct store {
	char *file; /* the mapping; NULL: not recording */
	struct place place;
	uint64_t ready; /* bytes of the file that have blocks */
	uint64_t size;	/* its length */
	uint32_t lock;
	struct folder_id id, folder; /* the file's, and of the folder that it lies in */
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
	/* two bits per word of an ENTER sled: the level of its function (switch.c): 0 all, 1 entry
	 * and exits, 2 none, 3 counted */
	uint8_t *demoted;
	/* by code >> 3, of an ENTER sled and of a BEFORE: the last switch of sleds (`switches`) in
	 * which its function, or the AFTER behind it, lost its events; 0: never */
	uint32_t *lost;
	uint64_t lost_ticks[SWITCHES_KEPT]; /* when that was, by number modulo SWITCHES_KEPT */
	struct place words_place, indirect_place, wrappers_place, demoted_place, counted_place, lost_place,
		names_place;
	uint32_t next_code;
	struct module modules[MODULES_MAX];
	unsigned n_modules;
	/* hook of the module that threads' probe_state is in, which is never unloaded; or NULL */
	const struct cinstr_abi_hook *carrier;
	const void *own_image; /* ELF header of this library, if the loader does not know it */
	char own_path[SESSION_PATH_MAX];
	struct thread *threads, *free_threads; /* under store.lock: all, those without a thread */
	struct thread *look_next;
	uint32_t n_threads, n_trees;
	/* where the parts of what a thread has executed are, for who does not record (segments.c);
	 * 0: nobody adds it up. sums_flags: enum cinstr_call_sums_flag */
	uint64_t sums;
	uint32_t sums_flags;
	/* 1; the kernel makes it 0 in a forked child, and the words behind it (patch.c) */
	uint64_t *alive;
	ptrdiff_t armed_offset; /* of rseq_cs or its stand-in, from the thread pointer */
	int restartable;
	int clock;	       /* enum cinstr_clock */
	uint64_t entry_ticks;  /* os_entry_ticks() */
	uint64_t threshold;    /* ticks */
	uint64_t ticks_per_ns; /* << 20 */
	long pid;
	uint64_t main_stack;	  /* address near its end; 0: not known */
	uint32_t timeline_mode;	  /* enum cinstr_timeline_mode */
	uint64_t timeline_budget; /* bytes */
	uint64_t timeline_left;
	uint64_t timeline_min_ns; /* shorter calls leave it */
	uint64_t max_paths;
	int chooses_paths;	/* CINSTR_PATHS=auto */
	uint32_t switches;	/* times that sleds were switched while threads ran */
	uint32_t switches_done; /* of these, over */
	int switching;		/* sleds are being patched */
	int any_on;		/* there are patched sleds (patch.c) */
	int has_lines;		/* a module has sleds for lines */
	int starts_off;		/* threads begin with recording off */
	int has_regions;	/* landings have to look whether a region was left */
	char *marks;		/* segment of marks */
	uint32_t n_marks_segments;
	int verbose;
	struct budget *budget;	   /* NULL: no limit on overhead */
	int is_mixed;		   /* the program is sampled, by its threads or from outside */
	int is_self_sampled;	   /* ... by its threads */
	uint32_t switch_ns;	   /* of these: what a switch of threads costs; 0: not looked yet */
	enum counts counts;	   /* with a budget: which calls of counted functions are counted */
	int is_traced;		   /* by a debugger: no sled jumps, which leads it astray */
	struct thunks *any_thunks; /* for calibration */
	/*
	 * Two pages at one address for good: the first one of the process's data file (in a forked
	 * child another file's) and the session's (levels.c). NULL: no thunks yet.
	 */
	char *control_pages;
	int session_writable;
	uint64_t idle_descriptor; /* address of an rseq descriptor that never fires */
	/* of the thread between its fork handlers: the locks are its own */
	struct probe_state *forking;
	/* a forked child: a thread that it does not have may hold the loader's lock for good */
	int loader_is_unsure;
	uint32_t n_inside; /* threads between runtime_enter and runtime_leave */
	/* other processes\' files are not to be looked for (seccomp.c) */
	uint32_t is_alone;
	uint32_t short_threads;	   /* that ended one by one without a sample (self_sample.c) */
	uint32_t no_self_samples;  /* a filter may forbid them (seccomp.c) */
	uint32_t no_thread_clocks; /* the same, to ask for other threads' processor time */
	uint32_t no_kcmp;	   /* the same, to compare the memory of tasks */
	uint32_t has_ticks;	   /* the time-stamp counter is the clock, and may be read */
	uint32_t not_apart;	   /* no tasks with descriptors of their own (apart.c) */
	/* no system calls any more: a filter would kill the program (seccomp.c) */
	uint32_t is_mute;
	/* threads in a gate: behind the look at is_mute, before the call that permits signals */
	uint32_t n_gates;
};
_Static_assert(__builtin_offsetof(struct runtime, n_gates) ==
		       __builtin_offsetof(struct runtime, is_mute) + MUTE_TO_GATES,
	       "");

enum runtime_state { RUNTIME_NEW = 0, RUNTIME_ON = 1, RUNTIME_OFF = 2, RUNTIME_SAMPLED = 3 };

extern struct runtime cinstr;
/* Where each thread's probe_state is, from its thread pointer (thread_place_probe). */
extern ptrdiff_t probe_offset;
#define cinstr_probe (*(struct probe_state *)(void *)((char *)__builtin_thread_pointer() + probe_offset))
extern int cinstr_has_xsave;
void cinstr_call_preserving(void (*function)(void *), void *argument);
void cinstr_call_on_stack(void (*function)(void *), void *argument, void *top);

/* The process's own control block. */
static inline struct cinstr_control_block *control_block(void)
{
	return (struct cinstr_control_block *)(void *)(cinstr.control_pages + CINSTR_CONTROL_OFFSET);
}

/* Of all processes of the session. To be changed only while cinstr.session_writable. */
static inline struct cinstr_control_block *session_block(void)
{
	return (struct cinstr_control_block *)(void *)(cinstr.control_pages + CINSTR_PAGE +
						       CINSTR_CONTROL_OFFSET);
}

/* Changes when something does at any level. Pairs with the additions of those who change it. */
static inline uint32_t control_epoch(void)
{
	return atomic_load_acquire(&control_block()->epoch) + atomic_load_acquire(&session_block()->epoch);
}

/* << 20. Measured anew now and then, by any thread. */
static inline uint64_t ticks_per_ns(void)
{
	return atomic_load_relaxed(&cinstr.ticks_per_ns);
}

static inline uint64_t clock_now(void)
{
	return likely(cinstr.clock == CINSTR_CLOCK_TSC) ? arch_ticks() : sys_clock_ns(CLOCK_MONOTONIC_RAW);
}

/*
 * Around whatever makes system calls after the start, outside of constructors. 0: it must not. A
 * thread that has entered is waited for before a filter comes.
 */
static inline int runtime_enter(void)
{
	atomic_add(&cinstr.n_inside, 1); /* before the look; pairs with seccomp.c */
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
