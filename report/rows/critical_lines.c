/* SPDX-License-Identifier: GPL-3.0-or-later */
/* critical_lines.c - the threads of a process as stretches and gaps: see critical_steps.h. */
#include <stdlib.h>
#include <string.h>

#include "cinstr/objects.h"
#include "critical_steps.h"
#include "file/cell_details.h"
#include "hot_path.h"
#include "lib/array.h"
#include "lib/search.h"
#include "values/overhead.h"
#include "wait_times.h"

#define LATE 4 /* a wait is over this part of its time after what it waits for, at most */

/* ---- paths ----------------------------------------------------------------------------------- */

static uint32_t node_below(struct critical_lines *lines, uint32_t parent, uint32_t entity)
{
	struct critical_path *path = lines->path;
	int is_new;
	uint32_t number = int_map_add(&lines->node_keys, int_map_pair(parent, entity), &is_new);

	if (is_new) {
		ARRAY_ONE_MORE(path->nodes, path->n_nodes);
		path->nodes[path->n_nodes++] = (struct critical_node){ parent, entity };
	}
	return number;
}

/* Returns the node of a cell whose parent has one. */
static uint32_t node_of(struct critical_lines *lines, const struct cinstr_cell *cell, uint32_t parent)
{
	switch (CINSTR_CELL_KIND(cell->tag)) {
	case CINSTR_CELL_ROOT:
	case CINSTR_CELL_LINE:
		return parent;
	case CINSTR_CELL_MERGED:
		return node_below(lines, parent, names_made_up(lines->names, NAMES_MERGED));
	default:
		return node_below(lines, parent, names_of_cell(lines->names, lines->data, cell));
	}
}

#define DEPTH_MAX 200000

/* Returns the node of a cell in the file. */
static uint32_t node_at(struct critical_lines *lines, uint32_t index)
{
	uint32_t *chain = NULL, node = 0;
	size_t n = 0;

	while (index && n < DEPTH_MAX) {
		const struct cinstr_cell *cell =
			(const void *)(lines->data->memory + (uint64_t)index * sizeof(*cell));
		uint32_t known = int_map_find(&lines->cells, index);

		if (known != INT_MAP_NONE) {
			node = lines->node_of_cell[known];
			break;
		}
		ARRAY_ONE_MORE(chain, n);
		chain[n++] = index;
		index = cell->parent;
	}
	while (n--) {
		const struct cinstr_cell *cell =
			(const void *)(lines->data->memory + (uint64_t)chain[n] * sizeof(*cell));
		int is_new;
		uint32_t number = int_map_add(&lines->cells, chain[n], &is_new);

		node = node_of(lines, cell, node);
		ARRAY_ONE_MORE(lines->node_of_cell, number);
		lines->node_of_cell[number] = node;
	}
	free(chain);
	return node;
}

/* ---- what waits are for ---------------------------------------------------------------------- */

static const char *name_at(const struct critical_lines *lines, uint32_t path)
{
	uint32_t entity = lines->path->nodes[path].entity;

	return entity == NAMES_NONE ? NULL : lines->names->list[entity].assembler;
}

/* Returns the entry of the path's function among those that wait for objects, or NULL. */
static const struct cinstr_object_call *call_at(const struct critical_lines *lines, uint32_t path)
{
	const char *name = name_at(lines, path);

	return name ? cinstr_object_call_of(name) : NULL;
}

static int is_for_threads(const struct critical_lines *lines, uint32_t path)
{
	const char *name = name_at(lines, path);
	const struct cinstr_object_call *call = call_at(lines, path);

	if (!name)
		return 0;
	return (call && call->use < CINSTR_OBJECT_FUTEX_CALL) ||
	       (waits_for_others(name) && !waits_for_processes(name));
}

/* Returns what the thread waited for, at this path, when it was off the processor with these
 * events. */
static enum critical_part part_of(const struct critical_lines *lines, uint32_t path, uint32_t bits)
{
	if (wait_kind_of(bits) == WAIT_PREEMPTED)
		return CRITICAL_PROCESSOR;
	return is_for_threads(lines, path) ? CRITICAL_UNKNOWN : CRITICAL_OUTSIDE;
}

/* ---- a thread's stretches -------------------------------------------------------------------- */

static uint32_t line_of(const struct critical_lines *lines, uint32_t tid)
{
	for (size_t i = 0; i < lines->n; i++)
		if (lines->list[i].thread->record->tid == tid)
			return (uint32_t)i;
	return CRITICAL_NOBODY;
}

/* Returns the number of the thread that ended last in the time of an item, and near its end, which
 * waits for the end of a thread of which nobody knows which: that of std::async is called through a
 * pointer. */
static uint32_t ended_within(const struct critical_lines *lines, const struct critical_line *own,
			     const struct critical_item *item)
{
	uint32_t last = CRITICAL_NOBODY;

	for (uint32_t i = 0; i < lines->n; i++)
		if (&lines->list[i] != own && lines->list[i].end > item->begin &&
		    lines->list[i].end <= item->end &&
		    (last == CRITICAL_NOBODY || lines->list[i].end > lines->list[last].end))
			last = i;
	if (last != CRITICAL_NOBODY && (item->end - lines->list[last].end) * LATE > item->end - item->begin)
		return CRITICAL_NOBODY;
	return last;
}

/* Sets the thread that ended the item's wait, if it is known which one, and when it did. */
static void set_waker(const struct critical_lines *lines, const struct critical_line *own,
		      struct critical_item *item, const struct cinstr_stretch *stretch)
{
	uint64_t given = stretch->end_ticks - stretch->since_given;
	uint32_t waker = stretch->given_by && stretch->since_given != UINT32_MAX
				 ? line_of(lines, (uint32_t)stretch->given_by)
				 : CRITICAL_NOBODY;

	if (waker == CRITICAL_NOBODY && item->is_join && item->off) {
		waker = ended_within(lines, own, item);
		given = item->end;
	}
	if (waker == CRITICAL_NOBODY)
		return;
	/* a thread that ends gives itself behind its last event */
	if (given > lines->list[waker].end)
		given = lines->list[waker].end;
	if (given <= item->begin || given < lines->list[waker].begin)
		return;
	item->waker = waker;
	item->given = given;
}

static struct critical_item item_of(struct critical_lines *lines, const struct critical_line *own,
				    const struct cinstr_stretch *stretch)
{
	struct critical_item item = {
		.begin = stretch->end_ticks - stretch->ticks,
		.end = stretch->end_ticks,
		.off = stretch->off_cpu_ticks,
		.waker = CRITICAL_NOBODY,
		.path = stretch->cell ? node_at(lines, stretch->cell)
				      : node_below(lines, 0, names_made_up(lines->names, NAMES_MERGED))
	};
	const struct cinstr_object_call *call = call_at(lines, item.path);

	item.part = part_of(lines, item.path, stretch->bits);
	item.is_lock = call && call->kind <= CINSTR_OBJECT_SEMAPHORE;
	item.is_join = call && call->kind == CINSTR_OBJECT_THREAD;
	set_waker(lines, own, &item, stretch);
	return item;
}

static uint64_t last_window(const struct critical_lines *lines)
{
	return (lines->end - 1) >> CINSTR_WINDOW_BITS;
}

/* The last window of all is there, too. */
static int is_kept(const struct critical_lines *lines, const struct cinstr_stretch *stretch)
{
	return cinstr_window_is_kept(stretch->end_ticks - stretch->ticks, stretch->end_ticks, lines->level) ||
	       (stretch->end_ticks - 1) >> CINSTR_WINDOW_BITS == last_window(lines);
}

static void items_make(struct critical_lines *lines, struct critical_line *line)
{
	const struct stretches *stretches = &line->thread->stretches;

	line->items = xcalloc(stretches->n + 1, sizeof(*line->items));
	for (size_t i = 0; i < stretches->n; i++)
		if (stretches->list[i].end_ticks <= line->end && is_kept(lines, &stretches->list[i]))
			line->items[line->n++] = item_of(lines, line, &stretches->list[i]);
}

/* ---- what it did in the gaps ----------------------------------------------------------------- */

static long double *share_at(struct critical_line *line, struct int_map *keys, uint32_t path)
{
	int is_new;
	uint32_t number = int_map_add(keys, path, &is_new);

	if (is_new) {
		ARRAY_ONE_MORE(line->shares, line->n_shares);
		line->shares[line->n_shares++] = (struct critical_share){ .path = path };
	}
	return line->shares[number].ticks;
}

/* Adds all that the node has, at its path. */
static void share_node(struct critical_lines *lines, const struct cinstr_cell *cell, uint32_t path,
		       long double *ticks)
{
	ticks[CRITICAL_COMPUTING] += (long double)cell->ticks;
	for (uint32_t i = details_buckets(lines->data->memory, cell); i;) {
		const struct cinstr_bucket *bucket =
			(const void *)(lines->data->memory + (uint64_t)i * sizeof(struct cinstr_cell));

		ticks[part_of(lines, path, bucket->bits)] += (long double)bucket->off_cpu_ticks;
		ticks[CRITICAL_COMPUTING] -= (long double)bucket->off_cpu_ticks;
		i = bucket->next;
	}
}

/* Those that were dropped had as much as those in windows, in proportion. */
static void take_out_items(const struct critical_lines *lines, struct critical_line *line,
			   struct int_map *keys)
{
	long double kept = (long double)critical_lines_kept(lines, line->begin, line->end);

	for (size_t i = 0; i < line->n && kept > 0; i++) {
		const struct critical_item *item = &line->items[i];
		long double *ticks = share_at(line, keys, item->path),
			    all = (long double)(item->end - item->begin);
		long double scale = (long double)critical_lines_kept(lines, item->begin, item->end) / all *
				    (long double)(line->end - line->begin) / kept;

		ticks[item->part] -= (long double)item->off * scale;
		ticks[CRITICAL_COMPUTING] -= (all - (long double)item->off) * scale;
	}
}

/* What the thread's tree has, less what was kept by itself: that is its gaps', all together. */
static void shares_make(struct critical_lines *lines, struct critical_line *line)
{
	const struct data_thread *thread = line->thread;
	FREED uint32_t *paths = xcalloc(thread->n_nodes + 1, sizeof(*paths));
	struct int_map keys = { 0 };
	struct overheads overheads;
	long double recording = (long double)(thread->state->runtime_ticks + thread->state->paused_ticks);

	overheads_init(&overheads, lines->data, thread);
	for (size_t i = 0; i < thread->n_nodes; i++) {
		const struct cinstr_cell *cell = thread->nodes[i].cell;
		long double probes = (long double)overheads_of(&overheads, i).of[OVERHEAD_MEAN], *ticks;

		paths[i] = i ? node_of(lines, cell, paths[thread->nodes[i].parent]) : 0;
		ticks = share_at(line, &keys, paths[i]);
		share_node(lines, cell, paths[i], ticks);
		ticks[CRITICAL_COMPUTING] -= probes;
		recording += probes;
	}
	share_at(line, &keys, lines->recording)[CRITICAL_COMPUTING] += recording;
	overheads_release(&overheads);
	take_out_items(lines, line, &keys);
	for (size_t i = 0; i < line->n_shares; i++)
		for (int part = 0; part < CRITICAL_PARTS; part++) {
			long double *ticks = &line->shares[i].ticks[part];

			*ticks = *ticks > 0 ? *ticks : 0;
			line->shared += *ticks;
		}
	int_map_release(&keys);
}

/* ---- who began it ---------------------------------------------------------------------------- */

static const char *const makers[] = { "pthread_create",
				      "thrd_create",
				      "g_thread_new",
				      "g_thread_try_new",
				      "uv_thread_create",
				      "clone",
				      "_ZNSt6thread15_M_start_threadE" };

/* Whether the thread has a call in its tree that begins threads. */
static int makes_threads(struct critical_lines *lines, const struct critical_line *line)
{
	for (size_t i = 1; i < line->thread->n_nodes; i++) {
		uint32_t entity = names_of_cell(lines->names, lines->data, line->thread->nodes[i].cell);
		const char *name = entity == NAMES_NONE ? NULL : lines->names->list[entity].assembler;

		for (size_t k = 0; name && k < ARRAY_SIZE(makers); k++)
			if (!strncmp(name, makers[k], strlen(makers[k])))
				return 1;
	}
	return 0;
}

/* The process's first thread has begun all others, unless exactly one other was seen to, and it
 * not. */
static void makers_find(struct critical_lines *lines)
{
	uint32_t main = critical_lines_main(lines), only = CRITICAL_NOBODY;
	size_t n = 0;

	for (size_t i = 0; i < lines->n; i++)
		if (makes_threads(lines, &lines->list[i])) {
			n += i != main;
			only = n == 1 && i != main ? (uint32_t)i : only;
		}
	if (n == 1 && !makes_threads(lines, &lines->list[main]))
		main = only;
	for (size_t i = 0; i < lines->n; i++) {
		struct critical_line *line = &lines->list[i];
		uint32_t maker = i == main ? critical_lines_main(lines) : main;

		line->maker = maker != i && lines->list[maker].begin < line->begin &&
					      line->begin <= lines->list[maker].end
				      ? maker
				      : CRITICAL_NOBODY;
	}
}

/* ---- all ------------------------------------------------------------------------------------- */

uint32_t critical_lines_main(const struct critical_lines *lines)
{
	uint32_t first = 0;

	for (size_t i = 1; i < lines->n; i++)
		if (lines->list[i].begin < lines->list[first].begin)
			first = (uint32_t)i;
	for (size_t i = 0; i < lines->n; i++)
		if (lines->list[i].thread->record->tid == lines->data->header->pid)
			return (uint32_t)i;
	return first;
}

#define WINDOW (1ull << CINSTR_WINDOW_BITS)

static int window_is_kept(const struct critical_lines *lines, uint64_t window)
{
	return !(window & ((1ull << lines->level) - 1)) || window == last_window(lines);
}

/* Returns the ticks up to a stamp, not behind the end, that lie in windows. */
static uint64_t kept_to(const struct critical_lines *lines, uint64_t stamp)
{
	uint64_t windows = stamp >> CINSTR_WINDOW_BITS >> lines->level, last = last_window(lines);
	uint64_t left = stamp - (windows << lines->level << CINSTR_WINDOW_BITS);
	uint64_t kept = windows * WINDOW + (left < WINDOW ? left : WINDOW);

	if (last & ((1ull << lines->level) - 1) && stamp > last << CINSTR_WINDOW_BITS)
		kept += stamp - (last << CINSTR_WINDOW_BITS);
	return kept;
}

uint64_t critical_lines_kept(const struct critical_lines *lines, uint64_t from, uint64_t to)
{
	if (!lines->level)
		return to - from;
	return kept_to(lines, to) - kept_to(lines, from);
}

int critical_lines_window(const struct critical_lines *lines, uint64_t from, uint64_t to,
			  struct critical_window *window)
{
	uint64_t number = (to - 1) >> CINSTR_WINDOW_BITS, begin;

	if (to <= from)
		return 0;
	if (!lines->level) {
		*window = (struct critical_window){ from, to, 0 };
		return 1;
	}
	if (!window_is_kept(lines, number))
		number = (number >> lines->level) << lines->level;
	begin = number << CINSTR_WINDOW_BITS;
	*window = (struct critical_window){ begin > from ? begin : from,
					    begin + WINDOW < to ? begin + WINDOW : to, 0 };
	return window->end > window->begin;
}

const struct critical_item *critical_item_before(const struct critical_line *line, uint64_t time)
{
	size_t i;

	SEARCH(i, line->n, line->items[i].begin >= time);
	return i ? &line->items[i - 1] : NULL;
}

static void lines_begin(struct critical_lines *lines)
{
	const struct data *data = lines->data;

	lines->list = xcalloc(data->n_threads + 1, sizeof(*lines->list));
	lines->begin = UINT64_MAX;
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct data_thread *thread = &data->threads[i];
		struct critical_line line = { .thread = thread,
					      .begin = thread->record->first_ticks,
					      .end = thread->state ? thread->state->time : 0 };

		if (line.end <= line.begin || !thread->n_nodes)
			continue;
		lines->begin = line.begin < lines->begin ? line.begin : lines->begin;
		if (line.end > lines->end)
			lines->last = (uint32_t)lines->n;
		lines->end = line.end > lines->end ? line.end : lines->end;
		lines->list[lines->n++] = line;
		lines->level =
			thread->stretches.level > lines->level ? thread->stretches.level : lines->level;
	}
}

int critical_lines_make(struct critical_lines *lines)
{
	uint32_t main;

	lines_begin(lines);
	if (lines->n < (lines->path->without.text ? 1 : 2))
		return 0;
	main = critical_lines_main(lines);
	if (lines->list[main].end == lines->end)
		lines->last = main;
	node_below(lines, 0, names_made_up(lines->names, "[outside any function]"));
	lines->recording = node_below(lines, 0, names_made_up(lines->names, "[recording]"));
	for (size_t i = 0; i < lines->n; i++)
		items_make(lines, &lines->list[i]);
	for (size_t i = 0; i < lines->n; i++)
		shares_make(lines, &lines->list[i]);
	makers_find(lines);
	return 1;
}

void critical_lines_release(struct critical_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		free(lines->list[i].items);
		free(lines->list[i].shares);
	}
	free(lines->list);
	int_map_release(&lines->node_keys);
	int_map_release(&lines->cells);
	free(lines->node_of_cell);
}
