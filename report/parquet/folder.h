/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * folder.h - a folder of tables that appears once it is whole. Until then it has another name
 * beside it, and goes, with all that was put into it, when the command fails or is killed by a
 * signal.
 */
#ifndef REPORT_PARQUET_FOLDER_H
#define REPORT_PARQUET_FOLDER_H

struct folder {
	char *path, *partial;
};

/*
 * For a folder that is to be at `path`. What is there may be replaced only if it is a folder that
 * holds nothing but tables. 0, or -1 after an error message. One at a time.
 */
int folder_begin(struct folder *folder, const char *path);
/* Where to write a file of it, "value/host=a/part.parquet"; folders are made. The caller frees it.
 * It begins to belong to the folder. */
char *folder_file(struct folder *folder, const char *name);
/* A folder that is not whole goes. 0, or -1 after an error message. Releases it. */
int folder_end(struct folder *folder, int is_whole);
/* The same, and the name is taken only if nobody has it: 1: somebody has, and it may be tried again
 * with another one. */
int folder_end_as(struct folder *folder, const char *path);

#endif
