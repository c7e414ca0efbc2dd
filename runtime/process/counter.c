/* SPDX-License-Identifier: MIT */
/*
 * counter.c - CINSTR_COUNTER: an event of the processor's is counted for each thread, in user space
 * only, and read at the thread's events by the page that the kernel maps for that (rdpmc). The
 * event's descriptor is closed at once, in a table that is not the program's (apart.c): the mapping
 * keeps the event alive. The kernel does not give the mapping to a forked child; there the first
 * event of a thread takes the slow path, which opens an event of the child's.
 *
 * The event is pinned: it is on the processor's counter whenever the thread is on the processor, or
 * never again. Then its page says so, and the thread's counts are not known.
 *
 * Called at a thread's begin and end, in slow path context, and by call_sums.c.
 */
#include <errno.h>
#include <linux/perf_event.h>

#include "runtime.h"

/* The page of a thread whose counter cannot be read. */
static const struct perf_event_mmap_page no_page;

_Static_assert(offsetof(struct perf_event_mmap_page, lock) == COUNTER_LOCK, "");
_Static_assert(offsetof(struct perf_event_mmap_page, index) == COUNTER_INDEX, "");
_Static_assert(offsetof(struct perf_event_mmap_page, offset) == COUNTER_OFFSET, "");
_Static_assert(offsetof(struct perf_event_mmap_page, pmc_width) == COUNTER_WIDTH, "");

struct opening {
	long tid;
	struct perf_event_mmap_page *page; /* or -errno */
};

#ifdef CINSTR_VIRTUAL

static void open_page(void *data)
{
	struct opening *opening = data;

	opening->page = virtual_counter_page();
}

#else

static const uint64_t events[CINSTR_COUNTERS] = {
	[CINSTR_COUNTER_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
	[CINSTR_COUNTER_RETIRED] = PERF_COUNT_HW_INSTRUCTIONS,
	[CINSTR_COUNTER_MISSES] = PERF_COUNT_HW_CACHE_MISSES,
};

static int open_event(long tid)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					      .size = sizeof(attr),
					      .config = events[cinstr.counter],
					      .pinned = 1,
					      .exclude_kernel = 1,
					      .exclude_hv = 1 };

	return (int)SYS6(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

static void open_page(void *data)
{
	struct opening *opening = data;
	int fd = atomic_load_relaxed(&cinstr.no_self_samples) ? -EPERM : open_event(opening->tid);

	opening->page = (void *)(long)fd;
	if (fd < 0)
		return;
	opening->page = sys_mmap(NULL, CINSTR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	sys_close(fd);
	if (sys_failed(opening->page) || opening->page->cap_user_rdpmc)
		return;
	sys_munmap(opening->page, CINSTR_PAGE);
	opening->page = (void *)-EOPNOTSUPP;
}

#endif

static void release_page(const struct perf_event_mmap_page *page)
{
	sys_munmap((void *)page, CINSTR_PAGE);
}

void counter_choose(void)
{
	static const char *const words[] = { [CINSTR_COUNTER_NONE] = "none",
					     [CINSTR_COUNTER_CYCLES] = "cycles",
					     [CINSTR_COUNTER_RETIRED] = "retired",
					     [CINSTR_COUNTER_MISSES] = "misses",
					     NULL };

	cinstr.counter = (enum cinstr_counter)option_word(CINSTR_OPTION_COUNTER, words);
}

/* Says that there are no counts. Without restartable sequences a child of a bare fork does not
 * notice what it is, and would read a page that it does not have. */
static void say_refused(int error)
{
	int is_forbidden = error == EPERM || error == EACCES;
	struct text text =
		text_of("CINSTR_COUNTER=", option_value(CINSTR_OPTION_COUNTER), ": nothing is counted: ");

	text_add(&text, !cinstr.restartable ? "that needs restartable sequences (glibc 2.35, Linux 4.18)"
			: is_forbidden	    ? "the kernel does not permit it (kernel.perf_event_paranoid)"
					    : "the processor has no such counter that programs can read; few "
					      "virtual machines have");
	cinstr_say(text.data, NULL, 0);
}

void counter_settle(long tid)
{
	struct opening opening = { .tid = tid, .page = (void *)-EOPNOTSUPP };

	if (!cinstr.counter)
		return;
	if (cinstr.restartable)
		open_page(&opening);
	if (!sys_failed(opening.page)) {
		release_page(opening.page);
		return;
	}
	say_refused((int)-(long)opening.page);
	cinstr.counter = CINSTR_COUNTER_NONE;
}

void counter_open(struct thread *thread)
{
	struct opening opening = { .tid = SYS0(SYS_gettid), .page = (void *)-EPERM };

	if (!cinstr.counter)
		return;
	/* threads that share a tree would each begin at 0 */
	if (thread->record->members == 1)
		call_apart(open_page, &opening);
	thread->counter = sys_failed(opening.page) ? NULL : opening.page;
	thread->probe->counter = thread->counter ? thread->counter : &no_page;
}

void counter_off(struct probe_state *probe)
{
	probe->counter = &no_page;
}

void counter_close(struct thread *thread)
{
	const struct perf_event_mmap_page *page = thread->counter;

	thread->counter = NULL;
	/* a forked child that has not noticed yet has no such page */
	if (page && SYS0(SYS_getpid) == cinstr.pid)
		release_page(page);
}

uint64_t counter_read(const struct thread *thread)
{
	const volatile struct perf_event_mmap_page *page = thread->probe->counter;
	uint32_t lock, index;
	uint64_t count;

	do {
		lock = page->lock;
		index = page->index;
		if (!index)
			return 0;
		count = arch_read_counter(index - 1) << (-page->pmc_width & 63);
		count = (uint64_t)((int64_t)count >> (-page->pmc_width & 63)) + (uint64_t)page->offset;
	} while (page->lock != lock);
	return count + SUM_FIRST;
}
