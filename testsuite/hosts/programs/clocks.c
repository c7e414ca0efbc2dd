/*
 * Programs that forbid themselves the time-stamp counter, or have their system calls handled by
 * themselves, in the middle of their work: clocks HOW. Prints what was computed, and how often its
 * handler of SIGSYS ran.
 */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone))
#define DISPATCH 59 /* PR_SET_SYSCALL_USER_DISPATCH */

static volatile char selector; /* 1: system calls go to the handler */
static volatile long caught;
static unsigned long libc_start, libc_bytes;

KEEP long leaf(long x)
{
	__asm__ volatile("");
	return x * 3 + 1;
}

KEEP long work(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += leaf(i);
	return sum;
}

KEEP void tell(const char *what)
{
	printf("%s %ld\n", what, work(1000));
	fflush(stdout);
}

KEEP static void *tell_in_thread(void *what)
{
	tell(what);
	return NULL;
}

static void run_thread(void *(*begin)(void *), void *data)
{
	pthread_t thread;

	pthread_create(&thread, NULL, begin, data);
	pthread_join(thread, NULL);
}

/* ---- the time-stamp counter ------------------------------------------------------------------ */

static void by_prctl(void)
{
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}

static void by_number(void)
{
	syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}

KEEP int by_tail_call(void)
{
	return prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}

static void in_tail_call(void)
{
	by_tail_call();
}

static void *forbid_and_tell(void *unused)
{
	by_prctl();
	tell("thread without");
	return unused;
}

static void in_thread(void)
{
	run_thread(forbid_and_tell, NULL);
}

static void again(void)
{
	by_prctl();
	tell("without");
	prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
	tell("with");
	by_prctl();
}

static void in_fork(void)
{
	pid_t child = fork();

	if (!child) {
		by_prctl();
		tell("child without");
		exit(3);
	}
	waitpid(child, NULL, 0);
}

static void *tell_for_a_while(void *unused)
{
	printf("meanwhile %ld\n", work(30000));
	return unused;
}

static void while_others_work(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, tell_for_a_while, NULL);
	by_prctl();
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void before_exec(void)
{
	by_prctl();
	execl("/proc/self/exe", "clocks", "nothing", NULL);
}

static void nothing(void)
{
}

/* ---- system calls handled by the program ----------------------------------------------------- */

static int find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	if (!info->dlpi_name || !strstr(info->dlpi_name, "libc.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
			libc_start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
			libc_bytes = info->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

static void on_system_call(int signal, siginfo_t *info, void *context)
{
	caught++;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = -38; /* ENOSYS */
}

static void expect_system_calls(void)
{
	struct sigaction action = { .sa_sigaction = on_system_call, .sa_flags = SA_SIGINFO };

	dl_iterate_phdr(find_libc, NULL);
	sigaction(SIGSYS, &action, NULL);
}

static void work_dispatched(void)
{
	selector = 1;
	for (int i = 0; i < 20; i++)
		work(20000);
	selector = 0;
}

static void dispatch_by_prctl(void)
{
	expect_system_calls();
	prctl(DISPATCH, 1, libc_start, libc_bytes, &selector);
	work_dispatched();
}

static void dispatch_by_number(void)
{
	expect_system_calls();
	syscall(SYS_prctl, DISPATCH, 1, libc_start, libc_bytes, &selector);
	work_dispatched();
}

static void *dispatch_here(void *unused)
{
	dispatch_by_prctl();
	prctl(DISPATCH, 0, 0, 0, 0);
	return unused;
}

static void dispatch_in_thread(void)
{
	run_thread(dispatch_here, NULL);
}

/* ---------------------------------------------------------------------------------------------- */

static const struct way {
	const char *name;
	void (*go)(void);
} ways[] = {
	{ "prctl", by_prctl },
	{ "number", by_number },
	{ "tail", in_tail_call },
	{ "thread", in_thread },
	{ "again", again },
	{ "fork", in_fork },
	{ "others", while_others_work },
	{ "exec", before_exec },
	{ "nothing", nothing },
	{ "dispatch", dispatch_by_prctl },
	{ "dispatch_number", dispatch_by_number },
	{ "dispatch_thread", dispatch_in_thread },
};

static void tell_at_exit(void)
{
	tell("at exit");
}

int main(int argc, char **argv)
{
	atexit(tell_at_exit);
	tell("before");
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].name))
			ways[i].go();
	tell("behind");
	run_thread(tell_in_thread, "a later thread");
	printf("caught %ld\n", caught);
	return 7;
}
