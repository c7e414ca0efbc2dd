/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * head_and_foot.c - the lines above and below a table: what was recorded, how to read it, the
 * denominators, whether everything adds up (semantics R7, R9, R10, R12), what was lost.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/terminal.h"
#include "output.h"
#include "rows/uncertainty.h"
#include "table_cells.h"
#include "upper_end.h"
#include "values/user_counts.h"

#define LABEL_WIDTH 20
#define TAKEN_OUT_SHOWN 6

const char *output_application_mode(const struct counting *counting)
{
	return counting->on_cpu ? "on-cpu" : "interval";
}

void output_os_source(struct strbuf *buf, const struct totals *t)
{
	if (t->no_source) {
		strbuf_puts(buf, "none");
		return;
	}
	strbuf_puts(buf, t->restartable && !t->by_threshold ? "restartable sequences and intervals over "
			 : t->restartable ? "restartable sequences (not in every process) and intervals over "
					  : "intervals over ");
	strbuf_duration(buf, t->threshold);
}

void output_say(FILE *out, const char *label, struct strbuf *text)
{
	unsigned terminal = terminal_width(out);
	size_t width = terminal ? terminal : 110, at = LABEL_WIDTH;
	char *rest = text->text;

	fprintf(out, "%-*s", LABEL_WIDTH, label);
	for (char *word = util_next_word(&rest); word; word = util_next_word(&rest)) {
		size_t n = util_columns(word);

		if (at > LABEL_WIDTH && at + 1 + n > width) {
			fprintf(out, "\n%*s", LABEL_WIDTH, "");
			at = LABEL_WIDTH;
		}
		fprintf(out, "%s%s", at > LABEL_WIDTH ? " " : "", word);
		at += n + (at > LABEL_WIDTH);
	}
	fputc('\n', out);
	strbuf_clear(text);
}

/* ---- heading --------------------------------------------------------------------------------- */

void output_plural(struct strbuf *buf, uint64_t n, const char *what, const char *ending)
{
	strbuf_thousands(buf, n);
	strbuf_printf(buf, " %s%s", what, n == 1 ? "" : ending);
}

static void put_time_of_day(struct strbuf *buf, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	struct tm tm;
	char text[64];

	if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		strbuf_puts(buf, text);
}

void output_chosen(struct strbuf *buf, const struct totals *t)
{
	long double paused = t->paused + t->paused_beyond, all = t->elapsed + paused;
	const char *text = t->chosen.n ? t->chosen.keys[0] : "";

	if (t->chosen.n > 1) {
		strbuf_puts(buf, "not the same in all processes (see cinstr info): ");
		text = *text ? text : t->chosen.keys[1];
	}
	strbuf_puts(buf, text);
	if (t->chosen.n > 1)
		strbuf_puts(buf, ", ...");
	if (paused > 0 && 1000 * paused >= 0.5L * all) /* else the foot says that there is little */
		strbuf_printf(buf, "%s%.1Lf %% of the time paused", buf->length ? ", " : "",
			      100 * paused / all);
}

static void say_filter(FILE *out, const struct view *view, struct strbuf *text)
{
	if (!view->filter)
		return;
	strbuf_puts(text, view->filter);
	if (view->n_filtered) {
		strbuf_puts(text, ": ");
		output_plural(text, view->n_filtered, "row", "s");
		strbuf_puts(text, " with together ");
		profile_measure(view->profile)->put(text, view->filtered, "exclusive");
		strbuf_puts(text, " left out");
	}
	output_say(out, "Filter", text);
}

/* "SESSION: its command line", cut to the terminal's width */
static void put_source(struct strbuf *line, const struct view *view, unsigned width)
{
	const char *title = view->profile->totals.title;

	strbuf_visible(line, view->source);
	if (title) {
		strbuf_puts(line, ": ");
		strbuf_visible(line, title);
	}
	if (width && util_columns(line->text) > width) {
		line->length = util_head(line->text, width - 3);
		line->text[line->length] = '\0';
		strbuf_puts(line, "...");
	}
}

/* "2026-01-31 12:00, 1.2 s wall, 1 process, 2 threads, 1,234 events" */
static void put_extent(struct strbuf *line, const struct view *view)
{
	const struct totals *t = &view->profile->totals;

	put_time_of_day(line, t->begin_realtime_ns);
	if (totals_duration(t) > 0) {
		strbuf_puts(line, view->is_live ? ", until now " : ", ");
		strbuf_duration(line, totals_duration(t));
		strbuf_puts(line, view->is_live ? "" : " wall");
	}
	strbuf_puts(line, ", ");
	output_plural(line, t->processes, "process", "es");
	if (t->hosts.n > 1)
		strbuf_printf(line, " on %zu machines", t->hosts.n);
	strbuf_puts(line, ", ");
	output_plural(line, t->threads, "thread", "s");
	strbuf_puts(line, ", ");
	if (profile_is_sampled(view->profile))
		output_plural(line, util_rounded(t->elapsed), "sample", "s");
	else if (profile_is_executed(view->profile))
		output_put_counted(line, view->profile);
	else
		output_plural(line, t->events, "event", "s");
	strbuf_puts(line, view->is_live ? " (still recording)" : "");
}

static void say_root(FILE *out, const struct view *view, struct strbuf *text)
{
	if (!view->profile->paths.root)
		return;
	strbuf_visible(text, view->profile->paths.root);
	strbuf_puts(text, " and what it called, from wherever it was called; percentages are of the session");
	output_say(out, "Below", text);
}

void output_heading(FILE *out, const struct view *view, enum heading_whole whole)
{
	const struct totals *t = &view->profile->totals;
	STRBUF(line);

	put_source(&line, view, terminal_width(out));
	strbuf_puts(&line, "\n");
	put_extent(&line, view);
	fprintf(out, "%s\n", line.text);
	strbuf_clear(&line);
	if (whole != WHOLE_NOT_SAID)
		output_whole(out, view, whole);
	output_chosen(&line, t);
	if (line.length)
		output_say(out, "Recorded", &line);
	say_root(out, view, &line);
	say_filter(out, view, &line);
	deaths_put(&line, &t->facts.deaths);
	if (line.length)
		output_say(out, "Ended", &line);
	fprintf(out, "\n");
}

#define CPU_LEGEND \
	"CPU: time on the processor. Waiting: time off it. Application: time computing (waits, preemption " \
	"and system calls left out)."

/* ---- totals ---------------------------------------------------------------------------------- */

static void say_callers(const struct view *view, struct strbuf *text)
{
	int recursive = 0;

	for (size_t i = 0; i < view->n_rows; i++)
		recursive |= view->rows[i]->is_recursive;
	strbuf_puts(text, " Called by: the function's own values, as far as they come from these calls. "
			  "Calls: the values of what it called, as far as it did.");
	if (recursive)
		strbuf_puts(text, " Recursive: some of that happened while the function was running already, "
				  "and is part of other rows, too: inclusive times add up to more than the "
				  "function's.");
}

static void say_places(const struct profile *profile, struct strbuf *text)
{
	int is_line = profile->by == BY_LINE;

	strbuf_printf(
		text,
		" A row is %s: calls say how often it was reached; exclusive: from there, and after calls "
		"made there, to the next event; inclusive: and what was called from there.",
		is_line ? "a source line" : "an instruction that calls, or a function's first");
	if (is_line && !profile->totals.lines)
		strbuf_puts(text,
			    " Lines are resolved to calls: exclusive time is of one of the lines that the "
			    "code has up to the next call: 8-13, or 20 (17-23) after a call in 20. For every "
			    "line: compile with -fplugin-arg-cinstr-lines, record with --probes=lines.");
}

/* In a chain's name, or of the row. */
int output_has_jumps(const struct view *view)
{
	enum profile_by by = view->profile->by;

	for (size_t i = 0; i < view->n_rows; i++) {
		const struct row *row = view->rows[i];

		if ((by == BY_PATH || by == BY_SITE || by == BY_CALLERS) && row->relation != RELATION_ROOT &&
		    (*cell_jump_mark(row) || (row->is_chain && strstr(row->name, " (jump)"))))
			return 1;
	}
	return 0;
}

int output_has_names_in_common(const struct view *view)
{
	struct map names = { 0 };
	int is_new = 1;

	for (size_t i = 0; i < view->n_rows && is_new; i++)
		map_add(&names, view->rows[i]->name, strlen(view->rows[i]->name), &is_new);
	map_release(&names);
	return !is_new;
}

void output_put_threads(struct strbuf *text, const struct view *view)
{
	if (view->profile->by != BY_THREAD)
		return;
	if (view->profile->merge_threads)
		strbuf_puts(text, " A row is all threads of one name, in processes of one name: their values "
				  "are added up; Begin is the first one's, End the last one's.");
	else if (output_has_names_in_common(view))
		strbuf_puts(text, " Several have the same name: --by=thread-name has a row for each name.");
}

/* What the marks ~ and <= mean, if there are any. */
static void say_uncertain(const struct view *view, struct strbuf *text)
{
	int rough = 0;

	if (view->profile->counting.raw)
		return;
	for (size_t i = 0; i < view->n_rows; i++)
		for (int kind = 0; kind < VALUE_KINDS; kind++)
			rough |= !mixed_row_is_estimate(view->rows[i], (enum value_kind)kind) &&
				 uncertainty_is_rough(&view->rows[i]->sums, (enum value_kind)kind) &&
				 uncertainty_upper_end(&view->rows[i]->sums, (enum value_kind)kind) < 0;
	if (rough)
		strbuf_puts(text, " ~ rough: uncertain by more than half.");
	if (cell_unit(view).has_upper_ends)
		strbuf_printf(text, " %s", upper_end_legend);
}

/* What is counted, and how to see what else is. */
static void say_counts(struct strbuf *text)
{
	STRBUF(names);

	strbuf_puts(text, "Counted: ");
	user_counts_put(text);
	strbuf_puts(text, ", by cinstr_count(). Time for one: inclusive elapsed time by it.");
	if (user_counts_put_all(&names))
		strbuf_printf(text, " Names: %s; --count=NAME chooses.", names.text);
}

/* Says what the columns of the view's set are. */
static void say_columns(const struct view *view, struct strbuf *text)
{
	static const char *const legends[] = {
		[COLUMNS_CPU] = CPU_LEGEND,
		[COLUMNS_FULL] = CPU_LEGEND,
		[COLUMNS_OS] = "Off-CPU: time that the thread was not on a processor. Counts are of the row "
			       "alone.",
		[COLUMNS_IO] = "Bytes and calls: of read, recv, fread, write, send, fwrite and their like, "
			       "with what the row called.",
		[COLUMNS_MEMORY] =
			"Bytes and calls: what calls of malloc, calloc, realloc, new and their like "
			"asked for; by itself: in calls that the row's own code makes.",
		[COLUMNS_HELD] = "Not freed: what calls of malloc, calloc, realloc, new and their like asked "
				 "for that was not freed when the recording ended; by itself: in calls that "
				 "the row's own code makes.",
	};

	strbuf_puts(text, "inclusive: with everything it called; exclusive: itself alone. ");
	if (view->set == COLUMNS_COUNTS)
		say_counts(text);
	else
		strbuf_puts(text, legends[view->set]);
}

/* Says what a row of the view is, unless it is a function. */
static void say_rows(const struct view *view, struct strbuf *text)
{
	enum profile_by by = view->profile->by;

	if (profile_is_by_place(view->profile))
		say_places(view->profile, text);
	if (by == BY_SITE)
		strbuf_puts(text, " A row is a call site: the values are the callee's, when called from "
				  "there. What code without probes called (main, first functions of threads, "
				  "callbacks) has none.");
	if (by == BY_MARK)
		strbuf_puts(text,
			    " A row is what lies between a mark and the next one of its process; a call "
			    "counts where it began. A mark without values began no phase (--phases).");
	output_put_threads(text, view);
	if (by == BY_CALLERS)
		say_callers(view, text);
	if (output_has_jumps(view))
		strbuf_printf(text,
			      " %s: a tail call, which left its caller by a jump: debuggers and samples do "
			      "not see that caller.",
			      by == BY_SITE ? "=>" : "(jump)");
}

/* Says what the marks beside values mean, as far as they occur. */
static void say_marks(const struct view *view, struct strbuf *text)
{
	enum profile_by by = view->profile->by;
	int open = 0, estimated = 0, least = 0;

	for (size_t i = 0; i < view->n_rows; i++) {
		const struct row *row = view->rows[i];

		open |= row->open_calls != 0;
		estimated |= (row->source[0] | row->source[1]) & SOURCE_ESTIMATE;
		least |= lower_end_is_all(row, COLUMN_CALLS);
	}
	say_uncertain(view, text);
	if (estimated)
		strbuf_puts(text, " " OUTPUT_ESTIMATE " estimate, from samples: see Counted.");
	if (least)
		strbuf_printf(text, " %s", lower_end_legend);
	if (open && (by == BY_FUNCTION || by == BY_SITE || by == BY_PATH || by == BY_CALLERS))
		strbuf_puts(text, view->is_live ? " + some call had not returned when this was read."
						: " + some call had not returned when the recording ended.");
	if (by == BY_PATH)
		strbuf_puts(text, " # hot path: the most expensive callee at each level.");
}

static void say_legend(FILE *out, const struct view *view, struct strbuf *text)
{
	say_columns(view, text);
	say_rows(view, text);
	say_marks(view, text);
	output_say(out, "How to read it", text);
}

static void say_hidden(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct measure *measure = profile_measure(view->profile);

	if (!view->n_hidden)
		return;
	output_plural(text, view->n_hidden, "row", "s");
	if (view->profile->by == BY_PATH) {
		strbuf_puts(text, " in ");
		output_plural(text, view->profile->paths.n_tops, "subtree", "s");
	}
	strbuf_printf(text, " (by %s): ", view->hidden_why);
	measure->put(text, view->hidden, "exclusive");
	if (view->profile->totals.elapsed > 0)
		strbuf_printf(text, ", %.2Lf %% of the session",
			      100 * view->hidden / view->profile->totals.elapsed);
	output_say(out, "Not shown", text);
}

static void say_folded(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct paths *paths = &view->profile->paths;
	const struct measure *m = profile_measure(view->profile);

	if (!paths->n_lines)
		return;
	output_plural(text, paths->n_folded + paths->n_lines, "path", "s");
	strbuf_puts(text, " in ");
	output_plural(text, paths->n_lines, "row", "s");
	strbuf_printf(
		text,
		": of a > b > c each is all that is shown of what its caller called, and has nearly all of "
		"its %s; f (x 12) called itself. Inclusive %s %s the first one's, exclusive %s %s of all%s",
		m->what, m->what, m->is, m->what, m->that,
		column_of_method(view->profile, COLUMN_CALLS) ? ", calls those of the first function" : "");
	output_say(out, "Folded", text);
}

static void say_elapsed(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct totals *t = &view->profile->totals;
	STRBUF(nothing);

	strbuf_duration(text, t->elapsed);
	strbuf_puts(text, " = 100 % of Elapsed: all intervals of all threads, of these ");
	strbuf_duration(text, t->outside);
	strbuf_puts(text, " outside any function");
	if (t->pauses) {
		strbuf_puts(text, ". Recording was off for ");
		strbuf_duration(text, t->paused + t->paused_beyond);
		strbuf_puts(text, " in ");
		output_plural(text, t->pauses, "pause", "s");
		strbuf_puts(text, ", which are in no interval");
	}
	output_put_unrecorded(&nothing, t);
	if (nothing.length)
		strbuf_printf(text, ". %s", nothing.text);
	else if (t->waiting)
		strbuf_puts(text,
			    ". Recording was on from a start or in a region only (an option of the plugin)");
	output_say(out, "Elapsed", text);
}

static void say_application(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct counting *counting = &view->profile->counting;
	const struct totals *t = &view->profile->totals;

	if (!totals_has_application(t)) {
		strbuf_puts(text, "n/a: nothing showed when the operating system acted");
		output_say(out, "Application", text);
		return;
	}
	strbuf_duration(text, t->application);
	strbuf_printf(text, " = 100 %% of Application, mode %s: ", output_application_mode(counting));
	if (counting->on_cpu) {
		strbuf_puts(text, "what threads spent off the processor is left out");
	} else {
		strbuf_puts(text, "intervals with an event (");
		os_events_put(text, counting->os_mask, ", ");
		strbuf_puts(text, ") are left out whole");
		if (t->mixed.processes)
			strbuf_puts(text, ", of time that was shared out by samples what threads spent off "
					  "the processor");
	}
	strbuf_puts(text, ". Detected by ");
	output_os_source(text, t);
	if (t->streams && !counting->on_cpu && counting->os_mask & CINSTR_OS_SYSCALL)
		strbuf_puts(text,
			    "; system calls: calls of read, poll and the like, and of stdio and streams "
			    "that entered the kernel");
	output_say(out, "Application", text);
}

static void put_switches(struct strbuf *text, uint64_t voluntary, uint64_t involuntary)
{
	strbuf_thousands(text, voluntary);
	strbuf_puts(text, " voluntary and ");
	strbuf_thousands(text, involuntary);
	strbuf_puts(text, " involuntary");
}

/* --view=os: where the counts come from, and what they lack. */
static void say_os(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct totals *t = &view->profile->totals;

	if (!totals_has_application(t)) {
		strbuf_puts(text,
			    "n/a: nothing showed when the operating system acted; system calls are known");
		output_say(out, "OS events", text);
		return;
	}
	put_switches(text, t->voluntary, t->involuntary);
	strbuf_puts(text, " switches; the kernel counted ");
	put_switches(text, t->kernel_voluntary, t->kernel_involuntary);
	strbuf_puts(text, ", without those of the recording's own work. Detected by ");
	output_os_source(text, t);
	strbuf_puts(text,
		    ". Not seen: how many faults or blocks there were in an interval; in which interval, if "
		    "it was shorter than that and without a switch (it counts at the next one looked at). "
		    "System calls: of known wrappers (read, poll, ...) by code with probes");
	if (t->streams)
		strbuf_puts(
			text,
			", and of stdio and streams that entered the kernel (of printf and scanf not all are "
			"seen)");
	strbuf_puts(text, ", not those that libraries make");
	if (t->streams)
		strbuf_puts(text, " elsewhere or that are inline in the program");
	output_say(out, "OS events", text);
}

static void say_overhead(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct totals *t = &view->profile->totals;

	strbuf_duration(text, t->overhead);
	if (view->profile->counting.raw)
		strbuf_puts(text, " estimated, not subtracted (--raw)");
	else
		strbuf_puts(text, " subtracted");
	if (t->overhead_low < t->overhead || t->overhead_high > t->overhead) {
		strbuf_puts(text, " (between ");
		strbuf_duration(text, t->overhead_low);
		strbuf_puts(text, " and ");
		strbuf_duration(text, t->overhead_high);
		strbuf_puts(text, ")");
	}
	if (t->uncalibrated == t->processes) {
		strbuf_puts(text, "; probes were not calibrated, so nothing could be subtracted");
	} else if (t->uncalibrated) {
		strbuf_puts(text, "; not in ");
		output_plural(text, t->uncalibrated, "process", "es");
		strbuf_printf(text, " (%.2Lf %% of Elapsed), whose probes were not calibrated",
			      t->elapsed > 0 ? 100 * t->uncalibrated_ns / t->elapsed : 0);
	}
	strbuf_puts(text, ". The recording's own work, in no interval: ");
	strbuf_duration(text, t->runtime);
	if (t->attach > 0) {
		strbuf_puts(text, "; to attach ");
		strbuf_duration(text, t->attach);
	}
	output_say(out, "Probe overhead", text);
}

static void say_taken_out(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct exclusions *outs = &view->profile->taken_outs;

	if (!outs->n)
		return;
	output_plural(text, outs->n, "function", "s");
	strbuf_puts(text, ", by the limit on overhead (--max-overhead): ");
	for (size_t i = 0; i < outs->n && i < TAKEN_OUT_SHOWN; i++) {
		strbuf_puts(text, i ? "; " : "");
		exclusion_put(text, &outs->list[i], view->profile->names);
	}
	if (outs->n > TAKEN_OUT_SHOWN) {
		strbuf_puts(text, "; and ");
		strbuf_thousands(text, outs->n - TAKEN_OUT_SHOWN);
		strbuf_puts(text, " more (cinstr info --marks)");
	}
	strbuf_puts(text, outs->uncounted.n
				  ? ". Their calls and times (*) cover a part of the run only: while "
				  : ". Their calls are exact, but their times (*) cover a part of the run "
				    "only: while ");
	strbuf_puts(text, "their probes were out, their time counted as their callers'");
	if (view->profile->totals.mixed.counted_functions)
		output_counted_sites(text, &view->profile->totals);
	output_say(out, "Taken out", text);
}

static void say_conservation(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct totals *t = &view->profile->totals;

	if (!t->threads_off) {
		strbuf_puts(text, "exact: in every thread the intervals");
		strbuf_puts(text, t->pauses ? ", the pauses and" : " and");
		strbuf_puts(text, " the recording's own work add up to last - first stamp");
	} else {
		strbuf_puts(text, "off by ");
		output_plural(text, t->conservation_ticks_off, "tick", "s");
		strbuf_puts(text, " in ");
		output_plural(text, t->threads_off, "thread", "s");
		strbuf_puts(text, view->is_live ? ": they went on recording while they were read"
						: ": the data or the recording is damaged");
	}
	output_say(out, "Conservation", text);
}

static void say_events(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct totals *t = &view->profile->totals;

	strbuf_thousands(text, t->enters);
	strbuf_printf(text, " enters %s ", t->unbalanced ? "but" : "=");
	strbuf_thousands(text, t->exits);
	strbuf_puts(text, " exits + ");
	output_plural(text, t->implicit_exits, "implicit exit", "s");
	strbuf_puts(text, " + ");
	strbuf_thousands(text, t->open_frames);
	strbuf_puts(text, " still open");
	if (t->repaired) {
		strbuf_puts(text, "; ");
		strbuf_thousands(text, t->repaired);
		strbuf_puts(text, t->repaired == 1 ? " was already running when recording came on"
						   : " were already running when recording came on");
	}
	if (t->functions_only)
		strbuf_puts(text, ". Calls were not recorded (--probes=functions)");
	output_say(out, "Events", text);
}

static void put_loss(struct strbuf *text, uint64_t n, const char *what, const char *ending, const char *why)
{
	if (!n)
		return;
	if (text->length)
		strbuf_puts(text, "; ");
	output_plural(text, n, what, ending);
	strbuf_printf(text, " %s", why);
}

static void say_lost(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct totals *t = &view->profile->totals;

	put_loss(text, t->lost_events, "event", "s", "lost");
	put_loss(text, t->lost_threads, "thread", "s", "not recorded");
	put_loss(text, t->orphans, "event", "s", "without a begin (ignored)");
	put_loss(text, t->merged_calls, "call", "s",
		 "not in the tree, on paths of little time: kept by function and call site (CINSTR_PATHS)");
	put_loss(text, t->uncounted, "call", "s", "not among Min, Max and percentiles: there was no room");
	put_loss(text, t->timeline_lost, "event", "s", "not kept in the timeline");
	put_loss(text, t->stopped, "process", "es", "stopped recording early (see cinstr info)");
	put_loss(text, t->no_frequency, "process", "es", "without a clock frequency: ticks are shown as ns");
	put_loss(text, t->left_out_by_choice, "function", "s", "left out by choice (see cinstr info)");
	put_loss(text, t->left_out_by_need, "function", "s", "that cannot be instrumented (see cinstr info)");
	put_loss(text, t->sleds_refused, "probe", "s", "could not be switched on");
	if (!text->length)
		strbuf_puts(text, "nothing");
	output_say(out, "Lost, left out", text);
}

/* What the times of probes' events are worth. */
static void say_times(FILE *out, const struct view *view, struct strbuf *text)
{
	say_legend(out, view, text);
	say_elapsed(out, view, text);
	if (view->set == COLUMNS_OS)
		say_os(out, view, text);
	else
		say_application(out, view, text);
	say_overhead(out, view, text);
	if (view->profile->totals.mixed.processes) {
		output_mixed_totals(out, view, text);
	} else {
		say_taken_out(out, view, text);
		output_mixed_refused(out, view, text);
	}
	say_conservation(out, view, text);
	say_events(out, view, text);
	say_lost(out, view, text);
}

void output_totals(FILE *out, const struct view *view)
{
	struct strbuf text = { 0 };

	strbuf_clear(&text);
	fputc('\n', out);
	if (!profile_is_executed(view->profile))
		say_hidden(out, view, &text);
	say_folded(out, view, &text);
	if (profile_is_executed(view->profile)) {
		strbuf_release(&text);
		output_executed_foot(out, view);
		return;
	}
	if (profile_is_sampled(view->profile))
		output_sampled_totals(out, view, &text);
	else
		say_times(out, view, &text);
	if (view->put_serious)
		view->put_serious(&text, view->profile, view->is_live);
	if (text.length)
		output_say(out, "Advice", &text);
	strbuf_release(&text);
}
