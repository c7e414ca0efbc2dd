/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workers.h - does work ahead in other threads, while one thread takes the results in order:
 * output does not depend on the number of threads.
 */
#ifndef REPORT_LIB_WORKERS_H
#define REPORT_LIB_WORKERS_H

#include <stddef.h>

/* Returns the number of threads: of processors, or CINSTR_REPORT_THREADS; at most 8. */
unsigned workers_threads(void);

struct workers;
/* Starts do_item(arg, 0) ... do_item(arg, n - 1) in other threads, at most `ahead` items beyond the
 * one that is wanted next. With one thread or one item, workers_wait() does the work. */
struct workers *workers_begin(size_t n, size_t ahead, void (*do_item)(void *arg, size_t item), void *arg);
/* Waits for an item. To be called for 0, 1, ... in order. The result of the item before may be
 * overwritten from then on. */
void workers_wait(struct workers *tasks, size_t item);
/* Ends the threads. All items must have been waited for. */
void workers_end(struct workers *tasks);

#endif
