/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * format_collapsed.c - collapsed stacks: a line for each call path that has a value, "main;f;g 12",
 * as flamegraph.pl, inferno, speedscope and many others read it. Two numbers, as difffolded.pl
 * writes them: of two sessions, or two measures of one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export_tree.h"
#include "lib/progress.h"

#define DIGITS 12 /* of a number, about, with the blank and the end of the line */
#define SIDES 2

/* Paths of both sessions, by name: their functions are different entities. */
struct sides {
	struct export_job *job;
	struct export_tree trees[SIDES];
	size_t n;
	unsigned n_numbers; /* in a line */
	/* of one tree's nodes: their path, and its length; the second's paths in the first's */
	struct map names;
	uint32_t *name_of[SIDES]; /* by entity: name + 1 */
};

/* ---- paths ----------------------------------------------------------------------------------- */

/* A path of either session. */
struct folded {
	uint32_t parent, name;
	uint64_t numbers[SIDES];
};

struct folded_tree {
	struct folded *list;
	size_t n;
	struct int_map numbers;
};

/* ; stands between names, and a line ends a path. */
static char *frame(const char *name)
{
	char *shown = util_visible(name);

	for (char *at = shown; *at; at++)
		if (*at == ';')
			*at = ':';
	return shown;
}

static uint32_t name_number(struct sides *sides, size_t side, uint32_t entity)
{
	uint32_t *number = &sides->name_of[side][entity];

	if (!*number) {
		FREED char *name = frame(sides->trees[side].profile.names->list[entity].name);
		int is_new;

		*number = (uint32_t)map_add(&sides->names, name, strlen(name), &is_new) + 1;
	}
	return *number - 1;
}

static void fold_side(struct sides *sides, size_t side, struct folded_tree *folded)
{
	const struct export_tree *tree = &sides->trees[side];
	uint32_t *at = xcalloc(tree->n, sizeof(*at));
	unsigned first = sides->n == SIDES ? (unsigned)side : 0;

	sides->name_of[side] = xcalloc(tree->profile.names->keys.n + 1, sizeof(**sides->name_of));
	for (size_t i = 1; i < tree->n; i++) {
		uint32_t parent = at[tree->nodes[i].parent];
		uint32_t name = name_number(sides, side, tree_item(tree, i)->entity);
		int is_new;

		at[i] = int_map_add(&folded->numbers, int_map_pair(parent, name), &is_new) + 1;
		if (is_new)
			folded->list[folded->n++] = (struct folded){ parent, name, { 0 } };
		for (unsigned k = 0; k < tree->n_values; k++)
			folded->list[at[i]].numbers[first + k] += tree_values(tree, i)[k];
	}
	free(at);
	free(sides->name_of[side]);
}

static void fold(struct sides *sides, struct folded_tree *folded)
{
	size_t most = 1;

	for (size_t i = 0; i < sides->n; i++)
		most += sides->trees[i].n;
	folded->list = xcalloc(most, sizeof(*folded->list));
	folded->n = 1;
	for (size_t i = 0; i < sides->n; i++)
		fold_side(sides, i, folded);
}

static int has_number(const struct folded *path)
{
	return path->numbers[0] || path->numbers[1];
}

/* The bytes of all lines, about. *n: lines */
static uint64_t size_of(const struct sides *sides, const struct folded_tree *folded, uint64_t *n)
{
	FREED uint64_t *lengths = xcalloc(folded->n, sizeof(*lengths));
	uint64_t sum = 0;

	*n = 0;
	for (size_t i = 1; i < folded->n; i++) {
		const struct folded *path = &folded->list[i];

		lengths[i] = lengths[path->parent] + (path->parent != 0) + sides->names.lengths[path->name];
		if (!has_number(path))
			continue;
		sum += lengths[i] + DIGITS * sides->n_numbers;
		++*n;
	}
	return sum;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The path, from its outer end: *line is emptied first. */
static void put_path(struct strbuf *line, const struct sides *sides, const struct folded_tree *folded,
		     uint32_t *stack, uint32_t path)
{
	size_t depth = 0;

	for (; path; path = folded->list[path].parent)
		stack[depth++] = folded->list[path].name;
	strbuf_clear(line);
	while (depth--) {
		strbuf_add(line, sides->names.keys[stack[depth]], sides->names.lengths[stack[depth]]);
		strbuf_add(line, ";", depth != 0);
	}
}

static void put_lines(struct sides *sides, const struct folded_tree *folded)
{
	struct sink *sink = &sides->job->sink;
	FREED uint32_t *stack = xcalloc(folded->n, sizeof(*stack));
	STRBUF(line);

	for (uint32_t i = 1; i < folded->n && !sink_failed(sink); i++) {
		const struct folded *path = &folded->list[i];

		if (!has_number(path))
			continue;
		put_path(&line, sides, folded, stack, i);
		sink_bytes(sink, line.text, line.length);
		for (unsigned k = 0; k < sides->n_numbers; k++) {
			sink_bytes(sink, " ", 1);
			sink_number(sink, path->numbers[k]);
		}
		sink_bytes(sink, "\n", 1);
		progress_at(i);
	}
}

static int write_sides(struct sides *sides)
{
	struct folded_tree folded = { 0 };
	STRBUF(what);
	uint64_t bytes, n;
	int status;

	sides->n_numbers = sides->n == SIDES ? SIDES : sides->trees[0].n_values;
	fold(sides, &folded);
	bytes = size_of(sides, &folded, &n);
	strbuf_thousands(&what, n);
	strbuf_printf(&what, " call path%s, %s", n == 1 ? "" : "s",
		      measure_infos[sides->trees[0].choice.measures.list[0]].name);
	if (sides->n == 1 && sides->n_numbers > 1)
		strbuf_printf(&what, " and %s", measure_infos[sides->trees[0].choice.measures.list[1]].name);
	if (export_begin(sides->job, bytes, what.text, &status)) {
		put_lines(sides, &folded);
		status = export_end(sides->job, what.text);
	}
	free(folded.list);
	int_map_release(&folded.numbers);
	map_release(&sides->names);
	return status;
}

static int write_collapsed(struct export_job *job)
{
	struct tree_choice choice = { 0 };
	struct sides sides = { .job = job };
	int status = STATUS_OK, wrong = 0;

	if (measures_choose(&choice.measures, job->options.measure, "elapsed,samples",
			    job->n_paths == SIDES ? 1 : SIDES))
		return STATUS_USAGE;
	while (sides.n < job->n_paths && wrong != STATUS_USAGE) {
		wrong = export_tree_read(&sides.trees[sides.n], job, sides.n, &choice);
		status = wrong ? wrong : status;
		sides.n++;
	}
	if (wrong != STATUS_USAGE && sides.trees[0].n && (sides.n == 1 || sides.trees[1].n)) {
		wrong = write_sides(&sides);
		status = wrong ? wrong : status;
	}
	for (size_t i = 0; i < sides.n; i++)
		export_tree_release(&sides.trees[i]);
	return status;
}

const struct export_format export_collapsed = {
	.name = "collapsed",
	.extension = ".folded",
	.needs = EXPORT_ANY,
	.takes_counts = 1,
	.takes_two = 1,
	.most = 500000000,
	.write = write_collapsed,
};
