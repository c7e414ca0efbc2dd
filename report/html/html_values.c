/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_values.c - the program's own values: tags, as in cinstr report --by=tag, and what it has
 * counted, by call path. As JSON: page/view_values.js reads it. */
#include "html_sections.h"
#include "json_pack.h"

#define LISTED_MOST 1000 /* values of a tag, and paths of a count: those with most */

void html_values_take(struct html *html)
{
	struct profile *edges = &html->summary.profiles[SUMMARY_EDGES];

	html->tags = edges->tags;
	html->counts = edges->counts;
	edges->tags = (struct tag_facts){ 0 };
	edges->counts = (struct count_facts){ 0 };
	tag_facts_sort(&html->tags);
	count_facts_sort(&html->counts);
}

void html_values_release(struct html *html)
{
	tag_facts_release(&html->tags);
	count_facts_release(&html->counts);
}

/* Returns 0 also where functions or a range of time are chosen: values are those of the whole
 * session. */
int html_has_values(const struct html *html)
{
	return !selection_is_any(&html->wish->view->selection) && (html->tags.n || html->counts.n);
}

/* Text as the page shows names; NULL, "": nothing. */
static void put_text(struct items *items, const char *name, const char *text)
{
	STRBUF(visible);

	strbuf_visible(&visible, text ? text : "");
	if (visible.length)
		items_text(items, name, visible.text);
}

static void put_value(struct items *items, const struct tag_fact *fact)
{
	char id[32];

	snprintf(id, sizeof(id), "%lld", (long long)fact->id);
	items_open(items, NULL, '{', ITEMS_INLINE);
	if (!fact->is_others)
		items_text(items, "value", id);
	items_flag(items, "is_open", fact->is_open);
	items_count(items, "times", fact->times);
	items_ns(items, "ns", fact->ns);
	items_ns(items, "waiting_ns", fact->waiting_ns);
	items_ns(items, "longest_ns", fact->longest_ns);
	put_text(items, "path", fact->path);
	put_text(items, "waited_in", fact->waited_in);
	items_close(items);
}

/* Puts a tag with its values, the facts from `first` to before `end`. */
static void put_tag(struct items *items, const struct tag_facts *facts, size_t first, size_t end)
{
	size_t n = end - first < LISTED_MOST ? end - first : LISTED_MOST;
	long double ns = 0, waiting = 0;
	uint64_t times = 0;

	for (size_t i = first; i < end; i++) {
		times += facts->list[i].times;
		ns += facts->list[i].ns;
		waiting += facts->list[i].waiting_ns;
	}
	items_open(items, NULL, '{', ITEMS_INLINE);
	put_text(items, "name", facts->list[first].name);
	items_count(items, "times", times);
	items_ns(items, "ns", ns);
	items_ns(items, "waiting_ns", waiting);
	items_count(items, "left_out", end - first - n);
	items_open(items, "values", '[', ITEMS_INLINE);
	for (size_t i = first; i < first + n; i++)
		put_value(items, &facts->list[i]);
	items_close(items);
	items_close(items);
}

/* Puts a name with the paths that have counted by it, the facts from `first` to before `end`. */
static void put_count(struct items *items, const struct count_facts *facts, size_t first, size_t end)
{
	size_t n = end - first < LISTED_MOST ? end - first : LISTED_MOST;
	uint64_t sum = 0, calls = 0;

	for (size_t i = first; i < end; i++) {
		sum += facts->list[i].sum;
		calls += facts->list[i].calls;
	}
	items_open(items, NULL, '{', ITEMS_INLINE);
	put_text(items, "name", facts->list[first].name);
	items_count(items, "sum", sum);
	items_count(items, "calls", calls);
	items_count(items, "left_out", end - first - n);
	items_open(items, "paths", '[', ITEMS_INLINE);
	for (size_t i = first; i < first + n; i++) {
		items_open(items, NULL, '{', ITEMS_INLINE);
		items_count(items, "sum", facts->list[i].sum);
		items_count(items, "calls", facts->list[i].calls);
		put_text(items, "path", facts->list[i].path);
		items_close(items);
	}
	items_close(items);
	items_close(items);
}

void html_write_values(struct html *html)
{
	struct json json;
	size_t end;

	json_begin(&json);
	items_open(&json.items, NULL, '{', ITEMS_BLOCK);
	items_open(&json.items, "tags", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < html->tags.n; i = end) {
		end = tag_facts_end(&html->tags, i);
		put_tag(&json.items, &html->tags, i, end);
	}
	items_close(&json.items);
	items_open(&json.items, "counts", '[', ITEMS_BLOCK);
	for (size_t i = 0; i < html->counts.n; i = end) {
		end = count_facts_end(&html->counts, i);
		put_count(&json.items, &html->counts, i, end);
	}
	items_close(&json.items);
	items_close(&json.items);
	json_pack(&json, &html->pack);
}
