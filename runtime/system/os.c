/* SPDX-License-Identifier: MIT */
/*
 * os.c - detects OS events of an interval (D3), only when there may have been some: compares the
 * kernel's own counters of the thread with those of the last question. In the thread itself,
 * signals blocked.
 */
#include <linux/rseq.h>

#include "runtime.h"

void os_no_counters(void)
{
	atomic_store_relaxed(&cinstr.header->no_counters, 1);
}

/* last: what they were, for a kernel that does not tell (a filter may forbid it). */
static struct cinstr_counters read_counters(const struct cinstr_counters *last)
{
	struct rusage usage = { 0 };

	if (sys_thread_usage(&usage)) {
		os_no_counters();
		return *last;
	}
#define CALL
#define KERNEL(counter, member) .counter = (uint64_t)usage.member,
#define FILL(x, id, number, by_default, source, ...) source
	return (struct cinstr_counters){ CINSTR_OS_EVENTS(FILL, ) };
#undef CALL
#undef KERNEL
}

static uint32_t bits_between(const struct cinstr_counters *a, const struct cinstr_counters *b)
{
#define CALL 0
#define KERNEL(counter, member) a->counter != b->counter
#define COMPARE(x, id, number, by_default, source, ...) | ((source) ? CINSTR_OS_##id : 0u)
	return 0u CINSTR_OS_EVENTS(COMPARE, );
#undef CALL
#undef KERNEL
}

void os_begin(struct thread *thread, uint64_t now)
{
	struct cinstr_thread *record = thread->record;
	struct cinstr_counters counters = read_counters(&record->counters_last);

	/* carries on where an ended thread was: counters go on as one row */
	if (record->members > 1) {
		record->counters_first.voluntary += counters.voluntary - record->counters_last.voluntary;
		record->counters_first.involuntary +=
			counters.involuntary - record->counters_last.involuntary;
	} else {
		record->counters_first = counters;
	}
	record->counters_last = counters;
	record->asked_ticks = now;
	record->asked_cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Ticks from the last question to `now` that the thread was not running; cpu_ns: its processor time
 * now. */
static uint64_t ticks_off_cpu(const struct cinstr_thread *record, uint64_t now, uint64_t cpu_ns)
{
	uint64_t cpu_ticks =
		(uint64_t)(((unsigned __int128)(cpu_ns - record->asked_cpu_ns) * ticks_per_ns()) >> 20);
	uint64_t wall = now - record->asked_ticks;

	return wall > cpu_ticks ? wall - cpu_ticks : 0;
}

/* The same, as an answer: the next one is from `now` on. */
static uint64_t take_off_cpu(struct thread *thread, uint64_t now)
{
	struct cinstr_thread *record = thread->record;
	uint64_t cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t ticks = ticks_off_cpu(record, now, cpu_ns);

	record->asked_cpu_ns = cpu_ns;
	record->asked_ticks = now;
	return ticks;
}

struct os_answer os_ask(struct thread *thread, uint64_t now, uint64_t interval)
{
	struct cinstr_counters *last = &thread->record->counters_last;
	struct cinstr_counters counters = read_counters(last);
	struct os_answer answer = { .bits = bits_between(last, &counters) };

	if (answer.bits & (CINSTR_OS_VOLUNTARY | CINSTR_OS_INVOLUNTARY)) {
		answer.switches = (counters.voluntary - last->voluntary) |
				  (counters.involuntary - last->involuntary) << 32;
		answer.off_cpu_ticks = min_of(take_off_cpu(thread, now), interval);
	}
	*last = counters;
	return answer;
}

/* Whether others had the processor, and the thread waited for nothing itself. */
static int is_only_preempted(const struct cinstr_counters *before, const struct cinstr_counters *now)
{
	return now->voluntary == before->voluntary && now->involuntary != before->involuntary;
}

static uint64_t ask_own(struct thread *thread, uint64_t since)
{
	struct cinstr_thread *record = thread->record;
	struct cinstr_counters *last = &record->counters_last;
	struct cinstr_counters counters = read_counters(last);
	uint64_t now, off;

	if (is_only_preempted(last, &counters)) {
		now = clock_now();
		off = ticks_off_cpu(record, now, sys_clock_ns(CLOCK_THREAD_CPUTIME_ID));
		off = min_of(off, now > since ? now - since : 0);
		if (off > cinstr.threshold)
			return off;
	}
	record->own_voluntary += counters.voluntary - last->voluntary;
	record->own_involuntary += counters.involuntary - last->involuntary;
	if (bits_between(last, &counters) & (CINSTR_OS_VOLUNTARY | CINSTR_OS_INVOLUNTARY))
		take_off_cpu(thread, clock_now());
	*last = counters;
	return 0;
}

/* A group that has used its time up is stopped where the kernel adds it up: mostly at the end of a
 * question. */
uint64_t os_ask_own(struct thread *thread, uint64_t since)
{
	uint64_t off = ask_own(thread, since);

	return off || since == UINT64_MAX ? off : ask_own(thread, since);
}

/* A clock of the kernel's: the processor time of another thread of the process. */
static int cpu_clock_of(uint32_t tid)
{
	return (int)(~tid << 3 | 6u);
}

/* Where a thread waits at the end, or computes, it will not be able to tell any more. */
void os_note_end(struct cinstr_thread *record)
{
	uint64_t cpu_ns;

	if (atomic_load_relaxed(&cinstr.no_thread_clocks)) /* a filter may kill who asks */
		return;
	cpu_ns = sys_clock_ns(cpu_clock_of(record->tid));
	record->end_cpu_ns = cpu_ns ? cpu_ns : UINT64_MAX;
}

/* What one question costs, with what goes with it: the least of some tries. */
uint64_t os_price_ticks(void)
{
	const struct cinstr_counters none = { 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 20; i++) {
		uint64_t start = clock_now(), ticks;

		sys_restore_signals(sys_block_signals());
		read_counters(&none);
		ticks = clock_now() - start;
		least = min_of(least, ticks);
	}
	return least;
}

/* ---- calls that enter the kernel at times ---------------------------------------------------- */

static int is_left_by_syscall(uint64_t left)
{
	return (left & (uint64_t)ARCH_LEFT_BY_SYSCALL_MASK) == ARCH_LEFT_BY_SYSCALL;
}

uint64_t os_entry_ticks(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 20; i++) {
		uint64_t start = clock_now(), left = arch_left_by_syscall();

		if (!is_left_by_syscall(left))
			return UINT64_MAX;
		least = min_of(least, clock_now() - start);
	}
	return least;
}

/* The processor's frequency may have been low when the entry's ticks were measured. */
int os_was_entered(const struct probe_frame *frame, uint64_t interval)
{
	return frame->kind & PROBE_KIND_STREAM &&
	       CINSTR_CODE_KIND((uint32_t)frame->kind) == CINSTR_EV_AFTER &&
	       is_left_by_syscall(arch_left_at(&frame->registers)) && interval >= cinstr.entry_ticks / 2;
}

/* ---- restartable sequences ------------------------------------------------------------------- */

/* Where the program has unregistered this thread's restartable sequences, the kernel does not tell
 * a probe that it was interrupted. */
void os_check_sequences(void)
{
	static uint32_t is_said;
	const struct rseq *rseq = (const void *)((char *)__builtin_thread_pointer() + cinstr.armed_offset -
						 offsetof(struct rseq, rseq_cs));

	if (!cinstr.restartable || *(const volatile int32_t *)&rseq->cpu_id >= 0)
		return;
	counter_off(&cinstr_probe); /* a forked child would not notice that it has none */
	if (atomic_swap(&is_said, 1))
		return;
	cinstr_say("the program has unregistered its restartable sequences: where signals come in the middle "
		   "of probes, events are lost",
		   NULL, 0);
}
