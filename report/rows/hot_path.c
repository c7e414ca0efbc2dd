/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hot_path.c - see hot_path.h. No recursion: a path can be as long as a stack is deep. */
#include "hot_path.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/int_map.h"
#include "profile.h"

#define CYCLE_MAX 64	   /* so far up is looked whether a function is on the path already */
#define WORK_PERCENT_MIN 5 /* of the time; if less is work, waiting for others counts */

/* ---- who waits for others -------------------------------------------------------------------- */

static const char *const waits_for_threads[] = {
	"pthread_join",
	"pthread_timedjoin_np",
	"pthread_clockjoin_np",
	"pthread_cond_wait",
	"pthread_cond_timedwait",
	"pthread_cond_clockwait",
	"pthread_barrier_wait",
	"thrd_join",
	"cnd_wait",
	"cnd_timedwait",
	"sem_wait",
	"sem_timedwait",
	"std::thread::join",
	"std::thread::join()",
	"std::condition_variable::wait",
	"GOMP_barrier",
	/* what they run of the region is below them: the rest is for the team to be done */
	"GOMP_parallel",
	"GOMP_parallel_sections",
	"GOMP_loop_end",
	"GOMP_sections_end",
	"GOMP_taskwait",
};

static const char *const waits_for_event[] = { "poll",	       "ppoll",	     "select",
					       "pselect",      "epoll_wait", "epoll_pwait",
					       "epoll_pwait2", "accept",     "accept4" };
static const char *const waits_for_signal[] = { "sigwait", "sigwaitinfo", "sigtimedwait", "sigsuspend",
						"pause" };
static const char *const waits_for_process[] = { "wait", "waitpid", "wait3", "wait4", "waitid" };

static int is_in(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return 1;
	return 0;
}

int waits_for_others(const char *name)
{
	return is_in(waits_for_threads, ARRAY_SIZE(waits_for_threads), name) ||
	       is_in(waits_for_process, ARRAY_SIZE(waits_for_process), name);
}

int waits_for_processes(const char *name)
{
	return is_in(waits_for_process, ARRAY_SIZE(waits_for_process), name);
}

int waits_for_signals(const char *name)
{
	return is_in(waits_for_signal, ARRAY_SIZE(waits_for_signal), name);
}

int waits_for_events(const char *name)
{
	return is_in(waits_for_event, ARRAY_SIZE(waits_for_event), name) || waits_for_signals(name);
}

/* There are others, who were recorded. */
static int waits_in(const struct totals *t, const char *name)
{
	return (t->threads > 1 && is_in(waits_for_threads, ARRAY_SIZE(waits_for_threads), name)) ||
	       (t->processes > 1 && is_in(waits_for_process, ARRAY_SIZE(waits_for_process), name));
}

/* ---- paths without recursion ----------------------------------------------------------------- */

/* Several paths that differ by recursion only. Parents have lower numbers; 0: the roots of all. */
struct context {
	uint32_t parent, entity;
	uint64_t calls;
	int are_calls_least, is_recursive;
	double inclusive, exclusive, work; /* work: of inclusive, without waits for others */
	uint32_t best;			   /* the child with the most */
};

struct contexts {
	struct context *list;
	size_t n, size;
	struct int_map numbers; /* (parent, entity) -> number - 1 */
	uint32_t *of_path;
	uint8_t *is_hot;
};

static uint32_t context_new(struct contexts *c, uint32_t parent, uint32_t entity)
{
	ARRAY_ROOM(c->list, c->n, c->size, 256);
	c->list[c->n] = (struct context){ .parent = parent, .entity = entity, .best = PATH_NONE };
	return (uint32_t)c->n++;
}

static uint32_t context_of(struct contexts *c, uint32_t parent, uint32_t entity)
{
	uint32_t at = parent, number;
	int is_new;

	for (int up = 0; at && up < CYCLE_MAX; up++, at = c->list[at].parent)
		if (c->list[at].entity == entity)
			return at;
	number = int_map_add(&c->numbers, int_map_pair(parent, entity), &is_new);
	return is_new ? context_new(c, parent, entity) : number + 1;
}

static void contexts_make(struct contexts *c, const struct profile *profile)
{
	const struct paths *paths = &profile->paths;

	c->of_path = xcalloc(paths->n + 1, sizeof(*c->of_path));
	context_new(c, 0, PATH_NONE);
	for (uint32_t i = 1; i < paths->n; i++) {
		const struct path *path = &paths->list[i];
		uint32_t number = context_of(c, c->of_path[path->parent], path->entity);
		struct context *context = &c->list[number];

		c->of_path[i] = number;
		context->calls += path->calls;
		context->are_calls_least |= path->are_least;
		context->is_recursive |= context->parent != c->of_path[path->parent];
		context->exclusive += path->elapsed_exclusive;
		if (!waits_in(&profile->totals, profile->names->list[path->entity].name))
			context->work += path->elapsed_exclusive;
	}
	for (size_t i = c->n; i-- > 1;) {
		struct context *parent = &c->list[c->list[i].parent];

		c->list[i].inclusive += c->list[i].exclusive;
		parent->inclusive += c->list[i].inclusive;
		parent->work += c->list[i].work;
	}
	c->is_hot = xcalloc(c->n, 1);
}

static void contexts_release(struct contexts *c)
{
	int_map_release(&c->numbers);
	free(c->list);
	free(c->of_path);
	free(c->is_hot);
}

/* ---- the path -------------------------------------------------------------------------------- */

/* By work, or where there is hardly any by all of the time. */
static void best_find(struct contexts *c)
{
	int by_work = c->list[0].work * 100 >= c->list[0].inclusive * WORK_PERCENT_MIN;

	for (uint32_t i = 1; i < c->n; i++) {
		struct context *context = &c->list[i], *parent = &c->list[context->parent];

		if (!by_work)
			context->work = context->inclusive;
		if (parent->best == PATH_NONE || context->work > c->list[parent->best].work)
			parent->best = i;
	}
}

/* Whether the path that has the most of all time is another one. */
static int is_other_root(const struct contexts *c)
{
	for (uint32_t i = 1; i < c->n; i++)
		if (!c->list[i].parent && c->list[i].inclusive > c->list[c->list[0].best].inclusive)
			return 1;
	return 0;
}

static void find(struct hot_path *hot, struct contexts *c, const struct profile *profile)
{
	size_t size = 0;
	uint32_t at;

	*hot = (struct hot_path){ 0 };
	contexts_make(c, profile);
	best_find(c);
	at = c->list[0].best;
	if (at != PATH_NONE)
		hot->skips_waits = is_other_root(c);
	while (at != PATH_NONE && c->list[at].work > 0) {
		const struct context *context = &c->list[at];

		ARRAY_ROOM(hot->list, hot->n, size, 16);
		c->is_hot[at] = 1;
		hot->list[hot->n++] = (struct hot_level){ context->entity,	    context->calls,
							  context->are_calls_least, context->is_recursive,
							  context->inclusive,	    context->exclusive };
		at = context->best;
		if (at != PATH_NONE && c->list[at].work * 100 < context->work * HOT_PATH_PERCENT)
			break;
	}
}

void hot_path_make(struct hot_path *hot, const struct profile *profile)
{
	struct contexts contexts = { 0 };

	find(hot, &contexts, profile);
	contexts_release(&contexts);
}

void hot_path_release(struct hot_path *hot)
{
	free(hot->list);
	*hot = (struct hot_path){ 0 };
}

/* Of the paths below `at` that belong to it, the one that took most. */
static uint32_t *hottest_of(const struct paths *paths, const struct contexts *c)
{
	uint32_t *hottest = xcalloc(paths->n + 1, sizeof(*hottest));

	memset(hottest, 0xff, paths->n * sizeof(*hottest));
	for (uint32_t i = 1; i < paths->n; i++) {
		uint32_t *best = &hottest[paths->list[i].parent];

		if (c->is_hot[c->of_path[i]] &&
		    (*best == PATH_NONE ||
		     paths->list[i].elapsed_inclusive > paths->list[*best].elapsed_inclusive))
			*best = i;
	}
	return hottest;
}

/* Within a recursion the path goes on to what is called from its depth; where there is nothing, it
 * ends as elsewhere. */
static int is_over(const struct paths *paths, const struct contexts *c, uint32_t at, uint32_t next)
{
	uint32_t best = c->list[c->of_path[at]].best;

	return next != PATH_NONE && c->of_path[next] == c->of_path[at] &&
	       (best == PATH_NONE || !c->is_hot[best]) &&
	       paths->list[next].elapsed_inclusive * 100 <
		       paths->list[at].elapsed_inclusive * HOT_PATH_PERCENT;
}

void hot_path_mark(struct profile *profile)
{
	const struct paths *paths = &profile->paths;
	struct contexts contexts = { 0 };
	struct hot_path hot;
	FREED uint32_t *hottest = NULL;

	find(&hot, &contexts, profile);
	hottest = hottest_of(paths, &contexts);
	for (uint32_t at = paths->n ? hottest[0] : PATH_NONE; at != PATH_NONE; at = hottest[at]) {
		uint32_t row = paths->row_of[at];

		if (row != PATH_NONE && profile->stream.list)
			profile->stream.list[row].is_hot = 1;
		else if (row != PATH_NONE)
			profile->rows[row].is_hot = 1;
		if (is_over(paths, &contexts, at, hottest[at]))
			break;
	}
	hot_path_release(&hot);
	contexts_release(&contexts);
}
