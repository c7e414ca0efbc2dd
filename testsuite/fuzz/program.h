/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * program.h - the file of a seed's program, from which code, names and lines are read, and changed
 * copies of it. The command keeps symbols of files that it has read, so a copy has a path of its
 * own, and there are not more of them than memory can hold: their numbers say what is changed.
 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "change.h"

/* Reads SEED.program; its copies come into the folder. Aborts if that is not there. */
struct program *program_read(const char *seed, const char *folder, size_t number);
/* Writes the path of the unchanged copy over that of the program as it was run. -1: the path is
 * another module's. */
int program_name(const struct program *program, char *path);
/* Makes the unchanged copy: the folder is there. */
void program_begin(struct program *program);
/* Makes the copy of that number, unless the path there was changed, and puts its path there. Half
 * of all numbers mean the unchanged one. */
void program_place(struct program *program, uint32_t number, struct image *image, size_t path_at);

#endif
