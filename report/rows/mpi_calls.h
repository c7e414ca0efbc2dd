/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mpi_calls.h - calls of MPI in which a process waits for the others of its job, by a table of
 * names. Most MPI libraries wait by asking again and again: such time is on a processor, and looks
 * like computing; it is told apart from what was asleep.
 */
#ifndef REPORT_ROWS_MPI_CALLS_H
#define REPORT_ROWS_MPI_CALLS_H

#include "file/data.h"
#include "values/values.h"

enum mpi_call {
	MPI_CALL_NOT,
	MPI_CALL_MESSAGE,    /* waits for one other, or asks whether it is ready */
	MPI_CALL_COLLECTIVE, /* waits for all of a group */
	MPI_CALL_SETUP,	     /* the job's begin and end, where all meet as well */
};

/* By the assembler's name: of C, of Fortran, with P before it. */
enum mpi_call mpi_call_of(const char *assembler);

/* In messages and collectives, ticks; calls within others are in these. Calls through pointers are
 * not seen. */
struct mpi_time {
	uint64_t elapsed, off_cpu;
};
struct mpi_time mpi_time_of_thread(const struct data *data, const struct data_thread *thread,
				   struct values *values);

#endif
