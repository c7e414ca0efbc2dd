/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes fresh memory from the kernel for each of 100 pictures of 4 MB and gives it back; with
 * "fine" it keeps one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BYTES (4 << 20)

__attribute__((noinline)) static unsigned draw(unsigned char *picture, int i)
{
	unsigned sum = 0;

	for (size_t k = 0; k < BYTES; k += 512)
		sum += picture[k] = (unsigned char)(i + k);
	return sum;
}

int main(int argc, char **argv)
{
	int is_fine = argc > 1 && !strcmp(argv[1], "fine");
	unsigned char *picture = NULL;
	unsigned sum = 0;

	for (int i = 0; i < 100; i++) {
		if (!picture)
			picture =
				mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		sum += draw(picture, i);
		if (is_fine)
			continue;
		munmap(picture, BYTES);
		picture = NULL;
	}
	printf("%u\n", sum);
	return 0;
}
