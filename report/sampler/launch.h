/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * launch.h - starts the program to be sampled after its events are open. Until then a child waits;
 * it has inherited what the program shall inherit: folder, descriptors, signal mask and
 * dispositions, nothing else.
 */
#ifndef SAMPLER_LAUNCH_H
#define SAMPLER_LAUNCH_H

#include <signal.h>
#include <sys/types.h>

#include "sampler/source/source.h"

struct launch {
	pid_t child;
	int go, answer; /* pipes: environment to the child, errno of a failed exec back */
};

/* Forks the waiting child. Returns 0 or -errno. */
int launch_prepare(struct launch *launch, char **argv, const sigset_t *mask);
/* Makes it exec the program, with the source's environment variables. Returns 0, or the errno of a
 * failed exec. */
int launch_go(struct launch *launch, const struct source *source);
/* Ends the child without running the program. */
void launch_cancel(struct launch *launch);

#endif
