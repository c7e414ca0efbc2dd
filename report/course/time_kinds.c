/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "time_kinds.h"

const struct time_kind_words time_kinds[TIME_KINDS] = {
	[TIME_COMPUTING] = { "computing", "computing", "on a processor, with the probes" },
	[TIME_LOCK] = { "lock", "a lock", "waiting for a mutex, a reader's or writer's lock, a semaphore" },
	[TIME_OTHERS] = { "others", "other threads",
			  "waiting until another thread has done something: a condition, a join, a barrier" },
	[TIME_SLEEP] = { "sleep", "sleep", "sleeping for a time that the program chose" },
	[TIME_POLL] = { "poll", "events",
			"waiting until a file is ready, somebody connects, a signal comes" },
	[TIME_INPUT] = { "input", "input", "waiting in read, recv and the like" },
	[TIME_OUTPUT] = { "output", "output", "waiting in write, send and the like" },
	[TIME_DISK] = { "disk", "a disk", "waiting for block input or output, fsync and the like" },
	[TIME_CHILD] = { "child", "a child process", "waiting until a child process ends" },
	[TIME_PAGE] = { "page", "page-ins", "waiting until a page is read in (a major page fault)" },
	[TIME_PREEMPTED] = { "preempted", "a processor",
			     "ready to run, but another thread or program had the processor" },
	[TIME_OTHER] = { "other", "something else",
			 "off the processor of its own will, in a function that is not known to wait" },
	[TIME_PAUSED] = { "paused", "recording off", "nothing was recorded: the recording was off" },
	[TIME_MISSING] = { "missing", "not kept", "events are missing in the timeline" },
};

static const unsigned char kind_of_known[] = {
	[KNOWN_NOT] = TIME_OTHER,	[KNOWN_LOCK] = TIME_LOCK,	 [KNOWN_READ_LOCK] = TIME_LOCK,
	[KNOWN_WRITE_LOCK] = TIME_LOCK, [KNOWN_SEMAPHORE] = TIME_LOCK,	 [KNOWN_UNLOCK] = TIME_OTHER,
	[KNOWN_SPIN] = TIME_LOCK,	[KNOWN_CONDITION] = TIME_OTHERS, [KNOWN_JOIN] = TIME_OTHERS,
	[KNOWN_SLEEP] = TIME_SLEEP,	[KNOWN_POLL] = TIME_POLL,	 [KNOWN_INPUT] = TIME_INPUT,
	[KNOWN_OUTPUT] = TIME_OUTPUT,	[KNOWN_SYNC] = TIME_DISK,	 [KNOWN_CHILD] = TIME_CHILD,
};

enum time_kind time_kind_of(uint32_t os_bits, enum known_function known)
{
	if (os_bits & CINSTR_OS_MAJOR_FAULT)
		return TIME_PAGE;
	if (os_bits & (CINSTR_OS_BLOCK_IN | CINSTR_OS_BLOCK_OUT))
		return TIME_DISK;
	if (!(os_bits & CINSTR_OS_VOLUNTARY))
		return TIME_PREEMPTED;
	return (enum time_kind)kind_of_known[known];
}
