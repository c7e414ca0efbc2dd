/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary_data.c - a summary as csv and json. csv: section, rank, name, module, value, unit,
 * percent, text, severity, action, file, line; a section is a group of json.
 */
#include <math.h>
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

static void put_line(struct items *items, const struct line *line)
{
	const struct value *value = &line->value;
	int is_ns = value->type == VALUE_NS;

	items_open(items, NULL, '{', ITEMS_INLINE);
	items_text(items, "section", line->section);
	items_count_if(items, "rank", line->rank);
	items_text(items, "name", line->name);
	items_text(items, "module", line->module);
	if (is_ns || value->type == VALUE_COUNT)
		output_put_value(items, "value", value);
	else
		items_none(items, "value");
	items_text(items, "unit", is_ns ? "ns" : value->type == VALUE_COUNT ? line->unit : NULL);
	items_decimal_if(items, "percent", line->of > 0 ? 100 * value->number / line->of : (long double)NAN,
			 6);
	items_text(items, "text", line->text);
	items_text(items, "severity", line->severity);
	items_text(items, "action", line->action);
	items_text(items, "file", line->file);
	items_count_if(items, "line", line->number);
	items_close(items);
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

static void flat_samples(struct items *items, const struct summary *s)
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
		put_line(items, &lines[i]);
}

static void flat_died(struct items *items, const struct deaths *deaths)
{
	STRBUF(text);

	strbuf_clear(&text);
	deaths_put(&text, deaths);
	put_line(items, &(struct line){ .section = "session",
					.name = "died",
					.value = count(deaths->n),
					.text = text.text });
}

static void flat_session(struct items *items, const struct summary *s)
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
		put_line(items, &lines[i]);
	flat_died(items, &t->facts.deaths);
	if (is_sampled)
		flat_samples(items, s);
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

static void flat_list(struct items *items, const struct summary *s, const struct summary_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct row *row = list->rows[i];

		put_line(items, &(struct line){
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

static void flat_advice(struct items *items, const struct summary *s)
{
	for (size_t i = 0; i < s->advices.n; i++) {
		const struct advice *a = &s->advices.list[i];
		STRBUF(text);

		/* module and text are what these two were called first */
		strbuf_printf(&text, "%s %s", a->text, a->action);
		put_line(items, &(struct line){ .section = "advice",
						.rank = i + 1,
						.name = a->id,
						.module = severity_names[a->severity],
						.text = text.text,
						.severity = severity_names[a->severity],
						.action = a->action });
	}
}

static void flat_findings(struct items *items, const struct summary *s)
{
	for (size_t i = 0; i < s->findings.n; i++) {
		const struct finding *f = &s->findings.list[i];
		STRBUF(text);

		strbuf_printf(&text, "%s%s%s", f->subject ? f->subject : "", f->subject ? ": " : "",
			      f->text.text);
		findings_put_gain(&text, f);
		put_line(items, &(struct line){ .section = "findings",
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

static void flat_suggestions(struct items *items, const struct summary *s)
{
	for (size_t i = 0; i < s->suggest.n; i++) {
		const struct suggestion *one = &s->suggest.list[i];

		put_line(items, &(struct line){ .section = "suggest",
						.rank = i + 1,
						.name = one->name,
						.module = one->module,
						.value = total(s, one->inclusive),
						.of = s->suggest.whole,
						.text = one->rule,
						.unit = unit_of(s) });
	}
}

static void flat_facts(struct items *items, const struct summary *s)
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

	put_line(items, &(struct line){ .section = "recording",
					.name = "reliability",
					.text = summary_reliability(s) });
	for (size_t i = 0; !is_sampled && i < s->n_groups; i++)
		put_line(items, &(struct line){ .section = "thread_groups",
						.rank = i + 1,
						.name = s->groups[i].name,
						.value = ns(s->groups[i].elapsed) });
	for (size_t i = 0; !is_sampled && i < ARRAY_SIZE(lines); i++)
		put_line(items, &lines[i]);
	for (size_t i = 0, rank = 0; i < SUMMARY_NEXT; i++) {
		FREED char *command = summary_next(s, i, 0);

		if (command)
			put_line(items,
				 &(struct line){ .section = "next", .rank = ++rank, .action = command });
	}
}

void summary_flat(struct items *items, const struct view *view)
{
	const struct summary *s = (const void *)view;
	static const char *const columns[] = { "section", "rank", "name",     "module", "value", "unit",
					       "percent", "text", "severity", "action", "file",	 "line" };

	if (s->findings_only) {
		findings_flat(items, &s->findings);
		return;
	}
	items_columns(items, columns, ARRAY_SIZE(columns));
	if (s->advice_only) {
		flat_advice(items, s);
		return;
	}
	flat_session(items, s);
	flat_findings(items, s);
	for (size_t i = 0; i < s->n_times; i++)
		put_line(items, &(struct line){ .section = "time",
						.name = s->times[i].key,
						.value = ns(s->times[i].ns),
						.of = s->times[i].of });
	for (size_t i = 0; i < s->hot.n; i++) {
		const struct entity *entity = level_entity(s, i);

		put_line(items, &(struct line){ .section = "hot_path",
						.rank = i + 1,
						.name = entity->name,
						.module = entity->module,
						.value = total(s, s->hot.list[i].inclusive),
						.of = view->profile->totals.elapsed,
						.unit = unit_of(s) });
	}
	for (int i = 0; i < SUMMARY_LISTS; i++)
		flat_list(items, s, &s->lists[i]);
	flat_suggestions(items, s);
	flat_facts(items, s);
	flat_advice(items, s);
}

/* ---- nested ---------------------------------------------------------------------------------- */

static void put_times(struct items *items, const struct summary *s)
{
	STRBUF(key);

	items_open(items, "time", '{', ITEMS_BLOCK);
	for (size_t i = 0; i < s->n_times; i++) {
		strbuf_clear(&key);
		strbuf_printf(&key, "%s_ns", s->times[i].key);
		items_ns(items, key.text, s->times[i].ns);
	}
	items_close(items);
}

static void put_hot_path(struct items *items, const struct summary *s)
{
	long double all = s->view.profile->totals.elapsed;
	int is_sampled = profile_is_sampled(s->view.profile);

	items_open(items, "hot_path", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < s->hot.n; i++) {
		const struct hot_level *level = &s->hot.list[i];
		const struct entity *entity = level_entity(s, i);

		items_open(items, NULL, '{', ITEMS_INLINE);
		items_text(items, "name", entity->name);
		items_text(items, "module", entity->module ? entity->module : "");
		items_flag(items, "recursive", level->is_recursive);
		if (!is_sampled && level->are_calls_least && !level->calls)
			items_none(items, "calls");
		else if (!is_sampled)
			items_count(items, "calls", level->calls);
		if (!is_sampled)
			items_text(items, "calls_bound", level->are_calls_least ? "at least" : "exact");
		items_ns(items, is_sampled ? "inclusive_samples" : "elapsed_inclusive_ns", level->inclusive);
		items_ns(items, is_sampled ? "exclusive_samples" : "elapsed_exclusive_ns", level->exclusive);
		items_decimal(items, is_sampled ? "inclusive_percent" : "elapsed_inclusive_percent",
			      all > 0 ? 100 * level->inclusive / all : 0, 6);
		items_close(items);
	}
	items_close(items);
}

static void put_list(struct items *items, const struct summary *s, const struct summary_list *list)
{
	struct view view = s->view;

	view.profile = &s->profiles[list->profile];
	view.rows = list->rows;
	view.n_rows = list->n;
	items_open(items, list->key, '[', ITEMS_BLOCK);
	output_put_rows(items, &view);
	items_close(items);
}

static void put_advice(struct items *items, const struct summary *s)
{
	items_open(items, "advice", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < s->advices.n; i++) {
		const struct advice *a = &s->advices.list[i];

		items_open(items, NULL, '{', ITEMS_INLINE);
		items_count(items, "rank", i + 1);
		items_text(items, "id", a->id);
		items_text(items, "severity", severity_names[a->severity]);
		items_text(items, "text", a->text);
		items_text(items, "action", a->action);
		items_close(items);
	}
	items_close(items);
}

static void put_groups(struct items *items, const struct summary *s)
{
	items_open(items, "thread_groups", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < s->n_groups; i++) {
		const struct summary_group *group = &s->groups[i];
		long double off = summary_waiting_percent(group->elapsed, group->off_cpu);
		long double preempted = summary_waiting_percent(group->elapsed, group->preempted);

		items_open(items, NULL, '{', ITEMS_INLINE);
		items_text(items, "name", group->name);
		items_count(items, "threads", group->threads);
		items_ns(items, "elapsed_inclusive_ns", group->elapsed);
		items_ns(items, "off_cpu_ns", group->off_cpu);
		items_ns(items, "preempted_ns", group->preempted);
		items_decimal(items, "waiting_percent", off > preempted ? off - preempted : 0, 6);
		items_decimal(items, "preempted_percent", preempted, 6);
		items_decimal(items, "computing_percent", 100 - off, 6);
		items_close(items);
	}
	items_close(items);
}

static void put_waits(struct items *items, const struct summary *s)
{
	const struct summary_waits waits = summary_waits_of(s);

	items_open(items, "waits", '{', ITEMS_BLOCK);
	items_ns(items, "all_ns", waits.all);
	items_ns(items, "threads_ns", waits.threads);
	items_ns(items, "processes_ns", waits.processes);
	items_ns(items, "signals_ns", waits.signals);
	items_ns(items, "processor_ns", waits.processor);
	items_close(items);
}

/* Writes how far the numbers can be trusted, and of a rough session the bounds of its computing
 * time. */
static void put_recording(struct items *items, const struct summary *s)
{
	const struct totals *t = &s->view.profile->totals;

	items_open(items, "recording", '{', ITEMS_BLOCK);
	items_text(items, "reliability", summary_reliability(s));
	if (s->is_rough) {
		items_ns(items, "computing_low_ns", uncertainty_lower_end_of_whole(t));
		items_ns(items, "computing_high_ns", uncertainty_upper_end_of_whole(t));
		items_ns(items, "computing_with_probes_ns", totals_cpu(t) + t->overhead);
	}
	items_close(items);
}

static void put_next(struct items *items, const struct summary *s)
{
	items_open(items, "next", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < SUMMARY_NEXT; i++) {
		FREED char *command = summary_next(s, i, 0);

		if (command)
			items_text(items, NULL, command);
	}
	items_close(items);
}

static void put_suggestions(struct items *items, const struct summary *s)
{
	if (!s->suggest.title)
		return;
	items_open(items, "suggest", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < s->suggest.n; i++) {
		const struct suggestion *one = &s->suggest.list[i];

		items_open(items, NULL, '{', ITEMS_INLINE);
		items_text(items, "name", one->name);
		items_text(items, "module", one->module);
		items_text(items, "include", one->rule);
		items_ns(items, "inclusive_samples", one->inclusive);
		items_ns(items, "exclusive_samples", one->exclusive);
		items_close(items);
	}
	items_close(items);
}

void summary_nested(struct items *items, const struct view *view)
{
	const struct summary *s = (const void *)view;

	if (s->is_sarif) {
		findings_sarif(items, &s->findings);
		return;
	}
	items_open(items, NULL, '{', ITEMS_BLOCK);
	if (s->findings_only) {
		findings_nested(items, &s->findings);
		items_close(items);
		return;
	}
	if (!s->advice_only) {
		output_put_session(items, view);
		findings_nested(items, &s->findings);
		if (!profile_is_sampled(view->profile))
			put_times(items, s);
		put_hot_path(items, s);
		for (int i = 0; i < SUMMARY_LISTS; i++)
			if (s->lists[i].key)
				put_list(items, s, &s->lists[i]);
		put_suggestions(items, s);
		put_recording(items, s);
		if (!profile_is_sampled(view->profile)) {
			put_groups(items, s);
			put_waits(items, s);
		}
		put_next(items, s);
	}
	put_advice(items, s);
	items_close(items);
}
