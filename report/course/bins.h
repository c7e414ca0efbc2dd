/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bins.h - what each thread did, by stretches of time of one length. While the session turns out to
 * be longer than the bins reach, they become twice as long.
 */
#ifndef REPORT_COURSE_BINS_H
#define REPORT_COURSE_BINS_H

#include <stddef.h>

#include "time_kinds.h"

/* So many of a thread, and of all threads. The thread that ends last has half as many at least, as
 * far as there are not too many threads. */
#define BINS_OF_THREAD 2048
#define BINS_OF_ALL ((size_t)256 * 1024)
#define BINS_LEAST 64

struct bin {
	double ns[TIME_KINDS];
};

struct bins_thread {
	struct bin *list; /* from the session's begin on */
	size_t n, size;
};

struct bins {
	double width; /* ns */
	size_t most;  /* of a thread */
	size_t n_all;
	struct bins_thread *threads;
	size_t n_threads;
};

void bins_init(struct bins *bins);
/* So many ns of [from, to], evenly spread over it. */
void bins_add(struct bins *bins, size_t thread, enum time_kind kind, double from, double to, double ns);
/* Makes them longer, until there are no more than `most` of them, or few. */
void bins_widen(struct bins *bins, double most);
void bins_release(struct bins *bins);

#endif
