/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call_path_walk.h - visits the call paths of a profile (call_paths.h) in the order of calls:
 * enters each path before the paths called on it, and leaves it after them, like a stack. There is
 * no recursion, as a path can be as long as a stack is deep. */
#ifndef REPORT_ROWS_CALL_PATH_WALK_H
#define REPORT_ROWS_CALL_PATH_WALK_H

#include <stdint.h>

#include "call_paths.h"

/* Visits all paths except path 0, which stands for no function. */
void path_walk(const struct paths *paths, void (*enter)(void *arg, uint32_t path),
	       void (*leave)(void *arg, uint32_t path), void *arg);

#endif
