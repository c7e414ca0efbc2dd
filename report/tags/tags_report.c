/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tags_report.c - see tags_report.h. */
#include "tags_report.h"

#include <stdio.h>
#include <string.h>

#include "output/grid.h"
#include "output/items.h"
#include "rows/tag_facts.h"

enum { VALUE, TIMES, TIME, WAITING, LONGEST, WHERE, COLUMNS };

struct report {
	const struct view_options *options;
	uint64_t limit;
	struct names names;
	struct tag_facts facts;
	struct printer printer;
};

/* ---- for scripts ----------------------------------------------------------------------------- */

static const char *const columns[] = {
	"tag",	      "value",	    "is_others", "is_open",  "times",	  "elapsed_ns",
	"waiting_ns", "longest_ns", "path",	 "function", "waited_in",
};

static const char *function_of(const struct report *r, const struct tag_fact *fact)
{
	return fact->entity == NAMES_NONE ? NULL : r->names.list[fact->entity].name;
}

static void put_fact(struct items *items, const struct report *r, const struct tag_fact *fact)
{
	char value[32];

	snprintf(value, sizeof(value), "%lld", (long long)fact->id);
	items_open(items, NULL, '{', ITEMS_LINES);
	items_text(items, "tag", fact->name);
	items_text(items, "value", fact->is_others ? NULL : value);
	items_count(items, "is_others", (uint64_t)fact->is_others);
	items_count(items, "is_open", (uint64_t)fact->is_open);
	items_count(items, "times", fact->times);
	items_ns(items, "elapsed_ns", fact->ns);
	items_ns(items, "waiting_ns", fact->waiting_ns);
	items_ns(items, "longest_ns", fact->longest_ns);
	items_text(items, "path", *fact->path ? fact->path : NULL);
	items_text(items, "function", function_of(r, fact));
	items_text(items, "waited_in", fact->waited_in);
	items_close(items);
}

static void print_for_scripts(const struct report *r, const struct items_format *format)
{
	struct items items;

	items_table(&items, stdout, format, ITEMS_LINES, columns, ARRAY_SIZE(columns));
	items_table_rows(&items, "tags");
	for (size_t i = 0; i < r->facts.n; i++)
		put_fact(&items, r, &r->facts.list[i]);
	items_table_end(&items);
}

/* ---- for people ------------------------------------------------------------------------------ */

static void put_where(const struct report *r, const struct tag_fact *fact, struct strbuf *cell)
{
	const char *function = function_of(r, fact);

	strbuf_visible(cell, function ? function : "not known");
	if (fact->waited_in) {
		strbuf_puts(cell, ", waited in ");
		strbuf_visible(cell, fact->waited_in);
	}
	if (fact->is_open)
		strbuf_puts(cell, ", has not ended");
}

static void put_row(const struct report *r, const struct grid *grid, size_t line, const struct tag_fact *fact)
{
	if (fact->is_others)
		strbuf_puts(grid_cell(grid, line, VALUE), "(others)");
	else
		strbuf_printf(grid_cell(grid, line, VALUE), "%lld", (long long)fact->id);
	strbuf_thousands(grid_cell(grid, line, TIMES), fact->times);
	strbuf_duration(grid_cell(grid, line, TIME), fact->ns);
	strbuf_duration(grid_cell(grid, line, WAITING), fact->waiting_ns);
	strbuf_duration(grid_cell(grid, line, LONGEST), fact->longest_ns);
	put_where(r, fact, grid_cell(grid, line, WHERE));
}

/* Prints the values of one tag, the facts from `first` to before `end`; the others are always
 * shown. */
static void print_tag(const struct report *r, size_t first, size_t end)
{
	const struct tag_fact *list = r->facts.list;
	const struct grid_head heads[COLUMNS] = {
		[VALUE] = { list[first].name },
		[TIMES] = { "Times", .drop = 3 },
		[TIME] = { "Time" },
		[WAITING] = { "Waiting", .drop = 1 },
		[LONGEST] = { "Longest", .drop = 2 },
		[WHERE] = { "Longest was in", .is_text = 1, .least = 12 },
	};
	int has_others = list[end - 1].is_others;
	size_t n = end - first - (size_t)has_others, shown = r->limit < n ? (size_t)r->limit : n;
	struct strbuf line = { 0 };
	struct grid grid;

	grid_begin(&grid, shown + (size_t)has_others, heads, COLUMNS, INK_HEADING);
	for (size_t i = 0; i < shown; i++)
		put_row(r, &grid, 1 + i, &list[first + i]);
	if (has_others)
		put_row(r, &grid, 1 + shown, &list[end - 1]);
	grid_end(&grid, stdout);
	if (shown < n) {
		strbuf_printf(&line, "%zu more values; --limit=N shows N.", n - shown);
		printer_line(&r->printer, &line, INK_DIM);
	}
	if (has_others) {
		strbuf_printf(&line, "(others): with less time than the %u that a thread keeps.",
			      CINSTR_TAGS_KEPT);
		printer_line(&r->printer, &line, INK_DIM);
	}
	strbuf_release(&line);
}

static void print_for_people(struct report *r)
{
	size_t first = 0, end;

	r->printer = printer_of(stdout);
	for (; first < r->facts.n; first = end) {
		end = tag_facts_end(&r->facts, first);
		if (first)
			fputc('\n', stdout);
		print_tag(r, first, end);
	}
}

/* ---- the report ------------------------------------------------------------------------------ */

static void visit(void *arg, struct data *data)
{
	struct report *r = arg;

	tag_facts_add(&r->facts, &r->names, data);
	names_next_process(&r->names);
}

static int show(struct report *r)
{
	const struct output_format *format = &output_formats[r->options->format];

	if (!r->facts.n) {
		error("--by=tag: there are no tags: the program did not call cinstr_tag() of cinstr.h");
		return STATUS_DATA;
	}
	tag_facts_sort(&r->facts);
	terminal_page();
	if (format->shape->is_for_people)
		print_for_people(r);
	else
		print_for_scripts(r, format->items);
	return STATUS_OK;
}

/* Returns 0, or -1 after a message: the option is none of this view. */
static int check(const struct command *command, const struct view_options *options)
{
	const char *option = options->columns			     ? "--columns"
			     : options->output			     ? "--output"
			     : options->histogram		     ? "--histogram"
			     : selection_is_any(&options->selection) ? "a choice of functions or times"
								     : NULL;

	if (!option)
		return 0;
	error("%s: --by=tag does not go with %s", command->name, option);
	return -1;
}

int tags_report(const struct command *command, const char *path, const struct view_options *options,
		uint64_t limit)
{
	struct report r = { .options = options, .limit = limit };
	struct session input;
	int status;

	if (check(command, options) || terminal_configure(command->name, &options->terminal) ||
	    names_configure(command->name, &options->names,
			    output_formats[options->format].shape->is_for_people))
		return STATUS_USAGE;
	status = session_open(&input, path) ? STATUS_DATA : STATUS_OK;
	if (!status) {
		status = session_each(&input, visit, &r);
		if (input.n_usable && show(&r))
			status = STATUS_DATA;
	}
	session_release(&input);
	tag_facts_release(&r.facts);
	names_release(&r.names);
	return status;
}
