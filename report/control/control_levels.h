/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * control_levels.h - the state of a level (session, process, thread) in a data file: a flag and a
 * count, which the process and `cinstr control` change by atomic operations; and its description.
 */
#ifndef REPORT_CONTROL_LEVELS_H
#define REPORT_CONTROL_LEVELS_H

#include <stdint.h>

#include "lib/util.h"
#include "session/processes.h"

enum level_change { LEVEL_ON, LEVEL_OFF, LEVEL_SUSPEND, LEVEL_RESUME };

struct level {
	int stopped;
	int32_t suspensions; /* < 0: the program has resumed more often than suspended */
};

struct level level_read(const uint32_t *stopped, const int32_t *suspensions);
struct level level_of(const struct cinstr_control_block *block); /* NULL: on */
int level_is_off(struct level level);

/* Changes a level; control_changed() notifies the process. Returns 0, or -1 without a change for
 * resume if it is not suspended: from outside no count gets below 0. */
int level_change(uint32_t *stopped, int32_t *suspensions, enum level_change change);

/* Appends ", resumed 2 times too often" for a count below 0, which cancels as many suspends. */
void level_put_resumed(struct strbuf *buf, int32_t suspensions);
/* Appends why the level is off: "WHO stopped, WHO suspended 2 times", after a comma if there is
 * text before; nothing if it is on. */
void level_put_why(struct strbuf *buf, const char *who, struct level level);
/* Appends " is off", " is on, but suspended 2 times", or " is on, but OTHERS" if only other levels
 * keep it off. */
void level_put_state(struct strbuf *buf, struct level level, const char *others);

#endif
