/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record_repeat.c - cinstr record --repeat=N: runs the program N times, each into a session of its
 * own, NAME.1 to NAME.N, for cinstr diff. Each run is an ordinary recording by a child process, so
 * that runs are independent. ^C and terminating signals end the current run, and no run follows.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/util.h"
#include "record.h"
#include "runtime/process/session.h"

struct repeat {
	const struct record_options *options;
	record_method *method;
	char **argv;
	char *name;		     /* of the sessions, without the number */
	struct record_outcome *came; /* shared with the child: of its run */
	uint64_t n, events, failed;
	int stopped_by; /* a signal, which as an end from waitpid is its number; 0 */
	int status;	/* of the first run that failed, as from waitpid */
	off_t input;	/* where standard input was; -1: it cannot be read again */
	sigset_t waited, before;
};

/* ---- a run ----------------------------------------------------------------------------------- */

static int asks_to_end(int number)
{
	return number == SIGINT || number == SIGQUIT || number == SIGTERM || number == SIGHUP;
}

/* In the child. */
static void run_one(struct repeat *repeat, const char *session)
{
	struct record_options options = *repeat->options;
	int status;

	options.values[CINSTR_OPTION_DATA] = session;
	options.outcome = repeat->came;
	sigprocmask(SIG_SETMASK, &repeat->before, NULL);
	status = repeat->method(&options, repeat->argv);
	fflush(NULL);
	_exit(status);
}

/* The run's end, as from waitpid. The terminal sends ^C to all of us; what was sent to us alone is
 * for the run. */
static int wait_for_run(struct repeat *repeat, pid_t child)
{
	siginfo_t info;
	int status;

	for (;;) {
		int number = sigwaitinfo(&repeat->waited, &info);

		if (number == SIGCHLD || number < 0) {
			if (waitpid(child, &status, number < 0 ? 0 : WNOHANG) == child)
				return status;
			continue;
		}
		if (asks_to_end(number))
			repeat->stopped_by = number;
		if (info.si_code != SI_KERNEL && info.si_pid != child)
			kill(child, number);
	}
}

static void say_failed(struct repeat *repeat, uint64_t number, int status)
{
	if (!status)
		return;
	if (!repeat->failed++)
		repeat->status = status;
	if (WIFSIGNALED(status))
		warning("run %llu was ended by signal %d (%s)", (unsigned long long)number, WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else
		warning("run %llu ended with status %d", (unsigned long long)number, WEXITSTATUS(status));
}

/* Whether there may be another one after it. */
static int run_number(struct repeat *repeat, uint64_t number)
{
	char session[SESSION_PATH_MAX + 32];
	int status;
	pid_t child;

	snprintf(session, sizeof(session), "%s.%llu", repeat->name, (unsigned long long)number);
	if (isatty(STDERR_FILENO))
		print_visible(stderr, "cinstr: run %llu of %llu into %s\n", (unsigned long long)number,
			      (unsigned long long)repeat->n, session);
	if (repeat->input >= 0)
		lseek(STDIN_FILENO, repeat->input, SEEK_SET);
	*repeat->came = (struct record_outcome){ 0 };
	child = fork();
	if (!child)
		run_one(repeat, session);
	if (child < 0) {
		error("record: run %llu cannot be started: %s", (unsigned long long)number, strerror(errno));
		repeat->status = W_EXITCODE(STATUS_DATA, 0);
		return 0;
	}
	status = wait_for_run(repeat, child);
	repeat->events += repeat->came->amount;
	/* which has been said; the other runs would not record anything either */
	if (!repeat->came->has_data) {
		repeat->status = repeat->failed ? repeat->status : status;
		if (!repeat->status)
			repeat->status = W_EXITCODE(STATUS_DATA, 0);
		return 0;
	}
	say_failed(repeat, number, status);
	if (WIFSIGNALED(status) && asks_to_end(WTERMSIG(status)))
		repeat->stopped_by = WTERMSIG(status);
	return !repeat->stopped_by;
}

/* ---- what is said ---------------------------------------------------------------------------- */

/* Sessions NAME.NUMBER of an earlier, longer recording are taken by NAME.* as well. */
static void say_others(const struct repeat *repeat)
{
	STRBUF(pattern);
	size_t length = strlen(repeat->name) + 1, n = 0;
	const char *first = NULL;
	glob_t found;

	strbuf_printf(&pattern, "%s.[0-9]*", repeat->name);
	if (glob(pattern.text, GLOB_ONLYDIR, NULL, &found))
		found.gl_pathc = 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *number = found.gl_pathv[i] + length;

		if (strspn(number, "0123456789") != strlen(number) || strtoull(number, NULL, 10) <= repeat->n)
			continue;
		first = first ? first : found.gl_pathv[i];
		n++;
	}
	if (n)
		warning("%s%s not of this recording, but %s.* takes %s as well", first,
			n == 1 ? " is" : " and others are", repeat->name, n == 1 ? "it" : "them");
	if (found.gl_pathc)
		globfree(&found);
}

static void say_recorded(const struct repeat *repeat, uint64_t n)
{
	STRBUF(line);

	strbuf_thousands(&line, n);
	strbuf_printf(&line, " run%s, ", n == 1 ? "" : "s");
	strbuf_thousands(&line, repeat->events);
	strbuf_printf(&line, " %s%s in ", record_is_sampling(repeat->options) ? "sample" : "event",
		      repeat->events == 1 ? "" : "s");
	strbuf_visible(&line, repeat->name);
	strbuf_puts(&line, ".1");
	if (n > 1) {
		strbuf_puts(&line, " to ");
		strbuf_visible(&line, repeat->name);
		strbuf_printf(&line, ".%llu", (unsigned long long)n);
	}
	strbuf_puts(&line, ". Compare: cinstr diff ");
	strbuf_visible(&line, repeat->name);
	strbuf_puts(&line, ".* -- OTHER.*");
	print_visible(stderr, "cinstr: recorded %s\n", line.text);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Of the session: without slashes at its end. */
static char *name_of(const char *folder)
{
	char *name = xstrdup(folder);
	size_t n = strlen(name);

	while (n > 1 && name[n - 1] == '/')
		name[--n] = '\0';
	return name;
}

static int repeat_check(const struct repeat *repeat)
{
	if (!repeat->argv)
		return error("record: --repeat needs a program to run; it cannot repeat a process that "
			     "already runs (--pid)");
	if (!repeat->n || repeat->n > RECORD_REPEAT_MAX) {
		return error("record: --repeat does not take '%llu'; it takes 1 to %d",
			     (unsigned long long)repeat->n, RECORD_REPEAT_MAX);
	}
	if (strlen(repeat->name) >= SESSION_PATH_MAX)
		return error("record: the name of the session is too long");
	return 0;
}

/* ^C between two runs. */
static int is_stopped(struct repeat *repeat)
{
	static const struct timespec at_once;
	int number;

	while ((number = sigtimedwait(&repeat->waited, NULL, &at_once)) > 0)
		if (asks_to_end(number))
			repeat->stopped_by = number;
	return repeat->stopped_by;
}

static void run_all(struct repeat *repeat)
{
	uint64_t done = 0;
	int goes_on = 1;

	signal(SIGCHLD, SIG_DFL);
	record_signals(&repeat->waited);
	sigaddset(&repeat->waited, SIGCHLD);
	sigprocmask(SIG_BLOCK, &repeat->waited, &repeat->before);
	while (goes_on && done < repeat->n && !is_stopped(repeat)) {
		goes_on = run_number(repeat, done + 1);
		done += repeat->came->has_data != 0;
	}
	sigprocmask(SIG_SETMASK, &repeat->before, NULL);
	if (done)
		say_recorded(repeat, done);
	if (done == repeat->n)
		say_others(repeat);
	else if (repeat->stopped_by)
		warning("stopped after %llu of %llu runs", (unsigned long long)done,
			(unsigned long long)repeat->n);
}

int record_repeat(const struct record_options *options, char **argv, record_method *method,
		  const char *folder)
{
	struct repeat repeat = { .options = options,
				 .argv = argv,
				 .method = method,
				 .name = name_of(folder),
				 .n = options->repeat,
				 .input = lseek(STDIN_FILENO, 0, SEEK_CUR) };
	int status = STATUS_USAGE;

	if (!repeat_check(&repeat)) {
		repeat.came = mmap(NULL, sizeof(*repeat.came), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (repeat.came == MAP_FAILED) {
			error("record: %s", strerror(errno));
			status = STATUS_DATA;
		} else {
			run_all(&repeat);
			munmap(repeat.came, sizeof(*repeat.came));
			status = record_end_like(repeat.status ? repeat.status : repeat.stopped_by);
		}
	}
	free(repeat.name);
	return status;
}
