/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record.h - shared by the methods of cinstr record: cmd_record.c, which also instruments,
 * record_sample.c, and record_mixed.c, which does both. */
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include <signal.h>
#include <sys/types.h>

#include "cinstr/options.h"
#include "sampler/plan.h"

#define RECORD_ONCE UINT64_MAX
#define RECORD_REPEAT_MAX 1000

/* Result of one run of --repeat, which reports all of them together. */
struct record_outcome {
	int has_data;
	uint64_t amount; /* number of events or samples */
};

struct record_options {
	const char *values[CINSTR_OPTION_COUNT]; /* NULL: not given */
	int paused;
	int is_full;
	const char *mixed;    /* interval of samples besides calls; NULL: none */
	int is_mixed_default; /* no option chose whether to sample */
	struct sample_options sample;
	uint64_t repeat;		/* RECORD_ONCE: not given */
	struct record_outcome *outcome; /* of a run of --repeat; else NULL */
};

/* cmd_record.c: reports why the program cannot run. Returns an exit status. */
int record_cannot_run(const char *program, int why);
/* Creates the session folder: sets path[SESSION_PATH_MAX]. Returns 0, or an exit status after a
 * message. */
int record_session(const struct record_options *options, char *path);
/* Sets the options as environment variables for the program. */
void record_environment(const struct record_options *options, const char *session);
/* Sets the signals that are passed on to the program. */
void record_signals(sigset_t *set);
/* Runs the program, passes signals on, and waits. *status as from waitpid(), *child its pid.
 * Returns 0, or the errno that prevented running it. */
int record_run(char **argv, pid_t *child, int *status);
/* Ends like the program: returns its exit status, or ends by the same signal. */
int record_end_like(int status);

/* Records one run. Returns its exit status. */
typedef int record_method(const struct record_options *options, char **argv);

/* record_repeat.c: records options->repeat runs into sessions FOLDER.1, FOLDER.2, ... Returns the
 * exit status of the first run that failed. */
int record_repeat(const struct record_options *options, char **argv, record_method *method,
		  const char *folder);

/* record_sample.c: samples a program, or with argv NULL the processes of --pid. With options->mixed
 * the program also records itself. */
int record_sample(const struct record_options *options, char **argv);
/* record_mixed.c: samples for --mixed, after refusing options that contradict it. */
int record_mixed(const struct record_options *options, char **argv);
/* Whether an option of the sampling method was given. */
int record_is_sampling(const struct record_options *options);

#endif
