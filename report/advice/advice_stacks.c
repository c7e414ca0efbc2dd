/* SPDX-License-Identifier: GPL-3.0-or-later */
/* advice_stacks.c - advice for programs that switch stacks by themselves: fibers, coroutines. */
#include <string.h>

#include "advice_rules.h"

#define SWITCHING_PERCENT 10 /* of the time, with what they call */
#define ORPHANS_PERCENT 1    /* of the calls */
#define ORPHANS_LEAST 100

/* Parts of the names of those who switch stacks. */
static int switches_stacks(const char *name)
{
	static const char *const parts[] = { "swapcontext",	   "jump_fcontext",    "ontop_fcontext",
					     "boost::fibers::",	   "boost::context::", "boost::coroutines",
					     "coroutine_transfer", "rb_fiber_" };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(name, parts[i]))
			return 1;
	return 0;
}

/* The one with the most time; NULL: none has much of it. */
static const struct row *largest(const struct advised *s)
{
	const struct profile *p = s->profile;
	const struct row *found = NULL;

	for (size_t i = 0; p->by == BY_FUNCTION && i < p->n_rows; i++) {
		const struct row *row = &p->rows[i];

		if (row->name && switches_stacks(row->name) &&
		    (!found || row->sums.elapsed_inclusive > found->sums.elapsed_inclusive))
			found = row;
	}
	return found && 100 * found->sums.elapsed_inclusive >= SWITCHING_PERCENT * s->t->elapsed ? found
												 : NULL;
}

/* Calls end that were not open, and nothing else explains that: a recording that was paused, or
 * functions whose probes went and came. */
static int has_orphans(const struct advised *s)
{
	const struct totals *t = s->t;

	return t->orphans >= ORPHANS_LEAST && 100 * t->orphans >= ORPHANS_PERCENT * t->enters && !t->pauses &&
	       !t->is_mixed && !t->facts.limited && !s->profile->taken_outs.n;
}

int advice_stacks(const struct advised *s, struct strbuf *text, struct strbuf *action)
{
	const struct row *row = largest(s);

	if (!row && !has_orphans(s))
		return 0;
	strbuf_puts(text, "The program switches stacks (fibers, coroutines");
	if (row) {
		strbuf_puts(text, ": ");
		strbuf_visible(text, row->name);
	}
	strbuf_puts(text, "): callers, call paths and inclusive times are uncertain. Calls are exact, and so "
			  "is the sum of all times.");
	strbuf_puts(action, "Read exclusive times: cinstr report. What is inclusive of a fiber's functions "
			    "may be that of others (doc/semantics.md, R15).");
	return 1;
}
