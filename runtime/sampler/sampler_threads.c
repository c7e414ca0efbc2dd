/* SPDX-License-Identifier: MIT */
/*
 * sampler_threads.c - a timer of its own processor time for each thread, from its begin to its end.
 * Threads are detected by replacing pthread_create and thrd_create, which call libc's at once while
 * nothing is sampled. Threads that libc makes for itself (timer_create's and getaddrinfo_a's
 * helpers) and threads made by clone() have no timer.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "cinstr/atomics.h"
#include "sampler.h"

/* glibc keeps these in the thread itself: setting one allocates nothing */
#define FIRST_LEVEL_KEYS 32
#define TIMERS_MAX 16384
#define SEEDS_MAX 256
#define ABOVE 1024 /* of the outermost frame: libc's own, that called it */
#define NO_PLACE UINT32_MAX
#define NOT_AT_ONCE_NS 30000

__thread struct sampler_thread sampler_self;

/* ---- timers ---------------------------------------------------------------------------------- */

static uint32_t timers[TIMERS_MAX]; /* numbers + 1 of the process's timers; 0: free */
static uint32_t timers_hint;
static pthread_key_t end_key;
static int end_key_works;

static uint32_t note_timer(int timer)
{
	uint32_t at = atomic_add(&timers_hint, 1);

	for (uint32_t i = 0; i < TIMERS_MAX; i++) {
		uint32_t place = (at + i) % TIMERS_MAX, none = 0;

		if (atomic_compare_swap(&timers[place], &none, (uint32_t)timer + 1))
			return place;
	}
	return NO_PLACE;
}

static void arm(uint64_t expiry_ns)
{
	struct itimerspec when = { .it_value = { (time_t)(expiry_ns / 1000000000),
						 (long)(expiry_ns % 1000000000) } };

	SYS4(SYS_timer_settime, sampler_self.timer, TIMER_ABSTIME, &when, NULL);
}

/*
 * The kernel notices an expiry at a tick that finds the thread running. Where threads take turns
 * that may be intervals later: the sample stands for all of them, or such threads would seem to use
 * less. Not if it was held back for long: signals were blocked.
 */
uint32_t thread_intervals(uint64_t cpu_ns)
{
	uint64_t late = cpu_ns > sampler_self.next_ns ? cpu_ns - sampler_self.next_ns : 0;
	uint64_t n = late / sampler.interval_ns + 1;

	sampler_self.next_ns += n * sampler.interval_ns;
	return n > SAMPLER_INTERVALS_MAX ? 1 : (uint32_t)n;
}

/* Unless it was deleted since. */
void thread_rearm(void)
{
	if (atomic_load_relaxed(&timers[sampler_self.place]) == (uint32_t)sampler_self.timer + 1)
		arm(sampler_self.next_ns);
}

/* Who takes it from its place deletes the timer; there may be another one by now. */
void thread_delete_timer(void)
{
	uint32_t own = (uint32_t)sampler_self.timer + 1;

	if (sampler_self.tid && atomic_compare_swap(&timers[sampler_self.place], &own, 0))
		SYS1(SYS_timer_delete, sampler_self.timer);
}

void thread_quiet(void)
{
	thread_delete_timer();
	sampler_self.tid = 0;
}

/*
 * The first expiry lies anywhere within an interval, less what the kernel takes to notice it: else
 * threads that live for less than an interval would never be seen. Not at once: the kernel does not
 * wait for its tick then, and each thread would be seen here.
 */
static uint64_t first_expiry(uint64_t cpu_ns)
{
	uint64_t span = sampler.interval_ns > sampler.tick_ns ? sampler.interval_ns - sampler.tick_ns : 0;

	return cpu_ns + NOT_AT_ONCE_NS + (span ? cpu_ns * 0x9e3779b97f4a7c15u % span : 0);
}

/* Makes this thread's timer. Signals blocked. */
static void begin_timer(void)
{
	uint32_t tid = (uint32_t)SYS0(SYS_gettid);
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = SAMPLER_SIGNAL,
				  .sigev_value = { .sival_ptr = &sampler } };

	event._sigev_un._tid = (int)tid;
	if (!signal_is_handled()) { /* set by a system call */
		threads_silence("the program uses SIGURG itself");
		return;
	}
	if (SYS3(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &sampler_self.timer))
		return;
	sampler_self.place = note_timer(sampler_self.timer);
	if (sampler_self.place == NO_PLACE) {
		SYS1(SYS_timer_delete, sampler_self.timer);
		return;
	}
	sampler_self.next_ns = first_expiry(sys_clock_ns(CLOCK_THREAD_CPUTIME_ID));
	sampler_self.tid = tid;
	arm(sampler_self.next_ns);
}

/* ---- begin and end of a thread --------------------------------------------------------------- */

static void tell(enum sampler_record_type type, uint32_t parent_pid, uint32_t parent_tid)
{
	char name[17] = "";
	uint32_t n = 0;

	SYS2(SYS_prctl, 16, name); /* PR_GET_NAME */
	while (name[n])
		n++;
	slot_tell(type, parent_pid, parent_tid, name, n);
}

/* A destructor of the thread's data: what comes behind it is not sampled. */
static void on_end(void *data)
{
	(void)data;
	if (!threads_are_sampled() || !sampler_self.tid)
		return;
	thread_quiet();
	tell(SAMPLER_THREAD_END, 0, 0);
}

static void begin(uint64_t top, uint32_t parent_tid)
{
	uint64_t old = sys_block_signals();

	sampler_self.top = top;
	if (parent_tid)
		tell(SAMPLER_THREAD, sampler.pid, parent_tid);
	begin_timer();
	sys_restore_signals(old);
	if (sampler_self.tid && end_key_works)
		pthread_setspecific(end_key, &sampler_self);
}

extern void *__libc_stack_end __attribute__((weak));

void threads_begin_main(void)
{
	end_key_works = !pthread_key_create(&end_key, on_end) && end_key < FIRST_LEVEL_KEYS;
	sampler_self.is_main = &__libc_stack_end != NULL;
	begin(sampler_self.is_main ? (uint64_t)__libc_stack_end : (uint64_t)__builtin_frame_address(0), 0);
}

/* The thread that forked goes on in a child, if it was sampled. */
void threads_forked(void)
{
	uint32_t parent_pid = sampler.pid, parent_tid = sampler_self.tid;
	uint64_t old;

	arch_zero(timers, sizeof(timers)); /* they were not inherited */
	sampler.pid = (uint32_t)SYS0(SYS_getpid);
	sampler_self.tid = 0;
	sampler_self.lost = 0;
	if (!parent_tid || sampler.is_silent)
		return;
	old = sys_block_signals();
	tell(SAMPLER_FORKED, parent_pid, parent_tid);
	begin_timer();
	sys_restore_signals(old);
}

int threads_are_sampled(void)
{
	return sampler.ring && !sampler.is_silent && sampler.pid == (uint32_t)SYS0(SYS_getpid) &&
	       atomic_load_relaxed(&sampler.ring->state) == SAMPLER_OPEN;
}

void threads_silence(const char *why)
{
	uint32_t n = 0;

	if (atomic_swap(&sampler.is_silent, 1))
		return;
	while (why[n])
		n++;
	for (uint32_t i = 0; i < TIMERS_MAX; i++) {
		uint32_t timer = atomic_swap(&timers[i], 0);

		if (timer)
			SYS1(SYS_timer_delete, timer - 1);
	}
	slot_tell(SAMPLER_SILENT, 0, 0, why, n);
}

/* ---- new threads ----------------------------------------------------------------------------- */

/* What a new thread is to do, from the one that makes it. */
struct seed {
	void *(*start)(void *);
	int (*start_c11)(void *);
	void *argument;
	uint32_t parent_tid;
	uint32_t used;
};
static struct seed seeds[SEEDS_MAX];

static struct seed *take_seed(void)
{
	static uint32_t hint;
	uint32_t at = atomic_add(&hint, 1);

	for (uint32_t i = 0; i < SEEDS_MAX; i++) {
		struct seed *seed = &seeds[(at + i) % SEEDS_MAX];

		if (!atomic_swap(&seed->used, 1))
			return seed;
	}
	return NULL;
}

static void give_back(struct seed *seed)
{
	atomic_store_release(&seed->used, 0); /* the swap above */
}

static struct seed *make_seed(void)
{
	struct seed *seed = threads_are_sampled() ? take_seed() : NULL;

	if (seed)
		seed->parent_tid = (uint32_t)SYS0(SYS_gettid);
	return seed;
}

/* The outermost frames are libc's, above this one; beyond them is the thread's own data. */
static uint64_t top_of_stack(const char *frame)
{
	const char *self = __builtin_thread_pointer();

	return (uint64_t)(self > frame && self < frame + ABOVE ? self : frame + ABOVE);
}

/* Its frame is gone when the thread's function runs: a call in the place of the return. */
static void *start_thread(void *data)
{
	struct seed seed = *(struct seed *)data;

	give_back(data);
	begin(top_of_stack(__builtin_frame_address(0)), seed.parent_tid);
	return seed.start(seed.argument);
}

static int start_thread_c11(void *data)
{
	struct seed seed = *(struct seed *)data;

	give_back(data);
	begin(top_of_stack(__builtin_frame_address(0)), seed.parent_tid);
	return seed.start_c11(seed.argument);
}

typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int (*create_c11_function)(thrd_t *, thrd_start_t, void *);

void *next_of(const char *name, void **found)
{
	void *next = atomic_load_relaxed(found);

	if (next)
		return next;
	next = dlsym(RTLD_NEXT, name);
	atomic_store_relaxed(found, next);
	return next;
}

SAMPLER_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
				  void *argument)
{
	static void *found;
	create_function next = (create_function)next_of("pthread_create", &found);
	struct seed *seed;
	int error;

	if (!next)
		return EAGAIN;
	seed = make_seed();
	if (!seed)
		return next(thread, attributes, start, argument);
	seed->start = start;
	seed->argument = argument;
	error = next(thread, attributes, start_thread, seed);
	if (error)
		give_back(seed);
	return error;
}

SAMPLER_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	static void *found;
	create_c11_function next = (create_c11_function)next_of("thrd_create", &found);
	struct seed *seed;
	int error;

	if (!next)
		return thrd_error;
	seed = make_seed();
	if (!seed)
		return next(thread, start, argument);
	seed->start_c11 = start;
	seed->argument = argument;
	error = next(thread, start_thread_c11, seed);
	if (error != thrd_success)
		give_back(seed);
	return error;
}
