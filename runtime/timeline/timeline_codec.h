/* SPDX-License-Identifier: MIT */
/*
 * timeline_codec.h - encodes the records of a buffer in a few bytes each, for the timeline
 * (doc/format.md, "The timeline"). The runtime encodes, in the thread that owns the buffer; the
 * report decodes. The codec allocates nothing, calls nothing in libc, uses general registers only,
 * and trusts no byte that it decodes.
 *
 * A record is split into its stamp and a word {code, a, b}: the rest of `extra` and `second` after
 * the parts that change from call to call (stack pointers, return addresses, halves of stamps) are
 * predicted by a model of the stack. The same few words recur, mostly in the same order: a
 * dictionary holds them by their hash, and for each context (the preceding words) two guesses at
 * the next one. So most records need one byte or two: the time.
 *
 * Both sides keep the same state, record by record, from timeline_codec_reset() on.
 */
#ifndef CINSTR_TIMELINE_CODEC_H
#define CINSTR_TIMELINE_CODEC_H

#include <stddef.h>

#include "cinstr/format.h"

#define TIMELINE_WORD_BITS 12
#define TIMELINE_CONTEXT_BITS 12
#define TIMELINE_STACK 512u	     /* a power of two */
#define TIMELINE_RECORD_BYTES_MAX 20 /* most bytes of an encoded record */

struct timeline_word {
	uint32_t code, a, b;
};

/* An activation: stack pointer in its ENTER's thunk, and return address of its function if
 * known. */
struct timeline_frame {
	uint32_t sp, return_address;
};

/* State that changes with each record: a copy stays in registers while records are processed. */
struct timeline_state {
	uint32_t time;	  /* low half of the last record's stamp */
	uint32_t high;	  /* `second` of the last record that carried a full stamp */
	uint32_t history; /* hash of the preceding words */
	uint32_t depth;	  /* of the stack: 0 ... TIMELINE_STACK */
	uint32_t top;	  /* index of the topmost frame; wraps around */
};

struct timeline_codec {
	struct timeline_state state;
	uint32_t last_code;    /* of the last new word */
	uint32_t last_address; /* `a` of the last new word that holds an address */
	struct timeline_frame stack[TIMELINE_STACK];
	uint16_t guesses[1 << TIMELINE_CONTEXT_BITS][2];
	struct timeline_word words[1 << TIMELINE_WORD_BITS];
};

/* Resets the state; call it at the begin of a segment. */
void timeline_codec_reset(struct timeline_codec *codec);

/* Begins a chunk with the stamp of its START. */
static inline void timeline_codec_begin(struct timeline_codec *codec, uint64_t start_ticks)
{
	codec->state.time = (uint32_t)start_ticks;
	codec->state.high = (uint32_t)(start_ticks >> 32) | 1u << 31;
}

/*
 * Encodes records[0 .. n), the next ones of the chunk, into to[0 .. room) and adds their events to
 * *events. Returns the number of bytes, or -1: not enough room (less than TIMELINE_RECORD_BYTES_MAX
 * per record); then the state is unusable.
 */
long timeline_encode(struct timeline_codec *codec, const struct cinstr_record *records, size_t n, uint8_t *to,
		     size_t room, uint32_t *events);

/* Decodes n records from from[0 .. bytes). Returns the bytes used, or -1: not a valid encoding of n
 * records. */
long timeline_decode(struct timeline_codec *codec, const uint8_t *from, size_t bytes,
		     struct cinstr_record *records, size_t n);

/* Returns the number of events in a record: a fused one has two. */
static inline uint32_t timeline_events_of(uint32_t code, uint32_t second)
{
	switch (CINSTR_CODE_KIND(code)) {
	case CINSTR_EV_SPECIAL:
		return 0;
	case CINSTR_EV_BEFORE:
	case CINSTR_EV_TAIL:
		return 1 + (second != 0);
	case CINSTR_EV_EXIT:
		return 1 + (second == CINSTR_SECOND_FUSED_EXIT);
	default:
		return 1;
	}
}

#endif
