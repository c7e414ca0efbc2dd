/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * messages.h - MPI as a transport: bytes from one rank to another, of any number. messages.c alone
 * knows MPI, and needs nothing else of the command.
 *
 * Whoever waits sleeps between two looks, since ranks may be more than processors, and the one that
 * is waited for has to work. If a rank dies, or a call of MPI fails, MPI ends the whole job.
 */
#ifndef REPORT_MPI_MESSAGES_H
#define REPORT_MPI_MESSAGES_H

#include <stdint.h>

/* Who this process is among n: of the job, or of the ranks on its host. */
struct messages_place {
	uint32_t rank, n;
};

void messages_begin(void);
/* To be called by all ranks, when nothing is left to do. */
void messages_end(void);
struct messages_place messages_of_job(void);
/* All ranks call it. */
struct messages_place messages_of_host(void);
/* All ranks call it: returns when all have. */
void messages_meet(void);
/* Ends the whole job, with exit status 1. */
__attribute__((noreturn)) void messages_abort(void);

/* In messages of at most so many bytes, 1 to 1 GB, the same in all ranks. Default: 16 MB. */
void messages_set_size(uint64_t bytes);
/* Return when the bytes may be used again, or are there. Ranks that exchange a number of bytes
 * agree on it before. */
void messages_send(uint32_t to, const void *bytes, uint64_t n);
void messages_receive(uint32_t from, void *bytes, uint64_t n);
/* All ranks of the job, or of each host, call it: whether they have the same number. */
int messages_are_equal(uint64_t number, int of_host);

#endif
