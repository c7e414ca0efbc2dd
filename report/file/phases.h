/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * phases.h - the parts of a recording between marks: a process keeps one tree of call paths per
 * phase, as far as its budget of phases goes (cinstr/format.h).
 */
#ifndef REPORT_PHASES_H
#define REPORT_PHASES_H

#include "data.h"

/* Phase 0 begins with the recording, the others with a mark each. In ticks of the file's clock. */
struct phase {
	uint64_t begin_ticks, end_ticks; /* of the last one: UINT64_MAX */
	const struct data_mark *mark;	 /* NULL: phase 0, or there was no room for its mark */
};

static inline uint32_t phases_count(const struct data *data)
{
	return data->n_phases + 1;
}
struct phase phases_get(const struct data *data, uint32_t number);
uint64_t phases_begin(const struct data *data, uint32_t number);

/* Whether phases_select() has left it. */
int phases_is_chosen(const struct data *data, uint32_t number);

/* Marks for which there was no phase left in the budget (CINSTR_PHASES). */
uint64_t phases_left_out(const struct data *data);
/* How often a thread had no room for a phase's tree: what it did is in the tree of the phase
 * before. */
uint64_t phases_missed(const struct data *data);

/*
 * Leaves in the threads' trees what lies between two moments (ticks of this file's clock): 0; or -1
 * and nothing is changed: a moment is neither the begin nor the end of a phase, nor outside the
 * recording.
 */
int phases_select(struct data *data, uint64_t from_ticks, uint64_t to_ticks);

/* A thread with its tree of one phase. Returns 0: it has none there. Else release it with
 * phase_thread_release(). */
int phase_thread(const struct data *data, const struct data_thread *thread, uint32_t phase,
		 struct data_thread *part);
void phase_thread_release(struct data_thread *part);

/* For threads.c: a thread's trees of all phases become one. */
void phases_join(struct data *data, struct data_thread *thread);
void tree_release(struct data_tree *tree);

#endif
