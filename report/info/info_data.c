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
#include "output/item_writer.h"
#include "output/output.h"
#include "rows/budget_exclusions.h"
#include "session/process_end.h"
#include "session/processes.h"
#include "session/recorded_choice.h"
#include "timeline_info.h"

static void put_property(struct sheet *sheet, const struct data *data, const char *name)
{
	sheet_text(sheet, name, data_property(data, name));
}

/* ---- a process ------------------------------------------------------------------------------- */

static void put_life(struct sheet *sheet, struct info *info, const struct data *data)
{
	const struct cinstr_header *h = data->header;
	struct ending ending = ending_of(data, &info->names);
	FREED char *command_line = totals_command_line(data);

	sheet_count(sheet, "pid", h->pid);
	sheet_count(sheet, "process_number", data->process_number);
	sheet_count(sheet, "parent_pid", h->parent_pid);
	sheet_flag(sheet, "forked_while_recorded", h->forked != 0);
	sheet_text(sheet, "command_line", command_line);
	put_property(sheet, data, "exe");
	put_property(sheet, data, "cwd");
	sheet_count(sheet, "begin_realtime_ns", h->start_realtime_ns);
	sheet_count(sheet, "recorded_ns", ending_length_ns(data, &ending));
	ending_put(&info->text, &ending);
	sheet_text(sheet, "ended", info->text.text);
	sheet_flag(sheet, "end_is_noted", process_end_is_known(h));
	sheet_count(sheet, "stopped_early", h->stop);
	sheet_text(sheet, "data_file", data->path);
	sheet_count(sheet, "data_file_bytes", data->file_bytes);
	sheet_count(sheet, "data_file_version", h->version);
	sheet_count(sheet, "problems", data->n_problems);
	strbuf_clear(&info->text);
}

static void put_machine(struct sheet *sheet, const struct data *data)
{
	const struct cinstr_header *h = data->header;
	int known;
	long double ns = data_ns_per_tick(data, &known);

	put_property(sheet, data, "hostname");
	put_property(sheet, data, "pod");
	put_property(sheet, data, "job");
	put_property(sheet, data, "launcher");
	put_property(sheet, data, "rank");
	put_property(sheet, data, "ranks");
	put_property(sheet, data, "kernel");
	put_property(sheet, data, "cpu");
	put_property(sheet, data, "cpus");
	sheet_text(sheet, "clock", h->clock == CINSTR_CLOCK_MONOTONIC_RAW ? "monotonic" : "tsc");
	sheet_flag(sheet, "clock_hz_is_known", known);
	sheet_ns(sheet, "clock_hz", 1e9L / ns);
	put_property(sheet, data, "clock_note");
	if (h->method == CINSTR_METHOD_SAMPLING)
		return;
	sheet_flag(sheet, "restartable", h->restartable != 0);
	sheet_ns(sheet, "os_threshold_ns", (long double)h->threshold_ticks * ns);
	sheet_flag(sheet, "os_counters", !h->no_counters);
	put_property(sheet, data, "restartable_note");
}

static void put_contexts(struct sheet *sheet, const struct cinstr_calibration *c, long double unit)
{
	long double call[OVERHEAD_ESTIMATES];

	info_call_costs(c, unit, call);
	sheet_open(sheet, "whole_call", '{', SHEET_LINES);
	sheet_decimal(sheet, "alone_ns", (long double)c->alone_sum / (long double)c->contexts * unit, 3);
	sheet_decimal(sheet, "beside_ns", (long double)c->beside_sum / (long double)c->contexts * unit, 3);
	sheet_decimal(sheet, "subtracted_ns", call[OVERHEAD_MEAN], 3);
	sheet_decimal(sheet, "subtracted_low_ns", call[OVERHEAD_LOW], 3);
	sheet_decimal(sheet, "subtracted_high_ns", call[OVERHEAD_HIGH], 3);
	sheet_close(sheet);
}

static void put_calibration(struct sheet *sheet, const struct data *data)
{
	static const char *const kinds[] = { "call", "return", "before", "after", "enter", "exit", "line" };
	const struct cinstr_calibration *c = &data->header->calibration;
	int known;
	long double unit = data_ns_per_tick(data, &known) / 1024;

	sheet_open(sheet, "calibration", '{', SHEET_LINES);
	sheet_count(sheet, "rounds", c->rounds);
	for (int i = 0; c->rounds && i < CINSTR_COST_KINDS; i++) {
		sheet_open(sheet, kinds[i], '{', SHEET_LINES);
		sheet_decimal(sheet, "mean_ns", (long double)c->sum[i] / (long double)c->rounds * unit, 3);
		sheet_decimal(sheet, "lowest_ns", (long double)c->minimum[i] * unit, 3);
		sheet_decimal(sheet, "highest_ns", (long double)c->maximum[i] * unit, 3);
		sheet_close(sheet);
	}
	if (c->contexts)
		put_contexts(sheet, c, unit);
	sheet_close(sheet);
}

/* Of all threads together; threads have their own below. */
static void put_pauses(struct sheet *sheet, struct info *info, const struct data *data)
{
	struct info_pauses pauses = info_pauses_of(info, data);

	sheet_count(sheet, "pauses", pauses.n);
	sheet_ns(sheet, "paused_ns", pauses.ns);
	sheet_count(sheet, "already_running_functions", pauses.n_repaired);
	sheet_count(sheet, "uncounted_calls", pauses.n_uncounted);
}

static void put_taken_outs(struct sheet *sheet, struct info *info, const struct data *data)
{
	struct taken_outs outs = { 0 };

	taken_out_put_estimate(&info->text, data);
	sheet_text(sheet, "overhead", info->text.length ? info->text.text : NULL);
	strbuf_clear(&info->text);
	taken_outs_add(&outs, &info->names, data);
	sheet_open(sheet, "taken_out", '[', SHEET_LINES);
	for (size_t i = 0; i < outs.n; i++) {
		taken_out_put(&info->text, &outs.list[i], &info->names);
		sheet_text(sheet, NULL, info->text.text);
		strbuf_clear(&info->text);
	}
	sheet_close(sheet);
	taken_outs_release(&outs);
}

static void put_recording(struct sheet *sheet, struct info *info, const struct data *data)
{
	static const char *const probes[] = { "?", "functions", "calls", "lines" };
	const struct cinstr_header *h = data->header;

	sheet_text(sheet, "probes", probes[h->probes < ARRAY_SIZE(probes) ? h->probes : 0]);
	put_property(sheet, data, "runtime_version");
	put_property(sheet, data, "options");
	chosen_put(&info->text, data);
	sheet_text(sheet, "chosen", info->text.text);
	strbuf_clear(&info->text);
	sheet_count(sheet, "attach_ns", h->attach_ns);
	sheet_count(sheet, "lost_events", h->lost_events);
	sheet_count(sheet, "lost_threads", h->lost_threads);
	sheet_count(sheet, "lost_marks", h->marks_lost);
	sheet_count(sheet, "marks", data->n_marks);
	if (data->n_phases || phases_left_out(data)) {
		sheet_count(sheet, "phases", phases_count(data));
		sheet_count(sheet, "phases_left_out", phases_left_out(data));
		sheet_count(sheet, "phases_missed", phases_missed(data));
	}
	sheet_count(sheet, "timeline_bytes", h->timeline_bytes);
}

static void put_thread(struct sheet *sheet, const struct data *data, const struct data_thread *thread)
{
	const struct cinstr_thread *t = thread->record;
	const struct cinstr_fold_state *s = thread->state;
	int known;
	long double ns = data_ns_per_tick(data, &known);
	char name[sizeof(t->name) + 1] = "";

	memcpy(name, t->name, sizeof(t->name));
	sheet_count(sheet, "tid", t->tid);
	sheet_text(sheet, "name", name);
	sheet_ns(sheet, "begin_ns", data_ns_since_begin(data, t->first_ticks));
	sheet_ns(sheet, "length_ns", (long double)(s->time - t->first_ticks - s->between_ticks) * ns);
	sheet_flag(sheet, "ended", t->state == CINSTR_THREAD_ENDED);
	sheet_count(sheet, "members", t->members ? t->members : 1);
	sheet_count(sheet, "events", s->events);
	sheet_count(sheet, "paths", thread->n_nodes);
	sheet_count(sheet, "open_calls", thread->n_open);
	sheet_count(sheet, "uncounted_calls", s->uncounted);
	sheet_count(sheet, "long_intervals", t->long_intervals);
	sheet_count(sheet, "kernel_switches", info_kernel_switches(t));
	sheet_flag(sheet, "recording_off", s->paused != 0);
	sheet_count(sheet, "voluntary_switches", s->voluntary);
	sheet_count(sheet, "involuntary_switches", s->involuntary);
	sheet_count(sheet, "pauses", s->pauses);
	sheet_ns(sheet, "paused_ns", (long double)s->paused_ticks * ns);
	sheet_ns(sheet, "runtime_ns", (long double)s->runtime_ticks * ns);
}

static void put_hex(struct sheet *sheet, const char *name, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)number);
	sheet_text(sheet, name, text);
}

static void put_module(struct sheet *sheet, struct info *info, const struct data *data,
		       const struct module *module)
{
	const struct cinstr_module *raw = module->raw;
	size_t n_segments;
	int are_counted = segments_counted(data, module, &n_segments);

	sheet_text(sheet, "path", module->path);
	for (uint32_t i = 0; i < raw->build_id_bytes && i < sizeof(raw->build_id); i++)
		strbuf_printf(&info->text, "%02x", raw->build_id[i]);
	sheet_text(sheet, "build_id", info->text.length ? info->text.text : NULL);
	strbuf_clear(&info->text);
	put_hex(sheet, "base", raw->base);
	put_hex(sheet, "text_begin", raw->text_start);
	put_hex(sheet, "text_end", raw->text_end);
	sheet_flag(sheet, "main", (raw->flags & CINSTR_MODULE_MAIN) != 0);
	sheet_flag(sheet, "unloaded", (raw->flags & CINSTR_MODULE_UNLOADED) != 0);
	sheet_flag(sheet, "instrumented", raw->code_base != 0);
	sheet_text(sheet, "not_recorded", module_why_refused(module));
	sheet_count(sheet, "functions", module->n_functions);
	sheet_count(sheet, "functions_left_out", module->n_left_out);
	sheet_count(sheet, "probes", raw->sleds);
	sheet_count(sheet, "probes_on", raw->patched);
	sheet_count(sheet, "probes_refused", raw->refused);
	if (n_segments)
		sheet_count(sheet, "segments_counted", n_segments);
	else if (are_counted)
		sheet_none(sheet, "segments_counted");
}

static void put_process(void *arg, struct data *data)
{
	struct info *info = arg;
	struct sheet *sheet = &info->sheet;
	int is_sampled = data->header->method == CINSTR_METHOD_SAMPLING;

	rule_check_add(&info->rules, data);
	sheet->pid = data->header->pid;
	sheet_open(sheet, NULL, '{', SHEET_LINES);
	put_life(sheet, info, data);
	put_machine(sheet, data);
	if (data->merged)
		info_put_merged(sheet, data->merged);
	if (is_sampled) {
		info_put_sampling(sheet, info, data);
	} else {
		put_calibration(sheet, data);
		put_recording(sheet, info, data);
		put_pauses(sheet, info, data);
		put_taken_outs(sheet, info, data);
		timeline_put(sheet, data);
	}
	sheet_open(sheet, "threads", '[', SHEET_LINES);
	for (size_t i = 0; i < data->n_threads; i++) {
		sheet_open(sheet, NULL, '{', SHEET_LINES);
		if (is_sampled)
			info_put_sampled_thread(sheet, data, &data->threads[i]);
		else
			put_thread(sheet, data, &data->threads[i]);
		sheet_close(sheet);
	}
	sheet_close(sheet);
	sheet_open(sheet, "modules", '[', SHEET_LINES);
	for (size_t i = 0; i < data->modules.n; i++) {
		sheet_open(sheet, NULL, '{', SHEET_LINES);
		put_module(sheet, info, data, &data->modules.list[i]);
		sheet_close(sheet);
	}
	sheet_close(sheet);
	sheet_close(sheet);
	names_next_process(&info->names);
}

int info_data(struct info *info, struct input *input)
{
	struct sheet *sheet = &info->sheet;
	int status;

	sheet_open(sheet, NULL, '{', SHEET_LINES);
	sheet_text(sheet, "session", input->path);
	sheet_count(sheet, "data_files", input->n_files);
	sheet_flag(sheet, "live", input->is_live);
	sheet_open(sheet, "processes", '[', SHEET_LINES);
	status = input_each(input, put_process, info);
	sheet_close(sheet);
	sheet_close(sheet);
	return status;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static const char *const mark_columns[] = { "time_ns", "pid",  "tid",  "text", "function",
					    "file",    "line", "kind", "id" };

static void put_mark(struct info *info, const struct data *data, const struct data_mark *mark)
{
	struct sheet *sheet = &info->sheet;
	struct info_place place = info_mark_place(info, data, mark);

	sheet_open(sheet, NULL, '{', SHEET_LINES);
	sheet_ns(sheet, "time_ns", info_mark_ns(data, mark));
	sheet_count(sheet, "pid", data->header->pid);
	sheet_count(sheet, "tid", mark->tid);
	sheet_text(sheet, "text", mark->text);
	sheet_text(sheet, "function", place.function);
	sheet_text(sheet, "file", place.file);
	sheet_count_if(sheet, "line", place.line);
	sheet_text(sheet, "kind", mark_kind_name(mark));
	sheet_signed(sheet, "id", mark->id);
	sheet_close(sheet);
}

static void put_marks(void *arg, struct data *data)
{
	struct info *info = arg;

	for (size_t i = 0; i < data->n_marks; i++)
		put_mark(info, data, &data->marks[i]);
	names_next_process(&info->names);
}

int info_marks_flat(struct info *info, struct input *input)
{
	sheet_columns(&info->sheet, mark_columns, ARRAY_SIZE(mark_columns));
	return input_each(input, put_marks, info);
}

int info_marks_nested(struct info *info, struct input *input)
{
	int status;

	sheet_open(&info->sheet, NULL, '{', SHEET_LINES);
	sheet_open(&info->sheet, "marks", '[', SHEET_LINES);
	status = input_each(input, put_marks, info);
	sheet_close(&info->sheet);
	sheet_close(&info->sheet);
	return status;
}
