/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * companion_files.h - files that sampled processes write themselves (cinstr/format.h,
 * CINSTR_SAMPLING_COMPANION): they have no samples, and their marks and names belong to the
 * process's file of samples.
 */
#ifndef REPORT_SESSION_COMPANION_FILES_H
#define REPORT_SESSION_COMPANION_FILES_H

#include "file/data.h"

struct session;
struct companions_read;

/* Moves the companions from input->files to input->companions. */
void companions_set_aside(struct session *input);
/* Adds the marks and names of its companions to a sampled process's data. Callable from several
 * threads at once, for different data. */
void companions_join(const struct companions_read *companions, struct data *data);
void companions_read_release(struct companions_read *companions);

#endif
