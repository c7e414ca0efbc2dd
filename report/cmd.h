/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd.h - the commands; commands.c holds their table. */
#ifndef REPORT_CMD_H
#define REPORT_CMD_H

#include <stdio.h>

#include "lib/options.h"
#include "lib/util.h"

#ifndef CINSTR_VERSION
#define CINSTR_VERSION "0.1"
#endif

extern const struct command command_report, command_tree, command_info, command_record, command_refold,
	command_control, command_help, command_callers, command_summary, command_annotate, command_diff,
	command_timeline, command_suggest, command_pack, command_build, command_ui, command_export,
	command_html, command_serve, command_merge, command_ranks, command_history, command_push,
	command_waits, command_files, command_mcp, command_compare, command_bisect, command_schema;

/* commands.c */
extern const struct command *const commands[];
extern const size_t n_commands;
/* Returns the command of this name, or NULL after an error message. */
const struct command *command_find(const char *name);
/* Prints all commands with the first line of their summaries. */
void commands_help(FILE *out);

#endif
