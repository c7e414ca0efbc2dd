/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks for each request whether a file has changed; with "fine" once in a thousand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REQUESTS 40000

__attribute__((noinline)) static int has_changed(const char *path, time_t since)
{
	struct stat state;

	return stat(path, &state) == 0 && state.st_mtime > since;
}

__attribute__((noinline)) static unsigned answer(unsigned request)
{
	for (int i = 0; i < 300; i++)
		request = request * 1664525 + 1013904223;
	return request;
}

int main(int argc, char **argv)
{
	unsigned each = argc > 1 && !strcmp(argv[1], "fine") ? 1000 : 1;
	unsigned sum = 0;

	for (unsigned i = 0; i < REQUESTS; i++) {
		if (i % each == 0 && has_changed("/etc/passwd", 4000000000))
			return 1;
		sum += answer(i);
	}
	printf("%u\n", sum);
	return 0;
}
