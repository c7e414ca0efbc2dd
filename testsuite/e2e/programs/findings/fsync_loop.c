/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the disk write after each record; with "fine" once, at the end. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 200

__attribute__((noinline)) static void store(int fd, int i, int is_safe)
{
	char record[512];

	memset(record, i, sizeof(record));
	if (write(fd, record, sizeof(record)) < 0)
		exit(1);
	if (is_safe)
		fsync(fd);
}

int main(int argc, char **argv)
{
	int is_fine = argc > 1 && !strcmp(argv[1], "fine");
	int fd = open("fsync_loop.out", O_RDWR | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < RECORDS; i++)
		store(fd, i, !is_fine);
	fsync(fd);
	return 0;
}
