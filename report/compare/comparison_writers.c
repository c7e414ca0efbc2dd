/* SPDX-License-Identifier: GPL-3.0-or-later */
/* comparison_writers.c - a comparison for people, for a comment, for GitHub's log, for scripts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comparison.h"

#define ROWS_MOST 10

static const struct {
	const char *word, *heading, *grown;
} measures[] = {
	[BY_CALLS] = { "calls", "Calls", "called more often" },
	[BY_INSTRUCTIONS] = { "instructions", "Instructions", "with more instructions" },
	[BY_TIME] = { "time", "Time", "slower" },
};

/* ---- what diff has written ------------------------------------------------------------------- */

static struct json_object *session_of(const struct comparison *c, enum measured by)
{
	return json_member(c->results[by], "session", json_type_object);
}

static int is_one_of(const char *word, const char *const *words)
{
	while (*words && (!word || strcmp(word, *words) != 0))
		words++;
	return *words != NULL;
}

static int has_grown(struct json_object *row)
{
	static const char *const words[] = { "more", "slower", "added", NULL };

	return is_one_of(json_member_text(row, "verdict"), words);
}

static int has_shrunk(struct json_object *row)
{
	static const char *const words[] = { "less", "fewer", "faster", "removed", NULL };

	return is_one_of(json_member_text(row, "verdict"), words);
}

/* The i-th row of those that `is` says 1 of, or NULL. */
static struct json_object *row_of(const struct comparison *c, enum measured by, size_t i,
				  int (*is)(struct json_object *row))
{
	struct json_object *rows = json_member(c->results[by], "rows", json_type_array);

	for (size_t k = 0; rows && k < json_object_array_length(rows); k++) {
		struct json_object *row = json_object_array_get_idx(rows, k);

		if (is(row) && !i--)
			return row;
	}
	return NULL;
}

static size_t count(const struct comparison *c, enum measured by, int (*is)(struct json_object *row))
{
	size_t n = 0;

	while (row_of(c, by, n, is))
		n++;
	return n;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void put_value(struct strbuf *text, enum measured by, double value)
{
	if (isnan(value))
		strbuf_puts(text, "not known");
	else if (by == BY_TIME)
		strbuf_duration(text, value);
	else
		strbuf_thousands(text, util_rounded(value));
}

static void put_percent(struct strbuf *text, double change, double of)
{
	if (of > 0)
		strbuf_printf(text, "%+.1f %%", 100 * change / of);
	else
		strbuf_puts(text, "new");
}

static void put_functions(struct strbuf *text, size_t n)
{
	strbuf_printf(text, "%zu function%s", n, n == 1 ? "" : "s");
}

/* "10 of each" */
static void put_runs(struct strbuf *text, const struct comparison *c)
{
	strbuf_printf(text, "%zu of each", c->n_runs);
	if (c->n_first && c->n_first < c->n_runs)
		strbuf_printf(text, " (after %zu B seemed to fail)", c->n_first);
}

/* "3 functions called more often, 1 less often" */
static void put_both(struct strbuf *text, size_t more, const char *word, size_t less, const char *other)
{
	put_functions(text, more ? more : less);
	strbuf_printf(text, " %s", more ? word : other);
	if (more && less)
		strbuf_printf(text, ", %zu %s", less, other);
}

static void say_calls(struct strbuf *text, const struct comparison *c)
{
	size_t more = count(c, BY_CALLS, has_grown), less = count(c, BY_CALLS, has_shrunk);

	if (more || less)
		put_both(text, more, "called more often", less, "called less often");
	else
		strbuf_puts(text, "the same number of calls of each function");
}

static void say_instructions(struct strbuf *text, const struct comparison *c)
{
	struct json_object *session = session_of(c, BY_INSTRUCTIONS);
	double a = comparison_value(session, 'a'), b = comparison_value(session, 'b');
	size_t n = count(c, BY_INSTRUCTIONS, has_grown) + count(c, BY_INSTRUCTIONS, has_shrunk);

	if (!n && comparison_number(session, "rows_that_vary") > 0) {
		strbuf_puts(text, "no more instructions than runs differ by");
		return;
	}
	if (!n) {
		strbuf_puts(text, "as many instructions in each function: ");
		put_value(text, BY_INSTRUCTIONS, b);
		return;
	}
	strbuf_printf(text, "%.1f %% %s instructions: ", fabs(a > 0 ? 100 * (b - a) / a : 0),
		      b < a ? "fewer" : "more");
	put_value(text, BY_INSTRUCTIONS, b);
	strbuf_puts(text, ", not ");
	put_value(text, BY_INSTRUCTIONS, a);
}

static void say_time(struct strbuf *text, const struct comparison *c)
{
	struct json_object *session = session_of(c, BY_TIME);
	const char *verdict = json_member_text(session, "total_verdict");
	double a = comparison_number(session, "total_a_ns"),
	       change = comparison_number(session, "total_change_ns");
	double low = comparison_number(session, "total_interval_low_ns"),
	       high = comparison_number(session, "total_interval_high_ns");
	size_t slower = count(c, BY_TIME, has_grown), faster = count(c, BY_TIME, has_shrunk);

	if (verdict && (!strcmp(verdict, "slower") || !strcmp(verdict, "faster"))) {
		strbuf_printf(text, "%.1f %% %s", fabs(100 * change / a), verdict);
	} else {
		strbuf_puts(text, "not known to be slower or faster: ");
		put_percent(text, change, a);
	}
	if (!isnan(low) && a > 0)
		strbuf_printf(text, " (%+.1f to %+.1f %%)", fmax(100 * low / a, -100), 100 * high / a);
	if (!isnan(low) && slower + faster) {
		strbuf_puts(text, "; ");
		put_both(text, slower, "slower", faster, "faster");
	}
}

/* Adds the sentence on one measure, without its full stop. */
static void say(struct strbuf *text, const struct comparison *c, enum measured by)
{
	static void (*const sayings[])(struct strbuf * text, const struct comparison *c) = {
		[BY_CALLS] = say_calls, [BY_INSTRUCTIONS] = say_instructions, [BY_TIME] = say_time
	};

	if (c->results[by])
		sayings[by](text, c);
	else
		strbuf_puts(text, "not known");
}

/* "B: 25.0 % more instructions: 20, not 16; fails --fail-over=1" */
static void put_verdict(struct strbuf *text, const struct comparison *c)
{
	strbuf_puts(text, "B: ");
	say(text, c, (enum measured)c->decides);
	if (c->fail_over)
		strbuf_printf(text, "; %s --fail-over=%s", c->status ? "fails" : "passes", c->fail_over);
}

/* "dir/p.c:2", below the current folder */
static void put_place(struct strbuf *text, struct json_object *row, int with_line)
{
	const char *file = json_member_text(row, "file");
	FREED char *here = getcwd(NULL, 0);
	size_t n = here ? strlen(here) : 0;

	if (file && n && !strncmp(file, here, n) && file[n] == '/')
		file += n + 1;
	if (file)
		strbuf_visible(text, file);
	if (file && with_line && comparison_number(row, "line") > 0)
		strbuf_printf(text, ":%.0f", comparison_number(row, "line"));
}

static void put_commands(struct strbuf *text, const struct comparison *c)
{
	static const char *const options[] = { [BY_CALLS] = " --column=calls",
					       [BY_INSTRUCTIONS] = " --measure=instructions",
					       [BY_TIME] = " --unpreempted" };

	strbuf_printf(text, "cinstr diff%s", options[c->decides]);
	if (c->decides == BY_TIME && c->fail_over)
		strbuf_puts(text, " --alpha=" COMPARISON_ALPHA);
	for (int side = 0; side < 2; side++) {
		const char *first = c->sessions[side][0], *number = strrchr(first, '.');
		STRBUF(name);

		strbuf_add(&name, first, (size_t)(number - first));
		strbuf_puts(text, side ? " -- " : " ");
		strbuf_argument(text, name.text);
		if (c->n_runs > 1 && c->n_runs < 10)
			strbuf_printf(text, ".[1-%zu]", c->n_runs);
		else
			strbuf_puts(text, c->n_runs == 1 ? ".1" : ".*");
	}
}

/* ---- text ------------------------------------------------------------------------------------ */

static void text_line(FILE *out, struct strbuf *line)
{
	print_visible(out, "%s\n", line->text);
	strbuf_clear(line);
}

static void text_rows(FILE *out, const struct comparison *c)
{
	enum measured by = (enum measured)c->decides;
	size_t n = count(c, by, has_grown);
	STRBUF(line);
	STRBUF(cell);

	if (n) {
		put_functions(&line, n);
		print_visible(out, "\n%s %s:\n", line.text, measures[by].grown);
		strbuf_clear(&line);
	}
	for (size_t i = 0; i < n && i < ROWS_MOST; i++) {
		struct json_object *row = row_of(c, by, i, has_grown);

		put_percent(&cell, comparison_number(row, "change"), comparison_value(row, 'a'));
		strbuf_printf(&line, "  %10s  ", cell.text);
		strbuf_clear(&cell);
		put_value(&cell, by, comparison_value(row, 'a'));
		strbuf_puts(&cell, " to ");
		put_value(&cell, by, comparison_value(row, 'b'));
		strbuf_printf(&line, "%-28s  %s  ", cell.text, json_member_text(row, "name"));
		strbuf_clear(&cell);
		put_place(&line, row, 1);
		text_line(out, &line);
	}
	if (n > ROWS_MOST)
		print_visible(out, "  and %zu more\n", n - ROWS_MOST);
}

static void write_text(FILE *out, const struct comparison *c, const struct compared_programs *programs)
{
	STRBUF(line);

	put_verdict(&line, c);
	text_line(out, &line);
	text_rows(out, c);
	fputc('\n', out);
	for (int by = 0; by < N_MEASURED; by++) {
		strbuf_printf(&line, "%-13s ", measures[by].heading);
		say(&line, c, (enum measured)by);
		text_line(out, &line);
	}
	for (int side = 0; side < 2; side++)
		print_visible(out, "%-13c %s\n", 'A' + side, programs->names[side]);
	if (programs->order) {
		put_runs(&line, c);
		print_visible(out, "%-13s %s, in the order %s, --seed=%llu\n", "Runs", line.text,
			      programs->order, (unsigned long long)programs->seed);
		strbuf_clear(&line);
	}
	put_commands(&line, c);
	print_visible(out, "%-13s %s\n", "More", line.text);
}

/* ---- markdown -------------------------------------------------------------------------------- */

/* In a table's cell nothing is markup. */
static void put_cell(struct strbuf *to, const char *text)
{
	struct strbuf visible = { 0 };

	strbuf_visible(&visible, text ? text : "");
	for (const char *at = visible.text; *at; at++) {
		if (strchr("|\\`*_<>[]&#~", *at))
			strbuf_puts(to, "\\");
		strbuf_add(to, at, 1);
	}
	strbuf_release(&visible);
}

static void markdown_rows(FILE *out, const struct comparison *c)
{
	enum measured by = (enum measured)c->decides;
	size_t n = count(c, by, has_grown);
	STRBUF(line);

	if (!n)
		return;
	fprintf(out, "\n| functions %s | A | B | change | where |\n|---|--:|--:|--:|---|\n",
		measures[by].grown);
	for (size_t i = 0; i < n && i < ROWS_MOST; i++) {
		struct json_object *row = row_of(c, by, i, has_grown);
		STRBUF(place);

		strbuf_puts(&line, "| ");
		put_cell(&line, json_member_text(row, "name"));
		strbuf_puts(&line, " | ");
		put_value(&line, by, comparison_value(row, 'a'));
		strbuf_puts(&line, " | ");
		put_value(&line, by, comparison_value(row, 'b'));
		strbuf_puts(&line, " | ");
		put_percent(&line, comparison_number(row, "change"), comparison_value(row, 'a'));
		strbuf_puts(&line, " | ");
		put_place(&place, row, 1);
		put_cell(&line, place.text);
		strbuf_puts(&line, " |");
		fprintf(out, "%s\n", line.text);
		strbuf_clear(&line);
	}
}

static void write_markdown(FILE *out, const struct comparison *c, const struct compared_programs *programs)
{
	STRBUF(line);

	put_verdict(&line, c);
	fprintf(out, "**%s**\n", line.text);
	markdown_rows(out, c);
	fputs("\n<details><summary>calls, instructions, time, runs</summary>\n\n", out);
	for (int by = 0; by < N_MEASURED; by++) {
		strbuf_clear(&line);
		say(&line, c, (enum measured)by);
		fprintf(out, "- %s: %s\n", measures[by].word, line.text);
	}
	for (int side = 0; side < 2; side++) {
		strbuf_clear(&line);
		put_cell(&line, programs->names[side]);
		fprintf(out, "- %c: %s\n", 'A' + side, line.text);
	}
	strbuf_clear(&line);
	put_runs(&line, c);
	fprintf(out, "- runs: %s, in the order %s, seed %llu\n", line.text, programs->order,
		(unsigned long long)programs->seed);
	strbuf_clear(&line);
	put_commands(&line, c);
	fprintf(out, "- `%s`\n\n</details>\n", line.text);
}

/* ---- GitHub ---------------------------------------------------------------------------------- */

/* A message, or with `is_property` what stands before it. */
static void put_escaped(struct strbuf *to, const char *text, int is_property)
{
	for (; text && *text; text++)
		if (strchr("%\r\n", *text) || (is_property && strchr(":,", *text)))
			strbuf_printf(to, "%%%02X", (unsigned char)*text);
		else
			strbuf_add(to, text, 1);
}

/* By how much it has grown at least, in percent. */
static double least_growth(struct json_object *row)
{
	double a = comparison_value(row, 'a'), low = comparison_number(row, "interval_low");

	return 100 * (isnan(low) ? comparison_number(row, "change") : low) / a;
}

static void write_github(FILE *out, const struct comparison *c, const struct compared_programs *programs)
{
	enum measured by = (enum measured)c->decides;
	STRBUF(line);
	STRBUF(part);
	struct json_object *row;

	(void)programs;
	for (size_t i = 0; i < ROWS_MOST && (row = row_of(c, by, i, has_grown)); i++) {
		int fails = c->fail_over && c->status && least_growth(row) > strtod(c->fail_over, NULL);

		strbuf_puts(&line, fails ? "::error" : "::warning");
		put_place(&part, row, 0);
		if (part.length) {
			strbuf_puts(&line, " file=");
			put_escaped(&line, part.text, 1);
			if (comparison_number(row, "line") > 0)
				strbuf_printf(&line, ",line=%.0f", comparison_number(row, "line"));
		}
		strbuf_clear(&part);
		strbuf_printf(&part, "%s: %s ", json_member_text(row, "name"), measures[by].word);
		put_value(&part, by, comparison_value(row, 'a'));
		strbuf_puts(&part, " to ");
		put_value(&part, by, comparison_value(row, 'b'));
		strbuf_puts(&part, " (");
		put_percent(&part, comparison_number(row, "change"), comparison_value(row, 'a'));
		strbuf_puts(&part, ")");
		strbuf_puts(&line, "::");
		put_escaped(&line, part.text, 0);
		text_line(out, &line);
		strbuf_clear(&part);
	}
	put_verdict(&part, c);
	strbuf_printf(&line, "::%s::", c->fail_over && c->status ? "error" : "notice");
	put_escaped(&line, part.text, 0);
	text_line(out, &line);
}

/* ---- json ------------------------------------------------------------------------------------ */

static void write_json(FILE *out, const struct comparison *c, const struct compared_programs *programs)
{
	struct json_object *all = json_object_new_object(), *list;
	STRBUF(line);

	put_verdict(&line, c);
	json_add_text(all, "verdict", line.text);
	json_add_text(all, "decides", measures[c->decides].word);
	if (c->fail_over)
		json_add_flag(all, "fails", c->status != 0);
	json_add_text(all, "a", programs->names[0]);
	json_add_text(all, "b", programs->names[1]);
	json_add_text(all, "order", programs->order);
	json_add_count(all, "seed", programs->seed);
	for (int side = 0; side < 2; side++) {
		list = json_add_list(all, side ? "sessions_b" : "sessions_a");
		for (size_t i = 0; i < c->n_runs; i++)
			json_append_text(list, c->sessions[side][i]);
	}
	for (int by = 0; by < N_MEASURED; by++)
		json_object_object_add(all, measures[by].word, json_object_get(c->results[by]));
	fprintf(out, "%s\n", json_line(all));
	json_object_put(all);
}

void comparison_write(FILE *out, enum compare_format format, const struct comparison *comparison,
		      const struct compared_programs *programs)
{
	static void (*const writers[])(FILE * out, const struct comparison *c,
				       const struct compared_programs *programs) = {
		[COMPARE_TEXT] = write_text,
		[COMPARE_MARKDOWN] = write_markdown,
		[COMPARE_GITHUB] = write_github,
		[COMPARE_JSON] = write_json,
	};

	writers[format](out, comparison, programs);
}
