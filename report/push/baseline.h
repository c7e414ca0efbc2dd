/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * baseline.h - what of a session has been sent: of each sample the sum of what went so far. A push
 * gets the difference. Kept in the spool, if there is one, so that another push goes on where this
 * one was:
 *
 *   1 the request is written under a name that nobody sends (NAME.partial)
 *   2 the baseline with that request in it, and its name, takes the place of the one before
 *   3 the request gets its name, and is sent
 *
 * Who is stopped before 2 has sent nothing of it; who is stopped between 2 and 3 finds NAME.partial
 * when it begins again, and does 3.
 */
#ifndef REPORT_PUSH_BASELINE_H
#define REPORT_PUSH_BASELINE_H

#include <stdint.h>

#include "export/export_delta.h"
#include "lib/util.h"
#include "push.h"

struct baseline {
	struct map keys; /* half[] of a sample -> number */
	uint32_t *pids;	 /* by number */
	int64_t *sent;	 /* n_values of each */
	int64_t *now;	 /* with the push at hand, which is not done yet */
	size_t size;
	unsigned n_values;
	int is_last;	   /* nothing comes after it: what is less than it was goes, too */
	uint64_t until_ns; /* time of day of the last push; 0: there was none */
	const struct spool *spool;
	char *name; /* its file in the spool; NULL: there is none */
	int lock;   /* a descriptor */
};

/* Of this session, for this URL. 0, or an exit status after an error message: somebody else sends
 * the session, or the file is damaged. */
int baseline_open(struct baseline *baseline, const struct pushing *p, const char *session);
void baseline_release(struct baseline *baseline);

/* struct export_delta: take. */
int baseline_take(void *arg, const struct sample_key *key, uint64_t *values, unsigned n_values);
/* The push at hand will never be: the next one has its values. */
void baseline_undo(struct baseline *baseline);
/* It is on its way. */
void baseline_done(struct baseline *baseline, uint64_t until_ns);
/* Into the spool, where it waits. 0, or -1 after an error message. */
int baseline_spool(struct baseline *baseline, const struct pushing *p, const struct strbuf *request,
		   uint64_t until_ns);

#endif
