/* SPDX-License-Identifier: GPL-3.0-or-later */
/* union_add.c - sums, the least and the most, properties and headers of the union (union.h). */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "union.h"

/* ---- contributors ---------------------------------------------------------------------------- */

/* Of a union's contributors the same text is in one place. */
static int compare_texts(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

int union_contributor_compare(const struct merged_contributor *a, const struct merged_contributor *b)
{
	int order = compare_texts(a->job, b->job);

	if (!order && a->rank_after != b->rank_after)
		return a->rank_after < b->rank_after ? -1 : 1;
	if (!order)
		order = compare_texts(a->host, b->host);
	if (!order && a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (!order && a->start_realtime_ns != b->start_realtime_ns)
		return a->start_realtime_ns < b->start_realtime_ns ? -1 : 1;
	if (!order && a->elapsed != b->elapsed)
		return a->elapsed < b->elapsed ? -1 : 1;
	return order ? order : compare_texts(a->program, b->program);
}

uint32_t union_contributor(struct union_tree *u, const struct merged_contributor *c)
{
	struct merged_contributor *to;

	ARRAY_ROOM(u->contributors, u->n_contributors, u->size_contributors, 64);
	to = &u->contributors[u->n_contributors];
	*to = *c;
	to->host = map_keep(&u->strings, c->host);
	to->job = map_keep(&u->strings, c->job);
	to->program = map_keep(&u->strings, c->program);
	return (uint32_t)u->n_contributors++;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* Makes room for one more slot. */
static void slots_reach(struct union_node *node)
{
	struct merged_item *item = &node->item;

	if (!item->slots) {
		item->slots = node->few;
		node->size_slots = ARRAY_SIZE(node->few);
	} else if (item->slots == node->few && item->n_slots == node->size_slots) {
		item->slots = xrealloc(NULL, 2 * node->size_slots, sizeof(*item->slots));
		memcpy(item->slots, node->few, sizeof(node->few));
		node->size_slots *= 2;
	}
	ARRAY_ROOM(item->slots, item->n_slots, node->size_slots, 0);
}

void union_slots_add(struct union_node *node, uint32_t slot, uint64_t n)
{
	struct merged_item *item = &node->item;
	uint32_t i = item->n_slots;

	while (i > 0 && item->slots[i - 1].slot >= slot)
		i--;
	if (i < item->n_slots && item->slots[i].slot == slot) {
		item->slots[i].n += n;
		return;
	}
	slots_reach(node);
	memmove(&item->slots[i + 1], &item->slots[i], (item->n_slots - i) * sizeof(*item->slots));
	item->slots[i] = (struct merged_slot){ slot, n };
	item->n_slots++;
}

void union_bucket_add(struct merged_bucket **list, uint32_t *n, const struct merged_bucket *bucket)
{
	struct merged_bucket *to;
	uint32_t i = 0;

	while (i < *n && (*list)[i].bits < bucket->bits)
		i++;
	if (i == *n || (*list)[i].bits != bucket->bits) {
		*list = xrealloc(*list, *n + 1, sizeof(**list));
		memmove(&(*list)[i + 1], &(*list)[i], (*n - i) * sizeof(**list));
		(*list)[i] = (struct merged_bucket){ .bits = bucket->bits };
		++*n;
	}
	to = &(*list)[i];
	to->intervals += bucket->intervals;
	to->voluntary += bucket->voluntary;
	to->involuntary += bucket->involuntary;
	to->ticks += bucket->ticks;
	to->off_cpu += bucket->off_cpu;
}

void union_extremes_add(struct merged_item *to, const uint64_t *shortest, const uint64_t *longest)
{
	for (int i = 0; i < 4; i++) {
		if (shortest[i] > longest[i])
			continue;
		if (shortest[i] < to->shortest[i])
			to->shortest[i] = shortest[i];
		if (longest[i] > to->longest[i])
			to->longest[i] = longest[i];
	}
}

void union_item_add(struct union_tree *u, uint32_t number, const struct merged_item *item)
{
	struct union_node *node = union_node(u, number);
	struct merged_item *to = &node->item;

	u->n_added++;
	to->is_cyclic |= item->is_cyclic;
	to->bounds |= item->bounds;
	to->calls += item->calls;
	to->open += item->open;
	to->intervals += item->intervals;
	to->elapsed += item->elapsed;
	for (int i = 0; i < 3; i++)
		to->overhead[i] += item->overhead[i];
	to->has_inherited |= item->has_inherited;
	for (int i = 0; item->has_inherited && i < 4; i++)
		to->inherited[i] += item->inherited[i];
	to->flat_ticks += item->flat_ticks;
	to->flat_calls += item->flat_calls;
	union_extremes_add(to, item->shortest, item->longest);
	to->after += item->after;
	to->after_overhead += item->after_overhead;
	for (uint32_t i = 0; i < item->n_buckets; i++)
		union_bucket_add(&to->buckets, &to->n_buckets, &item->buckets[i]);
	for (uint32_t i = 0; i < item->n_after_buckets; i++)
		union_bucket_add(&to->after_buckets, &to->n_after_buckets, &item->after_buckets[i]);
	for (uint32_t i = 0; i < item->n_slots; i++)
		union_slots_add(node, item->slots[i].slot, item->slots[i].n);
}

/* ---- properties ------------------------------------------------------------------------------ */

/* Of merged files: keys that are not the same in all, each with a newline. */
#define DIFFERENT "different"

static int is_of_one(const char *key)
{
	return !strcmp(key, DIFFERENT) || !strcmp(key, "rank");
}

static struct union_property *property_of(struct union_tree *u, const char *key)
{
	for (size_t i = 0; i < u->n_properties; i++)
		if (!strcmp(u->properties[i].key, key))
			return &u->properties[i];
	return NULL;
}

static void property_put(struct union_tree *u, const char *key, const char *value)
{
	u->properties = xrealloc(u->properties, u->n_properties + 1, sizeof(*u->properties));
	u->properties[u->n_properties++] =
		(struct union_property){ xstrdup(key), value ? xstrdup(value) : NULL };
}

static void property_forget(struct union_property *property)
{
	free(property->value);
	property->value = NULL;
}

/* What one has and another has not is different as well. */
void union_properties_add(struct union_tree *u, const struct data *data)
{
	const char *different = data_property(data, DIFFERENT);
	int is_first_one = !u->n_contributors;

	for (size_t i = 0; i < u->n_properties; i++) {
		const char *value = data_property(data, u->properties[i].key);

		if (!value || (u->properties[i].value && strcmp(value, u->properties[i].value)))
			property_forget(&u->properties[i]);
	}
	for (size_t i = 0; i < data->n_properties; i++) {
		const struct data_property *p = &data->properties[i];

		if (!is_of_one(p->key) && !property_of(u, p->key))
			property_put(u, p->key, is_first_one ? p->value : NULL);
	}
	while (different && *different) {
		size_t n = strcspn(different, "\n");
		char *key = strndup(different, n);
		struct union_property *property = property_of(u, key);

		if (property)
			property_forget(property);
		else
			property_put(u, key, NULL);
		free(key);
		different += n + (different[n] == '\n');
	}
}

/* ---- headers --------------------------------------------------------------------------------- */

static uint32_t min_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void keep_most(uint64_t *to, uint64_t n)
{
	*to = n > *to ? n : *to;
}

void union_header_add(struct union_tree *u, const struct data *data, uint64_t length_ns)
{
	const struct cinstr_header *h = data->header;
	struct union_header *to = &u->header;
	int is_first_one = !u->n_contributors, known;
	uint64_t end_ns = h->start_realtime_ns + length_ns;

	if (is_first_one)
		*to = (struct union_header){ .begin_realtime_ns = h->start_realtime_ns,
					     .probes = h->probes,
					     .restartable = h->restartable,
					     .streams = h->streams,
					     .is_calibrated = h->calibration.rounds != 0,
					     .end = h->end,
					     .end_status = h->end_status };
	if (h->start_realtime_ns < to->begin_realtime_ns)
		to->begin_realtime_ns = h->start_realtime_ns;
	keep_most(&to->end_realtime_ns, end_ns);
	keep_most(&to->threshold_ns,
		  util_rounded((long double)h->threshold_ticks * data_ns_per_tick(data, &known)));
	to->attach_ns += h->attach_ns;
	to->lost_events += h->lost_events;
	to->lost_threads += h->lost_threads;
	to->marks_lost += h->marks_lost;
	to->probes = to->probes == h->probes ? to->probes : 2;
	to->restartable = min_of(to->restartable, h->restartable);
	to->streams = min_of(to->streams, h->streams);
	to->is_calibrated &= h->calibration.rounds != 0;
	if (to->end != h->end || to->end_status != h->end_status) {
		to->end = CINSTR_END_UNKNOWN;
		to->end_status = 0;
	}
	if (h->stop > to->stop || (h->stop == to->stop && h->stop_errno > to->stop_errno)) {
		to->stop = h->stop;
		to->stop_errno = h->stop_errno;
	}
	if (h->self_errno > to->self_errno)
		to->self_errno = h->self_errno;
	if (h->switches > to->switches)
		to->switches = h->switches;
}
