/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * just_my_code.h - "just my code": calls among functions of the system are merged into the first
 * one, which the program's own code called. Its name is then [External Code]. A function belongs to
 * the system if its library lies in one of the system's folders, or its source in one of the
 * system's headers; the executable never does.
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

/* Adds the executables of a process to the program's own code; says whether a function is the
 * system's. */
void system_code_add(struct system_code *code, const struct data *data);
int system_code_has(const struct system_code *code, const struct entity *entity);

/* Merges the system's functions in all threads' trees. Time moves but none is lost; the program's
 * functions below stay. */
void system_code_collapse(struct system_code *code, struct data *data);
void system_code_release(struct system_code *code);

#endif
