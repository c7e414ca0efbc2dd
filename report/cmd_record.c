/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_record.c - cinstr record: runs a program with the recording's options, and looks to the
 * caller like that program: signals go to it, its exit status (or the signal that ended it) comes
 * back. The recording itself is done by the runtime inside the program; this makes the session, and
 * notes afterwards how the program ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cinstr/options.h"
#include "cmd.h"
#include "perf_events.h"
#include "record.h"
#include "rule_check.h"
#include "session.h"

#define STATUS_NOT_EXECUTABLE 126
#define STATUS_NOT_FOUND 127

static const struct option record_options[] = {
#define RECORD_OPTION(id, env, flag, argument, fallback, help) \
	{ flag,	    CINSTR_OPTION_##id == CINSTR_OPTION_DATA ? 'o' : 0,		 OPTION_TEXT, \
	  argument, offsetof(struct record_options, values[CINSTR_OPTION_##id]), help, \
	  fallback },
	CINSTR_OPTION_TABLE(RECORD_OPTION)
#undef RECORD_OPTION
		{ "paused", 0, OPTION_FLAG, NULL, offsetof(struct record_options, paused),
		  "processes begin stopped, until the program or `cinstr control on` starts them", NULL },
	{ "sample", 0, OPTION_MAYBE, "INTERVAL", offsetof(struct record_options, sample.interval),
	  "take samples of any program, as it is, instead of recording calls: every INTERVAL of "
	  "processor time (1ms, 250us) or of events (10M)",
	  "10M cycles where they can be counted, else 1ms" },
	{ "event", 'e', OPTION_TEXT, "NAME", offsetof(struct record_options, sample.event),
	  "what is sampled: cycles, cpu-clock, page-faults, context-switches, ...", NULL },
	{ "list-events", 0, OPTION_FLAG, NULL, offsetof(struct record_options, sample.lists_events),
	  "list the events and whether they work here", NULL },
	{ "pid", 'p', OPTION_TEXT, "PID[,PID...]", offsetof(struct record_options, sample.pids),
	  "sample processes that run already, until they end or ^C; they run on", NULL },
	{ "for", 0, OPTION_TEXT, "TIME", offsetof(struct record_options, sample.duration),
	  "sample for that time (10s, 500ms) only", NULL },
	{ "stacks", 0, OPTION_CHOICE, "auto|frame-pointers|dwarf|none",
	  offsetof(struct record_options, sample.stacks),
	  "how callers are found: by frame pointers, or from a copy of the stack by its unwind "
	  "information; auto: frame pointers if the program and its C library keep them",
	  "auto" },
	{ "stack-bytes", 0, OPTION_TEXT, "SIZE", offsetof(struct record_options, sample.stack_bytes),
	  "copied of a stack at most, for --stacks=dwarf", "32K" },
	{ "user-only", 0, OPTION_FLAG, NULL, offsetof(struct record_options, sample.user_only),
	  "no samples in the kernel, even where they are permitted", NULL },
	{ "sample-source", 0, OPTION_CHOICE, "auto|perf|timers",
	  offsetof(struct record_options, sample.source),
	  "perf: the kernel's perf events; timers: timers within the program, which gets "
	  "libcinstr-sampler.so preloaded; auto: timers where the former are not permitted",
	  "auto" },
};

static const char *const variables[CINSTR_OPTION_COUNT] = {
#define RECORD_VARIABLE(id, env, flag, argument, fallback, help) [CINSTR_OPTION_##id] = env,
	CINSTR_OPTION_TABLE(RECORD_VARIABLE)
#undef RECORD_VARIABLE
};

/* ---- the program ----------------------------------------------------------------------------- */

/* 0 if `path` can be executed, else an errno. */
static int executable(const char *path)
{
	return access(path, X_OK) ? errno : 0;
}

/* Whether execvp will find the program; asked first so that a mistyped name costs no session. */
static int program_check(const char *program)
{
	const char *path = getenv("PATH");
	struct strbuf candidate = { 0 };
	int result = ENOENT;

	if (strchr(program, '/'))
		return executable(program);
	for (path = path ? path : "/bin:/usr/bin"; result && *path;) {
		size_t n = strcspn(path, ":");
		int why;

		strbuf_clear(&candidate);
		strbuf_printf(&candidate, "%.*s/%s", n ? (int)n : 1, n ? path : ".", program);
		why = executable(candidate.text);
		if (why != ENOENT && why != ENOTDIR)
			result = why;
		path += n + (path[n] == ':');
	}
	strbuf_release(&candidate);
	return result;
}

int record_cannot_run(const char *program, int why)
{
	char *shown = util_visible(program);

	error("cannot run '%s': %s", shown, strerror(why));
	free(shown);
	return why == ENOENT || why == ENOTDIR ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}

void record_signals(sigset_t *set)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2 };

	sigemptyset(set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(set, signals[i]);
}

/*
 * Waits for the program and passes signals on. What the kernel sends (^C, ^\, hangup) goes to the
 * whole foreground group, so the program has it already; what it sends itself to its group as well.
 */
static int wait_and_forward(pid_t child, const sigset_t *waited)
{
	siginfo_t info;
	int status;

	for (;;) {
		int signal_number = sigwaitinfo(waited, &info);

		if (signal_number == SIGCHLD || signal_number < 0) {
			if (waitpid(child, &status, signal_number < 0 ? 0 : WNOHANG) == child)
				return status;
		} else if (info.si_code != SI_KERNEL && info.si_pid != child) {
			kill(child, signal_number);
		}
	}
}

/* In the child. Returns only if the program cannot be executed. */
static void execute(char **argv, const sigset_t *mask, int report_to)
{
	int why;

	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	why = errno;
	if (write(report_to, &why, sizeof(why)) < 0)
		_exit(STATUS_NOT_FOUND);
	_exit(STATUS_NOT_FOUND);
}

/*
 * Runs the program; *status as from waitpid, *child its pid. 0, or the errno that kept it from
 * running.
 */
static int program_run(char **argv, pid_t *child, int *status)
{
	sigset_t waited, before;
	int channel[2], why = 0;

	if (pipe2(channel, O_CLOEXEC))
		return errno;
	signal(SIGCHLD, SIG_DFL);
	record_signals(&waited);
	sigaddset(&waited, SIGCHLD);
	sigprocmask(SIG_BLOCK, &waited, &before);
	*child = fork();
	if (!*child)
		execute(argv, &before, channel[1]);
	why = *child < 0 ? errno : 0;
	close(channel[1]);
	if (!why) {
		*status = 0;
		if (read(channel[0], &why, sizeof(why)) != sizeof(why))
			why = 0;
		*status = wait_and_forward(*child, &waited);
	}
	close(channel[0]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return why;
}

/* ---- the session ----------------------------------------------------------------------------- */

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The data file of the program as it was last: after an exec there are several of its pid. */
static const char *file_of(const struct input *input, pid_t pid)
{
	const char *found = NULL;
	uint64_t latest = 0;

	for (size_t i = 0; i < input->n_files; i++) {
		struct cinstr_header header;

		if (input_header(input->files[i], &header) || header.pid != (uint32_t)pid ||
		    header.end != CINSTR_END_UNKNOWN || (found && header.start_realtime_ns < latest))
			continue;
		found = input->files[i];
		latest = header.start_realtime_ns;
	}
	return found;
}

#define WRITE_FIELD(fd, field, value) \
	(pwrite(fd, &(value), sizeof(value), offsetof(struct cinstr_header, field)) == (ssize_t)sizeof(value))

static void write_end(const struct input *input, pid_t pid, int status)
{
	const char *path = file_of(input, pid);
	int fd = path ? open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	uint32_t end = WIFSIGNALED(status) ? CINSTR_END_SIGNAL : CINSTR_END_EXIT;
	int32_t end_status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	uint64_t now = realtime_ns();

	if (fd < 0)
		return;
	if (!WRITE_FIELD(fd, end_status, end_status) || !WRITE_FIELD(fd, end_realtime_ns, now) ||
	    !WRITE_FIELD(fd, end, end))
		warning("%s: how the program ended could not be noted", path);
	close(fd);
}

struct summary {
	uint64_t processes, threads, events, bytes;
	struct rule_check rules;
};

static void summarize(void *arg, struct data *data)
{
	struct summary *summary = arg;

	rule_check_add(&summary->rules, data);
	summary->processes++;
	summary->bytes += data->file_bytes;
	for (size_t i = 0; i < data->n_threads; i++) {
		uint32_t members = data->threads[i].record->members;

		summary->threads += members ? members : 1;
		summary->events += data->threads[i].state->events;
	}
}

/* The path as short as it can be said. */
const char *record_shown_path(const char *path)
{
	static char folder[SESSION_PATH_MAX];
	size_t n;

	if (!getcwd(folder, sizeof(folder)))
		return path;
	n = strlen(folder);
	return !strncmp(path, folder, n) && path[n] == '/' ? path + n + 1 : path;
}

static void say_summary(struct input *input, const char *path, const char *program)
{
	struct summary s = { 0 };
	struct strbuf line = { 0 };
	const char *shown = record_shown_path(path);

	if (!input->n_files) {
		warning("nothing was recorded: '%s' did not load the recorder. Was it built with "
			"-fplugin=cinstr.so, and is libcinstr.so still in its place?",
			program);
		return;
	}
	input_each(input, summarize, &s);
	strbuf_thousands(&line, s.processes);
	strbuf_printf(&line, " process%s, ", s.processes == 1 ? "" : "es");
	strbuf_thousands(&line, s.threads);
	strbuf_printf(&line, " thread%s, ", s.threads == 1 ? "" : "s");
	strbuf_thousands(&line, s.events);
	strbuf_printf(&line, " event%s in ", s.events == 1 ? "" : "s");
	strbuf_visible(&line, shown);
	strbuf_puts(&line, " (");
	strbuf_size(&line, s.bytes);
	strbuf_puts(&line, "). Look at it with: cinstr report");
	if (strcmp(shown, INPUT_DEFAULT)) {
		strbuf_puts(&line, " ");
		strbuf_visible(&line, shown);
	}
	fprintf(stderr, "cinstr: recorded %s\n", line.text);
	rule_check_end(&s.rules);
	strbuf_release(&line);
}

/* ---- the command ----------------------------------------------------------------------------- */

/*
 * Ends as the program did: the same exit status, or the same signal (without a core file of our
 * own).
 */
int record_end_like(int status)
{
	struct rlimit no_core = { 0, 0 };
	sigset_t set;
	int number;

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	number = WTERMSIG(status);
	setrlimit(RLIMIT_CORE, &no_core);
	fflush(NULL);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	return 128 + number;
}

static void environment_set(const struct record_options *options, const char *session)
{
	unsetenv(variables[CINSTR_OPTION_SWITCH]); /* who says record means on */
	unsetenv(variables[CINSTR_OPTION_METHOD]); /* a program that is sampled may record others */
	for (int i = 0; i < CINSTR_OPTION_COUNT; i++)
		if (options->values[i])
			setenv(variables[i], options->values[i], 1);
	if (options->paused)
		setenv(variables[CINSTR_OPTION_START], "paused", 1);
	setenv(variables[CINSTR_OPTION_SESSION], session, 1);
}

static const char *wanted_folder(const struct record_options *options)
{
	const char *wanted = options->values[CINSTR_OPTION_DATA];

	if (!wanted)
		wanted = getenv(variables[CINSTR_OPTION_DATA]);
	return wanted && *wanted ? wanted : INPUT_DEFAULT;
}

int record_session(const struct record_options *options, char *path)
{
	int why = session_create(wanted_folder(options), path);

	if (why >= 0) /* 1: another one is being recorded there; this one stands beside it */
		return STATUS_OK;
	error("the session folder '%s' cannot be made: %s", wanted_folder(options), strerror(-why));
	return STATUS_DATA;
}

static int record(const struct record_options *options, char **argv)
{
	char session[SESSION_PATH_MAX];
	struct input input;
	pid_t child = -1;
	int status = 0, why = program_check(argv[0]);

	if (why)
		return record_cannot_run(argv[0], why);
	why = record_session(options, session);
	if (why)
		return why;
	environment_set(options, session);
	why = program_run(argv, &child, &status);
	if (why)
		return record_cannot_run(argv[0], why);
	if (!input_list(&input, session)) {
		write_end(&input, child, status);
		say_summary(&input, session, argv[0]);
	}
	input_release(&input);
	return record_end_like(status);
}

static int sample(const struct record_options *options, char **argv)
{
	int why = argv ? program_check(argv[0]) : 0;

	return why ? record_cannot_run(argv[0], why) : record_sample(options, argv);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct record_options options = { 0 };
	int n_operands;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (options.sample.lists_events) {
		perf_events_list();
		return STATUS_OK;
	}
	if (!n_operands && !options.sample.pids) {
		error("record: which program? For example: cinstr record -- ./app ARGUMENTS");
		return STATUS_USAGE;
	}
	argv[n_operands + 1] = NULL;
	if (!record_is_sampling(&options))
		return record(&options, argv + 1);
	return sample(&options, n_operands ? argv + 1 : NULL);
}

const struct command command_record = {
	.name = "record",
	.operands = "[--] [PROGRAM [ARGUMENT...]]",
	.summary = "Runs a program and records it, its threads and its descendants.",
	.options = record_options,
	.n_options = ARRAY_SIZE(record_options),
	.stops_at_operand = 1,
	.notes = "Without --sample the program must have been built with the plugin; run directly,\n"
		 "it records as well, with the environment variables CINSTR_DATA, CINSTR_PROBES, ...\n"
		 "in place of these options. Samples can be taken of any program. The exit status is\n"
		 "the program's.\n",
	.examples = "  cinstr record -- ./app --size 10\n"
		    "  cinstr record -o before.data --probes=functions -- ./app\n"
		    "  cinstr record --not='*_get,*_set' -- make check\n"
		    "  cinstr record --paused -- ./server & sleep 5; cinstr control on\n"
		    "  cinstr record --sample -- lua5.4 script.lua\n"
		    "  cinstr record --sample=250us --pid 1234 --for=10s\n"
		    "  cinstr record --sample --event=page-faults -- ./app\n",
	.run = run,
};
