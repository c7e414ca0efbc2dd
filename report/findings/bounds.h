/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bounds.h - how much sooner the run could end, at most, where that is known.
 *
 * A bound is given of waits for a clock or a disk only. Without them the run gets shorter by what
 * all threads have waited there, added up, at most: no other work depends on how long a wait took,
 * but that caches have lost a thread's data meanwhile, which is added for each. Of work on a
 * processor there is no bound: with the work goes what it did to caches and to the code around it,
 * which cannot be known, and a repair may do without what the work was for. Nor is there one of
 * waits for other threads, for locks and for processes: they depend on what these do.
 */
#ifndef REPORT_FINDINGS_BOUNDS_H
#define REPORT_FINDINGS_BOUNDS_H

#include "rules.h"

/* Adds `waits`, which took `elapsed` ns in all threads together, to what could be left out. */
void finding_waits(struct finding *finding, long double elapsed, long double waits);
/* Adds the waits of a call. Adds nothing where not all calls were counted. */
void finding_waits_at(struct finding *finding, const struct row *edge);

/* Makes a share of the run, once finding->time is complete. A bound that is the whole run says
 * nothing, and is left out. */
void finding_complete_bound(const struct finder *finder, struct finding *finding);

#endif
