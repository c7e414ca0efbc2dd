/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_network.c - rules on waits for what comes by a network: CF033x. */
#include <math.h>

#include "rules.h"

#define MS 1e6L
/* Linux delays an acknowledgement by 40 ms at least, in steps of its clock; slots of durations are
 * 4.5 % wide. On a busy machine the thread runs later, so that the durations begin there: they are
 * dense up to IN_TIME, and next to none is shorter, from SHORTER on. */
#define SHORTER_FROM_NS (19 * MS)
#define DELAYED_FROM_NS (38 * MS)
#define IN_TIME_TO_NS (48 * MS)
#define DELAYED_TO_NS (100 * MS)
#define DELAYED_CALLS 20   /* of a function, at least */
#define WAIT_NS MS	   /* a call of so long has waited */
#define MOST_PERCENT 75	   /* of such calls at a place */
#define IN_TIME_PERCENT 40 /* of the delayed ones */
#define SHORTER_PERCENT 10 /* of those in time */

/* Questions without an answer: so many; how many more or fewer waits than questions; their waits
 * last alike, and longer than other ones. */
#define UNANSWERED 5
#define WAITS_ALIKE 1.2L
#define ALIKE 0.8L
#define LONGER 2

/* Calls that took as long as a delayed acknowledgement, at all places in a function. */
struct delayed {
	const struct kernel_site *most; /* the place that has most of their time */
	uint64_t calls, waits;		/* waits: all that have waited at these places */
	long double ns, most_ns;
	long double on_one_thread;
};

static uint64_t calls_between(const struct durations *durations, long double from, long double to,
			      long double *ns)
{
	long double behind_ns;
	uint64_t calls = durations_above(durations, from, ns);

	calls -= durations_above(durations, to, &behind_ns);
	*ns -= behind_ns;
	return calls;
}

static void add_site(const struct finder *finder, struct delayed *delayed, const struct kernel_site *site)
{
	const struct durations *durations = &site->edge->durations;
	long double delayed_ns, any_ns, ns;
	uint64_t waits = durations_above(durations, WAIT_NS, &any_ns);
	uint64_t shorter = calls_between(durations, SHORTER_FROM_NS, DELAYED_FROM_NS, &any_ns);
	uint64_t in_time = calls_between(durations, DELAYED_FROM_NS, IN_TIME_TO_NS, &any_ns);
	uint64_t calls = calls_between(durations, DELAYED_FROM_NS, DELAYED_TO_NS, &delayed_ns);

	if (!calls || calls * 100 < waits * MOST_PERCENT || in_time * 100 < calls * IN_TIME_PERCENT ||
	    shorter * 100 > in_time * SHORTER_PERCENT)
		return;
	ns = fminl(delayed_ns, site->off_cpu); /* slots are wide */
	delayed->calls += calls;
	delayed->waits += waits;
	delayed->ns += ns;
	delayed->on_one_thread += finder_on_one_thread(finder, site->edge, ns, SHARE_ELAPSED);
	if (ns <= delayed->most_ns)
		return;
	delayed->most_ns = ns;
	delayed->most = site;
}

static struct delayed delayed_in(const struct finder *finder, uint32_t caller)
{
	const struct operating *o = finder->operating;
	struct delayed delayed = { 0 };

	for (size_t i = 0; i < o->n_sites; i++)
		if (o->sites[i].kind == CALL_READ && o->sites[i].caller == caller)
			add_site(finder, &delayed, &o->sites[i]);
	return delayed;
}

/* Returns the function that waits most in this way; most is NULL: there is none. Who answers waits
 * as long as who asks: one cause is one finding. */
static struct delayed delayed_most(const struct finder *finder)
{
	const struct operating *o = finder->operating;
	struct delayed most = { 0 };

	for (size_t i = 0; i < o->n_sites; i++) {
		struct delayed one = { 0 };

		if (o->sites[i].kind == CALL_READ) /* few are */
			one = delayed_in(finder, o->sites[i].caller);
		if (one.calls >= DELAYED_CALLS && one.on_one_thread > most.on_one_thread)
			most = one;
	}
	return most;
}

static void delayed_acknowledgements(struct finder *finder, const struct finding_rule *rule)
{
	struct delayed delayed = delayed_most(finder);
	struct finding *finding;

	/* Data that arrive at a rate were not asked for: the program writes less often. */
	if (!delayed.most || finder->operating->writes < delayed.calls)
		return;
	finding = finding_new(finder, rule);
	finding->about = delayed.most->caller;
	finding->edge = delayed.most->edge;
	finding->look_at = delayed.most->edge->entity;
	finding->verb = "callers --sites";
	finding->time = delayed.on_one_thread;
	strbuf_thousands(&finding->text, delayed.calls);
	strbuf_puts(&finding->text, " calls of ");
	finding_put_name(finder, &finding->text, delayed.most->edge->entity);
	strbuf_puts(&finding->text, " wait ");
	strbuf_duration(&finding->text, delayed.ns / (long double)delayed.calls);
	strbuf_puts(&finding->text, " each: likely for a delayed acknowledgement (TCP_NODELAY)");
}

/* ---- questions without an answer ------------------------------------------------------------- */

/* The calls of a kind in a function; of reads, those that got something. */
static uint64_t calls_in(const struct operating *o, uint32_t caller, enum call_kind kind)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < o->n_sites; i++) {
		const struct os_counts *os = o->sites[i].edge->os;

		if (o->sites[i].caller != caller || o->sites[i].kind != kind)
			continue;
		calls += o->sites[i].calls;
		if (kind == CALL_READ && os)
			calls -= os->inclusive.moved[CINSTR_AMOUNT_READ].failed;
	}
	return calls;
}

/* Waits for answers that ended with their limit. */
struct in_vain {
	uint64_t n;
	long double each; /* ns */
};

/*
 * Returns those of a place: as many as there are waits that a read that got something did not
 * follow. These are the longest, and last alike. n is 0: it is not so.
 */
static struct in_vain waits_in_vain(const struct operating *o, const struct kernel_site *site)
{
	const struct durations *durations = &site->edge->durations;
	long double asked = (long double)calls_in(o, site->caller, CALL_WRITE),
		    calls = (long double)site->calls;
	uint64_t answered = calls_in(o, site->caller, CALL_READ);
	struct in_vain vain = { .n = answered < site->calls ? site->calls - answered : 0 };
	long double part = (long double)vain.n / calls, longest, shortest, others;

	if (vain.n < UNANSWERED || calls > WAITS_ALIKE * asked || asked > WAITS_ALIKE * calls)
		return (struct in_vain){ 0 };
	longest = durations_quantile(durations, (double)(1 - part / 2));
	shortest = durations_quantile(durations, (double)(1 - 0.9L * part));
	others = answered ? durations_quantile(durations, (double)((1 - part) / 2)) : 0;
	if (longest < WAIT_NS || shortest < ALIKE * longest || others * LONGER > longest)
		return (struct in_vain){ 0 };
	vain.each = fmaxl(0, site->off_cpu - others * (calls - (long double)vain.n)) / (long double)vain.n;
	return vain;
}

static void tell_unanswered(struct finder *finder, const struct finding_rule *rule,
			    const struct kernel_site *site, const struct in_vain *vain)
{
	struct finding *finding = finding_new(finder, rule);

	finding->about = site->caller;
	finding->edge = site->edge;
	finding->look_at = site->edge->entity;
	finding->verb = "callers --sites";
	finding->time =
		finder_on_one_thread(finder, site->edge, vain->each * (long double)vain->n, SHARE_ELAPSED);
	strbuf_thousands(&finding->text, vain->n);
	strbuf_puts(&finding->text, " of ");
	strbuf_thousands(&finding->text, site->calls);
	strbuf_puts(&finding->text, " questions get no answer: ");
	finding_put_name(finder, &finding->text, site->edge->entity);
	strbuf_puts(&finding->text, " waits ");
	strbuf_duration(&finding->text, vain->each);
	strbuf_puts(&finding->text, " for each, until its limit; ask first who has answered before");
}

static void unanswered(struct finder *finder, const struct finding_rule *rule)
{
	const struct operating *o = finder->operating;

	for (size_t i = 0; i < o->n_sites; i++) {
		struct in_vain vain = { 0 };

		if (o->sites[i].kind == CALL_POLL || o->sites[i].kind == CALL_READ)
			vain = waits_in_vain(o, &o->sites[i]);
		if (vain.n)
			tell_unanswered(finder, rule, &o->sites[i], &vain);
	}
}

const struct finding_rule findings_network_rules[] = {
	{ "CF0331", "waits as long as a delayed acknowledgement", OF_TIMED | OF_WAITING, 75, 5,
	  delayed_acknowledgements,
	  "Calls of read, recv and the like that take 38 to 48 ms, or up to 100 where the machine is busy: "
	  "20 and more in a function, at places where three quarters of all that wait take as long, two "
	  "fifths of these up to 48 ms, and next to none 19 to 38; in a program that has written as often.",
	  "These waits, of the thread that has most.",
	  "TCP holds a small packet back while the one before it is not acknowledged (Nagle), and the "
	  "receiver waits 40 ms with its acknowledgement for data that it could send along. A message that "
	  "is written in two pieces meets both.",
	  "Write a message in one piece (a buffer, writev, MSG_MORE); setsockopt(TCP_NODELAY) on both "
	  "sides.",
	  "What is read comes at that rate: a timer, 25 pictures a second. Another program or machine takes "
	  "as long to answer." },
	{ "CF0334", "questions without an answer", OF_TIMED | OF_WAITING, 74, 5, unanswered,
	  "Calls of poll, recv and the like in a function that sends as often as it waits, but does not read "
	  "as often: five waits and more without a read. The longest waits, so many, last alike, and "
	  "twice as long as the others.",
	  "These waits, of the thread that has most.",
	  "Who asks somebody who does not answer waits until the limit, before somebody else is asked, or "
	  "nobody: for each question again.",
	  "Ask first who has answered the last time, and who has not only now and then; ask two at once, and "
	  "take the first answer; a shorter limit; keep answers.",
	  "Whether there is an answer is the question: who is there in a network." },
};
const size_t findings_n_network_rules = ARRAY_SIZE(findings_network_rules);
