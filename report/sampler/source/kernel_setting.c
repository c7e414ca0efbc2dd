/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernel_setting.h"

#include <stdio.h>

#include "lib/files.h"

long kernel_setting(const char *name, long otherwise)
{
	FILE *file;
	long number;

	file = files_kernel("/proc/sys/kernel/%s", name);
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
