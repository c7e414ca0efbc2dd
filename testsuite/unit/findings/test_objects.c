/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the C++ library does with the program's objects (CF0220): graphs of calls that the finding
 * is told of, and changes that make it silent. */
#include "computing_lab.h"

#define COPY "_ZNSt6vectorI4ItemSaIS0_EEC2ERKS2_"
#define COPY_END "_ZNSt6vectorI4ItemSaIS0_EED2Ev"
#define MAP "_ZNSt3mapIiiEC1ESt16initializer_list"
#define MAP_END "_ZNSt3mapIiiED1Ev"
#define TWISTER "_ZNSt23mersenne_twister_engineImLm32EEC2Em"
#define FIND "_ZNKSt7__cxx1112basic_string4findEPKcmm"
#define BOUND "_ZSt11lower_boundISt23_Rb_tree_const_iteratorIiEiET_S2_S2_RKT0_"
#define DEQUE_BOUND "_ZSt11lower_boundISt15_Deque_iteratorIiRiPiEiET_S4_S4_RKT0_"

/* Makes it a library's function, which is shown like this. */
static void shown(struct graph *g, uint32_t entity, const char *assembler, const char *shown)
{
	name(g, entity, assembler);
	g->entities[entity].name = shown;
}

/* outer has the library do something, which takes so long by itself. */
static struct row *uses(struct graph *g, const char *assembler, const char *as, uint64_t calls, long double ms)
{
	begin(g);
	shown(g, LIBRARY, assembler, as);
	function(g, MAIN, 1, 100, 5);
	function(g, OUTER, 10, 95, 95 - ms);
	function(g, LIBRARY, calls, ms, ms);
	add(g, MAIN, OUTER, 10, 95);
	return add(g, OUTER, LIBRARY, calls, ms);
}

/* Checks the time of the finding, of 100 ms. */
static void takes(struct graph *g, long double ms)
{
	long double time = 0;

	free(told(g, computing_objects, &time));
	if (time < ms - 0.01L || time > ms + 0.01L)
		printf("took %Lg ms, expected %Lg\n", time, ms);
	CU_ASSERT(time > ms - 0.01L && time < ms + 0.01L);
}

static void copies(void)
{
	struct graph g;

	uses(&g, COPY, "std::vector<Item>::vector", 5000, 30);
	tells(&g, computing_objects, "copies std::vector<Item>, 5,000 times");
	takes(&g, 30);
	uses(&g, COPY, "std::vector<Item>::vector", 999, 30);
	silent(&g, computing_objects);
	uses(&g, COPY, "std::vector<Item>::vector", 5000, 19);
	silent(&g, computing_objects);
	uses(&g, "_ZNSt6vectorI4ItemSaIS0_EEC2EOS2_", "std::vector<Item>::vector", 5000, 30);
	silent(&g, computing_objects);
	uses(&g, COPY, "std::vector<Item>::vector", 5000, 30)->are_calls_least = 1;
	tells(&g, computing_objects, "copies std::vector<Item>");
	uses(&g, COPY, "std::unordered_map<A::B, std::vector<std::pair<C::D, int>>>::unordered_map", 5000, 30);
	tells(&g, computing_objects, "copies std::unordered_map<...>, 5,000 times");
}

/* A constructor of the program that copies works for who calls it. */
static void own_copies(void)
{
	struct graph g;

	uses(&g, "_ZN7sectionC2ERKS_", "section::section", 5000, 10);
	g.entities[LIBRARY].module = "/app";
	g.entities[LIBRARY].file = "/src/section.cc";
	name(&g, FREE, "_Znwm");
	function(&g, FREE, 5000, 25, 25);
	add(&g, LIBRARY, FREE, 5000, 0);
	tells(&g, computing_objects, "copies section, 5,000 times");
	takes(&g, 35);
}

/* In a mixed recording it is known who called, where samples took time for another function. */
static void memory_by_calls(void)
{
	struct graph g;

	for (int is_mixed = 0; is_mixed < 2; is_mixed++) {
		uses(&g, "_ZNSt6vectorI4ItemSaIS0_EE9push_backERKS0_", "std::vector<Item>::push_back", 3000, 0);
		g.p.totals.is_mixed = is_mixed;
		name(&g, FREE, "_Znwm");
		function(&g, FREE, 3000, 40, 40);
		add(&g, LIBRARY, FREE, 3000, 40);
		add(&g, MAIN, LIBRARY, 1, 0);
		add(&g, MAIN, LIBRARY, 0, 40)->address = NULL;
		tells(&g, computing_allocation,
		      is_mixed ? "allocates memory, 2,999 blocks, 300 a call: 40 % of the computing"
			       : "allocates memory, 3,000 blocks: 40 % of the computing");
	}
}

/* Threads meet at its number of references, which another rule tells. */
static void shared_pointers(void)
{
	struct graph g;

	uses(&g, "_ZNSt10shared_ptrI4NodeEC2ERKS1_", "std::shared_ptr<Node>::shared_ptr", 5000, 30);
	tells(&g, computing_objects, "copies std::shared_ptr<Node>, 5,000 times");
	g.p.totals.threads = 2;
	silent(&g, computing_objects);
}

/* What samples find inside of malloc and free is of who has the blocks made, by their number. */
static void memory(void)
{
	struct graph g;

	uses(&g, COPY, "std::vector<Item>::vector", 3000, 10);
	name(&g, FREE, "_Znwm");
	name(&g, MORE, "malloc");
	name(&g, INNER, "_int_free");
	g.entities[INNER].file = NULL;
	function(&g, FREE, 3000, 8, 8);
	function(&g, MORE, 1000, 0, 0);
	function(&g, INNER, 0, 40, 40);
	add(&g, LIBRARY, FREE, 3000, 0);
	add(&g, OTHER, MORE, 1000, 0);
	add(&g, MAIN, INNER, 0, 40)->address = NULL;
	tells(&g, computing_objects, "copies std::vector<Item>, 3,000 times");
	takes(&g, 10 + 48 * 3 / 4);
	silent(&g, computing_allocation);
	name(&g, LIBRARY, "_ZNSt6vectorI4ItemSaIS0_EE9push_backERKS0_");
	silent(&g, computing_objects);
}

/* Time of a destructor goes with the object, of the same class only. */
static void ends(void)
{
	struct graph g;

	uses(&g, MAP, "std::map<int, int>::map", 5000, 30);
	silent(&g, computing_objects); /* it may be kept */
	for (int is_same = 0; is_same < 2; is_same++) {
		uses(&g, MAP, "std::map<int, int>::map", 5000, 30);
		shown(&g, FREE, is_same ? MAP_END : COPY_END, "std::map<int, int>::~map");
		function(&g, FREE, 5000, 15, 15);
		add(&g, OUTER, FREE, 5000, 15);
		if (!is_same)
			silent(&g, computing_objects);
	}
	tells(&g, computing_objects, "builds a std::map<int, int> for each use, 5,000 times");
	takes(&g, 45);
}

static void generators(void)
{
	struct graph g;

	uses(&g, TWISTER, "std::mersenne_twister_engine<unsigned long, 32, 624>::mersenne_twister_engine", 5000, 30);
	shown(&g, FREE, "_ZNSt23mersenne_twister_engineImLm32EE11_M_gen_randEv",
	      "std::mersenne_twister_engine<unsigned long>::_M_gen_rand");
	function(&g, FREE, 10, 40, 40);
	add(&g, OUTER, FREE, 10, 40);
	tells(&g, computing_objects, "builds a std::mersenne_twister_engine<...> for each use, 5,000 times");
	takes(&g, 70); /* one for each call of outer */
	g.rows[g.p.n_rows - 1].calls = g.rows[g.p.n_rows - 2].calls = 12;
	takes(&g, 30);
}

static void elements(void)
{
	struct graph g;

	uses(&g, "_ZNSt6vectorI7SessionSaIS0_EE5eraseEN9__gnu_cxx17__normal_iteratorE",
	     "std::vector<Session>::erase", 5000, 50);
	tells(&g, computing_objects, "erases in a std::vector<Session>, which moves all that is behind");
	uses(&g, BOUND, "std::lower_bound<std::_Rb_tree_const_iterator<int>, int>", 5000, 50);
	tells(&g, computing_objects, "goes from element to element of a std::set or std::map by std::lower_bound");
	uses(&g, DEQUE_BOUND, "std::lower_bound<std::_Deque_iterator<int>, int>", 5000, 50);
	silent(&g, computing_objects);
}

/* What samples find in memchr is of who searches; short searches are fine. */
static void searches(void)
{
	struct graph g;

	for (uint64_t calls = 200000; calls <= 300000; calls += 100000) {
		uses(&g, FIND, "std::string::find", calls, 10);
		name(&g, FREE, "__memchr_evex");
		function(&g, FREE, 0, 40, 40);
		add(&g, MAIN, FREE, 0, 40)->address = NULL;
		if (calls == 200000)
			tells(&g, computing_objects, "searches long texts by std::string::find, 200,000 times");
	}
	silent(&g, computing_objects);
	uses(&g, FIND, "std::string::find", 2000, 50)->are_calls_least = 1;
	silent(&g, computing_objects); /* they may be short ones */
}

CU_TestInfo objects_tests[] = {
	{ "copies of objects by the library", copies },
	{ "copies by constructors of the program", own_copies },
	{ "memory of a mixed recording is told of who calls", memory_by_calls },
	{ "copies of shared pointers in several threads", shared_pointers },
	{ "memory is divided by the number of blocks", memory },
	{ "objects that are built and destroyed", ends },
	{ "generators for one number", generators },
	{ "elements that move, and steps between them", elements },
	{ "long and short searches", searches },
	CU_TEST_INFO_NULL,
};
