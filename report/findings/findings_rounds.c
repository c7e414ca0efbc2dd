/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_rounds.c - rules on work that is cut into small pieces with a wait after each: things
 * that threads hand over one by one, requests that wait for their answers one by one, and questions
 * that are asked again after a sleep. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "lib/array.h"
#include "moved_words.h"

/* Things that two threads hand over: so many waits of each for the other, at most so many times as
 * many of one as of the other; and what a thread computes for each. */
#define WAITS_LEAST 500
#define WAITS_ALIKE 2
#define PAGE_BYTES 4096
#define WORK_NS 40000.0L
/* Requests: so many, or that many long ones, with at most so many reads for each, in a thread that
 * waits so for this percent of its time. */
#define REQUESTS 1000
#define LONG_REQUESTS 100
#define LONG_NS 1e6L
#define READS_EACH 4
#define REQUEST_PERCENT 20
#define LITTLE_NS 5000
#define WORK_PART 0.7L /* of it others work: it waits for that, not for the way */
#define LEVELS 3
/* Questions: sleeps, questions for each, and what they tell for each sleep at least. */
#define SLEEPS 20
#define QUESTIONS_EACH 3
#define ANSWERS_PART 0.1L
#define SLEEP_PERCENT 20

static const struct thread_fact *thread_of(const struct finder *finder, uint32_t pid, uint32_t tid)
{
	const struct thread_facts *facts = &finder->input->edges->thread_facts;

	for (size_t i = 0; i < facts->n; i++)
		if (facts->list[i].pid == pid && facts->list[i].tid == tid)
			return &facts->list[i];
	return NULL;
}

/* ---- things that threads hand over one by one ------------------------------------------------ */

/* The waits of one thread that another one ended, at the place that has most of them. */
struct turns {
	uint32_t pid, waiter;
	uint32_t giver;	   /* 0: another process */
	uint64_t address;  /* of what is waited for there */
	uint32_t function; /* NAMES_NONE: not known */
	uint64_t waits;
	long double ns, most_ns;
};

struct turns_list {
	struct turns *list;
	size_t n;
	struct map keys; /* (process, waiter, giver) */
};

/* Tells whether a thread, or another process, has given what was waited for. */
static int is_of_turns(const struct wait_fact *fact, enum cinstr_object_kind kind)
{
	if (!fact->giver_tid && fact->waiter_tid && fact->known == WAIT_KNOWN_NOT)
		return kind == CINSTR_OBJECT_SEMAPHORE;
	return fact->giver_tid && fact->waiter_tid && fact->giver_tid != fact->waiter_tid &&
	       (kind == CINSTR_OBJECT_SEMAPHORE || kind == CINSTR_OBJECT_CONDITION ||
		kind == CINSTR_OBJECT_FUTEX || kind == CINSTR_OBJECT_FUTURE || kind == CINSTR_OBJECT_PIPE ||
		kind == CINSTR_OBJECT_EVENT);
}

static void add_turns(struct turns_list *turns, const struct wait_object *object,
		      const struct wait_fact *fact)
{
	uint32_t key[3] = { object->pid, fact->waiter_tid, fact->giver_tid };
	int is_new;
	size_t at = map_add(&turns->keys, key, sizeof(key), &is_new);
	struct turns *t;

	if (is_new) {
		ARRAY_ONE_MORE(turns->list, turns->n);
		turns->list[turns->n++] = (struct turns){
			.pid = key[0], .waiter = key[1], .giver = key[2], .function = NAMES_NONE
		};
	}
	t = &turns->list[at];
	t->waits += fact->waits;
	t->ns += fact->ns;
	if (fact->ns <= t->most_ns)
		return;
	t->most_ns = fact->ns;
	t->function = fact->waiter.entity;
	t->address = object->address;
}

static void turns_make(struct turns_list *turns, const struct wait_facts *facts)
{
	*turns = (struct turns_list){ 0 };
	for (size_t i = 0; i < facts->n; i++) {
		const struct wait_object *object = &facts->objects[facts->list[i].object];

		if (is_of_turns(&facts->list[i], object->kind))
			add_turns(turns, object, &facts->list[i]);
	}
}

static void turns_release(struct turns_list *turns)
{
	free(turns->list);
	map_release(&turns->keys);
}

/* Two processes wait for each other at different places of memory that they share. If they wait at
 * the same one, wherever it is mapped, it is a lock. */
static int is_of_processes(const struct turns *a, const struct turns *b)
{
	return !a->giver && !b->giver && a->pid != b->pid && a->address && b->address &&
	       (a->address & (PAGE_BYTES - 1)) != (b->address & (PAGE_BYTES - 1));
}

static const struct turns *answer_of(const struct turns_list *turns, const struct turns *t)
{
	for (size_t i = 0; i < turns->n; i++) {
		const struct turns *other = &turns->list[i];

		if (is_of_processes(t, other) || (t->giver && other->pid == t->pid &&
						  other->waiter == t->giver && other->giver == t->waiter))
			return other;
	}
	return NULL;
}

/* Does the thread do little for each of these waits? */
static int works_little(const struct finder *finder, const struct turns *t)
{
	const struct thread_fact *thread = thread_of(finder, t->pid, t->waiter);

	return thread && thread->elapsed - thread->off_cpu <= WORK_NS * (long double)t->waits;
}

static int is_by_turns(const struct finder *finder, const struct turns *t, const struct turns *answer)
{
	return answer && t->waits >= WAITS_LEAST && answer->waits >= WAITS_LEAST &&
	       t->waits <= WAITS_ALIKE * answer->waits && answer->waits <= WAITS_ALIKE * t->waits &&
	       t->function != NAMES_NONE && works_little(finder, t) && works_little(finder, answer);
}

static void tell_turns(struct finder *finder, const struct finding_rule *rule, const struct turns *t,
		       const struct turns *answer)
{
	struct finding *finding = finding_new(finder, rule);
	struct strbuf *text = &finding->text;

	finding->about = t->function;
	finding->edge = call_graph_longest_wait(finder->graph, t->function);
	finding_set_path(finding, &answer->function, 1);
	finding->verb = "waits";
	finding->time = t->giver ? t->ns / finder->at_once : t->ns;
	strbuf_printf(text, "exchanges one thing at a time with another %s", t->giver ? "thread" : "process");
	if (answer->function != t->function && answer->function != NAMES_NONE) {
		strbuf_puts(text, " (in ");
		finding_put_name(finder, text, answer->function);
		strbuf_puts(text, ")");
	}
	strbuf_puts(text, ": ");
	strbuf_thousands(text, t->waits);
	strbuf_puts(text, " waits of ");
	strbuf_duration(text, t->ns / (long double)t->waits);
	strbuf_puts(text, " for it, ");
	strbuf_thousands(text, answer->waits);
	strbuf_puts(text, " of its own; let more than one be under way");
}

static void one_by_one(struct finder *finder, const struct finding_rule *rule)
{
	const struct turns *most = NULL, *answer = NULL;
	struct turns_list turns;

	turns_make(&turns, &finder->input->edges->waits);
	for (size_t i = 0; i < turns.n; i++) {
		const struct turns *t = &turns.list[i], *other = answer_of(&turns, t);

		if (!is_by_turns(finder, t, other) || (most && most->ns >= t->ns))
			continue;
		most = t;
		answer = other;
	}
	if (most)
		tell_turns(finder, rule, most, answer);
	turns_release(&turns);
}

/* ---- requests that wait for their answers one by one ----------------------------------------- */

/* Adds up the process's threads; *own: the thread itself, or NULL. */
static struct thread_peers peers_of(const struct system_facts *facts, const struct thread_calls *calls,
				    const struct thread_peers **own)
{
	struct thread_peers all = { 0 };

	*own = NULL;
	for (size_t i = 0; i < facts->n_peers; i++) {
		const struct thread_peers *one = &facts->peers[i];

		if (one->pid != calls->pid)
			continue;
		all.accepts += one->accepts;
		all.connects += one->connects;
		all.pairs += one->pairs;
		if (one->tid == calls->tid)
			*own = one;
	}
	return all;
}

/* Who asks has made the connection; who answers has accepted it, or has it from who made it. */
static int is_asker(const struct thread_calls *calls, const struct thread_peers *all,
		    const struct thread_peers *own)
{
	if (own->accepts)
		return 0;
	return own->connects || (all->connects && !all->accepts) ||
	       (calls->tid == calls->pid && (all->connects || all->pairs));
}

static const struct kernel_site *read_site(const struct finder *finder, const struct thread_calls *calls)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++)
		if (o->sites[i].kind == CALL_READ && o->sites[i].caller == calls->caller &&
		    o->sites[i].edge->entity == calls->callee)
			return &o->sites[i];
	return NULL;
}

/* Do the function's calls write little at a time? More of them at once would be no fewer pieces. */
static int writes_little(const struct finder *finder, const struct thread_calls *calls)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++)
		if (o->sites[i].kind == CALL_WRITE && o->sites[i].caller == calls->caller &&
		    o->sites[i].calls >= LONG_REQUESTS && !moved_is_little(&o->sites[i], LITTLE_NS))
			return 0;
	return 1;
}

/* Returns the time on a processor, ns, of all other threads of the session: those who answer are
 * among them. */
static long double others_work(const struct finder *finder, const struct thread_calls *calls)
{
	const struct thread_facts *threads = &finder->input->edges->thread_facts;
	long double ns = 0;

	for (size_t i = 0; i < threads->n; i++)
		if (threads->list[i].pid != calls->pid || threads->list[i].tid != calls->tid)
			ns += fmaxl(0, threads->list[i].elapsed - threads->list[i].off_cpu);
	return ns;
}

/* Returns the number of requests that the thread has sent and waited for, or 0. */
static uint64_t requests_of(const struct finder *finder, const struct thread_calls *calls,
			    const struct kernel_site *site)
{
	const struct thread_peers *own;
	struct thread_peers all = peers_of(&finder->input->edges->system, calls, &own);
	const struct thread_fact *thread = thread_of(finder, calls->pid, calls->tid);
	uint64_t n;

	if (!own || !thread || !is_asker(calls, &all, own) || own->writes < LONG_REQUESTS ||
	    calls->calls > READS_EACH * own->writes || own->writes > 2 * calls->calls ||
	    thread->waits * 2 < own->writes || calls->taken * 100 < REQUEST_PERCENT * calls->elapsed ||
	    !moved_is_little(site, LITTLE_NS) || !writes_little(finder, calls) ||
	    others_work(finder, calls) >= WORK_PART * calls->taken)
		return 0;
	n = own->writes < calls->calls ? own->writes : calls->calls;
	return n >= REQUESTS || calls->taken >= LONG_NS * (long double)n ? n : 0;
}

static int writes_in(const struct finder *finder, uint32_t entity)
{
	size_t n;
	const struct row **out = call_graph_out(finder->graph, entity, &n);

	for (size_t i = 0; i < n; i++)
		if (finder->known[out[i]->entity] == KNOWN_OUTPUT)
			return 1;
	return 0;
}

/* Does the function send, by itself or by a function that it calls? */
static int sends(const struct finder *finder, uint32_t entity)
{
	size_t n;
	const struct row **out = call_graph_out(finder->graph, entity, &n);
	int found = writes_in(finder, entity);

	for (size_t i = 0; !found && i < n; i++)
		found = writes_in(finder, out[i]->entity);
	return found;
}

/* From the call that reads to the one that leads to it, in the function that sends as well. */
static const struct row *where_it_sends(const struct finder *finder, const struct row *edge)
{
	const struct row *at = edge;

	for (int level = 0; level < LEVELS; level++) {
		if (sends(finder, call_graph_caller(at)))
			return at;
		at = call_graph_main_caller(finder->graph, call_graph_caller(at));
		if (!at || call_graph_caller(at) == NAMES_NONE)
			break;
	}
	return edge;
}

static void tell_requests(struct finder *finder, const struct finding_rule *rule,
			  const struct thread_calls *calls, uint64_t requests)
{
	const struct kernel_site *site = read_site(finder, calls);
	struct finding *finding = finding_new(finder, rule);

	finding->edge = where_it_sends(finder, site->edge);
	finding->about = call_graph_caller(finding->edge);
	finding_set_path(finding, &site->edge->entity, 1);
	finding->look_at = site->edge->entity;
	finding->verb = "callers --sites";
	finding->time = calls->taken / finder->at_once;
	strbuf_thousands(&finding->text, requests);
	strbuf_puts(&finding->text, " requests one after another: each waits ");
	strbuf_duration(&finding->text, calls->taken / (long double)requests);
	strbuf_puts(&finding->text, " for its answer (");
	finding_put_name(finder, &finding->text, site->edge->entity);
	strbuf_puts(&finding->text, "); send several at once, or the next before the answer");
}

static void requests(struct finder *finder, const struct finding_rule *rule)
{
	const struct system_facts *facts = &finder->input->edges->system;
	const struct thread_calls *most = NULL;
	uint64_t most_requests = 0;

	for (size_t i = 0; i < facts->n; i++) {
		const struct thread_calls *calls = &facts->list[i];
		const struct kernel_site *site = read_site(finder, calls);
		uint64_t n = site ? requests_of(finder, calls, site) : 0;

		if (!n || (most && most->taken >= calls->taken))
			continue;
		most = calls;
		most_requests = n;
	}
	if (most)
		tell_requests(finder, rule, most, most_requests);
}

/* ---- questions that are asked again after a sleep -------------------------------------------- */

static const struct question {
	const char *names; /* with a space before and behind each */
	const char *instead;
	int is_lock; /* most may be had at once, without a sleep */
} questions[] = {
	{ " waitpid wait3 wait4 waitid ", "wait for it without WNOHANG", 0 },
	{ " kill ", "waitpid, or poll with a pidfd", 0 },
	{ " pthread_mutex_trylock pthread_rwlock_tryrdlock pthread_rwlock_trywrlock mtx_trylock "
	  "sem_trywait pthread_tryjoin_np ",
	  "wait for the lock", 1 },
	{ " poll ppoll select pselect epoll_wait epoll_pwait sem_timedwait pthread_cond_timedwait ",
	  "a time limit in this call", 0 },
	{ " read readv recv recvfrom recvmsg accept accept4 ", "poll, or no O_NONBLOCK", 0 },
	{ " access faccessat stat stat64 lstat lstat64 fstatat fstatat64 statx open open64 openat openat64 "
	  "fopen fopen64 ",
	  "inotify, or a pipe or signal of who makes the file", 0 },
};

static const struct question *question_of(const struct finder *finder, uint32_t entity)
{
	const char *assembler = call_graph_entity(finder->graph, entity)->assembler;
	const struct question *found = NULL;
	struct strbuf word = { 0 };

	strbuf_printf(&word, " %s ", assembler ? assembler : "");
	for (size_t i = 0; assembler && !found && i < ARRAY_SIZE(questions); i++)
		found = strstr(questions[i].names, word.text) ? &questions[i] : NULL;
	strbuf_release(&word);
	return found;
}

/* The calls of one function by another one. */
struct calls_there {
	const struct row *most; /* by calls */
	uint64_t calls;
	long double ns;
};

static struct calls_there calls_there(const struct finder *finder, uint32_t caller, uint32_t callee)
{
	struct calls_there all = { 0 };
	size_t n;
	const struct row **out = call_graph_out(finder->graph, caller, &n);

	for (size_t i = 0; i < n; i++) {
		if (out[i]->entity != callee)
			continue;
		all.calls += out[i]->calls;
		all.ns += out[i]->sums.elapsed_inclusive;
		all.most = !all.most || out[i]->calls > all.most->calls ? out[i] : all.most;
	}
	return all;
}

/* A loop that sleeps and asks. */
struct asking {
	struct calls_there sleep, asked;
	const struct question *question; /* NULL: a variable is read */
	long double answers;		 /* so many times it told something */
};

/* A function that does nothing but sleep, often in one call, waits for a variable. */
static int only_sleeps(const struct finder *finder, const struct thread_calls *calls)
{
	size_t n;
	const struct row **out = call_graph_out(finder->graph, calls->caller, &n);

	for (size_t i = 0; i < n; i++)
		if (out[i]->entity != calls->callee)
			return 0;
	return 2 * calls->calls >= 3 * calls->caller_calls;
}

/* Each question but the last one is followed by a sleep, or each by one before it. */
static long double answers_of(const struct asking *asking, uint64_t caller_calls)
{
	long double more = (long double)asking->asked.calls - (long double)asking->sleep.calls;

	return fminl((long double)asking->sleep.calls, fmaxl(more, (long double)caller_calls));
}

static int asking_make(const struct finder *finder, const struct thread_calls *calls, struct asking *asking)
{
	size_t n;
	const struct row **out = call_graph_out(finder->graph, calls->caller, &n);

	*asking = (struct asking){ .sleep = calls_there(finder, calls->caller, calls->callee) };
	for (size_t i = 0; i < n; i++) {
		const struct question *question = question_of(finder, out[i]->entity);
		struct calls_there asked = calls_there(finder, calls->caller, out[i]->entity);

		if (!question || asked.calls * 10 < asking->sleep.calls * 9 ||
		    (asked.calls > QUESTIONS_EACH * asking->sleep.calls && !question->is_lock) ||
		    asked.calls < asking->asked.calls)
			continue;
		asking->asked = asked;
		asking->question = question;
	}
	asking->answers = answers_of(asking, calls->caller_calls);
	return asking->question || only_sleeps(finder, calls);
}

static int is_asking(const struct finder *finder, const struct thread_calls *calls, struct asking *asking)
{
	return finder->known[calls->callee] == KNOWN_SLEEP && calls->calls >= SLEEPS &&
	       calls->taken * 100 >= SLEEP_PERCENT * calls->elapsed && asking_make(finder, calls, asking) &&
	       asking->sleep.most && asking->answers >= ANSWERS_PART * (long double)asking->sleep.calls;
}

/* Returns the time, ns, of as many of the longest sleeps as there were answers: it is in a long one
 * rather than in a short one that something happens. */
static long double longest_ns(const struct asking *asking)
{
	const struct row *most = asking->sleep.most;
	long double part = asking->answers / (long double)asking->sleep.calls, ns;
	long double from = durations_quantile(&most->durations, (double)(1 - part));
	long double n = (long double)durations_above(&most->durations, from, &ns);

	if (from < 0)
		return asking->sleep.ns;
	ns += fmaxl(0, part * (long double)most->calls - n) * from;
	return fminl(asking->sleep.ns, ns * (long double)asking->sleep.calls / (long double)most->calls);
}

static void put_asking(const struct finder *finder, struct strbuf *text, const struct asking *asking)
{
	strbuf_puts(text, "sleeps, and looks again: ");
	strbuf_thousands(text, asking->sleep.calls);
	strbuf_puts(text, " calls of ");
	finding_put_name(finder, text, asking->sleep.most->entity);
	strbuf_puts(text, ", ");
	strbuf_duration(text, asking->sleep.ns / (long double)asking->sleep.calls);
	strbuf_puts(text, " each, ");
	if (!asking->question) {
		strbuf_puts(text, "until a variable changes; in place of it: a condition variable, a "
				  "semaphore, std::atomic::wait");
		return;
	}
	strbuf_puts(text, "beside ");
	strbuf_thousands(text, asking->asked.calls);
	strbuf_puts(text, " of ");
	finding_put_name(finder, text, asking->asked.most->entity);
	strbuf_puts(text, "; in place of it: ");
	strbuf_puts(text, asking->question->instead);
}

static void tell_asking(struct finder *finder, const struct finding_rule *rule,
			const struct thread_calls *calls, const struct asking *asking)
{
	struct finding *finding = finding_new(finder, rule);

	finding->about = calls->caller;
	finding->edge = asking->sleep.most;
	finding->look_at = calls->callee;
	finding->verb = "callers --sites";
	finding->time = calls->taken / finder->at_once;
	if (finder->t->processes == 1) /* what it costs to record a fork is in the run */
		finding_waits(finding, longest_ns(asking), asking->answers);
	put_asking(finder, &finding->text, asking);
}

/* Tells of the loop of sleeps and questions whose thread sleeps most (CF0311). */
static void asks_again(struct finder *finder, const struct finding_rule *rule)
{
	const struct system_facts *facts = &finder->input->edges->system;

	for (size_t i = 0; i < facts->n; i++) {
		const struct thread_calls *calls = &facts->list[i];
		struct asking asking;
		int is_first = 1;

		for (size_t k = 0; k < facts->n && is_first; k++)
			is_first = facts->list[k].caller != calls->caller ||
				   facts->list[k].callee != calls->callee ||
				   facts->list[k].taken < calls->taken ||
				   (facts->list[k].taken <= calls->taken && k >= i);
		if (is_first && is_asking(finder, calls, &asking))
			tell_asking(finder, rule, calls, &asking);
	}
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct finding_rule findings_rounds_rules[] = {
	{ "CF0111", "threads that hand over one thing at a time",
	  OF_TIMED | OF_SINGLE | OF_WAITING | OF_COMPUTING, 86, 5, one_by_one,
	  "Waits of two threads for each other, by condition variables, semaphores, futures, words in memory "
	  "(futex), pipes or eventfds: 500 and more of each that the other one ended, at most twice as many "
	  "of one as of the other, where both compute 40 us at most for each of their waits. Of two "
	  "processes, waits at two different semaphores that nobody in their own one has posted.",
	  "The waits of the thread that has waited most for the other.",
	  "To wake a thread and to go to sleep takes 5 to 50 us, more than is done meanwhile; and the two "
	  "threads never work at the same time.",
	  "Let the queue between them have room for hundreds of things, and take all that is there at once; "
	  "hand over blocks; or do both parts in one thread.",
	  "Each thing depends on the answer to the one before." },
	{ "CF0311", "sleeps between questions", OF_TIMED | OF_SINGLE | OF_WAITING, 72, 5, asks_again,
	  "Sleeps in a function, 20 and more, for 20 % of a thread's time, beside as many and up to three "
	  "times as many calls that ask whether something has happened (waitpid, kill, poll, a lock that is "
	  "tried, a read that does not wait, access, stat, open), or in one that does nothing else, and so "
	  "reads a variable. What was waited for has happened for one in ten of the sleeps and more.",
	  "The sleeps of the thread that has most. A sleep goes on after what it waits for has happened: so "
	  "one sleep for each time that it did could be saved at most, which is said of one process.",
	  "What is waited for is noticed late, by half of a sleep on the average.",
	  "Wait for the event itself: waitpid without WNOHANG, poll with a time limit, a condition variable, "
	  "a semaphore, inotify.",
	  "Nothing tells that it has happened, as with a device or a file on another machine." },
	{ "CF0333", "requests one after another", OF_TIMED | OF_SINGLE | OF_WAITING | OF_COMPUTING, 65, 5,
	  requests,
	  "Calls of read, recv and the like in a thread that writes about as often, 1,000 times and more "
	  "(100 if each takes 1 ms), and waits for 20 % of its time there; each reads and writes little, and "
	  "other threads work for less than 70 % of that time. The thread has made the connection or the "
	  "pipes, or its process has; a thread that accepts connections answers.",
	  "What these calls take in the thread that waits most. What the other side needs for its work is in "
	  "it.",
	  "Each request waits for the way there and back, and for the other side to be woken; meanwhile "
	  "nothing else is done.",
	  "Ask for many things in one request; send the next requests before the first answer is there "
	  "(pipelining); several connections at once.",
	  "Each request depends on the answer to the one before." },
};
const size_t findings_n_rounds_rules = ARRAY_SIZE(findings_rounds_rules);
