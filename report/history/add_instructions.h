/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * add_instructions.h - the executed instructions of a session that is added to a history: of each
 * function, and the builds of modules that they belong to.
 */
#ifndef REPORT_HISTORY_ADD_INSTRUCTIONS_H
#define REPORT_HISTORY_ADD_INSTRUCTIONS_H

#include "instructions/instructions.h"

struct added_instructions {
	struct executed executed;
	struct executed_rows rows;
	struct map keys;    /* of the rows: name, module, file */
	struct map unknown; /* name and module of rows whose number is not known */
	uint8_t *is_taken;  /* [rows.n] */
	int is_there;	    /* all of the session's instructions were counted */
};

/* Reads the instructions. Returns STATUS_OK also if there are none. Release in every case. */
int added_instructions_read(struct added_instructions *added, const char *session,
			    const struct view_options *options);
/* Returns the function's row, or NULL if it has none, or it was taken before. */
const struct executed_row *added_instructions_take(struct added_instructions *added, const char *name,
						   const char *module, const char *file);
/* Returns the next row that was not taken, or NULL. Start with *at = 0. */
const struct executed_row *added_instructions_left(struct added_instructions *added, size_t *at);
/* Whether the numbers of all rows with this row's name and module are known. */
int added_instructions_knows(const struct added_instructions *added, const struct executed_row *row);
void added_instructions_release(struct added_instructions *added);

#endif
