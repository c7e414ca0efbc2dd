/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "old_runs.h"

#include <string.h>

#include "lib/util.h"

/* Without slashes at its end. */
static size_t path_length(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

/* Whether `path` is FOLDER.old, and `other` FOLDER or, by --repeat, FOLDER.NUMBER. */
static int is_old_of(const char *path, const char *other)
{
	static const char old[] = ".old";
	size_t n = path_length(path), length = path_length(other);

	if (n <= sizeof(old) - 1 || strncmp(path + n - (sizeof(old) - 1), old, sizeof(old) - 1))
		return 0;
	n -= sizeof(old) - 1;
	if (length < n || strncmp(path, other, n))
		return 0;
	return length == n ||
	       (other[n] == '.' && length > n + 1 && strspn(other + n + 1, "0123456789") == length - n - 1);
}

size_t old_runs_leave_out(char **paths, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t other = 0;

		while (other < n && (other == i || !is_old_of(paths[i], paths[other])))
			other++;
		paths[kept++] = paths[i];
		if (other == n)
			continue;
		kept--;
		print_visible(stderr, "cinstr: note: %s is left out: it was there before\n", paths[i]);
	}
	return kept;
}
