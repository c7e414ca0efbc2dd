/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * timeline_chunks.c - see timeline_chunks.h. Trusts nothing in the file: each length is checked
 * against what is there, and the decoder (runtime/timeline/timeline_codec.c) against each byte.
 */
#define XXH_INLINE_ALL
#include "timeline_chunks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "lib/files.h"
#include "lib/order.h"
#include "lib/util.h"
#include "runtime/timeline/timeline_codec.h"

#define RECORDS_MAX 65536u /* of a chunk: more than any buffer holds */

struct timeline_segment {
	uint64_t sequence;
	uint64_t offset; /* of the payload */
};

static int read_at(int fd, void *to, uint64_t bytes, uint64_t offset)
{
	return pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes ? 0 : -1;
}

static int read_header(const struct timeline *timeline, uint64_t payload, struct cinstr_segment *header)
{
	return read_at(timeline->fd, header, sizeof(*header), payload - sizeof(*header));
}

/* Segments that ended threads gave back are used again: offsets tell nothing of the order. */
ORDER_ITEMS(by_sequence, struct timeline_segment, ORDER(x->sequence, y->sequence))

static void list_segments(struct timeline *timeline)
{
	size_t n;
	const struct data_segment *own =
		data_segments_of(timeline->data, timeline->thread->record->index, &n);
	struct cinstr_segment header;

	timeline->segments = xcalloc(n + 1, sizeof(*timeline->segments));
	for (size_t i = 0; i < n; i++)
		if (own[i].type == CINSTR_SEG_TIMELINE && !read_header(timeline, own[i].offset, &header) &&
		    header.used)
			timeline->segments[timeline->n_segments++] =
				(struct timeline_segment){ header.sequence, own[i].offset };
	util_sort(timeline->segments, timeline->n_segments, sizeof(*timeline->segments), by_sequence, NULL);
}

int timeline_open(struct timeline *timeline, const struct data *data, const struct data_thread *thread)
{
	*timeline = (struct timeline){ .data = data, .thread = thread };
	timeline->fd = files_open(data->path, 0);
	timeline->has_pending = thread->pending_records > 0 && data->header->timeline_mode;
	if (timeline->fd < 0)
		return -1;
	list_segments(timeline);
	timeline->codec = xcalloc(1, sizeof(*timeline->codec));
	timeline->records = xcalloc(RECORDS_MAX, sizeof(*timeline->records));
	return 0;
}

void timeline_release(struct timeline *timeline)
{
	if (timeline->fd >= 0)
		close(timeline->fd);
	free(timeline->segments);
	free(timeline->payload);
	free(timeline->codec);
	free(timeline->records);
	*timeline = (struct timeline){ .fd = -1 };
}

/* Reads the next segment. Returns 0: there is none. */
static int next_segment(struct timeline *timeline)
{
	while (timeline->next_segment < timeline->n_segments) {
		const struct timeline_segment *segment = &timeline->segments[timeline->next_segment++];
		struct cinstr_segment header, after;

		free(timeline->payload);
		timeline->payload = NULL;
		timeline->used = timeline->at = 0;
		if (read_header(timeline, segment->offset, &header) || header.type != CINSTR_SEG_TIMELINE ||
		    header.used > header.bytes ||
		    segment->offset + header.used > timeline->data->file_bytes) {
			timeline->damaged++;
			continue;
		}
		timeline->payload = xcalloc(1, header.used + 1);
		if (read_at(timeline->fd, timeline->payload, header.used, segment->offset) ||
		    read_header(timeline, segment->offset, &after) || after.sequence != segment->sequence ||
		    header.sequence != segment->sequence || after.used < header.used)
			continue; /* a running process has begun it anew */
		timeline->used = header.used;
		timeline->kept = after.kept;
		timeline_codec_reset(timeline->codec);
		if (header.sealed && XXH3_64bits(timeline->payload, header.used) != header.checksum) {
			timeline->damaged++;
			continue;
		}
		return 1;
	}
	return 0;
}

/* The chunk at hand, or NULL: the segment ends here. */
static const struct cinstr_timeline_chunk *chunk_at_hand(const struct timeline *timeline)
{
	const struct cinstr_timeline_chunk *chunk = (const void *)(timeline->payload + timeline->at);
	uint64_t left = timeline->used - timeline->at;

	if (left < sizeof(*chunk) || chunk->bytes < sizeof(*chunk) || chunk->bytes % 8 ||
	    chunk->bytes > left || !chunk->records || chunk->records > RECORDS_MAX ||
	    chunk->end_ticks < chunk->start_ticks)
		return NULL;
	return chunk;
}

static int decode(struct timeline *timeline, const struct cinstr_timeline_chunk *chunk)
{
	if (timeline->headers_only)
		return 0;
	timeline_codec_begin(timeline->codec, chunk->start_ticks);
	return timeline_decode(timeline->codec, (const uint8_t *)(chunk + 1), chunk->bytes - sizeof(*chunk),
			       timeline->records, chunk->records) < 0
		       ? -1
		       : 0;
}

static void take(struct timeline *timeline, struct timeline_piece *piece)
{
	piece->follows = piece->number == timeline->next_number;
	timeline->next_number = piece->number + 1;
	timeline->last_start = piece->start_ticks;
}

/* What was still in the buffer, unless it had been put into the timeline already, and only its fold
 * was missing. */
static int pending(struct timeline *timeline, struct timeline_piece *piece)
{
	const struct cinstr_record *records =
		(const void *)(timeline->data->memory + timeline->thread->record->buffer_offset);
	uint64_t start = CINSTR_SPECIAL_VALUE(records), n = timeline->thread->pending_records;

	if (!timeline->has_pending || start <= timeline->last_start)
		return 0;
	timeline->has_pending = 0;
	*piece = (struct timeline_piece){ .records = timeline->headers_only ? NULL : records,
					  .n_records = n,
					  .start_ticks = start,
					  .end_ticks = timeline->thread->state->time,
					  .number = timeline->next_number,
					  .is_pending = 1 };
	for (uint64_t i = 0; i < n; i++)
		piece->events += timeline_events_of(records[i].code, records[i].second);
	take(timeline, piece);
	/* Once the budget was used up, what came between is not known. */
	piece->follows = timeline->data->header->timeline_mode == CINSTR_TIMELINE_RING ||
			 !timeline->thread->record->timeline_lost;
	return 1;
}

int timeline_next(struct timeline *timeline, struct timeline_piece *piece)
{
	const struct cinstr_timeline_chunk *chunk;

	while (timeline->payload || next_segment(timeline)) {
		if (timeline->at == timeline->used) {
			if (!next_segment(timeline))
				break;
			continue;
		}
		chunk = chunk_at_hand(timeline);
		if (!chunk || decode(timeline, chunk)) {
			timeline->damaged++; /* what follows depends on it */
			timeline->at = timeline->used;
			continue;
		}
		timeline->at += chunk->bytes;
		*piece =
			(struct timeline_piece){ .records = timeline->headers_only ? NULL : timeline->records,
						 .n_records = chunk->records,
						 .events = chunk->events,
						 .bytes = chunk->bytes,
						 .start_ticks = chunk->start_ticks,
						 .end_ticks = chunk->end_ticks,
						 .number = chunk->number,
						 .kept = timeline->kept };
		take(timeline, piece);
		return 1;
	}
	free(timeline->payload);
	timeline->payload = NULL;
	return pending(timeline, piece);
}
