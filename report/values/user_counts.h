/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * user_counts.h - the name whose counts (cinstr_count() of cinstr.h, semantics R19) views show, of
 * all names of a session. One choice for the whole command.
 */
#ifndef REPORT_VALUES_USER_COUNTS_H
#define REPORT_VALUES_USER_COUNTS_H

#include "file/data.h"
#include "lib/util.h"

/* Chooses a name, which the caller keeps; NULL: the first one that is seen. Forgets the names of
 * another session. */
void user_counts_choose(const char *name);
/* Notes the names in a data file. Call it before rows are made of the file. */
void user_counts_see(const struct data *data);
/* Whether the item's name is the chosen one. */
int user_counts_is_chosen(const struct data *data, const struct moved_item *item);
/* Whether the chosen name has been seen, or none was chosen. */
int user_counts_is_known(void);
/* Appends the chosen name. */
void user_counts_put(struct strbuf *text);
/* Appends all names: "rows, batches". Returns 1 if there are several, else 0. */
int user_counts_put_all(struct strbuf *text);

#endif
