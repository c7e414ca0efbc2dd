/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * snapshot.h - a copy of a session's data files in a session folder of its own, each thread as of
 * one moment, while their processes go on recording.
 */
#ifndef REPORT_SNAPSHOT_H
#define REPORT_SNAPSHOT_H

#include <stddef.h>

struct snapshot_file {
	const char *path;
	int is_live; /* its process is recording: it is asked to fold what it has in its buffers */
	/* its threads are never asked to wait: of one that goes on too fast some of the last calls
	 * may be wrong, which is not said */
	int never_waits;
};

/*
 * `wanted`: the folder to be made, which must not be there yet; NULL: FROM.snapshot,
 * FROM.snapshot.2, ... Says what is wrong. Returns the folder's name, which the caller frees, or
 * NULL.
 */
char *snapshot_make(const char *from, const struct snapshot_file *files, size_t n, const char *wanted);

#endif
