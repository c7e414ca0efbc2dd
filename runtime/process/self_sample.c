/* SPDX-License-Identifier: MIT */
/*
 * self_sample.c - a mixed recording without a collector: each thread is sampled by an event of its
 * own, where the kernel lets it. The event's ring is mapped and its descriptor closed at once, in a
 * table that is not the program's (apart.c): the mapping keeps the event alive. No signals, no
 * stacks. The kernel does not give the ring to a forked child.
 *
 * Called at a thread's begin, before its folds and at its end, in slow path context; for a dead
 * thread, and at exit for all, by other threads (`busy`). Code in another process (a forked child
 * that has not noticed yet, a vfork child) must not touch the ring, which may not be mapped there.
 */
#include <errno.h>
#include <linux/perf_event.h>

#include "runtime.h"

#define PERIOD_NS 1000000u
#define RING_PAGES_MAX 64u /* 256 KB: 10 s of samples */
#define FULL_BYTES 64u	   /* the kernel may need these for one more record */
#define LONG_NS 1000u	   /* shorter intervals are not looked through for samples */
#define LONG_MANY_NS 20000u
#define FIRST_BYTES (CINSTR_PAGE - sizeof(struct cinstr_segment))
#define MORE_BYTES (16 * CINSTR_PAGE - sizeof(struct cinstr_segment))
#define LOCK_NAP_NS 50000
/* After so many threads without a sample, one after another, the next is sampled late: an event and
 * its ring take 0.1 ms to make and to release, more than such threads take. */
#define SHORT_THREADS 16u
#define NEVER_LATE (1u << 31) /* in cinstr.short_threads */
#define LATE_LOSSES 10	      /* a thread that was not sampled by then should have been */
/* The kernel starts and stops an event's timer whenever the thread gets and leaves a processor. A
 * virtual machine's host is asked each time, unless other timers come first: measured were 17 us
 * for a switch with a period of 1 ms, and 4 us with 10 ms: the kernel's own tick comes earlier. */
#define SWITCH_NS 1000u
#define SWITCH_VIRTUAL_NS 17000u
/* A thread may spend a tenth of its time on a processor on them. At its begin, when little is
 * known, a fourth. Fewer tell nothing. */
#define SWITCHES_LEAST 500u
#define SWITCHES_PART 10u
#define FIRST_SWITCHES_LEAST 64u
#define FIRST_SWITCHES_PART 4u
#define LONGER_MS 10u /* the period of one that spends more */

struct ring {
	const char *data;
	uint64_t size, head, tail;
};

/* ---- begin and end --------------------------------------------------------------------------- */

static void refused(int error)
{
	uint32_t none = 0;

	atomic_compare_swap(&cinstr.header->self_errno, &none, (uint32_t)-error);
	atomic_add(&cinstr.header->self_refused, 1);
}

static int is_ring(const struct perf_event_mmap_page *page, uint64_t pages)
{
	return page->data_offset == CINSTR_PAGE && page->data_size == pages * CINSTR_PAGE;
}

/* As large as what may be locked in memory permits. */
static struct perf_event_mmap_page *map_ring(int fd, uint64_t *bytes)
{
	struct perf_event_mmap_page *page = (void *)-EPERM;

	for (uint64_t pages = RING_PAGES_MAX; pages; pages /= 2) {
		*bytes = (pages + 1) * CINSTR_PAGE;
		page = sys_mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (!sys_failed(page) && is_ring(page, pages))
			return page;
		if (!sys_failed(page)) { /* the program has put another file there meanwhile */
			sys_munmap(page, *bytes);
			return (void *)-EBADF;
		}
		if (page != (void *)-EPERM && page != (void *)-ENOMEM)
			return page;
	}
	return page;
}

static int open_event(long tid, uint64_t more_ms)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(attr),
					      .config = PERF_COUNT_SW_TASK_CLOCK,
					      .sample_period = (1 + more_ms) * PERIOD_NS,
					      .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
					      .exclude_kernel = 1,
					      .exclude_hv = 1,
					      .use_clockid = 1,
					      .clockid = CLOCK_MONOTONIC_RAW };

	return (int)SYS6(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

int self_samples_try(long tid)
{
	int fd = atomic_load_relaxed(&cinstr.no_self_samples) ? -EPERM : open_event(tid, 0);

	if (fd >= 0)
		sys_close(fd);
	return fd < 0 ? fd : 0;
}

struct opening {
	long tid;
	uint64_t more_ms;
	struct perf_event_mmap_page *page; /* or -errno */
	uint64_t bytes;
};

static void open_ring(void *data)
{
	struct opening *opening = data;
	int fd = open_event(opening->tid, opening->more_ms);

	opening->page = (void *)(long)fd;
	if (fd < 0)
		return;
	opening->page = map_ring(fd, &opening->bytes);
	if (opening->page != (void *)-EBADF) /* else it is another file's number by now */
		sys_close(fd);
}

/* Says whether the caller is the thread itself: a vfork child, or another task in this memory, may
 * have events on its behalf. */
static int is_of(const struct thread *thread)
{
	return thread->record->tid == (uint32_t)SYS0(SYS_gettid);
}

static void open_now(struct thread *thread)
{
	struct opening opening = { .page = (void *)-EPERM, .tid = SYS0(SYS_gettid) };

	if (!atomic_load_relaxed(&cinstr.no_self_samples))
		call_apart(open_ring, &opening);
	if (sys_failed(opening.page)) {
		refused((int)(long)opening.page);
		return;
	}
	thread->self.bytes = opening.bytes;
	thread->self.lost_untold = 0;
	thread->self.cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	thread->self.page = opening.page;
}

void self_samples_open(struct thread *thread)
{
	uint32_t n = atomic_load_relaxed(&cinstr.short_threads);

	if (!cinstr.is_self_sampled)
		return;
	thread->self.more_ms = thread->self.n_waiting = 0;
	thread->self.stays = 0;
	thread->self.last_unlisted = 0;
	thread->self.looks_at = FIRST_SWITCHES_LEAST;
	thread->self.is_late = n >= SHORT_THREADS && n < NEVER_LATE &&
			       SYS0(SYS_gettid) != cinstr.pid; /* the first thread lasts */
	if (!thread->self.is_late)
		open_now(thread);
}

/* A long thread without an event, whose functions are only counted, may have missed its samples:
 * then no other one is late. */
static void lose_late(uint64_t periods)
{
	if (periods < LATE_LOSSES)
		return;
	atomic_add(&cinstr.header->self_lost, periods);
	atomic_store_relaxed(&cinstr.short_threads, NEVER_LATE);
}

void self_samples_open_late(struct thread *thread)
{
	uint64_t periods;

	if (likely(!thread->self.is_late) || !is_of(thread))
		return;
	periods = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) / PERIOD_NS;
	if (!periods)
		return;
	thread->self.is_late = 0;
	lose_late(periods);
	open_now(thread);
	os_ask_own(thread, UINT64_MAX); /* the kernel has had it wait */
}

void self_samples_begin(struct thread *thread)
{
	thread->self.next = thread->self.segment = NULL;
	thread->self.left = thread->self.n_segments = 0;
}

static int is_own_process(void)
{
	return SYS0(SYS_getpid) == cinstr.pid;
}

static void count_length(struct thread *thread)
{
	uint64_t periods = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) / PERIOD_NS;
	int is_late = thread->self.is_late;

	thread->self.is_late = 0;
	if (!cinstr.is_self_sampled || !is_of(thread))
		return;
	if (is_late)
		lose_late(periods);
	if (atomic_load_relaxed(&cinstr.short_threads) < NEVER_LATE)
		atomic_store_relaxed(&cinstr.short_threads,
				     periods ? 0 : atomic_load_relaxed(&cinstr.short_threads) + 1);
}

void self_samples_close(struct thread *thread)
{
	const struct timespec nap = { 0, LOCK_NAP_NS };
	void *page;

	if (!is_own_process())
		return;
	count_length(thread);
	if (!thread->self.page)
		return;
	thread->self.stays = 1;
	self_samples_take(thread);
	while (atomic_swap(&thread->self.busy, 1))
		SYS2(SYS_nanosleep, &nap, NULL);
	page = thread->self.page;
	thread->self.page = NULL;
	atomic_store_release(&thread->self.busy, 0); /* the swap above */
	sys_munmap(page, thread->self.bytes);
}

/* ---- from the ring to the file --------------------------------------------------------------- */

static struct cinstr_self_sample *next_place(struct thread *thread)
{
	struct self_samples *self = &thread->self;
	uint64_t bytes = self->n_segments ? MORE_BYTES : FIRST_BYTES;

	if (self->left)
		return self->next;
	self->next = store_segment(CINSTR_SEG_SELF_SAMPLES, bytes, thread->record->index);
	self->segment = self->next;
	self->left = self->next ? (uint32_t)(bytes / sizeof(*self->next)) : 0;
	self->n_segments++;
	return self->next;
}

static void keep(struct thread *thread, const struct cinstr_self_sample *sample)
{
	struct self_samples *self = &thread->self;
	struct cinstr_self_sample *place = next_place(thread);

	if (!place)
		return;
	*place = *sample;
	self->next++;
	self->left--;
	atomic_store_release(&store_segment_of(self->segment)->used,
			     (uint64_t)((char *)self->next - (char *)self->segment)); /* reader */
}

static uint64_t word_at(const struct ring *ring, uint64_t offset)
{
	return *(const uint64_t *)(const void *)(ring->data + ((ring->tail + offset) & (ring->size - 1)));
}

static void wait_for_fold(struct self_samples *self, uint64_t ticks)
{
	if (self->n_waiting < SELF_WAITING_MAX)
		self->waiting[self->n_waiting++] = ticks;
	else
		self->last_unlisted = ticks;
}

/* The moments of a sample's clock, by a pair read now. */
struct moments {
	uint64_t ticks, ns;
};

static uint64_t ticks_at(const struct moments *now, uint64_t ns)
{
	if (cinstr.clock != CINSTR_CLOCK_TSC)
		return ns;
	return now->ticks - (uint64_t)((__int128)(int64_t)(now->ns - ns) * (int64_t)ticks_per_ns() >> 20);
}

static struct moments moments_now(void)
{
	uint64_t before = clock_now(), ns = sys_clock_ns(CLOCK_MONOTONIC_RAW);

	return (struct moments){ before + (clock_now() - before) / 2, ns };
}

/* A ring that is full tells of what it has lost when there is room again, perhaps never: until then
 * processor time tells. */
static void lose_untold(struct self_samples *self, uint64_t n, int is_full)
{
	uint64_t before = self->cpu_ns, periods;

	self->cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	periods = (self->cpu_ns - before) / ((1 + self->more_ms) * PERIOD_NS);
	if (!is_full || periods <= n)
		return;
	self->lost_untold = periods - n;
	atomic_add(&cinstr.header->self_lost, self->lost_untold);
}

static void lose(struct self_samples *self, uint64_t n)
{
	atomic_add(&cinstr.header->self_lost, n > self->lost_untold ? n - self->lost_untold : 0);
	self->lost_untold = 0;
}

static void take_record(struct thread *thread, const struct ring *ring, const struct moments *now, int is_own)
{
	uint32_t type = (uint32_t)word_at(ring, 0);
	struct cinstr_self_sample sample;

	if (type == PERF_RECORD_LOST)
		lose(&thread->self, word_at(ring, 16));
	if (type != PERF_RECORD_SAMPLE)
		return;
	sample = (struct cinstr_self_sample){ .ticks = ticks_at(now, word_at(ring, 16)),
					      .address = word_at(ring, 8) & (UINT64_MAX >> 8),
					      .more_ms = thread->self.more_ms & 0xff };
	keep(thread, &sample);
	if (is_own)
		wait_for_fold(&thread->self, sample.ticks);
}

static void take(struct thread *thread, int is_own)
{
	struct perf_event_mmap_page *page = thread->self.page;
	uint64_t size = thread->self.bytes - CINSTR_PAGE;
	struct ring ring = { (const char *)page + CINSTR_PAGE, size, atomic_load_acquire(&page->data_head),
			     page->data_tail };
	int is_full = size - (ring.head - ring.tail) < FULL_BYTES;
	struct moments now;
	uint64_t n = 0;

	if (ring.head == ring.tail)
		return;
	now = moments_now();
	while (ring.tail < ring.head) {
		uint64_t bytes = word_at(&ring, 0) >> 48;

		/* somebody has written there, or a filter forbids to ask for the time */
		if (bytes < 8 || bytes > ring.head - ring.tail || !now.ns) {
			ring.tail = ring.head;
			break;
		}
		take_record(thread, &ring, &now, is_own);
		ring.tail += bytes;
		n++;
	}
	if (is_own)
		lose_untold(&thread->self, n, is_full);
	atomic_store_release(&page->data_tail, ring.tail); /* the kernel */
}

static uint64_t switch_ns(void)
{
	uint32_t ns = atomic_load_relaxed(&cinstr.switch_ns);

	if (!ns) {
		ns = arch_is_virtual() ? SWITCH_VIRTUAL_NS : SWITCH_NS;
		atomic_store_relaxed(&cinstr.switch_ns, ns);
	}
	return ns;
}

int self_samples_look(struct thread *thread)
{
	struct self_samples *self = &thread->self;

	if (!self->page || self->stays || thread->record->counters_last.voluntary < self->looks_at)
		return 0;
	self->looks_at *= 2;
	return 1;
}

/* Says whether the thread's switches have cost so much that it is to be sampled more rarely. Only
 * its own waits count: others may take the processor from it today, and not tomorrow. */
static int is_costly(const struct thread *thread)
{
	uint64_t switches = thread->record->counters_last.voluntary;
	uint32_t part = switches < SWITCHES_LEAST ? FIRST_SWITCHES_PART : SWITCHES_PART;

	return !thread->self.more_ms && !thread->self.stays && switches >= FIRST_SWITCHES_LEAST &&
	       switches * switch_ns() > sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) / part &&
	       !atomic_load_relaxed(&cinstr.no_self_samples);
}

/* Gives the thread an event of a longer period, if it can have one, in place of its own, whose
 * samples have been taken. Under `busy`. */
static void open_longer(struct thread *thread)
{
	struct opening opening = { .page = (void *)-EPERM,
				   .tid = SYS0(SYS_gettid),
				   .more_ms = LONGER_MS - 1 };

	call_apart(open_ring, &opening);
	thread->self.stays = 1;
	if (!sys_failed(opening.page)) {
		sys_munmap(thread->self.page, thread->self.bytes);
		thread->self.page = opening.page;
		thread->self.bytes = opening.bytes;
		thread->self.more_ms = (uint32_t)opening.more_ms;
		thread->self.cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		thread->self.lost_untold = 0;
	}
	os_ask_own(thread, UINT64_MAX); /* the kernel has had it wait */
}

/* Those that no interval to come can have are over. */
static void stop_waiting(struct thread *thread)
{
	const struct cinstr_thread *record = thread->record;
	uint64_t time = record->states[record->commit & 1].time;
	struct self_samples *self = &thread->self;
	uint32_t n = 0;

	for (uint32_t i = 0; i < self->n_waiting; i++)
		if (self->waiting[i] >= time)
			self->waiting[n++] = self->waiting[i];
	self->n_waiting = n;
	if (self->last_unlisted < time)
		self->last_unlisted = 0;
	self->first_waiting = 0;
}

void self_samples_take(struct thread *thread)
{
	struct self_samples *self = &thread->self;
	uint64_t long_ns = LONG_NS;

	if (!cinstr.is_self_sampled)
		return;
	self_samples_open_late(thread);
	thread->fold.keeps_all = 1; /* those from before the first switch tell of shares, too */
	thread->fold.long_ticks = UINT64_MAX;
	if (!self->page || cinstr.state != RUNTIME_ON || !is_own_process())
		return;
	stop_waiting(thread);
	if (!atomic_swap(&self->busy, 1)) { /* else another one takes them, at exit */
		take(thread, 1);
		if (is_costly(thread) && is_of(thread))
			open_longer(thread);
		atomic_store_release(&self->busy, 0); /* the swap */
	}
	if (self->last_unlisted)
		long_ns = LONG_MANY_NS;
	if (self->n_waiting)
		thread->fold.long_ticks = (long_ns * ticks_per_ns()) >> 20;
}

int self_samples_are_in(struct thread *thread, const struct cinstr_long_interval *interval)
{
	struct self_samples *self = &thread->self;
	uint64_t start = interval->end_ticks - interval->ticks;

	if (start <= self->last_unlisted)
		return 1;
	while (self->first_waiting < self->n_waiting && self->waiting[self->first_waiting] < start)
		self->first_waiting++;
	return self->first_waiting < self->n_waiting &&
	       self->waiting[self->first_waiting] < interval->end_ticks;
}

void self_samples_at_exit(void)
{
	struct thread *thread = atomic_load_acquire(&cinstr.threads);

	if (!cinstr.is_self_sampled)
		return;
	for (; thread; thread = thread->next_made) {
		if (thread->probe == &cinstr_probe || atomic_swap(&thread->self.busy, 1))
			continue;
		if (thread->self.page && thread->record)
			take(thread, 0);
		atomic_store_release(&thread->self.busy, 0); /* the swap */
	}
}
