/* SPDX-License-Identifier: GPL-3.0-or-later */
/* http.h - posts requests by http and https with libcurl, which is loaded when needed. */
#ifndef REPORT_PUSH_HTTP_H
#define REPORT_PUSH_HTTP_H

#include <stddef.h>

#include "lib/util.h"

struct http_reply {
	long status;	    /* 0: no reply */
	struct strbuf text; /* begin of the reply, or the reason why there is none */
};

/* Loads the library. Returns 0, or -1 after an error message. */
int http_load(void);
struct http_request {
	const char *url;
	const char *const *headers; /* "Name: value", terminated by NULL */
	const char *authorities;    /* file of trusted certificates; NULL: the system's */
	long timeout_ms;
};

/* Sends a request. The caller releases the reply's text. */
void http_post(const struct http_request *request, const void *body, size_t n, struct http_reply *reply);

#endif
