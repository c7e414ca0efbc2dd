/* SPDX-License-Identifier: GPL-3.0-or-later */
/* system_calls.h - what functions of the C library that enter the kernel do there. */
#ifndef REPORT_FINDINGS_SYSTEM_CALLS_H
#define REPORT_FINDINGS_SYSTEM_CALLS_H

#include "known_functions.h"

enum call_kind {
	CALL_OTHER,   /* opens, asks, sets: whatever is not one of these */
	CALL_ASK,     /* the same, of those that always enter the kernel */
	CALL_OPEN,    /* opens a file: enters the kernel, too */
	CALL_READ,    /* reads data */
	CALL_WRITE,   /* writes data */
	CALL_GET,     /* takes from a stream, which reads at times */
	CALL_PRINT,   /* puts into a stream, which writes at times */
	CALL_FLUSH,   /* has a stream write what it holds */
	CALL_SYNC,    /* waits until the disk has it */
	CALL_SLEEP,   /* waits for a time */
	CALL_POLL,    /* waits for one of several events, or for a time */
	CALL_CHILD,   /* waits for a child process */
	CALL_COMMAND, /* runs a command, and waits for it */
	CALL_FORK,    /* makes a process */
};

enum call_kind call_kind_of(const char *assembler, enum known_function known);

#endif
