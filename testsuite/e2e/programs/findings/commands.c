/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts a command for each of 60 files; with "fine" it does that by itself, and starts one; with
 * "read" it reads what a command prints. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

__attribute__((noinline)) static int exists_by_command(const char *path)
{
	char command[256];

	snprintf(command, sizeof(command), "test -e %s", path);
	return system(command) == 0;
}

__attribute__((noinline)) static int size_by_command(const char *path)
{
	char command[256], line[64] = "";
	FILE *pipe;

	snprintf(command, sizeof(command), "sleep 0.01; wc -c %s", path);
	pipe = popen(command, "r");
	if (!pipe || !fgets(line, sizeof(line), pipe))
		abort();
	pclose(pipe);
	return atoi(line) > 0;
}

__attribute__((noinline)) static int exists(const char *path)
{
	struct stat state;

	return stat(path, &state) == 0;
}

int main(int argc, char **argv)
{
	int is_fine = argc > 1 && !strcmp(argv[1], "fine");
	int is_read = argc > 1 && !strcmp(argv[1], "read");
	int n = 0;

	for (int i = 0; i < 60; i++)
		n += is_read ? size_by_command("/etc/passwd")
		     : is_fine && i ? exists("/etc/passwd")
				    : exists_by_command("/etc/passwd");
	printf("%d\n", n);
	return 0;
}
