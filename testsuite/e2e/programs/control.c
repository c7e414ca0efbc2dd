/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that options of the plugin name: where recording goes on and off (control.py). */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int sink;
static jmp_buf back;

static void leaf(void)
{
	sink++;
}

static void inner(int n)
{
	leaf();
	if (n == 9)
		longjmp(back, 1);
	leaf();
}

static void region(int n)
{
	inner(n);
	leaf();
}

static void outer(int n)
{
	leaf();
	region(n);
	leaf();
}

static void recurse(int n)
{
	leaf();
	if (n)
		recurse(n - 1);
	leaf();
}

/* Off in the one and on in the other, which stands at the same place on the stack. */
static void go_off(void)
{
	leaf();
}

static void go_on(void)
{
	leaf();
}

static void between(void)
{
	leaf();
}

static void toggled(int n)
{
	go_off();
	between();
	if (n)
		toggled(n - 1);
	go_on();
	leaf();
}

static void rest(long milliseconds)
{
	struct timespec time = { 0, milliseconds * 1000000 };

	nanosleep(&time, NULL);
}

static void *thread(void *n)
{
	leaf();
	outer((int)(long)n);
	return NULL;
}

static void threads(void)
{
	pthread_t id[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&id[i], NULL, thread, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
}

/* Forks where recording is off, and where it is on. */
static void forker(int n)
{
	if (!fork()) {
		region(n);
		leaf();
		_exit(0);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	leaf();
	switch (argc > 1 ? *argv[1] : 0) {
	case 'l': /* leaving */
		for (int i = 0; i < 3; i++)
			outer(i);
		if (!setjmp(back))
			outer(9);
		leaf();
		outer(0);
		break;
	case 'r':
		recurse(20);
		leaf();
		break;
	case 's': /* switching */
		toggled(2);
		leaf();
		break;
	case 'w': /* waiting */
		rest(80);
		leaf();
		break;
	case 't':
		threads();
		break;
	case 'f':
		forker(0);
		leaf();
		break;
	}
	printf("%d\n", sink > 0);
	return 0;
}
