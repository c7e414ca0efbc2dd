/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wait_groups.h - groups of objects that were waited for, as in the table for people: a variable of
 * several processes is one; objects without a name are one if the same call waited for them (a lock
 * in each of many nodes). */
#ifndef REPORT_WAITS_WAIT_GROUPS_H
#define REPORT_WAITS_WAIT_GROUPS_H

#include "rows/wait_facts.h"

/* Waits, or ends of waits, at one place. */
struct wait_share {
	uint32_t number; /* as in struct wait_roles */
	struct wait_place place;
	enum wait_known known; /* how it is known who ended them; for waiters WAIT_KNOWN_CALL */
	/* WAIT_KNOWN_THREAD: of that thread, or of the first of several with its name; else 0 */
	uint32_t tid;
	const char *thread; /* ... and its name, or NULL */
	size_t n_threads;
	int is_exact;	  /* of all of them */
	uint32_t readers; /* WAIT_KNOWN_NOT: readers had the lock, so many at most */
	uint64_t waits;
	long double ns;
	struct map threads; /* their tids */
};

struct wait_shares {
	struct wait_share *list; /* most time first */
	size_t n;
};

struct wait_group {
	uint32_t number; /* as in struct wait_roles */
	enum cinstr_object_kind kind;
	const char *name; /* NULL: objects without a name */
	const char *module;
	size_t n_objects;
	uint64_t waits;
	long double ns, longest_ns;
	struct wait_shares waiters, givers;
};

/* The group and the shares that a fact was added to. */
struct wait_roles {
	uint32_t group, waiter, giver; /* their numbers */
};

struct wait_groups {
	struct wait_group *list; /* most time first; locks before objects that are signalled */
	size_t n, n_locks;
	struct wait_roles *roles; /* by fact */
};

void wait_groups_make(struct wait_groups *groups, const struct wait_facts *facts);
void wait_groups_release(struct wait_groups *groups);

#endif
