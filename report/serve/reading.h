/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reading.h - reads a session in a process of its own: what it takes of memory is given back, the
 * server goes on answering, and a reading can be stopped. Of a session that is being recorded it
 * makes a snapshot first. From the main thread only.
 */
#ifndef REPORT_SERVE_READING_H
#define REPORT_SERVE_READING_H

#include <stdint.h>
#include <sys/types.h>

#include "html/html.h"

struct reading {
	pid_t pid; /* 0: none is going on */
	int data_fd, list_fd, words_fd;
	uint64_t begin_ns;
};

/* What is read, and where a snapshot may stand meanwhile. */
struct reading_wish {
	struct html_wish html;
	int is_live, is_other_live; /* a snapshot is made of it, in */
	const char *folder;	    /* a folder of our own */
	int is_first;		    /* messages go to stderr */
	uint64_t from_ns, to_ns;    /* in place of --from and --to; to_ns 0: none */
};

/* 0, or -1 after an error message. */
int reading_begin(struct reading *reading, const struct reading_wish *wish);
/*
 * The process has ended with `status` (of waitpid). Returns the file of the parts, whose list the
 * caller frees, or -1: *list is what was said then.
 */
int reading_end(struct reading *reading, int status, char **list);
void reading_stop(struct reading *reading);

#endif
