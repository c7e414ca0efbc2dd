/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union_waits.c - adds the waits of threads of many processes (union.h): sums by the object's name,
 * or its kind if it has none, by place of waiting, and by the call that ended the wait. Waits that
 * have not ended belong to one process and are not kept.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"
#include "rows/wait_facts.h"
#include "union.h"

static void put_key(struct strbuf *key, const struct merged_wait *wait)
{
	strbuf_printf(key, "%u %u %u %d %u %u %s\n%s\n%s", wait->kind, wait->known, wait->is_unlike,
		      !wait->readers, wait->waiter, wait->giver, wait->object, wait->module, wait->thread);
}

static void add(struct union_tree *u, const struct merged_wait *wait)
{
	struct strbuf key = { 0 };
	struct merged_wait *sum;
	size_t number;
	int is_new;

	put_key(&key, wait);
	number = map_add(&u->wait_keys, key.text, key.length, &is_new);
	strbuf_release(&key);
	if (is_new) {
		ARRAY_ROOM(u->waits, u->n_waits, u->size_waits, 64);
		u->waits[u->n_waits++] =
			(struct merged_wait){ .kind = wait->kind,
					      .known = wait->known,
					      .is_unlike = wait->is_unlike,
					      .waiter = wait->waiter,
					      .giver = wait->giver,
					      .object = map_keep(&u->strings, wait->object),
					      .module = map_keep(&u->strings, wait->module),
					      .thread = map_keep(&u->strings, wait->thread) };
	}
	sum = &u->waits[number];
	sum->n_objects += wait->n_objects;
	sum->waits += wait->waits;
	sum->time += wait->time;
	sum->readers = wait->readers > sum->readers ? wait->readers : sum->readers;
	sum->longest = wait->longest > sum->longest ? wait->longest : sum->longest;
}

static wide units_of(long double ns)
{
	return (wide)(ns * (1 << CINSTR_MERGED_FRACTION) + 0.5L);
}

/* Marks of each object the fact with most of its time: with that one it is counted. */
static uint8_t *tops_of(const struct wait_facts *facts)
{
	size_t *tops = xcalloc(facts->n_objects + 1, sizeof(*tops)); /* number + 1 */
	uint8_t *is_top = xcalloc(facts->n + 1, 1);

	for (size_t i = 0; i < facts->n; i++) {
		size_t *top = &tops[facts->list[i].object];

		if (!*top || facts->list[i].ns > facts->list[*top - 1].ns)
			*top = i + 1;
	}
	for (size_t i = 0; i < facts->n_objects; i++)
		if (tops[i])
			is_top[tops[i] - 1] = 1;
	free(tops);
	return is_top;
}

static int has_waits(const struct data *data)
{
	for (size_t i = 0; i < data->n_threads; i++)
		if (data->threads[i].awaited.n)
			return 1;
	return 0;
}

void union_waits_add_process(struct union_tree *u, const struct data *data, struct union_codes *codes)
{
	struct wait_facts facts = { .is_wanted = 1 };
	uint8_t *is_top;

	if (!has_waits(data))
		return;
	if (!u->wait_names)
		u->wait_names = xcalloc(1, sizeof(*u->wait_names));
	wait_facts_add(&facts, u->wait_names, data);
	is_top = tops_of(&facts);
	for (size_t i = 0; i < facts.n; i++) {
		const struct wait_fact *fact = &facts.list[i];
		const struct wait_object *object = &facts.objects[fact->object];
		const struct merged_wait wait = {
			.kind = object->kind,
			.known = fact->known,
			.is_unlike = fact->is_exact != wait_is_exact(fact->known, object->kind),
			.readers = fact->readers,
			.waiter = fact->waiter.code ? union_code(codes, fact->waiter.code) : 0,
			.giver = fact->giver.code ? union_code(codes, fact->giver.code) : 0,
			.object = object->name ? object->name : "",
			.module = object->module ? object->module : "",
			.thread = fact->giver_thread ? fact->giver_thread : "",
			.n_objects = is_top[i],
			.waits = fact->waits,
			.time = units_of(fact->ns),
			.longest = units_of(fact->longest_ns),
		};

		add(u, &wait);
	}
	free(is_top);
	wait_facts_release(&facts);
	names_next_process(u->wait_names);
}

void union_waits_add_merged(struct union_tree *u, const struct merged *merged, struct union_codes *codes)
{
	for (size_t i = 0; i < merged->n_waits; i++) {
		struct merged_wait wait = merged->waits[i];

		wait.waiter = wait.waiter ? union_code(codes, wait.waiter) : 0;
		wait.giver = wait.giver ? union_code(codes, wait.giver) : 0;
		add(u, &wait);
	}
}

void union_waits_release(struct union_tree *u)
{
	map_release(&u->wait_keys);
	free(u->waits);
	if (u->wait_names)
		names_release(u->wait_names);
	free(u->wait_names);
}

ORDER_ITEMS(compare, struct merged_wait, strcmp(x->object, y->object), strcmp(x->module, y->module),
	    strcmp(x->thread, y->thread), ORDER(x->kind, y->kind),
	    ORDER(x->known << 2 | x->is_unlike << 1 | !x->readers,
		  y->known << 2 | y->is_unlike << 1 | !y->readers),
	    ORDER(x->waiter, y->waiter), ORDER(x->giver, y->giver))

void union_waits_put(const struct union_tree *u, uint32_t (*code_of)(const void *arg, uint32_t code),
		     const void *arg, struct strbuf *out)
{
	struct merged_wait *list = xcalloc(u->n_waits + 1, sizeof(*list));

	for (size_t i = 0; i < u->n_waits; i++) {
		list[i] = u->waits[i];
		list[i].waiter = code_of(arg, list[i].waiter);
		list[i].giver = code_of(arg, list[i].giver);
	}
	util_sort(list, u->n_waits, sizeof(*list), compare, NULL);
	for (size_t i = 0; i < u->n_waits; i++)
		merged_put_wait(out, &list[i]);
	free(list);
}
