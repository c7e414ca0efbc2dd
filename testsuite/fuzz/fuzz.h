/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz.h - what the mutator knows of inputs (fuzz.c). */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdint.h>

/* From this first byte on: seeds of all kinds, all runs, changes of elements. */
#define FUZZ_MORE 0xe0

/* A byte that chooses one of the runs; those that take long are chosen more rarely. */
uint8_t fuzz_verb_byte(uint32_t random, uint32_t again);
/* 1, or of how many that choose this run one is to be kept: it takes long. */
uint32_t fuzz_one_in(uint8_t byte);
/* A byte that chooses this seed, or, if only those of $FUZZ_KIND are to be, the next of these. */
uint8_t fuzz_seed_byte(uint8_t byte);

#endif
