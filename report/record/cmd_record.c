/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_record.c - cinstr record: runs a program with the recording's options, and looks to the
 * caller like that program: signals are passed on to it, its exit status (or the signal that ended
 * it) is returned. The runtime inside the program records; this file creates the session, and
 * record_end.c reports the result.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cinstr/options.h"
#include "lib/options.h"
#include "lib/util.h"
#include "program_check.h"
#include "record.h"
#include "record_end.h"
#include "runtime/process/folder.h"
#include "runtime/process/session.h"
#include "runtime/process/session_job.h"
#include "runtime/system/text.h"
#include "sampler/source/perf_events.h"
#include "session/session.h"
#include "session/session_command.h"

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
		  "record nothing until the program or `cinstr control on` starts it", NULL },
	{ "repeat", 0, OPTION_NUMBER, "N", offsetof(struct record_options, repeat),
	  "run the program N times, into the sessions NAME.1 to NAME.N, for cinstr diff", NULL },
	{ "sample", 0, OPTION_MAYBE, "INTERVAL", offsetof(struct record_options, sample.interval),
	  "sample any program, without building it again, instead of recording calls: one sample "
	  "every INTERVAL of processor time (1ms, 250us) or of events (10M)",
	  "10M cycles where they can be counted, else 1ms; by timers the kernel's tick, where that is "
	  "longer" },
	{ "full", 0, OPTION_FLAG, NULL, offsetof(struct record_options, is_full),
	  "time every call, whatever that costs: --max-overhead=unlimited", NULL },
	{ "mixed", 0, OPTION_MAYBE, "INTERVAL", offsetof(struct record_options, mixed),
	  "what is done anyway: record calls and take samples at the same time; one sample every "
	  "INTERVAL of processor time",
	  "1ms" },
	{ "event", 'e', OPTION_TEXT, "NAME", offsetof(struct record_options, sample.event),
	  "what is sampled: cycles, cpu-clock, page-faults, context-switches, ...", NULL },
	{ "list-events", 0, OPTION_FLAG, NULL, offsetof(struct record_options, sample.lists_events),
	  "list the events and whether they work here", NULL },
	{ "pid", 'p', OPTION_TEXT, "PID[,PID...]", offsetof(struct record_options, sample.pids),
	  "sample processes that run already, until they end or until ^C, which does not stop them", NULL },
	{ "for", 0, OPTION_TEXT, "TIME", offsetof(struct record_options, sample.duration),
	  "sample for that time (10s, 500ms) only", NULL },
	{ "stacks", 0, OPTION_CHOICE, "auto|frame-pointers|dwarf|none",
	  offsetof(struct record_options, sample.stacks),
	  "how callers are found: frame-pointers; dwarf: by unwind information, from a copy of the "
	  "stack; none; auto: frame pointers if the program and its C library keep them",
	  "auto" },
	{ "stack-bytes", 0, OPTION_TEXT, "SIZE", offsetof(struct record_options, sample.stack_bytes),
	  "how much of a stack is copied at most, for --stacks=dwarf", "32K" },
	{ "user-only", 0, OPTION_FLAG, NULL, offsetof(struct record_options, sample.user_only),
	  "no samples in the kernel, even where they are permitted", NULL },
	{ "sample-source", 0, OPTION_CHOICE, "auto|perf|timers",
	  offsetof(struct record_options, sample.source),
	  "perf: the kernel's perf events; timers: timers inside the program (libcinstr-sampler.so "
	  "is preloaded into it); auto: perf, or timers where the kernel forbids perf",
	  "auto" },
};

static const char *const variables[CINSTR_OPTION_COUNT] = {
#define RECORD_VARIABLE(id, env, flag, argument, fallback, help) [CINSTR_OPTION_##id] = env,
	CINSTR_OPTION_TABLE(RECORD_VARIABLE)
#undef RECORD_VARIABLE
};

/* ---- the program ----------------------------------------------------------------------------- */

int record_cannot_run(const char *program, int why)
{
	error("cannot run '%s': %s", util_shown(program), strerror(why));
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

int record_run(char **argv, pid_t *child, int *status)
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

/* A variable CINSTR_... that is no option: the program's processes leave it to us to say so. */
static void check_names(void)
{
	static const char *const others[] = { CINSTR_COMMAND_VARIABLES };
	const char *names[CINSTR_OPTION_COUNT + ARRAY_SIZE(others)];
	size_t n = 0;

	for (; n < CINSTR_OPTION_COUNT; n++)
		names[n] = variables[n];
	memcpy(names + n, others, sizeof(others));
	n += ARRAY_SIZE(others);
	for (char **entry = environ; entry && *entry; entry++) {
		size_t length = strcspn(*entry, "=");
		FREED char *name = strndup(*entry, length);
		const char *closest = util_closest(name, names, n);

		if (!strncmp(name, "CINSTR_", 7) && (!closest || strcmp(closest, name)))
			warning("%s is not a variable of cinstr%s%s%s", name,
				closest ? "; did you mean " : "", closest ? closest : "", closest ? "?" : "");
	}
}

/* Who may read the session: --mode, or CINSTR_MODE. */
static int modes_choose(const struct record_options *options)
{
	static const char *const words[] = { "0600", "0640", "0644", "unchecked" };
	static const uint32_t files[] = { 0600, 0640, 0644, 0600 };
	const char *given = options->values[CINSTR_OPTION_MODE], *variable = getenv("CINSTR_MODE");

	given = given ? given : variable && *variable ? variable : words[0];
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(given, words[i])) {
			folder_modes(files[i], i == 3);
			return 0;
		}
	return error(
		"record: --mode=%s: no such mode (0600|0640|0644|unchecked): others may not write into a "
		"session",
		given);
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

void record_environment(const struct record_options *options, const char *session)
{
	unsetenv(variables[CINSTR_OPTION_SWITCH]); /* who says record means on */
	/* a program that is sampled may record others */
	setenv(variables[CINSTR_OPTION_METHOD], options->mixed ? "beside" : "instrumentation", 1);
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

/* What is not a name: the letter, as session_name_expand tells it. */
static int say_bad_template(const char *wanted, int letter)
{
	if (letter < 0)
		error("record: the session folder's name '%s': %s", wanted, strerror(-letter));
	else
		error("record: '%%%c' in the session folder's name '%s' means nothing; there are %%h (host), "
		      "%%j (job), %%r (rank), %%p (process) and %%%%",
		      letter, wanted);
	return STATUS_USAGE;
}

/* The session, made or joined: as session_create_ranks. wanted: its name, with templates. */
static int create_session(const char *wanted, const struct session_job *job, const struct text *name,
			  char *path)
{
	if (strchr(wanted, '%'))
		session_make_parents(name->data);
	return session_create_ranks(name->data, job, path);
}

int record_session(const struct record_options *options, char *path)
{
	struct session_job job;
	struct text name;
	int why;

	if (modes_choose(options))
		return STATUS_USAGE;
	job_find_own(&job, secure_getenv);
	why = session_name_expand(wanted_folder(options), &job, &name);
	if (why)
		return say_bad_template(wanted_folder(options), why);
	check_names();
	why = create_session(wanted_folder(options), &job, &name, path);
	if (why == SESSION_ELSEWHERE)
		warning("cannot use the folder '%s': it is another user's, not a session, or cannot be "
			"moved; this session is %s",
			wanted_folder(options), path);
	if (why >= 0)
		return STATUS_OK;
	if (why == -EPERM)
		error("the session folder '%s' cannot be protected from other users (a file system without "
		      "owners?); choose another one with -o, or --mode=unchecked",
		      wanted_folder(options));
	else
		error("the session folder '%s' cannot be made: %s", wanted_folder(options), strerror(-why));
	return STATUS_DATA;
}

/* Asked first so that a mistyped name costs no session. */
static int check_program(const char *program)
{
	int why;

	free(program_find(program, &why));
	return why;
}

static int record(const struct record_options *options, char **argv)
{
	char session[SESSION_PATH_MAX];
	pid_t child = -1;
	int status = 0, why = check_program(argv[0]);

	if (why)
		return record_cannot_run(argv[0], why);
	why = record_session(options, session);
	if (why)
		return why;
	session_command_note(argv);
	record_environment(options, session);
	why = record_run(argv, &child, &status);
	if (why) {
		session_undo();
		return record_cannot_run(argv[0], why);
	}
	if (!record_is_gone(session))
		record_finish(session, argv[0], child, status, options->outcome);
	return record_end_like(status);
}

static int sample(const struct record_options *options, char **argv)
{
	int why = argv ? check_program(argv[0]) : 0;

	return why ? record_cannot_run(argv[0], why) : record_sample(options, argv);
}

static int mixed(const struct record_options *options, char **argv)
{
	int why = argv ? check_program(argv[0]) : 0;

	return why ? record_cannot_run(argv[0], why) : record_mixed(options, argv);
}

/* --full is another name of a limit. 0, or -1 after a message. */
static int settle_limit(struct record_options *options)
{
	const char **limit = &options->values[CINSTR_OPTION_MAX_OVERHEAD];

	if (!options->is_full)
		return 0;
	if (*limit && strcmp(*limit, "unlimited"))
		return error("record: --full times every call, --max-overhead=%s does not: take one of them",
			     *limit);
	*limit = "unlimited";
	return 0;
}

/* Calls are sampled, too, unless the environment asks for calls alone. */
static void settle_method(struct record_options *options)
{
	const char *method = getenv(variables[CINSTR_OPTION_METHOD]);

	if (options->mixed || record_is_sampling(options) || (method && !strcmp(method, "instrumentation")))
		return;
	options->mixed = "";
	options->is_mixed_default = 1;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct record_options options = { .repeat = RECORD_ONCE };
	record_method *method;
	int n_operands;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (options.sample.lists_events) {
		perf_events_list();
		return STATUS_OK;
	}
	if (!n_operands && !options.sample.pids)
		return error_usage("record: which program? For example: cinstr record -- ./app ARGUMENTS");
	if (settle_limit(&options))
		return STATUS_USAGE;
	settle_method(&options);
	argv[n_operands + 1] = NULL;
	method = options.mixed ? mixed : record_is_sampling(&options) ? sample : record;
	argv = n_operands ? argv + 1 : NULL;
	if (options.repeat != RECORD_ONCE)
		return record_repeat(&options, argv, method, wanted_folder(&options));
	return method(&options, argv);
}

/* Options of perf record. */
static const struct absent_options absent[] = {
	{ "-g", "callers are recorded anyway; --stacks chooses how samples find them" },
	{ "call-graph", "callers are recorded anyway; --stacks=frame-pointers|dwarf chooses how" },
	{ "-F freq", "it takes the time between samples: --sample=10ms for -F 99, 1ms for -F 999" },
	{ "-c count", "events between samples: --sample=100000 --event=NAME" },
	{ "-a all-cpus -C cpu", "it records programs, not the whole machine: name one, or --pid" },
	{ "-D delay", "--paused, then cinstr control on when it is to begin" },
	{ "-t tid", "all threads of a process: --pid; then cinstr report --thread=TID" },
	{ NULL, NULL },
};

const struct command command_record = {
	.name = "record",
	.operands = "[--] [PROGRAM [ARGUMENT...]]",
	.summary = "Runs a program and records it, its threads and its descendants.",
	OPTIONS_OF(record_options),
	.stops_at_operand = 1,
	.absent = absent,
	.notes = "Build the program with the plugin first (cinstr build -- make); --sample works on\n"
		 "any program. A program with the plugin also records when it is run directly: then\n"
		 "environment variables (CINSTR_DATA, CINSTR_PROBES, ...) take the place of these\n"
		 "options. The exit status is the program's.\n"
		 "--repeat=N -o NAME makes the sessions NAME.1 to NAME.N; older ones of these names\n"
		 "become NAME.1.old and so on. If a run fails, the others are made all the same, and\n"
		 "the exit status is that of the first failure. ^C ends it, and so does a run that\n"
		 "recorded nothing. Each run reads its input file from the beginning.\n",
	.examples = "  cinstr record -- ./app --size 10\n"
		    "  cinstr record -o before.data --probes=functions -- ./app\n"
		    "  cinstr record --not='*_get,*_set' -- make check\n"
		    "  cinstr record --paused -- ./server & sleep 5; cinstr control on\n"
		    "  cinstr record --repeat=5 -o old.data -- ./app     old.data.1 to old.data.5\n"
		    "  cinstr record --sample -- lua5.4 script.lua\n"
		    "  cinstr record --sample=250us --pid 1234 --for=10s\n"
		    "  cinstr record --sample --event=page-faults -- ./app\n"
		    "  cinstr record --full -- ./app\n",
	.run = run,
};
