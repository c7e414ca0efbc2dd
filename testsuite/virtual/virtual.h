/* SPDX-License-Identifier: MIT */
/*
 * virtual.h - a test program's time: it moves only when the program says so. For programs that are
 * linked with $O/virtual/libcinstr.so, a runtime of the same source as the one that is installed,
 * but for its clock (doc/testing.md, "Virtual time").
 *
 * A tick is a nanosecond. Each thread has a clock of its own. Threads made by virtual_start() run
 * one at a time: whenever one waits, joins, locks or ends, the one with the earliest clock goes on
 * (of several, the one that was made first). So what they do, and in which order, is the same in
 * every run.
 *
 * What reading the clock costs is told by the environment, for calibration comes before main():
 *   VIRTUAL_PROBE_TICKS    each event that a probe stamps (20)
 *   VIRTUAL_RUNTIME_TICKS  each reading by the runtime's C code (10); a tenth of the threshold from
 *                          which on a probe asks what the operating system did
 */
#ifndef CINSTR_VIRTUAL_H
#define CINSTR_VIRTUAL_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/resource.h>

#pragma GCC visibility push(default)

#define VIRTUAL_COUNTERS 4
#define VIRTUAL_COUNTER_BITS 48

struct virtual_thread {
	uint64_t now;	      /* ticks: its clock */
	uint64_t probe_ticks; /* what a probe moves it by */
	uint64_t begin;	      /* when it began; 0: not yet */
	uint64_t off;	      /* ticks since then that it had no processor */
	uint64_t refused;     /* ticks that it will have none, behind the next questions */
	uint64_t n_refused;   /* so many of them */
	struct rusage usage;  /* as the kernel would tell it */
	uint32_t tid;
	/* the processor's counters, of 48 bits; the kernel's page says which is the thread's */
	uint64_t counters[VIRTUAL_COUNTERS];
	struct perf_event_mmap_page *page; /* NULL: not counted */
	/* in place of the struct rseq that the kernel knows; a switch clears the second word */
	uint64_t sequence[4] __attribute__((aligned(32)));
};

extern __thread struct virtual_thread virtual_self __attribute__((tls_model("initial-exec")));

/* Computes: no call, so that it is time of the function that does it. */
static inline __attribute__((always_inline)) void virtual_compute(uint64_t ticks)
{
	virtual_self.now += ticks;
}

/* The thread's counter counts, without any time: that is of the function that does it. The counters
 * of other threads count, too. */
static inline __attribute__((always_inline)) void virtual_count(uint64_t n)
{
	uint32_t own = virtual_self.page ? virtual_self.page->index : 0;

	for (uint32_t i = 0; i < VIRTUAL_COUNTERS; i++) {
		virtual_self.counters[i] += i + 1 == own ? n : n + 1;
		virtual_self.counters[i] &= (1ull << VIRTUAL_COUNTER_BITS) - 1;
	}
}

/* The kernel has the thread counted by another counter, as at a switch; index 0: by none. */
static inline __attribute__((always_inline)) void virtual_count_by(uint32_t index)
{
	struct perf_event_mmap_page *page = virtual_self.page;
	const int unused = 64 - VIRTUAL_COUNTER_BITS;

	if (!page)
		return;
	page->lock++;
	if (page->index)
		page->offset += (int64_t)(virtual_self.counters[page->index - 1] << unused) >> unused;
	page->index = index;
	if (index)
		page->offset -= (int64_t)(virtual_self.counters[index - 1] << unused) >> unused;
	page->lock++;
}

/* Reads a page from the disk, or finds it in memory, without a switch. */
static inline __attribute__((always_inline)) void virtual_fault(uint64_t ticks, int is_major)
{
	virtual_self.now += ticks;
	if (is_major)
		virtual_self.usage.ru_majflt++;
	else
		virtual_self.usage.ru_minflt++;
}

/* Is off the processor, where a function is that has no row for it. The kernel disarms the probe's
 * restartable sequence. */
static inline __attribute__((always_inline)) void virtual_switch(uint64_t ticks, int is_voluntary)
{
	virtual_self.now += ticks;
	virtual_self.off += ticks;
	if (is_voluntary)
		virtual_self.usage.ru_nvcsw++;
	else
		virtual_self.usage.ru_nivcsw++;
	*(volatile uint64_t *)&virtual_self.sequence[1] = 0;
}

/* A signal's handler, or an interrupt that takes this long, without a switch: the sequence ends. */
static inline __attribute__((always_inline)) void virtual_interrupt(uint64_t ticks)
{
	virtual_self.now += ticks;
	*(volatile uint64_t *)&virtual_self.sequence[1] = 0;
}

/* Another thread gets the processor when the runtime has asked for the counters; n: so often. */
static inline __attribute__((always_inline)) void virtual_refuse(uint64_t ticks, uint64_t n)
{
	virtual_self.refused = ticks;
	virtual_self.n_refused = n;
}

/* The same as functions without probes: they have rows of their own, as those of libc have. */
void virtual_wait(uint64_t ticks);    /* off the processor, by its own wish */
void virtual_preempt(uint64_t ticks); /* another thread gets the processor */
void virtual_work(uint64_t ticks);    /* computes */

/* Threads, by number from 1 on: main is 0. */
int virtual_start(void *(*function)(void *), void *data);
void virtual_join(int thread);
/* The same, also of a thread that has run ahead, and has ended later than it is here. */
void virtual_meet(int thread);
/* As the thread library knows it, and back. */
unsigned long virtual_handle(int thread);
int virtual_number(unsigned long handle);

/* A lock: who finds it taken waits until it is given back. */
struct virtual_lock {
	int owner; /* thread + 1; 0: free */
	uint64_t free_at;
};
void virtual_take(struct virtual_lock *lock);
void virtual_give(struct virtual_lock *lock);

/* A semaphore: who finds it at 0 waits until it is posted. */
struct virtual_semaphore {
	int value;
};
void virtual_down(struct virtual_semaphore *semaphore);
void virtual_up(struct virtual_semaphore *semaphore);

#pragma GCC visibility pop

#endif
