/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code_samples.h"

#include <stdlib.h>
#include <string.h>

#include "file/data.h"
#include "file/self_samples.h"
#include "lib/array.h"
#include "lib/order.h"

#define ADDRESS_BITS 48 /* of a link address */
#define ADDRESS_MASK ((1ull << ADDRESS_BITS) - 1)
#define MODULES_MOST 65536u

static int is_recorder(const struct module *module)
{
	return !strncmp(util_basename(module->path), "libcinstr.so", strlen("libcinstr.so"));
}

static void add(struct code_samples *samples, const struct data *data,
		const struct cinstr_self_sample *sample)
{
	uint64_t address = sample->address, ms = self_sample_ms(sample);
	const struct module *module = modules_by_address(&data->modules, address);
	int is_new;
	size_t number;
	uint32_t place;

	if (module && is_recorder(module))
		return;
	samples->taken++;
	samples->ms += ms;
	samples->squares += ms * ms;
	if (!module || !module->path[0])
		return;
	number = map_add(&samples->modules, module->path, strlen(module->path), &is_new);
	if (number >= MODULES_MOST)
		return;
	place = int_map_add(&samples->places,
			    (uint64_t)number << ADDRESS_BITS | ((address - module->raw->base) & ADDRESS_MASK),
			    &is_new);
	ARRAY_REACH_ZEROED(samples->counts, place, samples->size);
	samples->counts[place].n++;
	samples->counts[place].ms += ms;
}

void code_samples_add(struct code_samples *samples, const struct data *data)
{
	samples->lost += data->header->self_lost;
	for (size_t t = 0; t < data->n_threads; t++) {
		struct self_samples of = { .data = data, .owner = data->threads[t].record->index };
		const struct cinstr_self_sample *sample;

		while ((sample = self_samples_each(&of)))
			add(samples, data, sample);
	}
}

void code_samples_release(struct code_samples *samples)
{
	map_release(&samples->modules);
	int_map_release(&samples->places);
	free(samples->counts);
	*samples = (struct code_samples){ 0 };
}

ORDER_ITEMS(by_address, struct code_sample, ORDER(x->address, y->address))

struct code_sample *code_samples_in(const struct code_samples *samples, const char *path, uint64_t begin,
				    uint64_t end, size_t *n)
{
	size_t module = map_find(&samples->modules, path, strlen(path)), size = 0;
	struct code_sample *list = NULL;

	*n = 0;
	for (uint32_t i = 0; module != MAP_NONE && i < samples->places.n; i++) {
		uint64_t address = samples->places.keys[i] & ADDRESS_MASK;

		if (samples->places.keys[i] >> ADDRESS_BITS != module || address < begin || address >= end)
			continue;
		ARRAY_ROOM(list, *n, size, 16);
		list[(*n)++] = (struct code_sample){ address, samples->counts[i].n, samples->counts[i].ms };
	}
	util_sort(list, *n, sizeof(*list), by_address, NULL);
	return list;
}
