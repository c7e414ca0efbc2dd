/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "held_facts.h"

#include <stdlib.h>
#include <string.h>

#include "file/held.h"
#include "lib/array.h"
#include "lib/int_map.h"

#define FACT_NONE UINT32_MAX

/* The time of a process, in stamps. */
struct time {
	uint64_t begin, end;
};

static struct time time_of(const struct data *data)
{
	struct time time = { UINT64_MAX, 0 };

	for (size_t i = 0; i < data->n_threads; i++) {
		const struct data_thread *thread = &data->threads[i];
		uint64_t end = thread->state ? thread->state->time : 0;

		time.begin =
			thread->record->first_ticks < time.begin ? thread->record->first_ticks : time.begin;
		time.end = end > time.end ? end : time.end;
	}
	return time;
}

static size_t part_of(const struct time *time, uint64_t ticks)
{
	if (ticks <= time->begin)
		return 0;
	return ticks >= time->end ? HELD_PARTS - 1
				  : (size_t)((long double)(ticks - time->begin) /
					     (long double)(time->end - time->begin) * HELD_PARTS);
}

/* Returns the name of the function before the last one of this name in a call path, or NULL. */
static const char *caller_in(struct names *names, char *path, const char *function)
{
	char *end;

	while ((end = strrchr(path, ';'))) {
		int is_it = !strcmp(end + 1, function);

		*end = '\0';
		if (is_it) {
			end = strrchr(path, ';');
			return map_keep(&names->strings, end ? end + 1 : path);
		}
	}
	return NULL;
}

static struct held_fact *fact_of(struct held_facts *facts, const struct data *data, uint32_t index)
{
	const struct cinstr_cell *cell =
		(const void *)(data->memory + (uint64_t)index * sizeof(struct cinstr_cell));
	struct wait_place place = wait_place_waiter(facts->names, data, cell->site, index);
	FREED char *path = wait_path(facts->names, data, index);
	const char *caller = NULL;
	STRBUF(key);
	int is_new;
	size_t number;

	if (place.entity == NAMES_NONE)
		return NULL;
	caller = caller_in(facts->names, path, facts->names->list[place.entity].name);
	strbuf_printf(&key, "%u %u %u %s", data->header->pid, place.entity, place.line, caller ? caller : "");
	number = map_add(&facts->keys, key.text, key.length, &is_new);
	if (is_new) {
		ARRAY_ONE_MORE(facts->list, facts->n);
		facts->list[facts->n++] = (struct held_fact){ .place = place, .caller = caller };
	}
	return &facts->list[number];
}

/* The cells of call paths, and the fact of each; FACT_NONE: not looked for yet, or it has none. */
struct cells {
	struct int_map numbers;
	uint32_t *facts;
};

static struct cells cells_of(const struct data *data)
{
	struct cells cells = { .facts = NULL };
	int is_new;

	for (size_t i = 0; i < data->n_threads; i++)
		for (size_t k = 1; k < data->threads[i].n_nodes; k++) {
			const char *cell = (const char *)data->threads[i].nodes[k].cell;

			int_map_add(&cells.numbers,
				    (uint64_t)(cell - data->memory) / sizeof(struct cinstr_cell), &is_new);
		}
	cells.facts = xcalloc(cells.numbers.n + 1, sizeof(*cells.facts));
	for (size_t i = 0; i < cells.numbers.n; i++)
		cells.facts[i] = FACT_NONE;
	return cells;
}

/* Returns the fact that a block belongs to, or NULL: its path is not known. */
static struct held_fact *fact_at(struct held_facts *facts, const struct data *data, struct cells *cells,
				 const struct cinstr_held *held)
{
	uint32_t number = int_map_find(&cells->numbers, (uint32_t)held->owner);
	struct held_fact *fact;

	if (number == INT_MAP_NONE)
		return NULL;
	if (cells->facts[number] != FACT_NONE)
		return &facts->list[cells->facts[number]];
	fact = fact_of(facts, data, (uint32_t)held->owner);
	if (fact)
		cells->facts[number] = (uint32_t)(fact - facts->list);
	return fact;
}

static int is_held(const struct cinstr_held_table *table, const struct cinstr_held *held)
{
	return held->address > CINSTR_HELD_BUSY &&
	       cinstr_held_is_kept(table->bits, table->halvings, cinstr_held_hash(held->address));
}

void held_facts_add(struct held_facts *facts, struct names *names, const struct data *data)
{
	size_t n;
	const struct cinstr_held_table *table = held_table(data, &n);
	const struct time time = time_of(data);
	struct cells cells;

	facts->names = names;
	if (!table)
		return;
	cells = cells_of(data);
	for (size_t i = 0; i < n; i++) {
		const struct cinstr_held *held = &table->entries[i];
		struct held_fact *fact = is_held(table, held) ? fact_at(facts, data, &cells, held) : NULL;

		if (!fact)
			continue;
		fact->blocks += 1ull << table->halvings;
		fact->bytes += held->bytes << table->halvings;
		fact->of_part[part_of(&time, held->ticks)] += 1ull << table->halvings;
		facts->bytes += held->bytes << table->halvings;
	}
	if (1ull << table->halvings > facts->one_in)
		facts->one_in = 1ull << table->halvings;
	int_map_release(&cells.numbers);
	free(cells.facts);
}

void held_facts_release(struct held_facts *facts)
{
	map_release(&facts->keys);
	free(facts->list);
}
