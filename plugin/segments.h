/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -fplugin-arg-cinstr-instructions: counters in functions from which the executions of each
 * instruction follow (struct cinstr_abi_segments).
 */
#ifndef CINSTR_PLUGIN_SEGMENTS_H
#define CINSTR_PLUGIN_SEGMENTS_H

#include "gcc.h"

/* Inserts counters into the current function, which has its sleds already. text: the section of its
 * first part. */
void segments_insert(section *text);
/* Returns the number of functions of the unit with segments. */
unsigned int segments_functions(void);
/* Writes the notes, at the end of the unit, after the tables. */
void segments_write(FILE *out);

#endif
