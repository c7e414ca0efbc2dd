/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary_data.c - a summary as csv and json. csv: section, rank, name, module, value, unit,
 * percent, text; a section is `session`, `time`, `hot_path`, the name of a list, `advice`, `next`.
 */
#include <stdlib.h>

#include "summary.h"

/* ---- flat ------------------------------------------------------------------------------------ */

struct line {
	const char *section;
	size_t rank; /* 0: none */
	const char *name, *module;
	struct value value;
	long double of; /* 0: no percentage */
	const char *text;
	const char *unit; /* of a count; NULL: none */
};

static void put_line(struct sheet *sheet, const struct line *line)
{
	const struct value *value = &line->value;
	int is_ns = value->type == VALUE_NS;

	sheet_open(sheet, NULL, '{', SHEET_INLINE);
	sheet_text(sheet, "section", line->section);
	sheet_count_if(sheet, "rank", line->rank);
	sheet_text(sheet, "name", line->name);
	sheet_text(sheet, "module", line->module);
	if (is_ns || value->type == VALUE_COUNT)
		output_put_value(sheet, "value", value);
	else
		sheet_none(sheet, "value");
	sheet_text(sheet, "unit", is_ns ? "ns" : value->type == VALUE_COUNT ? line->unit : NULL);
	if (line->of > 0)
		sheet_decimal(sheet, "percent", 100 * value->number / line->of, 6);
	else
		sheet_none(sheet, "percent");
	sheet_text(sheet, "text", line->text);
	sheet_close(sheet);
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

static const struct entity *level_entity(const struct summary *s, size_t i)
{
	return &s->profiles[SUMMARY_PATHS].names->list[s->hot.list[i].entity];
}

static const char *unit_of(const struct summary *s)
{
	return profile_measure(s->view.profile)->unit;
}

static void flat_samples(struct sheet *sheet, const struct summary *s)
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
		put_line(sheet, &lines[i]);
}

static void flat_died(struct sheet *sheet, const struct deaths *deaths)
{
	struct strbuf text = { 0 };

	strbuf_clear(&text);
	deaths_put(&text, deaths);
	put_line(sheet, &(struct line){ .section = "session",
					.name = "died",
					.value = count(deaths->n),
					.text = text.text });
	strbuf_release(&text);
}

static void flat_session(struct sheet *sheet, const struct summary *s)
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
		put_line(sheet, &lines[i]);
	flat_died(sheet, &t->facts.deaths);
	if (is_sampled)
		flat_samples(sheet, s);
}

static long double denominator(const struct summary *s, const struct summary_list *list)
{
	const struct totals *t = &s->profiles[list->profile].totals;

	if (list->column == COLUMN_APPLICATION_EXCLUSIVE)
		return t->application;
	if (list->column == COLUMN_CPU_EXCLUSIVE)
		return totals_cpu(t);
	return column_infos[list->column].family == FAMILY_OS ? 0 : t->elapsed;
}

static void flat_list(struct sheet *sheet, const struct summary *s, const struct summary_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct row *row = list->rows[i];

		put_line(sheet, &(struct line){ list->key, i + 1, row->name, row->module,
						column_value(&s->profiles[list->profile], row, list->column),
						denominator(s, list), NULL, unit_of(s) });
	}
}

static void flat_advice(struct sheet *sheet, const struct summary *s)
{
	for (size_t i = 0; i < s->advices.n; i++) {
		const struct advice *a = &s->advices.list[i];
		struct strbuf text = { 0 };

		strbuf_printf(&text, "%s %s", a->text, a->action);
		put_line(sheet, &(struct line){ .section = "advice",
						.rank = i + 1,
						.name = a->id,
						.module = severity_names[a->severity],
						.text = text.text });
		strbuf_release(&text);
	}
}

static void flat_findings(struct sheet *sheet, const struct summary *s)
{
	for (size_t i = 0; i < s->findings.n; i++) {
		const struct finding *f = &s->findings.list[i];
		struct strbuf text = { 0 };

		strbuf_printf(&text, "%s%s%s", f->subject ? f->subject : "", f->subject ? ": " : "",
			      f->text.text);
		put_line(sheet, &(struct line){ "findings", i + 1, f->id, NULL, total(s, f->gain),
						s->findings.whole, text.text, unit_of(s) });
		strbuf_release(&text);
	}
}

static void flat_suggestions(struct sheet *sheet, const struct summary *s)
{
	for (size_t i = 0; i < s->suggest.n; i++) {
		const struct suggestion *one = &s->suggest.list[i];

		put_line(sheet,
			 &(struct line){ "suggest", i + 1, one->name, one->module, total(s, one->inclusive),
					 s->suggest.whole, one->rule, unit_of(s) });
	}
}

void summary_flat(struct sheet *sheet, const struct view *view)
{
	const struct summary *s = (const void *)view;
	static const char *const columns[] = { "section", "rank", "name",    "module",
					       "value",	  "unit", "percent", "text" };

	if (s->findings_only) {
		findings_flat(sheet, &s->findings);
		return;
	}
	sheet_columns(sheet, columns, ARRAY_SIZE(columns));
	if (s->advice_only) {
		flat_advice(sheet, s);
		return;
	}
	flat_session(sheet, s);
	flat_findings(sheet, s);
	for (size_t i = 0; i < s->n_times; i++)
		put_line(sheet, &(struct line){ "time", 0, s->times[i].key, NULL, ns(s->times[i].ns),
						s->times[i].of, NULL, NULL });
	for (size_t i = 0; i < s->hot.n; i++) {
		const struct entity *entity = level_entity(s, i);

		put_line(sheet, &(struct line){ "hot_path", i + 1, entity->name, entity->module,
						total(s, s->hot.list[i].inclusive),
						view->profile->totals.elapsed, NULL, unit_of(s) });
	}
	for (int i = 0; i < SUMMARY_LISTS; i++)
		flat_list(sheet, s, &s->lists[i]);
	flat_suggestions(sheet, s);
	flat_advice(sheet, s);
}

/* ---- nested ---------------------------------------------------------------------------------- */

static void put_times(struct sheet *sheet, const struct summary *s)
{
	struct strbuf key = { 0 };

	sheet_open(sheet, "time", '{', SHEET_BLOCK);
	for (size_t i = 0; i < s->n_times; i++) {
		strbuf_clear(&key);
		strbuf_printf(&key, "%s_ns", s->times[i].key);
		sheet_ns(sheet, key.text, s->times[i].ns);
	}
	sheet_close(sheet);
	strbuf_release(&key);
}

static void put_hot_path(struct sheet *sheet, const struct summary *s)
{
	long double all = s->view.profile->totals.elapsed;
	int is_sampled = profile_is_sampled(s->view.profile);

	sheet_open(sheet, "hot_path", '[', SHEET_BLOCK);
	for (size_t i = 0; i < s->hot.n; i++) {
		const struct hot_level *level = &s->hot.list[i];
		const struct entity *entity = level_entity(s, i);

		sheet_open(sheet, NULL, '{', SHEET_INLINE);
		sheet_text(sheet, "name", entity->name);
		sheet_text(sheet, "module", entity->module ? entity->module : "");
		if (!is_sampled && level->are_calls_least && !level->calls)
			sheet_none(sheet, "calls");
		else if (!is_sampled)
			sheet_count(sheet, "calls", level->calls);
		if (!is_sampled)
			sheet_text(sheet, "calls_bound", level->are_calls_least ? "at least" : "exact");
		sheet_ns(sheet, is_sampled ? "inclusive_samples" : "elapsed_inclusive_ns", level->inclusive);
		sheet_ns(sheet, is_sampled ? "exclusive_samples" : "elapsed_exclusive_ns", level->exclusive);
		sheet_decimal(sheet, is_sampled ? "inclusive_percent" : "elapsed_inclusive_percent",
			      all > 0 ? 100 * level->inclusive / all : 0, 6);
		sheet_close(sheet);
	}
	sheet_close(sheet);
}

static void put_list(struct sheet *sheet, const struct summary *s, const struct summary_list *list)
{
	struct view view = s->view;

	view.profile = &s->profiles[list->profile];
	view.rows = list->rows;
	view.n_rows = list->n;
	sheet_open(sheet, list->key, '[', SHEET_BLOCK);
	output_put_rows(sheet, &view);
	sheet_close(sheet);
}

static void put_advice(struct sheet *sheet, const struct summary *s)
{
	sheet_open(sheet, "advice", '[', SHEET_BLOCK);
	for (size_t i = 0; i < s->advices.n; i++) {
		const struct advice *a = &s->advices.list[i];

		sheet_open(sheet, NULL, '{', SHEET_INLINE);
		sheet_text(sheet, "id", a->id);
		sheet_text(sheet, "severity", severity_names[a->severity]);
		sheet_text(sheet, "text", a->text);
		sheet_text(sheet, "action", a->action);
		sheet_close(sheet);
	}
	sheet_close(sheet);
}

static void put_suggestions(struct sheet *sheet, const struct summary *s)
{
	if (!s->suggest.title)
		return;
	sheet_open(sheet, "suggest", '[', SHEET_BLOCK);
	for (size_t i = 0; i < s->suggest.n; i++) {
		const struct suggestion *one = &s->suggest.list[i];

		sheet_open(sheet, NULL, '{', SHEET_INLINE);
		sheet_text(sheet, "name", one->name);
		sheet_text(sheet, "module", one->module);
		sheet_text(sheet, "include", one->rule);
		sheet_ns(sheet, "inclusive_samples", one->inclusive);
		sheet_ns(sheet, "exclusive_samples", one->exclusive);
		sheet_close(sheet);
	}
	sheet_close(sheet);
}

void summary_nested(struct sheet *sheet, const struct view *view)
{
	const struct summary *s = (const void *)view;

	sheet_open(sheet, NULL, '{', SHEET_BLOCK);
	if (s->findings_only) {
		findings_nested(sheet, &s->findings);
		sheet_close(sheet);
		return;
	}
	if (!s->advice_only) {
		output_put_session(sheet, view);
		findings_nested(sheet, &s->findings);
		if (!profile_is_sampled(view->profile))
			put_times(sheet, s);
		put_hot_path(sheet, s);
		for (int i = 0; i < SUMMARY_LISTS; i++)
			if (s->lists[i].key)
				put_list(sheet, s, &s->lists[i]);
		put_suggestions(sheet, s);
	}
	put_advice(sheet, s);
	sheet_close(sheet);
}
