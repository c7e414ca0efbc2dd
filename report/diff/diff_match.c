/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diff_match.c - which rows of two runs are the same thing (diff.h).
 *
 *      function  full name and module; of several, the one whose file has most of its last folders
 *                in common
 *      line      its function and the number of lines after its first one, so that a function may
 *                move
 *      site      caller, callee, and which of its calls in order of lines
 *      path      the functions on it
 *      address   its function, and which of its instructions that call this function it is (of
 *                samples: the offset in it). In the same build of a module that is one instruction;
 *                in another one it is a guess, which is counted
 *
 * A function of which each run has one variant is joined with those of the others (base_names.h).
 *
 * A module is known by its base name up to .so, so that versions of a library compare; the program
 * itself may have another name. A function that is the only one of its name on both sides may have
 * moved to another file.
 */
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "lib/array.h"

#define TAIL_MAX 16   /* folders that are compared */
#define GROUP_SCAN 64 /* functions of one name that are looked at */

/* A run being matched. */
struct match {
	struct diff *diff;
	size_t run;
	const struct profile *profile;
	const char *exe;
	struct map seen; /* exact keys of this run -> how often */
	uint32_t *times;
	size_t size_times;
	struct map firsts; /* BY_LINE: function -> its first line */
	uint32_t *first_lines;
	size_t size_firsts;
	uint32_t *rows;	   /* of each row of the profile */
	uint32_t *groups;  /* likewise */
	size_t *exacts;	   /* likewise, in diff->exact */
	uint32_t *waiting; /* rows of the profile that have no exact counterpart */
	size_t n_waiting;
};

/* A number of the map's in an array that grows with it. */
static uint32_t *slot(uint32_t **list, size_t *size, size_t number, int is_new)
{
	ARRAY_REACH(*list, number, *size);
	if (is_new)
		(*list)[number] = 0;
	return &(*list)[number];
}

/* ---- what a row is --------------------------------------------------------------------------- */

static void put_module(struct strbuf *text, const struct match *match, const char *module)
{
	const char *base = module ? util_basename(module) : "", *so = strstr(base, ".so");

	if (module && match->exe && !strcmp(module, match->exe))
		strbuf_puts(text, "*");
	else
		strbuf_printf(text, "%.*s", so ? (int)(so - base) : (int)strlen(base), base);
}

/* Views whose rows may be joined by base names: in the others, rows are parts of functions. */
static int has_base_names(const struct match *match, const struct row *row)
{
	return row->name && (match->diff->by == BY_FUNCTION || match->diff->by == BY_PATH);
}

/* The name of the row's function by which the runs before know it; NULL: by its own. */
static const char *other_name(const struct match *match, const struct row *row)
{
	STRBUF(module);
	FREED char *full = names_full(row->name ? row->name : "", row->file);

	put_module(&module, match, row->module);
	return has_base_names(match, row) ? base_names_other(&match->diff->bases, module.text, full) : NULL;
}

static void add_base_name(const struct match *match, const struct row *row)
{
	STRBUF(module);
	FREED char *full = NULL;

	if (!has_base_names(match, row))
		return;
	full = names_full(row->name, row->file);
	put_module(&module, match, row->module);
	base_names_add(&match->diff->bases, &match->diff->strings, match->run + 1, module.text, full);
}

static void put_function(struct strbuf *text, const char *assembler_name, const char *file)
{
	FREED char *full = names_full(assembler_name ? assembler_name : "", file);

	strbuf_puts(text, full);
}

/* BY_LINE: the function a line belongs to, within a run. */
static void put_line_function(struct strbuf *text, const struct row *row)
{
	strbuf_printf(text, "%s\n%s\n%s", row->module ? row->module : "", row->file ? row->file : "",
		      row->function ? row->function : "");
}

static uint32_t *first_line(struct match *match, const struct row *row)
{
	STRBUF(key);
	int is_new;
	size_t number;
	uint32_t *line;

	put_line_function(&key, row);
	number = map_add(&match->firsts, key.text, key.length, &is_new);
	line = slot(&match->first_lines, &match->size_firsts, number, is_new);
	if (is_new || row->line < *line)
		*line = row->line;
	return line;
}

/* What it may be the same as. */
static void put_group(struct strbuf *text, struct match *match, uint32_t number)
{
	const struct row *row = &match->profile->rows[number];
	const char *other;

	if (match->diff->by == BY_PATH)
		strbuf_printf(text, "%u\n", row->parent == UINT32_MAX ? DIFF_NONE : match->rows[row->parent]);
	put_module(text, match, row->module);
	if (match->diff->by == BY_MODULE)
		return;
	strbuf_puts(text, "\n");
	if (match->diff->by == BY_ADDRESS) {
		put_function(text, row->function, NULL);
		strbuf_printf(text, "\n%s", row->which ? row->which : "");
		return;
	}
	if (match->diff->by == BY_LINE && row->file)
		strbuf_printf(text, "%s\n%u", row->function ? row->function : "",
			      row->line - *first_line(match, row));
	else if ((other = other_name(match, row)))
		strbuf_puts(text, other);
	else
		put_function(text, row->name, row->file);
	if (row->callee) {
		strbuf_puts(text, "\n");
		put_function(text, row->callee, NULL);
	}
}

static const char *file_of(const struct match *match, const struct row *row)
{
	if (match->diff->by == BY_PATH || match->diff->by == BY_MODULE)
		return "";
	return row->file ? row->file : "";
}

/* ---- rows of the diff ------------------------------------------------------------------------ */

static uint32_t group_of(struct match *match, const struct strbuf *key)
{
	struct diff *diff = match->diff;
	int is_new;
	size_t number = map_add(&diff->groups, key->text, key->length, &is_new);
	struct diff_group *group;

	ARRAY_REACH(diff->group_list, number, diff->size_groups);
	group = &diff->group_list[number];
	if (is_new)
		*group = (struct diff_group){ .first = DIFF_NONE, .run = SIZE_MAX };
	if (group->run != match->run)
		group->in_run = 0;
	group->run = match->run;
	group->in_run++;
	return (uint32_t)number;
}

/* The exact key's number; *is_new: no run had it so far. */
static size_t exact_of(struct match *match, struct strbuf *key, const char *file, int *is_new)
{
	uint32_t *times;
	size_t number;
	int is_first;

	strbuf_printf(key, "\n%s", file);
	number = map_add(&match->seen, key->text, key->length, &is_first);
	times = slot(&match->times, &match->size_times, number, is_first);
	strbuf_printf(key, "\n%u", (*times)++);
	return map_add(&match->diff->exact, key->text, key->length, is_new);
}

static const char *kept_base(struct diff *diff, const char *name)
{
	STRBUF(text);

	base_name_put(&text, name);
	return map_keep(&diff->strings, text.text);
}

static void take(struct match *match, uint32_t from, uint32_t row)
{
	struct diff *diff = match->diff;
	const struct row *source = &match->profile->rows[from];
	struct diff_row *to = &diff->rows[row];

	/* The name is NULL while no run has it. */
	if (source->which && to->name &&
	    (!source->build || !to->build || strcmp(source->build, to->build) != 0))
		to->is_guessed = 1;
	to->build = source->build ? map_keep(&diff->strings, source->build) : NULL;
	*slot(&diff->row_of_exact, &diff->size_exact, match->exacts[from], 0) = row;
	match->rows[from] = row;
	diff_cell(diff, row, match->run)->is_there = 1;
	/* As the last run has it. */
	to->is_variant |= other_name(match, source) != NULL;
	if (to->is_variant)
		to->name = kept_base(diff, source->name);
	else
		to->name = map_keep(&diff->strings, source->name ? source->name : "");
	to->module = source->module ? map_keep(&diff->strings, source->module) : NULL;
	to->file = source->file ? map_keep(&diff->strings, source->file) : NULL;
	to->callee = source->callee ? map_keep(&diff->strings, source->callee) : NULL;
	to->function = source->function ? map_keep(&diff->strings, source->function) : NULL;
	to->line = source->line;
	if (diff->by == BY_PATH && source->parent != UINT32_MAX)
		to->parent = match->rows[source->parent];
}

static void take_new(struct match *match, uint32_t from)
{
	struct diff_group *group = &match->diff->group_list[match->groups[from]];
	uint32_t row = diff_row_new(match->diff);

	match->diff->rows[row].next_in_group = group->first;
	group->first = row;
	take(match, from, row);
}

/* ---- files that moved ------------------------------------------------------------------------ */

/* How many last parts two paths have in common. */
static unsigned common_tail(const char *a, const char *b)
{
	size_t i = strlen(a), k = strlen(b);
	unsigned parts = 0;

	if (!i || !k)
		return i == k;
	for (;;) {
		while (i && k && a[i - 1] == b[k - 1] && a[i - 1] != '/') {
			i--;
			k--;
		}
		if ((i && a[i - 1] != '/') || (k && b[k - 1] != '/'))
			return parts;
		if (++parts == TAIL_MAX || !i || !k)
			return parts;
		i--;
		k--;
	}
}

/* The row of the group that has not been found in this run and has at least `least` in common;
 * DIFF_NONE. */
static uint32_t best_of_group(const struct match *match, uint32_t from, unsigned least)
{
	const struct diff *diff = match->diff;
	const struct diff_group *group = &diff->group_list[match->groups[from]];
	const char *file = file_of(match, &match->profile->rows[from]);
	uint32_t best = DIFF_NONE, scanned = 0;

	if (group->in_run == 1 && group->first != DIFF_NONE &&
	    diff->rows[group->first].next_in_group == DIFF_NONE)
		return diff_cell(diff, group->first, match->run)->is_there ? DIFF_NONE : group->first;
	for (uint32_t i = group->first; i != DIFF_NONE && scanned++ < GROUP_SCAN;
	     i = diff->rows[i].next_in_group) {
		const char *other = diff->rows[i].file ? diff->rows[i].file : "";
		unsigned common = common_tail(file, other);

		if (!diff_cell(diff, i, match->run)->is_there && common >= least) {
			least = common;
			best = i;
		}
	}
	return best;
}

/* Those whose files have most in common come first. */
static void match_waiting(struct match *match)
{
	for (unsigned least = TAIL_MAX; least; least--)
		for (size_t i = 0; i < match->n_waiting; i++) {
			uint32_t from = match->waiting[i], row;

			if (match->rows[from] != DIFF_NONE)
				continue;
			row = best_of_group(match, from, least);
			if (row != DIFF_NONE)
				take(match, from, row);
		}
	for (size_t i = 0; i < match->n_waiting; i++)
		if (match->rows[match->waiting[i]] == DIFF_NONE)
			take_new(match, match->waiting[i]);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static int is_empty(const struct row *row)
{
	return !row->name || (!row->calls && !row->entries && row->sums.elapsed_inclusive <= 0);
}

/* In order of lines and addresses; paths as they are, callers first. */
static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct match *match = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct row *r = &match->profile->rows[x], *s = &match->profile->rows[y];
	unsigned long long at = r->address ? strtoull(r->address, NULL, 16) : 0;
	unsigned long long other = s->address ? strtoull(s->address, NULL, 16) : 0;

	if (match->diff->by != BY_PATH && r->line != s->line)
		return r->line < s->line ? -1 : 1;
	if (match->diff->by != BY_PATH && at != other)
		return at < other ? -1 : 1;
	return (x > y) - (x < y);
}

static void match_row(struct match *match, uint32_t number)
{
	const struct row *row = &match->profile->rows[number];
	STRBUF(key);
	uint32_t found;
	int is_new;

	put_group(&key, match, number);
	match->groups[number] = group_of(match, &key);
	match->exacts[number] = exact_of(match, &key, file_of(match, row), &is_new);
	found = is_new ? DIFF_NONE : match->diff->row_of_exact[match->exacts[number]];
	if (is_new)
		*slot(&match->diff->row_of_exact, &match->diff->size_exact, match->exacts[number], 0) =
			DIFF_NONE;
	if (found != DIFF_NONE && !diff_cell(match->diff, found, match->run)->is_there)
		take(match, number, found);
	else if (match->diff->by == BY_PATH)
		take_new(match, number); /* its children need it */
	else
		match->waiting[match->n_waiting++] = number;
}

uint32_t *diff_match(struct diff *diff, size_t run, const struct profile *profile, const char *exe)
{
	struct match match = { .diff = diff, .run = run, .profile = profile, .exe = exe };
	uint32_t *order = xcalloc(profile->n_rows, sizeof(*order));
	size_t n = 0;

	match.rows = xcalloc(profile->n_rows, sizeof(*match.rows));
	match.groups = xcalloc(profile->n_rows, sizeof(*match.groups));
	match.exacts = xcalloc(profile->n_rows, sizeof(*match.exacts));
	match.waiting = xcalloc(profile->n_rows, sizeof(*match.waiting));
	for (uint32_t i = 0; i < profile->n_rows; i++) {
		match.rows[i] = DIFF_NONE;
		if (is_empty(&profile->rows[i]))
			continue;
		order[n++] = i;
		add_base_name(&match, &profile->rows[i]);
		if (diff->by == BY_LINE)
			first_line(&match, &profile->rows[i]);
	}
	util_sort(order, n, sizeof(*order), compare_rows, &match);
	for (size_t i = 0; i < n; i++)
		match_row(&match, order[i]);
	match_waiting(&match);
	base_names_end_run(&diff->bases);
	free(order);
	free(match.groups);
	free(match.exacts);
	free(match.waiting);
	free(match.times);
	free(match.first_lines);
	map_release(&match.seen);
	map_release(&match.firsts);
	if (diff->matched)
		diff->matched(diff->matched_arg, run, profile, match.rows);
	return match.rows;
}
