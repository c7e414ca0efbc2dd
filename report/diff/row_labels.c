/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "row_labels.h"

#include <stdlib.h>
#include <string.h>

#include "lib/terminal.h"
#include "output/output.h"
#include "rows/mixed_rows.h"

#define DIFF_NAME_LEAST 8 /* columns */

static const char *const keys[] = { "name", "module", "file", "callee", "path" };
#define TEXTS ARRAY_SIZE(keys)

static void texts_of(const struct diff *diff, uint32_t number, const char *texts[TEXTS], struct strbuf *path)
{
	const struct diff_row *row = &diff->rows[number];

	strbuf_clear(path);
	if (diff->by == BY_PATH)
		diff_put_path(path, diff, number, DIFF_PATH_MAX_LEVELS);
	texts[0] = row->name;
	texts[1] = row->module;
	texts[2] = row->file;
	texts[3] = row->callee;
	texts[4] = diff->by == BY_PATH ? path->text : NULL;
}

size_t diff_texts_columns(const struct diff *diff, const char **names)
{
	size_t n = TEXTS;

	memcpy(names, keys, sizeof(keys));
	names[n++] = "line";
	if (diff->by == BY_ADDRESS)
		names[n++] = "guessed";
	names[n++] = "verdict";
	return n;
}

void diff_texts_put(struct items *items, const struct diff *diff, uint32_t number, const char *verdict,
		    struct strbuf *scratch)
{
	const struct diff_row *row = &diff->rows[number];
	const char *texts[TEXTS];

	texts_of(diff, number, texts, scratch);
	for (size_t i = 0; i < TEXTS; i++)
		items_text(items, keys[i], texts[i]);
	items_count_if(items, "line", row->line);
	if (diff->by == BY_ADDRESS)
		items_flag(items, "guessed", row->is_guessed);
	items_text(items, "verdict", verdict);
}

const char *diff_row_heading(const struct diff *diff)
{
	static const char *const names[] = {
		[BY_FUNCTION] = "Function", [BY_LINE] = "Line",	      [BY_MODULE] = "Module",
		[BY_SITE] = "Call site",    [BY_ADDRESS] = "Address", [BY_PATH] = "Call path"
	};

	return names[diff->by];
}

/* Fits a table of either kind into the terminal. Marks the columns of text first: the verdict,
 * which is the first one, the name, and the module, which follows the name. */
void diff_grid_fit(struct grid *grid, unsigned terminal, const int *order, size_t n_order, size_t name)
{
	grid_measure(grid);
	for (size_t c = 0; c < grid->n; c++)
		grid->columns[c].is_text = !c || c == name || c == name + 1;
	grid_fit(grid, terminal, order, n_order, name, DIFF_NAME_LEAST);
}

void diff_grid_print(const struct grid *grid, FILE *out)
{
	int colour = terminal_is_coloured(out);

	for (size_t line = 0; line < grid->n_lines; line++)
		grid_print(grid, out, line, colour, line ? INK_PLAIN : INK_HEADING);
}

static size_t count_guessed(const struct diff_view *view)
{
	size_t n = 0;

	for (size_t i = 0; i < view->n_rows; i++)
		n += view->diff->rows[view->rows[i]].is_guessed != 0;
	return n;
}

static void put_guessed(FILE *out, const struct diff_view *view, int label)
{
	size_t n = count_guessed(view);

	if (n)
		fprintf(out,
			"%-*s%zu of these by guess, as the builds differ (or have no build-id): by function, "
			"%s\n",
			label, "Matched", n,
			view->diff->shares ? "and offset in it" : "callee and which of its calls it is");
}

void diff_put_rows(FILE *out, const struct diff_view *view, int label, const char *changes)
{
	fprintf(out, "%-*s%zu shown", label, "Rows", view->n_rows);
	if (view->n_small)
		fprintf(out, ", %zu below %g %% of the session on both sides are not (--threshold)",
			view->n_small, view->threshold);
	if (view->n_left_out)
		fprintf(out, ", %zu are not chosen", view->n_left_out);
	if (view->n_hidden)
		fprintf(out, ", %zu with smaller %s are not (--limit)", view->n_hidden, changes);
	fputc('\n', out);
	put_guessed(out, view, label);
}

/* The next part of a line of several. */
static void put_part(struct strbuf *text, const char *part)
{
	strbuf_puts(text, text->length ? "; " : "");
	strbuf_puts(text, part);
}

static void put_count(struct strbuf *text, size_t n, const char *format)
{
	char part[64];

	if (!n)
		return;
	snprintf(part, sizeof(part), format, n);
	put_part(text, part);
}

void diff_put_rest(FILE *out, const struct diff_view *view, int has_upper_ends)
{
	STRBUF(text);

	put_count(&text, view->n_small,
		  view->n_small == 1 ? "%zu row below --threshold" : "%zu rows below --threshold");
	put_count(&text, view->n_hidden, "%zu beyond --limit");
	put_count(&text, count_guessed(view), "%zu matched by guess");
	if (has_upper_ends)
		put_part(&text, "<= x: 0 to x");
	if (text.length)
		fprintf(out, "%s  (details: --verbose)\n", text.text);
	else
		fputs("(details: --verbose)\n", out);
}

void diff_foot_put(FILE *out, char *text, size_t indent)
{
	unsigned terminal = terminal_width(out);

	for (char *line = strsep(&text, "\n"); text; line = strsep(&text, "\n")) {
		const char *between = "";
		size_t at = 0;

		for (char *word = strsep(&line, " "); word; word = strsep(&line, " ")) {
			size_t n = util_columns(word);

			if (terminal && at > indent && at + 1 + n > terminal) {
				fprintf(out, "\n%*s", (int)indent, "");
				at = indent;
				between = "";
			}
			at += (size_t)fprintf(out, "%s", between) + n;
			fputs(word, out);
			between = " ";
		}
		fputc('\n', out);
	}
}

void diff_put_foot(FILE *out, const struct diff_view *view,
		   void (*print)(FILE *foot, const struct diff_view *view), size_t indent)
{
	char *text;
	size_t size;
	FILE *foot = open_memstream(&text, &size);

	if (!foot)
		return;
	print(foot, view);
	fclose(foot);
	diff_foot_put(out, text, indent);
	free(text);
}

void diff_sources_put(struct items *items, const struct diff_view *view, const char *key, size_t first,
		      size_t end)
{
	items_open(items, key, '[', ITEMS_INLINE);
	for (size_t run = first; run < end; run++)
		items_text(items, NULL, view->sources[run]);
	items_close(items);
}

void diff_nested_put(struct items *items, const struct diff_view *view,
		     void (*session)(struct items *items, const struct diff_view *view), diff_row_writer row)
{
	STRBUF(scratch);

	items_open(items, NULL, '{', ITEMS_BLOCK);
	items_open(items, "session", '{', ITEMS_BLOCK);
	session(items, view);
	items_close(items);
	items_open(items, "rows", '[', ITEMS_LINES);
	for (size_t i = 0; i < view->n_rows; i++)
		row(items, view->diff, view->rows[i], &scratch);
	items_close(items);
	items_close(items);
}

void diff_source_put(struct items *items, const struct diff_row *row, int side, const char *bound_key,
		     const char *source_key)
{
	items_text(items, bound_key, mixed_bound_word(row->are_calls_least[side]));
	items_text(items, source_key, mixed_source_word(row->source[side]));
}

void diff_mark_put(struct strbuf *cell, const struct diff_row *row, int side, int has_estimates)
{
	if (has_estimates)
		strbuf_puts(cell, row->source[side] & SOURCE_ESTIMATE ? OUTPUT_ESTIMATE : " ");
}
