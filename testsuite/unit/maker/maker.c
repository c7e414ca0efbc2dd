/* SPDX-License-Identifier: GPL-3.0-or-later */
/* maker.c - see maker.h. */
#include "maker.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define JOURNAL_PAGES 4

/* ---- the file -------------------------------------------------------------------------------- */

static void grow(struct maker *m, size_t n)
{
	if (n > m->size) {
		m->bytes = realloc(m->bytes, 2 * n);
		memset(m->bytes + m->size, 0, 2 * n - m->size);
		m->size = 2 * n;
	}
	m->n = n;
}

struct cinstr_header *maker_header(struct maker *m)
{
	return (struct cinstr_header *)(void *)m->bytes;
}

size_t maker_segment(struct maker *m, uint32_t type, uint32_t owner, size_t pages)
{
	size_t at = m->n;
	struct cinstr_segment *s;

	grow(m, at + pages * CINSTR_PAGE);
	s = (struct cinstr_segment *)(void *)(m->bytes + at);
	s->magic = CINSTR_SEGMENT_MAGIC;
	s->type = type;
	s->owner = owner;
	s->bytes = pages * CINSTR_PAGE;
	s->used = s->bytes - sizeof(*s);
	return at + sizeof(*s);
}

static void seal(struct maker *m, size_t payload, size_t used)
{
	struct cinstr_segment *s = (struct cinstr_segment *)(void *)(m->bytes + payload - sizeof(*s));

	s->used = used;
	s->sealed = 1;
	s->checksum = XXH3_64bits(m->bytes + payload, used);
}

void maker_rename(struct maker *m, const char *from, const char *to)
{
	struct cinstr_segment *s;

	for (size_t at = CINSTR_PAGE; at < m->n; at += s->bytes) {
		char *payload = m->bytes + at + sizeof(*s), *name;

		s = (struct cinstr_segment *)(void *)(m->bytes + at);
		name = s->sealed ? memmem(payload, s->used, from, strlen(from) + 1) : NULL;
		if (!name)
			continue;
		memcpy(name, to, strlen(to) + 1);
		seal(m, at + sizeof(*s), s->used);
	}
}

/* ---- threads --------------------------------------------------------------------------------- */

static uint32_t cell_new(struct maker *m, uint32_t thread)
{
	return (uint32_t)(m->cells[thread] / 64) + m->n_cells[thread]++;
}

struct cinstr_cell *maker_cell_at(struct maker *m, uint32_t index)
{
	return (struct cinstr_cell *)(void *)(m->bytes + (size_t)index * 64);
}

static uint32_t node_new(struct maker *m, uint32_t thread, struct cinstr_cell cell)
{
	uint32_t index = cell_new(m, thread);

	cell.first_ticks = UINT64_MAX;
	*maker_cell_at(m, index) = cell;
	m->ticks[thread] += cell.ticks;
	return index;
}

struct cinstr_thread *maker_thread_at(struct maker *m, uint32_t thread)
{
	return (struct cinstr_thread *)(void *)(m->bytes + m->threads[thread]);
}

uint32_t maker_root(const struct maker *m, uint32_t thread)
{
	return (uint32_t)(m->cells[thread] / 64);
}

uint32_t maker_thread(struct maker *m, const char *name)
{
	uint32_t i = m->n_threads++;
	size_t stack, journal, buffer;
	struct cinstr_thread *t;

	m->threads[i] = maker_segment(m, CINSTR_SEG_THREAD, i, 1);
	m->cells[i] = maker_segment(m, CINSTR_SEG_CELLS, i, 1);
	stack = maker_segment(m, CINSTR_SEG_STACK, i, 1);
	journal = maker_segment(m, CINSTR_SEG_JOURNAL, i, JOURNAL_PAGES);
	buffer = maker_segment(m, CINSTR_SEG_BUFFER, i, 1);
	t = maker_thread_at(m, i);
	t->tid = 1000 + i;
	t->index = i;
	t->state = CINSTR_THREAD_LIVE;
	strncpy(t->name, name, sizeof(t->name) - 1);
	t->first_ticks = 1000000;
	t->stack_offset = stack;
	t->stack_bytes = CINSTR_PAGE - 64;
	t->journal_offset = journal;
	t->journal_bytes = JOURNAL_PAGES * CINSTR_PAGE - 64;
	t->buffer_offset = buffer;
	t->buffer_bytes = CINSTR_PAGE - 64;
	t->commit = 1;
	t->root = node_new(m, i, (struct cinstr_cell){ .tag = CINSTR_CELL_ROOT });
	t->states[1].current = t->states[1].slot = t->states[1].root = t->root;
	maker_header(m)->threads = m->n_threads;
	return i;
}

uint32_t maker_frame(struct maker *m, uint32_t thread, uint32_t parent, uint32_t site, uint32_t func,
		     uint64_t calls, uint64_t ticks)
{
	return node_new(m, thread,
			(struct cinstr_cell){ .parent = parent,
					      .site = site,
					      .func = func,
					      .tag = CINSTR_CELL_FRAME,
					      .calls = calls,
					      .ticks = ticks });
}

uint32_t maker_call(struct maker *m, uint32_t thread, uint32_t parent, uint32_t site, uint64_t calls,
		    uint64_t ticks)
{
	return node_new(m, thread,
			(struct cinstr_cell){ .parent = parent,
					      .site = site,
					      .tag = CINSTR_CELL_CALL,
					      .calls = calls,
					      .ticks = ticks });
}

uint32_t maker_indirect(struct maker *m, uint32_t thread, uint32_t parent, uint32_t site, uint64_t address,
			uint64_t calls, uint64_t ticks)
{
	return node_new(m, thread,
			(struct cinstr_cell){ .parent = parent,
					      .site = site,
					      .func = (uint32_t)address,
					      .last_exit = (uint32_t)(address >> 32),
					      .tag = CINSTR_CELL_INDIRECT,
					      .calls = calls,
					      .ticks = ticks });
}

uint32_t maker_line(struct maker *m, uint32_t thread, uint32_t parent, uint32_t site, uint64_t calls,
		    uint64_t ticks)
{
	return node_new(m, thread,
			(struct cinstr_cell){ .parent = parent,
					      .site = site,
					      .tag = CINSTR_CELL_LINE,
					      .calls = calls,
					      .ticks = ticks });
}

struct cinstr_mark *maker_mark(struct maker *m, uint32_t tid, uint64_t ticks, uint32_t site, const char *text)
{
	struct cinstr_mark *mark;

	if (!m->marks)
		m->marks = maker_segment(m, CINSTR_SEG_MARKS, 0, 1);
	mark = (struct cinstr_mark *)(void *)(m->bytes + m->marks + m->marks_used);
	*mark = (struct cinstr_mark){ .tid = tid, .ticks = ticks, .site = site };
	mark->bytes = (uint32_t)((sizeof(*mark) + strlen(text) + 1 + 7) & ~7ul);
	strcpy((char *)(mark + 1), text);
	m->marks_used += mark->bytes;
	return mark;
}

void maker_open(struct maker *m, uint32_t thread, uint32_t cell)
{
	struct cinstr_thread *t = maker_thread_at(m, thread);
	struct cinstr_open *open = (struct cinstr_open *)(void *)(m->bytes + t->stack_offset);

	open[t->states[1].depth++] = (struct cinstr_open){ .start_ticks = 1, .cell = cell, .where = 0x8000 };
	t->states[1].current = cell;
}

struct cinstr_detail *maker_detail(struct maker *m, uint32_t thread, uint32_t owner)
{
	struct cinstr_cell *cell = maker_cell_at(m, owner);
	uint32_t kind = CINSTR_CELL_KIND(cell->tag);

	if (!cell->detail) {
		cell->detail = cell_new(m, thread);
		*(struct cinstr_detail *)(void *)maker_cell_at(m, cell->detail) = (struct cinstr_detail){
			.owner = owner,
			.tag = CINSTR_CELL_DETAIL,
			.shortest = { UINT64_MAX, UINT64_MAX },
		};
		if (kind >= CINSTR_CELL_FRAME && kind <= CINSTR_CELL_INDIRECT)
			cell->first_ticks = 0;
	}
	return (struct cinstr_detail *)(void *)maker_cell_at(m, cell->detail);
}

void maker_extremes(struct maker *m, uint32_t thread, uint32_t owner, uint64_t shortest, uint64_t longest)
{
	struct cinstr_detail *detail = maker_detail(m, thread, owner);

	detail->shortest[CINSTR_INCLUSIVE] = shortest;
	detail->longest[CINSTR_INCLUSIVE] = longest;
}

struct cinstr_bucket *maker_bucket_of(struct maker *m, uint32_t thread, uint32_t owner, uint32_t bits,
				      uint64_t intervals, uint32_t voluntary, uint32_t involuntary)
{
	uint32_t index = cell_new(m, thread);
	struct cinstr_bucket *b = (struct cinstr_bucket *)(void *)maker_cell_at(m, index);

	*b = (struct cinstr_bucket){ .owner = owner,
				     .bits = bits,
				     .next = maker_detail(m, thread, owner)->buckets,
				     .tag = CINSTR_CELL_BUCKET,
				     .intervals = intervals,
				     .switches = voluntary | (uint64_t)involuntary << 32 };
	maker_detail(m, thread, owner)->buckets = index;
	return b;
}

void maker_bucket(struct maker *m, uint32_t thread, uint32_t owner, uint32_t bits, uint64_t ticks,
		  uint64_t off_cpu)
{
	struct cinstr_bucket *b =
		maker_bucket_of(m, thread, owner, bits, 1, bits & CINSTR_OS_VOLUNTARY ? 1 : 0,
				bits & CINSTR_OS_INVOLUNTARY ? 1 : 0);

	b->ticks = ticks;
	b->off_cpu_ticks = off_cpu;
}

void maker_root_ticks(struct maker *m, uint32_t thread, uint64_t ticks)
{
	maker_cell_at(m, maker_root(m, thread))->ticks = ticks;
	m->ticks[thread] += ticks;
}

void maker_records(struct maker *m, uint32_t thread, const struct cinstr_record *records, size_t n)
{
	memcpy(m->bytes + maker_thread_at(m, thread)->buffer_offset, records, n * sizeof(*records));
}

/* ---- begin and end --------------------------------------------------------------------------- */

static size_t properties(struct maker *m)
{
	static const char text[] = "exe\0/nowhere/app\0argv0\0./app\0argv1\0--size\0argv2\0a b\0";
	size_t at = maker_segment(m, CINSTR_SEG_PROPERTIES, 0, 1);

	memcpy(m->bytes + at, text, sizeof(text) - 1);
	seal(m, at, sizeof(text) - 1);
	return at;
}

void maker_property(struct maker *m, const char *key, const char *value)
{
	size_t at = maker_segment(m, CINSTR_SEG_PROPERTIES, 0, 1), n = strlen(key) + 1;

	strcpy(m->bytes + at, key);
	strcpy(m->bytes + at + n, value);
	seal(m, at, n + strlen(value) + 1);
}

void maker_init(struct maker *m)
{
	struct cinstr_header *h;
	size_t at, end_of_modules;

	memset(m, 0, sizeof(*m));
	grow(m, CINSTR_PAGE);
	h = maker_header(m);
	memcpy(h->magic, CINSTR_FILE_MAGIC, 8);
	h->version = CINSTR_FORMAT_VERSION;
	h->header_bytes = CINSTR_PAGE;
	h->pid = 4242;
	h->parent_pid = 1;
	h->start_realtime_ns = 1700000000000000000;
	h->clock = CINSTR_CLOCK_TSC;
	h->probes = 2;
	h->threshold_ticks = 10000;
	h->restartable = 1;
	h->clock_ticks[0] = h->clock_ns[0] = 500;
	h->clock_ticks[2] = h->clock_ns[2] = 1000000500;
	h->modules = 2;
	properties(m);
	at = maker_segment(m, CINSTR_SEG_MODULES, 0, 2);
	end_of_modules = maker_libc_module(m, maker_app_module(m, at));
	seal(m, at, end_of_modules - at);
}

void maker_write_raw(struct maker *m, size_t bytes)
{
	/* Written over: a file that is emptied and written again goes to the disk at once
	 * (ext4). */
	int fd = open(m->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, m->bytes, bytes) != (ssize_t)bytes || ftruncate(fd, (off_t)bytes))
		abort();
	close(fd);
}

const char *maker_write(struct maker *m)
{
	struct cinstr_header *h = maker_header(m);
	size_t from = offsetof(struct cinstr_header, pid), to = offsetof(struct cinstr_header, file_bytes);

	for (uint32_t i = 0; i < m->n_threads; i++) {
		struct cinstr_thread *t = maker_thread_at(m, i);

		t->states[1].time =
			t->first_ticks + m->ticks[i] + t->states[1].runtime_ticks + t->states[1].paused_ticks;
	}
	h = maker_header(m);
	h->file_bytes = m->n;
	h->identity_checksum = XXH3_64bits(m->bytes + from, to - from);
	if (!m->path[0]) {
		strcpy(m->path, "/tmp/cinstr-unit-XXXXXX");
		close(mkstemp(m->path));
	}
	maker_write_raw(m, m->n);
	return m->path;
}

static uint64_t sample_least = 9; /* ticks that an interval of a probe costs at least */

void maker_rough(void)
{
	sample_least = 0;
}

static void sample_header(struct maker *m)
{
	struct cinstr_header *h = maker_header(m);

	h->end = CINSTR_END_EXIT;
	h->end_status = 3;
	h->end_realtime_ns = h->start_realtime_ns + 2500000000;
	h->attach_ns = 650000;
	h->calibration.rounds = 2;
	for (int i = 0; i < CINSTR_COST_KINDS; i++) {
		h->calibration.sum[i] = 2 * 10 * 1024;
		h->calibration.minimum[i] = sample_least * 1024;
		h->calibration.maximum[i] = 12 * 1024;
	}
}

static void sample_counts(struct maker *m, uint32_t thread, uint64_t enters, uint64_t exits)
{
	struct cinstr_fold_state *state = &maker_thread_at(m, thread)->states[1];

	state->enters = enters;
	state->exits = exits;
	state->implicit_exits = enters - exits;
	state->events = 2 * enters + 40;
	state->runtime_ticks = 1234567;
	state->voluntary = maker_thread_at(m, thread)->counters_last.voluntary = 2;
}

int maker_sample(const char *path, const char *host)
{
	struct maker m;
	uint32_t at, rec;

	maker_init(&m);
	if (host)
		maker_property(&m, "hostname", host);
	snprintf(m.path, sizeof(m.path), "%s", path);
	sample_header(&m);
	maker_thread(&m, "app");
	maker_root_ticks(&m, 0, 20000);
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 45000000);
	rec = maker_frame(&m, 0, at, maker_code(MAIN_REC), maker_code(REC_ENTER), 1000, 30000000);
	rec = maker_frame(&m, 0, rec, maker_code(REC_REC), maker_code(REC_ENTER), 500000, 7000000);
	maker_call(&m, 0, rec, maker_code(MAIN_PUTS), 10, 250000);
	maker_bucket(&m, 0, at, CINSTR_OS_INVOLUNTARY, 4000000, 3900000);
	at = maker_call(&m, 0, at, maker_code(MAIN_USLEEP), 2, 2000000000);
	maker_bucket(&m, 0, at, CINSTR_OS_VOLUNTARY, 2000000000, 1990000000);
	sample_counts(&m, 0, 501001, 501001);
	maker_thread(&m, "evil\033[31m");
	at = maker_frame(&m, 1, maker_root(&m, 1), 0, maker_code(WORK_ENTER), 1, 90000000);
	maker_call(&m, 1, at, maker_code(WORK_READ), 7, 3000000);
	maker_indirect(&m, 1, at, maker_code(MAIN_POINTER), MAKER_LIBC + 0x123, 1, 60000);
	sample_counts(&m, 1, 1, 0);
	maker_write(&m);
	free(m.bytes);
	return 0;
}

/* What was done to the recording, and from outside. */
static void sample_changes(struct maker *m)
{
	struct cinstr_mark *mark;

	mark = maker_mark(m, 0, 6000500, 0, "load test begins");
	mark->kind = CINSTR_MARK_OUTSIDE;
	mark = maker_mark(m, 1000, 7000500, 0, "process stopped from outside");
	mark->kind = CINSTR_MARK_STATE;
	mark = maker_mark(m, 1000, 8000500, 0, "only=work* depth=3");
	mark->kind = CINSTR_MARK_CHOICE;
	mark = maker_mark(m, 1000, 9000500, CINSTR_CODE_WORD(maker_code(REC_ENTER)), "calls out");
	mark->kind = CINSTR_MARK_DEMOTED;
	mark->id = 1;
	mark = maker_mark(m, 1000, 9500500, CINSTR_CODE_WORD(maker_code(REC_ENTER)), "");
	mark->kind = CINSTR_MARK_RESTORED;
	mark = maker_mark(m, 1000, 9600500, CINSTR_CODE_WORD(maker_code(WORK_ENTER)), "ring kept");
	mark->kind = CINSTR_MARK_KEPT;
	mark->id = 1234567;
	maker_mark(m, 1000, 3000500, 0, "numbered")->id = -42;
}

static void sample_marks(struct maker *m)
{
	char text[32];

	maker_mark(m, 1000, 5000500, maker_code(LINED_82), "half way");
	maker_mark(m, 1000, 2000500, 0, "begin\tof \033[31mwork");
	maker_mark(m, 1000, 4000500, CINSTR_CODE_WORD(maker_code(LINED_ENTER)), "");
	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "round %d", i);
		maker_mark(m, 1000, 10000500 + 1000000 * (uint64_t)i, maker_code(LINED_INLINED), text);
	}
	maker_header(m)->marks_lost = 2;
}

int maker_lines_sample(const char *path)
{
	struct maker m;
	struct cinstr_fold_state *state;
	uint32_t top, at, again;

	maker_init(&m);
	snprintf(m.path, sizeof(m.path), "%s", path);
	sample_header(&m);
	maker_header(&m)->probes = 3;
	maker_thread(&m, "app");
	maker_root_ticks(&m, 0, 20000);
	top = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(MAIN_ENTER), 1, 5000000);
	top = maker_frame(&m, 0, top, maker_code(MAIN_POINTER), maker_code(LINED_ENTER), 10, 1000000);
	at = maker_line(&m, 0, top, maker_code(LINED_81), 10, 20000000);
	maker_call(&m, 0, at, maker_code(LINED_PUTS), 10, 3000000);
	at = maker_line(&m, 0, top, maker_code(LINED_82), 30, 7000000);
	maker_bucket(&m, 0, at, CINSTR_OS_INVOLUNTARY, 4000000, 3900000);
	again = maker_frame(&m, 0, at, maker_code(LINED_LINED), maker_code(LINED_ENTER), 20, 400000);
	at = maker_line(&m, 0, again, maker_code(LINED_81), 20, 1500000);
	maker_line(&m, 0, again, maker_code(LINED_INLINED), 2000, 60000000);
	maker_line(&m, 0, top, maker_code(LINED_AGAIN), 5, 50000);
	maker_call(&m, 0, at, maker_code(LINED_PUTS), 20, 9000000);
	at = maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(WORK_ENTER), 1, 300000);
	maker_frame(&m, 0, at, maker_code(WORK_TAIL), maker_code(TAIL_ENTER), 1, 200000);
	maker_frame(&m, 0, maker_root(&m, 0), 0, maker_code(OMP_ENTER), 4, 800000);
	sample_counts(&m, 0, 37, 37);
	state = &maker_thread_at(&m, 0)->states[1];
	state->pauses = 3;
	state->paused_ticks = 12000000;
	state->repaired = 2;
	sample_marks(&m);
	sample_changes(&m);
	maker_header(&m)->budget.limit = 50000;
	maker_property(&m, "options",
		       "CINSTR=on CINSTR_PROBES=lines CINSTR_ONLY=work*,file:* a.c CINSTR_DEPTH=0 "
		       "CINSTR_START=paused "
		       "CINSTR_MAX_OVERHEAD=5");
	maker_write(&m);
	free(m.bytes);
	return 0;
}

void maker_release(struct maker *m)
{
	if (m->path[0])
		unlink(m->path);
	free(m->bytes);
	memset(m, 0, sizeof(*m));
}
