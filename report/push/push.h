/* SPDX-License-Identifier: GPL-3.0-or-later */
/* push.h - shared by the parts of cinstr push: what is sent, and how. */
#ifndef REPORT_PUSH_PUSH_H
#define REPORT_PUSH_PUSH_H

#include <stdint.h>

#include "export/export.h"
#include "lib/options.h"
#include "spool.h"

#define PUSH_LABEL "label=" /* in front of each of options.labels */

struct push_options {
	const char *service, *version, *token, *authorities, *spool, *every;
	struct option_each labels;
	int to, wait;
	const char *spool_size;
	uint64_t retries, timeout_s;
	struct export_options export; /* .view: the part of the session */
};

/* The kind of service at the URL. */
struct push_store {
	const char *name, *path;
	int is_nested; /* "labels" is an object that contains a list */
};

struct pushing {
	const struct command *command;
	const struct push_options *options;
	const struct push_store *store;
	char *url;
	struct strbuf authorization;
	struct strbuf authorities; /* name of their open file; empty: the system's */
	struct spool spool;
	uint64_t sent, refused;
	int is_once; /* nothing is retried, as there will be another push */
	int is_away; /* the last request could not be sent, and that was reported */
};

/* request.c: makes the store's request with the session (NULL: the default one) as pprof; delta
 * NULL: all of it. *request is empty if there is nothing to send. Returns an exit status. */
int request_make(const struct pushing *p, char *session, struct export_delta *delta, struct strbuf *request);

/* sending.c */
enum outcome { SENT, REFUSED, LATER };
enum outcome sending_body(struct pushing *p, const struct strbuf *body);
/* Sends the spool's requests, oldest first; stops at the first that cannot be sent now. */
void sending_spool(struct pushing *p);
/* Prints how many requests were sent and how many wait. Returns an exit status. */
int push_end(const struct pushing *p);

/* continuous.c: sends what is new every every_s seconds until the session ends or the command is
 * asked to end. Returns an exit status. */
int push_continuously(struct pushing *p, char *session, double every_s);

#endif
