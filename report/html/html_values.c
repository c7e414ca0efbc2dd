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

/* Of a choice of functions or times the values are not known. */
int html_has_values(const struct html *html)
{
	return !selection_is_any(&html->wish->view->selection) && (html->tags.n || html->counts.n);
}

/* Text as the page shows names; NULL, "": nothing. */
static void put_text(struct sheet *sheet, const char *name, const char *text)
{
	STRBUF(visible);

	strbuf_visible(&visible, text ? text : "");
	if (visible.length)
		sheet_text(sheet, name, visible.text);
}

static void put_value(struct sheet *sheet, const struct tag_fact *fact)
{
	char id[32];

	snprintf(id, sizeof(id), "%lld", (long long)fact->id);
	sheet_open(sheet, NULL, '{', SHEET_INLINE);
	if (!fact->is_others)
		sheet_text(sheet, "value", id);
	sheet_flag(sheet, "is_open", fact->is_open);
	sheet_count(sheet, "times", fact->times);
	sheet_ns(sheet, "ns", fact->ns);
	sheet_ns(sheet, "waiting_ns", fact->waiting_ns);
	sheet_ns(sheet, "longest_ns", fact->longest_ns);
	put_text(sheet, "path", fact->path);
	put_text(sheet, "waited_in", fact->waited_in);
	sheet_close(sheet);
}

/* Puts a tag with its values, the facts from `first` to before `end`. */
static void put_tag(struct sheet *sheet, const struct tag_facts *facts, size_t first, size_t end)
{
	size_t n = end - first < LISTED_MOST ? end - first : LISTED_MOST;
	long double ns = 0, waiting = 0;
	uint64_t times = 0;

	for (size_t i = first; i < end; i++) {
		times += facts->list[i].times;
		ns += facts->list[i].ns;
		waiting += facts->list[i].waiting_ns;
	}
	sheet_open(sheet, NULL, '{', SHEET_INLINE);
	put_text(sheet, "name", facts->list[first].name);
	sheet_count(sheet, "times", times);
	sheet_ns(sheet, "ns", ns);
	sheet_ns(sheet, "waiting_ns", waiting);
	sheet_count(sheet, "left_out", end - first - n);
	sheet_open(sheet, "values", '[', SHEET_INLINE);
	for (size_t i = first; i < first + n; i++)
		put_value(sheet, &facts->list[i]);
	sheet_close(sheet);
	sheet_close(sheet);
}

/* Puts a name with the paths that have counted by it, the facts from `first` to before `end`. */
static void put_count(struct sheet *sheet, const struct count_facts *facts, size_t first, size_t end)
{
	size_t n = end - first < LISTED_MOST ? end - first : LISTED_MOST;
	uint64_t sum = 0, calls = 0;

	for (size_t i = first; i < end; i++) {
		sum += facts->list[i].sum;
		calls += facts->list[i].calls;
	}
	sheet_open(sheet, NULL, '{', SHEET_INLINE);
	put_text(sheet, "name", facts->list[first].name);
	sheet_count(sheet, "sum", sum);
	sheet_count(sheet, "calls", calls);
	sheet_count(sheet, "left_out", end - first - n);
	sheet_open(sheet, "paths", '[', SHEET_INLINE);
	for (size_t i = first; i < first + n; i++) {
		sheet_open(sheet, NULL, '{', SHEET_INLINE);
		sheet_count(sheet, "sum", facts->list[i].sum);
		sheet_count(sheet, "calls", facts->list[i].calls);
		put_text(sheet, "path", facts->list[i].path);
		sheet_close(sheet);
	}
	sheet_close(sheet);
	sheet_close(sheet);
}

void html_write_values(struct html *html)
{
	struct json json;
	size_t end;

	json_begin(&json);
	sheet_open(&json.sheet, NULL, '{', SHEET_BLOCK);
	sheet_open(&json.sheet, "tags", '[', SHEET_BLOCK);
	for (size_t i = 0; i < html->tags.n; i = end) {
		end = tag_facts_end(&html->tags, i);
		put_tag(&json.sheet, &html->tags, i, end);
	}
	sheet_close(&json.sheet);
	sheet_open(&json.sheet, "counts", '[', SHEET_BLOCK);
	for (size_t i = 0; i < html->counts.n; i = end) {
		end = count_facts_end(&html->counts, i);
		put_count(&json.sheet, &html->counts, i, end);
	}
	sheet_close(&json.sheet);
	sheet_close(&json.sheet);
	json_pack(&json, &html->pack);
}
