/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * beside_files.h - sessions of both methods (cinstr/format.h, CINSTR_SAMPLING_BESIDE): finds the
 * file of samples that belongs to a file of the runtime. A process that execs has a pair for each
 * program.
 */
#ifndef REPORT_SESSION_BESIDE_FILES_H
#define REPORT_SESSION_BESIDE_FILES_H

#include <stddef.h>

struct cinstr_header;
struct session;
struct beside_files;

/* Moves files of samples taken beside a recording from input->files to input->beside, if there is a
 * recording. A session of programs without probes remains a sampled one. */
void beside_set_aside(struct session *input);
/* Replaces input->files by input->beside, which is not NULL: the input is then the sampled session
 * alone. To be called before files are visited. */
void beside_take(struct session *input);
/* Whether the file at `path` holds samples of the process with this header. */
int beside_is_of(const char *path, const struct cinstr_header *recorded);
/* Returns the path of the samples that belong to the runtime's file at `path`, or NULL. Callable
 * from several threads at once. */
const char *beside_find(const struct beside_files *beside, const char *path);
/* Sets *paths to the files of samples of processes without a file of the runtime, and returns their
 * number. */
size_t beside_alone(const struct beside_files *beside, const char *const **paths);
void beside_files_release(struct beside_files *beside);

#endif
