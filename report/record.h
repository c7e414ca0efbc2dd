/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record.h - what cinstr record's two methods share: cmd_record.c, which also instruments, and record_sample.c. */
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include <signal.h>
#include <sys/types.h>

#include "choice.h"
#include "cinstr/options.h"

struct record_options {
	const char *values[CINSTR_OPTION_COUNT]; /* NULL: not given */
	int paused;
	struct sample_options sample;
};

/* cmd_record.c: exit statuses after a message. */
int record_cannot_run(const char *program, int why);
/* Makes the session folder: path[SESSION_PATH_MAX]. 0, or a status after a message. */
int record_session(const struct record_options *options, char *path);
/* Signals that are passed on to the program. */
void record_signals(sigset_t *set);
/*
 * Runs the program, passes signals on, and waits; *status as from waitpid, *child its pid. 0, or the errno that kept it
 * from running.
 */
int record_run(char **argv, pid_t *child, int *status);
/* Ends as the program did: the same exit status, or the same signal. */
int record_end_like(int status);

/* record_sample.c: argv NULL: the processes of --pid. */
int record_sample(const struct record_options *options, char **argv);
/* An option of the sampling method was given. */
int record_is_sampling(const struct record_options *options);

#endif
