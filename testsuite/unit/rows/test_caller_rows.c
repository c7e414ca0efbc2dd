/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cinstr callers: callers, the function, callees; R6 once per interval and edge. */
#include <stdlib.h>
#include <string.h>

#include "rows/caller_rows.h"
#include "tests.h"

static size_t select_root(struct profile *p, const char *name)
{
	struct caller_rows_wish wish = { name, "test", UINT64_MAX };

	return caller_rows_select(p, &wish);
}

static void callers_of(struct profile *p, struct maker *m, const char *name, size_t roots)
{
	profile_of(p, m, BY_CALLERS, &default_counting);
	CU_ASSERT_EQUAL(select_root(p, name), roots);
}

static const struct row *find(const struct profile *p, enum relation relation, const char *name)
{
	static const struct row none = { .calls = UINT64_MAX };

	for (size_t i = 0; i < p->n_rows; i++)
		if (p->rows[i].relation == relation && !strcmp(p->rows[i].name, name))
			return &p->rows[i];
	return &none;
}

static void expect(const struct profile *p, enum relation relation, const char *name, uint64_t calls,
		   long double inclusive, long double exclusive)
{
	const struct row *row = find(p, relation, name);

	CU_ASSERT_EQUAL(row->calls, calls);
	CU_ASSERT(row->sums.elapsed_inclusive == inclusive);
	CU_ASSERT(row->sums.elapsed_exclusive == exclusive);
}

/* ---- without recursion ----------------------------------------------------------------------- */

/* main -> work (twice, from two threads), main -> twin; work -> rec, puts; [outside] -> work */
static void make_plain(struct maker *m)
{
	uint32_t at, work;

	maker_init(m);
	maker_thread(m, "first");
	at = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	work = maker_frame(m, 0, at, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 3, 10);
	maker_frame(m, 0, work, maker_code(WORK_REC), maker_code(REC_ENTER), 6, 20);
	maker_call(m, 0, work, maker_code(MAIN_PUTS), 4, 40);
	maker_frame(m, 0, at, maker_code(MAIN_TWIN), maker_code(TWIN_A_ENTER), 7, 70);
	maker_frame(m, 0, at, maker_code(MAIN_TWIN), maker_code(TWIN_B_ENTER), 8, 80);
	maker_thread(m, "second");
	work = maker_frame(m, 1, maker_root(m, 1), 0, maker_code(WORK_ENTER), 1, 1000);
	maker_frame(m, 1, work, maker_code(WORK_REC), maker_code(REC_ENTER), 1, 2000);
	at = maker_frame(m, 1, maker_root(m, 1), 0, maker_code(MAIN_ENTER), 1, 5000);
	maker_frame(m, 1, at, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 2, 600);
}

static void callers_and_callees(void)
{
	struct maker m;
	struct profile p;

	make_plain(&m);
	callers_of(&p, &m, "work", 1);
	CU_ASSERT_EQUAL(p.n_rows, 2 + 1 + 2);
	expect(&p, RELATION_CALLER, "main", 5, 10 + 20 + 40 + 600, 610);
	expect(&p, RELATION_CALLER, EDGE_OUTSIDE, 1, 3000, 1000);
	expect(&p, RELATION_ROOT, "work", 6, 3670, 1610);
	expect(&p, RELATION_CALLEE, "rec", 7, 2020, 2020);
	expect(&p, RELATION_CALLEE, "puts", 4, 40, 40);
	CU_ASSERT_STRING_EQUAL(find(&p, RELATION_CALLER, "main")->root_function, "work");
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLER, "main")->line, 10); /* the caller's own place */
	CU_ASSERT_STRING_EQUAL(find(&p, RELATION_CALLER, EDGE_OUTSIDE)->module, "");
	for (size_t i = 0; i < p.n_rows; i++)
		CU_ASSERT_EQUAL(p.rows[i].is_recursive, 0);
	profile_release(&p);
	maker_release(&m);
}

static void functions_of_one_name_stay_apart(void)
{
	struct maker m;
	struct profile p;

	make_plain(&m);
	callers_of(&p, &m, "twin", 2);
	CU_ASSERT_EQUAL(p.n_rows, 4);
	CU_ASSERT_EQUAL(p.rows[0].calls, 8); /* from the most inclusive time on */
	CU_ASSERT_EQUAL(p.rows[1].calls, 8);
	CU_ASSERT_STRING_EQUAL(p.rows[1].file, "/abs/b.c");
	CU_ASSERT_EQUAL(p.rows[2].calls, 7);
	CU_ASSERT_NOT_EQUAL(p.rows[0].root, p.rows[2].root);
	profile_release(&p);
	maker_release(&m);
}

static void globs_and_none(void)
{
	struct maker m;
	struct profile p;

	make_plain(&m);
	callers_of(&p, &m, "[mw]*", 2);
	CU_ASSERT_STRING_EQUAL(p.rows[0].root_function, "main");
	profile_release(&p);
	quiet_begin();
	callers_of(&p, &m, "wrk", 0);
	quiet_end();
	profile_release(&p);
	maker_release(&m);
}

static void by_call_site(void)
{
	struct maker m;
	struct data data;
	struct profile p;
	uint32_t at;

	maker_init(&m);
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 1);
	maker_frame(&m, 0, at, maker_code(MAIN_REC), maker_code(REC_ENTER), 2, 10);
	maker_frame(&m, 0, at, maker_code(MAIN_POINTER), maker_code(REC_ENTER), 3, 20);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	profile_init(&p, BY_CALLERS, &default_counting);
	p.by_call_site = 1;
	profile_add(&p, &data);
	CU_ASSERT_EQUAL(select_root(&p, "rec"), 1);
	CU_ASSERT_EQUAL_FATAL(p.n_rows, 3);
	CU_ASSERT_EQUAL(p.rows[0].line, 12);
	CU_ASSERT_EQUAL(p.rows[0].calls, 2);
	CU_ASSERT_EQUAL(p.rows[1].line, 15);
	CU_ASSERT_EQUAL(p.rows[1].calls, 3);
	CU_ASSERT_STRING_EQUAL(p.rows[1].file, "/src/a.c");
	CU_ASSERT_STRING_NOT_EQUAL(p.rows[0].address, p.rows[1].address);
	profile_release(&p);
	data_release(&data);
	maker_release(&m);
}

/* work jumps to tail twice and calls it once; in a loop of jumps rec hangs below main, and it is
 * work that has jumped. */
static void reached_by_jumps(void)
{
	struct maker m;
	struct data data;
	struct profile p;
	uint32_t at, work;

	maker_init(&m);
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 1);
	work = maker_frame(&m, 0, at, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 2, 10);
	maker_frame(&m, 0, work, maker_code(WORK_TAIL), maker_code(TAIL_ENTER), 2, 20);
	maker_frame(&m, 0, work, maker_code(WORK_REC), maker_code(TAIL_ENTER), 1, 20);
	maker_frame(&m, 0, at, maker_code(WORK_TAIL), maker_code(REC_ENTER), 4, 20);
	callers_of(&p, &m, "tail", 1);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLER, "work")->calls, 3);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLER, "work")->tail_calls, 2);
	profile_release(&p);
	callers_of(&p, &m, "work", 1);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLER, "main")->tail_calls, 0);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLEE, "tail")->tail_calls, 2);
	profile_release(&p);
	callers_of(&p, &m, "rec", 1);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLER, "main")->tail_calls, 4);
	profile_release(&p);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	profile_init(&p, BY_CALLERS, &default_counting);
	p.by_call_site = 1;
	profile_add(&p, &data);
	CU_ASSERT_EQUAL(select_root(&p, "rec"), 1);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLER, "work")->tail_calls, 4);
	profile_release(&p);
	data_release(&data);
	maker_release(&m);
}

/* ---- invariants, on trees of chance ---------------------------------------------------------- */

static const struct {
	const char *name;
	enum maker_site enter, site;
} functions[] = { { "main", MAIN_ENTER, MAIN_WORK }, { "work", WORK_ENTER, MAIN_WORK },
		  { "rec", REC_ENTER, WORK_REC },    { "twin", TWIN_A_ENTER, MAIN_TWIN },
		  { "tail", TAIL_ENTER, WORK_TAIL }, { "clone", CLONE_ENTER, MAIN_POINTER } };

static uint32_t chance(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % n;
}

/* Below a node, what is not on the path yet. */
static void grow(struct maker *m, uint32_t thread, uint32_t parent, unsigned on_path, uint64_t *seed)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(functions) && m->n_cells[thread] + 8 < MAKER_CELLS; i++) {
		uint32_t node;

		if (on_path & 1u << i || chance(seed, 3))
			continue;
		node = maker_frame(m, thread, parent, chance(seed, 4) ? maker_code(functions[i].site) : 0,
				   maker_code(functions[i].enter), 1 + chance(seed, 9),
				   1000 + chance(seed, 100000));
		if (chance(seed, 2))
			maker_call(m, thread, node, maker_code(MAIN_PUTS), 1 + chance(seed, 5),
				   chance(seed, 100000));
		grow(m, thread, node, on_path | 1u << i, seed);
	}
}

static void invariants_hold(const struct profile *p)
{
	const struct row *root = NULL;
	long double callers_inclusive = 0, callers_exclusive = 0, callers_application = 0, callees = 0;
	uint64_t calls = 0;

	for (size_t i = 0; i < p->n_rows; i++) {
		const struct row *row = &p->rows[i];

		if (row->relation == RELATION_ROOT)
			root = row;
		if (row->relation == RELATION_CALLER) {
			calls += row->calls;
			callers_inclusive += row->sums.elapsed_inclusive;
			callers_exclusive += row->sums.elapsed_exclusive;
			callers_application += row->sums.application_inclusive;
		}
		if (row->relation == RELATION_CALLEE)
			callees += row->sums.elapsed_inclusive;
	}
	CU_ASSERT_PTR_NOT_NULL_FATAL(root);
	CU_ASSERT_EQUAL(calls, root->calls);
	CU_ASSERT(callers_inclusive == root->sums.elapsed_inclusive); /* to the last tick */
	CU_ASSERT(callers_exclusive == root->sums.elapsed_exclusive);
	CU_ASSERT(callers_application == root->sums.application_inclusive);
	CU_ASSERT(root->sums.elapsed_exclusive + callees == root->sums.elapsed_inclusive);
}

static void invariants(void)
{
	for (uint64_t round = 1; round <= 8; round++) {
		struct cinstr_calibration *c;
		uint64_t seed = round;
		struct maker m;

		maker_init(&m);
		c = &maker_header(&m)->calibration;
		c->rounds = 1;
		for (int i = 0; i < CINSTR_COST_KINDS; i++)
			c->sum[i] = c->minimum[i] = c->maximum[i] = 700u * 1024u + 333u * (unsigned)i;
		for (uint32_t thread = 0; thread < 3; thread++) {
			maker_thread(&m, "t");
			grow(&m, thread, maker_root(&m, thread), 0, &seed);
		}
		for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
			struct profile p;

			profile_of(&p, &m, BY_CALLERS, &default_counting);
			quiet_begin();
			if (select_root(&p, functions[i].name))
				invariants_hold(&p);
			quiet_end();
			profile_release(&p);
		}
		maker_release(&m);
	}
}

/* ---- recursion ------------------------------------------------------------------------------- */

/* main -> rec -> rec -> rec -> puts */
static void self_calls(void)
{
	struct maker m;
	struct profile p;
	uint32_t at;

	maker_init(&m);
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 1);
	at = maker_frame(&m, 0, at, maker_code(MAIN_REC), maker_code(REC_ENTER), 1, 10);
	at = maker_frame(&m, 0, at, maker_code(REC_REC), maker_code(REC_ENTER), 2, 100);
	at = maker_frame(&m, 0, at, maker_code(REC_REC), maker_code(REC_ENTER), 4, 1000);
	maker_call(&m, 0, at, maker_code(MAIN_PUTS), 3, 10000);
	callers_of(&p, &m, "rec", 1);
	expect(&p, RELATION_CALLER, "main", 1, 11110, 10);
	expect(&p, RELATION_CALLER, "rec", 6, 11100, 1100); /* once: not 11100 + 11000 */
	expect(&p, RELATION_ROOT, "rec", 7, 11110, 1110);
	expect(&p, RELATION_CALLEE, "rec", 6, 11100, 1100);
	expect(&p, RELATION_CALLEE, "puts", 3, 10000, 10000);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLER, "main")->is_recursive, 0);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLER, "rec")->is_recursive, 1);
	CU_ASSERT_EQUAL(find(&p, RELATION_ROOT, "rec")->is_recursive, 0);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLEE, "rec")->is_recursive, 1);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLEE, "puts")->is_recursive, 1);
	profile_release(&p);
	callers_of(&p, &m, "main", 1);
	expect(&p, RELATION_CALLEE, "rec", 1, 11110, 10);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLEE, "rec")->is_recursive, 0);
	profile_release(&p);
	maker_release(&m);
}

/* main -> work -> rec -> work -> rec -> puts, and rec -> puts above */
static void calls_in_a_circle(void)
{
	struct maker m;
	struct profile p;
	uint32_t at, rec;

	maker_init(&m);
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 1);
	at = maker_frame(&m, 0, at, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 1, 10);
	rec = maker_frame(&m, 0, at, maker_code(WORK_REC), maker_code(REC_ENTER), 1, 100);
	at = maker_frame(&m, 0, rec, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 1, 1000);
	at = maker_frame(&m, 0, at, maker_code(WORK_REC), maker_code(REC_ENTER), 1, 10000);
	maker_call(&m, 0, at, maker_code(MAIN_PUTS), 1, 100000);
	maker_call(&m, 0, rec, maker_code(MAIN_PUTS), 1, 500000);
	callers_of(&p, &m, "work", 1);
	expect(&p, RELATION_CALLER, "main", 1, 611110, 10);
	expect(&p, RELATION_CALLER, "rec", 1, 111000, 1000);
	expect(&p, RELATION_ROOT, "work", 2, 611110, 1010);
	expect(&p, RELATION_CALLEE, "rec", 2, 611100, 10100);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLER, "main")->is_recursive, 0);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLER, "rec")->is_recursive, 1);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLEE, "rec")->is_recursive, 1);
	profile_release(&p);
	callers_of(&p, &m, "puts", 1);
	expect(&p, RELATION_CALLER, "rec", 2, 600000, 600000);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLER, "rec")->is_recursive, 0);
	profile_release(&p);
	maker_release(&m);
}

/* ---- lines, and calls beyond the budget of paths --------------------------------------------- */

static void lines_belong_to_their_function(void)
{
	struct maker m;
	struct profile p;
	uint32_t at, line;

	maker_init(&m);
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(LINED_ENTER), 1, 10);
	line = maker_line(&m, 0, at, maker_code(LINED_81), 5, 100);
	maker_call(&m, 0, line, maker_code(LINED_PUTS), 5, 1000);
	maker_line(&m, 0, at, maker_code(LINED_82), 5, 10000);
	callers_of(&p, &m, "lined", 1);
	CU_ASSERT_EQUAL(p.n_rows, 3);
	expect(&p, RELATION_CALLER, EDGE_OUTSIDE, 1, 11110, 10110);
	expect(&p, RELATION_ROOT, "lined", 1, 11110, 10110);
	expect(&p, RELATION_CALLEE, "puts", 5, 1000, 1000);
	CU_ASSERT_EQUAL(find(&p, RELATION_CALLER, EDGE_OUTSIDE)->is_recursive, 0);
	profile_release(&p);
	maker_release(&m);
}

static void beyond_the_budget(void)
{
	struct maker m;
	struct profile p;
	struct cinstr_cell *cell;
	uint32_t at, merged, flat;

	maker_init(&m);
	maker_thread(&m, "t");
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	maker_frame(&m, 0, at, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 1, 7);
	merged = maker_frame(&m, 0, at, 0, 0, 2, 50);
	maker_cell_at(&m, merged)->tag = CINSTR_CELL_MERGED;
	flat = maker_frame(&m, 0, 0, 0, maker_code(WORK_ENTER), 2, 30);
	cell = maker_cell_at(&m, flat);
	cell->tag = CINSTR_CELL_FLAT_FRAME;
	cell->flat_ticks = 50;
	cell->flat_calls = 3;
	m.ticks[0] -= 30; /* no part of the tree */
	callers_of(&p, &m, "work", 1);
	expect(&p, RELATION_CALLER, "main", 1, 7, 7);
	expect(&p, RELATION_CALLER, NAMES_MERGED, 2, 50, 30);
	expect(&p, RELATION_ROOT, "work", 3, 57, 37);
	expect(&p, RELATION_CALLEE, NAMES_MERGED, 3, 20, 0);
	profile_release(&p);
	callers_of(&p, &m, "main", 1);
	expect(&p, RELATION_CALLEE, NAMES_MERGED, 2, 50, 50);
	invariants_hold(&p);
	profile_release(&p);
	maker_release(&m);
}

CU_TestInfo edges_tests[] = {
	{ "callers and callees", callers_and_callees },
	{ "functions of one name stay apart", functions_of_one_name_stay_apart },
	{ "globs; none", globs_and_none },
	{ "by call site", by_call_site },
	{ "reached by jumps", reached_by_jumps },
	{ "what callers and callees add up to", invariants },
	{ "R6 self-calls", self_calls },
	{ "R6 calls in a circle", calls_in_a_circle },
	{ "lines belong to their function", lines_belong_to_their_function },
	{ "beyond the budget of paths", beyond_the_budget },
	CU_TEST_INFO_NULL,
};
