/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call_paths.c - see call_paths.h. No recursion: a path can be as long as a stack is deep. */
#include "call_paths.h"

#include <stdlib.h>
#include <string.h>

#include "hot_path.h"
#include "lib/array.h"
#include "lib/order.h"
#include "names/thread_names.h"
#include "profile.h"

/* Of a folded line so many names are told, from its begin and its end. */
#define HEAD_SHOWN 4
#define TAIL_SHOWN 3

/* ---- numbers --------------------------------------------------------------------------------- */

static uint32_t path_new(struct paths *paths, uint32_t parent, uint32_t entity)
{
	uint32_t number = (uint32_t)paths->n;

	if (paths->n == paths->size) {
		paths->size = paths->size ? paths->size + paths->size / 2 : 256;
		paths->list = xrealloc(paths->list, paths->size, sizeof(*paths->list));
	}
	paths->list[paths->n++] = (struct path){ .parent = parent, .entity = entity };
	return number;
}

/* The path of a call of `entity` on the path `parent`. Once everything has been read no path is
 * added: PATH_NONE. */
static uint32_t path_number(struct paths *paths, uint32_t parent, uint32_t entity)
{
	uint64_t key = int_map_pair(parent, entity);
	uint32_t number;
	int is_new;

	if (paths->row_of) {
		number = int_map_find(&paths->numbers, key);
		return number == INT_MAP_NONE ? PATH_NONE : number + 1;
	}
	number = int_map_add(&paths->numbers, key, &is_new);
	return is_new ? path_new(paths, parent, entity) : number + 1;
}

static int is_root(struct paths *paths, const struct names *names, uint32_t entity)
{
	ARRAY_REACH_ZEROED(paths->is_root, entity, paths->n_is_root);
	if (!paths->is_root[entity])
		paths->is_root[entity] = names_matches(&names->list[entity], paths->root) ? 2 : 1;
	return paths->is_root[entity] == 2;
}

/* The path that all of the thread's are below. */
static uint32_t path_of_thread(const struct addition *a)
{
	struct profile *profile = a->profile;
	STRBUF(text);
	char *name;
	uint32_t entity;

	if (profile->paths.by == PATHS_BY_NOTHING)
		return 0;
	name = thread_shown_name(profile->names, a->data, a->thread);
	if (!*name) {
		free(name);
		name = xstrdup(process_name_of(profile, a->data));
	}
	if (profile->paths.by == PATHS_BY_THREAD)
		thread_head_put(&profile->thread_heads, &text, a->data, a->thread, name);
	else
		strbuf_printf(&text, "[threads %s]", name);
	entity = names_made_up(profile->names, text.text);
	free(name);
	return path_number(&profile->paths, 0, entity);
}

/* The path of each node of the thread. A source line is on its function's path, and so is what has
 * no name on its parent's. */
static uint32_t *paths_of_thread(const struct addition *a)
{
	struct paths *paths = &a->profile->paths;
	uint32_t *path_of = xcalloc(a->thread->n_nodes, sizeof(*path_of));
	FREED uint32_t *entities = names_of_thread(a->profile->names, a->data, a->thread);

	if (!paths->n)
		path_new(paths, 0, PATH_NONE);
	path_of[0] = paths->root ? PATH_NONE : path_of_thread(a);
	for (size_t i = 1; i < a->thread->n_nodes; i++) {
		uint32_t parent = path_of[a->thread->nodes[i].parent];

		if (entities[i] == NAMES_NONE || addition_is_line(a, i))
			path_of[i] = parent;
		else if (parent != PATH_NONE)
			path_of[i] = path_number(paths, parent, entities[i]);
		else if (paths->root && is_root(paths, a->profile->names, entities[i]))
			path_of[i] = path_number(paths, 0, entities[i]);
		else
			path_of[i] = PATH_NONE;
	}
	return path_of;
}

/* ---- first reading --------------------------------------------------------------------------- */

/* Whether a node's time is in its parent's inclusive time of the same path. */
static int is_inside(const struct addition *a, const uint32_t *path_of, size_t node)
{
	return node && path_of[a->thread->nodes[node].parent] == path_of[node];
}

static void sums_add(const struct addition *a, const uint32_t *path_of)
{
	for (size_t i = 0; i < a->thread->n_nodes; i++) {
		const struct node_values *values;
		struct path *path;

		if (path_of[i] == PATH_NONE)
			continue;
		values = values_at(a->values, i);
		path = &a->profile->paths.list[path_of[i]];
		path->elapsed_exclusive += (double)((long double)values->exclusive.elapsed * a->ns_per_tick);
		path->application_exclusive +=
			(double)((long double)values->exclusive.application * a->ns_per_tick);
		if (is_inside(a, path_of, i))
			continue;
		path->elapsed_inclusive += (double)((long double)values->inclusive.elapsed * a->ns_per_tick);
		path->application_inclusive +=
			(double)((long double)values->inclusive.application * a->ns_per_tick);
		path->off_cpu += (double)((long double)values->inclusive.off_cpu * a->ns_per_tick);
		path->preempted += (double)((long double)values->inclusive.preempted * a->ns_per_tick);
		path->calls += a->thread->nodes[i].cell->calls;
		path->are_least |= !known_calls_are_all(a, a->thread->nodes[i].cell, i);
		path->is_jump |= a->thread->nodes[i].cell->calls &&
				 data_cell_is_jump(a->data, a->thread->nodes[i].cell);
	}
}

/* ---- second reading -------------------------------------------------------------------------- */

/* Of a folded line: the first path gives the inclusive time; calls are those of its function. */
static unsigned parts_of(const struct addition *a, const uint32_t *path_of, size_t node,
			 const struct row *row)
{
	uint32_t path = path_of[node];
	unsigned parts = ADD_EXCLUSIVE;

	if (is_inside(a, path_of, node))
		return parts;
	if (a->profile->paths.list[path].entity == row->entity)
		parts |= ADD_CALLS;
	if (path == row->path)
		parts |= ADD_INCLUSIVE;
	return parts;
}

static struct row *row_of(const struct addition *a, const uint32_t *path_of, size_t node)
{
	uint32_t path = path_of[node];
	uint32_t number = path == PATH_NONE ? PATH_NONE : a->profile->paths.row_of[path];

	return number == PATH_NONE ? NULL : &a->profile->rows[number];
}

/* The operating system's events of a row, which may not be made yet. */
static struct os_counts *os_of(struct profile *profile, uint32_t number)
{
	struct os_counts **os =
		profile->stream.list ? &profile->stream.os[number] : &profile->rows[number].os;

	if (!*os)
		*os = xcalloc(1, sizeof(**os));
	return *os;
}

static int has_allocated(const struct os_tally *tally)
{
	return (tally->moved[CINSTR_AMOUNT_ALLOCATED].calls | tally->moved[CINSTR_AMOUNT_HELD].calls) != 0;
}

/* A row gets what happened in its own paths, and in hidden ones below; paths_finish() adds that
 * up. */
static void add_os(const struct addition *a, const uint32_t *path_of, size_t node)
{
	const struct paths *paths = &a->profile->paths;
	struct os_tally tally;
	uint32_t path = path_of[node], parent;

	if (path == PATH_NONE || !os_tally_of(&tally, a->data, a->thread, a->thread->nodes[node].cell))
		return;
	if (paths->row_of[path] != PATH_NONE)
		os_tally_add(&os_of(a->profile, paths->row_of[path])->exclusive, &tally);
	parent = path_of[a->thread->nodes[node].parent];
	if (parent != PATH_NONE && paths->row_of[parent] != PATH_NONE && has_allocated(&tally))
		os_add_own(os_of(a->profile, paths->row_of[parent]), &tally);
	while (paths->row_of[path] == PATH_NONE)
		path = paths->list[path].parent;
	os_tally_add(&os_of(a->profile, paths->row_of[path])->inclusive, &tally);
}

void paths_finish(struct profile *profile)
{
	const struct row_stream *stream = &profile->stream;

	for (size_t i = stream->list ? stream->n : profile->n_rows; i-- > 1;) {
		uint32_t parent = stream->list ? stream->list[i].parent : profile->rows[i].parent;
		const struct os_counts *os = stream->list ? stream->os[i] : profile->rows[i].os;

		if (os && parent != ROW_NONE)
			os_tally_add(&os_of(profile, parent)->inclusive, &os->inclusive);
	}
}

static void rows_add(const struct addition *a, const uint32_t *path_of)
{
	for (size_t i = 0; i < a->thread->n_nodes; i++) {
		struct row *row = row_of(a, path_of, i);

		if (row)
			addition_to_row(a, row, i, parts_of(a, path_of, i, row));
	}
	for (size_t i = 0; i < a->thread->n_open; i++) {
		uint32_t node = a->thread->open[i];
		struct row *row = row_of(a, path_of, node);

		if (row && parts_of(a, path_of, node, row) & ADD_CALLS)
			row->open_calls++;
	}
}

/* What was merged knows of each path who has most of it. */
static void spread_add(const struct addition *a, const uint32_t *path_of)
{
	struct addition b = *a;

	if (!a->data->merged || !a->profile->spreads.is_wanted)
		return;
	b.rows = xcalloc(a->thread->n_nodes, sizeof(*b.rows));
	for (size_t i = 0; i < a->thread->n_nodes; i++)
		b.rows[i] = path_of[i] == PATH_NONE ? ROW_NONE : a->profile->paths.row_of[path_of[i]];
	spreads_add_merged(&b);
	free(b.rows);
}

static void second_reading(const struct addition *a, const uint32_t *path_of)
{
	for (size_t i = 0; i < a->thread->n_nodes; i++)
		add_os(a, path_of, i);
	if (a->profile->stream.list) {
		paths_finish(a->profile);
		counted_calls_finish(a->profile);
		row_stream_thread(a, path_of);
		return;
	}
	rows_add(a, path_of);
	spread_add(a, path_of);
}

void paths_add_thread(const struct addition *addition)
{
	const struct addition *a = addition;
	struct paths *paths = &a->profile->paths;
	struct data_thread *thread = a->thread;
	uint32_t *path_of =
		thread->paths && thread->paths_owner == paths ? thread->paths : paths_of_thread(a);

	if (paths->row_of)
		second_reading(a, path_of);
	else
		sums_add(a, path_of);
	paths->n_threads += !paths->row_of;
	if (!paths->row_of && !thread->paths) { /* for the second reading */
		thread->paths = path_of;
		thread->paths_owner = paths;
	} else if (path_of != thread->paths) {
		free(path_of); /* another profile's are kept */
	}
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* A path that is not hidden, while chains are looked for. */
struct shown {
	uint32_t path, parent; /* parent: number of its parent among these */
	uint32_t depth;
	uint32_t n_children, child; /* the last child */
	uint32_t length;	    /* of the chain that begins here */
};

struct choosing {
	struct profile *profile;
	const struct paths_choice *choice;
	struct shown *list;
	size_t n;
	size_t n_hidden;
	long double hidden;
	/* by path: it ends a line, or went on from one, and calls of itself are of the line; NULL:
	 * not known yet */
	uint8_t *goes_on;
	uint8_t *is_most; /* by path: it is one of those with most time; NULL: all are shown */
};

/*
 * Marks in row_of what is empty: an announced call whose callee turned out to have probes leaves
 * its cell with nothing in it. What it called keeps a path.
 */
static void empty_mark(struct paths *paths)
{
	for (size_t i = paths->n; i-- > 0;) {
		const struct path *path = &paths->list[i];

		if (path->calls || path->elapsed_inclusive > 0)
			paths->row_of[i] = 1;
		if (paths->row_of[i])
			paths->row_of[path->parent] = 1;
		else
			paths->row_of[i] = PATH_NONE;
	}
}

/* A recursion in one line is shown as a whole, however little time its deepest levels have. */
static int is_of_line(const struct choosing *c, const struct path *path)
{
	return c->goes_on && c->goes_on[path->parent] &&
	       path->entity == c->profile->paths.list[path->parent].entity;
}

static int is_hidden(const struct choosing *c, const struct path *path, uint32_t depth)
{
	if (c->is_most && !c->is_most[path - c->profile->paths.list])
		return 1;
	if (is_of_line(c, path))
		return depth > c->choice->depth;
	if (c->choice->kept && c->choice->kept[path - c->profile->paths.list])
		return 0;
	return depth > c->choice->depth ||
	       (long double)path->elapsed_inclusive * 100 <
		       c->profile->totals.elapsed * (long double)c->choice->min_percent;
}

/* Fills c->list; row_of gets numbers in it. */
static void hide(struct choosing *c)
{
	struct paths *paths = &c->profile->paths;

	memset(paths->row_of, 0, paths->n * sizeof(*paths->row_of));
	empty_mark(paths);
	memset(c->list, 0, paths->n * sizeof(*c->list));
	paths->n_tops = c->n = c->n_hidden = 0;
	c->hidden = 0;
	c->list[c->n++] = (struct shown){ .path = 0 };
	paths->row_of[0] = 0;
	for (uint32_t i = 1; i < paths->n; i++) {
		const struct path *path = &paths->list[i];
		uint32_t parent = paths->row_of[path->parent];

		if (paths->row_of[i] == PATH_NONE)
			continue;
		paths->row_of[i] = PATH_NONE;
		if (parent == PATH_NONE || is_hidden(c, path, c->list[parent].depth + 1)) {
			c->n_hidden++;
			c->hidden += (long double)path->elapsed_exclusive;
			paths->n_tops += parent != PATH_NONE;
			continue;
		}
		if (is_of_line(c, path))
			c->goes_on[i] = 1;
		paths->row_of[i] = (uint32_t)c->n;
		c->list[parent].n_children++;
		c->list[parent].child = (uint32_t)c->n;
		c->list[c->n++] = (struct shown){ i, parent, c->list[parent].depth + 1, 0, 0, 1 };
	}
}

/*
 * Whether a path could be in its caller's line: it is all that the caller called, as far as that is
 * shown, and has nearly all of its time, or is the same function again.
 */
static int follows(const struct choosing *c, size_t i)
{
	const struct path *list = c->profile->paths.list;
	const struct shown *shown = &c->list[i], *parent = &c->list[shown->parent];
	const struct path *path = &list[shown->path], *caller = &list[parent->path];

	return shown->parent && parent->n_children == 1 &&
	       (path->entity == caller->entity ||
		path->elapsed_inclusive * 100 >= caller->elapsed_inclusive * c->choice->fold_percent);
}

static void lengths_make(struct choosing *c)
{
	for (size_t i = c->n; i-- > 1;)
		if (follows(c, i))
			c->list[c->list[i].parent].length += c->list[i].length;
}

/* Where lines end. Whether there are any. */
static int ends_mark(struct choosing *c)
{
	int found = 0;

	c->goes_on = xcalloc(c->profile->paths.n, sizeof(*c->goes_on));
	for (uint32_t i = 1; c->choice->fold_length && i < c->n; i++) {
		const struct shown *shown = &c->list[i];

		if (shown->length >= c->choice->fold_length && shown->length > 1 && !follows(c, i)) {
			uint32_t last = i;

			for (uint32_t n = shown->length; --n;)
				last = c->list[last].child;
			c->goes_on[c->list[last].path] = 1;
			found = 1;
		}
	}
	return found;
}

/* ---- the text of a folded line: a > b > c, f (x 12) ------------------------------------------ */

struct run {
	uint32_t entity, n;
	int is_jump;
};

static void put_run(struct strbuf *text, const struct names *names, const struct run *run)
{
	strbuf_printf(text, "%s%s", text->length ? " > " : "", names->list[run->entity].name);
	if (run->n > 1) {
		strbuf_puts(text, " (x ");
		strbuf_thousands(text, run->n);
		strbuf_puts(text, ")");
	}
	strbuf_puts(text, run->is_jump ? " (jump)" : "");
}

static struct run next_run(const struct choosing *c, uint32_t *at, uint32_t *left)
{
	const struct path *first = &c->profile->paths.list[c->list[*at].path];
	struct run run = { first->entity, 0, first->is_jump };

	while (*left && c->profile->paths.list[c->list[*at].path].entity == run.entity) {
		run.n++;
		--*left;
		*at = c->list[*at].child;
	}
	return run;
}

/* The chain of c->list[at].length paths from there on. */
static const char *chain_name(const struct choosing *c, uint32_t at)
{
	struct run tail[TAIL_SHOWN];
	STRBUF(text);
	uint32_t left = c->list[at].length;
	size_t n = 0, first;

	for (; left && n < HEAD_SHOWN; n++) {
		struct run run = next_run(c, &at, &left);

		put_run(&text, c->profile->names, &run);
	}
	first = n;
	for (; left; n++)
		tail[(n - first) % TAIL_SHOWN] = next_run(c, &at, &left);
	if (n - first > TAIL_SHOWN) {
		strbuf_puts(&text, " > ... ");
		strbuf_thousands(&text, n - first - TAIL_SHOWN);
		strbuf_puts(&text, " more ...");
		first = n - TAIL_SHOWN;
	}
	for (; first < n; first++)
		put_run(&text, c->profile->names, &tail[(first - HEAD_SHOWN) % TAIL_SHOWN]);
	return map_keep(&c->profile->strings, text.text);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void row_make(struct choosing *c, uint32_t i, uint32_t parent)
{
	struct profile *profile = c->profile;
	uint32_t number = (uint32_t)profile->n_rows, path = c->list[i].path;
	struct row *row, *above;

	if (profile->stream.list) {
		profile->paths.row_of[path] = (uint32_t)profile->stream.n;
		row_stream_add(&profile->stream, path, parent);
		return;
	}
	profile->paths.row_of[path] = number;
	row = profile_row(profile, number);
	above = &profile->rows[parent];
	row->path = path;
	if (!i)
		return;
	profile_row_name(profile, row, profile->paths.list[path].entity);
	row->parent = parent;
	row->depth = above->depth + 1;
	row->sibling = above->child;
	above->child = number;
	if (c->list[i].length <= 1)
		return;
	row->name = chain_name(c, i);
	row->is_chain = 1;
	profile->paths.n_lines++;
}

static void rows_make(struct choosing *c)
{
	struct paths *paths = &c->profile->paths;

	if (c->profile->stream.is_wanted)
		row_stream_begin(&c->profile->stream, c->n);
	else
		profile_rows_expect(c->profile, c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		struct shown *shown = &c->list[i];
		uint32_t above = c->list[shown->parent].path;
		int is_chained = i && follows(c, i);

		/* In a chain `length` counts down, and its first one says whether it is long
		 * enough. */
		if (is_chained && c->list[shown->parent].length > 1) {
			paths->row_of[shown->path] = paths->row_of[above];
			paths->n_folded++;
			continue;
		}
		if (!c->choice->fold_length || shown->length < c->choice->fold_length)
			shown->length = 1;
		row_make(c, i, paths->row_of[above]);
	}
}

static int has_more_time(const void *a, const void *b, void *arg)
{
	const struct path *list = arg;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	double x = list[i].elapsed_inclusive, y = list[k].elapsed_inclusive;

	if (x != y)
		return x > y ? -1 : 1;
	return i < k ? -1 : i > k; /* callers before what they call */
}

/* Callers have at least the time of what they call: what is marked is a tree. */
static void most_mark(struct choosing *c)
{
	const struct paths *paths = &c->profile->paths;
	FREED uint32_t *order = xcalloc(paths->n, sizeof(*order));

	c->is_most = xcalloc(paths->n, 1);
	for (uint32_t i = 1; i < paths->n; i++)
		order[i - 1] = i;
	util_sort(order, paths->n - 1, sizeof(*order), has_more_time, paths->list);
	for (size_t i = 0; i + 1 < paths->n && i < c->choice->limit; i++)
		c->is_most[order[i]] = 1;
}

size_t paths_choose(struct profile *profile, const struct paths_choice *choice, long double *hidden)
{
	struct paths *paths = &profile->paths;
	struct choosing c = { .profile = profile, .choice = choice };

	if (!paths->n)
		path_new(paths, 0, PATH_NONE);
	if (paths->row_of) {
		rows_release(profile->rows, profile->n_rows);
		profile->rows = NULL;
		profile->n_rows = profile->size_rows = 0;
		paths->n_lines = paths->n_folded = 0;
		free(paths->row_of);
	}
	paths->row_of = xcalloc(paths->n, sizeof(*paths->row_of));
	c.list = xcalloc(paths->n, sizeof(*c.list));
	if (choice->limit)
		most_mark(&c);
	hide(&c);
	lengths_make(&c);
	if (ends_mark(&c)) {
		hide(&c);
		lengths_make(&c);
	}
	rows_make(&c);
	hot_path_mark(profile);
	free(c.list);
	free(c.goes_on);
	free(c.is_most);
	*hidden = c.hidden;
	return c.n_hidden;
}

ORDER_ITEMS(from_the_most, double, ORDER(*y, *x))

double paths_least_percent(const struct profile *profile, size_t most)
{
	const struct paths *paths = &profile->paths;
	double *times, least;

	if (paths->n <= most + 1 || profile->totals.elapsed <= 0)
		return 0;
	times = xcalloc(paths->n, sizeof(*times));
	for (size_t i = 1; i < paths->n; i++)
		times[i - 1] = paths->list[i].elapsed_inclusive;
	util_sort(times, paths->n - 1, sizeof(*times), from_the_most, NULL);
	least = times[most]; /* the first that is one too many: it and its equals go */
	free(times);
	return (double)(100 * (long double)least / profile->totals.elapsed) * (1 + 1e-9) + 1e-15;
}

void paths_release(struct paths *paths)
{
	free(paths->list);
	int_map_release(&paths->numbers);
	free(paths->is_root);
	free(paths->row_of);
	*paths = (struct paths){ 0 };
}
