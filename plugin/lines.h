/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Line mode: where in a function execution reaches another source line, and what inlined code a
 * line lies in. Only looks; sleds.cc puts the sleds in.
 */
#ifndef CINSTR_PLUGIN_LINES_H
#define CINSTR_PLUGIN_LINES_H

#include "gcc.h"

/*
 * For plugin_init, in line mode: the code of this unit must not use the red zone, because line
 * sleds stand anywhere.
 */
void lines_setup(void);

/*
 * Sets the bits of the instructions and labels (INSN_UID) of the current function that need a line
 * sled in front of them; that of a label has the location of the instruction behind it. To be
 * called before there are sleds. landings: numbers of labels that are reached in ways that no jump
 * shows.
 */
void lines_find(bitmap starts, const_bitmap landings);

/* Hands on the levels of inlining that a location lies in, innermost first, as CINSTR_REC_INLINED
 * says them. */
void lines_each_inlined(location_t location, void (*take)(const char *level));
/* Of the call that was inlined and has become, in part, what is there; UNKNOWN_LOCATION: none. */
location_t lines_inlined_at(location_t location);

#endif
