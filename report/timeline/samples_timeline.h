/* SPDX-License-Identifier: GPL-3.0-or-later */
/* samples_timeline.h - cinstr timeline of a sampled session: a line for each sample, in order of time; csv and json with its stack. */
#ifndef REPORT_SAMPLES_TIMELINE_H
#define REPORT_SAMPLES_TIMELINE_H

#include <stdio.h>

#include "selection/selection.h"
#include "session/session.h"

struct samples_timeline {
	const struct selection *selection;
	int format; /* 0 table, 1 csv, 2 json */
	uint64_t limit;
};

/* Returns the exit status. */
int samples_timeline_write(const struct samples_timeline *wish, struct input *input, FILE *out);

#endif
