/* SPDX-License-Identifier: GPL-3.0-or-later */
/* count.h - how many inputs were run, by kind of seed and by verb, and how long they took. */
#ifndef FUZZ_COUNT_H
#define FUZZ_COUNT_H

#include <stdint.h>

/* Goes on with the counts of the file $FUZZ_COUNTS, which also outlive a crash. */
void count_begin(void);
/* `kind`: the first letter of a seed's name. */
void count_run(char kind, const char *verb, uint64_t cpu_ns);
/* Prints the table of that file. 0 or -1. */
int count_print(const char *path);

#endif
