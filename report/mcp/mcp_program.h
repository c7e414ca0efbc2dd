/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mcp_program.h - runs a program to be recorded, by a `cinstr record` of its own in its own process
 * group. The end of their output is kept.
 */
#ifndef REPORT_MCP_MCP_PROGRAM_H
#define REPORT_MCP_MCP_PROGRAM_H

#include <sys/types.h>

#include "lib/util.h"

struct program {
	pid_t pid;	   /* 0: none */
	int end_fd;	   /* readable when it has ended */
	int out_fd;	   /* pipe of its output */
	struct strbuf end; /* end of its output */
	int is_asked;	   /* was asked to end */
};

/* Starts the program in a folder. Returns 0, or -1 after an error message. */
int mcp_program_begin(struct program *program, char **argv, const char *folder);
/* Reads its output so far. */
void mcp_program_read(struct program *program);
/* Asks the program to end (SIGTERM); kills it at the second call. */
void mcp_program_stop(struct program *program);
/* To be called when it has ended: returns its status as from waitpid(), and kills what remains of
 * its process group. */
int mcp_program_end(struct program *program);
void mcp_program_release(struct program *program);

#endif
