/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fold of buffers of a process whose sleds were switched while calls went on. */
#include "buffer.h"

static enum maker_site counted; /* ENTER of a function that has a counter; 0: none has */

static void put_counted(void)
{
	size_t at = maker_segment(&buffer.maker, CINSTR_SEG_COUNTED, 0, 1);

	*(uint32_t *)(void *)(buffer.maker.bytes + at) = maker_code(counted);
	((struct cinstr_segment *)(void *)(buffer.maker.bytes + at))[-1].used = sizeof(uint32_t);
}

/* As fold_all, in a process whose sleds were switched. */
static const struct data_thread *fold_switched(const struct cinstr_record *records, size_t n)
{
	const struct data_thread *t;

	maker_init(&buffer.maker);
	maker_header(&buffer.maker)->switches = 1;
	if (counted)
		put_counted();
	maker_thread(&buffer.maker, "t");
	maker_records(&buffer.maker, 0, records, n);
	buffer_open();
	t = &buffer.data.threads[0];
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	CU_ASSERT_EQUAL(t->state->enters, t->state->exits + t->state->implicit_exits + t->n_open);
	CU_ASSERT_EQUAL(t->state->orphans, 0);
	return t;
}

static uint32_t caller_of(const struct data_thread *t, enum maker_site enter)
{
	const struct data_node *node = buffer_find(t, CINSTR_CELL_FRAME, enter);

	CU_ASSERT_PTR_NOT_NULL_FATAL(node);
	return t->nodes[node->parent].cell->func;
}

/* The exit of work is missing; what is entered next has its place on the stack, or that of its
 * caller's caller. */
static void an_enter_in_the_place_of_a_frame_ends_it(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(WORK_ENTER, 110, 0x222, 0x7001),
		buffer_event(REC_ENTER, 120, 0x333, 0x6f01),
		buffer_event(TAIL_ENTER, 150, 0x444, 0x7001),
		buffer_event(TAIL_EXIT, 160, 0x444, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->state->implicit_exits, 2);
	CU_ASSERT_EQUAL(t->n_open, 1);
	CU_ASSERT_EQUAL(caller_of(t, TAIL_ENTER), maker_code(MAIN_ENTER));
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 30);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, REC_ENTER), 0);
	buffer_close();
}

/* What lies far above, or with nothing of its own below it, is a handler on another stack. */
static void an_enter_on_another_stack_ends_nothing(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(WORK_ENTER, 110, 0x222, 0x7001),
		buffer_event(TAIL_ENTER, 120, 0x333, 0x208001),
		buffer_event(TAIL_EXIT, 130, 0x333, CINSTR_SECOND_EXIT),
		buffer_event(WORK_EXIT, 140, 0x222, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->state->implicit_exits, 0);
	CU_ASSERT_EQUAL(caller_of(t, TAIL_ENTER), maker_code(WORK_ENTER));
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 10 + 10);
	buffer_close();
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
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(MAIN_PUTS, 110, PUTS_SLED + 5, 0),
		buffer_event(WORK_ENTER, 150, 0x600000, 0x7001),
		buffer_event(WORK_EXIT, 160, 0x600000, CINSTR_SECOND_EXIT),
		buffer_event(REC_ENTER, 190, address_of(MAIN_REC_AFTER) & ~7u, 0x7f01),
		buffer_event(REC_EXIT, 200, 0x333, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));
	const struct data_node *work = buffer_find(t, CINSTR_CELL_FRAME, WORK_ENTER);

	CU_ASSERT_PTR_NOT_NULL_FATAL(work);
	CU_ASSERT_EQUAL(CINSTR_CELL_KIND(t->nodes[work->parent].cell->tag), CINSTR_CELL_CALL);
	CU_ASSERT_EQUAL(caller_of(t, REC_ENTER), maker_code(MAIN_ENTER));
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_CALL, MAIN_PUTS), 40);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 30);
	CU_ASSERT_EQUAL(t->n_open, 1);
	buffer_close();
}

/* The enter of work is missing: its own call tells that it runs. So does an exit. */
static void a_call_of_a_function_without_an_enter_adopts_it(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(WORK_REC, 120, 0x6f00, maker_code(REC_ENTER)),
		buffer_event(REC_EXIT, 130, 0x6f00, CINSTR_SECOND_FUSED_EXIT),
		buffer_event(WORK_EXIT, 150, 0x7f00, CINSTR_SECOND_FUSED_EXIT),
		buffer_event(TAIL_EXIT, 170, 0x7f00, CINSTR_SECOND_FUSED_EXIT),
		buffer_event(MAIN_EXIT, 180, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(t->state->repaired, 2);
	CU_ASSERT_EQUAL(caller_of(t, WORK_ENTER), maker_code(MAIN_ENTER));
	CU_ASSERT_EQUAL(caller_of(t, REC_ENTER), maker_code(WORK_ENTER));
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 20 + 20);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, TAIL_ENTER), 20);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10);
	CU_ASSERT_EQUAL(t->n_open, 0);
	buffer_close();
}

/* The exit of work is missing: a call by main tells that it is over; no cell of main's calls is
 * made below work. */
static void a_call_by_an_outer_frame_ends_the_inner_ones(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(MAIN_WORK, 110, 0x7f00, maker_code(WORK_ENTER)),
		buffer_event(MAIN_PUTS, 150, 0x222, 0),
		buffer_event(MAIN_PUTS_AFTER, 160, 0x7f00, CINSTR_SECOND_PLAIN),
		buffer_event(MAIN_WORK, 170, 0x7f00, maker_code(WORK_ENTER)),
		buffer_event(MAIN_PUTS, 180, 0x222, 0),
		buffer_event(MAIN_REC, 190, 0x7f00, maker_code(REC_ENTER)),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 40 + 10 + 10 + 10);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 0);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 2);
	CU_ASSERT_EQUAL_FATAL(t->n_open, 2);
	CU_ASSERT_EQUAL(buffer_open_function(t, 1), maker_code(REC_ENTER));
	buffer_close();
}

/* rec called itself, and the inner exit is missing: where the outer one returns to, it is not open
 * any more. */
static void a_return_to_the_caller_ends_all_of_a_recursion(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(MAIN_REC, 110, 0x7f00, maker_code(REC_ENTER)),
		buffer_event(REC_REC, 120, 0x7e00, maker_code(REC_ENTER)),
		buffer_event(REC_EXIT, 140, 0x7f08, CINSTR_SECOND_FUSED_EXIT),
		buffer_event(TAIL_ENTER, 150, 0x444, 0x7d01),
		buffer_event(TAIL_EXIT, 160, 0x444, CINSTR_SECOND_EXIT),
		buffer_event(MAIN_EXIT, 170, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(caller_of(t, TAIL_ENTER), maker_code(MAIN_ENTER));
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 10 + 10);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 1);
	CU_ASSERT_EQUAL(t->state->exits, 3);
	CU_ASSERT_EQUAL(t->n_open, 0);
	buffer_close();
}

/* A line of the outer one, while the inner one is taken to run. */
static void a_line_tells_which_one_of_a_recursion_runs(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(LINED_ENTER, 100, 0x111, 0x8001),
		buffer_event(LINED_81, 110, 0x7ff0, CINSTR_SECOND_PLAIN),
		buffer_event(LINED_LINED, 120, 0x7f00, maker_code(LINED_ENTER)),
		buffer_event(LINED_81, 130, 0x7ef0, CINSTR_SECOND_PLAIN),
		buffer_event(LINED_81, 150, 0x7ff0, CINSTR_SECOND_PLAIN),
		buffer_event(LINED_EXIT, 160, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_switched(records, ARRAY_SIZE(records));

	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_LINE, LINED_81), 10 + 20 + 10);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 1);
	CU_ASSERT_EQUAL(t->n_open, 0);
	buffer_close();
}

/* work was entered by its counter, and calls read; its exit has an event again. */
static void a_counted_function_gets_no_frame(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(WORK_READ, 110, 0x222, 0),
		buffer_event(WORK_READ_AFTER, 150, 0x7000, CINSTR_SECOND_PLAIN),
		buffer_event(WORK_EXIT, 160, 0x333, CINSTR_SECOND_EXIT),
		buffer_event(MAIN_EXIT, 180, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t;

	maker_init(&buffer.maker);
	maker_header(&buffer.maker)->switches = 1;
	counted = WORK_ENTER;
	put_counted();
	maker_thread(&buffer.maker, "t");
	maker_records(&buffer.maker, 0, records, ARRAY_SIZE(records));
	buffer_open();
	t = &buffer.data.threads[0];
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	CU_ASSERT_EQUAL(t->state->orphans, 1);
	CU_ASSERT_EQUAL(t->state->repaired, 0);
	CU_ASSERT_EQUAL(t->state->implicit_exits, 0);
	CU_ASSERT_PTR_NULL(buffer_find(t, CINSTR_CELL_FRAME, WORK_ENTER));
	CU_ASSERT_EQUAL(t->n_nodes, 3);
	CU_ASSERT_EQUAL(t->nodes[2].cell->site, maker_code(WORK_READ));
	CU_ASSERT_EQUAL(t->nodes[2].cell->ticks, 40);
	CU_ASSERT_EQUAL(t->nodes[2].parent, 1);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 10 + 20);
	buffer_close();
	counted = 0;
}

/* work was entered by its counter, and leaves by a jump that has an event: its call counts. Whether
 * what it calls has probes is seen at the next event. */
static void a_tail_call_of_a_counted_function_counts(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(WORK_TAIL, 110, 0x222, 0),
		buffer_event(MAIN_EXIT, 180, 0x111, CINSTR_SECOND_EXIT),
		buffer_event(MAIN_ENTER, 200, 0x111, 0x8001),
		buffer_event(WORK_TAIL, 210, 0x222, 0),
		buffer_event(TAIL_ENTER, 220, 0x222, 0x7001),
		buffer_event(TAIL_EXIT, 240, 0x222, CINSTR_SECOND_EXIT),
		buffer_event(MAIN_EXIT, 280, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t;
	const struct data_node *call, *frame;

	maker_init(&buffer.maker);
	maker_header(&buffer.maker)->switches = 1;
	counted = WORK_ENTER;
	put_counted();
	counted = 0;
	maker_thread(&buffer.maker, "t");
	maker_records(&buffer.maker, 0, records, ARRAY_SIZE(records));
	buffer_open();
	t = &buffer.data.threads[0];
	CU_ASSERT_EQUAL(values_conservation(t), 0);
	CU_ASSERT_EQUAL(t->state->enters, t->state->exits + t->state->implicit_exits + t->n_open);
	call = buffer_find(t, CINSTR_CELL_CALL, WORK_TAIL);
	frame = buffer_find(t, CINSTR_CELL_FRAME, TAIL_ENTER);
	CU_ASSERT_PTR_NOT_NULL_FATAL(call);
	CU_ASSERT_PTR_NOT_NULL_FATAL(frame);
	CU_ASSERT_EQUAL(call->cell->calls, 1);
	CU_ASSERT_EQUAL(call->cell->ticks, 0);
	CU_ASSERT_EQUAL(call->cell->site, maker_code(WORK_TAIL));
	CU_ASSERT_EQUAL(frame->cell->calls, 1);
	CU_ASSERT_EQUAL(frame->cell->site, maker_code(WORK_TAIL));
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, TAIL_ENTER), 10 + 20);
	buffer_close();
}

/* work is open, timed; rec, which it called, calls work again, which is counted now and reads. */
static void a_counted_call_ends_no_timed_one(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(WORK_ENTER, 100, 0x111, 0x8001),
		buffer_event(REC_ENTER, 110, 0x222, 0x7001),
		buffer_event(WORK_READ, 120, 0x333, 0),
		buffer_event(WORK_READ_AFTER, 150, 0x6000, CINSTR_SECOND_PLAIN),
		buffer_event(REC_EXIT, 160, 0x222, CINSTR_SECOND_EXIT),
		buffer_event(WORK_EXIT, 180, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t;

	counted = WORK_ENTER;
	t = fold_switched(records, ARRAY_SIZE(records));
	counted = 0;
	CU_ASSERT_EQUAL(t->state->implicit_exits, 0);
	CU_ASSERT_EQUAL(t->state->exits, 2);
	CU_ASSERT_EQUAL(t->state->repaired, 0);
	CU_ASSERT_EQUAL(caller_of(t, REC_ENTER), maker_code(WORK_ENTER));
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, REC_ENTER), 10 + 10);
	buffer_close();
}

/* Of a frame whose exit will not be seen, events of its own tell that it runs; the end of a call
 * further in does not. */
static void a_frame_without_an_end_stays_while_it_runs(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(LINED_ENTER, 110, 0x222, 0x7001),
		buffer_special(CINSTR_SP_UNSEEN, 110, 1 | 1ull << 32),
		buffer_event(LINED_81, 120, 0x6ff0, CINSTR_SECOND_PLAIN),
		buffer_event(LINED_82, 150, 0x6ff0, CINSTR_SECOND_PLAIN),
		buffer_event(LINED_EXIT, 170, 0x222, CINSTR_SECOND_EXIT),
		buffer_event(MAIN_EXIT, 180, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t;

	records[3].code = CINSTR_SPECIAL(CINSTR_SP_UNSEEN, CINSTR_UNSEEN_END);
	t = fold_switched(records, ARRAY_SIZE(records));
	CU_ASSERT_EQUAL(t->state->implicit_exits, 0);
	CU_ASSERT_EQUAL(t->state->exits, 2);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_LINE, LINED_81), 30);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_LINE, LINED_82), 20);
	buffer_close();
}

CU_TestInfo fold_switched_tests[] = {
	{ "a frame without an end stays while it runs", a_frame_without_an_end_stays_while_it_runs },
	{ "an enter in the place of a frame ends it", an_enter_in_the_place_of_a_frame_ends_it },
	{ "an enter on another stack ends nothing", an_enter_on_another_stack_ends_nothing },
	{ "a call by the function itself ends its call without probes",
	  a_call_by_the_function_itself_ends_its_call_without_probes },
	{ "a call of a function without an enter adopts it",
	  a_call_of_a_function_without_an_enter_adopts_it },
	{ "a counted function gets no frame", a_counted_function_gets_no_frame },
	{ "a tail call of a counted function counts", a_tail_call_of_a_counted_function_counts },
	{ "a counted call ends no timed one", a_counted_call_ends_no_timed_one },
	{ "a call by an outer frame ends the inner ones", a_call_by_an_outer_frame_ends_the_inner_ones },
	{ "a return to the caller ends all of a recursion", a_return_to_the_caller_ends_all_of_a_recursion },
	{ "a line tells which one of a recursion runs", a_line_tells_which_one_of_a_recursion_runs },
	CU_TEST_INFO_NULL,
};
