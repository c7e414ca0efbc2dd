/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0504|CF0503 base_of|list; wall
 * Lists the names of files without their folders. Planted: a command of the shell makes each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES 500

static void trim(char *text)
{
	text[strcspn(text, "\n")] = '\0';
}

static void base_of(const char *path, char *name, size_t size)
{
#ifdef REPAIRED
	const char *slash = strrchr(path, '/');

	snprintf(name, size, "%s", slash ? slash + 1 : path);
#else
	char command[300];
	FILE *pipe;

	snprintf(command, sizeof(command), "basename '%s'", path);
	pipe = popen(command, "r");
	name[0] = '\0';
	if (!pipe)
		return;
	if (!fgets(name, (int)size, pipe))
		name[0] = '\0';
	pclose(pipe);
#endif
	trim(name);
}

static unsigned long digest(const char *name)
{
	unsigned long sum = 5381;

	for (int turn = 0; turn < 2000; turn++)
		for (const char *c = name; *c; c++)
			sum = sum * 33 + (unsigned char)*c;
	return sum;
}

static unsigned long list(int files)
{
	unsigned long sum = 0;

	for (int i = 0; i < files; i++) {
		char path[200], name[200];

		snprintf(path, sizeof(path), "/srv/pictures/%d/%d/picture-%d.jpg", i % 7, i % 31, i);
		base_of(path, name, sizeof(name));
		sum ^= digest(name);
	}
	return sum;
}

int main(void)
{
	printf("%lu\n", list(FILES));
	return 0;
}
