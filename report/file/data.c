/* SPDX-License-Identifier: GPL-3.0-or-later */
/* data.c - opening a data file: header, segments (load.c), properties, marks (data.h). */
#include "data.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/files.h"
#include "lib/order.h"
#include "lib/search.h"
#include "lib/util.h"
#include "mapping.h"
#include "pack.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/*
 * What the fold of the pending records may add: each makes at most three cells with what hangs at
 * them; and to each open activation.
 */
#define ROOM_PER_RECORD (16 * sizeof(struct cinstr_cell))
#define ROOM_PER_OPEN (6 * sizeof(struct cinstr_cell))
#define ROOM_EXTRA (1u << 20)
/* Address space for trees that are made of the timeline. */
#define ROOM_TO_REPLAY (16ull << 30)
#define ROOM_PHASE_CALLS (8ull << 20) /* of a thread, at most */

static _Thread_local uint32_t problems_group;

void data_problems_of(uint32_t group)
{
	problems_group = group;
}

ORDER_ITEMS(compare_problems, struct data_problem, ORDER(x->group, y->group))

/* The qsort_r of glibc keeps the order of equal items as long as it can allocate memory; nothing
 * here needs more than that. */
void data_problems_sort(struct data *data, size_t first)
{
	if (data->n_problems > first)
		util_sort(data->problems + first, data->n_problems - first, sizeof(*data->problems),
			  compare_problems, NULL);
}

void data_problem(struct data *data, uint64_t offset, const char *format, ...)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct strbuf text = { 0 };
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&text, format, args);
	va_end(args);
	pthread_mutex_lock(&lock);
	ARRAY_ONE_MORE(data->problems, data->n_problems);
	data->problems[data->n_problems++] = (struct data_problem){ offset, text.text, problems_group };
	pthread_mutex_unlock(&lock);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int header_check(struct data *data, const struct cinstr_header *header, uint64_t bytes)
{
	if (bytes == 0) {
		data->not_begun = 1;
		data_problem(data, 0, "the file is empty");
		return -1;
	}
	if (bytes < 8 || memcmp(header->magic, CINSTR_FILE_MAGIC, 8)) {
		static const char nothing[8];

		data->not_begun = bytes >= 8 && !memcmp(header->magic, nothing, 8);
		data_problem(data, 0,
			     data->not_begun ? "the file holds no data yet: its process is starting, or was "
					       "stopped while starting"
					     : "not a cinstr data file (wrong magic)");
		return -1;
	}
	if (bytes >= 12 && header->version != CINSTR_FORMAT_VERSION) {
		data_problem(data, 8, "format version %u, but this cinstr reads version %u", header->version,
			     CINSTR_FORMAT_VERSION);
		return -1;
	}
	if (bytes < sizeof(*header)) {
		data_problem(data, bytes, "the file ends inside its header");
		return -1;
	}
	if (header->header_bytes < sizeof(*header) || header->header_bytes % CINSTR_PAGE) {
		data_problem(data, 12, "size of the header is %u", header->header_bytes);
		return -1;
	}
	return 0;
}

static void identity_check(struct data *data, const struct cinstr_header *header)
{
	size_t from = offsetof(struct cinstr_header, pid);
	size_t to = offsetof(struct cinstr_header, file_bytes);

	if (XXH3_64bits((const char *)header + from, to - from) != header->identity_checksum)
		data_problem(data, from,
			     "checksum of the header's identity is wrong: "
			     "process number and times may be, too");
}

/* End of the usable part: what the header says, as far as the file has it. */
static uint64_t usable_bytes(struct data *data, const struct cinstr_header *header, uint64_t size)
{
	if (header->file_bytes < header->header_bytes || header->file_bytes % CINSTR_PAGE) {
		data_problem(data, offsetof(struct cinstr_header, file_bytes),
			     "length in the header is wrong (%llu); going by the file's",
			     (unsigned long long)header->file_bytes);
		return size;
	}
	if (header->file_bytes > size) {
		data_problem(data, size, "the file is truncated: %llu of %llu bytes are there",
			     (unsigned long long)size, (unsigned long long)header->file_bytes);
		return size;
	}
	return header->file_bytes;
}

/* ---- segments -------------------------------------------------------------------------------- */

const struct data_segment *data_segments_of(const struct data *data, uint32_t owner, size_t *n)
{
	size_t i, end;

	SEARCH(i, data->n_segments, data->segments[i].owner >= owner);
	for (end = i; end < data->n_segments && data->segments[end].owner == owner;)
		end++;
	*n = end - i;
	return data->segments + i;
}

int data_is_loaded(uint32_t type)
{
	return type != CINSTR_SEG_TIMELINE && type != CINSTR_SEG_FREE;
}

/* For a thread's open calls once more in each phase that has begun since it folded. */
static uint64_t room_for_phases(const struct data *data, const struct data_segment *s)
{
	const struct cinstr_thread *t = (const void *)(data->memory + s->offset);
	const struct cinstr_fold_state *state = &t->states[t->commit & 1];
	uint64_t calls, due;

	if (s->bytes < sizeof(*t) || t->state == CINSTR_THREAD_ENDED || state->phase >= data->n_phases)
		return 0;
	due = data->n_phases - state->phase;
	calls = 2 + state->depth + (uint32_t)t->buffer_bytes / sizeof(struct cinstr_record);
	return due * calls < ROOM_PHASE_CALLS ? due * calls * 2 * sizeof(struct cinstr_cell)
					      : ROOM_PHASE_CALLS * 2 * sizeof(struct cinstr_cell);
}

static uint64_t room_needed(const struct data *data)
{
	uint64_t room = ROOM_EXTRA + merged_room(data);

	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];

		if (s->type == CINSTR_SEG_BUFFER)
			room += s->bytes / sizeof(struct cinstr_record) * ROOM_PER_RECORD;
		if (s->type == CINSTR_SEG_STACK)
			room += 4 * s->bytes + s->bytes / sizeof(struct cinstr_open) * ROOM_PER_OPEN;
		if (s->type == CINSTR_SEG_THREAD && data->n_phases)
			room += room_for_phases(data, s);
		if (s->type == CINSTR_SEG_CELLS && data->n_phases) /* for phases joined, twice */
			room += 8 * s->bytes;
	}
	return room;
}

/* ---- properties ------------------------------------------------------------------------------ */

static void properties_add(struct data *data, const struct data_segment *s)
{
	const char *at = data->memory + s->offset, *end = at + s->used;

	while (at < end && *at) {
		const char *value = memchr(at, '\0', (size_t)(end - at));
		const char *next = value ? memchr(value + 1, '\0', (size_t)(end - value - 1)) : NULL;

		if (!next) {
			data_problem(data, (uint64_t)(at - data->memory), "a property is cut off");
			return;
		}
		ARRAY_ONE_MORE(data->properties, data->n_properties);
		data->properties[data->n_properties++] = (struct data_property){ at, value + 1 };
		at = next + 1;
	}
}

/* ---- marks ----------------------------------------------------------------------------------- */

/* Whether a mark of this many bytes fits into `left` and its text ends inside it. */
static int mark_is_sound(const struct cinstr_mark *mark, uint64_t left)
{
	return mark->bytes > sizeof(*mark) && mark->bytes % 8 == 0 && mark->bytes <= left &&
	       memchr(mark + 1, '\0', mark->bytes - sizeof(*mark));
}

/* Where marks are looked for word by word, a piece of another one's text may look like a mark. */
static int mark_is_likely(const struct cinstr_mark *mark)
{
	size_t length = strlen((const char *)(mark + 1));

	return mark->bytes == ((sizeof(*mark) + length + 1 + 7) & ~7ul) &&
	       CINSTR_MARK_KIND(mark->kind) < CINSTR_MARK_KINDS && mark->ticks &&
	       (mark->tid || CINSTR_MARK_KIND(mark->kind) == CINSTR_MARK_OUTSIDE);
}

static void mark_add(struct data *data, const struct cinstr_mark *mark)
{
	data->marks = xrealloc(data->marks, data->n_marks + 1, sizeof(*data->marks));
	data->marks[data->n_marks++] = (struct data_mark){ .ticks = mark->ticks,
							   .tid = mark->tid,
							   .site = mark->site,
							   .kind = CINSTR_MARK_KIND(mark->kind),
							   .id = mark->id,
							   .text = (const char *)(mark + 1),
							   .phase = CINSTR_MARK_PHASE(mark->kind) };
}

/*
 * A mark whose length is 0 was never finished: whoever wrote it was stopped there. How long it was
 * to be is not known, so the next one is looked for.
 */
static void marks_add(struct data *data, const struct data_segment *s)
{
	uint64_t at = s->offset, end = s->offset + s->bytes;
	int searching = 0;

	while (end - at >= sizeof(struct cinstr_mark)) {
		const struct cinstr_mark *mark = (const void *)(data->memory + at);

		if (mark_is_sound(mark, end - at) && (!searching || mark_is_likely(mark))) {
			mark_add(data, mark);
			at += mark->bytes;
			searching = 0;
			continue;
		}
		if (mark->bytes && !searching) {
			data_problem(data, at, "a mark is damaged; those after it are left out");
			return;
		}
		searching = 1;
		at += 8;
	}
}

/* A moment of 0 was reserved by a thread that was stopped before it stored the moment: the phase
 * has not begun. */
static void phases_add(struct data *data, const struct data_segment *s)
{
	const struct cinstr_phases *p = (const void *)(data->memory + s->offset);
	uint64_t most = s->bytes < sizeof(*p) ? 0 : (s->bytes - sizeof(*p)) / sizeof(p->begin_ticks[0]);
	uint32_t n = 0;

	if (data->phases_at || s->bytes < sizeof(*p))
		return;
	if (p->n > most || p->max > most) {
		data_problem(data, s->offset, "the list of phases is longer than its place");
		return;
	}
	while (n < p->n && p->begin_ticks[n] && (!n || p->begin_ticks[n] >= p->begin_ticks[n - 1]))
		n++;
	if (n < p->n && p->begin_ticks[n])
		data_problem(data, s->offset, "the phases' begins are out of order after number %u", n);
	data->phases_at = s->offset;
	data->n_phases = n;
}

uint64_t data_room(struct data *data, uint64_t bytes)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	uint64_t at;

	pthread_mutex_lock(&lock);
	at = data->end;
	if (bytes > data->reserved - at ||
	    (at + bytes) / sizeof(struct cinstr_cell) > UINT32_MAX - CINSTR_PHASES_MAX)
		at = 0;
	else
		data->end += bytes;
	pthread_mutex_unlock(&lock);
	return at;
}

/* Marks of the same time stay in the order of the file, where their texts are. */
ORDER_ITEMS(compare_marks, struct data_mark, ORDER(x->ticks, y->ticks), ORDER(x->text, y->text))

void data_marks_sort(struct data *data)
{
	util_sort(data->marks, data->n_marks, sizeof(*data->marks), compare_marks, NULL);
}

const char *data_property(const struct data *data, const char *key)
{
	for (size_t i = 0; i < data->n_properties; i++)
		if (!strcmp(data->properties[i].key, key))
			return data->properties[i].value;
	return NULL;
}

const char *process_host(const struct data *data)
{
	const char *pod = data_property(data, "pod"), *host = pod ? pod : data_property(data, "hostname");

	return host && *host ? host : NULL;
}

long double data_ns_per_tick(const struct data *data, int *known)
{
	const struct cinstr_header *h = data->header;

	*known = 1;
	if (h->clock == CINSTR_CLOCK_MONOTONIC_RAW)
		return 1;
	for (int i = 2; i > 0; i--) {
		if (h->clock_ticks[i] > h->clock_ticks[0] && h->clock_ns[i] > h->clock_ns[0])
			return (long double)(h->clock_ns[i] - h->clock_ns[0]) /
			       (long double)(h->clock_ticks[i] - h->clock_ticks[0]);
	}
	*known = 0;
	return 1;
}

/* Which pair of clocks the recording began with: a forked child's first one is its parent's. */
static int first_pair(const struct cinstr_header *header)
{
	return header->forked && header->clock_ns[1] ? 1 : 0;
}

long double data_ns_since_begin(const struct data *data, uint64_t ticks)
{
	uint64_t begin = data->header->clock_ticks[first_pair(data->header)];
	int known;

	return ticks > begin ? (long double)(ticks - begin) * data_ns_per_tick(data, &known) : 0;
}

uint64_t data_length_ns(const struct data *data)
{
	const struct cinstr_header *h = data->header;
	int first = first_pair(h);
	uint64_t length = 0, last = 0;
	long double ns;

	if (h->end_realtime_ns > h->start_realtime_ns) {
		length = h->end_realtime_ns - h->start_realtime_ns;
		/* Destructors have gone on behind the handlers; a merged tree's stamps are sums. */
		if (h->end != CINSTR_END_HANDLERS || data->merged)
			return length;
	}
	for (int i = 2; !length && i > first; i--)
		if (h->clock_ns[i] > h->clock_ns[first])
			length = h->clock_ns[i] - h->clock_ns[first];
	for (size_t i = 0; i < data->n_threads; i++)
		if (data->threads[i].state->time > last)
			last = data->threads[i].state->time;
	ns = data_ns_since_begin(data, last);
	return ns > (long double)length && ns < 1e18L ? (uint64_t)ns : length;
}

/* ---- open, release --------------------------------------------------------------------------- */

static int open_fd(struct data *data, int fd)
{
	union {
		struct cinstr_header header;
		char bytes[CINSTR_PAGE];
	} first = { 0 };
	struct stat st;
	uint64_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		data_problem(data, 0, "not a regular file");
		return -1;
	}
	n = load_read(fd, &first, sizeof(first), 0);
	if (header_check(data, &first.header, n))
		return -1;
	data->file_bytes = usable_bytes(data, &first.header, (uint64_t)st.st_size);
	if (data->file_bytes < first.header.header_bytes) {
		data_problem(data, data->file_bytes, "nothing but the header is left");
		return -1;
	}
	if (load_segments(data, fd, first.header.header_bytes))
		return -1;
	identity_check(data, data->header);
	return 0;
}

static void mapped_fd_close(struct data *data)
{
	if (data->is_mapped && data->fd >= 0)
		close(data->fd);
	data->fd = -1;
}

/* A packed file's content, in place of the file. */
static int unpacked(struct data *data, int fd)
{
	char *why;
	int content = pack_open(fd, &why);

	if (why)
		data_problem(data, CINSTR_PAGE, "%s", why);
	free(why);
	return content;
}

static int load(struct data *data, const char *path, int is_over)
{
	int fd, status;

	*data = (struct data){ .path = xstrdup(path), .loaded_ns = util_raw_ns(), .is_over = is_over };
	fd = files_open(path, 0);
	if (fd < 0) {
		data_problem(data, 0, "cannot be opened: %s", files_problem(errno));
		return -1;
	}
	fd = unpacked(data, fd);
	if (fd < 0)
		return -1;
	status = open_fd(data, fd);
	if (!data->is_mapped)
		close(fd);
	if (status)
		data->header = NULL;
	return status;
}

int data_load(struct data *data, const char *path)
{
	return load(data, path, 0);
}

int data_open(struct data *data, const char *path)
{
	return data_open_by(data, path, &(struct data_opening){ 0 });
}

static int is_sampled(const struct data *data)
{
	return data->header->method == CINSTR_METHOD_SAMPLING;
}

int data_open_by(struct data *data, const char *path, const struct data_opening *opening)
{
	if (load(data, path, opening->is_over))
		return -1;
	data->tables = opening->tables;
	data->is_to_merge = opening->is_to_merge;
	if (opening->note_end)
		opening->note_end(data);
	for (size_t i = 0; i < data->n_segments; i++)
		if (data->segments[i].type == CINSTR_SEG_PHASES && !is_sampled(data))
			phases_add(data, &data->segments[i]);
	if (load_reserve(data, is_sampled(data) ? samples_room(data) : room_needed(data),
			 data->header->timeline_mode ? ROOM_TO_REPLAY : 0)) {
		data->header = NULL;
		return -1;
	}
	mapped_fd_close(data);
	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];

		if (s->type == CINSTR_SEG_PROPERTIES)
			properties_add(data, s);
		if (s->type == CINSTR_SEG_MODULES)
			modules_add(&data->modules, data, s->offset, s->used);
		if (s->type == CINSTR_SEG_MARKS)
			marks_add(data, s);
	}
	data_marks_sort(data);
	modules_finish(&data->modules, data);
	counters_read(data);
	if (is_sampled(data))
		samples_build(data);
	else
		threads_build(data);
	if (!is_sampled(data))
		merged_build(data);
	return 0;
}

int data_open_modules(struct data *data, const char *path)
{
	if (data_load(data, path))
		return -1;
	mapped_fd_close(data);
	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];

		if (s->type == CINSTR_SEG_PROPERTIES)
			properties_add(data, s);
		if (s->type == CINSTR_SEG_MODULES)
			modules_add(&data->modules, data, s->offset, s->used);
	}
	return 0;
}

void data_release(struct data *data)
{
	threads_release(data);
	mixed_release(data);
	merged_release(data);
	samples_release(data);
	counters_release(data);
	modules_release(&data->modules);
	for (size_t i = 0; i < data->n_problems; i++)
		free(data->problems[i].reason);
	free(data->problems);
	free(data->marks);
	free(data->properties);
	free(data->segments);
	if (data->is_mapped)
		mapping_remove(data->memory);
	mapped_fd_close(data);
	if (data->memory)
		munmap(data->memory, data->reserved);
	free(data->path);
	*data = (struct data){ 0 };
}
