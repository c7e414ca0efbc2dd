/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a program asks for through cinstr.h while it is sampled; prints the answers. asks WHAT. What
 * runs while recording is off is in functions called off_...
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cinstr.h"

static volatile unsigned long sink;

static long long used_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static inline __attribute__((always_inline)) void spin(long long ms)
{
	long long end = used_ns() + ms * 1000000;

	while (used_ns() < end)
		for (int i = 0; i < 20000; i++)
			sink += (unsigned long)i;
}

__attribute__((noinline)) static void on_work(long long ms)
{
	spin(ms);
}

__attribute__((noinline)) static void off_work(long long ms)
{
	spin(ms);
}

static void say(const char *what, enum cinstr_status status)
{
	printf("%s: %s\n", what, cinstr_status_text(status));
}

static void levels(void)
{
	printf("on: %d\n", cinstr_is_on());
	on_work(100);
	say("stop", cinstr_stop(CINSTR_PROCESS, CINSTR_SELF));
	printf("on: %d\n", cinstr_is_on());
	off_work(100);
	say("mark while off", cinstr_mark(7));
	say("start", cinstr_start(CINSTR_PROCESS, CINSTR_SELF));
	for (int i = 0; i < 20; i++) {
		on_work(10);
		cinstr_suspend(CINSTR_THREAD, CINSTR_SELF);
		off_work(10);
		cinstr_resume(CINSTR_THREAD, CINSTR_SELF);
	}
	printf("on: %d\n", cinstr_is_on());
	say("no such thread", cinstr_stop(CINSTR_THREAD, 0x7ffffff0));
	say("no such process", cinstr_stop(CINSTR_PROCESS, 0x7ffffff0));
	say("no such level", cinstr_stop((enum cinstr_level)9, CINSTR_SELF));
}

static void *thread_work(void *ms)
{
	say("name", cinstr_name(CINSTR_THREAD, CINSTR_SELF, "worker"));
	say("name again", cinstr_name(CINSTR_THREAD, CINSTR_SELF, "worker"));
	on_work(100);
	cinstr_stop(CINSTR_THREAD, CINSTR_SELF);
	printf("on: %d\n", cinstr_is_on());
	off_work(*(long long *)ms);
	return NULL;
}

static void threads(void)
{
	pthread_t thread;
	long long ms = 200;

	say("name", cinstr_name(CINSTR_PROCESS, CINSTR_SELF, "boss"));
	pthread_create(&thread, NULL, thread_work, &ms);
	pthread_join(thread, NULL);
	on_work(200);
	printf("on: %d\n", cinstr_is_on());
}

static void *off_thread_work(void *unused)
{
	(void)unused;
	say("name", cinstr_name(CINSTR_THREAD, CINSTR_SELF, "idler"));
	off_work(200);
	return NULL;
}

/* A thread that begins and ends while recording is off. */
static void off_thread(void)
{
	pthread_t thread;

	cinstr_suspend(CINSTR_PROCESS, CINSTR_SELF);
	pthread_create(&thread, NULL, off_thread_work, NULL);
	pthread_join(thread, NULL);
	cinstr_resume(CINSTR_PROCESS, CINSTR_SELF);
	on_work(200);
}

static void marks(void)
{
	say("mark", cinstr_mark(3));
	on_work(60);
	say("text", cinstr_mark_text(4, "second half"));
	say("zero", cinstr_mark(0));
	say("flush", cinstr_flush());
	say("choose", cinstr_choose("all"));
	on_work(60);
}

/* The child begins as its parent was. */
static void forks(void)
{
	cinstr_suspend(CINSTR_PROCESS, CINSTR_SELF);
	fflush(stdout);
	if (!fork()) {
		printf("on: %d\n", cinstr_is_on());
		off_work(100);
		cinstr_resume(CINSTR_PROCESS, CINSTR_SELF);
		printf("on: %d\n", cinstr_is_on());
		on_work(100);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	off_work(100);
	cinstr_resume(CINSTR_PROCESS, CINSTR_SELF);
	on_work(100);
}

static void paused(void)
{
	printf("on: %d\n", cinstr_is_on());
	off_work(100);
	say("start", cinstr_start(CINSTR_PROCESS, CINSTR_SELF));
	printf("on: %d\n", cinstr_is_on());
	on_work(400);
}

static void nothing(void)
{
	on_work(100);
}

/* Until its control block says so. */
static void waits(void)
{
	for (int i = 0; i < 3000 && cinstr_is_on(); i++)
		on_work(10);
	printf("off from outside\n");
	fflush(stdout);
	for (int i = 0; i < 3000 && !cinstr_is_on(); i++)
		off_work(10);
	printf("on from outside\n");
	fflush(stdout);
	on_work(300);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = { { "levels", levels },   { "threads", threads }, { "off_thread", off_thread },
		    { "marks", marks },	    { "forks", forks },	    { "paused", paused },
		    { "nothing", nothing }, { "waits", waits } };

	for (unsigned i = 0; argc > 1 && i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(argv[1], all[i].name))
			all[i].run();
	return 0;
}
