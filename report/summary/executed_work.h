/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * executed_work.h - what the findings want to know of executed instructions: how many each function
 * has executed, and whether it has left its own code meanwhile.
 */
#ifndef REPORT_SUMMARY_EXECUTED_WORK_H
#define REPORT_SUMMARY_EXECUTED_WORK_H

#include "findings/computing.h"
#include "executed/executed.h"

/* By entity of `names`. Returns NULL if no instructions were counted, or not all of them; to be
 * freed. */
struct executed_work *executed_work_make(const struct executed *executed, struct names *names);

#endif
