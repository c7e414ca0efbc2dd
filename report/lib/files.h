/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files.h - opens every file and folder that a command reads or writes; nothing else in report/
 * calls open(), fopen() or opendir() (lint: opens). Only regular files of a plausible size are
 * read, and never waited for. Checks are made on the open descriptor, so that the file cannot be
 * exchanged in between. A symbolic link is followed only if this user or root made it. Files of
 * sessions that are changed: runtime/process/folder.h. All functions set errno; files_problem()
 * explains it better than strerror(). Callable from several threads.
 */
#ifndef REPORT_FILES_H
#define REPORT_FILES_H

#include <dirent.h>
#include <stdio.h>

/* Options of the functions below; 0: reads a regular file. */
enum {
	FILES_CHANGE = 1, /* opens for writing, too */
	FILES_APPEND = 2, /* opens for writing at the end only */
	FILES_STREAM = 4, /* also accepts an unnamed pipe, a terminal and /dev/null */
	FILES_OWN = 8,	  /* requires that this user owns the file, and no other may write it */
	FILES_NEW = 16,	  /* requires that the file does not exist yet */
	FILES_LINKED = 32 /* follows links of any user, as for code and sources */
};

/* Opens a file. Returns its descriptor, or -1. */
int files_open(const char *path, unsigned how);
/* Like files_open(), in the folder with this descriptor. */
int files_open_at(int folder, const char *name, unsigned how);
/* Opens a text file of up to FILES_TEXT_MAX bytes as a stream to read. Returns NULL on errors. */
#define FILES_TEXT_MAX (1ll << 30)
FILE *files_read(const char *path, unsigned how);
/* Opens a file of /proc or /sys to read. Returns NULL on errors. */
FILE *files_kernel(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Opens a folder. FILES_OWN: only if no other user can write into it. Returns its descriptor, or
 * -1. */
int files_folder(const char *path, unsigned how);
/* Opens a folder to list its names. Returns NULL on errors. */
DIR *files_list(const char *path, unsigned how);
/* Creates a file that did not exist, accessible to this user only. Returns its descriptor, or
 * -1. */
int files_make(const char *path);
int files_make_at(int folder, const char *name);
/* Creates an unnamed file in this folder, for reading and writing. Returns its descriptor, or
 * -1. */
int files_make_nameless(const char *folder);
/* Creates a file with a unique name: replaces the trailing X in `path`. Returns its descriptor, or
 * -1. */
int files_make_unique(char *path);
/* Opens a file named by the user for writing: a new file, one that is replaced, a device, or a
 * FIFO, whose reader it waits for if the FIFO is this user's. Returns NULL on errors. */
FILE *files_write(const char *path);
/* Like files_write(), with FILES_APPEND or FILES_NEW. */
FILE *files_write_by(const char *path, unsigned how);

/* Returns the path, after the working directory if it is relative; the caller frees it. */
char *files_absolute(const char *path);

/* Returns a text that says why a file could not be opened; `error` is an errno. */
const char *files_problem(int error);

#endif
