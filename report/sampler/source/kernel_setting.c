/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel_setting.c - see kernel_setting.h. */
#include "kernel_setting.h"

#include <stdio.h>

long kernel_setting(const char *name, long otherwise)
{
	char path[64];
	FILE *file;
	long number;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%ld", &number) != 1)
		number = otherwise;
	if (file)
		fclose(file);
	return number;
}

long kernel_setting_paranoid(void)
{
	return kernel_setting("perf_event_paranoid", 2);
}
