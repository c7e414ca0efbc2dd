/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * load.c - a data file's segments into memory, at the same offsets, each thread as of one moment,
 * also while its process goes on recording (data.h).
 *
 * The file is read, not mapped: a file that shrinks cannot kill the reader, and what has been
 * checked cannot change afterwards. The timeline and given-back segments are left where they are.
 * Files of ended processes, which nobody writes any more, are read once. Large ones are mapped, if
 * nobody else can change them (mapping.h).
 *
 * What a live process does meanwhile, and what is done about it:
 *   a thread folds       its commit changes, and it is read again (thread_read)
 *   it is in a fold      the undo journal, read behind everything else, holds what that fold
 *                        changed before
 *   it adds records      the buffer is read twice: what the first reading saw is complete in the
 *                        second one
 *   areas change hands   all segment headers are read again at the end; threads whose segments
 *                        changed are read again
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "buffer_records.h"
#include "data.h"
#include "lib/array.h"
#include "lib/order.h"
#include "lib/util.h"
#include "mapping.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SEGMENT_HEADER sizeof(struct cinstr_segment)
#define THREAD_PATIENCE_NS 10000000 /* a thread is read again for at most so long */
#define ROUNDS 40
#define SEALED_ATTEMPTS 5

struct load {
	struct data *data;
	int fd;
	uint8_t *dirty; /* by thread index: to be read again */
	size_t n_dirty;
	int odd_dirty;	    /* all others: their index cannot be right */
	uint32_t unsettled; /* threads that went on too fast */
};

uint64_t load_read(int fd, void *to, uint64_t bytes, uint64_t offset)
{
	uint64_t done = 0;

	while (done < bytes) {
		ssize_t n = pread(fd, (char *)to + done, bytes - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (uint64_t)n;
	}
	return done;
}

/* ---- the chain of segments ------------------------------------------------------------------- */

static int is_zero(const void *memory, size_t n)
{
	const unsigned char *p = memory;

	while (n && !*p)
		p++, n--;
	return !n;
}

static int segment_header_ok(const struct cinstr_segment *s)
{
	return s->magic == CINSTR_SEGMENT_MAGIC && s->bytes >= CINSTR_PAGE && s->bytes % CINSTR_PAGE == 0;
}

static void segment_add(struct data *data, const struct cinstr_segment *s, uint64_t at)
{
	uint64_t bytes = s->bytes, payload;

	if (bytes > data->file_bytes - at) {
		data_problem(data, at, "segment of type %u is cut off", s->type);
		bytes = data->file_bytes - at;
	}
	payload = bytes - SEGMENT_HEADER;
	if (s->used > s->bytes - SEGMENT_HEADER)
		data_problem(data, at, "segment of type %u says that it uses more than it has", s->type);
	ARRAY_ONE_MORE(data->segments, data->n_segments);
	data->segments[data->n_segments++] = (struct data_segment){
		.type = s->type,
		.owner = s->owner,
		.offset = at + SEGMENT_HEADER,
		.bytes = payload,
		.used = s->used < payload ? s->used : payload,
	};
}

/* Finds the segments from `at` on. Where a header is damaged, looks for the next one page by
 * page. */
static void segments_walk(struct data *data, int fd, uint64_t at)
{
	struct cinstr_segment s;
	int lost = 0;

	while (at < data->file_bytes && load_read(fd, &s, sizeof(s), at) == sizeof(s)) {
		if (!segment_header_ok(&s)) {
			/* All zero: it was just being made. */
			if (!lost && !is_zero(&s, sizeof(s)))
				data_problem(data, at, "no segment begins here; looking for the next one");
			lost = 1;
			at += CINSTR_PAGE;
			continue;
		}
		lost = 0;
		segment_add(data, &s, at);
		if (s.bytes > data->file_bytes - at)
			break;
		at += s.bytes;
	}
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The file in new memory of `bytes`, before anything was changed in it. */
static void *mapped_memory(struct data *data, uint64_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return memory;
	if (mapping_add(memory, data->file_bytes, data->fd, data->path)) {
		munmap(memory, bytes);
		return MAP_FAILED;
	}
	if (data->memory) {
		mapping_remove(data->memory);
		munmap(data->memory, data->reserved);
	}
	return memory;
}

/* Makes it hold `bytes`. What it held stays; it may get another address. */
static int memory_resize(struct data *data, uint64_t bytes)
{
	void *memory;

	bytes = (bytes + CINSTR_PAGE - 1) & ~(uint64_t)(CINSTR_PAGE - 1);
	if (data->is_mapped) /* what consists of two mappings cannot be moved */
		memory = mapped_memory(data, bytes);
	else if (data->memory)
		memory = mremap(data->memory, data->reserved, bytes, MREMAP_MAYMOVE);
	else
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED) {
		data_problem(data, 0, "no memory for its %llu bytes", (unsigned long long)data->file_bytes);
		return -1;
	}
	data->memory = memory;
	data->reserved = bytes;
	data->header = memory;
	return 0;
}

static struct cinstr_segment *header_of(const struct data *data, const struct data_segment *s)
{
	return (struct cinstr_segment *)(void *)(data->memory + s->offset - SEGMENT_HEADER);
}

static void segment_read(const struct load *load, const struct data_segment *s)
{
	uint64_t at = s->offset - SEGMENT_HEADER, bytes = s->bytes + SEGMENT_HEADER;

	errno = 0;
	if (load_read(load->fd, load->data->memory + at, bytes, at) != bytes)
		data_problem(load->data, at, "cannot be read: %s", errno ? strerror(errno) : "the file ends");
}

static int checksum_is_wrong(const struct data *data, const struct data_segment *s)
{
	const struct cinstr_segment *header = header_of(data, s);

	return header->sealed && header->used <= s->bytes &&
	       XXH3_64bits(data->memory + s->offset, header->used) != header->checksum;
}

/* ---- a thread -------------------------------------------------------------------------------- */

static int is_of_thread(uint32_t type)
{
	return (type >= CINSTR_SEG_THREAD && type <= CINSTR_SEG_CELLS) || type == CINSTR_SEG_CALL_SUMS;
}

/* Says whether a segment describes a tree, of a thread's time or of its instructions. */
static int is_tree(uint32_t type)
{
	return type == CINSTR_SEG_THREAD || type == CINSTR_SEG_CALL_SUMS;
}

/* Whether what the reader goes by is the same in both readings of a thread. */
static int is_same_moment(const struct cinstr_thread *a, const struct cinstr_thread *b)
{
	return a->commit == b->commit && a->journal_commit == b->journal_commit && a->state == b->state &&
	       a->root == b->root && a->members == b->members && a->first_ticks == b->first_ticks &&
	       a->states[a->commit & 1].time == b->states[a->commit & 1].time &&
	       a->buffer_offset == b->buffer_offset && a->buffer_bytes == b->buffer_bytes &&
	       a->stack_offset == b->stack_offset && a->stack_bytes == b->stack_bytes &&
	       a->journal_offset == b->journal_offset && a->journal_bytes == b->journal_bytes;
}

/* The part of [offset, offset + bytes) that is in the thread's segment of this type; 0: it is
 * not. */
static uint64_t area_bytes(const struct data_segment *own, size_t n, uint32_t type, uint64_t offset,
			   uint64_t bytes)
{
	for (size_t i = 0; i < n && offset % sizeof(struct cinstr_cell) == 0; i++)
		if (own[i].type == type && offset >= own[i].offset && offset - own[i].offset < own[i].bytes) {
			uint64_t left = own[i].bytes - (offset - own[i].offset);

			return bytes < left ? bytes : left;
		}
	return 0;
}

/*
 * The buffer a second time. A record is complete when another one stands behind it, so what the
 * first reading saw is complete now; what came since then is cut off.
 */
static void buffer_settle(const struct load *load, uint64_t offset, uint64_t bytes)
{
	struct cinstr_record *records;
	size_t n = bytes / sizeof(*records), seen;

	if (!n)
		return;
	records = (void *)(load->data->memory + offset);
	seen = buffer_records(records, n);
	load_read(load->fd, records, bytes, offset);
	if (seen > 1)
		seen = buffer_whole_groups(records, seen);
	if (seen && seen < n)
		records[seen].code = 0; /* its second half may tell what the thread waits for */
}

/* Everything of the thread once. Returns 1: it is as of one moment. */
static int thread_read_once(const struct load *load, uint64_t at, const struct data_segment *own, size_t n)
{
	struct data *data = load->data;
	struct cinstr_thread *t = (void *)(data->memory + at), again;
	struct cinstr_thread first;
	uint64_t buffer, journal;

	load_read(load->fd, t, sizeof(*t), at);
	first = *t;
	buffer = area_bytes(own, n, CINSTR_SEG_BUFFER, t->buffer_offset, t->buffer_bytes);
	journal = area_bytes(own, n, CINSTR_SEG_JOURNAL, t->journal_offset, t->journal_bytes);
	if (buffer)
		load_read(load->fd, data->memory + t->buffer_offset, buffer, t->buffer_offset);
	if (area_bytes(own, n, CINSTR_SEG_BUFFER, t->buffer_offset, CINSTR_CALL_SUMS_AT + buffer) ==
	    CINSTR_CALL_SUMS_AT + buffer)
		load_read(load->fd, data->memory + t->buffer_offset + CINSTR_CALL_SUMS_AT, buffer,
			  t->buffer_offset + CINSTR_CALL_SUMS_AT);
	for (size_t i = 0; i < n; i++)
		if (own[i].type == CINSTR_SEG_CELLS || own[i].type == CINSTR_SEG_STACK)
			segment_read(load, &own[i]);
	buffer_settle(load, first.buffer_offset, buffer);
	/* The entries that this counts are in the journal, and cover all that has been seen of a
	 * fold. */
	load_read(load->fd, t, sizeof(*t), at);
	if (!is_same_moment(&first, t))
		return 0;
	if (t->journal_commit != t->commit) /* no fold has begun */
		journal = 0;
	else if (t->journal_used < journal / sizeof(struct cinstr_undo))
		journal = t->journal_used * sizeof(struct cinstr_undo);
	if (journal)
		load_read(load->fd, data->memory + t->journal_offset, journal, t->journal_offset);
	load_read(load->fd, &again, sizeof(again), at);
	return is_same_moment(t, &again);
}

/* Sealed segments of the thread whose checksum is wrong: it may have been about to change them. */
static int thread_is_torn(const struct data *data, const struct data_segment *own, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((own[i].type == CINSTR_SEG_CELLS || own[i].type == CINSTR_SEG_STACK) &&
		    checksum_is_wrong(data, &own[i]))
			return 1;
	return 0;
}

/* Returns 1: as of one moment. */
static int thread_read(const struct load *load, const struct data_segment *s)
{
	uint64_t begin = util_monotonic_ns(), attempts = 0;
	const struct data_segment *own;
	size_t n;

	if (s->bytes < sizeof(struct cinstr_thread)) {
		segment_read(load, s);
		return 1;
	}
	own = data_segments_of(load->data, s->owner, &n);
	do {
		if (thread_read_once(load, s->offset, own, n) &&
		    (attempts >= SEALED_ATTEMPTS || !thread_is_torn(load->data, own, n)))
			return 1;
		attempts++;
	} while (util_monotonic_ns() - begin < THREAD_PATIENCE_NS);
	return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

ORDER_ITEMS(compare_segments, struct data_segment, ORDER(x->owner, y->owner), ORDER(x->offset, y->offset))

ORDER_ITEMS(compare_offsets, struct data_segment, ORDER(x->offset, y->offset))

static void dirty_add(struct load *load, uint32_t owner)
{
	if (owner >= load->n_dirty) {
		size_t n = (size_t)owner * 2 + 16;

		/* a damaged index: there are not so many threads */
		if (owner > load->data->file_bytes / CINSTR_PAGE) {
			load->odd_dirty = 1;
			return;
		}
		load->dirty = xrealloc(load->dirty, n, 1);
		memset(load->dirty + load->n_dirty, 0, n - load->n_dirty);
		load->n_dirty = n;
	}
	load->dirty[owner] = 1;
}

static int is_dirty(const struct load *load, uint32_t owner)
{
	return owner < load->n_dirty ? load->dirty[owner] : load->odd_dirty;
}

/* Other segments: of one piece as they are. A module's may be about to be changed. */
static void other_read(const struct load *load, const struct data_segment *s)
{
	for (int i = 0; i < SEALED_ATTEMPTS; i++) {
		segment_read(load, s);
		if (!checksum_is_wrong(load->data, s))
			return;
	}
}

/* All that is not of threads, from segment `first` (by offset) on. Marks what is of threads as
 * dirty. */
static void others_read(struct load *load, size_t first)
{
	struct data *data = load->data;

	for (size_t i = first; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];

		if (!data_is_loaded(s->type))
			load_read(load->fd, header_of(data, s), SEGMENT_HEADER, s->offset - SEGMENT_HEADER);
		else if (is_of_thread(s->type))
			dirty_add(load, s->owner);
		else
			other_read(load, s);
	}
}

static void threads_read(struct load *load)
{
	struct data *data = load->data;

	util_sort(data->segments, data->n_segments, sizeof(*data->segments), compare_segments, NULL);
	load->unsettled = 0;
	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];

		/* Reads the header of each area, and what does not depend on the thread's
		 * description. A journal has nothing of that. */
		if (!is_of_thread(s->type) || !is_dirty(load, s->owner))
			continue;
		if (s->type == CINSTR_SEG_JOURNAL)
			load_read(load->fd, header_of(data, s), SEGMENT_HEADER, s->offset - SEGMENT_HEADER);
		else
			segment_read(load, s);
	}
	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];

		if (is_tree(s->type) && is_dirty(load, s->owner) && !thread_read(load, s))
			load->unsettled++;
	}
	if (load->n_dirty)
		memset(load->dirty, 0, load->n_dirty);
	load->odd_dirty = 0;
	util_sort(data->segments, data->n_segments, sizeof(*data->segments), compare_offsets, NULL);
}

/* Looks for segments that have changed hands, and marks the threads that gave or took them as
 * dirty. Returns their number. */
static size_t look_again(struct load *load)
{
	struct data *data = load->data;
	size_t n_changed = 0;

	for (size_t i = 0; i < data->n_segments; i++) {
		struct data_segment *s = &data->segments[i];
		struct cinstr_segment now;

		if (load_read(load->fd, &now, sizeof(now), s->offset - SEGMENT_HEADER) != sizeof(now) ||
		    (now.type == s->type && now.owner == s->owner))
			continue;
		n_changed++;
		if (is_of_thread(s->type))
			dirty_add(load, s->owner);
		s->type = now.type;
		s->owner = now.owner;
		s->used = now.used < s->bytes ? now.used : s->bytes;
		if (!data_is_loaded(s->type))
			*header_of(data, s) = now;
		else if (is_of_thread(s->type))
			dirty_add(load, s->owner);
		else
			other_read(load, s);
	}
	return n_changed;
}

/* The file may have grown. Returns 1: there is more, and it is read. */
static int grow(struct load *load)
{
	struct data *data = load->data;
	uint64_t bytes = 0, old = data->file_bytes;
	size_t n = data->n_segments;

	if (load_read(load->fd, &bytes, sizeof(bytes), offsetof(struct cinstr_header, file_bytes)) !=
		    sizeof(bytes) ||
	    bytes <= old || bytes % CINSTR_PAGE || !data->n_segments)
		return 0;
	if (data->segments[n - 1].offset + data->segments[n - 1].bytes != old) /* damaged there */
		return 0;
	data->file_bytes = bytes;
	if (memory_resize(data, bytes)) {
		data->file_bytes = old;
		return 0;
	}
	segments_walk(data, load->fd, old);
	others_read(load, n);
	return 1;
}

/* Marks and phases: all that the threads, read before, know of. */
static void marks_read(const struct load *load)
{
	const struct data *data = load->data;

	for (size_t i = 0; i < data->n_segments; i++)
		if (data->segments[i].type == CINSTR_SEG_MARKS || data->segments[i].type == CINSTR_SEG_PHASES)
			segment_read(load, &data->segments[i]);
}

/* Of a sampled process: what its samples, read before, refer to; then what that refers to. */
static void samples_settle(const struct load *load)
{
	static const uint32_t types[] = { CINSTR_SEG_STACKS, CINSTR_SEG_TASKS, CINSTR_SEG_MODULES };
	const struct data *data = load->data;

	for (size_t k = 0; data->header->method == CINSTR_METHOD_SAMPLING && k < ARRAY_SIZE(types); k++)
		for (size_t i = 0; i < data->n_segments; i++)
			if (data->segments[i].type == types[k])
				other_read(load, &data->segments[i]);
}

/* `used` of segments as they were read, for readers that go by it. */
static void segments_finish(struct data *data)
{
	for (size_t i = 0; i < data->n_segments; i++) {
		struct data_segment *s = &data->segments[i];
		struct cinstr_segment *header = header_of(data, s);

		if (!data_is_loaded(s->type))
			continue;
		s->used = header->used < s->bytes ? header->used : s->bytes;
		if (checksum_is_wrong(data, s))
			data_problem(data, s->offset, "checksum of a segment of type %u is wrong", s->type);
	}
}

static int has_ended(int fd)
{
	uint32_t end = CINSTR_END_UNKNOWN;

	return load_read(fd, &end, sizeof(end), offsetof(struct cinstr_header, end)) == sizeof(end) &&
	       end != CINSTR_END_UNKNOWN;
}

/* ---- of a process that has ended ------------------------------------------------------------- */

/* Of a journal only what counts is read: mostly nothing. */
static int is_read_as_it_is(uint32_t type)
{
	return data_is_loaded(type) && type != CINSTR_SEG_JOURNAL;
}

static void journal_read(const struct load *load, const struct data_segment *s)
{
	struct data *data = load->data;
	const struct cinstr_thread *t = (const void *)(data->memory + s->offset);
	const struct data_segment *own;
	uint64_t bytes;
	size_t n;

	if (s->bytes < sizeof(*t) || t->journal_commit != t->commit)
		return;
	own = data_segments_of(data, s->owner, &n);
	bytes = area_bytes(own, n, CINSTR_SEG_JOURNAL, t->journal_offset, t->journal_bytes);
	if (bytes)
		load_read(load->fd, data->memory + t->journal_offset, bytes, t->journal_offset);
}

/* A piece of the file, whose pages are got together rather than one by one. */
static int data_read(const struct load *load, uint64_t from, uint64_t to)
{
#ifdef MADV_POPULATE_WRITE
	uint64_t page = from & ~(uint64_t)(CINSTR_PAGE - 1);

	/* an error where the kernel does not know it */
	madvise(load->data->memory + page, to - page, MADV_POPULATE_WRITE);
#endif
	return load_read(load->fd, load->data->memory + from, to - from, from) == to - from;
}

/*
 * A piece that may have parts in which nothing was ever stored, as most of what a short process has
 * set aside: these are zero in the memory already. Where the file system does not tell, all is
 * read.
 */
static int piece_read(const struct load *load, uint64_t from, uint64_t to)
{
	while (from < to) {
		off_t data = lseek(load->fd, (off_t)from, SEEK_DATA);
		off_t hole = data < 0 ? -1 : lseek(load->fd, data, SEEK_HOLE);
		uint64_t end = hole > data && (uint64_t)hole < to ? (uint64_t)hole : to;

		if (data < 0 ? errno == ENXIO : (uint64_t)data >= to) /* nothing more */
			return 1;
		if (!data_read(load, data < 0 ? from : (uint64_t)data, end))
			return 0;
		from = end;
	}
	return 1;
}

/* All segments once, those that stand one behind another at once. 0: some of it cannot be read. */
static int read_at_once(const struct load *load, uint64_t first)
{
	struct data *data = load->data;
	uint64_t from = 0, to = first;

	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];
		uint64_t at = s->offset - SEGMENT_HEADER;

		if (at != to) {
			if (!piece_read(load, from, to))
				return 0;
			from = at;
		}
		to = s->offset + (is_read_as_it_is(s->type) ? s->bytes : 0);
	}
	if (!piece_read(load, from, to))
		return 0;
	segments_finish(data);
	util_sort(data->segments, data->n_segments, sizeof(*data->segments), compare_segments, NULL);
	for (size_t i = 0; i < data->n_segments; i++)
		if (is_tree(data->segments[i].type))
			journal_read(load, &data->segments[i]);
	return 1;
}

/* ---- all of a file --------------------------------------------------------------------------- */

int load_segments(struct data *data, int fd, uint64_t first)
{
	struct load load = { .data = data, .fd = fd };
	int has_grown, rounds = 0, is_noted = has_ended(fd), is_ended = is_noted || data->is_over;
	size_t n_dirty;

	segments_walk(data, fd, first);
	if (mapping_may(fd, data->file_bytes, is_noted)) {
		data->fd = fd;
		data->is_mapped = 1;
	}
	if (memory_resize(data, data->file_bytes))
		return -1;
	if (data->is_mapped) {
		segments_finish(data);
		util_sort(data->segments, data->n_segments, sizeof(*data->segments), compare_segments, NULL);
		return 0;
	}
	if (is_ended && read_at_once(&load, first))
		return 0;
	load_read(fd, data->memory, first, 0);
	others_read(&load, 0);
	do {
		threads_read(&load);
		n_dirty = look_again(&load);
		/* also when something is dirty: each round reads all that there is by then */
		has_grown = grow(&load);
	} while ((n_dirty || has_grown) && ++rounds < ROUNDS);
	data->unsettled = load.unsettled + (rounds == ROUNDS);
	samples_settle(&load);
	marks_read(&load);
	load_read(fd, data->memory, first, 0);
	segments_finish(data);
	util_sort(data->segments, data->n_segments, sizeof(*data->segments), compare_segments, NULL);
	free(load.dirty);
	return 0;
}

int load_reserve(struct data *data, uint64_t room, uint64_t spare)
{
	size_t n_problems = data->n_problems;

	data->end = (data->file_bytes + CINSTR_PAGE - 1) & ~(uint64_t)(CINSTR_PAGE - 1);
	if (spare && !memory_resize(data, data->end + room + spare))
		return 0;
	while (data->n_problems > n_problems)
		free(data->problems[--data->n_problems].reason);
	return memory_resize(data, data->end + room);
}
