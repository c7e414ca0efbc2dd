/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * thread_names.h - names of threads. Programs name few threads; the kernel gives all others the
 * program's name. A thread without a name of its own is shown by its start routine as far as its
 * tree shows one: the outermost function, other than start code, on the child with most time. The
 * first thread of a process has the process's name.
 */
#ifndef REPORT_THREAD_NAMES_H
#define REPORT_THREAD_NAMES_H

#include "names.h"

/* Returns the name recorded, set by the program or the kernel, as a new string; "" if there is
 * none. */
char *thread_name_recorded(const struct data_thread *thread);
/* Says whether the function starts threads, and so is nobody's start routine. */
int thread_is_start_code(const struct entity *entity);
/* Returns the lambda that std::thread was given, as a new string, if the entity is the function of
 * std::thread that calls it: the compiler may have inlined the lambda there. NULL: it is another
 * function, or calls another kind of callable. */
char *thread_lambda(const struct entity *entity);
/* Returns the name to show as a new string; "": as the process. `names` keeps cells of one process:
 * call names_next_process() before threads of another. */
char *thread_shown_name(struct names *names, const struct data *data, const struct data_thread *thread);

#endif
