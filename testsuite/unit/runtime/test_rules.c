/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_rules.c - which functions and which kinds of probe are recorded, by the words of options and
 * of cinstr control (runtime/choice/rules.c). */
#include <CUnit/CUnit.h>
#include <string.h>

/* not tests.h: what the command calls a module is another thing */
#include "choice/rules.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
extern CU_TestInfo rules_tests[];

/* ---- options, in place of the runtime's ------------------------------------------------------ */

static const char *only = "", *except = "", *probes = "", *depth = "";
static unsigned complaints; /* bits, by option */

const char *option_value(enum cinstr_option option)
{
	return option == CINSTR_OPTION_ONLY ? only : option == CINSTR_OPTION_NOT ? except : depth;
}

int option_word(enum cinstr_option option, const char *const *words)
{
	if (option == CINSTR_OPTION_CHECKED_CODE)
		return 0;
	if (option != CINSTR_OPTION_PROBES)
		CU_FAIL("another option has words");
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], probes))
			return i;
	return 0;
}

void option_complain(enum cinstr_option option)
{
	complaints |= 1u << option;
}

static void begin(const char *with_only, const char *with_not, const char *with_probes,
		  const char *with_depth)
{
	only = with_only;
	except = with_not;
	probes = with_probes;
	depth = with_depth;
	complaints = 0;
	rules_begin();
	rules_take(rules_read("all"));
}

/* ---- tests ----------------------------------------------------------------------------------- */

static struct rules_subject subject = { "work", "src/a.c", "/far/me/project", "/usr/bin/app" };

static int selects(const char *with_only, const char *with_not)
{
	const struct choice choice = { .only = with_only, .except = with_not };

	return rules_select(&choice, &subject) != 0;
}

static void functions_are_chosen_by_name(void)
{
	CU_ASSERT_TRUE(selects("", ""));
	CU_ASSERT_TRUE(selects("work", ""));
	CU_ASSERT_TRUE(selects("w*", ""));
	CU_ASSERT_FALSE(selects("wor", ""));
	CU_ASSERT_FALSE(selects("other", ""));
	CU_ASSERT_TRUE(selects("other,w?rk", ""));
	CU_ASSERT_TRUE(selects("work,other", ""));
	CU_ASSERT_FALSE(selects("", "work"));
	CU_ASSERT_TRUE(selects("", "other,main"));
	CU_ASSERT_FALSE(selects("", "other,,work"));
	CU_ASSERT_FALSE(selects("work", "w*"));
	CU_ASSERT_TRUE(selects("[a-z:]ork", "")); /* a set that has a colon in it */
}

/* Also by the end of the path, from any of its folders on. */
static void functions_are_chosen_by_file(void)
{
	CU_ASSERT_TRUE(selects("file:src/a.c", ""));
	CU_ASSERT_TRUE(selects("file:a.c", ""));
	CU_ASSERT_TRUE(selects("file:project/src/a.c", ""));
	CU_ASSERT_TRUE(selects("file:/far/me/project/src/*", ""));
	CU_ASSERT_TRUE(selects("other,file:a.c", ""));
	CU_ASSERT_FALSE(selects("file:b.c", ""));
	CU_ASSERT_FALSE(selects("file:.c", ""));
	CU_ASSERT_FALSE(selects("a.c", ""));
	CU_ASSERT_FALSE(selects("", "file:a.?"));
	subject.folder = ""; /* not known: what the compiler was told is all there is */
	CU_ASSERT_TRUE(selects("file:src/a.c", ""));
	CU_ASSERT_FALSE(selects("file:project/src/a.c", ""));
	CU_ASSERT_FALSE(selects("file:/src/a.c", ""));
	subject.folder = "/far/me/project";
	subject.file = "/elsewhere/src/a.c"; /* the folder is no part of it */
	CU_ASSERT_TRUE(selects("file:/elsewhere/src/a.c", ""));
	CU_ASSERT_FALSE(selects("file:project//elsewhere/src/a.c", ""));
	subject.file = "src/a.c";
}

static void functions_are_chosen_by_module(void)
{
	CU_ASSERT_TRUE(selects("module:app", ""));
	CU_ASSERT_TRUE(selects("module:bin/app", ""));
	CU_ASSERT_TRUE(selects("module:/usr/bin/app", ""));
	CU_ASSERT_FALSE(selects("module:bin", ""));
	CU_ASSERT_FALSE(selects("module:src/a.c", ""));
	CU_ASSERT_FALSE(selects("", "main,module:a*"));
}

/* Which kinds of event there are: of entries and exits, also of calls, also of lines. */
static void probes_are_chosen_by_kind(void)
{
	static const int kinds[3][8] = {
		/* functions, calls, lines */
		{ [CINSTR_EV_ENTER] = 1,
		  [CINSTR_EV_EXIT] = 1,
		  [CINSTR_EV_TAIL] = 1,
		  [CINSTR_EV_LANDING] = 1 },
		{ [CINSTR_EV_ENTER] = 1,
		  [CINSTR_EV_EXIT] = 1,
		  [CINSTR_EV_TAIL] = 1,
		  [CINSTR_EV_LANDING] = 1,
		  [CINSTR_EV_BEFORE] = 1,
		  [CINSTR_EV_AFTER] = 1 },
		{ [CINSTR_EV_ENTER] = 1,
		  [CINSTR_EV_EXIT] = 1,
		  [CINSTR_EV_TAIL] = 1,
		  [CINSTR_EV_LANDING] = 1,
		  [CINSTR_EV_BEFORE] = 1,
		  [CINSTR_EV_AFTER] = 1,
		  [CINSTR_EV_LINE] = 1 },
	};
	static const char *const words[3] = { "functions", "calls", "lines" };
	static const uint32_t all[] = { CINSTR_EV_ENTER,  CINSTR_EV_EXIT,  CINSTR_EV_TAIL, CINSTR_EV_LANDING,
					CINSTR_EV_BEFORE, CINSTR_EV_AFTER, CINSTR_EV_LINE };

	for (int i = 0; i < 3; i++) {
		char rule[32] = "probes=";

		begin("", "", words[i], "0");
		CU_ASSERT_EQUAL(complaints, 0);
		for (size_t k = 0; k < ARRAY_SIZE(all); k++)
			CU_ASSERT_EQUAL(rules_want(rules_choice, all[k]) != 0, kinds[i][all[k]]);
		begin("", "", words[(i + 1) % 3], "0");
		strcat(rule, words[i]);
		rules_take(rules_read(rule));
		for (size_t k = 0; k < ARRAY_SIZE(all); k++)
			CU_ASSERT_EQUAL(rules_want(rules_choice, all[k]) != 0, kinds[i][all[k]]);
	}
}

static int is_choice(const char *with_only, const char *with_not, int functions_only, uint32_t with_depth)
{
	const struct choice *c = rules_choice;

	return !strcmp(c->only, with_only) && !strcmp(c->except, with_not) &&
	       c->functions_only == functions_only && c->depth == with_depth && rules_depth == with_depth;
}

/* Each word changes what it names; the rest stays. */
static void words_change_what_they_name(void)
{
	begin("a,b*", "file:x.c", "calls", "12");
	CU_ASSERT_TRUE(is_choice("a,b*", "file:x.c", 0, 12));
	rules_take(rules_read("only=work"));
	CU_ASSERT_TRUE(is_choice("work", "file:x.c", 0, 12));
	rules_take(rules_read("  not=c,d  depth=64 "));
	CU_ASSERT_TRUE(is_choice("work", "c,d", 0, 64));
	rules_take(rules_read("probes=functions only= depth=0"));
	CU_ASSERT_TRUE(is_choice("", "c,d", 1, 0));
	rules_read("not=n"); /* it is not taken */
	CU_ASSERT_TRUE(is_choice("", "c,d", 1, 0));
	rules_take(rules_read(""));
	CU_ASSERT_TRUE(is_choice("", "c,d", 1, 0));
	rules_take(rules_read("only=z all"));
	CU_ASSERT_TRUE(is_choice("a,b*", "file:x.c", 0, 12));
	rules_take(rules_read("all only=z"));
	CU_ASSERT_TRUE(is_choice("z", "file:x.c", 0, 12));
}

/* What is not understood changes nothing, however much of it is. */
static void what_is_not_understood_is_refused(void)
{
	static const char *const wrong[] = {
		"onlyy=a",   "only",	       "al",	      "alll",	    "depth=65",
		"depth=",    "depth=x",	       "depth=1x",    "depth=-1",   "depth=99999999999",
		"probes=",   "probes=call",    "probes=all",  "only=file:", "not=module:",
		"not=a,x:b", "only=a,file:,b", "only=a not:b"
	};

	begin("a", "b", "functions", "3");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		CU_ASSERT_PTR_NULL(rules_read(wrong[i]));
		CU_ASSERT_TRUE(is_choice("a", "b", 1, 3));
	}
	CU_ASSERT_PTR_NOT_NULL(rules_read("only=file:x,module:y not=[:]"));
	CU_ASSERT_PTR_NOT_NULL(rules_read("only=std::a,file:std::b"));
}

static void wrong_options_are_told(void)
{
	begin("x:y", "ok", "calls", "7");
	CU_ASSERT_EQUAL(complaints, 1u << CINSTR_OPTION_ONLY);
	CU_ASSERT_TRUE(is_choice("", "ok", 0, 7));
	begin("ok", "module:", "calls", "64");
	CU_ASSERT_EQUAL(complaints, 1u << CINSTR_OPTION_NOT);
	CU_ASSERT_TRUE(is_choice("ok", "", 0, 64));
	begin("", "", "lines", "65");
	CU_ASSERT_EQUAL(complaints, 1u << CINSTR_OPTION_DEPTH);
	CU_ASSERT_TRUE(is_choice("", "", 0, 0));
	CU_ASSERT_TRUE(rules_choice->lines);
}

/* As long as there is room for. */
static void lists_may_be_long(void)
{
	static char rule[8192 + 16];

	begin("", "", "calls", "0");
	strcpy(rule, "only=");
	memset(rule + 5, 'a', 8191);
	rules_take(rules_read(rule));
	CU_ASSERT_EQUAL(strlen(rules_choice->only), 8191);
	rule[5 + 8191] = 'a';
	CU_ASSERT_PTR_NULL(rules_read(rule));
}

CU_TestInfo rules_tests[] = {
	{ "functions are chosen by name", functions_are_chosen_by_name },
	{ "functions are chosen by file", functions_are_chosen_by_file },
	{ "functions are chosen by module", functions_are_chosen_by_module },
	{ "probes are chosen by kind", probes_are_chosen_by_kind },
	{ "words change what they name", words_change_what_they_name },
	{ "what is not understood is refused", what_is_not_understood_is_refused },
	{ "wrong options are told", wrong_options_are_told },
	{ "lists may be long", lists_may_be_long },
	CU_TEST_INFO_NULL,
};
