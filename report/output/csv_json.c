/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv_json.c - csv and json. Plain integers of nanoseconds, a point in percentages whatever the
 * locale (the command never calls setlocale), nothing for what a view does not have: empty in csv,
 * null in json.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

static void print_number(FILE *out, const struct value *value)
{
	if (value->type == VALUE_COUNT)
		fprintf(out, "%llu", (unsigned long long)value->count);
	else if (value->type == VALUE_NS)
		fprintf(out, "%.0Lf", value->number);
	else
		fprintf(out, "%.6Lf", value->number);
}

/* The columns that csv and json have: those chosen, or all of the view. */
static void columns_of(struct column_list *columns, const struct view *view)
{
	*columns = (struct column_list){ 0 };
	if (view->columns)
		*columns = *view->columns;
	for (int i = 0; !view->columns && i < COLUMN_COUNT; i++)
		if (column_in_view(view->profile, i))
			column_list_add(columns, i);
}

/* ---- csv ------------------------------------------------------------------------------------- */

/* In quotes also where a spreadsheet would take it for a formula: those who read it as text get
 * what it says. */
static void csv_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"") && !(*text && strchr("=+-@\t", *text))) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* errno stays: it may be that of a write. */
void output_csv_text(FILE *out, const char *text)
{
	char *visible = util_visible(text);
	int was = errno;

	csv_field(out, visible);
	errno = was;
	free(visible);
}

void output_csv_source(FILE *out, const char *text)
{
	struct strbuf visible = { 0 };
	char *copy = xstrdup(text), *rest = copy;
	int was = errno;

	strbuf_clear(&visible);
	for (const char *piece = strsep(&rest, "\t"); piece; piece = strsep(&rest, "\t")) {
		strbuf_visible(&visible, piece);
		strbuf_puts(&visible, rest ? "\t" : "");
	}
	csv_field(out, visible.text);
	errno = was;
	strbuf_release(&visible);
	free(copy);
}

static void csv_row(FILE *out, const struct view *view, const struct column_list *columns,
		    const struct row *row)
{
	for (size_t i = 0; i < columns->n; i++) {
		struct value value = column_value(view->profile, row, columns->list[i]);

		if (i)
			fputc(',', out);
		if (value.type == VALUE_TEXT)
			output_csv_text(out, value.text);
		else if (value.type != VALUE_NONE)
			print_number(out, &value);
	}
	fputs("\r\n", out);
}

void output_csv(FILE *out, const struct view *view)
{
	struct column_list columns;

	columns_of(&columns, view);
	for (size_t i = 0; i < columns.n; i++)
		fprintf(out, "%s%s", i ? "," : "", column_infos[columns.list[i]].key);
	fputs("\r\n", out);
	for (size_t i = 0; i < view->n_rows; i++)
		csv_row(out, view, &columns, view->rows[i]);
}

/* ---- json ------------------------------------------------------------------------------------ */

/* Bytes of a well-formed UTF-8 sequence at s; 0: none. */
static size_t utf8_bytes(const unsigned char *s)
{
	size_t n = s[0] < 0x80	 ? 1
		   : s[0] < 0xc2 ? 0
		   : s[0] < 0xe0 ? 2
		   : s[0] < 0xf0 ? 3
		   : s[0] < 0xf5 ? 4
				 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

void output_json_text(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', out);
	while (*s) {
		size_t n = utf8_bytes(s);

		if (*s == '"' || *s == '\\') {
			fprintf(out, "\\%c", *s);
		} else if (*s < 0x20 || *s == 0x7f) {
			fprintf(out, "\\u%04x", *s);
		} else if (n == 2 && *s == 0xc2 && s[1] < 0xa0) { /* controls of 8 bits */
			fprintf(out, "\\u%04x", s[1]);
		} else if (!n) {
			fputs("\\ufffd", out); /* not UTF-8: json has no way to say it */
			n = 1;
		} else {
			fwrite(s, 1, n, out);
		}
		s += n;
	}
	fputc('"', out);
}

static void json_row(FILE *out, const struct view *view, const struct column_list *columns,
		     const struct row *row)
{
	fputs("    {", out);
	for (size_t i = 0; i < columns->n; i++) {
		struct value value = column_value(view->profile, row, columns->list[i]);

		fprintf(out, "%s\"%s\": ", i ? ", " : "", column_infos[columns->list[i]].key);
		if (value.type == VALUE_TEXT)
			output_json_text(out, value.text);
		else if (value.type == VALUE_NONE)
			fputs("null", out);
		else
			print_number(out, &value);
	}
	fputc('}', out);
}

static void json_ns(FILE *out, const char *key, long double ns)
{
	fprintf(out, "    \"%s\": %.0Lf,\n", key, ns);
}

static void json_count(FILE *out, const char *key, uint64_t n)
{
	fprintf(out, "    \"%s\": %llu,\n", key, (unsigned long long)n);
}

static void json_string(FILE *out, const char *key, const char *text)
{
	fprintf(out, "    \"%s\": ", key);
	output_json_text(out, text);
	fputs(",\n", out);
}

static void json_application(FILE *out, const struct view *view)
{
	const struct profile *profile = view->profile;
	struct strbuf buf = { 0 };

	if (totals_has_application(&profile->totals))
		json_ns(out, "application_inclusive_ns", profile->totals.application);
	else
		fputs("    \"application_inclusive_ns\": null,\n", out);
	json_string(out, "application_mode", output_application_mode(&profile->counting));
	strbuf_clear(&buf);
	os_events_put(&buf, profile->counting.os_mask, ",");
	json_string(out, "os_events", buf.text);
	strbuf_clear(&buf);
	output_os_source(&buf, &profile->totals);
	json_string(out, "os_events_source", buf.text);
	strbuf_release(&buf);
}

static void json_events(FILE *out, const struct totals *t)
{
	json_count(out, "events", t->events);
	json_count(out, "enters", t->enters);
	json_count(out, "exits", t->exits);
	json_count(out, "implicit_exits", t->implicit_exits);
	json_count(out, "open_frames", t->open_frames);
	fprintf(out, "    \"unbalanced_events\": %lld,\n", (long long)t->unbalanced);
	json_count(out, "repaired_frames", t->repaired);
	json_count(out, "pauses", t->pauses);
	json_count(out, "orphan_events", t->orphans);
	json_count(out, "lost_events", t->lost_events);
	json_count(out, "lost_threads", t->lost_threads);
	json_count(out, "merged_calls", t->merged_calls);
	json_count(out, "uncounted_calls", t->uncounted);
	json_count(out, "voluntary_switches", t->voluntary);
	json_count(out, "involuntary_switches", t->involuntary);
	json_count(out, "kernel_voluntary_switches", t->kernel_voluntary);
	json_count(out, "kernel_involuntary_switches", t->kernel_involuntary);
}

static void json_chosen(FILE *out, const struct totals *t)
{
	struct strbuf buf = { 0 };

	strbuf_clear(&buf);
	output_chosen(&buf, t);
	json_string(out, "chosen", buf.text);
	strbuf_release(&buf);
}

static void json_taken_out(FILE *out, const struct profile *profile)
{
	static const char *const left[] = { "none", "entry", "all" };
	const struct taken_outs *outs = &profile->taken_outs;

	fputs("    \"taken_out\": [", out);
	for (size_t i = 0; i < outs->n; i++) {
		const struct taken_out *o = &outs->list[i];

		fprintf(out, "%s\n      {\"function\": ", i ? "," : "");
		output_json_text(out, profile->names.list[o->entity].name);
		fprintf(out, ", \"pid\": %u, \"first_ns\": %.0Lf, \"last_ns\": %.0Lf, \"times\": %u", o->pid,
			o->first, o->last, o->times);
		fprintf(out, ", \"lowest\": \"%s\", \"probes\": \"%s\"}", left[o->lowest], left[o->level]);
	}
	fputs(outs->n ? "\n    ],\n" : "],\n", out);
}

static void json_flag(FILE *out, const char *key, int is_true)
{
	fprintf(out, "    \"%s\": %s,\n", key, is_true ? "true" : "false");
}

static void json_samples(FILE *out, const struct totals *t)
{
	const struct samples_totals *s = &t->samples;

	json_string(out, "method", "sampling");
	json_count(out, "samples", util_rounded(t->elapsed));
	json_string(out, "event", s->event ? s->event : "");
	json_count(out, "interval", s->interval);
	json_string(out, "interval_unit", output_sampling_unit(s->unit));
	json_string(out, "source", output_sampling_source_key(s->source));
	json_string(out, "stacks", output_sampling_stacks_key(s->stacks));
	json_flag(out, "sampled_alike", !s->is_mixed);
	json_flag(out, "thin", output_sampling_is_thin(t));
	json_count(out, "samples_kept", s->kept);
	json_count(out, "samples_discarded", s->discarded);
	json_count(out, "samples_paused", s->paused);
	json_count(out, "samples_lost", s->lost);
	json_count(out, "samples_truncated", s->truncated);
	json_count(out, "samples_without_symbol", s->guessed);
	json_count(out, "samples_of_unknown_code", s->unknown);
	if (s->counted_samples > 0)
		json_count(out, "samples_not_seen", samples_unseen(s));
	else
		fputs("    \"samples_not_seen\": null,\n", out);
	json_count(out, "throttled", s->throttled);
	json_count(out, "silent_processes", s->silent);
	json_count(out, "processes_with_kernel", s->with_kernel);
	json_count(out, "attached_processes", s->attached);
	json_count(out, "detached_processes", s->detached);
	json_count(out, "incomplete_processes", s->incomplete);
}

static void json_times(FILE *out, const struct view *view)
{
	const struct totals *t = &view->profile->totals;

	json_ns(out, "elapsed_inclusive_ns", t->elapsed);
	json_application(out, view);
	json_count(out, "conservation_ticks_off", t->conservation_ticks_off);
	json_events(out, t);
	json_ns(out, "outside_functions_ns", t->outside);
	json_ns(out, "runtime_ns", t->runtime);
	json_ns(out, "paused_ns", t->paused);
	json_ns(out, "paused_before_and_after_ns", t->paused_beyond);
	json_ns(out, "attach_ns", t->attach);
	json_ns(out, "probe_overhead_ns", t->overhead);
	json_ns(out, "probe_overhead_low_ns", t->overhead_low);
	json_ns(out, "probe_overhead_high_ns", t->overhead_high);
	json_chosen(out, t);
	json_taken_out(out, view->profile);
	json_flag(out, "raw", view->profile->counting.raw);
}

/* How many processes died, and what the heading of a table says of them. */
static void json_died(FILE *out, const struct deaths *deaths)
{
	struct strbuf text = { 0 };

	strbuf_clear(&text);
	deaths_put(&text, deaths);
	json_count(out, "died", deaths->n);
	json_string(out, "died_first", text.text);
	strbuf_release(&text);
}

void output_json_session(FILE *out, const struct view *view)
{
	const struct totals *t = &view->profile->totals;

	fputs("  \"session\": {\n", out);
	if (profile_is_sampled(view->profile))
		json_samples(out, t);
	else
		json_times(out, view);
	json_flag(out, "live", view->is_live);
	json_ns(out, "duration_ns", totals_duration(t));
	json_count(out, "begin_realtime_ns", t->begin_realtime_ns);
	json_count(out, "hosts", t->hosts.n);
	json_count(out, "processes", t->processes);
	json_count(out, "threads", t->threads);
	json_died(out, &t->facts.deaths);
	json_count(out, "rows_hidden", view->n_hidden);
	if (view->profile->by == BY_PATH)
		json_count(out, "paths_folded", view->profile->paths.n_folded);
	json_string(out, "filter", view->filter ? view->filter : "");
	json_count(out, "rows_filtered", view->n_filtered);
	fputs("    \"command_line\": ", out);
	output_json_text(out, t->title ? t->title : "");
	fputs("\n  },\n", out);
}

void output_json_rows(FILE *out, const struct view *view)
{
	struct column_list columns;

	columns_of(&columns, view);
	for (size_t i = 0; i < view->n_rows; i++) {
		json_row(out, view, &columns, view->rows[i]);
		fputs(i + 1 < view->n_rows ? ",\n" : "\n", out);
	}
}

void output_json(FILE *out, const struct view *view)
{
	fputs("{\n", out);
	output_json_session(out, view);
	if (profile_is_by_place(view->profile) && !profile_is_sampled(view->profile))
		fprintf(out, "  \"line_events\": %s,\n", view->profile->totals.lines ? "true" : "false");
	fputs("  \"rows\": [\n", out);
	output_json_rows(out, view);
	fputs("  ]\n}\n", out);
}
