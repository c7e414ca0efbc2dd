/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Room in each module for its probes' code, which the runtime makes (cinstr/abi.h); no bytes in the
 * file. As a part of the module it is known to unwinders: exceptions, cancellation and stacks taken
 * in signal handlers unwind through probes.
 */
#ifndef CINSTR_PLUGIN_ROOM_H
#define CINSTR_PLUGIN_ROOM_H

#include <stdio.h>

/* Writes the room that each module needs, in the hook's COMDAT group. */
void room_write_hook(FILE *out, const char *group);

/* Writes the room that this unit's functions may need. */
void room_write_unit(FILE *out, unsigned int functions, unsigned int calls);

#endif
