/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record.h - what cinstr record's methods share: cmd_record.c, which also instruments,
 * record_sample.c, and record_mixed.c, which is both. */
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include <signal.h>
#include <sys/types.h>

#include "cinstr/options.h"
#include "sampler/plan.h"

#define RECORD_ONCE UINT64_MAX
#define RECORD_REPEAT_MAX 1000

/* What came of a run of --repeat, which says it of all of them. */
struct record_outcome {
	int has_data;
	uint64_t amount; /* events, samples */
};

struct record_options {
	const char *values[CINSTR_OPTION_COUNT]; /* NULL: not given */
	int paused;
	int is_full;
	const char *mixed;    /* the interval; NULL: without samples beside the calls */
	int is_mixed_default; /* nothing was said of samples */
	struct sample_options sample;
	uint64_t repeat;		/* RECORD_ONCE: not given */
	struct record_outcome *outcome; /* in a run of --repeat; else NULL */
};

/* cmd_record.c: exit statuses after a message. */
int record_cannot_run(const char *program, int why);
/* Makes the session folder: path[SESSION_PATH_MAX]. 0, or a status after a message. */
int record_session(const struct record_options *options, char *path);
/* The options as variables of the program. */
void record_environment(const struct record_options *options, const char *session);
/* Signals that are passed on to the program. */
void record_signals(sigset_t *set);
/*
 * Runs the program, passes signals on, and waits; *status as from waitpid, *child its pid. 0, or
 * the errno that kept it from running.
 */
int record_run(char **argv, pid_t *child, int *status);
/* Ends as the program did: the same exit status, or the same signal. */
int record_end_like(int status);

/* A recording of one run: its exit status. */
typedef int record_method(const struct record_options *options, char **argv);

/* record_repeat.c: the same so many times, into the sessions FOLDER.1 and on. The exit status of
 * the first run that failed. */
int record_repeat(const struct record_options *options, char **argv, record_method *method,
		  const char *folder);

/* record_sample.c: argv NULL: the processes of --pid. With options->mixed the program records
 * itself, too. */
int record_sample(const struct record_options *options, char **argv);
/* record_mixed.c: the same with --mixed, after what contradicts it has been refused. */
int record_mixed(const struct record_options *options, char **argv);
/* An option of the sampling method was given. */
int record_is_sampling(const struct record_options *options);

#endif
