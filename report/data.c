/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * data.c - opening a data file: header, segments, properties (data.h).
 *
 * The file is read, not mapped: a file that shrinks cannot kill the reader, and what has been
 * checked cannot change afterwards. The timeline and given-back segments are left where they are.
 */
#include "data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SEGMENT_HEADER sizeof(struct cinstr_segment)
/* Times that a thread which is recording is read again until it holds still. */
#define LIVE_ATTEMPTS 20
/* What the fold of the pending records may add: each makes at most three cells and a bucket. */
#define ROOM_PER_RECORD (4 * sizeof(struct cinstr_cell))
#define ROOM_EXTRA (1u << 20)

void data_problem(struct data *data, uint64_t offset, const char *format, ...)
{
	struct strbuf text = { 0 };
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&text, format, args);
	va_end(args);
	data->problems = xrealloc(data->problems, data->n_problems + 1, sizeof(*data->problems));
	data->problems[data->n_problems++] = (struct data_problem){ offset, text.text };
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Reads as much as there is. Returns the number of bytes. */
static uint64_t read_at(int fd, void *to, uint64_t bytes, uint64_t offset)
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
			     data->not_begun
				     ? "the file holds no data yet: its process was stopped while it began"
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
	data->segments = xrealloc(data->segments, data->n_segments + 1, sizeof(*data->segments));
	data->segments[data->n_segments++] = (struct data_segment){
		.type = s->type,
		.owner = s->owner,
		.offset = at + SEGMENT_HEADER,
		.bytes = payload,
		.used = s->used < payload ? s->used : payload,
	};
}

static int compare_segments(const void *a, const void *b)
{
	const struct data_segment *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

const struct data_segment *data_segments_of(const struct data *data, uint32_t owner, size_t *n)
{
	size_t low = 0, high = data->n_segments, end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (data->segments[middle].owner < owner)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < data->n_segments && data->segments[end].owner == owner;)
		end++;
	*n = end - low;
	return data->segments + low;
}

/* Finds the segments. Where a header is damaged, looks for the next one page by page. */
static void segments_walk(struct data *data, int fd, uint64_t at)
{
	struct cinstr_segment s;
	int lost = 0;

	while (at < data->file_bytes && read_at(fd, &s, sizeof(s), at) == sizeof(s)) {
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
	if (data->n_segments)
		qsort(data->segments, data->n_segments, sizeof(*data->segments), compare_segments);
}

static int is_loaded(uint32_t type)
{
	return type != CINSTR_SEG_TIMELINE && type != CINSTR_SEG_FREE;
}

static uint64_t room_needed(const struct data *data)
{
	uint64_t room = ROOM_EXTRA;

	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];

		if (s->type == CINSTR_SEG_BUFFER)
			room += s->bytes / sizeof(struct cinstr_record) * ROOM_PER_RECORD;
		if (s->type == CINSTR_SEG_STACK)
			room += 4 * s->bytes;
	}
	return room;
}

static int memory_reserve(struct data *data)
{
	uint64_t page_mask = CINSTR_PAGE - 1;

	data->end = (data->file_bytes + page_mask) & ~page_mask;
	data->reserved = data->end + room_needed(data);
	data->reserved = (data->reserved + page_mask) & ~page_mask;
	data->memory = mmap(NULL, data->reserved, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (data->memory != MAP_FAILED)
		return 0;
	data->memory = NULL;
	data_problem(data, 0, "no memory for its %llu bytes", (unsigned long long)data->file_bytes);
	return -1;
}

static void segment_load(struct data *data, int fd, const struct data_segment *s)
{
	uint64_t at = s->offset - SEGMENT_HEADER;
	uint64_t bytes = s->bytes + SEGMENT_HEADER;

	if (is_loaded(s->type) && read_at(fd, data->memory + at, bytes, at) != bytes)
		data_problem(data, at, "cannot be read: %s", errno ? strerror(errno) : "the file ends");
}

static void checksum_check(struct data *data, const struct data_segment *s)
{
	const struct cinstr_segment *header = (const void *)(data->memory + s->offset - SEGMENT_HEADER);

	if (!is_loaded(s->type) || !header->sealed || header->used > s->bytes)
		return;
	if (XXH3_64bits(data->memory + s->offset, header->used) != header->checksum)
		data_problem(data, s->offset, "checksum of a segment of type %u is wrong", s->type);
}

/*
 * A thread that is recording may have folded while it was read. The undo journal, read last, holds
 * whatever changed since its last commit: if there was no commit meanwhile, undoing it gives that
 * state exactly.
 */
static void thread_load_again(struct data *data, int fd, const struct data_segment *s)
{
	const struct cinstr_thread *thread = (const void *)(data->memory + s->offset);
	size_t n;
	const struct data_segment *own = data_segments_of(data, s->owner, &n);

	for (int attempt = 0; attempt < LIVE_ATTEMPTS; attempt++) {
		uint64_t commit = thread->commit;

		for (size_t i = 0; i < n; i++)
			if (own[i].type == CINSTR_SEG_JOURNAL)
				segment_load(data, fd, &own[i]);
		segment_load(data, fd, s);
		if (thread->commit == commit)
			return;
		for (size_t i = 0; i < n; i++)
			if (own[i].type >= CINSTR_SEG_BUFFER)
				segment_load(data, fd, &own[i]);
	}
}

static void segments_load(struct data *data, int fd)
{
	read_at(fd, data->memory, data->header->header_bytes, 0);
	for (size_t i = 0; i < data->n_segments; i++)
		segment_load(data, fd, &data->segments[i]);
	for (size_t i = 0; i < data->n_segments; i++)
		if (data->segments[i].type == CINSTR_SEG_THREAD &&
		    data->segments[i].bytes >= sizeof(struct cinstr_thread))
			thread_load_again(data, fd, &data->segments[i]);
	for (size_t i = 0; i < data->n_segments; i++)
		checksum_check(data, &data->segments[i]);
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
		data->properties =
			xrealloc(data->properties, data->n_properties + 1, sizeof(*data->properties));
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

static void marks_add(struct data *data, const struct data_segment *s)
{
	uint64_t at = s->offset, end = s->offset + s->bytes;

	while (end - at >= sizeof(struct cinstr_mark)) {
		const struct cinstr_mark *mark = (const void *)(data->memory + at);

		if (!mark->bytes)
			return;
		if (!mark_is_sound(mark, end - at)) {
			data_problem(data, at, "a mark is damaged; those behind it are left out");
			return;
		}
		data->marks = xrealloc(data->marks, data->n_marks + 1, sizeof(*data->marks));
		data->marks[data->n_marks++] =
			(struct data_mark){ mark->ticks, mark->tid, mark->site, (const char *)(mark + 1) };
		at += mark->bytes;
	}
}

static int compare_marks(const void *a, const void *b, void *arg)
{
	const struct data_mark *x = a, *y = b;

	(void)arg;
	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? -1 : 1;
	return x->text < y->text ? -1 : x->text > y->text; /* both in the file */
}

const char *data_property(const struct data *data, const char *key)
{
	for (size_t i = 0; i < data->n_properties; i++)
		if (!strcmp(data->properties[i].key, key))
			return data->properties[i].value;
	return NULL;
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

uint64_t data_length_ns(const struct data *data)
{
	const struct cinstr_header *h = data->header;
	uint64_t length = 0, last = 0;
	int known;
	long double ns_per_tick = data_ns_per_tick(data, &known), ns;

	if (h->end_realtime_ns > h->start_realtime_ns)
		return h->end_realtime_ns - h->start_realtime_ns;
	for (int i = 2; !length && i > 0; i--)
		if (h->clock_ns[i] > h->clock_ns[0])
			length = h->clock_ns[i] - h->clock_ns[0];
	for (size_t i = 0; i < data->n_threads; i++)
		if (data->threads[i].state->time > last)
			last = data->threads[i].state->time;
	ns = last > h->clock_ticks[0] ? (long double)(last - h->clock_ticks[0]) * ns_per_tick : 0;
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
	n = read_at(fd, &first, sizeof(first), 0);
	if (header_check(data, &first.header, n))
		return -1;
	data->file_bytes = usable_bytes(data, &first.header, (uint64_t)st.st_size);
	if (data->file_bytes < first.header.header_bytes) {
		data_problem(data, data->file_bytes, "nothing but the header is left");
		return -1;
	}
	segments_walk(data, fd, first.header.header_bytes);
	if (memory_reserve(data))
		return -1;
	memcpy(data->memory, &first, sizeof(first));
	data->header = (const struct cinstr_header *)(const void *)data->memory;
	segments_load(data, fd);
	identity_check(data, data->header);
	return 0;
}

int data_open(struct data *data, const char *path)
{
	int fd, status;

	*data = (struct data){ .path = xstrdup(path) };
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		data_problem(data, 0, "cannot be opened: %s", strerror(errno));
		return -1;
	}
	status = open_fd(data, fd);
	close(fd);
	if (status)
		return -1;
	for (size_t i = 0; i < data->n_segments; i++) {
		const struct data_segment *s = &data->segments[i];

		if (s->type == CINSTR_SEG_PROPERTIES)
			properties_add(data, s);
		if (s->type == CINSTR_SEG_MODULES)
			modules_add(&data->modules, data, s->offset, s->used);
		if (s->type == CINSTR_SEG_MARKS)
			marks_add(data, s);
	}
	util_sort(data->marks, data->n_marks, sizeof(*data->marks), compare_marks, NULL);
	modules_finish(&data->modules, data);
	threads_build(data);
	return 0;
}

void data_release(struct data *data)
{
	threads_release(data);
	modules_release(&data->modules);
	for (size_t i = 0; i < data->n_problems; i++)
		free(data->problems[i].reason);
	free(data->problems);
	free(data->marks);
	free(data->properties);
	free(data->segments);
	if (data->memory)
		munmap(data->memory, data->reserved);
	free(data->path);
	*data = (struct data){ 0 };
}
