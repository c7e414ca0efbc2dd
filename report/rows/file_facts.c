/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "file_facts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

static uint32_t file_of(struct file_facts *facts, const struct data *data, uint32_t number)
{
	const char *name = moved_file(data, number);
	const char *key = name ? name : number == CINSTR_FILE_OTHER ? "\1" : "";
	int is_new;
	size_t at = map_add(&facts->keys, key, strlen(key), &is_new);

	if (is_new) {
		ARRAY_ONE_MORE(facts->files, at);
		facts->files[at] = (struct file_sums){
			.name = name ? map_keep(&facts->names->strings, name) : NULL,
			.is_others = !name && number == CINSTR_FILE_OTHER,
		};
		facts->n_files++;
	}
	return (uint32_t)at;
}

static uint32_t fact_of(struct file_facts *facts, const struct data *data, const struct moved_item *item)
{
	const struct cinstr_cell *cell = (const void *)(data->memory + (uint64_t)item->cell * sizeof(*cell));
	char *path = wait_path(facts->names, data, item->cell);
	struct wait_place place = wait_place_waiter(facts->names, data, cell->site, item->cell);
	STRBUF(key);
	uint32_t file = file_of(facts, data, item->file);
	int is_new;
	size_t at;

	strbuf_printf(&key, "%u %u %u %u %s", file, item->kind, place.entity, place.line, path);
	at = map_add(&facts->fact_keys, key.text, key.length, &is_new);
	if (!is_new) {
		free(path);
		return (uint32_t)at;
	}
	ARRAY_ONE_MORE(facts->list, at);
	facts->list[at] = (struct file_fact){
		.file = file,
		.kind = (enum cinstr_amount_kind)item->kind,
		.place = place,
		.callee = map_keep(&facts->names->strings, wait_callee(data, cell->site)),
		.path = path,
	};
	facts->n++;
	return (uint32_t)at;
}

static void add_item(struct file_facts *facts, const struct data *data, const struct moved_item *item)
{
	const struct cinstr_cell *cell = (const void *)(data->memory + (uint64_t)item->cell * sizeof(*cell));
	struct moved_sums sums = item->sums;
	struct file_fact *fact;
	uint32_t number;
	int known;

	/* what hangs there is at FLAT cells once more; what is counted or allocated has no file */
	if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_MERGED || item->kind > CINSTR_AMOUNT_OPENED)
		return;
	number = fact_of(facts, data, item);
	fact = &facts->list[number];
	sums.ticks = (uint64_t)((long double)sums.ticks * data_ns_per_tick(data, &known));
	moved_add(&fact->sums, &sums);
	moved_add(&facts->files[fact->file].of[fact->kind], &sums);
}

void file_facts_add(struct file_facts *facts, struct names *names, const struct data *data)
{
	facts->names = names;
	facts->n_timed += data->merged ? data->merged->n_moved != 0 : !data->sampled;
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct moved *moved = &data->threads[i].moved;

		for (size_t k = 0; k < moved->n; k++)
			add_item(facts, data, &moved->list[k]);
	}
}

static uint64_t ns_of(const struct file_sums *file)
{
	uint64_t ns = 0;

	for (int kind = 0; kind < CINSTR_AMOUNT_KINDS; kind++)
		ns += file->of[kind].ticks;
	return ns;
}

static int compare_facts(const void *a, const void *b, void *arg)
{
	const struct file_facts *facts = arg;
	const struct file_fact *x = a, *y = b;
	uint64_t of_x = ns_of(&facts->files[x->file]), of_y = ns_of(&facts->files[y->file]);

	if (x->file != y->file)
		return of_x != of_y ? of_x > of_y ? -1 : 1 : x->file < y->file ? -1 : 1;
	if (x->sums.ticks != y->sums.ticks)
		return x->sums.ticks > y->sums.ticks ? -1 : 1;
	return 0;
}

void file_facts_sort(struct file_facts *facts)
{
	util_sort(facts->list, facts->n, sizeof(*facts->list), compare_facts, facts);
}

void file_facts_release(struct file_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		free(facts->list[i].path);
	free(facts->list);
	free(facts->files);
	map_release(&facts->keys);
	map_release(&facts->fact_keys);
}
