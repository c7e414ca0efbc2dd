/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways down and out, for a limited number of levels (switching.py): depth WHAT. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinstr.h>

static volatile int sink;
static jmp_buf back;
static sigjmp_buf signal_back;

static void leaf(void)
{
	sink++;
}

static void recurse(int n)
{
	leaf();
	if (n)
		recurse(n - 1);
	leaf();
}

static void jump(int n)
{
	leaf();
	if (n)
		jump(n - 1);
	longjmp(back, 1);
}

static void jumping(int n)
{
	leaf();
	if (!setjmp(back))
		jump(n);
	leaf();
}

static void *thread(void *data)
{
	(void)data;
	recurse(3);
	return NULL;
}

static void leave(int n)
{
	leaf();
	if (n)
		leave(n - 1);
	pthread_exit(NULL);
}

static void *leaving(void *data)
{
	(void)data;
	leave(3);
	return NULL;
}

static void fork_below(int n)
{
	pid_t pid;

	if (n) {
		fork_below(n - 1);
		leaf();
		return;
	}
	pid = fork();
	if (!pid) {
		recurse(1);
		return; /* both go on up */
	}
	waitpid(pid, NULL, 0);
}

static void on_signal(int number)
{
	leaf();
	recurse(1);
	if (number == SIGUSR2)
		siglongjmp(signal_back, 1);
}

static void raising(int n, int number)
{
	if (n)
		raising(n - 1, number);
	else
		raise(number);
	leaf();
}

struct stacks {
	char *own, *alternate; /* 1 MiB; 64 KiB */
	int number, depth;
};

static void signals(const struct stacks *stacks)
{
	stack_t alternate = { .ss_sp = stacks->alternate, .ss_size = 65536 };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	sigaltstack(&alternate, NULL);
	sigaction(stacks->number, &action, NULL);
	if (!sigsetjmp(signal_back, 1))
		raising(stacks->depth, stacks->number);
	leaf();
	recurse(2);
}

static void *signals_in_thread(void *stacks)
{
	signals(stacks);
	return NULL;
}

/* A handler on an alternate stack above or below the thread's own. */
static void with_stacks(int above, int number, int depth)
{
	char *memory = mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct stacks stacks = { .own = memory + (above ? 0 : 1 << 20),
				 .alternate = memory + (above ? 1 << 20 : 0),
				 .number = number,
				 .depth = depth };
	pthread_attr_t attributes;
	pthread_t id;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stacks.own, 1 << 20);
	pthread_create(&id, &attributes, signals_in_thread, &stacks);
	pthread_join(id, NULL);
}

static void run(int times)
{
	for (int i = 0; i < times; i++)
		recurse(5);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t id;

	if (!strcmp(what, "recursion")) {
		recurse(5);
		leaf();
	} else if (!strcmp(what, "jump")) {
		jumping(3);
		jumping(0);
	} else if (!strcmp(what, "thread")) {
		pthread_create(&id, NULL, thread, NULL);
		pthread_join(id, NULL);
		pthread_create(&id, NULL, leaving, NULL);
		pthread_join(id, NULL);
		recurse(1);
	} else if (!strcmp(what, "fork")) {
		fork_below(2);
		leaf();
	} else if (!strncmp(what, "signal", 6)) { /* signal[-above][-out]-DEPTH */
		with_stacks(strstr(what, "above") != NULL, strstr(what, "out") ? SIGUSR2 : SIGUSR1,
			    atoi(strrchr(what, '-') + 1));
	} else if (!strcmp(what, "live")) {
		recurse(1);
		cinstr_choose("depth=2");
		recurse(3);
		cinstr_choose("depth=0");
		recurse(2);
	} else {
		run(atoi(what));
	}
	return 0;
}
