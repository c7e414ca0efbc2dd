/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "habits.h"

#include <string.h>
#include <unistd.h>

#include "util.h"

const struct absent_options habits_options[] = {
	{ "-i input", "the session is the last word, without an option; default: cinstr.data" },
	{ "-g -G call-graph children no-children caller callee",
	  "call paths are always there: cinstr tree, cinstr callers FUNCTION" },
	{ "stdio stdio2", "it prints text anyway; into a file: -o FILE" },
	{ "tui", "cinstr ui browses in the terminal" },
	{ "gui gtk", "cinstr html writes a page for a browser" },
	{ "flamegraph flame-graph", "cinstr html draws flame graphs" },
	{ "measure", "cinstr report, tree, callers, ui, annotate, diff and export have it" },
	{ NULL, NULL },
};

static const struct absent_options commands[] = {
	{ "flamegraph flame flames", "cinstr html draws flame graphs; for flamegraph.pl: "
				     "cinstr export -f collapsed" },
	{ "folded collapse collapsed stackcollapse script",
	  "call paths, one a line: cinstr export -f collapsed" },
	{ "stat run exec start trace", "cinstr record -- PROGRAM counts and times; then: cinstr summary" },
	{ "top live", "while it runs: cinstr serve; afterwards: cinstr report" },
	{ "attach", "samples of a process that runs: cinstr record --sample --pid PID --for=10s" },
	{ "list", "events that can be sampled: cinstr record --list-events" },
	{ "replay dump", "single calls, in their order: cinstr timeline, of a recording with --timeline" },
	{ "graph", "call paths: cinstr tree; as a graph: cinstr export -f dot" },
	{ "show view print", "cinstr summary, cinstr report, or cinstr ui" },
	{ "tui browse gui", "in the terminal: cinstr ui; in a browser: cinstr html" },
	{ "findings advice analyze analyse", "cinstr summary" },
	{ "lock sched", "cinstr summary tells of waits and locks; cinstr report --view=os" },
	{ "on off suspend resume mark snapshot status choose",
	  "cinstr control steers a recording: see its --help" },
	{ NULL, NULL },
};

int habits_say_command(const char *word)
{
	const char *instead = options_why_absent(commands, word, strlen(word));
	const char *shown = util_shown(word);

	if (strchr(word, '/') && !access(word, X_OK))
		error("there is no command '%s'; to record that program: cinstr record -- %s", shown, shown);
	else if (instead)
		error("there is no command '%s'; %s", shown, instead);
	return instead || (strchr(word, '/') && !access(word, X_OK));
}
