/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * phases.h - parts of a recording between marks: a process keeps one tree of call paths per phase,
 * within its budget of phases (cinstr/format.h).
 */
#ifndef REPORT_PHASES_H
#define REPORT_PHASES_H

#include "data.h"

/* Phase 0 begins with the recording, each other one with a mark. In ticks of the file's clock. */
struct phase {
	uint64_t begin_ticks, end_ticks; /* end of the last one: UINT64_MAX */
	const struct data_mark *mark;	 /* NULL: phase 0, or there was no room for its mark */
};

static inline uint32_t phases_count(const struct data *data)
{
	return data->n_phases + 1;
}
/* Appends what the phase that begins with the mark is called: the mark's text, or "mark NUMBER". */
void phase_put_name(struct strbuf *text, const struct data_mark *mark);
struct phase phases_get(const struct data *data, uint32_t number);
uint64_t phases_begin(const struct data *data, uint32_t number);

/* Whether phases_select() has chosen the phase, or none was chosen. */
int phases_is_chosen(const struct data *data, uint32_t number);

/* Returns the number of marks beyond the budget of phases (CINSTR_PHASES). */
uint64_t phases_left_out(const struct data *data);
/* Returns how often a thread had no room for a phase's tree: its calls are in the tree of the phase
 * before. */
uint64_t phases_missed(const struct data *data);

/* Limits the threads' trees to the time between two moments (ticks of this file's clock). Returns
 * 0; or -1 without a change if a moment is neither the begin or end of a phase nor outside the
 * recording. */
int phases_select(struct data *data, uint64_t from_ticks, uint64_t to_ticks);

/* Makes a copy of the thread with its tree of one phase. Returns 0 if it has none; else release it
 * with phase_thread_release(). */
int phase_thread(const struct data *data, const struct data_thread *thread, uint32_t phase,
		 struct data_thread *part);
void phase_thread_release(struct data_thread *part);

/* For threads.c: joins a thread's trees of all phases. */
void phases_join(struct data *data, struct data_thread *thread);
void tree_release(struct data_tree *tree);

#endif
