/* SPDX-License-Identifier: MIT */
/*
 * polls.c - which descriptors were ready when poll() or epoll_wait() had waited, so that it is
 * known whose write has ended that (pipes.c). epoll_wait() tells what the program has registered a
 * descriptor with, which is looked up among the calls of epoll_ctl() that add one. What code
 * without probes has registered is not known. Two that share a place may lose each other.
 *
 * Called in any thread of the process, signals blocked, after the calls: what they were given the
 * kernel has read or written.
 */
#include <poll.h>
#include <sys/epoll.h>

#include "runtime.h"

#define PLACES 4096u
#define POLLED_MAX 4096u
#define FACTOR 0x9e3779b97f4a7c15ull
#define FD_MASK 0xffffull
#define SET_MASK 0x3fffu /* of epoll's descriptor, what moves.fd has room for */

/* What was registered: hash | descriptor. */
static uint64_t registered[PLACES];

static uint64_t hash_of(uint32_t set, uint64_t data)
{
	return ((data + (uint64_t)(set & SET_MASK) * FACTOR) ^ data >> 31) * FACTOR & ~FD_MASK;
}

static uint64_t *place_of(uint64_t hash)
{
	return &registered[hash >> 32 & (PLACES - 1)];
}

void polls_register(const struct probe_frame *frame)
{
	const struct moves *moves = files_moves(frame);
	const struct epoll_event *event;
	uint64_t hash;

	if (!moves || (int)arch_result(&frame->registers))
		return;
	event = (const void *)moves->item_size;
	if (moves->fd >> POLLS_HOW_AT != EPOLL_CTL_ADD)
		return;
	hash = hash_of(moves->fd >> POLLS_SET_AT, event->data.u64);
	atomic_store_relaxed(place_of(hash), hash | (moves->fd & FD_MASK));
}

/* Returns what the wait for this descriptor was for; 0: not known. */
static uint64_t object_of(uint32_t fd, uint32_t ready)
{
	return pipes_awaited(fd, !(ready & (POLLIN | POLLHUP | POLLERR | POLLRDHUP)));
}

static unsigned polled(const struct moves *moves, uint64_t *objects)
{
	const struct pollfd *fds = (const void *)moves->item_size;
	unsigned n = 0;

	for (uint32_t i = 0; i < moves->fd && i < POLLED_MAX; i++) {
		if (!fds[i].revents)
			continue;
		if (n < POLLS_READY_MAX)
			objects[n] = object_of((uint32_t)fds[i].fd, (uint32_t)fds[i].revents);
		n++;
	}
	return n;
}

static unsigned awaited(const struct moves *moves, unsigned n, uint64_t *objects)
{
	const struct epoll_event *events = (const void *)moves->item_size;

	for (unsigned i = 0; i < n && i < POLLS_READY_MAX; i++) {
		uint64_t hash = hash_of(moves->fd, events[i].data.u64);
		uint64_t known = atomic_load_relaxed(place_of(hash));

		objects[i] = (known & ~FD_MASK) == hash && known
				     ? object_of((uint32_t)(known & FD_MASK), events[i].events)
				     : 0;
	}
	return n;
}

unsigned polls_ready(const struct probe_frame *frame, uint64_t *objects)
{
	const struct moves *moves = files_moves(frame);
	int result = (int)arch_result(&frame->registers);

	if (!moves || result <= 0)
		return 0;
	return frame->kind & PROBE_KIND_WRITES ? awaited(moves, (unsigned)result, objects)
					       : polled(moves, objects);
}
