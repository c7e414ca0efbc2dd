/* SPDX-License-Identifier: GPL-3.0-or-later */
/* images_maps.c - /proc/PID/maps, line by line. See image.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "lib/files.h"

/* A line is that long at most: a path, and numbers. */
#define LINE_MAX_BYTES 8192

/* The kernel writes a line feed in a path as \012. */
static void restore_path(char *path)
{
	char *to = path;

	path[strcspn(path, "\n")] = '\0';
	for (; *path; path++) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 3;
		} else {
			*to++ = *path;
		}
	}
	*to = '\0';
}

/* 1: the line is a mapping. */
static int read_line(char *line, struct raw_mapping *mapping, char *rights)
{
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &mapping->start,
		   &mapping->end, rights, &mapping->file_offset, &mapping->device_major,
		   &mapping->device_minor, &mapping->inode, &at) != 7 ||
	    !at)
		return 0;
	restore_path(line + at);
	mapping->path = line + at;
	return mapping->start < mapping->end;
}

int maps_read(uint32_t pid, int executable, void (*each)(void *arg, const struct raw_mapping *mapping),
	      void *arg)
{
	char line[LINE_MAX_BYTES], rights[8];
	FILE *maps;

	maps = files_kernel("/proc/%u/maps", pid);
	if (!maps)
		return -errno;
	while (fgets(line, sizeof(line), maps)) {
		struct raw_mapping mapping = { .pid = pid };

		if (read_line(line, &mapping, rights) && (!executable || strchr(rights, 'x')))
			each(arg, &mapping);
	}
	fclose(maps);
	return 0;
}

size_t maps_path_length(const char *path, int *is_deleted)
{
	static const char mark[] = " (deleted)";
	size_t n = strlen(path);

	*is_deleted = n > sizeof(mark) - 1 && !strcmp(path + n - (sizeof(mark) - 1), mark);
	return *is_deleted ? n - (sizeof(mark) - 1) : n;
}
