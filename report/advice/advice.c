/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "advice.h"

#include <stdlib.h>
#include <string.h>

#include "advice_rules.h"

const char *const severity_names[3] = { "error", "warning", "information" };

/* What the probes of one call cost on average; 0: there were none. */
static long double cost_of_call(const struct profile *profile)
{
	uint64_t calls = 0;

	for (size_t i = 0; profile->by == BY_FUNCTION && i < profile->n_rows; i++)
		calls += profile->rows[i].calls;
	return calls ? profile->totals.overhead / (long double)calls : 0;
}

static long double time_on_cpu(const struct profile *profile)
{
	const struct totals *t = &profile->totals;
	long double rest =
		t->elapsed - waits_sum(&t->facts.waits) - (profile->counting.raw ? t->overhead : 0);

	return rest > 0 ? rest : 0;
}

void advices_make(struct advices *advices, const struct profile *functions, int is_live)
{
	struct advised session = { functions, &functions->totals, time_on_cpu(functions), 0, is_live };
	int is_sampled = profile_is_sampled(functions);
	const struct rule *rules = is_sampled ? advice_sampled_rules : advice_rules;
	size_t n = is_sampled ? advice_n_sampled_rules : advice_n_rules;

	session.cost_of_call = cost_of_call(functions);
	*advices = (struct advices){ .list = xcalloc(n, sizeof(*advices->list)) };
	for (size_t i = 0; i < n; i++) {
		struct strbuf text = { 0 }, action = { 0 };

		if (rules[i].applies(&session, &text, &action)) {
			advices->list[advices->n++] =
				(struct advice){ rules[i].id, rules[i].severity, text.text, action.text,
						 rules[i].is_in_foot };
		} else {
			strbuf_release(&text);
			strbuf_release(&action);
		}
	}
}

/* Those above `least`, with their ids. */
static void put_above(struct strbuf *text, const struct profile *profile, int is_live, enum severity least)
{
	struct advices advices;

	advices_make(&advices, profile, is_live);
	for (size_t i = 0; i < advices.n && advices.list[i].severity < least; i++) {
		const struct advice *advice = &advices.list[i];

		if (advice->is_in_foot)
			continue;
		strbuf_puts(text, text->length ? "; " : "");
		strbuf_add(text, advice->text, advice_sentence(advice));
		strbuf_printf(text, " (%s)", advice->id);
	}
	advices_release(&advices);
}

void advices_put_serious(struct strbuf *text, const struct profile *profile, int is_live)
{
	put_above(text, profile, is_live, SEVERITY_INFORMATION);
	if (text->length)
		strbuf_puts(text, ". What to do: cinstr summary --advice");
}

void advices_put_errors(struct strbuf *text, const struct profile *profile, int is_live)
{
	put_above(text, profile, is_live, SEVERITY_WARNING);
}

size_t advices_count_notes(const struct profile *profile, int is_live)
{
	struct advices advices;
	size_t n = 0;

	advices_make(&advices, profile, is_live);
	for (size_t i = 0; i < advices.n; i++)
		n += advices.list[i].severity == SEVERITY_WARNING;
	advices_release(&advices);
	return n;
}

size_t advice_sentence(const struct advice *advice)
{
	const char *text = advice->text;
	size_t n = strcspn(text, ".:");

	while (text[n] && text[n + 1] && text[n + 1] != ' ')
		n += 1 + strcspn(text + n + 1, ".:");
	return n;
}

void advices_release(struct advices *advices)
{
	for (size_t i = 0; i < advices->n; i++) {
		free(advices->list[i].text);
		free(advices->list[i].action);
	}
	free(advices->list);
	*advices = (struct advices){ 0 };
}
