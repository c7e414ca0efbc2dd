/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record_sample.c - cinstr record --sample: samples a program, or running processes. To its caller
 * it looks like the program: signals sent to this process are passed on, the terminal's (^C) reach
 * the program anyway, and its exit status is returned. When attached to processes, SIGINT, SIGTERM
 * and SIGHUP end the recording, not the processes. With options->mixed the program is also recorded
 * by its runtime, as by cmd_record.c; only its options and the report at the end differ here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/options.h"
#include "lib/util.h"
#include "record.h"
#include "record_end.h"
#include "record_symbols.h"
#include "runtime/process/session.h"
#include "sampler/collector.h"
#include "sampler/launch.h"
#include "session/session.h"
#include "session/session_command.h"

#define COLLECTOR_NICE (-10)

struct sampling_run {
	const struct record_options *options;
	char session[SESSION_PATH_MAX];
	char **argv; /* NULL: attached */
	pid_t *pids;
	size_t n_pids;
	struct sampling sampling;
	enum cinstr_sampling_source kind;
	struct source *source;
	struct collector *collector;
	struct launch launch;
	struct collected got;
	int signals; /* descriptor */
	int status;  /* of the program */
	int has_ended;
	int is_gone;	      /* the session's folder was deleted */
	uint64_t duration_ns; /* 0: until the processes end */
};

/* ---- options --------------------------------------------------------------------------------- */

int record_is_sampling(const struct record_options *options)
{
	const struct sample_options *sample = &options->sample;

	if (options->mixed)
		return 0;
	return sample->interval || sample->event || sample->pids || sample->stack_bytes || sample->duration ||
	       sample->stacks || sample->source || sample->user_only;
}

/* Those that say what probes do. */
static int check_others(const struct record_options *options)
{
	static const struct {
		enum cinstr_option option;
		const char *name;
	} probes[] = {
#define PROBE_OPTION(id, env, flag, argument, fallback, help) { CINSTR_OPTION_##id, flag },
		CINSTR_OPTION_TABLE(PROBE_OPTION)
#undef PROBE_OPTION
	};

	for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!options->values[probes[i].option] || probes[i].option == CINSTR_OPTION_DATA ||
		    probes[i].option == CINSTR_OPTION_VERBOSE)
			continue;
		return error("record: --%s is about probes; it does not go with --sample", probes[i].name);
	}
	return 0;
}

static int duration_parse(struct sampling_run *run)
{
	const char *text = run->options->sample.duration;
	enum cinstr_sampling_unit unit;
	uint64_t ns;

	if (!text)
		return 0;
	if (plan_interval(text, &ns, &unit) || unit != CINSTR_SAMPLING_NS)
		return error("record: --for takes a time, such as 10s or 500ms, not '%s'", text);
	run->duration_ns = ns;
	return 0;
}

static int options_check(struct sampling_run *run)
{
	const struct sample_options *sample = &run->options->sample;

	if ((!run->options->mixed && check_others(run->options)) || duration_parse(run))
		return -1;
	if (sample->pids && plan_pids(sample->pids, &run->pids, &run->n_pids))
		return error("record: --pid takes numbers of processes, such as 123 or 123,456; not '%s'",
			     sample->pids);
	if (sample->pids && run->argv) {
		return error("record: either a program or --pid, not both");
	}
	return 0;
}

/* ---- signals --------------------------------------------------------------------------------- */

static void waited_signals(sigset_t *set)
{
	record_signals(set);
	sigaddset(set, SIGCHLD);
}

/* What the kernel sends (^C) goes to the whole foreground group, so the program has it already. */
static void pass_on(struct sampling_run *run, const struct signalfd_siginfo *info)
{
	if (info->ssi_code != SI_KERNEL && info->ssi_pid != (uint32_t)run->launch.child)
		kill(run->launch.child, (int)info->ssi_signo);
}

static void signal_take(struct sampling_run *run, const struct signalfd_siginfo *info)
{
	if (info->ssi_signo == SIGCHLD)
		return;
	if (run->argv)
		pass_on(run, info);
	else if (info->ssi_signo != SIGUSR1 && info->ssi_signo != SIGUSR2)
		run->has_ended = 1;
}

static void signals_take(struct sampling_run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signals, &info, sizeof(info)) == sizeof(info))
		signal_take(run, &info);
	if (run->argv && waitpid(run->launch.child, &run->status, WNOHANG) == run->launch.child)
		run->has_ended = 1;
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void put_count(struct strbuf *line, uint64_t n, const char *one, const char *many)
{
	strbuf_thousands(line, n);
	strbuf_printf(line, " %s", n == 1 ? one : many);
}

/* Says in which file most of the truncated stacks ended. */
static void put_blind(struct strbuf *line, const struct collected *got)
{
	strbuf_puts(line, " (no unwind information in ");
	strbuf_visible(line, got->blind_path);
	strbuf_puts(line, ")");
}

static void put_notes(struct strbuf *line, const struct collected *got)
{
	const struct {
		uint64_t n;
		const char *what;
		int is_blind;
	} notes[] = {
		{ got->lost, "lost", 0 },
		{ got->truncated, "with a truncated stack", got->blind * 2 > got->truncated },
		{ got->paused, "left out while it was off", 0 },
		{ got->discarded, "discarded: not the program's", 0 },
	};
	const char *between = ": ";

	for (size_t i = 0; i < ARRAY_SIZE(notes); i++) {
		if (!notes[i].n)
			continue;
		strbuf_puts(line, between);
		strbuf_thousands(line, notes[i].n);
		strbuf_printf(line, " %s", notes[i].what);
		if (notes[i].is_blind)
			put_blind(line, got);
		between = ", ";
	}
}

static void say_nothing(const struct sampling_run *run, const struct collected *got)
{
	if (got->failed)
		warning("nothing was recorded: a data file could not be made: %s", strerror(got->failed_why));
	else if (got->paused || run->options->paused)
		warning("nothing was recorded: recording was off (cinstr control on)");
	else if (got->lost)
		warning("nothing was recorded: all samples were lost");
	else
		warning("nothing was recorded: no sample of %s in that time%s", run->sampling.event,
			run->source->sampling.interval > 1 ? "; a shorter interval (--sample=) takes more"
							   : "");
}

static void say_trouble(const struct collected *got)
{
	if (got->throttled)
		warning("the kernel held back samples %llu times: they were too many "
			"(kernel.perf_event_max_sample_rate, kernel.perf_cpu_time_max_percent); take a "
			"longer interval",
			(unsigned long long)got->throttled);
	if (got->failed)
		warning("%llu data file%s could not be made: %s", (unsigned long long)got->failed,
			got->failed == 1 ? "" : "s", strerror(got->failed_why));
}

static void say_summary(const struct sampling_run *run, const struct collected *got)
{
	const char *shown = record_shown_path(run->session);
	STRBUF(line);
	int is_default = !strcmp(shown, INPUT_DEFAULT);

	if (!got->samples) {
		say_nothing(run, got);
		return;
	}
	if (run->options->outcome) {
		*run->options->outcome = (struct record_outcome){ 1, got->samples };
		say_trouble(got);
		return;
	}
	put_count(&line, got->samples, "sample", "samples");
	strbuf_puts(&line, " in ");
	put_count(&line, got->threads, "thread", "threads");
	strbuf_puts(&line, " of ");
	put_count(&line, got->processes, "process", "processes");
	strbuf_puts(&line, " into ");
	strbuf_visible(&line, shown);
	put_notes(&line, got);
	strbuf_puts(&line, ". Look at it with: cinstr summary");
	if (!is_default) {
		strbuf_puts(&line, " ");
		strbuf_visible(&line, shown);
	}
	print_visible(stderr, "cinstr: recorded %s\n", line.text);
	say_trouble(got);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* To who has asked for samples. */
static void say_choice(const struct sampling_run *run)
{
	if (run->options->is_mixed_default)
		return;
	if (run->kind == CINSTR_SOURCE_TIMERS && !run->options->sample.source)
		warning("perf_event_open is not permitted here: sampled by timers within the program "
			"instead");
	else if (run->kind == CINSTR_SOURCE_PERF && !run->sampling.kernel && !run->options->sample.user_only)
		warning("the kernel is not seen, only the program's own code (kernel.perf_event_paranoid; "
			"run as root, or have it set to 1)");
}

/* Where it is allowed: among many threads at work the rings would run full while the collector
 * waits for a processor. */
static void go_first(void)
{
	setpriority(PRIO_PROCESS, 0, COLLECTOR_NICE);
}

static int source_open(struct sampling_run *run)
{
	const struct sink *sink = collector_sink(run->collector);

	run->source = run->kind == CINSTR_SOURCE_PERF ? perf_source_new(&run->sampling, sink)
						      : timer_source_new(&run->sampling, sink);
	return run->source->operations->open(run->source, run->pids, run->n_pids, run->launch.child);
}

/* Opens timers in place of perf events, to which other recordings have left no memory. Returns 0,
 * or -errno. */
static int timers_open(struct sampling_run *run)
{
	if (!run->options->is_mixed_default)
		warning("no more memory may be locked for samples, other recordings have it (ulimit -l, "
			"kernel.perf_event_mlock_kb): sampled by timers within the program instead");
	run->source->operations->close(run->source);
	plan_take_timers(&run->options->sample, &run->sampling, &run->kind);
	return source_open(run);
}

static int sampling_begin(struct sampling_run *run)
{
	int why;

	go_first();
	run->collector = collector_new(run->session);
	run->sampling.session = run->session;
	run->sampling.starts_paused = run->options->paused;
	why = source_open(run);
	return why == -ENOBUFS && run->sampling.timers_can ? timers_open(run) : why;
}

static void work(struct sampling_run *run)
{
	uint64_t begin_ns = util_monotonic_ns();
	int why = 0;

	while (!run->has_ended && !why) {
		why = collector_turn(run->collector, run->signals);
		signals_take(run);
		if ((!run->argv && !collector_attached(run->collector)) ||
		    (run->duration_ns && util_monotonic_ns() - begin_ns >= run->duration_ns))
			break;
	}
	if (why)
		warning("the recording ended early: %s",
			run->source->why[0] ? run->source->why : strerror(-why));
}

/* The program may outlive the recording (--for); it is waited for. */
static void wait_for_program(struct sampling_run *run)
{
	struct signalfd_siginfo info;

	fcntl(run->signals, F_SETFL, 0);
	while (!run->has_ended && read(run->signals, &info, sizeof(info)) == sizeof(info)) {
		signal_take(run, &info);
		if (waitpid(run->launch.child, &run->status, WNOHANG) == run->launch.child)
			run->has_ended = 1;
	}
}

static int say_not_opened(struct sampling_run *run, int why)
{
	error("record: %s", run->source->why[0] ? run->source->why : strerror(-why));
	if (run->argv)
		launch_cancel(&run->launch);
	return STATUS_DATA;
}

/* For programs with the runtime: with --mixed they record, else they have no probes, and what they
 * ask for goes into this session. The source says which. What is not set the child has as it
 * was. */
static void set_environment(const struct sampling_run *run)
{
	if (run->options->mixed)
		record_environment(run->options, run->session);
	setenv("CINSTR", "on", 1);
	setenv("CINSTR_SESSION", run->session, 1);
	if (run->options->paused) /* what the program does to itself begins so, too */
		setenv("CINSTR_START", "paused", 1);
}

static int run_sampled(struct sampling_run *run)
{
	int why = sampling_begin(run);

	if (why)
		return say_not_opened(run, why);
	collector_begin(run->collector, run->source, run->pids, run->n_pids,
			run->argv ? run->launch.child : 0);
	if (run->argv) {
		set_environment(run);
		why = launch_go(&run->launch, run->source);
		if (why)
			return record_cannot_run(run->argv[0], why);
	}
	work(run);
	collector_finish(run->collector, run->status, &run->got);
	run->is_gone = record_is_gone(run->session);
	if (!run->options->mixed && !run->is_gone)
		say_summary(run, &run->got);
	if (run->argv && !run->has_ended)
		wait_for_program(run);
	return STATUS_OK;
}

/* Signals are ours from before the child is made until everything has been written. */
static int run_with_signals(struct sampling_run *run)
{
	sigset_t waited, before;
	int status = STATUS_OK, why = 0;

	signal(SIGCHLD, SIG_DFL);
	waited_signals(&waited);
	sigprocmask(SIG_BLOCK, &waited, &before);
	if (run->argv)
		why = launch_prepare(&run->launch, run->argv, &before);
	if (why)
		return error_data("record: %s", strerror(-why));
	run->signals = signalfd(-1, &waited, SFD_CLOEXEC | SFD_NONBLOCK);
	status = run_sampled(run);
	if (run->source)
		run->source->operations->close(run->source);
	close(run->signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}

/* A session without data is undone: what it took the place of is back. */
static void finish_session(const struct sampling_run *run)
{
	struct session input;

	if (session_list(&input, run->session) || input.n_files)
		session_keep();
	else
		session_undo();
	session_release(&input);
}

/* How many samples there are beside what the runtime has recorded, which has been said. */
static void say_beside(const struct sampling_run *run, const struct collected *got)
{
	STRBUF(line);

	if (run->options->outcome) {
		say_trouble(got);
		return;
	}
	put_count(&line, got->samples, "sample", "samples");
	put_notes(&line, got);
	print_visible(stderr, "cinstr: also took %s\n", line.text);
	say_trouble(got);
}

/* Of programs without probes there are the samples. */
static void finish_mixed(const struct sampling_run *run)
{
	if (!record_has_calls(run->session) && run->got.samples) {
		record_say_no_calls(run->session, run->argv[0]);
		say_summary(run, &run->got);
		finish_session(run);
		return;
	}
	record_finish(run->session, run->argv[0], run->launch.child, run->status, run->options->outcome);
	if (run->got.samples)
		say_beside(run, &run->got);
}

/* Further runs (--repeat, cinstr compare) would be slower beside a process that writes symbols. */
static void finish(const struct sampling_run *run, int status)
{
	if (!run->is_gone && run->options->mixed && !status)
		finish_mixed(run);
	else if (!run->is_gone)
		finish_session(run);
	session_leave(); /* who writes symbols does not record */
	if (!run->collector)
		return;
	if (!run->is_gone)
		record_symbols(run->collector, run->options->outcome != NULL);
	collector_release(run->collector);
}

int record_sample(const struct record_options *options, char **argv)
{
	struct sampling_run run = { .options = options, .argv = argv, .signals = -1 };
	int status = STATUS_USAGE;

	if (!options_check(&run) && !plan_make(&options->sample, argv ? argv[0] : NULL, run.pids, run.n_pids,
					       &run.sampling, &run.kind)) {
		say_choice(&run);
		status = record_session(options, run.session);
		if (!status) {
			if (argv)
				session_command_note(argv);
			status = run_with_signals(&run);
			finish(&run, status);
		}
		if (!status && argv)
			status = record_end_like(run.status);
		else if (!status && run.is_gone)
			status = STATUS_DATA;
	}
	free(run.pids);
	return status;
}
