/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waits_path.c - cinstr waits --critical-path: the threads and functions that the wall time was
 * spent in, one after another. */
#include <stdlib.h>

#include "lib/ink.h"
#include "rows/critical_groups.h"
#include "waits.h"

#define NAME_LEAST 20
#define SHARED_LEAST 0.01L /* of the path: so much is told of */
#define NOTHING 500	   /* ns: less is shown as none */
enum { TIME, SHARE, MOSTLY, WITHOUT, FIFTH, FUNCTION, THREAD, COLUMNS };

/* ---- for scripts ----------------------------------------------------------------------------- */

static const char *const columns[] = {
	"pid",	      "tid",	      "thread",	    "function",	  "file",
	"line",	      "path",	      "on_path_ns", "percent",	  "computing_ns",
	"outside_ns", "processor_ns", "unknown_ns", "without_ns", "fifth_less_ns",
};

static void put_effect(struct items *items, const struct critical_path *path, long double gone,
		       long double gone_fifth)
{
	if (critical_path_is_foretold(path)) {
		items_ns(items, "without_ns", gone);
		items_ns(items, "fifth_less_ns", gone_fifth);
	} else {
		items_none(items, "without_ns");
		items_none(items, "fifth_less_ns");
	}
}

static void put_none(struct items *items, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		items_none(items, names[i]);
}

/* Writes a row of the functions that --without names, in place of the path's. */
static void put_without(struct items *items, const struct critical_path *path)
{
	static const char *const before[] = { "tid", "thread" }, *const place[] = { "file", "line", "path" };
	static const char *const parts[] = { "computing_ns", "outside_ns", "processor_ns", "unknown_ns" };
	const struct critical_without *without = &path->without;

	items_open(items, NULL, '{', ITEMS_LINES);
	items_count(items, "pid", path->pid);
	put_none(items, before, ARRAY_SIZE(before));
	items_text(items, "function", without->text);
	put_none(items, place, ARRAY_SIZE(place));
	items_ns(items, "on_path_ns", without->on_path);
	items_decimal(items, "percent", 100 * without->on_path / path->ns, 6);
	put_none(items, parts, ARRAY_SIZE(parts));
	put_effect(items, path, without->gone, without->gone_fifth);
	items_close(items);
}

static void put_row(struct items *items, const struct critical_path *path, const struct critical_row *row)
{
	const struct entity *entity = row->entity == NAMES_NONE ? NULL : &path->names->list[row->entity];
	char *text = critical_path_text(path, row->path);

	items_open(items, NULL, '{', ITEMS_LINES);
	items_count(items, "pid", path->pid);
	items_count(items, "tid", row->tid);
	items_text(items, "thread", row->thread);
	items_text(items, "function", entity ? entity->name : NULL);
	items_text(items, "file", entity ? entity->file : NULL);
	if (entity && entity->line)
		items_count(items, "line", entity->line);
	else
		items_none(items, "line");
	items_text(items, "path", *text ? text : NULL);
	items_ns(items, "on_path_ns", row->all);
	items_decimal(items, "percent", 100 * row->all / path->ns, 6);
	items_ns(items, "computing_ns", row->ns[CRITICAL_COMPUTING]);
	items_ns(items, "outside_ns", row->ns[CRITICAL_OUTSIDE]);
	items_ns(items, "processor_ns", row->ns[CRITICAL_PROCESSOR]);
	items_ns(items, "unknown_ns", row->ns[CRITICAL_UNKNOWN]);
	put_effect(items, path, row->gone, row->gone_fifth);
	items_close(items);
	free(text);
}

static void print_for_scripts(const struct critical_path *path, const struct items_format *format)
{
	struct items items;

	items_table(&items, stdout, format, ITEMS_LINES, columns, ARRAY_SIZE(columns));
	items_table_rows(&items, "critical_path");
	for (size_t i = 0; i < path->n && !path->without.text; i++)
		put_row(&items, path, &path->rows[i]);
	if (path->without.text)
		put_without(&items, path);
	items_table_end(&items);
}

/* ---- for people ------------------------------------------------------------------------------ */

static void put_name(struct strbuf *text, const struct critical_path *path, uint32_t entity)
{
	strbuf_visible(text, entity == NAMES_NONE ? "not known" : path->names->list[entity].name);
}

/* "worker (4 threads)" */
static void put_thread(struct strbuf *text, const struct critical_group *group)
{
	if (group->sums.thread)
		strbuf_visible(text, group->sums.thread);
	else
		strbuf_printf(text, "thread %u", group->sums.tid);
	if (group->n_threads > 1)
		strbuf_printf(text, " (%zu threads)", group->n_threads);
}

static void put_gone(struct strbuf *text, const struct critical_path *path, long double ns)
{
	if (!critical_path_is_foretold(path) || ns < NOTHING) {
		strbuf_puts(text, critical_path_is_foretold(path) ? "-" : "?");
		return;
	}
	strbuf_puts(text, "-");
	strbuf_duration(text, ns);
}

static void fill_line(const struct grid *grid, size_t line, const struct critical_path *path,
		      const struct critical_group *group)
{
	const struct critical_row *sums = &group->sums;
	struct strbuf *name = grid_cell(grid, line, FUNCTION);

	strbuf_duration(grid_cell(grid, line, TIME), sums->all);
	strbuf_printf(grid_cell(grid, line, SHARE), "%.1Lf %%", 100 * sums->all / path->ns);
	strbuf_puts(grid_cell(grid, line, MOSTLY), critical_part_word(critical_row_part(sums)));
	put_gone(grid_cell(grid, line, WITHOUT), path, sums->gone);
	put_gone(grid_cell(grid, line, FIFTH), path, sums->gone_fifth);
	put_name(name, path, sums->entity);
	/* what a library's function did is its caller's matter */
	if (sums->caller != NAMES_NONE) {
		strbuf_puts(name, " <- ");
		put_name(name, path, sums->caller);
	}
	put_thread(grid_cell(grid, line, THREAD), group);
}

static void print_table(const struct waits_view *w, const struct critical_path *path)
{
	static const char *const headings[COLUMNS] = {
		[TIME] = "on path",    [SHARE] = "%",		[MOSTLY] = "mostly", [WITHOUT] = "without it",
		[FIFTH] = "20 % less", [FUNCTION] = "function", [THREAD] = "thread",
	};
	struct critical_groups groups;
	size_t n;
	struct grid grid;

	critical_groups_make(&groups, path);
	n = w->options->limit && groups.n > w->options->limit ? w->options->limit : groups.n;
	grid_init(&grid, n + 1, COLUMNS);
	for (size_t i = 0; i < COLUMNS; i++) {
		strbuf_puts(grid_cell(&grid, 0, i), headings[i]);
		grid.columns[i].is_text = i == MOSTLY || i == FUNCTION || i == THREAD;
	}
	for (size_t i = 0; i < n; i++)
		fill_line(&grid, i + 1, path, &groups.list[i]);
	grid_measure(&grid);
	grid_fit(&grid, w->printer.width, NULL, 0, FUNCTION, NAME_LEAST);
	for (size_t i = 0; i <= n; i++)
		grid_print(&grid, w->printer.out, i, w->printer.is_coloured, i ? INK_PLAIN : INK_DIM);
	if (n < groups.n) {
		STRBUF(line);

		strbuf_printf(&line, "%zu more; --limit=0 shows them.", groups.n - n);
		printer_line(&w->printer, &line, INK_DIM);
	}
	grid_release(&grid);
	critical_groups_release(&groups);
}

static void print_heading(const struct waits_view *w, const struct critical_path *path)
{
	STRBUF(line);

	strbuf_puts(&line, "Critical path");
	if (path->n_others && path->name) {
		strbuf_puts(&line, " of ");
		strbuf_visible(&line, path->name);
		strbuf_printf(&line, " %u", path->pid);
	}
	strbuf_puts(&line, ": ");
	strbuf_duration(&line, path->ns);
	strbuf_printf(&line, ", through %u of %u threads", path->n_on_path, path->n_threads);
	printer_line(&w->printer, &line, INK_HEADING);
	fputc('\n', w->printer.out);
}

/* "Without it -553 ms (50 %), 20 % less -111 ms: load and all that it calls" */
static void print_without(const struct waits_view *w, const struct critical_path *path)
{
	const struct critical_without *without = &path->without;
	STRBUF(line);

	strbuf_puts(&line, "Without it ");
	put_gone(&line, path, without->gone);
	if (critical_path_is_foretold(path))
		strbuf_printf(&line, " (%.0Lf %%)", 100 * without->gone / (path->ns - path->recording));
	strbuf_puts(&line, ", 20 % less ");
	put_gone(&line, path, without->gone_fifth);
	strbuf_puts(&line, ": ");
	strbuf_visible(&line, without->text);
	strbuf_puts(&line, " and all that it calls");
	printer_line(&w->printer, &line, INK_PLAIN);
	fputc('\n', w->printer.out);
}

static void print_foot(const struct waits_view *w, const struct critical_path *path)
{
	STRBUF(line);

	fputc('\n', w->printer.out);
	if (critical_path_is_foretold(path)) {
		strbuf_puts(
			&line,
			"without it, 20 % less: an estimate of what would be gone of that if the function");
		printer_line(&w->printer, &line, INK_DIM);
		strbuf_puts(&line, "took nothing, or 20 % less, in all threads.");
	} else {
		strbuf_printf(&line,
			      "without it, 20 %% less: not known, as threads waited for a processor %.0Lf %% "
			      "of it.",
			      100 * critical_path_ns(path, CRITICAL_PROCESSOR) / path->ns);
	}
	printer_line(&w->printer, &line, INK_DIM);
	if (path->shared > SHARED_LEAST * path->ns) {
		strbuf_printf(&line, "%.0Lf %% of it are intervals shorter than ",
			      100 * path->shared / path->ns);
		strbuf_duration(&line, path->threshold);
		strbuf_puts(&line, ", shared out as the thread's are.");
		printer_line(&w->printer, &line, INK_DIM);
	}
	if (path->kept < (1 - SHARED_LEAST) * path->ns) {
		strbuf_printf(&line, "Too many waits to keep: this is from windows of time, %.1Lf %% of it.",
			      100 * path->kept / path->ns);
		printer_line(&w->printer, &line, INK_DIM);
	}
}

void waits_print_path(struct waits_view *w, const struct critical_path *path,
		      const struct output_format *format)
{
	if (!format->shape->is_for_people) {
		print_for_scripts(path, format->items);
		return;
	}
	w->printer = printer_of(stdout);
	if (!path->n_threads && !path->without.text) {
		printf("No process has two threads: all of the time is that of its one thread.\n");
		return;
	}
	print_heading(w, path);
	if (path->without.text)
		print_without(w, path);
	print_table(w, path);
	print_foot(w, path);
}
