/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd.h - the commands; main.c holds their table. */
#ifndef REPORT_CMD_H
#define REPORT_CMD_H

#include "options.h"
#include "values.h"

#ifndef CINSTR_VERSION
#define CINSTR_VERSION "0.1"
#endif

extern const struct command command_report, command_tree, command_info, command_record, command_refold,
	command_control;

/* Options that every view has. */
struct view_options {
	int application; /* 0 interval, 1 on-cpu */
	const char *os_events;
	int raw;
	int format; /* 0 table, 1 csv, 2 json */
	const char *output;
};

#define VIEW_OPTIONS(type, member) \
	{ "format", \
	  'f', \
	  OPTION_CHOICE, \
	  "table|csv|json", \
	  offsetof(type, member.format), \
	  "csv and json: all columns, integers of nanoseconds", \
	  "table" }, \
		{ "output", \
		  'o', \
		  OPTION_TEXT, \
		  "FILE", \
		  offsetof(type, member.output), \
		  "write there instead of stdout", \
		  NULL }, \
		{ "application", \
		  0, \
		  OPTION_CHOICE, \
		  "interval|on-cpu", \
		  offsetof(type, member.application), \
		  "what Application time leaves out: whole intervals with an operating-system event, or " \
		  "the " \
		  "time off the processor only", \
		  "interval" }, \
		{ "os-events", \
		  0, \
		  OPTION_TEXT, \
		  "LIST", \
		  offsetof(type, member.os_events), \
		  "the events that count, of: voluntary,involuntary (switches of threads), major-fault, " \
		  "block-in, block-out, " \
		  "syscall, minor-fault, all, default (all but minor-fault)", \
		  "default" }, \
	{ \
		"raw", 0, OPTION_FLAG, NULL, offsetof(type, member.raw), \
			"do not subtract the probes' overhead", NULL \
	}

/* Turns the options into how to count; 0, or -1 after an error message. */
int view_counting(const struct command *command, const struct view_options *options,
		  struct counting *counting);

#include "input.h"
#include "output.h"

/* Reads the input, and prints what `choose` puts into the view. Returns the exit status. */
int view_run(const char *path, enum profile_by by, const struct counting *counting,
	     const struct view_options *options, void (*choose)(struct view *view, void *arg), void *arg);

#endif
