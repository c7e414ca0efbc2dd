/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * seccomp HOW FILTER: works, forbids itself system calls, works on, and ends.
 *   HOW     prctl, seccomp, syscall (both by number), tail, library (a seccomp_load of its own),
 *           tsync (with three threads at work), vfork (a child does it), exec (and becomes "seccomp
 *           exec end")
 *   FILTER  strict; narrow: kill but for what a C program needs; broad: kill what nobody calls;
 *           trap: narrow with a handler of SIGSYS; counters: kill getrusage; errno: what follows
 *           fails with EPERM; arguments: kill by an argument that varies
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY 200000
#define PATHS 15

static volatile unsigned long sum;
static struct sock_filter code[64];
static struct sock_fprog program = { 0, code };
static volatile int trapped;

__attribute__((noinline)) void work(int i)
{
	sum += (unsigned long)i;
}

__attribute__((noinline)) void before(int n)
{
	for (int i = 0; i < n; i++)
		work(i);
}

/* As many paths as there are numbers of `depth` bits: the data file has to grow. */
__attribute__((noinline)) void right(unsigned path, int depth);
__attribute__((noinline)) void left(unsigned path, int depth)
{
	sum++;
	if (depth)
		(path & 1 ? left : right)(path >> 1, depth - 1);
}

__attribute__((noinline)) void right(unsigned path, int depth)
{
	sum += 2;
	if (depth)
		(path & 1 ? left : right)(path >> 1, depth - 1);
}

__attribute__((noinline)) void behind(int n)
{
	for (int i = 0; i < n; i++)
		work(i);
	for (unsigned path = 0; path < 1u << PATHS; path++)
		left(path, PATHS);
}

static void add(struct sock_filter in)
{
	code[program.len++] = in;
}

static void answer(unsigned long number, unsigned int action)
{
	add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)number, 0, 1));
	add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void make(const char *filter, char **calls)
{
	static const int needed[] = { SYS_write, SYS_exit,    SYS_exit_group, SYS_rt_sigreturn,
				      SYS_futex, SYS_madvise, SYS_wait4,      SYS_execve };

	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
	answer(AUDIT_ARCH_I386, SECCOMP_RET_KILL_PROCESS);
	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
	if (!strcmp(filter, "broad")) {
		answer(SYS_kexec_load, SECCOMP_RET_KILL_PROCESS);
		answer(SYS_getrusage, SECCOMP_RET_ALLOW);
	} else if (!strcmp(filter, "errno")) {
		for (; *calls; calls++)
			answer(strtoul(*calls, NULL, 0), SECCOMP_RET_ERRNO | EPERM);
	} else if (!strcmp(filter, "unreached")) {
		answer(SYS_openat, SECCOMP_RET_ERRNO | EPERM);
		answer(SYS_madvise, SECCOMP_RET_KILL_PROCESS);
	} else if (!strcmp(filter, "counters")) {
		answer(SYS_getrusage, SECCOMP_RET_KILL_PROCESS);
	} else if (!strcmp(filter, "arguments")) {
		add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 3));
		add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, args[1])));
		add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 1, 0, 1));
		add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
	} else {
		for (unsigned i = 0; i < sizeof(needed) / sizeof(*needed); i++)
			answer((unsigned long)needed[i], SECCOMP_RET_ALLOW);
		add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, !strcmp(filter, "trap")
									  ? SECCOMP_RET_TRAP
									  : SECCOMP_RET_KILL_PROCESS));
	}
	add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

/* As libseccomp's: without probes. */
__attribute__((noinline, no_instrument_function)) int seccomp_load(void *context)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, context, 0, 0);
}

__attribute__((noinline)) int by_tail(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int restrict_strictly(const char *how)
{
	if (!strcmp(how, "syscall"))
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
}

static int restrict_calls(const char *how)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!strcmp(how, "seccomp"))
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	if (!strcmp(how, "tsync"))
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
				    &program);
	if (!strcmp(how, "syscall"))
		return (int)syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
	if (!strcmp(how, "tail"))
		return by_tail();
	if (!strcmp(how, "library"))
		return seccomp_load(&program);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static void on_sigsys(int number)
{
	trapped += number;
}

static volatile int stop, n_begun;

__attribute__((noinline)) static void busy_work(volatile unsigned *own)
{
	++*own;
}

static void *thread(void *data)
{
	volatile unsigned own = 0;

	__atomic_fetch_add(&n_begun, 1, __ATOMIC_RELAXED);
	while (!stop)
		busy_work(&own);
	return data;
}

int main(int argc, char **argv)
{
	const char *how = argv[1], *filter = argv[2];
	pthread_t threads[3];
	int threaded = !strcmp(how, "tsync"), error = 0;
	char line[80];

	before(1000);
	if (!strcmp(filter, "end"))
		return 7;
	if (argc > 2)
		make(filter, argv + 3);
	if (!strcmp(filter, "trap"))
		signal(SIGSYS, on_sigsys);
	for (int i = 0; threaded && i < 3; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	while (threaded && n_begun < 3)
		usleep(1000);
	if (!strcmp(filter, "strict"))
		error = restrict_strictly(how);
	else if (!strcmp(how, "vfork")) {
		pid_t child = vfork();

		if (!child) {
			error = restrict_calls("prctl");
			behind(MANY);
			_exit(error);
		}
	} else
		error = restrict_calls(how);
	behind(MANY);
	stop = !threaded; /* a thread that ends makes calls that are not allowed */
	snprintf(line, sizeof(line), "%lu %d %d\n", sum, error, trapped);
	if (write(1, line, strlen(line)) < 0)
		return 1;
	if (threaded)
		_exit(5);
	if (!strcmp(how, "exec"))
		execl(argv[0], argv[0], "exec", "end", (char *)NULL);
	if (!strcmp(filter, "strict"))
		syscall(SYS_exit, 5);
	return 5;
}
