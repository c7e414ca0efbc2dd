/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * twins.h - data files whose processes have the same number: of containers, of several hosts, of a
 * program that became another one. Each is shown as a process of its own: 17, 17#2, 17#3.
 */
#ifndef REPORT_SESSION_TWINS_H
#define REPORT_SESSION_TWINS_H

#include "file/data.h"

/* In viewers, twins get numbers from here on, which Linux gives to no process (PID_MAX_LIMIT). */
#define TWINS_FIRST_TRACK (1u << 22)

struct session;

/* Sets input->twins: for each file, the number of files before it with the same process number. */
void twins_find(struct session *input);
/* Stores the twin's number of file `number` in its data. */
void twins_note(const struct session *input, size_t number, struct data *data);

/* Appends the process's number as shown: 17#2. */
void twins_put(struct strbuf *text, const struct data *data);
void twins_put_number(struct strbuf *text, uint32_t pid, uint32_t twin);
/* Returns a process number that no other process of the session has. */
static inline uint32_t twins_track(const struct data *data)
{
	return data->twin ? TWINS_FIRST_TRACK + data->process_number : data->header->pid;
}

#endif
