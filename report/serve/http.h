/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * http.h - a server of HTTP on 127.0.0.1, with libmicrohttpd, which is loaded when it is needed:
 * the command works without it. It answers from a thread of its own; what it may say is decided
 * here (access.h), what there is by whoever started it.
 */
#ifndef REPORT_SERVE_HTTP_H
#define REPORT_SERVE_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "access.h"

/* What is found under a name. */
struct http_answer {
	const char *type; /* NULL: there is nothing of that name */
	char *text;	  /* freed later; NULL: a part of a file: */
	int fd;		  /* closed later */
	uint64_t offset, size;
};

/* From the server's thread. `name`: what is behind the token. */
typedef void http_find(void *arg, const char *name, struct http_answer *answer);

struct http {
	struct access access;
	http_find *find;
	void *arg;
	void *daemon; /* struct MHD_Daemon */
};

/* port 0: any that is free. 0, or -1 after an error message. */
int http_start(struct http *http, unsigned port, http_find *find, void *arg);
void http_stop(struct http *http);

#endif
