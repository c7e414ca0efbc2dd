/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary_table.c - writes the complete summary for people: at most 50 lines on a terminal of 80
 * columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ink.h"
#include "lib/terminal.h"
#include "output/grid.h"
#include "output/upper_end.h"
#include "summary_page.h"

#define MOSTLY_OFF 0.5L /* of the time: so little is computed */
#define LINES 50
#define SUGGESTION_LINES 2 /* on a terminal */
#define LEVELS_SHOWN 6
#define LEVELS_INDENTED 12
#define KIND_WIDTH 14
#define TITLE_WIDTH 26
#define END_LEAST 1000 /* ns of uncertainty from which on Application times are shown as `<= x` */

/* ---- time ------------------------------------------------------------------------------------ */

static const struct summary_time *time_of(const struct summary *s, const char *key)
{
	static const struct summary_time none;

	for (size_t i = 0; i < s->n_times; i++)
		if (!strcmp(s->times[i].key, key))
			return &s->times[i];
	return &none;
}

static void put_note(struct page *page, const char *key, const char *after)
{
	const struct summary_time *time = time_of(page->s, key);
	struct strbuf *line = &page->line;

	if (time->ns <= 0)
		return;
	strbuf_puts(line, line->length > PAGE_GAP ? ", " : "");
	strbuf_printf(line, "%s ", time->title);
	strbuf_duration(line, time->ns);
	strbuf_puts(line, after);
}

static void print_times(struct page *page)
{
	const struct summary *s = page->s;
	struct strbuf title = { 0 };
	size_t bar = page->width - PAGE_GAP - TITLE_WIDTH - 20;
	FREED char *notes = NULL;

	strbuf_puts(&title, "Where the time went: ");
	strbuf_duration(&title, s->view.profile->totals.elapsed);
	strbuf_printf(&title, " in %s",
		      s->view.profile->totals.threads == 1 ? "one thread" : "all threads together");
	page_put_title(page, title.text, page->width);
	strbuf_release(&title);
	page_end_line(page);
	for (size_t i = 0; i < s->n_times; i++) {
		const struct summary_time *time = &s->times[i];

		if (!time->is_part || (time->ns <= 0 && strcmp(time->key, "on_processor")))
			continue;
		strbuf_fill(&page->line, ' ', PAGE_GAP);
		output_fitted(&page->line, time->title, TITLE_WIDTH, 0);
		page_put_time(&page->line, time->ns, 8);
		strbuf_puts(&page->line, " ");
		page_put_percent(&page->line, time->ns, time->of);
		strbuf_puts(&page->line, "  ");
		page_put_bar(&page->line, time->ns, time->of, bar < 30 ? bar : 30);
		page_end_line(page);
	}
	strbuf_fill(&page->line, ' ', PAGE_GAP);
	put_note(page, "application", "");
	put_note(page, "outside_functions", "");
	put_note(page, "paused", "");
	put_note(page, "probe_overhead",
		 s->view.profile->counting.raw ? " (not subtracted)" : " (subtracted)");
	put_note(page, "own_work", " (in no interval)");
	notes = xstrdup(page->line.text + PAGE_GAP);
	page->line.length = PAGE_GAP;
	page->line.text[PAGE_GAP] = '\0';
	if (*notes)
		page_wrap(page, notes, PAGE_GAP, SIZE_MAX);
	strbuf_clear(&page->line);
}

/* ---- samples --------------------------------------------------------------------------------- */

static void print_part(struct page *page, const char *title, long double samples, long double all)
{
	size_t bar = page->width - PAGE_GAP - TITLE_WIDTH - 20;

	if (samples <= 0)
		return;
	strbuf_fill(&page->line, ' ', PAGE_GAP);
	output_fitted(&page->line, title, TITLE_WIDTH, 0);
	page_put_count(&page->line, samples, 8);
	strbuf_puts(&page->line, " ");
	page_put_percent(&page->line, samples, all);
	strbuf_puts(&page->line, "  ");
	page_put_bar(&page->line, samples, all, bar < 30 ? bar : 30);
	page_end_line(page);
}

/* What the samples stand for, and for how long that was. */
static void put_amount(struct strbuf *text, const struct totals *t, long double samples)
{
	const struct samples_totals *s = &t->samples;
	long double units = samples * (long double)s->interval, duration = totals_duration(t);

	if (s->unit == CINSTR_SAMPLING_NS) {
		strbuf_puts(text, "About ");
		strbuf_duration(text, units);
		strbuf_puts(text, " of CPU time in ");
		strbuf_duration(text, duration);
		if (duration > 0)
			strbuf_printf(text, " (%.2Lf processors on the average)", units / duration);
		strbuf_puts(text, "; ");
	} else if (s->unit == CINSTR_SAMPLING_CYCLES) {
		strbuf_printf(text, "About %.3Lg billion cycles in ", units / 1e9L);
		strbuf_duration(text, duration);
		strbuf_puts(text, "; ");
	}
	strbuf_puts(text, s->unit == CINSTR_SAMPLING_EVENTS ? "Shares are of these events, not of time."
							    : "blocked time is not seen.");
	if (s->unit == CINSTR_SAMPLING_NS && units < MOSTLY_OFF * duration)
		strbuf_puts(text, " What it waits for: compile with -fplugin=cinstr and run cinstr record.");
}

/* In few words; the advice says more. */
void page_samples(struct page *page)
{
	const struct totals *t = &page->s->view.profile->totals;
	const struct samples_totals *s = &t->samples;
	long double unseen = s->chosen < s->kept ? 0 : (long double)samples_unseen(s);
	long double all = t->elapsed + unseen + (long double)s->lost;
	STRBUF(text);

	output_plural(&text, util_rounded(t->elapsed), "sample", "s");
	strbuf_puts(&text, " of ");
	output_sampling_event(&text, s);
	page_put_title(page, text.text, page->width);
	page_end_line(page);
	print_part(page, "sampled", t->elapsed, all);
	print_part(page, s->with_kernel < s->processes ? "not seen (kernel)" : "not seen", unseen, all);
	print_part(page, "lost", (long double)s->lost, all);
	strbuf_clear(&text);
	put_amount(&text, t, t->elapsed + unseen);
	if (output_sampling_is_thin(t)) {
		strbuf_puts(&text, " Thin: ");
		output_sampling_certainty(&text, t->elapsed);
		strbuf_puts(&text, ".");
	}
	strbuf_fill(&page->line, ' ', PAGE_GAP);
	page_wrap(page, text.text, PAGE_GAP, SIZE_MAX);
}

/* ---- hot path -------------------------------------------------------------------------------- */

static void print_level(struct page *page, size_t i)
{
	const struct hot_level *level = &page->s->hot.list[i];
	long double all = page->s->view.profile->totals.elapsed;
	size_t indent = i < LEVELS_INDENTED ? i : LEVELS_INDENTED, used;

	strbuf_fill(&page->line, ' ', PAGE_GAP);
	page_put_percent(&page->line, level->inclusive, all);
	strbuf_puts(&page->line, "  ");
	page_put_percent(&page->line, level->exclusive, all);
	strbuf_fill(&page->line, ' ', 2 + indent);
	used = page->line.length + 20;
	page_put_visible(page, page_level_name(page, i), page->width > used + 8 ? page->width - used : 8);
	strbuf_puts(&page->line, "  ");
	if (profile_is_sampled(page->s->view.profile))
		output_plural(&page->line, util_rounded(level->inclusive), "sample", "s");
	else if (level->are_calls_least && !level->calls)
		strbuf_puts(&page->line, "calls not known");
	else {
		strbuf_puts(&page->line, level->are_calls_least ? LOWER_END_MARK : "");
		output_plural(&page->line, level->calls, "call", "s");
	}
	page_end_line(page);
}

/* A long path is shown with its begin and its end: there the work is. */
static void print_hot_path(struct page *page)
{
	size_t n = page->s->hot.n, hidden = n > LEVELS_SHOWN ? n - LEVELS_SHOWN : 0;
	STRBUF(title);

	page_end_line(page);
	strbuf_printf(&title, "Hot path: inclusive, exclusive, of all %s",
		      profile_measure(page->s->view.profile)->whole);
	page_put_title(page, title.text, page->width);
	page_end_line(page);
	for (size_t i = 0; i < n; i++) {
		if (hidden && i == 2) {
			strbuf_printf(&page->line, "%*s... %zu more levels", 2 * PAGE_GAP + 16, "", hidden);
			page_end_line(page);
			i += hidden;
		}
		print_level(page, i);
	}
	if (!n) {
		strbuf_puts(&page->line, "  none");
		page_end_line(page);
	}
}

/* ---- lists ----------------------------------------------------------------------------------- */

static long double value_of(const struct summary *s, const struct summary_list *list, size_t i)
{
	return column_value(&s->profiles[list->profile], list->rows[i], list->column).number;
}

static void put_entry(struct page *page, const struct summary_list *list, size_t i, size_t width)
{
	const struct totals *t = &page->s->profiles[list->profile].totals;
	long double all = list->column == COLUMN_APPLICATION_EXCLUSIVE ? t->application : t->elapsed;
	long double value, end;

	if (i >= list->n) {
		strbuf_fill(&page->line, ' ', width);
		return;
	}
	value = value_of(page->s, list, i);
	end = upper_end_of(&page->s->profiles[list->profile], list->rows[i], list->column, END_LEAST);
	page->has_upper_ends |= end >= 0;
	strbuf_puts(&page->line, end >= 0 ? "<=" : "  ");
	page_put_percent(&page->line, end >= 0 ? upper_end_shown(fminl(100 * end / all, 100), 1) : value,
			 end >= 0 ? 100 : all);
	strbuf_puts(&page->line, " ");
	page_put_bar(&page->line, value, value_of(page->s, list, 0), PAGE_BAR);
	strbuf_puts(&page->line, " ");
	page_put_visible(page, list->rows[i]->name, width - PAGE_GAP - 7 - 2 - PAGE_BAR);
}

/* Two lists side by side. */
static void print_pair(struct page *page, int left, int right, size_t max)
{
	static const struct summary_list none;
	const struct summary_list *a = &page->s->lists[left];
	const struct summary_list *b = right == LIST_NONE ? &none : &page->s->lists[right];
	size_t n = a->n > b->n ? a->n : b->n, half = (page->width - PAGE_GAP) / 2;

	if (!n)
		return;
	page_end_line(page);
	page_put_title(page, a->title, half);
	strbuf_fill(&page->line, ' ', PAGE_GAP);
	page_put_title(page,
		       b->n ? b->title
		       : right == LIST_APPLICATION && !totals_has_application(&page->s->view.profile->totals)
			       ? "Application: n/a"
			       : "",
		       half);
	page_end_line(page);
	for (size_t i = 0; i < n && i < max; i++) {
		put_entry(page, a, i, half);
		strbuf_fill(&page->line, ' ', PAGE_GAP);
		put_entry(page, b, i, half);
		page_end_line(page);
	}
}

/* A line for each kind of what happened: the functions in which it happened most. */
static void print_os(struct page *page, size_t max)
{
	size_t shown = 0;

	for (int k = LIST_OS; k < SUMMARY_LISTS && shown < max; k++) {
		const struct summary_list *list = &page->s->lists[k];

		if (!list->n)
			continue;
		if (!shown++) {
			page_end_line(page);
			page_put_title(page, "What the operating system did, how often, in which functions",
				       page->width);
			page_end_line(page);
		}
		strbuf_fill(&page->line, ' ', PAGE_GAP);
		output_fitted(&page->line, list->title, KIND_WIDTH, 0);
		for (size_t i = 0; i < list->n; i++) {
			STRBUF(entry);

			strbuf_puts(&entry, i ? ", " : " ");
			strbuf_visible(&entry, list->rows[i]->name);
			strbuf_puts(&entry, " ");
			strbuf_thousands(
				&entry,
				column_value(page->s->view.profile, list->rows[i], list->column).count);
			if (!i || util_columns(page->line.text) + util_columns(entry.text) <= page->width)
				strbuf_puts(&page->line, entry.text);
			else
				i = list->n;
		}
		page_end_line(page);
	}
}

/* Of a process: its rank in a parallel job, and its machine if there are several. */
static void put_whose(struct page *page, const struct row *row)
{
	if (row->rank_after)
		strbuf_printf(&page->line, ", rank %u", row->rank_after - 1);
	if (row->host && page->s->view.profile->totals.hosts.n > 1) {
		strbuf_puts(&page->line, row->rank_after ? " on " : ", on ");
		strbuf_visible(&page->line, row->host);
	}
}

void page_lives(struct page *page, int list, size_t max)
{
	const struct summary_list *lives = &page->s->lists[list];
	size_t all = page->s->profiles[lives->profile].n_rows;
	int is_sampled = profile_is_sampled(page->s->view.profile);
	STRBUF(title);

	if (all < 2)
		return;
	strbuf_printf(&title, "%s with the most %s, of %zu", lives->title,
		      profile_measure(page->s->view.profile)->what, all);
	page_end_line(page);
	page_put_title(page, title.text, page->width);
	page_end_line(page);
	for (size_t i = 0; i < lives->n && i < max; i++) {
		const struct row *row = lives->rows[i];
		const struct sums *sums = &row->sums;

		strbuf_fill(&page->line, ' ', PAGE_GAP);
		page_put_visible(page, row->name, TITLE_WIDTH);
		strbuf_printf(&page->line, " %7u", row->tid ? row->tid : row->pid);
		if (is_sampled) {
			page_put_count(&page->line, sums->elapsed_inclusive, 10);
			strbuf_puts(&page->line, " ");
			page_put_percent(&page->line, sums->elapsed_inclusive,
					 page->s->view.profile->totals.elapsed);
			page_end_line(page);
			continue;
		}
		page_put_time(&page->line, sums->elapsed_inclusive, 10);
		strbuf_puts(&page->line, " ");
		page_put_percent(&page->line, sums->elapsed_inclusive - sums->off_cpu_inclusive,
				 sums->elapsed_inclusive);
		strbuf_puts(&page->line, " on a processor");
		put_whose(page, row);
		page_end_line(page);
	}
}

/* ---- advice ---------------------------------------------------------------------------------- */

static void print_advice(struct page *page, const struct advice *advice)
{
	static const enum ink inks[] = { INK_ERROR, INK_WARNING, INK_PLAIN };

	strbuf_fill(&page->line, ' ', PAGE_GAP);
	strbuf_printf(&page->line, "%s%s%s %s: ", ink(page->colour, inks[advice->severity]),
		      severity_names[advice->severity], ink_end(page->colour, inks[advice->severity]),
		      advice->id);
	page_wrap(page, advice->text, 2 * PAGE_GAP, SIZE_MAX);
	strbuf_fill(&page->line, ' ', 2 * PAGE_GAP);
	strbuf_puts(&page->line, "-> ");
	page_wrap(page, advice->action, 2 * PAGE_GAP + 3, SIZE_MAX);
}

static void print_all_advice(struct page *page)
{
	const struct advices *advices = &page->s->advices;

	page_put_title(page, advices->n ? "Advice" : "Advice: none", page->width);
	page_end_line(page);
	for (size_t i = 0; i < advices->n; i++)
		print_advice(page, &advices->list[i]);
}

/* One line each, as far as there is room. */
static void print_short_advice(struct page *page, size_t room)
{
	const struct advices *advices = &page->s->advices;
	size_t n = advices->n <= room ? advices->n : room ? room - 1 : 0;

	page_put_title(page, advices->n ? "Advice (all of it: --advice)" : "Advice: none", page->width);
	page_end_line(page);
	for (size_t i = 0; i < n; i++) {
		const struct advice *advice = &advices->list[i];

		strbuf_printf(&page->line, "  %s %s: %.*s", severity_names[advice->severity], advice->id,
			      (int)advice_sentence(advice), advice->text);
		if (util_columns(page->line.text) > page->width) {
			FREED char *whole = xstrdup(page->line.text);

			strbuf_clear(&page->line);
			output_fitted(&page->line, whole, page->width, 0);
		}
		page_end_line(page);
	}
	if (n < advices->n) {
		strbuf_printf(&page->line, "  and %zu more", advices->n - n);
		page_end_line(page);
	}
}

void page_suggestions(struct page *page)
{
	const struct summary *s = page->s;
	STRBUF(text);
	FREED char *command = NULL;

	if (!s->suggest.title)
		return;
	command = summary_command(s, "suggest", "", page->screen);
	suggest_put(&text, &s->suggest, s->limit, command);
	page_wrap(page, text.text, PAGE_GAP, page->is_terminal ? SUGGESTION_LINES : SIZE_MAX);
}

static void print_next(struct page *page)
{
	STRBUF(text);

	summary_put_next(&text, page->s, page->width, page->screen);
	fprintf(page->out, "%s\n", text.text);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void print_page(struct page *page)
{
	int has_many_levels = page->s->hot.n > LEVELS_SHOWN - 2;
	size_t individual = SIZE_MAX, inclusive = SIZE_MAX, kinds = SIZE_MAX, lives = SIZE_MAX;
	int has_processes = page->s->profiles[SUMMARY_PROCESSES].n_rows > 1;

	if (page->is_terminal) { /* this leaves room for advice */
		individual = has_many_levels ? 6 : 8;
		inclusive = has_many_levels ? 3 : 4;
		kinds = lives = has_many_levels ? 2 : 3;
	}
	page_heading(page);
	page_findings(page, FINDINGS_SHOWN);
	if (page->s->findings.n)
		page_end_line(page);
	if (profile_is_sampled(page->s->view.profile)) {
		page_samples(page);
		print_hot_path(page);
		print_pair(page, LIST_ELAPSED, LIST_INCLUSIVE, individual);
		print_pair(page, LIST_MODULES, page->s->has_lines ? LIST_LINES : LIST_NONE, inclusive);
	} else {
		if (page->s->is_rough)
			page_rough(page);
		print_times(page);
		print_hot_path(page);
		print_pair(page, LIST_ELAPSED, LIST_APPLICATION, individual);
		print_pair(page, LIST_INCLUSIVE, LIST_WAITING, inclusive);
		print_os(page, kinds);
	}
	if (page->has_upper_ends)
		page_wrap(page, upper_end_legend, 0, SIZE_MAX);
	if (has_processes)
		page_lives(page, LIST_PROCESSES, lives);
	else
		page_lives(page, LIST_THREADS, lives);
	page_end_line(page);
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void print_findings(struct page *page)
{
	if (page->s->findings.n)
		page_session(page);
	page_findings(page, SIZE_MAX);
	if (!page->s->findings.n)
		fputs("No findings: no rule applies (cinstr summary --explain=all lists them)\n", page->out);
}

/* Prints the whole page, with as much advice as its screen has room for. */
static void print_screen(struct page *page)
{
	FILE *out = page->out;
	char *text = NULL;
	size_t size, used;

	page->out = open_memstream(&text, &size);
	print_page(page);
	fclose(page->out);
	fputs(text, out);
	used = count_lines(text) + 3 + (page->s->suggest.title ? SUGGESTION_LINES : 0);
	free(text);
	page->out = out;
	if (page->is_terminal)
		print_short_advice(page, used < LINES ? LINES - used : 1);
	else
		print_all_advice(page);
	page_suggestions(page);
	print_next(page);
}

void summary_table(struct items *items, const struct view *view)
{
	FILE *out = items->out;
	struct page page = { .s = (const void *)view,
			     .out = out,
			     .width = terminal_width(out),
			     .colour = terminal_is_coloured(out) };

	page.screen = page.width;
	page.is_terminal = page.width != 0;
	page.width = page.width ? page.width : PAGE_WIDTH;
	strbuf_clear(&page.line);
	if (page.s->advice_only)
		print_all_advice(&page);
	else if (page.s->findings_only)
		print_findings(&page);
	else if (page.s->is_brief)
		summary_brief(&page);
	else
		print_screen(&page);
	strbuf_release(&page.line);
}
