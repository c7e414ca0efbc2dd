/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0305|CF0301|CF0205 setting|limit_of|serve|load; processor
 * Serves requests. Planted: the file of settings is opened and read for each of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char name[64];

static void make_settings(void)
{
	FILE *file;

	snprintf(name, sizeof(name), "/tmp/settings.%d", (int)getpid());
	file = fopen(name, "w");
	for (int i = 0; file && i < 30; i++)
		fprintf(file, "limit%d = %d\n", i, i * 10 + 5);
	if (file)
		fclose(file);
}

static int load(const char *key)
{
	FILE *file = fopen(name, "r");
	char line[128], found[64];
	int value, result = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s = %d", found, &value) == 2 && !strcmp(found, key))
			result = value;
	if (file)
		fclose(file);
	return result;
}

static int setting(const char *key)
{
#ifdef REPAIRED
	static int is_loaded, value;

	if (!is_loaded)
		value = load(key);
	is_loaded = 1;
	return value;
#else
	return load(key);
#endif
}

static unsigned serve(unsigned request)
{
	unsigned limit = (unsigned)setting("limit7"), sum = 0;

	for (unsigned i = 0; i < 400; i++)
		sum = sum * 31 + (request ^ i) % limit;
	return sum;
}

int main(void)
{
	unsigned sum = 0;

	make_settings();
	for (unsigned i = 0; i < 60000; i++)
		sum += serve(i);
	unlink(name);
	printf("%u\n", sum);
	return 0;
}
