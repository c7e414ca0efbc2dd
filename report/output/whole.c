/* SPDX-License-Identifier: GPL-3.0-or-later */
/* whole.c - what 100 % is of (R7), said once above a table; how much of the time was waiting. */
#include <math.h>

#include "output.h"

#define ALL_PREEMPTED 0.9L /* of the waits: so much of them is all */

static void put_waiting(struct strbuf *text, const struct totals *t)
{
	long double off = waits_sum(&t->facts.waits), preempted = t->facts.waits.off_cpu[WAIT_PREEMPTED];

	if (!totals_has_application(t) || t->elapsed <= 0 || 200 * off < t->elapsed)
		return;
	strbuf_printf(text, " (%.0Lf %% %s)", 100 * fminl(off / t->elapsed, 1),
		      preempted > ALL_PREEMPTED * off ? "preempted" : "waiting");
}

void output_put_time(struct strbuf *text, const struct totals *t)
{
	strbuf_duration(text, t->elapsed);
	if (t->threads > 1) {
		strbuf_puts(text, " in ");
		output_plural(text, t->threads, "thread", "s");
	}
	put_waiting(text, t);
}

void output_whole(FILE *out, const struct view *view, enum heading_whole whole)
{
	struct strbuf buf = { 0 }, *text = &buf;
	const struct totals *t = &view->profile->totals;
	enum profile_by by = view->profile->by;

	if (t->elapsed <= 0)
		return;
	strbuf_puts(text, "100 % = ");
	if (profile_is_sampled(view->profile)) {
		output_plural(text, util_rounded(t->elapsed), "sample", "s");
		strbuf_puts(text, " of ");
		output_sampling_event(text, &t->samples);
		strbuf_puts(text, t->samples.unit == CINSTR_SAMPLING_NS ? " (no waits)" : "");
	} else if (whole == WHOLE_OF_COLUMNS && view->set == COLUMNS_CPU && totals_has_application(t) &&
		   by != BY_PATH && by != BY_CALLERS) {
		strbuf_duration(text, totals_cpu(t));
		strbuf_puts(text, " on the processor, of ");
		output_put_time(text, t);
	} else {
		output_put_time(text, t);
		if (view->set == COLUMNS_FULL && totals_has_application(t)) {
			strbuf_puts(text, "; Application: ");
			strbuf_duration(text, t->application);
		}
	}
	fprintf(out, "%s\n", text->text);
	strbuf_release(text);
}
