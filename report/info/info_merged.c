/* SPDX-License-Identifier: GPL-3.0-or-later */
/* info_merged.c - prints the processes, hosts and ranks of a merged session (cinstr merge). */
#include <string.h>

#include "file/merged.h"
#include "info.h"

#define NAMES_SHOWN 4

void info_put_contributor(struct strbuf *text, const struct merged_contributor *c)
{
	if (c->rank_after)
		strbuf_printf(text, "rank %u, ", c->rank_after - 1);
	strbuf_puts(text, "pid ");
	strbuf_printf(text, "%u", c->pid);
	if (*c->host) {
		strbuf_puts(text, " on ");
		strbuf_visible(text, c->host);
	}
}

/* "2: here, there" */
static void say_names(struct info *info, const struct merged *merged, const char *label,
		      const char *(*name_of)(const struct merged_contributor *c))
{
	STRBUF(names);
	struct map seen = { 0 };

	for (uint32_t i = 0; i < merged->head->n_contributors; i++) {
		const char *name = name_of(&merged->contributors[i]);
		int is_new = 0;

		if (*name)
			map_add(&seen, name, strlen(name), &is_new);
		if (!is_new || seen.n > NAMES_SHOWN)
			continue;
		strbuf_puts(&names, seen.n > 1 ? ", " : "");
		strbuf_visible(&names, name);
	}
	if (seen.n) {
		strbuf_thousands(&info->text, seen.n);
		strbuf_printf(&info->text, ": %s%s", names.text, seen.n > NAMES_SHOWN ? ", ..." : "");
	}
	info_say(info, label);
	map_release(&seen);
}

static const char *host_of(const struct merged_contributor *c)
{
	return c->host;
}

static const char *job_of(const struct merged_contributor *c)
{
	return c->job;
}

static const char *program_of(const struct merged_contributor *c)
{
	return c->program;
}

static void say_ranks(struct info *info, const struct merged *merged)
{
	uint32_t least = UINT32_MAX, most = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < merged->head->n_contributors; i++) {
		uint32_t after = merged->contributors[i].rank_after;

		if (!after)
			continue;
		n++;
		least = after < least ? after : least;
		most = after > most ? after : most;
	}
	if (n) {
		strbuf_thousands(&info->text, n);
		strbuf_printf(&info->text, " processes have a rank, %u to %u", least - 1, most - 1);
	}
	info_say(info, "ranks");
}

/* Who took least and most time. */
static void say_elapsed(struct info *info, const struct merged *merged)
{
	const struct merged_contributor *least = &merged->contributors[0], *most = least;

	for (uint32_t i = 1; i < merged->head->n_contributors; i++) {
		const struct merged_contributor *c = &merged->contributors[i];

		least = c->elapsed < least->elapsed ? c : least;
		most = c->elapsed > most->elapsed ? c : most;
	}
	strbuf_duration(&info->text, (long double)least->elapsed);
	strbuf_puts(&info->text, " (");
	info_put_contributor(&info->text, least);
	strbuf_puts(&info->text, ") to ");
	strbuf_duration(&info->text, (long double)most->elapsed);
	strbuf_puts(&info->text, " (");
	info_put_contributor(&info->text, most);
	strbuf_puts(&info->text, ")");
	info_say(info, "elapsed");
}

void info_say_merged(struct info *info, const struct merged *merged)
{
	strbuf_thousands(&info->text, merged->head->n_contributors);
	strbuf_puts(&info->text, " processes, ");
	strbuf_thousands(&info->text, (uint64_t)merged->totals.threads);
	strbuf_puts(&info->text, " threads, ");
	strbuf_thousands(&info->text, (uint64_t)merged->totals.events);
	strbuf_puts(&info->text, " events, ");
	strbuf_thousands(&info->text, merged->head->n_nodes - 1);
	strbuf_puts(&info->text, " call paths");
	info_say(info, "merged of");
	say_names(info, merged, "programs", program_of);
	say_names(info, merged, "jobs", job_of);
	say_names(info, merged, "hosts", host_of);
	say_ranks(info, merged);
	if (merged->head->n_contributors)
		say_elapsed(info, merged);
}

void info_put_merged(struct items *items, const struct merged *merged)
{
	items_open(items, "merged", '{', ITEMS_LINES);
	items_count(items, "processes", merged->head->n_contributors);
	items_count(items, "threads", (uint64_t)merged->totals.threads);
	items_count(items, "paths", merged->head->n_nodes - 1);
	items_open(items, "contributors", '[', ITEMS_LINES);
	for (uint32_t i = 0; i < merged->head->n_contributors; i++) {
		const struct merged_contributor *c = &merged->contributors[i];

		items_open(items, NULL, '{', ITEMS_LINES);
		items_text(items, "host", c->host);
		items_text(items, "job", c->job);
		items_text(items, "program", c->program);
		if (c->rank_after)
			items_count(items, "rank", c->rank_after - 1);
		items_count(items, "pid", c->pid);
		items_count(items, "begin_realtime_ns", c->start_realtime_ns);
		items_count(items, "elapsed_ns", c->elapsed);
		items_close(items);
	}
	items_close(items);
	items_close(items);
}
