/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay.h - a thread's timeline folded again, record by record or up to a moment. The tree grows
 * in free room of the data's memory, so that it can take the place of the recorded one.
 *
 *      struct replay replay;
 *
 *      if (!replay_open(&replay, data, thread))
 *              while (replay_next(&replay, &group))
 *                      replay_fold(&replay, group.records, group.n);
 *      replay_release(&replay);
 */
#ifndef REPORT_REPLAY_H
#define REPORT_REPLAY_H

#include "file/data.h"
#include "file/timeline_chunks.h"
#include "runtime/fold/fold.h"

/* Records that belong together: an event with the records before it that describe it, or one
 * special record. */
struct replay_group {
	const struct cinstr_record *records;
	size_t n;
	const struct cinstr_record *event; /* NULL: no record is an event */
	uint64_t time;			   /* end of its interval, ticks */
	uint32_t os_bits;		   /* operating-system events of the interval */
	uint64_t off_cpu_ticks, switches;
	int is_first; /* the first of its buffer */
	int has_gap;  /* records before it are missing */
};

struct replay {
	struct fold fold; /* must be first: callbacks of the fold cast it to struct replay */
	struct data *data;
	const struct data_thread *thread;
	struct cinstr_thread *record; /* a thread record owned by the replay */
	struct timeline timeline;
	struct timeline_piece piece;
	size_t at;     /* index of the next record in the piece */
	uint64_t time; /* time of the group before, ticks */
	int has_piece;
	struct data_cells *cells; /* memory of the tree */
	size_t n_cells;
};

/* Opens the thread's timeline; a forked child begins with the calls open at the fork. Returns 0, or
 * -1 if there is no room or the file cannot be read. Release in both cases. */
int replay_open(struct replay *replay, struct data *data, const struct data_thread *thread);
/* Like replay_open(), but a forked child begins with no open calls. */
int replay_open_empty(struct replay *replay, struct data *data, const struct data_thread *thread);
void replay_release(struct replay *replay);

/* Reads the next group without folding it. Returns 1, or 0 at the end. */
int replay_next(struct replay *replay, struct replay_group *group);
/* Makes replay_next() return the last group again. */
void replay_unread(struct replay *replay, const struct replay_group *group);
void replay_fold(struct replay *replay, const struct cinstr_record *records, size_t n);
/* Folds everything before `ticks`. Returns 1 with *group set to the first group after that, not
 * folded; 0 at the end; -1 if records are missing before. */
int replay_until(struct replay *replay, uint64_t ticks, struct replay_group *group);
/* Ends the calls that were open when the thread ended, for which there are no records. */
void replay_close(struct replay *replay);

struct cinstr_fold_state *replay_state(const struct replay *replay);
struct cinstr_open *replay_stack(const struct replay *replay);
struct cinstr_cell *replay_cell(const struct replay *replay, uint32_t index);

/* Starts a new tree at `now`, with the calls that are open, which it does not count. Returns 0, or
 * -1 if there is no room. */
int replay_begin_anew(struct replay *replay, uint64_t now);

/* replay_fork.c: opens a forked child's calls that were open at the fork. Returns 0, or -1 if they
 * are not known. */
int replay_inherit(struct replay *replay);

#endif
