/* SPDX-License-Identifier: MIT */
/*
 * sampled.c - a process with the runtime that is being sampled (CINSTR_METHOD=sampling): no probes,
 * no events; a collector outside takes the samples. The program's requests through cinstr.h go into
 * a small file of its own, the companion (CINSTR_SAMPLING_COMPANION), made at the first such call:
 * marks, names, and switching off and on, with stamps, so that the collector leaves out samples
 * taken while it was off.
 *
 * Any thread, and signal handlers; one at a time, signals blocked. Neither in a vfork child.
 */
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>

#include "cinstr.h"
#include "runtime.h"

#define THREADS_MAX 1024
#define TASKS 64	 /* room for so many names of threads in a segment */
#define WORDY_MARKS 1000 /* after so many marks, further ones are kept without their text */
#define WORK_STACK (64u << 10)

static struct {
	uint32_t lock;
	int made;			      /* 1, or -errno: there is none */
	uint64_t begin_ns, begin_realtime_ns; /* of the program */
	struct sampled_thread threads[THREADS_MAX];
	struct cinstr_task *tasks; /* the segment that takes more */
	uint32_t n_tasks, n_marks;
	uint64_t fork_mask;
} self;

/* ---- one at a time --------------------------------------------------------------------------- */

static void lock(void)
{
	while (atomic_swap(&self.lock, 1)) /* pairs with unlock */
		SYS0(SYS_sched_yield);
}

static void unlock(void)
{
	atomic_store_release(&self.lock, 0); /* lock */
}

/* ---- threads --------------------------------------------------------------------------------- */

static struct sampled_thread *find_thread(uint32_t tid)
{
	for (uint32_t i = 0; i < THREADS_MAX && self.threads[i].tid; i++)
		if (self.threads[i].tid == tid)
			return &self.threads[i];
	return NULL;
}

/* The record of a thread that has ended, to be used again, when there is no free one. */
static struct sampled_thread *place_for(uint32_t tid)
{
	for (uint32_t i = 0; i < THREADS_MAX; i++)
		if (!self.threads[i].tid || SYS3(SYS_tgkill, cinstr.pid, self.threads[i].tid, 0) == -ESRCH) {
			self.threads[i] = (struct sampled_thread){ .tid = tid };
			return &self.threads[i];
		}
	return NULL;
}

struct sampled_thread *sampled_thread(uint32_t tid)
{
	struct sampled_thread *thread;

	if (tid == CINSTR_SELF)
		tid = (uint32_t)SYS0(SYS_gettid);
	if (SYS3(SYS_tgkill, cinstr.pid, tid, 0))
		return NULL;
	thread = find_thread(tid);
	return thread ? thread : place_for(tid);
}

struct cinstr_task *sampled_task(struct sampled_thread *thread, uint64_t now)
{
	if (thread->task)
		return thread->task;
	if (!self.tasks || self.n_tasks == TASKS) {
		self.tasks = store_segment(CINSTR_SEG_TASKS, TASKS * sizeof(*self.tasks), 0);
		self.n_tasks = 0;
	}
	if (!self.tasks)
		return NULL;
	thread->task = &self.tasks[self.n_tasks++];
	thread->task->tid = thread->tid;
	thread->task->begin_ticks = now;
	store_segment_of(self.tasks)->used = self.n_tasks * sizeof(*self.tasks);
	return thread->task;
}

/* ---- levels ---------------------------------------------------------------------------------- */

static int is_block_on(const struct cinstr_control_block *block)
{
	return !atomic_load_relaxed(&block->stopped) && atomic_load_relaxed(&block->suspensions) <= 0;
}

static int is_thread_on(const struct sampled_thread *thread)
{
	return !thread || (!thread->stopped && thread->suspensions <= 0);
}

int sampled_is_on(void)
{
	return is_block_on(control_block()) && is_block_on(session_block()) &&
	       is_thread_on(find_thread((uint32_t)SYS0(SYS_gettid)));
}

static int is_level_on(int level, uint32_t tid)
{
	switch (level) {
	case CINSTR_SESSION:
		return is_block_on(session_block());
	case CINSTR_PROCESS:
		return is_block_on(control_block());
	default:
		return is_thread_on(find_thread(tid));
	}
}

/* Behind the change: whoever finds the mark finds the new state. */
void sampled_changed(int level, uint32_t tid, uint64_t now)
{
	static const char *const texts[][2] = { { "session goes off", "session goes on" },
						{ "process goes off", "process goes on" },
						{ "thread goes off", "thread goes on" } };
	int is_on = is_level_on(level, tid), wordy = self.n_marks < WORDY_MARKS;

	self.n_marks++;
	mark_add_for(tid, CINSTR_MARK_STATE, now, level | (is_on ? 0 : CINSTR_STATE_OFF),
		     wordy ? texts[level - 1][is_on] : "");
}

/* ---- the file -------------------------------------------------------------------------------- */

static void make(void *forked)
{
	int error = process_make_companion(self.begin_ns, self.begin_realtime_ns, forked != NULL);

	self.made = error ? error : 1;
	if (error) {
		cinstr_say("no marks: no data file can be made in", option_value(CINSTR_OPTION_SESSION),
			   -error);
		return;
	}
	sampled_changed(CINSTR_PROCESS, 0, self.begin_ns);
}

static void make_apart(void *forked)
{
	call_apart(make, forked);
}

/* On a stack of our own: the program's may be that of a handler, with a few kilobytes. */
static void make_on_stack(void *forked)
{
	char *stack = sys_memory(WORK_STACK);

	if (sys_failed(stack)) {
		self.made = -ENOMEM;
		return;
	}
	cinstr_call_on_stack(make_apart, forked, stack + WORK_STACK);
	sys_munmap(stack, WORK_STACK);
}

/* The calling thread goes on in a forked child as it was; the others are not there. */
static void keep_own_thread(uint32_t tid_before)
{
	struct sampled_thread *thread = find_thread(tid_before), own = { .tid = 0 };

	if (thread)
		own = *thread;
	arch_zero(self.threads, sizeof(self.threads));
	if (!own.stopped && !own.suspensions)
		return;
	own.tid = (uint32_t)SYS0(SYS_gettid);
	own.task = NULL;
	self.threads[0] = own;
	if (self.made == 1)
		sampled_changed(CINSTR_THREAD, own.tid, self.begin_ns);
}

/* In a forked child: a file of its own, if its parent had one; its state is the parent's. */
static void forked(uint32_t tid_before)
{
	struct place old = cinstr.store.place;
	const char *parent = self.made == 1 ? cinstr.store.file : NULL;
	struct cinstr_control_block before;

	*cinstr.alive = 1;
	cinstr.n_inside = 1;
	cinstr.store.lock = 0;
	cinstr.pid = SYS0(SYS_getpid);
	cinstr.marks = NULL;
	cinstr.n_marks_segments = 0;
	clock_forked();
	self.tasks = NULL;
	self.begin_ns = clock_now();
	self.begin_realtime_ns = sys_clock_ns(CLOCK_REALTIME);
	if (!parent) {
		keep_own_thread(tid_before);
		return;
	}
	before = *(const struct cinstr_control_block *)(const void *)(parent + CINSTR_CONTROL_OFFSET);
	self.made = 0;
	levels_drop_process();
	control_block()->stopped = before.stopped;
	make_on_stack(&self);
	if (self.made == 1) {
		control_block()->stopped = before.stopped;
		control_block()->suspensions = before.suspensions;
		sampled_changed(CINSTR_PROCESS, 0, self.begin_ns);
	}
	keep_own_thread(tid_before);
	place_drop(&old);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static uint32_t own_tid; /* of the thread that forks */

int sampled_call(void (*work)(void *), void *data)
{
	struct probe_state *probe = &cinstr_probe;
	uint64_t old;
	int result;

	if (probe->busy || !runtime_enter())
		return -EBUSY;
	old = sys_block_signals();
	probe->busy = 1;
	if (*cinstr.alive && SYS0(SYS_getpid) != cinstr.pid) { /* a vfork child */
		result = -1;
		goto out;
	}
	if (!*cinstr.alive) { /* the fork was a bare system call: no fork handler ran */
		self.lock = 0;
		forked(0);
	}
	lock();
	if (!self.made)
		make_on_stack(NULL);
	result = self.made == 1 ? 0 : self.made;
	if (!result)
		work(data);
	unlock();
out:
	probe->busy = 0;
	sys_restore_signals(old);
	runtime_leave();
	return result;
}

/* ---- begin, fork, end ------------------------------------------------------------------------ */

static void before_fork(void)
{
	uint64_t old = sys_block_signals();

	lock();
	self.fork_mask = old;
	own_tid = (uint32_t)SYS0(SYS_gettid);
}

static void after_fork_parent(void)
{
	uint64_t old = self.fork_mask;

	unlock();
	sys_restore_signals(old);
}

static void after_fork_child(void)
{
	uint64_t old = self.fork_mask;

	cinstr_probe.busy = 1;
	forked(own_tid);
	cinstr.n_inside = 0;
	cinstr_probe.busy = 0;
	unlock();
	sys_restore_signals(old);
}

static void on_process_exit(void *data, int status)
{
	(void)data;
	if (self.made != 1 || !*cinstr.alive || SYS0(SYS_getpid) != cinstr.pid || !runtime_enter())
		return;
	cinstr.header->end_status = libc_tells_status() ? status & 0xff : -1;
	cinstr.header->end_realtime_ns = sys_clock_ns(CLOCK_REALTIME);
	cinstr.header->end = CINSTR_END_EXIT;
	clock_mark(2);
	store_trim();
	runtime_leave();
}

static int offer(struct dl_phdr_info *info, size_t size, void *data)
{
	struct image image = image_of_loaded(info);

	(void)size;
	(void)data;
	api_offer(&image);
	return 0;
}

void sampled_offer(void)
{
	libc_each_object(offer, NULL);
}

void sampled_begin(void)
{
	cinstr.clock = CINSTR_CLOCK_MONOTONIC_RAW; /* as the samples' stamps */
	cinstr.ticks_per_ns = 1 << 20;
	cinstr.armed_offset = (char *)&cinstr_probe.armed - (char *)__builtin_thread_pointer();
	cinstr.alive = sys_memory(CINSTR_PAGE);
	if (sys_failed(cinstr.alive))
		return;
	*cinstr.alive = 1;
	SYS3(SYS_madvise, cinstr.alive, CINSTR_PAGE, 18); /* MADV_WIPEONFORK */
	cinstr.pid = SYS0(SYS_getpid);
	self.begin_ns = clock_now();
	self.begin_realtime_ns = sys_clock_ns(CLOCK_REALTIME);
	libc_at_exit(on_process_exit);
	libc_at_fork(before_fork, after_fork_parent, after_fork_child);
	cinstr.state = RUNTIME_SAMPLED;
}
