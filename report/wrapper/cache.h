/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cache.h - a folder for shims and for what is known of compilers. Its content decides which
 * program runs as the compiler, so only this user may be able to write to it.
 */
#ifndef REPORT_WRAPPER_CACHE_H
#define REPORT_WRAPPER_CACHE_H

#include <stdint.h>
#include <stdio.h>

/* Returns a folder, created if needed: $XDG_CACHE_HOME/cinstr/NAME, ~/.cache/..., or one in
 * $TMPDIR; NULL if none is possible. The caller frees the path. */
char *cache_folder(const char *name);
/* Creates the folder if needed. Returns 0, or -1 if that fails or others may write to it. */
int cache_folder_at(const char *path);
/* Opens a file for reading that only this user can write, or returns NULL. */
FILE *cache_open(const char *path);
/* Replaces the file by this text atomically, unless it has that text already. Returns 0 or -1. */
int cache_write(const char *path, const char *text);

uint64_t cache_hash(uint64_t before, const char *text);
#define CACHE_HASH_START 0xcbf29ce484222325u

#endif
