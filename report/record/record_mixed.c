/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record_mixed.c - cinstr record by default or with --mixed: the program records itself and is
 * sampled as with --sample (record_sample.c), into separate files of the same session. Refuses
 * options that contradict one another.
 */
#include "lib/options.h"
#include "lib/util.h"
#include "record.h"
#include "sampler/source/perf_events.h"

static int say_not_with(const char *option, const char *why)
{
	return error("record: %s does not go with --mixed: %s", option, why);
}

/* What is shared out by samples is time on the processor. */
static int event_check(const char *name)
{
	struct perf_event event;

	if (!name || perf_event_find(name, &event) || event.unit != CINSTR_SAMPLING_EVENTS)
		return 0;
	return error("record: --event=%s does not go with --mixed: it needs samples of processor time: "
		     "cycles, cpu-clock or task-clock",
		     name);
}

static int check(const struct record_options *options, char **argv)
{
	const struct sample_options *sample = &options->sample;

	if (sample->interval)
		return say_not_with("--sample", "it takes samples alone, --mixed[=INTERVAL] takes both");
	if (sample->pids || !argv)
		return say_not_with("--pid", "calls can be recorded from a program's begin only; --sample "
					     "--pid takes samples of running processes");
	if (sample->duration)
		return say_not_with("--for", "the program's probes record until it ends, or until cinstr "
					     "control off");
	if (sample->stacks == CHOICE_STACKS_NONE)
		return say_not_with("--stacks=none", "samples without callers have no place in the tree");
	if (sample->stacks == CHOICE_STACKS_FRAME_POINTERS)
		return say_not_with(
			"--stacks=frame-pointers",
			"they do not tell who called a probe; callers are found by --stacks=dwarf");
	return event_check(sample->event);
}

int record_mixed(const struct record_options *options, char **argv)
{
	struct record_options own = *options;

	if (check(options, argv))
		return STATUS_USAGE;
	own.sample.beside = 1;
	own.sample.interval = options->mixed;
	own.sample.stacks = CHOICE_STACKS_DWARF;
	if (!options->sample.event && !*options->mixed)
		own.sample.event = "cpu-clock";
	return record_sample(&own, argv);
}
