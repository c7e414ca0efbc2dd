/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * baseline.h - what has been sent of a session: for each sample the sum of all pushes. A push sends
 * the difference. It is stored in the spool, if there is one, so that another push can continue:
 *
 *  1 the request is written under a name that is never sent (NAME.partial)
 *  2 the baseline that includes the request, and its name, replaces the previous one
 *  3 the request gets its name, and is sent
 *
 * If the process stops before 2, nothing has been sent; if between 2 and 3, the next start finds
 * NAME.partial and does 3.
 */
#ifndef REPORT_PUSH_BASELINE_H
#define REPORT_PUSH_BASELINE_H

#include <stdint.h>

#include "export/export_delta.h"
#include "lib/util.h"
#include "push.h"

struct baseline {
	struct map keys; /* half[] of a sample's key -> number */
	uint32_t *pids;	 /* by number */
	int64_t *sent;	 /* n_values of each */
	int64_t *now;	 /* including the current push, which is not finished */
	size_t size;
	unsigned n_values;
	int is_last;	   /* the last push: also sends values that have decreased */
	uint64_t until_ns; /* time of day of the last push; 0: none */
	const struct spool *spool;
	char *name; /* its file in the spool; NULL: none */
	int lock;   /* descriptor of the lock */
};

/* Opens the baseline of a session and URL. Returns 0, or an exit status after an error message:
 * another process sends the session, or the file is damaged. */
int baseline_open(struct baseline *baseline, const struct pushing *p, const char *session);
void baseline_release(struct baseline *baseline);

/* The function `take` of struct export_delta. */
int baseline_take(void *arg, const struct sample_key *key, uint64_t *values, unsigned n_values);
/* Cancels the current push; the next one includes its values. */
void baseline_undo(struct baseline *baseline);
/* Records that the current push was sent. */
void baseline_done(struct baseline *baseline, uint64_t until_ns);
/* Adds the request to the spool, from where it is sent. Returns 0, or -1 after an error message. */
int baseline_spool(struct baseline *baseline, const struct pushing *p, const struct strbuf *request,
		   uint64_t until_ns);

#endif
