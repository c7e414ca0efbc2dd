/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "output/grid.h"
#include "output/name_cut.h"
#include "output/output.h"
#include "tests.h"

#define HEADER \
	"name,module,file,line,address,calls,elapsed_inclusive_ns,elapsed_exclusive_ns,application_" \
	"inclusive_ns," \
	"application_exclusive_ns,elapsed_inclusive_percent,elapsed_exclusive_percent,application_" \
	"inclusive_percent," \
	"application_exclusive_percent,probe_overhead_inclusive_ns,probe_overhead_exclusive_ns,off_cpu_ns," \
	"pid,tid,"

static struct row rows[] = {
	{ .name = "a \"b\", c",
	  .module = "/m\n",
	  .file = NULL,
	  .calls = 1234567,
	  .open_calls = 1,
	  .sums = { .elapsed_inclusive = 2000000,
		    .elapsed_exclusive = 1000000.4L,
		    .application_inclusive = 1,
		    .application_exclusive = 1 },
	  .activations_elapsed = 5,
	  .shortest = { -1, -1, -1, -1 },
	  .longest = { -1, -1, -1, -1 } },
	{ .name = "evil\033[31m\xff",
	  .module = "/lib/x.so",
	  .file = "/s/a.c",
	  .line = 7,
	  .calls = 1,
	  .sums = { .elapsed_inclusive = 10,
		    .elapsed_exclusive = 10,
		    .overhead_exclusive = 30,
		    .overhead_low_exclusive = 30,
		    .overhead_high_exclusive = 30 },
	  .shortest = { 3, -1, -1, -1 },
	  .longest = { 4, -1, -1, -1 },
	  .pid = 12345,
	  .tid = 12346 },
};
static const struct row *order[] = { &rows[0], &rows[1] };

static struct profile profile = {
	.by = BY_FUNCTION,
	.counting = { .os_mask = CINSTR_OS_DEFAULT_MASK },
	.rows = rows,
	.n_rows = 2,
	.totals = { .elapsed = 4000000,
		    .application = 4,
		    .restartable = 1,
		    .processes = 1,
		    .threads = 2,
		    .events = 5,
		    .threshold = 4000 },
};
static const struct view view = {
	.profile = &profile, .rows = order, .n_rows = 2, .source = "s\033x", .hidden_why = "--limit"
};

static void print_csv(FILE *out, const void *arg)
{
	output_write(out, OUTPUT_FORMAT_csv, OUTPUT_ROWS, arg);
}

static void print_json(FILE *out, const void *arg)
{
	output_write(out, OUTPUT_FORMAT_json, OUTPUT_ROWS, arg);
}

static void print_table(FILE *out, const void *arg)
{
	output_write(out, OUTPUT_FORMAT_table, OUTPUT_ROWS, arg);
}

static void csv_by_rfc_4180(void)
{
	char *csv = captured(print_csv, &view);

	CU_ASSERT_EQUAL(strncmp(csv, HEADER, strlen(HEADER)), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(csv,
				      "\r\n\"a \"\"b\"\", c\",/m\\n,,,,1234567,2000000,1000000,1,1,50.000000,"
				      "25.000010,25.000000,25.000000,0,0,0,,,0,,,1,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(csv, "\r\nevil\\x1b[31m\\xff,/lib/x.so,/s/a.c,7,,1,10,10,0,0,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(csv, ",12345,12346,"));
	CU_ASSERT_STRING_EQUAL(csv + strlen(csv) - 2, "\r\n");
	free(csv);
}

static void json_is_escaped(void)
{
	char *json = captured(print_json, &view);

	CU_ASSERT_PTR_NOT_NULL(
		strstr(json, "\"name\": \"a \\\"b\\\", c\", \"module\": \"/m\\u000a\", \"file\": null"));
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "evil\\u001b[31m\\ufffd"));
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"elapsed_inclusive_ns\": 4000000,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"application_mode\": \"interval\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"conservation_ticks_off\": 0"));
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"implicit_exits\": 0"));
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"lost_events\": 0"));
	CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"pid\": 12345, \"tid\": 12346"));
	free(json);
}

static size_t widest_line(const char *text)
{
	size_t most = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = strndup(text, n);
		size_t columns = util_columns(line);

		most = columns > most ? columns : most;
		free(line);
		text += n + (text[n] == '\n');
	}
	return most;
}

static void the_table_fits(void)
{
	static const char *const widths[] = { "40", "80", "100", "200" };

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		char *table;

		setenv("COLUMNS", widths[i], 1);
		table = captured(print_table, &view);
		/* numbers are never cut: 58 columns is the least */
		CU_ASSERT(widest_line(table) <= (size_t)(atoi(widths[i]) < 60 ? 60 : atoi(widths[i])));
		CU_ASSERT_PTR_NOT_NULL(strstr(table, "1,234,567"));
		free(table);
	}
	unsetenv("COLUMNS");
}

static void the_table_is_safe_and_marked(void)
{
	struct view full = view;
	char *table;

	full.set = COLUMNS_FULL;
	full.verbose = 1;
	setenv("COLUMNS", "0", 1); /* any width */
	table = captured(print_table, &full);
	CU_ASSERT_PTR_NULL(strchr(table, '\033'));
	CU_ASSERT_PTR_NOT_NULL(strstr(table, "evil\\x1b[31m\\xff"));
	CU_ASSERT_PTR_NOT_NULL(strstr(table, "0.010~")); /* R9: mostly correction */
	CU_ASSERT_PTR_NOT_NULL(strstr(table, "= 100 % of Elapsed"));
	CU_ASSERT_PTR_NOT_NULL(strstr(table, "mode interval"));
	CU_ASSERT_PTR_NOT_NULL(strstr(table, "Conservation        exact"));
	CU_ASSERT_PTR_NOT_NULL(strstr(table, "restartable sequences and intervals over 4.00 us"));
	CU_ASSERT_PTR_NULL(strstr(table, " \n"));
	free(table);
}

static void print_foot(FILE *out, const void *arg)
{
	output_foot(out, arg);
}

static void put_error(struct strbuf *text, const struct profile *p, int is_live)
{
	(void)p;
	(void)is_live;
	strbuf_puts(text, "Something is wrong with the data, and it takes many words to say what it is, so "
			  "that there is no room for much else (CI0001)");
}

static size_t some_notes(const struct profile *p, int is_live)
{
	(void)p;
	(void)is_live;
	return 12;
}

static size_t lines_in(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void print_whole(FILE *out, const void *arg)
{
	output_whole(out, arg, WHOLE_OF_COLUMNS);
}

/* Of many threads that wait and are preempted the line is longer than a narrow terminal. */
static void what_100_percent_are_fits(void)
{
	struct profile busy = *view.profile;
	struct view narrow = view;
	char *text;

	narrow.profile = &busy;
	narrow.set = COLUMNS_CPU;
	busy.totals.elapsed = 54.8e9L;
	busy.totals.off_cpu = 48.5e9L;
	busy.totals.threads = 16;
	busy.totals.facts.waits.off_cpu[WAIT_PREEMPTED] = 38.9e9L;
	busy.totals.facts.waits.off_cpu[WAIT_SLEEP] = 9.6e9L;
	setenv("COLUMNS", "80", 1);
	text = captured(print_whole, &narrow);
	CU_ASSERT_STRING_EQUAL(text, "100 % = 6.30 s on the processor, of 54.8 s in 16 threads\n"
				     "        (18 % waiting, 71 % preempted)\n");
	free(text);
	setenv("COLUMNS", "100", 1);
	text = captured(print_whole, &narrow);
	CU_ASSERT_STRING_EQUAL(text, "100 % = 6.30 s on the processor, of 54.8 s in 16 threads "
				     "(18 % waiting, 71 % preempted)\n");
	free(text);
	unsetenv("COLUMNS");
}

/* What must be known first, how to see more, and nothing of what is fine. */
static void the_foot_has_three_lines(void)
{
	static const char *const widths[] = { "60", "80", "100", "200" };
	struct view fine = view, bad = view;

	bad.marks = ~0u;
	bad.n_hidden = 12345;
	bad.hidden_why = "--limit";
	bad.put_errors = put_error;
	bad.count_notes = some_notes;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		char *foot;

		setenv("COLUMNS", widths[i], 1);
		foot = captured(print_foot, &bad);
		CU_ASSERT(lines_in(foot) <= 1 + 3); /* behind an empty one */
		CU_ASSERT(widest_line(foot) <= (size_t)atoi(widths[i]));
		CU_ASSERT_PTR_NOT_NULL(strstr(foot, "Something is wrong"));
		CU_ASSERT_PTR_NOT_NULL(strstr(foot, "12 notes: cinstr summary --advice"));
		CU_ASSERT(i == 0 || strstr(foot, "(details: --verbose)\n"));
		free(foot);
		fine.profile = bad.profile;
		foot = captured(print_foot, &fine);
		CU_ASSERT_STRING_EQUAL(foot, "");
		free(foot);
	}
	unsetenv("COLUMNS");
	CU_ASSERT_EQUAL(output_marks_in("12.3 ms~"), OUTPUT_MARK_ROUGH);
	CU_ASSERT_EQUAL(output_marks_in("<= 1.0 "), OUTPUT_MARK_UPPER_END);
	CU_ASSERT_EQUAL(output_marks_in("12,345"), 0);
	CU_ASSERT_EQUAL(output_marks_in(">= 5*"), OUTPUT_MARK_LEAST | OUTPUT_MARK_PARTIAL);
}

static void application_without_a_source_is_not_a_number(void)
{
	struct view full = view;
	char *text;

	profile.totals.no_source = 1;
	text = captured(print_table, &view);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "Waiting is not known"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "Total excl")); /* in place of CPU excl */
	CU_ASSERT_PTR_NULL(strstr(text, "CPU"));
	free(text);
	full.set = COLUMNS_FULL;
	text = captured(print_table, &full);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "n/a"));
	free(text);
	text = captured(print_json, &view);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"application_inclusive_ns\": null"));
	free(text);
	profile.totals.no_source = 0;
}

static void what_does_not_add_up_is_shown(void)
{
	char *text;

	struct view full = view;

	full.verbose = 1;
	profile.totals.conservation_ticks_off = 9;
	profile.totals.threads_off = 1;
	profile.totals.lost_events = 3;
	text = captured(print_table, &full);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "off by 9 ticks in 1 thread: the data or the recording is"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "3 events lost"));
	free(text);
	profile.totals.conservation_ticks_off = profile.totals.threads_off = profile.totals.lost_events = 0;
}

static void print_text(FILE *out, const void *text)
{
	output_json_text(out, text);
}

/* Each is what json may hold; none may be waited for. */
static void json_takes_any_bytes(void)
{
	static const char *const texts[][2] = {
		{ "a\xc2", "\"a\\ufffd\"" },
		{ "\xc2"
		  "A",
		  "\"\\ufffdA\"" },
		{ "\xc2\x9b", "\"\\u009b\"" },
		{ "\xc3\xa9", "\"\xc3\xa9\"" },
		{ "\x1b\x7f", "\"\\u001b\\u007f\"" },
		{ "\xe2\x82", "\"\\ufffd\\ufffd\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char *json = captured(print_text, texts[i][0]);

		CU_ASSERT_STRING_EQUAL(json, texts[i][1]);
		free(json);
	}
}

static void every_format_writes_everything(void)
{
	const char *word = OUTPUT_FORMAT_WORDS;
	int for_people = 0;

	for (size_t i = 0; i < OUTPUT_N_FORMATS; i++) {
		const struct output_format *format = &output_formats[i];
		const struct output_shape *shape = format->shape;

		for (size_t kind = 0; kind < OUTPUT_KINDS; kind++)
			CU_ASSERT_PTR_NOT_NULL(shape->views[kind]);
		CU_ASSERT(shape->info && shape->marks && shape->events && shape->samples);
		CU_ASSERT_EQUAL(!format->items, shape->is_for_people);
		for_people += shape->is_for_people;
		word += strcspn(word, "|");
		CU_ASSERT_EQUAL(*word, i + 1 < OUTPUT_N_FORMATS ? '|' : '\0');
		word += *word == '|';
	}
	CU_ASSERT_EQUAL(for_people, 1);
	CU_ASSERT(output_formats[0].shape->is_for_people);
	CU_ASSERT_PTR_EQUAL(output_formats[OUTPUT_FORMAT_csv].items, &output_csv_items);
	CU_ASSERT_PTR_EQUAL(output_nested_formats[1].items, &output_json_items);
	CU_ASSERT_STRING_EQUAL(OUTPUT_NESTED_WORDS, "table|json");
	CU_ASSERT(!strncmp(OUTPUT_FORMAT_WORDS, "table|", 6));
}

/* Others had the processor for all of the first one's time, and for most of the second one's. */
static void waits_are_without_what_others_had(void)
{
	struct row lost = { .callee = "sort", .sums = { .off_cpu_exclusive = 9, .preempted_exclusive = 9 } };
	struct row both = { .callee = "work", .sums = { .off_cpu_exclusive = 9, .preempted_exclusive = 7 } };
	struct row signals = { .callee = "sigwait", .sums = { .off_cpu_exclusive = 9 } };
	struct row read = { .callee = "read", .sums = { .off_cpu_exclusive = 3 } };
	const struct row *waits[] = { &both, &read };

	CU_ASSERT(!output_is_wait(&lost));
	CU_ASSERT(!output_is_wait(&signals)); /* it is there for that */
	CU_ASSERT(output_is_wait(&both));
	CU_ASSERT(nearly(output_waited(&both), 2));
	output_sort_waits(waits, 2);
	CU_ASSERT(waits[0] == &read);
}

static void tells_time(const struct totals *t, const char *expected)
{
	struct strbuf text = { 0 };

	output_put_time(&text, t);
	CU_ASSERT_STRING_EQUAL(text.text, expected);
	strbuf_release(&text);
}

static void preempted_is_said_of_all_waits_only(void)
{
	struct totals t = { .threads = 5, .elapsed = 9e9L, .off_cpu = 7.3e9L, .application = 1e9L };

	t.facts.waits.off_cpu[WAIT_PREEMPTED] = 4.5e9L;
	t.facts.waits.off_cpu[WAIT_SLEEP] = 2.8e9L;
	tells_time(&t, "9.00 s in 5 threads (31 % waiting, 50 % preempted)");
	t.facts.waits.off_cpu[WAIT_PREEMPTED] = 7.2e9L;
	t.facts.waits.off_cpu[WAIT_SLEEP] = 0.1e9L;
	tells_time(&t, "9.00 s in 5 threads (1 % waiting, 80 % preempted)");
}

static void cut_apart_is(const char *text, const char *other, size_t width, const char *expected)
{
	struct strbuf cut = { 0 };

	name_cut_apart(&cut, text, other, width);
	CU_ASSERT_STRING_EQUAL(cut.text, expected);
	CU_ASSERT(util_columns(cut.text) <= width);
	strbuf_release(&cut);
}

static void names_are_cut_where_they_differ(void)
{
	cut_apart_is("short", "shirt", 20, "short");
	cut_apart_is("std::handler<first, one thing, long>::run", "std::handler<first, two thing, long>::run",
		     24, "std::han.., one ..>::run");
	cut_apart_is("std::handler<first, two thing, long>::run", "std::handler<first, one thing, long>::run",
		     24, "std::han.., two ..>::run");
	cut_apart_is("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", 21,
		     "aaaaaaa..aab");
	cut_apart_is("abbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "acbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", 20,
		     "abbbbbbbb..bbbbbbbbb");
}

static void lines_are(const char *text, size_t most, const char *expected)
{
	char *cut = names_cut_to_lines(text, most, 4, 4, 40);

	CU_ASSERT_STRING_EQUAL(cut, expected);
	free(cut);
}

static void names_in_a_text_are_cut(void)
{
	static const char text[] = "std::map<std::string, std::vector<Value>>::operator[]: does 5 % in "
				   "std::unordered_map<std::string, Value>::find";

	lines_are("main: does 5 %", 1, "main: does 5 %");
	lines_are(text, 5, text);
	lines_are(text, 3, "std::map<std:..>::operator[]: does 5 % in std::unordere.. Value>::find");
	lines_are(text, 1, "std::map<..perator[]: does 5 % in std::unor..ue>::find");
}

static void csv_text_is(const char *text, const char *expected)
{
	char *written = NULL;
	size_t n;
	FILE *out = open_memstream(&written, &n);

	output_csv_text(out, text);
	fclose(out);
	CU_ASSERT_STRING_EQUAL(written, expected);
	free(written);
}

/* Each character is as it is, quoted, or quoted only where a text begins with it. */
static void csv_quotes_what_means_something(void)
{
	for (int c = ' '; c <= '~'; c++) {
		const char inside[] = { 'a', (char)c, '\0' }, first[] = { (char)c, 'b', '\0' };
		char quoted[2][8];

		snprintf(quoted[0], sizeof(quoted[0]), c == '"' ? "\"a\"\"\"" : "\"a%c\"", c);
		snprintf(quoted[1], sizeof(quoted[1]), c == '"' ? "\"\"\"b\"" : "\"%cb\"", c);
		csv_text_is(inside, strchr(",\"", c) ? quoted[0] : inside);
		csv_text_is(first, strchr(",\"=+-@", c) ? quoted[1] : first);
	}
	csv_text_is("", "");
	csv_text_is("a\n\xff", "a\\n\\xff");
}

#define NAME "a_function_whose_name_has_sixty_characters_in_all_beginnings"

static char *drawn(const char *width)
{
	static const struct grid_head heads[] = { { .heading = "One", .drop = 2 },
						  { .heading = "Two" },
						  { .heading = "Three", .drop = 1 },
						  { .heading = "Name", .is_text = 1, .least = 4 } };
	struct grid grid;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	setenv("COLUMNS", width, 1);
	grid_begin(&grid, 1, heads, ARRAY_SIZE(heads), INK_PLAIN);
	for (size_t c = 0; c < ARRAY_SIZE(heads); c++)
		strbuf_puts(grid_cell(&grid, 1, c), c == 3 ? NAME : "1");
	grid_end(&grid, out);
	unsetenv("COLUMNS");
	fclose(out);
	return text;
}

static void grid_is(const char *width, const char *expected)
{
	FREED char *text = drawn(width);

	CU_ASSERT_STRING_EQUAL(text, expected);
}

static void columns_are_dropped_in_order(void)
{
	grid_is("0", "One  Two  Three  Name\n  1    1      1  " NAME "\n");
	grid_is("71", "One  Two  Name\n  1    1  " NAME "\n");
	grid_is("65", "Two  Name\n  1  " NAME "\n");
}

CU_TestInfo output_tests[] = {
	{ "a narrow table drops columns in their order", columns_are_dropped_in_order },
	{ "csv quotes what means something", csv_quotes_what_means_something },
	{ "names are cut where they differ", names_are_cut_where_they_differ },
	{ "names in a text are cut", names_in_a_text_are_cut },
	{ "preempted is said where all waits are for a processor", preempted_is_said_of_all_waits_only },
	{ "waits are without the time for which others had the processor",
	  waits_are_without_what_others_had },
	{ "every format writes everything", every_format_writes_everything },
	{ "json takes any bytes", json_takes_any_bytes },
	{ "csv by RFC 4180", csv_by_rfc_4180 },
	{ "json is escaped", json_is_escaped },
	{ "the table fits the terminal", the_table_fits },
	{ "the table is safe and marked", the_table_is_safe_and_marked },
	{ "what 100 % are fits", what_100_percent_are_fits },
	{ "the foot has three lines at most", the_foot_has_three_lines },
	{ "R12 application without a source is no number", application_without_a_source_is_not_a_number },
	{ "R10 what does not add up is shown", what_does_not_add_up_is_shown },
	CU_TEST_INFO_NULL,
};
