/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What inner loops do to memory. `columns`: goes through a matrix across its lines; `lines`: along
 * them. `list`: goes from pointer to pointer; `array`: not. `atomic`: two threads count by locked
 * instructions; `one`: one thread does. `dice`: four threads meet at the lock of rand(); `die`: one
 * thread; `own`: rand_r() has none. `value`: passes a large struct by value; `pointer`: not.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 2048
#define THINGS (64 * SIDE)
#define N __attribute__((noinline))

struct thing {
	struct thing *next;
	unsigned long value;
};

static atomic_ulong counter;

N static unsigned long add_columns(const unsigned *matrix)
{
	unsigned long sum = 0;

	for (int x = 0; x < SIDE; x++)
		for (int y = 0; y < SIDE; y++)
			sum += matrix[y * SIDE + x]; /* across */
	return sum;
}

N static unsigned long add_lines(const unsigned *matrix)
{
	unsigned long sum = 0;

	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			sum = sum * 3 + matrix[y * SIDE + x];
	return sum;
}

N static unsigned long add_list(const struct thing *thing)
{
	unsigned long sum = 0;

	for (; thing; thing = thing->next) /* from pointer to pointer */
		sum += thing->value;
	return sum;
}

N static unsigned long add_array(const struct thing *things, int n)
{
	unsigned long sum = 0;

	for (int i = 0; i < n; i++)
		sum = sum * 3 + things[i].value;
	return sum;
}

N static void *count(void *times)
{
	for (long i = 0; i < (long)times; i++)
		atomic_fetch_add(&counter, 1); /* locked */
	return NULL;
}

N static void *dice(void *times)
{
	long sixes = 0;

	for (long i = 0; i < (long)times; i++)
		sixes += rand() % 6 == 5; /* throws */
	atomic_fetch_add(&counter, sixes);
	return NULL;
}

N static void *own_dice(void *times)
{
	unsigned state = 1;
	long sixes = 0;

	for (long i = 0; i < (long)times; i++)
		sixes += rand_r(&state) % 6 == 5;
	atomic_fetch_add(&counter, sixes);
	return NULL;
}

N static void run_in(void *(*function)(void *), long times, int threads)
{
	pthread_t thread[4];

	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, function, (void *)times);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

struct board {
	unsigned short square[4096];
};

N static unsigned long score(struct board board, unsigned move)
{
	return board.square[move % 4096] + move;
}

N static unsigned long score_at(const struct board *board, unsigned move)
{
	return board->square[move % 4096] + move;
}

N static unsigned long play(const struct board *board, int by_value)
{
	unsigned long sum = 0;

	for (unsigned move = 0; move < 400000; move++)
		sum += by_value ? score(*board, move) /* by value */ : score_at(board, move);
	return sum;
}

int main(int argc, char **argv)
{
	static struct board board;
	const char *what = argc > 1 ? argv[1] : "";
	unsigned *matrix = malloc(SIDE * SIDE * sizeof(*matrix));
	struct thing *things = calloc(THINGS, sizeof(*things));
	unsigned long sum = 0;

	for (int i = 0; i < SIDE * SIDE; i++)
		matrix[i] = (unsigned)i;
	for (int i = 0; i < THINGS; i++)
		things[i].next = i + 1 < THINGS ? &things[i + 1] : NULL;
	for (int i = 0; i < 20; i++)
		sum += !strcmp(what, "columns") ? add_columns(matrix) : !strcmp(what, "lines") ? add_lines(matrix) : 0;
	for (int i = 0; i < 600; i++)
		sum += !strcmp(what, "list") ? add_list(things) : !strcmp(what, "array") ? add_array(things, THINGS) : 0;
	run_in(count, 30000000, !strcmp(what, "atomic") ? 2 : !strcmp(what, "one"));
	run_in(dice, 4000000, !strcmp(what, "dice") ? 4 : !strcmp(what, "die"));
	run_in(own_dice, 20000000, !strcmp(what, "own") ? 2 : 0);
	sum += !strcmp(what, "value") ? play(&board, 1) : !strcmp(what, "pointer") ? play(&board, 0) : 0;
	printf("%lu\n", sum + counter);
	free(matrix);
	free(things);
	return 0;
}
