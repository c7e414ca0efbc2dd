/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place_rows.h - finds the rows of places; for place_rows.c and place_rows_sampled.c only
 * (profile.h). */
#ifndef REPORT_ROWS_PLACE_ROWS_H
#define REPORT_ROWS_PLACE_ROWS_H

#include "profile.h"

/* The key of a node's row within one process. */
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

/* Returns where the row's number is stored; *is_new: it is not set yet. */
uint32_t *place_known(struct profile *profile, const struct place_key *key, int *is_new);
/* Returns the row with this key, and releases the key. */
uint32_t place_row_of_text(struct profile *profile, struct strbuf *key);
/* Adds `more` to the texts joined in *text, unless the row has it; after PLACES_SHOWN texts, adds
 * an ellipsis once. */
void place_join(struct profile *profile, const char **text, uint32_t *n, uint32_t row, const char *more);
uint32_t place_line_row(struct profile *profile, const char *module, const char *file, uint32_t line);
/* Returns the row of a function without known lines. */
uint32_t place_lineless_row(struct profile *profile, uint32_t entity);
/* Notes that the row is also about this function. */
void place_of_function(struct profile *profile, uint32_t row, uint32_t entity);

/* Returns the build-id of the module as text; NULL: not known. */
const char *place_build(struct profile *profile, const struct module *module);

/* place_rows_sampled.c: return the row of a node of a sampled process, BY_LINE and BY_ADDRESS; and
 * BY_SITE. */
uint32_t sampled_place_row(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
			   uint32_t entity);
uint32_t sampled_site_row(struct profile *profile, const struct data *data, const struct cinstr_cell *cell,
			  uint32_t entity);

#endif
