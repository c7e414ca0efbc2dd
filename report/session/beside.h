/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * beside.h - looks at the data files in the folder of a given one for what became of its process.
 * Each folder is read once. Callable from one thread only.
 */
#ifndef REPORT_BESIDE_H
#define REPORT_BESIDE_H

#include "cinstr/format.h"

/* Whether the process continued as another program (exec), with a data file of its own. */
int beside_has_successor(const char *path, const struct cinstr_header *header);
/* Whether the session is being recorded by a process that this command cannot see, in another
 * namespace of process numbers. */
int beside_is_hidden(const char *path);

/* Forgets the folders read, as sessions are read again and may have changed. */
void beside_forget(void);

#endif
