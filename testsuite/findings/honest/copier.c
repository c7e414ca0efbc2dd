/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a file in large pieces, reads it again and checks its sum. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define PIECE 262144
#define PIECES 800

static uint32_t sum_of(const uint8_t *data, size_t n, uint32_t sum)
{
	for (size_t i = 0; i < n; i++)
		sum = (sum << 5 | sum >> 27) ^ data[i];
	return sum;
}

static void fill(uint8_t *data, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++)
		data[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
}

static uint32_t write_all(int fd, uint8_t *data)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < PIECES; i++) {
		fill(data, PIECE, i);
		sum = sum_of(data, PIECE, sum);
		if (write(fd, data, PIECE) != PIECE)
			exit(1);
	}
	return sum;
}

static uint32_t read_all(int fd, uint8_t *data)
{
	uint32_t sum = 0;
	ssize_t n;

	while ((n = read(fd, data, PIECE)) > 0)
		sum = sum_of(data, (size_t)n, sum);
	return sum;
}

int main(void)
{
	char name[] = "/tmp/copier.XXXXXX";
	uint8_t *data = malloc(PIECE);
	int fd = mkstemp(name);
	uint32_t written, seen;

	if (fd < 0 || unlink(name))
		return 1;
	written = write_all(fd, data);
	lseek(fd, 0, SEEK_SET);
	seen = read_all(fd, data);
	free(data);
	printf("%x %x\n", written, seen);
	return written != seen;
}
