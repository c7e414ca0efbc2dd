/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_stacks.h - how stacks are taken: by frame pointers where all code is likely to have them. */
#ifndef REPORT_SAMPLER_PLAN_STACKS_H
#define REPORT_SAMPLER_PLAN_STACKS_H

#include <sys/types.h>

#include "cinstr/format.h"

/* wanted: CHOICE_STACKS_... of plan.h. */
enum cinstr_sampling_stacks choice_stacks(int wanted, const char *program, const pid_t *pids, size_t n_pids);
/* Path of a program that execvp would run; NULL: none. The caller frees it. */
char *choice_program(const char *program);

#endif
