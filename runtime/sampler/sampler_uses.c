/* SPDX-License-Identifier: MIT */
/*
 * sampler_uses.c - handles programs that use the sampler's signal themselves: they get their own
 * signals, and none of ours. A program that sets a handler for it is not sampled any more: all
 * timers are deleted before. A thread that waits for it (mostly for all signals, as threads that
 * handle those of the whole process do) has no timer from then on; with the signal blocked, as is
 * necessary, it gave no samples anyway. The functions of libc for this are replaced here; for all
 * other signals they call libc's at once.
 */
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>

#include "sampler.h"

/* Silent: there may be a filter for system calls, too. */
static int is_here(void)
{
	return sampler.ring && !sampler.is_silent && sampler.pid == (uint32_t)SYS0(SYS_getpid);
}

/* libc's functions. */
static struct {
	void *sigaction, *signal, *sigwait, *sigwaitinfo, *sigtimedwait, *signalfd;
} found;

void uses_begin(void)
{
	next_of("sigaction", &found.sigaction);
	next_of("signal", &found.signal);
	next_of("sigwait", &found.sigwait);
	next_of("sigwaitinfo", &found.sigwaitinfo);
	next_of("sigtimedwait", &found.sigtimedwait);
	next_of("signalfd", &found.signalfd);
}

/* ---- handlers -------------------------------------------------------------------------------- */

static void before_handler(int number)
{
	if (number == SAMPLER_SIGNAL && is_here())
		threads_silence("the program uses SIGURG itself");
}

typedef int (*action_function)(int, const struct sigaction *, struct sigaction *);
typedef sighandler_t (*signal_function)(int, sighandler_t);

SAMPLER_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	action_function next = (action_function)next_of("sigaction", &found.sigaction);
	int result;

	if (action)
		before_handler(number);
	result = next(number, action, old);
	if (!result && old && number == SAMPLER_SIGNAL && signal_is_ours((void *)old->sa_sigaction))
		*old = (struct sigaction){ .sa_handler = SIG_DFL };
	return result;
}

SAMPLER_EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	signal_function next = (signal_function)next_of("signal", &found.signal);
	sighandler_t old;

	before_handler(number);
	old = next(number, handler);
	return number == SAMPLER_SIGNAL && signal_is_ours((void *)old) ? SIG_DFL : old;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Takes away what the thread's timer has sent and was not delivered: the kernel may keep it when
 * the timer is deleted. */
static void drop_pending(void)
{
	uint64_t ours = 1ull << (SAMPLER_SIGNAL - 1);
	struct timespec now = { 0, 0 };
	siginfo_t info;

	if (SYS4(SYS_rt_sigtimedwait, &ours, &info, &now, 8) != SAMPLER_SIGNAL || signal_is_timers(&info))
		return;
	/* not ours */
	SYS4(SYS_rt_tgsigqueueinfo, sampler.pid, SYS0(SYS_gettid), SAMPLER_SIGNAL, &info);
}

static int has_ours(const sigset_t *set)
{
	return set && set->__val[0] >> (SAMPLER_SIGNAL - 1) & 1;
}

static void before_wait(const sigset_t *set)
{
	if (!has_ours(set) || !sampler_self.tid || !is_here())
		return;
	thread_delete_timer();
	drop_pending();
}

typedef int (*wait_function)(const sigset_t *, int *);
typedef int (*wait_info_function)(const sigset_t *, siginfo_t *);
typedef int (*timed_wait_function)(const sigset_t *, siginfo_t *, const struct timespec *);
typedef int (*descriptor_function)(int, const sigset_t *, int);

SAMPLER_EXPORT int sigwait(const sigset_t *set, int *number)
{
	wait_function next = (wait_function)next_of("sigwait", &found.sigwait);

	before_wait(set);
	return next(set, number);
}

SAMPLER_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	wait_info_function next = (wait_info_function)next_of("sigwaitinfo", &found.sigwaitinfo);

	before_wait(set);
	return next(set, info);
}

SAMPLER_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	timed_wait_function next = (timed_wait_function)next_of("sigtimedwait", &found.sigtimedwait);

	before_wait(set);
	return next(set, info, timeout);
}

/* Which thread will read it is not known. */
SAMPLER_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	descriptor_function next = (descriptor_function)next_of("signalfd", &found.signalfd);

	if (has_ours(set) && is_here()) {
		before_wait(set);
		before_handler(SAMPLER_SIGNAL);
	}
	return next(fd, set, flags);
}
