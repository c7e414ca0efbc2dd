/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * control_levels.h - the state of a level (session, process, thread) in a data file: the flag and
 * the count that the process and `cinstr control` change, by atomic operations, and how they are
 * told.
 */
#ifndef REPORT_CONTROL_LEVELS_H
#define REPORT_CONTROL_LEVELS_H

#include <stdint.h>

#include "lib/util.h"
#include "session/processes.h"

enum level_change { LEVEL_ON, LEVEL_OFF, LEVEL_SUSPEND, LEVEL_RESUME };

struct level {
	int stopped;
	int32_t suspensions; /* below 0: the program has resumed more often than suspended */
};

struct level level_read(const uint32_t *stopped, const int32_t *suspensions);
struct level level_of(const struct cinstr_control_block *block); /* NULL: on */
int level_is_off(struct level level);

/* -1: it is not suspended, and was left alone: from outside no count goes below 0. Others are told
 * by control_changed(). */
int level_change(uint32_t *stopped, int32_t *suspensions, enum level_change change);

/* ", resumed 2 times too often": of a count below 0, which takes the force of as many suspends. */
void level_put_resumed(struct strbuf *buf, int32_t suspensions);
/* Why it is off: "WHO stopped, WHO suspended 2 times", behind a comma if there is something;
 * nothing: it is not. */
void level_put_why(struct strbuf *buf, const char *who, struct level level);
/* " is off", " is on, but suspended 2 times"; " is on, but OTHERS" if only those keep it off. */
void level_put_state(struct strbuf *buf, struct level level, const char *others);

#endif
