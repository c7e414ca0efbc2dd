/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bins.h - what each thread did, by bins of time of one width. If the session exceeds the bins,
 * their width is doubled.
 */
#ifndef REPORT_COURSE_BINS_H
#define REPORT_COURSE_BINS_H

#include <stddef.h>

#include "time_kinds.h"

/* Limits: bins of one thread, and of all threads. The thread that ends last has at least half of
 * its limit, unless there are too many threads. */
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
	size_t most;  /* limit for a thread */
	size_t n_all;
	struct bins_thread *threads;
	size_t n_threads;
};

void bins_init(struct bins *bins);
/* Adds `ns` nanoseconds, spread evenly over [from, to]. */
void bins_add(struct bins *bins, size_t thread, enum time_kind kind, double from, double to, double ns);
/* Doubles the width until there are `most` bins at most, or few. */
void bins_widen(struct bins *bins, double most);
void bins_release(struct bins *bins);

#endif
