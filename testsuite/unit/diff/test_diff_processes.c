/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs of many processes, compared by what a process has: known distributions, and what is left of
 * them in a merged file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diff/diff_processes.h"
#include "merge/union.h"
#include "output/items.h"
#include "tests.h"

#define ROWS 30
#define RANKS_MOST 64

/* ---- known distributions --------------------------------------------------------------------- */

/* What side B has that A has not: all ranks take so many times as long in row 7, or one does. */
struct change {
	double all, one;
};

static int is_exponential; /* values are, with their mean; else normal, within 5 % */

static double random_value(double mean)
{
	if (!is_exponential)
		return mean * (1 + 0.05 * random_normal());
	/* half of the squares of two normal values */
	return mean * (pow(random_normal(), 2) + pow(random_normal(), 2)) / 2;
}

static void row_make(struct diff *diff, uint32_t row, const struct change *change)
{
	struct diff_processes *p = diff->processes;

	for (int side = 0; side < 2; side++) {
		double sum = 0, squares = 0, most = 0, factor;
		struct diff_cell *cell = diff_cell(diff, row, (size_t)side);
		double n = p->n[side];

		for (uint32_t rank = 0; rank < p->n[side]; rank++) {
			double value = random_value(1000 * (row + 1));

			factor = side && row == 7 ? change->all * (rank == 3 ? change->one : 1) : 1;
			most = fmax(most, value * factor);
			sum += value * factor;
			squares += value * factor * value * factor;
		}
		cell->is_there = 1;
		cell->values[DIFF_COLUMN] = sum;
		cell->values[DIFF_SHARE] = 100.0 / ROWS;
		p->rows[row][side] = (struct process_spread){
			.is_known = 1,
			.deviation = sqrt((squares - sum * sum / n) / (n - 1)),
			.n = p->n[side],
			.most = most,
		};
	}
}

static void jobs_make(struct diff *diff, struct diff_processes *p, uint32_t n_a, uint32_t n_b,
		      struct change change)
{
	*p = (struct diff_processes){ .n = { n_a, n_b }, .size = ROWS };
	p->rows = calloc(ROWS, sizeof(*p->rows));
	diff_init(diff, BY_FUNCTION, COLUMN_ELAPSED_EXCLUSIVE, 1, 1);
	diff->processes = p;
	for (uint32_t row = 0; row < ROWS; row++) {
		diff_row_new(diff);
		row_make(diff, row, &change);
	}
	diff_processes_apply(diff);
	diff_compare(diff, 0.1);
}

static unsigned count_found(const struct diff *diff)
{
	unsigned found = 0;

	for (size_t row = 0; row < diff->n_rows; row++)
		found += diff->rows[row].verdict != DIFF_NOISE;
	return found;
}

/* Of jobs of the same program, with whatever numbers of ranks, one of twenty shows a change. */
static void equal_jobs_have_no_findings(void)
{
	static const uint32_t ranks[][2] = { { 16, 16 }, { 16, 32 }, { 4, 48 } };

	for (size_t k = 0; k < ARRAY_SIZE(ranks); k++) {
		unsigned with_findings = 0, seeds = 500;

		for (unsigned i = 0; i < seeds; i++) {
			struct diff_processes p;
			struct diff diff;

			random_seed = 4000 + i;
			jobs_make(&diff, &p, ranks[k][0], ranks[k][1], (struct change){ 1, 1 });
			with_findings += count_found(&diff) > 0;
			diff_release(&diff);
			diff_processes_release(&p);
		}
		CU_ASSERT(with_findings <= seeds * 6 / 100);
	}
}

/* All ranks slower by 10 %: found; by the mean, not by the sum of twice as many. */
static void all_ranks_slower(void)
{
	unsigned found = 0, covered = 0, others = 0, seeds = 200;

	for (unsigned i = 0; i < seeds; i++) {
		struct diff_processes p;
		const struct diff_row *row;
		struct diff diff;

		random_seed = 90000 + i;
		jobs_make(&diff, &p, 16, 32, (struct change){ 1.1, 1 });
		row = &diff.rows[7];
		found += row->verdict == DIFF_MORE;
		covered += fabs(row->difference.change - 800) <= row->difference.half;
		others += count_found(&diff) > (row->verdict == DIFF_MORE);
		diff_release(&diff);
		diff_processes_release(&p);
	}
	CU_ASSERT(found >= seeds * 95 / 100);
	CU_ASSERT(covered >= seeds * 97 / 100);
	CU_ASSERT(others <= seeds * 7 / 100);
}

/* One of 16 ranks takes `times` as long. Returns in how many of 100 jobs row 7 is told as slower,
 * by no more than it is. */
static unsigned with_one_slow(double times)
{
	unsigned found = 0;

	for (unsigned i = 0; i < 100; i++) {
		const struct difference *d;
		struct diff_processes p;
		struct diff diff;

		random_seed = 500 + i;
		jobs_make(&diff, &p, 16, 16, (struct change){ 1, times });
		d = &diff.rows[7].difference;
		found += diff.rows[7].verdict == DIFF_MORE && d->change - d->half < 8000 * (times - 1) / 16;
		CU_ASSERT(is_within(d->change, 8000 * (times - 1) / 16, 900));
		diff_release(&diff);
		diff_processes_release(&p);
	}
	return found;
}

/* Expects that a rank that takes six times as long is told, and that one within chance is not. */
static void one_rank_slower(void)
{
	CU_ASSERT_EQUAL(with_one_slow(6), 100);
	CU_ASSERT(with_one_slow(1.2) <= 5);
}

/* Waits that are distributed exponentially have far ends: none of them is told as a slow rank. */
static void long_waits_are_no_slow_ranks(void)
{
	static const uint32_t ranks[] = { 4, 16, 64 };
	unsigned with_findings = 0, seeds = 200;

	is_exponential = 1;
	for (size_t k = 0; k < ARRAY_SIZE(ranks); k++)
		for (unsigned i = 0; i < seeds; i++) {
			struct diff_processes p;
			struct diff diff;

			random_seed = 7000 + i;
			jobs_make(&diff, &p, ranks[k], ranks[k], (struct change){ 1, 1 });
			with_findings += count_found(&diff) > 0;
			diff_release(&diff);
			diff_processes_release(&p);
		}
	is_exponential = 0;
	CU_ASSERT(with_findings <= 3 * seeds * 6 / 100);
}

static void moments_are_enough(void)
{
	static const double a[] = { 27.5, 21.0, 19.0, 23.6, 17.0 }, b[] = { 27.1, 22.0, 20.8 };
	struct moments of_a = { 21.62, 16.772000, 5 }, of_b = { 23.3, 11.190000, 3 };
	struct difference d = difference_of(a, 5, b, 3, 0.05), e = difference_of_moments(&of_a, &of_b, 0.05);

	CU_ASSERT(is_within(d.half, e.half, 1e-6) && is_within(d.change, e.change, 1e-9));
	CU_ASSERT(is_within(d.freedom, e.freedom, 1e-6));
}

/* ---- from data files ------------------------------------------------------------------------- */

/* A rank: main -> work (one path), main -> rec, main -> work -> rec. */
static void rank_make(struct maker *m, uint32_t rank, const uint64_t ticks[3])
{
	char text[16];
	uint32_t at, work;

	maker_init(m);
	maker_header(m)->pid = 1000 + rank;
	snprintf(text, sizeof(text), "%u", rank);
	maker_property(m, "rank", text);
	maker_thread(m, "first");
	maker_root_ticks(m, 0, 5);
	at = maker_frame(m, 0, maker_root(m, 0), 0, maker_code(MAIN_ENTER), 1, 100);
	work = maker_frame(m, 0, at, maker_code(MAIN_WORK), maker_code(WORK_ENTER), 1, ticks[0]);
	maker_frame(m, 0, at, maker_code(MAIN_REC), maker_code(REC_ENTER), 1, ticks[1]);
	maker_frame(m, 0, work, maker_code(WORK_REC), maker_code(REC_ENTER), 1, ticks[2]);
}

static double deviation_of(const uint64_t (*ticks)[3], uint32_t n, int which)
{
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < n; i++) {
		double value = which ? (double)(ticks[i][1] + ticks[i][2]) : (double)ticks[i][0];

		sum += value;
		squares += value * value;
	}
	return sqrt((squares - sum * sum / n) / (n - 1));
}

static void job_read(struct profile *profile, const char *path)
{
	struct counting counting = { .os_mask = CINSTR_OS_DEFAULT_MASK };
	struct data data;

	CU_ASSERT_EQUAL_FATAL(data_open(&data, path), 0);
	profile_init(profile, BY_FUNCTION, &counting);
	profile->spreads.is_wanted = 1;
	profile->spreads.of = SPREAD_ELAPSED_EXCLUSIVE;
	profile_add(profile, &data);
	data_release(&data);
}

/* As one file, which is read; the caller releases the profile. */
static void job_merge(struct profile *profile, const uint64_t (*ticks)[3], uint32_t n)
{
	char path[] = "/tmp/cinstr-unit-XXXXXX";
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w");
	struct union_tree u;

	union_init(&u);
	for (uint32_t rank = 0; rank < n; rank++) {
		struct maker m;
		struct data data;

		rank_make(&m, rank, ticks[rank]);
		CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
		CU_ASSERT_PTR_NULL(union_add_data(&u, &data));
		data_release(&data);
		maker_release(&m);
	}
	CU_ASSERT_EQUAL(union_write(&u, out), 0);
	fclose(out);
	union_release(&u);
	job_read(profile, path);
	unlink(path);
}

static void merged_files_keep_the_distribution(void)
{
	uint64_t ticks[2][RANKS_MOST][3];
	static const uint32_t n[2] = { 12, 24 };
	struct diff_processes p = { .size = 0 };
	struct diff diff;

	random_seed = 21;
	diff_init(&diff, BY_FUNCTION, COLUMN_ELAPSED_EXCLUSIVE, 1, 1);
	diff.processes = &p;
	for (size_t side = 0; side < 2; side++) {
		struct profile profile;

		for (uint32_t rank = 0; rank < n[side]; rank++)
			for (int i = 0; i < 3; i++)
				ticks[side][rank][i] = 1000000 + (uint64_t)(random_uniform() * 100000) +
						       (i || !side ? 0 : 200000);
		ticks[side][5][0] = 3000000;
		job_merge(&profile, (const uint64_t(*)[3])ticks[side], n[side]);
		diff_add(&diff, side, &profile, "/nowhere/app");
		profile_release(&profile);
	}
	diff_processes_apply(&diff);
	diff_compare(&diff, 0);
	for (uint32_t row = 0; row < diff.n_rows; row++)
		for (int side = 0; side < 2; side++) {
			const struct process_spread *spread = &p.rows[row][side];
			int is_rec = !strcmp(diff.rows[row].name, "rec");
			double truth = deviation_of((const uint64_t(*)[3])ticks[side], n[side], is_rec);

			if (!is_rec && strcmp(diff.rows[row].name, "work") != 0)
				continue;
			CU_ASSERT(spread->is_known);
			CU_ASSERT(!spread->is_bound); /* although one of them has two paths */
			CU_ASSERT(is_within(spread->deviation, truth, 1e-3 * truth));
			if (!is_rec)
				CU_ASSERT_STRING_EQUAL(spread->who, "rank 5");
		}
	CU_ASSERT(p.is_merged[0] && p.is_merged[1]);
	CU_ASSERT(p.n[0] == 12 && p.n[1] == 24);
	diff_release(&diff);
	diff_processes_release(&p);
}

CU_TestInfo diff_processes_tests[] = {
	{ "equal jobs have no findings", equal_jobs_have_no_findings },
	{ "all ranks slower", all_ranks_slower },
	{ "one rank slower", one_rank_slower },
	{ "long waits are no slow ranks", long_waits_are_no_slow_ranks },
	{ "moments are enough", moments_are_enough },
	{ "merged files keep the distribution", merged_files_keep_the_distribution },
	CU_TEST_INFO_NULL,
};
