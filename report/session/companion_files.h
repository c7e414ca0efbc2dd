/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * companion_files.h - what sampled processes told of themselves (cinstr/format.h,
 * CINSTR_SAMPLING_COMPANION): files of the session without samples, whose marks and names belong to
 * the process's file of samples.
 */
#ifndef REPORT_SESSION_COMPANION_FILES_H
#define REPORT_SESSION_COMPANION_FILES_H

#include "file/data.h"

struct input;
struct companions_read;

/* Takes the companions out of input->files, into input->companions. */
void companions_set_aside(struct input *input);
/* Adds to a sampled process's data what its companions say. Can be called by several threads at
 * once, for data of their own. */
void companions_join(const struct companions_read *companions, struct data *data);
void companions_read_release(struct companions_read *companions);

#endif
