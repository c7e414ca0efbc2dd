/* SPDX-License-Identifier: GPL-3.0-or-later */
/* varint.h - numbers of up to 128 bits in bytes of seven bits, lowest first. */
#ifndef REPORT_LIB_VARINT_H
#define REPORT_LIB_VARINT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util.h"

typedef unsigned __int128 wide;

#define VARINT_BYTES_MAX 19

/* Writes a number at `to`, where there must be room for VARINT_BYTES_MAX. Returns the end. */
static inline char *varint_put_at(char *to, wide n)
{
	uint64_t low = (uint64_t)n;

	for (; n > UINT64_MAX; n >>= 7, low = (uint64_t)n)
		*to++ = (char)((low & 127) | 128);
	for (; low >= 128; low >>= 7)
		*to++ = (char)((low & 127) | 128);
	*to++ = (char)low;
	return to;
}

static inline void varint_put(struct strbuf *text, wide n)
{
	char bytes[VARINT_BYTES_MAX];

	strbuf_add(text, bytes, (size_t)(varint_put_at(bytes, n) - bytes));
}

/* Reads numbers. After an error all numbers are 0. */
struct varint_reader {
	const unsigned char *at, *end;
	int is_bad;
};

/* A number read, and the position after it; NULL: error. */
struct varint_long {
	wide n;
	const unsigned char *at;
};
struct varint_long varint_get_long(const unsigned char *at, const unsigned char *end);

/* Joins the lower seven bits of each byte; the first byte has the lowest bits. */
static inline uint64_t varint_bits(uint64_t bytes)
{
	bytes = (bytes & 0x007f007f007f007f) | (bytes & 0x7f007f007f007f00) >> 1;
	bytes = (bytes & 0x00003fff00003fff) | (bytes & 0x3fff00003fff0000) >> 2;
	return (bytes & 0x000000000fffffff) | (bytes & 0x0fffffff00000000) >> 4;
}

/* Out-of-line path. Passes no address of *reader, so that it can stay in registers. */
static inline wide varint_get_any(struct varint_reader *reader)
{
	struct varint_long found = varint_get_long(reader->at, reader->end);

	reader->is_bad |= !found.at;
	reader->at = found.at ? found.at : reader->end;
	return found.n;
}

static inline wide varint_get(struct varint_reader *reader)
{
	const unsigned char *at = reader->at;
	uint64_t bytes, ends;

	if (__builtin_expect(reader->end - at < (ptrdiff_t)sizeof(bytes), 0))
		return varint_get_any(reader);
	if (*at < 128) { /* most numbers are short */
		reader->at = at + 1;
		return *at;
	}
	memcpy(&bytes, at, sizeof(bytes)); /* the first byte is the lowest: little endian */
	ends = ~bytes & 0x8080808080808080;
	if (__builtin_expect(!ends, 0))
		return varint_get_any(reader);
	reader->at = at + __builtin_ctzll(ends) / 8 + 1;
	return varint_bits(bytes & (ends ^ (ends - 1)));
}

/* Reads a varint of up to 64 bits. Larger ones set is_bad. */
static inline uint64_t varint_get64(struct varint_reader *reader)
{
	wide n = varint_get(reader);

	if (n > UINT64_MAX)
		reader->is_bad = 1;
	return (uint64_t)n;
}

static inline uint32_t varint_get32(struct varint_reader *reader)
{
	wide n = varint_get(reader);

	if (n > UINT32_MAX)
		reader->is_bad = 1;
	return (uint32_t)n;
}

#endif
