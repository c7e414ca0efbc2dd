/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refold.c - see refold.h. The fold gets an arena of its own, laid out like a data file: a page of header that stays
 * zero, the thread's record, its stack, its cells. Both trees are then turned into lists of nodes, each named by the
 * hash of its path, sorted, and compared whole.
 */
#define XXH_INLINE_ALL
#include "refold.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "fold.h"
#include "util.h"

#define ARENA_BYTES (16ull << 30) /* address space */
#define RECORD_OFFSET CINSTR_PAGE
#define STACK_OFFSET (2ull * CINSTR_PAGE)
#define STACK_BYTES (1ull << 30)
#define CELLS_OFFSET (STACK_OFFSET + STACK_BYTES)
#define CELL_BYTES sizeof(struct cinstr_cell)

/* A node as it is compared. */
struct entry {
	uint64_t path;
	uint64_t calls, ticks, min_ticks, max_ticks;
	uint64_t buckets; /* hash over its buckets, in any order */
};

static int more_cells(struct fold *fold)
{
	if (fold->cell_next == ARENA_BYTES / CELL_BYTES)
		return -1;
	fold->cell_end = (uint32_t)(ARENA_BYTES / CELL_BYTES);
	return 0;
}

static int more_index(struct fold *fold)
{
	struct fold_index old = fold->index;
	uint32_t n = old.n_slots ? old.n_slots * 2 : 1024;

	fold->index = (struct fold_index){ xcalloc(n, sizeof(uint32_t)), n, 0 };
	for (uint32_t i = 0; i < old.n_slots; i++)
		if (old.slots[i])
			fold_index_add(fold, old.slots[i]);
	free(old.slots);
	return 0;
}

static uint64_t path_of(uint64_t parent, const struct cinstr_cell *cell)
{
	uint64_t parts[4] = { parent, cell->site, cell->func, CINSTR_CELL_KIND(cell->tag) };

	return XXH3_64bits(parts, sizeof(parts));
}

static uint64_t buckets_hash(const char *memory, const struct cinstr_cell *cell)
{
	uint64_t sum = 0;

	for (uint32_t i = cell->buckets; i;) {
		const struct cinstr_bucket *b = (const void *)(memory + (uint64_t)i * CELL_BYTES);
		uint64_t parts[5] = { b->bits, b->intervals, b->ticks, b->off_cpu_ticks, b->switches };

		sum += XXH3_64bits(parts, sizeof(parts));
		i = b->next;
	}
	return sum;
}

static struct entry entry_of(const char *memory, const struct cinstr_cell *cell, uint64_t path)
{
	return (struct entry){
		path, cell->calls, cell->ticks, cell->min_ticks, cell->max_ticks, buckets_hash(memory, cell)
	};
}

static int by_path(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct entry));
}

/* The tree that the runtime made (and data_open completed). */
static struct entry *entries_recorded(const struct data *data, const struct data_thread *thread)
{
	struct entry *entries = xcalloc(thread->n_nodes, sizeof(*entries));

	for (size_t i = 0; i < thread->n_nodes; i++) {
		const struct data_node *node = &thread->nodes[i];
		uint64_t parent = i ? entries[node->parent].path : 0;

		entries[i] = entry_of(data->memory, node->cell, path_of(parent, node->cell));
	}
	qsort(entries, thread->n_nodes, sizeof(*entries), by_path);
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
		if (CINSTR_CELL_KIND(cells[i].tag) == CINSTR_CELL_BUCKET)
			continue;
		path[i] = path_of(cells[i].parent ? path[cells[i].parent - first] : 0, &cells[i]);
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

/* A buffer of the timeline. Segments that ended threads gave back are used again: offsets tell nothing of the order. */
struct piece {
	uint64_t sequence;
	const struct data_segment *segment;
};

static int by_sequence(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* data_open leaves timelines in the file. */
static int read_at(int fd, void *to, uint64_t bytes, uint64_t offset)
{
	return pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes ? 0 : -1;
}

static struct piece *pieces_list(const struct data *data, uint32_t owner, int fd, size_t *n_pieces)
{
	size_t n;
	const struct data_segment *own = data_segments_of(data, owner, &n);
	struct piece *pieces = xcalloc(n + 1, sizeof(*pieces));
	struct cinstr_segment header;

	*n_pieces = 0;
	for (size_t i = 0; i < n; i++)
		if (own[i].type == CINSTR_SEG_TIMELINE &&
		    !read_at(fd, &header, sizeof(header), own[i].offset - sizeof(header)))
			pieces[(*n_pieces)++] = (struct piece){ header.sequence, &own[i] };
	qsort(pieces, *n_pieces, sizeof(*pieces), by_sequence);
	return pieces;
}

static int fold_piece(struct fold *fold, int fd, const struct data_segment *s)
{
	void *records = xcalloc(1, s->used + 1);
	int result = read_at(fd, records, s->used, s->offset);

	if (!result)
		fold_records(fold, records, s->used / sizeof(struct cinstr_record));
	free(records);
	return result;
}

static int timeline_is_whole(const struct data *data, const struct data_thread *thread)
{
	return data->header->timeline_bytes && !thread->record->timeline_lost;
}

static int fold_timeline(struct fold *fold, const struct data *data, const struct data_thread *thread)
{
	int fd = open(data->path, O_RDONLY | O_CLOEXEC), result = 0;
	struct piece *pieces;
	size_t n;

	if (fd < 0)
		return -1;
	pieces = pieces_list(data, thread->record->index, fd, &n);
	for (size_t i = 0; i < n && !result; i++)
		result = fold_piece(fold, fd, pieces[i].segment);
	free(pieces);
	close(fd);
	if (thread->pending_records)
		fold_records(fold, data->memory + thread->record->buffer_offset, thread->pending_records);
	return result;
}

static int fold_again(struct fold *fold, const struct data *data, const struct data_thread *thread)
{
	struct cinstr_thread *record = (void *)(fold->file + RECORD_OFFSET);

	record->commit = 1;
	record->stack_offset = STACK_OFFSET;
	record->stack_bytes = STACK_BYTES;
	fold->thread = record;
	fold->cell_next = fold->cell_end = CELLS_OFFSET / CELL_BYTES;
	more_index(fold);
	if (fold_begin(fold, thread->record->first_ticks))
		return -1;
	return fold_timeline(fold, data, thread);
}

enum refold_result refold_thread(const struct data *data, const struct data_thread *thread, size_t *n_nodes)
{
	struct fold fold = { .sites = &data->modules.fold_sites,
			     .max_cells = UINT32_MAX,
			     .switched = data->header->switches != 0,
			     .stop_backward = 1,
			     .more_cells = more_cells,
			     .more_index = more_index };
	struct entry *recorded, *refolded;
	enum refold_result result = REFOLD_DIFFERENT;

	*n_nodes = 0;
	if (!timeline_is_whole(data, thread))
		return REFOLD_NO_TIMELINE;
	if (data->header->forked || thread->record->members > 1)
		return REFOLD_NOT_ALONE;
	fold.file = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (fold.file == MAP_FAILED)
		return REFOLD_NO_TIMELINE;
	if (!fold_again(&fold, data, thread)) {
		recorded = entries_recorded(data, thread);
		refolded = entries_refolded(&fold, n_nodes);
		if (*n_nodes == thread->n_nodes && !memcmp(recorded, refolded, *n_nodes * sizeof(*recorded)))
			result = REFOLD_SAME;
		free(recorded);
		free(refolded);
	}
	free(fold.index.slots);
	munmap(fold.file, ARENA_BYTES);
	return result;
}
