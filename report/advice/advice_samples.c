/* SPDX-License-Identifier: GPL-3.0-or-later */
/* advice_samples.c - the rules of advice on sampled sessions, in order of severity; ids as in
 * advice_rules.c where the meaning is the same. */
#include "advice_rules.h"
#include "lib/order.h"
#include "lib/share.h"
#include "output/output.h"
#include "values/wilson_interval.h"

#include <stdlib.h>
#include <string.h>

#define MODULES_NAMED 3
/* Percent of the samples: from here on something is worth saying. */
#define LOST_PERCENT 1
#define TRUNCATED_PERCENT 5
#define UNNAMED_PERCENT 5
#define UNSEEN_PERCENT 5

static void put_samples(struct strbuf *text, long double samples, long double all)
{
	output_plural(text, util_rounded(samples), "sample", "s");
	strbuf_printf(text, " (%.*Lf %%)", share_percent(samples, all) < 10 ? 1 : 0,
		      share_percent(samples, all));
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static int nothing(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (s->t->elapsed > 0)
		return 0;
	strbuf_puts(text, "There is no sample.");
	if (s->t->samples.paused) {
		strbuf_puts(text, " Recording was paused all the time.");
		strbuf_puts(action, "Start it while the program runs: cinstr control on, or cinstr_start().");
	} else {
		strbuf_puts(
			action,
			"The program used less processor time than an interval, or waited: let it do more, "
			"or sample more often (--sample=INTERVAL).");
	}
	return 1;
}

static int lost(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct samples_totals *t = &s->t->samples;
	long double all = (long double)t->kept + (long double)t->lost;

	if (share_percent((long double)t->lost, all) < LOST_PERCENT)
		return 0;
	put_samples(text, (long double)t->lost, all);
	strbuf_puts(text, t->lost == 1 ? " was lost" : " were lost");
	strbuf_puts(text,
		    ": they came faster than they could be read, or there was no room in the data file.");
	strbuf_puts(action,
		    "Sample less often (--sample=INTERVAL), copy less of each stack (--stack-bytes), or make "
		    "room on the disk.");
	return 1;
}

/* ---- what the numbers are worth -------------------------------------------------------------- */

static int thin(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!output_sampling_is_thin(s->t))
		return 0;
	strbuf_puts(text, "There are only ");
	output_plural(text, util_rounded(s->t->elapsed), "sample", "s");
	strbuf_puts(text, ", so ");
	output_sampling_certainty(text, s->t->elapsed);
	strbuf_puts(text, ".");
	strbuf_printf(
		action,
		"Have the program do more, or sample more often (--sample=INTERVAL): from %d samples on "
		"shares are known well enough to compare functions.",
		SHARE_ENOUGH);
	return 1;
}

static int truncated(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct samples_totals *t = &s->t->samples;

	if (share_percent((long double)t->truncated, (long double)t->kept) < TRUNCATED_PERCENT)
		return 0;
	strbuf_puts(text, "The stacks of ");
	put_samples(text, (long double)t->truncated, (long double)t->kept);
	strbuf_puts(text,
		    " are truncated: what they show is right, but their outer callers have too few inclusive "
		    "samples.");
	if (t->stacks == CINSTR_STACKS_FRAME_POINTERS)
		strbuf_puts(action, "Record with --stacks=dwarf, or compile with -fno-omit-frame-pointer.");
	else
		strbuf_puts(action,
			    "Record with more --stack-bytes; code without unwind information "
			    "(-fno-asynchronous-unwind-tables, assembler) is where stacks end otherwise.");
	return 1;
}

/* "libx.so.1+0x1200": made up of what is known. */
static int is_unnamed(const struct row *row)
{
	const char *base = row->module ? util_basename(row->module) : "";
	size_t n = strlen(base);

	return n && !strncmp(row->name, base, n) && !strncmp(row->name + n, "+0x", 3);
}

struct unnamed {
	const char *module;
	long double samples;
};

ORDER_ITEMS(by_samples, struct unnamed, ORDER(y->samples, x->samples), strcmp(x->module, y->module))

/* Modules with functions without names, those with most samples first. Returns how many; the caller
 * frees *list. */
static size_t unnamed_modules(const struct profile *p, struct unnamed **list)
{
	struct map seen = { 0 };
	size_t n;
	int is_new;

	*list = xcalloc(p->n_rows + 1, sizeof(**list));
	for (size_t i = 0; p->by == BY_FUNCTION && i < p->n_rows; i++) {
		const struct row *row = &p->rows[i];
		struct unnamed *module;

		if (!row->name || !is_unnamed(row))
			continue;
		module = &(*list)[map_add(&seen, row->module, strlen(row->module), &is_new)];
		module->module = row->module;
		module->samples += row->sums.elapsed_exclusive;
	}
	n = seen.n;
	map_release(&seen);
	util_sort(*list, n, sizeof(**list), by_samples, NULL);
	return n;
}

static int unnamed(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	struct unnamed *list;
	size_t n = unnamed_modules(s->profile, &list);
	long double samples = 0;

	for (size_t i = 0; i < n; i++)
		samples += list[i].samples;
	if (share_percent(samples, s->t->elapsed) < UNNAMED_PERCENT) {
		free(list);
		return 0;
	}
	put_samples(text, samples, s->t->elapsed);
	strbuf_puts(text, " executed functions of which no name is known (");
	for (size_t i = 0; i < n && i < MODULES_NAMED; i++) {
		strbuf_puts(text, i ? ", " : "");
		strbuf_visible(text, util_basename(list[i].module));
		strbuf_printf(text, " %.0Lf %%", share_percent(list[i].samples, s->t->elapsed));
	}
	strbuf_puts(text, n > MODULES_NAMED ? ", ...)." : ").");
	strbuf_puts(
		action,
		"Install their debug symbols (of Debian's packages: NAME-dbgsym), or set DEBUGINFOD_URLS; "
		"names are looked up when a session ends, so record again.");
	free(list);
	return 1;
}

static int incomplete(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->samples.incomplete || s->is_live)
		return 0;
	strbuf_puts(text, "The collector of ");
	output_plural(text, s->t->samples.incomplete, "process", "es");
	strbuf_puts(
		text,
		" did not come to its end: the last samples may be missing, and names are those of the files "
		"that are there now.");
	strbuf_puts(action, "cinstr record or the machine may have been killed. What is there is right.");
	return 1;
}

static int mixed(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->samples.is_mixed)
		return 0;
	strbuf_puts(text,
		    "Processes were sampled by different events or at different intervals: one sample is not "
		    "worth as much as another.");
	strbuf_puts(action,
		    "Look at one process at a time (--process); cinstr info says how each was sampled.");
	return 1;
}

/* ---- what is good to know -------------------------------------------------------------------- */

static int unseen(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct samples_totals *t = &s->t->samples;

	if (share_percent((long double)samples_unseen(t), t->counted_samples) < UNSEEN_PERCENT)
		return 0;
	output_sampling_unseen(text, t);
	text->text[0] = 'A'; /* "About 209 samples' worth" */
	strbuf_puts(text, ".");
	if (t->with_kernel < t->processes)
		strbuf_puts(action, "To see the kernel's part, record as root, or with "
				    "/proc/sys/kernel/perf_event_paranoid at 1.");
	else if (t->unit == CINSTR_SAMPLING_EVENTS && t->interval == 1)
		strbuf_puts(action, "Raise /proc/sys/kernel/perf_event_max_sample_rate.");
	else
		strbuf_puts(action, "Sample more often (--sample=INTERVAL).");
	return 1;
}

static int throttled(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->samples.throttled)
		return 0;
	strbuf_puts(text, "The kernel held samples back ");
	output_plural(text, s->t->samples.throttled, "time", "s");
	strbuf_puts(text, ", as they came too fast: busy moments have too few.");
	strbuf_puts(action, "Sample less often (--sample=INTERVAL), or raise "
			    "/proc/sys/kernel/perf_event_max_sample_rate.");
	return 1;
}

static int silent(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (!s->t->samples.silent)
		return 0;
	output_plural(text, s->t->samples.silent, "process", "es");
	strbuf_puts(text, " ended without a sample: too short, or waiting most of the time.");
	strbuf_puts(action, "Sample more often (--sample=INTERVAL), or instrument them.");
	return 1;
}

static int no_stacks(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	if (s->t->samples.stacks != CINSTR_STACKS_NONE || s->t->elapsed <= 0)
		return 0;
	strbuf_puts(text, "Stacks were not taken (--stacks=none): who called is not known.");
	strbuf_puts(action, "Record with --stacks=auto to see callers.");
	return 1;
}

static int killed(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct quality *f = &s->t->facts;
	const char *name = sigabbrev_np(f->signal);

	if (!f->killed)
		return 0;
	output_plural(text, f->killed, "process", "es");
	strbuf_printf(text, " ended by a signal (SIG%s). Everything up to there was sampled.",
		      name ? name : "?");
	strbuf_puts(action, "cinstr info shows which.");
	return 1;
}

/* clang-format off */
const struct rule advice_sampled_rules[] = {
	{ "CI0003", SEVERITY_ERROR, nothing, 0 },
	{ "CI0004", SEVERITY_ERROR, advice_stopped, 0 },
	{ "CI0109", SEVERITY_WARNING, killed, 1 },
	{ "CI0113", SEVERITY_WARNING, thin, 1 },
	{ "CI0114", SEVERITY_WARNING, lost, 1 },
	{ "CI0115", SEVERITY_WARNING, truncated, 1 },
	{ "CI0116", SEVERITY_WARNING, unnamed, 0 },
	{ "CI0117", SEVERITY_WARNING, incomplete, 1 },
	{ "CI0118", SEVERITY_WARNING, mixed, 1 },
	{ "CI0212", SEVERITY_INFORMATION, unseen, 0 },
	{ "CI0213", SEVERITY_INFORMATION, throttled, 0 },
	{ "CI0214", SEVERITY_INFORMATION, silent, 0 },
	{ "CI0215", SEVERITY_INFORMATION, no_stacks, 0 },
};
/* clang-format on */

const size_t advice_n_sampled_rules = ARRAY_SIZE(advice_sampled_rules);
