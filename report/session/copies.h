/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * copies.h - which processes files tell of: a copy of a file, or a merged file beside what it was
 * merged of, would make everything count twice.
 */
#ifndef REPORT_SESSION_COPIES_H
#define REPORT_SESSION_COPIES_H

#include "file/data.h"
#include "lib/util.h"

struct input;

/* How many processes the file is of. */
uint32_t processes_in(const struct data *data);
/* Makes the key of a process, which no other process has, whatever file it is in. */
void processes_key(struct strbuf *key, uint32_t pid, uint64_t start_realtime_ns, const char *host);
/* Returns how many of the file's processes are in `seen`. */
uint32_t processes_seen(const struct map *seen, const struct data *data);
void processes_note(struct map *seen, const struct data *data);

/*
 * Whether the data of file `number`, which are visited for the first time, are to be left out, as
 * all processes in them were visited before. Says so, also if only some of them were.
 */
int copies_leave_out(struct input *input, size_t number, const struct data *data);

#endif
