/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary_data.c - a summary as csv and json. csv: section, rank, name, module, value, unit,
 * percent, text, severity, action, file, line; a section is a group of json.
 */
#include <stdlib.h>

#include "rows/uncertainty.h"
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
	const char *severity, *action, *file;
	uint32_t number; /* of the file's line; 0: none */
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
	sheet_text(sheet, "severity", line->severity);
	sheet_text(sheet, "action", line->action);
	sheet_text(sheet, "file", line->file);
	sheet_count_if(sheet, "line", line->number);
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
		{ .section = "samples",
		  .name = "kept",
		  .value = total(s, t->elapsed),
		  .of = t->elapsed,
		  .unit = "samples" },
		{ .section = "samples",
		  .name = "discarded",
		  .value = count(samples->discarded),
		  .unit = "samples" },
		{ .section = "samples",
		  .name = "paused",
		  .value = count(samples->paused),
		  .unit = "samples" },
		{ .section = "samples", .name = "lost", .value = count(samples->lost), .unit = "samples" },
		{ .section = "samples",
		  .name = "truncated",
		  .value = count(samples->truncated),
		  .of = t->elapsed,
		  .unit = "samples" },
		{ .section = "samples",
		  .name = "not_seen",
		  .value = count(samples_unseen(samples)),
		  .unit = "samples" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		put_line(sheet, &lines[i]);
}

static void flat_died(struct sheet *sheet, const struct deaths *deaths)
{
	STRBUF(text);

	strbuf_clear(&text);
	deaths_put(&text, deaths);
	put_line(sheet, &(struct line){ .section = "session",
					.name = "died",
					.value = count(deaths->n),
					.text = text.text });
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

		put_line(sheet, &(struct line){
					.section = list->key,
					.rank = i + 1,
					.name = row->name,
					.module = row->module,
					.value = column_value(&s->profiles[list->profile], row, list->column),
					.of = denominator(s, list),
					.unit = unit_of(s),
					.file = row->file,
					.number = row->line });
	}
}

static void flat_advice(struct sheet *sheet, const struct summary *s)
{
	for (size_t i = 0; i < s->advices.n; i++) {
		const struct advice *a = &s->advices.list[i];
		STRBUF(text);

		/* module and text are what these two were called first */
		strbuf_printf(&text, "%s %s", a->text, a->action);
		put_line(sheet, &(struct line){ .section = "advice",
						.rank = i + 1,
						.name = a->id,
						.module = severity_names[a->severity],
						.text = text.text,
						.severity = severity_names[a->severity],
						.action = a->action });
	}
}

static void flat_findings(struct sheet *sheet, const struct summary *s)
{
	for (size_t i = 0; i < s->findings.n; i++) {
		const struct finding *f = &s->findings.list[i];
		STRBUF(text);

		strbuf_printf(&text, "%s%s%s", f->subject ? f->subject : "", f->subject ? ": " : "",
			      f->text.text);
		findings_put_gain(&text, f);
		put_line(sheet, &(struct line){ .section = "findings",
						.rank = i + 1,
						.name = f->id,
						.value = total(s, f->time),
						.of = s->findings.whole,
						.text = text.text,
						.unit = unit_of(s),
						.action = f->command,
						.file = f->file,
						.number = f->line });
	}
}

static void flat_suggestions(struct sheet *sheet, const struct summary *s)
{
	for (size_t i = 0; i < s->suggest.n; i++) {
		const struct suggestion *one = &s->suggest.list[i];

		put_line(sheet, &(struct line){ .section = "suggest",
						.rank = i + 1,
						.name = one->name,
						.module = one->module,
						.value = total(s, one->inclusive),
						.of = s->suggest.whole,
						.text = one->rule,
						.unit = unit_of(s) });
	}
}

static void flat_facts(struct sheet *sheet, const struct summary *s)
{
	const struct summary_waits w = summary_waits_of(s);
	const struct line lines[] = {
		{ .section = "waits", .name = "all", .value = ns(w.all) },
		{ .section = "waits", .name = "threads", .value = ns(w.threads), .of = w.all },
		{ .section = "waits", .name = "processes", .value = ns(w.processes), .of = w.all },
		{ .section = "waits", .name = "signals", .value = ns(w.signals), .of = w.all },
		{ .section = "waits", .name = "processor", .value = ns(w.processor), .of = w.all },
	};
	int is_sampled = profile_is_sampled(s->view.profile);

	put_line(sheet, &(struct line){ .section = "recording",
					.name = "reliability",
					.text = summary_reliability(s) });
	for (size_t i = 0; !is_sampled && i < s->n_groups; i++)
		put_line(sheet, &(struct line){ .section = "thread_groups",
						.rank = i + 1,
						.name = s->groups[i].name,
						.value = ns(s->groups[i].elapsed) });
	for (size_t i = 0; !is_sampled && i < ARRAY_SIZE(lines); i++)
		put_line(sheet, &lines[i]);
	for (size_t i = 0, rank = 0; i < SUMMARY_NEXT; i++) {
		FREED char *command = summary_next(s, i, 0);

		if (command)
			put_line(sheet,
				 &(struct line){ .section = "next", .rank = ++rank, .action = command });
	}
}

void summary_flat(struct sheet *sheet, const struct view *view)
{
	const struct summary *s = (const void *)view;
	static const char *const columns[] = { "section", "rank", "name",     "module", "value", "unit",
					       "percent", "text", "severity", "action", "file",	 "line" };

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
		put_line(sheet, &(struct line){ .section = "time",
						.name = s->times[i].key,
						.value = ns(s->times[i].ns),
						.of = s->times[i].of });
	for (size_t i = 0; i < s->hot.n; i++) {
		const struct entity *entity = level_entity(s, i);

		put_line(sheet, &(struct line){ .section = "hot_path",
						.rank = i + 1,
						.name = entity->name,
						.module = entity->module,
						.value = total(s, s->hot.list[i].inclusive),
						.of = view->profile->totals.elapsed,
						.unit = unit_of(s) });
	}
	for (int i = 0; i < SUMMARY_LISTS; i++)
		flat_list(sheet, s, &s->lists[i]);
	flat_suggestions(sheet, s);
	flat_facts(sheet, s);
	flat_advice(sheet, s);
}

/* ---- nested ---------------------------------------------------------------------------------- */

static void put_times(struct sheet *sheet, const struct summary *s)
{
	STRBUF(key);

	sheet_open(sheet, "time", '{', SHEET_BLOCK);
	for (size_t i = 0; i < s->n_times; i++) {
		strbuf_clear(&key);
		strbuf_printf(&key, "%s_ns", s->times[i].key);
		sheet_ns(sheet, key.text, s->times[i].ns);
	}
	sheet_close(sheet);
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
		sheet_flag(sheet, "recursive", level->is_recursive);
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
		sheet_count(sheet, "rank", i + 1);
		sheet_text(sheet, "id", a->id);
		sheet_text(sheet, "severity", severity_names[a->severity]);
		sheet_text(sheet, "text", a->text);
		sheet_text(sheet, "action", a->action);
		sheet_close(sheet);
	}
	sheet_close(sheet);
}

static void put_groups(struct sheet *sheet, const struct summary *s)
{
	sheet_open(sheet, "thread_groups", '[', SHEET_BLOCK);
	for (size_t i = 0; i < s->n_groups; i++) {
		const struct summary_group *group = &s->groups[i];
		long double off = summary_waiting_percent(group->elapsed, group->off_cpu);
		long double preempted = summary_waiting_percent(group->elapsed, group->preempted);

		sheet_open(sheet, NULL, '{', SHEET_INLINE);
		sheet_text(sheet, "name", group->name);
		sheet_count(sheet, "threads", group->threads);
		sheet_ns(sheet, "elapsed_inclusive_ns", group->elapsed);
		sheet_ns(sheet, "off_cpu_ns", group->off_cpu);
		sheet_ns(sheet, "preempted_ns", group->preempted);
		sheet_decimal(sheet, "waiting_percent", off > preempted ? off - preempted : 0, 6);
		sheet_decimal(sheet, "preempted_percent", preempted, 6);
		sheet_decimal(sheet, "computing_percent", 100 - off, 6);
		sheet_close(sheet);
	}
	sheet_close(sheet);
}

static void put_waits(struct sheet *sheet, const struct summary *s)
{
	const struct summary_waits waits = summary_waits_of(s);

	sheet_open(sheet, "waits", '{', SHEET_BLOCK);
	sheet_ns(sheet, "all_ns", waits.all);
	sheet_ns(sheet, "threads_ns", waits.threads);
	sheet_ns(sheet, "processes_ns", waits.processes);
	sheet_ns(sheet, "signals_ns", waits.signals);
	sheet_ns(sheet, "processor_ns", waits.processor);
	sheet_close(sheet);
}

/* Writes how far the numbers can be trusted, and of a rough session the bounds of its computing
 * time. */
static void put_recording(struct sheet *sheet, const struct summary *s)
{
	const struct totals *t = &s->view.profile->totals;

	sheet_open(sheet, "recording", '{', SHEET_BLOCK);
	sheet_text(sheet, "reliability", summary_reliability(s));
	if (s->is_rough) {
		sheet_ns(sheet, "computing_low_ns", uncertainty_lower_end_of_whole(t));
		sheet_ns(sheet, "computing_high_ns", uncertainty_upper_end_of_whole(t));
		sheet_ns(sheet, "computing_with_probes_ns", totals_cpu(t) + t->overhead);
	}
	sheet_close(sheet);
}

static void put_next(struct sheet *sheet, const struct summary *s)
{
	sheet_open(sheet, "next", '[', SHEET_BLOCK);
	for (size_t i = 0; i < SUMMARY_NEXT; i++) {
		FREED char *command = summary_next(s, i, 0);

		if (command)
			sheet_text(sheet, NULL, command);
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

	if (s->is_sarif) {
		findings_sarif(sheet, &s->findings);
		return;
	}
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
		put_recording(sheet, s);
		if (!profile_is_sampled(view->profile)) {
			put_groups(sheet, s);
			put_waits(sheet, s);
		}
		put_next(sheet, s);
	}
	put_advice(sheet, s);
	sheet_close(sheet);
}
