/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * launch.h - starts the program that is sampled, once its events are open: until then a child waits
 * that has what the program is to have of us: our folder, descriptors, signal mask and
 * dispositions, and nothing else.
 */
#ifndef SAMPLER_LAUNCH_H
#define SAMPLER_LAUNCH_H

#include <signal.h>
#include <sys/types.h>

#include "sampler/source/source.h"

struct launch {
	pid_t child;
	int go, answer; /* pipes: variables to the child, the errno of a failed exec back */
};

/* 0 or -errno. */
int launch_prepare(struct launch *launch, char **argv, const sigset_t *mask);
/* Has it exec the program, with the source's variables. 0, or the errno that kept it from that. */
int launch_go(struct launch *launch, const struct source *source);
/* Instead: it ends. */
void launch_cancel(struct launch *launch);

#endif
