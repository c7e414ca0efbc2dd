/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary_data.c - a summary as csv and json. csv: section, rank, name, module, value, unit,
 * percent, text; a section is `session`, `time`, `hot_path`, the name of a list, `advice`, `next`.
 */
#include <stdlib.h>

#include "summary.h"

/* ---- csv ------------------------------------------------------------------------------------- */

struct line {
	const char *section;
	size_t rank; /* 0: none */
	const char *name, *module;
	struct value value;
	long double of; /* 0: no percentage */
	const char *text;
	const char *unit; /* of a count; NULL: none */
};

static void csv_field(FILE *out, const char *text)
{
	fputc(',', out);
	output_csv_text(out, text ? text : "");
}

static void csv_line(FILE *out, const struct line *line)
{
	fputs(line->section, out);
	fputc(',', out);
	if (line->rank)
		fprintf(out, "%zu", line->rank);
	csv_field(out, line->name);
	csv_field(out, line->module);
	if (line->value.type == VALUE_NS)
		fprintf(out, ",%.0Lf,ns", line->value.number);
	else if (line->value.type == VALUE_COUNT)
		fprintf(out, ",%llu,%s", (unsigned long long)line->value.count, line->unit ? line->unit : "");
	else
		fputs(",,", out);
	fputc(',', out);
	if (line->of > 0)
		fprintf(out, "%.6Lf", 100 * line->value.number / line->of);
	csv_field(out, line->text);
	fputs("\r\n", out);
}

static struct value ns(long double number)
{
	return (struct value){ .type = VALUE_NS, .number = number };
}

static struct value count(uint64_t n)
{
	return (struct value){ .type = VALUE_COUNT, .count = n, .number = (long double)n };
}

static struct value total(const struct summary *s, long double number)
{
	return profile_measure(s->view.profile)->is_count ? count(util_rounded(number)) : ns(number);
}

static const char *unit_of(const struct summary *s)
{
	return profile_measure(s->view.profile)->unit;
}

static void csv_samples(FILE *out, const struct summary *s)
{
	const struct totals *t = &s->view.profile->totals;
	const struct samples_totals *samples = &t->samples;
	const struct line lines[] = {
		{ .section = "session", .name = "event", .text = samples->event },
		{ .section = "session",
		  .name = "interval",
		  .value = count(samples->interval),
		  .unit = output_sampling_unit(samples->unit) },
		{ "samples", 0, "kept", NULL, total(s, t->elapsed), t->elapsed, NULL, "samples" },
		{ "samples", 0, "discarded", NULL, count(samples->discarded), 0, NULL, "samples" },
		{ "samples", 0, "paused", NULL, count(samples->paused), 0, NULL, "samples" },
		{ "samples", 0, "lost", NULL, count(samples->lost), 0, NULL, "samples" },
		{ "samples", 0, "truncated", NULL, count(samples->truncated), t->elapsed, NULL, "samples" },
		{ "samples", 0, "not_seen", NULL, count(samples_unseen(samples)), 0, NULL, "samples" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		csv_line(out, &lines[i]);
}

static void csv_died(FILE *out, const struct deaths *deaths)
{
	struct strbuf text = { 0 };

	strbuf_clear(&text);
	deaths_put(&text, deaths);
	csv_line(out, &(struct line){ .section = "session",
				      .name = "died",
				      .value = count(deaths->n),
				      .text = text.text });
	strbuf_release(&text);
}

static void csv_session(FILE *out, const struct summary *s)
{
	const struct totals *t = &s->view.profile->totals;
	const struct line lines[] = {
		{ .section = "session", .name = "command_line", .text = t->title },
		{ .section = "session", .name = "duration", .value = ns(totals_duration(t)) },
		{ .section = "session", .name = "processes", .value = count(t->processes) },
		{ .section = "session", .name = "threads", .value = count(t->threads) },
		{ .section = "session", .name = "events", .value = count(t->events) },
	};
	int is_sampled = profile_is_sampled(s->view.profile);

	for (size_t i = 0; i < ARRAY_SIZE(lines) - (is_sampled ? 1 : 0); i++)
		csv_line(out, &lines[i]);
	csv_died(out, &t->facts.deaths);
	if (is_sampled)
		csv_samples(out, s);
}

static long double denominator(const struct summary *s, const struct summary_list *list)
{
	const struct totals *t = &s->profiles[list->profile].totals;

	if (list->column == COLUMN_APPLICATION_EXCLUSIVE)
		return t->application;
	return column_infos[list->column].family == FAMILY_OS ? 0 : t->elapsed;
}

static void csv_list(FILE *out, const struct summary *s, const struct summary_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct row *row = list->rows[i];

		csv_line(out, &(struct line){ list->key, i + 1, row->name, row->module,
					      column_value(&s->profiles[list->profile], row, list->column),
					      denominator(s, list), NULL, unit_of(s) });
	}
}

static void csv_advice(FILE *out, const struct summary *s)
{
	for (size_t i = 0; i < s->advices.n; i++) {
		const struct advice *a = &s->advices.list[i];
		struct strbuf text = { 0 };

		strbuf_printf(&text, "%s %s", a->text, a->action);
		csv_line(out, &(struct line){ .section = "advice",
					      .rank = i + 1,
					      .name = a->id,
					      .module = severity_names[a->severity],
					      .text = text.text });
		strbuf_release(&text);
	}
}

static void csv_suggestions(FILE *out, const struct summary *s)
{
	for (size_t i = 0; i < s->suggest.n; i++) {
		const struct suggestion *one = &s->suggest.list[i];

		csv_line(out,
			 &(struct line){ "suggest", i + 1, one->name, one->module, total(s, one->inclusive),
					 s->suggest.whole, one->rule, unit_of(s) });
	}
}

void summary_csv(FILE *out, const struct view *view)
{
	const struct summary *s = (const void *)view;

	fputs("section,rank,name,module,value,unit,percent,text\r\n", out);
	if (s->advice_only) {
		csv_advice(out, s);
		return;
	}
	csv_session(out, s);
	for (size_t i = 0; i < s->n_times; i++)
		csv_line(out, &(struct line){ "time", 0, s->times[i].key, NULL, ns(s->times[i].ns),
					      s->times[i].of, NULL, NULL });
	for (size_t i = 0; i < s->n_levels; i++)
		csv_line(out, &(struct line){ "hot_path", i + 1, s->levels[i].name, s->levels[i].module,
					      total(s, s->levels[i].inclusive), view->profile->totals.elapsed,
					      NULL, unit_of(s) });
	for (int i = 0; i < SUMMARY_LISTS; i++)
		csv_list(out, s, &s->lists[i]);
	csv_suggestions(out, s);
	csv_advice(out, s);
}

/* ---- json ------------------------------------------------------------------------------------ */

static void json_times(FILE *out, const struct summary *s)
{
	fputs("  \"time\": {", out);
	for (size_t i = 0; i < s->n_times; i++)
		fprintf(out, "%s\n    \"%s_ns\": %.0Lf", i ? "," : "", s->times[i].key, s->times[i].ns);
	fputs("\n  },\n", out);
}

static void json_hot_path(FILE *out, const struct summary *s)
{
	long double all = s->view.profile->totals.elapsed;
	int is_sampled = profile_is_sampled(s->view.profile);

	fputs("  \"hot_path\": [", out);
	for (size_t i = 0; i < s->n_levels; i++) {
		const struct summary_level *level = &s->levels[i];

		fprintf(out, "%s\n    {\"name\": ", i ? "," : "");
		output_json_text(out, level->name);
		fputs(", \"module\": ", out);
		output_json_text(out, level->module ? level->module : "");
		if (!is_sampled)
			fprintf(out, ", \"calls\": %llu", (unsigned long long)level->calls);
		fprintf(out,
			is_sampled ? ", \"inclusive_samples\": %.0Lf, \"exclusive_samples\": %.0Lf"
				   : ", \"elapsed_inclusive_ns\": %.0Lf, \"elapsed_exclusive_ns\": %.0Lf",
			level->inclusive, level->exclusive);
		fprintf(out, ", \"%s\": %.6Lf}",
			is_sampled ? "inclusive_percent" : "elapsed_inclusive_percent",
			all > 0 ? 100 * level->inclusive / all : 0);
	}
	fputs("\n  ],\n", out);
}

static void json_list(FILE *out, const struct summary *s, const struct summary_list *list)
{
	struct view view = s->view;

	view.profile = &s->profiles[list->profile];
	view.rows = list->rows;
	view.n_rows = list->n;
	fprintf(out, "  \"%s\": [\n", list->key);
	output_json_rows(out, &view);
	fputs("  ],\n", out);
}

static void json_advice(FILE *out, const struct summary *s)
{
	fputs("  \"advice\": [", out);
	for (size_t i = 0; i < s->advices.n; i++) {
		const struct advice *a = &s->advices.list[i];

		fprintf(out, "%s\n    {\"id\": \"%s\", \"severity\": \"%s\", \"text\": ", i ? "," : "", a->id,
			severity_names[a->severity]);
		output_json_text(out, a->text);
		fputs(", \"action\": ", out);
		output_json_text(out, a->action);
		fputc('}', out);
	}
	fputs("\n  ]\n", out);
}

static void json_suggestions(FILE *out, const struct summary *s)
{
	if (!s->suggest.title)
		return;
	fputs("  \"suggest\": [", out);
	for (size_t i = 0; i < s->suggest.n; i++) {
		const struct suggestion *one = &s->suggest.list[i];

		fprintf(out, "%s\n    {\"name\": ", i ? "," : "");
		output_json_text(out, one->name);
		fputs(", \"module\": ", out);
		output_json_text(out, one->module);
		fputs(", \"include\": ", out);
		output_json_text(out, one->rule);
		fprintf(out, ", \"inclusive_samples\": %.0f, \"exclusive_samples\": %.0f}", one->inclusive,
			one->exclusive);
	}
	fputs("\n  ],\n", out);
}

void summary_json(FILE *out, const struct view *view)
{
	const struct summary *s = (const void *)view;

	fputs("{\n", out);
	if (!s->advice_only) {
		output_json_session(out, view);
		if (!profile_is_sampled(view->profile))
			json_times(out, s);
		json_hot_path(out, s);
		for (int i = 0; i < SUMMARY_LISTS; i++)
			if (s->lists[i].key)
				json_list(out, s, &s->lists[i]);
		json_suggestions(out, s);
	}
	json_advice(out, s);
	fputs("}\n", out);
}
