/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segment_calls.h"

#include <stdlib.h>

#include "lib/array.h"
#include "lib/order.h"
#include "lib/search.h"
#include "lib/util.h"
#include "segment_code.h"

/* How far a function's first segment may be behind its begin. */
#define ENTRY_BYTES_MAX 16u

struct segment_place {
	uint64_t start, end;
	uint32_t function;
};

ORDER_ITEMS(compare_places, struct segment_place, ORDER(x->start, y->start), ORDER(x->end, y->end))

static void places_make(struct segment_calls *calls, const struct segment_table *table)
{
	calls->places = xcalloc(table->n + 1, sizeof(*calls->places));
	for (uint32_t f = 0; f < table->n_functions; f++)
		for (size_t i = 0; i < table->functions[f].n; i++) {
			const struct segment *s = &table->list[table->functions[f].first + i];

			calls->places[table->functions[f].first + i] =
				(struct segment_place){ s->start, s->end, f };
		}
	util_sort(calls->places, table->n, sizeof(*calls->places), compare_places, NULL);
}

uint32_t segment_function_at(struct segment_calls *calls, const struct segment_table *table, uint64_t address)
{
	size_t i;

	if (!calls->places)
		places_make(calls, table);
	SEARCH(i, table->n, calls->places[i].end > address);
	if (i == table->n ||
	    (calls->places[i].start > address && calls->places[i].start - address > ENTRY_BYTES_MAX))
		return SEGMENT_CALL_BY_NAME;
	return calls->places[i].function;
}

struct reading {
	struct segment_calls *calls;
	const struct symbols *symbols;
	const struct segment_table *table;
	size_t segment;
	uint32_t function;
};

/* A jump within its function is no call. */
static void instruction_look(void *arg, const struct instruction *instruction)
{
	const struct reading *r = arg;
	struct segment_call call = { .segment = r->segment };
	int is_import = 0;

	if (!instruction->is_call && instruction->kind != INSTRUCTION_JUMP)
		return;
	call.to = segment_function_at(r->calls, r->table, instruction->target);
	if (!instruction->is_call && call.to == r->function)
		return;
	if (call.to == SEGMENT_CALL_BY_NAME) {
		call.name = symbols_name(r->symbols, instruction->target, &is_import);
		if (!call.name || !is_import)
			return;
	}
	ARRAY_ROOM(r->calls->list, r->calls->n, r->calls->size, 64);
	r->calls->list[r->calls->n++] = call;
}

const struct segment_call *segment_calls_of(struct segment_calls *calls, const struct symbols *symbols,
					    const struct segment_table *table, size_t function, size_t *n)
{
	const struct segment_function *f = &table->functions[function];
	struct reading r = { calls, symbols, table, 0, (uint32_t)function };

	if (!calls->of)
		calls->of = xcalloc(table->n_functions + 1, sizeof(*calls->of));
	if (!calls->of[function].is_read) {
		calls->of[function].is_read = 1;
		calls->of[function].first = calls->n;
		for (r.segment = f->first; symbols && r.segment < f->first + f->n; r.segment++)
			segment_code_read(symbols, &table->list[r.segment], instruction_look, &r);
		calls->of[function].n = calls->n - calls->of[function].first;
	}
	*n = calls->of[function].n;
	return calls->list + calls->of[function].first;
}

void segment_calls_release(struct segment_calls *calls)
{
	free(calls->list);
	free(calls->of);
	free(calls->places);
	*calls = (struct segment_calls){ 0 };
}
