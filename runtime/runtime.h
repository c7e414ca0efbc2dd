/* SPDX-License-Identifier: MIT */
/*
 * runtime.h - the inside of libcinstr: types and functions, grouped by the file that defines them.
 *
 * Who runs what
 *   thunk_template.S   every thread, at every event; the fast path. Its own probe_state and buffer.
 *   slow.c, fold/      every thread, all signals blocked: its own thread, buffer and tree only.
 *   store.c            allocation of segments, under store.lock: signals blocked, held for a few
 *                      microseconds, taken by fork's prepare handler, so that a child finds it
 *                      free.
 *   the others         constructors, destructors, fork and exit handlers; may call libc.
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
 *   counters of calls          their thread              reader                  add, unlocked
 *   sites.counted              who has patch_lock()      fold_events.c           release/acquire
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
#include "cinstr/abi.h"
#include "cinstr/atomics.h"
#include "cinstr/format.h"
#include "cinstr/options.h"
#include "fold/fold.h"
#include "probe/probe.h"
#include "process/folder.h"
#include "process/session.h"
#include "process/session_job.h"
#include "system/sys.h"
#include "system/text.h"

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
#define JOURNAL_SEGMENT (228u << 10)	   /* two blocks a record */
#define JOURNAL_SEGMENT_LINES (340u << 10) /* three */
#define STACK_SEGMENT (32u << 10)
/* the first; each further one is an eighth of all before, and up to: */
#define CELLS_SEGMENT (16u << 10)
#define CELLS_SEGMENT_MAX (1u << 20)
#define SLOW_STACK (64u << 10)
#define SLOW_RECORDS \
	12 /* room behind `end`: the most that one slow event, or a TARGET with its event, writes */
/* threads with a tree of their own; later ones carry on in that of an ended thread */
#define TREES_MAX 256

#define DEPTH_MAX 64 /* levels of functions that can be counted */

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
	int look_again;	   /* at its stack, at the next event */
	uint32_t depth;	   /* levels it counts (depth.c); 0: none */
	uint32_t n_levels;
	/* stack pointers of the frames that are open, the outermost first */
	uint64_t levels[DEPTH_MAX];
	/* counters of counted functions that are there, by block (counting.c) */
	uint64_t *counts[CINSTR_COUNTER_BLOCKS];
	/* long_intervals.c: */
	struct cinstr_long_interval *longs, *longs_segment; /* the next one's place; its segment */
	uint32_t longs_left, n_longs;
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

/* ---- actions at sleds (control.c) ------------------------------------------------------------ */

struct action {
	uint32_t code;	 /* of the sled's word */
	uint32_t action; /* enum cinstr_abi_action, or ACTION_SECCOMP ... */
	const char *text;
};

/* behind it is called what may restrict system calls: + which, see seccomp.c */
#define ACTION_SECCOMP 64

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
	const void *ehdr;
	uint64_t base, text_start, text_end;
	uint32_t code_base, code_bytes;
	const char *notes; /* one contiguous range that holds all our notes */
	size_t notes_bytes;
	uint64_t strings_start, strings_end; /* absolute */
	struct thunks *thunks;
	uint32_t sleds, patched, refused;
	struct action *actions; /* by code, in their order */
	uint32_t n_actions;
	/* bit per byte of the strings: the name of a function left out as small; of one that is
	 * counted (switch.c), NULL: none was */
	uint8_t *small, *counted;
	int loaded;
	uint64_t entry_offset; /* struct cinstr_module in the file */
};

#define MODULES_MAX 512

/* ---- the whole ------------------------------------------------------------------------------- */

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
	struct place words_place, indirect_place, wrappers_place, demoted_place, counted_place;
	uint32_t next_code;
	struct module modules[MODULES_MAX];
	unsigned n_modules;
	struct thread *threads, *free_threads; /* under store.lock: all, those without a thread */
	struct thread *look_next;
	uint32_t n_threads, n_trees;
	/* 1; the kernel makes it 0 in a forked child, and the words behind it (patch.c) */
	uint64_t *alive;
	ptrdiff_t armed_offset; /* of rseq_cs or its stand-in, from the thread pointer */
	int restartable;
	int clock;	       /* enum cinstr_clock */
	uint64_t entry_ticks;  /* os_entry_ticks() */
	uint64_t threshold;    /* ticks */
	uint64_t ticks_per_ns; /* << 20 */
	long pid;
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
	int is_mixed;		   /* CINSTR_METHOD=mixed, beside */
	int is_self_sampled;	   /* the first of these */
	int counts_sites;	   /* CINSTR_COUNTS=sites, with a budget */
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
	uint32_t n_inside; /* threads between runtime_enter and runtime_leave */
	/* other processes\' files are not to be looked for (seccomp.c) */
	uint32_t is_alone;
	uint32_t no_self_samples;  /* a filter may forbid them (seccomp.c) */
	uint32_t no_thread_clocks; /* the same, to ask for other threads' processor time */
	/* no system calls any more: a filter would kill the program (seccomp.c) */
	uint32_t is_mute;
};

enum runtime_state { RUNTIME_NEW = 0, RUNTIME_ON = 1, RUNTIME_OFF = 2, RUNTIME_SAMPLED = 3 };

extern struct runtime cinstr;
extern __thread struct probe_state cinstr_probe;
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

/* store.c */
/* The process's file, in the folder of this path that is open. 0 or -errno. */
int store_create(const char *path, int folder);
/* The same in the folder that a file was made in before. */
int store_create_beside(const char *path);
uint64_t store_lock(void); /* returns the signal mask for: */
void store_unlock(uint64_t old);
/* Payload of a new segment, zeroed; NULL: no room (recording ends: store_stop has been called). */
void *store_segment(uint32_t type, uint64_t payload_bytes, uint32_t owner);
void store_free(void *payload);
struct cinstr_segment *store_segment_of(void *payload);
void store_seal(void *payload, uint64_t used);
void store_stop(enum cinstr_stop why, int error);
void store_trim(void);
uint64_t store_identity_checksum(const struct cinstr_header *header);
static inline uint64_t store_offset(const void *at)
{
	return (uint64_t)((const char *)at - cinstr.store.file);
}

/* place.c */
/* `first` bytes, that may grow to `size`: of a file, or (fd -1) of private memory. NULL: no
 * room. */
char *place_take(struct place *place, int fd, uint64_t size, uint64_t first);
/* Accessible up to `bytes`: 0 or -errno. */
int place_grow(struct place *place, uint64_t bytes);
void place_cut(struct place *place, uint64_t bytes);
void place_drop(const struct place *place);

/* reach.c */
/* The data file's descriptor, or -errno: it may be out of reach by now; -ESTALE: deleted. Notes the
 * path it has now. */
int reach_file(void);

/* thread.c */
int thread_begin(struct probe_state *probe, uint64_t now);
void thread_end(struct thread *thread);
void thread_off(struct probe_state *probe);
void thread_fold(struct thread *thread);
void thread_start_buffer(struct thread *thread, uint64_t now);
void thread_exit_process(void);
void thread_before_fork(void);
void thread_after_fork(void);
void thread_forked(const char *parent_file, uint64_t parent_bytes);
void thread_init(void);
void thread_arm(struct probe_state *probe);
void thread_seal(struct thread *thread);
/* thread_names.c */
void thread_name(struct cinstr_thread *record);
void thread_others_at_exit(void);

/* timeline.c */
void timeline_init(void);
void timeline_describe(struct cinstr_header *header);
void timeline_forked(void);
/* A thread begins with a record of its own, or goes on in that of one that has ended. */
void timeline_begin(struct thread *thread, int has_new_record);
/* ... and is over, its record with it. */
void timeline_end(struct thread *thread);
/* Keeps the thread's buffer of n records, about to be folded. Returns 0: there is no room for
 * it. */
int timeline_keep(struct thread *thread, size_t n);

/* timeline_watch.c */
void timeline_watch_module(struct module *module);

/* resume.c */
void resume_init(void);
/* Behind the slow path that left this RESUME, with this stamp, when signals are open again. */
void resume_later(struct probe_state *probe, struct cinstr_record *r, uint64_t stamp);
/* The last RESUME, if what follows it is there by now. now: of an event that is not recorded yet;
 * or 0. */
void resume_settle(struct thread *thread, uint64_t now);

/* slow.c */
void slow_note(struct thread *thread, uint32_t type, uint64_t now, uint64_t value);
/* Ends the interval at hand, with what the operating system did in it. */
void slow_pause(struct thread *thread, uint64_t now);
void slow_end_interval(struct thread *thread, uint64_t now);
void slow_resume(struct probe_state *probe);
int slow_call(void (*work)(void *), void *data);
void slow_finish(struct probe_state *probe);

/* control.c */
/* Does what is to be done before the event counts. Returns 1: it is to be recorded. */
int control_before(struct probe_state *probe, const struct control_event *event);
/* The same behind it. Only for events with actions. */
void control_behind(struct probe_state *probe, const struct control_event *event);
uint32_t control_code(const struct control_event *event);
/* Is the task another one than the thread whose memory it uses (a vfork child)? */
int control_is_foreign(struct probe_state *probe);
void control_forked(struct probe_state *probe);
void control_starts_off(void);
void control_open(struct probe_state *probe);

/* Does this thread record, as things stand? */
int control_is_on(const struct probe_state *probe);
/* A thread that has not begun gets its record; one that is off stays off. */
void control_begin(struct probe_state *probe, uint64_t now);
/* The program has asked for something at `now` by a call whose return address is at sp: the thread
 * goes off or on there. */
void control_after_request(struct probe_state *probe, uint64_t sp, uint64_t now);
/* If the thread has to go off: after a fold. */
void control_after_fold(struct probe_state *probe);

/* levels.c */
int levels_begin(void);
/* The process's own block is in this data file from here on. 0 or -errno. */
int levels_map_process(int fd);
void levels_map_session(void);
/* What the processes of the session have to say; NULL: it cannot be kept. */
struct cinstr_messages *levels_messages(void);
void levels_drop_process(void);
void levels_forked(const char *parent_file);
void levels_start(void);
/* Is a thread on at the levels of the session, the process, and its own as others see it? */
int levels_are_on(const struct probe_state *probe);
/* What has changed at the levels since this thread last looked, is done. In slow path context. */
void levels_poll(struct probe_state *probe);
void levels_look(struct probe_state *probe);
/* A state of the process's or session's level has changed: adds marks. who: NULL, or who did it. */
void levels_mark(const char *who);

/* api.c */
/* A module's variable of cinstr.h is set, if it has one. */
void api_offer(const void *program_headers, int n, uint64_t base);

/* Frames that are gone are ended, as far as their place on the stack tells. The thread's buffer is
 * folded. */
void control_note_stack(struct thread *thread, const struct control_event *event, uint64_t now);
/* The same has to be done again at the next event: this one ends a call above a frame that is. */
int control_counted_behind(const struct thread *thread, const struct control_event *event);
int control_is_elsewhere(uint64_t sp);
/* Stack pointer of the frame's probe at its entry, near this one. */
uint64_t control_place_of(const struct cinstr_open *open, uint64_t sp);

/* depth.c */
/* 1: the event is of the levels that are recorded. The thread has begun. */
int depth_before(struct probe_state *probe, const struct control_event *event);
void depth_behind(struct probe_state *probe, const struct control_event *event);
/* While the runtime works in a thread, it is as if nothing was too deep. */
void depth_open(struct probe_state *probe);
void depth_close(struct probe_state *probe);
void depth_forked(struct probe_state *probe, const struct thread *parent);

/* marks.c */
/* 0, or -ENOMEM: no room, counted as lost. */
int mark_add(enum cinstr_mark_kind kind, uint64_t ticks, uint32_t site, int64_t id, const char *text);
/* The same for another thread. */
int mark_add_for(uint32_t tid, enum cinstr_mark_kind kind, uint64_t ticks, int64_t id, const char *text);
/* The same for a mark of the program's, that has just been reached, at `ticks`: it begins a phase,
 * if there is one left. */
int mark_now(uint64_t ticks, uint32_t site, int64_t id, const char *text);
/* The file's first segment of marks. */
void marks_begin(void);
/* At a fold: others, who cannot make a segment (cinstr control), find room for some marks. */
void marks_refill(void);

/* phases.c */
/* The file's list of phases. */
void phases_begin(void);
/* Begins a phase: its number, and its moment; 0: none is left. */
uint32_t phases_next(uint64_t *ticks);
/* The fold knows of all phases that have begun before the last record that there is now. */
void phases_see(struct fold *fold);

/* hold.c */
void hold_still(void);

/* budget.c. Only while cinstr.budget is there: */
void budget_fold(struct thread *thread, size_t n, uint64_t began);
uint64_t budget_clock(void);
int budget_wants_fold(const struct thread *thread, uint64_t now);
/* At any time: */
void budget_begin(void);
void budget_begin_thread(struct thread *thread);
void budget_forked(void);

/* counting.c */
struct counting_place {
	uint32_t block, index;
};
struct counting_place counting_place(uint32_t slot);
/* The slot of a sled (ENTER, BEFORE, TAIL), which it has from now on. Under the patch lock. -1: no
 * room. */
int counting_slot(uint32_t code);
/* The sled in this word that has a slot; 0: none has. */
uint32_t counting_sled(uint32_t code);
/* Under the patch lock: calls at this sled, which has something to do besides, are counted by the
 * slow path, or not any more. -1: no room. */
int counting_by_hand(uint32_t code, int is_on);
/* Counts a call at such a sled. */
void counting_hand(struct thread *thread, uint32_t code);
/* The thread records: it has counters of that block; its pointer stays NULL if there is no room. */
void counting_open(struct probe_state *probe, uint32_t block);
/* The thread's stubs come to the slow path. */
void counting_close(struct probe_state *probe);
/* Counts one call without a stub. */
void counting_add(struct thread *thread, uint32_t code);
/* Calls of this sled that were counted, by threads that are there. */
uint64_t counting_sum(uint32_t code);
/* counting_phases.c: a mark has begun this phase; the data file is told what was counted before. */
void counting_phase(uint32_t phase);
/* Tells the data file of a piece of the recording's own code: enum cinstr_probe_code_kind. */
void counting_code(const char *start, const char *end, uint32_t kind);
/* With a budget: once there is a file. */
void counting_begin(void);
void counting_forked(void);
void counting_phases_forked(void);

/* long_intervals.c */
/* The thread has a new record. */
void long_intervals_begin(struct thread *thread);

/* self_sample.c: nothing happens unless cinstr.is_self_sampled. */
/* The thread has a new record. */
void self_samples_begin(struct thread *thread);
/* The calling thread is sampled from now on, if it can be. */
void self_samples_open(struct thread *thread);
/* Before a fold: what there is by now goes to the file. */
void self_samples_take(struct thread *thread);
/* In a fold: whether samples lie in the interval. */
int self_samples_are_in(struct thread *thread, const struct cinstr_long_interval *interval);
/* The thread is over. */
void self_samples_close(struct thread *thread);
void self_samples_at_exit(void);

/* os.c */
struct os_answer {
	uint32_t bits; /* enum cinstr_os_bit; 0: nothing happened */
	uint64_t off_cpu_ticks;
	uint64_t switches; /* voluntary | involuntary << 32 */
};
void os_begin(struct thread *thread, uint64_t now);
struct os_answer os_ask(struct thread *thread, uint64_t now, uint64_t interval);
void os_ask_own(struct thread *thread);
void os_note_end(struct cinstr_thread *record);
uint64_t os_price_ticks(void);
/* What the cheapest system call takes; UINT64_MAX: r11 does not tell that there was one. */
uint64_t os_entry_ticks(void);
/* At an event behind a call that enters the kernel at times: did it? */
int os_was_entered(const struct probe_frame *frame, uint64_t interval);
/* The kernel does not tell any more what it did. */
void os_no_counters(void);

/* seccomp.c */
/* May the process be recorded at all? Before anything else. */
int seccomp_permits_start(void);
/* In the slow path, signals blocked, at a sled with this action: recording ends if it must. */
void seccomp_before(uint32_t action, const struct probe_frame *frame);

/* thunk.c */
struct thunks *thunks_make(const struct module *module);
int thunks_ready(struct thunks *thunks);
void thunks_release(struct thunks *thunks);
const char *thunk_address(struct thunks *thunks, uint32_t kind, int keep, int only);
const char *thunk_for_stream(const struct thunks *thunks, uint32_t kind);
const char *thunk_for_action(const struct thunks *thunks, uint32_t kind, int recorded);
const char *thunk_for_indirect(struct thunks *thunks, uint32_t kind, const uint8_t *call);
/* The stub of a slot; NULL: no room. back: behind the sled, if that jumps to it; NULL: it calls. */
const char *thunk_for_count(struct thunks *thunks, uint32_t slot, int keep, const char *back);
/* The stub of a function's entry is the slot's, and is made by thunk_for_count(). 0: no room. */
int thunks_reserve_count(struct thunks *thunks, uint32_t slot);
int thunk_is_jumped_to(const struct thunks *thunks, const char *thunk);
/* The way into this stub, which a sled jumps to, for calls. */
const char *thunk_for_calls(const char *thunk);
/* Of such a way the sled; NULL: it is none. */
const char *thunk_sled_of(const struct thunks *thunks, const char *to);
/* direct.c: what a call of the function with this entry sled leads to: its mark, if it has one. */
const char *direct_entry(const char *sled);
/* Whether there is room for one more stub that counts. */
int thunks_can_count(struct thunks *thunks);
/* Tells the data file of all pages (counting.c). */
void thunks_describe(void);
uint64_t thunks_idle_descriptor(const struct thunks *thunks);
const char *thunks_code(const struct thunks *thunks);

/* calls.c */
struct indirect_call {
	/* mov operand, %rax; position-dependent (rip) operands are not encoded */
	uint8_t bytes[12];
	uint8_t n_bytes;
	uint8_t reg, base, index, scale; /* 16: none */
	uint8_t is_memory, is_rip, size;
	/* bytes from the sled to the call instruction, where a thunk is between them */
	uint8_t skip;
	int32_t displacement;
};
int call_decode(const uint8_t *code, struct indirect_call *call);
uint64_t call_target(const struct indirect_call *call, const uint8_t *code, const struct probe_frame *frame);

/* patch.c */
/*
 * Who changes sleds, or adds or removes a module, holds the lock. Waiting for it is not for probes,
 * nor for who holds the store's lock: they try. Both block signals and set *old to the mask for
 * patch_unlock.
 */
void patch_lock(uint64_t *old);
int patch_try_lock(uint64_t *old); /* 1: it is ours */
void patch_unlock(uint64_t old);
void patch_forked(void);
int patch_begin(const struct module *module, uint64_t from, uint64_t to);
void patch_end(const struct module *module, uint64_t from, uint64_t to);
/* thunks: of the sled's module. */
int patch_on(const struct thunks *thunks, char *sled, const char *thunk);
int patch_off(const struct thunks *thunks, char *sled);
/* Whether it is a call or a jump, whosever. */
int patch_is_on(const char *sled);
/* Other processors take notice of what was patched. */
void patch_sync(void);
/* Recording has ended. By the holder of the lock, if somebody has it. */
void patch_all_off(void);

/* rules.c */
/* What is recorded. */
struct choice {
	const char *only, *except; /* globs, separated by commas */
	int functions_only, lines;
	uint32_t depth; /* levels of functions; 0: all */
};
extern const struct choice *volatile rules_choice; /* the one in force; under the patch lock */
extern uint32_t rules_depth;			   /* its depth, for any thread */
void rules_begin(void);
const struct choice *rules_read(const char *rules);
void rules_take(const struct choice *choice);

/* switch.c */
/*
 * Chooses anew: "only=GLOB,... not=GLOB,... probes=functions|calls|lines depth=N", or "all": as at
 * the start. What is not named stays as it is. From any thread; within a probe (signals blocked) as
 * well. 0; -EINVAL: not understood, nothing has changed; -EBUSY: somebody else is switching, within
 * a probe only; other errors: text that cannot be written.
 */
int choose_apply(const char *rules);
#define SWITCH_CHANGES_MAX 64
/*
 * func: code of a function's ENTER sled. level 0: no probes, 1: those of its entry and exits only,
 * 2: what the rules say, 3: its calls are counted, by no event, but for its calls of what waits.
 * For a function that the rules leave out it counts when they choose it.
 * error: 0, -EBUSY: try later; -ENOENT: no such function; others: it cannot be at that level.
 */
struct switch_change {
	uint32_t func;
	int level, error;
};
/* n: at most SWITCH_CHANGES_MAX. All at once costs little more than one. */
void switch_functions(struct switch_change *list, unsigned n);
/* A module that has just come, under the lock. */
void switch_module(struct module *module);
/* All modules, as chosen: has_regions has changed, or another process was in the middle of it when
 * it forked us. */
void switch_again(void);
/* At the end of the process: the modules' entries in the file are as they will stay. */
void switch_finish(void);

/* module.c */
void module_add(const void *ehdr);
void module_remove(const void *ehdr);
void modules_scan(void);
void module_each_string(const struct module *module, void (*visit)(const char *string, void *data),
			void *data);
void module_each_sled(struct module *module, void (*visit)(const struct module *, char *sled, uint32_t info));
/* The first action of the sled with this code; NULL: none. */
const struct action *module_actions(uint32_t code);
/* Address of the aligned word that holds the sled with this code; 0: in no loaded module. */
uint64_t module_address(uint32_t code);
/* Path of the module's file, as the data file has it. */
const char *module_path(const struct module *module);
/* What is patched of it, to the data file. */
void module_tell(struct module *module, int seal);
void modules_copy(const char *parent_file, uint64_t parent_bytes);

/* callee.c */
uint32_t callees_find(const struct module *module, struct cinstr_callee *out, uint32_t max);

/* clock.c */
void clock_choose(void);
void clock_mark(int which);
void calibrate(unsigned rounds);
/* What has been measured so far is what the threads' extremes will be chosen by. Once, before the
 * first fold. */
void clock_set_event_cost(void);
/*
 * What an interval measures that two events begin which are stamped at once (a call and its entry;
 * is_return: an exit and its after-call), less what one measures that the second of them begins
 * alone. Ticks.
 */
uint64_t clock_pair_ticks(int is_return);
void clock_forked(void);

/* process.c */
void process_forked(void);
/* The file of a process that is sampled (sampled.c). 0 or -errno. */
int process_make_companion(uint64_t begin_ns, uint64_t begin_realtime_ns, int forked);

/* sampled.c */
/* In a constructor; and when modules may have come. */
void sampled_begin(void);
void sampled_offer(void);
/* Does the program's work with its file there, one thread at a time, signals blocked. 0; -EBUSY;
 * other errors: no file. */
int sampled_call(void (*work)(void *), void *data);
/* In that: */
int sampled_is_on(void);
/* The state of a level of cinstr.h was changed at `now`. tid: the thread whose. */
void sampled_changed(int level, uint32_t tid, uint64_t now);
struct sampled_thread {
	uint32_t tid; /* 0: free */
	uint32_t stopped;
	int32_t suspensions;
	struct cinstr_task *task; /* in the file, if the program gave it a name */
};
/* A thread of this process that is there; 0: the calling one. NULL: it is not. */
struct sampled_thread *sampled_thread(uint32_t tid);
/* Where its name is; NULL: no room. */
struct cinstr_task *sampled_task(struct sampled_thread *thread, uint64_t now);

/* option.c */
const char *option_value(enum cinstr_option option);
int option_word(enum cinstr_option option, const char *const *words);
int option_size(enum cinstr_option option, uint64_t *value);
/* CINSTR_PATHS: the largest number of paths. Returns 1: which of them are kept is chosen by time
 * (auto). */
int option_paths(uint64_t *max);
/* SIZE, unlimited, none or ring:SIZE. */
void option_budget(enum cinstr_option option, int *is_ring, uint64_t *bytes);
/* A time, in nanoseconds. */
void option_time(enum cinstr_option option, uint64_t *ns);
/* A number with ns, us, ms or s. Returns 0: it is none. */
int option_read_time(const char *text, uint64_t *ns);
/* Is there a value, and one that makes sense? */
int option_is_given(enum cinstr_option option);
/* The value makes no sense: says so; it has its default from then on. */
void option_complain(enum cinstr_option option);
uint64_t option_millionths(enum cinstr_option option, uint64_t most);
void options_read(void);
/* Does CINSTR say that nothing is to be recorded? */
int option_is_off(void);
/* Tells of each variable CINSTR_... that is no option. */
void options_check_names(void);

/* ranks.c: whose rank this process is; the session that CINSTR_DATA names, its template expanded;
 * opens it (as session_create_ranks). */
const struct session_job *ranks_job(void);
const char *ranks_wanted(void);
int ranks_open_session(char *folder);

/* message.c */
void messages_begin(void);
/* From here on it is known who is to be told: stderr, by the process that begins a session, or the
 * session's page. */
void messages_go(int to_stderr);
/* One line: WHAT: DETAIL (or NULL): the text of this errno (or 0) and what can be done. */
void cinstr_say(const char *what, const char *detail, int error);
/* The same on stderr, for who has asked for it by CINSTR_VERBOSE. */
void cinstr_tell(const char *what, const char *detail);

#endif
