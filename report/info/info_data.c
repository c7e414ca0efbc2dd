/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * info_data.c - cinstr info --format=csv|json (info.h): the session's properties for scripts: for
 * each process its start and end, machine, clock, calibration, recording, threads, modules; or its
 * marks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/phases.h"
#include "file/segments.h"
#include "info.h"
#include "output/items.h"
#include "output/output.h"
#include "rows/budget_exclusions.h"
#include "session/process_end.h"
#include "session/processes.h"
#include "session/recorded_choice.h"
#include "timeline_info.h"

static void put_property(struct items *items, const struct data *data, const char *name)
{
	items_text(items, name, data_property(data, name));
}

/* ---- a process ------------------------------------------------------------------------------- */

static void put_life(struct items *items, struct info *info, const struct data *data)
{
	const struct cinstr_header *h = data->header;
	struct ending ending = ending_of(data, &info->names);
	FREED char *command_line = totals_command_line(data);

	items_count(items, "pid", h->pid);
	items_count(items, "process_number", data->process_number);
	items_count(items, "parent_pid", h->parent_pid);
	items_flag(items, "forked_while_recorded", h->forked != 0);
	items_text(items, "command_line", command_line);
	put_property(items, data, "exe");
	put_property(items, data, "cwd");
	items_count(items, "begin_realtime_ns", h->start_realtime_ns);
	items_count(items, "recorded_ns", ending_length_ns(data, &ending));
	ending_put(&info->text, &ending);
	items_text(items, "ended", info->text.text);
	items_flag(items, "end_is_noted", process_end_is_known(h));
	items_count(items, "stopped_early", h->stop);
	items_text(items, "data_file", data->path);
	items_count(items, "data_file_bytes", data->file_bytes);
	items_count(items, "data_file_version", h->version);
	items_count(items, "problems", data->n_problems);
	strbuf_clear(&info->text);
}

static void put_machine(struct items *items, const struct data *data)
{
	const struct cinstr_header *h = data->header;
	int known;
	long double ns = data_ns_per_tick(data, &known);

	put_property(items, data, "hostname");
	put_property(items, data, "pod");
	put_property(items, data, "job");
	put_property(items, data, "launcher");
	put_property(items, data, "rank");
	put_property(items, data, "ranks");
	put_property(items, data, "kernel");
	put_property(items, data, "cpu");
	put_property(items, data, "cpus");
	items_text(items, "clock", h->clock == CINSTR_CLOCK_MONOTONIC_RAW ? "monotonic" : "tsc");
	items_flag(items, "clock_hz_is_known", known);
	items_ns(items, "clock_hz", 1e9L / ns);
	put_property(items, data, "clock_note");
	if (h->method == CINSTR_METHOD_SAMPLING)
		return;
	items_flag(items, "restartable", h->restartable != 0);
	items_ns(items, "os_threshold_ns", (long double)h->threshold_ticks * ns);
	items_flag(items, "os_counters", !h->no_counters);
	put_property(items, data, "restartable_note");
}

static void put_contexts(struct items *items, const struct cinstr_calibration *c, long double unit)
{
	long double call[OVERHEAD_ESTIMATES];

	info_call_costs(c, unit, call);
	items_open(items, "whole_call", '{', ITEMS_LINES);
	items_decimal(items, "alone_ns", (long double)c->alone_sum / (long double)c->contexts * unit, 3);
	items_decimal(items, "beside_ns", (long double)c->beside_sum / (long double)c->contexts * unit, 3);
	items_decimal(items, "subtracted_ns", call[OVERHEAD_MEAN], 3);
	items_decimal(items, "subtracted_low_ns", call[OVERHEAD_LOW], 3);
	items_decimal(items, "subtracted_high_ns", call[OVERHEAD_HIGH], 3);
	items_close(items);
}

static void put_calibration(struct items *items, const struct data *data)
{
	static const char *const kinds[] = { "call", "return", "before", "after", "enter", "exit", "line" };
	const struct cinstr_calibration *c = &data->header->calibration;
	int known;
	long double unit = data_ns_per_tick(data, &known) / 1024;

	items_open(items, "calibration", '{', ITEMS_LINES);
	items_count(items, "rounds", c->rounds);
	for (int i = 0; c->rounds && i < CINSTR_COST_KINDS; i++) {
		items_open(items, kinds[i], '{', ITEMS_LINES);
		items_decimal(items, "mean_ns", (long double)c->sum[i] / (long double)c->rounds * unit, 3);
		items_decimal(items, "lowest_ns", (long double)c->minimum[i] * unit, 3);
		items_decimal(items, "highest_ns", (long double)c->maximum[i] * unit, 3);
		items_close(items);
	}
	if (c->contexts)
		put_contexts(items, c, unit);
	items_close(items);
}

/* Of all threads together; threads have their own below. */
static void put_pauses(struct items *items, struct info *info, const struct data *data)
{
	struct info_pauses pauses = info_pauses_of(info, data);

	items_count(items, "pauses", pauses.n);
	items_ns(items, "paused_ns", pauses.ns);
	items_count(items, "already_running_functions", pauses.n_repaired);
	items_count(items, "uncounted_calls", pauses.n_uncounted);
}

static void put_taken_outs(struct items *items, struct info *info, const struct data *data)
{
	struct exclusions outs = { 0 };

	exclusion_put_estimate(&info->text, data);
	items_text(items, "overhead", info->text.length ? info->text.text : NULL);
	strbuf_clear(&info->text);
	exclusions_add(&outs, &info->names, data);
	items_open(items, "taken_out", '[', ITEMS_LINES);
	for (size_t i = 0; i < outs.n; i++) {
		exclusion_put(&info->text, &outs.list[i], &info->names);
		items_text(items, NULL, info->text.text);
		strbuf_clear(&info->text);
	}
	items_close(items);
	exclusions_release(&outs);
}

static void put_recording(struct items *items, struct info *info, const struct data *data)
{
	static const char *const probes[] = { "?", "functions", "calls", "lines" };
	const struct cinstr_header *h = data->header;

	items_text(items, "probes", probes[h->probes < ARRAY_SIZE(probes) ? h->probes : 0]);
	put_property(items, data, "runtime_version");
	put_property(items, data, "options");
	choice_put(&info->text, data);
	items_text(items, "chosen", info->text.text);
	strbuf_clear(&info->text);
	items_count(items, "attach_ns", h->attach_ns);
	items_count(items, "lost_events", h->lost_events);
	items_count(items, "lost_threads", h->lost_threads);
	items_count(items, "lost_marks", h->marks_lost);
	items_count(items, "marks", data->n_marks);
	if (data->n_phases || phases_left_out(data)) {
		items_count(items, "phases", phases_count(data));
		items_count(items, "phases_left_out", phases_left_out(data));
		items_count(items, "phases_missed", phases_missed(data));
	}
	items_count(items, "timeline_bytes", h->timeline_bytes);
}

static void put_thread(struct items *items, const struct data *data, const struct data_thread *thread)
{
	const struct cinstr_thread *t = thread->record;
	const struct cinstr_fold_state *s = thread->state;
	int known;
	long double ns = data_ns_per_tick(data, &known);
	char name[sizeof(t->name) + 1] = "";

	memcpy(name, t->name, sizeof(t->name));
	items_count(items, "tid", t->tid);
	items_text(items, "name", name);
	items_ns(items, "begin_ns", data_ns_since_begin(data, t->first_ticks));
	items_ns(items, "length_ns", (long double)(s->time - t->first_ticks - s->between_ticks) * ns);
	items_flag(items, "ended", t->state == CINSTR_THREAD_ENDED);
	items_count(items, "members", t->members ? t->members : 1);
	items_count(items, "events", s->events);
	items_count(items, "paths", thread->n_nodes);
	items_count(items, "open_calls", thread->n_open);
	items_count(items, "uncounted_calls", s->uncounted);
	items_count(items, "long_intervals", t->long_intervals);
	items_count(items, "kernel_switches", info_kernel_switches(t));
	items_flag(items, "recording_off", s->paused != 0);
	items_count(items, "voluntary_switches", s->voluntary);
	items_count(items, "involuntary_switches", s->involuntary);
	items_count(items, "pauses", s->pauses);
	items_ns(items, "paused_ns", (long double)s->paused_ticks * ns);
	items_ns(items, "runtime_ns", (long double)s->runtime_ticks * ns);
}

static void put_hex(struct items *items, const char *name, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)number);
	items_text(items, name, text);
}

static void put_module(struct items *items, struct info *info, const struct data *data,
		       const struct module *module)
{
	const struct cinstr_module *raw = module->raw;
	size_t n_segments;
	int are_counted = segments_counted(data, module, &n_segments);

	items_text(items, "path", module->path);
	for (uint32_t i = 0; i < raw->build_id_bytes && i < sizeof(raw->build_id); i++)
		strbuf_printf(&info->text, "%02x", raw->build_id[i]);
	items_text(items, "build_id", info->text.length ? info->text.text : NULL);
	strbuf_clear(&info->text);
	put_hex(items, "base", raw->base);
	put_hex(items, "text_begin", raw->text_start);
	put_hex(items, "text_end", raw->text_end);
	items_flag(items, "main", (raw->flags & CINSTR_MODULE_MAIN) != 0);
	items_flag(items, "unloaded", (raw->flags & CINSTR_MODULE_UNLOADED) != 0);
	items_flag(items, "instrumented", raw->code_base != 0);
	items_text(items, "not_recorded", module_why_refused(module));
	items_count(items, "functions", module->n_functions);
	items_count(items, "functions_left_out", module->n_left_out);
	items_count(items, "probes", raw->sleds);
	items_count(items, "probes_on", raw->patched);
	items_count(items, "probes_refused", raw->refused);
	if (n_segments)
		items_count(items, "segments_counted", n_segments);
	else if (are_counted)
		items_none(items, "segments_counted");
}

static void put_process(void *arg, struct data *data)
{
	struct info *info = arg;
	struct items *items = &info->items;
	int is_sampled = data->header->method == CINSTR_METHOD_SAMPLING;

	rule_check_add(&info->rules, data);
	items->pid = data->header->pid;
	items_open(items, NULL, '{', ITEMS_LINES);
	put_life(items, info, data);
	put_machine(items, data);
	if (data->merged)
		info_put_merged(items, data->merged);
	if (is_sampled) {
		info_put_sampling(items, info, data);
	} else {
		put_calibration(items, data);
		put_recording(items, info, data);
		put_pauses(items, info, data);
		put_taken_outs(items, info, data);
		timeline_put(items, data);
	}
	items_open(items, "threads", '[', ITEMS_LINES);
	for (size_t i = 0; i < data->n_threads; i++) {
		items_open(items, NULL, '{', ITEMS_LINES);
		if (is_sampled)
			info_put_sampled_thread(items, data, &data->threads[i]);
		else
			put_thread(items, data, &data->threads[i]);
		items_close(items);
	}
	items_close(items);
	items_open(items, "modules", '[', ITEMS_LINES);
	for (size_t i = 0; i < data->modules.n; i++) {
		items_open(items, NULL, '{', ITEMS_LINES);
		put_module(items, info, data, &data->modules.list[i]);
		items_close(items);
	}
	items_close(items);
	items_close(items);
	names_next_process(&info->names);
}

int info_data(struct info *info, struct session *input)
{
	struct items *items = &info->items;
	int status;

	items_open(items, NULL, '{', ITEMS_LINES);
	items_text(items, "session", input->path);
	items_count(items, "data_files", input->n_files);
	items_flag(items, "live", input->is_live);
	items_open(items, "processes", '[', ITEMS_LINES);
	status = session_each(input, put_process, info);
	items_close(items);
	items_close(items);
	return status;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static const char *const mark_columns[] = { "time_ns", "pid",  "tid",  "text", "function",
					    "file",    "line", "kind", "id" };

static void put_mark(struct info *info, const struct data *data, const struct data_mark *mark)
{
	struct items *items = &info->items;
	struct info_place place = info_mark_place(info, data, mark);

	items_open(items, NULL, '{', ITEMS_LINES);
	items_ns(items, "time_ns", info_mark_ns(data, mark));
	items_count(items, "pid", data->header->pid);
	items_count(items, "tid", mark->tid);
	items_text(items, "text", mark->text);
	items_text(items, "function", place.function);
	items_text(items, "file", place.file);
	items_count_if(items, "line", place.line);
	items_text(items, "kind", mark_kind_name(mark));
	items_signed(items, "id", mark->id);
	items_close(items);
}

static void put_marks(void *arg, struct data *data)
{
	struct info *info = arg;

	for (size_t i = 0; i < data->n_marks; i++)
		put_mark(info, data, &data->marks[i]);
	names_next_process(&info->names);
}

int info_marks_flat(struct info *info, struct session *input)
{
	items_columns(&info->items, mark_columns, ARRAY_SIZE(mark_columns));
	return session_each(input, put_marks, info);
}

int info_marks_nested(struct info *info, struct session *input)
{
	int status;

	items_open(&info->items, NULL, '{', ITEMS_LINES);
	items_open(&info->items, "marks", '[', ITEMS_LINES);
	status = session_each(input, put_marks, info);
	items_close(&info->items);
	items_close(&info->items);
	return status;
}
