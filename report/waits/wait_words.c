/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wait_words.c - see wait_words.h. */
#include "wait_words.h"

const struct wait_word wait_words[] = {
	[CINSTR_OBJECT_LOCK] = { "lock", "locks", "held by", "lock" },
	[CINSTR_OBJECT_MUTEX] = { "mutex", "mutexes", "held by", "mutex" },
	[CINSTR_OBJECT_RWLOCK] = { "read-write lock", "read-write locks", "held by", "rwlock" },
	[CINSTR_OBJECT_SEMAPHORE] = { "semaphore", "semaphores", "posted by", "semaphore" },
	[CINSTR_OBJECT_CONDITION] = { "condition variable", "condition variables", "signal by", "condition" },
	[CINSTR_OBJECT_BARRIER] = { "barrier", "barriers", "last was", "barrier" },
	[CINSTR_OBJECT_FUTURE] = { "future", "futures", "set by", "future" },
	[CINSTR_OBJECT_FUTEX] = { "futex", "futexes", "woken by", "futex" },
	[CINSTR_OBJECT_PIPE] = { "pipe", "pipes", "other end", "pipe" },
	[CINSTR_OBJECT_SOCKET] = { "socket", "sockets", "other end", "socket" },
	[CINSTR_OBJECT_EVENT] = { "eventfd", "eventfds", "ended by", "event" },
	[CINSTR_OBJECT_THREAD] = { "end of a thread", "ends of threads", "that is", "thread" },
};

const char *wait_holder_word(const struct open_wait *wait)
{
	return wait->kind == CINSTR_OBJECT_THREAD ? wait_words[wait->kind].given
	       : wait->is_certain		  ? "held by"
						  : "had by";
}
