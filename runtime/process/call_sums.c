/* SPDX-License-Identifier: MIT */
/*
 * call_sums.c - a thread's second tree, with executed instructions in place of time, or what the
 * processor has counted (cinstr/call_sums.h). It is made from the same records, so it has the same
 * paths and calls; it has no buffer, and no OS events.
 *
 * In the thread concerned, signals blocked, as thread.c.
 */
#include "runtime.h"

#include "fold/fold_sums.h"

struct call_sums {
	struct thread tree; /* of which only what a fold needs is used */
	struct cinstr_call_sums *entry;
	struct fold_sums sums;
	/* room for the records of a buffer, twice */
	struct cinstr_record records[2 * BUFFER_SEGMENT / sizeof(struct cinstr_record)];
};

/* 0, or -1: no room. */
static int make_entry(struct call_sums *sums, const struct thread *thread)
{
	uint32_t index = atomic_add(&cinstr.n_threads, 1);
	uint64_t bytes = JOURNAL_SEGMENT - sizeof(struct cinstr_segment);
	struct cinstr_call_sums *entry = store_segment(CINSTR_SEG_CALL_SUMS, sizeof(*entry), index);
	char *stack = entry ? store_segment(CINSTR_SEG_STACK, STACK_SEGMENT - 64, index) : NULL;
	char *journal = stack ? store_segment(CINSTR_SEG_JOURNAL, bytes, index) : NULL;

	if (!journal)
		return -1;
	entry->tree = (struct cinstr_thread){
		.tid = (uint32_t)SYS0(SYS_gettid),
		.index = index,
		.members = 1,
		.stack_offset = store_offset(stack),
		.stack_bytes = STACK_SEGMENT - 64,
		.journal_offset = store_offset(journal),
		.journal_bytes = bytes,
		.commit = 1,
	};
	entry->thread = thread->record->index;
	entry->counter = cinstr.counter;
	store_segment_of(entry)->used = sizeof(*entry);
	store_segment_of(stack)->used = STACK_SEGMENT - 64;
	store_segment_of(journal)->used = bytes;
	sums->entry = entry;
	return 0;
}

static int make_fold(struct call_sums *sums, const struct thread *thread)
{
	struct thread *tree = &sums->tree;
	uint32_t *slots = tree->fold.index.slots;

	if (slots)
		sys_munmap(slots, tree->fold.index.n_slots * sizeof(*slots));
	*tree = (struct thread){ .record = &sums->entry->tree, .cells_bytes = CELLS_FIRST };
	tree->fold = (struct fold){
		.file = cinstr.store.file,
		.thread = tree->record,
		.sites = &cinstr.sites,
		.max_cells = thread->fold.max_cells,
		.max_cells_open = thread->fold.max_cells_open,
		.hot_from = thread->fold.hot_from,
		.has_no_events = 1,
		.more_cells = thread->fold.more_cells,
		.more_index = thread->fold.more_index,
		.more_stack = thread->fold.more_stack,
		.more_journal = thread->fold.more_journal,
	};
	return tree->fold.more_index(&tree->fold) || fold_begin(&tree->fold, SUM_FIRST) ? -1 : 0;
}

void call_sums_begin(struct thread *thread)
{
	struct call_sums *sums = thread->sums;

	thread->sums = NULL;
	if (!cinstr.sums && !cinstr.counter)
		return;
	if (!sums)
		sums = sys_memory(sizeof(*sums));
	if (sys_failed(sums) || make_entry(sums, thread) || make_fold(sums, thread))
		return;
	fold_own_stack_as(&sums->tree.fold, fold_cell(&thread->fold, thread->record->root));
	sums->sums = (struct fold_sums){ .last = SUM_FIRST };
	/* a reader leaves out a tree that is being made */
	atomic_store_release(&sums->entry->tree.state, CINSTR_THREAD_ENDED);
	thread->sums = sums;
}

struct thread *call_sums_tree(const struct thread *thread)
{
	return thread->sums ? &thread->sums->tree : NULL;
}

void call_sums_carry_on(struct thread *thread)
{
	if (thread->sums)
		fold_carry_on(&thread->sums->tree.fold, thread->sums->sums.last);
}

void call_sums_note(const struct thread *thread, const struct cinstr_record *records, uint32_t n)
{
	uint64_t count = !thread->sums ? 0 : cinstr.counter ? counter_read(thread) : segments_sum(thread);

	for (uint32_t i = 0; thread->sums && i < n; i++)
		*fold_sum_of(&records[i]) = count;
}

void call_sums_fold(struct thread *thread, size_t n)
{
	struct call_sums *sums = thread->sums;
	struct fold *fold;

	if (!sums)
		return;
	fold = &sums->tree.fold;
	fold->switched = thread->fold.switched;
	n = min_of(n, BUFFER_SEGMENT / sizeof(struct cinstr_record));
	n = fold_sums_records(&sums->sums, sums->records, thread->buffer, n);
	sums->entry->flags |= cinstr.sums_flags;
	if (sums->sums.missing || (!cinstr.counter && thread->segments_owner != thread->record))
		sums->entry->flags |= CINSTR_CALL_SUMS_UNKNOWN;
	for (struct cinstr_record *r = thread->buffer; r < thread->buffer_end + SLOW_RECORDS; r++)
		*fold_sum_of(r) = 0;
	if (thread_prepare_journal(&sums->tree, n))
		return;
	fold_run(fold, sums->records, n);
	if (cinstr.state == RUNTIME_ON || sums->tree.no_undo)
		fold_commit(fold);
}

void call_sums_close(struct thread *thread)
{
	struct cinstr_thread *record = thread->sums ? thread->sums->tree.record : NULL;

	counter_close(thread);
	if (!record)
		return;
	fold_close(&thread->sums->tree.fold);
	fold_commit(&thread->sums->tree.fold);
	if (atomic_load_relaxed(&cinstr.n_trees) >= TREES_MAX)
		return;
	store_free(cinstr.store.file + record->journal_offset);
	record->journal_bytes = 0;
	if (!record->states[record->commit & 1].depth) {
		store_free(cinstr.store.file + record->stack_offset);
		record->stack_bytes = 0;
	}
}
