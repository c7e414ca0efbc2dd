/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * call_path_walk.h - the call paths of a profile (call_paths.h) in the order of calls: each is
 * entered before those that were called on it, and left behind them, as a stack would have it. No
 * recursion: a path can be as long as a stack is deep.
 */
#ifndef REPORT_ROWS_CALL_PATH_WALK_H
#define REPORT_ROWS_CALL_PATH_WALK_H

#include <stdint.h>

#include "call_paths.h"

/* Path 0, which stands for no function, is not visited. */
void path_walk(const struct paths *paths, void (*enter)(void *arg, uint32_t path),
	       void (*leave)(void *arg, uint32_t path), void *arg);

#endif
