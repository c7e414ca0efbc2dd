/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "wait_facts.h"

#include <stdlib.h>
#include <string.h>

#include "cinstr/awaiting.h"
#include "lib/array.h"
#include "values/values.h"

/* Bits of enum cinstr_wait_end that make the giver certain, whatever the object's kind. */
#define CERTAIN (CINSTR_WAIT_BY_WRITER | CINSTR_WAIT_BY_ONLY)
#define PARKED_PART 0.9L  /* of its life, without waits for a processor, it waits for it */
#define PARKED_WORK 0.05L /* of the work of the process's thread that does most */
#define SIGNALS_LEAST 10
#define SIGNALS_TENTHS 9     /* of the waits */
#define PARKED_LEAST_NS 5e6L /* on the average: real contention is shorter */

static uint32_t object_of(struct wait_facts *facts, const struct data *data, uint64_t address,
			  enum cinstr_object_kind kind)
{
	uint64_t key[3] = { data->header->pid | (uint64_t)kind << 32, data->header->process_start, address };
	int is_new;
	size_t number = map_add(&facts->keys, key, sizeof(key), &is_new);

	if (!is_new)
		return (uint32_t)number;
	ARRAY_ONE_MORE(facts->objects, facts->n_objects);
	facts->objects[facts->n_objects++] =
		(struct wait_object){ .address = address, .pid = data->header->pid, .kind = kind, .n = 1 };
	if (kind != CINSTR_OBJECT_THREAD)
		facts->objects[number].name =
			wait_object_name(facts->names, data, address, &facts->objects[number].module);
	return (uint32_t)number;
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* Whether the end of waits for such objects is known for certain: a wait for a signal may have
 * received an earlier one than the last. */
static int kind_is_exact(enum cinstr_object_kind kind)
{
	return kind == CINSTR_OBJECT_MUTEX || kind == CINSTR_OBJECT_LOCK || kind == CINSTR_OBJECT_THREAD ||
	       kind == CINSTR_OBJECT_FUTURE;
}

int wait_is_exact(enum wait_known known, enum cinstr_object_kind kind)
{
	return known == WAIT_KNOWN_THREAD || (known == WAIT_KNOWN_CALL && kind_is_exact(kind));
}

/* Whether a time limit has ended the wait. */
static int is_timed_out(const struct data *data, const struct cinstr_wait *wait)
{
	const char *callee = wait_callee(data, wait->site);

	if (strstr(callee, "_until")) /* GLib's, which returns whether there was a signal */
		return !(wait->failed & CINSTR_WAIT_FAILED);
	return wait->failed & CINSTR_WAIT_FAILED && (strstr(callee, "timed") || strstr(callee, "clock"));
}

static void add_wait(struct wait_facts *facts, const struct data *data, const struct data_thread *thread,
		     const struct cinstr_wait *wait)
{
	enum cinstr_object_kind kind = wait_kind(data, wait->site, wait->object);
	struct wait_fact fact = { .object = object_of(facts, data, wait->object, kind),
				  .waiter = wait_place_waiter(facts->names, data, wait->site, wait->cell),
				  .giver = { .entity = NAMES_NONE },
				  .waiter_tid = thread->record->tid,
				  .waits = wait->waits };
	struct wait_object *object = &facts->objects[fact.object];
	long double ns;
	int known, is_by_several = wait->given_by == CINSTR_WAIT_BY_SEVERAL;

	if (!is_by_several && !is_timed_out(data, wait)) {
		fact.giver = wait_place_of(facts->names, data, (uint32_t)(wait->given_by >> 32));
		fact.giver_tid = (uint32_t)wait->given_by;
	}
	if (!fact.giver_tid && !wait->given_by) {
		fact.giver_tid = wait_holder_tid(data, wait->holder);
		fact.readers = wait_holder_readers(data, wait->holder);
	}
	ns = data_ns_per_tick(data, &known);
	fact.ns = (long double)wait->ticks * ns;
	fact.longest_ns = (long double)wait->longest * ns;
	/* std::mutex::unlock() that was not inlined: who called it is not known */
	if (wait_is_of_system(facts->names, fact.giver.entity))
		fact.giver = (struct wait_place){ .entity = NAMES_NONE };
	fact.known = fact.giver.entity != NAMES_NONE   ? WAIT_KNOWN_CALL
		     : fact.giver_tid || is_by_several ? WAIT_KNOWN_THREAD
						       : WAIT_KNOWN_NOT;
	fact.is_exact = fact.known != WAIT_KNOWN_NOT &&
			(kind_is_exact(object->kind) || !wait->given_by || wait->failed & CERTAIN);
	if (fact.giver_tid && fact.known == WAIT_KNOWN_THREAD)
		fact.giver_thread = wait_thread_called(facts->names, data, fact.giver_tid);
	fact.path = wait_path(facts->names, data, wait->cell);
	object->waits += fact.waits;
	object->ns += fact.ns;
	object->longest_ns = fact.longest_ns > object->longest_ns ? fact.longest_ns : object->longest_ns;
	ARRAY_ROOM(facts->list, facts->n, facts->size, 64);
	facts->list[facts->n++] = fact;
}

/* ---- of merged processes --------------------------------------------------------------------- */

/* Returns the object of a row: by its name, or, without one, by where it was waited for. */
static uint32_t merged_object_of(struct wait_facts *facts, const struct data *data,
				 const struct merged_wait *wait)
{
	STRBUF(key);
	size_t number;
	int is_new;

	strbuf_printf(&key, "merged %s %u %s %s %u", data->path, wait->kind, wait->object, wait->module,
		      *wait->object ? 0 : wait->waiter);
	number = map_add(&facts->keys, key.text, key.length, &is_new);
	if (is_new) {
		ARRAY_ONE_MORE(facts->objects, facts->n_objects);
		facts->objects[facts->n_objects++] = (struct wait_object){
			.kind = (enum cinstr_object_kind)wait->kind,
			.name = *wait->object ? xstrdup(wait->object) : NULL,
			.module = *wait->module ? map_keep(&facts->names->strings, wait->module) : NULL,
		};
	}
	return (uint32_t)number;
}

static void add_merged(struct wait_facts *facts, const struct data *data, const struct merged_wait *wait)
{
	const long double ns = 1.0L / (1 << CINSTR_MERGED_FRACTION);
	uint32_t number = merged_object_of(facts, data, wait);
	struct wait_object *object = &facts->objects[number];
	struct wait_fact fact = {
		.object = number,
		.waiter = wait_place_of(facts->names, data, wait->waiter),
		.giver = wait_place_of(facts->names, data, wait->giver),
		.known = (enum wait_known)wait->known,
		.is_exact = wait_is_exact((enum wait_known)wait->known, object->kind) != (int)wait->is_unlike,
		.readers = wait->readers,
		.giver_thread = *wait->thread ? map_keep(&facts->names->strings, wait->thread) : NULL,
		.waits = wait->waits,
		.ns = (long double)wait->time * ns,
		.longest_ns = (long double)wait->longest * ns
	};
	struct strbuf path = { 0 };

	strbuf_puts(&path, "");
	fact.path = path.text;
	object->n += wait->n_objects;
	object->waits += fact.waits;
	object->ns += fact.ns;
	object->longest_ns = fact.longest_ns > object->longest_ns ? fact.longest_ns : object->longest_ns;
	ARRAY_ROOM(facts->list, facts->n, facts->size, 64);
	facts->list[facts->n++] = fact;
}

void wait_facts_add(struct wait_facts *facts, struct names *names, const struct data *data)
{
	facts->names = names;
	facts->n_merged += data->merged != NULL;
	facts->n_timed += !data->merged && !data->sampled;
	for (size_t i = 0; data->merged && i < data->merged->n_waits; i++)
		add_merged(facts, data, &data->merged->waits[i]);
	for (size_t i = 0; i < data->n_threads; i++)
		for (size_t k = 0; k < data->threads[i].awaited.n; k++)
			if (data->threads[i].awaited.list[k].waits)
				add_wait(facts, data, &data->threads[i], &data->threads[i].awaited.list[k]);
	open_waits_add(&facts->open, names, data);
}

int wait_kind_is_end(enum cinstr_object_kind kind)
{
	return kind == CINSTR_OBJECT_PIPE || kind == CINSTR_OBJECT_SOCKET || kind == CINSTR_OBJECT_EVENT;
}

int wait_kind_is_lock(enum cinstr_object_kind kind)
{
	return kind == CINSTR_OBJECT_LOCK || kind == CINSTR_OBJECT_MUTEX || kind == CINSTR_OBJECT_RWLOCK;
}

/* Times by a number, of which the largest is asked for. */
struct times {
	struct map keys;
	long double *ns;
	uint32_t most; /* the number with most time */
	long double most_ns;
};

static void times_add(struct times *times, uint32_t number, long double ns)
{
	int is_new;
	size_t at = map_add(&times->keys, &number, sizeof(number), &is_new);

	if (is_new) {
		ARRAY_ONE_MORE(times->ns, at);
		times->ns[at] = 0;
	}
	times->ns[at] += ns;
	if (times->ns[at] > times->most_ns) {
		times->most_ns = times->ns[at];
		times->most = number;
	}
}

static void times_release(struct times *times)
{
	map_release(&times->keys);
	free(times->ns);
}

struct wait_holder wait_facts_holder(const struct wait_facts *facts, uint32_t waiter)
{
	struct wait_holder holder = { .entity = NAMES_NONE };
	struct times givers = { .most = NAMES_NONE }, objects = { .most = 0 };
	long double all = 0;

	for (size_t i = 0; i < facts->n; i++) {
		const struct wait_fact *fact = &facts->list[i];

		if (fact->waiter.entity != waiter || !wait_kind_is_lock(facts->objects[fact->object].kind))
			continue;
		all += fact->ns;
		times_add(&objects, fact->object, fact->ns);
		if (fact->known == WAIT_KNOWN_CALL && fact->is_exact)
			times_add(&givers, fact->giver.entity, fact->ns);
	}
	if (all > 0) {
		holder.entity = givers.most;
		holder.part = givers.most_ns / all;
		holder.object = 2 * objects.most_ns >= all ? facts->objects[objects.most].name : NULL;
	}
	times_release(&givers);
	times_release(&objects);
	return holder;
}

/* ---- threads that wait while there is nothing to do ------------------------------------------ */

static int is_wait_of(const struct wait_facts *facts, const struct wait_fact *fact, uint32_t waiter)
{
	return fact->waiter.entity == waiter && wait_kind_is_lock(facts->objects[fact->object].kind);
}

/* Returns the thread that has ended all of a function's waits for locks whose end is known, or 0:
 * there were several, or none is known. */
static uint32_t only_giver(const struct wait_facts *facts, uint32_t waiter)
{
	uint32_t giver = 0;

	for (size_t i = 0; i < facts->n; i++) {
		const struct wait_fact *fact = &facts->list[i];

		if (!is_wait_of(facts, fact, waiter) || !fact->giver_tid)
			continue;
		if (giver && giver != fact->giver_tid)
			return 0;
		giver = fact->giver_tid;
	}
	return giver;
}

static long double open_ns(const struct open_waits *open, const struct thread_fact *thread)
{
	for (size_t i = 0; i < open->n; i++)
		if (open->list[i].waiter.tid == thread->tid && open->list[i].pid == thread->pid &&
		    wait_kind_is_lock(open->list[i].kind))
			return open->list[i].ns;
	return 0;
}

static long double work_of(const struct thread_fact *thread)
{
	return thread->elapsed > thread->off_cpu ? thread->elapsed - thread->off_cpu : 0;
}

static long double most_work(const struct thread_facts *threads, uint32_t pid)
{
	long double most = 0;

	for (size_t i = 0; i < threads->n; i++)
		if (threads->list[i].pid == pid && work_of(&threads->list[i]) > most)
			most = work_of(&threads->list[i]);
	return most;
}

/* 1: the thread waits for locks in the function nearly all its life, 0: less, -1: never. */
static int is_parked(const struct wait_facts *facts, const struct thread_facts *threads,
		     const struct thread_fact *thread, uint32_t waiter)
{
	long double ns = 0, waits = 0;

	for (size_t i = 0; i < facts->n; i++) {
		const struct wait_fact *fact = &facts->list[i];

		if (!is_wait_of(facts, fact, waiter) || fact->waiter_tid != thread->tid ||
		    facts->objects[fact->object].pid != thread->pid)
			continue;
		ns += fact->giver_tid ? fact->ns : 0;
		waits += (long double)fact->waits;
	}
	if (waits <= 0)
		return -1;
	return ns >= PARKED_LEAST_NS * waits &&
	       ns + open_ns(&facts->open, thread) >= PARKED_PART * (thread->elapsed - thread->preempted) &&
	       work_of(thread) < PARKED_WORK * most_work(threads, thread->pid);
}

int wait_facts_is_parked(const struct wait_facts *facts, const struct thread_facts *threads, uint32_t waiter)
{
	int any = 0;

	if (!only_giver(facts, waiter))
		return 0;
	for (size_t i = 0; i < threads->n; i++) {
		int parked = is_parked(facts, threads, &threads->list[i], waiter);

		if (!parked)
			return 0;
		any |= parked > 0;
	}
	return any;
}

/* ---- semaphores that tell of something ------------------------------------------------------- */

static int waits_for(const struct wait_facts *facts, uint32_t object, uint32_t function)
{
	for (size_t i = 0; i < facts->n; i++)
		if (facts->list[i].object == object && facts->list[i].waiter.entity == function)
			return 1;
	return 0;
}

int wait_facts_is_signal(const struct wait_facts *facts, uint32_t waiter)
{
	uint64_t all = 0, signals = 0;

	for (size_t i = 0; i < facts->n; i++) {
		const struct wait_fact *fact = &facts->list[i];

		if (fact->waiter.entity != waiter ||
		    facts->objects[fact->object].kind != CINSTR_OBJECT_SEMAPHORE)
			continue;
		all += fact->waits;
		if (fact->known == WAIT_KNOWN_NOT ||
		    (fact->giver.entity != NAMES_NONE && !waits_for(facts, fact->object, fact->giver.entity)))
			signals += fact->waits;
	}
	return signals >= SIGNALS_LEAST && signals * 10 >= all * SIGNALS_TENTHS;
}

void wait_facts_release(struct wait_facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		free(facts->list[i].path);
	for (size_t i = 0; i < facts->n_objects; i++)
		free(facts->objects[i].name);
	free(facts->list);
	free(facts->objects);
	map_release(&facts->keys);
	open_waits_release(&facts->open);
}
