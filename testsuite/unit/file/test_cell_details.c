/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_detail.c - what the fold keeps of each node's activations (durations, extremes of the four
 * values, time after each call) against a model that keeps every single activation: random calls,
 * recursion, tail calls, functions left without an exit, OS events, system calls, folds that are
 * cut off and undone.
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
#define JOURNAL_BYTES (1u << 20)
#define CELLS_AT (JOURNAL_AT + JOURNAL_BYTES)
#define BUFFER 500u
#define FIRST 1000000u
#define DEPTH_MAX 12
#define VALUES 6 /* EI, EE; AI, AE by interval; AI, AE on-cpu */

/* ---- the model ------------------------------------------------------------------------------- */

struct model_node {
	uint32_t parent, site, func;
	uint64_t ticks, after, calls, n;
	uint64_t shortest[VALUES], longest[VALUES];
	uint64_t slots[CINSTR_SLOTS];
};

struct activation {
	uint32_t node;
	int cut;
	uint64_t start, children; /* ticks */
	uint64_t out[2], children_out[2];
};

struct model {
	struct model_node nodes[400];
	uint32_t n_nodes;
	struct activation stack[DEPTH_MAX + 4];
	uint32_t depth;
	uint32_t ended; /* node whose end began the interval at hand; 0: none */
	uint64_t time;
};

static struct model model;

static uint32_t model_node(uint32_t parent, uint32_t site, uint32_t func)
{
	struct model_node *node;

	for (uint32_t i = 1; i < model.n_nodes; i++)
		if (model.nodes[i].parent == parent && model.nodes[i].site == site &&
		    model.nodes[i].func == func)
			return i;
	node = &model.nodes[model.n_nodes];
	*node = (struct model_node){ .parent = parent, .site = site, .func = func };
	memset(node->shortest, 0xff, sizeof(node->shortest));
	return model.n_nodes++;
}

static uint32_t model_current(void)
{
	return model.depth ? model.stack[model.depth - 1].node : 0;
}

static void model_charge(uint64_t ticks, uint32_t os_bits, uint64_t off_cpu)
{
	struct activation *top = model.depth ? &model.stack[model.depth - 1] : NULL;

	model.nodes[model_current()].ticks += ticks;
	if (model.ended)
		model.nodes[model.ended].after += ticks;
	model.time += ticks;
	if (!top)
		return;
	if (os_bits & CINSTR_OS_DEFAULT_MASK)
		top->out[0] += ticks;
	top->out[1] += off_cpu;
}

static void model_begin(uint32_t site, uint32_t func)
{
	uint32_t node = model_node(model_current(), site, func);

	model.stack[model.depth++] = (struct activation){ .node = node, .start = model.time };
	model.nodes[node].calls++;
	model.ended = 0;
}

static uint32_t slot_of(uint64_t ticks)
{
	uint32_t slot = 0;

	while (slot + 1 < CINSTR_SLOTS &&
	       (4ull + (slot + 1) % 4) * (1ull << ((slot + 1) / 4 + 2)) <= ticks + 16)
		slot++;
	return slot;
}

static void model_end(void)
{
	struct activation *a = &model.stack[--model.depth], *caller = a - 1;
	struct model_node *node = &model.nodes[a->node];
	uint64_t inclusive = model.time - a->start, exclusive = inclusive - a->children;

	if (node->site == maker_code(MAIN_USLEEP) || node->site == maker_code(WORK_READ))
		a->out[0] = exclusive;
	uint64_t values[VALUES] = { inclusive,
				    exclusive,
				    inclusive - a->out[0] - a->children_out[0],
				    exclusive - a->out[0],
				    inclusive - a->out[1] - a->children_out[1],
				    exclusive - a->out[1] };

	for (int i = 0; i < VALUES && !a->cut; i++) {
		node->shortest[i] = values[i] < node->shortest[i] ? values[i] : node->shortest[i];
		node->longest[i] = values[i] > node->longest[i] ? values[i] : node->longest[i];
	}
	if (!a->cut) {
		node->n++;
		node->slots[slot_of(inclusive)]++;
	}
	model.ended = a->node;
	if (!model.depth)
		return;
	caller->children += inclusive;
	for (int i = 0; i < 2; i++)
		caller->children_out[i] += a->out[i] + a->children_out[i];
}

/* ---- records --------------------------------------------------------------------------------- */

static struct cinstr_record records[BUFFER + 8];
static size_t n_records;
static uint64_t now, seed;

static uint32_t chance(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* Mostly about the same, now and then out of the usual. */
static uint64_t some_ticks(void)
{
	return chance(50) ? 20 + chance(20) : (uint64_t)chance(1000) << chance(12);
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

/* Time goes on to the next event. Returns its ticks; the model charges them when it knows whom
 * to. */
struct interval {
	uint64_t ticks, off_cpu;
	uint32_t bits;
};

static struct interval interval(void)
{
	static const uint32_t bits[] = { CINSTR_OS_VOLUNTARY, CINSTR_OS_MINOR_FAULT,
					 CINSTR_OS_INVOLUNTARY | CINSTR_OS_MAJOR_FAULT };
	struct interval i = { .ticks = some_ticks() };

	now += i.ticks;
	if (chance(12))
		return i;
	i.bits = bits[chance(ARRAY_SIZE(bits))];
	i.off_cpu = i.bits == CINSTR_OS_MINOR_FAULT ? 0 : chance((uint32_t)i.ticks + 1);
	put_special(CINSTR_SPECIAL(CINSTR_SP_SLOW, i.bits), now);
	put_special(CINSTR_SPECIAL(CINSTR_SP_OS, 0), i.off_cpu);
	put_special(CINSTR_SPECIAL(CINSTR_SP_SWITCHES, 0), 1);
	return i;
}

static void charge(const struct interval *i)
{
	model_charge(i->ticks, i->bits, i->off_cpu);
}

/* Stack pointer of the frame at this depth. */
static uint32_t sp_at(uint32_t depth)
{
	return 0x7fff0000 - 64 * depth;
}

static uint32_t current_func(void)
{
	return model.nodes[model_current()].func;
}

static void call_function(enum maker_site site, enum maker_site enter)
{
	struct interval i = interval();

	put(maker_code(site), sp_at(model.depth), maker_code(enter));
	charge(&i);
	model_begin(maker_code(site), maker_code(enter));
}

/* A function without probes, and back. */
static void call_unknown(enum maker_site site)
{
	struct interval i = interval();

	put(maker_code(site), 0x1234, 0);
	charge(&i);
	model_begin(maker_code(site), 0);
	i = interval();
	put(maker_code(site + 1), sp_at(model.depth - 2) - 8, CINSTR_SECOND_PLAIN);
	charge(&i);
	model_end();
}

static void come_back(enum maker_site exit)
{
	struct interval i = interval();

	put(maker_code(exit), sp_at(model.depth - 2) - 8, CINSTR_SECOND_FUSED_EXIT);
	charge(&i);
	model_end();
}

/* work's exit, though functions that it called have had none. */
static void leave_all_but_main(void)
{
	struct interval i = interval();

	put(maker_code(WORK_EXIT), sp_at(0) - 8, CINSTR_SECOND_FUSED_EXIT);
	while (model.depth > 2)
		model_end();
	charge(&i);
	model_end();
}

/* work stays below what it leaves to, and ends with it. */
static void tail_call(void)
{
	struct interval i = interval();

	put(maker_code(WORK_TAIL), sp_at(model.depth - 1), maker_code(TAIL_ENTER));
	charge(&i);
	model_begin(maker_code(WORK_TAIL), maker_code(TAIL_ENTER));
}

static void come_back_from_tail(void)
{
	struct interval i = interval();

	put(maker_code(TAIL_EXIT), sp_at(model.depth - 3) - 8, CINSTR_SECOND_FUSED_EXIT);
	charge(&i);
	model_end();
	model_end();
}

static void in_main(void)
{
	switch (chance(4)) {
	case 0:
		call_unknown(MAIN_USLEEP);
		break;
	case 1:
		call_unknown(MAIN_PUTS);
		break;
	case 2:
		call_function(MAIN_REC, REC_ENTER);
		break;
	default:
		call_function(MAIN_WORK, WORK_ENTER);
	}
}

static void in_work(void)
{
	switch (chance(8)) {
	case 0:
		call_unknown(WORK_READ);
		break;
	case 1:
		tail_call();
		break;
	case 2:
		come_back(WORK_EXIT);
		break;
	default:
		call_function(WORK_REC, REC_ENTER);
	}
}

static void in_rec(void)
{
	int below_work = model.nodes[model.stack[1].node].func == maker_code(WORK_ENTER);

	if (model.depth < DEPTH_MAX && chance(2))
		call_function(REC_REC, REC_ENTER);
	else if (below_work && !chance(20))
		leave_all_but_main();
	else
		come_back(REC_EXIT);
}

static void some_event(void)
{
	struct interval i;

	if (!model.depth) {
		i = interval();
		put(maker_code(MAIN_ENTER), 0x111, sp_at(0) | 1);
		charge(&i);
		model_begin(0, maker_code(MAIN_ENTER));
	} else if (current_func() == maker_code(MAIN_ENTER)) {
		in_main();
	} else if (current_func() == maker_code(WORK_ENTER)) {
		in_work();
	} else if (current_func() == maker_code(TAIL_ENTER)) {
		come_back_from_tail();
	} else {
		in_rec();
	}
}

/* ---- the fold -------------------------------------------------------------------------------- */

static int more_cells(struct fold *fold)
{
	fold->cell_end = (uint32_t)(ARENA_BYTES / sizeof(struct cinstr_cell));
	return 0;
}

static int no_more(struct fold *fold)
{
	(void)fold;
	return -1;
}

static void fold_make(struct fold *fold, const struct fold_sites *sites)
{
	struct cinstr_thread *thread;

	*fold = (struct fold){ .sites = sites,
			       .index = { xcalloc(4096, sizeof(uint32_t)), 4096, 0 },
			       .cell_next = CELLS_AT / sizeof(struct cinstr_cell),
			       .cell_end = CELLS_AT / sizeof(struct cinstr_cell),
			       .max_cells = UINT32_MAX,
			       .more_cells = more_cells,
			       .more_index = no_more };
	fold->file = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	/* Without a detail the fold looks here: nothing there may look like one. */
	memset(fold->file, 0xff, sizeof(struct cinstr_header));
	((struct cinstr_header *)(void *)fold->file)->event_cost = 0;
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

static void fold_buffer(struct fold *fold)
{
	CU_ASSERT_EQUAL(fold_run(fold, records, n_records), n_records);
	fold_commit(fold);
	CU_ASSERT_EQUAL(fold->thread->states[fold->thread->commit & 1].depth, model.depth);
}

static void start_buffer(void)
{
	n_records = 0;
	put_special(CINSTR_SPECIAL(CINSTR_SP_START, 0), now);
}

/* ---- comparison ------------------------------------------------------------------------------ */

static const struct cinstr_cell *cell_of(const struct fold *fold, uint32_t node, uint32_t *index)
{
	const struct model_node *m = &model.nodes[node];
	uint32_t parent;
	const struct cinstr_cell *cell;

	if (!node) {
		*index = fold->thread->root;
		return fold_cell(fold, *index);
	}
	cell_of(fold, m->parent, &parent);
	for (*index = CELLS_AT / sizeof(*cell); *index < fold->cell_next; ++*index) {
		cell = fold_cell(fold, *index);
		if (details_is_node(cell) && cell->parent == parent && cell->site == m->site &&
		    cell->func == m->func)
			return cell;
	}
	return NULL;
}

/* As details_settle() has it: of an open cell without a detail what it had before. */
static struct cinstr_cell settled(const struct fold *fold, const struct cinstr_cell *cell, uint32_t index)
{
	const struct cinstr_thread *t = fold->thread;
	const struct cinstr_open *open = (const void *)(fold->file + t->stack_offset);
	struct cinstr_cell copy = *cell;

	for (uint32_t i = 0; i < t->states[t->commit & 1].depth; i++)
		if (open[i].cell == index)
			copy.ticks = open[i].ticks_before;
	return copy;
}

static void compare_values(const struct fold *fold, const struct cinstr_cell *cell,
			   const struct model_node *m)
{
	uint64_t slots[CINSTR_SLOTS];

	CU_ASSERT_EQUAL(details_slots(fold->file, cell, slots), m->n);
	CU_ASSERT_EQUAL(memcmp(slots, m->slots, sizeof(slots)), 0);
	for (uint32_t part = 0; part < CINSTR_DIRTY_PARTS; part++) {
		struct details_extremes e;

		details_extremes(fold->file, cell, part, &e);
		for (int i = 0; i < 2; i++) {
			CU_ASSERT_EQUAL(e.shortest[i], m->shortest[2 * part + (uint32_t)i]);
			CU_ASSERT_EQUAL(e.longest[i], m->longest[2 * part + (uint32_t)i]);
		}
	}
}

static void compare(const struct fold *fold)
{
	uint32_t index;

	for (uint32_t i = 0; i < model.n_nodes; i++) {
		const struct cinstr_cell *cell = cell_of(fold, i, &index);

		CU_ASSERT_PTR_NOT_NULL_FATAL(cell);
		CU_ASSERT_EQUAL(cell->ticks, model.nodes[i].ticks);
		CU_ASSERT_EQUAL(cell->calls, model.nodes[i].calls);
		if (i)
			CU_ASSERT_EQUAL(cell->after_ticks, model.nodes[i].after);
		if (i) {
			struct cinstr_cell copy = settled(fold, cell, index);

			compare_values(fold, &copy, &model.nodes[i]);
		}
	}
}

/* ---- tests ----------------------------------------------------------------------------------- */

static struct maker maker;
static struct data data;

static void model_reset(void)
{
	memset(&model, 0, sizeof(model));
	model.n_nodes = 1;
	model.time = now = FIRST;
}

static void begin(struct fold *fold, uint64_t with_seed)
{
	maker_init(&maker);
	maker_thread(&maker, "t");
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	fold_make(fold, &data.modules.fold_sites);
	model_reset();
	seed = with_seed;
}

static void end(struct fold *fold)
{
	CU_ASSERT_EQUAL(fold->thread->states[fold->thread->commit & 1].uncounted, 0);
	fold_release(fold);
	data_release(&data);
	maker_release(&maker);
}

static void some_events(void)
{
	start_buffer();
	while (n_records < BUFFER)
		some_event();
}

static void each_activation_is_as_in_the_model(void)
{
	struct fold fold;

	for (uint64_t s = 1; s <= 4; s++) {
		begin(&fold, s * 77);
		for (uint32_t i = 0; i < 200; i++) {
			some_events();
			fold_buffer(&fold);
			if (i < 3)
				compare(&fold);
		}
		compare(&fold);
		end(&fold);
	}
}

static uint32_t n_nodes(const struct fold *fold)
{
	uint32_t n = 0;

	for (uint32_t i = CELLS_AT / sizeof(struct cinstr_cell); i < fold->cell_next; i++)
		n += details_is_node(&((const struct cinstr_cell *)(void *)fold->file)[i]);
	return n;
}

/* A process is killed in the middle of a fold: its reader finds everything as it was before. */
static void undone_folds_leave_nothing(void)
{
	struct model *before = xcalloc(1, sizeof(*before));
	struct fold fold;
	uint32_t n, n_new = 0;

	begin(&fold, 5);
	for (uint32_t i = 0; i < 60; i++) {
		some_events();
		fold_buffer(&fold);
		if (i % 3)
			continue;
		*before = model;
		n = n_nodes(&fold);
		some_events();
		fold_run(&fold, records, i % 2 ? 1 + chance(BUFFER) : n_records);
		n_new += n_nodes(&fold) - n;
		CU_ASSERT_TRUE(fold_undo(fold.file, ARENA_BYTES, fold.thread) > 0);
		CU_ASSERT_EQUAL(n_nodes(&fold), n);
		model = *before;
		now = model.time;
		compare(&fold);
	}
	CU_ASSERT_TRUE(n_new > 0);
	compare(&fold);
	end(&fold);
	free(before);
}

/* As many calls of one duration as a count can hold, and one more. */
static void full_counts_are_carried(void)
{
	struct fold fold;
	struct cinstr_cell *cell;
	struct cinstr_counts *counts;
	uint64_t slots[CINSTR_SLOTS];
	uint32_t index;

	begin(&fold, 1);
	start_buffer();
	now += 10;
	put(maker_code(MAIN_ENTER), 0x111, sp_at(0) | 1);
	for (uint32_t i = 0; i < 600; i++) {
		if (n_records >= BUFFER) {
			fold_run(&fold, records, n_records);
			fold_commit(&fold);
			start_buffer();
		}
		now += 10;
		put(maker_code(MAIN_REC), sp_at(1), maker_code(REC_ENTER));
		now += i ? 30 : 300;
		put(maker_code(REC_EXIT), sp_at(0) - 8, CINSTR_SECOND_FUSED_EXIT);
		for (index = CELLS_AT / sizeof(*cell); i == 300 && index < fold.cell_next; index++) {
			counts = (void *)fold_cell(&fold, index);
			if (CINSTR_CELL_KIND(counts->tag) == CINSTR_CELL_COUNTS)
				counts->n[slot_of(30) % CINSTR_GROUP_SLOTS] = UINT32_MAX - 100;
		}
	}
	fold_run(&fold, records, n_records);
	fold_commit(&fold);
	model_begin(0, maker_code(MAIN_ENTER));
	model_begin(maker_code(MAIN_REC), maker_code(REC_ENTER));
	cell = (struct cinstr_cell *)cell_of(&fold, 2, &index);
	details_slots(fold.file, cell, slots);
	CU_ASSERT_EQUAL(slots[slot_of(300)], 1);
	CU_ASSERT_TRUE(slots[slot_of(30)] > UINT32_MAX && slots[slot_of(30)] < UINT32_MAX + 600ull);
	end(&fold);
}

/* A function that was entered while recording was off has time, but is neither shortest nor a
 * duration. */
static void an_activation_without_its_begin_is_not_counted(void)
{
	struct cinstr_record some[] = {
		{ CINSTR_SPECIAL(CINSTR_SP_START, 0), FIRST, FIRST, 1u << 31 },
		{ maker_code(MAIN_ENTER), FIRST + 10, 0x111, 0x8001 },
		{ CINSTR_SPECIAL(CINSTR_SP_PAUSE, 0), FIRST + 20, FIRST + 20, 1u << 31 },
		{ CINSTR_SPECIAL(CINSTR_SP_CONTINUE, 0), FIRST + 90, FIRST + 90, 1u << 31 },
		{ CINSTR_SPECIAL(CINSTR_SP_STACK, 0), FIRST + 90, 1, 1u << 31 },
		{ maker_code(WORK_EXIT), FIRST + 95, 0x7ff0, CINSTR_SECOND_FUSED_EXIT },
		{ maker_code(MAIN_WORK), FIRST + 100, 0x7f00, maker_code(WORK_ENTER) },
		{ maker_code(WORK_EXIT), FIRST + 140, 0x7ff0, CINSTR_SECOND_FUSED_EXIT },
	};
	struct details_extremes e;
	uint64_t slots[CINSTR_SLOTS], n = 0;
	struct fold fold;

	begin(&fold, 1);
	CU_ASSERT_EQUAL(fold_run(&fold, some, ARRAY_SIZE(some)), ARRAY_SIZE(some));
	fold_commit(&fold);
	for (uint32_t i = CELLS_AT / sizeof(struct cinstr_cell); i < fold.cell_next; i++) {
		const struct cinstr_cell *cell = fold_cell(&fold, i);

		if (!details_is_node(cell) || cell->func != maker_code(WORK_ENTER))
			continue;
		details_extremes(fold.file, cell, CINSTR_DIRTY_ELAPSED, &e);
		n += details_slots(fold.file, cell, slots);
		if (cell->calls)
			CU_ASSERT_EQUAL(e.shortest[CINSTR_INCLUSIVE], 40);
		if (!cell->calls)
			CU_ASSERT_TRUE(e.shortest[CINSTR_INCLUSIVE] > e.longest[CINSTR_INCLUSIVE]);
	}
	CU_ASSERT_EQUAL(n, 1);
	CU_ASSERT_EQUAL(fold.thread->states[fold.thread->commit & 1].repaired, 1);
	end(&fold);
}

/* `down` of a function's cell beyond the budget of paths counts its activations: the next fold must
 * not look for a child there. */
static void what_is_beyond_the_budget_predicts_nothing(void)
{
	struct cinstr_record some[] = {
		{ CINSTR_SPECIAL(CINSTR_SP_START, 0), FIRST, FIRST, 1u << 31 },
		{ maker_code(MAIN_ENTER), FIRST + 10, 0x111, 0x8001 },
		{ maker_code(MAIN_REC), FIRST + 20, 0x7f00, maker_code(REC_ENTER) },
		{ maker_code(REC_REC), FIRST + 30, 0x7e00, maker_code(REC_ENTER) },
	};
	struct cinstr_record more[] = {
		{ CINSTR_SPECIAL(CINSTR_SP_START, 0), FIRST + 40, FIRST + 40, 1u << 31 },
		{ maker_code(REC_REC), FIRST + 50, 0x7d00, maker_code(REC_ENTER) },
	};
	const struct cinstr_fold_state *state;
	struct cinstr_cell *flat, *anchor, *decoy, before;
	struct fold fold;

	begin(&fold, 1);
	fold.max_cells = fold.n_cells + 1; /* main's */
	CU_ASSERT_EQUAL(fold_run(&fold, some, ARRAY_SIZE(some)), ARRAY_SIZE(some));
	fold_commit(&fold);
	state = &fold.thread->states[fold.thread->commit & 1];
	flat = fold_cell(&fold, state->current);
	CU_ASSERT_EQUAL_FATAL(CINSTR_CELL_KIND(flat->tag), CINSTR_CELL_FLAT_FRAME);
	CU_ASSERT_EQUAL(flat->site, maker_code(REC_REC));
	anchor = fold_cell(&fold, flat->down);
	CU_ASSERT_EQUAL(anchor->site, 0);
	CU_ASSERT_EQUAL(anchor->func, maker_code(REC_ENTER));
	CU_ASSERT_EQUAL_FATAL(anchor->down, 2);
	CU_ASSERT_TRUE(anchor->down < CELLS_AT / sizeof(*flat));
	decoy = fold_cell(&fold, anchor->down); /* no cell, but what lies there may look like one */
	*decoy = (struct cinstr_cell){ .parent = state->current,
				       .site = maker_code(REC_REC),
				       .func = maker_code(REC_ENTER),
				       .tag = CINSTR_CELL_FRAME };
	before = *decoy;
	CU_ASSERT_EQUAL(fold_run(&fold, more, ARRAY_SIZE(more)), ARRAY_SIZE(more));
	fold_commit(&fold);
	CU_ASSERT_EQUAL(memcmp(decoy, &before, sizeof(before)), 0);
	CU_ASSERT_EQUAL(flat->calls, 2);
	CU_ASSERT_EQUAL(anchor->calls, 0);
	CU_ASSERT_EQUAL(anchor->down, 3);
	end(&fold);
}

/* Threads that share a record, one after another: what lies between them is nobody's. */
static void time_between_threads_is_nobodys(void)
{
	const struct cinstr_fold_state *state;
	struct fold fold;

	begin(&fold, 3);
	start_buffer();
	now += 10;
	put(maker_code(MAIN_ENTER), 0x111, sp_at(0) | 1);
	now += 30;
	put(maker_code(MAIN_EXIT), 0x111, CINSTR_SECOND_EXIT);
	fold_buffer(&fold);
	fold_carry_on(&fold, now + 500);
	state = &fold.thread->states[fold.thread->commit & 1];
	CU_ASSERT_EQUAL(state->between_ticks, 500);
	CU_ASSERT_EQUAL(state->time, FIRST + 540);
	fold_carry_on(&fold, now + 700);
	state = &fold.thread->states[fold.thread->commit & 1];
	CU_ASSERT_EQUAL(state->between_ticks, 700);
	CU_ASSERT_EQUAL(state->runtime_ticks, 0);
	end(&fold);
}

/* A call that is out of the usual is counted apart: only many of them move what is counted in the
 * cell. */
static void the_window_stays_where_most_are(void)
{
	const struct cinstr_cell *cell;
	const struct cinstr_detail *detail;
	uint32_t index, window;
	struct fold fold;

	begin(&fold, 1);
	start_buffer();
	now += 10;
	put(maker_code(MAIN_ENTER), 0x111, sp_at(0) | 1);
	for (uint32_t i = 0; i < 100; i++) {
		now += 10;
		put(maker_code(MAIN_REC), sp_at(1), maker_code(REC_ENTER));
		now += i % 10 ? 30 : 300000;
		put(maker_code(REC_EXIT), sp_at(0) - 8, CINSTR_SECOND_FUSED_EXIT);
	}
	model_begin(0, maker_code(MAIN_ENTER));
	model_begin(maker_code(MAIN_REC), maker_code(REC_ENTER));
	model.depth = 1;
	fold_buffer(&fold);
	cell = cell_of(&fold, 2, &index);
	CU_ASSERT_PTR_NOT_NULL_FATAL(cell);
	detail = (const void *)fold_cell(&fold, cell->detail);
	window = detail->window;
	CU_ASSERT(slot_of(30) >= window && slot_of(30) < window + CINSTR_RECENT_SLOTS);
	start_buffer();
	for (uint32_t i = 0; i < 3; i++) {
		now += 10;
		put(maker_code(MAIN_REC), sp_at(1), maker_code(REC_ENTER));
		now += 5000;
		put(maker_code(REC_EXIT), sp_at(0) - 8, CINSTR_SECOND_FUSED_EXIT);
	}
	fold_buffer(&fold);
	CU_ASSERT_EQUAL(detail->window, window);
	end(&fold);
}

CU_TestInfo detail_tests[] = {
	{ "time between threads is nobody's", time_between_threads_is_nobodys },
	{ "the window stays where most are", the_window_stays_where_most_are },
	{ "each activation is as in the model", each_activation_is_as_in_the_model },
	{ "undone folds leave nothing", undone_folds_leave_nothing },
	{ "full counts are carried", full_counts_are_carried },
	{ "an activation without its begin is not counted", an_activation_without_its_begin_is_not_counted },
	{ "what is beyond the budget predicts nothing", what_is_beyond_the_budget_predicts_nothing },
	CU_TEST_INFO_NULL,
};
