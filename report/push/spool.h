/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spool.h - what is still to be sent: a folder with a file for each request, oldest first, of a
 * bounded size. Several may use it at the same time: whoever sends a file holds a lock on it.
 */
#ifndef REPORT_PUSH_SPOOL_H
#define REPORT_PUSH_SPOOL_H

#include <stdint.h>

#include "lib/util.h"

#define SPOOL_PARTIAL ".partial" /* behind the name of what is being written */

struct spool {
	const char *path; /* NULL: there is none */
	int folder;	  /* its descriptor: nobody but this user can write into it */
	uint64_t most;	  /* bytes of all of it */
};

/* One that is to be sent. */
struct spooled {
	char *name;
	int fd; /* locked */
	struct strbuf body;
};

/* Opens the folder, which is made if it is not there. 0, or -1 after an error message. */
int spool_open(struct spool *spool, const char *path, uint64_t most);
/* 0, or -1 after an error message. The oldest ones go if there is no room, which is said. */
int spool_add(struct spool *spool, const char *kind, const void *body, size_t n);
/* The same; when all of it is written, and nobody sends it yet, note() gets the name that it will
 * have. It returns 0, or -1: then it will never be. */
int spool_add_noted(const struct spool *spool, const char *kind, const void *body, size_t n,
		    int (*note)(void *arg, const char *name), void *arg);
/* What is written as NAME.partial gets its name. Returns 0, or -1. */
int spool_name(const struct spool *spool, const char *name);
/* The oldest of this kind behind `after` (NULL: of all) that nobody else sends: 1; 0: none. */
int spool_next(const struct spool *spool, const char *kind, const char *after, struct spooled *spooled);
/* It was sent (or will never be): it goes. */
void spool_done(const struct spool *spool, struct spooled *spooled, int is_done);
/* How many wait; *bytes: theirs. */
uint64_t spool_waiting(const struct spool *spool, uint64_t *bytes);

#endif
