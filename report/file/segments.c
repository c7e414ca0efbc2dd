/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "lib/array.h"
#include "lib/order.h"
#include "lib/util.h"
#include "module_notes.h"
#include "symbols/symbols.h"

/* ---- notes ----------------------------------------------------------------------------------- */

/* Whether the segment is in the module's code, and its counter where it has to be. */
static int is_sound(const struct module *module, const struct segment *s)
{
	uint64_t begin = module->raw->text_start - module->raw->base;
	uint64_t end = module->raw->text_end - module->raw->base;

	if (s->start > s->end || s->start < begin || s->end > end)
		return 0;
	if (!s->counter)
		return 1;
	if (s->is_loop)
		return s->counter >= begin && s->counter < s->start &&
		       s->counter_bytes <= s->start - s->counter;
	return s->counter >= s->start && s->counter <= s->end && s->before <= s->counter - s->start &&
	       (uint64_t)s->counter_bytes + s->behind <= s->end - s->counter;
}

static uint64_t address_of(uint64_t field, int32_t distance)
{
	return field + (uint64_t)(int64_t)distance;
}

static struct segment segment_at(const struct module *module, uint64_t offset, int has_sums)
{
	uint64_t field = module->raw->notes_address + offset;
	struct cinstr_abi_segment raw;

	memcpy(&raw, module->notes + offset, sizeof(raw));
	return (struct segment){
		.start = address_of(field, raw.start),
		.end = address_of(field + offsetof(struct cinstr_abi_segment, end), raw.end),
		.counter = raw.counter ? address_of(field + offsetof(struct cinstr_abi_segment, counter),
						    raw.counter)
				       : 0,
		.from = CINSTR_SEGMENT_NODE(raw.from),
		.to = CINSTR_SEGMENT_NODE(raw.to),
		.before = CINSTR_SEGMENT_BEFORE(raw.to),
		.behind = CINSTR_SEGMENT_BEHIND(raw.to),
		.is_loop = CINSTR_SEGMENT_IS_LOOP(raw.to) != 0,
		.counter_bytes = has_sums ? CINSTR_COUNT_SUM_BYTES : CINSTR_COUNT_BYTES,
	};
}

static int function_read(struct segment_table *table, const struct module *module,
			 const struct module_note *note)
{
	struct cinstr_abi_segments head;
	struct segment_function *f;

	if (note->bytes < sizeof(head))
		return -1;
	memcpy(&head, module->notes + note->descriptor, sizeof(head));
	if (head.abi != CINSTR_ABI_VERSION ||
	    (note->bytes - sizeof(head)) / sizeof(struct cinstr_abi_segment) < head.n_segments)
		return -1;
	ARRAY_ROOM(table->functions, table->n_functions, table->size_functions, 64);
	f = &table->functions[table->n_functions++];
	*f = (struct segment_function){ .first = table->n,
					.n = head.n_segments,
					.first_counter = table->n_counters,
					.entry = head.entry,
					.exit = head.exit };
	for (uint32_t i = 0; i < head.n_segments; i++) {
		struct segment *s;

		ARRAY_ROOM(table->list, table->n, table->size, 256);
		s = &table->list[table->n++];
		*s = segment_at(module,
				note->descriptor + sizeof(head) +
					(uint64_t)i * sizeof(struct cinstr_abi_segment),
				note->type == CINSTR_NOTE_SEGMENTS_SUM);
		table->n_counters += s->counter != 0;
		f->is_damaged |= !is_sound(module, s);
	}
	return 0;
}

struct placed {
	uint64_t start, end;
	struct segment_function *function;
};

ORDER_ITEMS(compare_places, struct placed, ORDER(x->start, y->start), ORDER(x->end, y->end))

/* Code that two segments claim would be counted twice. */
static void overlaps_find(struct segment_table *table)
{
	struct placed *list = xcalloc(table->n + 1, sizeof(*list)), *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < table->n_functions; i++) {
		struct segment_function *f = &table->functions[i];

		for (size_t k = f->first; k < f->first + f->n; k++)
			if (table->list[k].start < table->list[k].end)
				list[n++] = (struct placed){ table->list[k].start, table->list[k].end, f };
	}
	util_sort(list, n, sizeof(*list), compare_places, NULL);
	for (size_t i = 0; i < n; i++) {
		if (last && list[i].start < last->end)
			list[i].function->is_damaged = last->function->is_damaged = 1;
		if (!last || list[i].end > last->end)
			last = &list[i];
	}
	free(list);
}

/* Sets the module's notes to those of its file, from the plugin's first one on, as the module's
 * addresses are of them. Returns 0, or -1 if the file has none. */
static int notes_of_file(struct module *module, const struct symbols *symbols)
{
	struct module_note note;
	size_t n;

	for (size_t i = 0; (module->notes = symbols_notes(symbols, i, &n)); i++) {
		uint64_t at = 0;

		module->notes_bytes = n;
		while (module_note_next(module, &at, &note) > 0) {
			if (note.type == CINSTR_NOTE_API)
				continue;
			module->notes += note.begin;
			module->notes_bytes -= note.begin;
			return 0;
		}
	}
	return -1;
}

/* Returns the module with the notes that its segments are in; *table: whether they are gone. */
static struct module with_segments(const struct module *module, struct segment_table *table)
{
	const struct cinstr_module *raw = module->raw;
	struct module whole = *module;
	const struct symbols *symbols;

	if (!(raw->flags & CINSTR_MODULE_SEGMENTS_APART))
		return whole;
	symbols = symbols_shared(-1, module->path, raw->build_id, raw->build_id_bytes);
	table->is_gone = !symbols || notes_of_file(&whole, symbols);
	if (table->is_gone)
		whole.notes_bytes = 0;
	return whole;
}

int segments_read(struct segment_table *table, const struct module *recorded)
{
	struct module whole, *module = &whole;
	struct module_note note;
	uint64_t at = 0;
	int is_there;

	*table = (struct segment_table){ 0 };
	whole = with_segments(recorded, table);
	while ((is_there = module_note_next(module, &at, &note)) > 0)
		if ((note.type == CINSTR_NOTE_SEGMENTS || note.type == CINSTR_NOTE_SEGMENTS_SUM) &&
		    function_read(table, module, &note))
			return -1;
	overlaps_find(table);
	return is_there;
}

void segments_release(struct segment_table *table)
{
	free(table->functions);
	free(table->list);
	*table = (struct segment_table){ 0 };
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* Entries with counters: a module has one, but damaged files may have any number. */
#define MODULES_MOST(data) ((data)->modules.n + 1)

static int is_listed(const struct cinstr_segment_module *list, size_t n,
		     const struct cinstr_segment_module *entry)
{
	for (size_t i = 0; i < n; i++)
		if (!memcmp(&list[i], entry, sizeof(*entry)))
			return 1;
	return 0;
}

struct cinstr_segment_module *segment_modules(const struct data *data, size_t *n)
{
	struct cinstr_segment_module *list = NULL;
	size_t size = 0, n_counted = 0;

	*n = 0;
	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];
		const struct cinstr_segment_module *entries = (const void *)(data->memory + s->offset);
		size_t n_entries = s->used / sizeof(*entries);

		if (s->type != CINSTR_SEG_SEGMENT_MODULES)
			continue;
		for (size_t k = 0; k < n_entries; k++) {
			/* one without counters stands for a module that was lost by a merge */
			n_counted += entries[k].n > 0;
			if (entries[k].n &&
			    (n_counted > MODULES_MOST(data) || is_listed(list, *n, &entries[k])))
				continue;
			ARRAY_ROOM(list, *n, size, 16);
			list[(*n)++] = entries[k];
		}
	}
	return list;
}

/* How many counters the module's notes have, without a table of them; SIZE_MAX: not known. */
static size_t n_counters_of(const struct module *module)
{
	struct segment_table table;
	size_t n = segments_read(&table, module) || table.is_gone ? SIZE_MAX : table.n_counters;

	segments_release(&table);
	return n;
}

const struct module *segment_module_of(const struct data *data, const struct cinstr_segment_module *entry)
{
	const struct module *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < data->modules.n; i++) {
		const struct module *module = &data->modules.list[i];

		if (module->raw->base != entry->base || module->raw->text_start != entry->text_start)
			continue;
		found = module;
		n++;
	}
	if (n < 2)
		return found;
	/* Several were loaded there one after the other. */
	found = NULL;
	n = 0;
	for (size_t i = 0; i < data->modules.n; i++) {
		const struct module *module = &data->modules.list[i];

		if (module->raw->base == entry->base && module->raw->text_start == entry->text_start &&
		    n_counters_of(module) == entry->n) {
			found = module;
			n++;
		}
	}
	return n == 1 ? found : NULL;
}

int segments_counted(const struct data *data, const struct module *module, size_t *n)
{
	struct segment_table table;
	size_t n_entries;
	struct cinstr_segment_module *list = segment_modules(data, &n_entries);
	int are_counted = 0;

	for (size_t i = 0; i < n_entries && !are_counted; i++)
		are_counted = segment_module_of(data, &list[i]) == module;
	free(list);
	*n = 0;
	if (!are_counted)
		return 0;
	if (!segments_read(&table, module))
		*n = table.n;
	segments_release(&table);
	return 1;
}

int segment_counts_are_shared(const struct data *data, const struct data_segment *s)
{
	return s->owner == UINT32_MAX && (data->merged || data->header->threads > 1);
}

int segment_counts_add(const struct data *data, const struct data_segment *s,
		       const struct cinstr_segment_module *entry, uint64_t *sums)
{
	const uint64_t *counts = (const void *)(data->memory + s->offset);
	uint64_t n = s->bytes / sizeof(*counts);

	if (entry->first >= n) /* the thread ended before the module was loaded */
		return 0;
	if (entry->n > n - entry->first)
		return -1;
	for (uint32_t i = 0; i < entry->n; i++)
		sums[i] += counts[entry->first + i];
	return 0;
}
