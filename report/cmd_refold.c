/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_refold.c - `cinstr refold`: folds the timeline of a session again and says whether it gives
 * the same trees.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "lib/util.h"
#include "mixed/mixed_join.h"
#include "selection/refold.h"
#include "session/processes.h"
#include "session/session.h"

static const char *const said[] = {
	[REFOLD_SAME] = "the timeline gives the same tree",
	[REFOLD_DIFFERENT] = "the timeline gives ANOTHER tree",
	[REFOLD_NO_TIMELINE] = "no complete timeline was kept (CINSTR_TIMELINE=unlimited keeps it)",
	[REFOLD_NOT_ALONE] =
		"not compared: its tree began in a parent process, or is that of several threads",
};

struct refolding {
	const struct session *input;
	int status;
};

/* The timeline of a thread that is still running is read, or copied, at another moment than its
 * tree. */
static int goes_on(const struct refolding *refolding, const struct data *data,
		   const struct data_thread *thread)
{
	return thread->record->state == CINSTR_THREAD_LIVE &&
	       (data->header->end == CINSTR_END_SNAPSHOT ||
		(!process_end_is_known(data->header) && refolding->input->is_live));
}

static void say_short_calls(const struct data *data)
{
	STRBUF(text);

	strbuf_duration(&text, (long double)data->header->timeline_min_ns);
	printf("not compared: calls shorter than %s were left out of the timeline", text.text);
}

static void refold_file(void *arg, struct data *data)
{
	struct refolding *refolding = arg;

	mixed_undo(data);
	for (size_t i = 0; i < data->n_threads; i++) {
		const struct data_thread *thread = &data->threads[i];
		size_t n_nodes;
		enum refold_result result = refold_thread(data, thread, &n_nodes);

		printf("process %u thread %u: ", data->header->pid, thread->record->tid);
		if (result == REFOLD_SHORT_CALLS)
			say_short_calls(data);
		else if (result == REFOLD_DIFFERENT && goes_on(refolding, data, thread))
			fputs("not compared: it was still recording, and its timeline is of another "
			      "moment than its tree",
			      stdout);
		else
			fputs(said[result], stdout);
		printf(n_nodes ? " (%zu nodes)\n" : "\n", n_nodes);
		if ((result == REFOLD_DIFFERENT && !goes_on(refolding, data, thread)) ||
		    result == REFOLD_NO_TIMELINE)
			refolding->status = STATUS_DATA;
	}
}

static int run(const struct command *command, int argc, char **argv)
{
	struct session input;
	struct refolding refolding = { &input, STATUS_OK };
	int n_operands, unused, read;
	enum options_result result = options_parse(command, argc, argv, &unused, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (session_open(&input, n_operands ? argv[1] : NULL))
		return STATUS_DATA;
	read = session_each(&input, refold_file, &refolding);
	session_release(&input);
	return refolding.status == STATUS_OK ? read : refolding.status;
}

const struct command command_refold = {
	.name = "refold",
	.operands = "[FOLDER | FILE]",
	.summary = "Makes the call trees again from a complete timeline, and compares them.",
	.max_operands = 1,
	.examples = "  cinstr record --timeline=unlimited -- ./app && cinstr refold\n",
	.run = run,
};
