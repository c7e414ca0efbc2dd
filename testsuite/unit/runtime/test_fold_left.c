/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fold of frames that were left without an event: what begins in their place ends them (R15),
 * on their own stack only. */
#include "buffer.h"
#include "runtime/fold/fold.h"

#define ALTERNATE 0x4000000u /* above all frames of the thread's own stack here, and far away */

static const struct cinstr_cell *caller_of(const struct data_thread *t, enum maker_site enter)
{
	const struct data_node *node = buffer_find(t, CINSTR_CELL_FRAME, enter);

	CU_ASSERT_PTR_NOT_NULL_FATAL(node);
	return t->nodes[node->parent].cell;
}

static const struct data_thread *fold_left(const struct cinstr_record *records, size_t n,
					   uint32_t implicit_exits, uint32_t open)
{
	const struct data_thread *t = buffer_fold(records, n);

	CU_ASSERT_EQUAL(t->state->enters, t->state->exits + t->state->implicit_exits + t->n_open);
	CU_ASSERT_EQUAL(t->state->implicit_exits, implicit_exits);
	CU_ASSERT_EQUAL(t->n_open, open);
	CU_ASSERT_EQUAL(t->state->orphans, 0);
	return t;
}

/* work called what jumped, and the next function begins where work did. The time until then is the
 * jump's. */
static void what_begins_in_the_same_place_ends_it(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(WORK_ENTER, 100, 0x111, 0x8001),
		buffer_event(WORK_READ, 110, 0x222, 0),
		buffer_event(REC_ENTER, 150, 0x333, 0x8001),
		buffer_event(REC_EXIT, 160, 0x333, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_left(records, ARRAY_SIZE(records), 1, 0);

	CU_ASSERT_EQUAL(CINSTR_CELL_KIND(caller_of(t, REC_ENTER)->tag), CINSTR_CELL_ROOT);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_CALL, WORK_READ), 40);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 10);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, REC_ENTER), 10);
	buffer_close();
}

/* Three levels of rec were left; puts, which caught that, calls back again, from a place between
 * them and main. */
static void what_begins_among_the_frames_ends_those_below(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x9001),
		buffer_event(MAIN_PUTS, 110, 0x222, 0),
		buffer_event(REC_ENTER, 120, 0x333, 0x7001),
		buffer_event(REC_REC, 130, 0x6f00, maker_code(REC_ENTER)),
		buffer_event(REC_REC, 140, 0x6e00, maker_code(REC_ENTER)),
		buffer_event(WORK_ENTER, 160, 0x444, 0x7101),
		buffer_event(WORK_EXIT, 170, 0x444, CINSTR_SECOND_EXIT),
		buffer_event(MAIN_PUTS_AFTER, 180, 0x8f00, CINSTR_SECOND_PLAIN),
		buffer_event(MAIN_EXIT, 190, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_left(records, ARRAY_SIZE(records), 3, 0);

	CU_ASSERT_EQUAL(caller_of(t, WORK_ENTER)->site, maker_code(MAIN_PUTS));
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_CALL, MAIN_PUTS), 10 + 10);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, MAIN_ENTER), 10 + 10);
	buffer_close();
}

/* Only the inner two of three levels were left, for the next one begins below the outermost. */
static void outer_levels_of_a_recursion_stay(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(REC_ENTER, 100, 0x333, 0x8001),
		buffer_event(REC_REC, 110, 0x7f00, maker_code(REC_ENTER)),
		buffer_event(REC_REC, 120, 0x7e00, maker_code(REC_ENTER)),
		buffer_event(REC_REC, 150, 0x7f00, maker_code(REC_ENTER)),
	};
	const struct data_thread *t = fold_left(records, ARRAY_SIZE(records), 2, 2);

	CU_ASSERT_EQUAL(t->n_nodes, 4);
	CU_ASSERT_EQUAL(t->nodes[2].cell->calls, 2);
	CU_ASSERT_EQUAL(t->nodes[3].cell->calls, 1);
	buffer_close();
}

/* A handler on a stack of its own, above: work goes on. It is left by a jump; the next handler
 * begins in its place. */
static void a_handler_on_another_stack_ends_nothing(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(WORK_ENTER, 100, 0x111, 0x8001),
		buffer_event(TAIL_ENTER, 110, 0x222, ALTERNATE | 1),
		buffer_event(REC_ENTER, 120, 0x333, (ALTERNATE - 0x100) | 1),
		buffer_event(REC_EXIT, 130, 0x333, CINSTR_SECOND_EXIT),
		buffer_event(TAIL_ENTER, 140, 0x222, ALTERNATE | 1),
		buffer_event(TAIL_EXIT, 150, 0x222, CINSTR_SECOND_EXIT),
		buffer_event(WORK_EXIT, 160, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_left(records, ARRAY_SIZE(records), 1, 0);

	CU_ASSERT_EQUAL(caller_of(t, TAIL_ENTER)->func, maker_code(WORK_ENTER));
	CU_ASSERT_EQUAL(caller_of(t, REC_ENTER)->func, maker_code(TAIL_ENTER));
	CU_ASSERT_EQUAL(buffer_find(t, CINSTR_CELL_FRAME, TAIL_ENTER)->cell->calls, 2);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_FRAME, WORK_ENTER), 10 + 10);
	buffer_close();
}

/* Two stacks take turns, without an event that tells: what begins on one of them again ends what
 * was left there, and the other's, which lies above. */
static void stacks_that_take_turns_do_not_pile_up(void)
{
	struct cinstr_record records[200];
	const struct data_thread *t;
	uint32_t n = 0;

	records[n++] = buffer_start(FIRST);
	for (uint32_t i = 0; n < ARRAY_SIZE(records); i++, n++)
		records[n] = buffer_event(WORK_ENTER, 10 * n, 0x111, (i % 2 ? ALTERNATE : 0x8000) | 1);
	t = fold_left(records, ARRAY_SIZE(records), ARRAY_SIZE(records) - 2, 1);
	CU_ASSERT_EQUAL(t->n_nodes, 3);
	CU_ASSERT_EQUAL(t->nodes[1].cell->calls + t->nodes[2].cell->calls, ARRAY_SIZE(records) - 1);
	buffer_close();
}

/* A jump to the function's last callee: it begins where the function did, which is still there. */
static void a_tail_call_ends_nothing(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(MAIN_WORK, 110, 0x7f00, maker_code(WORK_ENTER)),
		buffer_event(WORK_TAIL, 120, 0x7f00, maker_code(TAIL_ENTER)),
		buffer_event(TAIL_EXIT, 130, 0x7f08, CINSTR_SECOND_FUSED_EXIT),
		buffer_event(MAIN_WORK, 140, 0x7f00, maker_code(WORK_ENTER)),
		buffer_event(WORK_TAIL, 150, 0x222, 0), /* split from the callee's enter */
		buffer_event(TAIL_ENTER, 160, 0x222, 0x7f01),
		buffer_event(TAIL_EXIT, 170, 0x7f08, CINSTR_SECOND_FUSED_EXIT),
		buffer_event(MAIN_EXIT, 180, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_left(records, ARRAY_SIZE(records), 0, 0);

	CU_ASSERT_EQUAL(caller_of(t, TAIL_ENTER)->func, maker_code(WORK_ENTER));
	CU_ASSERT_EQUAL(buffer_find(t, CINSTR_CELL_FRAME, TAIL_ENTER)->cell->calls, 2);
	CU_ASSERT_EQUAL(buffer_find(t, CINSTR_CELL_FRAME, WORK_ENTER)->cell->calls, 2);
	CU_ASSERT_EQUAL(t->state->exits, 5);
	buffer_close();
}

/* What was reached by a jump is left, too: all of the chain is over. */
static void a_chain_of_tail_calls_ends_as_a_whole(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(WORK_ENTER, 100, 0x111, 0x8001),
		buffer_event(WORK_TAIL, 110, 0x8000, maker_code(TAIL_ENTER)),
		buffer_event(REC_ENTER, 150, 0x333, 0x8001),
	};
	const struct data_thread *t = fold_left(records, ARRAY_SIZE(records), 2, 1);

	CU_ASSERT_EQUAL(CINSTR_CELL_KIND(caller_of(t, REC_ENTER)->tag), CINSTR_CELL_ROOT);
	buffer_close();
}

/* main is in the same call again, or makes another one: the first was left. */
static void a_call_that_was_left_is_over_when_its_function_calls_again(void)
{
	struct cinstr_record records[] = {
		buffer_start(FIRST),
		buffer_event(MAIN_ENTER, 100, 0x111, 0x8001),
		buffer_event(MAIN_PUTS, 110, 0x222, 0),
		buffer_event(MAIN_PUTS, 130, 0x222, 0),
		buffer_event(MAIN_USLEEP, 150, 0x222, 0),
		buffer_event(MAIN_USLEEP_AFTER, 160, 0x7f00, CINSTR_SECOND_PLAIN),
		buffer_event(MAIN_EXIT, 170, 0x111, CINSTR_SECOND_EXIT),
	};
	const struct data_thread *t = fold_left(records, ARRAY_SIZE(records), 0, 0);

	CU_ASSERT_EQUAL(buffer_find(t, CINSTR_CELL_CALL, MAIN_PUTS)->cell->calls, 2);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_CALL, MAIN_PUTS), 20 + 20);
	CU_ASSERT_EQUAL(buffer_ticks_of(t, CINSTR_CELL_CALL, MAIN_USLEEP), 10);
	CU_ASSERT_EQUAL(t->n_nodes, 4);
	buffer_close();
}

/* Jumps from anywhere to anywhere: as many frames are open as there are places, at most. */
static void there_is_one_frame_in_a_place(void)
{
	enum { N = 250, PLACES = 20 };
	static struct cinstr_record records[N];
	const struct data_thread *t;
	uint32_t seed = 7;

	records[0] = buffer_start(FIRST);
	for (uint32_t i = 1; i < N; i++) {
		seed = seed * 1103515245 + 12345;
		records[i] = buffer_event(i % 3 ? WORK_ENTER : REC_ENTER, 10 * i, 0x111,
					  (0x8000 - (seed >> 16) % PLACES * 0x100) | 1);
	}
	t = buffer_fold(records, N);
	CU_ASSERT_TRUE(t->n_open <= PLACES);
	CU_ASSERT_EQUAL(t->state->enters, t->state->implicit_exits + t->n_open);
	buffer_close();
}

CU_TestInfo fold_left_tests[] = {
	{ "what begins in the same place ends it", what_begins_in_the_same_place_ends_it },
	{ "what begins among the frames ends those below", what_begins_among_the_frames_ends_those_below },
	{ "outer levels of a recursion stay", outer_levels_of_a_recursion_stay },
	{ "a handler on another stack ends nothing", a_handler_on_another_stack_ends_nothing },
	{ "stacks that take turns do not pile up", stacks_that_take_turns_do_not_pile_up },
	{ "a tail call ends nothing", a_tail_call_ends_nothing },
	{ "a chain of tail calls ends as a whole", a_chain_of_tail_calls_ends_as_a_whole },
	{ "a call that was left is over when its function calls again",
	  a_call_that_was_left_is_over_when_its_function_calls_again },
	{ "there is one frame in a place", there_is_one_frame_in_a_place },
	CU_TEST_INFO_NULL,
};
