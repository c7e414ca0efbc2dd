/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sampled process tells of itself: when it was off, for whom; changes from outside; other
 * programs of the process. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include "maker/maker.h"
#include "sampler/companion_watch.h"
#include "tests.h"

#define PROCESS 2
#define THREAD 3
#define OFF CINSTR_STATE_OFF

struct rig {
	char folder[64];
	struct maker maker;
	struct companions *all;
	int n;
};

static void rig_init(struct rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	snprintf(rig->folder, sizeof(rig->folder), "/tmp/cinstr-unit-companions-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(rig->folder));
	rig->all = companions_new(rig->folder);
}

static void rig_release(struct rig *rig)
{
	companions_release(rig->all);
	for (int i = 0; i < rig->n; i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%d%s", rig->folder, i, CINSTR_FILE_SUFFIX);
		unlink(path);
	}
	CU_ASSERT_EQUAL(rmdir(rig->folder), 0);
}

static void begin(struct rig *rig, uint32_t pid, uint64_t begin_ticks)
{
	struct cinstr_header *header;

	maker_init(&rig->maker);
	header = maker_header(&rig->maker);
	header->pid = pid;
	header->method = CINSTR_METHOD_SAMPLING;
	header->sampling.flags = CINSTR_SAMPLING_COMPANION;
	header->clock_ticks[0] = begin_ticks;
}

static void state(struct rig *rig, uint64_t ticks, uint32_t tid, int64_t id)
{
	struct cinstr_mark *mark = maker_mark(&rig->maker, tid, ticks, 0, "");

	mark->kind = CINSTR_MARK_STATE;
	mark->id = id;
}

/* The control block stays as it is: all zero, on. */
static void finish(struct rig *rig)
{
	char path[128];

	maker_write(&rig->maker);
	snprintf(path, sizeof(path), "%s/%d%s", rig->folder, rig->n++, CINSTR_FILE_SUFFIX);
	CU_ASSERT_EQUAL(rename(rig->maker.path, path), 0);
	maker_release(&rig->maker);
	companions_look(rig->all, 1000000);
}

static void samples_of_off_times_are_left_out(void)
{
	struct rig rig;

	rig_init(&rig);
	begin(&rig, 77, 10);
	state(&rig, 100, 77, PROCESS | OFF);
	state(&rig, 200, 77, PROCESS);
	state(&rig, 300, 78, THREAD | OFF);
	state(&rig, 400, 77, 1 | OFF); /* the session's own block tells of it */
	state(&rig, 500, 78, THREAD);
	finish(&rig);
	CU_ASSERT(companions_are_on(rig.all, 77, 77, 50));
	CU_ASSERT(companions_are_on(rig.all, 77, 77, 99));
	CU_ASSERT(!companions_are_on(rig.all, 77, 77, 100));
	CU_ASSERT(!companions_are_on(rig.all, 77, 78, 199));
	CU_ASSERT(companions_are_on(rig.all, 77, 77, 200));
	CU_ASSERT(!companions_are_on(rig.all, 77, 78, 300));
	CU_ASSERT(companions_are_on(rig.all, 77, 77, 450));
	CU_ASSERT(companions_are_on(rig.all, 77, 78, 501));
	CU_ASSERT(companions_are_on(rig.all, 99, 99, 150)); /* no companion */
	CU_ASSERT_PTR_NOT_NULL(companions_block(rig.all, 77));
	CU_ASSERT_PTR_NULL(companions_block(rig.all, 99));
	rig_release(&rig);
}

static void another_program_begins_anew(void)
{
	struct rig rig;

	rig_init(&rig);
	begin(&rig, 77, 10);
	state(&rig, 100, 77, PROCESS | OFF);
	finish(&rig);
	companions_end(rig.all, 77, CINSTR_END_EXEC, 0);
	CU_ASSERT_PTR_NULL(companions_block(rig.all, 77));
	begin(&rig, 77, 1000);
	state(&rig, 1000, 77, PROCESS);
	finish(&rig);
	CU_ASSERT(!companions_are_on(rig.all, 77, 77, 500));
	CU_ASSERT(companions_are_on(rig.all, 77, 77, 1001));
	CU_ASSERT_PTR_NOT_NULL(companions_block(rig.all, 77));
	rig_release(&rig);
}

static void a_threads_number_comes_again(void)
{
	struct rig rig;

	rig_init(&rig);
	begin(&rig, 77, 10);
	state(&rig, 100, 78, THREAD | OFF);
	finish(&rig);
	CU_ASSERT(!companions_are_on(rig.all, 77, 78, 150));
	companions_thread_end(rig.all, 77, 78);
	CU_ASSERT(companions_are_on(rig.all, 77, 78, 200));
	rig_release(&rig);
}

/* cinstr control writes into the block, and no mark. */
static void changes_from_outside_count_from_then_on(void)
{
	struct rig rig;
	struct cinstr_control_block *block;

	rig_init(&rig);
	begin(&rig, 77, 10);
	state(&rig, 20, 77, PROCESS);
	finish(&rig);
	block = (struct cinstr_control_block *)(uintptr_t)companions_block(rig.all, 77);
	block->stopped = 1;
	companions_look(rig.all, 5000);
	CU_ASSERT(companions_are_on(rig.all, 77, 77, 4999));
	CU_ASSERT(!companions_are_on(rig.all, 77, 77, 5000));
	block->stopped = 0;
	block->suspensions = -1;
	companions_look(rig.all, 6000);
	CU_ASSERT(!companions_are_on(rig.all, 77, 77, 5999));
	CU_ASSERT(companions_are_on(rig.all, 77, 77, 6000));
	rig_release(&rig);
}

static void many_changes_keep_the_last(void)
{
	struct rig rig;

	rig_init(&rig);
	begin(&rig, 77, 10);
	for (uint64_t i = 0; i < 90; i++)
		state(&rig, 100 + i, 77, PROCESS | (i % 2 ? OFF : 0));
	state(&rig, 1000, 77, PROCESS);
	finish(&rig);
	for (uint64_t now = 2000; now < 22000; now++) { /* many more, from outside */
		struct cinstr_control_block *block = (void *)(uintptr_t)companions_block(rig.all, 77);

		block->stopped = now % 2 == 0;
		companions_look(rig.all, now);
	}
	CU_ASSERT(companions_are_on(rig.all, 77, 77, 21999));
	CU_ASSERT(!companions_are_on(rig.all, 77, 77, 21998));
	CU_ASSERT(companions_are_on(rig.all, 77, 77, 21997));
	rig_release(&rig);
}

CU_TestInfo companions_tests[] = {
	{ "samples of off times are left out", samples_of_off_times_are_left_out },
	{ "another program begins anew", another_program_begins_anew },
	{ "a thread's number comes again", a_threads_number_comes_again },
	{ "changes from outside count from then on", changes_from_outside_count_from_then_on },
	{ "many changes keep the last", many_changes_keep_the_last },
	CU_TEST_INFO_NULL,
};
