/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -fplugin-arg-cinstr-instructions: counters in functions by which the executions of each
 * instruction are known. (struct cinstr_abi_segments.)
 */
#ifndef CINSTR_PLUGIN_SEGMENTS_H
#define CINSTR_PLUGIN_SEGMENTS_H

#include "gcc.h"

/* The current function, in which the sleds are already, whose first part goes into `text`. */
void segments_insert(section *text);
/* How many functions of the unit have segments. */
unsigned int segments_functions(void);
/* Writes the notes, at the end of the unit, behind the tables. */
void segments_write(FILE *out);

#endif
