/* SPDX-License-Identifier: GPL-3.0-or-later */
/* push.h - what the parts of cinstr push share: what is sent, and how it gets there. */
#ifndef REPORT_PUSH_PUSH_H
#define REPORT_PUSH_PUSH_H

#include <stdint.h>

#include "export/export.h"
#include "lib/options.h"
#include "spool.h"

#define PUSH_LABEL "label=" /* before each of options.labels */

struct push_options {
	const char *service, *version, *token, *authorities, *spool, *every;
	struct option_each labels;
	int to, wait;
	const char *spool_size;
	uint64_t retries, timeout_s;
	struct export_options export; /* .view: what of the session */
};

/* What is at the URL. */
struct push_store {
	const char *name, *path;
	int is_nested; /* "labels" are an object with a list */
};

struct pushing {
	const struct command *command;
	const struct push_options *options;
	const struct push_store *store;
	char *url;
	struct strbuf authorization;
	struct strbuf authorities; /* the name of their open file; empty: the system's */
	struct spool spool;
	uint64_t sent, refused;
	int is_once; /* nothing is tried again, as there will be another push */
	int is_away; /* the last one could not be sent, which has been said */
};

/*
 * request.c: the session (NULL: the default one) as pprof in the store's request; delta NULL: all
 * of it. *request is empty: there is nothing to be sent. An exit status.
 */
int request_make(const struct pushing *p, char *session, struct export_delta *delta, struct strbuf *request);

/* sending.c */
enum outcome { SENT, REFUSED, LATER };
enum outcome send_body(struct pushing *p, const struct strbuf *body);
/* What is in the spool, oldest first; the first that has to wait lets the others wait, too. */
void send_spool(struct pushing *p);
/* The last line: how many were sent, how many wait. An exit status. */
int push_end(const struct pushing *p);

/* continuous.c: sends what is new every so many seconds, until the session has ended, or somebody
 * wants it to end. An exit status. */
int push_continuously(struct pushing *p, char *session, double every_s);

#endif
