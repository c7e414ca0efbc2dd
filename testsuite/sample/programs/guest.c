/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a program may do that its sampler must not disturb: guest WHAT [N]. What it prints depends
 * on nothing but that, as long as nobody disturbs it.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define MS 1000000ll

static __thread volatile unsigned long sink;

static long long cpu_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Uses so much of the thread's processor time. */
__attribute__((noinline)) static void spin(long long ms)
{
	long long end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + ms * MS;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 20000; i++)
			sink += (unsigned long)i;
}

/* ---- threads --------------------------------------------------------------------------------- */

__attribute__((noinline)) static void *work(void *arg)
{
	spin(*(int *)arg);
	errno = 0;
	spin(5);
	return errno ? NULL : arg;
}

static int threads(int n)
{
	pthread_t *all = calloc((size_t)n, sizeof(*all));
	int ms = 60, good = 0;

	for (int i = 0; i < n; i++)
		if (pthread_create(&all[i], NULL, work, &ms))
			abort();
	for (int i = 0; i < n; i++) {
		void *result;

		good += !pthread_join(all[i], &result) && result == &ms;
	}
	free(all);
	printf("%d threads\n", good);
	return good != n;
}

/* Many that live for a short time. */
static int short_threads(int n)
{
	int ms = 0, good = 0;

	for (int i = 0; i < n; i++) {
		pthread_t thread;
		void *result;

		if (!pthread_create(&thread, NULL, work, &ms))
			good += !pthread_join(thread, &result) && result == &ms;
	}
	printf("%d threads\n", good);
	return good != n;
}

static int c11_work(void *arg)
{
	spin(60);
	return *(int *)arg;
}

static int c11(int n)
{
	thrd_t thread;
	int result = 0, sum = 0;

	for (int i = 0; i < n; i++) {
		if (thrd_create(&thread, c11_work, &i) != thrd_success ||
		    thrd_join(thread, &result) != thrd_success)
			abort();
		sum += result;
	}
	printf("sum %d\n", sum);
	return 0;
}

static void *forever(void *arg)
{
	pthread_setcanceltype(arg ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, NULL);
	for (;;) {
		spin(1);
		pthread_testcancel();
	}
	return NULL;
}

static void *leave(void *arg)
{
	spin(20);
	pthread_exit(arg);
}

static int cancel(int n)
{
	pthread_attr_t small;
	int cancelled = 0;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 32768);
	for (int i = 0; i < n; i++) {
		pthread_t thread, other;
		void *result, *left;

		if (pthread_create(&thread, &small, forever, i % 2 ? &cancelled : NULL) ||
		    pthread_create(&other, &small, leave, &cancelled))
			abort();
		spin(15);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		pthread_join(other, &left);
		cancelled += result == PTHREAD_CANCELED && left == &cancelled;
	}
	printf("%d cancelled\n", cancelled);
	return 0;
}

/* ---- processes ------------------------------------------------------------------------------- */

static int forks(int n)
{
	int sum = 0, status;

	for (int i = 0; i < n; i++) {
		pid_t child = i % 3 == 2 ? (pid_t)syscall(SYS_fork) : fork();

		if (!child) {
			int ms = 20;
			pthread_t thread;

			spin(30);
			if (pthread_create(&thread, NULL, work, &ms) || pthread_join(thread, NULL))
				_exit(99);
			_exit(i);
		}
		waitpid(child, &status, 0);
		sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
	}
	printf("sum %d\n", sum);
	return 0;
}

static int vforks(char *self, int n)
{
	int sum = 0, status;

	for (int i = 0; i < n; i++) {
		pid_t child = vfork();

		if (!child) {
			spin(20);
			execl(self, self, "plain", (char *)NULL);
			_exit(99);
		}
		waitpid(child, &status, 0);
		sum += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
	}
	spin(50);
	printf("sum %d\n", sum);
	return 0;
}

/* By a thread that is not the first. */
static void *exec_work(void *self)
{
	spin(30);
	execl(self, self, "plain", (char *)NULL);
	return NULL;
}

static int exec_thread(char *self)
{
	pthread_t thread, other;
	int ms = 10000;

	fflush(stdout);
	pthread_create(&other, NULL, work, &ms);
	pthread_create(&thread, NULL, exec_work, self);
	pthread_join(other, NULL);
	return 9;
}

/* The first thread ends before the process: what is left of it is a zombie. */
static void *outlive(void *argument)
{
	spin(700);
	printf("outlived\n");
	exit(*(int *)argument);
}

static int leader(void)
{
	static int status = 9;
	pthread_t thread;

	pthread_create(&thread, NULL, outlive, &status);
	pthread_exit(NULL);
}

/* A child on a stack of its own: what is there to return to was put there. */
static void on_other_stack(void)
{
	_exit(5);
}

static int clones(void)
{
	static uint64_t stack[4096] __attribute__((aligned(16)));
	int status = -1;
	long child;

	stack[4000] = (uint64_t)(uintptr_t)on_other_stack;
	child = syscall(SYS_clone, SIGCHLD | CLONE_VM | CLONE_VFORK, &stack[4000], NULL, NULL, 0l);
	waitpid((pid_t)child, &status, 0);
	errno = 0;
	printf("%d %ld %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1, syscall(SYS_close, -1), errno);
	spin(20);
	return 0;
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t n_signals;

static void count(int number)
{
	(void)number;
	n_signals++;
}

static void *spin_thread(void *argument)
{
	spin(30);
	return argument;
}

static int number_read(int fd)
{
	struct signalfd_siginfo info = { .ssi_signo = 0 };

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return -1;
	close(fd);
	return (int)info.ssi_signo;
}

/* The program uses the sampler's signal itself, from some moment on. */
static int owner(int n)
{
	spin(40);
	signal(SIGURG, count);
	spin(300);
	for (int i = 0; i < n; i++)
		raise(SIGURG);
	for (int i = 0; i < 3; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, spin_thread, NULL);
		pthread_join(thread, NULL);
	}
	printf("%s\n", n_signals == n ? "mine" : "others' signals");
	return 0;
}

/* All signals are blocked, and waited for: none comes but the one that is sent. */
static int waits(int n)
{
	struct timespec second = { 1, 0 };
	siginfo_t info = { .si_signo = 0 };
	struct sigaction old;
	sigset_t all;
	int number = 0;

	sigaction(SIGURG, NULL, &old);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	spin(60);
	kill(getpid(), SIGTERM);
	if (n == 1)
		sigwait(&all, &number);
	else if (n == 2)
		number = sigwaitinfo(&all, NULL);
	else if (n == 3)
		number = sigtimedwait(&all, &info, &second);
	else
		number = number_read(signalfd(-1, &all, 0));
	raise(SIGURG);
	printf("%d %d %d\n", number, sigwaitinfo(&all, NULL), old.sa_handler == SIG_DFL);
	return 0;
}

/* As daemons do. */
static int defaults(void)
{
	spin(40);
	for (int i = 1; i < 65; i++)
		signal(i, SIG_DFL);
	spin(100);
	printf("alive\n");
	return 0;
}

static int timers(void)
{
	struct itimerspec often = { { 0, 5 * MS }, { 0, 5 * MS } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	timer_t timer;

	signal(SIGRTMIN, count);
	signal(SIGPROF, count);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	setitimer(ITIMER_PROF, &(struct itimerval){ { 0, 10000 }, { 0, 10000 } }, NULL);
	spin(300);
	printf("%s\n", n_signals > 30 ? "ticking" : "still");
	return 0;
}

static int sleeps(int n)
{
	struct timespec nap = { 0, 2 * MS }, rest;
	int interrupted = 0;

	for (int i = 0; i < n; i++) {
		spin(1);
		interrupted += nanosleep(&nap, &rest) != 0;
		interrupted += poll(NULL, 0, 1) != 0;
	}
	printf("%s\n", interrupted < n / 10 + 1 ? "slept" : "woken up");
	return 0;
}

static int masks(void)
{
	sigset_t all, now;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	spin(60);
	sigprocmask(SIG_SETMASK, NULL, &now);
	printf("%d %d\n", sigismember(&now, SIGURG), sigismember(&now, SIGTERM));
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	spin(60);
	sigprocmask(SIG_SETMASK, NULL, &now);
	printf("%d %d\n", sigismember(&now, SIGURG), sigismember(&now, SIGTERM));
	return 0;
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static ucontext_t main_context, routine;

static void coroutine(void)
{
	for (int i = 0; i < 3; i++) {
		spin(60);
		swapcontext(&routine, &main_context);
	}
}

/* Pages that cannot be read lie on both sides. */
static int coroutines(void)
{
	char *area = mmap(NULL, 3 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(area + (1 << 16), 1 << 16, PROT_READ | PROT_WRITE);
	getcontext(&routine);
	routine.uc_stack.ss_sp = area + (1 << 16);
	routine.uc_stack.ss_size = 1 << 16;
	routine.uc_link = &main_context;
	makecontext(&routine, coroutine, 0);
	for (int i = 0; i < 3; i++) {
		swapcontext(&main_context, &routine);
		spin(20);
	}
	printf("back\n");
	return 0;
}

static sigjmp_buf rescue;

static void rescued(int number)
{
	(void)number;
	siglongjmp(rescue, 1);
}

__attribute__((noinline)) static int deep(volatile char *above)
{
	volatile char frame[4096];

	frame[0] = *above;
	if ((unsigned long)frame % 65536 < 4096)
		spin(1);
	return deep(frame) + frame[0];
}

/* A stack overflow, on an alternate stack. */
static int overflow(int n)
{
	static char stack[32768];
	struct sigaction action = { .sa_handler = rescued, .sa_flags = SA_ONSTACK };
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	char zero = 0;
	int rescues = 0;

	sigaltstack(&alternate, NULL);
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < n; i++)
		if (!sigsetjmp(rescue, 1))
			deep(&zero);
		else
			rescues++;
	printf("%d rescues\n", rescues);
	return 0;
}

/* ---- system calls ---------------------------------------------------------------------------- */

/* Whatever else it calls ends it. */
static int filter(int by_syscall)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog rules = { sizeof(program) / sizeof(*program), program };

	spin(100);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (by_syscall ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &rules)
		       : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &rules))
		_exit(3);
	for (int i = 0; i < 300000000; i++)
		sink += (unsigned long)i;
	if (write(1, "sealed\n", 7) != 7)
		_exit(4);
	_exit(0);
}

/* Until it is killed. */
static void endless(void)
{
	for (;;)
		spin(10);
}

static int plain(void)
{
	spin(100);
	printf("plain\n");
	return 7;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "plain";
	int n = argc > 2 ? atoi(argv[2]) : 3;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strcmp(what, "threads"))
		return threads(n);
	if (!strcmp(what, "short"))
		return short_threads(n);
	if (!strcmp(what, "clones"))
		return clones();
	if (!strcmp(what, "leader"))
		return leader();
	if (!strcmp(what, "c11"))
		return c11(n);
	if (!strcmp(what, "cancel"))
		return cancel(n);
	if (!strcmp(what, "forks"))
		return forks(n);
	if (!strcmp(what, "vforks"))
		return vforks(argv[0], n);
	if (!strcmp(what, "exec"))
		return exec_thread(argv[0]);
	if (!strcmp(what, "owner"))
		return owner(n);
	if (!strcmp(what, "waits"))
		return waits(n);
	if (!strcmp(what, "defaults"))
		return defaults();
	if (!strcmp(what, "timers"))
		return timers();
	if (!strcmp(what, "sleeps"))
		return sleeps(n);
	if (!strcmp(what, "masks"))
		return masks();
	if (!strcmp(what, "coroutines"))
		return coroutines();
	if (!strcmp(what, "overflow"))
		return overflow(n);
	if (!strcmp(what, "filter"))
		return filter(n);
	if (!strcmp(what, "forever"))
		endless();
	return plain();
}
