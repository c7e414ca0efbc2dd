/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * foot_sampled.c - writes the foot of a sampled session's table (semantics S1-S5): how to read it,
 * what a sample stands for, how exact shares are, and what the samples lack.
 */
#include <stdlib.h>

#include "output.h"
#include "values/wilson_interval.h"

const char *const output_sampling_sources[3] = {
	[CINSTR_SOURCE_PERF] = "the kernel's performance counters",
	[CINSTR_SOURCE_TIMERS] = "timers of the threads' CPU time",
};

const char *const output_sampling_stacks[3] = {
	[CINSTR_STACKS_NONE] = "none: only what was executing",
	[CINSTR_STACKS_FRAME_POINTERS] = "by frame pointers",
	[CINSTR_STACKS_CFI] = "by unwind information",
};

/* ---- words ----------------------------------------------------------------------------------- */

/* Without decimals that say nothing: 1 ms, 250 us. */
static void put_ns(struct strbuf *buf, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && (ns < units[i].ns || ns % units[i].ns))
		i++;
	strbuf_thousands(buf, ns / units[i].ns);
	strbuf_printf(buf, " %s", units[i].name);
}

void output_sampling_interval(struct strbuf *buf, uint32_t unit, uint64_t interval)
{
	if (unit == CINSTR_SAMPLING_NS) {
		put_ns(buf, interval);
		strbuf_puts(buf, " of CPU time");
	} else {
		strbuf_thousands(buf, interval);
	}
}

const char *output_sampling_unit(uint32_t unit)
{
	return unit == CINSTR_SAMPLING_NS ? "ns" : unit == CINSTR_SAMPLING_CYCLES ? "cycles" : "events";
}

const char *output_sampling_source_key(uint32_t source)
{
	return source == CINSTR_SOURCE_PERF ? "perf" : source == CINSTR_SOURCE_TIMERS ? "timers" : "unknown";
}

const char *output_sampling_stacks_key(uint32_t stacks)
{
	return stacks == CINSTR_STACKS_FRAME_POINTERS ? "frame-pointers"
	       : stacks == CINSTR_STACKS_CFI	      ? "dwarf"
						      : "none";
}

void output_sampling_worth(struct strbuf *buf, uint64_t samples)
{
	output_plural(buf, samples, "sample", "s");
	strbuf_puts(buf, samples == 1 ? "'s worth" : "' worth");
}

static void put_every(struct strbuf *buf, const struct samples_totals *samples)
{
	if (samples->unit == CINSTR_SAMPLING_EVENTS && samples->interval == 1) {
		strbuf_puts(buf, "each one");
		return;
	}
	strbuf_puts(buf, "one every ");
	output_sampling_interval(buf, samples->unit, samples->interval);
}

void output_sampling_event(struct strbuf *buf, const struct samples_totals *samples)
{
	if (samples->event)
		strbuf_visible(buf, samples->event);
	else
		strbuf_puts(buf, "an unknown event");
	strbuf_puts(buf, ", ");
	put_every(buf, samples);
}

void output_sampling_certainty(struct strbuf *buf, long double samples)
{
	struct share share = share_of(samples / 10, samples);

	strbuf_printf(buf, "a share of 10 %% is known within %.1Lf-%.1Lf %% (95 %%)", 100 * share.low,
		      100 * share.high);
}

int output_sampling_is_thin(const struct totals *totals)
{
	return totals->elapsed > 0 && totals->elapsed < SHARE_ENOUGH;
}

void output_sampling_unseen(struct strbuf *buf, const struct samples_totals *samples)
{
	uint64_t unseen = samples_unseen(samples);
	long double all = samples->counted_samples;

	if (!unseen || all <= 0)
		return;
	strbuf_puts(buf, "about ");
	output_sampling_worth(buf, unseen);
	strbuf_printf(buf, " (%.1Lf %% of ", 100 * (long double)unseen / all);
	strbuf_puts(buf,
		    samples->unit == CINSTR_SAMPLING_EVENTS ? "the events) were " : "the CPU time) went by ");
	if (samples->unit == CINSTR_SAMPLING_EVENTS && samples->interval == 1 && !samples->is_mixed) {
		strbuf_puts(buf,
			    samples->with_kernel < samples->processes
				    ? "in the kernel, whose code may not be sampled here, or held back by it"
				    : "held back by the kernel, as they came too fast or at an end");
		return;
	}
	strbuf_puts(buf, samples->with_kernel < samples->processes
				 ? "in the kernel, whose code may not be sampled here, or in pieces shorter "
				   "than an interval"
				 : "in pieces shorter than an interval");
}

/* ---- how to read it -------------------------------------------------------------------------- */

static void put_callers(struct strbuf *text, const struct view *view)
{
	int recursive = 0;

	for (size_t i = 0; i < view->n_rows; i++)
		recursive |= view->rows[i]->is_recursive;
	strbuf_puts(text,
		    " Called by: the function's own samples, as far as they came through this caller. Calls: "
		    "the samples of what it called, as far as it did.");
	if (recursive)
		strbuf_puts(
			text,
			" Recursive: some of these have the function on the stack more than once, and are "
			"part of other rows, too: inclusive samples add up to more than the function's.");
}

static const char *meaning_of_row(const struct profile *profile)
{
	switch (profile->by) {
	case BY_LINE:
		return " A row is a source line; inclusive: it was executing, or what was called from there.";
	case BY_ADDRESS:
		return " A row is an instruction; inclusive: it was executing, or what was called from "
		       "there.";
	case BY_SITE:
		return " A row is a call site: the values are the callee's, when called from there.";
	case BY_MARK:
		return " A row is what lies between a mark and the next one of its process.";
	default:
		return "";
	}
}

static void say_legend(FILE *out, const struct view *view, struct strbuf *text)
{
	strbuf_puts(
		text,
		"inclusive: samples in it and in what it called; exclusive: in it alone. Percentages are of "
		"all samples.");
	strbuf_puts(text, meaning_of_row(view->profile));
	output_put_threads(text, view);
	if (view->has_intervals)
		strbuf_puts(text,
			    " 95 % CI: the share lies in there with 95 % confidence, as far as chance goes.");
	if (view->profile->by == BY_CALLERS)
		put_callers(text, view);
	if (view->profile->by == BY_PATH)
		strbuf_puts(text, " # hot path: the most expensive callee at each level.");
	output_say(out, "How to read it", text);
}

/* ---- what they are --------------------------------------------------------------------------- */

static void say_samples(FILE *out, const struct totals *t, struct strbuf *text)
{
	const struct samples_totals *s = &t->samples;

	output_plural(text, util_rounded(t->elapsed), "sample", "s");
	if (s->chosen < s->kept) {
		strbuf_puts(text, " of ");
		strbuf_thousands(text, s->kept);
	}
	strbuf_puts(text, " = 100 %, of ");
	output_sampling_event(text, s);
	strbuf_puts(text, s->unit == CINSTR_SAMPLING_EVENTS ? "; shares are of these events, not of time"
							    : "; blocked time is not seen");
	if (s->is_mixed)
		strbuf_puts(text,
			    ". Processes were sampled in different ways (cinstr info): their samples are not "
			    "worth the same");
	output_say(out, "Samples", text);
}

static void say_thin(FILE *out, const struct totals *t, struct strbuf *text)
{
	if (!output_sampling_is_thin(t))
		return;
	strbuf_puts(text, "only ");
	output_plural(text, util_rounded(t->elapsed), "sample", "s");
	strbuf_puts(text, ": ");
	output_sampling_certainty(text, t->elapsed);
	output_say(out, "Thin", text);
}

static void say_stacks(FILE *out, const struct totals *t, struct strbuf *text)
{
	const struct samples_totals *s = &t->samples;

	if (s->stacks == CINSTR_STACKS_NONE) {
		strbuf_puts(text, "not taken: inclusive is what was executing, as exclusive is");
	} else if (s->truncated) {
		strbuf_printf(text, "%s; ", output_sampling_stacks[s->stacks < 3 ? s->stacks : 0]);
		strbuf_thousands(text, s->truncated);
		strbuf_printf(text, " (%.1Lf %%) are truncated: their outermost callers are not known",
			      100 * (long double)s->truncated / (long double)(s->kept ? s->kept : 1));
	}
	if (text->length)
		output_say(out, "Stacks", text);
}

/* What there might have been samples of, and are not. */
static void say_missing(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct samples_totals *s = &view->profile->totals.samples;

	output_sampling_unseen(text, s);
	if (text->length && (view->filter || s->chosen < s->kept))
		strbuf_puts(text, " (of the whole recording)");
	if (s->silent) {
		strbuf_puts(text, text->length ? "; " : "");
		output_plural(text, s->silent, "process", "es");
		strbuf_puts(text, " ended without a sample");
	}
	if (text->length)
		output_say(out, "Not seen", text);
}

static void put_item(struct strbuf *text, uint64_t n, const char *what)
{
	if (!n)
		return;
	strbuf_puts(text, text->length ? "; " : "");
	output_plural(text, n, "sample", "s");
	strbuf_puts(text, what);
}

static void say_lost(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct samples_totals *s = &view->profile->totals.samples;

	put_item(text, s->discarded, " discarded, as the processor was not executing the program's code");
	put_item(text, s->paused, " left out, as recording was paused");
	put_item(text, s->lost, " lost, as there was no room for them");
	if (s->throttled) {
		strbuf_puts(text, text->length ? "; " : "");
		strbuf_puts(text, "the kernel held samples back ");
		output_plural(text, s->throttled, "time", "s");
	}
	if (s->incomplete && !view->is_live) {
		strbuf_puts(text, text->length ? "; " : "");
		strbuf_puts(text, "the collector did not come to its end in ");
		output_plural(text, s->incomplete, "process", "es");
		strbuf_puts(text, ": what it had not yet written is missing");
	}
	if (!text->length)
		strbuf_puts(text, "nothing");
	output_say(out, "Lost, left out", text);
}

void output_sampled_totals(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct totals *t = &view->profile->totals;

	say_legend(out, view, text);
	say_samples(out, t, text);
	say_thin(out, t, text);
	say_stacks(out, t, text);
	say_missing(out, view, text);
	say_lost(out, view, text);
}
