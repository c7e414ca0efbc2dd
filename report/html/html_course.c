/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html_course.c - what threads did over time (course.h), as sections: a row for each thread, phase
 * of a thread, mark, bin of a thread, lane, and item of a lane. Moments of items are written as the
 * differences between them. */
#include <math.h>
#include <stdlib.h>

#include "course/course.h"
#include "html_sections.h"
#include "json_pack.h"

#define ITEMS_MOST 200000 /* of the timeline's lanes, in a page */

static size_t most_items(const struct html *html)
{
	return html->wish->no_timeline ? 0 : ITEMS_MOST;
}

void html_course_begin(struct html *html)
{
	html->course = xcalloc(1, sizeof(*html->course));
	html->course->names = names_share(html->profiles[HTML_FUNCTIONS]->names);
	course_begin(html->course, &html->wish->view->selection, most_items(html));
}

void html_course_add(void *arg, struct data *data)
{
	struct html *html = arg;

	course_add(html->course, data);
}

void html_course_end(struct html *html)
{
	course_end(html->course, html->view->input, most_items(html));
}

void html_course_release(struct html *html)
{
	if (html->course)
		course_release(html->course);
	free(html->course);
	html->course = NULL;
}

/* ---- what all sections have ------------------------------------------------------------------ */

static void put_string(struct html *html, const char *text)
{
	if (text && *text)
		pack_number(&html->pack, html_string(html, text));
	else
		pack_none(&html->pack);
}

static void put_ns(struct html *html, long double ns)
{
	pack_number(&html->pack, ns > 0 && ns < 9e18L ? llrintl(ns) : 0);
}

static int64_t function_of(const struct html *html, uint32_t entity)
{
	const struct map *keys = &html->course->names->keys;
	size_t number;

	if (entity >= keys->n)
		return HTML_NO_FUNCTION;
	number = map_find(&html->functions, keys->keys[entity], keys->lengths[entity]);
	return number == MAP_NONE ? HTML_NO_FUNCTION : (int64_t)number;
}

static const char *kind_column(int kind, char text[32])
{
	snprintf(text, 32, "%s_ns", time_kinds[kind].key);
	return text;
}

/* ---- threads, phases, marks ------------------------------------------------------------------ */

static void put_kinds(struct items *items)
{
	items_open(items, "kinds", '[', ITEMS_BLOCK);
	for (int kind = 0; kind < TIME_KINDS; kind++) {
		items_open(items, NULL, '{', ITEMS_INLINE);
		items_text(items, "key", time_kinds[kind].key);
		items_text(items, "title", time_kinds[kind].title);
		items_text(items, "meaning", time_kinds[kind].meaning);
		items_close(items);
	}
	items_close(items);
}

/* In the page's index. */
static void note(struct html *html)
{
	const struct course *course = html->course;
	struct json json;
	struct items *items = &json.items;

	json_begin(&json);
	items_open(items, NULL, '{', ITEMS_BLOCK);
	items_count(items, "has_timeline", (uint64_t)course->is_timeline);
	items_count(items, "bin_ns", (uint64_t)course->bins.width);
	items_count(items, "cell_ns", course->lanes.cell);
	items_count(items, "calls", course->lanes.calls);
	items_count(items, "too_deep", course->lanes.too_deep);
	items_count(items, "deepest", LANES_DEEPEST);
	items_count(items, "gaps", course->n_gaps);
	items_count(items, "short_ns", course->short_ns);
	items_ns(items, "end_ns", course->end);
	put_kinds(items);
	items_close(items);
	json_end(&json);
	strbuf_printf(&html->more, ",\"course\":%s", json.text);
	free(json.text);
}

static size_t bins_of(const struct course *course, size_t thread)
{
	return thread < course->bins.n_threads ? course->bins.threads[thread].n : 0;
}

/* What was merged has no moments of its threads. */
int html_has_course(const struct html *html)
{
	return !html->profiles[HTML_FUNCTIONS]->totals.merged;
}

void html_write_course(struct html *html)
{
	const struct course *course = html->course;
	const struct course_thread *t = course->threads;
	size_t n = course->n_threads;
	char key[32];

	note(html);
	PACK_NUMBERS(&html->pack, "pid", PACK_NUMBER, n, t[i].pid);
	PACK_NUMBERS(&html->pack, "process_number", PACK_NUMBER, n, t[i].process_number);
	PACK_COLUMN(&html->pack, "shown_number", PACK_STRING, n, put_string(html, t[i].shown_number));
	PACK_NUMBERS(&html->pack, "tid", PACK_NUMBER, n, t[i].tid);
	PACK_COLUMN(&html->pack, "name", PACK_STRING, n, put_string(html, t[i].name));
	PACK_COLUMN(&html->pack, "process", PACK_STRING, n, put_string(html, t[i].process));
	PACK_COLUMN(&html->pack, "host", PACK_STRING, n, put_string(html, t[i].host));
	PACK_COLUMN(&html->pack, "begin_ns", PACK_NUMBER, n, put_ns(html, t[i].begin));
	PACK_COLUMN(&html->pack, "end_ns", PACK_NUMBER, n, put_ns(html, t[i].end));
	PACK_NUMBERS(&html->pack, "has_timeline", PACK_BYTE, n, t[i].has_timeline);
	PACK_NUMBERS(&html->pack, "bins", PACK_NUMBER, n, (int64_t)bins_of(course, i));
	for (int kind = 0; kind < TIME_KINDS; kind++)
		PACK_COLUMN(&html->pack, kind_column(kind, key), PACK_NUMBER, n, put_ns(html, t[i].ns[kind]));
}

int html_has_course_parts(const struct html *html)
{
	return html->course->n_parts > 0;
}

void html_write_course_parts(struct html *html)
{
	const struct course_part *p = html->course->parts;
	size_t n = html->course->n_parts;
	char key[32];

	PACK_NUMBERS(&html->pack, "thread", PACK_NUMBER, n, p[i].thread);
	PACK_COLUMN(&html->pack, "mark", PACK_NUMBER, n,
		    p[i].mark == NAMES_NONE ? pack_none(&html->pack) : pack_number(&html->pack, p[i].mark));
	PACK_COLUMN(&html->pack, "begin_ns", PACK_NUMBER, n, put_ns(html, p[i].begin));
	PACK_COLUMN(&html->pack, "end_ns", PACK_NUMBER, n, put_ns(html, p[i].end));
	for (int kind = 0; kind < TIME_KINDS; kind++)
		PACK_COLUMN(&html->pack, kind_column(kind, key), PACK_NUMBER, n, put_ns(html, p[i].ns[kind]));
}

int html_has_course_marks(const struct html *html)
{
	return html->course->n_marks > 0;
}

void html_write_course_marks(struct html *html)
{
	const struct course_mark *m = html->course->marks;
	size_t n = html->course->n_marks;

	PACK_NUMBERS(&html->pack, "pid", PACK_NUMBER, n, m[i].pid);
	PACK_NUMBERS(&html->pack, "tid", PACK_NUMBER, n, m[i].tid);
	PACK_COLUMN(&html->pack, "text", PACK_STRING, n, put_string(html, m[i].text));
	PACK_NUMBERS(&html->pack, "id", PACK_NUMBER, n, m[i].id);
	PACK_COLUMN(&html->pack, "at_ns", PACK_NUMBER, n, put_ns(html, m[i].ns));
	PACK_NUMBERS(&html->pack, "begins_phase", PACK_BYTE, n, m[i].begins_phase);
	PACK_NUMBERS(&html->pack, "is_of_program", PACK_BYTE, n, m[i].is_of_program);
}

/* ---- bins, lanes ----------------------------------------------------------------------------- */

int html_has_course_bins(const struct html *html)
{
	return html->course->bins.n_all > 0;
}

void html_write_course_bins(struct html *html)
{
	const struct bins *bins = &html->course->bins;
	char key[32];

	for (int kind = 0; kind < TIME_KINDS; kind++) {
		pack_column(&html->pack, kind_column(kind, key), PACK_NUMBER, NULL);
		for (size_t thread = 0; thread < html->course->n_threads; thread++)
			for (size_t i = 0; i < bins_of(html->course, thread); i++)
				put_ns(html, (long double)bins->threads[thread].list[i].ns[kind]);
		pack_column_end(&html->pack);
	}
}

int html_has_lanes(const struct html *html)
{
	return html->course->lanes.n_items > 0;
}

void html_write_lanes(struct html *html)
{
	const struct lanes *lanes = &html->course->lanes;
	static const char *const names[] = { "thread", "depth", "items" };

	for (int column = 0; column < 3; column++) {
		pack_column(&html->pack, names[column], PACK_NUMBER, NULL);
		for (size_t thread = 0; thread < lanes->n_threads; thread++)
			for (size_t depth = 0; depth < lanes->depths[thread]; depth++) {
				size_t n = lanes->threads[thread][depth].n;

				if (n)
					pack_number(&html->pack, (int64_t)(column == 0	 ? thread
									   : column == 1 ? depth
											 : n));
			}
		pack_column_end(&html->pack);
	}
}

/* Of one item; `before`: where the one before it in its lane ends. */
enum item_column {
	ITEM_GAP,
	ITEM_LENGTH,
	ITEM_CALLS,
	ITEM_BUSY,     /* less than its length */
	ITEM_AT,       /* of the longest, since the item's begin */
	ITEM_LONGEST,  /* of several: its length */
	ITEM_OWN_WORK, /* its length less its duration; none: the duration is not known */
	ITEM_FUNCTION,
	ITEM_NAME,
	ITEM_SITE,
	ITEM_FLAGS,
	ITEM_COLUMNS
};
static const struct {
	const char *name;
	enum pack_kind kind;
} item_columns[ITEM_COLUMNS] = {
	{ "gap", PACK_NUMBER },	     { "length", PACK_NUMBER },	  { "calls", PACK_NUMBER },
	{ "busy", PACK_NUMBER },     { "at", PACK_NUMBER },	  { "longest", PACK_NUMBER },
	{ "own_work", PACK_NUMBER }, { "function", PACK_NUMBER }, { "name", PACK_STRING },
	{ "site", PACK_NUMBER },     { "flags", PACK_BYTE },
};

static void put_item(struct html *html, const struct lane_item *item, uint64_t before,
		     enum item_column column)
{
	const struct lane_call *longest = &item->longest;
	uint64_t length = item->end - item->begin, of_longest = lane_call_length(longest);
	int64_t function = function_of(html, longest->function);

	switch (column) {
	case ITEM_NAME:
		put_string(html, function >= 0 || longest->function == NAMES_NONE
					 ? NULL
					 : html->course->names->list[longest->function].name);
		return;
	case ITEM_OWN_WORK:
		if (longest->duration == LANE_NOT_KNOWN)
			pack_none(&html->pack);
		else
			pack_number(&html->pack, (int64_t)(of_longest - longest->duration));
		return;
	case ITEM_GAP:
		pack_number(&html->pack, (int64_t)(item->begin - before));
		return;
	case ITEM_LENGTH:
		pack_number(&html->pack, (int64_t)length);
		return;
	case ITEM_CALLS:
		pack_number(&html->pack, (int64_t)item->calls);
		return;
	case ITEM_BUSY:
		pack_number(&html->pack, (int64_t)(length - item->busy));
		return;
	case ITEM_AT:
		pack_number(&html->pack, (int64_t)(longest->begin - item->begin));
		return;
	case ITEM_LONGEST:
		pack_number(&html->pack, item->calls > 1 ? (int64_t)of_longest : 0);
		return;
	case ITEM_FUNCTION:
		pack_number(&html->pack, function);
		return;
	case ITEM_SITE:
		pack_number(&html->pack, (int64_t)longest->site - 1);
		return;
	default:
		pack_number(&html->pack, longest->flags);
	}
}

void html_write_items(struct html *html)
{
	const struct lanes *lanes = &html->course->lanes;

	for (int column = 0; column < ITEM_COLUMNS; column++) {
		pack_column(&html->pack, item_columns[column].name, item_columns[column].kind, NULL);
		for (size_t thread = 0; thread < lanes->n_threads; thread++)
			for (size_t depth = 0; depth < lanes->depths[thread]; depth++) {
				const struct lane *lane = &lanes->threads[thread][depth];

				for (size_t i = 0; i < lane->n; i++)
					put_item(html, &lane->items[i], i ? lane->items[i - 1].end : 0,
						 (enum item_column)column);
			}
		pack_column_end(&html->pack);
	}
}

void html_write_course_sites(struct html *html)
{
	const struct course_site *sites = html->course->sites;
	size_t n = html->course->n_sites;

	PACK_COLUMN(&html->pack, "file", PACK_STRING, n, put_string(html, sites[i].file));
	PACK_NUMBERS(&html->pack, "line", PACK_NUMBER, n, sites[i].line);
}
