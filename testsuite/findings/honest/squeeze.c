/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compresses a text by references to what came before, which a table of hashes finds, and unpacks
 * it again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SIZE (6 << 20)
#define PLACES 65536

static uint32_t hash_of(const uint8_t *p)
{
	return (p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24) * 2654435761u >> 16;
}

static size_t match_length(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
	const uint8_t *begin = b;

	while (b < end && *a == *b && b - begin < 250)
		a++, b++;
	return (size_t)(b - begin);
}

static size_t squeeze(const uint8_t *in, size_t n, uint8_t *out)
{
	static uint32_t places[PLACES];
	size_t o = 0;

	memset(places, 0, sizeof(places));
	for (size_t i = 0; i < n;) {
		uint32_t *place = i + 4 < n ? &places[hash_of(in + i)] : NULL;
		size_t length = place && *place && i - *place < 65536 ? match_length(in + *place, in + i, in + n) : 0;
		size_t back = place ? i - *place : 0;

		if (place)
			*place = (uint32_t)i;
		if (length >= 4) {
			out[o++] = (uint8_t)length;
			out[o++] = (uint8_t)back;
			out[o++] = (uint8_t)(back >> 8);
			i += length;
		} else {
			out[o++] = 0;
			out[o++] = in[i++];
		}
	}
	return o;
}

static size_t unpack(const uint8_t *in, size_t n, uint8_t *out)
{
	size_t o = 0;

	for (size_t i = 0; i < n;) {
		size_t length = in[i++];

		if (!length) {
			out[o++] = in[i++];
			continue;
		}
		for (size_t back = in[i] | (size_t)in[i + 1] << 8; length--; o++)
			out[o] = out[o - back];
		i += 2;
	}
	return o;
}

int main(void)
{
	static const char *const words[] = { "the ", "house ", "of ", "a ", "merchant ", "stands ", "by ", "river " };
	uint8_t *text = malloc(SIZE + 16), *packed = malloc(2 * SIZE + 32), *again = malloc(SIZE + 16);
	uint32_t seed = 3;
	size_t n = 0, packed_n = 0;

	while (n < SIZE - 16) {
		const char *word = words[(seed = seed * 1664525u + 1013904223u) >> 29];

		memcpy(text + n, word, strlen(word));
		n += strlen(word);
		text[n++] = (uint8_t)('a' + (seed >> 9) % 26);
	}
	for (int round = 0; round < 20; round++) {
		packed_n = squeeze(text, n, packed);
		if (unpack(packed, packed_n, again) != n || memcmp(text, again, n) != 0)
			return 1;
	}
	printf("%zu bytes to %zu\n", n, packed_n);
	free(text), free(packed), free(again);
	return 0;
}
