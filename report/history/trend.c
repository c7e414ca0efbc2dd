/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/array.h"
#include "lib/order.h"
#include "lib/terminal.h"
#include "output/format.h"
#include "output/grid.h"
#include "output/items.h"
#include "output/output.h"

#define SPARK_LEVELS 8
#define SPARK_WIDTH 24
#define NAME_LEAST 12
#define COMMIT_SHOWN 12

/* A line of the table of changes. */
struct line {
	const struct series *series;
	const struct change *change; /* NULL: it has none */
};

struct trend {
	const struct history *history;
	struct series_set *set;
	const struct trend_options *options;
	struct line *lines;
	size_t n_lines, size_lines, n_changes;
};

static const struct history_run *run_of(const struct trend *t, const struct series *s, size_t at)
{
	return &t->history->runs[s->runs[at]];
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void put_value(struct strbuf *text, const struct trend_options *options, double value)
{
	if (history_measures[options->choice.measure].is_time)
		strbuf_duration(text, (long double)value);
	else
		strbuf_thousands(text, (uint64_t)(value + 0.5));
}

static void put_time(struct strbuf *text, uint64_t time_ns)
{
	time_t seconds = (time_t)(time_ns / 1000000000);
	char digits[32];
	struct tm tm;

	if (localtime_r(&seconds, &tm) && strftime(digits, sizeof(digits), "%Y-%m-%d %H:%M", &tm))
		strbuf_puts(text, digits);
}

static double percent_of(const struct change *c)
{
	return c->before > 0 ? 100 * (c->after - c->before) / c->before : 0;
}

static void put_percent(struct strbuf *text, const struct change *c)
{
	if (c->before > 0)
		strbuf_printf(text, "%+.1f %%", percent_of(c));
	else
		strbuf_puts(text, "new");
}

static void put_chance(struct strbuf *text, const struct series *s, double chance)
{
	if (s->kind == SERIES_EXACT)
		strbuf_puts(text, "exact");
	else if (chance < 1e-6)
		strbuf_puts(text, "< 1e-6");
	else
		strbuf_printf(text, chance < 1e-3 ? "%.0e" : "%.4f", chance);
}

/* The run by what people call it. */
static void put_run(struct strbuf *text, const struct history_run *run)
{
	strbuf_printf(text, "%llu", (unsigned long long)run->number);
	if (*run->commit) {
		size_t head = util_head(run->commit, COMMIT_SHOWN);

		strbuf_puts(text, " ");
		strbuf_add(text, run->commit, head);
	}
}

/* Medians of as many parts as there are columns, between the least and the most of them. */
static void put_spark(struct strbuf *text, const struct series *s, size_t width)
{
	size_t n = s->n < width ? s->n : width;
	double least = INFINITY, most = -INFINITY, *parts = xcalloc(n + 1, sizeof(*parts));

	for (size_t i = 0; i < n; i++) {
		size_t from = i * s->n / n, to = (i + 1) * s->n / n;

		parts[i] = change_median(s->values + from, to - from);
		least = parts[i] < least ? parts[i] : least;
		most = parts[i] > most ? parts[i] : most;
	}
	for (size_t i = 0; i < n; i++) {
		int level = most > least
				    ? (int)((parts[i] - least) / (most - least) * (SPARK_LEVELS - 1) + 0.5)
				    : SPARK_LEVELS / 2;

		strbuf_printf(text, "\xe2\x96%c", 0x81 + level); /* from U+2581 on */
	}
	free(parts);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void add_line(struct trend *t, const struct series *s, const struct change *change)
{
	ARRAY_ROOM(t->lines, t->n_lines, t->size_lines, 64);
	t->lines[t->n_lines++] = (struct line){ s, change };
	t->n_changes += change != NULL;
}

static double weight(const struct line *line)
{
	return line->change ? fabs(line->change->after - line->change->before) : -1;
}

ORDER_ITEMS(compare_lines, struct line, ORDER(weight(y), weight(x)),
	    ORDER(y->series->median, x->series->median), strcmp(x->series->name, y->series->name))

/* Of a function that was asked for it is also said that nothing has changed. */
static void lines_make(struct trend *t)
{
	for (size_t i = 0; i < t->set->n; i++) {
		const struct series *s = &t->set->list[i];

		for (size_t k = 0; k < s->n_changes; k++)
			add_line(t, s, &s->changes[k]);
		if (!s->n_changes && t->options->choice.function)
			add_line(t, s, NULL);
	}
	util_sort(t->lines, t->n_lines, sizeof(*t->lines), compare_lines, NULL);
}

static size_t n_runs_of(const struct trend *t)
{
	const struct run_builds *builds = t->options->choice.builds;
	size_t n = 0;

	for (size_t i = t->options->first; i < t->history->n; i++)
		n += !builds || !builds->is_left_out[i];
	return n;
}

/* Of executed instructions: which functions are compared by statistics all the same, and why. */
static void put_kinds(struct strbuf *line, const struct trend *t)
{
	size_t n_vary = t->set->n_of_kind[SERIES_VARIES], n_single = t->set->n_of_kind[SERIES_SINGLE];

	if (!n_vary && !n_single)
		return;
	strbuf_printf(line, "Left to statistics, from %d runs on: ", CHANGE_LEAST);
	if (n_vary) {
		output_plural(line, n_vary, "function", "s");
		strbuf_puts(line, n_vary == 1 ? " that varies between runs of one build"
					      : " that vary between runs of one build");
	}
	if (n_vary && n_single)
		strbuf_puts(line, ", and ");
	if (n_single) {
		output_plural(line, n_single, "function", "s");
		strbuf_puts(line, " that no build has executed in two runs");
	}
	strbuf_puts(line, ".");
}

static void say_foot(const struct trend *t)
{
	const struct series_choice *choice = &t->options->choice;
	size_t n_exact = t->set->n_of_kind[SERIES_EXACT];
	STRBUF(line);
	struct printer printer = printer_of(stdout);

	output_plural(&line, t->set->n_tested, "function", "s");
	strbuf_puts(&line, " over ");
	output_plural(&line, n_runs_of(t), "run", "s");
	strbuf_printf(&line, ": %s, %s.", history_measures[choice->measure].words,
		      choice->builds ? "exactly" : "medians");
	printer_line(&printer, &line, INK_DIM);
	if (choice->builds)
		put_kinds(&line, t);
	if (line.length)
		printer_line(&printer, &line, INK_DIM);
	if (t->set->n_tested > n_exact) {
		strbuf_printf(&line, "Without any change, %g of 100 such looks show one by chance (--alpha).",
			      100 * choice->level);
		printer_line(&printer, &line, INK_DIM);
	}
}

enum { CHANGE, BEFORE, AFTER, SINCE, WHEN, CHANCE, SPARK, NAME, MODULE, COLUMNS };

static void put_line(const struct grid *grid, size_t at, const struct trend *t, const struct line *line)
{
	const struct series *s = line->series;
	const struct change *change = line->change;

	if (change) {
		put_percent(grid_cell(grid, at, CHANGE), change);
		put_value(grid_cell(grid, at, BEFORE), t->options, change->before);
		put_value(grid_cell(grid, at, AFTER), t->options, change->after);
		put_run(grid_cell(grid, at, SINCE), run_of(t, s, change->at));
		put_time(grid_cell(grid, at, WHEN), run_of(t, s, change->at)->time_ns);
		put_chance(grid_cell(grid, at, CHANCE), s, change->chance);
	} else {
		strbuf_puts(grid_cell(grid, at, CHANGE), s->is_tested ? "none" : "too few runs");
		put_value(grid_cell(grid, at, AFTER), t->options, s->median);
	}
	if (terminal_has_bars())
		put_spark(grid_cell(grid, at, SPARK), s, SPARK_WIDTH);
	strbuf_visible(grid_cell(grid, at, NAME), s->name);
	strbuf_visible(grid_cell(grid, at, MODULE), s->module);
}

static void print_changes(const struct trend *t)
{
	static const struct grid_head heads[COLUMNS] = {
		[CHANGE] = { "Change" },
		[BEFORE] = { "Before", .drop = 5 },
		[AFTER] = { "After" },
		[SINCE] = { "Since run", .is_text = 1 },
		[WHEN] = { "Recorded", .is_text = 1, .drop = 3 },
		[CHANCE] = { "Chance", .drop = 2 },
		[SPARK] = { "Trend", .is_text = 1, .drop = 4 },
		[NAME] = { "Function", .is_text = 1, .least = NAME_LEAST },
		[MODULE] = { "Module", .is_text = 1, .drop = 1 },
	};
	size_t n = t->options->limit && t->n_lines > t->options->limit ? t->options->limit : t->n_lines;
	struct grid grid;

	if (!t->n_lines && !t->set->n_tested) {
		printf("Nothing can be said: no function was seen in %d runs%s.\n", CHANGE_LEAST,
		       t->options->choice.builds ? ", or in two of one build" : "");
		return;
	}
	if (!t->n_lines) {
		puts("Nothing has changed.");
		say_foot(t);
		return;
	}
	grid_begin(&grid, n, heads, COLUMNS, INK_HEADING);
	grid.columns[SPARK].is_gone = !terminal_has_bars();
	for (size_t i = 0; i < n; i++)
		put_line(&grid, i + 1, t, &t->lines[i]);
	grid_end(&grid, stdout);
	putchar('\n');
	if (t->n_lines > n)
		printf("%zu more; --limit=0 shows them.\n", t->n_lines - n);
	say_foot(t);
}

/* ---- one function ---------------------------------------------------------------------------- */

static const struct change *change_at(const struct series *s, size_t at)
{
	for (size_t i = 0; i < s->n_changes; i++)
		if (s->changes[i].at == at)
			return &s->changes[i];
	return NULL;
}

enum { RUN, RECORDED, LABEL, COMMIT, VALUE, STEP, RUN_COLUMNS };

static void print_head(const struct trend *t, const struct series *s)
{
	STRBUF(line);
	struct printer printer = printer_of(stdout);

	strbuf_visible(&line, s->name);
	strbuf_printf(&line, ": %s", history_measures[t->options->choice.measure].words);
	printer_line(&printer, &line, INK_STRONG);
	if (terminal_has_bars()) {
		put_spark(&line, s, printer.width ? printer.width : TERMINAL_NONE);
		puts(line.text);
	}
}

static void put_run_line(const struct grid *grid, size_t at, const struct trend *t, const struct series *s,
			 size_t number)
{
	const struct history_run *run = run_of(t, s, number);
	const struct change *change = change_at(s, number);

	strbuf_printf(grid_cell(grid, at, RUN), "%llu", (unsigned long long)run->number);
	put_time(grid_cell(grid, at, RECORDED), run->time_ns);
	strbuf_visible(grid_cell(grid, at, LABEL), run->label);
	strbuf_visible(grid_cell(grid, at, COMMIT), run->commit);
	put_value(grid_cell(grid, at, VALUE), t->options, s->values[number]);
	if (!change)
		return;
	grid->line_inks[at] = INK_STRONG;
	put_percent(grid_cell(grid, at, STEP), change);
	strbuf_puts(grid_cell(grid, at, STEP),
		    s->kind == SERIES_EXACT ? " since here, " : " since here, chance ");
	put_chance(grid_cell(grid, at, STEP), s, change->chance);
}

static void print_runs(const struct trend *t, const struct series *s)
{
	static const struct grid_head heads[RUN_COLUMNS] = {
		[RUN] = { "Run" },
		[RECORDED] = { "Recorded", .is_text = 1, .drop = 3 },
		[LABEL] = { "Label", .is_text = 1, .drop = 1 },
		[COMMIT] = { "Commit", .is_text = 1, .drop = 2 },
		[VALUE] = { "Value" },
		[STEP] = { "Change", .is_text = 1, .least = NAME_LEAST },
	};
	size_t n = t->options->limit && s->n > t->options->limit ? t->options->limit : s->n, from = s->n - n;
	struct grid grid;

	print_head(t, s);
	grid_begin(&grid, n, heads, RUN_COLUMNS, INK_HEADING);
	for (size_t i = 0; i < n; i++)
		put_run_line(&grid, i + 1, t, s, from + i);
	grid_end(&grid, stdout);
	putchar('\n');
	if (from)
		printf("%zu runs before these; --limit=0 shows them.\n", from);
	say_foot(t);
}

/* ---- csv, json ------------------------------------------------------------------------------- */

static void put_items_of_run(struct items *items, const struct history_run *run)
{
	items_count(items, "run", run->number);
	items_count(items, "time_ns", run->time_ns);
	items_text(items, "label", *run->label ? run->label : NULL);
	items_text(items, "commit", *run->commit ? run->commit : NULL);
}

static void put_items_of_change(struct items *items, const struct change *change)
{
	if (!change) {
		items_none(items, "before");
		items_none(items, "after");
		items_none(items, "change_percent");
		items_none(items, "chance");
		return;
	}
	items_decimal(items, "before", (long double)change->before, 1);
	items_decimal(items, "after", (long double)change->after, 1);
	items_decimal_if(items, "change_percent", change->before > 0 ? percent_of(change) : NAN, 3);
	items_short(items, "chance", change->chance);
}

/* Writes how the series were looked at, as the foot of a table says it. */
static void put_look(struct items *items, const struct trend *t)
{
	const struct series_choice *choice = &t->options->choice;

	items_open(items, "session", '{', ITEMS_LINES);
	items_text(items, "measure", history_measures[choice->measure].name);
	items_count(items, "functions", t->set->n_tested);
	items_count(items, "runs", n_runs_of(t));
	items_short(items, "alpha_percent", 100 * choice->level);
	items_close(items);
}

static void write_changes(const struct trend *t, const struct items_format *format)
{
	static const char *const columns[] = { "function", "module",	     "median", "run",
					       "time_ns",  "label",	     "commit", "before",
					       "after",	   "change_percent", "chance", "name" };
	struct items items;

	if (items_table(&items, stdout, format, ITEMS_LINES, columns, ARRAY_SIZE(columns)))
		put_look(&items, t);
	items_table_rows(&items, "changes");
	for (size_t i = 0; i < t->n_lines; i++) {
		const struct line *line = &t->lines[i];

		items_open(&items, NULL, '{', ITEMS_LINES);
		items_text(&items, "function", line->series->name);
		items_text(&items, "module", *line->series->module ? line->series->module : NULL);
		items_decimal(&items, "median", (long double)line->series->median, 1);
		if (line->change)
			put_items_of_run(&items, run_of(t, line->series, line->change->at));
		else
			for (size_t k = 3; k < 7; k++)
				items_none(&items, columns[k]);
		put_items_of_change(&items, line->change);
		items_text(&items, "name", line->series->name);
		items_close(&items);
	}
	items_table_end(&items);
}

static void write_runs(const struct trend *t, const struct series *s, const struct items_format *format)
{
	static const char *const columns[] = { "function", "module",	     "run",    "time_ns",
					       "label",	   "commit",	     "value",  "before",
					       "after",	   "change_percent", "chance", "name" };
	struct items items;

	if (items_table(&items, stdout, format, ITEMS_LINES, columns, ARRAY_SIZE(columns)))
		put_look(&items, t);
	items_table_rows(&items, "runs");
	for (size_t i = 0; i < s->n; i++) {
		items_open(&items, NULL, '{', ITEMS_LINES);
		items_text(&items, "function", s->name);
		items_text(&items, "module", *s->module ? s->module : NULL);
		put_items_of_run(&items, run_of(t, s, i));
		items_count(&items, "value", (uint64_t)s->values[i]);
		put_items_of_change(&items, change_at(s, i));
		items_text(&items, "name", s->name);
		items_close(&items);
	}
	items_table_end(&items);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Something began to take more in one of the last runs, and still does. */
static int has_grown(const struct trend *t)
{
	size_t n = t->history->n, within = t->options->fail_within, found = 0;

	for (size_t i = 0; i < t->set->n; i++) {
		const struct series *s = &t->set->list[i];
		const struct change *last = s->n_changes ? &s->changes[s->n_changes - 1] : NULL;
		STRBUF(text);

		if (s->is_shift || !last || last->after <= last->before || s->runs[last->at] + within < n)
			continue;
		strbuf_visible(&text, s->name);
		strbuf_puts(&text, ": ");
		put_percent(&text, last);
		strbuf_puts(&text, " since run ");
		put_run(&text, run_of(t, s, last->at));
		error("history: %s", text.text);
		found++;
	}
	return found != 0;
}

int trend_print(const struct history *history, struct series_set *set, const struct trend_options *options)
{
	const struct output_format *format = &output_formats[options->format];
	struct trend t = { .history = history, .set = set, .options = options };
	int is_one = options->choice.function && set->n == 1, grown;

	lines_make(&t);
	terminal_page();
	if (format->shape->is_for_people && is_one)
		print_runs(&t, &set->list[0]);
	else if (format->shape->is_for_people)
		print_changes(&t);
	else if (is_one)
		write_runs(&t, &set->list[0], format->items);
	else
		write_changes(&t, format->items);
	fflush(stdout);
	grown = options->fail_within && has_grown(&t);
	free(t.lines);
	return grown ? STATUS_DATA : STATUS_OK;
}

/* ---- the list -------------------------------------------------------------------------------- */

enum {
	LIST_RUN,
	LIST_TIME,
	LIST_LABEL,
	LIST_COMMIT,
	LIST_HOST,
	LIST_DURATION,
	LIST_FUNCTIONS,
	LIST_COMMAND,
	LIST_COLUMNS
};

static void list_table(const struct history *history, size_t from)
{
	static const struct grid_head heads[LIST_COLUMNS] = {
		[LIST_RUN] = { "Run" },
		[LIST_TIME] = { "Recorded", .is_text = 1 },
		[LIST_LABEL] = { "Label", .is_text = 1, .drop = 4 },
		[LIST_COMMIT] = { "Commit", .is_text = 1 },
		[LIST_HOST] = { "Host", .is_text = 1, .drop = 1 },
		[LIST_DURATION] = { "Took", .drop = 3 },
		[LIST_FUNCTIONS] = { "Functions", .drop = 2 },
		[LIST_COMMAND] = { "Command", .is_text = 1, .least = NAME_LEAST },
	};
	size_t n = history->n - from;
	struct grid grid;

	grid_begin(&grid, n, heads, LIST_COLUMNS, INK_HEADING);
	for (size_t i = 0; i < n; i++) {
		const struct history_run *run = &history->runs[from + i];

		strbuf_printf(grid_cell(&grid, i + 1, LIST_RUN), "%llu", (unsigned long long)run->number);
		put_time(grid_cell(&grid, i + 1, LIST_TIME), run->time_ns);
		strbuf_visible(grid_cell(&grid, i + 1, LIST_LABEL), run->label);
		strbuf_visible(grid_cell(&grid, i + 1, LIST_COMMIT), run->commit);
		strbuf_visible(grid_cell(&grid, i + 1, LIST_HOST), run->host);
		strbuf_duration(grid_cell(&grid, i + 1, LIST_DURATION), (long double)run->duration_ns);
		strbuf_thousands(grid_cell(&grid, i + 1, LIST_FUNCTIONS), run->functions);
		strbuf_visible(grid_cell(&grid, i + 1, LIST_COMMAND), run->command);
	}
	grid_end(&grid, stdout);
	if (from)
		printf("\n%zu runs before these; --limit=0 shows them.\n", from);
}

static void list_items(const struct history *history, const struct items_format *format)
{
	static const char *const columns[] = { "run",	 "time_ns",	"label",     "commit",	  "host",
					       "method", "duration_ns", "processes", "functions", "command" };
	struct items items;

	items_table(&items, stdout, format, ITEMS_LINES, columns, ARRAY_SIZE(columns));
	items_table_rows(&items, "runs");
	for (size_t i = 0; i < history->n; i++) {
		const struct history_run *run = &history->runs[i];

		items_open(&items, NULL, '{', ITEMS_LINES);
		put_items_of_run(&items, run);
		items_text(&items, "host", *run->host ? run->host : NULL);
		items_text(&items, "method", run->method);
		items_count(&items, "duration_ns", run->duration_ns);
		items_count(&items, "processes", run->processes);
		items_count(&items, "functions", run->functions);
		items_text(&items, "command", *run->command ? run->command : NULL);
		items_close(&items);
	}
	items_table_end(&items);
}

int trend_list(const struct history *history, int format, uint64_t limit)
{
	const struct output_format *chosen = &output_formats[format];

	terminal_page();
	if (chosen->shape->is_for_people)
		list_table(history, limit && history->n > limit ? history->n - limit : 0);
	else
		list_items(history, chosen->items);
	return STATUS_OK;
}
