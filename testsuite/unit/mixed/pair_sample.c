/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pair_sample.c - the two files of a mixed process with known content, for the tests of the command
 * line: functions that are timed, counted, or both one after another; calls that wait; samples in
 * libraries, in probes, in a static function's twin, without their outer end, and of two threads.
 */
#include <stdio.h>

#include "pair.h"

static void add_timed(struct pair *p)
{
	uint32_t work, other, root = maker_root(&p->timed, p->thread);

	p->main = pair_frame(p, root, 0, MAIN_ENTER, 1, 100 * MS + 7);
	maker_bucket(&p->timed, p->thread, p->main, CINSTR_OS_VOLUNTARY, 20 * MS, 20 * MS);
	maker_bucket(&p->timed, p->thread, p->main, CINSTR_OS_SYSCALL, 4 * MS, 3 * MS);
	work = pair_frame(p, p->main, maker_code(MAIN_WORK), WORK_ENTER, 100, 10 * MS);
	pair_frame(p, work, maker_code(WORK_TAIL), TAIL_ENTER, 3, 2 * MS);
	maker_call(&p->timed, p->thread, work, maker_code(WORK_READ), 3, 50 * MS);
	pair_frame(p, p->main, maker_code(MAIN_TWIN), TWIN_A_ENTER, 1, MS);
	pair_frame(p, p->main, 0, REC_ENTER, 500, 5 * MS);
	maker_call(&p->timed, p->thread, p->main, maker_code(MAIN_PUTS), 7, 3 * MS);
	other = maker_thread(&p->timed, "second");
	maker_thread_at(&p->timed, other)->first_ticks = MAKER_BEGIN;
	root = maker_root(&p->timed, other);
	maker_frame(&p->timed, other, root, 0, maker_code(WORK_ENTER), 1, 0);
	maker_frame(&p->timed, other, root, 0, maker_code(REC_ENTER), 1, 30 * MS);
}

static void add_samples(struct pair *p)
{
	uint32_t work = STACK(p, 0x3008, CALL_AT(MAIN_WORK), IN(WORK_ENTER)), call, missing;

	maker_samples(&p->sampled, p->task, work, 1, 3);
	maker_samples(&p->sampled, p->task, work, 6, 30);
	maker_samples(&p->sampled, p->task, work, 61, 4);
	pair_samples(p, STACK(p, 0x3008, IN(MAIN_ENTER)), 40);
	call = STACK(p, 0x3008, CALL_AT(MAIN_WORK), CALL_AT(WORK_READ));
	pair_samples(p, pair_in_libc(p, pair_in_libc(p, call, 0x1308), 0x1208), 10);
	pair_samples(p, pair_in_libc(p, STACK(p, 0x3008, CALL_AT(MAIN_PUTS)), PUTS), 6);
	pair_samples(p, STACK(p, 0x3008, CALL_AT(MAIN_TWIN), IN(TWIN_B_ENTER)), 8);
	pair_samples(p, STACK(p, 0x3008, CALL_AT(MAIN_TWIN), IN(TWIN_A_ENTER)), 7);
	pair_samples(p, STACK(p, 0x3008, CALL_AT(MAIN_WORK), 0x2100), 5);
	pair_samples(p, STACK(p, CALL_AT(MAIN_WORK), CALL_AT(WORK_REC), IN(REC_ENTER)), 5);
	pair_samples(p, STACK(p, CALL_AT(MAIN_REC), CALL_AT(REC_REC), IN(REC_ENTER)), 4);
	call = STACK(p, CALL_AT(MAIN_WORK));
	pair_samples(p, maker_stack(&p->sampled, call, 0, STUBS + 8), 9);
	pair_samples(p, maker_stack(&p->sampled, call, 0, THUNKS + 8), 12);
	pair_samples(p, maker_stack(&p->sampled, call, 0, RUNTIME + 8), 14);
	missing = maker_stack(&p->sampled, 0, CINSTR_NODE_TRUNCATED, 0);
	pair_samples(p, maker_stack(&p->sampled, missing, APP, IN(WORK_ENTER)), 3);
	call = maker_task(&p->sampled, TID + 1, "second");
	maker_samples(&p->sampled, call, STACK(p, CALL_AT(REC_REC), IN(WORK_ENTER)), 1, 10);
	maker_samples(&p->sampled, call, STACK(p, IN(REC_ENTER)), 1, 20);
	maker_samples(&p->sampled, maker_task(&p->sampled, 77, "third"), work, 1, 4);
}

static int copy(const char *from, const char *folder, const char *name)
{
	char path[4096], bytes[65536];
	FILE *in = fopen(from, "rb"), *out;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "wb");
	if (!in || !out)
		return 1;
	while ((n = fread(bytes, 1, sizeof(bytes), in)))
		fwrite(bytes, 1, n, out);
	fclose(in);
	return fclose(out) != 0;
}

int pair_sample(const char *folder)
{
	struct pair p;
	int failed;

	pair_begin(&p);
	pair_own_code(&p);
	add_timed(&p);
	pair_mark(&p, 5, WORK_ENTER, COUNTED);
	pair_mark(&p, 60, WORK_ENTER, TIMED);
	pair_mark(&p, 0, TWIN_B_ENTER, COUNTED);
	pair_count(&p, WORK_ENTER, 1234);
	add_samples(&p);
	maker_sampling(&p.sampled)->flags |= CINSTR_SAMPLING_BESIDE;
	maker_sampling(&p.sampled)->source = CINSTR_SOURCE_TIMERS;
	maker_header(&p.sampled)->pid = maker_header(&p.timed)->pid;
	maker_header(&p.sampled)->process_start = maker_header(&p.timed)->process_start;
	failed = copy(maker_write(&p.timed), folder, "app.4242.cinstr") ||
		 copy(maker_write(&p.sampled), folder, "app.4242.sampled.cinstr");
	maker_release(&p.timed);
	maker_release(&p.sampled);
	return failed;
}
