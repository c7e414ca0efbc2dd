/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mpi_calls.h - calls of MPI in which a process waits for others of its job, by a table of names.
 * Most MPI libraries wait by polling: that time is on a processor and looks like computing, so it
 * is kept apart from time asleep. */
#ifndef REPORT_ROWS_MPI_CALLS_H
#define REPORT_ROWS_MPI_CALLS_H

#include "file/data.h"
#include "values/values.h"

enum mpi_call {
	MPI_CALL_NOT,
	MPI_CALL_MESSAGE,    /* waits for one other process, or tests whether it is ready */
	MPI_CALL_COLLECTIVE, /* waits for all of a group */
	MPI_CALL_SETUP,	     /* begin and end of the job, where all processes meet, too */
};

/* Returns the kind of a call by its assembler name: in C, in Fortran, with the prefix P. */
enum mpi_call mpi_call_of(const char *assembler);

/* Time in messages and collectives, in ticks, with the calls within them. Calls through pointers
 * are not seen. */
struct mpi_time {
	uint64_t elapsed, off_cpu;
};
struct mpi_time mpi_time_of_thread(const struct data *data, const struct data_thread *thread,
				   struct values *values);

#endif
