/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_waits.c - what threads waited for, and who ended the waits, as in cinstr waits: groups of
 * objects, the parts of their time by waiter, path and who ended it, and waits that have not ended.
 * As JSON: page/waits.js reads it. */
#include <stdlib.h>

#include "html_sections.h"
#include "json_pack.h"
#include "lib/array.h"
#include "waits/wait_groups.h"
#include "waits/wait_words.h"

void html_waits_take(struct html *html)
{
	struct profile *edges = &html->summary.profiles[SUMMARY_EDGES];

	html->waits = edges->waits;
	edges->waits = (struct wait_facts){ 0 };
}

/* Of a range of time it is not known what was waited for in it. */
int html_has_waits(const struct html *html)
{
	return !selection_has_range(&html->wish->view->selection) &&
	       (html->waits.n || open_waits_any_shown(&html->waits.open));
}

/* Text as the page shows names; NULL: nothing. */
static void put_text(struct sheet *sheet, const char *name, const char *text)
{
	STRBUF(visible);

	if (!text)
		return;
	strbuf_clear(&visible);
	strbuf_visible(&visible, text);
	sheet_text(sheet, name, visible.text);
}

static void put_place(struct html *html, struct sheet *sheet, const struct wait_place *place)
{
	const struct profile *profile = html->profiles[HTML_FUNCTIONS];

	if (place->entity == NAMES_NONE)
		return;
	sheet_signed(sheet, "function", html_function(html, profile, place->entity));
	put_text(sheet, "name", profile->names->list[place->entity].name);
	put_text(sheet, "file", place->file);
	sheet_count_if(sheet, "line", place->line);
}

/* ---- waits that are over --------------------------------------------------------------------- */

static const char *known_word(const struct wait_share *share)
{
	return share->known == WAIT_KNOWN_NOT	   ? "no"
	       : share->known == WAIT_KNOWN_THREAD ? "thread"
	       : share->is_exact		   ? "call"
						   : "likely";
}

static void put_shares(struct html *html, struct sheet *sheet, const char *name,
		       const struct wait_shares *shares, int is_giver)
{
	sheet_open(sheet, name, '[', SHEET_INLINE);
	for (size_t i = 0; i < shares->n; i++) {
		const struct wait_share *share = &shares->list[i];

		sheet_open(sheet, NULL, '{', SHEET_INLINE);
		sheet_count(sheet, "number", share->number);
		sheet_count_if(sheet, "readers", share->readers);
		put_place(html, sheet, &share->place);
		if (is_giver)
			sheet_text(sheet, "known", known_word(share));
		sheet_count_if(sheet, "tid", share->tid);
		put_text(sheet, "thread", share->tid ? share->thread : NULL);
		sheet_count(sheet, "threads", share->n_threads);
		sheet_count(sheet, "waits", share->waits);
		sheet_ns(sheet, "ns", share->ns);
		sheet_close(sheet);
	}
	sheet_close(sheet);
}

static void put_group(struct html *html, struct sheet *sheet, const struct wait_group *group)
{
	const struct wait_word *word = &wait_words[group->kind];

	sheet_open(sheet, NULL, '{', SHEET_INLINE);
	sheet_count(sheet, "number", group->number);
	sheet_text(sheet, "kind", group->n_objects > 1 && !group->name ? word->many : word->one);
	sheet_text(sheet, "given", word->given);
	sheet_flag(sheet, "is_lock", wait_kind_is_lock(group->kind));
	put_text(sheet, "object", group->name);
	put_text(sheet, "module", group->module);
	sheet_count(sheet, "objects", group->n_objects);
	sheet_count(sheet, "waits", group->waits);
	sheet_ns(sheet, "ns", group->ns);
	sheet_ns(sheet, "longest_ns", group->longest_ns);
	put_shares(html, sheet, "waiters", &group->waiters, 0);
	put_shares(html, sheet, "givers", &group->givers, 1);
	sheet_close(sheet);
}

/* Facts of one group, waiter, giver and path, of all threads together. */
struct part {
	const struct wait_roles *roles;
	const char *path;
	uint64_t waits;
	long double ns, longest_ns;
};

static struct part *parts_make(const struct wait_facts *facts, const struct wait_roles *roles, size_t *n)
{
	STRBUF(key);
	struct part *parts = NULL;
	struct map keys = { 0 };
	int is_new;

	*n = 0;
	for (size_t i = 0; i < facts->n; i++) {
		const struct wait_fact *fact = &facts->list[i];
		struct part *part;
		size_t number;

		strbuf_clear(&key);
		strbuf_printf(&key, "%u %u %u %s", roles[i].group, roles[i].waiter, roles[i].giver,
			      fact->path);
		number = map_add(&keys, key.text, key.length, &is_new);
		if (is_new) {
			ARRAY_ONE_MORE(parts, *n);
			parts[(*n)++] = (struct part){ .roles = &roles[i], .path = fact->path };
		}
		part = &parts[number];
		part->waits += fact->waits;
		part->ns += fact->ns;
		if (fact->longest_ns > part->longest_ns)
			part->longest_ns = fact->longest_ns;
	}
	map_release(&keys);
	return parts;
}

static void put_parts(struct sheet *sheet, const struct wait_facts *facts, const struct wait_roles *roles)
{
	size_t n;
	FREED struct part *parts = parts_make(facts, roles, &n);

	sheet_open(sheet, "parts", '[', SHEET_BLOCK);
	for (size_t i = 0; i < n; i++) {
		sheet_open(sheet, NULL, '{', SHEET_INLINE);
		sheet_count(sheet, "group", parts[i].roles->group);
		sheet_count(sheet, "waiter", parts[i].roles->waiter);
		sheet_count(sheet, "giver", parts[i].roles->giver);
		put_text(sheet, "path", parts[i].path);
		sheet_count(sheet, "waits", parts[i].waits);
		sheet_ns(sheet, "ns", parts[i].ns);
		sheet_ns(sheet, "longest_ns", parts[i].longest_ns);
		sheet_close(sheet);
	}
	sheet_close(sheet);
}

/* ---- waits that have not ended --------------------------------------------------------------- */

static void put_party(struct html *html, struct sheet *sheet, const char *name,
		      const struct wait_party *party)
{
	sheet_open(sheet, name, '{', SHEET_INLINE);
	sheet_count(sheet, "tid", party->tid);
	put_text(sheet, "thread", party->name);
	sheet_flag(sheet, "is_first", party->is_first);
	put_place(html, sheet, &party->at);
	put_text(sheet, "calls", party->calls);
	sheet_close(sheet);
}

static void put_open_wait(struct html *html, struct sheet *sheet, size_t i)
{
	const struct open_waits *open = &html->waits.open;
	const struct open_wait *wait = &open->list[i];
	char address[32];

	sheet_open(sheet, NULL, '{', SHEET_INLINE);
	sheet_count_if(sheet, "cycle", wait->cycle);
	if (wait->cycle)
		sheet_flag(sheet, "is_certain", open_waits_is_certain(open, i));
	sheet_text(sheet, "kind", wait_words[wait->kind].one);
	put_text(sheet, "object", wait->name);
	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)wait->address);
	if (wait->address && !wait->name && wait->kind != CINSTR_OBJECT_THREAD)
		sheet_text(sheet, "address", address);
	sheet_flag(sheet, "is_known", wait->address != 0);
	if (wait->end_is_known)
		sheet_ns(sheet, "ns", wait->ns);
	sheet_ns(sheet, "since_ns", wait->since);
	put_party(html, sheet, "waiter", &wait->waiter);
	sheet_count(sheet, "more", open_waits_more(open, i));
	put_text(sheet, "path", wait->path);
	if (wait->holder.tid) {
		sheet_text(sheet, "held", wait_holder_word(wait));
		put_party(html, sheet, "holder", &wait->holder);
	} else if (wait->readers) {
		sheet_text(sheet, "held", wait_holder_word(wait));
		sheet_count(sheet, "readers", wait->readers);
	}
	sheet_close(sheet);
}

/* Waits of a circle stand one behind another: whether it is certain is told at the first one. */
static void put_open(struct html *html, struct sheet *sheet)
{
	const struct open_waits *open = &html->waits.open;

	sheet_open(sheet, "open", '[', SHEET_BLOCK);
	for (size_t i = 0; i < open->n; i++)
		if (open_wait_is_shown(&open->list[i]) && !open_waits_is_told(open, i))
			put_open_wait(html, sheet, i);
	sheet_close(sheet);
}

void html_write_waits(struct html *html)
{
	struct wait_groups groups;
	struct json json;

	wait_groups_make(&groups, &html->waits);
	json_begin(&json);
	sheet_open(&json.sheet, NULL, '{', SHEET_BLOCK);
	put_open(html, &json.sheet);
	sheet_open(&json.sheet, "groups", '[', SHEET_BLOCK);
	for (size_t i = 0; i < groups.n; i++)
		put_group(html, &json.sheet, &groups.list[i]);
	sheet_close(&json.sheet);
	put_parts(&json.sheet, &html->waits, groups.roles);
	sheet_close(&json.sheet);
	json_pack(&json, &html->pack);
	wait_groups_release(&groups);
}
