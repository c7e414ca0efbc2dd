/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * content.h - what is served: a session as it was read, as parts of one file in memory. Reading it
 * again makes another one, with the next number; the one before stays, for pages that still ask for
 * its parts. Looked at from the server's thread, changed from the main thread.
 */
#ifndef REPORT_SERVE_CONTENT_H
#define REPORT_SERVE_CONTENT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define CONTENT_PAGE "page" /* the part that is the page itself */

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

/* What a page asks for again and again: how things are. */
struct content_state {
	int is_live;	   /* something is recording into it */
	char *problem;	   /* why it could not be read the last time; NULL */
	unsigned every_ms; /* so often a page may ask */
};

struct content {
	pthread_mutex_t lock;
	struct content_edition now, before;
	struct content_state state;
	int asked_fd; /* eventfd: a page has asked how things are */
	/* the range of time that a page wants to see, ns since the session's start; to 0: all */
	uint64_t from_ns, to_ns;
	int is_range_new; /* not taken yet */
};

/* 0, or -1 after an error message. */
int content_init(struct content *content);
void content_release(struct content *content);

/*
 * A new edition: `fd` (owned from now on) holds the parts, `list` their names, offsets and sizes,
 * one a line. 0, or -1: the list is not understood.
 */
int content_add(struct content *content, int fd, const char *list);
/* problem: copied; NULL: none. */
void content_set_state(struct content *content, int is_live, unsigned every_ms, const char *problem);

/* Whether a page has asked for another range since the last time; then it is taken. */
int content_take_range(struct content *content, uint64_t *from_ns, uint64_t *to_ns);

/* http_find: "" is the page, "state" how things are, "NUMBER/NAME" a part; "range/FROM-TO" (ns;
 * 0-0: all) asks for a range. */
struct http_answer;
void content_find(void *content, const char *name, struct http_answer *answer);

#endif
