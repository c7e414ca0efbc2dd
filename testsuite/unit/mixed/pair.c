/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pair.c - see pair.h. */
#include "pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_address(const void *a, const void *b)
{
	const struct maker_symbol *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->address < y->address ? -1 : 1;
}

/* Every address that tests have on a stack. */
static void symbols(struct maker *m)
{
	struct maker_symbol list[] = {
		{ APP, IN(MAIN_ENTER), AT(MAIN_ENTER), "main" },
		{ APP, CALL_AT(MAIN_WORK), AT(MAIN_ENTER), "main" },
		{ APP, CALL_AT(MAIN_REC), AT(MAIN_ENTER), "main" },
		{ APP, CALL_AT(MAIN_PUTS), AT(MAIN_ENTER), "main" },
		{ APP, CALL_AT(MAIN_POINTER), AT(MAIN_ENTER), "main" },
		{ APP, CALL_AT(MAIN_TWIN), AT(MAIN_ENTER), "main" },
		{ APP, IN(WORK_ENTER), AT(WORK_ENTER), "work" },
		{ APP, 0x2100, AT(WORK_ENTER), "work" }, /* its cold part */
		{ APP, CALL_AT(WORK_READ), AT(WORK_ENTER), "work" },
		{ APP, CALL_AT(WORK_REC), AT(WORK_ENTER), "work" },
		{ APP, IN(REC_ENTER), AT(REC_ENTER), "rec" },
		{ APP, CALL_AT(REC_REC), AT(REC_ENTER), "rec" },
		{ APP, IN(TWIN_A_ENTER), AT(TWIN_A_ENTER), "twin" },
		{ APP, IN(TWIN_B_ENTER), AT(TWIN_B_ENTER), "twin" },
		{ APP, IN(TAIL_ENTER), AT(TAIL_ENTER), "tail" },
		{ APP, 0x3008, 0x3000, "_start" },
		{ LIBC, PUTS, 0x1010, "puts" },
		{ LIBC, 0x1208, 0x1200, "inner" },
		{ LIBC, 0x1308, 0x1300, "read_in_libc" },
		{ LIBC, 0x1408, 0x1400, "memcpy_fast" },
	};
	size_t n = sizeof(list) / sizeof(list[0]);

	qsort(list, n, sizeof(list[0]), by_address);
	maker_symbols(m, list, n);
}

void pair_begin(struct pair *p)
{
	maker_init(&p->timed);
	p->thread = maker_thread(&p->timed, "app");
	maker_thread_at(&p->timed, p->thread)->first_ticks = MAKER_BEGIN;
	maker_header(&p->timed)->mixed = 1;
	maker_header(&p->timed)->clock = CINSTR_CLOCK_MONOTONIC_RAW;
	maker_sampled_init(&p->sampled);
	symbols(&p->sampled);
	p->task = maker_task(&p->sampled, TID, "app");
}

uint32_t pair_frame(struct pair *p, uint32_t parent, uint32_t site, enum maker_site function, uint64_t calls,
		    uint64_t ticks)
{
	return maker_frame(&p->timed, p->thread, parent, site, maker_code(function), calls, ticks);
}

void pair_mark(struct pair *p, uint64_t ms, enum maker_site function, int64_t level)
{
	struct cinstr_mark *mark =
		maker_mark(&p->timed, TID, MAKER_BEGIN + ms * MS, maker_code(function) & ~7u, "probes");

	mark->kind = level == TIMED ? CINSTR_MARK_RESTORED : CINSTR_MARK_DEMOTED;
	mark->id = level;
}

void pair_counts(struct pair *p, const struct pair_counter *list, size_t n)
{
	size_t codes = maker_segment(&p->timed, CINSTR_SEG_COUNTED, 0, 1), counts;

	((struct cinstr_segment *)(void *)(p->timed.bytes + codes))[-1].used = n * sizeof(uint32_t);
	counts = maker_segment(&p->timed, CINSTR_SEG_COUNTERS, p->thread, 1);
	for (size_t i = 0; i < n; i++) {
		uint32_t code = maker_code(list[i].of);

		memcpy(p->timed.bytes + codes + i * sizeof(code), &code, sizeof(code));
		memcpy(p->timed.bytes + counts + i * sizeof(list[i].n), &list[i].n, sizeof(list[i].n));
	}
}

void pair_count(struct pair *p, enum maker_site function, uint64_t n)
{
	pair_counts(p, &(struct pair_counter){ function, n }, 1);
}

void pair_own_code(struct pair *p)
{
	const struct cinstr_probe_code list[] = {
		{ THUNKS, THUNKS + 0x1000, CINSTR_PROBE_CODE_THUNKS, 0 },
		{ STUBS, STUBS + 0x1000, CINSTR_PROBE_CODE_COUNTING, 0 },
		{ RUNTIME, RUNTIME + 0x1000, CINSTR_PROBE_CODE_RUNTIME, 0 },
	};
	size_t at = maker_segment(&p->timed, CINSTR_SEG_PROBE_CODE, 0, 1);

	memcpy(p->timed.bytes + at, list, sizeof(list));
	((struct cinstr_segment *)(void *)(p->timed.bytes + at))[-1].used = sizeof(list);
}

uint32_t pair_stack(struct pair *p, const uint64_t *addresses, size_t n)
{
	uint32_t at = 0;

	for (size_t i = 0; i < n; i++)
		at = maker_stack(&p->sampled, at, APP, addresses[i]);
	return at;
}

uint32_t pair_in_libc(struct pair *p, uint32_t at, uint64_t address)
{
	return maker_stack(&p->sampled, at, LIBC, address);
}

void pair_samples(struct pair *p, uint32_t stack, unsigned n)
{
	maker_samples(&p->sampled, p->task, stack, 1, n);
}

void pair_join(struct pair *p)
{
	struct data *sampled = calloc(1, sizeof(*sampled));

	CU_ASSERT_EQUAL_FATAL(data_open(&p->data, maker_write(&p->timed)), 0);
	CU_ASSERT_EQUAL_FATAL(data_open(sampled, maker_write(&p->sampled)), 0);
	for (size_t i = 0; i < p->data.n_problems; i++)
		printf("problem: %s\n", p->data.problems[i].reason);
	CU_ASSERT_EQUAL(p->data.n_problems, 0);
	CU_ASSERT_EQUAL(sampled->n_problems, 0);
	mixed_join(&p->data, sampled);
	CU_ASSERT_EQUAL(values_conservation(&p->data.threads[0]), 0); /* R10 */
}

void pair_rows(struct pair *p, enum profile_by by)
{
	profile_init(&p->profile, by, &default_counting);
	profile_add(&p->profile, &p->data);
	if (by == BY_PATH) {
		long double hidden;

		CU_ASSERT_EQUAL(paths_choose(&p->profile, &every_path, &hidden), 0);
		profile_add(&p->profile, &p->data);
	}
}

void pair_rows_end(struct pair *p)
{
	profile_release(&p->profile);
}

void pair_end(struct pair *p)
{
	data_release(&p->data);
	maker_release(&p->timed);
	maker_release(&p->sampled);
}

void pair_expect(const struct pair *p, const char *name, uint64_t calls, uint64_t inclusive,
		 uint64_t exclusive)
{
	const struct row *row = row_named(&p->profile, name);

	CU_ASSERT_EQUAL(row->calls, calls);
	CU_ASSERT(row->sums.elapsed_inclusive == (long double)inclusive);
	CU_ASSERT(row->sums.elapsed_exclusive == (long double)exclusive);
	if (row->calls != calls || row->sums.elapsed_inclusive != (long double)inclusive ||
	    row->sums.elapsed_exclusive != (long double)exclusive)
		printf("%s: %llu calls, %Lf %Lf\n", name, (unsigned long long)row->calls,
		       row->sums.elapsed_inclusive, row->sums.elapsed_exclusive);
}
