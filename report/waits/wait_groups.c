/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wait_groups.c - see wait_groups.h. */
#include "wait_groups.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"

/* Returns for each object the fact with most of its time. */
static const struct wait_fact **tops_of(const struct wait_facts *facts)
{
	const struct wait_fact **tops = xcalloc(facts->n_objects + 1, sizeof(*tops));

	for (size_t i = 0; i < facts->n; i++) {
		const struct wait_fact *fact = &facts->list[i];

		if (!tops[fact->object] || fact->ns > tops[fact->object]->ns)
			tops[fact->object] = fact;
	}
	return tops;
}

/* Appends what objects of one group have in common. */
static void put_key(struct strbuf *key, const struct wait_object *object, const struct wait_fact *top)
{
	strbuf_printf(key, "%d ", object->kind);
	if (object->name)
		strbuf_printf(key, "%s %s", object->name, object->module ? object->module : "");
	else
		strbuf_printf(key, "at %u %u", top->waiter.entity, top->waiter.line);
}

static struct wait_group *group_of(struct wait_groups *groups, struct map *keys,
				   const struct wait_object *object, const struct wait_fact *top)
{
	struct strbuf key = { 0 };
	size_t number;
	int is_new;

	put_key(&key, object, top);
	number = map_add(keys, key.text, key.length, &is_new);
	strbuf_release(&key);
	if (is_new) {
		ARRAY_ONE_MORE(groups->list, groups->n);
		groups->list[groups->n++] = (struct wait_group){ .number = (uint32_t)number,
								 .kind = object->kind,
								 .name = object->name,
								 .module = object->module };
	}
	return &groups->list[number];
}

/* Says whether the share is of this place; where only a thread is known, of this one or of those
 * that have its name. */
static int is_same(const struct wait_share *share, const struct wait_place *place, enum wait_known known,
		   uint32_t tid, const struct wait_fact *fact)
{
	const char *thread = fact->giver_thread;

	if (share->known != known)
		return 0;
	if (known == WAIT_KNOWN_THREAD)
		return share->tid == tid || (thread && share->thread && !strcmp(share->thread, thread));
	if (known == WAIT_KNOWN_NOT)
		return !share->readers == !fact->readers;
	return share->place.entity == place->entity && share->place.line == place->line;
}

/* Returns the number of the share that the fact is a part of. */
static uint32_t share_add(struct wait_shares *shares, const struct wait_fact *fact, int is_giver)
{
	const struct wait_place *place = is_giver ? &fact->giver : &fact->waiter;
	enum wait_known known = is_giver ? fact->known : WAIT_KNOWN_CALL;
	uint32_t tid = is_giver ? fact->giver_tid : fact->waiter_tid;
	uint32_t of = known == WAIT_KNOWN_THREAD ? tid : 0;
	size_t i = 0;
	int is_new;

	while (i < shares->n && !is_same(&shares->list[i], place, known, of, fact))
		i++;
	if (i == shares->n) {
		ARRAY_ONE_MORE(shares->list, shares->n);
		shares->list[shares->n++] = (struct wait_share){ .number = (uint32_t)i,
								 .place = *place,
								 .known = known,
								 .tid = of,
								 .is_exact = 1,
								 .thread = fact->giver_thread };
	}
	shares->list[i].is_exact &= fact->is_exact;
	if (is_giver && fact->readers > shares->list[i].readers)
		shares->list[i].readers = fact->readers;
	shares->list[i].waits += fact->waits;
	shares->list[i].ns += fact->ns;
	map_add(&shares->list[i].threads, &tid, sizeof(tid), &is_new);
	shares->list[i].n_threads += is_new && tid;
	return (uint32_t)i;
}

ORDER_ITEMS(compare_shares, struct wait_share, ORDER(y->ns, x->ns), ORDER(x->place.line, y->place.line))

ORDER_ITEMS(compare_groups, struct wait_group, wait_kind_is_lock(y->kind) - wait_kind_is_lock(x->kind),
	    ORDER(y->ns, x->ns), strcmp(x->name ?: "", y->name ?: ""))

void wait_groups_make(struct wait_groups *groups, const struct wait_facts *facts)
{
	const struct wait_fact **tops = tops_of(facts);
	uint32_t *numbers = xcalloc(facts->n_objects + 1, sizeof(*numbers));
	struct map keys = { 0 };

	*groups = (struct wait_groups){ 0 };
	for (size_t i = 0; i < facts->n_objects; i++) {
		const struct wait_object *object = &facts->objects[i];
		struct wait_group *group = group_of(groups, &keys, object, tops[i]);

		numbers[i] = (uint32_t)(group - groups->list);
		group->n_objects += object->n;
		group->waits += object->waits;
		group->ns += object->ns;
		if (object->longest_ns > group->longest_ns)
			group->longest_ns = object->longest_ns;
	}
	groups->roles = xcalloc(facts->n + 1, sizeof(*groups->roles));
	for (size_t i = 0; i < facts->n; i++) {
		struct wait_group *group = &groups->list[numbers[facts->list[i].object]];

		groups->roles[i] =
			(struct wait_roles){ group->number, share_add(&group->waiters, &facts->list[i], 0),
					     share_add(&group->givers, &facts->list[i], 1) };
	}
	for (size_t i = 0; i < groups->n; i++) {
		struct wait_group *group = &groups->list[i];

		groups->n_locks += wait_kind_is_lock(group->kind) != 0;
		util_sort(group->waiters.list, group->waiters.n, sizeof(*group->waiters.list), compare_shares,
			  NULL);
		util_sort(group->givers.list, group->givers.n, sizeof(*group->givers.list), compare_shares,
			  NULL);
	}
	util_sort(groups->list, groups->n, sizeof(*groups->list), compare_groups, NULL);
	map_release(&keys);
	free(numbers);
	free(tops);
}

static void shares_release(struct wait_shares *shares)
{
	for (size_t i = 0; i < shares->n; i++)
		map_release(&shares->list[i].threads);
	free(shares->list);
}

void wait_groups_release(struct wait_groups *groups)
{
	for (size_t i = 0; i < groups->n; i++) {
		shares_release(&groups->list[i].waiters);
		shares_release(&groups->list[i].givers);
	}
	free(groups->roles);
	free(groups->list);
}
