/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util.h"
#include "plan_stacks.h"
#include "sampler/source/kernel_setting.h"
#include "sampler/source/perf_events.h"

#define SHORTEST_NS 10000 /* the kernel's clocks tick no faster */
#define STACK_BYTES (32u << 10)
#define STACK_BYTES_MOST 65000u /* a record of the ring has less than 64 KiB */
#define STACK_BYTES_LEAST 1024u

/* ---- numbers --------------------------------------------------------------------------------- */

static const struct suffix {
	const char *text;
	double factor;
	enum cinstr_sampling_unit unit;
} suffixes[] = {
	{ "", 1, CINSTR_SAMPLING_EVENTS },    { "K", 1e3, CINSTR_SAMPLING_EVENTS },
	{ "k", 1e3, CINSTR_SAMPLING_EVENTS }, { "M", 1e6, CINSTR_SAMPLING_EVENTS },
	{ "G", 1e9, CINSTR_SAMPLING_EVENTS }, { "ns", 1, CINSTR_SAMPLING_NS },
	{ "us", 1e3, CINSTR_SAMPLING_NS },    { "ms", 1e6, CINSTR_SAMPLING_NS },
	{ "s", 1e9, CINSTR_SAMPLING_NS },
};

int plan_interval(const char *text, uint64_t *interval, enum cinstr_sampling_unit *unit)
{
	size_t n = strspn(text, "0123456789.");
	char *end;
	double value = strtod(text, &end);

	if (!n || end != text + n)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (strcmp(end, suffixes[i].text))
			continue;
		value *= suffixes[i].factor;
		if (!(value >= 1 && value <= 1e15))
			return -1;
		*interval = (uint64_t)(value + 0.5);
		*unit = suffixes[i].unit;
		return 0;
	}
	return -1;
}

int plan_pids(const char *text, pid_t **pids, size_t *n)
{
	*pids = xcalloc(strlen(text) / 2 + 1, sizeof(**pids));
	for (*n = 0;; text++) {
		char *end;
		unsigned long pid = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;

		if (!pid || pid > INT32_MAX || (*end && *end != ','))
			break;
		(*pids)[(*n)++] = (pid_t)pid;
		text = end;
		if (!*text)
			return 0;
	}
	free(*pids);
	*pids = NULL;
	return -1;
}

static int stack_bytes_choose(const char *text, uint32_t *bytes)
{
	char *end;
	unsigned long value;

	*bytes = STACK_BYTES;
	if (!text)
		return 0;
	value = strtoul(text, &end, 10);
	if (*end == 'K' || *end == 'k')
		value <<= 10;
	if (value < STACK_BYTES_LEAST || value > STACK_BYTES_MOST)
		return error("record: --stack-bytes takes 1K to 63K, not '%s'", text);
	*bytes = (uint32_t)value & ~7u;
	return 0;
}

/* ---- the event ------------------------------------------------------------------------------- */

/* What is known of the event while it is chosen. */
struct chosen {
	struct perf_event event;
	int kernel;
	int why; /* it does not work: errno */
};

static int is_forbidden(int why)
{
	return why == EACCES || why == EPERM || why == ENOSYS;
}

/* Which the timers of the runtime can stand in for. */
static int is_clock(const char *event)
{
	return !strcmp(event, "cpu-clock") || !strcmp(event, "task-clock");
}

static int say_no_event(const char *name)
{
	const char *closest = perf_event_closest(name);
	const char *shown = util_shown(name);

	if (closest)
		error("record: --event: there is no event '%s'; did you mean %s?", shown, closest);
	else
		error("record: --event: there is no event '%s' (cinstr record --list-events lists those "
		      "that work here)",
		      shown);
	return -1;
}

static int say_not_working(const char *name, const struct chosen *chosen)
{
	if (is_forbidden(chosen->why) && chosen->event.needs_kernel)
		error("record: --event=%s: it happens in the kernel, which may not be sampled "
		      "here (kernel.perf_event_paranoid is %ld): run as root, or have it set to 1",
		      name, kernel_setting_paranoid());
	else if (is_forbidden(chosen->why))
		error("record: --event=%s: perf_event_open is not permitted here (kernel.perf_event_paranoid "
		      "is %ld, or system calls are filtered, as in containers); --sample-source=timers can "
		      "do without, for cpu-clock",
		      name, kernel_setting_paranoid());
	else
		error("record: --event=%s: this machine does not count it in a way that can be sampled (%s); "
		      "see cinstr record --list-events",
		      name, strerror(chosen->why));
	return -1;
}

static void try_event(const char *name, struct chosen *chosen)
{
	*chosen = (struct chosen){ .why = ENOENT };
	if (!perf_event_find(name, &chosen->event))
		chosen->why = perf_event_works(&chosen->event, &chosen->kernel);
}

/* Cycles, where there are any and no time was asked for; else the clock. */
static const char *default_event(const struct sampling *sampling, struct chosen *chosen)
{
	if (!sampling->interval || sampling->unit != CINSTR_SAMPLING_NS) {
		try_event("cycles", chosen);
		if (!chosen->why)
			return "cycles";
	}
	try_event("cpu-clock", chosen);
	return "cpu-clock";
}

static int event_choose(const struct sample_options *options, const char *program, struct sampling *sampling,
			enum cinstr_sampling_source *source)
{
	struct chosen chosen;

	*source = CINSTR_SOURCE_TIMERS;
	sampling->event = options->event;
	/* timers see which samples were taken in a system call */
	sampling->kernel = !options->user_only;
	if (options->source == CHOICE_SOURCE_TIMERS) {
		sampling->event = options->event ? options->event : "cpu-clock";
		if (is_clock(sampling->event))
			return 0;
		return error("record: --sample-source=timers can sample cpu-clock only, not '%s'",
			     options->event);
	}
	if (!options->event)
		sampling->event = default_event(sampling, &chosen);
	else if (perf_event_find(options->event, &chosen.event))
		return say_no_event(options->event);
	else
		try_event(options->event, &chosen);
	/* timers stand in */
	if (is_clock(sampling->event) && options->source != CHOICE_SOURCE_PERF) {
		if (is_forbidden(chosen.why))
			return 0;
		sampling->timers_can = program != NULL;
	}
	*source = CINSTR_SOURCE_PERF;
	sampling->kernel = chosen.kernel && !options->user_only;
	if (!chosen.why && chosen.event.needs_kernel && options->user_only)
		return error(
			"record: --event=%s happens in the kernel: nothing of it is seen with --user-only",
			options->event);
	return chosen.why ? say_not_working(sampling->event, &chosen) : 0;
}

/* ---- the interval ---------------------------------------------------------------------------- */

static const char *flag_of(const struct sampling *sampling)
{
	return sampling->beside ? "mixed" : "sample";
}

/* The interval, of which the number is known, fits the event. 0, or -1. */
static int interval_check(const struct sampling *sampling, enum cinstr_sampling_unit given,
			  enum cinstr_sampling_source source)
{
	struct perf_event event = { .unit = CINSTR_SAMPLING_NS };
	const char *flag = flag_of(sampling);
	long most = kernel_setting("perf_event_max_sample_rate", 0);

	perf_event_find(sampling->event, &event);
	if (given == CINSTR_SAMPLING_NS && event.unit != CINSTR_SAMPLING_NS)
		return error("record: --%s: a time goes with clocks; an interval of %s is a number, such as "
			     "--%s=%llu",
			     flag, sampling->event, flag, (unsigned long long)event.interval);
	if (event.unit != CINSTR_SAMPLING_NS)
		return 0;
	if (given != CINSTR_SAMPLING_NS || sampling->interval < SHORTEST_NS)
		return error("record: --%s: an interval of %s is a time of at least 10us, such as --%s=1ms",
			     flag, sampling->event, flag);
	if (source == CINSTR_SOURCE_PERF && most > 0 && sampling->interval < 1000000000 / (uint64_t)most)
		warning("--%s: the kernel takes %ld samples a second at most "
			"(kernel.perf_event_max_sample_rate); the rest will be missing",
			flag, most);
	return 0;
}

/* ---- the processes --------------------------------------------------------------------------- */

/* Before there is a session, as most of what can be wrong with them can be known. */
static int pid_check(pid_t pid, const struct sampling *sampling, enum cinstr_sampling_source source)
{
	struct perf_event event;
	struct perf_event_attr attr;
	int fd;

	if (kill(pid, 0) && errno == ESRCH)
		return error("record: --pid=%d: there is no such process", (int)pid);
	if (source != CINSTR_SOURCE_PERF || perf_event_find(sampling->event, &event))
		return 0;
	perf_event_attr(&event, &attr);
	attr.exclude_kernel = attr.exclude_callchain_kernel = 1;
	fd = perf_event_open_fd(&attr, pid, -1);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (errno != EACCES && errno != EPERM)
		return 0; /* opening it for good will tell */
	return error("record: --pid=%d: not permitted to look into that process: it belongs to another user, "
		     "or has more rights (root may, and who has CAP_PERFMON)",
		     (int)pid);
}

static int pids_check(const pid_t *pids, size_t n_pids, const struct sampling *sampling,
		      enum cinstr_sampling_source source)
{
	for (size_t i = 0; i < n_pids; i++)
		if (pid_check(pids[i], sampling, source))
			return -1;
	return 0;
}

static void timers_take(struct sampling *sampling)
{
	sampling->unit = CINSTR_SAMPLING_NS;
	sampling->interval = sampling->interval ? sampling->interval : 1000000;
}

void plan_take_timers(const struct sample_options *options, struct sampling *sampling,
		      enum cinstr_sampling_source *source)
{
	*source = CINSTR_SOURCE_TIMERS;
	sampling->kernel = !options->user_only;
	sampling->timers_can = 0;
	timers_take(sampling);
}

int plan_make(const struct sample_options *options, const char *program, const pid_t *pids, size_t n_pids,
	      struct sampling *sampling, enum cinstr_sampling_source *source)
{
	int is_given = options->interval && *options->interval;
	enum cinstr_sampling_unit given = CINSTR_SAMPLING_EVENTS;

	sampling->beside = options->beside;
	if (is_given && plan_interval(options->interval, &sampling->interval, &given))
		return error("record: --%s takes a time (1ms, 250us) or a number of events (10M), not '%s'",
			     flag_of(sampling), options->interval);
	sampling->unit = given;
	sampling->asked = sampling->interval;
	if (stack_bytes_choose(options->stack_bytes, &sampling->stack_bytes) ||
	    event_choose(options, program, sampling, source) ||
	    (is_given && interval_check(sampling, given, *source)) ||
	    pids_check(pids, n_pids, sampling, *source))
		return -1;
	if (*source == CINSTR_SOURCE_TIMERS)
		timers_take(sampling);
	sampling->program = program;
	sampling->stacks = plan_stacks(options->stacks, program, pids, n_pids);
	return 0;
}
