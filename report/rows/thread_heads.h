/* SPDX-License-Identifier: GPL-3.0-or-later */
/* thread_heads.h - the top entry of a thread's call paths where threads are kept apart: "[thread
 * worker 17]". Threads of different processes never share one. */
#ifndef REPORT_ROWS_THREAD_HEADS_H
#define REPORT_ROWS_THREAD_HEADS_H

#include "file/data.h"

struct thread_heads {
	struct map texts;
	uint32_t *owners; /* by text: process_number of the first process with it */
};

/* Appends the head of a thread with this name; each time the same one. */
void thread_head_put(struct thread_heads *heads, struct strbuf *text, const struct data *data,
		     const struct data_thread *thread, const char *name);
void thread_heads_release(struct thread_heads *heads);

#endif
