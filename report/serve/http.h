/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http.h - an HTTP server on 127.0.0.1 with libmicrohttpd, which is loaded when needed: the command
 * works without it. It answers from its own thread. Access is decided here (access.h); the content
 * comes from the caller.
 */
#ifndef REPORT_SERVE_HTTP_H
#define REPORT_SERVE_HTTP_H

#include <stdint.h>

#include "access.h"

/* Result of a look-up by name. */
struct http_answer {
	const char *type; /* NULL: nothing */
	char *text;	  /* to be freed by the server; NULL: part of a file: */
	int fd;		  /* to be closed by the server */
	uint64_t offset, size;
};

/* Finds an answer; called from the server's thread. `name`: the path after the token. */
typedef void http_find(void *arg, const char *name, struct http_answer *answer);

struct http {
	struct access access;
	http_find *find;
	void *arg;
	void *daemon; /* struct MHD_Daemon */
};

/* Starts the server. port 0: any free one. Returns 0, or -1 after an error message. */
int http_start(struct http *http, unsigned port, http_find *find, void *arg);
void http_stop(struct http *http);

#endif
