/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cache.h - a folder of this user's alone, for shims and for what is known of compilers. What lies
 * there decides which program runs as the compiler: so nobody else may be able to write to it.
 */
#ifndef REPORT_WRAPPER_CACHE_H
#define REPORT_WRAPPER_CACHE_H

#include <stdint.h>
#include <stdio.h>

/* Made if it is not there: $XDG_CACHE_HOME/cinstr/NAME, ~/.cache/..., a folder in $TMPDIR; NULL: in
 * none of them. */
char *cache_folder(const char *name);
/* This folder, made if it is not there; 0, or -1: it cannot be made, or others may write to it. */
int cache_folder_at(const char *path);
/* Opens a file for reading that nobody else may have written; NULL. */
FILE *cache_open(const char *path);
/* Puts the text in place of the file at once, unless it is there already. 0 or -1. */
int cache_write(const char *path, const char *text);

uint64_t cache_hash(uint64_t before, const char *text);
#define CACHE_HASH_START 0xcbf29ce484222325u

#endif
