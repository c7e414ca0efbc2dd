/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_sections.c - the sections of the page, in order, and those that are one table each. */
#include "html_sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_pack.h"
#include "lib/array.h"
#include "output/histogram.h"
#include "rows/caller_rows.h"

/* Numbers of functions are those of these rows. */
static void write_functions(struct html *html)
{
	struct profile *profile = html->profiles[HTML_FUNCTIONS];
	struct html_rows rows;

	html_rows_of(&rows, profile, COLUMN_CPU_EXCLUSIVE);
	html_note_table(html, "functions", &rows);
	html_columns(html, &rows);
	pack_column(&html->pack, "full_name", PACK_STRING, NULL);
	for (size_t i = 0; i < rows.n; i++) {
		const struct entity *entity = &profile->names->list[rows.rows[i]->entity];
		FREED char *full = entity->is_function ? names_full(entity->assembler, entity->file)
						       : xstrdup(entity->name);

		pack_number(&html->pack, html_string(html, full));
	}
	pack_column_end(&html->pack);
	free(rows.rows);
}

static void write_table(struct html *html, enum html_profile number, const char *name, enum column sort)
{
	struct html_rows rows;

	html_rows_of(&rows, html->profiles[number], sort);
	html_note_table(html, name, &rows);
	html_columns(html, &rows);
	free(rows.rows);
}

/* Texts of a table that has only core columns. */
static void write_big_table(struct html *html, struct html_rows *rows, const enum column *texts, size_t n)
{
	if (rows->n <= HTML_ROWS_MOST) {
		html_columns(html, rows);
		return;
	}
	for (size_t i = 0; i < n; i++)
		html_column(html, rows, texts[i]);
	html_columns_numbers(html, rows, 1);
}

static void write_sites(struct html *html)
{
	static const enum column texts[] = { COLUMN_NAME, COLUMN_CALLEE, COLUMN_FILE };
	struct html_rows rows;

	html_rows_of(&rows, html->profiles[HTML_SITES], HTML_SORT_SITES);
	html_note_table(html, "sites", &rows);
	write_big_table(html, &rows, texts, ARRAY_SIZE(texts));
	free(rows.rows);
}

static void write_lines(struct html *html)
{
	static const enum column texts[] = { COLUMN_FILE };
	struct html_rows rows;

	html_lines(html, &rows);
	html_note_table(html, "lines", &rows);
	write_big_table(html, &rows, texts, ARRAY_SIZE(texts));
	free(rows.rows);
}

static int has_marks(const struct html *html)
{
	return html->profiles[HTML_MARKS]->n_rows && !html->profiles[HTML_MARKS]->marks_unknown;
}

static void write_marks(struct html *html)
{
	write_table(html, HTML_MARKS, "marks", COLUMN_BEGIN);
}

/* How long the calls of each function took. */
static void write_histograms(struct html *html)
{
	static const char *const names[] = { "function", "from_ns", "to_ns", "calls", "ns" };
	struct html_rows rows;
	int64_t(*bins)[ARRAY_SIZE(names)] = NULL;
	size_t n = 0, size = 0;

	html_rows_of(&rows, html->profiles[HTML_FUNCTIONS], COLUMN_CPU_EXCLUSIVE);
	for (size_t i = 0; i < rows.n; i++) {
		struct histogram_bin *list;
		size_t n_list = histogram_bins(rows.rows[i], &list);

		for (size_t k = 0; k < n_list; k++) {
			const int64_t bin[] = { (int64_t)i, llrintl(list[k].from), llrintl(list[k].to),
						(int64_t)list[k].calls, llrintl(list[k].ns) };

			ARRAY_ROOM(bins, n, size, 1024);
			memcpy(bins[n++], bin, sizeof(bin));
		}
		free(list);
	}
	for (size_t column = 0; column < ARRAY_SIZE(names); column++) {
		PACK_NUMBERS(&html->pack, names[column], column ? PACK_NUMBER : PACK_DELTA, n,
			     bins[i][column]);
	}
	free(bins);
	free(rows.rows);
}

static int has_histograms(const struct html *html)
{
	return !profile_is_sampled(html->profiles[HTML_FUNCTIONS]);
}

/* As cinstr summary --format=json. */
static void write_summary(struct html *html)
{
	struct json json;

	json_begin(&json);
	summary_nested(&json.items, &html->summary.view);
	json_pack(&json, &html->pack);
	html_waits_take(html);
	html_values_take(html);
	profile_release(&html->summary.profiles[SUMMARY_EDGES]);
}

static void write_modules(struct html *html)
{
	write_table(html, HTML_MODULES, "modules", COLUMN_CPU_EXCLUSIVE);
}

static void write_threads(struct html *html)
{
	write_table(html, HTML_THREADS, "threads", COLUMN_ELAPSED_INCLUSIVE);
}

static void write_processes(struct html *html)
{
	write_table(html, HTML_PROCESSES, "processes", COLUMN_ELAPSED_INCLUSIVE);
}

static int64_t caller_number(const struct html *html, const struct profile *profile, const struct row *row)
{
	return html_function(html, profile, row->caller);
}

/* Who calls whom: what cinstr callers shows of each function, without itself. */
static void write_edges(struct html *html)
{
	struct profile *profile = html->profiles[HTML_CALLERS];
	struct html_rows rows = { .profile = profile };

	if (!html->has_callers)
		view_read_more(html->view, &profile, 1);
	rows.rows = xcalloc(profile->n_rows, sizeof(*rows.rows));
	for (size_t i = 0; i < profile->n_rows; i++)
		if (profile->rows[i].name && profile->rows[i].caller != EDGE_NO_CALLER)
			rows.rows[rows.n++] = &profile->rows[i];
	column_sort(profile, rows.rows, rows.n, column_for(profile, COLUMN_ELAPSED_INCLUSIVE));
	html_note_table(html, "edges", &rows);
	html_column_function(html, &rows);
	PACK_NUMBERS(&html->pack, "caller", PACK_DELTA, rows.n, caller_number(html, profile, rows.rows[i]));
	PACK_NUMBERS(&html->pack, "recursion", PACK_BYTE, rows.n, rows.rows[i]->is_recursive);
	html_columns_numbers(html, &rows, rows.n > HTML_ROWS_MOST);
	free(rows.rows);
}

static void write_index(struct html *html)
{
	STRBUF(index);
	struct json json;

	json_begin(&json);
	items_open(&json.items, NULL, '{', ITEMS_BLOCK);
	output_put_session(&json.items, html->view);
	items_text(&json.items, "source", html->view->source);
	items_close(&json.items);
	json_end(&json);
	strbuf_printf(&index,
		      "{\"cinstr\":\"%s\",\"format\":1,\"paths_hidden\":%zu,\"paths_hidden_ns\":%.0Lf,"
		      "\"least_percent\":%.6f,\"tables\":{%s}%s,\"data\":%s}\n",
		      CINSTR_VERSION, html->n_paths_hidden, html->paths_hidden, html->least_percent,
		      html->notes.text, html->more.text, json.text);
	pack_bytes(&html->pack, index.text, index.length);
	free(json.text);
}

#define LAST_OF(profile) (1u << HTML_##profile)
#define OF(side) (1u << HTML_##side)
#define BOTH (OF(FIRST) | OF(SECOND))
#define ALL (BOTH | OF(EXECUTED))

const struct html_section html_sections[] = {
	{ "summary", write_summary, NULL, BOTH, 0 },
	{ "functions", write_functions, NULL, ALL, 0 },
	{ "modules", write_modules, NULL, ALL, LAST_OF(MODULES) },
	{ "threads", write_threads, NULL, ALL, LAST_OF(THREADS) },
	{ "processes", write_processes, NULL, ALL, LAST_OF(PROCESSES) },
	{ "nodes", html_write_nodes, NULL, ALL, 0 },
	{ "hot", html_write_hot, NULL, OF(FIRST), 0 },
	{ "nodes_more", html_write_nodes_more, html_has_nodes_more, OF(FIRST), LAST_OF(PATHS) },
	{ "thread_nodes", html_write_thread_nodes, html_has_thread_nodes, OF(FIRST) | OF(EXECUTED),
	  LAST_OF(THREAD_PATHS) },
	{ "edges", write_edges, NULL, ALL, LAST_OF(CALLERS) },
	{ "sites", write_sites, NULL, OF(FIRST), 0 },
	{ "lines", write_lines, NULL, OF(FIRST), 0 },
	{ "source", html_write_source, html_has_source, OF(FIRST), LAST_OF(SITES) | LAST_OF(LINES) },
	{ "marks", write_marks, has_marks, OF(FIRST), LAST_OF(MARKS) },
	{ "histograms", write_histograms, has_histograms, OF(FIRST), 0 },
	{ "ranks", html_write_ranks, html_has_ranks, OF(FIRST), 0 },
	{ "rank_list", html_write_rank_list, html_has_ranks, OF(FIRST), 0 },
	{ "waits", html_write_waits, html_has_waits, OF(FIRST), 0 },
	{ "values", html_write_values, html_has_values, OF(FIRST), 0 },
	{ "course", html_write_course, html_has_course, OF(FIRST), 0 },
	{ "course_parts", html_write_course_parts, html_has_course_parts, OF(FIRST), 0 },
	{ "course_marks", html_write_course_marks, html_has_course_marks, OF(FIRST), 0 },
	{ "course_bins", html_write_course_bins, html_has_course_bins, OF(FIRST), 0 },
	{ "course_sites", html_write_course_sites, html_has_lanes, OF(FIRST), 0 },
	{ "lanes", html_write_lanes, html_has_lanes, OF(FIRST), 0 },
	{ "items", html_write_items, html_has_lanes, OF(FIRST), 0 },
	{ "lines", html_write_executed_lines, html_has_executed_source, OF(EXECUTED), 0 },
	{ "source", html_write_executed_source, html_has_executed_source, OF(EXECUTED), 0 },
	/* behind all others */
	{ "index", write_index, NULL, ALL, 0 },
};
const size_t n_html_sections = ARRAY_SIZE(html_sections);
