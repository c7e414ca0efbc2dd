/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * copies.h - finds processes that occur in several files: a copy of a file, or a merged file beside
 * the files it was merged from, would make everything count twice.
 */
#ifndef REPORT_SESSION_COPIES_H
#define REPORT_SESSION_COPIES_H

#include "file/data.h"
#include "lib/util.h"

struct session;

/* Returns the number of processes in the file: 1, or those that were merged. */
uint32_t copies_in(const struct data *data);
/* Sets `key` to a text that identifies a process in any file. */
void copies_key(struct strbuf *key, uint32_t pid, uint64_t start_realtime_ns, const char *host);
/* copies_seen() returns how many of the file's processes are in `seen`; copies_note() adds
 * them. */
uint32_t copies_seen(const struct map *seen, const struct data *data);
void copies_note(struct map *seen, const struct data *data);

/* Whether to leave out the data of file `number` because all processes in it were visited before.
 * To be called at the first visit of each file. Warns if some or all were. */
int copies_leave_out(struct session *input, size_t number, const struct data *data);

#endif
