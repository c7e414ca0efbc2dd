/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refold.c - see refold.h. The fold gets an arena of its own, laid out like a data file: a page of
 * header that stays zero, the thread's record, its stack, its cells. Both trees are then turned
 * into lists of nodes, each named by the hash of its path, sorted, and compared whole.
 */
#define XXH_INLINE_ALL
#include "refold.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

#include "file/cell_details.h"
#include "file/cell_details_join.h"
#include "file/timeline_chunks.h"
#include "lib/fold_memory.h"
#include "lib/util.h"
#include "runtime/fold/fold.h"

#define ARENA_BYTES (16ull << 30) /* address space */
#define RECORD_OFFSET CINSTR_PAGE
#define STACK_OFFSET (2ull * CINSTR_PAGE)
#define STACK_BYTES (1ull << 30)
#define CELLS_OFFSET (STACK_OFFSET + STACK_BYTES)
#define CELL_BYTES sizeof(struct cinstr_cell)

/* A node as it is compared. */
struct entry {
	uint64_t path;
	uint64_t calls, ticks, after_ticks;
	uint64_t buckets, after_buckets; /* hash over its buckets, in any order */
	uint64_t durations;		 /* hash over the counts */
	struct details_extremes extremes[CINSTR_DIRTY_PARTS];
};

static int more_cells(struct fold *fold)
{
	if (fold->cell_next == ARENA_BYTES / CELL_BYTES)
		return -1;
	fold->cell_end = (uint32_t)(ARENA_BYTES / CELL_BYTES);
	return 0;
}

static uint64_t path_of(uint64_t parent, const struct cinstr_cell *cell)
{
	uint64_t parts[4] = { parent, cell->site, cell->func, CINSTR_CELL_KIND(cell->tag) };

	return XXH3_64bits(parts, sizeof(parts));
}

static uint64_t buckets_hash(const char *memory, uint32_t first)
{
	uint64_t sum = 0;

	for (uint32_t i = first; i;) {
		const struct cinstr_bucket *b = (const void *)(memory + (uint64_t)i * CELL_BYTES);
		uint64_t parts[5] = { b->bits, b->intervals, b->ticks, b->off_cpu_ticks, b->switches };

		sum += XXH3_64bits(parts, sizeof(parts));
		i = b->next;
	}
	return sum;
}

static uint64_t durations_hash(const char *memory, const struct cinstr_cell *cell)
{
	uint64_t slots[CINSTR_SLOTS];

	details_slots(memory, cell, slots);
	return XXH3_64bits(slots, sizeof(slots));
}

static struct entry entry_of(const char *memory, const struct cinstr_cell *cell, uint64_t path)
{
	struct entry entry = { .path = path,
			       .calls = cell->calls,
			       .ticks = cell->ticks,
			       .buckets = buckets_hash(memory, details_buckets(memory, cell)) };

	if (CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_LINE ||
	    CINSTR_CELL_KIND(cell->tag) == CINSTR_CELL_ROOT)
		return entry;
	entry.after_ticks = cell->after_ticks; /* FLAT: flat_calls */
	entry.after_buckets = buckets_hash(memory, details_after_buckets(memory, cell));
	if (details_is_flat(cell))
		entry.after_buckets = cell->flat_ticks;
	entry.durations = durations_hash(memory, cell);
	for (uint32_t part = 0; part < CINSTR_DIRTY_PARTS; part++)
		details_extremes(memory, cell, part, &entry.extremes[part]);
	return entry;
}

static int by_path(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct entry));
}

static size_t n_nodes_of(const struct data_thread *thread)
{
	return thread->by_phase.nodes ? thread->by_phase.n_nodes : thread->n_nodes;
}

static size_t n_flat_of(const struct data_thread *thread)
{
	return thread->by_phase.nodes ? thread->by_phase.n_flat : thread->n_flat;
}

static size_t n_recorded(const struct data_thread *thread)
{
	return n_nodes_of(thread) + n_flat_of(thread);
}

/* The tree that the runtime made (and data_open completed). */
static struct entry *entries_recorded(const struct data *data, const struct data_thread *thread)
{
	struct entry *entries = xcalloc(n_recorded(thread), sizeof(*entries));
	const struct data_node *nodes = thread->by_phase.nodes ? thread->by_phase.nodes : thread->nodes;
	const struct cinstr_cell **flat = thread->by_phase.nodes ? thread->by_phase.flat : thread->flat;
	size_t n = n_nodes_of(thread);

	for (size_t i = 0; i < n_flat_of(thread); i++)
		entries[n + i] = entry_of(data->memory, flat[i], path_of(flat[i]->parent, flat[i]));
	for (size_t i = 0; i < n; i++) {
		const struct data_node *node = &nodes[i];
		uint64_t parent = i ? entries[node->parent].path : 0;

		entries[i] = entry_of(data->memory, node->cell, path_of(parent, node->cell));
	}
	qsort(entries, n_recorded(thread), sizeof(*entries), by_path);
	return entries;
}

/* The refolded tree: its cells lie one behind the other, parents first. */
static struct entry *entries_refolded(const struct fold *fold, size_t *n)
{
	uint32_t first = CELLS_OFFSET / CELL_BYTES, n_cells = fold->cell_next - first;
	const struct cinstr_cell *cells = (const void *)(fold->file + CELLS_OFFSET);
	struct entry *entries = xcalloc(n_cells, sizeof(*entries));
	uint64_t *path = xcalloc(n_cells, sizeof(*path));

	*n = 0;
	for (uint32_t i = 0; i < n_cells; i++) {
		uint32_t parent;

		if (!details_is_node(&cells[i]))
			continue;
		parent = cells[i].parent;
		path[i] = path_of(!parent || details_is_flat(&cells[i]) ? parent : path[parent - first],
				  &cells[i]);
		entries[(*n)++] = entry_of(fold->file, &cells[i], path[i]);
	}
	free(path);
	qsort(entries, *n, sizeof(*entries), by_path);
	return entries;
}

static void fold_records(struct fold *fold, const void *records, size_t n)
{
	fold_run(fold, records, n);
	fold_commit(fold);
}

/* Nothing may be missing: not what was left out of the timeline, and not a piece of it. */
static int timeline_is_whole(const struct data *data, const struct data_thread *thread)
{
	return data->header->timeline_mode && !thread->record->timeline_lost;
}

static int fold_timeline(struct fold *fold, const struct data *data, const struct data_thread *thread)
{
	struct timeline timeline;
	struct timeline_piece piece;
	int result = timeline_open(&timeline, data, thread);

	while (!result && timeline_next(&timeline, &piece)) {
		if (piece.follows)
			fold_records(fold, piece.records, piece.n_records);
		else
			result = -1;
	}
	if (timeline.damaged)
		result = -1;
	/* pthread_exit(), cancellation: what was open ended with the thread, which no record
	 * says. */
	if (thread->record->state == CINSTR_THREAD_ENDED) {
		fold_close(fold);
		fold_commit(fold);
	}
	open_time_fold(fold, &thread->open_time, UINT64_MAX);
	timeline_release(&timeline);
	return result;
}

static int fold_again(struct fold *fold, const struct data *data, const struct data_thread *thread)
{
	struct cinstr_thread *record = (void *)(fold->file + RECORD_OFFSET);

	((struct cinstr_header *)(void *)fold->file)->event_cost = data->header->event_cost;
	record->commit = 1;
	record->stack_offset = STACK_OFFSET;
	record->stack_bytes = STACK_BYTES;
	fold->thread = record;
	fold->cell_next = fold->cell_end = CELLS_OFFSET / CELL_BYTES;
	index_grow(fold);
	if (fold_begin(fold, thread->record->first_ticks))
		return -1;
	fold_own_stack_as(fold, (const void *)(data->memory + CELL_BYTES * thread->record->root));
	return fold_timeline(fold, data, thread);
}

/* What is open has its own part of its node's ticks, as in the tree that was recorded. */
static void settle(const struct fold *fold)
{
	struct data arena = { .memory = fold->file,
			      .end = (uint64_t)fold->cell_next * CELL_BYTES,
			      .reserved = ARENA_BYTES };

	details_settle(&arena, fold->thread);
}

enum refold_result refold_thread(const struct data *data, const struct data_thread *thread, size_t *n_nodes)
{
	struct fold fold = { .sites = &data->modules.fold_sites,
			     .max_cells_open = UINT32_MAX,
			     .phases = data_phases(data),
			     .n_phases = data->n_phases,
			     .switched = data->header->switches != 0,
			     .stop_backward = 1,
			     .more_cells = more_cells,
			     .more_index = index_grow };
	struct entry *recorded, *refolded;
	enum refold_result result = REFOLD_DIFFERENT;

	*n_nodes = 0;
	fold.max_cells = data_paths(data, thread->record, &fold.hot_from);
	if (data->header->timeline_mode && data->header->timeline_min_ns)
		return REFOLD_SHORT_CALLS;
	if (!timeline_is_whole(data, thread))
		return REFOLD_NO_TIMELINE;
	if (data->header->forked || thread->record->members > 1)
		return REFOLD_NOT_ALONE;
	fold.file = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (fold.file == MAP_FAILED)
		return REFOLD_NO_TIMELINE;
	if (!fold_again(&fold, data, thread)) {
		settle(&fold);
		recorded = entries_recorded(data, thread);
		refolded = entries_refolded(&fold, n_nodes);
		if (*n_nodes == n_recorded(thread) &&
		    !memcmp(recorded, refolded, *n_nodes * sizeof(*recorded)))
			result = REFOLD_SAME;
		free(recorded);
		free(refolded);
	}
	free(fold.index.slots);
	munmap(fold.file, ARENA_BYTES);
	return result;
}
