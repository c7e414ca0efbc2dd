/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary_path.c - the critical path on the page: its three largest functions. */
#include <string.h>

#include "output/command_line.h"
#include "output/name_cut.h"
#include "rows/critical_groups.h"
#include "summary_page.h"

#define SHOWN 3
#define LEAST 0.05L  /* of the path: less needs no line */
#define ONE 0.95L    /* so much of it is one function's computing, or the first thread's */
#define UNKNOWN 0.5L /* so much of it is not known: it tells nothing */
#define GONE 0.01L   /* of the path: less is not worth a word */
#define NAME_WIDTH 24
#define NAME_LEAST 12

/* The largest groups of the path without the recording's own, and the time of all but these, ns. */
struct shown {
	const struct critical_path *path;
	const struct critical_group *list[SHOWN];
	size_t n;
	long double ns;
};

static const char *name_of(const struct critical_path *path, const struct critical_group *group)
{
	return group->sums.entity == NAMES_NONE ? "not known" : path->names->list[group->sums.entity].name;
}

/* Appends "slow", or "nanosleep <- slow" of a library's function. */
static void put_name(struct strbuf *text, const struct critical_path *path,
		     const struct critical_group *group)
{
	strbuf_puts(text, name_of(path, group));
	if (group->sums.caller != NAMES_NONE)
		strbuf_printf(text, " <- %s", path->names->list[group->sums.caller].name);
}

static void shown_make(struct shown *shown, const struct critical_path *path,
		       const struct critical_groups *groups)
{
	*shown = (struct shown){ .path = path, .ns = path->ns };
	for (size_t i = 0; i < groups->n; i++) {
		const struct critical_group *group = &groups->list[i];

		if (!strcmp(name_of(path, group), "[recording]"))
			shown->ns -= group->sums.all;
		else if (shown->n < SHOWN)
			shown->list[shown->n++] = group;
	}
	while (shown->n && shown->list[shown->n - 1]->sums.all < LEAST * shown->ns)
		shown->n--;
}

static void put_thread(struct strbuf *text, const struct shown *shown, const struct critical_group *group)
{
	const struct critical_row *sums = &group->sums;

	if (!sums->thread || strcmp(name_of(shown->path, group), sums->thread)) {
		strbuf_puts(text, " in ");
		if (sums->thread)
			strbuf_visible(text, sums->thread);
		else
			strbuf_printf(text, "thread %u", sums->tid);
	}
	if (group->n_threads > 1)
		strbuf_printf(text, " (%zu threads)", group->n_threads);
}

/* Whether a line above this group's is of the same function, in another thread, and tells what is
 * gone without it. */
static int is_told_above(const struct shown *shown, const struct critical_group *group)
{
	for (size_t i = 0; i < shown->n && shown->list[i] != group; i++)
		if (shown->list[i]->sums.entity == group->sums.entity &&
		    shown->list[i]->sums.caller == group->sums.caller)
			return 1;
	return 0;
}

/* Appends "computing in worker (4 threads), without it 806 ms less": if this is wider than `width`,
 * without the thread, or without the latter. */
static void put_use(struct strbuf *text, const struct shown *shown, const struct critical_group *group,
		    size_t width)
{
	const char *use = critical_part_word(critical_row_part(&group->sums));
	STRBUF(thread);
	STRBUF(less);

	put_thread(&thread, shown, group);
	if (critical_path_is_foretold(shown->path) && group->sums.gone >= GONE * shown->ns &&
	    !is_told_above(shown, group)) {
		strbuf_puts(&less, ", without it ");
		strbuf_duration(&less, group->sums.gone);
		strbuf_puts(&less, " less");
	}
	if (less.length && strlen(use) + less.length + util_columns(thread.text ? thread.text : "") > width) {
		struct strbuf *dropped = strlen(use) + less.length <= width ? &thread : &less;

		strbuf_release(dropped);
		*dropped = (struct strbuf){ 0 };
	}
	strbuf_printf(text, "%s%s%s", use, thread.text ? thread.text : "", less.text ? less.text : "");
}

/* Prints "  84.6 %  ########  transform  computing in worker (4 threads)". */
static void print_group(struct page *page, const struct shown *shown, const struct critical_group *group,
			size_t width)
{
	STRBUF(use);
	STRBUF(name);
	size_t used, rest;

	strbuf_printf(&page->line, "  %5.1Lf %%  ", 100 * group->sums.all / shown->ns);
	page_put_bar(&page->line, group->sums.all, shown->list[0]->sums.all, PAGE_BAR);
	strbuf_puts(&page->line, "  ");
	put_name(&name, shown->path, group);
	page_put_visible(page, name.text, width);
	strbuf_puts(&page->line, "  ");
	used = util_columns(page->line.text);
	rest = page->width > used + NAME_LEAST ? page->width - used : NAME_LEAST;
	put_use(&use, shown, group, rest);
	name_cut(&page->line, use.text, rest);
	page_end_line(page);
}

static size_t name_width(const struct shown *shown)
{
	size_t width = NAME_LEAST;

	for (size_t i = 0; i < shown->n; i++) {
		STRBUF(name);
		size_t columns;

		put_name(&name, shown->path, shown->list[i]);
		columns = util_columns(name.text);
		width = columns > width ? columns : width;
	}
	return width < NAME_WIDTH ? width : NAME_WIDTH;
}

/* Says whether the path is not but one function's computing, nor the first thread's. */
static int is_telling(const struct shown *shown)
{
	const struct critical_row *first = shown->n ? &shown->list[0]->sums : NULL;

	return first && shown->path->main < ONE * shown->ns &&
	       critical_path_ns(shown->path, CRITICAL_UNKNOWN) < UNKNOWN * shown->ns &&
	       !(first->all >= ONE * shown->ns && critical_row_part(first) == CRITICAL_COMPUTING);
}

/* Ends the line with the threads that the path goes through, if there is room, and the command that
 * shows more. */
static void put_command(struct page *page, const struct critical_path *path)
{
	STRBUF(through);
	STRBUF(command);

	strbuf_printf(&through, " through %u of %u threads", path->n_on_path, path->n_threads);
	strbuf_puts(&command, "  -> ");
	output_put_command(&command, "waits --critical-path", "",
			   output_session_word(page->s->view.source, page->width));
	if (util_columns(page->line.text) + through.length + util_columns(command.text) <= page->width)
		strbuf_puts(&page->line, through.text);
	strbuf_puts(&page->line, command.text);
	page_end_line(page);
}

void page_critical_path(struct page *page)
{
	const struct critical_path *path = &page->s->profiles[SUMMARY_EDGES].critical;
	struct critical_groups groups;
	struct shown shown;

	if (path->n_threads < 2 || page->s->is_rough)
		return;
	critical_groups_make(&groups, path);
	shown_make(&shown, path, &groups);
	if (is_telling(&shown)) {
		page_end_line(page);
		page_put_title(page, "Critical path: ", strlen("Critical path: "));
		strbuf_duration(&page->line, shown.ns);
		put_command(page, path);
		page->has_critical = 1;
		for (size_t i = 0; i < shown.n; i++)
			print_group(page, &shown, shown.list[i], name_width(&shown));
	}
	critical_groups_release(&groups);
}
