/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * program_check.h - whether a program can be recorded, by its file: was it built with the plugin,
 * and is the runtime where its hook (plugin/hook.cc) looks for it?
 */
#ifndef REPORT_PROGRAM_CHECK_H
#define REPORT_PROGRAM_CHECK_H

struct strbuf;

/* Where execvp finds the program; the caller frees it. NULL: *why is the errno. */
char *program_find(const char *program, int *why);

/* Why nothing was recorded of it, as far as its file tells. */
void program_why_not_recorded(struct strbuf *text, const char *program);

#endif
