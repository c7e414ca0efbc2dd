/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "thread_shares.h"

#include <stdlib.h>

#include "lib/array.h"
#include "profile.h"

static long double sum_of(const struct row *row, int of)
{
	switch (of) {
	case SHARE_ELAPSED:
		return row->sums.elapsed_inclusive;
	case SHARE_OFF_CPU:
		return row->sums.off_cpu_inclusive;
	case SHARE_CPU:
		return row->sums.elapsed_inclusive - row->sums.off_cpu_inclusive;
	default:
		return row->sums.application_inclusive;
	}
}

static void add_row(struct thread_shares *shares, const struct row *row, uint32_t number)
{
	struct thread_share *share;

	ARRAY_REACH_ZEROED(shares->list, number, shares->size);
	share = &shares->list[number];
	if (sum_of(row, SHARE_ELAPSED) <=
	    share->before[SHARE_ELAPSED]) /* this thread has none, or was added */
		return;
	share->threads++;
	for (int of = 0; of < SHARE_KINDS; of++) {
		long double mine = sum_of(row, of) - share->before[of];

		if (share->process != shares->process) {
			share->ended[of] += share->most[of];
			share->most[of] = 0;
		}
		share->before[of] += mine;
		if (mine > share->most[of])
			share->most[of] = mine;
	}
	share->process = shares->process;
}

void thread_shares_add(const struct addition *a)
{
	for (size_t i = 0; a->profile->shares.is_wanted && i < a->thread->n_nodes; i++)
		if (a->rows[i] != ROW_NONE)
			add_row(&a->profile->shares, &a->profile->rows[a->rows[i]], a->rows[i]);
}

long double thread_shares_most(const struct thread_shares *shares, uint32_t row, enum share_of of)
{
	return row < shares->size ? shares->list[row].ended[of] + shares->list[row].most[of] : 0;
}

uint32_t thread_shares_threads(const struct thread_shares *shares, uint32_t row)
{
	return row < shares->size ? shares->list[row].threads : 0;
}

void thread_shares_release(struct thread_shares *shares)
{
	free(shares->list);
	*shares = (struct thread_shares){ 0 };
}
