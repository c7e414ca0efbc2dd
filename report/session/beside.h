/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * beside.h - the data files that stand beside one, as far as they tell what became of its process.
 * A folder is looked at once, by one thread of the command.
 */
#ifndef REPORT_BESIDE_H
#define REPORT_BESIDE_H

#include "cinstr/format.h"

/* Whether the process went on as another program, with a data file of its own. */
int beside_has_successor(const char *path, const struct cinstr_header *header);
/* Whether somebody records into the session whom this command cannot see: another namespace of
 * process numbers. */
int beside_is_hidden(const char *path);

/* Sessions are read anew: what was seen of folders may have changed. */
void beside_forget(void);

#endif
