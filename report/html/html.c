/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html.c - see html.h: reads a session, and writes the page around the sections. */
#include "html.h"

#include <stdlib.h>

#include "html_sections.h"
#include "lib/progress.h"
#include "page.h"

uint32_t html_string(struct html *html, const char *text)
{
	struct strbuf visible = { 0 };
	size_t number;
	int is_new;

	strbuf_clear(&visible);
	strbuf_visible(&visible, text);
	number = map_add(&html->strings, visible.text, visible.length, &is_new);
	strbuf_release(&visible);
	return (uint32_t)number;
}

int64_t html_function(const struct html *html, const struct profile *profile, uint32_t entity)
{
	const struct map *keys = &profile->names.keys;
	size_t number;

	if (entity >= keys->n)
		return HTML_NO_FUNCTION;
	number = map_find(&html->functions, keys->keys[entity], keys->lengths[entity]);
	return number == MAP_NONE ? HTML_NO_FUNCTION : (int64_t)number;
}

/* In the order in which their rows are written. */
static void number_functions(struct html *html)
{
	struct profile *profile = &html->profiles[HTML_FUNCTIONS];
	const struct map *keys = &profile->names.keys;
	struct html_rows rows;
	int is_new;

	html_rows_of(&rows, profile, COLUMN_CPU_EXCLUSIVE);
	for (size_t i = 0; i < rows.n; i++)
		map_add(&html->functions, keys->keys[rows.rows[i]->entity],
			keys->lengths[rows.rows[i]->entity], &is_new);
	html->view->rows = rows.rows;
	html->view->n_rows = rows.n;
	view_resolve(html->view, profile);
	html->view->rows = NULL;
	html->view->n_rows = 0;
	free(rows.rows);
}

/* The session has been read. */
static int show(struct view *view, void *arg)
{
	struct html *html = arg;
	FILE *out = html->pack.out;
	int status;

	html->view = view;
	status = selection_rows(&html->wish->view->selection, &html->profiles[HTML_FUNCTIONS]);
	if (!status)
		status = selection_rows(&html->wish->view->selection, &html->profiles[HTML_MODULES]);
	if (status)
		return status;
	if (html_nodes_read(html))
		return STATUS_DATA;
	progress_begin("writing", n_html_sections, "parts");
	number_functions(html);
	fwrite(html_page_head, 1, html_page_head_size, out);
	for (size_t i = 0; i < n_html_sections; i++) {
		const struct html_section *section = &html_sections[i];

		if (section->has && !section->has(html))
			continue;
		pack_section(&html->pack, section->name);
		section->write(html);
		pack_section_end(&html->pack);
		progress_at(i + 1);
	}
	fwrite(html_page_tail, 1, html_page_tail_size, out);
	progress_end();
	return STATUS_OK;
}

int html_write(FILE *out, const struct html_wish *wish)
{
	static const enum profile_by by[HTML_PROFILES] = {
		[HTML_FUNCTIONS] = BY_FUNCTION, [HTML_PATHS] = BY_PATH,	    [HTML_THREADS] = BY_THREAD,
		[HTML_PROCESSES] = BY_PROCESS,	[HTML_MODULES] = BY_MODULE, [HTML_THREAD_PATHS] = BY_PATH,
		[HTML_CALLERS] = BY_CALLERS
	};
	struct html html = { .wish = wish };
	struct profile *profiles[HTML_PROFILES];
	int status;

	strbuf_clear(&html.notes);
	pack_begin(&html.pack, out);
	for (int i = 0; i < HTML_PROFILES; i++) {
		profiles[i] = &html.profiles[i];
		profile_init(profiles[i], by[i], wish->counting);
	}
	html.profiles[HTML_THREAD_PATHS].paths.by = PATHS_BY_THREAD;
	status = view_read(wish->path, wish->view, profiles, HTML_PROFILES, show, &html);
	for (int i = 0; i < HTML_PROFILES; i++)
		profile_release(profiles[i]);
	map_release(&html.strings);
	map_release(&html.functions);
	strbuf_release(&html.notes);
	pack_release(&html.pack);
	return status;
}
