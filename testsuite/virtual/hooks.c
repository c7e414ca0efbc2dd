/* SPDX-License-Identifier: MIT */
/*
 * hooks.c - the processor and the kernel as the virtual runtime sees them (hooks.h): one struct
 * virtual_thread for each thread. Compiled as the runtime is, and called inside probes: no libc.
 */
#include <errno.h>
#include <linux/rseq.h>

#include "hooks.h"
#include "runtime.h"
#include "threads.h"

#define START (256ull << 32) /* the high half changes after 4.29 s */

_Static_assert(offsetof(struct virtual_thread, now) == VIRTUAL_NOW, "");
_Static_assert(offsetof(struct virtual_thread, probe_ticks) == VIRTUAL_PROBE_TICKS, "");
_Static_assert(offsetof(struct rseq, rseq_cs) == sizeof(uint64_t), "");

__thread struct virtual_thread virtual_self;
struct virtual_thread *virtual_threads[VIRTUAL_THREADS];
static uint64_t probe_ticks = 20, runtime_ticks = 10;
static uint64_t begin_realtime_ns;

static ptrdiff_t offset_of(const void *member)
{
	return (const char *)member - (const char *)__builtin_thread_pointer();
}

static void read_number(const char *name, uint64_t *number)
{
	const char *text = libc_variable(name);

	if (!text)
		return;
	for (*number = 0; *text >= '0' && *text <= '9'; text++)
		*number = *number * 10 + (uint64_t)(*text - '0');
}

void virtual_begin_thread(uint64_t now)
{
	virtual_self.now = virtual_self.begin = now;
	virtual_self.probe_ticks = probe_ticks;
	virtual_self.tid = (uint32_t)SYS0(SYS_gettid);
}

/* Returns the real date of the process's begin, at any time: its virtual end may lie in the future,
 * and then the next process would find its session still going on, and go to another folder. */
static uint64_t date_ns(void)
{
	struct timespec ts = { 0, 0 };

	if (!begin_realtime_ns) {
		SYS2(SYS_clock_gettime, CLOCK_REALTIME, &ts);
		begin_realtime_ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	}
	return begin_realtime_ns;
}

static struct virtual_thread *self(void)
{
	if (!virtual_self.begin)
		virtual_begin_thread(START);
	return &virtual_self;
}

void virtual_begin(void)
{
	read_number("VIRTUAL_PROBE_TICKS", &probe_ticks);
	read_number("VIRTUAL_RUNTIME_TICKS", &runtime_ticks);
	self()->probe_ticks = probe_ticks;
	cinstr.no_self_samples = 1; /* the kernel takes them by real time */
	virtual_threads[0] = &virtual_self;
}

uint64_t virtual_ticks(void)
{
	return self()->now += runtime_ticks;
}

static uint64_t processor_time(const struct virtual_thread *thread)
{
	return thread->now - thread->begin - thread->off;
}

/* Another thread's, by the kernel's number for its clock (os.c). */
static uint64_t processor_time_of(uint32_t tid)
{
	for (int i = 0; i < VIRTUAL_THREADS; i++)
		if (virtual_threads[i] && virtual_threads[i]->tid == tid)
			return processor_time(virtual_threads[i]);
	return 0;
}

int virtual_clock(int clock, uint64_t *ns)
{
	if (clock == CLOCK_MONOTONIC_RAW)
		*ns = self()->now;
	else if (clock == CLOCK_REALTIME)
		*ns = date_ns();
	else if (clock == CLOCK_THREAD_CPUTIME_ID)
		*ns = processor_time(self());
	else if (clock < 0)
		*ns = processor_time_of(~(uint32_t)clock >> 3);
	else
		return 0;
	return 1;
}

void virtual_usage(struct rusage *usage)
{
	arch_copy(usage, &virtual_self.usage, sizeof(*usage));
	if (!virtual_self.n_refused)
		return;
	virtual_self.n_refused--;
	virtual_switch(virtual_self.refused, 0);
}

ptrdiff_t virtual_rseq_offset(void)
{
	return offset_of(virtual_self.sequence);
}

/* As of the kernel's, a forked child does not have it. The kernel begins where the counter will
 * overflow when so much has been counted. */
struct perf_event_mmap_page *virtual_counter_page(void)
{
	struct perf_event_mmap_page *page;

	if (libc_variable("VIRTUAL_NO_COUNTER"))
		return (void *)-ENOENT;
	page = sys_memory(CINSTR_PAGE);
	if (sys_failed(page))
		return page;
	SYS3(SYS_madvise, page, CINSTR_PAGE, 10); /* MADV_DONTFORK */
	for (uint64_t i = 0; i < VIRTUAL_COUNTERS; i++)
		virtual_self.counters[i] = (1ull << VIRTUAL_COUNTER_BITS) - 1000 * (i + 1);
	*page = (struct perf_event_mmap_page){ .cap_user_rdpmc = 1, .pmc_width = VIRTUAL_COUNTER_BITS };
	virtual_self.page = page;
	virtual_count_by(2);
	return page;
}

uint64_t virtual_counter(uint32_t index)
{
	return virtual_self.counters[index];
}

uint32_t virtual_field(uint32_t type)
{
	const void *const members[] = { [FIX_VIRTUAL_NOW] = &virtual_self.now,
					[FIX_VIRTUAL_PROBE] = &virtual_self.probe_ticks,
					[FIX_VIRTUAL_COUNTERS] = virtual_self.counters };

	return (uint32_t)offset_of(members[type]);
}
