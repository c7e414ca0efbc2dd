/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event_fields.c - the fields of events: for --columns and --sort (event_lines.h). */
#include <math.h>
#include <stdlib.h>

#include "event_lines.h"
#include "lib/array.h"

#define NS_PER_S 1000000000ull
#define SLACK 1024 /* kept beyond the limit before what comes last is forgotten */

enum {
	FIELD_TIME,
	FIELD_PID,
	FIELD_TID,
	FIELD_THREAD,
	FIELD_EVENT,
	FIELD_DEPTH,
	FIELD_FUNCTION,
	FIELD_MODULE,
	FIELD_FILE,
	FIELD_LINE,
	FIELD_DURATION,
	FIELD_OS_EVENTS,
	FIELD_OFF_CPU,
	FIELD_TEXT,
	FIELD_JUMP,
	FIELD_PROCESS_NUMBER,
	FIELD_START, /* from here on: not by default */
	FIELDS,
};

/* width: of a table's column. */
static const struct shown {
	const char *heading;
	unsigned width;
} shown[FIELDS] = {
	[FIELD_TIME] = { "Time, s", 16 },
	[FIELD_PID] = { "Process", 7 },
	[FIELD_TID] = { "Thread", 7 },
	[FIELD_THREAD] = { "Name", 15 },
	[FIELD_EVENT] = { "Event", 15 },
	[FIELD_DEPTH] = { "Depth", 5 },
	[FIELD_FUNCTION] = { "Function", 24 },
	[FIELD_MODULE] = { "Module", 16 },
	[FIELD_FILE] = { "Source", 16 },
	[FIELD_LINE] = { "Line", 5 },
	[FIELD_DURATION] = { "Duration", 9 },
	[FIELD_OS_EVENTS] = { "System", 20 },
	[FIELD_OFF_CPU] = { "Off-CPU", 9 },
	[FIELD_TEXT] = { "Text", 20 },
	[FIELD_JUMP] = { "Jump", 4 },
	[FIELD_START] = { "Start, s", 16 },
	[FIELD_PROCESS_NUMBER] = { "Number", 6 },
};

static const char *const names[FIELDS] = {
	"time_ns",    "pid",	"tid",	     "thread",	       "event",	      "depth",
	"function",   "module", "file",	     "line",	       "duration_ns", "os_events",
	"off_cpu_ns", "text",	"tail_call", "process_number", "start_ns",
};
const struct field_list event_fields = { names, FIELDS };
const struct field_choice event_fields_default = {
	{ FIELD_TIME, FIELD_PID, FIELD_TID, FIELD_THREAD, FIELD_EVENT, FIELD_DEPTH, FIELD_FUNCTION,
	  FIELD_MODULE, FIELD_FILE, FIELD_LINE, FIELD_DURATION, FIELD_OS_EVENTS, FIELD_OFF_CPU, FIELD_TEXT,
	  FIELD_JUMP, FIELD_PROCESS_NUMBER },
	FIELD_START
};

/* ---- values ---------------------------------------------------------------------------------- */

/* A number goes into the value; NULL: it is one, or nothing. */
static const char *text_of(const struct telling *t, size_t field)
{
	switch (field) {
	case FIELD_THREAD:
		return t->thread[0] ? t->thread : NULL;
	case FIELD_EVENT:
		return t->kind;
	case FIELD_FUNCTION:
		return t->function;
	case FIELD_MODULE:
		return t->module;
	case FIELD_FILE:
		return t->file;
	case FIELD_TEXT:
		return t->text.text && *t->text.text ? t->text.text : NULL;
	default:
		return NULL;
	}
}

static int begins_call(const struct telling *t)
{
	return t->what == STREAM_ENTER || t->what == STREAM_CALL;
}

/* < 0: none */
static long double number_of(const struct telling *t, size_t field)
{
	switch (field) {
	case FIELD_TIME:
		return t->ns;
	case FIELD_PID:
		return t->pid;
	case FIELD_TID:
		return t->tid ? t->tid : -1.0L;
	case FIELD_DEPTH:
		return t->function ? t->depth : -1.0L;
	case FIELD_LINE:
		return t->line ? t->line : -1.0L;
	case FIELD_DURATION:
		return t->duration_ns;
	case FIELD_PROCESS_NUMBER:
		return t->process_number;
	case FIELD_JUMP:
		return begins_call(t) ? t->is_jump : -1;
	case FIELD_OFF_CPU:
		return t->off_cpu_ns;
	case FIELD_START:
		return t->duration_ns >= 0 ? fmaxl(0, t->ns - t->duration_ns) : begins_call(t) ? t->ns : -1;
	default:
		return -1;
	}
}

struct field_value event_field(const struct telling *t, size_t field, struct strbuf *scratch,
			       const char *separator)
{
	struct field_value value = { text_of(t, field), number_of(t, field) };

	if (field == FIELD_OS_EVENTS && t->os_bits) {
		strbuf_clear(scratch);
		os_events_put(scratch, t->os_bits, separator);
		value.text = scratch->text;
	}
	if (value.number < 0)
		value.number = NAN;
	return value;
}

/* ---- a table's line -------------------------------------------------------------------------- */

static int is_right(size_t field)
{
	return field == FIELD_TIME || field == FIELD_START || field == FIELD_PID || field == FIELD_TID ||
	       field == FIELD_DEPTH || field == FIELD_LINE || field == FIELD_DURATION ||
	       field == FIELD_OFF_CPU;
}

static void put_value(struct strbuf *cell, const struct telling *t, size_t field, struct strbuf *scratch)
{
	struct field_value value = event_field(t, field, scratch, ", ");
	unsigned long long ns = isnan(value.number) ? 0 : util_rounded(value.number);

	strbuf_clear(cell);
	if (value.text)
		strbuf_visible(cell, field == FIELD_MODULE || field == FIELD_FILE ? util_basename(value.text)
										  : value.text);
	else if (isnan(value.number))
		return;
	else if (field == FIELD_TIME || field == FIELD_START)
		strbuf_printf(cell, "%llu.%09llu", ns / NS_PER_S, ns % NS_PER_S);
	else if (field == FIELD_DURATION || field == FIELD_OFF_CPU)
		strbuf_duration(cell, value.number);
	else
		strbuf_printf(cell, "%llu", ns);
}

void event_fields_line(struct strbuf *line, const struct field_choice *columns, const struct telling *t)
{
	struct strbuf cell = { 0 };
	STRBUF(scratch);

	for (size_t i = 0; i < columns->n; i++) {
		size_t field = columns->list[i];
		const char *text = shown[field].heading;

		if (t) {
			put_value(&cell, t, field, &scratch);
			text = cell.text;
		}
		strbuf_puts(line, i ? "  " : "");
		if (i + 1 == columns->n && !is_right(field))
			strbuf_puts(line, text);
		else
			output_fitted(line, text, shown[field].width, is_right(field));
	}
	strbuf_release(&cell);
}

/* ---- another order --------------------------------------------------------------------------- */

static char *copy_of(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void forget(struct telling *t)
{
	free((char *)t->function);
	free((char *)t->module);
	free((char *)t->file);
	free((char *)t->thread);
	strbuf_release(&t->text);
}

/* Of time: from the begin on. */
static enum direction direction_of(const struct field_order *order)
{
	int is_time = order->field == FIELD_TIME || order->field == FIELD_START;

	return order->direction == BY_NATURE && is_time ? ASCENDING : order->direction;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct field_order *order = arg;
	const struct telling *x = a, *y = b;
	STRBUF(p);
	STRBUF(q);
	struct field_value v = event_field(x, order->field, &p, " "),
			   w = event_field(y, order->field, &q, " ");
	int result = field_compare(&v, &w, direction_of(order));

	return result ? result : x->ns < y->ns ? -1 : x->ns > y->ns;
}

void event_lines_order(struct event_lines *output)
{
	output->is_cut |= output->n_kept > output->limit;
	util_sort(output->kept, output->n_kept, sizeof(*output->kept), compare, (void *)output->order);
	while (output->n_kept > output->limit)
		forget(&output->kept[--output->n_kept]);
}

void event_lines_keep(struct event_lines *output, const struct telling *t)
{
	struct telling *kept;

	if (output->n_kept >= SLACK && (output->n_kept - SLACK) / 2 >= output->limit)
		event_lines_order(output);
	ARRAY_REACH_ZEROED(output->kept, output->n_kept, output->size_kept);
	kept = &output->kept[output->n_kept++];
	*kept = *t;
	kept->function = copy_of(t->function);
	kept->module = copy_of(t->module);
	kept->file = copy_of(t->file);
	kept->thread = copy_of(t->thread);
	kept->text = (struct strbuf){ 0 };
	strbuf_puts(&kept->text, t->text.text);
}

void event_lines_forget(struct event_lines *output)
{
	while (output->n_kept)
		forget(&output->kept[--output->n_kept]);
	free(output->kept);
}
