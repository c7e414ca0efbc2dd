/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Phases between marks, with known calls, in two threads and a forked child (ranges.py).
 *
 *	phases       30 calls and a wait of 30 ms; 70 calls; qsort() of 50 numbers
 *	family       two threads and a child, each with calls of its own number
 *	outside      functions of a "system header" that call one another and back
 */
#include "../trees/e2e.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cinstr.h"
#include "include/c++/system.h"

KEEP static void leaf(void)
{
	for (int i = 0; i < 2000; i++)
		sink = i;
}

KEEP static void leaves(int n)
{
	while (n-- > 0)
		leaf();
	sink = 0;
}

KEEP static void wait_ms(long ms)
{
	struct timespec t = { 0, ms * 1000000 };

	nanosleep(&t, NULL);
	sink = 1;
}

KEEP static int compare(const void *a, const void *b)
{
	sink = 2;
	return *(const int *)a - *(const int *)b;
}

KEEP static void sort(void)
{
	int list[50];

	for (int i = 0; i < 50; i++)
		list[i] = i * 37 % 50;
	qsort(list, 50, sizeof(*list), compare);
	sink = list[0];
}

KEEP static void phases(void)
{
	cinstr_mark_text(1, "first");
	leaves(30);
	wait_ms(30);
	cinstr_mark_text(2, "second");
	leaves(70);
	cinstr_mark_text(3, "third");
	sort();
	cinstr_mark_text(4, "end");
	sink = 3;
}

static void *run(void *name)
{
	pthread_setname_np(pthread_self(), name);
	leaves(*(const char *)name == 'a' ? 11 : 13);
	return NULL;
}

KEEP static void family(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, run, "alpha");
	pthread_create(&b, NULL, run, "beta");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (!fork()) {
		leaves(17);
		exit(0);
	}
	wait(NULL);
	leaves(19);
}

static void back(void)
{
	leaves(5);
	sink = 4;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "phases"))
		phases();
	if (argc > 1 && !strcmp(argv[1], "family"))
		family();
	if (argc > 1 && !strcmp(argv[1], "outside"))
		system_outer(back);
	return 0;
}
