/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * foot_short.c - the default foot of a table: what is not as it should be, in at most three lines.
 * --verbose shows everything (head_and_foot.c). Sentences are ordered by importance to the reader;
 * those for which there is no room are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "lib/terminal.h"
#include "output.h"
#include "table_cells.h"
#include "upper_end.h"

#define LINES 3
#define WIDTH 100 /* where there is no terminal */
#define GAP "  "  /* between sentences */
#define DETAILS "(details: --verbose)"
#define OUTSIDE_PERCENT 1   /* of the time on the processor */
#define OVERHEAD_PERCENT 5  /* of the time on the processor: less is not worth a word */
#define TRUNCATED_PERCENT 1 /* of the samples */
#define UNSEEN_PERCENT 5
#define LOST_PERCENT 1

/* ---- marks ----------------------------------------------------------------------------------- */

static const struct mark {
	enum output_mark bit;
	const char *text;
	int is_prefix; /* of the number; else right behind it */
	const char *meaning;
} marks[] = {
	{ OUTPUT_MARK_ROUGH, "~", 0, "~ rough: uncertain by more than half" },
	{ OUTPUT_MARK_UPPER_END, UPPER_END_MARK, 1, "<= x: between 0 and x" },
	{ OUTPUT_MARK_ESTIMATED, OUTPUT_ESTIMATE, 0, OUTPUT_ESTIMATE " estimate from samples" },
	{ OUTPUT_MARK_PARTIAL, "*", 0, "* timed in a part of the run only" },
	{ OUTPUT_MARK_LEAST, LOWER_END_MARK, 1, ">= n: at least n" },
	{ OUTPUT_MARK_OPEN, "+", 0, "+ some call had not returned" },
};

unsigned output_marks_in(const char *number)
{
	size_t n = strlen(number);
	unsigned found = 0;

	while (n && number[n - 1] == ' ')
		n--;
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		size_t length = strlen(marks[i].text);

		if (marks[i].is_prefix ? strstr(number, marks[i].text) != NULL
				       : n >= length && !memcmp(number + n - length, marks[i].text, length))
			found |= marks[i].bit;
	}
	return found;
}

static void put_marks(struct strbuf *text, const struct view *view)
{
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		if (!(view->marks & marks[i].bit))
			continue;
		strbuf_printf(text, "%s%s", text->length ? "; " : "", marks[i].meaning);
		if (marks[i].bit == OUTPUT_MARK_ESTIMATED && view->profile->totals.mixed.own)
			strbuf_puts(text, ", which do not tell who called");
	}
}

/* ---- sentences ------------------------------------------------------------------------------- */

static void put_refused_modules(struct strbuf *text, const struct totals *t)
{
	strbuf_puts(text, t->events ? "Not recorded: " : "Nothing was recorded of ");
	strbuf_visible(text, util_basename(t->refused_path));
	strbuf_printf(text, ": %s", t->refused_why);
	if (t->modules_refused > 1)
		strbuf_printf(text, "; and %llu more (cinstr info)",
			      (unsigned long long)t->modules_refused - 1);
}

void output_put_unrecorded(struct strbuf *text, const struct totals *t)
{
	if (t->modules_refused)
		put_refused_modules(text, t);
	else if (t->waiting && !t->threads)
		strbuf_puts(text, "Nothing was recorded: recording is off until a start or region (an option "
				  "of the plugin), and none was reached");
	else if (!t->events)
		strbuf_puts(text, "Nothing was recorded: no function with probes was called while recording "
				  "was on");
}

static void put_unrecorded(struct strbuf *text, const struct view *view)
{
	if (!profile_is_sampled(view->profile))
		output_put_unrecorded(text, &view->profile->totals);
}

static void put_errors(struct strbuf *text, const struct view *view)
{
	if (view->put_errors)
		view->put_errors(text, view->profile, view->is_live);
}

static void put_no_source(struct strbuf *text, const struct view *view)
{
	if (!profile_is_sampled(view->profile) && !totals_has_application(&view->profile->totals))
		strbuf_puts(text, "Waiting is not known: nothing showed when the operating system acted");
}

static void put_refused(struct strbuf *text, const struct view *view)
{
	const struct totals *t = &view->profile->totals;

	if (profile_is_sampled(view->profile) || !t->mixed.refused)
		return;
	output_plural(text, t->mixed.refused, "thread", "s");
	strbuf_puts(text, " without samples: the kernel refused (kernel.perf_event_paranoid)");
}

static void put_hidden(struct strbuf *text, const struct view *view)
{
	long double all = view->profile->totals.elapsed;

	if (!view->n_hidden)
		return;
	output_plural(text, view->n_hidden, "row", "s");
	strbuf_puts(text, " hidden");
	if (all > 0)
		strbuf_printf(text, " (%.1Lf %%)", 100 * view->hidden / all);
	if (!strcmp(view->hidden_why, "--limit"))
		strbuf_printf(text, "; --limit=%zu shows all", view->n_rows + view->n_hidden);
	else if (!strcmp(view->hidden_why, "--min-percent"))
		strbuf_printf(text, "; --min-percent=0 shows %s", view->n_hidden == 1 ? "it" : "them");
	else
		strbuf_printf(text, " by %s", view->hidden_why);
}

static void put_tree(struct strbuf *text, const struct view *view)
{
	for (size_t i = 0; i < view->n_rows; i++)
		if (view->profile->by == BY_PATH && view->rows[i]->is_hot) {
			strbuf_puts(text, "# hot path: the most expensive callee at each level");
			return;
		}
}

static void put_jumps(struct strbuf *text, const struct view *view)
{
	if (!output_has_jumps(view))
		return;
	strbuf_printf(text, "%s: a tail call", view->profile->by == BY_SITE ? "=>" : "(jump)");
}

static void put_lines(struct strbuf *text, const struct view *view)
{
	const struct profile *profile = view->profile;

	if (profile->by != BY_LINE || profile_is_sampled(profile) || profile->totals.lines)
		return;
	for (size_t i = 0; i < view->n_rows; i++)
		if (row_has_range(view->rows[i])) {
			strbuf_puts(text, "8-13: one of these lines (-fplugin-arg-cinstr-lines and "
					  "--probes=lines tell which)");
			return;
		}
}

static void put_threads(struct strbuf *text, const struct view *view)
{
	if (view->profile->by == BY_THREAD && !view->profile->merge_threads &&
	    output_has_names_in_common(view))
		strbuf_puts(text, "--by=thread-name: one row for all threads of a name");
}

/* Percentages of the rows add up to less than 100 by what threads compute in no function: a pool's
 * thread that waits for work in a loop, code before main. */
static void put_outside(struct strbuf *text, const struct view *view)
{
	const struct totals *t = &view->profile->totals;
	enum profile_by by = view->profile->by;

	if (profile_is_sampled(view->profile) ||
	    (by != BY_FUNCTION && by != BY_MODULE && by != BY_LINE && by != BY_PATH) ||
	    100 * t->outside_cpu < OUTSIDE_PERCENT * totals_cpu(t) || t->outside_cpu <= 0)
		return;
	strbuf_printf(text, "%.1Lf %% (", 100 * t->outside_cpu / totals_cpu(t));
	strbuf_duration(text, t->outside_cpu);
	strbuf_puts(text, ") outside any function");
}

static void put_overhead(struct strbuf *text, const struct view *view)
{
	const struct totals *t = &view->profile->totals;

	if (profile_is_sampled(view->profile) || t->overhead <= 0 ||
	    100 * t->overhead < OVERHEAD_PERCENT * (totals_cpu(t) + t->overhead))
		return;
	strbuf_puts(text, view->profile->counting.raw ? "Probes cost about " : "Probes' cost of ");
	strbuf_duration(text, t->overhead);
	strbuf_puts(text, view->profile->counting.raw ? ", not subtracted (--raw)" : " subtracted");
}

static void put_thin(struct strbuf *text, const struct view *view)
{
	const struct totals *t = &view->profile->totals;

	if (!profile_is_sampled(view->profile) || !output_sampling_is_thin(t))
		return;
	strbuf_puts(text, "Only ");
	output_plural(text, util_rounded(t->elapsed), "sample", "s");
	strbuf_puts(text, ": ");
	output_sampling_certainty(text, t->elapsed);
}

static void put_stacks(struct strbuf *text, const struct view *view)
{
	const struct samples_totals *s = &view->profile->totals.samples;

	if (!profile_is_sampled(view->profile))
		return;
	if (s->stacks == CINSTR_STACKS_NONE)
		strbuf_puts(text, "Stacks were not taken: inclusive is as exclusive");
	else if (s->kept && s->truncated * 100 >= s->kept * TRUNCATED_PERCENT)
		strbuf_printf(text, "%.1Lf %% of the stacks are truncated",
			      100 * (long double)s->truncated / (long double)s->kept);
}

static void put_unseen(struct strbuf *text, const struct view *view)
{
	const struct samples_totals *s = &view->profile->totals.samples;
	long double unseen;

	if (!profile_is_sampled(view->profile))
		return;
	if (s->lost * 100 >= s->kept * LOST_PERCENT && s->lost) {
		output_plural(text, s->lost, "sample", "s");
		strbuf_puts(text, " lost");
	}
	unseen = (long double)samples_unseen(s);
	if (s->counted_samples > 0 && 100 * unseen >= UNSEEN_PERCENT * (long double)s->counted_samples)
		strbuf_printf(text, "%s%.0Lf %% of the %s were not seen", text->length ? "; " : "",
			      100 * unseen / (long double)s->counted_samples,
			      s->unit == CINSTR_SAMPLING_EVENTS ? "events" : "samples due");
}

static void put_notes(struct strbuf *text, const struct view *view)
{
	size_t n = view->count_notes ? view->count_notes(view->profile, view->is_live) : 0;

	if (!n)
		return;
	output_plural(text, n, "note", "s");
	strbuf_puts(text, ": ");
	output_put_command(text, "summary --advice", "", view->source);
}

/* ---- lines ----------------------------------------------------------------------------------- */

struct foot {
	FILE *out;
	size_t width, lines, at; /* at: columns used in the last line */
};

/* How many lines the words need, the first one from column `at` on; *end: the columns of the last
 * one. */
static size_t lines_of(const char *text, size_t width, size_t at, size_t *end)
{
	size_t lines = 1;

	while (*text) {
		size_t bytes = strcspn(text, " "), n;
		STRBUF(word);

		strbuf_add(&word, text, bytes);
		n = util_columns(word.text);
		if (at && at + 1 + n > width) {
			lines++;
			at = 0;
		}
		at += n + (at > 0);
		text += bytes;
		text += strspn(text, " ");
	}
	*end = at;
	return lines;
}

#define CUT " ..."

/* What does not fit in front of the last line is cut: there the notes are. */
static void put_wrapped(struct foot *foot, const char *text)
{
	FREED char *copy = xstrdup(text);
	char *rest = copy;

	for (char *word = util_next_word(&rest); word; word = util_next_word(&rest)) {
		int is_last = foot->lines + 1 >= LINES && rest;
		size_t n = util_columns(word);

		if (is_last && foot->at && foot->at + 1 + n + strlen(CUT) > foot->width) {
			fputs(CUT, foot->out);
			break;
		}
		if (foot->at && foot->at + 1 + n > foot->width) {
			fputc('\n', foot->out);
			foot->lines++;
			foot->at = 0;
		}
		fprintf(foot->out, "%s%s", foot->at ? " " : "", word);
		foot->at += n + (foot->at > 0);
	}
}

/* In the last line if it fits as a whole, else from the next one on; `reserve`: so many columns of
 * the last line must be left. */
static void put_sentence(struct foot *foot, const char *text, size_t reserve)
{
	size_t n = util_columns(text), end, more;
	int joins = foot->at && foot->at + strlen(GAP) + 1 + n <= foot->width;

	if (joins) {
		more = 0;
		end = foot->at + strlen(GAP) + 1 + n;
	} else {
		more = lines_of(text, foot->width, 0, &end);
	}
	if (foot->lines &&
	    (foot->lines + more > LINES || (foot->lines + more == LINES && end + reserve > foot->width)))
		return;
	if (joins) {
		fprintf(foot->out, "." GAP "%s", text);
		foot->at = end;
		return;
	}
	fputs(foot->lines ? "\n" : "", foot->out);
	foot->lines++;
	foot->at = 0;
	put_wrapped(foot, text);
}

/* Views of bytes, where no recorded call moved or asked for any. */
static void put_nothing_moved(struct strbuf *text, const struct view *view)
{
	if (view->set == COLUMNS_IO && !column_of_method(view->profile, COLUMN_BYTES_READ))
		strbuf_puts(text, "No call of read, write or their like was recorded");
	if (view->set == COLUMNS_MEMORY && !column_of_method(view->profile, COLUMN_ALLOCATED))
		strbuf_puts(text, "No call of malloc, new or their like was recorded");
}

/* What the process held at most, and how well the view's bytes are known. */
static void put_held(struct strbuf *text, const struct view *view)
{
	const struct totals *totals = &view->profile->totals;

	if (view->set != COLUMNS_HELD)
		return;
	if (!totals->holding) {
		strbuf_puts(text, "What was not freed is known of whole sessions, recorded with --held=on");
		return;
	}
	strbuf_puts(text, totals->held_halvings ? "About " : "");
	strbuf_thousands(text, totals->held_most);
	strbuf_puts(text, " bytes were allocated and not freed at most");
	if (totals->held_halvings)
		strbuf_printf(text,
			      "; there were too many blocks: all numbers are estimates from 1 block in %u",
			      1u << totals->held_halvings);
	if (totals->held_unseen) {
		strbuf_puts(text, "; code without probes freed ");
		strbuf_thousands(text, totals->held_unseen);
		strbuf_puts(text, " blocks, and maybe some of those that seem not freed");
	}
}

/* How to see more. */
static void put_end(struct foot *foot, const char *notes)
{
	if (*notes)
		put_sentence(foot, notes, 0);
	if (!foot->lines)
		return;
	if (foot->at + strlen(GAP DETAILS) <= foot->width)
		fputs(GAP DETAILS, foot->out);
	else if (foot->lines < LINES)
		fputs("\n" DETAILS, foot->out);
	fputc('\n', foot->out);
}

void output_foot(FILE *out, const struct view *view)
{
	static void (*const sentences[])(struct strbuf * text, const struct view *view) = {
		put_nothing_moved, put_held,	put_unrecorded, put_errors, put_no_source, put_refused,
		put_hidden,	   put_thin,	put_stacks,	put_unseen, put_tree,	   put_jumps,
		put_marks,	   put_outside, put_overhead,	put_lines,  put_threads,
	};
	size_t width = terminal_width(out);
	struct foot foot = { .out = out, .width = width ? width : WIDTH };
	STRBUF(text);
	STRBUF(notes);

	if (view->verbose || profile_is_executed(view->profile)) {
		(view->verbose ? output_totals : output_executed_foot)(out, view);
		return;
	}
	strbuf_clear(&notes);
	put_notes(&notes, view);
	if (notes.length)
		fputc('\n', out);
	for (size_t i = 0; i < ARRAY_SIZE(sentences); i++) {
		strbuf_clear(&text);
		sentences[i](&text, view);
		if (!text.length)
			continue;
		if (!foot.lines && !notes.length)
			fputc('\n', out);
		put_sentence(&foot, text.text, util_columns(notes.text) + strlen("." GAP GAP DETAILS));
	}
	put_end(&foot, notes.text);
}
