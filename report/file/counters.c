/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counters.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "lib/order.h"
#include "lib/search.h"
#include "lib/util.h"

static int compare_sequence(const void *a, const void *b, void *arg)
{
	const struct data *data = arg;
	const struct data_segment *const *x = a, *const *y = b;
	const struct cinstr_segment *p = (const void *)(data->memory + (*x)->offset);
	const struct cinstr_segment *q = (const void *)(data->memory + (*y)->offset);

	return p[-1].sequence < q[-1].sequence ? -1 : p[-1].sequence > q[-1].sequence;
}

ORDER_ITEMS(compare_codes, struct data_counter, ORDER(x->code, y->code))

/* The payloads of a type one behind another, in order of `sequence`. Returns the number of
 * elements. */
static size_t join(const struct data *data, uint32_t type, size_t element, void *out)
{
	FREED const struct data_segment **list = xcalloc(data->n_segments, sizeof(*list));
	char **joined = out;
	size_t n = 0, bytes = 0;

	for (size_t i = 0; i < data->n_segments; i++)
		if (data->segments[i].type == type)
			list[n++] = &data->segments[i];
	util_sort(list, n, sizeof(*list), compare_sequence, (void *)(uintptr_t)data);
	for (size_t i = 0; i < n; i++) {
		size_t used = list[i]->used / element * element;

		if (!used)
			continue;
		*joined = xrealloc(*joined, bytes + used, 1);
		memcpy(*joined + bytes, data->memory + list[i]->offset, used);
		bytes += used;
	}
	return bytes / element;
}

static int is_call(const struct module *module, uint32_t code)
{
	uint32_t kind = CINSTR_CODE_KIND(code);

	return (kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_TAIL) && module_site(module, code);
}

static void function_add(struct data *data, uint32_t code)
{
	uint8_t *counted = (uint8_t *)(uintptr_t)data->modules.fold_sites.counted;
	uint32_t word = code >> 3;

	data->counters->n_functions++;
	if (counted && word < data->modules.fold_sites.n_words)
		counted[word >> 3] |= (uint8_t)(1u << (word & 7));
}

ORDER_ITEMS(compare_numbers, uint32_t, ORDER(*x, *y))

/* Returns whether the code is of a call that leads to a counter, in the word behind its sled. */
static int is_led(const struct modules *modules, uint32_t code)
{
	uint32_t site = code - CINSTR_LED_CODE(0);
	const struct module *module = modules_by_code(modules, site);

	return module && is_call(module, site) && !is_call(module, code);
}

/* Replaces the code of each call that leads to a counter by its site's, and notes the function. */
static void led_read(struct data *data)
{
	struct counters *c = data->counters;
	uint32_t *functions = NULL;
	size_t n = join(data, CINSTR_SEG_LED, sizeof(*functions), &functions), used = 0;

	c->led = xcalloc(c->n_codes + 1, sizeof(*c->led));
	for (size_t i = 0; i < c->n_codes && used < n; i++) {
		const struct module *module = modules_by_code(&data->modules, functions[used]);

		if (!counter_is_site(c->codes[i]) || !is_led(&data->modules, c->codes[i]))
			continue;
		c->codes[i] -= CINSTR_LED_CODE(0);
		if (functions[used] == CINSTR_LED_BYTES)
			c->codes[i] = COUNTER_BYTES(c->codes[i]);
		c->led[i] = module && module_function(module, functions[used]) ? functions[used] : 0;
		used++;
	}
	free(functions);
}

size_t counters_of_slot(const struct counters *c, size_t slot, uint32_t out[COUNTERS_OF_SLOT])
{
	size_t n = 0;

	if (slot < c->n_codes && c->codes[slot])
		out[n++] = c->codes[slot];
	if (n && c->led && c->led[slot])
		out[n++] = c->led[slot];
	return n;
}

/* A code that is no function's and no call's would be counted for nobody: 0. */
static void codes_check(struct data *data)
{
	struct counters *c = data->counters;
	size_t n_wrong = 0;

	c->sites = xcalloc(c->n_codes + 1, sizeof(*c->sites));
	for (size_t i = 0; i < c->n_codes; i++) {
		uint32_t code = c->codes[i];
		const struct module *module = modules_by_code(&data->modules, code);

		if (module && module_function(module, code)) {
			function_add(data, code);
		} else if (module && is_call(module, code)) {
			c->sites[c->n_sites++] = code;
		} else if (!module || !counter_is_bytes(code) ||
			   !is_call(module, counter_site_of_bytes(code))) {
			n_wrong++;
			c->codes[i] = 0;
		}
	}
	if (n_wrong)
		data_problem(data, 0, "%zu of %zu counters are of no function and no call", n_wrong,
			     c->n_codes);
	util_sort(c->sites, c->n_sites, sizeof(*c->sites), compare_numbers, NULL);
}

static void block_read(struct data *data, const struct data_segment *s)
{
	struct counters *c = data->counters;
	const uint64_t *counts = (const void *)(data->memory + s->offset);
	uint64_t block =
		((const struct cinstr_segment *)(const void *)(data->memory + s->offset))[-1].sequence;
	struct counters_thread *thread;
	size_t first, n = s->used / sizeof(*counts);

	/* while one is being made it has another number, and counts nothing yet */
	if (block >= CINSTR_COUNTER_BLOCKS)
		return;
	if (s->owner >= data->file_bytes / CINSTR_PAGE) {
		data_problem(data, s->offset, "counters are of thread %u", s->owner);
		return;
	}
	if (s->owner >= c->n_threads) {
		c->threads = xrealloc(c->threads, s->owner + 1, sizeof(*c->threads));
		memset(c->threads + c->n_threads, 0, (s->owner + 1 - c->n_threads) * sizeof(*c->threads));
		c->n_threads = s->owner + 1;
	}
	thread = &c->threads[s->owner];
	first = 512 * ((1u << block) - 1) - 8 * block;
	n = n < CINSTR_COUNTERS(block) ? n : CINSTR_COUNTERS(block);
	for (size_t i = 0; i < n; i++) {
		uint32_t of[COUNTERS_OF_SLOT];
		size_t n_of = counts[i] ? counters_of_slot(c, first + i, of) : 0;

		for (size_t k = 0; k < n_of; k++) {
			thread->list = xrealloc(thread->list, thread->n + 1, sizeof(*thread->list));
			thread->list[thread->n++] = (struct data_counter){ of[k], counts[i], 0 };
		}
	}
}

/* Sorts the list, and adds up what several slots counted of one code. A call that had an event, and
 * was to be counted where it leads, too, has been subtracted there (counting_had_event()): if it
 * was not made, its site has less than none. */
static void thread_settle(struct counters_thread *thread)
{
	size_t n = 0;

	util_sort(thread->list, thread->n, sizeof(*thread->list), compare_codes, NULL);
	for (size_t i = 0; i < thread->n; i++) {
		struct data_counter *last = n ? &thread->list[n - 1] : NULL;

		if (last && last->code == thread->list[i].code)
			last->n += thread->list[i].n;
		else if (last && (int64_t)last->n <= 0)
			*last = thread->list[i];
		else
			thread->list[n++] = thread->list[i];
	}
	thread->n = n && (int64_t)thread->list[n - 1].n <= 0 ? n - 1 : n;
}

void counters_read(struct data *data)
{
	struct counters c = { 0 };

	c.n_codes = join(data, CINSTR_SEG_COUNTED, sizeof(*c.codes), &c.codes);
	c.n_probe_code = join(data, CINSTR_SEG_PROBE_CODE, sizeof(*c.probe_code), &c.probe_code);
	if (!c.n_codes && !c.n_probe_code)
		return;
	data->counters = xcalloc(1, sizeof(*data->counters));
	*data->counters = c;
	led_read(data);
	codes_check(data);
	for (size_t i = 0; i < data->n_segments; i++)
		if (data->segments[i].type == CINSTR_SEG_COUNTERS)
			block_read(data, &data->segments[i]);
	for (size_t i = 0; i < data->counters->n_threads; i++)
		thread_settle(&data->counters->threads[i]);
	counters_phases_read(data);
}

void counters_of_merged(struct data *data, uint32_t *codes, size_t n_codes, struct data_counter *list,
			size_t n)
{
	struct counters *c;

	counters_release(data); /* there are none but in a damaged file */
	data->counters = c = xcalloc(1, sizeof(*c));
	c->codes = codes;
	c->n_codes = n_codes;
	c->threads = xcalloc(1, sizeof(*c->threads));
	c->n_threads = 1;
	c->threads[0].list = list;
	c->threads[0].n = n;
	codes_check(data);
}

void counters_release(struct data *data)
{
	struct counters *c = data->counters;

	if (!c)
		return;
	for (size_t i = 0; i < c->n_threads; i++)
		free(c->threads[i].list);
	free(c->threads);
	counters_phases_release(c);
	free(c->codes);
	free(c->led);
	free(c->sites);
	free(c->probe_code);
	free(c);
	data->counters = NULL;
}

const struct data_counter *counters_of_thread(const struct data *data, const struct data_thread *thread,
					      size_t *n)
{
	const struct counters *c = data->counters;

	*n = 0;
	if (thread->is_phase) {
		*n = thread->n_counted;
		return thread->counted;
	}
	if (!c || !thread->record || thread->record->index >= c->n_threads)
		return NULL;
	*n = c->threads[thread->record->index].n;
	return c->threads[thread->record->index].list;
}

int counters_are_whole(const struct data *data)
{
	return !data->phases_unknown &&
	       (!data->phases_chosen || (data->counters && data->counters->all_phases));
}

int counters_have(const struct data *data, uint32_t code)
{
	const struct fold_sites *sites = &data->modules.fold_sites;
	uint32_t word = code >> 3;

	return data->counters && sites->counted && word < sites->n_words &&
	       sites->counted[word >> 3] >> (word & 7) & 1;
}

static int has_number(const uint32_t *sorted, size_t n, uint32_t number)
{
	size_t i;

	SEARCH(i, n, sorted[i] >= number);
	return i < n && sorted[i] == number;
}

int counters_have_site(const struct data *data, uint32_t code)
{
	const struct counters *c = data->counters;
	const struct module *module;
	const struct module_site *site;

	if (!c || !c->n_sites)
		return 0;
	if (has_number(c->sites, c->n_sites, code))
		return 1;
	module = modules_by_code(&data->modules, code);
	site = module ? module_site(module, code) : NULL;
	return site && module_site_is_timed(site);
}

uint64_t counters_sum_all(const struct data *data, int of_sites)
{
	const struct counters *c = data->counters;
	uint64_t sum = 0;

	for (size_t i = 0; c && i < c->n_threads; i++)
		for (size_t k = 0; k < c->threads[i].n; k++)
			if (of_sites ? counter_is_site(c->threads[i].list[k].code)
				     : counter_is_function(c->threads[i].list[k].code))
				sum += c->threads[i].list[k].n;
	return sum;
}
