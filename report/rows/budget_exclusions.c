/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "budget_exclusions.h"

#include <stdlib.h>

/* ---- collecting ------------------------------------------------------------------------------ */

static long double moment_ns(const struct data *data, const struct data_mark *mark)
{
	int known;
	long double ns = data_ns_per_tick(data, &known);
	uint64_t begin = data->header->clock_ticks[0];

	return mark->ticks > begin ? (long double)(mark->ticks - begin) * ns : 0;
}

static struct exclusion *out_of(struct exclusions *outs, uint32_t entity, const struct data *data,
				long double ns)
{
	struct {
		uint64_t start;
		uint32_t pid, entity;
	} key = { data->header->start_realtime_ns, data->header->pid, entity };
	int is_new;
	size_t number = map_add(&outs->keys, &key, sizeof(key), &is_new);

	if (is_new) {
		outs->list = xrealloc(outs->list, number + 1, sizeof(*outs->list));
		outs->list[number] =
			(struct exclusion){ .entity = entity, .pid = key.pid, .lowest = 2, .first = ns };
		outs->n = number + 1;
		map_add(&outs->entities, &entity, sizeof(entity), &is_new);
	}
	return &outs->list[number];
}

/* How much a level leaves: none, counted, entry and exit, all. */
static uint32_t rank(uint32_t level)
{
	static const uint32_t ranks[] = { 0, 2, 3, 1 };

	return ranks[level];
}

void exclusions_add(struct exclusions *outs, struct names *names, const struct data *data)
{
	for (size_t i = 0; i < data->n_marks; i++) {
		const struct data_mark *mark = &data->marks[i];
		const struct module *module = modules_by_code(&data->modules, mark->site);
		const struct module_function *f =
			module ? module_function(module, mark->site | CINSTR_EV_ENTER) : NULL;
		struct exclusion *out;
		int is_new;

		if ((mark->kind != CINSTR_MARK_DEMOTED && mark->kind != CINSTR_MARK_RESTORED) || !f)
			continue;
		out = out_of(outs, names_of_function(names, module, f), data, moment_ns(data, mark));
		out->times += mark->kind == CINSTR_MARK_DEMOTED;
		out->level = mark->id < 0 || mark->id > 3 ? 2 : (uint32_t)mark->id;
		out->lowest = rank(out->level) < rank(out->lowest) ? out->level : out->lowest;
		if (!out->level)
			map_add(&outs->uncounted, &out->entity, sizeof(out->entity), &is_new);
		out->last = moment_ns(data, mark);
	}
}

int exclusions_have(const struct exclusions *outs, uint32_t entity)
{
	return outs->n && map_find(&outs->entities, &entity, sizeof(entity)) != MAP_NONE;
}

void exclusions_release(struct exclusions *outs)
{
	free(outs->list);
	map_release(&outs->keys);
	map_release(&outs->entities);
	map_release(&outs->uncounted);
	*outs = (struct exclusions){ 0 };
}

/* ---- in words -------------------------------------------------------------------------------- */

void exclusion_put(struct strbuf *buf, const struct exclusion *out, const struct names *names)
{
	static const char *const words[] = { " (all probes", " (calls", " (", " (counted" };

	strbuf_visible(buf, names->list[out->entity].name);
	strbuf_puts(buf, " at ");
	strbuf_duration(buf, out->first);
	strbuf_puts(buf, words[out->lowest]);
	if (out->times > 1)
		strbuf_printf(buf, ", %u times", out->times);
	strbuf_puts(buf, ")");
	if (out->level != 2)
		return;
	strbuf_puts(buf, ", back at ");
	strbuf_duration(buf, out->last);
}

static void put_percent(struct strbuf *buf, uint64_t part, uint64_t whole)
{
	strbuf_printf(buf, "%.1Lf %%", whole ? 100 * (long double)part / (long double)whole : 0.0L);
}

void exclusion_put_estimate(struct strbuf *buf, const struct data *data)
{
	const struct cinstr_budget *b = &data->header->budget;

	if (!b->limit)
		return;
	strbuf_printf(buf,
		      "at most %Lg %% of the program's own time; estimated: ", (long double)b->limit / 10000);
	if (b->taken_out && b->own_ticks_before) {
		put_percent(buf, b->probe_ticks_before, b->own_ticks_before);
		strbuf_puts(buf, " before any probe was taken out, ");
		put_percent(buf, b->probe_ticks - b->probe_ticks_before, b->own_ticks - b->own_ticks_before);
		strbuf_puts(buf, " from then on, without what counting takes");
	} else {
		put_percent(buf, b->probe_ticks, b->own_ticks);
	}
}
