/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * content.h - the content served: a session that has been read, as parts of one file in memory.
 * Reading it again makes another edition with the next number; the previous one is kept for pages
 * that still request its parts. Read from the server's thread, changed from the main thread.
 */
#ifndef REPORT_SERVE_CONTENT_H
#define REPORT_SERVE_CONTENT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define CONTENT_PAGE "page" /* name of the part with the page itself */

struct content_part {
	const char *name;
	uint64_t offset, size;
};

struct content_edition {
	unsigned number;
	int fd; /* -1: none */
	char *names;
	struct content_part *parts;
	size_t n;
};

/* The state that a page polls. */
struct content_state {
	int is_live;	   /* the session is being recorded */
	char *problem;	   /* why the last reading failed; NULL: it did not */
	unsigned every_ms; /* interval at which a page may poll */
};

struct content {
	pthread_mutex_t lock;
	struct content_edition now, before;
	struct content_state state;
	int asked_fd; /* eventfd: a page has polled the state */
	/* Range of time that a page wants to see, ns since the session's start; to_ns 0:
	 * everything. */
	uint64_t from_ns, to_ns;
	int is_range_new; /* content_take_range() has not returned it yet */
};

/* Returns 0, or -1 after an error message. */
int content_init(struct content *content);
void content_release(struct content *content);

/* Adds an edition: `fd` (owned from then on) contains the parts, `list` their names, offsets and
 * sizes, one per line. Returns 0, or -1 if the list is malformed. */
int content_add(struct content *content, int fd, const char *list);
/* Sets the state. `problem` is copied; NULL: none. */
void content_set_state(struct content *content, int is_live, unsigned every_ms, const char *problem);

/* Returns whether a page has requested another range since the last call, and sets the range. */
int content_take_range(struct content *content, uint64_t *from_ns, uint64_t *to_ns);

/* An http_find: "" is the page, "state" the state, "NUMBER/NAME" a part; "range/FROM-TO" (ns; 0-0:
 * everything) requests a range. */
struct http_answer;
void content_find(void *content, const char *name, struct http_answer *answer);

#endif
