/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reading.h - reads a session in a child process: its memory is given back, the server goes on
 * answering, and reading can be stopped. Makes a snapshot first if the session is being recorded.
 * From the main thread only.
 */
#ifndef REPORT_SERVE_READING_H
#define REPORT_SERVE_READING_H

#include <stdint.h>
#include <sys/types.h>

#include "html/html.h"

struct reading {
	pid_t pid; /* of the child; 0: none */
	int data_fd, list_fd, words_fd;
	uint64_t begin_ns;
};

/* The session to read, and the folder for a snapshot. */
struct reading_wish {
	struct html_wish html;
	/* the session, or the other one, is being recorded: reads a snapshot */
	int is_live, is_other_live;
	const char *folder;	 /* folder for snapshots, owned by the server */
	int is_first;		 /* messages go to stderr */
	uint64_t from_ns, to_ns; /* instead of --from and --to; to_ns 0: not given */
};

/* Starts reading. Returns 0, or -1 after an error message. */
int reading_begin(struct reading *reading, const struct reading_wish *wish);
/* Finishes after the child has ended with `status` (of waitpid()). Returns the file of the parts,
 * or -1. *list, which the caller frees: the parts, or the last error message. */
int reading_end(struct reading *reading, int status, char **list);
void reading_stop(struct reading *reading);

#endif
