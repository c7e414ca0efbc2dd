/* SPDX-License-Identifier: MIT */
/*
 * long_intervals.c - keeps long intervals, which samples of a mixed recording are joined with
 * (struct cinstr_long_interval): where functions are counted, a stack does not show which of its
 * calls are open in the tree. Where threads sample themselves (self_sample.c), only those that have
 * samples. Called by folds, in the thread that owns the tree.
 */
#include "runtime.h"

#define LONG_NS 20000		/* shorter ones hold few samples */
#define DOUBLE_AFTER (1u << 16) /* 1 MB of them: from there on only longer ones */
#define FIRST_BYTES (CINSTR_PAGE - sizeof(struct cinstr_segment))
#define MORE_BYTES (16 * CINSTR_PAGE - sizeof(struct cinstr_segment))

static struct cinstr_long_interval *next_place(struct thread *thread)
{
	uint64_t bytes = thread->n_longs ? MORE_BYTES : FIRST_BYTES;

	if (thread->longs_left)
		return thread->longs;
	thread->longs = store_segment(CINSTR_SEG_LONG_INTERVALS, bytes, thread->record->index);
	thread->longs_segment = thread->longs;
	thread->longs_left = thread->longs ? (uint32_t)(bytes / sizeof(*thread->longs)) : 0;
	return thread->longs;
}

static void keep_piece(struct thread *thread, const struct cinstr_long_interval *interval)
{
	struct fold *fold = &thread->fold;
	struct cinstr_long_interval *place;
	uint64_t used;

	if (cinstr.is_self_sampled && !self_samples_are_in(thread, interval))
		return;
	place = next_place(thread);
	if (!place) {
		fold->long_ticks = UINT64_MAX;
		return;
	}
	*place = *interval;
	thread->longs++;
	thread->longs_left--;
	used = (uint64_t)((char *)thread->longs - (char *)thread->longs_segment);
	atomic_store_release(&store_segment_of(thread->longs_segment)->used, used); /* reader */
	if (++thread->n_longs % DOUBLE_AFTER == 0 && !cinstr.is_self_sampled)
		fold->long_ticks *= 2;
}

/* Keeps it in pieces, where it is longer than a piece can be. */
static void keep(struct fold *fold, const struct fold_long *interval)
{
	struct thread *thread = (struct thread *)(void *)((char *)fold - offsetof(struct thread, fold));
	struct cinstr_long_interval piece = { .end_ticks = interval->end_ticks - interval->ticks,
					      .cell = interval->cell };

	for (uint64_t left = interval->ticks; left; left -= piece.ticks) {
		piece.ticks = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
		piece.end_ticks += piece.ticks;
		keep_piece(thread, &piece);
	}
}

void long_intervals_begin(struct thread *thread)
{
	thread->longs = thread->longs_segment = NULL;
	thread->longs_left = thread->n_longs = 0;
	if (!cinstr.is_mixed)
		return;
	thread->fold.keep_long = keep;
	thread->fold.long_ticks = (LONG_NS * ticks_per_ns()) >> 20;
}
