/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "samples_timeline.h"

#include <math.h>

#include "output/grid.h"
#include "output/output.h"
#include "samples_moments.h"

#define THREAD_COLUMNS 28
#define NS_PER_S 1000000000ull

/* One sample, and all that is known of it. */
struct sampled_line {
	const struct sampled_moment *moment;
	const struct moments_thread *thread;
	const struct moments_path *path;
	const struct printer *printer; /* of tables */
	const struct field_choice *columns;
};

/* ---- values ---------------------------------------------------------------------------------- */

enum {
	FIELD_TIME,
	FIELD_PID,
	FIELD_TID,
	FIELD_THREAD,
	FIELD_FUNCTION,
	FIELD_MODULE,
	FIELD_FILE,
	FIELD_LINE,
	FIELD_DEPTH,
	FIELD_STACK,
	FIELD_PROCESS_NUMBER,
	FIELDS
};

/* width: of a table's column. */
static const struct shown {
	const char *heading;
	unsigned width;
	int is_right;
} shown[FIELDS] = {
	{ "Time, s", 16, 1 },  { "Process", 7, 1 }, { "Thread", 7, 1 },	 { "Name", 15, 0 },
	{ "Function", 24, 0 }, { "Module", 16, 0 }, { "Source", 16, 0 }, { "Line", 5, 1 },
	{ "Depth", 5, 1 },     { "Stack", 40, 0 },  { "Number", 6, 1 },
};
static const char *const names[FIELDS] = { "time_ns", "pid",  "tid",   "thread", "function",	  "module",
					   "file",    "line", "depth", "stack",	 "process_number" };
const struct field_list sample_fields = { names, FIELDS };
const struct field_choice sample_fields_default = { { FIELD_TIME, FIELD_PID, FIELD_TID, FIELD_THREAD,
						      FIELD_FUNCTION, FIELD_MODULE, FIELD_FILE, FIELD_LINE,
						      FIELD_DEPTH, FIELD_STACK, FIELD_PROCESS_NUMBER },
						    FIELDS };

static struct field_value value_of(const struct sampled_line *t, size_t field)
{
	const char *const texts[FIELDS] = { [FIELD_THREAD] = t->thread->name,
					    [FIELD_FUNCTION] = t->path->function,
					    [FIELD_MODULE] = t->path->module,
					    [FIELD_FILE] = t->path->file,
					    [FIELD_STACK] = t->path->stack };
	const long double numbers[FIELDS] = { [FIELD_TIME] = t->moment->ns,
					      [FIELD_PID] = t->thread->pid,
					      [FIELD_TID] = t->thread->tid,
					      [FIELD_THREAD] = NAN,
					      [FIELD_FUNCTION] = NAN,
					      [FIELD_MODULE] = NAN,
					      [FIELD_FILE] = NAN,
					      [FIELD_LINE] = t->path->line ? t->path->line : NAN,
					      [FIELD_DEPTH] = t->path->depth,
					      [FIELD_STACK] = NAN,
					      [FIELD_PROCESS_NUMBER] = t->thread->process_number };

	return (struct field_value){ texts[field], numbers[field] };
}

/* ---- table ----------------------------------------------------------------------------------- */

static void put_cell(struct strbuf *cell, const struct sampled_line *t, size_t field)
{
	struct field_value value = value_of(t, field);
	unsigned long long n = isnan(value.number) ? 0 : util_rounded(value.number);

	strbuf_clear(cell);
	if (value.text)
		strbuf_visible(cell, field == FIELD_MODULE || field == FIELD_FILE ? util_basename(value.text)
										  : value.text);
	else if (field == FIELD_TIME)
		strbuf_printf(cell, "%llu.%09llu", n / NS_PER_S, n % NS_PER_S);
	else if (!isnan(value.number))
		strbuf_printf(cell, "%llu", n);
}

/* The heading, where t is NULL, or a line. */
static void put_columns(struct strbuf *line, const struct field_choice *columns, const struct sampled_line *t)
{
	struct strbuf cell = { 0 };

	for (size_t i = 0; i < columns->n; i++) {
		const struct shown *column = &shown[columns->list[i]];
		const char *text = column->heading;

		if (t) {
			put_cell(&cell, t, columns->list[i]);
			text = cell.text;
		}
		strbuf_puts(line, i ? "  " : "");
		if (i + 1 == columns->n && !column->is_right)
			strbuf_puts(line, text);
		else
			output_fitted(line, text, column->width, column->is_right);
	}
	strbuf_release(&cell);
}

static void put_line(const struct sampled_line *t, struct strbuf *line)
{
	size_t from, used;

	strbuf_printf(line, "%6llu.%09llu  ", (unsigned long long)(t->moment->ns / NS_PER_S),
		      (unsigned long long)(t->moment->ns % NS_PER_S));
	from = line->length;
	strbuf_printf(line, "%s/%u ", t->thread->shown_number, t->thread->tid);
	strbuf_visible(line, t->thread->name);
	used = util_columns(line->text + from);
	strbuf_fill(line, ' ', used < THREAD_COLUMNS ? THREAD_COLUMNS - used : 0);
	strbuf_puts(line, " ");
	strbuf_visible(line, t->path->function ? t->path->function : SYMBOL_UNKNOWN);
	if (t->path->file) {
		strbuf_puts(line, "  ");
		strbuf_visible(line, util_basename(t->path->file));
		strbuf_printf(line, t->path->line ? ":%u" : "", t->path->line);
	}
	if (t->path->module) {
		strbuf_puts(line, "  ");
		strbuf_visible(line, util_basename(t->path->module));
	}
}

static void table_put(struct items *items, const struct sampled_line *t, struct strbuf *line)
{
	(void)items;
	if (t->columns)
		put_columns(line, t->columns, t);
	else
		put_line(t, line);
	printer_line(t->printer, line, INK_PLAIN);
}

static void table_begin(struct items *items, const struct samples_timeline *wish, struct strbuf *line)
{
	if (selection_is_any(wish->selection)) {
		selection_put(line, wish->selection);
		fprintf(items->out, "Filter  %s\n", line->text);
		strbuf_clear(line);
	}
	if (wish->columns) {
		struct printer printer = printer_of(items->out);

		put_columns(line, wish->columns, NULL);
		printer_line(&printer, line, INK_HEADING);
		return;
	}
	fprintf(items->out, "%16s  %-*s Was executing\n", "Time, s", THREAD_COLUMNS, "Process/thread");
}

static void table_end(struct items *items, int is_cut)
{
	if (is_cut)
		fputs("... (--limit)\n", items->out);
}

const struct sample_writer samples_table = { table_begin, table_put, table_end };

/* ---- for scripts ----------------------------------------------------------------------------- */

static void put_item(struct items *items, const struct sampled_line *t, size_t field)
{
	struct field_value value = value_of(t, field);

	if (value.text || isnan(value.number))
		items_text(items, names[field], value.text);
	else
		items_count(items, names[field], util_rounded(value.number));
}

/* json has the stack before line and depth. */
static const struct field_choice nested_default = { { FIELD_TIME, FIELD_PID, FIELD_TID, FIELD_THREAD,
						      FIELD_FUNCTION, FIELD_MODULE, FIELD_FILE, FIELD_STACK,
						      FIELD_LINE, FIELD_DEPTH, FIELD_PROCESS_NUMBER },
						    FIELDS };

static void put_items(struct items *items, const struct sampled_line *t, const struct field_choice *fields)
{
	items_open(items, NULL, '{', ITEMS_INLINE);
	for (size_t i = 0; i < fields->n; i++)
		put_item(items, t, fields->list[i]);
	items_close(items);
}

static void flat_put(struct items *items, const struct sampled_line *t, struct strbuf *line)
{
	(void)line;
	put_items(items, t, t->columns ? t->columns : &sample_fields_default);
}

static void nested_put(struct items *items, const struct sampled_line *t, struct strbuf *line)
{
	(void)line;
	put_items(items, t, t->columns ? t->columns : &nested_default);
}

static void flat_begin(struct items *items, const struct samples_timeline *wish, struct strbuf *line)
{
	const struct field_choice *fields = wish->columns ? wish->columns : &sample_fields_default;
	const char *chosen[FIELDS];

	(void)line;
	for (size_t i = 0; i < fields->n; i++)
		chosen[i] = names[fields->list[i]];
	items_columns(items, chosen, fields->n);
}

static void flat_end(struct items *items, int is_cut)
{
	(void)items;
	(void)is_cut;
}

static void nested_begin(struct items *items, const struct samples_timeline *wish, struct strbuf *line)
{
	(void)wish;
	(void)line;
	items_open(items, NULL, '[', ITEMS_BLOCK);
}

static void nested_end(struct items *items, int is_cut)
{
	(void)is_cut;
	items_close(items);
}

const struct sample_writer samples_flat = { flat_begin, flat_put, flat_end };
const struct sample_writer samples_nested = { nested_begin, nested_put, nested_end };

/* ---- all of it ------------------------------------------------------------------------------- */

static struct sampled_line line_of(const struct moments *moments, const struct sampled_moment *moment)
{
	return (struct sampled_line){ .moment = moment,
				      .thread = &moments->threads[moment->thread],
				      .path = &moments->paths[moment->path] };
}

struct ordering {
	const struct moments *moments;
	struct field_order order;
};

static int compare(const void *a, const void *b, void *arg)
{
	const struct ordering *o = arg;
	const struct sampled_line x = line_of(o->moments, a), y = line_of(o->moments, b);
	struct field_value v = value_of(&x, o->order.field), w = value_of(&y, o->order.field);
	int result = field_compare(&v, &w, o->order.direction);

	return result ? result : x.moment->ns < y.moment->ns ? -1 : x.moment->ns > y.moment->ns;
}

static void bring_in_order(struct moments *moments, const struct field_order *order)
{
	struct ordering ordering = { moments, *order };

	if (order->field == FIELD_TIME && order->direction == BY_NATURE)
		ordering.order.direction = ASCENDING;
	util_sort(moments->list, moments->n, sizeof(*moments->list), compare, &ordering);
}

static void put_all(FILE *out, const struct samples_timeline *wish, const struct moments *moments)
{
	const struct sample_writer *writer = wish->format->shape->samples;
	STRBUF(line);
	const struct printer printer = printer_of(out);
	struct items items;
	size_t i;

	strbuf_clear(&line);
	items_begin(&items, out, wish->format->items);
	writer->begin(&items, wish, &line);
	for (i = 0; i < moments->n && i < wish->limit && !ferror(out); i++) {
		struct sampled_line told = line_of(moments, &moments->list[i]);

		told.printer = &printer;
		told.columns = wish->columns;
		writer->put(&items, &told, &line);
	}
	writer->end(&items, i < moments->n);
	items_end(&items);
}

/* Stacks take memory: of a table only where they are asked for. */
static int wants_stacks(const struct samples_timeline *wish)
{
	for (size_t i = 0; wish->columns && i < wish->columns->n; i++)
		if (wish->columns->list[i] == FIELD_STACK)
			return 1;
	return !wish->format->shape->is_for_people || (wish->order && wish->order->field == FIELD_STACK);
}

int samples_timeline_write(const struct samples_timeline *wish, struct session *input, FILE *out)
{
	struct moments moments = { .with_stacks = wants_stacks(wish) };
	int status = moments_read(&moments, wish->selection, input);

	if (wish->order)
		bring_in_order(&moments, wish->order);
	put_all(out, wish, &moments);
	moments_release(&moments);
	return status;
}
