/* SPDX-License-Identifier: GPL-3.0-or-later */
/* union_now.c - values by contributor: sums of squares, the least and the most (union.h). */
#include <string.h>

#include "lib/array.h"
#include "union_statistics.h"

void union_statistics_add(struct union_tree *u, struct merged_item *to, const struct merged_item *from,
			  const uint32_t *who)
{
	if (!from->n_contributors)
		return;
	for (int i = 0; i < CINSTR_MERGED_VALUES; i++) {
		struct merged_statistic s = from->of[i];

		s.who_least = who[s.who_least];
		s.who_most = who[s.who_most];
		statistic_join(u, &to->of[i], !to->n_contributors, &s);
	}
	to->n_contributors += from->n_contributors;
}

/* ---- the contributor at hand ----------------------------------------------------------------- */

static void marks_grow(struct union_tree *u)
{
	size_t n = u->n_nodes + u->n_nodes / 2 + 1024;

	u->marks = xrealloc(u->marks, n, sizeof(*u->marks));
	memset(u->marks + u->n_marks, 0, (n - u->n_marks) * sizeof(*u->marks));
	u->n_marks = n;
}

uint32_t union_now(struct union_tree *u, uint32_t node)
{
	struct union_mark *mark;
	struct union_now *now;

	if (node >= u->n_marks)
		marks_grow(u);
	mark = &u->marks[node];
	if (mark->stamp == u->stamp)
		return mark->now;
	*mark = (struct union_mark){ u->stamp, (uint32_t)u->n_now };
	ARRAY_ROOM(u->now, u->n_now, u->size_now, 1024);
	now = &u->now[u->n_now];
	memset(now, 0, sizeof(*now));
	now->node = node;
	now->slot = UNION_NONE;
	memset(now->shortest, 0xff, sizeof(now->shortest));
	return (uint32_t)u->n_now++;
}

static wide *time_of(struct merged_item *item, unsigned time)
{
	switch (time) {
	case UNION_ELAPSED:
		return &item->elapsed;
	case UNION_AFTER:
		return &item->after;
	case UNION_AFTER_OVERHEAD:
		return &item->after_overhead;
	default:
		return &item->overhead[time - UNION_OVERHEAD];
	}
}

void union_time_add(struct union_tree *u, uint32_t node, unsigned time, wide n)
{
	*time_of(&union_node(u, node)->item, time) += n;
}

static void now_add(struct union_tree *u, const struct union_now *now, uint32_t contributor)
{
	struct union_node *node = union_node(u, now->node);
	struct merged_item *to = &node->item;
	int is_new = !to->n_contributors++;

	to->is_cyclic |= now->is_cyclic;
	to->calls += now->values[CINSTR_MERGED_CALLS];
	to->intervals += now->intervals;
	to->elapsed += now->times[UNION_ELAPSED];
	for (int i = 0; i < 3; i++)
		to->overhead[i] += now->times[UNION_OVERHEAD + i];
	to->after += now->times[UNION_AFTER];
	to->after_overhead += now->times[UNION_AFTER_OVERHEAD];
	union_extremes_add(to, now->shortest, now->longest);
	for (int k = 0; k < CINSTR_MERGED_VALUES; k++)
		statistic_value_join(u, &to->of[k], is_new, now->values[k], contributor);
	if (now->slot != UNION_NONE)
		union_slots_add(node, now->slot, now->slot_calls);
}

void union_contributor_end(struct union_tree *u, uint32_t contributor)
{
	for (size_t i = 0; i < u->n_now; i++)
		now_add(u, &u->now[i], contributor);
	union_functions_end(u, contributor);
	u->n_now = 0;
	u->stamp++;
}
