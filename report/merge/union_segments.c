/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union_segments.c - adds up the executions of segments of code (file/segments.h) by module
 * (union.h). A merged file stores them in the same segments as the file of a process, so that the
 * same code adds and reads both.
 */
#include <stdlib.h>
#include <string.h>

#include "file/segments.h"
#include "union.h"

/* Of a merged file: an entry without counts, because not all of them fit the module's table. */
#define DOES_NOT_FIT UINT32_MAX
#define COUNTERS_MAX (1u << 20) /* of a process, as in the runtime's segments.c */

/* Modules with the same build-id have the same notes of segments in their files. */
static int has_same_notes(const struct union_module *to, const struct module *module)
{
	const struct cinstr_module *raw = (const void *)to->bytes;

	return (raw->flags | module->raw->flags) & CINSTR_MODULE_SEGMENTS_APART ||
	       (raw->notes_bytes == module->notes_bytes && raw->notes_address == module->raw->notes_address &&
		!memcmp(to->bytes + raw->notes_offset, module->notes, module->notes_bytes));
}

/* Finds out how many counters the module has: `n` by the process's entry, which readers compare
 * with the notes where these are in the module's file. */
static void module_begin(struct union_module *to, const struct module *module, uint32_t n)
{
	struct segment_table table;

	to->is_counted = 1;
	if (module->raw->flags & CINSTR_MODULE_SEGMENTS_APART) {
		to->does_not_fit = n > COUNTERS_MAX;
		to->n_counters = to->does_not_fit ? 0 : n;
		return;
	}
	to->does_not_fit = segments_read(&table, module) != 0;
	to->n_counters = table.n_counters;
	segments_release(&table);
}

static void counts_add(struct union_module *to, const struct data *data, const struct data_segment *s,
		       const struct cinstr_segment_module *entry, enum union_counts kind)
{
	uint64_t *counts = xcalloc(to->n_counters + 1, sizeof(*counts));

	if (!to->counts[kind])
		to->counts[kind] = xcalloc(to->n_counters + 1, sizeof(*counts));
	to->does_not_fit |= segment_counts_add(data, s, entry, counts) != 0;
	for (size_t i = 0; i < to->n_counters; i++)
		to->does_not_fit |=
			__builtin_add_overflow(to->counts[kind][i], counts[i], &to->counts[kind][i]);
	free(counts);
}

void union_segments_add(struct union_tree *u, const struct data *data, const uint32_t *numbers)
{
	size_t n;
	struct cinstr_segment_module *list = segment_modules(data, &n);

	for (size_t i = 0; i < n; i++) {
		const struct module *module = segment_module_of(data, &list[i]);
		struct union_module *to = module ? &u->modules[numbers[module - data->modules.list]] : NULL;

		if (!to) {
			u->n_lost_counts++;
			continue;
		}
		if (!to->is_counted)
			module_begin(to, module, list[i].n);
		to->does_not_fit |= list[i].n != to->n_counters || !has_same_notes(to, module);
		for (size_t k = 0; k < data->n_segments && !to->does_not_fit; k++)
			if (data->segments[k].type == CINSTR_SEG_SEGMENT_COUNTS)
				counts_add(to, data, &data->segments[k], &list[i],
					   segment_counts_are_shared(data, &data->segments[k])
						   ? UNION_COUNTS_SHARED
						   : UNION_COUNTS);
	}
	free(list);
}

/* ---- written --------------------------------------------------------------------------------- */

void union_segments_put_modules(const struct union_tree *u, const uint32_t *order, const uint64_t *base,
				struct strbuf *out)
{
	struct cinstr_segment_module entry = { .n = 0 };

	for (size_t i = 0; i < u->n_modules; i++) {
		const struct union_module *m = &u->modules[order[i]];
		const struct cinstr_module *raw = (const void *)m->bytes;

		if (!m->is_counted)
			continue;
		entry.base = base[order[i]];
		entry.text_start = raw->text_start + entry.base;
		entry.first += entry.n == DOES_NOT_FIT ? 0 : entry.n;
		entry.n = m->does_not_fit ? DOES_NOT_FIT : (uint32_t)m->n_counters;
		strbuf_add(out, (const char *)&entry, sizeof(entry));
	}
	entry = (struct cinstr_segment_module){ .n = 0 };
	for (size_t i = 0; i < u->n_lost_counts; i++)
		strbuf_add(out, (const char *)&entry, sizeof(entry));
}

int union_segments_put_counts(const struct union_tree *u, const uint32_t *order, enum union_counts kind,
			      struct strbuf *out)
{
	static const uint64_t zero;
	int are_there = 0;

	for (size_t i = 0; i < u->n_modules; i++) {
		const struct union_module *m = &u->modules[order[i]];

		are_there |= m->counts[kind] && !m->does_not_fit;
		for (size_t k = 0; k < m->n_counters && !m->does_not_fit; k++)
			strbuf_add(out, (const char *)(m->counts[kind] ? &m->counts[kind][k] : &zero),
				   sizeof(zero));
	}
	return are_there;
}
