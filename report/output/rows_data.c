/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rows_data.c - writes a view's rows and its session's figures for scripts: integers of
 * nanoseconds, a decimal point in percentages whatever the locale (the command never calls
 * setlocale), nothing for missing values.
 */
#include <math.h>

#include "output.h"

void output_put_value(struct sheet *sheet, const char *name, const struct value *value)
{
	if (value->type == VALUE_TEXT)
		sheet_text(sheet, name, value->text);
	else if (value->type == VALUE_NONE)
		sheet_none(sheet, name);
	else if (value->type == VALUE_COUNT)
		sheet_count(sheet, name, value->count);
	else
		sheet_decimal(sheet, name, value->number, value->type == VALUE_NS ? 0 : 6);
}

/* The columns for scripts: those chosen, or all of the view. */
static void columns_of(struct column_list *columns, const struct view *view)
{
	*columns = (struct column_list){ 0 };
	if (view->columns)
		*columns = *view->columns;
	for (int i = 0; !view->columns && i < COLUMN_COUNT; i++)
		if (column_in_view(view->profile, i))
			column_list_add(columns, i);
}

struct rows_writer {
	struct sheet *sheet;
	const struct profile *profile;
	struct column_list columns;
};

static void put_row(const struct rows_writer *writer, const struct row *row)
{
	const struct column_list *columns = &writer->columns;

	sheet_open(writer->sheet, NULL, '{', SHEET_INLINE);
	for (size_t i = 0; i < columns->n; i++) {
		struct value value = column_value(writer->profile, row, columns->list[i]);

		output_put_value(writer->sheet, column_infos[columns->list[i]].key, &value);
	}
	sheet_close(writer->sheet);
}

static void put_made(void *arg, struct row *row)
{
	put_row(arg, row);
}

void output_put_rows(struct sheet *sheet, const struct view *view)
{
	struct rows_writer writer = { .sheet = sheet, .profile = view->profile };

	columns_of(&writer.columns, view);
	for (size_t i = 0; i < view->n_rows; i++)
		put_row(&writer, view->rows[i]);
	if (view->each)
		view->each(view, put_made, &writer);
}

void output_flat(struct sheet *sheet, const struct view *view)
{
	const char *keys[COLUMN_COUNT];
	struct column_list columns;

	columns_of(&columns, view);
	for (size_t i = 0; i < columns.n; i++)
		keys[i] = column_infos[columns.list[i]].key;
	sheet_columns(sheet, keys, columns.n);
	output_put_rows(sheet, view);
}

/* ---- of the session -------------------------------------------------------------------------- */

static void put_application(struct sheet *sheet, const struct view *view)
{
	const struct profile *profile = view->profile;
	STRBUF(buf);

	if (totals_has_application(&profile->totals))
		sheet_ns(sheet, "application_inclusive_ns", profile->totals.application);
	else
		sheet_none(sheet, "application_inclusive_ns");
	sheet_text(sheet, "application_mode", output_application_mode(&profile->counting));
	strbuf_clear(&buf);
	os_events_put(&buf, profile->counting.os_mask, ",");
	sheet_text(sheet, "os_events", buf.text);
	strbuf_clear(&buf);
	output_os_source(&buf, &profile->totals);
	sheet_text(sheet, "os_events_source", buf.text);
}

static long double percent_of_all(const struct totals *t, long double part)
{
	return t->elapsed > 0 ? 100 * fminl(part / t->elapsed, 1) : 0;
}

/* Writes the time on the processor and off it; of that what was waiting, and what others had. */
static void put_processor(struct sheet *sheet, const struct totals *t)
{
	static const char *const names[] = { "cpu_inclusive_ns", "off_cpu_ns",	    "off_cpu_percent",
					     "preempted_ns",	 "waiting_percent", "preempted_percent" };
	const struct waits *waits = &t->facts.waits;
	long double off = waits_sum(waits), preempted = waits->off_cpu[WAIT_PREEMPTED];

	for (size_t i = 0; !totals_has_application(t) && i < ARRAY_SIZE(names); i++)
		sheet_none(sheet, names[i]);
	if (!totals_has_application(t))
		return;
	sheet_ns(sheet, names[0], totals_cpu(t));
	sheet_ns(sheet, names[1], off);
	sheet_decimal(sheet, names[2], percent_of_all(t, off), 6);
	sheet_ns(sheet, names[3], preempted);
	sheet_decimal(sheet, names[4], percent_of_all(t, off - preempted), 6);
	sheet_decimal(sheet, names[5], percent_of_all(t, preempted), 6);
}

static void put_events(struct sheet *sheet, const struct totals *t)
{
	sheet_count(sheet, "events", t->events);
	sheet_count(sheet, "enters", t->enters);
	sheet_count(sheet, "exits", t->exits);
	sheet_count(sheet, "implicit_exits", t->implicit_exits);
	sheet_count(sheet, "open_frames", t->open_frames);
	sheet_signed(sheet, "unbalanced_events", t->unbalanced);
	sheet_count(sheet, "repaired_frames", t->repaired);
	sheet_count(sheet, "pauses", t->pauses);
	sheet_count(sheet, "orphan_events", t->orphans);
	sheet_count(sheet, "lost_events", t->lost_events);
	sheet_count(sheet, "lost_threads", t->lost_threads);
	sheet_count(sheet, "merged_calls", t->merged_calls);
	sheet_count(sheet, "uncounted_calls", t->uncounted);
	sheet_count(sheet, "voluntary_switches", t->voluntary);
	sheet_count(sheet, "involuntary_switches", t->involuntary);
	sheet_count(sheet, "kernel_voluntary_switches", t->kernel_voluntary);
	sheet_count(sheet, "kernel_involuntary_switches", t->kernel_involuntary);
}

static void put_chosen(struct sheet *sheet, const struct totals *t)
{
	STRBUF(buf);

	strbuf_clear(&buf);
	output_chosen(&buf, t);
	sheet_text(sheet, "chosen", buf.text);
}

static void put_taken_out(struct sheet *sheet, const struct profile *profile)
{
	static const char *const left[] = { "none", "entry", "all", "counted" };
	const struct taken_outs *outs = &profile->taken_outs;

	sheet_open(sheet, "taken_out", '[', SHEET_LINES);
	for (size_t i = 0; i < outs->n; i++) {
		const struct taken_out *o = &outs->list[i];

		sheet_open(sheet, NULL, '{', SHEET_INLINE);
		sheet_text(sheet, "function", profile->names->list[o->entity].name);
		sheet_count(sheet, "pid", o->pid);
		sheet_ns(sheet, "first_ns", o->first);
		sheet_ns(sheet, "last_ns", o->last);
		sheet_count(sheet, "times", o->times);
		sheet_text(sheet, "lowest", left[o->lowest]);
		sheet_text(sheet, "probes", left[o->level]);
		sheet_close(sheet);
	}
	sheet_close(sheet);
}

static void put_samples(struct sheet *sheet, const struct totals *t)
{
	const struct samples_totals *s = &t->samples;

	sheet_text(sheet, "method", "sampling");
	sheet_count(sheet, "samples", util_rounded(t->elapsed));
	sheet_text(sheet, "event", s->event ? s->event : "");
	sheet_count(sheet, "interval", s->interval);
	sheet_text(sheet, "interval_unit", output_sampling_unit(s->unit));
	sheet_text(sheet, "source", output_sampling_source_key(s->source));
	sheet_text(sheet, "stacks", output_sampling_stacks_key(s->stacks));
	sheet_flag(sheet, "sampled_alike", !s->is_mixed);
	sheet_flag(sheet, "thin", output_sampling_is_thin(t));
	sheet_count(sheet, "samples_kept", s->kept);
	sheet_count(sheet, "samples_discarded", s->discarded);
	sheet_count(sheet, "samples_paused", s->paused);
	sheet_count(sheet, "samples_lost", s->lost);
	sheet_count(sheet, "samples_truncated", s->truncated);
	sheet_count(sheet, "samples_without_symbol", s->guessed);
	sheet_count(sheet, "samples_of_unknown_code", s->unknown);
	if (s->counted_samples > 0)
		sheet_count(sheet, "samples_not_seen", samples_unseen(s));
	else
		sheet_none(sheet, "samples_not_seen");
	sheet_count(sheet, "throttled", s->throttled);
	sheet_count(sheet, "silent_processes", s->silent);
	sheet_count(sheet, "processes_with_kernel", s->with_kernel);
	sheet_count(sheet, "attached_processes", s->attached);
	sheet_count(sheet, "detached_processes", s->detached);
	sheet_count(sheet, "incomplete_processes", s->incomplete);
}

static void put_mixed(struct sheet *sheet, const struct mixed_totals *m)
{
	sheet_count(sheet, "counted_functions", m->counted_functions);
	sheet_count(sheet, "counted_calls", m->counted);
	sheet_count(sheet, "counted_sites", m->counted_sites);
	sheet_count(sheet, "counted_by_site", m->counted_by_site);
	sheet_count(sheet, "samples_kept", m->kept);
	sheet_count(sheet, "samples_joined", m->joined);
	sheet_count(sheet, "samples_in_stubs", m->stubs);
	sheet_count(sheet, "samples_in_probes", m->probes);
	sheet_count(sheet, "samples_in_runtime", m->runtime);
	sheet_count(sheet, "samples_truncated", m->truncated);
	sheet_count(sheet, "samples_without_thread", m->no_thread);
	sheet_count(sheet, "samples_in_no_interval", m->no_interval);
	sheet_count(sheet, "samples_out_of_time", m->out_of_time);
	sheet_count(sheet, "samples_lost", m->lost);
	sheet_count(sheet, "processes_without_samples", m->without);
	sheet_count(sheet, "processes_without_probes", m->alone);
	sheet_count(sheet, "processes_sampled_by_themselves", m->own);
	sheet_count(sheet, "threads_not_sampled", m->refused);
	sheet_count(sheet, "threads_sampled_rarely", m->rare);
	sheet_ns(sheet, "processor_ns", m->tree_ns);
	sheet_ns(sheet, "kernel_processor_ns", m->kernel_ns);
}

static void put_times(struct sheet *sheet, const struct view *view)
{
	const struct totals *t = &view->profile->totals;

	sheet_ns(sheet, "elapsed_inclusive_ns", t->elapsed);
	put_application(sheet, view);
	put_processor(sheet, t);
	sheet_count(sheet, "conservation_ticks_off", t->conservation_ticks_off);
	put_events(sheet, t);
	sheet_ns(sheet, "outside_functions_ns", t->outside);
	sheet_ns(sheet, "runtime_ns", t->runtime);
	sheet_ns(sheet, "paused_ns", t->paused);
	sheet_ns(sheet, "paused_before_and_after_ns", t->paused_beyond);
	sheet_ns(sheet, "attach_ns", t->attach);
	sheet_ns(sheet, "probe_overhead_ns", t->overhead);
	sheet_ns(sheet, "probe_overhead_low_ns", t->overhead_low);
	sheet_ns(sheet, "probe_overhead_high_ns", t->overhead_high);
	put_chosen(sheet, t);
	put_taken_out(sheet, view->profile);
	if (t->is_mixed)
		put_mixed(sheet, &t->mixed);
	sheet_flag(sheet, "raw", view->profile->counting.raw);
}

/* How many processes died, and what the heading of a table says of them. */
static void put_died(struct sheet *sheet, const struct deaths *deaths)
{
	STRBUF(text);

	strbuf_clear(&text);
	deaths_put(&text, deaths);
	sheet_count(sheet, "died", deaths->n);
	sheet_text(sheet, "died_first", text.text);
}

static void put_instructions(struct sheet *sheet, const struct view *view)
{
	size_t n_unknown = 0;

	if (profile_counter(view->profile)) {
		sheet_text(sheet, "measure", profile_measure(view->profile)->what);
		sheet_count(sheet, "counted", util_rounded(view->profile->totals.elapsed));
		sheet_count(sheet, "threads_not_known", view->executed->n_uncounted);
		return;
	}
	for (size_t i = 0; i < view->executed->n_functions; i++)
		n_unknown += view->executed->functions[i].verdict != EXECUTED_KNOWN;
	sheet_text(sheet, "measure", "instructions");
	sheet_count(sheet, "instructions", util_rounded(view->profile->totals.elapsed));
	sheet_count(sheet, "functions_not_known", n_unknown);
}

void output_put_session(struct sheet *sheet, const struct view *view)
{
	const struct totals *t = &view->profile->totals;

	sheet_open(sheet, "session", '{', SHEET_BLOCK);
	if (profile_is_executed(view->profile))
		put_instructions(sheet, view);
	else if (profile_is_sampled(view->profile))
		put_samples(sheet, t);
	else
		put_times(sheet, view);
	sheet_flag(sheet, "live", view->is_live);
	sheet_ns(sheet, "duration_ns", totals_duration(t));
	sheet_count(sheet, "begin_realtime_ns", t->begin_realtime_ns);
	sheet_count(sheet, "hosts", t->hosts.n);
	sheet_count(sheet, "processes", t->processes);
	sheet_count(sheet, "threads", t->threads);
	put_died(sheet, &t->facts.deaths);
	sheet_count(sheet, "rows_hidden", view->n_hidden);
	if (view->profile->by == BY_PATH)
		sheet_count(sheet, "paths_folded", view->profile->paths.n_folded);
	sheet_text(sheet, "filter", view->filter ? view->filter : "");
	sheet_count(sheet, "rows_filtered", view->n_filtered);
	sheet_text(sheet, "command_line", t->title ? t->title : "");
	sheet_close(sheet);
}

void output_nested(struct sheet *sheet, const struct view *view)
{
	sheet_open(sheet, NULL, '{', SHEET_BLOCK);
	output_put_session(sheet, view);
	if (profile_is_by_place(view->profile) && !profile_is_sampled(view->profile) &&
	    !profile_is_executed(view->profile))
		sheet_flag(sheet, "line_events", view->profile->totals.lines != 0);
	sheet_open(sheet, "rows", '[', SHEET_BLOCK);
	output_put_rows(sheet, view);
	sheet_close(sheet);
	sheet_close(sheet);
}
