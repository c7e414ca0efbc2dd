/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The timeline: what the codec makes of any records and of any bytes, and the reader's iterator
 * over a file's segments. Meant to run with -fsanitize=address,undefined as well (make
 * SAN=address,undefined unit).
 */
#include <stdlib.h>
#include <string.h>

#include "file/timeline_chunks.h"
#include "lib/util.h"
#include "runtime/timeline/timeline_codec.h"
#include "tests.h"
#include "timeline/event_merge.h"

#define RECORDS 2000u
#define ROOM (RECORDS * TIMELINE_RECORD_BYTES_MAX)
#define START 0x123456789abcull

static struct timeline_codec *encoder, *decoder;
static struct cinstr_record records[RECORDS], got[RECORDS];
static uint8_t *bytes;
static uint64_t seed;

static uint32_t any(uint32_t limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((seed >> 33) % limit);
}

static void begin(void)
{
	encoder = xcalloc(1, sizeof(*encoder));
	decoder = xcalloc(1, sizeof(*decoder));
	bytes = xcalloc(1, ROOM);
	seed = 42;
}

static void end(void)
{
	free(encoder);
	free(decoder);
	free(bytes);
}

static struct cinstr_record special(uint32_t type, uint32_t argument, uint64_t value, uint32_t time)
{
	return (struct cinstr_record){ CINSTR_SPECIAL(type, argument), time, (uint32_t)value,
				       (uint32_t)(value >> 32) | 1u << 31 };
}

/* A program: functions that call one another, with now and then a slow event, an indirect call, a
 * longjmp. */
static void run_program(size_t n, uint64_t *time)
{
	uint32_t sp[64] = { 0x7fff0000 }, function[64] = { 1 }, depth = 0;

	records[0] = special(CINSTR_SP_START, 0, *time, (uint32_t)*time);
	for (size_t i = 1; i < n; i++) {
		struct cinstr_record *r = &records[i];
		uint32_t f = function[depth], site = f * 0x400 + any(3) * 0x40;

		*time += 20 + any(40);
		if (any(200) == 0) {
			*r = special(CINSTR_SP_SLOW, any(3), *time, (uint32_t)*time);
		} else if (any(300) == 0) {
			depth /= 2;
			*r = (struct cinstr_record){ site | CINSTR_EV_LANDING, 0, sp[depth] - 24,
						     CINSTR_SECOND_PLAIN };
		} else if (depth < 60 && (depth < 2 || any(2))) {
			depth++;
			function[depth] = (f * 5 + (site >> 6)) % 50 + 1;
			sp[depth] = sp[depth - 1] - 16 * function[depth];
			*r = (struct cinstr_record){ site | CINSTR_EV_BEFORE, 0, sp[depth],
						     function[depth] * 0x400 | CINSTR_EV_ENTER };
		} else {
			*r = (struct cinstr_record){ (f * 0x400 + 0x200) | CINSTR_EV_EXIT, 0, sp[depth] + 8,
						     CINSTR_SECOND_FUSED_EXIT };
			depth--;
		}
		r->time_lo = (uint32_t)*time;
	}
}

/* Nothing but noise, of few values, so that words and guesses meet. */
static void make_noise(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t is_wide = any(8) == 0;

		records[i] = (struct cinstr_record){
			.code = is_wide ? any(UINT32_MAX) : any(40) << 3 | any(8),
			.time_lo = any(4) ? records[i ? i - 1 : 0].time_lo + any(300) : any(UINT32_MAX),
			.extra = is_wide ? any(UINT32_MAX) : any(6) * 16,
			.second = is_wide ? any(UINT32_MAX) : any(5),
		};
	}
}

/* Encodes and decodes records[0 .. n) as the next chunk; returns its bytes. */
static long there_and_back(size_t n)
{
	uint32_t events = 0, expected = 0;
	long size, used;

	timeline_codec_begin(encoder, START);
	timeline_codec_begin(decoder, START);
	size = timeline_encode(encoder, records, n, bytes, n * TIMELINE_RECORD_BYTES_MAX, &events);
	memset(got, 0xee, sizeof(got));
	used = timeline_decode(decoder, bytes, size < 0 ? 0 : (size_t)size, got, n);
	CU_ASSERT_EQUAL(size, used);
	CU_ASSERT(size > 0);
	CU_ASSERT(!memcmp(records, got, n * sizeof(*records)));
	for (size_t i = 0; i < n; i++)
		expected += timeline_events_of(records[i].code, records[i].second);
	CU_ASSERT_EQUAL(events, expected);
	return size;
}

static void a_program_comes_back(void)
{
	uint64_t time = START;
	long size = 0;

	begin();
	for (int chunk = 0; chunk < 20; chunk++) {
		run_program(RECORDS, &time);
		size = there_and_back(RECORDS);
	}
	/* Two events a record: at most 4 bytes an event would be 16,000. */
	CU_ASSERT(size < (long)(4 * RECORDS));
	end();
}

static void what_repeats_takes_a_byte_a_record(void)
{
	begin();
	for (size_t i = 0; i < RECORDS; i++)
		records[i] = i % 2 ? (struct cinstr_record){ 0x1405, (uint32_t)(i * 50), 0x7ff8, 1 }
				   : (struct cinstr_record){ 0x1403, (uint32_t)(i * 50), 0x7ff0, 0x2001 };
	for (size_t i = 1; i < RECORDS; i += 2)
		records[i].code = 0x2082; /* EXIT */
	there_and_back(RECORDS);
	CU_ASSERT(there_and_back(RECORDS) < (long)(RECORDS + 20));
	end();
}

static void noise_comes_back(void)
{
	begin();
	for (int round = 0; round < 60; round++) {
		size_t n = 1 + any(RECORDS - 1);

		if (round % 7 == 0) {
			timeline_codec_reset(encoder);
			timeline_codec_reset(decoder);
		}
		make_noise(n);
		there_and_back(n);
	}
	end();
}

/* The encoder says so, and writes nothing behind the room that it has. */
static void too_little_room(void)
{
	begin();
	make_noise(RECORDS);
	for (size_t room = 0; room < 3000; room += 37) {
		uint32_t events = 0;
		uint8_t *exact = xcalloc(1, room + 1);

		timeline_codec_reset(encoder);
		timeline_codec_begin(encoder, START);
		CU_ASSERT_EQUAL(timeline_encode(encoder, records, RECORDS, exact, room, &events), -1);
		free(exact);
	}
	end();
}

static long decode_exactly(const uint8_t *from, size_t n_bytes, size_t n)
{
	uint8_t *exact = malloc(n_bytes ? n_bytes : 1);
	long used;

	memcpy(exact, from, n_bytes);
	timeline_codec_reset(decoder);
	timeline_codec_begin(decoder, START);
	used = timeline_decode(decoder, exact, n_bytes, got, n);
	free(exact);
	CU_ASSERT(used <= (long)n_bytes);
	return used;
}

static void any_bytes_are_survived(void)
{
	uint32_t events = 0, refused = 0;
	uint64_t time = START;
	long size;

	begin();
	run_program(RECORDS, &time);
	timeline_codec_begin(encoder, START);
	size = timeline_encode(encoder, records, RECORDS, bytes, ROOM, &events);
	CU_ASSERT_FATAL(size > 0);
	CU_ASSERT_EQUAL(decode_exactly(bytes, (size_t)size, RECORDS), size);
	CU_ASSERT_EQUAL(decode_exactly(bytes, (size_t)size - 1, RECORDS), -1);
	for (int i = 0; i < 3000; i++) {
		uint8_t *at = &bytes[any((uint32_t)size)], old = *at;

		*at = (uint8_t)any(256);
		refused += decode_exactly(bytes, any(4) ? (size_t)size : any((uint32_t)size), RECORDS) < 0;
		*at = old;
	}
	CU_ASSERT(refused > 100);
	for (int i = 0; i < 300; i++) {
		for (int b = 0; b < 500; b++)
			bytes[b] = (uint8_t)any(256);
		decode_exactly(bytes, 500, RECORDS);
	}
	end();
}

static void what_means_nothing_is_refused(void)
{
	static const uint8_t bad[][8] = {
		{ 0x9f },					 /* no such time */
		{ 0x80 },					 /* cut off */
		{ 0x9e, 1, 2, 3 },				 /* its time is cut off */
		{ 0xc0, 1, 0xff, 0x10 },			 /* a word beyond the dictionary */
		{ 0xc0, 1, 0xff },				 /* its number is cut off */
		/* a difference of more than five bytes */
		{ 0xe0, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 },
		{ 0xe0, 1, 2, 2 },				 /* its third part is missing */
	};
	static const size_t sizes[] = { 1, 1, 4, 4, 3, 8, 4 };

	begin();
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CU_ASSERT_EQUAL(decode_exactly(bad[i], sizes[i], 1), -1);
	CU_ASSERT_EQUAL(decode_exactly((const uint8_t[]){ 0xc0, 1, 0xff, 0x0f }, 4, 1), 4);
	end();
}

/* ---- the iterator ---------------------------------------------------------------------------- */

static struct maker maker;

/* A TIMELINE segment of these chunks: their numbers. Returns its payload's offset. */
static size_t add_segment(uint32_t owner, uint64_t sequence, uint64_t kept, const uint64_t *numbers, size_t n)
{
	size_t payload = maker_segment(&maker, CINSTR_SEG_TIMELINE, owner, 2), at = payload;
	struct cinstr_segment *segment = (void *)(maker.bytes + payload - sizeof(*segment));
	struct timeline_codec *codec = xcalloc(1, sizeof(*codec));

	for (size_t i = 0; i < n; i++) {
		uint64_t time = 1000000 + numbers[i] * 1000000;
		struct cinstr_timeline_chunk chunk = { .records = 20 + (uint32_t)numbers[i],
						       .start_ticks = time,
						       .number = numbers[i] };

		run_program(chunk.records, &time);
		chunk.end_ticks = time;
		timeline_codec_begin(codec, chunk.start_ticks);
		chunk.bytes = (uint32_t)timeline_encode(codec, records, chunk.records,
							(uint8_t *)maker.bytes + at + sizeof(chunk), 2000,
							&chunk.events);
		chunk.bytes = (chunk.bytes + (uint32_t)sizeof(chunk) + 7) & ~7u;
		memcpy(maker.bytes + at, &chunk, sizeof(chunk));
		at += chunk.bytes;
	}
	free(codec);
	segment->sequence = sequence;
	segment->kept = kept;
	segment->used = at - payload;
	return payload;
}

/* Opens the maker's file and checks thread 0's pieces: "number,number" with ! in front of those
 * that do not follow. */
static void pieces_are(const char *expected, uint64_t damaged)
{
	struct strbuf text = { 0 };
	struct data data;
	struct timeline timeline;
	struct timeline_piece piece;

	maker_write(&maker);
	CU_ASSERT_EQUAL(data_open(&data, maker.path), 0);
	CU_ASSERT_EQUAL(timeline_open(&timeline, &data, &data.threads[0]), 0);
	strbuf_clear(&text);
	while (timeline_next(&timeline, &piece)) {
		strbuf_printf(&text, "%s%s%llu%s", text.length ? "," : "", piece.follows ? "" : "!",
			      (unsigned long long)piece.number, piece.kept ? "k" : "");
		CU_ASSERT_EQUAL(piece.n_records, 20 + piece.number);
		CU_ASSERT_EQUAL(CINSTR_SPECIAL_VALUE(&piece.records[0]), piece.start_ticks);
		CU_ASSERT_EQUAL(piece.start_ticks, 1000000 + piece.number * 1000000);
	}
	CU_ASSERT_STRING_EQUAL(text.text, expected);
	CU_ASSERT_EQUAL(timeline.damaged, damaged);
	timeline_release(&timeline);
	strbuf_release(&text);
	data_release(&data);
}

static void make_timeline(void)
{
	begin();
	maker_init(&maker);
	maker_thread(&maker, "t");
	maker_thread(&maker, "other");
	maker_header(&maker)->timeline_mode = CINSTR_TIMELINE_RING;
	add_segment(0, 12, 0, (const uint64_t[]){ 7, 8 }, 2);
	add_segment(0, 10, 77, (const uint64_t[]){ 0, 1, 2 }, 3);
	add_segment(1, 11, 0, (const uint64_t[]){ 0 }, 1);
}

static void pieces_in_order_with_their_gaps(void)
{
	make_timeline();
	pieces_are("0k,1k,2k,!7,8", 0);
	maker_release(&maker);
	end();
}

/* The buffer of a process that was killed: after its fold; or between the timeline and the fold. */
static void what_was_in_the_buffer_comes_last(void)
{
	uint64_t time = 1000000 + 9 * 1000000;

	make_timeline();
	run_program(29, &time);
	maker_records(&maker, 0, records, 29);
	pieces_are("0k,1k,2k,!7,8,9", 0);
	time = 1000000 + 8 * 1000000;
	run_program(28, &time);
	maker_records(&maker, 0, records, 28);
	pieces_are("0k,1k,2k,!7,8", 0);
	maker_release(&maker);
	end();
}

static void damaged_pieces_end_their_segment(void)
{
	static const uint32_t sizes[] = { 0, 8, 39, 41, 1u << 20, UINT32_MAX };
	struct cinstr_timeline_chunk *chunk;
	size_t third, fourth;
	uint32_t first_bytes, whole;

	make_timeline();
	third = add_segment(0, 13, 0, (const uint64_t[]){ 9, 10 }, 2);
	fourth = add_segment(0, 14, 0, (const uint64_t[]){ 11 }, 1);
	first_bytes = ((struct cinstr_timeline_chunk *)(void *)(maker.bytes + third))->bytes;
	chunk = (void *)(maker.bytes + third + first_bytes);
	whole = chunk->bytes;
	pieces_are("0k,1k,2k,!7,8,9,10,11", 0);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		chunk->bytes = sizes[i];
		pieces_are("0k,1k,2k,!7,8,9,!11", 1);
	}
	chunk->bytes = whole;
	chunk->records += 1000;
	pieces_are("0k,1k,2k,!7,8,9,!11", 1);
	chunk->records -= 1000;
	((uint8_t *)(chunk + 1))[0] = 0x9f;
	pieces_are("0k,1k,2k,!7,8,9,!11", 1);
	((struct cinstr_segment *)(void *)(maker.bytes + fourth))[-1].used = UINT64_MAX / 2;
	pieces_are("0k,1k,2k,!7,8,9", 2);
	maker_release(&maker);
	end();
}

static void a_checksum_is_verified(void)
{
	struct cinstr_segment *segment;
	size_t payload;

	make_timeline();
	payload = add_segment(0, 13, 0, (const uint64_t[]){ 9 }, 1);
	segment = (void *)(maker.bytes + payload - sizeof(*segment));
	segment->sealed = 1;
	segment->checksum = 1;
	pieces_are("0k,1k,2k,!7,8", 1);
	maker_release(&maker);
	end();
}

/* --min-duration goes by what is told: 1125 ticks of 0.3125 ns are 351.6 ns, told as 352. */
static void the_least_duration_is_the_one_told(void)
{
	static const long double rates[] = { 0.25L, 0.3125L, 0.333333L, 0.384L, 1, 2.7L };

	CU_ASSERT_EQUAL(stream_ticks_least(0, 0.5L), 0);
	CU_ASSERT_EQUAL(stream_ticks_least(352, 0.3125L), 1125);
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		for (uint64_t ticks = 3; ticks < 3000; ticks++) {
			uint64_t told = util_rounded((long double)ticks * rates[i]);

			CU_ASSERT_TRUE(stream_ticks_least(told, rates[i]) <= ticks);
			CU_ASSERT_TRUE(stream_ticks_least(told + 1, rates[i]) > ticks);
		}
}

CU_TestInfo timeline_tests[] = {
	{ "a program comes back", a_program_comes_back },
	{ "what repeats takes a byte a record", what_repeats_takes_a_byte_a_record },
	{ "noise comes back", noise_comes_back },
	{ "too little room", too_little_room },
	{ "any bytes are survived", any_bytes_are_survived },
	{ "what means nothing is refused", what_means_nothing_is_refused },
	{ "pieces in order with their gaps", pieces_in_order_with_their_gaps },
	{ "what was in the buffer comes last", what_was_in_the_buffer_comes_last },
	{ "damaged pieces end their segment", damaged_pieces_end_their_segment },
	{ "a checksum is verified", a_checksum_is_verified },
	{ "the least duration is the one told", the_least_duration_is_the_one_told },
	CU_TEST_INFO_NULL,
};
