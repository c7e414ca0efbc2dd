/* SPDX-License-Identifier: GPL-3.0-or-later */
/* timeline_info.h - what `cinstr info` says about a process's timeline; nothing if it has none. To
 * stdout. */
#ifndef REPORT_TIMELINE_INFO_H
#define REPORT_TIMELINE_INFO_H

#include "file/data.h"

void timeline_say(const struct data *data);

#endif
