/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * just_my_code.h - "just my code": what functions of the system call of each other is taken into
 * the first one, the one that the program's own code called, which has no name of its own any
 * more: it is [External Code]. A function is the system's if its
 * library lies in one of the system's folders, or its source in one of the system's headers; the
 * executable itself never is.
 */
#ifndef REPORT_SELECTION_JUST_MY_CODE_H
#define REPORT_SELECTION_JUST_MY_CODE_H

#include "file/data.h"
#include "names/names.h"
#include "names/system_paths.h"

struct system_code {
	struct names names;
	struct map executables;
};

/* Which executables are the program's own; and whether a function is the system's. */
void system_code_add(struct system_code *code, const struct data *data);
int system_code_has(const struct system_code *code, const struct entity *entity);

/* Changes the threads' trees. Time is moved, none is lost; what the program's code does below
 * stays. */
void system_code_collapse(struct system_code *code, struct data *data);
void system_code_release(struct system_code *code);

#endif
