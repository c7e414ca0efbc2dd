/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * after_call.c - see after_call.h.
 *
 * The raw ticks of the parts were measured. The overhead subtracted from the whole node
 * (overhead.h) is the cost of its intervals by kind, adjusted to the function's other paths: so
 * each part gets the cost of its own intervals, as far as it has that much time, and the surplus or
 * deficit is divided in proportion. Application time is divided likewise, by each part's own OS
 * events.
 */
#include "after_call.h"

#include <stdlib.h>

#include "file/cell_details.h"
#include "lib/share.h"
#include "lib/util.h"

/* One value of one part: what it should have, and what it can have at most. */
struct after_share {
	uint64_t wish, bound, got;
	uint64_t raw;
	uint64_t intervals, out, out_intervals; /* OS events: see values_left_out() */
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

/* ---- division -------------------------------------------------------------------------------- */

/* Adds `total` in the proportion of the wishes, to the tick; no more than a wish to any if there
 * are as many. */
static void deal(uint64_t total, struct after_share *shares, size_t n)
{
	uint64_t all = 0, before = 0, dealt = 0;

	for (size_t i = 0; total && i < n; i++)
		all += shares[i].wish;
	for (size_t i = 0; total && i < n; i++) {
		uint64_t from = dealt;

		before += shares[i].wish;
		dealt = total == all ? before : share(total, before, all);
		shares[i].got += dealt - from;
	}
}

/* As it is wished, made to be `total` together; that is at most the sum of the bounds. */
static void divide(uint64_t total, struct after_share *shares, size_t n)
{
	uint64_t wished = 0, room = 0;

	for (size_t i = 0; i < n; i++) {
		shares[i].wish = least(shares[i].wish, shares[i].bound);
		wished += shares[i].wish;
		room += shares[i].bound - shares[i].wish;
		shares[i].got = total ? shares[i].wish : 0;
	}
	if (total == wished || !total)
		return;
	for (size_t i = 0; i < n; i++)
		shares[i].got = 0;
	deal(least(total, wished), shares, n);
	for (size_t i = 0; i < n && total > wished; i++)
		shares[i].wish = shares[i].bound - shares[i].wish;
	if (total > wished)
		deal(least(total - wished, room), shares, n);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static struct after_share *part_add(struct after *after, uint32_t child)
{
	if (after->n == after->size) {
		after->size = after->size ? 2 * after->size : 16;
		after->parts = xrealloc(after->parts, after->size, sizeof(*after->parts));
		after->shares = xrealloc(after->shares, after->size, sizeof(*after->shares));
	}
	after->parts[after->n] = (struct after_part){ .child = child };
	after->shares[after->n] = (struct after_share){ 0 };
	return &after->shares[after->n++];
}

/* Of a node of which samples have given a part to others (file/mixed.h), each part of its time
 * on the processor has given as much. */
static uint64_t left_of(uint64_t ticks, uint64_t off_cpu, const struct mixed_cell *about)
{
	return about ? least(off_cpu, ticks) + share(less(ticks, off_cpu), about->kept, about->on_cpu)
		     : ticks;
}

/* What was measured after a child's calls is taken out of the first part. A file may say more than
 * there is. */
static void part_measure(struct after *after, const struct data *data, const struct cinstr_cell *cell,
			 const struct mixed_cell *about, const struct counting *counting)
{
	struct after_share *part = &after->shares[after->n - 1], *first = after->shares;
	struct ticks *ticks = &after->parts[after->n - 1].ticks, *rest = &after->parts[0].ticks;
	uint64_t off_cpu, out = values_left_out(data, details_after_buckets(data->memory, cell), counting,
						&off_cpu, &part->out_intervals);

	part->raw = least(left_of(cell->after_ticks, off_cpu, about), first->raw);
	first->raw -= part->raw;
	part->out = least(about ? off_cpu : out, part->raw);
	first->out = less(first->out, part->out);
	part->out_intervals = least(part->out_intervals, first->out_intervals);
	first->out_intervals -= part->out_intervals;
	part->intervals = cell->calls;
	ticks->off_cpu = least(off_cpu, rest->off_cpu);
	rest->off_cpu -= ticks->off_cpu;
	ticks->preempted = values_preempted(data, details_after_buckets(data->memory, cell), ticks->off_cpu);
	rest->preempted = less(rest->preempted, ticks->preempted);
}

/* Of a merged tree it was found for each process. */
static uint64_t behind(const struct after_node *of, const struct cinstr_cell *child)
{
	const struct merged_item *item = merged_head_of(of->data->merged, child);

	return item ? merged_ticks(of->data->merged, item->after_overhead)
		    : overhead_behind(of->costs, child);
}

static void parts_measure(struct after *after, const struct after_node *of, const struct ticks *exclusive)
{
	const struct data *data = of->data;
	const struct data_thread *thread = of->thread;
	uint32_t node = of->node;
	const struct cinstr_cell *cell = thread->nodes[node].cell;
	const struct mixed_cell *about = mixed_cell(thread, cell);
	int is_estimate = about && about->is_estimate;
	struct after_share *first = part_add(after, node);
	uint64_t off_cpu;

	if (data->merged) /* each process has divided its own */
		about = NULL;
	first->raw = cell->ticks;
	first->wish = data->merged ? exclusive->overhead : overhead_within(of->costs, cell);
	first->intervals = cell->calls;
	first->out = values_left_out(data, details_buckets(data->memory, cell), of->counting, &off_cpu,
				     &first->out_intervals);
	after->parts[0].ticks.off_cpu = off_cpu;
	after->parts[0].ticks.preempted =
		values_preempted(data, details_buckets(data->memory, cell), off_cpu);
	if (about) {
		first->out = off_cpu;
		first->out_intervals = 0;
	}
	if (is_estimate) /* what comes behind a call was its caller's */
		return;
	for (size_t i = node + 1; i <= thread->nodes[node].last; i = mixed_next_called(thread, i)) {
		const struct cinstr_cell *child = thread->nodes[i].cell;
		uint64_t overhead = behind(of, child);

		if (CINSTR_CELL_KIND(child->tag) == CINSTR_CELL_LINE)
			continue; /* the node itself holds what began there */
		if (of->is_apart[i] == of->none || CINSTR_CELL_KIND(child->tag) == CINSTR_CELL_MERGED) {
			after->shares[0].wish += data->merged ? 0 : overhead; /* has it already */
			after->shares[0].intervals += child->calls;
			continue;
		}
		if (mixed_is_estimate(thread, i))
			continue;
		part_add(after, (uint32_t)i)->wish = overhead;
		if (data->merged)
			after->shares[0].wish = less(after->shares[0].wish, overhead);
		part_measure(after, data, child, about, of->counting);
	}
}

/* ---- values ---------------------------------------------------------------------------------- */

static void divide_overhead(struct after *after, const struct ticks *whole, int raw)
{
	struct after_share *shares = after->shares;

	for (size_t i = 0; i < after->n; i++)
		shares[i].bound = shares[i].raw;
	divide(whole->overhead, shares, after->n);
	for (size_t i = 0; i < after->n; i++) {
		after->parts[i].ticks.overhead = shares[i].got;
		after->parts[i].ticks.elapsed = shares[i].raw - (raw ? 0 : shares[i].got);
	}
}

static uint64_t *ticks_at(struct after_part *part, size_t offset)
{
	return (uint64_t *)(void *)((char *)&part->ticks + offset);
}

/* A value of all parts, in none more than another one; both are offsets in struct ticks. */
static void divide_within(struct after *after, uint64_t whole, size_t value, size_t bound)
{
	struct after_share *shares = after->shares;

	for (size_t i = 0; i < after->n && !whole; i++)
		*ticks_at(&after->parts[i], value) = 0;
	if (!whole)
		return;
	for (size_t i = 0; i < after->n; i++) {
		shares[i].wish = *ticks_at(&after->parts[i], value);
		shares[i].bound = *ticks_at(&after->parts[i], bound);
	}
	divide(whole, shares, after->n);
	for (size_t i = 0; i < after->n; i++)
		*ticks_at(&after->parts[i], value) = shares[i].got;
}

/* No part was off the processor for longer than it took. */
static void divide_off_cpu(struct after *after, const struct ticks *whole, int is_alone)
{
	divide_within(after, whole->off_cpu, offsetof(struct ticks, off_cpu),
		      offsetof(struct ticks, elapsed));
	if (is_alone)
		return;
	divide_within(after, whole->preempted, offsetof(struct ticks, preempted),
		      offsetof(struct ticks, off_cpu));
}

static void divide_uncertainty(struct after *after, const struct ticks *whole)
{
	struct after_share *shares = after->shares;

	for (size_t i = 0; i < after->n; i++)
		shares[i].wish = shares[i].bound = after->parts[i].ticks.overhead;
	divide(whole->overhead - whole->overhead_low, shares, after->n);
	for (size_t i = 0; i < after->n; i++) {
		struct ticks *t = &after->parts[i].ticks;

		t->overhead_low = t->overhead - shares[i].got;
		shares[i].wish = share(whole->overhead_high - whole->overhead, t->overhead, whole->overhead);
		shares[i].bound = t->elapsed;
	}
	divide(whole->overhead_high - whole->overhead, shares, after->n);
	for (size_t i = 0; i < after->n; i++)
		after->parts[i].ticks.overhead_high = after->parts[i].ticks.overhead + shares[i].got;
}

static void divide_application(struct after *after, const struct after_node *of, const struct ticks *whole)
{
	int has_within = !of->counting->raw && !of->data->merged;
	struct after_share *shares = after->shares;

	for (size_t i = 0; i < after->n; i++) {
		const struct ticks *t = &after->parts[i].ticks;
		uint64_t n = least(shares[i].out_intervals, shares[i].intervals);
		uint64_t within = !has_within || !n ? 0 : share(t->overhead, n, shares[i].intervals);

		shares[i].bound = t->elapsed;
		shares[i].wish = less(t->elapsed, less(shares[i].out, within));
	}
	divide(whole->application, shares, after->n);
	for (size_t i = 0; i < after->n; i++) {
		after->parts[i].ticks.application = shares[i].got;
		shares[i].wish = shares[i].raw;
		shares[i].got = 0;
	}
	if (of->times_alone)
		return;
	deal(whole->application_uncertainty, shares, after->n);
	for (size_t i = 0; i < after->n; i++)
		after->parts[i].ticks.application_uncertainty = shares[i].got;
}

void after_divide(struct after *after, const struct after_node *of, const struct ticks *exclusive)
{
	after->n = 0;
	parts_measure(after, of, exclusive);
	if (after->n == 1) {
		after->parts[0].ticks = *exclusive;
		return;
	}
	divide_overhead(after, exclusive, of->counting->raw);
	divide_off_cpu(after, exclusive, of->times_alone);
	if (!of->times_alone)
		divide_uncertainty(after, exclusive);
	divide_application(after, of, exclusive);
}

void after_release(struct after *after)
{
	free(after->parts);
	free(after->shares);
	*after = (struct after){ 0 };
}
