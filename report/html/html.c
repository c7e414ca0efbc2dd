/* SPDX-License-Identifier: GPL-3.0-or-later */
/* html.c - see html.h: reads a session, and writes the page around the sections. */
#include "html.h"

#include <stdlib.h>
#include <string.h>

#include "html_changes.h"
#include "html_sections.h"
#include "lib/progress.h"
#include "page.h"

#define LISTED 10 /* functions and the like in each list of the summary */

uint32_t html_string(struct html *html, const char *text)
{
	STRBUF(visible);
	size_t number;
	int is_new;

	strbuf_clear(&visible);
	strbuf_visible(&visible, text);
	number = map_add(html->strings, visible.text, visible.length, &is_new);
	return (uint32_t)number;
}

int64_t html_function(const struct html *html, const struct profile *profile, uint32_t entity)
{
	const struct map *keys = &profile->names->keys;
	size_t number;

	if (entity >= keys->n)
		return HTML_NO_FUNCTION;
	number = map_find(&html->functions, keys->keys[entity], keys->lengths[entity]);
	return number == MAP_NONE ? HTML_NO_FUNCTION : (int64_t)number;
}

/* Looks up where functions are defined, for all rows that csv would have that of. */
static void resolve(struct html *html, struct profile *profile)
{
	struct view view = *html->view;
	struct html_rows rows;

	html_rows_any(&rows, profile);
	view.profile = profile;
	view.rows = rows.rows;
	view.n_rows = rows.n;
	view_resolve(&view, profile);
	free(rows.rows);
}

/* In the order in which their rows are written. */
static void number_functions(struct html *html)
{
	struct profile *profile = html->profiles[HTML_FUNCTIONS];
	const struct map *keys = &profile->names->keys;
	struct html_rows rows;
	int is_new;

	html_rows_of(&rows, profile, COLUMN_CPU_EXCLUSIVE);
	for (size_t i = 0; i < rows.n; i++)
		map_add(&html->functions, keys->keys[rows.rows[i]->entity],
			keys->lengths[rows.rows[i]->entity], &is_new);
	free(rows.rows);
}

static void number_modules(struct html *html, struct map *modules)
{
	struct html_rows rows;
	int is_new;

	html_rows_of(&rows, html->profiles[HTML_MODULES], COLUMN_CPU_EXCLUSIVE);
	for (size_t i = 0; i < rows.n; i++)
		map_add(modules, html_module_key(rows.rows[i]), strlen(html_module_key(rows.rows[i])),
			&is_new);
	free(rows.rows);
}

/* Rows that no later section needs: of large sessions they are most of what is in memory. */
static void release(struct html *html, const struct html_section *section)
{
	for (int i = 0; i < HTML_PROFILES; i++)
		if (section->is_last_of & 1u << i)
			profile_release(html->profiles[i]);
}

static void write_sections(struct html *html, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct html_section *section = &html_sections[i];

		if ((section->sides & 1u << html->side) && (!section->has || section->has(html))) {
			pack_section(&html->pack, html->prefix, section->name);
			section->write(html);
			pack_section_end(&html->pack);
		}
		release(html, section);
		progress_at(i + 1);
	}
}

/*
 * All that is made of the files beside what the first pass gave, in one pass: of a session of
 * thousands of processes, reading files is most of the work. Callers' rows of one file, which is
 * kept, are made when they are written, so that less is in memory at a time.
 */
static int read_rest(struct html *html)
{
	int is_sampled = profile_is_sampled(html->profiles[HTML_FUNCTIONS]);
	int has_course = html->side == HTML_FIRST, has_callers = html->view->input->n_files > 1, status;
	int has_lines = !is_sampled && html->side != HTML_EXECUTED;
	struct profile *profiles[] = { html->profiles[HTML_CALLERS], html->profiles[HTML_LINES] };
	struct view_more more = { profiles + !has_callers, (size_t)(has_callers + has_lines),
				  has_course ? html_course_add : NULL, html };

	if (has_course)
		html_course_begin(html);
	status = html_nodes_read(html, &more);
	html->has_callers = has_callers;
	if (has_course && !status)
		html_course_end(html);
	return status;
}

/*
 * What the session's executed instructions are, where they were counted and nothing is left out.
 * Returns an exit status: the page is to begin with them, and there are none.
 */
static int look_at_work(struct html *html)
{
	struct executed *executed = &html->summary.executed;
	struct profile *functions = html->profiles[HTML_FUNCTIONS];

	html->has_instructions = executed->n_counting > 0;
	if (html->side != HTML_FIRST)
		return STATUS_OK;
	if (!html->has_instructions && html->wish->view->measure == MEASURE_INSTRUCTIONS)
		return view_say_executed(executed, html->view->source);
	html_executed_note(html);
	if (selection_is_any(&html->wish->view->selection))
		return STATUS_OK;
	html->work = executed_work_make(executed, functions->names);
	functions->work = html->work;
	functions->n_work = functions->names->keys.n;
	return STATUS_OK;
}

/* The session has been read with executed instructions in the place of time. */
static int show_executed(struct view *view, void *arg)
{
	struct html *html = arg;

	html->view = view;
	if (html->shown_as)
		view->source = html->shown_as;
	if (selection_rows(&html->wish->view->selection, html->profiles[HTML_FUNCTIONS]) ||
	    selection_rows(&html->wish->view->selection, html->profiles[HTML_MODULES]) || read_rest(html))
		return STATUS_DATA;
	progress_begin("writing", n_html_sections, "parts");
	html_executed_note(html);
	resolve(html, html->profiles[HTML_FUNCTIONS]);
	number_functions(html);
	number_modules(html, &html->modules);
	html_executed_read_source(html);
	write_sections(html, 0, n_html_sections);
	progress_end();
	html->is_whole = 1;
	return STATUS_OK;
}

/* The session has been read. */
static int show(struct view *view, void *arg)
{
	struct html *html = arg;
	int status;

	html->view = view;
	if (html->shown_as)
		view->source = html->shown_as;
	status = selection_rows(&html->wish->view->selection, html->profiles[HTML_FUNCTIONS]);
	if (!status)
		status = selection_rows(&html->wish->view->selection, html->profiles[HTML_MODULES]);
	if (status)
		return status;
	status = summary_make(&html->summary, view);
	if (status)
		return status;
	status = look_at_work(html);
	if (status)
		return status;
	/* what the findings are made of goes before the rows of paths come */
	write_sections(html, 0, 1);
	if (read_rest(html))
		return STATUS_DATA;
	progress_begin("writing", n_html_sections, "parts");
	resolve(html, html->profiles[HTML_FUNCTIONS]);
	resolve(html, html->profiles[HTML_SITES]);
	resolve(html, html->profiles[HTML_LINES]);
	number_functions(html);
	number_modules(html, &html->modules);
	html_source_read(html);
	write_sections(html, 1, n_html_sections);
	progress_end();
	html->is_whole = 1;
	return STATUS_OK;
}

/* Of executed instructions there is no summary: all are made here. */
static void begin_executed(struct html *html, const struct counting *counting)
{
	static const enum profile_by by[HTML_PROFILES] = {
		[HTML_FUNCTIONS] = BY_FUNCTION, [HTML_PATHS] = BY_PATH,	       [HTML_THREAD_PATHS] = BY_PATH,
		[HTML_THREADS] = BY_THREAD,	[HTML_PROCESSES] = BY_PROCESS, [HTML_MODULES] = BY_MODULE,
		[HTML_SITES] = BY_SITE,		[HTML_MARKS] = BY_MARK,	       [HTML_LINES] = BY_LINE,
		[HTML_CALLERS] = BY_CALLERS,
	};

	for (int i = 0; i < HTML_PROFILES; i++) {
		html->profiles[i] = &html->own[i];
		profile_init(html->profiles[i], by[i], counting);
	}
	html->profiles[HTML_THREAD_PATHS]->paths.by = PATHS_BY_THREAD;
}

/* The summary has most of them; of the others these are made. */
static void begin(struct html *html)
{
	static const int of_summary[HTML_PROFILES] = {
		[HTML_FUNCTIONS] = SUMMARY_FUNCTIONS + 1, [HTML_PATHS] = SUMMARY_PATHS + 1,
		[HTML_THREADS] = SUMMARY_THREADS + 1,	  [HTML_PROCESSES] = SUMMARY_PROCESSES + 1,
		[HTML_MODULES] = SUMMARY_MODULES + 1,	  [HTML_SITES] = SUMMARY_SITES + 1,
		[HTML_LINES] = SUMMARY_LINES + 1,
	};
	static const enum profile_by by[HTML_PROFILES] = {
		[HTML_THREAD_PATHS] = BY_PATH, [HTML_MARKS] = BY_MARK, [HTML_CALLERS] = BY_CALLERS
	};

	summary_begin(&html->summary, html->wish->view, LISTED, html->wish->counting);
	for (int i = 0; i < HTML_PROFILES; i++) {
		html->profiles[i] =
			of_summary[i] ? &html->summary.profiles[of_summary[i] - 1] : &html->own[i];
		if (!of_summary[i])
			profile_init(html->profiles[i], by[i], html->wish->counting);
	}
	html->profiles[HTML_THREAD_PATHS]->paths.by = PATHS_BY_THREAD;
	html->profiles[HTML_FUNCTIONS]->spreads.is_wanted = 1;
	html->profiles[HTML_FUNCTIONS]->spreads.keeps_parts = 1;
}

static void end(struct html *html)
{
	for (int i = 0; i < HTML_PROFILES; i++)
		if (html->profiles[i] == &html->own[i])
			profile_release(&html->own[i]);
	html_source_release(html);
	html_executed_release(html);
	free(html->work);
	if (html->side != HTML_EXECUTED)
		summary_end(&html->summary);
	html_course_release(html);
	wait_facts_release(&html->waits);
	html_values_release(html);
	map_release(&html->functions);
	strbuf_release(&html->notes);
	strbuf_release(&html->more);
}

/* Reads the session for a side of the page. Returns the exit status. */
static int read_side(struct html *html, const char *path)
{
	const struct counting plain = { .os_mask = html->wish->counting->os_mask };
	struct view_options view = *html->wish->view;
	struct profile *profiles[HTML_LINES + 2];

	view.measure = html->side == HTML_EXECUTED ? MEASURE_INSTRUCTIONS : MEASURE_TIME;
	if (html->side == HTML_EXECUTED) {
		begin_executed(html, &plain);
		view.is_quiet = 1;
		return view_read(path, &view, html->profiles, HTML_MODULES + 1, show_executed, html);
	}
	begin(html);
	memcpy(profiles, html->profiles, HTML_LINES * sizeof(*profiles));
	profiles[HTML_LINES] = &html->summary.profiles[SUMMARY_EDGES];
	profiles[HTML_LINES + 1] = html->profiles[HTML_LINES];
	view.only_sampled = 1;
	return view_read(path, &view, profiles, ARRAY_SIZE(profiles), show, html);
}

/* A side's sections but for the strings, which go to `known` as what else others need of it does.
 * Returns the exit status. */
static int write_side(FILE *out, const struct html_wish *wish, enum html_side side, struct html_known *known,
		      int *is_whole)
{
	static const char *const prefixes[] = {
		[HTML_FIRST] = "", [HTML_SECOND] = "b.", [HTML_EXECUTED] = "i."
	};
	struct html *html = xcalloc(1, sizeof(*html));
	int is_second = side == HTML_SECOND, status;

	html->wish = wish;
	html->side = side;
	html->prefix = prefixes[side];
	html->strings = &known->strings;
	html->shown_as = is_second ? wish->other_shown_as : wish->shown_as;
	strbuf_clear(&html->notes);
	strbuf_clear(&html->more);
	pack_begin(&html->pack, out, wish->parts);
	status = read_side(html, is_second ? wish->other : wish->path);
	*is_whole = html->is_whole;
	if (side == HTML_EXECUTED) {
		map_release(&html->functions);
		map_release(&html->modules);
	} else {
		known->functions = html->functions;
		known->modules = html->modules;
		known->has_instructions = html->has_instructions;
	}
	html->functions = html->modules = (struct map){ 0 };
	end(html);
	pack_release(&html->pack);
	free(html);
	return status;
}

/* Names are numbers of the order in which they were first needed: this is written behind all that
 * needs them. Each ends in a NUL. */
static void write_strings(FILE *out, const struct html_wish *wish, const char *prefix,
			  const struct map *strings)
{
	struct pack pack;

	pack_begin(&pack, out, wish->parts);
	pack_section(&pack, prefix, "strings");
	for (size_t i = 0; i < strings->n; i++)
		pack_bytes(&pack, strings->keys[i], strings->lengths[i] + 1);
	pack_section_end(&pack);
	pack_release(&pack);
}

/* The first session, and its executed instructions, which have strings in common. Returns the exit
 * status. */
static int write_first(FILE *out, const struct html_wish *wish, struct html_known *known, int *is_whole)
{
	int status = write_side(out, wish, HTML_FIRST, known, is_whole), has_executed;

	if (*is_whole && known->has_instructions && !view_why_not_executed(wish->view))
		write_side(out, wish, HTML_EXECUTED, known, &has_executed);
	if (*is_whole)
		write_strings(out, wish, "", &known->strings);
	return status;
}

/* A page that is served asks the server for its data, and nobody else. */
static void put_served_page(FILE *out, FILE *parts)
{
	static const char policy[] = "default-src 'none';", more[] = " connect-src 'self';",
			  mark[] = "<div id=\"served\" hidden></div>\n";
	const char *head = (const char *)html_page_head, *found;
	size_t before;
	long begin;

	found = memmem(head, html_page_head_size, policy, sizeof(policy) - 1);
	if (!found)
		abort();
	before = (size_t)(found - head) + sizeof(policy) - 1;
	begin = ftell(out);
	fwrite(head, 1, before, out);
	fwrite(more, 1, sizeof(more) - 1, out);
	fwrite(head + before, 1, html_page_head_size - before, out);
	fwrite(mark, 1, sizeof(mark) - 1, out);
	fwrite(html_page_tail, 1, html_page_tail_size, out);
	fprintf(parts, "page %ld %ld\n", begin, ftell(out) - begin);
}

int html_write(FILE *out, const struct html_wish *wish, int *is_whole)
{
	struct html_known known[2] = { 0 };
	int status, of_other = STATUS_OK;

	if (!wish->parts)
		fwrite(html_page_head, 1, html_page_head_size, out);
	status = write_first(out, wish, &known[0], is_whole);
	if (*is_whole && wish->other) {
		of_other = write_side(out, wish, HTML_SECOND, &known[1], is_whole);
		if (*is_whole)
			write_strings(out, wish, "b.", &known[1].strings);
	}
	if (*is_whole && wish->other && html_changes_write(out, wish, known))
		of_other = STATUS_DATA;
	for (int side = 0; side < 2; side++) {
		map_release(&known[side].functions);
		map_release(&known[side].modules);
		map_release(&known[side].strings);
	}
	if (!wish->parts)
		fwrite(html_page_tail, 1, html_page_tail_size, out);
	else if (*is_whole)
		put_served_page(out, wish->parts);
	return status ? status : of_other;
}
