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
static void put_text(struct items *items, const char *name, const char *text)
{
	STRBUF(visible);

	if (!text)
		return;
	strbuf_clear(&visible);
	strbuf_visible(&visible, text);
	items_text(items, name, visible.text);
}

static void put_place(struct html *html, struct items *items, const struct wait_place *place)
{
	const struct profile *profile = html->profiles[HTML_FUNCTIONS];

	if (place->entity == NAMES_NONE)
		return;
	items_signed(items, "function", html_function(html, profile, place->entity));
	put_text(items, "name", profile->names->list[place->entity].name);
	put_text(items, "file", place->file);
	items_count_if(items, "line", place->line);
}

/* ---- waits that are over --------------------------------------------------------------------- */

static const char *known_word(const struct wait_share *share)
{
	return share->known == WAIT_KNOWN_NOT	   ? "no"
	       : share->known == WAIT_KNOWN_THREAD ? "thread"
	       : share->is_exact		   ? "call"
						   : "likely";
}

static void put_shares(struct html *html, struct items *items, const char *name,
		       const struct wait_shares *shares, int is_giver)
{
	items_open(items, name, '[', ITEMS_INLINE);
	for (size_t i = 0; i < shares->n; i++) {
		const struct wait_share *share = &shares->list[i];

		items_open(items, NULL, '{', ITEMS_INLINE);
		items_count(items, "number", share->number);
		items_count_if(items, "readers", share->readers);
		put_place(html, items, &share->place);
		if (is_giver)
			items_text(items, "known", known_word(share));
		items_count_if(items, "tid", share->tid);
		put_text(items, "thread", share->tid ? share->thread : NULL);
		items_count(items, "threads", share->n_threads);
		items_count(items, "waits", share->waits);
		items_ns(items, "ns", share->ns);
		items_close(items);
	}
	items_close(items);
}

static void put_group(struct html *html, struct items *items, const struct wait_group *group)
{
	const struct wait_word *word = &wait_words[group->kind];

	items_open(items, NULL, '{', ITEMS_INLINE);
	items_count(items, "number", group->number);
	items_text(items, "kind", group->n_objects > 1 && !group->name ? word->many : word->one);
	items_text(items, "given", word->given);
	items_flag(items, "is_lock", wait_kind_is_lock(group->kind));
	put_text(items, "object", group->name);
	put_text(items, "module", group->module);
	items_count(items, "objects", group->n_objects);
	items_count(items, "waits", group->waits);
	items_ns(items, "ns", group->ns);
	items_ns(items, "longest_ns", group->longest_ns);
	put_shares(html, items, "waiters", &group->waiters, 0);
	put_shares(html, items, "givers", &group->givers, 1);
	items_close(items);
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

static void put_parts(struct items *items, const struct wait_facts *facts, const struct wait_roles *roles)
{
	size_t n;
	FREED struct part *parts = parts_make(facts, roles, &n);

	items_open(items, "parts", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < n; i++) {
		items_open(items, NULL, '{', ITEMS_INLINE);
		items_count(items, "group", parts[i].roles->group);
		items_count(items, "waiter", parts[i].roles->waiter);
		items_count(items, "giver", parts[i].roles->giver);
		put_text(items, "path", parts[i].path);
		items_count(items, "waits", parts[i].waits);
		items_ns(items, "ns", parts[i].ns);
		items_ns(items, "longest_ns", parts[i].longest_ns);
		items_close(items);
	}
	items_close(items);
}

/* ---- waits that have not ended --------------------------------------------------------------- */

static void put_party(struct html *html, struct items *items, const char *name,
		      const struct wait_party *party)
{
	items_open(items, name, '{', ITEMS_INLINE);
	items_count(items, "tid", party->tid);
	put_text(items, "thread", party->name);
	items_flag(items, "is_first", party->is_first);
	put_place(html, items, &party->at);
	put_text(items, "calls", party->calls);
	items_close(items);
}

static void put_open_wait(struct html *html, struct items *items, size_t i)
{
	const struct open_waits *open = &html->waits.open;
	const struct open_wait *wait = &open->list[i];
	char address[32];

	items_open(items, NULL, '{', ITEMS_INLINE);
	items_count_if(items, "cycle", wait->cycle);
	if (wait->cycle)
		items_flag(items, "is_certain", open_waits_is_certain(open, i));
	items_text(items, "kind", wait_words[wait->kind].one);
	put_text(items, "object", wait->name);
	snprintf(address, sizeof(address), "0x%llx", (unsigned long long)wait->address);
	if (wait->address && !wait->name && wait->kind != CINSTR_OBJECT_THREAD)
		items_text(items, "address", address);
	items_flag(items, "is_known", wait->address != 0);
	if (wait->end_is_known)
		items_ns(items, "ns", wait->ns);
	items_ns(items, "since_ns", wait->since);
	put_party(html, items, "waiter", &wait->waiter);
	items_count(items, "more", open_waits_more(open, i));
	put_text(items, "path", wait->path);
	if (wait->holder.tid) {
		items_text(items, "held", wait_holder_word(wait));
		put_party(html, items, "holder", &wait->holder);
	} else if (wait->readers) {
		items_text(items, "held", wait_holder_word(wait));
		items_count(items, "readers", wait->readers);
	}
	items_close(items);
}

/* Waits of a circle stand one behind another: whether it is certain is told at the first one. */
static void put_open(struct html *html, struct items *items)
{
	const struct open_waits *open = &html->waits.open;

	items_open(items, "open", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < open->n; i++)
		if (open_wait_is_shown(&open->list[i]) && !open_waits_is_told(open, i))
			put_open_wait(html, items, i);
	items_close(items);
}

void html_write_waits(struct html *html)
{
	struct wait_groups groups;
	struct json json;

	wait_groups_make(&groups, &html->waits);
	json_begin(&json);
	items_open(&json.items, NULL, '{', ITEMS_BLOCK);
	put_open(html, &json.items);
	items_open(&json.items, "groups", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < groups.n; i++)
		put_group(html, &json.items, &groups.list[i]);
	items_close(&json.items);
	put_parts(&json.items, &html->waits, groups.roles);
	items_close(&json.items);
	json_pack(&json, &html->pack);
	wait_groups_release(&groups);
}
