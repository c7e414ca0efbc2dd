/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree_rows.c - see tree_rows.h. No recursion: a path can be as long as a stack is deep. */
#include "tree_rows.h"

#include <stdlib.h>
#include <string.h>

void tree_rows_init(struct tree_rows *tree, struct profile *profile)
{
	*tree = (struct tree_rows){ .profile = profile, .most = TREE_ROWS };
}

static void more_release(struct tree_rows *tree)
{
	for (size_t i = 0; i < tree->n_more; i++)
		free((char *)tree->more[i].name);
	free(tree->more);
	free(tree->more_of);
	tree->more = NULL;
	tree->more_of = NULL;
	tree->n_more = 0;
}

void tree_rows_release(struct tree_rows *tree)
{
	more_release(tree);
	free(tree->open);
	free(tree->kept);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Paths without a row below one that has a row. */
struct others {
	uint32_t n;
	double time;
};

static int is_other(const struct paths *paths, size_t path)
{
	const struct path *p = &paths->list[path];

	return paths->row_of[path] == PATH_NONE && paths->row_of[p->parent] != PATH_NONE &&
	       (p->calls || p->elapsed_inclusive > 0);
}

static void more_make(struct tree_rows *tree, const struct row *above, const struct others *others)
{
	const struct profile *profile = tree->profile;
	struct strbuf name = { 0 };
	double share = profile->totals.elapsed > 0
			       ? (double)(100 * (long double)others->time / profile->totals.elapsed)
			       : 0;

	strbuf_puts(&name, "[");
	output_plural(&name, others->n, "more path", "s");
	strbuf_printf(&name, share < 0.01 ? ", under 0.01 %%: Enter]" : ", %.2f %%: Enter]", share);
	tree->more[tree->n_more] = (struct row){ .name = name.text,
						 .path = above->path,
						 .depth = above->depth + 1,
						 .entity = NAMES_NONE,
						 .about = NAMES_NONE,
						 .is_unmeasured = 1 };
	tree->more_of[above - profile->rows] = (uint32_t)tree->n_more++;
}

static void more_find(struct tree_rows *tree)
{
	const struct profile *profile = tree->profile;
	const struct paths *paths = &profile->paths;
	struct others *others = xcalloc(profile->n_rows, sizeof(*others));
	size_t n = 0;

	for (size_t i = 1; i < paths->n; i++) {
		struct others *of = &others[is_other(paths, i) ? paths->row_of[paths->list[i].parent] : 0];

		if (!is_other(paths, i))
			continue;
		n += !of->n++;
		of->time += paths->list[i].elapsed_inclusive;
	}
	tree->more = xcalloc(n + 1, sizeof(*tree->more));
	tree->more_of = xcalloc(profile->n_rows, sizeof(*tree->more_of));
	for (size_t i = 0; i < profile->n_rows; i++) {
		tree->more_of[i] = ROW_NONE;
		if (others[i].n)
			more_make(tree, &profile->rows[i], &others[i]);
	}
	free(others);
}

/* Sources of functions; names of the same look told apart. */
static void look_up(struct tree_rows *tree, struct ui_session *session)
{
	struct view all = *session->view;

	all.profile = tree->profile;
	all.rows = xcalloc(tree->profile->n_rows, sizeof(*all.rows));
	for (size_t i = 1; i < tree->profile->n_rows; i++)
		all.rows[all.n_rows++] = &tree->profile->rows[i];
	view_resolve(&all, tree->profile);
	free(all.rows);
}

void tree_read(struct tree_rows *tree, struct ui_session *session)
{
	struct profile *profile = tree->profile;
	struct paths_choice choice = { .depth = UINT64_MAX,
				       .min_percent = paths_least_percent(profile, tree->most),
				       .fold_percent = PATHS_FOLD_PERCENT,
				       .kept = tree->kept };

	more_release(tree);
	if (!tree->open) {
		tree->open = xcalloc(profile->paths.n + 1, 1);
		tree->kept = xcalloc(profile->paths.n + 1, 1);
		choice.kept = tree->kept;
	}
	view_read_paths(session->view, profile, &choice);
	selection_rows(&session->options->selection, profile);
	look_up(tree, session);
	more_find(tree);
}

/* ---- what is below --------------------------------------------------------------------------- */

int tree_is_more(const struct tree_rows *tree, const struct row *row)
{
	return row >= tree->more && row < tree->more + tree->n_more;
}

static const struct row *more_below(const struct tree_rows *tree, const struct row *row)
{
	uint32_t number = tree->more_of[row - tree->profile->rows];

	return number == ROW_NONE ? NULL : &tree->more[number];
}

int tree_has_below(const struct tree_rows *tree, const struct row *row)
{
	return !tree_is_more(tree, row) && (row->child != ROW_NONE || more_below(tree, row));
}

int tree_has_hot_below(const struct tree_rows *tree, const struct row *row)
{
	for (uint32_t i = row->child; i != ROW_NONE; i = tree->profile->rows[i].sibling)
		if (tree->profile->rows[i].is_hot)
			return 1;
	return 0;
}

/* What a row called, on the stack so that the first comes off first; behind them the line that
 * tells of others. */
static size_t push_below(const struct tree_rows *tree, const struct row **stack, size_t n,
			 const struct row *row, const struct order *order)
{
	const struct profile *profile = tree->profile;
	const struct row *more = more_below(tree, row);
	size_t first;

	if (more)
		stack[n++] = more;
	first = n;
	for (uint32_t i = row->child; i != ROW_NONE; i = profile->rows[i].sibling)
		if (!profile->rows[i].filtered)
			stack[n++] = &profile->rows[i];
	order_rows(profile, stack + first, n - first, order);
	for (size_t a = first, b = n; a + 1 < b; a++) {
		const struct row *swapped = stack[a];

		stack[a] = stack[--b];
		stack[b] = swapped;
	}
	return n;
}

size_t tree_list(const struct tree_rows *tree, uint32_t parent, const struct order *order,
		 const struct row **list)
{
	const struct profile *profile = tree->profile;
	FREED const struct row **stack = xcalloc(profile->n_rows + tree->n_more + 1, sizeof(*stack));
	size_t n = push_below(tree, stack, 0, &profile->rows[parent], order), n_list = 0;

	while (n) {
		const struct row *row = stack[--n];

		list[n_list++] = row;
		if (!tree_is_more(tree, row) && tree->open[row->path])
			n = push_below(tree, stack, n, row, order);
	}
	return n_list;
}

/* Parents have lower numbers. */
void tree_open_below(struct tree_rows *tree, const struct row *row)
{
	const struct profile *profile = tree->profile;
	FREED uint8_t *is_below = xcalloc(profile->n_rows, 1);
	size_t first = (size_t)(row - profile->rows);

	is_below[first] = 1;
	for (size_t i = first; i < profile->n_rows; i++) {
		const struct row *at = &profile->rows[i];

		is_below[i] |= i > first && at->parent != ROW_NONE && is_below[at->parent];
		if (is_below[i] && at->child != ROW_NONE)
			tree->open[at->path] = 1;
	}
}

void tree_open_above(struct tree_rows *tree, const struct row *row)
{
	for (uint32_t i = row->parent; i != ROW_NONE && i; i = tree->profile->rows[i].parent)
		tree->open[tree->profile->rows[i].path] = 1;
}

/* ---- searching ------------------------------------------------------------------------------- */

enum { LEADS_TO = 1, MATCHES = 2 };

/* By row: whether it matches, whether it leads to one that does, or to `at`. Returns how many
 * match. */
static size_t mark_matches(const struct tree_rows *tree, const char *text, uint32_t at, uint8_t *marks)
{
	const struct profile *profile = tree->profile;
	size_t n = 0;

	for (size_t i = profile->n_rows; i-- > 1;) {
		const struct row *row = &profile->rows[i];

		if (page_text_matches(row->name, text) && !row->filtered) {
			marks[i] |= MATCHES;
			n++;
		}
		if (marks[i] || i == at)
			marks[row->parent] |= LEADS_TO;
	}
	return n;
}

/* All matches in order, and where among them `at` is: matches[*before] is the first one behind
 * it. */
static size_t list_matches(const struct tree_rows *tree, const uint8_t *marks, const struct row *at,
			   const struct order *order, const struct row **matches, size_t *before)
{
	const struct profile *profile = tree->profile;
	FREED const struct row **stack = xcalloc(profile->n_rows + tree->n_more + 1, sizeof(*stack));
	size_t n = push_below(tree, stack, 0, profile->rows, order), found = 0;

	*before = 0;
	while (n) {
		const struct row *row = stack[--n];
		uint8_t mark = tree_is_more(tree, row) ? 0 : marks[row - profile->rows];

		if (mark & MATCHES && row != at)
			matches[found++] = row;
		if (row == at)
			*before = found;
		if (mark & LEADS_TO)
			n = push_below(tree, stack, n, row, order);
	}
	return found;
}

const struct row *tree_find(const struct tree_rows *tree, const char *text, const struct row *at,
			    int direction, const struct order *order)
{
	const struct profile *profile = tree->profile;
	int is_row = at && !tree_is_more(tree, at);
	uint32_t number = is_row ? (uint32_t)(at - profile->rows) : 0;
	FREED uint8_t *marks = xcalloc(profile->n_rows + 1, 1);
	size_t n = mark_matches(tree, text, number, marks), before;
	FREED const struct row **matches = xcalloc(n + 1, sizeof(*matches));
	const struct row *found = NULL;
	int is_match = is_row && marks[number] & MATCHES;

	n = list_matches(tree, marks, at, order, matches, &before);
	if (n)
		found = matches[direction > 0 ? before % n : (before + n - 1) % n];
	else if (is_match)
		found = at;
	return found;
}

void tree_keep_below(struct tree_rows *tree, uint32_t path)
{
	const struct paths *paths = &tree->profile->paths;

	for (size_t i = 1; i < paths->n; i++)
		if (paths->list[i].parent == path)
			tree->kept[i] = 1;
	for (uint32_t i = path; i; i = paths->list[i].parent)
		tree->kept[i] = 1;
	tree->open[path] = 1;
}

int tree_keep_match(struct tree_rows *tree, const char *text)
{
	const struct profile *profile = tree->profile;
	const struct paths *paths = &profile->paths;

	for (uint32_t i = 1; i < paths->n; i++) {
		if (paths->row_of[i] != PATH_NONE || !paths->list[i].calls ||
		    !page_text_matches(profile->names->list[paths->list[i].entity].name, text))
			continue;
		for (uint32_t k = i; k; k = paths->list[k].parent)
			tree->kept[k] = 1;
		return 1;
	}
	return 0;
}

/* ---- read again ------------------------------------------------------------------------------ */

/* FNV-1a, in words. */
static uint64_t mixed(uint64_t hash, uint64_t word)
{
	return (hash ^ word) * 0x100000001b3u;
}

static uint64_t *hash_entities(const struct names *names)
{
	uint64_t *hashes = xcalloc(names->keys.n + 1, sizeof(*hashes));

	for (size_t i = 0; i < names->keys.n; i++) {
		hashes[i] = 0xcbf29ce484222325u;
		for (size_t k = 0; k < names->keys.lengths[i]; k++)
			hashes[i] = mixed(hashes[i], (unsigned char)names->keys.keys[i][k]);
	}
	return hashes;
}

uint64_t *tree_path_names(const struct profile *profile)
{
	const struct paths *paths = &profile->paths;
	FREED uint64_t *entities = hash_entities(profile->names);
	uint64_t *names = xcalloc(paths->n + 1, sizeof(*names));

	names[0] = 1;
	for (size_t i = 1; i < paths->n; i++) {
		uint32_t entity = paths->list[i].entity;

		names[i] = mixed(names[paths->list[i].parent],
				 entity < profile->names->keys.n ? entities[entity] : entity);
	}
	return names;
}
