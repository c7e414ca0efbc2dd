/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a file a line at a time; with "fine" a thousand lines at a time. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES 40000

static const char line[] = "a line of the log\n";
static char lines[1000 * sizeof(line)];

__attribute__((noinline)) static void log_line(int fd, size_t n)
{
	if (write(fd, line, n) < 0)
		exit(1);
}

__attribute__((noinline)) static void log_lines(int fd)
{
	if (write(fd, lines, sizeof(lines)) < 0)
		exit(1);
}

int main(int argc, char **argv)
{
	int is_fine = argc > 1 && !strcmp(argv[1], "fine");
	int fd = open("small_lines.out", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (int i = 0; i < LINES; i++)
		if (!is_fine)
			log_line(fd, sizeof(line) - 1);
		else if (i % 1000 == 0)
			log_lines(fd);
	return 0;
}
