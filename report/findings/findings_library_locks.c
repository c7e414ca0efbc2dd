/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_library_locks.c - locks that the C library takes for itself: of random numbers, streams,
 * memory, time zones. Calls of theirs are not counted, but samples find what waits for them and
 * wakes others. */
#include "findings_computing.h"

#include <string.h>

#include "computing_text.h"
#include "output/output.h"

#define LOCK_PERCENT 5 /* of the computing: to wait and to wake */
#define PART_OF_LOCK 4 /* one of so many parts of the time is that, or it is other work */

static const char *const private_locks[] = { "__lll_lock_wait_private", "__lll_lock_wake_private", NULL };
static const struct group library_locks = { .globs = private_locks };

/* Functions that take such a lock, and those of C++ that do little but call one. */
static const char *const lockers[] = { "rand",	     "random",	     "srand",	       "srandom",  "malloc",
				       "calloc",     "realloc",	     "free",	       "_Znwm*",   "_Znam*",
				       "_Zdl*",	     "_Zda*",	     "printf",	       "fprintf",  "vprintf",
				       "vfprintf",   "__printf_chk", "__*fprintf_chk", "putc",	   "putchar",
				       "puts",	     "fputc",	     "fputs",	       "fwrite",   "fread",
				       "getc",	     "getchar",	     "fgetc",	       "fgets",	   "getline",
				       "getdelim",   "ungetc",	     "fflush",	       "fseek*",   "ftell*",
				       "localtime*", "mktime",	     "timelocal",      "strftime", "tzset",
				       "ctime*",     "gmtime*",	     "syslog",	       "setenv",   "unsetenv",
				       "setlocale",  "readdir*",     "_IO_putc",       "_IO_getc", NULL };

/* Returns the call by which the function, more often than by another one, comes to such a lock. */
static const struct row *locker_in(const struct computing *c, uint32_t caller)
{
	size_t n;
	const struct row **out = call_graph_out(&c->graph, caller, &n), *most = NULL;

	for (size_t i = 0; i < n; i++)
		if (computing_is_one_of(call_graph_entity(&c->graph, out[i]->entity), lockers) &&
		    (!most || out[i]->calls > most->calls))
			most = out[i];
	return most && most->calls ? most : NULL;
}

static int is_in_module_of(const struct computing *c, uint32_t entity, uint32_t other)
{
	const char *module = call_graph_entity(&c->graph, other)->module;
	const char *own = call_graph_entity(&c->graph, entity)->module;

	return module && own && !strcmp(module, own);
}

/* Returns the time of the call, and of what samples only have found in the lock's library. */
static long double time_of(const struct computing *c, const struct row *call, uint32_t lock)
{
	size_t n;
	const struct row **out = call_graph_out(&c->graph, call_graph_caller(call), &n);
	long double time = 0;

	for (size_t i = 0; i < n; i++)
		if (out[i]->entity == call->entity || (!call_graph_calls(&c->graph, out[i]->entity) &&
						       is_in_module_of(c, out[i]->entity, lock)))
			time += computing_inclusive(c, out[i]);
	return time;
}

/* Returns how many threads have time in the function. */
static uint32_t threads_of(const struct computing *c, uint32_t entity)
{
	const struct profile *profile = c->graph.profile;
	const struct row *node = c->graph.nodes[entity];

	return node ? thread_shares_threads(&profile->shares, (uint32_t)(node - profile->rows)) : 0;
}

static void tell(const struct computing *c, const struct row *call, uint32_t threads,
		 struct computing_found *found)
{
	strbuf_puts(&found->text, "calls ");
	computing_put_name(c, &found->text, call->entity);
	strbuf_puts(&found->text, " ");
	output_plural(&found->text, call->calls, "time", "s");
	strbuf_printf(&found->text, ", which takes a lock that %u threads share: ", threads);
	computing_put_percent(c, &found->text, found->time);
	found->about = call_graph_caller(call);
	found->edge = call;
	found->look_at = call->entity;
	found->verb = "callers";
}

/* Where threads wait and wake: returns the time of that, and sets the call and the function. */
static long double find_waits(const struct computing *c, const struct row **call, uint32_t *lock)
{
	struct group_uses uses;
	long double time;

	group_uses_make(&uses, c, &library_locks);
	time = uses.n && computing_percent(c, uses.amount) >= LOCK_PERCENT ? uses.amount : 0;
	*call = time > 0 ? locker_in(c, uses.list[0].entity) : NULL;
	*lock = uses.main;
	group_uses_release(&uses);
	return *call ? time : 0;
}

/* Where they only meet: the same of a function of the library that is at locked instructions. */
static long double find_locked(const struct computing *c, const struct row **call, uint32_t *lock)
{
	const struct row *node = computing_hottest_locked(c);
	const struct row *own = node ? computing_own_call(c, node->entity) : NULL;

	*call = own ? locker_in(c, call_graph_caller(own)) : NULL;
	if (!*call || !is_in_module_of(c, node->entity, (*call)->entity))
		*call = NULL;
	*lock = *call ? node->entity : NAMES_NONE;
	return *call ? computing_exclusive(c, node) : 0;
}

/* Is that time at a lock a good part of the call's, in several threads? Then tells of it. */
static int is_told(const struct computing *c, long double time, const struct row *call, uint32_t lock,
		   struct computing_found *found)
{
	uint32_t threads = time > 0 ? threads_of(c, call_graph_caller(call)) : 0;

	if (threads < 2)
		return 0;
	found->time = time_of(c, call, lock);
	if (PART_OF_LOCK * time < found->time)
		return 0;
	tell(c, call, threads, found);
	return 1;
}

int computing_library_locks(const struct computing *c, struct computing_found *found)
{
	const struct row *call;
	uint32_t lock;
	long double time;

	if (c->is_sampled)
		return 0;
	time = find_waits(c, &call, &lock);
	if (is_told(c, time, call, lock, found))
		return 1;
	time = find_locked(c, &call, &lock);
	return is_told(c, time, call, lock, found);
}
