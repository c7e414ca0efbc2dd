/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the reader finishes for a process that stopped: undo of a torn fold, fold of what was in the
 * buffer.
 */
#include <string.h>

#include "file/cell_details.h"
#include "tests.h"

#define FIRST 1000000u

static struct maker maker;
static struct data data;

static struct cinstr_record start(uint64_t stamp)
{
	uint64_t value = stamp | 1ull << 63;

	return (struct cinstr_record){ CINSTR_SPECIAL(CINSTR_SP_START, 0), 0, (uint32_t)value,
				       (uint32_t)(value >> 32) };
}

static struct cinstr_record event(enum maker_site site, uint32_t ticks, uint32_t extra, uint32_t second)
{
	return (struct cinstr_record){ maker_code(site), FIRST + ticks, extra, second };
}

/* main is entered, calls work, calls puts, and is still open */
static void put_records(uint64_t start_stamp)
{
	struct cinstr_record records[] = {
		start(start_stamp),
		event(MAIN_ENTER, 100, 0x111, 0x8001),
		event(MAIN_WORK, 300, 0x7000, maker_code(WORK_ENTER)),
		event(WORK_EXIT, 700, 0x7000, CINSTR_SECOND_FUSED_EXIT),
		event(MAIN_PUTS, 800, 0x222, 0),
		event(MAIN_PUTS_AFTER, 1000, 0x8000, CINSTR_SECOND_PLAIN),
	};

	maker_records(&maker, 0, records, ARRAY_SIZE(records));
}

static void open_data(void)
{
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_EQUAL_FATAL(data.n_threads, 1);
}

static void close_data(void)
{
	data_release(&data);
	maker_release(&maker);
}

static void pending_records_are_folded(void)
{
	const struct data_thread *t;

	maker_init(&maker);
	maker_thread(&maker, "t");
	put_records(FIRST);
	open_data();
	t = &data.threads[0];
	CU_ASSERT_EQUAL(t->pending_records, 6);
	CU_ASSERT_EQUAL_FATAL(t->n_nodes, 4);
	CU_ASSERT_EQUAL(t->nodes[0].cell->ticks, 100); /* outside any function */
	CU_ASSERT_EQUAL(t->nodes[1].cell->func, maker_code(MAIN_ENTER));
	CU_ASSERT_EQUAL(t->nodes[1].cell->ticks, 300);
	CU_ASSERT_EQUAL(t->nodes[1].last, 3);
	CU_ASSERT_EQUAL(t->nodes[2].cell->ticks, 400);
	CU_ASSERT_EQUAL(t->nodes[2].parent, 1);
	CU_ASSERT_EQUAL(t->nodes[3].cell->ticks, 200);
	CU_ASSERT_EQUAL(CINSTR_CELL_KIND(t->nodes[3].cell->tag), CINSTR_CELL_CALL);
	CU_ASSERT_EQUAL(t->state->events, 7);
	CU_ASSERT_EQUAL(t->n_open, 1);
	CU_ASSERT_EQUAL(t->open[0], 1);
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	close_data();
}

static void folded_records_are_not_folded_again(void)
{
	maker_init(&maker);
	maker_thread(&maker, "t");
	maker_root_ticks(&maker, 0, 5000);
	put_records(FIRST); /* START lies before the state's time */
	open_data();
	CU_ASSERT_EQUAL(data.threads[0].pending_records, 0);
	CU_ASSERT_EQUAL(data.threads[0].n_nodes, 1);
	close_data();
}

static void pending_records_go_on_from_the_open_stack(void)
{
	struct cinstr_record records[] = { start(FIRST + 150), event(MAIN_EXIT, 250, 0, CINSTR_SECOND_EXIT) };
	struct cinstr_open *open;
	const struct data_thread *t;
	uint32_t cell;

	maker_init(&maker);
	maker_thread(&maker, "t");
	cell = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	open = (struct cinstr_open *)(void *)(maker.bytes + maker_thread_at(&maker, 0)->stack_offset);
	*open = (struct cinstr_open){ .start_ticks = FIRST, .cell = cell, .where = 0x8000 };
	maker_thread_at(&maker, 0)->states[1].depth = 1;
	maker_thread_at(&maker, 0)->states[1].current = cell;
	maker_thread_at(&maker, 0)->states[1].enters = 1;
	maker_records(&maker, 0, records, 2);
	open_data();
	t = &data.threads[0];
	CU_ASSERT_EQUAL(t->nodes[1].cell->ticks, 200);
	/* the runtime's own time is not in it */
	CU_ASSERT_EQUAL(t->nodes[1].cell->first_ticks, 200);
	CU_ASSERT_EQUAL(t->state->runtime_ticks, 50); /* from the last stamp to START */
	CU_ASSERT_EQUAL(t->state->exits, 1);
	CU_ASSERT_EQUAL(t->n_open, 0);
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	close_data();
}

static void a_torn_fold_is_undone(void)
{
	struct cinstr_undo *undo;
	struct cinstr_thread *t;
	uint32_t cell;

	maker_init(&maker);
	maker_thread(&maker, "t");
	cell = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	t = maker_thread_at(&maker, 0);
	undo = (struct cinstr_undo *)(void *)(maker.bytes + t->journal_offset);
	undo->offset = (uint64_t)cell * 64 + 16;
	memcpy(undo->old, (char *)maker_cell_at(&maker, cell) + 16, sizeof(undo->old));
	t->journal_commit = t->commit;
	t->journal_used = 1;
	maker_cell_at(&maker, cell)->calls = 99;
	maker_cell_at(&maker, cell)->ticks = 9999;
	open_data();
	CU_ASSERT_EQUAL(data.threads[0].undone, 1);
	CU_ASSERT_EQUAL(data.threads[0].nodes[1].cell->calls, 1);
	CU_ASSERT_EQUAL(data.threads[0].nodes[1].cell->ticks, 100);
	CU_ASSERT_EQUAL(values_conservation(&data.threads[0]), 0);
	close_data();
}

/* Killed between the new place of its stack and the journal's entries for it. */
static void a_fold_torn_while_its_stack_moved_is_undone(void)
{
	struct cinstr_undo *undo;
	struct cinstr_open *open;
	struct cinstr_thread *t;
	uint32_t cell;
	size_t other;

	maker_init(&maker);
	maker_thread(&maker, "t");
	cell = maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	other = maker_segment(&maker, CINSTR_SEG_STACK, 0, 1);
	t = maker_thread_at(&maker, 0);
	t->states[1].depth = 1;
	t->states[1].current = cell;
	t->states[1].enters = 1;
	open = (struct cinstr_open *)(void *)(maker.bytes + t->stack_offset);
	/* torn */
	*open = (struct cinstr_open){ .start_ticks = FIRST, .cell = maker_root(&maker, 0) };
	undo = (struct cinstr_undo *)(void *)(maker.bytes + t->journal_offset);
	undo->offset = other;
	memcpy(undo->old, &(struct cinstr_open){ .start_ticks = FIRST, .cell = cell, .where = 0x8000 },
	       sizeof(*open));
	t->journal_commit = t->commit;
	t->journal_used = 1;
	open_data();
	CU_ASSERT_EQUAL(data.n_threads, 1);
	CU_ASSERT_EQUAL(data.threads[0].undone, 1);
	CU_ASSERT_EQUAL(data.threads[0].n_open, 1);
	close_data();
}

static void a_committed_fold_is_not_undone(void)
{
	struct cinstr_thread *t;

	maker_init(&maker);
	maker_thread(&maker, "t");
	t = maker_thread_at(&maker, 0);
	t->journal_commit = 0;
	t->journal_used = 1; /* of the fold before */
	open_data();
	CU_ASSERT_EQUAL(data.threads[0].undone, 0);
	close_data();
}

/* More new paths than the reader gets cells at once, deeper than the stack has place. */
static void pending_records_may_need_room(void)
{
	struct cinstr_record records[250];
	const struct data_thread *t;

	maker_init(&maker);
	maker_thread(&maker, "t");
	maker_thread_at(&maker, 0)->stack_bytes = 64;
	records[0] = start(FIRST);
	for (uint32_t i = 1; i < 250; i++)
		records[i] = event(REC_REC, i * 10, 0x7fff0000 - 32 * i, maker_code(REC_ENTER));
	maker_records(&maker, 0, records, 250);
	open_data();
	t = &data.threads[0];
	CU_ASSERT_EQUAL(t->n_nodes, 250);
	CU_ASSERT_EQUAL(t->n_open, 249);
	CU_ASSERT_EQUAL(t->open[248], 249);
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	close_data();
}

/* A thread that ended has given back its buffer, stack and journal. */
static void an_ended_thread_needs_no_areas(void)
{
	struct cinstr_thread *t;

	maker_init(&maker);
	maker_thread(&maker, "t");
	maker_frame(&maker, 0, maker_root(&maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	t = maker_thread_at(&maker, 0);
	t->state = CINSTR_THREAD_ENDED;
	for (uint64_t *offset = &t->buffer_offset; offset <= &t->journal_offset; offset += 2)
		((struct cinstr_segment *)(void *)(maker.bytes + *offset - 64))->type = CINSTR_SEG_FREE;
	open_data();
	CU_ASSERT_EQUAL(data.threads[0].n_nodes, 2);
	close_data();
}

static struct cinstr_record special(uint32_t type, uint32_t ticks, uint64_t value)
{
	struct cinstr_record record = start(value);

	record.code = CINSTR_SPECIAL(type, 0);
	record.time_lo = FIRST + ticks;
	return record;
}

/* The only thread, with these records in its buffer. The caller closes. */
static const struct data_thread *fold_all(const struct cinstr_record *records, size_t n)
{
	maker_init(&maker);
	maker_thread(&maker, "t");
	maker_records(&maker, 0, records, n);
	open_data();
	CU_ASSERT_EQUAL(values_conservation(&data.threads[0]), 0);
	return &data.threads[0];
}

/* The frame of the stack at depth `i`, also where that is at a line. */
static uint32_t open_function(const struct data_thread *t, uint32_t i)
{
	const struct data_node *node = &t->nodes[t->open[i]];

	if (CINSTR_CELL_KIND(node->cell->tag) == CINSTR_CELL_LINE)
		node = &t->nodes[node->parent];
	return node->cell->func;
}

static const struct data_node *find_node(const struct data_thread *t, uint32_t kind, enum maker_site site)
{
	for (size_t i = 0; i < t->n_nodes; i++) {
		const struct cinstr_cell *cell = t->nodes[i].cell;

		if (CINSTR_CELL_KIND(cell->tag) == kind &&
		    (kind == CINSTR_CELL_FRAME ? cell->func : cell->site) == maker_code(site))
			return &t->nodes[i];
	}
	return NULL;
}

static struct details_extremes extremes_of(const struct data_node *node)
{
	struct details_extremes extremes;

	details_extremes(data.memory, node->cell, CINSTR_DIRTY_ELAPSED, &extremes);
	return extremes;
}

static uint64_t ticks_of(const struct data_thread *t, uint32_t kind, enum maker_site site)
{
	const struct data_node *node = find_node(t, kind, site);

	CU_ASSERT_PTR_NOT_NULL_FATAL(node);
	return node->cell->ticks;
}

/* Time goes to the line from its event on, calls hang below it, and behind a call the line is the
 * call's again. */
static void lines_take_the_time_from_their_event_on(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(LINED_ENTER, 100, 0x111, 0x8001),
		event(LINED_81, 110, 0x7ff0, CINSTR_SECOND_PLAIN),
		event(LINED_PUTS, 130, 0x222, 0),
		event(LINED_PUTS_AFTER, 170, 0x7ff0, CINSTR_SECOND_PLAIN),
		event(LINED_82, 175, 0x7ff0, CINSTR_SECOND_PLAIN),
		event(LINED_81, 180, 0x7ff0, CINSTR_SECOND_PLAIN),
		event(LINED_EXIT, 183, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_all(records, ARRAY_SIZE(records));
	const struct data_node *first = find_node(t, CINSTR_CELL_LINE, LINED_81);

	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, LINED_ENTER), 10);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_LINE, LINED_81), 20 + 5 + 3);
	CU_ASSERT_EQUAL(first->cell->calls, 2);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_LINE, LINED_82), 5);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_CALL, LINED_PUTS), 40);
	CU_ASSERT_PTR_EQUAL(&t->nodes[find_node(t, CINSTR_CELL_CALL, LINED_PUTS)->parent], first);
	CU_ASSERT_EQUAL(extremes_of(find_node(t, CINSTR_CELL_FRAME, LINED_ENTER)).longest[CINSTR_INCLUSIVE],
			83);
	CU_ASSERT_EQUAL(extremes_of(find_node(t, CINSTR_CELL_FRAME, LINED_ENTER)).longest[CINSTR_EXCLUSIVE],
			83 - 40);
	CU_ASSERT_EQUAL(t->state->exits, 1);
	CU_ASSERT_EQUAL(t->n_open, 0);
	close_data();
}

/* An event of a frame below proves that those above are gone (R15). */
static void a_line_of_an_outer_frame_ends_the_inner_ones(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(LINED_ENTER, 100, 0x111, 0x8001),
		event(LINED_81, 110, 0x7ff0, CINSTR_SECOND_PLAIN),
		event(WORK_ENTER, 120, 0x333, 0x7001),
		event(LINED_82, 150, 0x7ff0, CINSTR_SECOND_PLAIN),
		event(LINED_EXIT, 160, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_all(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->state->implicit_exits, 1);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 0);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_LINE, LINED_81),
			10 + 30); /* R4: of the one that runs the probe */
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_LINE, LINED_82), 10);
	close_data();
}

static void paused_time_is_nobodys(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, 100, 0x111, 0x8001),
		special(CINSTR_SP_PAUSE, 150, FIRST + 150),
		special(CINSTR_SP_CONTINUE, 1150, FIRST + 1150),
		special(CINSTR_SP_STACK, 1150, 1),
		event(MAIN_EXIT, 1160, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_all(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->state->paused_ticks, 1000);
	CU_ASSERT_EQUAL(t->state->pauses, 1);
	CU_ASSERT_EQUAL(t->state->repaired, 0);
	CU_ASSERT_EQUAL(t->nodes[1].cell->ticks, 60);
	CU_ASSERT_EQUAL(t->nodes[1].cell->first_ticks, 60);
	close_data();
}

/* main called work; when recording comes on again work is over and the tail function runs, called
 * by main. */
static void the_stack_is_repaired_when_recording_comes_on(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, 100, 0x111, 0x8001),
		event(MAIN_WORK, 110, 0x7f01, maker_code(WORK_ENTER)),
		special(CINSTR_SP_PAUSE, 120, FIRST + 120),
		special(CINSTR_SP_CONTINUE, 220, FIRST + 220),
		special(CINSTR_SP_STACK, 220, 1),
		event(TAIL_EXIT, 240, 0x7f00, CINSTR_SECOND_FUSED_EXIT),
		event(MAIN_EXIT, 300, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_all(records, ARRAY_SIZE(records));
	const struct data_node *adopted = find_node(t, CINSTR_CELL_FRAME, TAIL_ENTER);

	CU_ASSERT_PTR_NOT_NULL_FATAL(adopted);
	CU_ASSERT_EQUAL(t->nodes[adopted->parent].cell->func, maker_code(MAIN_ENTER));
	CU_ASSERT_EQUAL(adopted->cell->calls, 0);
	CU_ASSERT_EQUAL(adopted->cell->ticks, 20);
	CU_ASSERT_EQUAL(t->state->repaired, 1);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 1); /* work */
	CU_ASSERT_EQUAL(t->state->enters, t->state->exits + t->state->implicit_exits);
	CU_ASSERT_EQUAL(t->state->orphans, 0);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 60);
	close_data();
}

/* Recording began in the middle of work, which main had called: both come to light by their own
 * events. */
static void callers_from_before_the_recording_are_adopted(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		special(CINSTR_SP_CONTINUE, 10, FIRST + 10),
		special(CINSTR_SP_STACK, 10, 0),
		event(WORK_READ, 30, 0x444, 0),
		event(WORK_READ_AFTER, 70, 0x7000, CINSTR_SECOND_PLAIN),
		event(WORK_EXIT, 75, 0x7f00, CINSTR_SECOND_FUSED_EXIT),
		event(MAIN_PUTS, 80, 0x222, 0),
	};
	const struct data_thread *t = fold_all(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->state->repaired, 2);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 20 + 5);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_CALL, WORK_READ), 40);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 5);
	CU_ASSERT_EQUAL_FATAL(t->n_open, 2);
	CU_ASSERT_EQUAL(open_function(t, 0), maker_code(MAIN_ENTER));
	close_data();
}

/* rec called itself from one site, with a function without probes in between that jumped
 * outward. */
static void an_after_of_an_outer_frame_at_the_same_site(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(REC_ENTER, 100, 0x111, 0x8001),
		event(REC_REC, 110, 0x222, 0),
		event(REC_ENTER, 120, 0x333, 0x7001),
		event(REC_REC, 130, 0x222, 0),
		event(REC_REC_AFTER, 150, 0x7f00, CINSTR_SECOND_PLAIN),
		event(REC_EXIT, 170, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_all(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->n_open, 0);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 1);
	CU_ASSERT_EQUAL(t->state->exits, 1);
	CU_ASSERT_EQUAL(t->nodes[1].cell->ticks, 10 + 20);
	close_data();
}

/* R4: main calls work, which calls what throws; in main again at 200, by `how`. The time of the
 * call is that of what threw. */
static void check_throw(struct cinstr_record how)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, 100, 0x111, 0x8001),
		event(MAIN_PUTS, 105, 0x222, 0), /* calls back */
		event(WORK_ENTER, 110, 0x7f02, 0x7f01),
		event(WORK_REC, 120, 0x444, 0),
		how,
		event(MAIN_EXIT, 230, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_all(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_CALL, WORK_REC), 80);
	CU_ASSERT_EQUAL(find_node(t, CINSTR_CELL_CALL, WORK_REC)->cell->first_ticks, 80);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 10);
	CU_ASSERT_EQUAL(find_node(t, CINSTR_CELL_FRAME, WORK_ENTER)->cell->first_ticks, 90);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_CALL, MAIN_PUTS), 5);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 5 + 30);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 1);
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	close_data();
}

static void what_does_not_return_has_the_time_up_to_the_landing(void)
{
	struct cinstr_record landing = event(MAIN_WORK, 200, 0x7ff0, CINSTR_SECOND_PLAIN);

	landing.code = (landing.code & ~7u) | CINSTR_EV_LANDING;
	check_throw(landing);
	check_throw(event(MAIN_PUTS_AFTER, 200, 0x7ff0, CINSTR_SECOND_PLAIN));
}

/* ---- sleds that were switched while calls went on -------------------------------------------- */

static enum maker_site counted; /* ENTER of a function that has a counter; 0: none has */

static void put_counted(void)
{
	size_t at = maker_segment(&maker, CINSTR_SEG_COUNTED, 0, 1);

	*(uint32_t *)(void *)(maker.bytes + at) = maker_code(counted);
	((struct cinstr_segment *)(void *)(maker.bytes + at))[-1].used = sizeof(uint32_t);
}

/* As fold_all, in a process whose sleds were switched. */
static const struct data_thread *fold_switched(const struct cinstr_record *records, size_t n)
{
	const struct data_thread *t;

	maker_init(&maker);
	maker_header(&maker)->switches = 1;
	if (counted)
		put_counted();
	maker_thread(&maker, "t");
	maker_records(&maker, 0, records, n);
	open_data();
	t = &data.threads[0];
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	CU_ASSERT_EQUAL(t->state->enters, t->state->exits + t->state->implicit_exits + t->n_open);
	CU_ASSERT_EQUAL(t->state->orphans, 0);
	return t;
}

static uint32_t caller_of(const struct data_thread *t, enum maker_site enter)
{
	const struct data_node *node = find_node(t, CINSTR_CELL_FRAME, enter);

	CU_ASSERT_PTR_NOT_NULL_FATAL(node);
	return t->nodes[node->parent].cell->func;
}

/* The exit of work is missing; what is entered next has its place on the stack, or that of its
 * caller's caller. */
static void an_enter_in_the_place_of_a_frame_ends_it(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, 100, 0x111, 0x8001),
		event(WORK_ENTER, 110, 0x222, 0x7001),
		event(REC_ENTER, 120, 0x333, 0x6f01),
		event(TAIL_ENTER, 150, 0x444, 0x7001),
		event(TAIL_EXIT, 160, 0x444, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->state->implicit_exits, 2);
	CU_ASSERT_EQUAL(t->n_open, 1);
	CU_ASSERT_EQUAL(caller_of(t, TAIL_ENTER), maker_code(MAIN_ENTER));
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 30);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, REC_ENTER), 0);
	close_data();
}

/* What lies far above, or with nothing of its own below it, is a handler on another stack. */
static void an_enter_on_another_stack_ends_nothing(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, 100, 0x111, 0x8001),
		event(WORK_ENTER, 110, 0x222, 0x7001),
		event(TAIL_ENTER, 120, 0x333, 0x208001),
		event(TAIL_EXIT, 130, 0x333, CINSTR_SECOND_EXIT),
		event(WORK_EXIT, 140, 0x222, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->state->implicit_exits, 0);
	CU_ASSERT_EQUAL(caller_of(t, TAIL_ENTER), maker_code(WORK_ENTER));
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 10 + 10);
	close_data();
}

/* Where the sled of a call of main's is, if that of its call of puts is at this address. */
#define PUTS_SLED 0x401100u
static uint32_t address_of(enum maker_site site)
{
	return PUTS_SLED + maker_code(site) - maker_code(MAIN_PUTS);
}

/* The after-call of puts is missing. main calls work itself; or puts calls it back. */
static void a_call_by_the_function_itself_ends_its_call_without_probes(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, 100, 0x111, 0x8001),
		event(MAIN_PUTS, 110, PUTS_SLED + 5, 0),
		event(WORK_ENTER, 150, 0x600000, 0x7001),
		event(WORK_EXIT, 160, 0x600000, CINSTR_SECOND_EXIT),
		event(REC_ENTER, 190, address_of(MAIN_REC_AFTER) & ~7u, 0x7f01),
		event(REC_EXIT, 200, 0x333, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));
	const struct data_node *work = find_node(t, CINSTR_CELL_FRAME, WORK_ENTER);

	CU_ASSERT_PTR_NOT_NULL_FATAL(work);
	CU_ASSERT_EQUAL(CINSTR_CELL_KIND(t->nodes[work->parent].cell->tag), CINSTR_CELL_CALL);
	CU_ASSERT_EQUAL(caller_of(t, REC_ENTER), maker_code(MAIN_ENTER));
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_CALL, MAIN_PUTS), 40);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 30);
	CU_ASSERT_EQUAL(t->n_open, 1);
	close_data();
}

/* The enter of work is missing: its own call tells that it runs. So does an exit. */
static void a_call_of_a_function_without_an_enter_adopts_it(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, 100, 0x111, 0x8001),
		event(WORK_REC, 120, 0x6f00, maker_code(REC_ENTER)),
		event(REC_EXIT, 130, 0x6f00, CINSTR_SECOND_FUSED_EXIT),
		event(WORK_EXIT, 150, 0x7f00, CINSTR_SECOND_FUSED_EXIT),
		event(TAIL_EXIT, 170, 0x7f00, CINSTR_SECOND_FUSED_EXIT),
		event(MAIN_EXIT, 180, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->state->repaired, 2);
	CU_ASSERT_EQUAL(caller_of(t, WORK_ENTER), maker_code(MAIN_ENTER));
	CU_ASSERT_EQUAL(caller_of(t, REC_ENTER), maker_code(WORK_ENTER));
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 20 + 20);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, TAIL_ENTER), 20);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10);
	CU_ASSERT_EQUAL(t->n_open, 0);
	close_data();
}

/* The exit of work is missing: a call by main tells that it is over; no cell of main's calls is
 * made below work. */
static void a_call_by_an_outer_frame_ends_the_inner_ones(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, 100, 0x111, 0x8001),
		event(MAIN_WORK, 110, 0x7f00, maker_code(WORK_ENTER)),
		event(MAIN_PUTS, 150, 0x222, 0),
		event(MAIN_PUTS_AFTER, 160, 0x7f00, CINSTR_SECOND_PLAIN),
		event(MAIN_WORK, 170, 0x7f00, maker_code(WORK_ENTER)),
		event(MAIN_PUTS, 180, 0x222, 0),
		event(MAIN_REC, 190, 0x7f00, maker_code(REC_ENTER)),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 40 + 10 + 10 + 10);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 0);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 2);
	CU_ASSERT_EQUAL_FATAL(t->n_open, 2);
	CU_ASSERT_EQUAL(open_function(t, 1), maker_code(REC_ENTER));
	close_data();
}

/* rec called itself, and the inner exit is missing: where the outer one returns to, it is not open
 * any more. */
static void a_return_to_the_caller_ends_all_of_a_recursion(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, 100, 0x111, 0x8001),
		event(MAIN_REC, 110, 0x7f00, maker_code(REC_ENTER)),
		event(REC_REC, 120, 0x7e00, maker_code(REC_ENTER)),
		event(REC_EXIT, 140, 0x7f08, CINSTR_SECOND_FUSED_EXIT),
		event(TAIL_ENTER, 150, 0x444, 0x7d01),
		event(TAIL_EXIT, 160, 0x444, CINSTR_SECOND_EXIT),
		event(MAIN_EXIT, 170, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(caller_of(t, TAIL_ENTER), maker_code(MAIN_ENTER));
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 10 + 10);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 1);
	CU_ASSERT_EQUAL(t->state->exits, 3);
	CU_ASSERT_EQUAL(t->n_open, 0);
	close_data();
}

/* A line of the outer one, while the inner one is taken to run. */
static void a_line_tells_which_one_of_a_recursion_runs(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(LINED_ENTER, 100, 0x111, 0x8001),
		event(LINED_81, 110, 0x7ff0, CINSTR_SECOND_PLAIN),
		event(LINED_LINED, 120, 0x7f00, maker_code(LINED_ENTER)),
		event(LINED_81, 130, 0x7ef0, CINSTR_SECOND_PLAIN),
		event(LINED_81, 150, 0x7ff0, CINSTR_SECOND_PLAIN),
		event(LINED_EXIT, 160, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_LINE, LINED_81), 10 + 20 + 10);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 1);
	CU_ASSERT_EQUAL(t->n_open, 0);
	close_data();
}

/* work was entered by its counter, and calls read; its exit has an event again. */
static void a_counted_function_gets_no_frame(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, 100, 0x111, 0x8001),
		event(WORK_READ, 110, 0x222, 0),
		event(WORK_READ_AFTER, 150, 0x7000, CINSTR_SECOND_PLAIN),
		event(WORK_EXIT, 160, 0x333, CINSTR_SECOND_EXIT),
		event(MAIN_EXIT, 180, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t;

	maker_init(&maker);
	maker_header(&maker)->switches = 1;
	counted = WORK_ENTER;
	put_counted();
	maker_thread(&maker, "t");
	maker_records(&maker, 0, records, ARRAY_SIZE(records));
	open_data();
	t = &data.threads[0];
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	CU_ASSERT_EQUAL(t->state->orphans, 1);
	CU_ASSERT_EQUAL(t->state->repaired, 0);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 0);
	CU_ASSERT_PTR_NULL(find_node(t, CINSTR_CELL_FRAME, WORK_ENTER));
	CU_ASSERT_EQUAL(t->n_nodes, 3);
	CU_ASSERT_EQUAL(t->nodes[2].cell->site, maker_code(WORK_READ));
	CU_ASSERT_EQUAL(t->nodes[2].cell->ticks, 40);
	CU_ASSERT_EQUAL(t->nodes[2].parent, 1);
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 10 + 20);
	close_data();
	counted = 0;
}

/* work was entered by its counter, and leaves by a jump that has an event: its call counts. Whether
 * what it calls has probes is seen at the next event. */
static void a_tail_call_of_a_counted_function_counts(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(MAIN_ENTER, 100, 0x111, 0x8001),
		event(WORK_TAIL, 110, 0x222, 0),
		event(MAIN_EXIT, 180, 0x111, CINSTR_SECOND_EXIT),
		event(MAIN_ENTER, 200, 0x111, 0x8001),
		event(WORK_TAIL, 210, 0x222, 0),
		event(TAIL_ENTER, 220, 0x222, 0x7001),
		event(TAIL_EXIT, 240, 0x222, CINSTR_SECOND_EXIT),
		event(MAIN_EXIT, 280, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t;
	const struct data_node *call, *frame;

	maker_init(&maker);
	maker_header(&maker)->switches = 1;
	counted = WORK_ENTER;
	put_counted();
	counted = 0;
	maker_thread(&maker, "t");
	maker_records(&maker, 0, records, ARRAY_SIZE(records));
	open_data();
	t = &data.threads[0];
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	CU_ASSERT_EQUAL(t->state->enters, t->state->exits + t->state->implicit_exits + t->n_open);
	call = find_node(t, CINSTR_CELL_CALL, WORK_TAIL);
	frame = find_node(t, CINSTR_CELL_FRAME, TAIL_ENTER);
	CU_ASSERT_PTR_NOT_NULL_FATAL(call);
	CU_ASSERT_PTR_NOT_NULL_FATAL(frame);
	CU_ASSERT_EQUAL(call->cell->calls, 1);
	CU_ASSERT_EQUAL(call->cell->ticks, 0);
	CU_ASSERT_EQUAL(call->cell->site, maker_code(WORK_TAIL));
	CU_ASSERT_EQUAL(frame->cell->calls, 1);
	CU_ASSERT_EQUAL(frame->cell->site, maker_code(WORK_TAIL));
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, TAIL_ENTER), 10 + 20);
	close_data();
}

/* work is open, timed; rec, which it called, calls work again, which is counted now and reads. */
static void a_counted_call_ends_no_timed_one(void)
{
	struct cinstr_record records[] = {
		start(FIRST),
		event(WORK_ENTER, 100, 0x111, 0x8001),
		event(REC_ENTER, 110, 0x222, 0x7001),
		event(WORK_READ, 120, 0x333, 0),
		event(WORK_READ_AFTER, 150, 0x6000, CINSTR_SECOND_PLAIN),
		event(REC_EXIT, 160, 0x222, CINSTR_SECOND_EXIT),
		event(WORK_EXIT, 180, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t;

	counted = WORK_ENTER;
	t = fold_switched(records, ARRAY_SIZE(records));
	counted = 0;
	CU_ASSERT_EQUAL(t->state->implicit_exits, 0);
	CU_ASSERT_EQUAL(t->state->exits, 2);
	CU_ASSERT_EQUAL(t->state->repaired, 0);
	CU_ASSERT_EQUAL(caller_of(t, REC_ENTER), maker_code(WORK_ENTER));
	CU_ASSERT_EQUAL(ticks_of(t, CINSTR_CELL_FRAME, REC_ENTER), 10 + 10);
	close_data();
}

CU_TestInfo fold_tests[] = {
	{ "pending records are folded", pending_records_are_folded },
	{ "folded records are not folded again", folded_records_are_not_folded_again },
	{ "pending records go on from the open stack", pending_records_go_on_from_the_open_stack },
	{ "switched: an enter in the place of a frame ends it", an_enter_in_the_place_of_a_frame_ends_it },
	{ "switched: an enter on another stack ends nothing", an_enter_on_another_stack_ends_nothing },
	{ "switched: a call by the function itself ends its call without probes",
	  a_call_by_the_function_itself_ends_its_call_without_probes },
	{ "switched: a call of a function without an enter adopts it",
	  a_call_of_a_function_without_an_enter_adopts_it },
	{ "switched: a counted function gets no frame", a_counted_function_gets_no_frame },
	{ "switched: a tail call of a counted function counts", a_tail_call_of_a_counted_function_counts },
	{ "switched: a counted call ends no timed one", a_counted_call_ends_no_timed_one },
	{ "switched: a call by an outer frame ends the inner ones",
	  a_call_by_an_outer_frame_ends_the_inner_ones },
	{ "switched: a return to the caller ends all of a recursion",
	  a_return_to_the_caller_ends_all_of_a_recursion },
	{ "switched: a line tells which one of a recursion runs",
	  a_line_tells_which_one_of_a_recursion_runs },
	{ "a torn fold is undone", a_torn_fold_is_undone },
	{ "a fold torn while its stack moved is undone", a_fold_torn_while_its_stack_moved_is_undone },
	{ "a committed fold is not undone", a_committed_fold_is_not_undone },
	{ "pending records may need room", pending_records_may_need_room },
	{ "an ended thread needs no areas", an_ended_thread_needs_no_areas },
	{ "lines take the time from their event on", lines_take_the_time_from_their_event_on },
	{ "a line of an outer frame ends the inner ones", a_line_of_an_outer_frame_ends_the_inner_ones },
	{ "paused time is nobody's", paused_time_is_nobodys },
	{ "the stack is repaired when recording comes on", the_stack_is_repaired_when_recording_comes_on },
	{ "callers from before the recording are adopted", callers_from_before_the_recording_are_adopted },
	{ "an after of an outer frame at the same site", an_after_of_an_outer_frame_at_the_same_site },
	{ "what does not return has the time up to the landing",
	  what_does_not_return_has_the_time_up_to_the_landing },
	CU_TEST_INFO_NULL,
};
