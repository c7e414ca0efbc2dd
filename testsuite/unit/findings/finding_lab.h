/* SPDX-License-Identifier: GPL-3.0-or-later */
/* finding_lab.h - sessions of rows and threads, made for tests of findings. */
#ifndef TESTSUITE_UNIT_FINDINGS_FINDING_LAB_H
#define TESTSUITE_UNIT_FINDINGS_FINDING_LAB_H

#include "findings/findings.h"
#include "rows/caller_rows.h"
#include "tests.h"
#include "view/view.h"

enum {
	MAIN,
	WORKER,
	HOT,
	LOCK,
	UNLOCK,
	READ,
	FGETS,
	WRITE,
	FFLUSH,
	FWRITE,
	FSYNC,
	STAT,
	OPEN,
	NANOSLEEP,
	POLL,
	FORK,
	SYSTEM,
	WAITPID,
	MPI_RECV,
	REGION,
	FUNCTIONS
};
#define MAX_THREADS 32
#define MAX_ROWS 44
#define MS 1e6L

struct advised {
	struct view view;
	struct profile edges, processes;
	struct row rows[MAX_ROWS], of_processes[MAX_ROWS + 1];
	struct entity entities[FUNCTIONS];
	struct names names;
	struct thread_fact threads[MAX_THREADS + 1];
	struct thread_share shares[MAX_ROWS];
	struct os_counts os, counts[MAX_ROWS];
	struct thread_calls calls[MAX_THREADS];
};

/* Frees what is of the session before, too: so the first one is to be zero. */
void begin(struct advised *s, long double wall_ms);
void end(struct advised *s);
/* A thread that began with worker at 0 and ended at `ms`: it computed for so long, others had its
 * processor for so long, and otherwise it waited. */
void thread(struct advised *s, long double ms, long double work_ms, long double preempted_ms);
/* Makes a recording by samples, each of which stands for 1 ms. */
void sampled(struct advised *s);
/* Text and percentage of the rule's finding; NULL: it has none. */
char *told(struct advised *s, const char *id, long double *percent);
void tells(struct advised *s, const char *id, const char *expected);
/* Checks that the rule has one finding, whose command is this one. */
void proposes(struct advised *s, const char *id, const char *verb);
/* ... which is about so much of the run. */
void takes_part(struct advised *s, const char *id, long double percent);
/* ... which could save so much at most; 0: that is not known. */
void saves(struct advised *s, const char *id, long double percent);
/* ... which likely saves so many percent, from low to high; both 0: the rule does not tell. */
void likely_saves(struct advised *s, const char *id, long double low, long double high);
void silent(struct advised *s, const char *id);
/* A call at `address`, or with EDGE_NO_CALLER a function; of so many threads. */
struct row *row_of(struct advised *s, uint32_t caller, uint32_t callee, uint64_t calls, uint32_t threads,
		   const char *address);
void takes(struct row *row, long double elapsed_ms, long double off_ms, long double preempted_ms);
/* Calls of a function by another one, of one thread: all of them take so long, half of them up to
 * usual_ns, and each enters the kernel. */
struct row *makes(struct advised *s, uint32_t caller, uint32_t callee, uint64_t calls, long double ms,
		  long double usual_ns);
/* A process that lived from then to then. */
struct row *process(struct advised *s, uint32_t pid, uint32_t parent, long double begin_ms,
		    long double end_ms);

#endif
