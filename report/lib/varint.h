/* SPDX-License-Identifier: GPL-3.0-or-later */
/* varint.h - numbers of up to 128 bits, seven bits in a byte, the lowest first. */
#ifndef REPORT_LIB_VARINT_H
#define REPORT_LIB_VARINT_H

#include <stdint.h>

#include "util.h"

typedef unsigned __int128 wide;

#define VARINT_BYTES_MAX 19

static inline void varint_put(struct strbuf *text, wide n)
{
	char bytes[VARINT_BYTES_MAX];
	size_t used = 0;

	for (; n >= 128; n >>= 7)
		bytes[used++] = (char)((n & 127) | 128);
	bytes[used++] = (char)n;
	strbuf_add(text, bytes, used);
}

/* Reading: behind a mistake everything is 0. */
struct varint_reader {
	const unsigned char *at, *end;
	int is_bad;
};

static inline wide varint_get(struct varint_reader *reader)
{
	const unsigned char *at = reader->at;
	wide n = 0;

	if (at < reader->end && *at < 128) { /* most are short */
		reader->at++;
		return *at;
	}
	for (unsigned shift = 0; at < reader->end && shift < 7 * VARINT_BYTES_MAX; shift += 7) {
		unsigned char byte = *at++;

		n |= (wide)(byte & 127) << shift;
		if (byte < 128) {
			reader->at = at;
			return n;
		}
	}
	reader->is_bad = 1;
	reader->at = reader->end;
	return 0;
}

/* One that has 64 bits at most. */
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
