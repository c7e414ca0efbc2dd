/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel_time.h - how long the kernel has worked for a program that had not called it: for page
 * faults, most of all.
 */
#ifndef REPORT_FINDINGS_KERNEL_TIME_H
#define REPORT_FINDINGS_KERNEL_TIME_H

#include "rules.h"

/*
 * Returns ns on a processor of all threads, or 0: threads have not sampled themselves, samples were
 * lost, or the time is no longer than the samples are uncertain by.
 */
long double kernel_time_uncalled(const struct finder *finder);

#endif
