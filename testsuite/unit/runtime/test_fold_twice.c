/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_fold_twice.c - the fold's hot steps (runtime/fold/fold_hot.c) are a second way to the same
 * tree. Random buffers are folded by fold_run(), and again by fold_record() alone, one record at a
 * time: cells, stack, index and state are the same, byte for byte. A fold that is left in the
 * middle is undone by both.
 *
 * Only which cells a fold has touched may differ: the hot steps touch a cell as they come to it. So
 * the undo journal and the epochs in the cells' tags are left out; and so is what lies on the stack
 * above the open activations, where calls that call nothing leave nothing.
 *
 * What the trees hold is compared with what they held before: a recording has the same values
 * whichever version folds it, also where events are missing or wrong, and where there is no room.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "file/cell_details.h"
#include "lib/util.h"
#include "maker/random_events.h"
#include "runtime/fold/fold_steps.h"
#include "tests.h"

#define STACK_AT (2ull * CINSTR_PAGE)
#define STACK_BYTES ((RANDOM_DEPTH_MAX + 40ull) * sizeof(struct cinstr_open))
#define JOURNAL_AT (4ull * CINSTR_PAGE)
#define JOURNAL_BYTES (256u << 10)
#define CELLS_AT (JOURNAL_AT + JOURNAL_BYTES)
#define CELL_BYTES sizeof(struct cinstr_cell)
#define CELLS_MAX 8192u
#define FILE_BYTES (CELLS_AT + CELLS_MAX * CELL_BYTES)
#define SLOTS 4096u
#define PHASES 6u

#define STREAMS 3000u
#define BUFFERS 5u

typedef size_t run_function(struct fold *fold, const struct cinstr_record *records, size_t n);

/* One of two folds of the same records. */
struct side {
	struct fold fold;
	struct cinstr_thread *thread;
	run_function *run;
	char *before; /* its file, before a fold that is undone */
};

/* What all folds of a stream are like. */
struct limits {
	uint32_t cells, paths, hot_from, stack_bytes, event_cost, n_phases;
	int switched, stop_backward;
	uint64_t phases[PHASES];
};

static uint32_t cells_end; /* of the stream at hand */

static int more_cells(struct fold *fold)
{
	if (fold->cell_end == cells_end)
		return -1;
	fold->cell_end = cells_end;
	return 0;
}

static int no_more(struct fold *fold)
{
	(void)fold;
	return -1;
}

/* fold_run() without the hot steps. */
static size_t run_by_record(struct fold *fold, const struct cinstr_record *records, size_t n)
{
	struct walk w;
	size_t i = 0, used;

	fold_walk_begin(&w, fold);
	if (w.merged)
		fold_flat_expand(&w);
	for (; i < n; i += used) {
		used = fold_record(&w, &records[i], n - i);
		if (!used)
			break;
	}
	w.state->records += i;
	fold_walk_end(&w);
	return i;
}

/* ---- a side ---------------------------------------------------------------------------------- */

static void side_make(struct side *side, run_function *run)
{
	*side = (struct side){ .run = run, .before = xcalloc(1, FILE_BYTES) };
	side->fold.index.slots = xcalloc(SLOTS, sizeof(uint32_t));
	side->fold.file = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void side_release(struct side *side)
{
	munmap(side->fold.file, FILE_BYTES);
	free(side->fold.index.slots);
	free(side->before);
}

static void side_begin(struct side *side, const struct random_events *events, const struct limits *limits)
{
	uint32_t *slots = side->fold.index.slots;
	char *file = side->fold.file;

	memset(file, 0, STACK_AT + STACK_BYTES);
	memset(slots, 0, SLOTS * sizeof(*slots));
	((struct cinstr_header *)(void *)file)->event_cost = limits->event_cost;
	side->thread = (void *)(file + CINSTR_PAGE);
	side->thread->commit = 1;
	side->thread->stack_offset = STACK_AT;
	side->thread->stack_bytes = limits->stack_bytes;
	side->thread->journal_offset = JOURNAL_AT;
	side->thread->journal_bytes = JOURNAL_BYTES;
	side->fold = (struct fold){ .file = file,
				    .thread = side->thread,
				    .sites = events->sites,
				    .index = { slots, SLOTS, 0 },
				    .cell_next = CELLS_AT / CELL_BYTES,
				    .cell_end = CELLS_AT / CELL_BYTES,
				    .max_cells = limits->paths,
				    .hot_from = limits->hot_from,
				    .max_cells_open = CELLS_MAX,
				    .phases = limits->phases,
				    .n_phases = limits->n_phases,
				    .switched = limits->switched,
				    .stop_backward = limits->stop_backward,
				    .more_cells = more_cells,
				    .more_index = no_more };
	CU_ASSERT_EQUAL_FATAL(fold_begin(&side->fold, RANDOM_FIRST), 0);
}

/* The next fold has an epoch of its own: what it finds in the cells is all the same to it. */
static void forget_epochs(const struct side *side)
{
	for (uint32_t i = CELLS_AT / CELL_BYTES; i < side->fold.cell_next; i++) {
		struct cinstr_cell *cell = fold_cell(&side->fold, i);

		cell->tag &= CINSTR_CELL_CYCLIC | 15u;
	}
}

static size_t cells_bytes(const struct side *side)
{
	return side->fold.cell_next * CELL_BYTES - CELLS_AT;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* The first thing that differs, or is not as it has to be; NULL: nothing is. */
static const char *difference(const struct side *a, const struct side *b)
{
	const struct cinstr_thread *t = a->thread, *u = b->thread;
	const struct cinstr_fold_state *state = &t->states[t->commit & 1];

	if (state->merged && state->depth <= state->merged_base)
		return "calls beyond the budget, none of them open";
	if (memcmp(state, &u->states[u->commit & 1], sizeof(t->states[0])) != 0)
		return "state";
	if (a->fold.cell_next != b->fold.cell_next || a->fold.n_cells != b->fold.n_cells)
		return "number of cells";
	if (memcmp(a->fold.file + CELLS_AT, b->fold.file + CELLS_AT, cells_bytes(a)) != 0)
		return "cells";
	if (memcmp(a->fold.file + STACK_AT, b->fold.file + STACK_AT,
		   state->depth * sizeof(struct cinstr_open)) != 0)
		return "stack";
	if (memcmp(a->fold.index.slots, b->fold.index.slots, SLOTS * sizeof(uint32_t)) != 0)
		return "index";
	return NULL;
}

/* Is what a reader takes from the cell as it was? Predictions need not be. */
static int is_put_back(const struct cinstr_cell *cell, const struct cinstr_cell *before)
{
	uint32_t kind = CINSTR_CELL_KIND(before->tag);

	if (kind > CINSTR_CELL_INDIRECT && kind != CINSTR_CELL_LINE && kind != CINSTR_CELL_MERGED)
		return 1; /* FLAT cells and details: test_hot_paths.c, test_detail.c */
	return cell->calls == before->calls && cell->ticks == before->ticks &&
	       cell->after_ticks == before->after_ticks && cell->detail == before->detail &&
	       (kind == CINSTR_CELL_LINE || cell->first_ticks == before->first_ticks);
}

/* A fold of the first n records is left in the middle. Returns what of it stays; NULL: nothing
 * does. */
static const char *left_by_undone(struct side *side, const struct random_events *events, size_t n)
{
	const struct cinstr_fold_state *state = &side->thread->states[side->thread->commit & 1];
	uint64_t end = side->fold.cell_next * CELL_BYTES;

	memcpy(side->before + STACK_AT, side->fold.file + STACK_AT, STACK_BYTES);
	memcpy(side->before + CELLS_AT, side->fold.file + CELLS_AT, cells_bytes(side));
	side->run(&side->fold, events->records, n);
	fold_undo(side->fold.file, FILE_BYTES, side->thread);
	for (uint64_t at = CELLS_AT; at < end; at += CELL_BYTES)
		if (!is_put_back((const void *)(side->fold.file + at), (const void *)(side->before + at)))
			return "cell";
	if (memcmp(side->before + STACK_AT, side->fold.file + STACK_AT,
		   state->depth * sizeof(struct cinstr_open)) != 0)
		return "stack";
	return NULL;
}

/* ---- what a tree holds ----------------------------------------------------------------------- */

/* Sums of some of it, to be looked at; and a number that is another one if any of it is. */
struct held {
	uint64_t calls, ticks, implicit_exits, repaired, orphans, uncounted, all;
};

static uint64_t mixed_up(uint64_t sum, uint64_t value)
{
	sum = (sum ^ value) * 0x9e3779b97f4a7c15u;
	return sum ^ sum >> 29;
}

static uint64_t mixed_up_list(uint64_t sum, const uint64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum = mixed_up(sum, values[i]);
	return sum;
}

static int is_flat_kind(uint32_t kind)
{
	return kind == CINSTR_CELL_FLAT_FRAME || kind == CINSTR_CELL_FLAT_CALL;
}

/* Of a node: what it is called by, up to the root. Of a FLAT cell: its phase. */
static uint64_t path_of(const struct fold *fold, const struct cinstr_cell *cell)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);
	uint64_t parent = is_flat_kind(kind) ? cell->parent
			  : cell->parent     ? path_of(fold, fold_cell(fold, cell->parent))
					     : 0;

	return mixed_up(mixed_up(mixed_up(parent, kind), cell->site), cell->func);
}

static uint64_t buckets_of(const struct fold *fold, uint32_t first)
{
	uint64_t sum = 0;

	for (uint32_t i = first; i;) {
		const struct cinstr_bucket *bucket = (const void *)fold_cell(fold, i);

		sum += mixed_up_list(bucket->bits, &bucket->intervals, 4);
		i = bucket->next;
	}
	return sum;
}

/* What is known of single activations, and of the system. */
static uint64_t details_of(const struct fold *fold, const struct cinstr_cell *cell)
{
	uint64_t slots[CINSTR_SLOTS], sum = mixed_up(0, details_slots(fold->file, cell, slots));
	struct details_extremes e;

	sum = mixed_up_list(sum, slots, CINSTR_SLOTS);
	for (uint32_t part = 0; part < CINSTR_DIRTY_PARTS; part++) {
		details_extremes(fold->file, cell, part, &e);
		sum = mixed_up_list(sum, &e.shortest[0], sizeof(e) / sizeof(uint64_t));
	}
	sum = mixed_up(sum, buckets_of(fold, details_buckets(fold->file, cell)));
	return mixed_up(sum, buckets_of(fold, details_after_buckets(fold->file, cell)));
}

static void hold_state(struct held *held, const struct cinstr_fold_state *state)
{
	uint64_t values[] = { state->time,	   state->runtime_ticks, state->records,
			      state->events,	   state->enters,	 state->exits,
			      state->lost_events,  state->voluntary,	 state->involuntary,
			      state->os_intervals, state->merged_calls,	 state->depth,
			      state->merged_spans, state->paused_ticks,	 state->pauses,
			      state->paused,	   state->phase,	 state->phases_missed };

	held->implicit_exits += state->implicit_exits;
	held->repaired += state->repaired;
	held->orphans += state->orphans;
	held->uncounted += state->uncounted;
	held->all = mixed_up_list(held->all, values, ARRAY_SIZE(values));
}

/* In whichever order the cells lie. */
static void hold(struct held *held, const struct side *side)
{
	const struct cinstr_thread *t = side->thread;
	uint64_t sum = 0;

	for (uint32_t i = CELLS_AT / CELL_BYTES; i < side->fold.cell_next; i++) {
		const struct cinstr_cell *cell = fold_cell(&side->fold, i);
		uint32_t kind = CINSTR_CELL_KIND(cell->tag);
		uint64_t values[] = { cell->calls, cell->ticks, cell->after_ticks,
				      is_flat_kind(kind) ? cell->flat_ticks : 0, cell->tag };

		if (!details_is_node(cell) && !is_flat_kind(kind))
			continue;
		held->calls += is_flat_kind(kind) || kind == CINSTR_CELL_FRAME ? cell->calls : 0;
		held->ticks += is_flat_kind(kind) ? 0 : cell->ticks;
		sum += mixed_up(mixed_up_list(path_of(&side->fold, cell), values, ARRAY_SIZE(values)),
				details_of(&side->fold, cell));
	}
	held->all = mixed_up(held->all, sum);
	hold_state(held, &t->states[t->commit & 1]);
}

/* ---- streams --------------------------------------------------------------------------------- */

static struct random_manners manners_of(uint32_t number)
{
	struct random_manners manners = { .slow = number % 4 ? 12 : 0,
					  .pauses = number % 3 ? 0 : 40,
					  .late = 100 };

	if (number % 8 == 7)
		manners.calls_only = 1;
	manners.simple = number % 16 % 3 == 1;
	if (number % 7 == 4)
		manners.late = 12;
	if (number % 5 == 3)
		manners.missing = 15;
	if (number % 5 == 4)
		manners.broken = 10;
	manners.counted = number % 10 == 3;
	return manners;
}

static struct limits limits_of(uint32_t number)
{
	uint32_t first = CELLS_AT / CELL_BYTES;
	struct limits limits = { .paths = CELLS_MAX, .stack_bytes = STACK_BYTES };

	if (number % 7 == 3)
		limits.paths = 4 + random_below(60);
	else if (number % 7 == 4)
		limits.hot_from = 4 + random_below(60);
	limits.cells = CELLS_MAX;
	if (number % 11 == 5 || (number % 7 == 4 && number % 3 == 1))
		limits.cells = first + 8 + random_below(60);
	if (number % 13 == 6)
		limits.stack_bytes = 4 * sizeof(struct cinstr_open) + random_below(300);
	if (number % 2)
		limits.event_cost = random_below(100u << 10);
	limits.switched = number % 5 == 3 || number % 9 == 1;
	limits.stop_backward = number % 6 == 4;
	/*
	 * Not where cells are scarce: of a phase's tree that finds no room for all that is open,
	 * the hot steps count time after a call (after_ticks) in another cell than that of who
	 * called.
	 */
	if ((number % 10 == 9 || number % 10 == 2) && limits.cells == CELLS_MAX)
		limits.n_phases = PHASES;
	for (uint32_t i = 0; i < PHASES; i++)
		limits.phases[i] = RANDOM_FIRST + 3000 + i * 2000 + random_below(1000);
	return limits;
}

static int is_same(const struct side *sides, uint32_t number, uint32_t buffer, const size_t *used)
{
	const char *what;

	forget_epochs(&sides[0]);
	forget_epochs(&sides[1]);
	what = used[0] != used[1] ? "records used" : difference(&sides[0], &sides[1]);
	if (what)
		printf("stream %u, buffer %u: %s\n", number, buffer, what);
	return !what;
}

static int is_undone(struct side *side, uint32_t number, const struct random_events *events, size_t n)
{
	const char *what = left_by_undone(side, events, n);

	if (what)
		printf("stream %u: %s stays\n", number, what);
	return !what;
}

/* Returns 1 if all is well. */
static int check_stream(struct side *sides, uint32_t number, struct held *held)
{
	struct random_manners manners = manners_of(number);
	struct random_events events;
	struct limits limits;
	size_t used[2], n;

	random_events_begin(&events, &manners, number * 77 + 5);
	limits = limits_of(number);
	cells_end = limits.cells;
	for (int i = 0; i < 2; i++)
		side_begin(&sides[i], &events, &limits);
	for (uint32_t buffer = 0; buffer < BUFFERS; buffer++) {
		random_events_next(&events);
		n = random_below(4) ? events.n : 1 + random_below((uint32_t)events.n);
		for (int i = 0; i < 2; i++) {
			used[i] = sides[i].run(&sides[i].fold, events.records, n);
			fold_commit(&sides[i].fold);
		}
		if (!is_same(sides, number, buffer, used))
			return 0;
	}
	hold(held, &sides[0]);
	random_events_next(&events);
	n = 1 + random_below((uint32_t)events.n);
	return is_undone(&sides[0], number, &events, n) && is_undone(&sides[1], number, &events, n);
}

/* By what the streams are like. */
enum { ORDERLY, SCARCE, PHASED, MISSING, COUNTED, BROKEN, SORTS };

static int sort_of(uint32_t number)
{
	struct random_manners manners = manners_of(number);

	if (manners.broken)
		return BROKEN;
	if (manners.missing)
		return manners.counted ? COUNTED : MISSING;
	if (number % 10 == 2)
		return PHASED;
	return number % 7 == 3 || number % 7 == 4 || number % 11 == 5 || number % 13 == 6 ? SCARCE : ORDERLY;
}

static void are_held(const struct held held[SORTS])
{
	static const struct held known[SORTS] = {
		[ORDERLY] = { 87501, 1022371632, 16243, 1412, 528, 0, 0x61b3050cbf04243 },
		[SCARCE] = { 48501, 2346334950, 8221, 2117, 9833, 4349, 0x66576398140b0989 },
		[PHASED] = { 27827, 714998208, 5802, 615, 2458, 974, 0x3338b66d46bf36f5 },
		[MISSING] = { 27718, 760361154, 9232, 3291, 1575, 1337, 0xbf1954e969e7746f },
		[COUNTED] = { 26999, 696810316, 6797, 2265, 2075, 1309, 0x81d28f86683fbf38 },
		[BROKEN] = { 52487, 2380513904224, 13742, 2472, 5465, 1777, 0xfb155a068fac9b03 },
	};

	for (int i = 0; i < SORTS; i++) {
		const struct held *h = &held[i];
		int is_known = !memcmp(h, &known[i], sizeof(*h));

		if (!is_known)
			printf("%d: { %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64
			       ", %" PRIu64 ", 0x%" PRIx64 " }\n",
			       i, h->calls, h->ticks, h->implicit_exits, h->repaired, h->orphans,
			       h->uncounted, h->all);
		CU_ASSERT_TRUE(is_known);
	}
}

static void hot_steps_are_the_general_ones(void)
{
	struct held held[SORTS] = { 0 };
	struct side sides[2];
	uint32_t good = 0;

	side_make(&sides[0], fold_run);
	side_make(&sides[1], run_by_record);
	for (uint32_t i = 0; i < STREAMS; i++)
		good += (uint32_t)check_stream(sides, i, &held[sort_of(i)]);
	CU_ASSERT_EQUAL(good, STREAMS);
	are_held(held);
	side_release(&sides[0]);
	side_release(&sides[1]);
}

/* Of a program that does nothing odd they leave little: each buffer's START, what is called for the
 * first time. */
static void hot_steps_do_nearly_all(void)
{
	struct random_manners manners = { .calls_only = 1, .simple = 1 };
	struct random_events events;
	struct limits limits;
	struct side side;
	size_t n = 0, n_hot = 0;

	side_make(&side, fold_run);
	random_events_begin(&events, &manners, 1);
	limits = limits_of(0);
	cells_end = limits.cells;
	side_begin(&side, &events, &limits);
	for (uint32_t buffer = 0; buffer < 200; buffer++) {
		struct walk w;

		random_events_next(&events);
		fold_walk_begin(&w, &side.fold);
		for (size_t i = 0; i < events.n; i++) {
			size_t hot = fold_hot(&w, &events.records[i], events.n - i);

			n_hot += hot;
			i += hot;
			if (i < events.n)
				CU_ASSERT_EQUAL(fold_record(&w, &events.records[i], events.n - i), 1);
		}
		fold_walk_end(&w);
		fold_commit(&side.fold);
		n += events.n;
	}
	CU_ASSERT_TRUE(n_hot > n - n / 5);
	side_release(&side);
}

/* Also of calls of what has no probes, and of lines, where the program does nothing odd. */
static void hot_steps_do_lines_and_plain_calls(void)
{
	struct random_manners manners = { .simple = 1 };
	struct random_events events;
	struct limits limits;
	struct side side;
	uint32_t n_lines = 0, n_plain = 0, plain = 0;

	side_make(&side, fold_run);
	random_events_begin(&events, &manners, 1);
	limits = limits_of(0);
	cells_end = limits.cells;
	side_begin(&side, &events, &limits);
	for (uint32_t buffer = 0; buffer < 400; buffer++) {
		struct walk w;

		random_events_next(&events);
		fold_walk_begin(&w, &side.fold);
		for (size_t i = 0, end; i < events.n; i = end) {
			end = i + fold_hot(&w, &events.records[i], events.n - i);
			for (size_t k = i; k < end; k++) {
				uint32_t kind = CINSTR_CODE_KIND(events.records[k].code);

				n_lines += kind == CINSTR_EV_LINE;
				n_plain += kind == CINSTR_EV_BEFORE && !events.records[k].second;
			}
			for (size_t k = i; k < events.n && k < end + 1; k++)
				plain += CINSTR_CODE_KIND(events.records[k].code) == CINSTR_EV_BEFORE &&
					 !events.records[k].second;
			if (end < events.n)
				end += fold_record(&w, &events.records[end], events.n - end);
		}
		fold_walk_end(&w);
		fold_commit(&side.fold);
	}
	CU_ASSERT_TRUE(n_lines > 0);
	CU_ASSERT_TRUE(n_plain > plain / 5);
	side_release(&side);
}

CU_TestInfo fold_twice_tests[] = {
	{ "hot steps are the general ones", hot_steps_are_the_general_ones },
	{ "hot steps do nearly all", hot_steps_do_nearly_all },
	{ "hot steps do lines and plain calls", hot_steps_do_lines_and_plain_calls },
	CU_TEST_INFO_NULL,
};
