/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a function's executed instructions belongs to each of its call paths. */
#include <stdlib.h>
#include <string.h>

#include "executed/call_shares.h"
#include "rows/caller_rows.h"
#include "tests.h"

enum { MAIN, F, G, H, FUNCTIONS };

static struct shares_function functions[FUNCTIONS];
static struct shares_calls calls[8];
static struct call_shares shares;

static void begin(void)
{
	memset(functions, 0, sizeof(functions));
	for (size_t i = 0; i < FUNCTIONS; i++)
		functions[i].has_calls = 1;
	functions[MAIN].calls = 1;
	functions[MAIN].instructions = 10;
	shares = (struct call_shares){ .functions = functions, .n_functions = FUNCTIONS, .list = calls };
	shares.size_nodes = 16;
	shares.nodes = calloc(shares.size_nodes, sizeof(*shares.nodes));
	shares.n_nodes = 2;
	shares.nodes[0] = (struct shares_node){ 0, SHARES_NO_FUNCTION, SHARES_NO_FUNCTION, 0, 0, 0, 0, 0 };
	shares.nodes[1] = (struct shares_node){ 0, MAIN, SHARES_NO_FUNCTION, 0, 1, 0, 0, 0 };
}

static void execute(uint32_t function, uint64_t instructions, uint64_t n)
{
	functions[function].instructions = instructions;
	functions[function].calls = n;
}

/* What events have told of. */
static uint32_t node(uint32_t parent, uint32_t function, uint64_t n, int is_named)
{
	uint32_t caller = shares.nodes[parent].function;

	shares.nodes[shares.n_nodes] = (struct shares_node){ parent, function, caller, is_named, n, 0, 0, 0 };
	return (uint32_t)shares.n_nodes++;
}

static void call(uint32_t from, uint32_t to, uint64_t n)
{
	calls[shares.n_list++] = (struct shares_calls){ from, to, n };
}

static uint64_t sum_of(uint32_t function)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < shares.n_nodes; i++)
		sum += shares.nodes[i].function == function ? shares.nodes[i].instructions : 0;
	return sum;
}

static int is_below(uint32_t number, uint32_t above)
{
	while (number && number != above)
		number = shares.nodes[number].parent;
	return number == above;
}

/* Whether the sum of a node and all below it is exact. */
static int is_exact(uint32_t above)
{
	uint64_t marks = 0;

	for (uint32_t i = 0; i < shares.n_nodes; i++)
		marks += is_below(i, above) ? shares.nodes[i].mark : 0;
	return marks % SHARES_WHOLE == 0;
}

/* The first one; 0: there is none. */
static uint32_t child_of(uint32_t parent, uint32_t function)
{
	for (uint32_t i = 1; i < shares.n_nodes; i++)
		if (shares.nodes[i].parent == parent && shares.nodes[i].function == function)
			return i;
	return 0;
}

static void expect(uint32_t number, uint64_t n, uint64_t instructions, int exact)
{
	CU_ASSERT(number > 0);
	CU_ASSERT_EQUAL(shares.nodes[number].calls, n);
	CU_ASSERT_EQUAL(shares.nodes[number].instructions, instructions);
	CU_ASSERT_EQUAL(is_exact(number), exact);
}

static void end(void)
{
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		CU_ASSERT_EQUAL(sum_of(f), functions[f].instructions);
	CU_ASSERT(is_exact(0));
	free(shares.nodes);
}

/* Three calls have two thirds of them, and what does not divide goes where most is missing. */
static void by_calls(void)
{
	uint32_t f, g;

	begin();
	execute(F, 7, 2);
	execute(G, 7, 2);
	execute(H, 100, 3);
	f = node(1, F, 2, 1);
	g = node(1, G, 2, 1);
	node(f, H, 2, 1);
	node(g, H, 1, 1);
	call_shares_make(&shares);
	CU_ASSERT_EQUAL(shares.n_nodes, 6);
	expect(child_of(f, H), 2, 67, 0);
	expect(child_of(g, H), 1, 33, 0);
	expect(f, 2, 7, 0);
	expect(1, 1, 10, 1); /* all that main has called is below it */
	end();
}

static void one_path(void)
{
	uint32_t f;

	begin();
	execute(F, 7, 2);
	execute(G, 1000, 6);
	f = node(1, F, 2, 1);
	node(f, G, 6, 1);
	call_shares_make(&shares);
	expect(child_of(f, G), 6, 1000, 1);
	expect(f, 2, 7, 1);
	end();
}

/* Calls of functions without probes are known by their callers' code. */
static void without_events(void)
{
	uint32_t f, g;

	begin();
	execute(F, 7, 1);
	execute(G, 7, 1);
	execute(H, 100, 20);
	call(F, H, 15);
	call(G, H, 5);
	f = node(1, F, 1, 1);
	g = node(1, G, 1, 1);
	call_shares_make(&shares);
	expect(child_of(f, H), 15, 75, 0);
	expect(child_of(g, H), 5, 25, 0);
	expect(1, 1, 10, 1);
	end();
}

/* Some calls had events, until the function's probes were taken out. */
static void taken_out(void)
{
	uint32_t f, g;

	begin();
	execute(F, 7, 1);
	execute(G, 7, 1);
	execute(H, 2000, 20);
	call(F, H, 15);
	call(G, H, 5);
	f = node(1, F, 1, 1);
	g = node(1, G, 1, 1);
	node(f, H, 5, 1);
	call_shares_make(&shares);
	CU_ASSERT_EQUAL(shares.n_nodes, 7);
	expect(child_of(g, H), 5, 500, 0);
	expect(child_of(f, H), 5, 500, 0);
	CU_ASSERT_EQUAL(shares.nodes[5].instructions + shares.nodes[6].instructions, 1500);
	end();
}

/* f calls itself and g, without events: one node each. */
static void recursion(void)
{
	uint32_t f;

	begin();
	execute(F, 5000, 1001);
	execute(G, 3000, 1000);
	call(MAIN, F, 1);
	call(F, F, 1000);
	call(F, G, 1000);
	call_shares_make(&shares);
	CU_ASSERT_EQUAL(shares.n_nodes, 4);
	f = child_of(1, F);
	expect(f, 1001, 5000, 1);
	CU_ASSERT(shares.nodes[f].is_recursive && !shares.nodes[1].is_recursive);
	expect(child_of(f, G), 1000, 3000, 1);
	end();
}

/* Two that call each other, without events, and from nowhere that is known. */
static void a_cycle(void)
{
	uint32_t unknown;

	begin();
	execute(F, 500, 10);
	execute(G, 300, 10);
	call(F, G, 10);
	call(G, F, 10);
	call_shares_make(&shares);
	unknown = child_of(0, SHARES_UNKNOWN_CALLER);
	CU_ASSERT(child_of(unknown, F) && child_of(unknown, G));
	CU_ASSERT_EQUAL(shares.nodes[1].instructions, 10);
	end();
}

/* By pointers: from where it was seen, or from nowhere that is known. */
static void callers_not_known(void)
{
	uint32_t f, g;

	begin();
	execute(F, 7, 1);
	execute(G, 100, 10);
	execute(H, 50, 5);
	f = node(1, F, 1, 1);
	g = node(f, G, 4, 0);
	call_shares_make(&shares);
	expect(g, 10, 100, 0);
	expect(f, 1, 7, 0);
	expect(1, 1, 10, 1); /* the thread began with it, and all others are below it */
	expect(child_of(child_of(0, SHARES_UNKNOWN_CALLER), H), 5, 50, 1);
	end();
}

/* As of a forked child: it was called before. */
static void without_calls(void)
{
	begin();
	execute(MAIN, 10, 0);
	shares.nodes[1].calls = 0;
	execute(G, 11, 0);
	call_shares_make(&shares);
	expect(1, 0, 10, 1);
	expect(child_of(child_of(0, SHARES_UNKNOWN_CALLER), G), 0, 11, 1);
	end();
}

/* How many there were is known to a few. */
static void rough_code(void)
{
	begin();
	execute(F, 7, 1);
	functions[F].is_estimate = 1;
	node(1, F, 1, 1);
	call_shares_make(&shares);
	CU_ASSERT(!is_exact(1) && !is_exact(2));
	CU_ASSERT_EQUAL(shares.nodes[2].instructions, 7);
	free(shares.nodes);
}

/* Numbers that no double holds. */
static void large_numbers(void)
{
	uint32_t f;

	begin();
	execute(F, 1, 1);
	execute(G, UINT64_MAX, UINT64_C(1) << 62);
	f = node(1, F, 1, 1);
	node(f, G, (UINT64_C(1) << 62) - 1, 1);
	node(1, G, 1, 1);
	call_shares_make(&shares);
	CU_ASSERT_EQUAL(shares.nodes[4].instructions, 4);
	end();
}

/* A function's own ones are known, also if it is not known where all of its calls were made; those
 * of a path or of a caller are not. */
static void rows(void)
{
	const struct profile functions_profile = { .by = BY_FUNCTION }, paths = { .by = BY_PATH };
	struct row row = { .caller = EDGE_NO_CALLER,
			   .sums = { .share_mark_exclusive = 5, .share_mark_inclusive = 5 } };

	CU_ASSERT(!row_is_share(&functions_profile, &row, VALUE_ELAPSED_EXCLUSIVE));
	CU_ASSERT(!row_is_share(&functions_profile, &row, VALUE_ELAPSED_INCLUSIVE));
	CU_ASSERT(row_is_share(&paths, &row, VALUE_ELAPSED_EXCLUSIVE));
	CU_ASSERT(row_is_share(&paths, &row, VALUE_ELAPSED_INCLUSIVE));
	row.sums.share_mark_inclusive = 7; /* what it called was called elsewhere, too */
	CU_ASSERT(row_is_share(&functions_profile, &row, VALUE_ELAPSED_INCLUSIVE));
	row.sums.share_mark_inclusive = 5 + (long double)SHARES_WHOLE;
	CU_ASSERT(!row_is_share(&functions_profile, &row, VALUE_ELAPSED_INCLUSIVE));
	row.caller = MAIN;
	CU_ASSERT(row_is_share(&functions_profile, &row, VALUE_ELAPSED_EXCLUSIVE));
	row_add_share(&row, DATA_CELL_ROUGH, ADD_EXCLUSIVE);
	row.caller = EDGE_NO_CALLER;
	CU_ASSERT(row_is_share(&functions_profile, &row, VALUE_ELAPSED_EXCLUSIVE));
}

CU_TestInfo call_shares_tests[] = { { "by calls, in whole numbers", by_calls },
				    { "one path has all of them", one_path },
				    { "calls without events, by their callers' code", without_events },
				    { "some calls had events", taken_out },
				    { "recursion without events", recursion },
				    { "a cycle that nobody is known to have called", a_cycle },
				    { "callers that are not known", callers_not_known },
				    { "no call is known", without_calls },
				    { "code that is not executed as it stands", rough_code },
				    { "large numbers", large_numbers },
				    { "which rows are exact", rows },
				    CU_TEST_INFO_NULL };
