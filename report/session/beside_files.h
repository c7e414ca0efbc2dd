/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * beside_files.h - sessions of both methods (cinstr/format.h, CINSTR_SAMPLING_BESIDE): which file
 * of samples belongs to which of the runtime's. A process that execs has a pair for each program.
 */
#ifndef REPORT_SESSION_BESIDE_FILES_H
#define REPORT_SESSION_BESIDE_FILES_H

#include <stddef.h>

struct cinstr_header;
struct input;
struct beside_files;

/*
 * Takes the files of samples that were taken beside a recording out of input->files, into
 * input->beside, if there is a recording: a session of programs without probes is a sampled one.
 */
void beside_set_aside(struct input *input);
/* Is it a file of samples of the process that this header is of? */
int beside_is_of(const char *path, const struct cinstr_header *recorded);
/* Path of the samples that belong to the runtime's file at that path; NULL: there are none. Can be
 * called by several threads at once. */
const char *beside_find(const struct beside_files *beside, const char *path);
/* Those of processes without a file of the runtime's: how many, and their paths. */
size_t beside_alone(const struct beside_files *beside, const char *const **paths);
void beside_files_release(struct beside_files *beside);

#endif
