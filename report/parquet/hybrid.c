/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hybrid.h"

#include "lib/varint.h"

#define GROUP 8 /* numbers */

unsigned hybrid_bits(uint32_t most)
{
	unsigned bits = 1;

	while (bits < 32 && most >> bits)
		bits++;
	return bits;
}

static size_t run_length(const uint32_t *numbers, size_t n)
{
	size_t i = 1;

	while (i < n && numbers[i] == numbers[0])
		i++;
	return i;
}

static void put_run(struct strbuf *out, uint32_t number, size_t n, unsigned bits)
{
	char bytes[4];

	varint_put(out, (uint64_t)n << 1);
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (char)(number >> (8 * i));
	strbuf_add(out, bytes, (bits + 7) / 8);
}

/* The last group is filled up with 0. */
static void put_groups(struct strbuf *out, const uint32_t *numbers, size_t n, unsigned bits)
{
	size_t n_groups = (n + GROUP - 1) / GROUP;
	uint64_t held = 0;
	unsigned n_held = 0;

	varint_put(out, (uint64_t)n_groups << 1 | 1);
	for (size_t i = 0; i < n_groups * GROUP; i++) {
		held |= (uint64_t)(i < n ? numbers[i] : 0) << n_held;
		for (n_held += bits; n_held >= 8; n_held -= 8, held >>= 8) {
			const char byte = (char)held;

			strbuf_add(out, &byte, 1);
		}
	}
}

void hybrid_put(struct strbuf *out, const uint32_t *numbers, size_t n, unsigned bits)
{
	size_t from = 0, at = 0;

	while (at < n) {
		size_t run = run_length(numbers + at, n - at);
		/* groups are whole: the run gives what lacks */
		size_t lacks = (GROUP - (at - from) % GROUP) % GROUP;

		if (run < GROUP + lacks) {
			at += run;
			continue;
		}
		at += lacks;
		run -= lacks;
		if (at > from)
			put_groups(out, numbers + from, at - from, bits);
		put_run(out, numbers[at], run, bits);
		at += run;
		from = at;
	}
	if (at > from)
		put_groups(out, numbers + from, at - from, bits);
}

/* ---- reading --------------------------------------------------------------------------------- */

static size_t get_run(struct varint_reader *in, unsigned bits, uint32_t *numbers, size_t length, size_t n)
{
	unsigned n_bytes = (bits + 7) / 8;
	uint32_t number = 0;

	if ((size_t)(in->end - in->at) < n_bytes || !length)
		return 0;
	for (unsigned i = 0; i < n_bytes; i++)
		number |= (uint32_t)*in->at++ << (8 * i);
	for (size_t i = 0; i < length && i < n; i++)
		numbers[i] = number;
	return length < n ? length : n;
}

static size_t get_groups(struct varint_reader *in, unsigned bits, uint32_t *numbers, size_t n_groups,
			 size_t n)
{
	const uint64_t mask = (UINT64_C(1) << bits) - 1;
	uint64_t held = 0;
	unsigned n_held = 0;
	size_t i;

	if (n_groups > (size_t)(in->end - in->at) / bits || !n_groups)
		return 0;
	for (i = 0; i < n_groups * GROUP; i++) {
		for (; n_held < bits; n_held += 8)
			held |= (uint64_t)*in->at++ << n_held;
		if (i < n)
			numbers[i] = (uint32_t)(held & mask);
		held >>= bits;
		n_held -= bits;
	}
	return i < n ? i : n;
}

int hybrid_get(const unsigned char *at, const unsigned char *end, unsigned bits, uint32_t *numbers, size_t n)
{
	struct varint_reader in = { at, end, 0 };
	size_t done = 0;

	while (done < n && bits && bits <= 32) {
		uint64_t head = varint_get64(&in);
		size_t got = in.is_bad	? 0
			     : head & 1 ? get_groups(&in, bits, numbers + done, head >> 1, n - done)
					: get_run(&in, bits, numbers + done, head >> 1, n - done);

		if (!got)
			return -1;
		done += got;
	}
	return done == n ? 0 : -1;
}
