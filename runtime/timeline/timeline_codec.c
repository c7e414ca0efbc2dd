/* SPDX-License-Identifier: MIT */
/*
 * timeline_codec.c - see timeline_codec.h; doc/format.md has the encoding in words. HOT: the
 * encoder is run over every record when a timeline is kept.
 *
 * A record's bytes:
 *   0ttttttt                     the first guess, t ticks after the record before
 *   1mmttttt tttttttt ...        m: 0 the first guess, 1 the second, 2 a known word, 3 a new one t
 *                                < 28: ticks = t << 8 | next byte; 28, 29, 30: ticks in the next 2,
 *                                3, 4 bytes
 *   m = 2: its number in 2 bytes     m = 3: code, a, b, as differences to what is likely, each 1
 *                                    ... 5 bytes
 */
#include "timeline_codec.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define INLINE static inline __attribute__((always_inline))

enum mode { MODE_FIRST = 0, MODE_SECOND = 1, MODE_KNOWN = 2, MODE_NEW = 3 };
#define TIME_SHORT 28u /* values of t below it are the high bits of a time of two bytes */
#define TIME_LAST 30u
#define CODE_HISTORY_SHIFT 5

void timeline_codec_reset(struct timeline_codec *codec)
{
	uint32_t *at = (uint32_t *)(void *)codec;

	for (size_t i = 0; i < sizeof(*codec) / sizeof(*at); i++)
		at[i] = 0;
}

/* ---- the model of the stack ------------------------------------------------------------------ */

INLINE struct timeline_frame *top_of(struct timeline_codec *codec, const struct timeline_state *s)
{
	return &codec->stack[s->top & (TIMELINE_STACK - 1)];
}

INLINE void push(struct timeline_codec *codec, struct timeline_state *s, uint32_t sp, uint32_t return_address)
{
	s->depth += s->depth < TIMELINE_STACK;
	s->top++;
	*top_of(codec, s) = (struct timeline_frame){ sp, return_address };
}

INLINE void pop(struct timeline_state *s)
{
	uint32_t any = s->depth != 0;

	s->depth -= any;
	s->top -= any;
}

/* Code runs with this stack pointer: frames below it are gone. */
INLINE void leave_dead(struct timeline_codec *codec, struct timeline_state *s, uint32_t sp)
{
	while (unlikely(s->depth && (int32_t)(top_of(codec, s)->sp - sp) < 0))
		pop(s);
}

static int carries_stamp(uint32_t code)
{
	uint32_t type = CINSTR_SPECIAL_TYPE(code);

	return type == CINSTR_SP_START || type == CINSTR_SP_SLOW || type == CINSTR_SP_RESUME ||
	       type == CINSTR_SP_PAUSE || type == CINSTR_SP_CONTINUE;
}

/* ---- record to word -------------------------------------------------------------------------- */

INLINE struct timeline_word word_of(struct timeline_codec *codec, struct timeline_state *s,
				    const struct cinstr_record *r)
{
	struct timeline_word word = { r->code, r->extra, r->second };
	struct timeline_frame *top = top_of(codec, s);

	switch (CINSTR_CODE_KIND(r->code)) {
	case CINSTR_EV_BEFORE:
		if (r->second) {
			word.a -= top->sp;
			push(codec, s, r->extra, 0);
		}
		break;
	case CINSTR_EV_ENTER:
		word.b -= top->sp;
		push(codec, s, CINSTR_ENTER_SP(r), r->extra);
		break;
	case CINSTR_EV_EXIT:
		pop(s);
		if (r->second == CINSTR_SECOND_FUSED_EXIT) {
			word.a -= top_of(codec, s)->sp;
			leave_dead(codec, s, r->extra);
		} else {
			word.a -= top->return_address;
		}
		break;
	case CINSTR_EV_TAIL:
		if (r->second) {
			word.a -= top->sp;
			*top = (struct timeline_frame){ r->extra, 0 };
		} else {
			word.a -= top->return_address;
			pop(s);
		}
		break;
	case CINSTR_EV_SPECIAL:
		if (carries_stamp(r->code)) {
			word.a -= r->time_lo;
			word.b -= s->high;
			s->high = r->second;
		}
		break;
	default: /* AFTER, LANDING, LINE */
		word.a -= top->sp;
		leave_dead(codec, s, r->extra);
	}
	return word;
}

/* The way back. r->time_lo is known. */
INLINE void record_of(struct timeline_codec *codec, struct timeline_state *s,
		      const struct timeline_word *word, struct cinstr_record *r)
{
	struct timeline_frame *top = top_of(codec, s);

	r->code = word->code;
	r->extra = word->a;
	r->second = word->b;
	switch (CINSTR_CODE_KIND(word->code)) {
	case CINSTR_EV_BEFORE:
		if (r->second) {
			r->extra += top->sp;
			push(codec, s, r->extra, 0);
		}
		break;
	case CINSTR_EV_ENTER:
		r->second += top->sp;
		push(codec, s, CINSTR_ENTER_SP(r), r->extra);
		break;
	case CINSTR_EV_EXIT:
		pop(s);
		if (r->second == CINSTR_SECOND_FUSED_EXIT) {
			r->extra += top_of(codec, s)->sp;
			leave_dead(codec, s, r->extra);
		} else {
			r->extra += top->return_address;
		}
		break;
	case CINSTR_EV_TAIL:
		if (r->second) {
			r->extra += top->sp;
			*top = (struct timeline_frame){ r->extra, 0 };
		} else {
			r->extra += top->return_address;
			pop(s);
		}
		break;
	case CINSTR_EV_SPECIAL:
		if (carries_stamp(r->code)) {
			r->extra += r->time_lo;
			r->second += s->high;
			s->high = r->second;
		}
		break;
	default:
		r->extra += top->sp;
		leave_dead(codec, s, r->extra);
	}
}

/* ---- dictionary and guesses ------------------------------------------------------------------ */

INLINE uint32_t number_of(const struct timeline_word *word)
{
	uint64_t x = ((uint64_t)word->b << 32 | word->code) * 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 32 ^ word->a) * 0xd6e8feb86659fd93ull;
	return (uint32_t)(x >> (64 - TIMELINE_WORD_BITS));
}

INLINE uint16_t *guesses_of(struct timeline_codec *codec, const struct timeline_state *s)
{
	return codec->guesses[s->history * 0x9e3779b1u >> (32 - TIMELINE_CONTEXT_BITS)];
}

INLINE void remember(struct timeline_state *s, uint32_t number)
{
	s->history = s->history << CODE_HISTORY_SHIFT ^ number;
}

INLINE int same_word(const struct timeline_word *x, const struct timeline_word *y)
{
	return !((x->code ^ y->code) | (x->a ^ y->a) | (x->b ^ y->b));
}

/* The word whose number is `number` was none of the first guess: now it is. */
INLINE void learn(uint16_t *guesses, uint32_t number)
{
	guesses[1] = guesses[0];
	guesses[0] = (uint16_t)number;
}

/* ---- new words ------------------------------------------------------------------------------- */

/* What each part of a new word is likely to be near. */
struct likely_word {
	uint32_t code, a, b;
};

static struct likely_word likely_of(const struct timeline_codec *codec, uint32_t code, uint32_t b)
{
	uint32_t kind = CINSTR_CODE_KIND(code), is_call = kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_TAIL;

	return (struct likely_word){
		.a = (is_call && !b) || kind == CINSTR_EV_ENTER ? codec->last_address : 0,
		.b = is_call ? code : 0,
	};
}

static void note_new(struct timeline_codec *codec, const struct timeline_word *word)
{
	uint32_t kind = CINSTR_CODE_KIND(word->code),
		 is_call = kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_TAIL;

	codec->last_code = word->code;
	if ((is_call && !word->b) || kind == CINSTR_EV_ENTER)
		codec->last_address = word->a;
}

static uint8_t *put_difference(uint8_t *to, uint32_t value, uint32_t near)
{
	uint32_t n = value - near;

	n = n << 1 ^ (uint32_t)((int32_t)n >> 31);
	for (; n >= 128; n >>= 7)
		*to++ = (uint8_t)(n | 128);
	*to++ = (uint8_t)n;
	return to;
}

static const uint8_t *get_difference(const uint8_t *from, const uint8_t *end, uint32_t near, uint32_t *value)
{
	uint32_t n = 0;

	for (unsigned shift = 0; from < end && shift < 35; shift += 7) {
		n |= (*from & 127u) << shift;
		if (!(*from++ & 128)) {
			*value = near + (n >> 1 ^ -(n & 1));
			return from;
		}
	}
	return NULL;
}

/* b first: it tells what `a` is. */
static __attribute__((noinline)) uint8_t *put_new(struct timeline_codec *codec, uint8_t *to,
						  const struct timeline_word *word)
{
	struct likely_word near = likely_of(codec, word->code, word->b);

	to = put_difference(to, word->code, codec->last_code);
	to = put_difference(to, word->b, near.b);
	to = put_difference(to, word->a, near.a);
	note_new(codec, word);
	return to;
}

static const uint8_t *get_new(struct timeline_codec *codec, const uint8_t *from, const uint8_t *end,
			      struct timeline_word *word)
{
	from = get_difference(from, end, codec->last_code, &word->code);
	if (from)
		from = get_difference(from, end, likely_of(codec, word->code, 0).b, &word->b);
	if (from)
		from = get_difference(from, end, likely_of(codec, word->code, word->b).a, &word->a);
	if (from)
		note_new(codec, word);
	return from;
}

/* ---- encode ---------------------------------------------------------------------------------- */

static __attribute__((noinline)) uint8_t *put_long_time(uint8_t *to, uint32_t mode, uint32_t ticks)
{
	uint32_t bytes = ticks >> 24 ? 4 : ticks >> 16 ? 3 : 2;

	*to++ = (uint8_t)(0x80 | mode << 5 | (TIME_SHORT + bytes - 2));
	for (; bytes; bytes--, ticks >>= 8)
		*to++ = (uint8_t)ticks;
	return to;
}

/* Two bytes are stored whatever is needed, without a branch. */
INLINE uint8_t *put_time(uint8_t *to, uint32_t mode, uint32_t ticks)
{
	uint32_t is_long = mode != MODE_FIRST || ticks >= 128;

	if (unlikely(ticks >= TIME_SHORT << 8))
		return put_long_time(to, mode, ticks);
	to[0] = (uint8_t)(is_long ? 0x80 | mode << 5 | ticks >> 8 : ticks);
	to[1] = (uint8_t)ticks;
	return to + 1 + is_long;
}

/* The record is not what was guessed. */
static __attribute__((noinline)) uint8_t *put_other(struct timeline_codec *codec, uint16_t *guesses,
						    struct timeline_word word, uint32_t number,
						    uint32_t ticks, uint8_t *to)
{
	struct timeline_word *known = &codec->words[number];
	uint32_t second = guesses[1];

	if (guesses[0] != number)
		learn(guesses, number);
	if (!same_word(known, &word)) {
		*known = word;
		return put_new(codec, put_time(to, MODE_NEW, ticks), &word);
	}
	if (second == number)
		return put_time(to, MODE_SECOND, ticks);
	to = put_time(to, MODE_KNOWN, ticks);
	*to++ = (uint8_t)number;
	*to++ = (uint8_t)(number >> 8);
	return to;
}

INLINE uint8_t *put_record(struct timeline_codec *codec, struct timeline_state *s,
			   const struct cinstr_record *r, uint8_t *to)
{
	struct timeline_word word = word_of(codec, s, r);
	uint16_t *guesses = guesses_of(codec, s);
	uint32_t ticks = r->time_lo - s->time, number = guesses[0];

	s->time = r->time_lo;
	/* What is found at its number has that number. */
	if (likely(same_word(&codec->words[number], &word))) {
		remember(s, number);
		return put_time(to, MODE_FIRST, ticks);
	}
	number = number_of(&word);
	remember(s, number);
	return put_other(codec, guesses, word, number, ticks, to);
}

long timeline_encode(struct timeline_codec *codec, const struct cinstr_record *records, size_t n, uint8_t *to,
		     size_t room, uint32_t *events)
{
	uint8_t *at = to, *const last = to + room - TIMELINE_RECORD_BYTES_MAX;
	struct timeline_state state = codec->state;
	uint32_t count = 0;

	if (room < TIMELINE_RECORD_BYTES_MAX)
		return n ? -1 : 0;
	for (size_t i = 0; i < n; i++) {
		if (unlikely(at > last))
			return -1;
		at = put_record(codec, &state, &records[i], at);
		count += timeline_events_of(records[i].code, records[i].second);
	}
	codec->state = state;
	*events += count;
	return at - to;
}

/* ---- decode ---------------------------------------------------------------------------------- */

/* The record's first bytes: *mode, *ticks. NULL: they are not there, or mean nothing. */
static const uint8_t *get_time(const uint8_t *from, const uint8_t *end, uint32_t *mode, uint32_t *ticks)
{
	uint32_t first, t, bytes;

	if (from == end)
		return NULL;
	first = *from++;
	*mode = first & 0x80 ? first >> 5 & 3 : MODE_FIRST;
	*ticks = first;
	if (!(first & 0x80))
		return from;
	t = first & 31;
	bytes = t < TIME_SHORT ? 1 : t - TIME_SHORT + 2;
	if (t > TIME_LAST || (size_t)(end - from) < bytes)
		return NULL;
	*ticks = t < TIME_SHORT ? t << 8 : 0;
	for (uint32_t i = 0; i < bytes; i++)
		*ticks |= (uint32_t)*from++ << 8 * i;
	return from;
}

/* The number of the record's word, which is in the dictionary then. */
static const uint8_t *get_word(struct timeline_codec *codec, const uint16_t *guesses, const uint8_t *from,
			       const uint8_t *end, uint32_t mode, uint32_t *number)
{
	struct timeline_word word;

	if (mode == MODE_FIRST || mode == MODE_SECOND) {
		*number = guesses[mode];
		return from;
	}
	if (mode == MODE_NEW) {
		from = get_new(codec, from, end, &word);
		if (from) {
			*number = number_of(&word);
			codec->words[*number] = word;
		}
		return from;
	}
	if (end - from < 2)
		return NULL;
	*number = (uint32_t)from[0] | (uint32_t)from[1] << 8;
	return *number >> TIMELINE_WORD_BITS ? NULL : from + 2;
}

long timeline_decode(struct timeline_codec *codec, const uint8_t *from, size_t bytes,
		     struct cinstr_record *records, size_t n)
{
	const uint8_t *at = from, *end = from + bytes;
	struct timeline_state *s = &codec->state;

	for (size_t i = 0; i < n; i++) {
		uint32_t mode, ticks, number;
		uint16_t *guesses = guesses_of(codec, s);

		at = get_time(at, end, &mode, &ticks);
		if (at)
			at = get_word(codec, guesses, at, end, mode, &number);
		if (!at)
			return -1;
		s->time += ticks;
		records[i].time_lo = s->time;
		record_of(codec, s, &codec->words[number], &records[i]);
		if (guesses[0] != number)
			learn(guesses, number);
		remember(s, number);
	}
	return at - from;
}
