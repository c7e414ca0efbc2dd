/* SPDX-License-Identifier: GPL-3.0-or-later */
/* whole.c - writes what 100 % is (R7), once above a table, and how much of the time was waiting. */
#include <math.h>
#include <string.h>

#include "lib/terminal.h"
#include "output.h"

#define LEAST_PERCENT 0.5L /* less is shown as 0 */
#define WHOLE_INDENT 8	   /* of "100 % = " */

/* " (20 % waiting, 60 % preempted)": who has lost the processor does not wait. */
static void put_waiting(struct strbuf *text, const struct totals *t)
{
	long double off = waits_sum(&t->facts.waits), preempted = t->facts.waits.off_cpu[WAIT_PREEMPTED];
	long double of[] = { off - preempted, preempted };
	static const char *const what[] = { "waiting", "preempted" };
	const char *before = " (";

	for (size_t i = 0; i < ARRAY_SIZE(of) && totals_has_application(t) && t->elapsed > 0; i++) {
		long double percent = 100 * fminl(of[i] / t->elapsed, 1);

		if (percent < LEAST_PERCENT)
			continue;
		strbuf_printf(text, "%s%.0Lf %% %s", before, percent, what[i]);
		before = ", ";
	}
	strbuf_puts(text, *before == ',' ? ")" : "");
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

/* What is in brackets goes into a line of its own if there is no room. */
static void print_line(FILE *out, char *text)
{
	char *bracket = strstr(text, " (");

	if (bracket && terminal_width(out) && util_columns(text) > terminal_width(out))
		fprintf(out, "%.*s\n%*s%s\n", (int)(bracket - text), text, WHOLE_INDENT, "", bracket + 1);
	else
		fprintf(out, "%s\n", text);
}

void output_whole(FILE *out, const struct view *view, enum heading_whole whole)
{
	struct strbuf buf = { 0 }, *text = &buf;
	const struct totals *t = &view->profile->totals;
	enum profile_by by = view->profile->by;

	if (t->elapsed <= 0)
		return;
	strbuf_puts(text, "100 % = ");
	if (profile_is_executed(view->profile)) {
		output_put_counted(text, view->profile);
		strbuf_puts(text, profile_counter(view->profile) ? " counted" : " executed");
	} else if (profile_is_sampled(view->profile)) {
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
	print_line(out, text->text);
	strbuf_release(text);
}
