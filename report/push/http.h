/* SPDX-License-Identifier: GPL-3.0-or-later */
/* http.h - sends what is posted, by libcurl, which is loaded when it is used: http and https. */
#ifndef REPORT_PUSH_HTTP_H
#define REPORT_PUSH_HTTP_H

#include <stddef.h>

#include "lib/util.h"

struct http_reply {
	long status;	    /* 0: there was none */
	struct strbuf text; /* the begin of what it says, or why there is none */
};

/* 0, or -1 after an error message: the library is not there. */
int http_load(void);
struct http_request {
	const char *url;
	const char *const *headers; /* "Name: value", ended by NULL */
	const char *authorities;    /* a file of certificates to believe; NULL: the system's */
	long timeout_ms;
};

/* The reply's text is released by the caller. */
void http_post(const struct http_request *request, const void *body, size_t n, struct http_reply *reply);

#endif
