/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings on computing: of each rule a graph of calls that it tells of, and what changes make it
 * silent. */
#include <stdlib.h>
#include <string.h>

#include "computing_lab.h"
#include "file/samples.h"

static void end(struct graph *g)
{
	for (size_t i = 0; i < g->p.n_rows; i++)
		durations_release(&g->rows[i].durations);
}

/* Times from none to `most_ns`, as often each. */
static void grow(struct row *row, long double most_ns)
{
	for (int i = 1; i <= 100; i++)
		durations_add(&row->durations, most_ns * i / 100, 10);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static struct row *scan(struct graph *g, const char *name)
{
	begin(g);
	g->entities[LIBRARY].name = g->entities[LIBRARY].assembler = name;
	function(g, MAIN, 1, 100, 10);
	function(g, OUTER, 10, 90, 10);
	function(g, LIBRARY, 100000, 80, 80);
	add(g, MAIN, OUTER, 10, 90);
	return add(g, OUTER, LIBRARY, 100000, 80);
}

static void scans(void)
{
	struct graph g;
	struct row *edge;

	scan(&g, "strlen");
	tells(&g, computing_scan, "calls strlen 10,000 times a call: 80 % of the computing");
	scan(&g, "strlen")->are_calls_least = 1;
	tells(&g, computing_scan,
	      "calls strlen at least 10,000 times a call: 80 % of the "
	      "computing");
	scan(&g, "sin");
	silent(&g, computing_scan);
	edge = scan(&g, "strlen");
	edge->sums.application_inclusive = 5 * MS;
	silent(&g, computing_scan);
	edge = scan(&g, "strlen");
	edge->calls = 990;
	silent(&g, computing_scan);
	scan(&g, "strcmp"); /* outer is called ten times only */
	silent(&g, computing_scan);
	scan(&g, "memmove"); /* nothing tells that it grows */
	silent(&g, computing_scan);
	grow(scan(&g, "memmove"), 1600);
	tells(&g, computing_scan,
	      "calls memmove 10,000 times a call, which moves a long array by some elements: 80 % of the "
	      "computing");
	end(&g);
	durations_add(&scan(&g, "memmove")->durations, 800, 100000);
	silent(&g, computing_scan);
	end(&g);
}

/* A function of the system between them does nothing else. */
static void scans_passed_on(void)
{
	struct graph g;

	begin(&g);
	g.entities[LIBRARY].name = g.entities[LIBRARY].assembler = "memmove";
	g.entities[INNER].file = "/usr/include/c++/12/bits/vector.tcc";
	function(&g, MAIN, 1, 100, 10);
	function(&g, OUTER, 10, 90, 5);
	function(&g, INNER, 100000, 85, 5);
	function(&g, LIBRARY, 100000, 80, 80);
	add(&g, MAIN, OUTER, 10, 90);
	grow(add(&g, OUTER, INNER, 100000, 85), 1700);
	grow(add(&g, INNER, LIBRARY, 100000, 80), 1600);
	tells(&g, computing_scan,
	      "calls inner 10,000 times a call, which moves a long array by some elements: 85 % of the "
	      "computing");
	g.rows[6].sums.application_inclusive = 30 * MS; /* it has work of its own */
	silent(&g, computing_scan);
	end(&g);
}

static struct row *search(struct graph *g, uint64_t outer_calls, uint64_t inner_calls)
{
	struct row *edge;

	begin(g);
	function(g, MAIN, 1, 100, 5);
	function(g, OUTER, outer_calls, 95, 15);
	function(g, INNER, inner_calls, 80, 80);
	edge = add(g, MAIN, OUTER, outer_calls, 95);
	add(g, OUTER, INNER, inner_calls, 80);
	return edge;
}

static void searches(void)
{
	struct graph g;

	grow(search(&g, 2000, 2000000), 95000);
	tells(&g, computing_search,
	      "calls outer 2,000 times, and that inner 1,000 times each: "
	      "95 % of the computing");
	end(&g);
	/* rows of an image: all of one length */
	durations_add(&search(&g, 2000, 2000000)->durations, 47500, 2000);
	silent(&g, computing_search);
	end(&g);
	/* requests with some fields each */
	grow(search(&g, 20000, 2400000), 95000);
	silent(&g, computing_search);
	end(&g);
	grow(search(&g, 20000, 20000), 95000);
	silent(&g, computing_search);
	end(&g);
}

static void recursion(struct graph *g, uint64_t calls, long double ms)
{
	begin(g);
	function(g, MAIN, 1, 100, 100 - ms);
	function(g, INNER, calls + 1, ms, ms);
	add(g, MAIN, INNER, 1, ms);
	add(g, INNER, INNER, calls, ms);
}

static void recursions(void)
{
	struct graph g;

	recursion(&g, 3000000, 90);
	tells(&g, computing_recursion,
	      "calls itself 3,000,000 times for each call from elsewhere: 90 % of the computing; keep "
	      "results, "
	      "if arguments come again");
	recursion(&g, 3000000, 30);
	silent(&g, computing_recursion);
	recursion(&g, 40000, 90);
	silent(&g, computing_recursion);
	recursion(&g, 1000000, 90); /* of 90 ns: it does something */
	silent(&g, computing_recursion);
	recursion(&g, 3000000, 90); /* a tree of nodes that were made one by one */
	function(&g, OTHER, 1000000, 5, 5);
	add(&g, MAIN, OTHER, 1000000, 5);
	silent(&g, computing_recursion);
}

/* Calls that were only counted after some: those that were timed are all of one call. */
static void counted_recursions(void)
{
	struct graph g;

	recursion(&g, 3000000, 90);
	g.rows[3].are_calls_least = g.rows[2].are_calls_least = 1;
	g.rows[3].calls = 1000;
	tells(&g, computing_recursion,
	      "calls itself 3,000,000 times: 90 % of the computing; keep results, "
	      "if arguments come again");
	g.rows[3].calls = 999;
	silent(&g, computing_recursion);
	g.rows[3].calls = 1000;
	g.rows[2].calls = 2;
	silent(&g, computing_recursion);
	recursion(&g, 40000, 90);
	g.rows[3].are_calls_least = 1;
	g.rows[3].calls = 1000;
	silent(&g, computing_recursion);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static struct row *short_calls(struct graph *g, uint64_t calls, long double ms)
{
	begin(g);
	function(g, MAIN, 1, 100, 100 - ms);
	function(g, INNER, calls, ms, ms);
	return add(g, MAIN, INNER, calls, ms);
}

static void calls_of_short_functions(void)
{
	look *of_it = computing_short;
	struct graph g;

	short_calls(&g, 5000000, 30);
	tells(&g, of_it,
	      "is short, and called 5,000,000 times from another source file, most by main: "
	      "the calls alone are 10 % of the computing");
	short_calls(&g, 5000000, 30);
	g.entities[INNER].module = "/app.so";
	tells(&g, of_it,
	      "is short, and called 5,000,000 times from another library, most by main: "
	      "the calls alone are 10 % of the computing");
	short_calls(&g, 5000000, 30);
	g.entities[INNER].file = "/src/main.c";
	silent(&g, of_it);
	short_calls(&g, 5000000, 30);
	g.entities[INNER].file = "/src/inner.h"; /* main's file has its code */
	silent(&g, of_it);
	short_calls(&g, 1000000, 30); /* 30 ns each */
	silent(&g, of_it);
	short_calls(&g, 2000000, 10);
	silent(&g, of_it);
	short_calls(&g, 5000000, 30);
	g.entities[INNER].file = NULL; /* a library's, without source */
	silent(&g, of_it);
}

static void calls_through_pointers(void)
{
	look *of_it = computing_indirect;
	struct graph g;

	short_calls(&g, 5000000, 30)->is_indirect = 1;
	tells(&g, of_it,
	      "calls inner 5,000,000 times through a pointer, and nothing else there: "
	      "the calls alone are 10 % of the computing");
	silent(&g, computing_short);
	short_calls(&g, 5000000, 30);
	silent(&g, of_it);
	short_calls(&g, 5000000, 30)->is_indirect = 1;
	add(&g, MAIN, OTHER, 1, 0.1L)->is_indirect = 1; /* at the same instruction */
	silent(&g, of_it);
	short_calls(&g, 5000000, 30)->is_indirect = 1;
	add(&g, MAIN, OTHER, 1, 0.1L)->address = "0x5678";
	tells(&g, of_it,
	      "calls inner 5,000,000 times through a pointer, and nothing else there: "
	      "the calls alone are 10 % of the computing");
}

/* ---- libraries ------------------------------------------------------------------------------- */

/* main calls outer, and that the library's function. */
static struct row *library(struct graph *g, const char *name, uint64_t calls, long double ms)
{
	struct row *edge;

	begin(g);
	g->entities[LIBRARY].name = g->entities[LIBRARY].assembler = name;
	function(g, MAIN, 1, 100, 2);
	function(g, OUTER, 100, 98, 98 - ms);
	function(g, LIBRARY, calls, ms, ms);
	add(g, MAIN, OUTER, 100, 98);
	edge = add(g, OUTER, LIBRARY, calls, ms);
	return edge;
}

static void libraries(void)
{
	struct graph g;

	library(&g, "malloc", 50000, 20);
	tells(&g, computing_allocation, "allocates memory, 50,000 blocks, 500 a call: 20 % of the computing");
	library(&g, "malloc", 50000, 10);
	silent(&g, computing_allocation);
	library(&g, "malloc", 500, 20);
	silent(&g, computing_allocation);
	library(&g, "snprintf", 50000, 60);
	tells(&g, computing_format,
	      "formats or parses text by snprintf and the like, 50,000 calls: "
	      "60 % of the computing");
	library(&g, "snprintf", 50, 10);
	silent(&g, computing_format);
	library(&g, "snprintf", 99, 60);
	silent(&g, computing_format);
	library(&g, "snprintf", 100, 60);
	tells(&g, computing_format,
	      "formats or parses text by snprintf and the like, 100 calls: 60 % of the computing");
	library(&g, "regexec", 60, 60); /* of long texts */
	tells(&g, computing_format,
	      "formats or parses text by regexec and the like, 60 calls: 60 % of the computing");
	library(&g, "regexec", 61, 60);
	silent(&g, computing_format);
	library(&g, "snprintf", 50000, 60);
	g.p.totals.overhead = g.p.totals.overhead_high = 60 * MS;
	tells(&g, computing_format,
	      "formats or parses text by snprintf and the like, 50,000 calls: "
	      "about 60 % of the computing");
	library(&g, "__cxa_throw", 50000, 60);
	tells(&g, computing_exceptions, "throws 50,000 exceptions: 60 % of the computing");
	library(&g, "__cxa_throw", 500, 60);
	silent(&g, computing_exceptions);
	library(&g, "__cxa_throw", 50000, 4);
	silent(&g, computing_exceptions);
}

/* operator<< calls std::endl, which is of no group and calls flush; samples of writing are the
 * kernel's. */
static void streams(struct graph *g)
{
	begin(g);
	name(g, LIBRARY, "_ZNSolsEi");
	name(g, INNER, "_ZSt4endl");
	name(g, FREE, "_ZNSo5flushEv");
	function(g, MAIN, 1, 100, 40);
	function(g, LIBRARY, 1000, 60, 5);
	function(g, INNER, 1000, 55, 5);
	function(g, FREE, 1000, 50, 50);
	add(g, MAIN, LIBRARY, 1000, 60);
	add(g, LIBRARY, INNER, 1000, 55);
	add(g, INNER, FREE, 1000, 50);
}

static void nested_groups(void)
{
	struct graph g;

	streams(&g);
	tells(&g, computing_format,
	      "formats or parses text by _ZNSolsEi and the like, 1,000 calls: 60 % of the computing");
	streams(&g);
	g.p.totals.method = CINSTR_METHOD_SAMPLING;
	tells(&g, computing_format,
	      "formats or parses text by _ZNSolsEi and the like, 1,000 calls: 60 % of the samples");
	name(&g, OTHER, SAMPLES_KERNEL);
	function(&g, OTHER, 0, 35, 35);
	add(&g, FREE, OTHER, 0, 35);
	tells(&g, computing_format,
	      "formats or parses text by _ZNSolsEi and the like, 1,000 calls: 25 % of the samples");
	g.rows[g.p.n_rows - 1].sums.elapsed_inclusive = 50 * MS;
	silent(&g, computing_format);
}

/* A copy is made from a reference to the own class, and from nothing else. */
static void copies(void)
{
	static const char *const copy = "_ZN7sectionC2ERKS_";
	static const char *const others[] = {
		"_ZN7sectionC2EOS_", "_ZN7sectionC2ERKN4json5ValueE", "_ZNSt4pairIiiEC1ERKS1_RKS2_",
		"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2ERKS4_" /* another rule's */
	};
	struct graph g;

	library(&g, copy, 50000, 20);
	tells(&g, computing_copies,
	      "copies objects, most by _ZN7sectionC2ERKS_, 50,000 calls: 20 % of the computing");
	library(&g, copy, 50000, 14);
	silent(&g, computing_copies);
	library(&g, copy, 999, 20);
	silent(&g, computing_copies);
	library(&g, "_ZN4json5ValueaSERKS0_", 1000, 15);
	tells(&g, computing_copies,
	      "copies objects, most by _ZN4json5ValueaSERKS0_, 1,000 calls: 15 % of the computing");
	library(&g, "_ZNSt8_Rb_treeIiiE7_M_copyILb0EE", 1000, 15);
	tells(&g, computing_copies,
	      "copies objects, most by _ZNSt8_Rb_treeIiiE7_M_copyILb0EE, 1,000 calls: 15 % of the computing");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		library(&g, others[i], 50000, 20);
		silent(&g, computing_copies);
	}
}

/* How many they are is not told where nobody has counted them all. */
static void uncounted_copies(void)
{
	static const char *const copy = "_ZN7sectionC2ERKS_";
	struct graph g;

	library(&g, copy, 500, 20)->are_calls_least = 1;
	tells(&g, computing_copies, "copies objects, most by _ZN7sectionC2ERKS_: 20 % of the computing");
	library(&g, copy, 0, 20);
	g.p.totals.method = CINSTR_METHOD_SAMPLING;
	tells(&g, computing_copies, "copies objects, most by _ZN7sectionC2ERKS_: 20 % of the samples");
}

/* Of outer: it copies, and allocates by itself as well as in the copies. */
static void copying(struct graph *g, uint64_t blocks)
{
	begin(g);
	name(g, LIBRARY, "_ZN7sectionC2ERKS_");
	name(g, FREE, "malloc");
	function(g, MAIN, 1, 100, 10);
	function(g, OUTER, 10, 90, 20);
	function(g, LIBRARY, 1000, 30, 20);
	function(g, FREE, blocks, 50, 50);
	add(g, MAIN, OUTER, 10, 90);
	add(g, OUTER, LIBRARY, 1000, 30);
	add(g, OUTER, FREE, blocks - 10, 40);
	add(g, LIBRARY, FREE, 10, 10);
}

/* One cause is one finding. */
static void copies_into_memory(void)
{
	struct graph g;
	long double time;

	copying(&g, 4000);
	tells(&g, computing_copies,
	      "copies objects, most by _ZN7sectionC2ERKS_, 1,000 calls: 30 % of the computing, 70 % with the "
	      "memory for them");
	free(told(&g, computing_copies, &time));
	CU_ASSERT(time > 69.9L && time < 70.1L);
	silent(&g, computing_allocation);
	copying(&g, 4001); /* more than four for each copy: for something else */
	tells(&g, computing_copies,
	      "copies objects, most by _ZN7sectionC2ERKS_, 1,000 calls: 30 % of the computing");
	tells(&g, computing_allocation, "allocates memory, 4,001 blocks, 400 a call: 50 % of the computing");
	copying(&g, 4000);
	g.rows[6].caller = g.rows[6].place = OTHER; /* who does not copy */
	tells(&g, computing_copies,
	      "copies objects, most by _ZN7sectionC2ERKS_, 1,000 calls: 30 % of the computing");
}

/* Samples tell shares; what is said of calls is left out. */
static void samples(void)
{
	struct graph g;

	library(&g, "malloc", 0, 20);
	g.p.totals.method = CINSTR_METHOD_SAMPLING;
	g.rows[2].file = NULL;
	tells(&g, computing_allocation, "allocates memory: 20 % of the samples");
	library(&g, "__cxa_throw", 0, 20);
	g.p.totals.method = CINSTR_METHOD_SAMPLING;
	tells(&g, computing_exceptions, "throws exceptions: 20 % of the samples");
	library(&g, "strlen", 0, 60);
	g.p.totals.method = CINSTR_METHOD_SAMPLING;
	silent(&g, computing_scan);
	recursion(&g, 0, 90);
	g.p.totals.method = CINSTR_METHOD_SAMPLING;
	silent(&g, computing_recursion);
	silent(&g, computing_short);
	silent(&g, computing_search);
}

/* What does little else than allocate counts for its callers, by their calls of it. */
static void wrappers(void)
{
	struct graph g;
	long double time;
	char *told_of;

	begin(&g);
	g.entities[LIBRARY].name = g.entities[LIBRARY].assembler = "malloc";
	function(&g, MAIN, 1, 100, 2);
	function(&g, OUTER, 10, 60, 30);
	function(&g, OTHER, 1000, 25, 20);
	function(&g, INNER, 4000, 45, 5); /* the wrapper */
	function(&g, LIBRARY, 4000, 40, 40);
	add(&g, MAIN, OUTER, 10, 60);
	add(&g, MAIN, OTHER, 1000, 25);
	add(&g, OUTER, INNER, 3000, 34);
	add(&g, OTHER, INNER, 1000, 11);
	add(&g, INNER, LIBRARY, 4000, 40);
	tells(&g, computing_allocation,
	      "allocates memory, 3,000 blocks, 300 a call: 30 % of the computing, "
	      "with all others 40 % of the computing");
	told_of = told(&g, computing_allocation, &time);
	CU_ASSERT(time > 29 && time < 31); /* of outer, not of all */
	free(told_of);
	g.entities[OUTER].assembler = "_ZNSt6vectorIiSaIiEE5outerEv"; /* whatever its source is */
	g.entities[OUTER].file = NULL;
	tells(&g, computing_allocation,
	      "allocates memory, 3,000 blocks: 30 % of the computing, with all others 40 % of "
	      "the "
	      "computing");
	g.entities[OUTER].assembler = "outer";
	g.entities[OUTER].file = "/src/outer.c";
	g.rows[3].calls = 400; /* it makes ten calls of malloc for each of its own */
	tells(&g, computing_allocation, "allocates memory, 4,000 blocks, 10 a call: 40 % of the computing");
}

/* No function has a third of it. The place is where the one with most allocates, though it spends
 * more on freeing. */
static void many_allocate(void)
{
	static const uint32_t callers[] = { MAIN, OUTER, OTHER, INNER };
	struct computing_found found = { 0 };
	struct computing computing;
	struct graph g;

	begin(&g);
	g.entities[LIBRARY].name = g.entities[LIBRARY].assembler = "malloc";
	g.entities[FREE].name = g.entities[FREE].assembler = "free";
	function(&g, LIBRARY, 4000, 20, 20);
	function(&g, FREE, 4000, 20, 20);
	for (uint32_t i = 0; i < ARRAY_SIZE(callers); i++) {
		function(&g, callers[i], 10, 25, 15);
		add(&g, callers[i], FREE, 1000, 5.1L + 0.1L * i);
		add(&g, callers[i], LIBRARY, 1000, 5)->line = 12 + i;
	}
	tells(&g, computing_allocation,
	      "allocates memory for 4 functions: 41 % of the computing; most for inner (10 %), other (10 %), "
	      "outer "
	      "(10 %)");
	computing_make(&computing, &g.p);
	CU_ASSERT(computing_allocation(&computing, &found) && found.place);
	CU_ASSERT(found.place && found.place->line == 15 && found.place->entity == LIBRARY);
	CU_ASSERT(found.about == found.look_at && found.time > 40 * MS);
	strbuf_release(&found.text);
	computing_release(&computing);
	for (size_t i = 0; i < g.p.n_rows; i++) /* one has much more */
		if (g.rows[i].caller == OTHER)
			g.rows[i].sums.elapsed_inclusive = g.rows[i].sums.application_inclusive = 12 * MS;
	tells(&g, computing_allocation,
	      "allocates memory, 1,000 blocks, 100 a call: 24 % of the computing, with all others 55 % of "
	      "the "
	      "computing");
}

/* In a mixed recording some calls of the wrapper are known and some are not: callers are weighed by
 * times. The wrapper is what to look at: nobody else calls malloc. */
static void wrappers_mixed(void)
{
	struct computing_found found = { 0 };
	struct computing computing;
	struct row *some;
	struct graph g;

	begin(&g);
	g.entities[LIBRARY].name = g.entities[LIBRARY].assembler = "malloc";
	g.entities[INNER].name = g.entities[INNER].assembler = "my_alloc";
	function(&g, MAIN, 1, 100, 2);
	function(&g, OUTER, 10, 60, 30);
	function(&g, OTHER, 1000, 25, 20);
	function(&g, INNER, 4000, 41, 1);
	function(&g, LIBRARY, 4000, 40, 40);
	some = add(&g, OUTER, INNER, 14, 30.75);
	some->are_calls_least = 1;
	add(&g, OTHER, INNER, 0, 10.25);
	add(&g, INNER, LIBRARY, 4000, 40)->are_calls_least = 1;
	computing_make(&computing, &g.p);
	CU_ASSERT(computing_allocation(&computing, &found));
	computing_release(&computing);
	CU_ASSERT_STRING_EQUAL(found.text.text, "allocates memory: 30 % of the computing, with all others "
						"40 % of the computing");
	CU_ASSERT(found.about == OUTER);
	CU_ASSERT(found.look_at == INNER);
	strbuf_release(&found.text);
}

/* Samples of what vsnprintf calls are taken for main's, which calls the function that calls it. */
static void parts_of_formatting(struct graph *g, uint64_t by_main, int is_mixed)
{
	begin(g);
	name(g, LIBRARY, "vsnprintf");
	name(g, FREE, "__printf_fp_l");
	function(g, MAIN, 1, 100, 50);
	function(g, OUTER, 1000, 10, 1);
	function(g, LIBRARY, 1000 + by_main, 9, 9);
	function(g, FREE, 0, 40, 40);
	add(g, MAIN, OUTER, 1000, 10);
	add(g, OUTER, LIBRARY, 1000, 9);
	add(g, MAIN, FREE, 0, 40);
	if (by_main)
		add(g, MAIN, LIBRARY, by_main, 0);
	g->p.totals.is_mixed = is_mixed;
}

/* Who makes the calls has what their parts took: in a mixed recording, and if main makes next to
 * none of these calls. */
static void parts_are_of_who_calls(void)
{
	static const char *const of_main = "formats or parses text by vsnprintf and the like, 10 calls: 40 % "
					   "of the computing, with all others 49 % of the computing";
	struct graph g;

	parts_of_formatting(&g, 0, 1);
	tells(&g, computing_format,
	      "formats or parses text by vsnprintf and the like, 1,000 calls: 49 % of the computing");
	parts_of_formatting(&g, 9, 1);
	tells(&g, computing_format,
	      "formats or parses text by vsnprintf and the like, 1,000 calls: 49 % of the computing");
	parts_of_formatting(&g, 10, 1);
	tells(&g, computing_format, of_main);
	parts_of_formatting(&g, 10, 0);
	tells(&g, computing_format, of_main);
}

/* 30 %, 100 times, for 20 us each. */
static void sorts(void)
{
	struct graph g;

	library(&g, "qsort", 1000, 30);
	tells(&g, computing_sorting,
	      "sorts again and again, 1,000 times, 30.0 us each: 30 % of the computing");
	library(&g, "_ZSt16__insertion_sortIPdEvT_S1_", 100, 30);
	tells(&g, computing_sorting, "sorts again and again, 100 times, 300 us each: 30 % of the computing");
	library(&g, "qsort", 99, 30);
	silent(&g, computing_sorting);
	library(&g, "qsort", 1000, 29);
	silent(&g, computing_sorting);
	library(&g, "qsort", 1501, 30);
	silent(&g, computing_sorting);
	/* it is not known how often all is sorted */
	library(&g, "_ZSt13__adjust_heapIPdEvT_S1_", 1000, 30);
	silent(&g, computing_sorting);
}

/* Calls that one place has made are its own, though samples found them below main, as what made
 * them was only counted: inner, called by main, compares. */
static void scans_by_samples(void)
{
	struct graph g;
	struct row *call;

	begin(&g);
	g.entities[LIBRARY].assembler = "strcmp";
	function(&g, MAIN, 1, 100, 10);
	function(&g, INNER, 1000, 10, 10);
	function(&g, LIBRARY, 200000, 80, 80);
	add(&g, MAIN, INNER, 1000, 10);
	call = add(&g, INNER, LIBRARY, 200000, 1);
	add(&g, MAIN, LIBRARY, 0, 79)->address = NULL;
	tells(&g, computing_scan, "calls library 200 times a call: 80 % of the computing");
	call->are_calls_least = 1; /* others may have called it */
	silent(&g, computing_scan);
	call->are_calls_least = 0;
	call->calls = 199999;
	silent(&g, computing_scan);
	call->calls = 150000;
	add(&g, OUTER, LIBRARY, 50000, 0);
	silent(&g, computing_scan);
}

/* Samples of memcpy are of main, as nobody knows who called: if all that call it make strings, this
 * was for strings, too. */
static void strings_by_samples(void)
{
	struct graph g;
	struct row *call;

	begin(&g);
	g.entities[INNER].assembler = "_ZNSt7__cxx1112basic_stringIcE9_M_appendEPKcm";
	g.entities[INNER].module = "/lib/libstdc++.so.6";
	g.entities[INNER].file = NULL;
	g.entities[LIBRARY].assembler = "memcpy";
	function(&g, MAIN, 1, 100, 5);
	function(&g, INNER, 5000, 20, 20);
	function(&g, LIBRARY, 5000, 75, 75);
	add(&g, MAIN, INNER, 5000, 20);
	add(&g, INNER, LIBRARY, 5000, 0);
	call = add(&g, MAIN, LIBRARY, 0, 75);
	call->address = NULL;
	tells(&g, computing_strings, "builds std::strings by 5,000 calls: 95 % of the computing");
	add(&g, OTHER, LIBRARY, 400, 0);
	tells(&g, computing_strings, "builds std::strings by 5,000 calls: 95 % of the computing");
	add(&g, OTHER, LIBRARY, 600, 0);
	tells(&g, computing_strings, "builds std::strings by 5,000 calls: 20 % of the computing");
	end(&g);
}

static void hot_spots(void)
{
	struct graph g;
	long double time;

	library(&g, "sin", 1000, 30);
	tells(&g, computing_hot, "does 68 % of the computing itself, in 100 calls, 680 us each");
	free(told(&g, computing_hot, &time));
	CU_ASSERT(time > 67 && time < 69); /* of it no part is known that could be saved */
	library(&g, "snprintf", 1000, 60); /* told by another rule */
	silent(&g, computing_hot);
	library(&g, "sin", 1000, 30);
	grow(&g.rows[1], 6000);
	tells(&g, computing_hot,
	      "does 68 % of the computing itself, in 100 calls, 680 us each, evenly from about 0 to 5.67 us, "
	      "as "
	      "a search in a list that grows takes");
	end(&g);
	library(&g, "sin", 1000, 30);
	grow(&g.rows[1], 300); /* too short to be known so well */
	tells(&g, computing_hot, "does 68 % of the computing itself, in 100 calls, 680 us each");
	end(&g);
	library(&g, "sin", 1000, 30);
	g.rows[1].sums.overhead_exclusive = 80 * MS; /* most of it is correction */
	silent(&g, computing_hot);
	library(&g, "sin", 1000, 30);
	g.rows[1].sums.application_exclusive = 0.01L * MS; /* each call has lost its processor */
	g.rows[1].sums.overhead_exclusive = MS;
	tells(&g, computing_hot, "does 68 % of the computing itself, in 100 calls, 680 us each");
}

/* 60 % of the computing is below calls of libraries, 1,000 and more of one function, none of which
 * is a hot spot. */
static void much_in_libraries(void)
{
	static const struct {
		uint64_t calls;
		long double ms;
		int is_told;
	} cases[] = { { 1000, 60, 1 }, { 999, 60, 0 }, { 1000, 59.9L, 0 } };
	struct graph g;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		library(&g, "sin", cases[i].calls, cases[i].ms);
		g.rows[2].sums.application_exclusive = g.rows[2].sums.elapsed_exclusive = 30 * MS;
		g.rows[1].sums.application_exclusive = g.rows[1].sums.elapsed_exclusive = 39 * MS;
		if (cases[i].is_told)
			tells(&g, computing_hot,
			      "60 % of the computing is what libraries do for it: most often it calls "
			      "sin, 1,000 times");
		else
			silent(&g, computing_hot);
	}
	library(&g, "sin", 1000, 60);
	g.rows[2].sums.application_exclusive = g.rows[2].sums.elapsed_exclusive = 30 * MS;
	g.rows[1].sums.application_exclusive = g.rows[1].sums.elapsed_exclusive = 39 * MS;
	add(&g, LIBRARY, MAIN, 1, 1); /* it calls the program */
	silent(&g, computing_hot);
}

/* What a library does for a function that only passes it on is its callers'. */
static void hot_spot_of_a_library(void)
{
	struct computing_found found = { 0 };
	struct computing computing;
	const struct row *place;
	struct graph g;

	begin(&g);
	function(&g, MAIN, 1, 100, 5);
	function(&g, OUTER, 10, 95, 5);
	function(&g, INNER, 1000, 90, 10);
	function(&g, LIBRARY, 1000, 80, 80);
	add(&g, MAIN, OUTER, 10, 95);
	place = add(&g, OUTER, INNER, 1000, 90);
	add(&g, INNER, LIBRARY, 1000, 80);
	tells(&g, computing_hot,
	      "leads to library, which does 80 % of the computing itself, in 1,000 calls, 80.0 us each");
	computing_make(&computing, &g.p);
	CU_ASSERT(computing_hot(&computing, &found) && found.place == place);
	CU_ASSERT(found.about == LIBRARY && found.is_said_of && found.said_of == OUTER);
	strbuf_release(&found.text);
	computing_release(&computing);
	g.rows[6].calls = g.rows[3].calls = 8000; /* it makes eight each time */
	tells(&g, computing_hot,
	      "calls library, which does 80 % of the computing itself, in 8,000 calls, 10.0 us each");
}

/* Few calls of a function take most of its time, in a hot spot: it is said of that function. */
static void hot_spot_of_few_calls(void)
{
	struct computing_found found = { 0 };
	struct computing computing;
	struct row *node, *call;
	struct graph g;

	begin(&g);
	function(&g, MAIN, 1, 100, 5);
	node = function(&g, OUTER, 1000, 95, 5);
	function(&g, INNER, 10, 90, 90);
	add(&g, MAIN, OUTER, 1000, 95);
	call = add(&g, OUTER, INNER, 10, 90);
	node->activations_elapsed = 95 * MS;
	durations_add(&node->durations, 5000, 990);
	durations_add(&node->durations, 9e6, 10);
	tells(&g, computing_hot,
	      "10 of its 1,000 calls take 8.95 ms each, half of all at most 4.98 us; most of it in inner, "
	      "which does 90 % of the computing itself, in 10 calls, 9.00 ms each. Samples tell where in it: "
	      "cinstr record --sample");
	computing_make(&computing, &g.p);
	CU_ASSERT(computing_hot(&computing, &found) && found.place == call);
	CU_ASSERT(found.about == INNER && found.is_said_of && found.said_of == OUTER);
	strbuf_release(&found.text);
	computing_release(&computing);
	node->sums.preempted_inclusive = 88 * MS; /* others had the processor */
	tells(&g, computing_hot,
	      "does 90 % of the computing itself, in 10 calls, 9.00 ms each. Samples tell where in it: "
	      "cinstr record --sample");
	end(&g);
}

static void enough(void)
{
	struct computing computing;
	struct graph g;

	library(&g, "malloc", 50000, 20);
	computing_make(&computing, &g.p);
	CU_ASSERT_TRUE(computing_is_enough(&computing));
	computing_release(&computing);
	g.p.totals.application = 4 * MS;
	computing_make(&computing, &g.p);
	CU_ASSERT_FALSE(computing_is_enough(&computing));
	computing_release(&computing);
}

/* outer calls inner, which does little but call strcmp. */
static struct row *passed_by_own(struct graph *g)
{
	begin(g);
	g->entities[LIBRARY].name = g->entities[LIBRARY].assembler = "strcmp";
	function(g, MAIN, 1, 100, 5);
	function(g, OUTER, 1000, 95, 5);
	function(g, INNER, 200000, 90, 10);
	function(g, LIBRARY, 200000, 80, 80);
	add(g, MAIN, OUTER, 1000, 95);
	add(g, OUTER, INNER, 200000, 90);
	return add(g, INNER, LIBRARY, 200000, 80);
}

static void scans_by_own_function(void)
{
	struct graph g;
	struct row *edge;

	passed_by_own(&g);
	tells(&g, computing_scan,
	      "calls inner 200 times a call, each of which calls strcmp: 90 % of the computing");
	edge = passed_by_own(&g);
	edge->calls = 20000; /* inner does so now and then */
	silent(&g, computing_scan);
	edge = passed_by_own(&g);
	edge->sums.application_inclusive = 30 * MS; /* inner does more by itself */
	silent(&g, computing_scan);
}

/* All that was measured is subtracted for the probes. */
static void all_is_probes(struct graph *g)
{
	g->p.totals.overhead_high = g->p.totals.overhead = 100 * MS;
	g->p.totals.application = g->p.totals.elapsed = 0;
	g->p.totals.events = 1000000;
	for (size_t i = 0; i < g->p.n_rows; i++) {
		struct sums *sums = &g->rows[i].sums;

		sums->overhead_inclusive = sums->elapsed_inclusive;
		sums->overhead_exclusive = sums->elapsed_exclusive;
		sums->elapsed_inclusive = sums->elapsed_exclusive = 0;
		sums->application_inclusive = sums->application_exclusive = 0;
	}
}

static void told_by_events(void)
{
	struct graph g;

	passed_by_own(&g);
	all_is_probes(&g);
	tells(&g, computing_scan,
	      "calls inner 200 times a call, each of which calls strcmp: about 90 % of the computing");
	passed_by_own(&g);
	g.rows[5].sums.elapsed_inclusive = 10 * MS;
	all_is_probes(&g); /* two of five events are those of these calls */
	tells(&g, computing_scan,
	      "calls inner 200 times a call, each of which calls strcmp: about 40 % of the computing");
}

CU_TestInfo computing_tests[] = {
	{ "scans of a text or an array in a loop", scans },
	{ "scans that a function of the system passes on", scans_passed_on },
	{ "scans that a function of the program passes on", scans_by_own_function },
	{ "shares of probes' time, and of events", told_by_events },
	{ "searches in a loop", searches },
	{ "recursions that explode", recursions },
	{ "recursions that were counted", counted_recursions },
	{ "short functions in other files", calls_of_short_functions },
	{ "calls through pointers with one target", calls_through_pointers },
	{ "memory, text, exceptions", libraries },
	{ "copies of objects", copies },
	{ "copies that nobody counted", uncounted_copies },
	{ "memory for copies is told of with them", copies_into_memory },
	{ "wrappers of malloc count for their callers", wrappers },
	{ "memory that no function has a third of", many_allocate },
	{ "callers whose calls are not known are weighed by times", wrappers_mixed },
	{ "calls of a group on its own behalf, and the kernel's samples", nested_groups },
	{ "samples tell shares, not calls", samples },
	{ "parts of a library's functions are of who calls these", parts_are_of_who_calls },
	{ "sorting again and again", sorts },
	{ "calls of one place, by samples", scans_by_samples },
	{ "strings that were inlined, by samples", strings_by_samples },
	{ "a hot spot only where nothing else is known", hot_spots },
	{ "libraries that have most of the time", much_in_libraries },
	{ "a hot spot in a library is told of who calls it again and again", hot_spot_of_a_library },
	{ "a hot spot of few calls is told of whose calls they are", hot_spot_of_few_calls },
	{ "little computing is not looked at", enough },
	CU_TEST_INFO_NULL,
};
