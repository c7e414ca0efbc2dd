/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * spool.h - requests still to be sent: a folder of bounded size with a file for each, sent oldest
 * first. Several processes may use it at the same time: the one that sends a file holds a lock on
 * it.
 */
#ifndef REPORT_PUSH_SPOOL_H
#define REPORT_PUSH_SPOOL_H

#include <stdint.h>

#include "lib/util.h"

#define SPOOL_PARTIAL ".partial"   /* suffix of files being written */
#define SPOOL_NOT_TAKEN ".refused" /* suffix of requests that the server has refused */

struct spool {
	const char *path; /* NULL: no spool */
	int folder;	  /* descriptor; only this user can write into the folder */
	uint64_t most;	  /* limit of the total size in bytes */
};

/* A request taken from the spool. */
struct spooled {
	char *name;
	int fd; /* holds the lock */
	struct strbuf body;
};

/* Opens the folder, creating it if needed. Returns 0, or -1 after an error message. */
int spool_open(struct spool *spool, const char *path, uint64_t most);
/* Adds a request. Drops the oldest ones, with a message, if there is no room. Returns 0, or -1
 * after an error message. */
int spool_add(struct spool *spool, const char *kind, const void *body, size_t n);
/* Like spool_add(), but calls note() with the request's future name when it is written completely
 * and not sent yet. If note() returns -1 instead of 0, the request is dropped. */
int spool_add_noted(const struct spool *spool, const char *kind, const void *body, size_t n,
		    int (*note)(void *arg, const char *name), void *arg);
/* Gives NAME.partial its name. Returns 0, or -1. */
int spool_name(const struct spool *spool, const char *name);
/* Takes the oldest request of this kind after `after` (NULL: of all) that no other process sends.
 * Returns 1, or 0 if there is none. */
int spool_next(const struct spool *spool, const char *kind, const char *after, struct spooled *spooled);
enum spool_end { SPOOL_KEPT, SPOOL_SENT, SPOOL_REFUSED };
/* Releases a request. One that was sent is removed; one that was refused is renamed to
 * NAME.refused, is not sent again, and goes when the spool needs its room. */
void spool_done(const struct spool *spool, struct spooled *spooled, enum spool_end end);
/* Returns the number of waiting requests, and sets their total size. */
uint64_t spool_waiting(const struct spool *spool, uint64_t *bytes);

#endif
