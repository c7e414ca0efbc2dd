/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tasks.c WHAT - makes tasks by clone() in its own memory, as programs without a thread library do.
 * Prints sums and counts of its own: they are the same whatever looks on.
 *
 * The tasks call twice() and once(); so does the thread that makes them. A task ends by a system
 * call of its own: the library's way out would use the thread's memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
#define STACK (256 << 10)
#define AS_PROCESS (CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD)
#define AS_THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)
#define ROUNDS 20000

struct task {
	long rounds, sum, calls;
	volatile int done;
	volatile int tid; /* not 0: it runs; the kernel makes it 0 */
	void (*last)(void);
};

KEEP static long once(struct task *who, long x)
{
	who->calls++;
	return x * 3 + 1;
}

KEEP static long twice(struct task *who, long x)
{
	return once(who, x) + once(who, x + 1);
}

KEEP static long work(struct task *who)
{
	for (long i = 0; i < who->rounds; i++)
		who->sum += twice(who, i);
	return who->sum;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void leave(int status)
{
	for (;;)
		__asm__ volatile("syscall" ::"a"(SYS_exit), "D"(status) : "rcx", "r11", "memory");
}

/* No library: errno is the thread's. */
static long ask(long number, long a, long b, long c)
{
	register long r10 __asm__("r10") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

KEEP static int body(void *argument)
{
	struct task *task = argument;

	work(task);
	task->done = 1;
	if (task->last)
		task->last();
	leave(0);
	return 0;
}

static char *new_stack(void)
{
	return (char *)mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + STACK;
}

static int start(struct task *task, int flags, void *tls)
{
	int pid;

	task->tid = 1;
	pid = clone(body, new_stack(), flags | CLONE_CHILD_CLEARTID, task, NULL, tls, &task->tid);
	if (pid < 0)
		exit(9);
	return pid;
}

static void wait_process(int pid)
{
	int status = -1;

	if (waitpid(pid, &status, __WALL) != pid || status)
		printf("waitpid: %d %#x\n", errno, status);
}

static void wait_done(struct task *task)
{
	while (task->tid)
		syscall(SYS_futex, &task->tid, FUTEX_WAIT, 1, NULL, NULL, 0);
}

static void show(const char *name, const struct task *task)
{
	printf("%s: %ld, %ld calls\n", name, task->sum, task->calls);
}

/* ---- what is tried --------------------------------------------------------------------------- */

static struct task own = { .rounds = ROUNDS }, other = { .rounds = ROUNDS }, third = { .rounds = ROUNDS };

/* Both at the same time. */
static void beside(int flags)
{
	int pid = start(&other, flags, NULL);

	work(&own);
	if (flags & CLONE_THREAD)
		wait_done(&other);
	else
		wait_process(pid);
}

static void beside_thread(void)
{
	beside(AS_THREAD);
}

static void beside_process(void)
{
	beside(AS_PROCESS);
}

/* One after the other. */
static void waited_process(void)
{
	wait_process(start(&other, AS_PROCESS, NULL));
	work(&own);
}

static void waited_thread(void)
{
	start(&other, AS_THREAD, NULL);
	wait_done(&other);
	work(&own);
}

/* As above, by a function whose last call is clone(). */
KEEP static int tail(struct task *task)
{
	return clone(body, new_stack(), AS_PROCESS, task);
}

static void tailed(void)
{
	wait_process(tail(&other));
	work(&own);
}

static void two(void)
{
	start(&other, AS_THREAD, NULL);
	start(&third, AS_THREAD, NULL);
	work(&own);
	wait_done(&other);
	wait_done(&third);
}

static void many(void)
{
	other.rounds = 3;
	for (int i = 0; i < 1000; i++) {
		char *stack = new_stack();
		int pid = clone(body, stack, AS_PROCESS, &other);

		wait_process(pid);
		munmap(stack - STACK, STACK);
		own.rounds = 10;
		work(&own);
	}
}

/* The call fails: there is no task. */
static void failing(void)
{
	for (int i = 0; i < 10; i++) {
		if (clone(body, new_stack(), CLONE_VM | CLONE_THREAD, &other) != -1 || errno != EINVAL)
			printf("no error\n");
		own.rounds = 100;
		work(&own);
	}
}

static void become_another(void)
{
	static char *arguments[] = { "/bin/sh", "-c", "exit 0", NULL };

	ask(SYS_execve, (long)arguments[0], (long)arguments, (long)environ);
	leave(1);
}

/* The task becomes another program, which runs on. */
static void become_sleeper(void)
{
	static char *arguments[] = { "/bin/sleep", "2", NULL };

	ask(SYS_execve, (long)arguments[0], (long)arguments, (long)environ);
	leave(1);
}

static void executes(void)
{
	other.last = become_another;
	beside(AS_PROCESS);
}

static void outlived(void)
{
	int pid;

	other.last = become_sleeper;
	pid = start(&other, AS_PROCESS, NULL);
	wait_done(&other); /* its memory is another one by then */
	work(&own);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void make_child(void)
{
	long child = ask(SYS_fork, 0, 0, 0);
	int status = 7;

	if (!child) {
		third.rounds = 500;
		work(&third);
		ask(SYS_exit_group, third.calls == 1000 ? 0 : 3, 0, 0);
	}
	while (ask(SYS_wait4, child, (long)&status, 0) == -EINTR)
		;
	if (status)
		leave(2);
}

static void forks(void)
{
	other.last = make_child;
	beside(AS_PROCESS);
}

static void end_group(void)
{
	ask(SYS_exit_group, 0, 0, 0);
}

static void exits(void)
{
	other.last = end_group;
	beside(AS_PROCESS);
}

/* The process is over before the task is, which goes on in its memory. */
static int pipe_ends[2];

static void tell(void)
{
	ask(SYS_write, pipe_ends[1], (long)(other.calls == 2000000 ? "good\n" : "bad\n"), 5);
}

static void outlives(void)
{
	char text[8] = "";
	int child;

	fflush(stdout);
	if (pipe(pipe_ends))
		exit(9);
	child = fork();
	if (!child) {
		other.rounds = 1000000;
		other.last = tell;
		start(&other, CLONE_VM | SIGCHLD, NULL);
		work(&own);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	close(pipe_ends[1]);
	if (read(pipe_ends[0], text, 5) > 0)
		printf("after its process: %s", text);
}

static volatile int n_handled;

KEEP static void handler(int signal)
{
	struct task task = { .rounds = 10 };

	(void)signal;
	work(&task);
	n_handled += task.calls == 20;
}

static void work_until_handled(void)
{
	while (n_handled < 50) {
		struct task task = { .rounds = 10 };

		work(&task);
	}
}

/* A handler that has probes runs in the task, again and again. */
static void disturbed(void)
{
	struct sigaction action = { .sa_handler = handler };
	int pid;

	sigaction(SIGUSR1, &action, NULL);
	other.last = work_until_handled;
	pid = start(&other, AS_PROCESS, NULL);
	while (n_handled < 50) {
		struct task task = { .rounds = 10 };

		kill(pid, SIGUSR1);
		work(&task);
	}
	wait_process(pid);
	work(&own);
}

/* A thread of the library's makes tasks, others work beside it. */
static void *make_task(void *unused)
{
	(void)unused;
	for (int i = 0; i < 5; i++) {
		other.sum = other.calls = 0;
		wait_process(start(&other, AS_PROCESS, NULL));
	}
	work(&own);
	return NULL;
}

KEEP static long beside_once(long x)
{
	return x * 5 + 3;
}

static void *work_beside(void *sum)
{
	for (long i = 0; i < 50000; i++)
		*(long *)sum += beside_once(i);
	return NULL;
}

static void threads(void)
{
	pthread_t maker, others[2];
	long sums[2] = { 0, 0 };

	for (int i = 0; i < 2; i++)
		pthread_create(&others[i], NULL, work_beside, &sums[i]);
	pthread_create(&maker, NULL, make_task, NULL);
	pthread_join(maker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(others[i], NULL);
	printf("beside: %ld %ld\n", sums[0], sums[1]);
}

/* ---- clone3, as libraries without a wrapper of libc's make it -------------------------------- */

KEEP static long clone3(struct clone_args *arguments, size_t size, int (*function)(void *), void *argument)
{
	register int (*r8)(void *) __asm__("r8") = function;
	register void *r9 __asm__("r9") = argument;
	long result;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "mov %%r9, %%rdi\n\t"
			 "call *%%r8\n\t"
			 "1:"
			 : "=a"(result)
			 : "a"(SYS_clone3), "D"(arguments), "S"(size), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static long start3(struct task *task, unsigned long flags)
{
	struct clone_args arguments = { .flags = flags | CLONE_CHILD_CLEARTID,
					.child_tid = (uintptr_t)&task->tid,
					.exit_signal = flags & CLONE_THREAD ? 0 : SIGCHLD,
					.stack = (uintptr_t)new_stack() - STACK,
					.stack_size = STACK };

	task->tid = 1;
	return clone3(&arguments, sizeof(arguments), body, task);
}

static void third_call(void)
{
	start3(&other, AS_THREAD & ~0xfful);
	work(&own);
	wait_done(&other);
}

static void third_call_waited(void)
{
	wait_process((int)start3(&other, AS_PROCESS & ~0xfful));
	work(&own);
}

/* ---- an instruction of the program's own: nobody sees that call ------------------------------ */

KEEP static long unseen(unsigned long flags, char *stack, int (*function)(void *), void *argument,
			volatile int *tid)
{
	register volatile int *r10 __asm__("r10") = tid;
	register int (*r8)(void *) __asm__("r8") = function;
	register void *r9 __asm__("r9") = argument;
	long result;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t"
			 "mov %%r9, %%rdi\n\t"
			 "call *%%r8\n\t"
			 "1:"
			 : "=a"(result)
			 : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(0), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static void unseen_thread(void)
{
	for (int i = 0; i < 10; i++) {
		own.sum = own.calls = other.sum = other.calls = 0;
		other.tid = 1;
		unseen(AS_THREAD | CLONE_CHILD_CLEARTID, new_stack(), body, &other, &other.tid);
		work(&own);
		wait_done(&other);
	}
}

static void unseen_process(void)
{
	for (int i = 0; i < 10; i++) {
		long pid;

		own.sum = own.calls = other.sum = other.calls = 0;
		other.tid = 1;
		pid = unseen(AS_PROCESS | CLONE_CHILD_CLEARTID, new_stack(), body, &other, &other.tid);
		work(&own);
		wait_process((int)pid);
	}
}

/* ---- a thread pointer of the program's making ------------------------------------------------ */

#define ROOM 32768

static char *new_block(int filling)
{
	char *block = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(block, filling, 2 * ROOM);
	return block + ROOM;
}

static void own_pointer(void *tls)
{
	start(&other, AS_THREAD | CLONE_SETTLS, tls);
	work(&own);
	wait_done(&other);
}

static void zeros(void)
{
	own_pointer(new_block(0));
}

static void zeros_with_address(void)
{
	char *tls = new_block(0);

	*(void **)tls = tls;
	own_pointer(tls);
}

static void garbage(void)
{
	char *tls = new_block(0x5a);

	*(void **)tls = tls;
	own_pointer(tls);
}

static void copy(void)
{
	char *tls = new_block(0), *from = __builtin_thread_pointer();

	memcpy(tls - 1024, from - 1024, 1024 + 2304);
	*(void **)tls = tls;
	own_pointer(tls);
}

/* No memory is below the thread pointer. */
static void no_room(void)
{
	char *tls = new_block(0);

	munmap(tls - ROOM, ROOM);
	*(void **)tls = tls;
	own_pointer(tls);
}

static const struct {
	const char *name;
	void (*run)(void);
} tries[] = {
	{ "beside-thread", beside_thread },
	{ "beside-process", beside_process },
	{ "waited-process", waited_process },
	{ "waited-thread", waited_thread },
	{ "tailed", tailed },
	{ "two", two },
	{ "many", many },
	{ "failing", failing },
	{ "executes", executes },
	{ "outlived", outlived },
	{ "forks", forks },
	{ "exits", exits },
	{ "outlives", outlives },
	{ "disturbed", disturbed },
	{ "threads", threads },
	{ "clone3", third_call },
	{ "clone3-waited", third_call_waited },
	{ "unseen-thread", unseen_thread },
	{ "unseen-process", unseen_process },
	{ "zeros", zeros },
	{ "zeros-with-address", zeros_with_address },
	{ "garbage", garbage },
	{ "copy", copy },
	{ "no-room", no_room },
};

int main(int argc, char **argv)
{
	int n = sizeof(tries) / sizeof(tries[0]);

	if (argc > 2)
		own.rounds = other.rounds = third.rounds = atol(argv[2]);
	for (int i = 0; i < n && argc > 1; i++)
		if (!strcmp(tries[i].name, argv[1]))
			tries[i].run();
	show("own", &own);
	show("other", &other);
	show("third", &third);
	return 0;
}
