/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * messages.h - MPI as a transport of any number of bytes between ranks. Only messages.c uses MPI,
 * and it needs nothing else of the command.
 *
 * Waiting ranks sleep between two checks, since there may be more ranks than processors, and the
 * rank that is waited for must work. If a rank dies or a call of MPI fails, MPI ends the whole job.
 */
#ifndef REPORT_MPI_MESSAGES_H
#define REPORT_MPI_MESSAGES_H

#include <stdint.h>

/* Number of this process, and of all: in the job, or on its host. */
struct messages_place {
	uint32_t rank, n;
};

void messages_begin(void);
/* To be called by all ranks at the end. */
void messages_end(void);
struct messages_place messages_of_job(void);
/* To be called by all ranks. */
struct messages_place messages_of_host(void);
/* To be called by all ranks; returns when all have called it. */
void messages_meet(void);
/* Ends the whole job, with exit status 1. */
__attribute__((noreturn)) void messages_abort(void);

/* Sets the largest size of a message in bytes, 1 to 1 GB, the same in all ranks. Default: 16 MB. */
void messages_set_size(uint64_t bytes);
/* Send or receive bytes; return when they may be used again, or have arrived. Both ranks must agree
 * on the number before. */
void messages_send(uint32_t to, const void *bytes, uint64_t n);
void messages_receive(uint32_t from, void *bytes, uint64_t n);
/* To be called by all ranks of the job, or of each host: returns whether they passed the same
 * number. */
int messages_are_equal(uint64_t number, int of_host);

#endif
