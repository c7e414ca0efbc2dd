/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_live.c - a data file is read while a thread records into it: records are added, completed in
 * place and folded in the mapped file as the runtime does it. Each reading must show the thread as
 * of one moment.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file/data.h"
#include "lib/util.h"
#include "maker/maker.h"
#include "runtime/fold/fold.h"
#include "tests.h"
#include "values/values.h"

#define DEPTH 20
#define SP 0x7000u
#define RETURN 0x1000u
#define SECONDS 1.5
#define FOLDS 1000   /* ... and so many, however busy the machine is */
#define READINGS 20  /* ... of both */
#define PATIENCE 120 /* seconds */

/* The thread that records. */
struct writer {
	struct fold fold;
	struct cinstr_record *buffer, *cursor, *end;
	uint64_t now;
	uint32_t depth;
	uint32_t words[0x200];
	struct fold_sites sites;
	volatile int over;
	volatile uint64_t folds;
	uint64_t most_kept; /* entries of the undo journal */
};

static struct maker maker;

static void site(struct writer *w, enum maker_site which, uint32_t meaning)
{
	w->words[maker_code(which) >> 3] = meaning;
}

static void sites_make(struct writer *w)
{
	site(w, MAIN_ENTER, maker_code(MAIN_ENTER));
	site(w, MAIN_EXIT, maker_code(MAIN_ENTER));
	site(w, MAIN_REC, maker_code(MAIN_ENTER));
	site(w, MAIN_REC_AFTER, maker_code(MAIN_REC));
	site(w, REC_ENTER, maker_code(REC_ENTER));
	site(w, REC_EXIT, maker_code(REC_ENTER));
	site(w, REC_REC, maker_code(REC_ENTER));
	site(w, REC_REC_AFTER, maker_code(REC_REC));
	w->sites = (struct fold_sites){ w->words, ARRAY_SIZE(w->words), NULL, NULL, NULL };
}

static uint64_t half(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

/* As a probe does: the second half first. */
static void put(struct writer *w, uint32_t code, uint32_t extra, uint32_t second)
{
	uint64_t *at = (void *)w->cursor;

	w->now += 1 + (w->now >> 3) % 5;
	__atomic_store_n(&at[1], half(extra, second), __ATOMIC_RELEASE);
	__atomic_store_n(&at[0], half(code, (uint32_t)w->now), __ATOMIC_RELEASE);
	w->cursor++;
}

/* The last record gets its other half of a pair. */
static void complete(struct writer *w, uint32_t extra, uint32_t second)
{
	__atomic_store_n(&((uint64_t *)(void *)(w->cursor - 1))[1], half(extra, second), __ATOMIC_RELEASE);
}

static void start_buffer(struct writer *w)
{
	w->cursor = w->buffer;
	w->now += 30;
	*w->cursor++ = (struct cinstr_record){ CINSTR_SPECIAL(CINSTR_SP_START, 0), (uint32_t)w->now,
					       (uint32_t)w->now, (uint32_t)(w->now >> 32) | 1u << 31 };
}

static void fold_when_full(struct writer *w)
{
	if (w->cursor < w->end)
		return;
	fold_run(&w->fold, w->buffer, (size_t)(w->cursor - w->buffer));
	if (w->fold.thread->journal_used > w->most_kept)
		w->most_kept = w->fold.thread->journal_used;
	fold_commit(&w->fold);
	w->folds++;
	start_buffer(w);
}

static void call(struct writer *w)
{
	put(w, maker_code(w->depth == 1 ? MAIN_REC : REC_REC), RETURN, 0);
	w->depth++;
	complete(w, SP - 16 * w->depth, maker_code(REC_ENTER));
	fold_when_full(w);
}

static void come_back(struct writer *w)
{
	put(w, maker_code(REC_EXIT), RETURN, CINSTR_SECOND_EXIT);
	w->depth--;
	complete(w, SP - 16 * w->depth, CINSTR_SECOND_FUSED_EXIT);
	fold_when_full(w);
}

static void *record(void *arg)
{
	struct writer *w = arg;
	uint32_t random = 1;

	put(w, maker_code(MAIN_ENTER), RETURN, (SP - 16) | 1);
	w->depth = 1;
	while (!w->over) {
		random = random * 1664525 + 1013904223;
		for (uint32_t i = random >> (26 + (w->folds >> 5 & 3)); i;
		     i--) /* as long as what a program does between two calls */
			__builtin_ia32_pause();
		if (w->depth == 1 || (w->depth < DEPTH && random >> 31))
			call(w);
		else
			come_back(w);
	}
	return NULL;
}

static int no_more(struct fold *fold)
{
	(void)fold;
	return -1;
}

/* Records into the made file, which is mapped. */
static void writer_begin(struct writer *w, char *file)
{
	struct cinstr_thread *t = (void *)(file + maker.threads[0]);
	uint32_t root = maker_root(&maker, 0);

	sites_make(w);
	w->fold = (struct fold){ .file = file,
				 .thread = t,
				 .sites = &w->sites,
				 .index = { xcalloc(1024, sizeof(uint32_t)), 1024, 0 },
				 .cell_next = root + 1,
				 .cell_end = root + MAKER_CELLS,
				 .max_cells = MAKER_CELLS,
				 .more_cells = no_more,
				 .more_index = no_more,
				 .more_stack = no_more };
	w->buffer = (void *)(file + t->buffer_offset);
	w->end = w->buffer + t->buffer_bytes / sizeof(*w->buffer) - 2;
	w->now = t->states[t->commit & 1].time;
	start_buffer(w);
}

/* A call that was announced and has not been entered is open, but no frame. */
static uint64_t open_frames(const struct data_thread *thread)
{
	uint64_t n = 0;

	for (size_t i = 0; i < thread->n_open; i++)
		n += CINSTR_CELL_KIND(thread->nodes[thread->open[i]].cell->tag) == CINSTR_CELL_FRAME;
	return n;
}

/* What is wrong with this reading; NULL: nothing. */
static const char *wrong(const struct data *data)
{
	const struct cinstr_fold_state *s;

	if (data->n_problems)
		return data->problems[0].reason;
	if (data->n_threads != 1)
		return "the thread is not there";
	s = data->threads[0].state;
	if (values_conservation(&data->threads[0]))
		return "R10: ticks";
	if (s->enters != s->exits + s->implicit_exits + open_frames(&data->threads[0]) || s->implicit_exits)
		return "R10: enters and exits";
	return s->orphans ? "orphans" : NULL;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int is_enough(const struct writer *w, unsigned long n, unsigned long unsettled)
{
	return n > READINGS && unsettled < n && w->folds > FOLDS;
}

static void a_thread_that_records_is_read_as_of_one_moment(void)
{
	struct writer w = { .over = 0 };
	unsigned long n = 0, unsettled = 0, n_wrong = 0;
	double end = now() + SECONDS;
	pthread_t thread;
	char *file;
	int fd;

	maker_init(&maker);
	maker_thread(&maker, "live");
	maker_write(&maker);
	fd = open(maker.path, O_RDWR);
	file = mmap(NULL, maker.n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	writer_begin(&w, file);
	pthread_create(&thread, NULL, record, &w);
	while (now() < end || (now() < end + PATIENCE && !is_enough(&w, n, unsettled))) {
		struct data data;
		const char *what;

		CU_ASSERT_EQUAL_FATAL(data_open(&data, maker.path), 0);
		what = data.unsettled ? NULL : wrong(&data);
		if (what && !n_wrong++)
			printf("reading %lu: %s\n", n, what);
		unsettled += data.unsettled != 0;
		n++;
		data_release(&data);
	}
	w.over = 1;
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(n_wrong, 0);
	CU_ASSERT_TRUE(is_enough(&w, n, unsettled));
	/* What finds no room is not kept, and cannot be put back. */
	CU_ASSERT((w.most_kept + 1) * sizeof(struct cinstr_undo) < w.fold.thread->journal_bytes);
	free(w.fold.index.slots);
	munmap(file, maker.n);
	maker_release(&maker);
}

CU_TestInfo live_tests[] = {
	{ "a thread that records is read as of one moment", a_thread_that_records_is_read_as_of_one_moment },
	CU_TEST_INFO_NULL,
};
