/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * program_check.h - checks by its file whether a program can be recorded: was it built with the
 * plugin, and is the runtime where its hook (plugin/hook.cc) looks for it?
 */
#ifndef REPORT_PROGRAM_CHECK_H
#define REPORT_PROGRAM_CHECK_H

struct strbuf;

/* Returns the path of the program that execvp() would find, which the caller frees; NULL: *why is
 * the errno. */
char *program_find(const char *program, int *why);

/* Appends the reason why nothing was recorded of the program, as far as its file shows it. */
void program_why_not_recorded(struct strbuf *text, const char *program);

#endif
