/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * user_values.c - counts and tags whose sums are known. user_values HOW: end, kill (dies of SIGKILL
 * at the end, within a tag), fork (a child does all once more), exec (so does the program that
 * takes its place), many (values of a tag, more than a thread keeps), statuses (prints what calls
 * return).
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cinstr.h"

#define NOINLINE __attribute__((noinline))
#define SLEEP_MS 30

static volatile long sink;

static NOINLINE void work(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
}

/* counts 10 rows and 1 batch */
static NOINLINE void parse(void)
{
	work(1000);
	cinstr_count("rows", 4);
	cinstr_count("rows", 6);
	cinstr_count("batches", 1);
	work(10);
}

static NOINLINE void skip(void)
{
	work(10);
	cinstr_count("rows", 1);
	work(10);
}

/* counts 10 * n rows */
static NOINLINE void load(int n)
{
	for (int i = 0; i < n; i++)
		parse();
	work(10);
}

static NOINLINE void nap(void)
{
	const struct timespec time = { 0, SLEEP_MS * 1000000 };

	nanosleep(&time, NULL);
}

static NOINLINE void handle(int64_t id)
{
	cinstr_tag("request", id);
	work(1000);
	if (id == 3)
		nap();
	if (id % 2)
		skip();
	cinstr_tag_end("request");
}

/* Goes on with the work of the thread that has begun it. */
static NOINLINE void *worker(void *data)
{
	const struct cinstr_tags *tags = data;

	cinstr_tag_put(*tags);
	nap();
	load(5);
	return NULL;
}

static NOINLINE void hand_over(void)
{
	struct cinstr_tags tags;
	pthread_t thread;

	cinstr_tag("request", -77);
	cinstr_tag("tenant", 5);
	cinstr_tag_take(&tags);
	cinstr_tag_end(NULL);
	if (pthread_create(&thread, NULL, worker, &tags) || pthread_join(thread, NULL))
		abort();
}

/* counts 50 + 100 + 5 * 1 rows, 15 batches */
static NOINLINE void all(void)
{
	for (int64_t id = 0; id < 10; id++)
		handle(id);
	hand_over();
	load(10);
}

/* 1,000 values, of which every tenth has more time */
static NOINLINE void many(void)
{
	for (int64_t id = 0; id < 1000; id++) {
		cinstr_tag("many", id);
		work(id % 10 ? 10 : 100000);
	}
	cinstr_tag_end("many");
}

static NOINLINE void statuses(void)
{
	printf("count: %d\n", cinstr_count("rows", 1));
	printf("too much: %d\n", cinstr_count("rows", UINT64_MAX));
	printf("no name: %d\n", cinstr_count("", 1));
	printf("long name: %d\n", cinstr_tag("a-name-of-more-than-thirty-one-bytes", 1));
	for (char name[] = "a"; *name <= 'e'; ++*name)
		printf("tag %s: %d\n", name, cinstr_tag(name, 1));
	printf("end: %d\n", cinstr_tag_end(NULL));
	cinstr_suspend(CINSTR_THREAD, CINSTR_SELF);
	printf("off: %d\n", cinstr_count("rows", 1));
	printf("off: %d\n", cinstr_tag("a", 1));
	cinstr_resume(CINSTR_THREAD, CINSTR_SELF);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "end";

	if (!strcmp(how, "many"))
		many();
	else if (!strcmp(how, "statuses"))
		statuses();
	else
		all();
	if (!strcmp(how, "fork")) {
		pid_t child = fork();

		if (!child)
			all();
		else if (waitpid(child, NULL, 0) != child)
			abort();
	}
	if (!strcmp(how, "exec"))
		execl(argv[0], argv[0], "end", (char *)NULL);
	if (!strcmp(how, "kill")) {
		cinstr_tag("request", 1000);
		cinstr_flush(); /* the reader goes on with the tag */
		nap();
		raise(SIGKILL);
	}
	return 0;
}
