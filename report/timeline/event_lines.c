/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "event_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/twins.h"
#include "values/values.h"

#define DEPTH_SHOWN 40 /* deeper levels are not indented further */
#define THREAD_COLUMNS 28
#define NS_PER_S 1000000000ull

static const struct {
	const char *kind, *words;
} kinds[STREAM_KINDS] = {
	[STREAM_ENTER] = { "enter", "Enter" },
	[STREAM_RUNNING] = { "running", "Already running" },
	[STREAM_EXIT] = { "exit", "Exit" },
	[STREAM_IMPLICIT_EXIT] = { "implicit-exit", "Implicit exit" },
	[STREAM_CALL] = { "call", "Call" },
	[STREAM_RETURN] = { "return", "Return" },
	[STREAM_IMPLICIT_RETURN] = { "implicit-return", "Implicit return" },
	[STREAM_LINE] = { "line", "Line" },
	[STREAM_PAUSE] = { "pause", "Recording goes off" },
	[STREAM_CONTINUE] = { "continue", "Recording is on again" },
	[STREAM_LOST] = { "lost", "Events were lost" },
	[STREAM_MISSING] = { "missing", "Events are missing in the timeline" },
	[STREAM_THREAD_BEGIN] = { "thread-begin", "Thread begins" },
	[STREAM_THREAD_END] = { "thread-end", "Thread ends" },
	[STREAM_PROCESS_BEGIN] = { "process-begin", "Process begins" },
	[STREAM_PROCESS_END] = { "process-end", "Process ends" },
	[STREAM_MARK] = { "mark", "Mark" },
};

/* ---- what there is to say -------------------------------------------------------------------- */

static int begins_call(enum stream_kind kind)
{
	return kind == STREAM_ENTER || kind == STREAM_CALL;
}

static void tell_function(struct telling *t, const struct merged_event *event)
{
	struct cinstr_cell cell = stream_cell(&event->what.function);
	struct event_merge_process *process = event->process;
	uint32_t number = names_of_cell(&process->names, &process->data, &cell);

	if (number == NAMES_NONE)
		return;
	t->function = process->names.list[number].name;
	t->module = process->names.list[number].module;
	t->file = process->names.list[number].file;
	t->line = process->names.list[number].line;
	if (stream_ends_call(event->what.kind) && values_is_system_call(&process->data, &cell))
		t->os_bits |= CINSTR_OS_SYSCALL;
	t->is_jump = begins_call(event->what.kind) && data_cell_is_jump(&process->data, &cell);
}

static void tell_line(struct telling *t, const struct merged_event *event)
{
	const struct module *module = modules_by_code(&event->process->data.modules, event->what.line);
	const struct module_site *site = module ? module_site(module, event->what.line) : NULL;

	if (!site)
		return;
	t->line = site->line;
	if (site->file)
		t->file = names_file(&event->process->names, module->functions[site->function].comp_dir,
				     site->file);
}

static void tell_mark(struct telling *t, const struct data_mark *mark)
{
	t->tid = mark->tid;
	strbuf_puts(&t->text, mark->text);
	if (mark->id)
		strbuf_printf(&t->text, "%s(%lld)", *mark->text ? " " : "", (long long)mark->id);
}

static void tell_process(struct telling *t, const struct merged_event *event)
{
	const struct cinstr_header *h = event->process->data.header;
	FREED char *line = NULL;

	if (event->what.kind == STREAM_PROCESS_BEGIN) {
		line = totals_command_line(&event->process->data);
		strbuf_puts(&t->text, line);
		return;
	}
	if (h->end == CINSTR_END_HANDLERS && h->end_status < 0)
		strbuf_puts(&t->text, "exit, as far as its handlers");
	else if (h->end == CINSTR_END_HANDLERS)
		strbuf_printf(&t->text, "exit status %d, as far as its handlers", h->end_status);
	else if (h->end == CINSTR_END_EXIT && h->end_status < 0)
		strbuf_puts(&t->text, "exit");
	else if (h->end == CINSTR_END_EXIT)
		strbuf_printf(&t->text, "exit status %d", h->end_status);
	else if (h->end == CINSTR_END_SIGNAL)
		strbuf_printf(&t->text, "signal %d", h->end_status);
	else
		strbuf_puts(&t->text, h->end == CINSTR_END_EXEC	      ? "another program in its place"
				      : h->end == CINSTR_END_SNAPSHOT ? "as far as the snapshot"
								      : "not recorded how");
}

static void tell_thread(struct telling *t, const struct merged_event *event)
{
	if (!event->thread)
		return;
	t->is_of_thread = 1;
	t->tid = event->thread->record->tid;
	t->thread = event_merge_thread_name(event->process, event->thread);
}

static void tell(struct telling *t, const struct merged_event *event)
{
	const struct stream_event *what = &event->what;

	t->kind = kinds[what->kind].kind;
	t->words = kinds[what->kind].words;
	t->pid = event->process->data.header->pid;
	t->process_number = event->process->data.process_number;
	t->twin = event->process->data.twin;
	t->os_bits = what->os_bits;
	t->what = what->kind;
	t->ns = event->ns > 0 ? event->ns : 0;
	t->depth = what->depth;
	t->duration_ns = t->off_cpu_ns = -1;
	if (what->off_cpu_ticks)
		t->off_cpu_ns = (long double)what->off_cpu_ticks * event->process->ns_per_tick;
	t->thread = "";
	strbuf_clear(&t->text);
	tell_thread(t, event);
	if (what->function.tag)
		tell_function(t, event);
	if (what->kind == STREAM_LINE)
		tell_line(t, event);
	if (event->mark)
		tell_mark(t, event->mark);
	if (what->kind == STREAM_PROCESS_BEGIN || what->kind == STREAM_PROCESS_END)
		tell_process(t, event);
	if (what->kind == STREAM_LOST || (what->kind == STREAM_MISSING && what->count))
		strbuf_printf(&t->text, "%llu events", (unsigned long long)what->count);
	if (what->duration_ticks != UINT64_MAX &&
	    (stream_ends_call(what->kind) || what->kind == STREAM_CONTINUE ||
	     (what->kind == STREAM_MISSING && what->duration_ticks)))
		t->duration_ns = (long double)what->duration_ticks * event->process->ns_per_tick;
}

/* ---- table ----------------------------------------------------------------------------------- */

static unsigned long long rounded(long double ns)
{
	return util_rounded(ns);
}

static void pad(struct strbuf *line, size_t from, size_t columns)
{
	size_t used = util_columns(line->text + from);

	strbuf_fill(line, ' ', used < columns ? columns - used : 0);
}

static void table_thread(struct strbuf *line, const struct telling *t)
{
	size_t from = line->length;

	twins_put_number(line, t->pid, t->twin);
	if (t->tid)
		strbuf_printf(line, "/%u", t->tid);
	strbuf_puts(line, " ");
	strbuf_visible(line, t->thread);
	pad(line, from, THREAD_COLUMNS);
}

static void table_duration(struct strbuf *line, const struct telling *t)
{
	STRBUF(duration);

	strbuf_clear(&duration);
	if (t->duration_ns >= 0)
		strbuf_duration(&duration, t->duration_ns);
	strbuf_printf(line, " %9s  ", duration.text);
}

static void table_os(struct strbuf *line, const struct telling *t)
{
	if (!t->os_bits)
		return;
	strbuf_puts(line, "  {");
	os_events_put(line, t->os_bits, ", ");
	if (t->off_cpu_ns >= 0) {
		strbuf_puts(line, "; off the processor ");
		strbuf_duration(line, t->off_cpu_ns);
	}
	strbuf_puts(line, "}");
}

static void table_what(struct strbuf *line, const struct telling *t)
{
	uint32_t depth = t->depth;

	if (t->what == STREAM_LINE || !t->function)
		depth++;
	if (!t->is_of_thread)
		depth = 0;
	strbuf_fill(line, ' ', 2 * (size_t)(depth > DEPTH_SHOWN ? DEPTH_SHOWN : depth ? depth - 1 : 0));
	strbuf_puts(line, t->words);
	if (t->function && t->what != STREAM_LINE) {
		strbuf_puts(line, " ");
		strbuf_visible(line, t->function);
		strbuf_puts(line, t->is_jump ? " (jump)  " : "  ");
		strbuf_visible(line, util_basename(t->module));
	}
	if (t->what == STREAM_LINE) {
		strbuf_puts(line, " ");
		strbuf_visible(line, t->file ? util_basename(t->file) : "");
		strbuf_printf(line, ":%u", t->line);
	}
	strbuf_puts(line, *t->text.text ? ": " : "");
	strbuf_visible(line, t->text.text);
}

static void put_table(struct event_lines *output, const struct telling *t)
{
	struct strbuf *line = &output->line;

	if (output->columns) {
		event_fields_line(line, output->columns, t);
	} else {
		strbuf_printf(line, "%6llu.%09llu  ", rounded(t->ns) / NS_PER_S, rounded(t->ns) % NS_PER_S);
		table_thread(line, t);
		table_duration(line, t);
		table_what(line, t);
		table_os(line, t);
	}
	printer_line(&output->printer, line, t->what == STREAM_MARK ? INK_STRONG : INK_PLAIN);
}

static void table_begin(struct event_lines *output)
{
	output->printer = printer_of(output->items.out);
	if (selection_is_any(output->selection)) {
		selection_put(&output->line, output->selection);
		fprintf(output->items.out, "Filter  %s\n", output->line.text);
		strbuf_clear(&output->line);
	}
	if (output->columns)
		event_fields_line(&output->line, output->columns, NULL);
	else
		strbuf_printf(&output->line, "%16s  %-*s %9s", "Time, s", THREAD_COLUMNS, "Process/thread",
			      "Duration");
	printer_line(&output->printer, &output->line, INK_HEADING);
}

static void table_end(struct event_lines *output, int is_cut)
{
	struct strbuf *line = &output->line;

	if (is_cut)
		fputs("... (--limit)\n", output->items.out);
	if (output->has_jumps)
		fputs("(jump): a tail call, which left its caller by a jump\n", output->items.out);
	if (output->story->short_ns) {
		strbuf_clear(line);
		strbuf_duration(line, (long double)output->story->short_ns);
		fprintf(output->items.out,
			"Calls shorter than %s were left out when it was recorded (CINSTR_TIMELINE_MIN)\n",
			line->text);
	}
}

const struct event_writer events_table = { table_begin, put_table, table_end };

/* ---- for scripts ----------------------------------------------------------------------------- */

static void put_fields(struct event_lines *output, const struct telling *t, const char *separator)
{
	struct items *items = &output->items;

	items_open(items, NULL, '{', ITEMS_INLINE);
	for (size_t i = 0; i < output->columns->n; i++) {
		size_t field = output->columns->list[i];
		struct field_value value = event_field(t, field, &output->line, separator);

		if (value.text || isnan(value.number))
			items_text(items, event_fields.names[field], value.text);
		else
			items_count(items, event_fields.names[field], rounded(value.number));
	}
	items_close(items);
}

static void flat_begin(struct event_lines *output)
{
	const char *names[FIELDS_MAX];

	for (size_t i = 0; i < output->columns->n; i++)
		names[i] = event_fields.names[output->columns->list[i]];
	output->items.line_end = "\n";
	items_columns(&output->items, names, output->columns->n);
}

static void flat_put(struct event_lines *output, const struct telling *t)
{
	put_fields(output, t, " ");
}

static void flat_end(struct event_lines *output, int is_cut)
{
	(void)output;
	(void)is_cut;
}

static void nested_begin(struct event_lines *output)
{
	items_open(&output->items, NULL, '[', ITEMS_LINES);
}

static void nested_put(struct event_lines *output, const struct telling *t)
{
	put_fields(output, t, ",");
}

static void nested_end(struct event_lines *output, int is_cut)
{
	(void)is_cut;
	items_close(&output->items);
}

const struct event_writer events_flat = { flat_begin, flat_put, flat_end };
const struct event_writer events_nested = { nested_begin, nested_put, nested_end };

/* ---- all of it ------------------------------------------------------------------------------- */

void event_lines_begin(struct event_lines *output)
{
	if (output->writer != &events_table && !output->columns)
		output->columns = &event_fields_default;
	strbuf_clear(&output->line);
	output->writer->begin(output);
}

static void write_one(struct event_lines *output, const struct telling *t)
{
	strbuf_clear(&output->line);
	output->writer->put(output, t);
	output->has_jumps |= t->is_jump;
	output->n++;
}

int event_lines_put(struct event_lines *output, const struct merged_event *event)
{
	struct telling t = { 0 };

	if (!output->order && output->n == output->limit)
		return 1;
	tell(&t, event);
	if (output->order)
		event_lines_keep(output, &t);
	else
		write_one(output, &t);
	strbuf_release(&t.text);
	return 0;
}

void event_lines_end(struct event_lines *output, int is_cut)
{
	if (output->order) {
		event_lines_order(output);
		is_cut |= output->is_cut;
		for (size_t i = 0; i < output->n_kept && !ferror(output->items.out); i++)
			write_one(output, &output->kept[i]);
		event_lines_forget(output);
	}
	output->writer->end(output, is_cut);
	items_end(&output->items);
	strbuf_release(&output->line);
}
