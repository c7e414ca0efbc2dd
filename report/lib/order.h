/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * order.h - functions that compare two items for a sort, each as a list of what is compared:
 *
 *   ORDER_ITEMS(by_time, struct line, ORDER(y->time, x->time), strcmp(x->name, y->name))
 *
 * defines by_time() for util_sort() of an array of struct line: most time first, then by name.
 */
#ifndef REPORT_ORDER_H
#define REPORT_ORDER_H

/* Returns -1, 0 or 1, as `a` is less than, equal to or greater than `b`. Both are evaluated
 * twice. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Returns the first of up to seven numbers that is not 0. What follows it is not evaluated. */
#define ORDER_FIRST(...) \
	ORDER_EIGHTH(__VA_ARGS__, ORDER_7, ORDER_6, ORDER_5, ORDER_4, ORDER_3, ORDER_2, ORDER_1)(__VA_ARGS__)
#define ORDER_EIGHTH(a, b, c, d, e, f, g, eighth, ...) eighth
#define ORDER_1(a) (a)
#define ORDER_2(a, ...) ((a) ?: ORDER_1(__VA_ARGS__))
#define ORDER_3(a, ...) ((a) ?: ORDER_2(__VA_ARGS__))
#define ORDER_4(a, ...) ((a) ?: ORDER_3(__VA_ARGS__))
#define ORDER_5(a, ...) ((a) ?: ORDER_4(__VA_ARGS__))
#define ORDER_6(a, ...) ((a) ?: ORDER_5(__VA_ARGS__))
#define ORDER_7(a, ...) ((a) ?: ORDER_6(__VA_ARGS__))

/* Defines a static function that compares items of this type. Each further argument is an
 * expression of the pointers x and y, negative if *x comes first, 0 if the next one decides. */
#define ORDER_ITEMS(name, type, ...) \
	static int name(const void *x_, const void *y_, void *arg_) \
	{ \
		const type *x = x_; \
		const type *y = y_; \
\
		(void)arg_; \
		return ORDER_FIRST(__VA_ARGS__); \
	}

/* The same for arrays of pointers to items of this type. */
#define ORDER_POINTERS(name, type, ...) \
	static int name(const void *x_, const void *y_, void *arg_) \
	{ \
		const type *x = *(const type *const *)x_, *y = *(const type *const *)y_; \
\
		(void)arg_; \
		return ORDER_FIRST(__VA_ARGS__); \
	}

#endif
