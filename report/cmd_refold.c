/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_refold.c - `cinstr refold`: folds the timeline of a session again and says whether it gives the same trees.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "refold.h"
#include "util.h"

static const char *const said[] = {
	[REFOLD_SAME] = "the timeline gives the same tree",
	[REFOLD_DIFFERENT] = "the timeline gives ANOTHER tree",
	[REFOLD_NO_TIMELINE] = "no complete timeline was kept (CINSTR_TIMELINE=unlimited keeps it)",
	[REFOLD_NOT_ALONE] =
		"not compared: its tree began in a parent process, or is that of several threads",
};

static void say_short_calls(const struct data *data)
{
	struct strbuf text = { 0 };

	strbuf_duration(&text, (long double)data->header->timeline_min_ns);
	printf("not compared: calls shorter than %s were left out of the timeline", text.text);
	strbuf_release(&text);
}

static void refold_file(void *arg, const struct data *data)
{
	int *status = arg;

	for (size_t i = 0; i < data->n_threads; i++) {
		const struct data_thread *thread = &data->threads[i];
		size_t n_nodes;
		enum refold_result result = refold_thread(data, thread, &n_nodes);

		printf("process %u thread %u: ", data->header->pid, thread->record->tid);
		if (result == REFOLD_SHORT_CALLS)
			say_short_calls(data);
		else
			fputs(said[result], stdout);
		printf(n_nodes ? " (%zu nodes)\n" : "\n", n_nodes);
		if (result == REFOLD_DIFFERENT || result == REFOLD_NO_TIMELINE)
			*status = STATUS_DATA;
	}
}

static int run(const struct command *command, int argc, char **argv)
{
	struct input input;
	int n_operands, unused, status = STATUS_OK, read;
	enum options_result result = options_parse(command, argc, argv, &unused, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (input_open(&input, n_operands ? argv[1] : NULL))
		return STATUS_DATA;
	read = input_each(&input, refold_file, &status);
	input_release(&input);
	return status == STATUS_OK ? read : status;
}

const struct command command_refold = {
	.name = "refold",
	.operands = "[FOLDER | FILE]",
	.summary = "Folds a session's complete timeline again and compares the call trees.",
	.max_operands = 1,
	.examples = "  cinstr record --timeline=unlimited -- ./app && cinstr refold\n",
	.run = run,
};
