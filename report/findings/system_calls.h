/* SPDX-License-Identifier: GPL-3.0-or-later */
/* system_calls.h - what functions of the C library do in the kernel. */
#ifndef REPORT_FINDINGS_SYSTEM_CALLS_H
#define REPORT_FINDINGS_SYSTEM_CALLS_H

#include "known_functions.h"

enum call_kind {
	CALL_OTHER,   /* opens, asks, sets: any other one */
	CALL_ASK,     /* ... that always enters the kernel */
	CALL_OPEN,    /* opens a file: always enters the kernel */
	CALL_READ,    /* reads data */
	CALL_WRITE,   /* writes data */
	CALL_GET,     /* reads from a stream, which enters the kernel at times */
	CALL_PRINT,   /* writes to a stream, which enters the kernel at times */
	CALL_FLUSH,   /* makes a stream write its buffer */
	CALL_SYNC,    /* waits until the data are on the disk */
	CALL_SLEEP,   /* waits for a time */
	CALL_POLL,    /* waits for one of several events, or for a time */
	CALL_CHILD,   /* waits for a child process */
	CALL_COMMAND, /* runs a command, and waits for it */
	CALL_FORK,    /* makes a process */
};

enum call_kind call_kind_of(const char *assembler, enum known_function known);

#endif
