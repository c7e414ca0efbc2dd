/* SPDX-License-Identifier: GPL-3.0-or-later */
/* critical_steps.h - shared by the files of the critical path: the threads of a process as
 * stretches and gaps (critical_lines.c), the path through them (critical_path.c), and its replay
 * with a function that takes less (critical_replay.c). Times are stamps and ticks. */
#ifndef REPORT_ROWS_CRITICAL_STEPS_H
#define REPORT_ROWS_CRITICAL_STEPS_H

#include "critical_path.h"
#include "lib/int_map.h"

#define CRITICAL_NOBODY UINT32_MAX

/* An interval that was kept. */
struct critical_item {
	uint64_t begin, end;
	uint64_t off;	/* ticks off the processor */
	uint64_t given; /* when another thread ended the wait: begin < given <= end; 0: none did */
	uint32_t waker; /* number of that thread */
	uint32_t path;
	enum critical_part part; /* use of the time off the processor */
	int is_lock;		 /* waits for an object that one thread at a time, or a few, have */
	int is_join;		 /* waits for a thread's end */
};

/* The time of all gaps of a thread together, at one path. */
struct critical_share {
	uint32_t path;
	long double ticks[CRITICAL_PARTS];
};

struct critical_line {
	const struct data_thread *thread;
	uint64_t begin, end;
	/* number of the thread that created this one; CRITICAL_NOBODY: none is known */
	uint32_t maker;
	struct critical_item *items;
	size_t n;
	struct critical_share *shares;
	size_t n_shares;
	long double shared; /* ticks of all shares */
	/* for the walk: ticks of its gaps on the path */
	long double gaps;
};

/* A part of the time in which all stretches were kept. */
struct critical_window {
	uint64_t begin, end;
	uint32_t thread; /* number of the thread that the path is in at its end */
};

struct critical_lines {
	struct critical_path *path; /* has the nodes */
	const struct data *data;
	struct names *names;
	struct int_map node_keys;
	struct int_map cells; /* cell index -> index in node_of_cell */
	uint32_t *node_of_cell;
	uint32_t recording; /* node of what probes and the runtime took */
	struct critical_line *list;
	size_t n;
	uint32_t last; /* number of the thread that ends last */
	uint64_t begin, end;
	uint32_t level; /* one window in 1 << level was kept; 0: all of the time was */
};

/* critical_lines.c */
/* Makes the lines of the process. Returns 0 if data of fewer than two threads are known. */
int critical_lines_make(struct critical_lines *lines);
void critical_lines_release(struct critical_lines *lines);
uint32_t critical_lines_main(const struct critical_lines *lines);
/* Returns the ticks between two stamps that lie in windows. */
uint64_t critical_lines_kept(const struct critical_lines *lines, uint64_t from, uint64_t to);
/* Finds the last window, or part of one, between two stamps. Returns 0 if there is none. */
int critical_lines_window(const struct critical_lines *lines, uint64_t from, uint64_t to,
			  struct critical_window *window);
/* Returns the last item that begins before this time, or NULL. */
const struct critical_item *critical_item_before(const struct critical_line *line, uint64_t time);

/* critical_replay.c */
struct critical_replay;
struct critical_replay *critical_replay_new(const struct critical_lines *lines);
/* Tells the replay which nodes (by path, 1 in `nodes`) take less time, and that `factor` of it is
 * left. */
struct critical_less {
	const char *nodes;
	int frees_locks; /* they do not wait for locks, as if no other thread had them */
	long double factor;
};

/* Returns the ticks that the windows, listed last first, would have taken together. */
long double critical_replay_run(struct critical_replay *replay, const struct critical_window *windows,
				size_t n, const struct critical_less *less);
void critical_replay_free(struct critical_replay *replay);

#endif
