/* SPDX-License-Identifier: GPL-3.0-or-later */
/* row_labels.c - see row_labels.h. */
#include "row_labels.h"

#include <stdlib.h>
#include <string.h>

#include "output/output.h"

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

void diff_texts_csv_head(FILE *out, const struct diff *diff)
{
	for (size_t i = 0; i < TEXTS; i++)
		fprintf(out, "%s,", keys[i]);
	fprintf(out, "line,%sverdict", diff->by == BY_ADDRESS ? "guessed," : "");
}

void diff_texts_csv(FILE *out, const struct diff *diff, uint32_t row, const char *verdict,
		    struct strbuf *scratch)
{
	const char *texts[TEXTS];

	texts_of(diff, row, texts, scratch);
	for (size_t i = 0; i < TEXTS; i++) {
		output_csv_text(out, texts[i] ? texts[i] : "");
		fputc(',', out);
	}
	if (diff->rows[row].line)
		fprintf(out, "%u", diff->rows[row].line);
	if (diff->by == BY_ADDRESS)
		fprintf(out, ",%d", diff->rows[row].is_guessed);
	fprintf(out, ",%s", verdict);
}

void diff_texts_json(FILE *out, const struct diff *diff, uint32_t row, const char *verdict,
		     struct strbuf *scratch)
{
	const char *texts[TEXTS];

	texts_of(diff, row, texts, scratch);
	for (size_t i = 0; i < TEXTS; i++) {
		fprintf(out, "\"%s\": ", keys[i]);
		if (texts[i])
			output_json_text(out, texts[i]);
		else
			fputs("null", out);
		fputs(", ", out);
	}
	if (diff->by == BY_ADDRESS)
		fprintf(out, "\"guessed\": %s, ", diff->rows[row].is_guessed ? "true" : "false");
	fprintf(out, "\"line\": %u, \"verdict\": \"%s\"", diff->rows[row].line, verdict);
}

const char *diff_row_heading(const struct diff *diff)
{
	static const char *const names[] = {
		[BY_FUNCTION] = "Function", [BY_LINE] = "Line",	      [BY_MODULE] = "Module",
		[BY_SITE] = "Call site",    [BY_ADDRESS] = "Address", [BY_PATH] = "Call path"
	};

	return names[diff->by];
}

/* Of both tables: the verdict is the first column, and behind the name only texts follow. */
void diff_grid_fit(struct grid *grid, unsigned terminal, const int *order, size_t n_order, size_t name)
{
	grid_measure(grid);
	for (size_t c = 0; c < grid->n; c++)
		grid->columns[c].is_text = !c || c >= name;
	grid_fit(grid, terminal, order, n_order, name, DIFF_NAME_LEAST);
}

void diff_grid_print(const struct grid *grid, FILE *out)
{
	for (size_t line = 0; line < grid->n_lines; line++)
		grid_print(grid, out, line, GRID_PLAIN);
}

static void put_guessed(FILE *out, const struct diff_view *view, int label)
{
	size_t n = 0;

	for (size_t i = 0; i < view->n_rows; i++)
		n += view->diff->rows[view->rows[i]].is_guessed != 0;
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

void diff_foot_put(FILE *out, char *text, size_t indent)
{
	unsigned terminal = output_width(out);

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

void diff_sources_json(FILE *out, const struct diff_view *view, const char *key, size_t first, size_t end)
{
	fprintf(out, "    \"%s\": [", key);
	for (size_t run = first; run < end; run++) {
		fputs(run > first ? ", " : "", out);
		output_json_text(out, view->sources[run]);
	}
	fputs("],\n", out);
}
