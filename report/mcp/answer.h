/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * answer.h - makes the answer to a call from the output of a verb: one page of its rows, without
 * members that say nothing, limited to the requested length, with suggestions for next calls.
 */
#ifndef REPORT_MCP_ANSWER_H
#define REPORT_MCP_ANSWER_H

#include "call.h"

/* The result of a call. */
struct outcome {
	const char *output; /* of n bytes; NULL: more than can be read */
	size_t n;
	const char *messages; /* "cinstr: ..." lines */
	int status;	      /* as from waitpid(); -1: not known */
	int is_late;	      /* was killed because it took too long */
};

/* Returns the answer, an object that the caller puts; NULL: an error, with `why` set. */
struct json_object *answer_make(const struct call *call, const struct outcome *outcome, struct strbuf *why);

/* Adds next calls to "next" of an answer (next_steps.c). */
void next_steps_add(struct json_object *next, const struct call *call, struct json_object *result);
/* Adds the call for the next page. */
void next_steps_page(struct json_object *next, const struct call *call, uint64_t offset);

#endif
