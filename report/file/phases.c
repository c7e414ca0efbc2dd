/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * phases.c - see phases.h.
 *
 * Joining: the same path in several phases' trees becomes one node. Its cell is the path's, if it
 * is in one phase only; else a new one with the sums, behind the end of the file, and so are its
 * buckets. Views see no difference to a recording without marks.
 */
#include "phases.h"

#include <stdlib.h>
#include <string.h>

#include "cell_details_join.h"
#include "lib/util.h"

#define NONE UINT32_MAX
/* ticks: a moment in nanoseconds means the mark that was printed so, in spite of rounding */
#define SAME_MOMENT 8
#define CELL_BYTES sizeof(struct cinstr_cell)

/* A forked child's first pair is its parent's. */
static uint64_t recording_begin(const struct data *data)
{
	const struct cinstr_header *h = data->header;

	return h->clock_ticks[h->forked && h->clock_ns[1]];
}

/* ---- the list -------------------------------------------------------------------------------- */

uint64_t phases_begin(const struct data *data, uint32_t number)
{
	return number ? data_phases(data)[number - 1] : recording_begin(data);
}

void phase_put_name(struct strbuf *text, const struct data_mark *mark)
{
	if (*mark->text)
		strbuf_puts(text, mark->text);
	else
		strbuf_printf(text, "mark %lld", (long long)mark->id);
}

struct phase phases_get(const struct data *data, uint32_t number)
{
	struct phase phase = { .begin_ticks = phases_begin(data, number),
			       .end_ticks = number < data->n_phases ? phases_begin(data, number + 1)
								    : UINT64_MAX };

	for (size_t i = 0; number && i < data->n_marks; i++)
		if (data->marks[i].phase == number)
			phase.mark = &data->marks[i];
	return phase;
}

uint64_t phases_left_out(const struct data *data)
{
	const struct cinstr_phases *phases = (const void *)(data->memory + data->phases_at);

	return data->phases_at ? phases->left_out : 0;
}

uint64_t phases_missed(const struct data *data)
{
	uint64_t n = 0;

	for (size_t i = 0; i < data->n_threads; i++)
		n += data->threads[i].state->phases_missed;
	return n;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static struct cinstr_cell *new_cell(struct data *data)
{
	uint64_t at = data_room(data, CELL_BYTES);

	return at ? (struct cinstr_cell *)(void *)(data->memory + at) : NULL;
}

static const struct cinstr_cell *cell_at(const struct data *data, uint32_t index)
{
	return (const void *)(data->memory + (uint64_t)index * CELL_BYTES);
}

/* A copy of a cell, and of what hangs at it. NULL: no room. */
static struct cinstr_cell *cell_copy(struct data *data, const struct cinstr_cell *from)
{
	struct cinstr_cell *copy = new_cell(data);

	if (!copy)
		return NULL;
	*copy = *from;
	return details_copy(data, copy, from) ? NULL : copy;
}

/* Adds a cell of the same path to a copy. 0 or -1: no room. */
static int cell_add(struct data *data, struct cinstr_cell *to, const struct cinstr_cell *from)
{
	if (details_add(data, to, from)) /* first: it takes to->ticks for those of one activation */
		return -1;
	to->calls += from->calls;
	to->ticks += from->ticks;
	to->after_ticks += from->after_ticks;
	return 0;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* Nodes of several phases on their way to one tree. Numbers are in order of creation, the root's is
 * 0. */
struct join {
	const struct data *data;
	struct data *room; /* for new cells; NULL: of one phase, no path is there twice */
	struct data_thread *thread;
	const struct data_tree *tree;
	uint32_t *phase;      /* of each node of `tree` */
	uint32_t *joined;     /* its number here; NONE: not chosen */
	uint32_t first, last; /* phases that are chosen, with both */
	struct {
		const struct cinstr_cell *cell;
		struct cinstr_cell *own; /* the same, where it may be changed */
		uint32_t parent, child, last_child, sibling;
		uint32_t node; /* its place in the preorder */
	} * nodes;
	size_t n;
	struct map paths;
	int failed;
};

static int is_root(const struct cinstr_cell *cell)
{
	return CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_ROOT;
}

/* Of each node of the thread's trees. */
static uint32_t *phases_of(const struct data_tree *tree)
{
	uint32_t *phase = xcalloc(tree->n_nodes, sizeof(*phase));

	for (size_t i = 1; i < tree->n_nodes; i++)
		phase[i] = is_root(tree->nodes[i].cell) ? tree->nodes[i].cell->site >> 3
							: phase[tree->nodes[i].parent];
	return phase;
}

static uint32_t joined_add(struct join *join, const struct cinstr_cell *cell, uint32_t parent)
{
	uint32_t n = (uint32_t)join->n++;

	join->nodes[n].cell = cell;
	join->nodes[n].parent = parent;
	join->nodes[n].child = join->nodes[n].last_child = join->nodes[n].sibling = NONE;
	if (!n)
		return n;
	if (join->nodes[parent].child == NONE)
		join->nodes[parent].child = n;
	else
		join->nodes[join->nodes[parent].last_child].sibling = n;
	join->nodes[parent].last_child = n;
	return n;
}

/* The number of this cell's path; a new one, or one that has a cell already. */
static uint32_t joined_find(struct join *join, const struct cinstr_cell *cell, uint32_t parent)
{
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);
	uint32_t key[5] = { parent, cell->site, cell->func, kind,
			    kind == CINSTR_CELL_INDIRECT ? cell->last_exit : 0 };
	int is_new = 1;

	if (is_root(cell))
		return 0;
	return (uint32_t)map_add(&join->paths, key, sizeof(key), &is_new) + 1;
}

static void join_cell(struct join *join, uint32_t i)
{
	const struct data_node *node = &join->tree->nodes[i];
	uint32_t parent = is_root(node->cell) ? 0 : join->joined[node->parent];
	uint32_t n = joined_find(join, node->cell, parent);

	join->joined[i] = n;
	if (n == join->n) {
		joined_add(join, node->cell, parent);
		return;
	}
	if (!join->nodes[n].own) {
		join->nodes[n].own = join->room ? cell_copy(join->room, join->nodes[n].cell) : NULL;
		if (join->nodes[n].own) {
			moved_join(join->data, join->thread, join->nodes[n].own, join->nodes[n].cell);
			join->nodes[n].cell = join->nodes[n].own;
		}
	}
	if (!join->nodes[n].own || cell_add(join->room, join->nodes[n].own, node->cell))
		join->failed = 1;
	else
		moved_join(join->data, join->thread, join->nodes[n].own, node->cell);
}

/* Nodes in preorder. */
static void joined_walk(struct join *join, struct data_thread *thread)
{
	uint32_t n = 0, at = 0;

	thread->nodes = xcalloc(join->n, sizeof(*thread->nodes));
	thread->n_nodes = 0;
	for (;;) {
		uint32_t parent = n ? join->nodes[join->nodes[n].parent].node : 0;

		at = (uint32_t)thread->n_nodes++;
		join->nodes[n].node = at;
		thread->nodes[at] = (struct data_node){ .cell = join->nodes[n].cell, .parent = parent };
		if (join->nodes[n].child != NONE) {
			n = join->nodes[n].child;
			continue;
		}
		while (n && join->nodes[n].sibling == NONE) {
			thread->nodes[join->nodes[n].node].last = (uint32_t)thread->n_nodes - 1;
			n = join->nodes[n].parent;
		}
		thread->nodes[join->nodes[n].node].last = (uint32_t)thread->n_nodes - 1;
		if (!n)
			return;
		n = join->nodes[n].sibling;
	}
}

static int is_chosen(const struct join *join, uint32_t phase)
{
	return phase >= join->first && phase <= join->last;
}

/* The phase that the thread is in. */
static uint32_t phase_now(const struct data *data, const struct data_thread *thread)
{
	return cell_at(data, thread->state->root)->site >> 3;
}

/* What is open now is so in the last phase. */
static void join_open(const struct join *join, struct data_thread *thread)
{
	const struct data_tree *tree = join->tree;

	thread->open = xcalloc(tree->n_open, sizeof(*thread->open));
	thread->n_open = thread->n_open_elsewhere = 0;
	thread->n_open_flat = 0;
	for (size_t i = 0; i < tree->n_open; i++) {
		uint32_t n = join->joined[tree->open[i]];

		if (n != NONE)
			thread->open[thread->n_open++] = join->nodes[n].node;
		else
			thread->n_open_elsewhere +=
				CINSTR_CELL_KIND(tree->nodes[tree->open[i]].cell->tag) == CINSTR_CELL_FRAME;
	}
	if (is_chosen(join, phase_now(join->data, thread)))
		thread->n_open_flat = tree->n_open_flat;
	else
		thread->n_open_elsewhere += tree->n_open_flat;
}

static void join_flat(const struct join *join, struct data_thread *thread)
{
	const struct data_tree *tree = join->tree;

	thread->flat = xcalloc(tree->n_flat, sizeof(*thread->flat));
	thread->n_flat = 0;
	for (size_t i = 0; i < tree->n_flat; i++)
		if (is_chosen(join, CINSTR_FLAT_PHASE(tree->flat[i]->parent)))
			thread->flat[thread->n_flat++] = tree->flat[i];
}

static void join_release(struct join *join)
{
	map_release(&join->paths);
	free(join->nodes);
	free(join->joined);
	free(join->phase);
}

/* Chooses nodes and joins them. Returns the raw ticks of those that are not chosen. */
static uint64_t join_nodes(struct join *join)
{
	const struct data_tree *tree = join->tree;
	uint64_t elsewhere = 0;

	for (uint32_t i = 0; i < tree->n_nodes; i++) {
		join->joined[i] = NONE;
		if (is_chosen(join, join->phase[i]))
			join_cell(join, i);
		else
			elsewhere += tree->nodes[i].cell->ticks;
	}
	return elsewhere;
}

/* A root without time, for a thread that has nothing in the phases. */
static void join_nothing(struct join *join)
{
	struct cinstr_cell *nothing = join->room ? new_cell(join->room) : NULL;

	if (!nothing)
		return;
	*nothing = (struct cinstr_cell){ .tag = CINSTR_CELL_ROOT, .first_ticks = UINT64_MAX };
	joined_add(join, nothing, 0);
}

/* The phases [first, last] of by_phase as one tree; what the thread had is not released. 0; -1:
 * nothing is changed. */
static int join_phases(const struct data *data, struct data *room, struct data_thread *thread, uint32_t first,
		       uint32_t last)
{
	const struct data_tree *tree = &thread->by_phase;
	struct join join = {
		.data = data, .room = room, .thread = thread, .tree = tree, .first = first, .last = last
	};
	uint64_t elsewhere;
	int failed;

	join.phase = phases_of(tree);
	join.joined = xcalloc(tree->n_nodes, sizeof(*join.joined));
	join.nodes = xcalloc(tree->n_nodes + 1, sizeof(*join.nodes));
	elsewhere = join_nodes(&join);
	moved_sort(thread);
	if (!join.n)
		join_nothing(&join);
	failed = !join.n || join.failed;
	if (!failed) {
		thread->elsewhere_ticks = elsewhere;
		joined_walk(&join, thread);
		join_open(&join, thread);
		join_flat(&join, thread);
	}
	join_release(&join);
	return failed ? -1 : 0;
}

/* ---- threads --------------------------------------------------------------------------------- */

void tree_release(struct data_tree *tree)
{
	free(tree->nodes);
	free(tree->open);
	free(tree->flat);
	*tree = (struct data_tree){ 0 };
}

static int has_phases(const struct data_thread *thread)
{
	for (size_t i = 1; i < thread->n_nodes; i = thread->nodes[i].last + 1)
		if (is_root(thread->nodes[i].cell))
			return 1;
	return 0;
}

static struct data_tree tree_of(const struct data_thread *thread)
{
	return (struct data_tree){ thread->nodes, thread->n_nodes, thread->open,       thread->n_open,
				   thread->flat,  thread->n_flat,  thread->n_open_flat };
}

void phases_join(struct data *data, struct data_thread *thread)
{
	if (!has_phases(thread))
		return;
	thread->by_phase = tree_of(thread);
	if (!join_phases(data, data, thread, 0, UINT32_MAX))
		return;
	thread->by_phase = (struct data_tree){ 0 };
	data_problem(data, thread->offset, "no room to join the phases of thread %u: they count as one",
		     thread->record->tid);
}

static int is_close(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : b - a) <= SAME_MOMENT;
}

/* The phase that begins at this moment; n + 1 behind the end of the last one; -1: none does. */
static int64_t phase_from(const struct data *data, uint64_t ticks)
{
	const uint64_t *begin = data_phases(data);
	uint64_t end = 0;

	if (ticks <= recording_begin(data))
		return 0;
	for (uint32_t i = 0; i < data->n_phases; i++)
		if (begin[i] == ticks)
			return i + 1;
	for (uint32_t i = 0; i < data->n_phases; i++)
		if (is_close(begin[i], ticks))
			return i + 1;
	for (size_t i = 0; i < data->n_threads; i++)
		if (data->threads[i].state->time > end)
			end = data->threads[i].state->time;
	return ticks >= end ? (int64_t)data->n_phases + 1 : -1;
}

static void select_phases(struct data *data, struct data_thread *thread, uint32_t first, uint32_t last)
{
	struct data_tree before = tree_of(thread);

	int is_one = !thread->by_phase.nodes;

	if (is_one && first == 0)
		return;
	if (is_one) /* it is left out, and kept there */
		thread->by_phase = before;
	if (join_phases(data, data, thread, first, last)) {
		data_problem(data, thread->offset, "no room to tell the phases of thread %u apart",
			     thread->record->tid);
		if (is_one) /* the thread's tree is still the only one that has these nodes */
			thread->by_phase = (struct data_tree){ 0 };
	} else if (!is_one) {
		tree_release(&before);
	}
}

int phases_select(struct data *data, uint64_t from_ticks, uint64_t to_ticks)
{
	int64_t first = phase_from(data, from_ticks), end = phase_from(data, to_ticks);

	if (first < 0 || end < 0)
		return -1;
	if (first == 0 && end > data->n_phases)
		return 0;
	if (phases_missed(data))
		return -1;
	data->phases_chosen = 1;
	data->first_phase = end <= first ? NONE : (uint32_t)first;
	data->last_phase = end <= first ? NONE : (uint32_t)end - 1;
	for (size_t i = 0; i < data->n_threads; i++)
		select_phases(data, &data->threads[i], data->first_phase, data->last_phase);
	counters_phases_select(data, data->first_phase, data->last_phase);
	return 0;
}

int phases_is_chosen(const struct data *data, uint32_t number)
{
	return !data->phases_chosen || (number >= data->first_phase && number <= data->last_phase);
}

/* ---- one phase ------------------------------------------------------------------------------- */

/* The root of the phase; 0: there is none, or it is phase 0. */
static uint32_t root_of(const struct data_tree *tree, uint32_t phase)
{
	for (uint32_t i = 1; i < tree->n_nodes; i = tree->nodes[i].last + 1)
		if (is_root(tree->nodes[i].cell) && tree->nodes[i].cell->site >> 3 == phase)
			return i;
	return 0;
}

static void part_copy(const struct data_tree *tree, uint32_t root, struct data_thread *part)
{
	part->n_nodes = tree->nodes[root].last + 1 - root;
	part->nodes = xcalloc(part->n_nodes, sizeof(*part->nodes));
	for (uint32_t i = 0; i < part->n_nodes; i++) {
		const struct data_node *node = &tree->nodes[root + i];

		part->nodes[i] =
			(struct data_node){ node->cell, i ? node->parent - root : 0, node->last - root };
	}
	part->open = xcalloc(tree->n_open, sizeof(*part->open));
	part->n_open = 0;
	for (size_t i = 0; i < tree->n_open; i++)
		if (tree->open[i] >= root && tree->open[i] <= tree->nodes[root].last)
			part->open[part->n_open++] = tree->open[i] - root;
}

static void part_flat(const struct data_tree *tree, uint32_t phase, struct data_thread *part)
{
	part->flat = xcalloc(tree->n_flat, sizeof(*part->flat));
	part->n_flat = 0;
	for (size_t i = 0; i < tree->n_flat; i++)
		if (CINSTR_FLAT_PHASE(tree->flat[i]->parent) == phase)
			part->flat[part->n_flat++] = tree->flat[i];
}

int phase_thread(const struct data *data, const struct data_thread *thread, uint32_t phase,
		 struct data_thread *part)
{
	const struct data_tree whole = tree_of(thread);
	const struct data_tree *tree = thread->by_phase.nodes ? &thread->by_phase : &whole;
	uint32_t root;

	if (data->sampled) {
		struct phase bounds = phases_get(data, phase);

		return samples_part(data, thread, phase ? bounds.begin_ticks : 0, bounds.end_ticks, part);
	}
	root = phase ? root_of(tree, phase) : 0;
	*part = *thread;
	part->is_phase = 1;
	part->counted = counters_of_phase(data, thread, phase, &part->n_counted);
	if (thread->by_phase.nodes) /* whose nodes are all there */
		part->overheads = NULL;
	if (phase ? !root : !tree->nodes[0].cell->ticks && tree->n_nodes == 1) {
		free(part->counted);
		return 0;
	}
	if (!phase && thread->by_phase.nodes) {
		if (!join_phases(data, NULL, part, 0, 0))
			return 1;
		free(part->counted);
		return 0;
	}
	part_copy(tree, root, part);
	part_flat(tree, phase, part);
	return 1;
}

void phase_thread_release(struct data_thread *part)
{
	free(part->nodes);
	free(part->open);
	free(part->flat);
	free(part->cells);
	free(part->counted);
}
