/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_hangs.c - rules on waits that have not ended, CF0107 and CF0108: the program is not
 * slow, it does not continue at all. They are listed before all others, whatever their time is. */
#include "rules.h"

#define PARTIES_SHOWN 3
#define HANGS_FROM 1e9L /* ns: who waits for shorter may just be about to go on */

static const struct open_waits *open_of(const struct finder *finder)
{
	return &finder->input->edges->waits.open;
}

static const char *kind_word(enum cinstr_object_kind kind)
{
	return kind == CINSTR_OBJECT_RWLOCK	 ? "a read-write lock"
	       : kind == CINSTR_OBJECT_SEMAPHORE ? "a semaphore"
	       : kind == CINSTR_OBJECT_CONDITION ? "a condition variable"
	       : kind == CINSTR_OBJECT_BARRIER	 ? "a barrier"
	       : kind == CINSTR_OBJECT_FUTURE	 ? "a future"
	       : kind == CINSTR_OBJECT_FUTEX	 ? "a futex"
	       : kind == CINSTR_OBJECT_THREAD	 ? "the end of a thread"
						 : "a lock";
}

/* "m1", or what kind of object it is; "the end of thread 12" */
static void put_object(struct strbuf *text, const struct open_wait *wait)
{
	if (wait->kind == CINSTR_OBJECT_THREAD && wait->holder.tid)
		strbuf_printf(text, "the end of thread %u", wait->holder.tid);
	else if (wait->name)
		strbuf_visible(text, wait->name);
	else
		strbuf_puts(text, kind_word(wait->kind));
}

static void put_where(const struct finder *finder, struct strbuf *text, const struct wait_place *at)
{
	if (at->entity == NAMES_NONE)
		return;
	strbuf_puts(text, " in ");
	finding_put_name(finder, text, at->entity);
	if (at->file && at->line)
		strbuf_printf(text, " (%s:%u)", util_basename(at->file), at->line);
}

/* "; thread 12 in g (a.c:3) has m1, and waits for m2" */
static void put_holder(const struct finder *finder, struct strbuf *text, const struct open_wait *before,
		       const struct open_wait *wait)
{
	strbuf_printf(text, "; thread %u", wait->waiter.tid);
	put_where(finder, text, &wait->waiter.at);
	if (before->kind != CINSTR_OBJECT_THREAD) {
		strbuf_puts(text, " has ");
		put_object(text, before);
		strbuf_puts(text, ", and");
	}
	strbuf_puts(text, " waits for ");
	put_object(text, wait);
}

static void tell_cycle(struct finder *finder, const struct finding_rule *rule, size_t first)
{
	const struct open_waits *open = open_of(finder);
	size_t n = open_waits_in_cycle(open, first), last = first + n - 1;
	const struct open_wait *wait = &open->list[first];
	struct finding *finding = finding_new(finder, rule);

	finding->about = wait->waiter.at.entity;
	finding->verb = "waits";
	for (size_t i = first; i <= last; i++)
		finding->time = open->list[i].ns > finding->time ? open->list[i].ns : finding->time;
	strbuf_printf(&finding->text, "deadlock%s: thread %u waits for ",
		      open_waits_is_certain(open, first) ? "" : ", likely", wait->waiter.tid);
	put_object(&finding->text, wait);
	if (n == 1) {
		strbuf_puts(&finding->text, ", which it has itself");
		return;
	}
	for (size_t i = first + 1; i <= last && i < first + PARTIES_SHOWN; i++)
		put_holder(finder, &finding->text, &open->list[i - 1], &open->list[i]);
	if (n > PARTIES_SHOWN)
		strbuf_printf(&finding->text, "; and so on, %zu threads", n);
	else if (open->list[last].kind != CINSTR_OBJECT_THREAD)
		strbuf_puts(&finding->text, ", which the first one has");
}

static void deadlocks(struct finder *finder, const struct finding_rule *rule)
{
	const struct open_waits *open = open_of(finder);

	for (size_t i = 0; i < open->n; i += open->list[i].cycle ? open_waits_in_cycle(open, i) : 1)
		if (open->list[i].cycle)
			tell_cycle(finder, rule, i);
}

/* Of one process from `first` on; *end: behind its last wait. Returns whether it hangs, and no
 * circle tells why; and its shortest wait. */
static int is_hang(const struct open_waits *open, size_t first, size_t *end, size_t *shortest)
{
	int hangs = 1;

	*shortest = first;
	for (*end = first; *end < open->n && open->list[*end].pid == open->list[first].pid; ++*end) {
		const struct open_wait *wait = &open->list[*end];

		hangs &= !wait->cycle && !wait->is_left && !wait->is_timed && wait->all_wait &&
			 wait->end_is_known && wait->ns >= HANGS_FROM;
		if (wait->ns < open->list[*shortest].ns)
			*shortest = *end;
	}
	return hangs;
}

static void hangs(struct finder *finder, const struct finding_rule *rule)
{
	const struct open_waits *open = open_of(finder);
	size_t end, last;

	for (size_t first = 0; first < open->n; first = end) {
		struct finding *finding;

		if (!is_hang(open, first, &end, &last))
			continue;
		finding = finding_new(finder, rule);
		finding->about = open->list[last].waiter.at.entity;
		finding->verb = "waits";
		finding->time = open->list[last].ns;
		strbuf_puts(&finding->text, "waits for ");
		put_object(&finding->text, &open->list[last]);
		strbuf_printf(&finding->text, ", and nobody is left to end that: all %zu threads wait, for ",
			      end - first);
		strbuf_duration(&finding->text, open->list[last].ns);
	}
}

const struct finding_rule findings_hangs_rules[] = {
	{ "CF0107", "deadlock", OF_TIMED | OF_WAITING | OF_SINGLE | OF_FAULT, 100, 0, deadlocks,
	  "Threads of a process that was killed, or still runs, and that wait for one another in a circle: "
	  "each for a mutex that the next one has, or for its end. Or one that waits for a mutex that it "
	  "has. "
	  "Who has a mutex is what the mutex says when the wait begins; likely, if its owner may have given "
	  "it back since. Waits with a time limit are none.",
	  "The longest of these waits, as far as it is known. The program does not go on.",
	  "None of these threads will ever go on, nor who waits for them.",
	  "Take several locks always in the same order; or all at once (std::scoped_lock); or give back what "
	  "is held before waiting for another one. Do not call functions of others with a lock held.",
	  "A thread that is not recorded, or a signal's handler, gives one of the locks for another "
	  "thread." },
	{ "CF0108", "nobody is left to end a wait", OF_TIMED | OF_WAITING | OF_SINGLE | OF_FAULT, 95, 0,
	  hangs,
	  "Each recorded thread of a process that was killed, or still runs, has waited for a second and "
	  "more "
	  "for a lock, a signal or the end of a thread, without a time limit, and none of them in a circle. "
	  "It is known only where the end of the recording is: under cinstr record, or while the program "
	  "runs.",
	  "The shortest of these waits, which began last.",
	  "If all threads wait for threads there is nobody who could end that: a signal that came before the "
	  "wait and was lost, a lock that an early return has kept, one thread too few at a barrier.",
	  "Look at the wait that began last, and for who ought to have signalled. Wait for conditions in a "
	  "loop that tests what is waited for, under the mutex under which it is changed.",
	  "The program waits for a signal's handler (as for Ctrl-C), another process or a thread that is not "
	  "recorded." },
};
const size_t findings_n_hangs_rules = ARRAY_SIZE(findings_hangs_rules);
