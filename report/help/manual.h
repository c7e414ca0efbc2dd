/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * manual.h - writes manual pages (roff, man(7)) and completions of shells from the tables that also
 * parse and print --help: a command's options, include/cinstr/options.h,
 * include/cinstr/plugin_options.h.
 */
#ifndef REPORT_MANUAL_H
#define REPORT_MANUAL_H

#include <stdio.h>

#include "lib/options.h"

/* Writes the page of one command: cinstr-NAME(1). */
void manual_command(FILE *out, const struct command *command);
/* Writes cinstr(1): all commands, the variables of recording. */
void manual_overview(FILE *out, const struct command *const list[], size_t n);
/* Writes cinstr-plugin(1). */
void manual_plugin(FILE *out);
/* Writes cinstr-gcc(1). */
void manual_wrapper(FILE *out);

/* Writes the functions of the session (NULL: the default one) whose names begin with `prefix`, one
 * per line. */
void completion_names(FILE *out, const char *prefix, const char *session);
/* Write a script for the shell to source. */
void completion_bash(FILE *out, const struct command *const list[], size_t n);
void completion_zsh(FILE *out, const struct command *const list[], size_t n);

#endif
