/* SPDX-License-Identifier: MIT */
/*
 * apart.c - uses file descriptors outside of the program's table. A descriptor in the program's
 * table, if only for a moment, takes the number that the program's next open() would have got; and
 * when another thread of the program puts a file of its own at that number meanwhile, the runtime
 * works on that file, and closes it.
 *
 * So work that needs descriptors is done in a task of the process that has a table of its own. The
 * thread waits until the task is gone. The task has the thread's memory, thread-local storage,
 * stack (below what the thread uses), and its blocked signals. It is no child and no thread of
 * libc's, and debuggers are not notified of it.
 *
 * In any thread, signals blocked. System calls only.
 */
#include <linux/close_range.h>
#include <sched.h>

#include "runtime.h"

#define TASK_FLAGS APART_CLONE_FLAGS
#define WAIT_STEPS 2000 /* a debugger may keep the task from going */

struct errand {
	void (*work)(void *);
	void *data;
	int is_done;
};

/* In the task. Descriptors 0 to 2 are kept: messages go to 2. */
static void run_errand(void *data)
{
	struct errand *errand = data;

	/* before Linux 5.9: the table is still the program's */
	if (SYS3(SYS_close_range, APART_FIRST, ~0u, CLOSE_RANGE_UNSHARE))
		return;
	errand->work(errand->data);
	errand->is_done = 1;
}

/* A program of one thread may ask the kernel next for what only such a program can have. */
static void wait_for_end(long task)
{
	long process = SYS0(SYS_getpid);

	for (int i = 0; i < WAIT_STEPS && !SYS3(SYS_tgkill, process, task, 0); i++)
		SYS0(SYS_sched_yield);
}

void apart_not(void)
{
	atomic_store_relaxed(&cinstr.not_apart, 1);
}

void call_apart(void (*work)(void *), void *data)
{
	struct errand errand = { .work = work, .data = data };
	long task = -1;

#ifndef __SANITIZE_THREAD__
	if (!atomic_load_relaxed(&cinstr.not_apart))
		task = arch_call_in_task(TASK_FLAGS, run_errand, &errand);
#endif
	if (task > 0)
		wait_for_end(task);
	if (errand.is_done)
		return;
	if (task > 0)
		apart_not();
	work(data);
}
