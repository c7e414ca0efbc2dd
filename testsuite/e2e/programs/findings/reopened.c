/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens its log anew for each line; with "fine" once. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES 10000

__attribute__((noinline)) static void append(const char *path, int *kept, int is_fine)
{
	static const char line[] = "a line\n";
	int fd = *kept >= 0 ? *kept : open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (is_fine)
		*kept = fd;
	if (write(fd, line, sizeof(line) - 1) < 0)
		exit(1);
	if (!is_fine)
		close(fd);
}

int main(int argc, char **argv)
{
	int is_fine = argc > 1 && !strcmp(argv[1], "fine");
	int kept = -1;

	for (int i = 0; i < (is_fine ? LINES / 20 : LINES); i++)
		append("reopened.out", &kept, is_fine);
	return 0;
}
