/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manual.h - the manual pages (roff, man(7)) and the completions of shells, made of the same tables
 * that parse and print --help: a command's options, include/cinstr/options.h,
 * include/cinstr/plugin_options.h.
 */
#ifndef REPORT_MANUAL_H
#define REPORT_MANUAL_H

#include <stdio.h>

#include "lib/options.h"

/* The page of one command: cinstr-NAME(1). */
void manual_command(FILE *out, const struct command *command);
/* cinstr(1): all commands, the variables of recording. */
void manual_overview(FILE *out, const struct command *const list[], size_t n);
/* cinstr-plugin(1) */
void manual_plugin(FILE *out);
/* cinstr-gcc(1) */
void manual_wrapper(FILE *out);

/* A script for the shell to source. */
/* Functions of the session (NULL: of this folder) whose names begin so, one a line. */
void completion_names(FILE *out, const char *prefix, const char *session);
void completion_bash(FILE *out, const struct command *const list[], size_t n);
void completion_zsh(FILE *out, const struct command *const list[], size_t n);

#endif
