/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files.h - opens every file and folder that a command reads or writes; nothing else in report/
 * calls open(), fopen() or opendir() (lint: opens). What is read is a regular file of a sound size,
 * and never waited for; what is opened is looked at by its descriptor, so that it cannot be
 * exchanged in between. A symbolic link is followed only where this user or root has put it. Files
 * of sessions that are changed: runtime/process/folder.h. All functions set errno; files_problem()
 * says more of it than strerror(). Callable from several threads.
 */
#ifndef REPORT_FILES_H
#define REPORT_FILES_H

#include <dirent.h>
#include <stdio.h>

/* What files_open() takes besides; 0: reads a regular file. */
enum {
	FILES_CHANGE = 1, /* is written, too */
	FILES_APPEND = 2, /* is written at its end only */
	FILES_STREAM = 4, /* a pipe without a name, a terminal, /dev/null will do, too */
	FILES_OWN = 8,	  /* belongs to this user, who alone may write it */
	FILES_NEW = 16,	  /* was not there */
	FILES_LINKED = 32 /* may be a link of any user's, as code and sources are */
};

/* Opens a file. Returns its descriptor, or -1. */
int files_open(const char *path, unsigned how);
/* The same in the folder with this descriptor. */
int files_open_at(int folder, const char *name, unsigned how);
/* The same as a stream to read text of up to FILES_TEXT_MAX bytes, or NULL. */
#define FILES_TEXT_MAX (1ll << 30)
FILE *files_read(const char *path, unsigned how);
/* Reads a file of /proc or /sys. */
FILE *files_kernel(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Opens a folder, for FILES_OWN one that nobody but this user can write into. */
int files_folder(const char *path, unsigned how);
/* The same to list its names, or NULL. */
DIR *files_list(const char *path, unsigned how);
/* Makes a file that was not there, for this user alone. Returns its descriptor, or -1. */
int files_make(const char *path);
int files_make_at(int folder, const char *name);
/* Makes a file without a name in this folder, to be read and written. */
int files_make_nameless(const char *folder);
/* Makes a file of a new name: the X at the end of `path` are filled in. */
int files_make_unique(char *path);
/* Writes what the user has named, whatever it is: a new file, one that is replaced, a device, a
 * FIFO, for whose reader it waits if it is this user's. */
FILE *files_write(const char *path);
/* The same, by FILES_APPEND or FILES_NEW. */
FILE *files_write_by(const char *path, unsigned how);

/* Says why a file could not be opened; `error` is the errno. */
const char *files_problem(int error);

#endif
