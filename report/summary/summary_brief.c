/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * summary_brief.c - writes a summary on one screen of 80 columns: which functions compute and wait,
 * on which path, and what to look at next. --verbose shows the rest (summary_table.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/grid.h"
#include "output/name_cut.h"
#include "output/upper_end.h"
#include "rows/mixed_rows.h"
#include "summary_page.h"

#define PREEMPTED_PERCENT 5 /* of a group: less needs no column */
#define GROUPS_SHOWN 4
#define WIDTH 80 /* where the page's is not known */
#define GROUP_WIDTH 36
#define GROUP_GAP 3
#define PREEMPTED_WIDTH 15 /* of its column */
#define PROBES_PERCENT 5   /* of the time on the processor: less is not told of */
#define LEVELS_HEAD 3	   /* of a long hot path, its begin and its end */
#define LEVELS_TAIL 4
#define HOT_PATH_LINES 6
#define NAME_MIN 8
#define NAME_MAX 28
#define LIVES_SHOWN 3
#define MODULES_SHOWN 4
#define LINES_SHOWN 3
#define HOLDERS 3      /* functions whose memory was not freed */
#define WAIT_PERCENT 1 /* of the time: less is no wait to tell of */
#define SUGGESTION_LINES 2
#define COMPUTING_BESIDE 2 /* functions of that list beside the critical path */

static const struct totals *totals_of(const struct page *page)
{
	return &page->s->profiles[SUMMARY_FUNCTIONS].totals;
}

static void put_section(struct page *page, const char *title)
{
	page_end_line(page);
	page_put_title(page, title, util_columns(title));
}

/* ---- who computes, who waits ----------------------------------------------------------------- */

static long double preempted_percent(const struct summary_group *group)
{
	return summary_waiting_percent(group->elapsed, fminl(group->preempted, group->off_cpu));
}

/* Whether one of the groups has lost the processor: all groups have that column then. */
static int has_preempted(const struct summary *s)
{
	for (size_t i = 0; i < s->n_groups && i < GROUPS_SHOWN; i++)
		if (preempted_percent(&s->groups[i]) >= PREEMPTED_PERCENT)
			return 1;
	return 0;
}

/* Who has lost the processor does not wait. */
static void put_parts(struct strbuf *line, const struct summary_group *group, int with_preempted)
{
	long double off = summary_waiting_percent(group->elapsed, group->off_cpu);
	long double preempted = preempted_percent(group);

	strbuf_printf(line, "%3.0Lf %% waiting, ", off - preempted);
	if (with_preempted)
		strbuf_printf(line, "%3.0Lf %% preempted, ", preempted);
	strbuf_printf(line, "%3.0Lf %% computing", 100 - off);
}

static void put_threads(struct strbuf *text, const struct summary_group *group)
{
	if (group->threads > 1)
		strbuf_printf(text, " (%llu threads)", (unsigned long long)group->threads);
}

/* As wide as the widest of the groups, within bounds. */
static size_t group_width(const struct summary *s)
{
	size_t width = NAME_MIN, most = GROUP_WIDTH - (has_preempted(s) ? PREEMPTED_WIDTH : 0);

	for (size_t i = 0; i < s->n_groups && i < GROUPS_SHOWN; i++) {
		STRBUF(name);

		strbuf_visible(&name, s->groups[i].name);
		put_threads(&name, &s->groups[i]);
		width = util_columns(name.text) > width ? util_columns(name.text) : width;
	}
	return width < most ? width : most;
}

static void print_group(struct page *page, const struct summary_group *group, size_t width)
{
	STRBUF(threads);
	STRBUF(name);
	FREED char *visible = util_visible(group->name);
	size_t columns = util_columns(visible);

	put_threads(&threads, group);
	columns = columns + threads.length < width ? columns : width - threads.length;
	output_fitted(&name, visible, columns, 0);
	strbuf_puts(&name, threads.text ? threads.text : "");
	strbuf_fill(&page->line, ' ', PAGE_GAP);
	output_fitted(&page->line, name.text, width, 0);
	page_put_time(&page->line, group->elapsed, 9);
	if (totals_has_application(totals_of(page))) {
		strbuf_fill(&page->line, ' ', has_preempted(page->s) ? 1 : GROUP_GAP);
		put_parts(&page->line, group, has_preempted(page->s));
	}
	page_end_line(page);
}

/* What of the wall time is in no number here. */
static void print_probes(struct page *page)
{
	const struct totals *t = totals_of(page);

	if (page->s->view.profile->counting.raw ||
	    100 * t->overhead < PROBES_PERCENT * (totals_cpu(t) + t->overhead))
		return;
	strbuf_puts(&page->line, "  not counting ");
	strbuf_duration(&page->line, t->overhead);
	strbuf_puts(&page->line, " that the probes took");
	page_end_line(page);
}

/* "preempted: others had the processor; ", if that was for long. Of the program's only thread
 * nobody else is its own. */
static void put_preempted(struct strbuf *text, const struct totals *t)
{
	if (!totals_has_application(t) ||
	    100 * t->facts.waits.off_cpu[WAIT_PREEMPTED] < WAIT_PERCENT * t->elapsed)
		return;
	strbuf_printf(text, "preempted: %s had the processor%s; ",
		      t->threads > 1 || t->processes > 1 ? "others" : "other programs",
		      t->cpu_limit ? ", or the limit was reached" : "");
}

/* In a line of its own, if there is no room. */
static void put_reliability(struct page *page)
{
	STRBUF(text);

	put_preempted(&text, totals_of(page));
	strbuf_printf(&text, "reliability: %s", summary_reliability(page->s));
	if (util_columns(page->line.text) + strlen("; ") + text.length >
	    (page->width ? page->width : WIDTH)) {
		page_end_line(page);
		strbuf_puts(&page->line, "  ");
	} else {
		strbuf_puts(&page->line, "; ");
	}
	strbuf_puts(&page->line, text.text);
	page_end_line(page);
}

static void print_wall(struct page *page)
{
	const struct summary *s = page->s;
	const struct totals *t = totals_of(page);

	page_put_title(page, "Wall time ", strlen("Wall time "));
	strbuf_duration(&page->line, totals_duration(t));
	if (s->is_rough) {
		strbuf_puts(&page->line, " with probes");
		if (t->threads > 1)
			strbuf_printf(&page->line, ", in %llu threads", (unsigned long long)t->threads);
		strbuf_puts(&page->line, "; reliability: poor");
		page_end_line(page);
		page_rough(page);
		return;
	}
	strbuf_puts(&page->line, t->threads > 1 ? "; " : "; in the program ");
	output_put_time(&page->line, t);
	put_reliability(page);
	print_probes(page);
	for (size_t i = 0; s->n_groups > 1 && i < s->n_groups && i < GROUPS_SHOWN; i++)
		print_group(page, &s->groups[i], group_width(s));
	if (s->n_groups > GROUPS_SHOWN) {
		strbuf_puts(&page->line, "  and threads that began with ");
		output_plural(&page->line, s->n_groups - GROUPS_SHOWN, "other function", "s");
		page_end_line(page);
	}
}

/* ---- hot path -------------------------------------------------------------------------------- */

static void put_level(struct page *page, struct strbuf *text, size_t i)
{
	strbuf_visible(text, page_level_name(page, i));
	strbuf_puts(text, page->s->hot.list[i].is_recursive ? " (recursive)" : "");
}

/* The first level that is of the program. */
static size_t begin_of(struct page *page)
{
	size_t i = 0;

	while (i < page->s->hot.n && summary_is_start(page_level_name(page, i)))
		i++;
	return i;
}

/* Inclusive time at its end, of what is at its begin. */
static void print_hot_path(struct page *page)
{
	const struct hot_path *hot = &page->s->hot;
	size_t begin = begin_of(page), n = hot->n - begin;
	size_t hidden = n > LEVELS_HEAD + LEVELS_TAIL ? n - LEVELS_HEAD - LEVELS_TAIL : 0;
	STRBUF(text);
	FREED char *cut = NULL;

	if (n < 2 || page->s->is_rough)
		return;
	put_section(page, "Hot path");
	strbuf_puts(&page->line, hot->skips_waits ? " (other threads only wait)  " : "  ");
	for (size_t i = 0; i < n; i++) {
		if (hidden && i == LEVELS_HEAD) {
			strbuf_printf(&text, " > ... %zu more ...", hidden);
			i += hidden;
		}
		strbuf_puts(&text, i ? " > " : "");
		put_level(page, &text, begin + i);
	}
	if (hot->list[begin].inclusive > 0) {
		strbuf_printf(&text, "  %.0Lf %% of ",
			      100 * (long double)hot->list[hot->n - 1].inclusive /
				      (long double)hot->list[begin].inclusive);
		strbuf_visible(&text, page_level_name(page, begin));
	}
	cut = names_cut_to_lines(text.text, HOT_PATH_LINES, page->line.length, 2 * PAGE_GAP,
				 names_are_full() ? 0 : page->width);
	page_wrap(page, cut, 2 * PAGE_GAP, SIZE_MAX);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* As wide as the widest of the names, within bounds. */
static size_t name_width(const struct row *const *rows, size_t n_rows, int of_callee)
{
	size_t width = NAME_MIN;

	for (size_t i = 0; i < n_rows; i++) {
		const char *name = of_callee ? rows[i]->callee : rows[i]->name;
		size_t n = name ? util_columns(name) : 0;

		width = n > width ? n : width;
	}
	return width < NAME_MAX ? width : NAME_MAX;
}

static void put_share(struct page *page, const struct summary_list *list, const struct row *row,
		      enum column share, long double most)
{
	const struct profile *profile = &page->s->profiles[list->profile];
	long double percent = column_value(profile, row, share).number;
	long double end = upper_end_of(profile, row, share, 0);

	page->has_upper_ends |= end >= 0;
	strbuf_puts(&page->line, end >= 0 ? "<=" : "  ");
	strbuf_printf(&page->line, "%5.1Lf %%%s ", end >= 0 ? upper_end_shown(end, 1) : percent,
		      mixed_row_is_estimate(row, VALUE_ELAPSED_EXCLUSIVE) ? OUTPUT_ESTIMATE : " ");
	page_put_bar(&page->line, percent, most, PAGE_BAR);
	strbuf_puts(&page->line, "  ");
	page_put_visible(page, row->name, name_width(list->rows, list->n, 0));
}

/* What is known of calls: "400 calls, 41.2 us each", which multiplied are the share before it. */
static void put_calls(struct strbuf *line, const struct profile *profile, const struct row *row,
		      enum column share, enum column own)
{
	struct value time = column_value(profile, row, own);

	strbuf_puts(line, "  ");
	if (column_value(profile, row, COLUMN_CALLS).type == VALUE_NONE) {
		strbuf_puts(line, "calls not counted");
		return;
	}
	strbuf_puts(line, lower_end_is_all(row, COLUMN_CALLS) ? LOWER_END_MARK : "");
	output_plural(line, row->calls, "call", "s");
	if (time.type == VALUE_NONE || row->calls < 2 || lower_end_is_all(row, COLUMN_CALLS) ||
	    upper_end_of(profile, row, share, 0) >= 0)
		return;
	strbuf_puts(line, ", ");
	strbuf_duration(line, time.number / (long double)row->calls);
	strbuf_puts(line, " each");
}

/* Where it is defined, if there is room. */
static void put_place(struct page *page, const struct row *row)
{
	STRBUF(place);

	strbuf_puts(&place, "  ");
	output_put_place(&place, page->s->view.profile, row);
	if (util_columns(page->line.text) + place.length <= page->width)
		strbuf_puts(&page->line, place.text);
}

/* Shares of the time with the probes. */
static void print_with_probes(struct page *page)
{
	const struct summary_list *list = &page->s->with_probes;
	const struct totals *t = totals_of(page);
	long double whole = totals_cpu(t) + t->overhead;

	put_section(page, "Computing with probes: ");
	strbuf_duration(&page->line, whole);
	page_end_line(page);
	for (size_t i = 0; i < list->n && whole > 0; i++) {
		long double with = summary_with_probes(list->rows[i]);

		strbuf_printf(&page->line, "  %5.1Lf %%  ", 100 * with / whole);
		page_put_bar(&page->line, with, summary_with_probes(list->rows[0]), PAGE_BAR);
		strbuf_puts(&page->line, "  ");
		page_put_visible(page, list->rows[i]->name, name_width(list->rows, list->n, 0));
		strbuf_puts(&page->line, "  ");
		strbuf_puts(&page->line, lower_end_is_all(list->rows[i], COLUMN_CALLS) ? LOWER_END_MARK : "");
		output_plural(&page->line, list->rows[i]->calls, "call", "s");
		put_place(page, list->rows[i]);
		page_end_line(page);
	}
}

static void print_computing(struct page *page)
{
	const struct summary_list *list = &page->s->lists[LIST_CPU];
	const struct profile *profile = &page->s->profiles[list->profile];
	const struct totals *t = totals_of(page);
	enum column share = list->column == COLUMN_CPU_EXCLUSIVE ? COLUMN_CPU_EXCLUSIVE_PERCENT
								 : COLUMN_ELAPSED_EXCLUSIVE_PERCENT;
	long double most = list->n ? column_value(profile, list->rows[0], share).number : 0;
	size_t n;

	if (!list->n)
		return;
	n = page->has_critical && page->s->limit == SUMMARY_ON_PAGE && list->n > COMPUTING_BESIDE
		    ? COMPUTING_BESIDE
		    : list->n;
	put_section(page, share == COLUMN_CPU_EXCLUSIVE_PERCENT ? "Computing: " : "Time by itself: ");
	strbuf_duration(&page->line, share == COLUMN_CPU_EXCLUSIVE_PERCENT ? totals_cpu(t) : t->elapsed);
	strbuf_puts(&page->line, share == COLUMN_CPU_EXCLUSIVE_PERCENT ? " on the processor" : "");
	page_end_line(page);
	for (size_t i = 0; i < n; i++) {
		put_share(page, list, list->rows[i], share, most);
		put_calls(&page->line, profile, list->rows[i], share, list->column);
		put_place(page, list->rows[i]);
		page_end_line(page);
	}
}

/* ---- memory ---------------------------------------------------------------------------------- */

static uint64_t held_by(const struct row *row)
{
	return row->os ? row->os->held.bytes : 0;
}

static int by_held(const void *a, const void *b)
{
	const struct row *const *left = a, *const *right = b;
	uint64_t l = held_by(*left), r = held_by(*right);

	return l == r ? 0 : l < r ? 1 : -1;
}

static void print_holder(struct page *page, const struct row *row, const struct row *first, size_t width,
			 uint64_t all)
{
	strbuf_printf(&page->line, "  %5.1f %%  ", 100 * (double)held_by(row) / (double)all);
	page_put_bar(&page->line, held_by(row), held_by(first), PAGE_BAR);
	strbuf_puts(&page->line, "  ");
	page_put_visible(page, row->name, width);
	strbuf_puts(&page->line, "  ");
	output_plural(&page->line, row->os->held.calls, "block", "s");
	if (row->os->own.calls >= row->os->held.calls) {
		strbuf_puts(&page->line, " of ");
		strbuf_thousands(&page->line, row->os->own.calls);
	}
	put_place(page, row);
	page_end_line(page);
}

/* The functions whose own calls asked for most of what was not freed, where that was recorded. */
static void print_not_freed(struct page *page)
{
	const struct profile *profile = &page->s->profiles[page->s->lists[LIST_CPU].profile];
	FREED const struct row **rows = xcalloc(profile->n_rows + 1, sizeof(*rows));
	FREED char *command = summary_command(page->s, "tree --view=held", "", page->screen);
	uint64_t all = 0, blocks = 0;
	size_t n = 0;

	for (size_t i = 0; totals_of(page)->holding && i < profile->n_rows; i++) {
		if (!held_by(&profile->rows[i]))
			continue;
		rows[n++] = &profile->rows[i];
		all += held_by(&profile->rows[i]);
		blocks += profile->rows[i].os->held.calls;
	}
	if (!n)
		return;
	qsort(rows, n, sizeof(*rows), by_held);
	n = n < HOLDERS ? n : HOLDERS;
	put_section(page, "Not freed: ");
	strbuf_thousands(&page->line, all);
	strbuf_puts(&page->line, " bytes in ");
	output_plural(&page->line, blocks, "block", "s");
	strbuf_printf(&page->line, " -> %s", command);
	page_end_line(page);
	for (size_t i = 0; i < n; i++)
		print_holder(page, rows[i], rows[0], name_width(rows, n, 0), all);
}

/* ---- waits ----------------------------------------------------------------------------------- */

static void print_wait(struct page *page, const struct row *row, long double waiting, long double most,
		       size_t width)
{
	long double off = output_waited(row);
	STRBUF(caller);
	size_t left;

	strbuf_printf(&page->line, "  %5.1Lf %%  ", 100 * off / waiting);
	page_put_bar(&page->line, off, most, PAGE_BAR);
	strbuf_puts(&page->line, "  ");
	page_put_visible(page, row->callee, width);
	strbuf_puts(&page->line, "  ");
	strbuf_duration(&page->line, off);
	strbuf_puts(&page->line, " in ");
	output_plural(&page->line, row->calls, "call", "s");
	strbuf_puts(&page->line, "  <- ");
	output_put_caller(&caller, row);
	left = page->width > page->line.length + NAME_MIN ? page->width - page->line.length : NAME_MIN;
	name_cut(&page->line, caller.text, left);
	page_end_line(page);
}

static void print_waits_by(struct page *page, const char *what, long double ns, long double waiting)
{
	if (100 * ns < WAIT_PERCENT * waiting)
		return;
	strbuf_printf(&page->line, "  %5.1Lf %%  %s, ", 100 * ns / waiting, what);
	strbuf_duration(&page->line, ns);
	page_end_line(page);
}

/* Waits by call site, the longest first. */
static void print_wait_sites(struct page *page, long double waiting)
{
	const struct summary_list *list = &page->s->lists[LIST_WAITS];
	FREED const struct row **rows = xcalloc(list->n + 1, sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		if (output_is_wait(list->rows[i]) &&
		    100 * output_waited(list->rows[i]) >= WAIT_PERCENT * waiting)
			rows[n++] = list->rows[i];
	output_sort_waits(rows, n);
	for (size_t i = 0; i < n; i++)
		print_wait(page, rows[i], waiting, output_waited(rows[0]), name_width(rows, n, 1));
}

/* Who only waits for other threads is told of in one line: what these do is above. */
static void print_waiting(struct page *page)
{
	const struct totals *t = totals_of(page);
	const struct summary_waits waits = summary_waits_of(page->s);
	long double waiting = waits.all - waits.processor;

	if (!totals_has_application(t) || 100 * waiting < WAIT_PERCENT * t->elapsed)
		return;
	put_section(page, "Waiting: ");
	strbuf_duration(&page->line, waiting);
	page_end_line(page);
	print_wait_sites(page, waiting);
	print_waits_by(page, "for other threads (joins, condition variables)", waits.threads, waiting);
	print_waits_by(page, "for child processes (wait, waitpid)", waits.processes, waiting);
	print_waits_by(page, "for signals (sigwait, pause)", waits.signals, waiting);
}

/* ---- sampled sessions ------------------------------------------------------------------------ */

static void print_sampled_list(struct page *page, int which, size_t max)
{
	const struct summary_list *list = &page->s->lists[which];
	const struct profile *profile = &page->s->profiles[list->profile];
	enum column share = COLUMN_EXCLUSIVE_PERCENT;
	long double most = list->n ? column_value(profile, list->rows[0], share).number : 0;

	if (!list->n)
		return;
	put_section(page, list->title);
	page_end_line(page);
	for (size_t i = 0; i < list->n && i < max; i++) {
		put_share(page, list, list->rows[i], share, most);
		if (list->profile == SUMMARY_FUNCTIONS)
			put_place(page, list->rows[i]);
		page_end_line(page);
	}
}

static void print_modules(struct page *page)
{
	const struct summary_list *list = &page->s->lists[LIST_MODULES];
	const struct profile *profile = &page->s->profiles[list->profile];
	STRBUF(text);

	for (size_t i = 0; i < list->n && i < MODULES_SHOWN; i++) {
		strbuf_puts(&text, i ? ", " : "");
		strbuf_visible(&text, util_basename(list->rows[i]->name));
		strbuf_printf(&text, " %.0Lf %%",
			      column_value(profile, list->rows[i], COLUMN_EXCLUSIVE_PERCENT).number);
	}
	if (list->n > 1) {
		put_section(page, "Modules: ");
		page_wrap(page, text.text, PAGE_GAP, 2);
	}
}

/* ---- what next ------------------------------------------------------------------------------- */

static void print_notes(struct page *page)
{
	const struct advices *advices = &page->s->advices;
	size_t n = 0;
	FREED char *command = NULL;

	while (n < advices->n && advices->list[n].severity < SEVERITY_INFORMATION)
		n++;
	for (size_t i = 0; i < n && advices->list[i].severity == SEVERITY_ERROR; i++) {
		strbuf_puts(&page->line, "Error: ");
		page_wrap(page, advices->list[i].text, PAGE_GAP, 2);
	}
	if (!n)
		return;
	command = summary_command(page->s, "summary --advice", "", page->screen);
	output_plural(&page->line, n, "note", "s");
	strbuf_printf(&page->line, " on the recording: %s", command);
	page_end_line(page);
}

char *summary_next(const struct summary *s, size_t i, size_t screen)
{
	static const char *const verbs[SUMMARY_NEXT] = { "callers", "annotate", "tree" };
	int is_last = i + 1 == SUMMARY_NEXT;
	const char *function = i == 1 ? s->next_source : s->next;

	if (!function && !is_last) /* nothing was recorded, or its source is not known */
		return NULL;
	return summary_command(s, s->next ? verbs[i] : "info", is_last ? "" : function, screen);
}

void summary_put_next(struct strbuf *text, const struct summary *s, size_t width, size_t screen)
{
	strbuf_puts(text, "Next:");
	for (size_t i = 0; i < SUMMARY_NEXT; i++) {
		FREED char *command = summary_next(s, i, screen);

		if (!command)
			continue;
		if (!i || util_columns(text->text) + 2 + util_columns(command) <= width)
			strbuf_printf(text, "%s %s", i && s->next ? ";" : "", command);
	}
}

/* ---- the page -------------------------------------------------------------------------------- */

static void put_time(struct page *page)
{
	if (profile_is_sampled(page->s->view.profile))
		page_samples(page);
	else
		print_wall(page);
}

static void put_lists(struct page *page)
{
	const struct summary *s = page->s;

	print_hot_path(page);
	page_critical_path(page);
	if (profile_is_sampled(s->view.profile)) {
		print_sampled_list(page, LIST_ELAPSED, s->limit);
		print_modules(page);
		if (s->has_lines)
			print_sampled_list(page, LIST_LINES, LINES_SHOWN);
		page_lives(page, LIST_THREADS, LIVES_SHOWN);
	} else {
		if (s->is_rough)
			print_with_probes(page);
		else
			print_computing(page);
		print_waiting(page);
	}
	print_not_freed(page);
	if (s->profiles[SUMMARY_PROCESSES].n_rows > 1)
		page_lives(page, LIST_PROCESSES, LIVES_SHOWN);
	page_end_line(page);
	if (page->has_upper_ends)
		page_wrap(page, "<= x: between 0 and x", 0, 1);
	print_notes(page);
}

void summary_brief(struct page *page)
{
	const struct summary *s = page->s;
	STRBUF(next);

	page_heading(page);
	put_time(page);
	if (s->findings.n)
		page_end_line(page);
	page_findings(page, FINDINGS_SHOWN);
	put_lists(page);
	page_suggestions(page);
	summary_put_next(&next, s, page->width, page->screen);
	fprintf(page->out, "%s\n", next.text);
}

static void put_part(FILE *out, const struct summary *summary, size_t width, void (*part)(struct page *page))
{
	struct page page = { .s = summary, .out = out, .width = width };

	strbuf_clear(&page.line);
	part(&page);
	strbuf_release(&page.line);
}

void summary_put_time(FILE *out, const struct summary *summary, size_t width)
{
	put_part(out, summary, width, put_time);
}

void summary_put_rest(FILE *out, const struct summary *summary, size_t width)
{
	put_part(out, summary, width, put_lists);
}
