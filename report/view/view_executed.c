/* SPDX-License-Identifier: GPL-3.0-or-later */
/* view_executed.c - views of executed instructions (--measure=instructions): checks the options,
 * and reports sessions that have none (view.h). */
#include <stdlib.h>
#include <string.h>

#include "view.h"

static const char *const measure_words[] = {
	[MEASURE_INSTRUCTIONS] = "instructions",
	[MEASURE_CYCLES] = "cycles",
	[MEASURE_RETIRED] = "retired",
	[MEASURE_MISSES] = "misses",
};

#define HOW_TO_BUILD "build with -fplugin-arg-cinstr-instructions"

/* What chooses a part of the session of which they are not known. */
static const char *option_of_a_part(const struct view_options *options, const char **why)
{
	const struct selection *s = &options->selection;

	int is_counter = view_counter(options->measure) != CINSTR_COUNTER_NONE;

	*why = is_counter ? "a counter counts for the whole of a process"
			  : "instructions are counted for the whole of a process";
	if (s->from)
		return "--from";
	if (s->to)
		return "--to";
	*why = is_counter ? "a counter counts in all code"
			  : "what the system's libraries executed is not counted";
	return s->just_my_code ? "--just-my-code" : NULL;
}

static const char *option_that_does_not_apply(const struct view_options *options, const char **why)
{
	*why = "it is about times";
	if (options->raw)
		return "--raw";
	if (options->application)
		return "--application";
	if (strcmp(options->os_events, "default") != 0)
		return "--os-events";
	if (options->set)
		return "--view";
	*why = "it is of sampled sessions";
	if (options->inlines)
		return "--inlines";
	return option_of_a_part(options, why);
}

int view_check_executed(const struct command *command, const struct view_options *options)
{
	const char *why, *option = option_that_does_not_apply(options, &why);

	if (!option)
		return 0;
	return error("%s: %s does not go with --measure=%s: %s", command->name, option,
		     measure_words[options->measure], why);
}

const char *view_why_not_executed(const struct view_options *options)
{
	const char *why;

	return option_of_a_part(options, &why) ? why : NULL;
}

/* What is told behind it is only a part. */
static void warn_of_stopped(const struct executed *executed, const char *path)
{
	if (executed->n_stopped)
		warning("%s: the recording of %s%zu process%s ended early (cinstr info says why): the rest "
			"is not counted",
			util_shown(path), executed->n_merged ? "at least " : "", executed->n_stopped,
			executed->n_stopped == 1 ? "" : "es");
}

static void say_nothing(const struct executed *executed, const char *shown)
{
	const char *word = measure_words[MEASURE_INSTRUCTIONS + executed->counter];

	if (executed->counter)
		error("%s: the processor counted no %s there: cinstr record --counter=%s", shown, word, word);
	else
		error("%s: no executed instructions were counted: " HOW_TO_BUILD, shown);
}

int view_say_executed(const struct executed *executed, const char *path)
{
	int is_nothing = executed->n_files && !executed->n_counting;

	if (is_nothing)
		say_nothing(executed, util_shown(path));
	warn_of_stopped(executed, path);
	return is_nothing ? STATUS_DATA : STATUS_OK;
}
