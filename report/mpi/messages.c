/* SPDX-License-Identifier: GPL-3.0-or-later */
/* messages.c - see messages.h. Compiled by mpicc. */
#include "messages.h"

#include <mpi.h>
#include <sched.h>
#include <time.h>

#define TAG 21
#define SIZE_DEFAULT (16ull << 20)
#define SIZE_MAX_OF_MESSAGE (1ull << 30)
/* Between two looks: a turn for others first, then pauses that grow. */
#define TURNS 100
#define PAUSE_NS_LEAST 20000
#define PAUSE_NS_MOST 2000000

static uint64_t size = SIZE_DEFAULT;
static MPI_Comm host = MPI_COMM_NULL;

/* MPI_Wait and the like keep a processor busy, as most libraries make them. */
static void wait_for(MPI_Request *request)
{
	struct timespec pause = { 0, PAUSE_NS_LEAST };
	int is_done = 0;

	for (unsigned turn = 0;; turn++) {
		MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
		if (is_done)
			return;
		if (turn < TURNS) {
			sched_yield();
			continue;
		}
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < PAUSE_NS_MOST)
			pause.tv_nsec += pause.tv_nsec / 4;
	}
}

static struct messages_place place_in(MPI_Comm comm)
{
	int rank, n;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &n);
	return (struct messages_place){ (uint32_t)rank, (uint32_t)n };
}

static MPI_Comm host_comm(void)
{
	if (host == MPI_COMM_NULL)
		MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
	return host;
}

void messages_begin(void)
{
	MPI_Init(NULL, NULL);
}

void messages_end(void)
{
	if (host != MPI_COMM_NULL)
		MPI_Comm_free(&host);
	MPI_Finalize();
}

struct messages_place messages_of_job(void)
{
	return place_in(MPI_COMM_WORLD);
}

struct messages_place messages_of_host(void)
{
	return place_in(host_comm());
}

void messages_meet(void)
{
	MPI_Request request;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	wait_for(&request);
}

void messages_abort(void)
{
	MPI_Abort(MPI_COMM_WORLD, 1);
	__builtin_unreachable();
}

void messages_set_size(uint64_t bytes)
{
	size = bytes < 1 ? 1 : bytes > SIZE_MAX_OF_MESSAGE ? SIZE_MAX_OF_MESSAGE : bytes;
}

void messages_send(uint32_t to, const void *bytes, uint64_t n)
{
	for (uint64_t at = 0; at < n;) {
		uint64_t part = n - at < size ? n - at : size;
		MPI_Request request;

		MPI_Isend((const char *)bytes + at, (int)part, MPI_BYTE, (int)to, TAG, MPI_COMM_WORLD,
			  &request);
		wait_for(&request);
		at += part;
	}
}

void messages_receive(uint32_t from, void *bytes, uint64_t n)
{
	for (uint64_t at = 0; at < n;) {
		uint64_t part = n - at < size ? n - at : size;
		MPI_Request request;

		MPI_Irecv((char *)bytes + at, (int)part, MPI_BYTE, (int)from, TAG, MPI_COMM_WORLD, &request);
		wait_for(&request);
		at += part;
	}
}

/* The greatest number, and the greatest complement, are those of all. */
int messages_are_equal(uint64_t number, int of_host)
{
	uint64_t mine[2] = { number, ~number }, most[2] = { 0, 0 };
	MPI_Request request;

	MPI_Iallreduce(mine, most, 2, MPI_UINT64_T, MPI_MAX, of_host ? host_comm() : MPI_COMM_WORLD,
		       &request);
	wait_for(&request);
	return most[0] == number && most[1] == ~number;
}
