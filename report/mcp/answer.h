/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * answer.h - what a verb has printed, as the answer to a call: one page of its rows, without what
 * says nothing, no longer than was asked for, and what to ask next.
 */
#ifndef REPORT_MCP_ANSWER_H
#define REPORT_MCP_ANSWER_H

#include "call.h"

/* What a call has come to. */
struct outcome {
	const char *output; /* of n bytes; NULL: it is more than can be read */
	size_t n;
	const char *messages; /* "cinstr: ..." lines */
	int status;	      /* as of waitpid(); -1: nothing is known of it */
	int is_late;	      /* it was ended, because it took too long */
};

/* Makes the answer, an object that the caller puts; NULL: it is an error, which `why` tells. */
struct json_object *answer_make(const struct call *call, const struct outcome *outcome, struct strbuf *why);

/* Adds what to ask next to "next" of an answer (next_steps.c). */
void next_steps_add(struct json_object *next, const struct call *call, struct json_object *result);
/* Adds the next page of the same. */
void next_steps_page(struct json_object *next, const struct call *call, uint64_t offset);

#endif
