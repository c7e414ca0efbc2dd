/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random_mixed.c - a process that was made by chance (random_recording.c), joined with samples of
 * it: on the paths of its tree, of functions and libraries below them that have no cell, in the
 * recording's own code, without their outer end. Every third process has taken samples of itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

#define SAMPLES 300u /* of a thread */
#define NODES_MAX 64

static const enum maker_site functions[] = { MAIN_ENTER,   WORK_ENTER,	REC_ENTER,  TWIN_A_ENTER,
					     TWIN_B_ENTER, CLONE_ENTER, TAIL_ENTER, LINED_ENTER };
static const char *const names[] = { "main", "work", "rec", "twin", "twin", "clone", "tail", "lined" };
static const enum maker_site calls[] = { MAIN_WORK,    MAIN_REC,  MAIN_PUTS,  MAIN_USLEEP,
					 MAIN_POINTER, MAIN_TWIN, WORK_READ,  WORK_REC,
					 WORK_TAIL,    REC_REC,	  LINED_PUTS, LINED_LINED };
static const uint64_t of_libc[] = { PUTS, 0x1020, 0x1208, 0x1308 };
static const char *const libc_names[] = { "puts", "usleep", "inner", "read_in_libc" };

static struct pair pair;
static uint64_t state;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % n;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct maker_symbol *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->address < y->address ? -1 : 1;
}

/* Number of the function that a sled is in. */
static uint32_t function_of(enum maker_site site)
{
	uint32_t n = ARRAY_SIZE(functions);

	while (functions[n - 1] > site)
		n--;
	return n - 1;
}

static void symbols(struct maker *m)
{
	struct maker_symbol list[48];
	size_t n = 0;

	for (uint32_t i = 0; i < ARRAY_SIZE(functions); i++)
		list[n++] = (struct maker_symbol){ APP, IN(functions[i]), AT(functions[i]), names[i] };
	for (uint32_t i = 0; i < ARRAY_SIZE(calls); i++)
		list[n++] =
			(struct maker_symbol){ APP, CALL_AT(calls[i]), AT(functions[function_of(calls[i])]),
					       names[function_of(calls[i])] };
	list[n++] = (struct maker_symbol){ APP, 0x3008, 0x3000, "_start" };
	for (uint32_t i = 0; i < ARRAY_SIZE(of_libc); i++)
		list[n++] =
			(struct maker_symbol){ LIBC, of_libc[i] + 8 * (i > 1), of_libc[i], libc_names[i] };
	qsort(list, n, sizeof(list[0]), by_address);
	maker_symbols(m, list, n);
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static int is_node(const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	return kind == CINSTR_CELL_FRAME || kind == CINSTR_CELL_CALL || kind == CINSTR_CELL_INDIRECT;
}

static enum maker_site site_of(uint32_t code)
{
	return (code - MAKER_CODE_BASE) / 8;
}

/* Some node of the thread. */
static uint32_t some_node(uint32_t thread)
{
	uint32_t first = maker_root(&pair.timed, thread), at;

	do
		at = first + below(pair.timed.n_cells[thread]);
	while (!is_node(maker_cell_at(&pair.timed, at)));
	return at;
}

/* The stack of who has called this node: a frame that jumped on is not on it. */
static uint32_t stack_of_call(uint32_t thread, uint32_t node)
{
	uint32_t path[NODES_MAX], n = 0, at = 0;

	for (; node != maker_root(&pair.timed, thread); node = maker_cell_at(&pair.timed, node)->parent)
		path[n++] = node;
	at = below(8) ? maker_stack(&pair.sampled, 0, APP, 0x3008)
		      : maker_stack(&pair.sampled, 0, CINSTR_NODE_TRUNCATED, 0);
	if (!below(12))
		n -= below(n); /* its outer end is missing, and nothing tells */
	while (n-- > 0) {
		uint32_t site = maker_cell_at(&pair.timed, path[n])->site;

		if (site && CINSTR_CODE_KIND(site) == CINSTR_EV_BEFORE)
			at = maker_stack(&pair.sampled, at, APP, CALL_AT(site_of(site)));
	}
	return at;
}

/* Below a function of the program: itself, or who it calls that has no cell. */
static uint32_t stack_in(uint32_t at, enum maker_site function)
{
	uint32_t call = calls[below(ARRAY_SIZE(calls))];

	if (below(3) || functions[function_of(call)] != function)
		return maker_stack(&pair.sampled, at, APP, IN(function));
	at = maker_stack(&pair.sampled, at, APP, CALL_AT(call));
	switch (below(6)) {
	case 0:
		return pair_in_libc(&pair, at, 0x1210);
	case 1:
		return pair_in_libc(&pair, pair_in_libc(&pair, at, 0x1310), 0x1210);
	case 2:
		return maker_stack(&pair.sampled, at, 0, STUBS + 8);
	case 3:
		return maker_stack(&pair.sampled, at, 0, THUNKS + 8);
	case 4:
		return maker_stack(&pair.sampled, at, 0, RUNTIME + 8);
	default:
		return maker_stack(&pair.sampled, at, APP, IN(functions[below(ARRAY_SIZE(functions))]));
	}
}

static uint32_t some_stack(uint32_t thread)
{
	uint32_t node = some_node(thread), at = stack_of_call(thread, node);
	const struct cinstr_cell *cell = maker_cell_at(&pair.timed, node);

	if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_FRAME)
		return stack_in(at, site_of(cell->func));
	at = pair_in_libc(&pair, at, of_libc[below(2)]);
	return below(5) ? at : maker_stack(&pair.sampled, at, CINSTR_NODE_KERNEL, 0);
}

/* ---- the process ----------------------------------------------------------------------------- */

static void elements(uint32_t type, uint32_t owner, const void *list, size_t bytes)
{
	size_t at = maker_segment(&pair.timed, type, owner, 2);

	memcpy(pair.timed.bytes + at, list, bytes);
	((struct cinstr_segment *)(void *)(pair.timed.bytes + at))[-1].used = bytes;
}

/* Whose time it was, in pieces of 30 ms. */
static void long_intervals(uint32_t thread, uint64_t length)
{
	struct cinstr_long_interval list[100];
	uint32_t n = 0;

	for (uint64_t at = 30 * MS; at < length && n < ARRAY_SIZE(list); at += 30 * MS)
		if (below(3))
			list[n++] = (struct cinstr_long_interval){ MAKER_BEGIN + at, (uint32_t)(30 * MS),
								   some_node(thread) };
	elements(CINSTR_SEG_LONG_INTERVALS, thread, list, n * sizeof(*list));
}

static void samples_with_stacks(uint32_t thread, uint64_t length)
{
	/* one of a thread that was not recorded, and one of the same tid before it */
	uint32_t other = maker_task(&pair.sampled, 9000 + thread, "other");
	uint32_t first = maker_task(&pair.sampled, maker_thread_at(&pair.timed, thread)->tid, "");
	uint32_t task = maker_task(&pair.sampled, maker_thread_at(&pair.timed, thread)->tid, "");

	maker_samples(&pair.sampled, other, some_stack(thread), below(99), 1 + below(9));
	maker_samples(&pair.sampled, first, some_stack(thread), below(99), 10 + below(9));

	for (uint32_t left = SAMPLES; left;) {
		uint32_t n = 1 + below(left < 20 ? left : 20);

		maker_samples(&pair.sampled, task, some_stack(thread), below((uint32_t)(length / MS)), n);
		left -= n;
	}
}

static void samples_without_stacks(uint32_t thread, uint64_t length)
{
	static const uint64_t own[] = { THUNKS + 8, STUBS + 8, RUNTIME + 8, MAKER_LIBC + 0x208,
					MAKER_LIBC + 0x18 };
	struct cinstr_self_sample list[SAMPLES];
	uint32_t rare_from = below(2) ? below(SAMPLES) : SAMPLES;

	for (uint32_t i = 0; i < SAMPLES; i++) {
		uint64_t address = below(3) ? MAKER_BASE + IN(functions[below(ARRAY_SIZE(functions))])
					    : own[below(ARRAY_SIZE(own))];

		list[i] = (struct cinstr_self_sample){ MAKER_BEGIN + length / SAMPLES * i,
						       address & UINT64_MAX >> 8, i < rare_from ? 0 : 9 };
	}
	elements(CINSTR_SEG_SELF_SAMPLES, thread, list, sizeof(list));
}

static void make(unsigned number)
{
	int is_alone = number % 3 == 2;

	state = number * 77 + 9;
	maker_sampled_init(&pair.sampled);
	symbols(&pair.sampled);
	maker_room(&pair.sampled, &pair.sampled.stacks, CINSTR_SEG_STACKS, 16);
	maker_room(&pair.sampled, &pair.sampled.samples, CINSTR_SEG_SAMPLES, 16);
	pair_own_code(&pair);
	maker_header(&pair.timed)->self_sampled = (uint8_t)is_alone;
	for (uint32_t t = 0; t < pair.timed.n_threads; t++) {
		uint64_t length = pair.timed.ticks[t];

		maker_thread_at(&pair.timed, t)->first_ticks = MAKER_BEGIN;
		if (is_alone || number % 2)
			long_intervals(t, length);
		if (is_alone)
			samples_without_stacks(t, length);
		else
			samples_with_stacks(t, length);
	}
}

int random_mixed_write(const char *folder, unsigned number)
{
	pair.timed = *maker_random_mixed(number);
	make(number);
	maker_sampling(&pair.sampled)->flags |= CINSTR_SAMPLING_BESIDE;
	maker_sampling(&pair.sampled)->source = CINSTR_SOURCE_TIMERS;
	maker_header(&pair.sampled)->pid = maker_header(&pair.timed)->pid;
	maker_header(&pair.sampled)->process_start = maker_header(&pair.timed)->process_start;
	snprintf(pair.timed.path, sizeof(pair.timed.path), "%s/app.%u.cinstr", folder, 5000 + number);
	snprintf(pair.sampled.path, sizeof(pair.sampled.path), "%s/app.%u.sampled.cinstr", folder,
		 5000 + number);
	maker_write(&pair.timed);
	if (number % 3 != 2)
		maker_write(&pair.sampled);
	free(pair.timed.bytes);
	free(pair.sampled.bytes);
	return 0;
}

void random_mixed_open(struct data *data, unsigned number)
{
	struct data *sampled = calloc(1, sizeof(*sampled));

	pair.timed = *maker_random_mixed(number);
	make(number);
	if (data_open(data, maker_write(&pair.timed)) || data_open(sampled, maker_write(&pair.sampled)))
		abort();
	if (number % 3 == 2) {
		data_release(sampled);
		free(sampled);
		mixed_join_own(data);
	} else {
		mixed_join(data, sampled);
	}
}

void random_mixed_close(struct data *data)
{
	data_release(data);
	maker_release(&pair.timed);
	maker_release(&pair.sampled);
}
