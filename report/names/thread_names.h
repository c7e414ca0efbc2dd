/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thread_names.h - what a thread is called. A program gives few of its threads a name, and the
 * kernel calls all others like the program. A thread that has no name of its own is called by its
 * start routine, as far as its tree tells: the outermost function of the program's own that most of
 * its time is in. The first thread of a process is called like the process.
 */
#ifndef REPORT_THREAD_NAMES_H
#define REPORT_THREAD_NAMES_H

#include "names.h"

/* As the kernel or the program have it: a new string; "" if there is none. */
char *thread_name_recorded(const struct data_thread *thread);
/*
 * What it is called: a new string; "": nothing is known, it is called like its process. All threads
 * of a process one after another: names_next_process() in between.
 */
char *thread_shown_name(struct names *names, const struct data *data, const struct data_thread *thread);

#endif
