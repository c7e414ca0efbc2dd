/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel_time.h - the time that the kernel worked for a program that had not called it, mostly for
 * page faults. */
#ifndef REPORT_FINDINGS_KERNEL_TIME_H
#define REPORT_FINDINGS_KERNEL_TIME_H

#include "rules.h"

/* Returns this time on a processor of all threads, ns. 0: threads took few or no samples of
 * themselves, samples were lost, or the time is within the samples' uncertainty. */
long double kernel_time_uncalled(const struct finder *finder);

#endif
