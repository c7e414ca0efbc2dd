/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0209 checksum|crc_byte; processor
 * Writes frames of a container, each with its checksum. Planted: the CRC is computed bit by bit. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME 8192
#define FRAMES 9000

struct frame {
	uint32_t length, crc;
	unsigned char payload[FRAME + FRAME / 64];
};

static uint32_t table[8][256];

static uint32_t crc_byte(uint32_t crc, unsigned char byte)
{
	crc ^= byte;
	for (int bit = 0; bit < 8; bit++)
		crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
	return crc;
}

static void make_table(void)
{
	for (int i = 0; i < 256; i++)
		table[0][i] = crc_byte(0, (unsigned char)i);
	for (int k = 1; k < 8; k++)
		for (int i = 0; i < 256; i++)
			table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
}

static uint32_t checksum(const unsigned char *data, size_t size)
{
	uint32_t crc = ~0u;

#ifdef REPAIRED
	for (; size >= 8; size -= 8, data += 8) {
		uint32_t low, high;

		memcpy(&low, data, 4);
		memcpy(&high, data + 4, 4);
		low ^= crc;
		crc = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^ table[4][low >> 24] ^
		      table[3][high & 255] ^ table[2][high >> 8 & 255] ^ table[1][high >> 16 & 255] ^ table[0][high >> 24];
	}
	while (size--)
		crc = crc >> 8 ^ table[0][(crc ^ *data++) & 255];
#else
	while (size--)
		crc = crc_byte(crc, *data++);
#endif
	return ~crc;
}

/* A byte that is repeated becomes its count and itself. */
static uint32_t compress(const unsigned char *from, unsigned char *to)
{
	uint32_t n = 0;

	for (size_t i = 0; i < FRAME;) {
		size_t end = i + 1;

		while (end < FRAME && end - i < 127 && from[end] == from[i])
			end++;
		if (end - i > 2) {
			to[n++] = (unsigned char)(128 + (end - i));
			to[n++] = from[i];
		} else {
			end = i + 1;
			to[n++] = from[i] & 127;
		}
		i = end;
	}
	return n;
}

static void produce(unsigned char *data, unsigned seed)
{
	for (size_t i = 0; i < FRAME; i++) {
		seed = seed * 1664525 + 1013904223;
		data[i] = seed >> 30 ? (unsigned char)(seed >> 24 & 127) : 0;
	}
}

int main(void)
{
	struct frame *frame = malloc(sizeof(*frame));
	unsigned char data[FRAME];
	uint32_t all = 0;

	make_table();
	for (unsigned i = 0; i < FRAMES; i++) {
		produce(data, i);
		frame->length = compress(data, frame->payload);
		frame->crc = checksum(frame->payload, frame->length);
		all = all * 31 + frame->crc + frame->length;
	}
	printf("%08x\n", all);
	free(frame);
	return 0;
}
