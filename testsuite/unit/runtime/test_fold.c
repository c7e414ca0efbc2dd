/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the reader finishes for a process that stopped: undo of a torn fold, fold of what was in the
 * buffer.
 */
#include <string.h>

#include "buffer.h"
#include "file/cell_details.h"

/* main is entered, calls work, calls puts, and is still open */
static void put_records(uint64_t start_stamp)
{
	struct cinstr_record records[] = {
		buffer_start(start_stamp),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(MAIN_WORK, 300, 0x7000, maker_code(WORK_ENTER)),
		buffer_event(WORK_EXIT, 700, 0x7000, CINSTR_SECOND_FUSED_EXIT),
		buffer_event(MAIN_PUTS, 800, 0x222, 0),
		buffer_event(MAIN_PUTS_AFTER, 1000, 0x8000, CINSTR_SECOND_PLAIN),
	};

	maker_records(&buffer.maker, 0, records, ARRAY_SIZE(records));
}

static void pending_records_are_folded(void)
{
	const struct data_thread *t;

	maker_init(&buffer.maker);
	maker_thread(&buffer.maker, "t");
	put_records(FIRST);
	buffer_open();
	t = &buffer.data.threads[0];
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
	buffer_close();
}

static void folded_records_are_not_folded_again(void)
{
	maker_init(&buffer.maker);
	maker_thread(&buffer.maker, "t");
	maker_root_ticks(&buffer.maker, 0, 5000);
	put_records(FIRST); /* START lies before the state's time */
	buffer_open();
	CU_ASSERT_EQUAL(buffer.data.threads[0].pending_records, 0);
	CU_ASSERT_EQUAL(buffer.data.threads[0].n_nodes, 1);
	buffer_close();
}

static void pending_records_go_on_from_the_open_stack(void)
{
	struct cinstr_record records[] = { buffer_start(FIRST + 150),
					   buffer_event(MAIN_EXIT, 250, 0, CINSTR_SECOND_EXIT) };
	struct cinstr_open *open;
	const struct data_thread *t;
	uint32_t cell;

	maker_init(&buffer.maker);
	maker_thread(&buffer.maker, "t");
	cell = maker_frame(&buffer.maker, 0, maker_root(&buffer.maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	open = (struct cinstr_open *)(void *)(buffer.maker.bytes +
					      maker_thread_at(&buffer.maker, 0)->stack_offset);
	*open = (struct cinstr_open){ .start_ticks = FIRST, .cell = cell, .where = 0x8000 };
	maker_thread_at(&buffer.maker, 0)->states[1].depth = 1;
	maker_thread_at(&buffer.maker, 0)->states[1].current = cell;
	maker_thread_at(&buffer.maker, 0)->states[1].enters = 1;
	maker_records(&buffer.maker, 0, records, 2);
	buffer_open();
	t = &buffer.data.threads[0];
	CU_ASSERT_EQUAL(t->nodes[1].cell->ticks, 200);
	/* the runtime's own time is not in it */
	CU_ASSERT_EQUAL(t->nodes[1].cell->first_ticks, 200);
	CU_ASSERT_EQUAL(t->state->runtime_ticks, 50); /* from the last stamp to START */
	CU_ASSERT_EQUAL(t->state->exits, 1);
	CU_ASSERT_EQUAL(t->n_open, 0);
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	buffer_close();
}

static void a_torn_fold_is_undone(void)
{
	struct cinstr_undo *undo;
	struct cinstr_thread *t;
	uint32_t cell;

	maker_init(&buffer.maker);
	maker_thread(&buffer.maker, "t");
	cell = maker_frame(&buffer.maker, 0, maker_root(&buffer.maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	t = maker_thread_at(&buffer.maker, 0);
	undo = (struct cinstr_undo *)(void *)(buffer.maker.bytes + t->journal_offset);
	undo->offset = (uint64_t)cell * 64 + 16;
	memcpy(undo->old, (char *)maker_cell_at(&buffer.maker, cell) + 16, sizeof(undo->old));
	t->journal_commit = t->commit;
	t->journal_used = 1;
	maker_cell_at(&buffer.maker, cell)->calls = 99;
	maker_cell_at(&buffer.maker, cell)->ticks = 9999;
	buffer_open();
	CU_ASSERT_EQUAL(buffer.data.threads[0].undone, 1);
	CU_ASSERT_EQUAL(buffer.data.threads[0].nodes[1].cell->calls, 1);
	CU_ASSERT_EQUAL(buffer.data.threads[0].nodes[1].cell->ticks, 100);
	CU_ASSERT_EQUAL(values_conservation(&buffer.data.threads[0]), 0);
	buffer_close();
}

/* Killed between the new place of its stack and the journal's entries for it. */
static void a_fold_torn_while_its_stack_moved_is_undone(void)
{
	struct cinstr_undo *undo;
	struct cinstr_open *open;
	struct cinstr_thread *t;
	uint32_t cell;
	size_t other;

	maker_init(&buffer.maker);
	maker_thread(&buffer.maker, "t");
	cell = maker_frame(&buffer.maker, 0, maker_root(&buffer.maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	other = maker_segment(&buffer.maker, CINSTR_SEG_STACK, 0, 1);
	t = maker_thread_at(&buffer.maker, 0);
	t->states[1].depth = 1;
	t->states[1].current = cell;
	t->states[1].enters = 1;
	open = (struct cinstr_open *)(void *)(buffer.maker.bytes + t->stack_offset);
	/* torn */
	*open = (struct cinstr_open){ .start_ticks = FIRST, .cell = maker_root(&buffer.maker, 0) };
	undo = (struct cinstr_undo *)(void *)(buffer.maker.bytes + t->journal_offset);
	undo->offset = other;
	memcpy(undo->old, &(struct cinstr_open){ .start_ticks = FIRST, .cell = cell, .where = 0x8000 },
	       sizeof(*open));
	t->journal_commit = t->commit;
	t->journal_used = 1;
	buffer_open();
	CU_ASSERT_EQUAL(buffer.data.n_threads, 1);
	CU_ASSERT_EQUAL(buffer.data.threads[0].undone, 1);
	CU_ASSERT_EQUAL(buffer.data.threads[0].n_open, 1);
	buffer_close();
}

static void a_committed_fold_is_not_undone(void)
{
	struct cinstr_thread *t;

	maker_init(&buffer.maker);
	maker_thread(&buffer.maker, "t");
	t = maker_thread_at(&buffer.maker, 0);
	t->journal_commit = 0;
	t->journal_used = 1; /* of the fold before */
	buffer_open();
	CU_ASSERT_EQUAL(buffer.data.threads[0].undone, 0);
	buffer_close();
}

/* More new paths than the reader gets cells at once, deeper than the stack has place. */
static void pending_records_may_need_room(void)
{
	struct cinstr_record records[250];
	const struct data_thread *t;

	maker_init(&buffer.maker);
	maker_thread(&buffer.maker, "t");
	maker_thread_at(&buffer.maker, 0)->stack_bytes = 64;
	records[0] = buffer_start(FIRST);
	for (uint32_t i = 1; i < 250; i++)
		records[i] = buffer_event(REC_REC, i * 10, 0x7fff0000 - 32 * i, maker_code(REC_ENTER));
	maker_records(&buffer.maker, 0, records, 250);
	buffer_open();
	t = &buffer.data.threads[0];
	CU_ASSERT_EQUAL(t->n_nodes, 250);
	CU_ASSERT_EQUAL(t->n_open, 249);
	CU_ASSERT_EQUAL(t->open[248], 249);
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	buffer_close();
}

/* A thread that ended has given back its buffer, stack and journal. */
static void an_ended_thread_needs_no_areas(void)
{
	struct cinstr_thread *t;

	maker_init(&buffer.maker);
	maker_thread(&buffer.maker, "t");
	maker_frame(&buffer.maker, 0, maker_root(&buffer.maker, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	t = maker_thread_at(&buffer.maker, 0);
	t->state = CINSTR_THREAD_ENDED;
	for (uint64_t *offset = &t->buffer_offset; offset <= &t->journal_offset; offset += 2)
		((struct cinstr_segment *)(void *)(buffer.maker.bytes + *offset - 64))->type =
			CINSTR_SEG_FREE;
	buffer_open();
	CU_ASSERT_EQUAL(buffer.data.threads[0].n_nodes, 2);
	buffer_close();
}

static struct details_extremes extremes_of(const struct data_node *node)
{
	struct details_extremes extremes;

	details_extremes(buffer.data.memory, node->cell, CINSTR_DIRTY_ELAPSED, &extremes);
	return extremes;
}

/* Time goes to the line from its event on, calls hang below it, and behind a call the line is the
 * call's again. */
static void lines_take_the_time_from_their_event_on(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(LINED_ENTER, 100, 0x111, 0x8001),
		buffer_event(LINED_81, 110, 0x7ff0, CINSTR_SECOND_PLAIN),
		buffer_event(LINED_PUTS, 130, 0x222, 0),
		buffer_event(LINED_PUTS_AFTER, 170, 0x7ff0, CINSTR_SECOND_PLAIN),
		buffer_event(LINED_82, 175, 0x7ff0, CINSTR_SECOND_PLAIN),
		buffer_event(LINED_81, 180, 0x7ff0, CINSTR_SECOND_PLAIN),
		buffer_event(LINED_EXIT, 183, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = buffer_fold(records, ARRAY_SIZE(records));
	const struct data_node *first = buffer_find(t, CINSTR_CELL_LINE, LINED_81);

	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, LINED_ENTER), 10);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_LINE, LINED_81), 20 + 5 + 3);
	CU_ASSERT_EQUAL(first->cell->calls, 2);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_LINE, LINED_82), 5);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_CALL, LINED_PUTS), 40);
	CU_ASSERT_PTR_EQUAL(&t->nodes[buffer_find(t, CINSTR_CELL_CALL, LINED_PUTS)->parent], first);
	CU_ASSERT_EQUAL(extremes_of(buffer_find(t, CINSTR_CELL_FRAME, LINED_ENTER)).longest[CINSTR_INCLUSIVE],
			83);
	CU_ASSERT_EQUAL(extremes_of(buffer_find(t, CINSTR_CELL_FRAME, LINED_ENTER)).longest[CINSTR_EXCLUSIVE],
			83 - 40);
	CU_ASSERT_EQUAL(t->state->exits, 1);
	CU_ASSERT_EQUAL(t->n_open, 0);
	buffer_close();
}

/* An event of a frame below proves that those above are gone (R15). */
static void a_line_of_an_outer_frame_ends_the_inner_ones(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(LINED_ENTER, 100, 0x111, 0x8001),
		buffer_event(LINED_81, 110, 0x7ff0, CINSTR_SECOND_PLAIN),
		buffer_event(WORK_ENTER, 120, 0x333, 0x7001),
		buffer_event(LINED_82, 150, 0x7ff0, CINSTR_SECOND_PLAIN),
		buffer_event(LINED_EXIT, 160, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = buffer_fold(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->state->implicit_exits, 1);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 0);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_LINE, LINED_81),
			10 + 30); /* R4: of the one that runs the probe */
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_LINE, LINED_82), 10);
	buffer_close();
}

static void paused_time_is_nobodys(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_special(CINSTR_SP_PAUSE, 150, FIRST + 150),
		buffer_special(CINSTR_SP_CONTINUE, 1150, FIRST + 1150),
		buffer_special(CINSTR_SP_STACK, 1150, 1),
		buffer_event(MAIN_EXIT, 1160, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = buffer_fold(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->state->paused_ticks, 1000);
	CU_ASSERT_EQUAL(t->state->pauses, 1);
	CU_ASSERT_EQUAL(t->state->repaired, 0);
	CU_ASSERT_EQUAL(t->nodes[1].cell->ticks, 60);
	CU_ASSERT_EQUAL(t->nodes[1].cell->first_ticks, 60);
	buffer_close();
}

/* main called work; when recording comes on again work is over and the tail function runs, called
 * by main. */
static void the_stack_is_repaired_when_recording_comes_on(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(MAIN_WORK, 110, 0x7f01, maker_code(WORK_ENTER)),
		buffer_special(CINSTR_SP_PAUSE, 120, FIRST + 120),
		buffer_special(CINSTR_SP_CONTINUE, 220, FIRST + 220),
		buffer_special(CINSTR_SP_STACK, 220, 1),
		buffer_event(TAIL_EXIT, 240, 0x7f00, CINSTR_SECOND_FUSED_EXIT),
		buffer_event(MAIN_EXIT, 300, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = buffer_fold(records, ARRAY_SIZE(records));
	const struct data_node *adopted = buffer_find(t, CINSTR_CELL_FRAME, TAIL_ENTER);

	CU_ASSERT_PTR_NOT_NULL_FATAL(adopted);
	CU_ASSERT_EQUAL(t->nodes[adopted->parent].cell->func, maker_code(MAIN_ENTER));
	CU_ASSERT_EQUAL(adopted->cell->calls, 0);
	CU_ASSERT_EQUAL(adopted->cell->ticks, 20);
	CU_ASSERT_EQUAL(t->state->repaired, 1);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 1); /* work */
	CU_ASSERT_EQUAL(t->state->enters, t->state->exits + t->state->implicit_exits);
	CU_ASSERT_EQUAL(t->state->orphans, 0);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 60);
	buffer_close();
}

/* Recording began in the middle of work, which main had called: both come to light by their own
 * events. */
static void callers_from_before_the_recording_are_adopted(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_special(CINSTR_SP_CONTINUE, 10, FIRST + 10),
		buffer_special(CINSTR_SP_STACK, 10, 0),
		buffer_event(WORK_READ, 30, 0x444, 0),
		buffer_event(WORK_READ_AFTER, 70, 0x7000, CINSTR_SECOND_PLAIN),
		buffer_event(WORK_EXIT, 75, 0x7f00, CINSTR_SECOND_FUSED_EXIT),
		buffer_event(MAIN_PUTS, 80, 0x222, 0),
	};
	const struct data_thread *t = buffer_fold(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->state->repaired, 2);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 20 + 5);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_CALL, WORK_READ), 40);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 5);
	CU_ASSERT_EQUAL_FATAL(t->n_open, 2);
	CU_ASSERT_EQUAL(buffer_open_function(t, 0), maker_code(MAIN_ENTER));
	buffer_close();
}

/* rec called itself from one site, with a function without probes in between that jumped
 * outward. */
static void an_after_of_an_outer_frame_at_the_same_site(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(REC_ENTER, 100, 0x111, 0x8001),
		buffer_event(REC_REC, 110, 0x222, 0),
		buffer_event(REC_ENTER, 120, 0x333, 0x7001),
		buffer_event(REC_REC, 130, 0x222, 0),
		buffer_event(REC_REC_AFTER, 150, 0x7f00, CINSTR_SECOND_PLAIN),
		buffer_event(REC_EXIT, 170, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = buffer_fold(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->n_open, 0);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 1);
	CU_ASSERT_EQUAL(t->state->exits, 1);
	CU_ASSERT_EQUAL(t->nodes[1].cell->ticks, 10 + 20);
	buffer_close();
}

/* R4: main calls work, which calls what throws; in main again at 200, by `how`. The time of the
 * call is that of what threw. */
static void check_throw(struct cinstr_record how)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(MAIN_PUTS, 105, 0x222, 0), /* calls back */
		buffer_event(WORK_ENTER, 110, 0x7f02, 0x7f01),
		buffer_event(WORK_REC, 120, 0x444, 0),
		how,
		buffer_event(MAIN_EXIT, 230, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = buffer_fold(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_CALL, WORK_REC), 80);
	CU_ASSERT_EQUAL(buffer_find(t, CINSTR_CELL_CALL, WORK_REC)->cell->first_ticks, 80);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 10);
	CU_ASSERT_EQUAL(buffer_find(t, CINSTR_CELL_FRAME, WORK_ENTER)->cell->first_ticks, 90);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_CALL, MAIN_PUTS), 5);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 5 + 30);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 1);
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	buffer_close();
}

static void what_does_not_return_has_the_time_up_to_the_landing(void)
{
	struct cinstr_record landing = buffer_event(MAIN_WORK, 200, 0x7ff0, CINSTR_SECOND_PLAIN);

	landing.code = (landing.code & ~7u) | CINSTR_EV_LANDING;
	check_throw(landing);
	check_throw(buffer_event(MAIN_PUTS_AFTER, 200, 0x7ff0, CINSTR_SECOND_PLAIN));
}

CU_TestInfo fold_tests[] = {
	{ "pending records are folded", pending_records_are_folded },
	{ "folded records are not folded again", folded_records_are_not_folded_again },
	{ "pending records go on from the open stack", pending_records_go_on_from_the_open_stack },
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
