/* SPDX-License-Identifier: MIT */
/*
 * thread.c - birth, folds and end of a thread's recording. In a forked child: thread_fork.c.
 *
 * Everything here runs in the thread concerned, with signals blocked; only the lists of threads are
 * shared (under the store's lock). A thread that has ended leaves its tree in the file; its buffer,
 * journal and stack serve the next.
 */
#include <errno.h>
#include <limits.h>

#include "runtime.h"

#define INDEX_FIRST 1024
#define MARK_EVERY_NS 250000000ull
/* The processor's frequency changes within milliseconds, so the calibration has to run where the
 * program's events are. */
#define CALIBRATE_FIRST_NS 1000000ull
#define CALIBRATE_EVERY_NS 16000000ull
#define CALIBRATE_ROUNDS_END 2
/* of the thread's own stack, in octaves (fold_own_stack()): 1 MiB, and the least that there is */
#define OWN_STACK_MAIN 6
#define OWN_STACK_THREAD 2
/* cells for what is open when a phase begins, at least: the budget of paths may be small */
#define OPEN_EXTRA 1024
/* Acts in the last round of destructors; under TSan, which ends in that one, a round earlier. */
#ifdef __SANITIZE_THREAD__
#define END_ROUND (PTHREAD_DESTRUCTOR_ITERATIONS - 1)
#else
#define END_ROUND PTHREAD_DESTRUCTOR_ITERATIONS
#endif
/* from this number of trees on; a program with few threads is spared the system call, which a
 * filter might forbid */
#define LOOKS_FROM 32
#define LOOKS 16 /* so many threads are checked for having ended, each time that one begins */

/* The cursor of a thread without a buffer points behind this. It is never read as data. */
static struct cinstr_record dummy[2 + SLOW_RECORDS] = {
	[0] = { .second = CINSTR_SECOND_PLAIN },
	[1] = { .second = CINSTR_SECOND_PLAIN },
};

/* For a thread without a buffer. */
static void reset(struct probe_state *probe)
{
	probe->high = UINT32_MAX; /* no stamp has it: so each one takes the slow path */
	probe->end = &dummy[1] + SLOW_RECORDS;
	probe->cursor = &dummy[1];
}

/* Of a new thread's only the magic number is set. Its armed word is 0: its first event is slow. */
void thread_ready(struct probe_state *probe)
{
	if (!probe->cursor)
		reset(probe);
}

static unsigned end_key;
static int end_key_works;

/* Not while recording is off, nor when it has ended (a probe that is armed reads the clock, which
 * may be forbidden), and not before slow.c has looked at the stack. */
static int may_be_armed(const struct probe_state *probe)
{
	return !probe->skip && cinstr.state != RUNTIME_OFF && !tasks_are_active(&probe->control) &&
	       !(probe->thread && probe->thread->switches != atomic_load_acquire(&cinstr.switches_done));
}

/*
 * Returns what the thread's armed word has to be while no probe runs. While probes are skipped no
 * stamp fits either: see DISARM in thunk_template.S. control_open() puts `high` back.
 */
uint64_t thread_armed(struct probe_state *probe)
{
	thread_ready(probe);
	if (probe->skip && probe->high != UINT32_MAX) {
		probe->kept_high = probe->high;
		probe->high = UINT32_MAX;
	}
	if (probe->skip)
		counting_close(probe);
	return !may_be_armed(probe) ? 0 : cinstr.restartable ? cinstr.idle_descriptor : 1;
}

void thread_arm(struct probe_state *probe)
{
	uint64_t armed = thread_armed(probe);

	*(volatile uint64_t *)((char *)__builtin_thread_pointer() + cinstr.armed_offset) = armed;
}

/* No recording in this thread from here on. */
void thread_off(struct probe_state *probe)
{
	counting_close(probe);
	counter_off(probe);
	probe->phase = PROBE_OFF;
	probe->thread = NULL;
	reset(probe);
}

int thread_is_fresh(const struct probe_state *probe)
{
	return probe->magic == PROBE_MAGIC && !probe->cursor && !probe->thread && !probe->control.tid &&
	       probe->phase == PROBE_NEW;
}

/* ---- what the fold asks for ------------------------------------------------------------------ */

static struct thread *thread_of(struct fold *fold)
{
	return (struct thread *)((char *)fold - offsetof(struct thread, fold));
}

/* Few large segments cost few system calls; what remains of the last one is wasted. */
static uint32_t next_cells(uint64_t total)
{
	uint64_t bytes = total / 8 / CELLS_SEGMENT * CELLS_SEGMENT;
	uint64_t least = min_of(total, CELLS_SEGMENT);

	return (uint32_t)min_of(bytes < least ? least : bytes, CELLS_SEGMENT_MAX);
}

/* A killed process's reader sees the entries at the old place, or at the new one with the old
 * length. */
static int grow_journal(struct fold *fold, uint64_t bytes)
{
	struct cinstr_thread *record = fold->thread;
	char *old = fold->file + record->journal_offset;
	char *journal = store_segment(CINSTR_SEG_JOURNAL, bytes, record->index);

	if (!journal)
		return -1;
	arch_copy(journal, old, record->journal_bytes);
	store_segment_of(journal)->used = bytes;
	atomic_store_release(&record->journal_offset, store_offset(journal)); /* reader: undo */
	atomic_store_release(&record->journal_bytes, bytes);		      /* reader: undo */
	store_free(old);
	return 0;
}

static uint64_t twice_the_journal(const struct cinstr_thread *record)
{
	return (record->journal_bytes + sizeof(struct cinstr_segment)) * 2 - sizeof(struct cinstr_segment);
}

/* One event may end very many activations: more than reserve_journal() was asked for. */
static int more_journal(struct fold *fold)
{
	struct thread *thread = thread_of(fold);

	if (!thread->no_undo && !grow_journal(fold, twice_the_journal(fold->thread)))
		return 0;
	thread->no_undo = 1;
	return -1;
}

/* Blocks that a fold may change: two of each cell, and what is open. */
static uint64_t blocks_of(const struct thread *thread, uint64_t cells_bytes)
{
	return 2 * (cells_bytes / sizeof(struct cinstr_cell)) +
	       thread->record->stack_bytes / sizeof(struct cinstr_open);
}

/*
 * Makes room in the journal for so many blocks, or as many as a full buffer usually changes: a fold
 * that finds no room for its cells can be undone. -1: there is none, and recording has ended.
 */
static int reserve_journal(struct thread *thread, uint64_t blocks)
{
	uint64_t most = BUFFER_SEGMENT / sizeof(struct cinstr_record) * (cinstr.has_lines ? 3 : 2);
	uint64_t bytes = min_of(blocks, most) * sizeof(struct cinstr_undo), twice;

	if (likely(bytes <= thread->record->journal_bytes) || thread->no_undo)
		return 0;
	twice = twice_the_journal(thread->record);
	return grow_journal(&thread->fold, bytes < twice ? twice : bytes);
}

int thread_prepare_journal(struct thread *thread, size_t n)
{
	return reserve_journal(thread, min_of(n * (cinstr.has_lines ? 3 : 2),
					      blocks_of(thread, thread->cells_total)));
}

static int more_cells(struct fold *fold)
{
	struct thread *thread = thread_of(fold);
	uint32_t bytes = thread->cells_bytes - sizeof(struct cinstr_segment);
	char *cells = NULL;

	if (!thread->cells || /* not in a fold yet */
	    !reserve_journal(thread, blocks_of(thread, thread->cells_total + thread->cells_bytes)))
		cells = store_segment(CINSTR_SEG_CELLS, bytes, thread->record->index);
	if (!cells)
		return -1;
	if (thread->cells)
		store_segment_of(thread->cells)->used =
			store_segment_of(thread->cells)->bytes - sizeof(struct cinstr_segment);
	store_segment_of(cells)->previous = thread->cells ? store_offset(thread->cells) : 0;
	store_segment_of(cells)->used = bytes;
	thread->cells = cells;
	thread->cells_total += bytes + sizeof(struct cinstr_segment);
	thread->cells_bytes = next_cells(thread->cells_total);
	fold->cell_next = (uint32_t)(store_offset(cells) / sizeof(struct cinstr_cell));
	fold->cell_end = fold->cell_next + bytes / sizeof(struct cinstr_cell);
	return 0;
}

static int more_index(struct fold *fold)
{
	struct fold_index old = fold->index;
	uint32_t n = old.n_slots ? old.n_slots * 2 : INDEX_FIRST;
	uint32_t *slots = sys_memory(n * sizeof(*slots));

	if (sys_failed(slots)) {
		store_stop(CINSTR_STOP_NO_MEMORY, -12);
		return -1;
	}
	fold->index = (struct fold_index){ .slots = slots, .n_slots = n };
	for (uint32_t i = 0; i < old.n_slots; i++)
		if (old.slots[i])
			fold_index_add(fold, old.slots[i]);
	if (old.slots)
		sys_munmap(old.slots, old.n_slots * sizeof(*slots));
	return 0;
}

static int more_stack(struct fold *fold)
{
	struct cinstr_thread *record = fold->thread;
	uint64_t bytes =
		(record->stack_bytes + sizeof(struct cinstr_segment)) * 2 - sizeof(struct cinstr_segment);
	uint64_t old_bytes = record->stack_bytes;
	char *old = fold->file + record->stack_offset;
	char *stack = store_segment(CINSTR_SEG_STACK, bytes, record->index);

	if (!stack)
		return -1;
	arch_copy(stack, old, record->stack_bytes);
	store_segment_of(stack)->used = bytes;
	/*
	 * A killed process's reader sees the old stack with the old size, or the new one; and
	 * entries of the journal for either of them, which it takes for the one that counts as long
	 * as both are the thread's.
	 */
	atomic_store_release(&record->stack_offset, store_offset(stack));
	atomic_store_release(&record->stack_bytes, bytes); /* reader */
	fold_journal_moved(fold, store_offset(old), old_bytes);
	store_free(old);
	return 0;
}

/* ---- the buffer ------------------------------------------------------------------------------ */

void thread_start_buffer(struct thread *thread, uint64_t now)
{
	struct probe_state *probe = thread->probe;
	struct cinstr_record *r = thread->buffer;
	uint32_t high = (uint32_t)(now >> 32);

	/* Records of an earlier high half could look newer than they are. */
	if (high != thread->start_high)
		for (r = thread->buffer_end + SLOW_RECORDS; r > thread->buffer;)
			*--r = (struct cinstr_record){ 0 };
	thread->start_high = high;
	probe->high = high;
	call_sums_note(thread, thread->buffer, 1);
	*thread->buffer = (struct cinstr_record){ .code = CINSTR_SPECIAL(CINSTR_SP_START, 0),
						  .time_lo = (uint32_t)now,
						  .extra = (uint32_t)now,
						  .second = high | 1u << 31 };
	probe->cursor = thread->buffer + 1;
	thread->resuming = thread->resumed = NULL;
}

/*
 * The kernel writes dirty pages of the file back now and then; the next store to such a page is a
 * page fault that counts as block output of the thread. Better here, in the runtime's own time,
 * than in a probe.
 */
static void redirty(const struct thread *thread)
{
	volatile char *page = (volatile char *)thread->buffer;

	for (; page < (volatile char *)(thread->buffer_end + SLOW_RECORDS); page += CINSTR_PAGE)
		*page = *page;
	page = (volatile char *)(thread->buffer_end + SLOW_RECORDS) - 1;
	*page = *page;
}

/* Keeps the buffer in the timeline; returns the events folded so far if there was no room for it,
 * else UINT64_MAX. */
static uint64_t keep_timeline(struct thread *thread, size_t n)
{
	if (!cinstr.timeline_mode || timeline_keep(thread, n))
		return UINT64_MAX;
	return thread->record->states[thread->record->commit & 1].events;
}

/* Behind the fold; events: as keep_timeline said. */
static void count_lost(struct thread *thread, uint64_t events)
{
	const struct cinstr_thread *record = thread->record;

	if (events != UINT64_MAX)
		atomic_add(&thread->record->timeline_lost,
			   record->states[record->commit & 1].events - events);
}

/* The thread's CELLS segment before this one; NULL: it is the first. */
static void *cells_before(void *cells)
{
	uint64_t offset = store_segment_of(cells)->previous;

	return offset ? cinstr.store.file + offset : NULL;
}

static void unseal(struct thread *thread)
{
	for (void *cells = thread->cells; cells; cells = cells_before(cells))
		store_segment_of(cells)->sealed = 0;
	if (thread->record->stack_bytes)
		store_segment_of(cinstr.store.file + thread->record->stack_offset)->sealed = 0;
	thread->sealed = 0;
}

void thread_seal(struct thread *thread)
{
	char *stack = cinstr.store.file + thread->record->stack_offset;

	for (void *cells = thread->cells; cells; cells = cells_before(cells))
		store_seal(cells, store_segment_of(cells)->used);
	if (thread->record->stack_bytes)
		store_seal(stack, store_segment_of(stack)->used);
	thread->sealed = 1;
}

static void housekeeping(struct thread *thread, uint64_t now)
{
	os_check_sequences();
	if (thread->is_ending) {
		calibrate(CALIBRATE_ROUNDS_END);
	} else if (now - thread->calibrated_time > (thread->calibrate_every_ns * ticks_per_ns()) >> 20) {
		thread->calibrated_time = now;
		thread->calibrate_every_ns = min_of(2 * thread->calibrate_every_ns, CALIBRATE_EVERY_NS);
		calibrate(1);
		thread_name(thread->record); /* many programs name a thread after its first event */
	}
	if (now - thread->marked_time > (MARK_EVERY_NS * ticks_per_ns()) >> 20) {
		thread->marked_time = now;
		clock_mark(2);
	}
}

/* Folds what is in the buffer into the tree. The time it takes is the runtime's own. */
void thread_fold(struct thread *thread)
{
	struct probe_state *probe = thread->probe;
	size_t n = min_of((size_t)(probe->cursor - thread->buffer),
			  (size_t)(thread->buffer_end + SLOW_RECORDS - thread->buffer));
	const struct cinstr_record *cursor = probe->cursor;
	uint64_t events, preempted, last = slow_last_stamp(probe);
	uint64_t began = unlikely(cinstr.budget) ? budget_clock() : 0;

	thread_arm(probe);
	resume_settle(thread, 0);
	if (thread->sealed)
		unseal(thread);
	if (unlikely(thread_prepare_journal(thread, n))) {
		self_samples_close(thread);
		thread_off(probe);
		return;
	}
	events = keep_timeline(thread, n);
	thread->fold.switched = atomic_load_relaxed(&cinstr.switches) != 0;
	self_samples_take(thread);
	phases_see(&thread->fold);
	fold_run(&thread->fold, thread->buffer, n);
	if (cinstr.state != RUNTIME_ON) {
		/* This may be in the middle of a fold that found no room: the reader, which has
		 * room, undoes it and folds again. */
		if (thread->no_undo)
			fold_commit(&thread->fold);
		self_samples_close(thread);
		thread_off(probe);
		return;
	}
	call_sums_fold(thread, n);
	fold_commit(&thread->fold);
	waits_add_up(thread);
	tasks_check(probe, cursor);
	/* A task that is still not known of may go on while calibrate() has moved `end`. */
	probe->cursor = thread->buffer + 1;
	count_lost(thread, events);
	housekeeping(thread, clock_now());
	marks_refill();
	hold_still();
	redirty(thread);
	if (unlikely(cinstr.budget))
		budget_fold(thread, n, began);
	preempted = os_ask_own(thread, last);
	thread_start_buffer(thread, clock_now() - preempted);
}

void thread_fold_to(struct thread *thread, uint64_t now)
{
	slow_end_last(thread, (uint64_t)__builtin_frame_address(0), now);
	if (thread->probe->thread)
		thread_fold(thread);
}

/* ---- end ------------------------------------------------------------------------------------- */

static void give_back(struct thread *thread)
{
	struct cinstr_thread *record = thread->record;
	int shared = atomic_load_relaxed(&cinstr.n_trees) >= TREES_MAX;
	uint64_t old;

	if (!shared) {
		timeline_end(thread);
		store_free(thread->buffer);
		store_free(cinstr.store.file + record->journal_offset);
		if (!record->states[record->commit & 1].depth) {
			store_free(cinstr.store.file + record->stack_offset);
			record->stack_bytes = 0;
		}
		record->buffer_bytes = 0;
		record->journal_bytes = 0;
		thread->record = NULL;
		thread->in_use = 0;
	}
	old = store_lock();
	thread->next = cinstr.free_threads;
	atomic_store_relaxed(&cinstr.free_threads, thread);
	store_unlock(old);
}

static void close_record(struct thread *thread)
{
	/* pthread_exit(), cancellation: what is open now is over (R15) */
	fold_close(&thread->fold);
	fold_commit(&thread->fold);
	call_sums_close(thread);
	self_samples_close(thread);
	thread->record->state = CINSTR_THREAD_ENDED;
	thread_seal(thread);
	give_back(thread);
}

/* ---- birth ----------------------------------------------------------------------------------- */

/* Under the lock. Did the thread end without a destructor's call? The kernel knows. */
static struct thread *find_dead(void)
{
	struct thread *thread = cinstr.look_next;

	for (int i = 0; i < LOOKS && cinstr.threads; i++) {
		if (!thread)
			thread = cinstr.threads;
		if (thread->running && SYS3(SYS_tgkill, cinstr.pid, thread->record->tid, 0) == -ESRCH) {
			thread->running = 0;
			cinstr.look_next = thread->next_made;
			return thread;
		}
		thread = thread->next_made;
	}
	cinstr.look_next = thread;
	return NULL;
}

/*
 * A thread whose end nobody told, because its first event came in its last destructors: its record
 * is completed by another one. Its probe_state is gone with it; where its records end is found as a
 * reader finds it.
 */
static void reap(void)
{
	uint64_t old = store_lock();
	struct thread *thread = find_dead();
	uint64_t events;
	size_t n;

	store_unlock(old);
	if (!thread)
		return;
	thread->fold.stop_backward = 1;
	thread->fold.switched = atomic_load_relaxed(&cinstr.switches) != 0;
	self_samples_take(thread);
	phases_see(&thread->fold);
	n = (size_t)(thread->buffer_end + SLOW_RECORDS - thread->buffer);
	if (thread_prepare_journal(thread, n))
		return;
	n = fold_run(&thread->fold, thread->buffer, n);
	if (cinstr.state != RUNTIME_ON) {
		if (thread->no_undo) /* as in thread_fold */
			fold_commit(&thread->fold);
		return;
	}
	events = n ? keep_timeline(thread, n) : UINT64_MAX;
	call_sums_fold(thread, n);
	fold_commit(&thread->fold);
	count_lost(thread, events);
	thread->fold.stop_backward = 0;
	if (thread->slow_stack)
		sys_munmap(thread->slow_stack - SLOW_STACK, SLOW_STACK);
	close_record(thread);
}

static struct thread *new_thread(void)
{
	struct thread *thread = sys_memory(sizeof(*thread));
	uint64_t old;

	if (sys_failed(thread))
		return NULL;
	old = store_lock();
	thread->next_made = cinstr.threads;
	atomic_store_release(&cinstr.threads, thread); /* thread_others_at_exit */
	store_unlock(old);
	return thread;
}

static struct thread *take_thread(void)
{
	struct thread *thread;
	uint64_t old;

	/* only a look: to take one, the lock is needed */
	if (!atomic_load_relaxed(&cinstr.free_threads) && atomic_load_relaxed(&cinstr.n_trees) >= LOOKS_FROM)
		reap();
	old = store_lock();
	thread = cinstr.free_threads;
	if (thread && !(thread->record && cinstr.n_trees < TREES_MAX))
		atomic_store_relaxed(&cinstr.free_threads, thread->next);
	else
		thread = NULL;
	store_unlock(old);
	return thread ? thread : new_thread();
}

static int make_record(struct thread *thread)
{
	struct cinstr_thread *record;
	uint32_t index = atomic_add(&cinstr.n_threads, 1);
	uint64_t journal_bytes = JOURNAL_SEGMENT - sizeof(struct cinstr_segment);
	uint64_t buffer_bytes = BUFFER_SEGMENT - sizeof(struct cinstr_segment);
	uint64_t sums_bytes = cinstr.sums || cinstr.counter ? CINSTR_CALL_SUMS_AT : 0;
	uint64_t scratch_bytes = CALIBRATION_RECORDS * sizeof(struct cinstr_record) + sums_bytes;
	char *buffer, *stack, *journal;

	record = store_segment(CINSTR_SEG_THREAD, sizeof(*record), index);
	buffer = record ? store_segment(CINSTR_SEG_BUFFER, buffer_bytes + scratch_bytes, index) : NULL;
	stack = buffer ? store_segment(CINSTR_SEG_STACK, STACK_SEGMENT - 64, index) : NULL;
	journal = stack ? store_segment(CINSTR_SEG_JOURNAL, journal_bytes, index) : NULL;
	if (!journal)
		return -1;
	record->index = index;
	record->members = 1;
	record->buffer_offset = store_offset(buffer);
	record->buffer_bytes = buffer_bytes;
	record->stack_offset = store_offset(stack);
	record->stack_bytes = STACK_SEGMENT - 64;
	record->journal_offset = store_offset(journal);
	record->journal_bytes = journal_bytes;
	record->commit = 1;
	store_segment_of(record)->used = sizeof(*record);
	store_segment_of(buffer)->used = record->buffer_bytes;
	store_segment_of(stack)->used = record->stack_bytes;
	store_segment_of(journal)->used = record->journal_bytes;
	thread->record = record;
	for (uint32_t block = 0; block < CINSTR_COUNTER_BLOCKS; block++)
		thread->counts[block] = NULL;
	thread->buffer = (struct cinstr_record *)(void *)buffer;
	thread->buffer_end =
		thread->buffer + record->buffer_bytes / sizeof(struct cinstr_record) - SLOW_RECORDS;
	thread->cells_bytes = CELLS_FIRST;
	thread->cells_total = 0;
	thread->cells = NULL;
	timeline_begin(thread, 1);
	return 0;
}

/* The main thread's stack ends behind what the kernel put there, others' at the thread pointer. */
static void note_own_stack(struct thread *thread)
{
	if (cinstr.main_stack && (long)SYS0(SYS_gettid) == cinstr.pid)
		fold_own_stack(&thread->fold, cinstr.main_stack, OWN_STACK_MAIN);
	else
		fold_own_stack(&thread->fold, (uint64_t)__builtin_thread_pointer(), OWN_STACK_THREAD);
}

static int make_fold(struct thread *thread, uint64_t now)
{
	uint32_t *slots = thread->fold.index.slots;

	if (slots)
		sys_munmap(slots, thread->fold.index.n_slots * sizeof(*slots));
	thread->fold = (struct fold){
		.file = cinstr.store.file,
		.thread = thread->record,
		.sites = &cinstr.sites,
		.max_cells = (uint32_t)min_of(cinstr.max_paths, 1u << 30),
		.max_cells_open = (uint32_t)min_of(cinstr.max_paths, 1u << 29) * 2 + OPEN_EXTRA,
		.hot_from = cinstr.chooses_paths ? fold_paths_early(thread->record->index) : 0,
		.more_cells = more_cells,
		.more_index = more_index,
		.more_stack = more_stack,
		.more_journal = more_journal,
	};
	held_tell(&thread->fold);
	long_intervals_begin(thread);
	waits_begin(thread);
	stretches_begin(thread);
	self_samples_begin(thread);
	if (more_index(&thread->fold) || fold_begin(&thread->fold, now))
		return -1;
	note_own_stack(thread);
	call_sums_begin(thread);
	return 0;
}

/* Continues the tree of an ended thread; the time in between is counted apart. */
static void carry_on(struct thread *thread, uint64_t now)
{
	if (thread->sealed)
		unseal(thread);
	thread->record->members++;
	note_own_stack(thread);
	fold_carry_on(&thread->fold, now);
	call_sums_carry_on(thread);
	timeline_begin(thread, 0);
}

static void set_end_key(void *thread)
{
	libc_thread_set(end_key, thread);
}

static void begin_probe(struct thread *thread, struct probe_state *probe, uint64_t now)
{
	race_tools_ignore(probe, sizeof(*probe));
	thread->probe = probe;
	thread->armed = (volatile uint64_t *)((char *)__builtin_thread_pointer() + cinstr.armed_offset);
	thread->record->tid = (uint32_t)SYS0(SYS_gettid);
	thread->record->pointer = arch_thread_pointer();
	thread->record->named = 0;
	thread->record->stopped = probe->control.stopped;
	thread->record->suspensions = probe->control.waiting_suspensions;
	thread->rounds = thread->n_levels = 0;
	tags_clear(thread);
	thread->switches = atomic_load_acquire(&cinstr.switches_done);
	thread->depth = atomic_load_relaxed(&rules_depth);
	probe->control.deep = 0;
	thread->marked_time = now;
	/* else it goes on: many short-lived threads need no more room than one */
	if (!thread->calibrate_every_ns) {
		thread->calibrated_time = now;
		thread->calibrate_every_ns = CALIBRATE_FIRST_NS;
	}
	thread->is_ending = 0;
	thread->start_high = ~(uint32_t)(now >> 32);
	thread_name(thread->record);
	redirty(thread);
	self_samples_open(thread);
	counter_open(thread);
	os_begin(thread, now); /* after what waits in the kernel for the recording's sake */
	budget_begin_thread(thread);
	thread_start_buffer(thread, now);
	/* A reader of a killed process leaves out a thread without a state: it is being made. */
	atomic_store_release(&thread->record->state, CINSTR_THREAD_LIVE); /* reader */
	probe->end = thread->buffer_end;
	probe->threshold = cinstr.threshold << 32;
	probe->thread = thread;
	probe->phase = PROBE_ON;
	thread->slow_stack = probe->slow_stack;
}

static void list_thread(struct thread *thread)
{
	uint64_t old = store_lock();

	if (!thread->in_use) {
		thread->in_use = 1;
		atomic_add(&cinstr.n_trees, 1);
		cinstr.header->threads++;
	}
	thread->running = 1; /* from here on find_dead looks at it */
	store_unlock(old);
}

/* Under the lock: find_dead reads the record of a thread that runs. */
static void unlist_thread(struct thread *thread)
{
	uint64_t old = store_lock();

	thread->running = 0;
	store_unlock(old);
}

/* First event of a thread. 0, or -1: it cannot be recorded (probe is off then). */
int thread_begin(struct probe_state *probe, uint64_t now)
{
	struct thread *thread = take_thread();

	if (thread && thread->record) {
		carry_on(thread, now);
	} else if (!thread || make_record(thread) || make_fold(thread, now)) {
		atomic_add(&cinstr.header->lost_threads, 1);
		thread_off(probe);
		return -1;
	}
	begin_probe(thread, probe, now);
	list_thread(thread);
	if (end_key_works && cinstr.state == RUNTIME_ON)
		cinstr_call_preserving(set_end_key, thread);
	return 0;
}

void thread_end(struct thread *thread)
{
	struct probe_state *probe = thread->probe;
	uint64_t old;

	if (!runtime_enter())
		return;
	old = sys_block_signals();
	slow_call_begin(probe);
	thread_fold_to(thread, clock_now());
	if (probe->thread) {
		os_ask_own(thread, UINT64_MAX);
		thread_name(thread->record);
		waits_end_thread(thread->record->tid);
		unlist_thread(thread);
		thread_off(probe);
		close_record(thread);
		/* for what may still come, in the destructors behind this one */
		probe->phase = PROBE_NEW;
	}
	if (probe->slow_stack)
		sys_munmap(probe->slow_stack - SLOW_STACK, SLOW_STACK);
	probe->slow_stack = NULL;
	tasks_end(probe);
	slow_call_close(probe, probe->gate);
	slow_call_end(probe);
	sys_restore_signals(old);
	runtime_leave();
}

/*
 * The key's destructor: runs when the thread ends, perhaps before other destructors that run
 * probes; so it asks to be called again until the last round.
 */
static void on_thread_end(void *data)
{
	struct thread *thread = data;

	if (thread->probe != &cinstr_probe || cinstr_probe.thread != thread)
		return;
	if (++thread->rounds < END_ROUND) {
		libc_thread_set(end_key, thread);
		return;
	}
	thread_end(thread);
}

/* exit(): the calling thread's data are made as complete as they can be. It may still run
 * destructors. */
void thread_exit_process(void)
{
	uint64_t old = sys_block_signals();
	int is_other = tasks_is_other(); /* the thread may be at work */
	struct thread *thread = is_other ? NULL : cinstr_probe.thread;

	if (!is_other)
		slow_call_begin(&cinstr_probe);
	if (thread) {
		thread->is_ending = 1;
		thread_fold_to(thread, clock_now());
		thread->is_ending = 0; /* destructors may go on */
		if (cinstr_probe.thread) {
			os_ask_own(thread, UINT64_MAX);
			thread_name(thread->record);
			thread_seal(thread);
		}
	}
	thread_others_at_exit();
	self_samples_at_exit();
	if (!is_other) {
		slow_call_end(&cinstr_probe);
		thread_arm(&cinstr_probe);
	}
	sys_restore_signals(old);
}

void thread_init(void)
{
	end_key_works = !libc_thread_key(&end_key, on_thread_end);
}
