/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * worker_pool.h - work done ahead by other threads, and taken in order by one: what is shown does
 * not depend on how many there are.
 */
#ifndef REPORT_LIB_WORKER_POOL_H
#define REPORT_LIB_WORKER_POOL_H

#include <stddef.h>

/* Threads that work at once: processors, at most 8; CINSTR_REPORT_THREADS says another number. */
unsigned tasks_threads(void);

struct tasks;
/*
 * Begins do_item(arg, 0), do_item(arg, 1), ... do_item(arg, n - 1) in other threads, at most
 * `ahead` items before the one that is wanted next. With one thread, or one item, each is done when
 * it is wanted.
 */
struct tasks *tasks_begin(size_t n, size_t ahead, void (*do_item)(void *arg, size_t item), void *arg);
/* Waits until the item is done; to be called for 0, 1, ... in this order. What the item before has
 * left may be gone by now. */
void tasks_wait(struct tasks *tasks, size_t item);
/* All items have been waited for. */
void tasks_end(struct tasks *tasks);

#endif
