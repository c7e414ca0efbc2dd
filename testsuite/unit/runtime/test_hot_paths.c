/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_hot_paths.c - the budget of paths (runtime/fold/fold_flat.c): the same events, folded with
 * all of their paths and with few of them, give the same values for every function and every call
 * site. Random calls of functions that call one another, so that paths explode; callbacks, system
 * calls, OS events, marks, frames without an exit, folds that are cut off and undone.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "file/cell_details.h"
#include "lib/util.h"
#include "runtime/fold/fold.h"
#include "tests.h"

#define ARENA_BYTES (1ull << 30)
#define STACK_AT (2ull * CINSTR_PAGE)
#define STACK_BYTES (64u << 10)
#define JOURNAL_AT (STACK_AT + STACK_BYTES)
#define JOURNAL_BYTES (8u << 20)
#define CELLS_AT (JOURNAL_AT + JOURNAL_BYTES)
#define CELL_BYTES sizeof(struct cinstr_cell)
#define FIRST 1000000u
#define BUFFER 500u
#define DEPTH_MAX 24u

/* Words of code: each function has 16. Calls: of each function from each other; of one without
 * probes, and of a wrapper. */
#define FUNCTIONS 6u
#define WORDS 16u
enum { ENTER, EXIT, CALL, PUTS = CALL + FUNCTIONS, PUTS_AFTER, READ, READ_AFTER };
#define CODE(function, word, kind) ((((function) + 1) * WORDS + (word)) << 3 | CINSTR_EV_##kind)
#define ENTER_OF(function) CODE(function, ENTER, ENTER)
#define CODES ((FUNCTIONS + 1) * WORDS)

static uint32_t words[CODES];
static uint8_t wrappers[CODES / 8];
static const struct fold_sites sites = { words, CODES, wrappers, NULL, NULL };

static void sites_make(void)
{
	memset(wrappers, 0, sizeof(wrappers));
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		for (uint32_t word = 0; word < WORDS; word++)
			words[(f + 1) * WORDS + word] = ENTER_OF(f);
		words[CODE(f, PUTS_AFTER, AFTER) >> 3] = CODE(f, PUTS, BEFORE);
		words[CODE(f, READ_AFTER, AFTER) >> 3] = CODE(f, READ, BEFORE);
		wrappers[CODE(f, READ, BEFORE) >> 6] |= (uint8_t)(1u << (CODE(f, READ, BEFORE) >> 3 & 7));
	}
}

/* ---- records --------------------------------------------------------------------------------- */

#define UNKNOWN UINT32_MAX /* on the stack: puts */
#define RETURNS_TO 0x6000000

static struct cinstr_record records[BUFFER + 64];
static size_t n_records;
static uint64_t now, seed;
static uint32_t stack[DEPTH_MAX + 2], depth;
static uint32_t announced = UNKNOWN; /* called, its enter is still to come */

static uint32_t chance(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

static void put(uint32_t code, uint32_t extra, uint32_t second)
{
	records[n_records++] = (struct cinstr_record){ code, (uint32_t)now, extra, second };
}

static void put_special(uint32_t code, uint64_t value)
{
	value |= 1ull << 63;
	put(code, (uint32_t)value, (uint32_t)(value >> 32));
}

/* Time goes on to the next event; a few intervals are long, a few have OS events. */
static void wait(void)
{
	static const uint32_t bits[] = { CINSTR_OS_VOLUNTARY, CINSTR_OS_INVOLUNTARY | CINSTR_OS_MAJOR_FAULT };
	uint32_t ticks = chance(400) ? 20 + chance(200) : chance(1u << 19);

	now += ticks;
	if (chance(60))
		return;
	put_special(CINSTR_SPECIAL(CINSTR_SP_SLOW, bits[chance(2)]), now);
	put_special(CINSTR_SPECIAL(CINSTR_SP_OS, 0), chance(ticks + 1));
	put_special(CINSTR_SPECIAL(CINSTR_SP_SWITCHES, 0), 1);
}

static uint32_t sp_at(uint32_t of)
{
	return 0x7fff0000 - 64 * of;
}

static void enter(uint32_t function)
{
	wait();
	if (!depth || stack[depth - 1] == UNKNOWN)
		put(ENTER_OF(function), 0x100, sp_at(depth) | 1);
	else
		put(CODE(stack[depth - 1], CALL + function, BEFORE), sp_at(depth), ENTER_OF(function));
	stack[depth++] = function;
}

/* A call and its enter, which the slow path has kept apart: other events, or the end of the buffer,
 * may come between. */
static void announce(uint32_t function)
{
	wait();
	put(CODE(stack[depth - 1], CALL + function, BEFORE), RETURNS_TO, 0);
	announced = function;
}

static void enter_announced(void)
{
	wait();
	put(ENTER_OF(announced), RETURNS_TO, sp_at(depth) | 1);
	stack[depth++] = announced;
	announced = UNKNOWN;
}

static void call_unknown(uint32_t function)
{
	wait();
	put(CODE(function, PUTS, BEFORE), 0x8000000, 0);
	stack[depth++] = UNKNOWN;
}

static void call_wrapper(uint32_t function)
{
	wait();
	put(CODE(function, READ, BEFORE), 0x8000000, 0);
	wait();
	put(CODE(function, READ_AFTER, AFTER), sp_at(depth - 1) - 8, CINSTR_SECOND_PLAIN);
}

static void come_back(void)
{
	uint32_t function = stack[--depth];

	wait();
	if (function == UNKNOWN)
		put(CODE(stack[depth - 1], PUTS_AFTER, AFTER), sp_at(depth - 1) - 8, CINSTR_SECOND_PLAIN);
	else if (!depth || stack[depth - 1] == UNKNOWN)
		put(CODE(function, EXIT, EXIT), 0x200, CINSTR_SECOND_EXIT);
	else
		put(CODE(function, EXIT, EXIT), sp_at(depth - 1) - 8, CINSTR_SECOND_FUSED_EXIT);
}

/* Back in a frame further out, whose callees have had no exit. */
static void jump(void)
{
	uint32_t to = chance(depth);

	if (stack[to] == UNKNOWN)
		return;
	for (uint32_t i = to + 1; i < depth; i++)
		if (stack[i] == stack[to])
			return;
	wait();
	put(CODE(stack[to], CALL, LANDING), sp_at(to) - 8, CINSTR_SECOND_PLAIN);
	depth = to + 1;
}

static void some_event(void)
{
	uint32_t top = depth ? stack[depth - 1] : UNKNOWN;

	if (announced != UNKNOWN) {
		enter_announced();
	} else if (depth < DEPTH_MAX && (!depth || chance(20) < 11)) {
		if (top != UNKNOWN && !chance(10))
			announce(chance(FUNCTIONS));
		else if (depth && top != UNKNOWN && !chance(8))
			call_unknown(top);
		else
			enter(chance(FUNCTIONS));
	} else if (top != UNKNOWN && !chance(6)) {
		call_wrapper(top);
	} else if (!chance(100)) {
		jump();
	} else {
		come_back();
	}
}

static void some_events(void)
{
	n_records = 0;
	now += 100; /* the runtime's own */
	put_special(CINSTR_SPECIAL(CINSTR_SP_START, 0), now);
	while (n_records < BUFFER)
		some_event();
}

/* ---- folds ----------------------------------------------------------------------------------- */

static int more_cells(struct fold *fold)
{
	fold->cell_end = (uint32_t)(ARENA_BYTES / CELL_BYTES);
	return 0;
}

static int no_more(struct fold *fold)
{
	(void)fold;
	return -1;
}

static void fold_make(struct fold *fold)
{
	struct cinstr_thread *thread;

	*fold = (struct fold){ .sites = &sites,
			       .index = { xcalloc(1u << 20, sizeof(uint32_t)), 1u << 20, 0 },
			       .cell_next = CELLS_AT / CELL_BYTES,
			       .cell_end = CELLS_AT / CELL_BYTES,
			       .max_cells = UINT32_MAX,
			       .max_cells_open = UINT32_MAX,
			       .more_cells = more_cells,
			       .more_index = no_more };
	fold->file = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	thread = (void *)(fold->file + CINSTR_PAGE);
	thread->commit = 1;
	thread->stack_offset = STACK_AT;
	thread->stack_bytes = STACK_BYTES;
	thread->journal_offset = JOURNAL_AT;
	thread->journal_bytes = JOURNAL_BYTES;
	fold->thread = thread;
	CU_ASSERT_EQUAL_FATAL(fold_begin(fold, FIRST), 0);
}

static void fold_release(struct fold *fold)
{
	free(fold->index.slots);
	munmap(fold->file, ARENA_BYTES);
}

static const struct cinstr_fold_state *state_of(const struct fold *fold)
{
	return &fold->thread->states[fold->thread->commit & 1];
}

/* A reader's way on, when a fold was left in the middle (report/file/threads.c). */
static void undo(struct fold *fold)
{
	const struct cinstr_open *open = (const void *)(fold->file + STACK_AT);
	const struct cinstr_fold_state *state;

	fold_undo(fold->file, ARENA_BYTES, fold->thread);
	state = state_of(fold);
	for (uint32_t i = CELLS_AT / CELL_BYTES; i < fold->cell_next; i++) {
		uint32_t kind = CINSTR_CELL_KIND(fold_cell(fold, i)->tag);

		if (kind == CINSTR_CELL_FLAT_FRAME || kind == CINSTR_CELL_FLAT_CALL)
			fold_flat_link(fold, fold_cell(fold, i));
	}
	for (uint32_t i = state->merged ? state->merged_base : state->depth; i < state->depth; i++)
		fold_flat_count(fold->file, fold_cell(fold, open[i].cell));
}

static void fold_all(struct fold *fold, int cut_off)
{
	if (cut_off) {
		fold_run(fold, records, 1 + chance((uint32_t)n_records));
		undo(fold);
	}
	CU_ASSERT_EQUAL(fold_run(fold, records, n_records), n_records);
	fold_commit(fold);
}

/* ---- sums ------------------------------------------------------------------------------------ */

struct function_sums {
	uint64_t calls, exclusive, inclusive;
	uint64_t out, inclusive_out; /* of these: of intervals with an OS event, and of wrappers */
	struct details_extremes extremes[CINSTR_DIRTY_PARTS];
	uint64_t slots[CINSTR_SLOTS];
};

struct fold_sums {
	/* by word of the entry; of what has no probes: of the site */
	struct function_sums functions[CODES];
	uint64_t site_calls[CODES], site_exclusive[CODES];
	uint64_t ticks;
	uint32_t nodes, merged, flat;
};

static uint64_t left_out(const struct fold *fold, const struct cinstr_cell *cell)
{
	uint64_t sum = 0;

	if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_CALL &&
	    fold->sites->wrappers[cell->site >> 6] >> (cell->site >> 3 & 7) & 1)
		return cell->ticks;
	for (uint32_t i = details_buckets(fold->file, cell); i;) {
		const struct cinstr_bucket *bucket = (const void *)fold_cell(fold, i);

		sum += bucket->bits & CINSTR_OS_DEFAULT_MASK ? bucket->ticks : 0;
		i = bucket->next;
	}
	return sum;
}

static uint32_t function_of(const struct cinstr_cell *cell)
{
	return (cell->func ? cell->func : cell->site) >> 3;
}

static int is_on_path(const struct fold *fold, const struct cinstr_cell *cell)
{
	for (uint32_t i = cell->parent; CINSTR_CELL_KIND(fold_cell(fold, i)->tag) != CINSTR_CELL_ROOT;
	     i = fold_cell(fold, i)->parent)
		if (function_of(fold_cell(fold, i)) == function_of(cell))
			return 1;
	return 0;
}

static void add_lengths(struct function_sums *sums, const struct fold *fold, const struct cinstr_cell *cell)
{
	uint64_t slots[CINSTR_SLOTS];
	struct details_extremes e;

	details_slots(fold->file, cell, slots);
	for (uint32_t i = 0; i < CINSTR_SLOTS; i++)
		sums->slots[i] += slots[i];
	for (uint32_t part = 0; part < CINSTR_DIRTY_PARTS; part++) {
		struct details_extremes *all = &sums->extremes[part];

		details_extremes(fold->file, cell, part, &e);
		for (int i = 0; i < 2; i++) {
			if (e.shortest[i] < all->shortest[i])
				all->shortest[i] = e.shortest[i];
			if (e.longest[i] > all->longest[i])
				all->longest[i] = e.longest[i];
		}
	}
}

static void add_cell(struct fold_sums *t, const struct fold *fold, const struct cinstr_cell *cell,
		     uint64_t inclusive, uint64_t inclusive_out)
{
	struct function_sums *sums = &t->functions[function_of(cell)];

	sums->calls += cell->calls;
	sums->exclusive += cell->ticks;
	sums->out += left_out(fold, cell);
	sums->inclusive += inclusive;
	sums->inclusive_out += inclusive_out;
	CU_ASSERT_TRUE((int64_t)cell->calls >= 0);
	t->site_calls[cell->site >> 3] += cell->calls;
	t->site_exclusive[cell->site >> 3] += cell->ticks;
	add_lengths(sums, fold, cell);
}

/* Parents lie before their children. */
static struct fold_sums *sums_of(const struct fold *fold)
{
	uint32_t first = CELLS_AT / CELL_BYTES, n = fold->cell_next - first;
	struct fold_sums *t = xcalloc(1, sizeof(*t));
	uint64_t *inclusive = xcalloc(n, sizeof(*inclusive)), *out = xcalloc(n, sizeof(*out));
	uint64_t within = 0, made = 0;

	for (uint32_t i = 0; i < CODES; i++)
		for (int part = 0; part < CINSTR_DIRTY_PARTS; part++)
			memset(t->functions[i].extremes[part].shortest, 0xff, 2 * sizeof(uint64_t));
	for (uint32_t i = n; i-- > 0;) {
		const struct cinstr_cell *cell = fold_cell(fold, first + i);
		uint32_t kind = CINSTR_CELL_KIND(cell->tag);

		if (kind == CINSTR_CELL_FLAT_FRAME || kind == CINSTR_CELL_FLAT_CALL) {
			t->flat++;
			made += cell->flat_calls;
			CU_ASSERT_EQUAL(left_out(fold, cell), 0);
			add_cell(t, fold, cell, cell->flat_ticks, 0);
			continue;
		}
		if (!details_is_node(cell))
			continue;
		t->nodes++;
		t->merged += kind == CINSTR_CELL_MERGED;
		within += kind == CINSTR_CELL_MERGED ? cell->flat_calls : 0;
		CU_ASSERT_TRUE(kind != CINSTR_CELL_MERGED || (int64_t)cell->calls >= 0);
		CU_ASSERT_TRUE(kind != CINSTR_CELL_MERGED || cell->flat_calls <= cell->calls);
		t->ticks += cell->ticks;
		inclusive[i] += cell->ticks;
		out[i] += left_out(fold, cell);
		if (cell->parent) {
			inclusive[cell->parent - first] += inclusive[i];
			out[cell->parent - first] += out[i];
		}
		if (kind >= CINSTR_CELL_FRAME && kind <= CINSTR_CELL_INDIRECT) {
			int again = is_on_path(fold, cell);

			add_cell(t, fold, cell, again ? 0 : inclusive[i], again ? 0 : out[i]);
		}
	}
	CU_ASSERT_EQUAL(within, made);
	free(inclusive);
	free(out);
	return t;
}

static void compare(const struct fold_sums *all, const struct fold_sums *few, int with_lengths)
{
	for (uint32_t i = 0; i < CODES; i++) {
		const struct function_sums *a = &all->functions[i], *b = &few->functions[i];

		CU_ASSERT_EQUAL(b->calls, a->calls);
		CU_ASSERT_EQUAL(b->exclusive, a->exclusive);
		CU_ASSERT_EQUAL(b->out, a->out);
		CU_ASSERT_EQUAL(few->site_calls[i], all->site_calls[i]);
		CU_ASSERT_EQUAL(few->site_exclusive[i], all->site_exclusive[i]);
		CU_ASSERT_EQUAL(b->inclusive, a->inclusive);
		CU_ASSERT_EQUAL(b->inclusive_out, a->inclusive_out);
		if (!with_lengths)
			continue;
		CU_ASSERT_EQUAL(memcmp(a->slots, b->slots, sizeof(a->slots)), 0);
		CU_ASSERT_EQUAL(memcmp(a->extremes, b->extremes, sizeof(a->extremes)), 0);
	}
}

static void check(const struct fold *fold, const struct fold_sums *t)
{
	const struct cinstr_fold_state *state = state_of(fold);

	CU_ASSERT_EQUAL(t->ticks + state->runtime_ticks, state->time - FIRST); /* R10 */
	CU_ASSERT_EQUAL(state->enters, state->exits + state->implicit_exits);
	CU_ASSERT_EQUAL(state->orphans, 0);
	CU_ASSERT_EQUAL(state->uncounted, 0);
	CU_ASSERT_EQUAL(state->depth, 0);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Returns how many nodes there are of 100 with all paths. */
static uint32_t fold_both(uint64_t from, uint32_t hot_from, int cut_off, const uint64_t *phases,
			  uint32_t n_phases)
{
	struct fold all, few;
	struct fold_sums *a, *b;
	uint32_t share;

	sites_make();
	seed = from * 77 + 5;
	now = FIRST;
	depth = 0;
	fold_make(&all);
	fold_make(&few);
	few.hot_from = hot_from;
	all.phases = few.phases = phases;
	all.n_phases = few.n_phases = n_phases;
	for (uint32_t i = 0; i < 40; i++) {
		some_events();
		while (i == 39 && (depth || announced != UNKNOWN))
			(announced != UNKNOWN ? enter_announced : come_back)();
		fold_all(&all, 0);
		fold_all(&few, cut_off && i % 2);
		CU_ASSERT_EQUAL(state_of(&few)->depth, state_of(&all)->depth);
	}
	a = sums_of(&all);
	b = sums_of(&few);
	compare(a, b, !n_phases);
	check(&all, a);
	check(&few, b);
	CU_ASSERT_EQUAL(a->merged + a->flat, 0);
	CU_ASSERT_TRUE(b->merged && b->flat);
	share = 100 * b->nodes / a->nodes;
	free(a);
	free(b);
	fold_release(&all);
	fold_release(&few);
	return share;
}

static void functions_and_sites_keep_their_values(void)
{
	for (uint64_t i = 0; i < 30; i++)
		CU_ASSERT_TRUE(fold_both(i, 1 + 40 * (uint32_t)i, 0, NULL, 0) < 95);
}

static void undone_folds_leave_nothing(void)
{
	for (uint64_t i = 0; i < 10; i++)
		fold_both(100 + i, 1 + 20 * (uint32_t)i, 1, NULL, 0);
}

static void phases_share_the_budget(void)
{
	uint64_t phases[30];

	for (uint64_t i = 0; i < 10; i++) {
		for (uint32_t k = 0; k < ARRAY_SIZE(phases); k++)
			phases[k] = FIRST + 17 + k * 90000 + i * 1000;
		fold_both(200 + i, 50, i % 2, phases, ARRAY_SIZE(phases));
	}
}

CU_TestInfo hot_paths_tests[] = {
	{ "functions and call sites keep their values", functions_and_sites_keep_their_values },
	{ "undone folds leave nothing", undone_folds_leave_nothing },
	{ "phases share the budget", phases_share_the_budget },
	CU_TEST_INFO_NULL,
};
