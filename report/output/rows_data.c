/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rows_data.c - writes a view's rows and its session's figures for scripts: integers of
 * nanoseconds, a decimal point in percentages whatever the locale (the command never calls
 * setlocale), nothing for missing values.
 */
#include <math.h>

#include "output.h"

void output_put_value(struct items *items, const char *name, const struct value *value)
{
	if (value->type == VALUE_TEXT)
		items_text(items, name, value->text);
	else if (value->type == VALUE_NONE)
		items_none(items, name);
	else if (value->type == VALUE_COUNT)
		items_count(items, name, value->count);
	else
		items_decimal(items, name, value->number, value->type == VALUE_NS ? 0 : 6);
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
	struct items *items;
	const struct profile *profile;
	struct column_list columns;
};

static void put_row(const struct rows_writer *writer, const struct row *row)
{
	const struct column_list *columns = &writer->columns;

	items_open(writer->items, NULL, '{', ITEMS_INLINE);
	for (size_t i = 0; i < columns->n; i++) {
		struct value value = column_value(writer->profile, row, columns->list[i]);

		output_put_value(writer->items, column_infos[columns->list[i]].key, &value);
	}
	items_close(writer->items);
}

static void put_made(void *arg, struct row *row)
{
	put_row(arg, row);
}

void output_put_rows(struct items *items, const struct view *view)
{
	struct rows_writer writer = { .items = items, .profile = view->profile };

	columns_of(&writer.columns, view);
	for (size_t i = 0; i < view->n_rows; i++)
		put_row(&writer, view->rows[i]);
	if (view->each)
		view->each(view, put_made, &writer);
}

void output_flat(struct items *items, const struct view *view)
{
	const char *keys[COLUMN_COUNT];
	struct column_list columns;

	columns_of(&columns, view);
	for (size_t i = 0; i < columns.n; i++)
		keys[i] = column_infos[columns.list[i]].key;
	items_columns(items, keys, columns.n);
	output_put_rows(items, view);
}

/* ---- of the session -------------------------------------------------------------------------- */

static void put_application(struct items *items, const struct view *view)
{
	const struct profile *profile = view->profile;
	STRBUF(buf);

	if (totals_has_application(&profile->totals))
		items_ns(items, "application_inclusive_ns", profile->totals.application);
	else
		items_none(items, "application_inclusive_ns");
	items_text(items, "application_mode", output_application_mode(&profile->counting));
	strbuf_clear(&buf);
	os_events_put(&buf, profile->counting.os_mask, ",");
	items_text(items, "os_events", buf.text);
	strbuf_clear(&buf);
	output_os_source(&buf, &profile->totals);
	items_text(items, "os_events_source", buf.text);
}

static long double percent_of_all(const struct totals *t, long double part)
{
	return t->elapsed > 0 ? 100 * fminl(part / t->elapsed, 1) : 0;
}

/* Writes the time on the processor and off it; of that what was waiting, and what others had. */
static void put_processor(struct items *items, const struct totals *t)
{
	static const char *const names[] = { "cpu_inclusive_ns", "off_cpu_ns",	    "off_cpu_percent",
					     "preempted_ns",	 "waiting_percent", "preempted_percent" };
	const struct waits *waits = &t->facts.waits;
	long double off = waits_sum(waits), preempted = waits->off_cpu[WAIT_PREEMPTED];

	for (size_t i = 0; !totals_has_application(t) && i < ARRAY_SIZE(names); i++)
		items_none(items, names[i]);
	if (!totals_has_application(t))
		return;
	items_ns(items, names[0], totals_cpu(t));
	items_ns(items, names[1], off);
	items_decimal(items, names[2], percent_of_all(t, off), 6);
	items_ns(items, names[3], preempted);
	items_decimal(items, names[4], percent_of_all(t, off - preempted), 6);
	items_decimal(items, names[5], percent_of_all(t, preempted), 6);
}

static void put_events(struct items *items, const struct totals *t)
{
	items_count(items, "events", t->events);
	items_count(items, "enters", t->enters);
	items_count(items, "exits", t->exits);
	items_count(items, "implicit_exits", t->implicit_exits);
	items_count(items, "open_frames", t->open_frames);
	items_signed(items, "unbalanced_events", t->unbalanced);
	items_count(items, "repaired_frames", t->repaired);
	items_count(items, "pauses", t->pauses);
	items_count(items, "orphan_events", t->orphans);
	items_count(items, "lost_events", t->lost_events);
	items_count(items, "lost_threads", t->lost_threads);
	items_count(items, "merged_calls", t->merged_calls);
	items_count(items, "uncounted_calls", t->uncounted);
	items_count(items, "voluntary_switches", t->voluntary);
	items_count(items, "involuntary_switches", t->involuntary);
	items_count(items, "kernel_voluntary_switches", t->kernel_voluntary);
	items_count(items, "kernel_involuntary_switches", t->kernel_involuntary);
}

static void put_chosen(struct items *items, const struct totals *t)
{
	STRBUF(buf);

	strbuf_clear(&buf);
	output_chosen(&buf, t);
	items_text(items, "chosen", buf.text);
}

static void put_taken_out(struct items *items, const struct profile *profile)
{
	static const char *const left[] = { "none", "entry", "all", "counted" };
	const struct exclusions *outs = &profile->taken_outs;

	items_open(items, "taken_out", '[', ITEMS_LINES);
	for (size_t i = 0; i < outs->n; i++) {
		const struct exclusion *o = &outs->list[i];

		items_open(items, NULL, '{', ITEMS_INLINE);
		items_text(items, "function", profile->names->list[o->entity].name);
		items_count(items, "pid", o->pid);
		items_ns(items, "first_ns", o->first);
		items_ns(items, "last_ns", o->last);
		items_count(items, "times", o->times);
		items_text(items, "lowest", left[o->lowest]);
		items_text(items, "probes", left[o->level]);
		items_close(items);
	}
	items_close(items);
}

static void put_samples(struct items *items, const struct totals *t)
{
	const struct samples_totals *s = &t->samples;

	items_text(items, "method", "sampling");
	items_count(items, "samples", util_rounded(t->elapsed));
	items_text(items, "event", s->event ? s->event : "");
	items_count(items, "interval", s->interval);
	items_text(items, "interval_unit", output_sampling_unit(s->unit));
	items_text(items, "source", output_sampling_source_key(s->source));
	items_text(items, "stacks", output_sampling_stacks_key(s->stacks));
	items_flag(items, "sampled_alike", !s->is_mixed);
	items_flag(items, "thin", output_sampling_is_thin(t));
	items_count(items, "samples_kept", s->kept);
	items_count(items, "samples_discarded", s->discarded);
	items_count(items, "samples_paused", s->paused);
	items_count(items, "samples_lost", s->lost);
	items_count(items, "samples_truncated", s->truncated);
	items_count(items, "samples_without_symbol", s->guessed);
	items_count(items, "samples_of_unknown_code", s->unknown);
	if (s->counted_samples > 0)
		items_count(items, "samples_not_seen", samples_unseen(s));
	else
		items_none(items, "samples_not_seen");
	items_count(items, "throttled", s->throttled);
	items_count(items, "silent_processes", s->silent);
	items_count(items, "processes_with_kernel", s->with_kernel);
	items_count(items, "attached_processes", s->attached);
	items_count(items, "detached_processes", s->detached);
	items_count(items, "incomplete_processes", s->incomplete);
}

static void put_mixed(struct items *items, const struct mixed_totals *m)
{
	items_count(items, "counted_functions", m->counted_functions);
	items_count(items, "counted_calls", m->counted);
	items_count(items, "counted_sites", m->counted_sites);
	items_count(items, "counted_by_site", m->counted_by_site);
	items_count(items, "samples_kept", m->kept);
	items_count(items, "samples_joined", m->joined);
	items_count(items, "samples_in_stubs", m->stubs);
	items_count(items, "samples_in_probes", m->probes);
	items_count(items, "samples_in_runtime", m->runtime);
	items_count(items, "samples_truncated", m->truncated);
	items_count(items, "samples_without_thread", m->no_thread);
	items_count(items, "samples_in_no_interval", m->no_interval);
	items_count(items, "samples_out_of_time", m->out_of_time);
	items_count(items, "samples_lost", m->lost);
	items_count(items, "processes_without_samples", m->without);
	items_count(items, "processes_without_probes", m->alone);
	items_count(items, "processes_sampled_by_themselves", m->own);
	items_count(items, "threads_not_sampled", m->refused);
	items_count(items, "threads_sampled_rarely", m->rare);
	items_ns(items, "processor_ns", m->tree_ns);
	items_ns(items, "kernel_processor_ns", m->kernel_ns);
}

static void put_times(struct items *items, const struct view *view)
{
	const struct totals *t = &view->profile->totals;

	items_ns(items, "elapsed_inclusive_ns", t->elapsed);
	put_application(items, view);
	put_processor(items, t);
	items_count(items, "conservation_ticks_off", t->conservation_ticks_off);
	put_events(items, t);
	items_ns(items, "outside_functions_ns", t->outside);
	items_ns(items, "runtime_ns", t->runtime);
	items_ns(items, "paused_ns", t->paused);
	items_ns(items, "paused_before_and_after_ns", t->paused_beyond);
	items_ns(items, "attach_ns", t->attach);
	items_ns(items, "probe_overhead_ns", t->overhead);
	items_ns(items, "probe_overhead_low_ns", t->overhead_low);
	items_ns(items, "probe_overhead_high_ns", t->overhead_high);
	put_chosen(items, t);
	put_taken_out(items, view->profile);
	if (t->is_mixed)
		put_mixed(items, &t->mixed);
	items_flag(items, "raw", view->profile->counting.raw);
}

/* How many processes died, and what the heading of a table says of them. */
static void put_died(struct items *items, const struct deaths *deaths)
{
	STRBUF(text);

	strbuf_clear(&text);
	deaths_put(&text, deaths);
	items_count(items, "died", deaths->n);
	items_text(items, "died_first", text.text);
}

static void put_instructions(struct items *items, const struct view *view)
{
	size_t n_unknown = 0;

	if (profile_counter(view->profile)) {
		items_text(items, "measure", profile_measure(view->profile)->what);
		items_count(items, "counted", util_rounded(view->profile->totals.elapsed));
		items_count(items, "threads_not_known", view->executed->n_uncounted);
		return;
	}
	for (size_t i = 0; i < view->executed->n_functions; i++)
		n_unknown += view->executed->functions[i].verdict != EXECUTED_KNOWN;
	items_text(items, "measure", "instructions");
	items_count(items, "instructions", util_rounded(view->profile->totals.elapsed));
	items_count(items, "functions_not_known", n_unknown);
}

void output_put_session(struct items *items, const struct view *view)
{
	const struct totals *t = &view->profile->totals;

	items_open(items, "session", '{', ITEMS_BLOCK);
	if (profile_is_executed(view->profile))
		put_instructions(items, view);
	else if (profile_is_sampled(view->profile))
		put_samples(items, t);
	else
		put_times(items, view);
	items_flag(items, "live", view->is_live);
	items_ns(items, "duration_ns", totals_duration(t));
	items_count(items, "begin_realtime_ns", t->begin_realtime_ns);
	items_count(items, "hosts", t->hosts.n);
	items_count(items, "processes", t->processes);
	items_count(items, "threads", t->threads);
	put_died(items, &t->facts.deaths);
	items_count(items, "rows_hidden", view->n_hidden);
	if (view->profile->by == BY_PATH)
		items_count(items, "paths_folded", view->profile->paths.n_folded);
	items_text(items, "filter", view->filter ? view->filter : "");
	items_count(items, "rows_filtered", view->n_filtered);
	items_text(items, "command_line", t->title ? t->title : "");
	items_close(items);
}

void output_nested(struct items *items, const struct view *view)
{
	items_open(items, NULL, '{', ITEMS_BLOCK);
	output_put_session(items, view);
	if (profile_is_by_place(view->profile) && !profile_is_sampled(view->profile) &&
	    !profile_is_executed(view->profile))
		items_flag(items, "line_events", view->profile->totals.lines != 0);
	items_open(items, "rows", '[', ITEMS_BLOCK);
	output_put_rows(items, view);
	items_close(items);
	items_close(items);
}
