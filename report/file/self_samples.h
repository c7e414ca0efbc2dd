/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * self_samples.h - what threads of a mixed recording have sampled of themselves, without a
 * collector (CINSTR_SEG_SELF_SAMPLES).
 */
#ifndef REPORT_FILE_SELF_SAMPLES_H
#define REPORT_FILE_SELF_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct data;

/* Of all threads. */
uint64_t self_samples_count(const struct data *data);
/*
 * A thread's, piece by piece: *at begins as 0. NULL: there are no more. Within a piece they are in
 * order of time.
 */
const struct cinstr_self_sample *self_samples_next(const struct data *data, uint32_t owner, size_t *at,
						   size_t *n);

#endif
