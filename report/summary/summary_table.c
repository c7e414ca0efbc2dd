/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary_table.c - a summary for people: on a terminal of 80 columns it takes at most 50 lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/terminal.h"
#include "output/grid.h"
#include "output/upper_end.h"
#include "summary.h"

#define LINES 50
#define SUGGESTION_LINES 2 /* on a terminal */
#define WIDTH 100	   /* where there is no terminal */
#define GAP 2
#define BAR 8
#define LEVELS_SHOWN 6
#define LEVELS_INDENTED 12
#define KIND_WIDTH 14
#define TITLE_WIDTH 26
#define NEXT_SHOWN 3
#define END_LEAST 1000 /* ns of uncertainty from which on Application times are shown as `<= x` */

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

struct page {
	const struct summary *s;
	FILE *out;
	size_t width;
	int colour, is_terminal;
	int has_upper_ends; /* `<= x` was printed */
	struct strbuf line;
};

/* ---- pieces ---------------------------------------------------------------------------------- */

static void end_line(struct page *page)
{
	struct strbuf *line = &page->line;

	while (line->length && line->text[line->length - 1] == ' ')
		line->text[--line->length] = '\0';
	fprintf(page->out, "%s\n", line->text);
	strbuf_clear(line);
}

static void put_title(struct page *page, const char *title, size_t width)
{
	strbuf_puts(&page->line, page->colour ? BOLD : "");
	output_fitted(&page->line, title, width, 0);
	strbuf_puts(&page->line, page->colour ? PLAIN : "");
}

static void put_bar(struct strbuf *line, long double part, long double whole, size_t width)
{
	size_t n = whole > 0 ? util_rounded((long double)width * part / whole) : 0;

	n = n > width ? width : n;
	strbuf_fill(line, '#', n);
	strbuf_fill(line, ' ', width - n);
}

static void put_percent(struct strbuf *line, long double part, long double whole)
{
	strbuf_printf(line, "%5.1Lf %%", whole > 0 ? 100 * part / whole : 0);
}

static void put_time(struct strbuf *line, long double ns, size_t width)
{
	struct strbuf text = { 0 };

	strbuf_duration(&text, ns);
	if (text.length < width)
		strbuf_fill(line, ' ', width - text.length);
	strbuf_puts(line, text.text);
	strbuf_release(&text);
}

static void put_count(struct strbuf *line, long double n, size_t width)
{
	struct strbuf text = { 0 };

	strbuf_thousands(&text, util_rounded(n));
	if (text.length < width)
		strbuf_fill(line, ' ', width - text.length);
	strbuf_puts(line, text.text);
	strbuf_release(&text);
}

static void put_visible(struct page *page, const char *name, size_t width)
{
	char *visible = util_visible(name);

	output_fitted(&page->line, visible, width, 0);
	free(visible);
}

/* Prints text in lines of the page's width, `indent` columns in from the second line on; at most
 * max lines. */
static void wrap(struct page *page, const char *text, size_t indent, size_t max)
{
	char *copy = xstrdup(text), *rest = copy;

	for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
		if (util_columns(page->line.text) + 1 + util_columns(word) > page->width &&
		    page->line.length > indent) {
			if (!--max)
				break;
			end_line(page);
			strbuf_fill(&page->line, ' ', indent);
		}
		if (page->line.length && page->line.text[page->line.length - 1] != ' ')
			strbuf_puts(&page->line, " ");
		strbuf_puts(&page->line, word);
	}
	end_line(page);
	free(copy);
}

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
	strbuf_puts(line, line->length > GAP ? ", " : "");
	strbuf_printf(line, "%s ", time->title);
	strbuf_duration(line, time->ns);
	strbuf_puts(line, after);
}

static void print_times(struct page *page)
{
	const struct summary *s = page->s;
	struct strbuf title = { 0 };
	size_t bar = page->width - GAP - TITLE_WIDTH - 20;
	char *notes;

	strbuf_puts(&title, "Where the time went: ");
	strbuf_duration(&title, s->view.profile->totals.elapsed);
	strbuf_printf(&title, " in %s",
		      s->view.profile->totals.threads == 1 ? "one thread" : "all threads together");
	put_title(page, title.text, page->width);
	strbuf_release(&title);
	end_line(page);
	for (size_t i = 0; i < s->n_times; i++) {
		const struct summary_time *time = &s->times[i];

		if (!time->is_part || (time->ns <= 0 && strcmp(time->key, "on_processor")))
			continue;
		strbuf_fill(&page->line, ' ', GAP);
		output_fitted(&page->line, time->title, TITLE_WIDTH, 0);
		put_time(&page->line, time->ns, 8);
		strbuf_puts(&page->line, " ");
		put_percent(&page->line, time->ns, time->of);
		strbuf_puts(&page->line, "  ");
		put_bar(&page->line, time->ns, time->of, bar < 30 ? bar : 30);
		end_line(page);
	}
	strbuf_fill(&page->line, ' ', GAP);
	put_note(page, "application", "");
	put_note(page, "outside_functions", "");
	put_note(page, "paused", "");
	put_note(page, "probe_overhead",
		 s->view.profile->counting.raw ? " (not subtracted)" : " (subtracted)");
	put_note(page, "own_work", " (in no interval)");
	notes = xstrdup(page->line.text + GAP);
	page->line.length = GAP;
	page->line.text[GAP] = '\0';
	if (*notes)
		wrap(page, notes, GAP, SIZE_MAX);
	strbuf_clear(&page->line);
	free(notes);
}

/* ---- samples --------------------------------------------------------------------------------- */

static void print_part(struct page *page, const char *title, long double samples, long double all)
{
	size_t bar = page->width - GAP - TITLE_WIDTH - 20;

	if (samples <= 0)
		return;
	strbuf_fill(&page->line, ' ', GAP);
	output_fitted(&page->line, title, TITLE_WIDTH, 0);
	put_count(&page->line, samples, 8);
	strbuf_puts(&page->line, " ");
	put_percent(&page->line, samples, all);
	strbuf_puts(&page->line, "  ");
	put_bar(&page->line, samples, all, bar < 30 ? bar : 30);
	end_line(page);
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
}

/* In few words; the advice says more. */
static void print_samples(struct page *page)
{
	const struct totals *t = &page->s->view.profile->totals;
	const struct samples_totals *s = &t->samples;
	long double unseen = s->chosen < s->kept ? 0 : (long double)samples_unseen(s);
	long double all = t->elapsed + unseen + (long double)s->lost;
	struct strbuf text = { 0 };

	output_plural(&text, util_rounded(t->elapsed), "sample", "s");
	strbuf_puts(&text, " of ");
	output_sampling_event(&text, s);
	put_title(page, text.text, page->width);
	end_line(page);
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
	strbuf_fill(&page->line, ' ', GAP);
	wrap(page, text.text, GAP, SIZE_MAX);
	strbuf_release(&text);
}

/* ---- hot path -------------------------------------------------------------------------------- */

static void print_level(struct page *page, size_t i)
{
	const struct summary_level *level = &page->s->levels[i];
	long double all = page->s->view.profile->totals.elapsed;
	size_t indent = i < LEVELS_INDENTED ? i : LEVELS_INDENTED, used;

	strbuf_fill(&page->line, ' ', GAP);
	put_percent(&page->line, level->inclusive, all);
	strbuf_puts(&page->line, "  ");
	put_percent(&page->line, level->exclusive, all);
	strbuf_fill(&page->line, ' ', 2 + indent);
	used = page->line.length + 20;
	put_visible(page, level->name, page->width > used + 8 ? page->width - used : 8);
	strbuf_puts(&page->line, "  ");
	if (profile_is_sampled(page->s->view.profile))
		output_plural(&page->line, util_rounded(level->inclusive), "sample", "s");
	else if (level->are_calls_least && !level->calls)
		strbuf_puts(&page->line, "calls not known");
	else {
		strbuf_puts(&page->line, level->are_calls_least ? LOWER_END_MARK : "");
		output_plural(&page->line, level->calls, "call", "s");
	}
	end_line(page);
}

/* A long path is shown with its begin and its end: there the work is. */
static void print_hot_path(struct page *page)
{
	size_t n = page->s->n_levels, hidden = n > LEVELS_SHOWN ? n - LEVELS_SHOWN : 0;
	struct strbuf title = { 0 };

	end_line(page);
	strbuf_printf(&title, "Hot path: inclusive, exclusive, of all %s",
		      profile_measure(page->s->view.profile)->whole);
	put_title(page, title.text, page->width);
	strbuf_release(&title);
	end_line(page);
	for (size_t i = 0; i < n; i++) {
		if (hidden && i == 2) {
			strbuf_printf(&page->line, "%*s... %zu more levels", 2 * GAP + 16, "", hidden);
			end_line(page);
			i += hidden;
		}
		print_level(page, i);
	}
	if (!n) {
		strbuf_puts(&page->line, "  none");
		end_line(page);
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
	put_percent(&page->line, end >= 0 ? upper_end_shown(fminl(100 * end / all, 100), 1) : value,
		    end >= 0 ? 100 : all);
	strbuf_puts(&page->line, " ");
	put_bar(&page->line, value, value_of(page->s, list, 0), BAR);
	strbuf_puts(&page->line, " ");
	put_visible(page, list->rows[i]->name, width - GAP - 7 - 2 - BAR);
}

/* Two lists side by side. */
static void print_pair(struct page *page, int left, int right, size_t max)
{
	static const struct summary_list none;
	const struct summary_list *a = &page->s->lists[left];
	const struct summary_list *b = right == LIST_NONE ? &none : &page->s->lists[right];
	size_t n = a->n > b->n ? a->n : b->n, half = (page->width - GAP) / 2;

	if (!n)
		return;
	end_line(page);
	put_title(page, a->title, half);
	strbuf_fill(&page->line, ' ', GAP);
	put_title(page,
		  b->n ? b->title
		  : right == LIST_APPLICATION && !totals_has_application(&page->s->view.profile->totals)
			  ? "Application: n/a"
			  : "",
		  half);
	end_line(page);
	for (size_t i = 0; i < n && i < max; i++) {
		put_entry(page, a, i, half);
		strbuf_fill(&page->line, ' ', GAP);
		put_entry(page, b, i, half);
		end_line(page);
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
			end_line(page);
			put_title(page, "What the operating system did, how often, in which functions",
				  page->width);
			end_line(page);
		}
		strbuf_fill(&page->line, ' ', GAP);
		output_fitted(&page->line, list->title, KIND_WIDTH, 0);
		for (size_t i = 0; i < list->n; i++) {
			struct strbuf entry = { 0 };

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
			strbuf_release(&entry);
		}
		end_line(page);
	}
}

static void print_lives(struct page *page, int list, size_t max)
{
	const struct summary_list *lives = &page->s->lists[list];
	size_t all = page->s->profiles[lives->profile].n_rows;
	int is_sampled = profile_is_sampled(page->s->view.profile);
	struct strbuf title = { 0 };

	if (all < 2)
		return;
	strbuf_printf(&title, "%s with the most %s, of %zu", lives->title,
		      profile_measure(page->s->view.profile)->what, all);
	end_line(page);
	put_title(page, title.text, page->width);
	end_line(page);
	strbuf_release(&title);
	for (size_t i = 0; i < lives->n && i < max; i++) {
		const struct row *row = lives->rows[i];
		const struct sums *sums = &row->sums;

		strbuf_fill(&page->line, ' ', GAP);
		put_visible(page, row->name, TITLE_WIDTH);
		strbuf_printf(&page->line, " %7u", row->tid ? row->tid : row->pid);
		if (is_sampled) {
			put_count(&page->line, sums->elapsed_inclusive, 10);
			strbuf_puts(&page->line, " ");
			put_percent(&page->line, sums->elapsed_inclusive,
				    page->s->view.profile->totals.elapsed);
			end_line(page);
			continue;
		}
		put_time(&page->line, sums->elapsed_inclusive, 10);
		strbuf_puts(&page->line, " ");
		put_percent(&page->line, sums->elapsed_inclusive - sums->off_cpu_inclusive,
			    sums->elapsed_inclusive);
		strbuf_puts(&page->line, " on a processor");
		end_line(page);
	}
}

/* ---- advice ---------------------------------------------------------------------------------- */

static void print_advice(struct page *page, const struct advice *advice)
{
	static const char *const colours[] = { "\033[31m", "\033[33m", "" };

	strbuf_fill(&page->line, ' ', GAP);
	strbuf_printf(&page->line, "%s%s%s %s: ", page->colour ? colours[advice->severity] : "",
		      severity_names[advice->severity], page->colour ? PLAIN : "", advice->id);
	wrap(page, advice->text, 2 * GAP, SIZE_MAX);
	strbuf_fill(&page->line, ' ', 2 * GAP);
	strbuf_puts(&page->line, "-> ");
	wrap(page, advice->action, 2 * GAP + 3, SIZE_MAX);
}

static void print_all_advice(struct page *page)
{
	const struct advices *advices = &page->s->advices;

	put_title(page, advices->n ? "Advice" : "Advice: none", page->width);
	end_line(page);
	for (size_t i = 0; i < advices->n; i++)
		print_advice(page, &advices->list[i]);
}

/* One line each, as far as there is room. */
static void print_short_advice(struct page *page, size_t room)
{
	const struct advices *advices = &page->s->advices;
	size_t n = advices->n <= room ? advices->n : room ? room - 1 : 0;

	put_title(page, advices->n ? "Advice (all of it: --advice)" : "Advice: none", page->width);
	end_line(page);
	for (size_t i = 0; i < n; i++) {
		const struct advice *advice = &advices->list[i];

		strbuf_printf(&page->line, "  %s %s: %.*s", severity_names[advice->severity], advice->id,
			      (int)advice_sentence(advice), advice->text);
		if (util_columns(page->line.text) > page->width) {
			char *whole = xstrdup(page->line.text);

			strbuf_clear(&page->line);
			output_fitted(&page->line, whole, page->width, 0);
			free(whole);
		}
		end_line(page);
	}
	if (n < advices->n) {
		strbuf_printf(&page->line, "  and %zu more", advices->n - n);
		end_line(page);
	}
}

static void print_suggestions(struct page *page)
{
	const struct summary *s = page->s;
	struct strbuf text = { 0 };
	char *command;

	if (!s->suggest.title)
		return;
	command = summary_command(s, "suggest", "");
	suggest_put(&text, &s->suggest, s->limit, command);
	wrap(page, text.text, GAP, page->is_terminal ? SUGGESTION_LINES : SIZE_MAX);
	free(command);
	strbuf_release(&text);
}

static void print_next(struct page *page)
{
	const struct summary *s = page->s;
	const char *const verbs[NEXT_SHOWN] = { "callers", "annotate", "tree" };

	strbuf_puts(&page->line, "Next:");
	for (size_t i = 0; i < NEXT_SHOWN; i++) {
		int is_last = i + 1 == NEXT_SHOWN;
		const char *function = i == 1 ? s->next_source : s->next;
		char *command;

		if (!function && !is_last) /* nothing was recorded, or its source is not known */
			continue;
		command = summary_command(s, s->next ? verbs[i] : "info", is_last ? "" : function);
		if (!i || util_columns(page->line.text) + 2 + util_columns(command) <= page->width)
			strbuf_printf(&page->line, "%s %s", i && s->next ? ";" : "", command);
		free(command);
	}
	end_line(page);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void print_page(struct page *page)
{
	int has_many_levels = page->s->n_levels > LEVELS_SHOWN - 2;
	size_t individual = SIZE_MAX, inclusive = SIZE_MAX, kinds = SIZE_MAX, lives = SIZE_MAX;
	int has_processes = page->s->profiles[SUMMARY_PROCESSES].n_rows > 1;

	if (page->is_terminal) { /* this leaves room for advice */
		individual = has_many_levels ? 6 : 8;
		inclusive = has_many_levels ? 3 : 4;
		kinds = lives = has_many_levels ? 2 : 3;
	}
	output_heading(page->out, &page->s->view);
	if (profile_is_sampled(page->s->view.profile)) {
		print_samples(page);
		print_hot_path(page);
		print_pair(page, LIST_ELAPSED, LIST_INCLUSIVE, individual);
		print_pair(page, LIST_MODULES, page->s->has_lines ? LIST_LINES : LIST_NONE, inclusive);
	} else {
		print_times(page);
		print_hot_path(page);
		print_pair(page, LIST_ELAPSED, LIST_APPLICATION, individual);
		print_pair(page, LIST_INCLUSIVE, LIST_WAITING, inclusive);
		print_os(page, kinds);
	}
	if (page->has_upper_ends)
		wrap(page, upper_end_legend, 0, SIZE_MAX);
	if (has_processes)
		print_lives(page, LIST_PROCESSES, lives);
	else
		print_lives(page, LIST_THREADS, lives);
	end_line(page);
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

void summary_table(struct sheet *sheet, const struct view *view)
{
	FILE *out = sheet->out;
	struct page page = { .s = (const void *)view,
			     .out = out,
			     .width = terminal_width(out),
			     .colour = terminal_is_coloured(out) };
	char *text = NULL;
	size_t size, used;

	page.is_terminal = page.width != 0;
	page.width = page.width ? page.width : WIDTH;
	strbuf_clear(&page.line);
	if (page.s->advice_only) {
		print_all_advice(&page);
		strbuf_release(&page.line);
		return;
	}
	page.out = open_memstream(&text, &size);
	print_page(&page);
	fclose(page.out);
	fputs(text, out);
	used = count_lines(text) + 3 + (page.s->suggest.title ? SUGGESTION_LINES : 0);
	free(text);
	page.out = out;
	if (page.is_terminal)
		print_short_advice(&page, used < LINES ? LINES - used : 1);
	else
		print_all_advice(&page);
	print_suggestions(&page);
	print_next(&page);
	strbuf_release(&page.line);
}
