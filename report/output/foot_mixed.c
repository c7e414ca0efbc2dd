/* SPDX-License-Identifier: GPL-3.0-or-later */
/* foot_mixed.c - writes the foot of a mixed session's table: which values are estimates, what they
 * come from, and whether they add up to the kernel's count. */
#include <string.h>

#include "output.h"

static void put_part(struct strbuf *text, uint64_t n, const char *what)
{
	if (!n)
		return;
	strbuf_puts(text, "; ");
	strbuf_thousands(text, n);
	strbuf_printf(text, " %s", what);
}

/* Where the kernel did not let threads sample themselves. */
static void put_refused(struct strbuf *text, const struct mixed_totals *m)
{
	if (!m->refused)
		return;
	if (text->length)
		strbuf_puts(text, ". ");
	output_plural(text, m->refused, "thread", "s");
	strbuf_printf(text, " without samples: the kernel refused (%s; kernel.perf_event_paranoid, ",
		      strerror((int)m->refused_errno));
	strbuf_puts(text, "a filter of system calls, ulimit -l)");
}

static void put_own(struct strbuf *text, const struct mixed_totals *m)
{
	if (!m->own)
		return;
	strbuf_puts(text, ". Threads have sampled themselves, without stacks: who called a function that "
			  "is an estimate, is not known below the timed one whose time it was; cinstr record "
			  "tells");
}

static void put_rare(struct strbuf *text, const struct mixed_totals *m)
{
	if (!m->rare)
		return;
	strbuf_puts(text, ". ");
	output_plural(text, m->rare, "thread", "s");
	strbuf_puts(text, " sampled each 10 ms only, not each: switching between threads costs too much "
			  "otherwise");
}

static void say_samples(FILE *out, const struct mixed_totals *m, struct strbuf *text)
{
	strbuf_thousands(text, m->joined);
	strbuf_puts(text, " of ");
	output_plural(text, m->kept, "sample", "s");
	strbuf_puts(text, " joined with intervals");
	put_part(text, m->stubs, "of these in code that counts, the recording's own");
	put_part(text, m->probes, "in probes, as well");
	strbuf_puts(text, ". Not joined: ");
	if (m->joined == m->kept)
		strbuf_puts(text, "none");
	else
		strbuf_thousands(text, m->kept - m->joined);
	put_part(text, m->runtime, "in the recording's own code, which is in no interval");
	put_part(text, m->truncated, "whose stack is not known to its end");
	put_part(text, m->no_thread, "of threads that were not recorded");
	put_part(text, m->no_interval, "in no interval that was kept");
	put_part(text, m->out_of_time, "before the first or after the last stamp, or not chosen");
	put_part(text, m->lost, "lost");
	if (m->without) {
		strbuf_puts(text, ". ");
		output_plural(text, m->without, "process", "es");
		strbuf_puts(text, " without samples: there the time of what was counted is its callers'");
	}
	if (m->alone) {
		strbuf_puts(text, ". ");
		output_plural(text, m->alone, "process", "es");
		strbuf_puts(text, " without probes: cinstr report FILE shows its samples");
	}
	put_own(text, m);
	put_rare(text, m);
	put_refused(text, m);
	output_say(out, "Samples", text);
}

void output_mixed_refused(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct mixed_totals *m = &view->profile->totals.mixed;

	if (!m->refused)
		return;
	put_refused(text, m);
	output_say(out, "Samples", text);
}

static void say_kernel(FILE *out, const struct mixed_totals *m, struct strbuf *text)
{
	long double off = m->tree_ns - m->kernel_ns;

	if (m->kernel_ns <= 0)
		return;
	strbuf_puts(text, "on the processor ");
	strbuf_duration(text, m->tree_ns);
	strbuf_puts(text, " by the intervals, with the recording's own work; ");
	strbuf_duration(text, m->kernel_ns);
	strbuf_printf(text, " by the kernel's clock (%+.2Lf %%)", 100 * off / m->kernel_ns);
	output_say(out, "Processor time", text);
}

void output_counted_sites(struct strbuf *text, const struct totals *totals)
{
	const struct mixed_totals *m = &totals->mixed;

	if (!m->counted_sites) {
		strbuf_puts(text, ". Who called them, and what they called that has no probes, is not known "
				  "(cinstr record --counts=sites)");
		return;
	}
	strbuf_puts(text, ". Calls by call site are exact, too (");
	strbuf_thousands(text, m->counted_by_site);
	strbuf_puts(text, " counted at ");
	output_plural(text, m->counted_sites, "site", "s");
	strbuf_puts(text, "), and so are calls of functions without probes, but not those through pointers: "
			  "these are known by site only");
	if (totals->sleds_refused)
		strbuf_puts(text, ". Calls at probes that could not be switched on are not counted");
}

void output_mixed_totals(FILE *out, const struct view *view, struct strbuf *text)
{
	const struct mixed_totals *m = &view->profile->totals.mixed;

	output_plural(text, m->counted, "call", "s");
	strbuf_puts(text, " of ");
	output_plural(text, m->counted_functions, "function", "s");
	strbuf_puts(text, " were counted instead of timed. Counts are exact");
	output_counted_sites(text, &view->profile->totals);
	strbuf_puts(text, ". Their time on the processor (" OUTPUT_ESTIMATE
			  ") is their callers', shared out by samples: an estimate; nothing is known of "
			  "single calls. Waits are intervals, never estimated.");
	output_say(out, "Counted", text);
	say_samples(out, m, text);
	say_kernel(out, m, text);
}
