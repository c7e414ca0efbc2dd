/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bounds.h - what the run could save: upper bounds, or estimates, where they are known.
 *
 * A bound is given only for waits for a clock or a disk. Without them the run gets shorter by at
 * most the sum of these waits over all threads: no other work depends on how long a wait took,
 * except that caches have lost a thread's data meanwhile, for which some time is added to each
 * wait. Work on a processor has no bound: without it, its effect on caches and on the code around
 * it is gone, too, which cannot be known, and a repair may not need the result of the work. Waits
 * for other threads, for locks and for processes have none either: they depend on what these do.
 *
 * An estimate is an interval, and given by rules on work that is gone once it is not done any more:
 * formatting, copies, allocation, small reads. Programs with such a fault and their repaired twins
 * saved 0.9 to 1.3 times the time that the finding is about (testing.md). Where
 * the time is in a loop that stays, the twins tell less; rules on locks, idle threads and hot spots
 * give none, since what remains there depends on the program.
 */
#ifndef REPORT_FINDINGS_BOUNDS_H
#define REPORT_FINDINGS_BOUNDS_H

#include "rules.h"

/* Adds `waits` waits, which took `elapsed` ns in all threads together, to the finding's bound, with
 * some time for each because of cold caches. */
void finding_waits(struct finding *finding, long double elapsed, long double waits);
/* Adds the waits of a call; nothing if not all calls were counted. */
void finding_waits_at(struct finding *finding, const struct row *edge);

/* Makes the bound a share of the run, after finding->time is complete. A bound that is the whole
 * run says nothing, and is removed. */
void finding_complete_bound(const struct finder *finder, struct finding *finding);
/* Sets the finding's estimate, after its percentage and bound; both ends stay 0 where the rule
 * gives none, the bound is known, or the time is rough. */
void finding_complete_estimate(const struct finder *finder, struct finding *finding);

#endif
