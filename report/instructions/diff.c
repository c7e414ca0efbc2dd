/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff.c - cinstr diff --measure=instructions: exact numbers need no statistics. With several runs
 * on a side each side has a range; ranges that lie apart are a difference. Where the runs of a side
 * differ, the function varies by itself, and ranges may lie apart by chance: see is_chance(). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "builds.h"
#include "instructions.h"
#include "lib/array.h"
#include "lib/terminal.h"
#include "output/grid.h"
#include "output/items.h"

#define NAME_LEAST 12
#define ALPHA 0.05 /* how often some function that varies by itself may be called changed */

/* A function in the runs of one side. */
struct side {
	uint64_t least, most;
	uint64_t calls; /* of the last run */
	int has_calls;
	size_t n; /* runs that have executed it; in the others it has 0 instructions */
};

enum verdict { EQUAL, MORE, LESS, ADDED, REMOVED, VARIES, UNKNOWN };
static const char *const verdicts[] = { "same", "more", "less", "added", "removed", "varies", "not known" };

struct diff_row {
	const char *name, *module;
	const char *file;
	uint32_t line;
	struct side sides[2];
	size_t run;	 /* that it was seen in last, from 1 */
	const char *why; /* not known in some run; NULL: known */
	enum verdict verdict;
};

struct comparison {
	const struct instructions_diff *how;
	struct map keys, strings;
	struct diff_row *rows;
	size_t size;
	struct side totals[2];
	size_t n_unknown, n_runs[2];
	size_t *order; /* rows that are shown, by change */
	size_t n_shown, n_differ, n_vary, n_same, n_hidden;
	size_t n_by_chance; /* rows that vary by themselves, and the total if it does */
	struct strbuf images;
	struct builds builds;
};

/* ---- reading --------------------------------------------------------------------------------- */

static void side_add(struct side *side, uint64_t n, int is_first)
{
	side->least = is_first || n < side->least ? n : side->least;
	side->most = is_first || n > side->most ? n : side->most;
}

/* Another row of the run that is in the side already: two functions of one name and file. */
static void side_more(struct side *side, const struct executed_row *row)
{
	side->least += row->instructions;
	side->most += row->instructions;
	side->calls += row->calls;
	side->has_calls &= row->has_calls;
}

static void key_put(struct strbuf *key, const struct executed *executed, const struct executed_row *row,
		    const char *module)
{
	const struct entity *entity = row->entity == NAMES_NONE ? NULL : &executed->names->list[row->entity];

	strbuf_printf(key, "%s\n%s\n%s", module, entity ? entity->assembler : "",
		      entity && entity->file ? util_basename(entity->file) : "");
}

/* The program's own file may have another name in another session. */
static const char *image_name(const struct executed_image *image)
{
	return image->is_main ? "" : util_basename(image->path);
}

static const char *module_name(const struct executed *executed, const struct executed_row *row)
{
	for (size_t i = 0; i < executed_n_images(executed); i++)
		if (!strcmp(executed->images[i].path, row->module))
			return image_name(&executed->images[i]);
	return util_basename(row->module);
}

/* Returns 0, or -1 after an error message: another compiler or other options have made a module. */
static int builds_check(struct comparison *c, const struct executed *executed, size_t run)
{
	int status = 0;

	for (size_t i = 0; i < executed_n_images(executed) && !status && !c->how->any_build; i++)
		status = builds_add(&c->builds, image_name(&executed->images[i]), &executed->images[i],
				    c->how->paths[run]);
	return status;
}

static void row_add(struct comparison *c, const struct executed *executed, const struct executed_row *row,
		    size_t run)
{
	int is_b = run >= c->how->n_a, is_new;
	STRBUF(key);
	struct diff_row *to;
	struct side *side;
	size_t number;

	key_put(&key, executed, row, module_name(executed, row));
	number = map_add(&c->keys, key.text, key.length, &is_new);
	ARRAY_ROOM(c->rows, number, c->size, 64);
	to = &c->rows[number];
	if (is_new) {
		*to = (struct diff_row){ .line = row->line };
		to->name = map_keep(&c->strings, row->name);
		to->module = map_keep(&c->strings, row->module);
		to->file = row->file ? map_keep(&c->strings, row->file) : NULL;
	}
	side = &to->sides[is_b];
	if (row->verdict != EXECUTED_KNOWN)
		to->why = executed_reasons[row->verdict];
	if (to->run == run + 1) {
		/* least and most of several runs are not known any more */
		if (c->n_runs[is_b] > 1)
			to->why = "several functions have its name";
		side_more(side, row);
		return;
	}
	to->run = run + 1;
	side_add(side, row->instructions, !side->n++);
	side->calls = row->calls;
	side->has_calls = row->has_calls;
}

static int run_add(struct comparison *c, size_t run)
{
	const struct instructions_diff *how = c->how;
	int is_b = run >= how->n_a, status;
	struct executed executed;
	struct executed_rows rows;

	status = instructions_read(&executed, how->paths[run], &how->view, 0, NULL);
	if (executed.n_counting && builds_check(c, &executed, run)) {
		status = STATUS_DATA;
	} else if (executed.n_counting) {
		instructions_rows(&rows, &executed, how->by, &how->view.selection);
		for (size_t i = 0; i < rows.n; i++)
			row_add(c, &executed, &rows.list[i], run);
		side_add(&c->totals[is_b], rows.instructions, run == 0 || run == how->n_a);
		c->n_unknown += rows.n_unknown;
		if (!run)
			executed_put_images(&c->images, &executed);
		instructions_rows_release(&rows);
	}
	if (!executed.n_counting && !status)
		status = STATUS_DATA;
	names_drop(executed.names);
	executed_release(&executed);
	return status;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* A run that has not executed it has none of its instructions. */
static void missing_add(struct comparison *c, struct diff_row *row)
{
	for (int k = 0; k < 2; k++)
		if (row->sides[k].n < c->n_runs[k])
			row->sides[k].least = 0;
}

static int varies(const struct side *a, const struct side *b)
{
	return a->least != a->most || b->least != b->most;
}

/*
 * Whether ranges that lie apart may do so by chance: if nothing has changed, all values of B lie on
 * one side of those of A in 2 of (n_a + n_b)! / (n_a! n_b!) orders of the runs. All rows together
 * may err with ALPHA (Bonferroni).
 */
static int is_chance(const struct comparison *c, const struct side *a, const struct side *b)
{
	double chance = 2;

	if (!varies(a, b))
		return 0;
	for (size_t i = 1; i <= c->n_runs[1]; i++)
		chance *= (double)i / (double)(c->n_runs[0] + i);
	return chance * (double)c->n_by_chance > ALPHA;
}

static enum verdict verdict_of(const struct comparison *c, const struct diff_row *row)
{
	const struct side *a = &row->sides[0], *b = &row->sides[1];

	if (row->why)
		return UNKNOWN;
	if (!a->n && b->n == c->n_runs[1])
		return ADDED;
	if (!b->n && a->n == c->n_runs[0])
		return REMOVED;
	if ((b->least > a->most || b->most < a->least) && !is_chance(c, a, b))
		return b->least > a->most ? MORE : LESS;
	return varies(a, b) ? VARIES : EQUAL;
}

/* What it has changed for certain: the distance of the ranges. */
static long double change_of(const struct side *a, const struct side *b)
{
	if (b->least > a->most)
		return (long double)b->least - (long double)a->most;
	if (b->most < a->least)
		return (long double)b->most - (long double)a->least;
	return 0;
}

static int compare_rows(const void *x, const void *y, void *arg)
{
	const struct comparison *c = arg;
	const struct diff_row *a = &c->rows[*(const size_t *)x], *b = &c->rows[*(const size_t *)y];
	long double p = fabsl(change_of(&a->sides[0], &a->sides[1]));
	long double q = fabsl(change_of(&b->sides[0], &b->sides[1]));
	int by_name;

	if (p != q)
		return p > q ? -1 : 1;
	if (a->verdict != b->verdict)
		return a->verdict > b->verdict ? -1 : 1;
	by_name = strcmp(a->name, b->name);
	return by_name ? by_name : a < b ? -1 : a > b;
}

static void compare_all(struct comparison *c)
{
	int all = !output_formats[c->how->view.format].shape->is_for_people;

	c->order = xcalloc(c->keys.n + 1, sizeof(*c->order));
	c->n_by_chance = varies(&c->totals[0], &c->totals[1]);
	for (size_t i = 0; i < c->keys.n; i++) {
		missing_add(c, &c->rows[i]);
		c->n_by_chance += varies(&c->rows[i].sides[0], &c->rows[i].sides[1]);
	}
	for (size_t i = 0; i < c->keys.n; i++) {
		struct diff_row *row = &c->rows[i];

		row->verdict = verdict_of(c, row);
		c->n_same += row->verdict == EQUAL;
		c->n_vary += row->verdict == VARIES;
		c->n_differ += row->verdict >= MORE && row->verdict <= REMOVED;
		if (all || (row->verdict != EQUAL && row->verdict != VARIES))
			c->order[c->n_shown++] = i;
	}
	util_sort(c->order, c->n_shown, sizeof(*c->order), compare_rows, c);
	if (c->n_shown > c->how->limit) {
		c->n_hidden = c->n_shown - c->how->limit;
		c->n_shown = c->how->limit;
	}
}

/* ---- the limit ------------------------------------------------------------------------------- */

/* NAN: A has none. */
static double percent_of(const struct side *a, const struct side *b)
{
	uint64_t from = b->least > a->most ? a->most : a->least;

	return from ? (double)(100 * change_of(a, b) / (long double)from) : (double)NAN;
}

static int is_over(const struct comparison *c, const char *name, const struct side *a, const struct side *b)
{
	double percent = percent_of(a, b);

	if (!(percent > c->how->fail_over) || is_chance(c, a, b))
		return 0;
	error("diff: %s: executed instructions grew by %.3g %% (%llu to %llu), which is more than "
	      "--fail-over=%g",
	      util_shown(name), percent, (unsigned long long)a->most, (unsigned long long)b->least,
	      c->how->fail_over);
	return 1;
}

static int has_grown(const struct comparison *c)
{
	int found = 0;

	if (c->how->fail_over < 0)
		return 0;
	for (size_t i = 0; i < c->keys.n && c->how->fails_by_row; i++)
		if (c->rows[i].verdict == MORE)
			found |= is_over(c, c->rows[i].name, &c->rows[i].sides[0], &c->rows[i].sides[1]);
	if (c->how->fails_by_total)
		found |= is_over(c, "the session's total", &c->totals[0], &c->totals[1]);
	return found;
}

/* ---- output ---------------------------------------------------------------------------------- */

enum cell { CELL_CHANGE, CELL_PERCENT, CELL_A, CELL_B, CELL_VERDICT, CELL_NAME, CELL_SOURCE, CELLS };

static void put_change(struct strbuf *cell, const struct side *a, const struct side *b)
{
	long double change = change_of(a, b);

	strbuf_puts(cell, change < 0 ? "-" : "+");
	strbuf_thousands(cell, util_rounded(fabsl(change)));
}

static void put_percent(struct strbuf *cell, const struct side *a, const struct side *b)
{
	double percent = percent_of(a, b);

	if (!isnan(percent))
		strbuf_printf(cell, fabs(percent) >= 0.1 ? "%+.1f" : "%+.2g", percent);
}

static void put_range(struct strbuf *cell, const struct side *side)
{
	strbuf_thousands(cell, side->least);
	if (side->least == side->most)
		return;
	strbuf_puts(cell, " to ");
	strbuf_thousands(cell, side->most);
}

static void put_line(const struct grid *grid, size_t line, const struct diff_row *row)
{
	if (row->verdict != UNKNOWN) {
		put_change(grid_cell(grid, line, CELL_CHANGE), &row->sides[0], &row->sides[1]);
		put_percent(grid_cell(grid, line, CELL_PERCENT), &row->sides[0], &row->sides[1]);
		put_range(grid_cell(grid, line, CELL_A), &row->sides[0]);
		put_range(grid_cell(grid, line, CELL_B), &row->sides[1]);
	}
	strbuf_puts(grid_cell(grid, line, CELL_VERDICT), verdicts[row->verdict]);
	strbuf_visible(grid_cell(grid, line, CELL_NAME), row->name);
	if (row->file) {
		strbuf_visible(grid_cell(grid, line, CELL_SOURCE), util_basename(row->file));
		strbuf_printf(grid_cell(grid, line, CELL_SOURCE), ":%u", row->line);
	} else {
		strbuf_visible(grid_cell(grid, line, CELL_SOURCE), util_basename(row->module));
	}
}

static void print_table(FILE *out, const struct comparison *c)
{
	int of_modules = c->how->by == EXECUTED_BY_MODULE;
	const struct grid_head heads[CELLS] = {
		[CELL_CHANGE] = { "Change" },
		[CELL_PERCENT] = { "%" },
		[CELL_A] = { "A" },
		[CELL_B] = { "B" },
		[CELL_VERDICT] = { "Verdict", .is_text = 1, .drop = 2 },
		[CELL_NAME] = { of_modules ? "Module" : "Function", .is_text = 1, .least = NAME_LEAST },
		[CELL_SOURCE] = { "Source", .is_text = 1, .drop = 1 },
	};
	struct grid grid;

	grid_begin(&grid, c->n_shown, heads, CELLS, INK_PLAIN);
	grid.columns[CELL_SOURCE].is_gone = of_modules;
	for (size_t i = 0; i < c->n_shown; i++)
		put_line(&grid, i + 1, &c->rows[c->order[i]]);
	grid_end(&grid, out);
	fputc('\n', out);
}

static const char *rows_word(const struct comparison *c, size_t n)
{
	static const char *const words[2][2] = { { "functions", "function" }, { "modules", "module" } };

	return words[c->how->by == EXECUTED_BY_MODULE][n == 1];
}

static void put_total(FILE *out, const struct comparison *c)
{
	STRBUF(text);

	strbuf_puts(&text, "Instructions executed in ");
	strbuf_puts(&text, c->images.text ? c->images.text : "");
	strbuf_puts(&text, ": ");
	put_range(&text, &c->totals[0]);
	strbuf_puts(&text, " in A, ");
	put_range(&text, &c->totals[1]);
	strbuf_puts(&text, " in B (");
	if (change_of(&c->totals[0], &c->totals[1]) != 0 && !is_chance(c, &c->totals[0], &c->totals[1])) {
		put_change(&text, &c->totals[0], &c->totals[1]);
		strbuf_puts(&text, ", ");
		put_percent(&text, &c->totals[0], &c->totals[1]);
		strbuf_puts(&text, " %).");
	} else {
		strbuf_puts(&text, "no change).");
	}
	fprintf(out, "%s\n", text.text);
}

static void put_unknown(FILE *out, const struct comparison *c)
{
	for (size_t i = 0; i < c->n_shown; i++) {
		const struct diff_row *row = &c->rows[c->order[i]];

		if (row->why)
			print_visible(out, "Not known of %s: %s.\n", row->name, row->why);
	}
}

static void print_people(FILE *out, const struct comparison *c)
{
	if (c->n_shown)
		print_table(out, c);
	put_total(out, c);
	put_unknown(out, c);
	if (c->n_hidden)
		fprintf(out, "%zu more %s differ (--limit).\n", c->n_hidden, rows_word(c, c->n_hidden));
	if (c->n_same)
		fprintf(out, "%zu %s executed as many instructions in all runs.\n", c->n_same,
			rows_word(c, c->n_same));
	if (c->n_vary)
		fprintf(out,
			"%zu %s varied from run to run, and between A and B no more than by chance "
			"(--format=csv lists all).\n",
			c->n_vary, rows_word(c, c->n_vary));
	if (c->n_differ && c->n_runs[0] == 1 && c->n_runs[1] == 1)
		fprintf(out,
			"One run on each side: what varies by itself (seeds, addresses, threads) is not told "
			"apart.\n");
}

static void put_number(struct items *items, const char *name, int is_there, uint64_t n)
{
	if (is_there)
		items_count(items, name, n);
	else
		items_none(items, name);
}

static void put_row(struct items *items, const struct diff_row *row)
{
	const struct side *a = &row->sides[0], *b = &row->sides[1];
	int is_known = row->verdict != UNKNOWN;

	items_open(items, NULL, '{', ITEMS_INLINE);
	items_text(items, "verdict", verdicts[row->verdict]);
	items_text(items, "name", row->name);
	items_text(items, "module", row->module);
	items_text(items, "file", row->file);
	items_count_if(items, "line", row->line);
	put_number(items, "a_min", is_known, a->least);
	put_number(items, "a_max", is_known, a->most);
	put_number(items, "b_min", is_known, b->least);
	put_number(items, "b_max", is_known, b->most);
	items_decimal_if(items, "change", is_known ? change_of(a, b) : NAN, 0);
	items_decimal_if(items, "change_percent", is_known ? percent_of(a, b) : NAN, 6);
	put_number(items, "calls_a", a->has_calls, a->calls);
	put_number(items, "calls_b", b->has_calls, b->calls);
	items_text(items, "why_not_known", row->why);
	items_close(items);
}

static void put_totals(struct items *items, const struct comparison *c)
{
	items_open(items, "session", '{', ITEMS_BLOCK);
	items_text(items, "measure", "instructions");
	items_count(items, "a_min", c->totals[0].least);
	items_count(items, "a_max", c->totals[0].most);
	items_count(items, "b_min", c->totals[1].least);
	items_count(items, "b_max", c->totals[1].most);
	items_count(items, "rows_that_differ", c->n_differ);
	items_count(items, "rows_that_vary", c->n_vary);
	items_count(items, "rows_hidden", c->n_hidden);
	items_close(items);
}

static void print_items(FILE *out, const struct comparison *c, const struct items_format *format)
{
	static const char *const columns[] = { "verdict", "name",	  "module",	    "file",
					       "line",	  "a_min",	  "a_max",	    "b_min",
					       "b_max",	  "change",	  "change_percent", "calls_a",
					       "calls_b", "why_not_known" };
	struct items items;

	if (items_table(&items, out, format, ITEMS_BLOCK, columns, ARRAY_SIZE(columns)))
		put_totals(&items, c);
	items_table_rows(&items, "rows");
	for (size_t i = 0; i < c->n_shown; i++)
		put_row(&items, &c->rows[c->order[i]]);
	items_table_end(&items);
}

static void print(FILE *out, const void *arg)
{
	const struct comparison *c = arg;
	const struct output_format *format = &output_formats[c->how->view.format];

	if (format->shape->is_for_people)
		print_people(out, c);
	else
		print_items(out, c, format->items);
}

/* ---------------------------------------------------------------------------------------------- */

int instructions_diff(const struct command *command, struct instructions_diff *diff)
{
	struct comparison c = { .how = diff, .n_runs = { diff->n_a, diff->n_runs - diff->n_a } };
	int status = STATUS_OK, written;

	if (instructions_check(command, &diff->view))
		return STATUS_USAGE;
	for (size_t i = 0; i < diff->n_runs && !status; i++)
		status = run_add(&c, i);
	if (!status && selection_check_seen(&diff->view.selection))
		status = STATUS_DATA;
	if (!status) {
		compare_all(&c);
		written = instructions_print(&diff->view, print, &c);
		status = has_grown(&c) ? STATUS_DATA : written;
	}
	free(c.rows);
	free(c.order);
	map_release(&c.keys);
	map_release(&c.strings);
	strbuf_release(&c.images);
	builds_release(&c.builds);
	return status;
}
