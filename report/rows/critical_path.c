/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "critical_path.h"

#include <stdlib.h>
#include <string.h>

#include "critical_steps.h"
#include "lib/array.h"
#include "lib/order.h"
#include "wait_places.h"

#define FIFTH 0.8L
/* Of the path: where threads wait longer for a processor, a replay that keeps these waits as they
 * were tells nothing. */
#define PROCESSOR_MOST 0.05L
#define PREDICT_LEAST 0.01L /* of the path: what has less is not asked about */

/* The walk from the end to the beginning. */
struct walk {
	struct critical_lines *lines;
	uint64_t from, to;
	uint64_t begin;	     /* of the window at hand */
	struct int_map keys; /* thread and path -> row */
	struct critical_window *windows;
	size_t n_windows;
	long double kept; /* ticks of them */
};

/* ---- rows ------------------------------------------------------------------------------------ */

/* Returns the function that has called a library's function, or NAMES_NONE. */
static uint32_t caller_of(const struct critical_path *path, uint32_t node)
{
	uint32_t entity = path->nodes[node].entity, parent = path->nodes[node].parent;

	if (!parent || entity == NAMES_NONE || path->names->list[entity].file)
		return NAMES_NONE;
	return path->nodes[parent].entity;
}

static struct critical_row *row_of(struct walk *walk, uint32_t thread, uint32_t node)
{
	struct critical_path *path = walk->lines->path;
	int is_new;
	uint32_t number = int_map_add(&walk->keys, int_map_pair(thread, node), &is_new);

	if (is_new) {
		ARRAY_ONE_MORE(path->rows, path->n);
		path->rows[path->n++] = (struct critical_row){
			.tid = walk->lines->list[thread].thread->record->tid,
			.path = node,
			.entity = path->nodes[node].entity,
			.caller = caller_of(path, node),
		};
	}
	return &path->rows[number];
}

static void add(struct walk *walk, uint32_t thread, uint32_t node, enum critical_part part, long double ticks)
{
	if (ticks > 0)
		row_of(walk, thread, node)->ns[part] += ticks;
}

/* What the thread did in its gaps on the path: each part of it as much as it has in all of its
 * gaps. */
static void share_gaps(struct walk *walk, uint32_t number)
{
	const struct critical_line *line = &walk->lines->list[number];

	if (line->gaps > 0 && line->shared <= 0)
		add(walk, number, 0, CRITICAL_COMPUTING, line->gaps);
	for (size_t i = 0; line->gaps > 0 && line->shared > 0 && i < line->n_shares; i++)
		for (int part = 0; part < CRITICAL_PARTS; part++)
			add(walk, number, line->shares[i].path, (enum critical_part)part,
			    line->shares[i].ticks[part] / line->shared * line->gaps);
}

/* ---- back through the threads ---------------------------------------------------------------- */

struct place {
	uint32_t thread;
	uint64_t time;
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Before the thread's first event there is who has begun it. */
static void go_to_maker(struct walk *walk, struct place *at)
{
	uint32_t maker = walk->lines->list[at->thread].maker;

	if (maker == CRITICAL_NOBODY) {
		add(walk, at->thread, 0, CRITICAL_UNKNOWN, (long double)(at->time - walk->begin));
		at->time = walk->begin;
	} else {
		at->thread = maker;
	}
}

/* Goes from within the item, or its end, to where it began, or to who has ended it. */
static void go_through(struct walk *walk, struct place *at, const struct critical_item *item)
{
	uint64_t begin = later(item->begin, walk->begin), ticks = at->time - begin;
	long double off =
		(long double)ticks * (long double)item->off / (long double)(item->end - item->begin);

	if (item->waker != CRITICAL_NOBODY && at->time == item->end) {
		uint64_t given = later(item->given, walk->begin);

		add(walk, at->thread, item->path, CRITICAL_PROCESSOR, (long double)(at->time - given));
		*at = (struct place){ item->waker, given };
		return;
	}
	add(walk, at->thread, item->path, item->part, off);
	add(walk, at->thread, item->path, CRITICAL_COMPUTING, (long double)ticks - off);
	at->time = begin;
}

static void walk_back(struct walk *walk, struct place *at)
{
	while (at->time > walk->begin) {
		struct critical_line *line = &walk->lines->list[at->thread];
		const struct critical_item *item = critical_item_before(line, at->time);
		uint64_t end = item ? item->end : line->begin;

		if (at->time > end) {
			uint64_t until = later(end, walk->begin);

			line->gaps += (long double)(at->time - until);
			at->time = until;
		} else if (item) {
			go_through(walk, at, item);
		} else {
			go_to_maker(walk, at);
		}
	}
}

/* Goes from a thread that waits at this moment to the one that will end that, as far as that is not
 * waiting likewise. */
static void follow_waits(const struct walk *walk, struct place *at)
{
	for (size_t hops = 0; hops < walk->lines->n; hops++) {
		const struct critical_item *item =
			critical_item_before(&walk->lines->list[at->thread], at->time);

		if (!item || item->end <= at->time || item->waker == CRITICAL_NOBODY ||
		    walk->lines->list[item->waker].begin >= at->time)
			return;
		at->thread = item->waker;
	}
}

/* Back through the windows: from one to the one before the path stays in its thread. */
static void walk_windows(struct walk *walk, struct place at)
{
	struct critical_window window;

	while (critical_lines_window(walk->lines, walk->from, at.time, &window)) {
		at.time = window.end;
		follow_waits(walk, &at);
		window.thread = at.thread;
		ARRAY_ONE_MORE(walk->windows, walk->n_windows);
		walk->windows[walk->n_windows++] = window;
		walk->kept += (long double)(window.end - window.begin);
		walk->begin = window.begin;
		walk_back(walk, &at);
	}
}

/* Returns where the path ends: in the thread that has made the mark at `to`, if it is one. */
static struct place end_of(const struct walk *walk)
{
	const struct critical_lines *lines = walk->lines;
	struct place at = { lines->last, walk->to };

	for (size_t i = 0; i < lines->data->n_marks && walk->to != lines->end; i++)
		for (size_t k = 0; k < lines->n && lines->data->marks[i].ticks == walk->to; k++)
			if (lines->list[k].thread->record->tid == lines->data->marks[i].tid)
				at.thread = (uint32_t)k;
	return at;
}

/* ---- what would be gone ---------------------------------------------------------------------- */

/* A function, and its caller if it is a library's. */
struct asked {
	uint32_t entity, caller;
	long double on_path, all, fifth; /* its time on the path, what would be gone */
};

/* Returns what would be gone if the nodes took this part of their time. */
static long double gone(const struct walk *walk, struct critical_replay *replay,
			const struct critical_less *less)
{
	return walk->kept - critical_replay_run(replay, walk->windows, walk->n_windows, less);
}

static void ask(const struct walk *walk, struct critical_replay *replay, struct asked *asked)
{
	const struct critical_path *path = walk->lines->path;
	char *nodes = xcalloc(path->n_nodes + 1, 1);

	for (uint32_t i = 0; i < path->n_nodes; i++)
		nodes[i] = path->nodes[i].entity == asked->entity && caller_of(path, i) == asked->caller;
	asked->all = gone(walk, replay, &(struct critical_less){ nodes, 0, 0 });
	asked->fifth = gone(walk, replay, &(struct critical_less){ nodes, 0, FIFTH });
	free(nodes);
}

static int is_worth_asking(const struct walk *walk, const struct asked *asked)
{
	return asked->on_path >= PREDICT_LEAST * walk->kept && asked->entity != NAMES_NONE &&
	       walk->lines->path->names->list[asked->entity].is_function;
}

static void predict(struct walk *walk, struct critical_replay *replay)
{
	struct critical_path *path = walk->lines->path;
	struct int_map keys = { 0 };
	struct asked *list = xcalloc(path->n + 1, sizeof(*list));
	int is_new;

	for (size_t i = 0; i < path->n; i++) {
		const struct critical_row *row = &path->rows[i];
		struct asked *asked =
			&list[int_map_add(&keys, int_map_pair(row->entity, row->caller), &is_new)];

		asked->entity = row->entity;
		asked->caller = row->caller;
		for (int part = 0; part < CRITICAL_UNKNOWN; part++)
			asked->on_path += row->ns[part];
	}
	for (uint32_t i = 0; i < keys.n; i++)
		if (is_worth_asking(walk, &list[i]))
			ask(walk, replay, &list[i]);
	for (size_t i = 0; i < path->n; i++) {
		struct critical_row *row = &path->rows[i];
		const struct asked *asked =
			&list[int_map_find(&keys, int_map_pair(row->entity, row->caller))];

		row->gone = asked->all;
		row->gone_fifth = asked->fifth;
	}
	free(list);
	int_map_release(&keys);
}

static int entity_matches(const void *arg, const char *glob)
{
	return names_matches(arg, glob);
}

static int is_asked(const struct critical_path *path, uint32_t entity)
{
	const struct entity *function = entity == NAMES_NONE ? NULL : &path->names->list[entity];

	if (!function || !function->is_function)
		return 0;
	globs_see(path->without.globs, function->name);
	return globs_match_if(path->without.globs, entity_matches, function) == GLOBS_TAKEN;
}

static void predict_without(struct walk *walk, struct critical_replay *replay)
{
	struct critical_path *path = walk->lines->path;
	struct critical_without *without = &path->without;
	char *nodes = xcalloc(path->n_nodes + 1, 1);

	for (uint32_t i = 1; i < path->n_nodes; i++)
		nodes[i] = nodes[path->nodes[i].parent] || is_asked(path, path->nodes[i].entity);
	for (size_t i = 0; i < path->n; i++)
		for (int part = 0; nodes[path->rows[i].path] && part < CRITICAL_PARTS; part++)
			without->on_path += path->rows[i].ns[part];
	without->gone = gone(walk, replay, &(struct critical_less){ nodes, 1, 0 });
	without->gone_fifth = gone(walk, replay, &(struct critical_less){ nodes, 0, FIFTH });
	free(nodes);
}

static void predict_all(struct walk *walk)
{
	struct critical_replay *replay = critical_replay_new(walk->lines);

	predict(walk, replay);
	if (walk->lines->path->without.text)
		predict_without(walk, replay);
	critical_replay_free(replay);
}

/* ---- all ------------------------------------------------------------------------------------- */

ORDER_ITEMS(compare, struct critical_row, ORDER(y->all, x->all), ORDER(x->path, y->path))

/* Makes ns of the rows' ticks, adds them up, and names their threads. */
static void finish(struct walk *walk, long double per_tick)
{
	struct critical_lines *lines = walk->lines;
	struct critical_path *path = lines->path;
	uint32_t main = lines->list[critical_lines_main(lines)].thread->record->tid;

	for (size_t i = 0; i < path->n; i++) {
		struct critical_row *row = &path->rows[i];

		for (int part = 0; part < CRITICAL_PARTS; part++) {
			row->ns[part] *= per_tick;
			row->all += row->ns[part];
		}
		row->gone *= per_tick;
		row->gone_fifth *= per_tick;
		path->recording += row->path == lines->recording ? row->all : 0;
		path->main += row->tid == main ? row->ns[CRITICAL_COMPUTING] : 0;
		row->thread = row->tid == main ? "main thread"
					       : wait_thread_called(lines->names, lines->data, row->tid);
	}
	path->without.on_path *= per_tick;
	path->without.gone *= per_tick;
	path->without.gone_fifth *= per_tick;
	for (size_t i = 0; i < lines->n; i++) {
		const struct critical_line *line = &lines->list[i];

		path->shared += line->gaps * per_tick;
		for (size_t k = 0; k < path->n; k++)
			if (path->rows[k].tid == line->thread->record->tid) {
				path->n_on_path++;
				break;
			}
	}
	util_sort(path->rows, path->n, sizeof(*path->rows), compare, NULL);
}

static void make(struct critical_lines *lines, uint64_t from, uint64_t to)
{
	struct walk walk = { .lines = lines,
			     .from = later(from, lines->begin),
			     .to = to < lines->end ? to : lines->end };
	struct critical_path *path = lines->path;
	int is_known;
	long double per_tick = data_ns_per_tick(lines->data, &is_known), scale = 1;

	if (walk.to > walk.from) {
		path->ns = (long double)(walk.to - walk.from) * per_tick;
		walk_windows(&walk, end_of(&walk));
		for (size_t i = 0; i < lines->n; i++)
			share_gaps(&walk, (uint32_t)i);
		if (!walk.n_windows)
			add(&walk, lines->last, 0, CRITICAL_UNKNOWN, (long double)(walk.to - walk.from));
		else
			scale = (long double)(walk.to - walk.from) / walk.kept;
		predict_all(&walk);
	}
	path->kept = walk.kept * per_tick;
	path->threshold = (long double)lines->data->header->threshold_ticks * per_tick;
	finish(&walk, per_tick * scale);
	int_map_release(&walk.keys);
	free(walk.windows);
}

static int has_stretches(const struct data *data)
{
	for (size_t i = 0; i < data->n_threads; i++)
		if (data->threads[i].stretches.are_there)
			return 1;
	return 0;
}

static void release_one(struct critical_path *path)
{
	free(path->rows);
	free(path->nodes);
}

/* Processes with several threads come first, then long ones. */
static int is_preferred(const struct critical_path *path, const struct critical_path *to)
{
	if (!path->n_threads || !to->n_threads)
		return path->n_threads != 0;
	if ((path->n_threads > 1) != (to->n_threads > 1))
		return path->n_threads > 1;
	return path->ns > to->ns;
}

void critical_path_add(struct critical_path *path, struct names *names, const struct data *data,
		       uint64_t from, uint64_t to)
{
	struct critical_path new = { .is_wanted = path->is_wanted,
				     .n_others = path->n_others,
				     .n_without = path->n_without,
				     .n_processes = path->n_processes,
				     .without = { .text = path->without.text, .globs = path->without.globs },
				     .names = names };
	struct critical_lines lines = { .path = &new, .data = data, .names = names };
	const char *exe = data_property(data, "exe");

	path->n_processes++;
	new.n_processes++;
	if (data->sampled || data->merged || !has_stretches(data)) {
		path->n_without++;
		return;
	}
	if (critical_lines_make(&lines)) {
		make(&lines, from, to);
		new.pid = data->header->pid;
		new.n_threads = (uint32_t)lines.n;
		new.name = exe ? map_keep(&names->strings, util_basename(exe)) : NULL;
	}
	critical_lines_release(&lines);
	if (!is_preferred(&new, path)) {
		path->n_others += new.n_threads != 0;
		release_one(&new);
		return;
	}
	new.n_others += path->n_threads != 0;
	release_one(path);
	*path = new;
}

char *critical_path_text(const struct critical_path *path, uint32_t node)
{
	FREED uint32_t *chain = NULL;
	struct strbuf text = { 0 };
	size_t n = 0;

	for (; node; node = path->nodes[node].parent) {
		ARRAY_ONE_MORE(chain, n);
		chain[n++] = path->nodes[node].entity;
	}
	while (n--)
		if (chain[n] != NAMES_NONE)
			strbuf_printf(&text, "%s%s", text.length ? ";" : "",
				      path->names->list[chain[n]].name);
	strbuf_puts(&text, "");
	return text.text;
}

enum critical_part critical_row_part(const struct critical_row *row)
{
	enum critical_part most = CRITICAL_COMPUTING;

	for (int part = 0; part < CRITICAL_PARTS; part++)
		if (row->ns[part] > row->ns[most])
			most = (enum critical_part)part;
	return most;
}

long double critical_path_ns(const struct critical_path *path, enum critical_part part)
{
	long double ns = 0;

	for (size_t i = 0; i < path->n; i++)
		ns += path->rows[i].ns[part];
	return ns;
}

int critical_path_is_foretold(const struct critical_path *path)
{
	return path->n_threads == 1 ||
	       critical_path_ns(path, CRITICAL_PROCESSOR) <= PROCESSOR_MOST * path->ns;
}

void critical_path_release(struct critical_path *path)
{
	release_one(path);
	*path = (struct critical_path){ 0 };
}
