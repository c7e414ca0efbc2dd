/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timeline_info.h - prints the timeline of a process for `cinstr info`; nothing if it has none. */
#ifndef REPORT_TIMELINE_INFO_H
#define REPORT_TIMELINE_INFO_H

#include "info.h"

void timeline_say(struct info *info, const struct data *data);
/* Writes the same for scripts. */
void timeline_put(struct items *items, const struct data *data);

#endif
