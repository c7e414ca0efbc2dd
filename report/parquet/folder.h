/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * folder.h - a folder of tables that appears when it is complete. Until then it has another name
 * beside it, and is removed with everything in it if the command fails or is killed by a signal.
 */
#ifndef REPORT_PARQUET_FOLDER_H
#define REPORT_PARQUET_FOLDER_H

struct folder {
	char *path, *partial;
};

/* Creates a folder that will be at `path`. An existing one is replaced only if it is a folder that
 * contains nothing but tables. Only one at a time. Returns 0, or -1 after an error message. */
int folder_begin(struct folder *folder, const char *path);
/* Returns the path for writing a file of the folder, "value/host=a/part.parquet", which the caller
 * frees. Creates its folders. The file belongs to the folder from then on. */
char *folder_file(struct folder *folder, const char *name);
/* Completes the folder, or removes it if is_whole is 0. Returns 0, or -1 after an error message.
 * Releases it in both cases. */
int folder_end(struct folder *folder, int is_whole);
/* Like folder_end(), with a name that must not exist: returns 1, without releasing the folder, if
 * it does, and may be called again with another one. */
int folder_end_as(struct folder *folder, const char *path);

#endif
