/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place_rows.h - rows of places by what they are: for place_rows.c and place_rows_sampled.c only
 * (profile.h). */
#ifndef REPORT_ROWS_PLACE_ROWS_H
#define REPORT_ROWS_PLACE_ROWS_H

#include "profile.h"

/* What makes the row of a node, within one process. */
struct place_key {
	uint32_t what, a, b;
};
enum {
	REACH_OF_CALL,
	REACH_OF_ENTRY,
	REACH_OF_ALL,
	LINE_OF_SLED,
	LINE_OF_FUNCTION,
	CALL_SITE,
	CALLEE,
	SAMPLED_PLACE,
	SAMPLED_SITE
};

/* Where the row's number is remembered; *is_new: nothing is yet. */
uint32_t *place_known(struct profile *profile, const struct place_key *key, int *is_new);
/* The row of that key; releases it. */
uint32_t place_row_of_text(struct profile *profile, struct strbuf *key);
/* Adds `more` to the texts joined in *text, of which PLACES_SHOWN are shown. */
void place_join(struct profile *profile, const char **text, uint32_t *n, uint32_t row, const char *more);
uint32_t place_line_row(struct profile *profile, const char *module, const char *file, uint32_t line);
/* Of a function of which no lines are known. */
uint32_t place_lineless_row(struct profile *profile, uint32_t entity);
/* The row is also about this function. */
void place_of_function(struct profile *profile, uint32_t row, uint32_t entity);

/* Which build of the module it is, by its build-id; NULL: not known. */
const char *place_build(struct profile *profile, const struct module *module);

/* place_rows_sampled.c: the row of a node of a sampled process, BY_LINE and BY_ADDRESS, and of its
 * caller's place. */
uint32_t sampled_place_row(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
			   uint32_t entity);
uint32_t sampled_site_row(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
			  uint32_t entity);

#endif
