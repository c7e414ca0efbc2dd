/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Line mode: finds the places in a function where execution reaches another source line, and the
 * inlined code that contains a line. Changes no code; sleds.cc inserts the sleds.
 */
#ifndef CINSTR_PLUGIN_LINES_H
#define CINSTR_PLUGIN_LINES_H

#include "gcc.h"

/*
 * Forbids the red zone in this unit's code, because line sleds may be anywhere. For plugin_init, in
 * line mode.
 */
void lines_setup(void);

/*
 * Sets the bits of the instructions and labels (INSN_UID) of the current function that need a line
 * sled before them; the sled of a label has the location of the next instruction. Call it before
 * sleds are inserted. landings: numbers of labels that are reached without a visible jump.
 */
void lines_find(bitmap starts, const_bitmap landings);

/* Passes the levels of inlining of a location to `take`, innermost first, as strings for
 * CINSTR_REC_INLINED. */
void lines_each_inlined(location_t location, void (*take)(const char *level));
/* Returns the location of the call that the code at `location` was inlined from, or
 * UNKNOWN_LOCATION. */
location_t lines_inlined_at(location_t location);

#endif
