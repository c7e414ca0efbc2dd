/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks up words in a mapped file of 64 MB, in no order. The file is not in memory: each page is
 * waited for; with "fine" it is.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))
#define BYTES (64 << 20)
#define PAGE 4096

KEEP static int make_file(int is_fine)
{
	int fd = open("page_ins.data", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	static char block[1 << 16];

	memset(block, 'x', sizeof(block));
	for (int i = 0; i < BYTES / (int)sizeof(block); i++)
		if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block))
			return -1;
	return !is_fine && (fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)) ? -1 : fd;
}

KEEP static unsigned look_up(const volatile char *file)
{
	unsigned sum = 0, at = 1;

	for (int i = 0; i < BYTES / PAGE / 4; i++) {
		at = at * 1664525u + 1013904223u;
		sum += (unsigned)file[(size_t)(at % (BYTES / PAGE)) * PAGE];
	}
	return sum;
}

int main(int argc, char **argv)
{
	int fd = make_file(argc > 1 && !strcmp(argv[1], "fine"));
	char *file = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);

	if (file == MAP_FAILED)
		return 1;
	madvise(file, BYTES, MADV_RANDOM);
	printf("%u\n", look_up(file));
	return 0;
}
