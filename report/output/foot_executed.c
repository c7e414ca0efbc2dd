/* SPDX-License-Identifier: GPL-3.0-or-later */
/* foot_executed.c - writes the foot of a table of executed instructions. */
#include "output.h"

#define UNKNOWN_SHOWN 5

static void print_line(FILE *out, struct strbuf *text)
{
	fprintf(out, "%s\n", text->text);
	strbuf_clear(text);
}

void output_executed_unknown(FILE *out, const struct executed *e)
{
	STRBUF(text);
	size_t n = 0;

	for (size_t i = 0; i < e->n_functions; i++) {
		const struct executed_function *f = &e->functions[i];

		if (f->verdict == EXECUTED_KNOWN || n++ >= UNKNOWN_SHOWN)
			continue;
		strbuf_puts(&text, "Not known of ");
		strbuf_visible(&text, e->names->list[f->entity].name);
		strbuf_printf(&text, ": %s.", executed_reasons[f->verdict]);
		print_line(out, &text);
	}
	if (n > UNKNOWN_SHOWN)
		fprintf(out,
			"Not known of %zu more functions; cinstr report --measure=instructions --format=csv "
			"says why.\n",
			n - UNKNOWN_SHOWN);
	for (size_t i = 0; i < executed_n_images(e); i++) {
		if (e->images[i].verdict == EXECUTED_KNOWN)
			continue;
		strbuf_puts(&text, "Not known of ");
		strbuf_visible(&text, e->images[i].path);
		strbuf_printf(&text, ": %s.", executed_reasons[e->images[i].verdict]);
		print_line(out, &text);
	}
	if (e->n_lost)
		fprintf(out, "Not known of %zu modules that were loaded where others were.\n", e->n_lost);
}

void output_put_counted(struct strbuf *text, const struct profile *profile)
{
	static const char *const one[CINSTR_COUNTERS] = {
		[CINSTR_COUNTER_NONE] = "instruction",
		[CINSTR_COUNTER_CYCLES] = "cycle",
		[CINSTR_COUNTER_RETIRED] = "retired instruction",
		[CINSTR_COUNTER_MISSES] = "cache miss",
	};
	enum cinstr_counter counter = profile_counter(profile);

	output_plural(text, util_rounded(profile->totals.elapsed), one[counter],
		      counter == CINSTR_COUNTER_MISSES ? "es" : "s");
}

static void put_counter(FILE *out, const struct view *view)
{
	const struct executed *e = view->executed;

	fputs("Counted by the processor outside of the kernel: with what the recording's own code adds.\n",
	      out);
	if (e->n_uncounted)
		fprintf(out,
			"Not known of %zu thread%s: its counter could not be read, or probes were switched "
			"while recording.\n",
			e->n_uncounted, e->n_uncounted == 1 ? "" : "s");
}

static int has_shares(const struct view *view)
{
	for (size_t i = 0; i < view->n_rows; i++)
		if (row_is_share(view->profile, view->rows[i], VALUE_ELAPSED_INCLUSIVE) ||
		    row_is_share(view->profile, view->rows[i], VALUE_ELAPSED_EXCLUSIVE))
			return 1;
	return 0;
}

void output_executed_foot(FILE *out, const struct view *view)
{
	STRBUF(text);

	fputc('\n', out);
	if (view->n_hidden) {
		output_plural(&text, view->n_hidden, "row", "s");
		strbuf_printf(&text, " not shown (%s).", view->hidden_why);
		print_line(out, &text);
	}
	if (has_shares(view))
		fputs(OUTPUT_ESTIMATE
		      " estimate: by calls, of functions that were called elsewhere, too, or that have "
		      "jumps in inline assembly.\n",
		      out);
	if (profile_counter(view->profile)) {
		put_counter(out, view);
		return;
	}
	strbuf_puts(&text, "Instructions are counted in ");
	executed_put_images(&text, view->executed);
	strbuf_puts(&text, " only.");
	print_line(out, &text);
	output_executed_unknown(out, view->executed);
	if (view->is_live)
		fputs("The program is still running: functions that it is in may be off by one pass.\n", out);
}
