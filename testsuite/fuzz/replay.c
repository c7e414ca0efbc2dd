/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay.c - runs fuzz.c on each file of a folder, once. Prints what suites print. --counts FILE
 * prints what was run instead (count.h).
 */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static char current[256];

static void say_failure(int number)
{
	dprintf(STDOUT_FILENO, "FAIL corpus: %s: signal %d\n0 passed, 1 failed\n", current, number);
	_exit(1);
}

static void replay(const char *folder, const char *name)
{
	static uint8_t input[1 << 20];
	char path[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (!f)
		abort();
	n = fread(input, 1, sizeof(input), f);
	fclose(f);
	snprintf(current, sizeof(current), "%s", name);
	LLVMFuzzerTestOneInput(input, n);
}

int main(int argc, char **argv)
{
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	struct dirent *entry;
	unsigned n = 0;

	if (argc == 3 && !strcmp(argv[1], "--counts"))
		return count_print(argv[2]) ? 2 : 0;
	if (!dir || LLVMFuzzerInitialize(&argc, &argv))
		return 2;
	signal(SIGSEGV, say_failure);
	signal(SIGBUS, say_failure);
	signal(SIGFPE, say_failure);
	signal(SIGABRT, say_failure);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			replay(argv[1], entry->d_name);
			n++;
		}
	closedir(dir);
	printf("%s corpus: %u inputs\n%d passed, %d failed\n", n ? "ok" : "FAIL", n, n != 0, !n);
	return n == 0;
}
