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

/* Records that belong together: an event with what stands before it, or one special record. */
struct replay_group {
	const struct cinstr_record *records;
	size_t n;
	const struct cinstr_record *event; /* NULL: none of them is an event */
	uint64_t time;			   /* that it ends its interval at */
	uint32_t os_bits;		   /* of the interval */
	uint64_t off_cpu_ticks, switches;
	int is_first; /* of its buffer */
	int has_gap;  /* what was recorded before it is not there */
};

struct replay {
	struct fold fold; /* first: the fold's callbacks get back here */
	struct data *data;
	const struct data_thread *thread;
	struct cinstr_thread *record; /* the replay's own */
	struct timeline timeline;
	struct timeline_piece piece;
	size_t at;     /* record of the piece */
	uint64_t time; /* of the group before */
	int has_piece;
	struct data_cells *cells; /* where the tree lies */
	size_t n_cells;
};

/* 0, or -1: there is no room, or the file cannot be read. Release in both cases. */
int replay_open(struct replay *replay, struct data *data, const struct data_thread *thread);
/* The same, with nothing open in a forked child. */
int replay_open_empty(struct replay *replay, struct data *data, const struct data_thread *thread);
void replay_release(struct replay *replay);

/* The next group; it is not folded. 1, or 0: there are no more. */
int replay_next(struct replay *replay, struct replay_group *group);
/* The group that replay_next() gave last comes again. */
void replay_unread(struct replay *replay, const struct replay_group *group);
void replay_fold(struct replay *replay, const struct cinstr_record *records, size_t n);
/*
 * Folds everything that happened before `ticks`. 1: *group is the first that did not, and has not
 * been folded. 0: there is none. -1: something is missing before.
 */
int replay_until(struct replay *replay, uint64_t ticks, struct replay_group *group);
/* What ended with the thread, which no record says. */
void replay_close(struct replay *replay);

struct cinstr_fold_state *replay_state(const struct replay *replay);
struct cinstr_open *replay_stack(const struct replay *replay);
struct cinstr_cell *replay_cell(const struct replay *replay, uint32_t index);

/* The tree begins anew at `now`, with the calls that are open now (which it does not count). 0 or
 * -1: no room. */
int replay_begin_anew(struct replay *replay, uint64_t now);

/* replay_fork.c: in a forked child, what was open at the fork. 0, or -1: it is not known. */
int replay_inherit(struct replay *replay);

#endif
