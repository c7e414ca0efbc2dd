/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * snapshot.h - copies a session's data files into a session folder of its own, each thread in a
 * consistent state, while their processes go on recording.
 */
#ifndef REPORT_SNAPSHOT_H
#define REPORT_SNAPSHOT_H

#include <stddef.h>

struct snapshot_file {
	const char *path;
	int is_live; /* its process is recording: it is asked to fold its buffers */
	/* Its threads are not asked to wait: if one records too fast, some of its last calls may be
	 * wrong without a message. */
	int never_waits;
};

/* Makes the copy. `wanted`: folder to create, which must not exist; NULL: FROM.snapshot,
 * FROM.snapshot.2, ... Prints errors. Returns the folder's name, which the caller frees, or
 * NULL. */
char *snapshot_make(const char *from, const struct snapshot_file *files, size_t n, const char *wanted);

#endif
