/* SPDX-License-Identifier: GPL-3.0-or-later */
/* computing_text.c - see computing_text.h. */
#include "computing_text.h"

#include <math.h>

#include "call_place.h"
#include "selection/just_my_code.h"

void computing_put_percent(const struct computing *c, struct strbuf *text, long double part)
{
	long double percent = computing_percent(c, part);

	strbuf_printf(text, "%s%.*Lf %%%s", c->is_rough ? "about " : "", percent < 10 ? 1 : 0, percent,
		      c->is_sampled ? " of the samples" : " of the computing");
}

void computing_put_times(struct strbuf *text, long double n)
{
	if (n < 10 && fabsl(n - roundl(n)) > 0.05L)
		strbuf_printf(text, "%.1Lf", n);
	else
		strbuf_thousands(text, util_rounded(n));
}

const char *computing_at_least(int are_calls_least)
{
	return are_calls_least ? "at least " : "";
}

void computing_put_place(const struct computing *c, struct strbuf *text, const struct row *edge)
{
	const struct entity *caller = call_graph_entity(&c->graph, call_graph_caller(edge));
	const char *file = edge->file;
	uint32_t line = edge->line;

	if (caller && file && system_code_is_header(file)) {
		struct call_place place;

		call_place_find(&place, &c->graph, edge);
		file = place.file ? place.file : caller->file;
		line = place.file ? place.line : caller->line;
	}
	if (!file || !line)
		return;
	strbuf_puts(text, " (");
	strbuf_visible(text, util_basename(file));
	strbuf_printf(text, ":%u)", line);
}

void computing_put_name(const struct computing *c, struct strbuf *text, uint32_t entity)
{
	const struct entity *e = call_graph_entity(&c->graph, entity);

	strbuf_visible(text, e ? e->name : EDGE_OUTSIDE);
}

void computing_put_calls(const struct computing *c, struct strbuf *text, const struct row *edge)
{
	strbuf_puts(text, "calls ");
	computing_put_name(c, text, edge->entity);
	strbuf_printf(text, " %s",
		      computing_has_only_place(c, edge) ? "about "
							: computing_at_least(edge->are_calls_least));
	computing_put_times(text, computing_for_each_call(c, edge));
	strbuf_puts(text,
		    call_graph_calls(&c->graph, call_graph_caller(edge)) > 1 ? " times a call" : " times");
}
