/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bins.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

#define FIRST_WIDTH 1000 /* ns */
#define FEWEST 32	 /* of a thread */

void bins_init(struct bins *bins)
{
	*bins = (struct bins){ .width = FIRST_WIDTH, .most = BINS_OF_THREAD };
}

static void join_thread(struct bins_thread *thread)
{
	size_t n = (thread->n + 1) / 2;

	for (size_t i = 0; i < n; i++) {
		struct bin sum = thread->list[2 * i];

		for (int kind = 0; kind < TIME_KINDS && 2 * i + 1 < thread->n; kind++)
			sum.ns[kind] += thread->list[2 * i + 1].ns[kind];
		thread->list[i] = sum;
	}
	thread->n = n;
}

static void double_width(struct bins *bins)
{
	bins->width *= 2;
	bins->n_all = 0;
	for (size_t i = 0; i < bins->n_threads; i++) {
		join_thread(&bins->threads[i]);
		bins->n_all += bins->threads[i].n;
	}
}

static struct bins_thread *thread_of(struct bins *bins, size_t number)
{
	ARRAY_REACH_ZEROED(bins->threads, number, bins->n_threads);
	return &bins->threads[number];
}

/* There are `n` bins at least then. */
static void reach(struct bins *bins, struct bins_thread *thread, size_t n)
{
	if (n <= thread->n)
		return;
	ARRAY_REACH(thread->list, n, thread->size);
	memset(thread->list + thread->n, 0, (n - thread->n) * sizeof(*thread->list));
	bins->n_all += n - thread->n;
	thread->n = n;
}

void bins_add(struct bins *bins, size_t number, enum time_kind kind, double from, double to, double ns)
{
	struct bins_thread *thread = thread_of(bins, number);
	size_t first, last;

	if (from < 0)
		from = 0;
	if (to < from)
		to = from;
	while (to >= bins->width * (double)bins->most)
		double_width(bins);
	while (bins->n_all > BINS_OF_ALL && bins->most > BINS_LEAST) {
		bins->most /= 2;
		double_width(bins);
	}
	first = (size_t)(from / bins->width);
	last = (size_t)(to / bins->width);
	reach(bins, thread, last + 1);
	if (first == last) {
		thread->list[first].ns[kind] += ns;
		return;
	}
	for (size_t i = first; i <= last; i++) {
		double begin = (double)i * bins->width, end = begin + bins->width;

		begin = begin < from ? from : begin;
		end = end > to ? to : end;
		thread->list[i].ns[kind] += ns * (end - begin) / (to - from);
	}
}

void bins_widen(struct bins *bins, double most)
{
	size_t longest = 0;

	for (size_t i = 0; i < bins->n_threads; i++)
		longest = bins->threads[i].n > longest ? bins->threads[i].n : longest;
	for (; (double)bins->n_all > most && longest > FEWEST; longest = (longest + 1) / 2)
		double_width(bins);
}

void bins_release(struct bins *bins)
{
	for (size_t i = 0; i < bins->n_threads; i++)
		free(bins->threads[i].list);
	free(bins->threads);
	*bins = (struct bins){ 0 };
}
