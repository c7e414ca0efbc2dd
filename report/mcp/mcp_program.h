/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mcp_program.h - a program that is run to be recorded: by a `cinstr record` of its own, in a group
 * of processes of its own. Of what they print the end is kept.
 */
#ifndef REPORT_MCP_MCP_PROGRAM_H
#define REPORT_MCP_MCP_PROGRAM_H

#include <sys/types.h>

#include "lib/util.h"

struct program {
	pid_t pid;	   /* 0: none */
	int end_fd;	   /* can be read once it has ended */
	int out_fd;	   /* what it prints */
	struct strbuf end; /* ... the last of it */
	int is_asked;	   /* to end */
};

/* Begins it in a folder. 0, or -1 after an error message. */
int mcp_program_begin(struct program *program, char **argv, const char *folder);
/* Takes what it has printed since. */
void mcp_program_read(struct program *program);
/* Asks it to end (SIGTERM), or if it has been asked ends it. */
void mcp_program_stop(struct program *program);
/* Once it has ended: its status as of waitpid(). What it left running of its group is ended. */
int mcp_program_end(struct program *program);
void mcp_program_release(struct program *program);

#endif
