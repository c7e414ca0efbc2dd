/* SPDX-License-Identifier: MIT */
/*
 * segment_sums.c - computes what each counter of a module adds to its thread's sum of executed
 * instructions (CINSTR_NOTE_SEGMENTS_SUM), so that the sum is right wherever an event may come.
 *
 * A node of a function's flow graph has a height, and the sum lacks as many of the executed
 * instructions as the height of the thread's present node. A segment without a counter leads up by
 * its instructions; a counter adds its segment's instructions and what its segment leads down. The
 * entry, the exit, and the node after a call (segments.cc of the plugin makes it the exit) have
 * height 0.
 *
 * Called by segments.c when a module comes, before its sleds are switched, under the lock of
 * patch.c.
 */
#include "runtime.h"
#include "tables.h"

#include "arch/instruction.h"

/* A union of nodes is a tree: who is above a node, and how much higher the node is. */
struct node {
	uint32_t above, size;
	int64_t height;
};

struct adding {
	const struct module *module;
	int32_t *sums; /* of the module's counters */
	uint32_t n, max;
	struct node *nodes;
	uint32_t max_nodes;
	int64_t *counts; /* of a function's segments */
	uint32_t flags;	 /* enum cinstr_call_sums_flag */
};

static uint32_t top_of(const struct node *nodes, uint32_t node, int64_t *height)
{
	*height = 0;
	while (nodes[node].above != node) {
		*height += nodes[node].height;
		node = nodes[node].above;
	}
	return node;
}

/* `to` is so much higher than `from`. */
static void join(struct node *nodes, uint32_t from, uint32_t to, int64_t higher)
{
	int64_t height_from, height_to;
	uint32_t a = top_of(nodes, from, &height_from), b = top_of(nodes, to, &height_to);
	int64_t b_higher = height_from + higher - height_to;

	if (a == b)
		return;
	if (nodes[a].size < nodes[b].size) {
		uint32_t swap = a;

		a = b;
		b = swap;
		b_higher = -b_higher;
	}
	nodes[b].above = a;
	nodes[b].height = b_higher;
	nodes[a].size += nodes[b].size;
}

/* Instructions of the segment, without its counter's; -1: some are not known. */
static int64_t count(struct adding *adding, const struct cinstr_abi_segment *segment)
{
	const uint8_t *at = (const uint8_t *)table_target(adding->module, &segment->start);
	const uint8_t *end = (const uint8_t *)table_target(adding->module, &segment->end);
	const uint8_t *counter = end, *behind = end;
	int was_jump = 0;
	int64_t n = 0;

	if (segment->counter) {
		counter = (const uint8_t *)table_target(adding->module, &segment->counter);
		behind = counter + CINSTR_COUNT_SUM_BYTES + CINSTR_SEGMENT_BEHIND(segment->to);
		counter -= CINSTR_SEGMENT_BEFORE(segment->to);
	}
	while (at < end) {
		struct instruction is;

		if (at == counter) {
			at = behind;
			continue;
		}
		if (instruction_read(at, (size_t)((at < counter ? counter : end) - at), 0, &is))
			return -1;
		if (!is.is_nop) {
			n++;
			if (was_jump)
				adding->flags |= CINSTR_CALL_SUMS_ROUGH;
			was_jump = is.kind != INSTRUCTION_NEXT;
		}
		at += is.length;
	}
	return n;
}

static int node_is_known(const struct adding *adding, uint32_t node)
{
	return node < adding->max_nodes;
}

static int make_nodes(struct adding *adding, const struct cinstr_abi_segments *function)
{
	const struct cinstr_abi_segment *list = (const void *)(function + 1);
	uint32_t n = 2 * function->n_segments + 2;

	if (n > adding->max_nodes || function->entry >= n || function->exit >= n)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		adding->nodes[i] = (struct node){ .above = i, .size = 1 };
	join(adding->nodes, function->exit, function->entry, 0);
	for (uint32_t i = 0; i < function->n_segments; i++) {
		int64_t instructions = count(adding, &list[i]);

		adding->counts[i] = instructions;
		if (instructions < 0 || !node_is_known(adding, CINSTR_SEGMENT_NODE(list[i].from)) ||
		    !node_is_known(adding, CINSTR_SEGMENT_NODE(list[i].to)))
			return -1;
		if (!list[i].counter)
			join(adding->nodes, CINSTR_SEGMENT_NODE(list[i].from),
			     CINSTR_SEGMENT_NODE(list[i].to), instructions);
	}
	return 0;
}

static void add_function(struct adding *adding, const struct cinstr_abi_segments *function)
{
	const struct cinstr_abi_segment *list = (const void *)(function + 1);
	int failed = make_nodes(adding, function);

	if (failed)
		adding->flags |= CINSTR_CALL_SUMS_UNKNOWN;
	for (uint32_t i = 0; i < function->n_segments; i++) {
		int64_t from, to, sum;

		if (!list[i].counter || adding->n == adding->max)
			continue;
		if (!failed) {
			top_of(adding->nodes, CINSTR_SEGMENT_NODE(list[i].from), &from);
			top_of(adding->nodes, CINSTR_SEGMENT_NODE(list[i].to), &to);
			sum = adding->counts[i] + from - to;
			if (sum != (int32_t)sum)
				adding->flags |= CINSTR_CALL_SUMS_UNKNOWN;
			adding->sums[adding->n] = (int32_t)sum;
		}
		adding->n++;
	}
}

static void each_function(struct adding *adding,
			  void (*visit)(struct adding *, const struct cinstr_abi_segments *))
{
	const char *at = adding->module->notes, *end = at + adding->module->notes_bytes;
	struct note note;

	while (at < end) {
		if (!note_read(at, end, 4, &note)) {
			at += 4;
			continue;
		}
		at = note.end;
		if (note.type == CINSTR_NOTE_SEGMENTS_SUM)
			visit(adding, (const void *)note.descriptor);
		else if (note.type == CINSTR_NOTE_SEGMENTS)
			adding->flags |= CINSTR_CALL_SUMS_UNKNOWN;
	}
}

static void look(struct adding *adding, const struct cinstr_abi_segments *function)
{
	const struct cinstr_abi_segment *list = (const void *)(function + 1);

	for (uint32_t i = 0; i < function->n_segments; i++)
		adding->max += list[i].counter != 0;
	if (2 * function->n_segments + 2 > adding->max_nodes)
		adding->max_nodes = 2 * function->n_segments + 2;
}

int32_t *segment_sums_make(const struct module *module, uint32_t *n, uint32_t *flags)
{
	struct adding adding = { .module = module };
	size_t bytes;

	each_function(&adding, look);
	*n = adding.max;
	*flags = adding.flags;
	if (!adding.max)
		return NULL;
	bytes = adding.max_nodes * (sizeof(*adding.nodes) + sizeof(*adding.counts));
	adding.nodes = sys_memory(bytes);
	if (sys_failed(adding.nodes))
		return NULL;
	adding.counts = (int64_t *)(void *)(adding.nodes + adding.max_nodes);
	adding.sums = sys_memory(adding.max * sizeof(*adding.sums));
	if (sys_failed(adding.sums))
		adding.sums = NULL;
	else
		each_function(&adding, add_function);
	sys_munmap(adding.nodes, bytes);
	*flags = adding.flags;
	return adding.sums;
}
