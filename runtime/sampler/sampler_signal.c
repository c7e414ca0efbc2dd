/* SPDX-License-Identifier: MIT */
/*
 * sampler_signal.c - takes a sample when a thread has used another interval of processor time:
 * copies its registers and the content of its stack to a slot. In the thread itself, all signals
 * blocked; nothing here may fault, wait, or change errno.
 *
 * The timers are armed for one expiry each, again here: when this handler does not run any more
 * (the program has put its own in its place) there are no more signals.
 */
#include <errno.h>
#include <sys/uio.h>
#include <ucontext.h>

#include "cinstr/atomics.h"
#include "sampler.h"
#include "sampler_context.h"

/* below the outer end of the first thread's stack so much is stack for certain */
#define SURE_MAIN (8ull << 20)
#define SURE (12ull << 10) /* no thread's stack is smaller */
#define PIECES 65
#define LATE_MOST 4

/* ---- the stack ------------------------------------------------------------------------------- */

/* Page by page, as far as it can be read. All signals are blocked: sys_is_readable. */
static uint32_t copy_readable(char *to, uint64_t from, uint32_t bytes)
{
	uint32_t done = 0;

	while (done < bytes) {
		uint64_t at = from + done, end = (at | (SAMPLER_PAGE - 1)) + 1;
		uint32_t n = end - at < bytes - done ? (uint32_t)(end - at) : bytes - done;

		if (!sys_is_readable(at & ~7ull))
			break;
		arch_copy(to + done, (const void *)at, n);
		done += n;
	}
	return done;
}

/*
 * A stack of which nothing is known: a coroutine's, or one deeper than is sure. The kernel copies,
 * and stops where there is nothing. In pieces of a page: it may give up a piece as a whole.
 */
static uint32_t copy_unknown(char *to, uint64_t from, uint32_t bytes)
{
	struct iovec local = { to, bytes }, remote[PIECES];
	uint32_t done = 0;
	int n = 0;
	long result;

	while (done < bytes && n < PIECES) {
		uint64_t at = from + done, end = (at | (SAMPLER_PAGE - 1)) + 1;

		remote[n].iov_base = (void *)at;
		remote[n].iov_len = end - at < bytes - done ? end - at : bytes - done;
		done += (uint32_t)remote[n++].iov_len;
	}
	local.iov_len = done;
	result = SYS6(SYS_process_vm_readv, sampler.pid, &local, 1, remote, n, 0);
	if (result >= 0)
		return (uint32_t)result;
	return copy_readable(to, from, bytes); /* forbidden, or there is no such call */
}

static uint32_t copy_stack(char *to, uint64_t sp, uint32_t *flags)
{
	uint64_t sure = sampler_self.is_main ? SURE_MAIN : SURE, left = sampler_self.top - sp;
	uint32_t bytes = sampler.stack_bytes, done;

	if (left <= sure) {
		if (left <= bytes)
			*flags |= SAMPLER_STACK_ENDS;
		bytes = left < bytes ? (uint32_t)left : bytes;
		arch_copy(to, (const void *)sp, bytes);
		return bytes;
	}
	if (sp < sampler_self.top && left < bytes)
		bytes = (uint32_t)left;
	done = copy_unknown(to, sp, bytes);
	if (sp + done == sampler_self.top)
		*flags |= SAMPLER_STACK_ENDS;
	return done;
}

/* A system call is behind the thread, or is about to be made again: most likely the interval ended
 * in it. */
static int is_system_call(uint64_t ip)
{
	uint64_t at = ip - 2, code;

	if (ip % SAMPLER_PAGE < 2 || ip % SAMPLER_PAGE > SAMPLER_PAGE - 8)
		return 0;
	code = sys_read_word(at);
	return arch_is_system_call((uint16_t)code) || arch_is_system_call((uint16_t)(code >> 16));
}

/* ---- the sample ------------------------------------------------------------------------------ */

static void take_sample(const ucontext_t *context)
{
	uint32_t slot;
	struct sampler_record *record = slot_take(SAMPLER_SAMPLE, &slot);
	struct sampler_sample *sample = (void *)(record + 1);

	if (!record) {
		thread_intervals(sys_clock_ns(CLOCK_THREAD_CPUTIME_ID));
		return;
	}
	sample->intervals = thread_intervals(record->cpu_ns);
	arch_context_registers(sample->registers, context);
	sample->flags = is_system_call(arch_context_ip(context)) ? SAMPLER_IN_KERNEL : 0;
	if (sample->flags &&
	    sample->intervals > LATE_MOST) /* most likely it is the call that unblocked signals */
		sample->intervals = 1;
	sample->stack_bytes = copy_stack((char *)(sample + 1), arch_context_sp(context), &sample->flags);
	slot_send(slot);
}

/* Nobody reads any more. */
static int is_abandoned(void)
{
	const struct sampler_ring *ring = sampler.ring;
	uint64_t beat = atomic_load_relaxed(&ring->beat_ns), now;

	if (atomic_load_relaxed(&ring->state) != SAMPLER_OPEN)
		return 1;
	now = sys_clock_ns(CLOCK_MONOTONIC_RAW);
	if (now < beat || now - beat < SAMPLER_BEAT_NS)
		return 0;
	return now - beat > SAMPLER_DEAD_NS || SYS2(SYS_kill, ring->collector, 0) == -ESRCH;
}

int signal_is_timers(const siginfo_t *info)
{
	return info->si_code == SI_TIMER && info->si_value.sival_ptr == &sampler;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	/* Somebody else's signal, which would have been ignored; or a timer's behind its end. */
	if (!signal_is_timers(info) || !sampler_self.tid)
		return;
	/* a vfork child in this thread's memory */
	if (sampler_self.tid != (uint32_t)SYS0(SYS_gettid))
		return;
	if (sampler.is_silent || is_abandoned()) {
		thread_quiet();
		return;
	}
	if (atomic_load_relaxed(&sampler.ring->paused))
		thread_intervals(sys_clock_ns(CLOCK_THREAD_CPUTIME_ID));
	else
		take_sample(context);
	thread_rearm();
}

/* ---- the handler ----------------------------------------------------------------------------- */

/* As the kernel has it. */
struct kernel_sigaction {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

#define SA_RESTORER_ 0x04000000ul

/* sampler_calls.S */
void sampler_restore(void) __attribute__((visibility("hidden")));

int signal_is_ours(const void *handler)
{
	return handler == (const void *)on_signal;
}

int signal_is_handled(void)
{
	struct kernel_sigaction now = { .handler = NULL };

	SYS4(SYS_rt_sigaction, SAMPLER_SIGNAL, NULL, &now, 8);
	return now.handler == on_signal;
}

/*
 * Not on the thread's alternate stack: it may be small, and some programs go on on theirs as a
 * coroutine. Interrupted system calls are made again.
 */
int signal_begin(void)
{
	struct kernel_sigaction old = { .handler = NULL },
				ours = { on_signal, SA_SIGINFO | SA_RESTART | SA_RESTORER_, sampler_restore,
					 ~0ull };

	SYS4(SYS_rt_sigaction, SAMPLER_SIGNAL, NULL, &old, 8);
	if (old.handler == on_signal)
		return 0;
	if ((uintptr_t)old.handler > (uintptr_t)SIG_IGN)
		return -EBUSY;
	return (int)SYS4(SYS_rt_sigaction, SAMPLER_SIGNAL, &ours, NULL, 8);
}
