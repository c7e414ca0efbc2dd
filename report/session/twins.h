/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * twins.h - data files whose processes have the same number: of containers, of hosts, of a program
 * that became another one. Each is a process of its own, and is shown as 17, 17#2, 17#3.
 */
#ifndef REPORT_SESSION_TWINS_H
#define REPORT_SESSION_TWINS_H

#include "file/data.h"

/* Twins in viewers have numbers from here on, which Linux gives to no process (PID_MAX_LIMIT). */
#define TWINS_FIRST_TRACK (1u << 22)

struct input;

/* Notes of each file how many before it have the same process number. */
void twins_find(struct input *input);
/* Tells the data of file `number` of the input. */
void twins_note(const struct input *input, size_t number, struct data *data);

/* Appends the process's number as it is shown. */
void twins_put(struct strbuf *text, const struct data *data);
void twins_put_number(struct strbuf *text, uint32_t pid, uint32_t twin);
/* Returns a process number that no other process of the session has. */
static inline uint32_t twins_track(const struct data *data)
{
	return data->twin ? TWINS_FIRST_TRACK + data->process_number : data->header->pid;
}

#endif
