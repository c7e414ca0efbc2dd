/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * timeline_chunks.h - a thread's timeline, in order: the records of one folded buffer after
 * another, decoded. Reads the segments from the file, one at a time; data_open() leaves them there.
 * A segment that is damaged, or that a running process writes anew meanwhile, gives what is whole
 * of it.
 *
 *      struct timeline timeline;
 *      struct timeline_piece piece;
 *
 *      if (!timeline_open(&timeline, data, thread))
 *              while (timeline_next(&timeline, &piece))
 *                      ... piece.records[0 .. piece.n_records) ...
 *      timeline_release(&timeline);
 */
#ifndef REPORT_FILE_TIMELINE_CHUNKS_H
#define REPORT_FILE_TIMELINE_CHUNKS_H

#include "data.h"

struct timeline_codec;
struct timeline_segment;

/* One buffer's records: the first is START. */
struct timeline_piece {
	const struct cinstr_record *records; /* until the next piece */
	size_t n_records;
	uint32_t events;
	uint32_t bytes; /* in the file */
	uint64_t start_ticks, end_ticks;
	uint64_t number; /* of the buffer in its thread, from 0 */
	uint64_t kept;	 /* 0, or the stamp of the mark that its ring was kept for */
	/* nothing is missing between this one and the piece before (or the thread's begin) */
	int follows;
	/* from the thread's buffer, which had not been folded when the process ended */
	int is_pending;
};

struct timeline {
	const struct data *data;
	const struct data_thread *thread;
	int fd;
	struct timeline_segment *segments; /* in order */
	size_t n_segments, next_segment;
	struct timeline_codec *codec;
	uint8_t *payload; /* of the segment at hand */
	uint64_t used, at;
	uint64_t kept;	  /* of that segment */
	int headers_only; /* do not decode: records is NULL. Set behind timeline_open(). */
	uint64_t next_number;
	uint64_t last_start; /* of the last piece */
	int has_pending;
	struct cinstr_record *records;
	uint64_t damaged; /* segments that were not whole */
};

/* 0, or -1: the file cannot be read. Release in both cases. */
int timeline_open(struct timeline *timeline, const struct data *data, const struct data_thread *thread);
/* 1, or 0: there are no more. */
int timeline_next(struct timeline *timeline, struct timeline_piece *piece);
void timeline_release(struct timeline *timeline);

#endif
