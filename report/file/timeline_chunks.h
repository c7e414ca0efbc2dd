/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * timeline_chunks.h - reads a thread's timeline in order: the decoded records of one folded buffer
 * after another. Reads segments from the file one at a time; data_open() does not load them. Of a
 * segment that is damaged, or overwritten by a running process meanwhile, the intact part is read.
 *
 *     struct timeline timeline;
 *     struct timeline_piece piece;
 *
 *     if (!timeline_open(&timeline, data, thread))
 *             while (timeline_next(&timeline, &piece))
 *                     ... piece.records[0 .. piece.n_records) ...
 *     timeline_release(&timeline);
 */
#ifndef REPORT_FILE_TIMELINE_CHUNKS_H
#define REPORT_FILE_TIMELINE_CHUNKS_H

#include "data.h"

struct timeline_codec;
struct timeline_segment;

/* One buffer's records: the first is START. */
struct timeline_piece {
	const struct cinstr_record *records; /* valid until the next piece */
	size_t n_records;
	uint32_t events;
	uint32_t bytes; /* in the file */
	uint64_t start_ticks, end_ticks;
	uint64_t number; /* number of the buffer in its thread, from 0 */
	uint64_t kept;	 /* stamp of the mark for which its ring was kept, or 0 */
	/* Nothing is missing since the piece before, or since the thread's begin. */
	int follows;
	/* From the thread's buffer, which was not folded when the process ended. */
	int is_pending;
};

struct timeline {
	const struct data *data;
	const struct data_thread *thread;
	int fd;
	struct timeline_segment *segments; /* in order */
	size_t n_segments, next_segment;
	struct timeline_codec *codec;
	uint8_t *payload; /* of the current segment */
	uint64_t used, at;
	uint64_t kept;	  /* of the current segment, as timeline_piece.kept */
	int headers_only; /* does not decode: records is NULL. To be set after timeline_open() */
	uint64_t next_number;
	uint64_t last_start; /* start_ticks of the last piece */
	int has_pending;
	struct cinstr_record *records;
	uint64_t damaged; /* number of damaged segments */
};

/* Opens a thread's timeline. Returns 0, or -1 if the file cannot be read. Release in both cases. */
int timeline_open(struct timeline *timeline, const struct data *data, const struct data_thread *thread);
/* Returns 1 with *piece set, or 0 at the end. */
int timeline_next(struct timeline *timeline, struct timeline_piece *piece);
void timeline_release(struct timeline *timeline);

#endif
