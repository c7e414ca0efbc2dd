/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gains.h - how much sooner the run could end, at most, if some work was not done.
 *
 * The work is added up over all threads, with what it waits. No repair can save more than that; nor
 * more than the run has beside what is left to do: what the longest thread still computes, and what
 * all threads still compute on the processors there are.
 */
#ifndef REPORT_FINDINGS_GAINS_H
#define REPORT_FINDINGS_GAINS_H

#include "rules.h"

/* Adds what the row's calls took, with all that they called; what the row took by itself. Each as
 * long as it may have been: probes are uncertain. */
void finding_avoids(const struct finder *finder, struct finding *finding, const struct row *row);
void finding_avoids_own(const struct finder *finder, struct finding *finding, const struct row *row);
/* Adds ns, of which so many on a processor. */
void finding_avoids_ns(struct finding *finding, long double elapsed, long double cpu);
/*
 * Adds the loop that this call is in: the call, what its function computes by itself, and the
 * function's other calls that are made half as often and more.
 */
void finding_avoids_loop(const struct finder *finder, struct finding *finding, const struct row *edge);

/* The run could end so much sooner at most, or between `least` and `most`; ns, or samples. */
void finding_saves_at_most(struct finding *finding, long double most);
void finding_saves_about(struct finding *finding, long double least, long double most);

/* Makes a bound of what was added. A bound that is the whole run says nothing, and is left out. */
void finding_complete_gain(const struct finder *finder, struct finding *finding);

#endif
