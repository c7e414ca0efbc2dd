/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cinstr suggest takes of a session, by what rules, and what it leaves out. */
#include <stdlib.h>
#include <string.h>

#include "suggest/suggest.h"
#include "tests.h"

#define APP "/nowhere/app"
#define LIBC "/usr/lib/x86_64-linux-gnu/libc.so.6"
#define PATHS 64

/* A profile by paths, made by hand. Path 0 stands for the roots. */
static void session_init(struct profile *p, int is_sampled)
{
	profile_init(p, BY_PATH, &default_counting);
	p->totals.method = is_sampled ? CINSTR_METHOD_SAMPLING : CINSTR_METHOD_INSTRUMENTATION;
	p->totals.title = xstrdup("app");
	p->paths.list = xcalloc(PATHS, sizeof(*p->paths.list));
	p->paths.list[0].entity = PATH_NONE;
	p->paths.n = 1;
}

static uint32_t path_add(struct profile *p, uint32_t parent, const char *module, const char *name,
			 double exclusive)
{
	struct module m = { .path = module };
	struct module_function f = { .name = name };
	uint32_t number = (uint32_t)p->paths.n++;

	p->paths.list[number] = (struct path){ .parent = parent,
					       .entity = names_of_function(p->names, &m, &f),
					       .elapsed_exclusive = exclusive };
	for (uint32_t at = number; at; at = p->paths.list[at].parent)
		p->paths.list[at].elapsed_inclusive += exclusive;
	p->totals.elapsed += exclusive;
	return number;
}

static void suggest_of(struct suggest *s, const struct profile *p, double percent, uint64_t limit)
{
	struct suggest_choice choice = { percent, limit, NULL };

	struct profile functions;

	profile_init(&functions, BY_FUNCTION, &default_counting);
	functions.rows = xcalloc(PATHS, sizeof(*functions.rows));
	for (size_t i = 1; i < p->paths.n; i++) {
		const struct entity *e = &p->names->list[p->paths.list[i].entity];
		struct module m = { .path = e->module };
		struct module_function f = { .name = e->assembler };

		functions.rows[functions.n_rows++] =
			(struct row){ .calls = p->paths.list[i].calls,
				      .entity = names_of_function(functions.names, &m, &f) };
	}
	suggest_make(s, p, &functions, &choice);
	profile_release(&functions);
}

/* Number in the list; -1: not there. */
static int find(const struct suggest *s, const char *rule)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->list[i].rule, rule))
			return (int)i;
	return -1;
}

static const struct suggestion *other(const struct suggest *s, const char *name)
{
	static const struct suggestion none;

	for (size_t i = 0; i < s->n_others; i++)
		if (!strcmp(s->list[s->n + i].name, name))
			return &s->list[s->n + i];
	return &none;
}

static void release(struct profile *p, struct suggest *s)
{
	suggest_release(s);
	profile_release(p);
}

/*
 *	_start > main 1 > work 4 > spin 50
 *				 > memcpy (libc) 20
 *		      > rare 0.4
 *		      > app+0x1200 10 > deep 9 > [kernel] 5
 *		      > f@plt 0.6
 *	       > __cinstr_hook_load 3
 */
static void hot_functions_and_their_callers(void)
{
	struct profile p;
	struct suggest s;
	uint32_t start, main_path, work, stripped, deep;

	session_init(&p, 1);
	start = path_add(&p, 0, APP, "_start", 0);
	path_add(&p, start, APP, "__cinstr_hook_load", 3);
	main_path = path_add(&p, start, APP, "main", 1);
	work = path_add(&p, main_path, APP, "work", 4);
	path_add(&p, work, APP, "spin", 50);
	path_add(&p, work, LIBC, "memcpy", 20);
	path_add(&p, main_path, APP, "rare", 0.4);
	stripped = path_add(&p, main_path, APP, "app+0x1200", 10);
	deep = path_add(&p, stripped, APP, "deep", 9);
	path_add(&p, deep, "", "[kernel]", 5);
	path_add(&p, main_path, APP, "f@plt", 0.6);
	suggest_of(&s, &p, 1, 50);
	CU_ASSERT_EQUAL(s.n, 4);
	CU_ASSERT_EQUAL(find(&s, "main"), 0);
	CU_ASSERT_EQUAL(find(&s, "work"), 1);
	CU_ASSERT_EQUAL(find(&s, "[s]pin"), 2); /* was not seen to call: the plugin decides */
	CU_ASSERT_EQUAL(find(&s, "[d]eep"), 3); /* the kernel is no callee */
	CU_ASSERT_EQUAL(s.list[1].inclusive, 74);
	CU_ASSERT_EQUAL(s.list[1].exclusive, 4);
	CU_ASSERT_EQUAL(other(&s, "memcpy")->verdict, SUGGEST_SYSTEM);
	CU_ASSERT_EQUAL(other(&s, "memcpy")->exclusive, 20);
	CU_ASSERT_EQUAL(other(&s, "[kernel]")->verdict, SUGGEST_SYSTEM);
	CU_ASSERT_EQUAL(other(&s, "app+0x1200")->verdict, SUGGEST_UNNAMED);
	/* without rare(), and what has no name */
	CU_ASSERT(nearly(s.own, 100) && nearly(s.explained, 89.6));
	suggest_release(&s);
	suggest_of(&s, &p, 1, 2);
	CU_ASSERT_EQUAL(s.n, 2);
	CU_ASSERT_EQUAL(s.n_beyond, 2);
	CU_ASSERT_EQUAL(find(&s, "work"), 1);
	release(&p, &s);
}

/* Of an instrumented session what waits is not worth probes; without Application values, who can
 * tell. */
static void waiting_is_not_suggested(void)
{
	for (int is_known = 0; is_known < 2; is_known++) {
		struct profile p;
		struct suggest s;
		uint32_t main_path, waits, works;

		session_init(&p, 0);
		main_path = path_add(&p, 0, APP, "main", 10);
		waits = path_add(&p, main_path, APP, "waits", 900);
		works = path_add(&p, main_path, APP, "works", 90);
		p.totals.no_source = !is_known;
		p.totals.application = 100;
		p.paths.list[main_path].application_inclusive = 100;
		p.paths.list[main_path].application_exclusive = 10;
		p.paths.list[works].application_inclusive = p.paths.list[works].application_exclusive = 90;
		p.paths.list[waits].calls = p.paths.list[works].calls = 1;
		suggest_of(&s, &p, 20, 50);
		CU_ASSERT_EQUAL(s.is_application, is_known);
		CU_ASSERT(nearly(s.whole, is_known ? 100 : 1000));
		CU_ASSERT_EQUAL(s.n, 2);
		CU_ASSERT(find(&s, is_known ? "[w]orks" : "[w]aits") >= 0);
		CU_ASSERT_EQUAL(find(&s, is_known ? "[w]aits" : "[w]orks"), -1);
		release(&p, &s);
	}
}

/* What is on the stack several times has its samples once. */
static void recursion_counts_once(void)
{
	struct profile p;
	struct suggest s;
	uint32_t at;

	session_init(&p, 1);
	at = path_add(&p, 0, APP, "main", 2);
	for (int i = 0; i < 5; i++)
		at = path_add(&p, at, APP, "rec", 10);
	suggest_of(&s, &p, 1, 50);
	CU_ASSERT_EQUAL(s.n, 2);
	CU_ASSERT_EQUAL(find(&s, "rec"), 1);
	CU_ASSERT_EQUAL(s.list[1].inclusive, 50);
	CU_ASSERT_EQUAL(s.list[1].exclusive, 50);
	release(&p, &s);
}

/* A program that is flat: none of its functions has the share that is asked for, but together they
 * are the program. */
static void flat_programs_are_explained(void)
{
	struct profile p;
	struct suggest s;
	uint32_t top;

	session_init(&p, 1);
	top = path_add(&p, 0, APP, "main", 2);
	for (int i = 0; i < 50; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		path_add(&p, top, APP, name, 1);
	}
	suggest_of(&s, &p, 5, 100);
	CU_ASSERT(s.n > 40 && s.n < 50);
	CU_ASSERT(s.explained >= 0.9 * s.own);
	suggest_release(&s);
	suggest_of(&s, &p, 100, 100); /* not even a tenth of that */
	CU_ASSERT_EQUAL(s.n, 1);
	release(&p, &s);
}

/* A caller that has less than is asked for by itself is taken with the function that has more. */
static void callers_with_little_come_along(void)
{
	struct profile p;
	struct suggest s;
	uint32_t top;

	session_init(&p, 1);
	top = path_add(&p, 0, LIBC, "start_thread", 0);
	for (int i = 0; i < 4; i++) {
		char name[16];

		snprintf(name, sizeof(name), "caller%d", i);
		path_add(&p, path_add(&p, top, APP, name, 0), APP, "shared", i == 2 ? 6 : 5);
	}
	path_add(&p, top, LIBC, "poll", 79);
	suggest_of(&s, &p, 10, 100);
	CU_ASSERT_EQUAL(s.n, 2);
	CU_ASSERT_EQUAL(find(&s, "[s]hared"), 0);
	CU_ASSERT_EQUAL(find(&s, "caller2"), 1);
	release(&p, &s);
}

/* As the plugin knows them (plugin/names.cc). */
static void names_that_the_plugin_takes(void)
{
	static const char *const names[][2] = {
		{ "_ZN2ns1fEPi", "ns::f(int\\*)" },
		{ "_ZN2ns1gEi", "[n]s::g(int)" },
		{ "_ZN4work5twiceIiEET_S1_", "_ZN4work5twiceIiEET_S1_" },
		{ "_ZN3BoxixEi", "Box::operator\\[](int)" },
		{ "_ZN12_GLOBAL__N_11hEv", "[(]anonymous namespace)::h()" },
		{ "work._omp_fn.0", "work" },
		{ "__mod_MOD_f", "[_]_mod_MOD_f" },
	};
	static const char is_leaf[] = { 0, 1, 0, 0, 1, 0, 1 };
	struct profile p;
	struct suggest s;

	session_init(&p, 1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		uint32_t path = path_add(&p, 0, APP, names[i][0], 1);

		if (!is_leaf[i])
			path_add(&p, path, LIBC, "memcpy", 1);
	}
	suggest_of(&s, &p, 1, 50);
	CU_ASSERT_EQUAL(s.n, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		CU_ASSERT(find(&s, names[i][1]) >= 0);
	release(&p, &s);
}

/* Where calls are known, they tell what probes would cost. */
static void short_calls_are_left_out(void)
{
	struct profile p;
	struct suggest s;
	uint32_t top, get, spin;

	session_init(&p, 0);
	top = path_add(&p, 0, APP, "main", 1000);
	get = path_add(&p, top, APP, "get", 20000);
	spin = path_add(&p, top, APP, "spin", 20000);
	p.paths.list[top].calls = 1;
	p.paths.list[get].calls = 2000;
	p.paths.list[spin].calls = 2;
	suggest_of(&s, &p, 1, 50);
	CU_ASSERT_EQUAL(s.n, 2);
	CU_ASSERT_EQUAL(find(&s, "[s]pin"), 1);
	CU_ASSERT_EQUAL(other(&s, "get")->verdict, SUGGEST_SHORT);
	release(&p, &s);
}

static void nothing_of_its_own(void)
{
	struct profile p;
	struct suggest s;

	session_init(&p, 1);
	path_add(&p, 0, LIBC, "memcpy", 10);
	path_add(&p, 0, "[unknown]", "0x1234", 10);
	suggest_of(&s, &p, 1, 50);
	CU_ASSERT_EQUAL(s.n, 0);
	CU_ASSERT_EQUAL(s.n_others, 2);
	CU_ASSERT_PTR_NULL(s.library); /* every program has libc */
	release(&p, &s);
	session_init(&p, 1);
	path_add(&p, 0, "/usr/lib/libx.so.1", "x", 10);
	suggest_of(&s, &p, 1, 50);
	CU_ASSERT_STRING_EQUAL(s.library, "libx.so.1");
	release(&p, &s);
	session_init(&p, 1);
	suggest_of(&s, &p, 1, 50);
	CU_ASSERT(s.n == 0 && s.n_others == 0 && s.whole == 0);
	release(&p, &s);
}

static void write_it(FILE *out, const void *arg)
{
	suggest_write(out, arg, "a\nb.data");
}

/* Every line of the file is a rule, or a comment: names come from data files. */
static void file_is_sound(void)
{
	struct profile p;
	struct suggest s;
	char *text;

	session_init(&p, 1);
	path_add(&p, 0, APP, "evil\nsmall 0", 5);
	path_add(&p, 0, LIBC, "lib\nsmall 1", 5);
	suggest_of(&s, &p, 1, 50);
	text = captured(write_it, &s);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		CU_ASSERT(line[0] == '#' || !strncmp(line, "include ", 8));
	free(text);
	release(&p, &s);
}

CU_TestInfo suggest_tests[] = {
	{ "hot functions and their callers", hot_functions_and_their_callers },
	{ "recursion counts once", recursion_counts_once },
	{ "waiting is not suggested", waiting_is_not_suggested },
	{ "flat programs are explained", flat_programs_are_explained },
	{ "callers with little come along", callers_with_little_come_along },
	{ "names that the plugin takes", names_that_the_plugin_takes },
	{ "short calls are left out", short_calls_are_left_out },
	{ "nothing of its own", nothing_of_its_own },
	{ "the file is sound", file_is_sound },
	CU_TEST_INFO_NULL,
};
