/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_stacks.h - decides how stacks are taken: by frame pointers if probably all code has them. */
#ifndef REPORT_SAMPLER_PLAN_STACKS_H
#define REPORT_SAMPLER_PLAN_STACKS_H

#include <sys/types.h>

#include "cinstr/format.h"

/* Returns the method. wanted: CHOICE_STACKS_... of plan.h. */
enum cinstr_sampling_stacks plan_stacks(int wanted, const char *program, const pid_t *pids, size_t n_pids);
/* Returns the path of the program that execvp() would run, which the caller frees, or NULL. */
char *plan_program(const char *program);

#endif
