/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stored.c - see stored.h. One thread. */
#include "stored.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "change.h"
#include "cinstr/format.h"

static void size_set(struct stored *stored, int fd, size_t n)
{
	if (stored->size == n)
		return;
	if (ftruncate(fd, (off_t)n))
		abort();
	if (n < stored->size)
		memset(stored->bytes + n, 0, stored->size - n);
	stored->size = n;
}

/* Begins with an empty file if it is not known what is in there. */
static int stored_open(struct stored *stored)
{
	if (!stored->bytes)
		stored->bytes = calloc(1, FUZZ_FILE_MAX);
	if (!stored->bytes)
		abort();
	if (!stored->is_known) {
		unlink(stored->path);
		memset(stored->bytes, 0, stored->size);
		stored->size = 0;
	}
	return open(stored->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

void stored_write(struct stored *stored, const uint8_t *bytes, size_t n)
{
	int fd = stored_open(stored);

	if (fd < 0)
		abort();
	size_set(stored, fd, n);
	for (size_t at = 0; at < n; at += CINSTR_PAGE) {
		size_t length = n - at < CINSTR_PAGE ? n - at : CINSTR_PAGE;

		if (!memcmp(stored->bytes + at, bytes + at, length))
			continue;
		if (pwrite(fd, bytes + at, length, (off_t)at) != (ssize_t)length)
			abort();
		memcpy(stored->bytes + at, bytes + at, length);
	}
	close(fd);
	stored->is_known = 1;
}
