/* SPDX-License-Identifier: MIT */
/*
 * budget.c - the budget of overhead (CINSTR_MAX_OVERHEAD): takes out the probes that cost most for
 * what they measure, so that their functions are only counted, and tries later whether the probes
 * may come back. What counting costs is part of the limit, as far as that leaves a quarter of the
 * limit to probes. Without a limit cinstr.budget is NULL, and a fold has one branch more.
 *
 * Each thread keeps an account: its program's processor time earns credit, its probes spend it. A
 * thread without credit adds its buffers to the common sample until that suffices, and then takes
 * out as many probes as necessary (budget_choose). A thread with full credit puts back a few
 * functions, twice as many after each success. Runs at folds, signals blocked. The sample and the
 * list of functions are under `lock`, which no thread waits for. System calls only.
 */
#include "budget.h"

#include <errno.h>
#include "runtime.h"

/* so much of the program's own time fills an account */
#define CREDIT_NS 100000000ull
#define CREDIT_MAX_NS 20000000ull /* ... of probes, at most */
/* time that probes may cost after functions were put back */
#define TRIAL_NS 300000ull
/* cost of probes that is enough to choose by; during a trial: */
#define SAMPLE_NS 1000000ull
#define SAMPLE_TRIAL_NS 200000ull
#define SAMPLE_AGE_NS 200000000ull /* the sample takes no buffers older than this */
/* after a sample in which there was nothing to take out, none is made for this long */
#define REST_NS 10000000ull
/* after functions were taken out, none is put back for this long */
#define CALM_NS 200000000ull
#define TRIALS_NS 20000000ull /* or put back */
#define WAIT_NS 1000000000ull /* how long a function waits for its first trial; and at most: */
#define WAIT_MAX_NS 1000000000000ull
/* functions that are counted are looked at, whether they are called rarely by now: */
#define LOOK_EVERY_NS 10000000ull
#define LOOKS 32	     /* so many at once, ... */
#define LOOKS_COUNTERS 1024  /* ... and so many counters: each thread has its own */
#define LOOK_NS 100000000ull /* calls of so long, at least */
#define LOOK_COSTS 4	     /* the probes of a call, with those at its calls, in its own */
#define PICKS_MAX 48	     /* functions that are taken out by one sample */
#define BATCH_MAX 64	     /* functions that are put back at once */
/* a buffer that fills slowly is folded this often all the same */
#define FOLD_EVERY_NS 100000000ull
/* so often a thread adds up its counters, in its processor time */
#define COUNTS_EVERY_NS 50000000ull
#define LEFT_TO_PROBES 4 /* at least this part of the limit is */
#define COUNT_PS 850	 /* what a count costs (doc/decisions.md) */
#define MARKS_MAX 4000	 /* the rest of the room for marks is the program's */

/*
 * A probe costs more in a program that uses the caches itself than in the calibration's loop: 1.05
 * to 1.3 times as much (report/values/overhead.c), here in sixteenths. If in doubt the limit is
 * kept.
 */
#define IN_CONTEXT 19
#define LIMIT_MAX (100 * (uint64_t)BUDGET_MILLION) /* 10,000 % */

struct budget {
	uint64_t limit; /* millionths of the program's own time */
	uint32_t lock;
	/* how often functions were put back: threads cut their credit when they see that it has
	 * changed */
	uint32_t trials;
	uint32_t batch; /* how many functions to put back the next time */
	uint32_t n_marks;
	uint64_t calm_until; /* a stamp: nothing is put back before it */
	uint64_t rest_until; /* ... no sample is made before it */
	uint64_t look_at;    /* ... none is looked at before it */
	uint64_t left;	     /* of the limit, to the probes of the thread at hand; millionths */
	struct budget_outs outs;
	struct budget_sample sample;
	struct budget_pick picks[PICKS_MAX];
};

static uint64_t ticks_of(uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * cinstr.ticks_per_ns >> 20);
}

/* Returns the limit in millionths, at least one, or 0: there is none. */
static uint64_t limit_chosen(void)
{
	uint64_t limit;

	if (string_equal(option_value(CINSTR_OPTION_MAX_OVERHEAD), "unlimited"))
		return 0;
	limit = option_millionths(CINSTR_OPTION_MAX_OVERHEAD, LIMIT_MAX);
	if ((!cinstr.is_mixed || cinstr.counter || held_is_wanted()) &&
	    !option_is_given(CINSTR_OPTION_MAX_OVERHEAD))
		return 0;
	return limit ? limit : 1;
}

void budget_begin(void)
{
	static const char *const counts[] = { [COUNTS_FUNCTIONS] = "functions",
					      [COUNTS_LIBRARIES] = "libraries",
					      [COUNTS_SITES] = "sites",
					      NULL };
	uint64_t limit = limit_chosen();
	int counted = option_word(CINSTR_OPTION_COUNTS, counts);
	struct budget *budget;

	if (!limit && counted == COUNTS_SITES)
		cinstr_say("CINSTR_COUNTS=sites without a limit (CINSTR_MAX_OVERHEAD): nothing is counted",
			   NULL, 0);
	if (!limit)
		return;
	budget = sys_memory(sizeof(*budget));
	if (sys_failed(budget)) {
		cinstr_say("no limit on overhead: no memory", NULL, 0);
		return;
	}
	budget->limit = limit;
	budget->batch = 1;
	cinstr.header->budget.limit = limit;
	cinstr.budget = budget;
	cinstr.counts = (enum counts)counted;
}

/* ---- acting (under the lock) ----------------------------------------------------------------- */

static void put_millionths(struct text *text, uint64_t millionths)
{
	uint64_t tenths = (millionths + 500) / 1000; /* of a percent */

	text_add_number(text, (int64_t)(tenths / 10));
	text_add(text, ".");
	text_add_number(text, (int64_t)(tenths % 10));
	text_add(text, " %");
}

static void mark_change(struct budget *budget, const struct budget_out *out, uint64_t now)
{
	static const char *const taken[] = { "all probes out",
					     "call probes out", [BUDGET_COUNT] = "only counted" };
	struct text text = { .used = 0 };
	int is_out = out->level != BUDGET_ALL;

	if (atomic_add(&budget->n_marks, 1) >= MARKS_MAX) {
		atomic_add(&cinstr.header->marks_lost, 1);
		return;
	}
	text_add(&text, is_out ? taken[out->level] : "probes back");
	text_add(&text, is_out ? ": they cost " : ": they had cost ");
	put_millionths(&text, out->cost);
	text_add(&text, " of the program's own time");
	mark_add(is_out ? CINSTR_MARK_DEMOTED : CINSTR_MARK_RESTORED, now, CINSTR_CODE_WORD(out->func),
		 out->level, text.data);
}

/* What the header's totals say until the first change is the overhead without the budget. */
static void count_change(struct budget *budget, int is_out)
{
	struct cinstr_budget *totals = &cinstr.header->budget;

	if (!totals->taken_out) {
		totals->probe_ticks_before = atomic_load_relaxed(&totals->probe_ticks);
		totals->own_ticks_before = atomic_load_relaxed(&totals->own_ticks);
	}
	if (is_out)
		totals->taken_out++;
	else
		totals->put_back++;
	totals->functions_out = budget->outs.n_out;
}

/* What became of a function that was to be taken out. */
static void note_taken_out(struct budget *budget, const struct budget_pick *pick, int error, uint64_t now)
{
	const struct budget_sample *sample = &budget->sample;
	uint64_t cost =
		(uint64_t)((unsigned __int128)pick->cost * BUDGET_MILLION / (sample->own ? sample->own : 1));
	struct budget_out *out;

	if (error == -EBUSY) /* it was not done: the next sample will choose it again */
		return;
	out = budget_take_out(&budget->outs, pick, cost, now);
	if (!out)
		return;
	if (error) {
		out->is_stuck = 1;
		out->level = BUDGET_ALL;
		budget->outs.n_out--;
		return;
	}
	count_change(budget, 1);
	mark_change(budget, out, now);
}

static void take_out(struct budget *budget, unsigned n, uint64_t now)
{
	struct switch_change changes[PICKS_MAX];

	for (unsigned i = 0; i < n; i++)
		changes[i] = (struct switch_change){ budget->picks[i].func, (int)budget->picks[i].level, 0 };
	switch_functions(changes, n);
	for (unsigned i = 0; i < n; i++)
		note_taken_out(budget, &budget->picks[i], changes[i].error, now);
}

static void set_levels(struct budget *budget)
{
	for (struct budget_function *f = budget->sample.functions;
	     f < budget->sample.functions + BUDGET_FUNCTIONS; f++) {
		const struct budget_out *out = f->func ? budget_find(&budget->outs, f->func) : NULL;

		if (out)
			f->level = out->is_stuck ? BUDGET_NONE : out->level;
	}
}

static void decide(struct budget *budget, uint64_t now)
{
	unsigned n;

	budget->outs.first_wait = ticks_of(WAIT_NS);
	budget->outs.longest_wait = ticks_of(WAIT_MAX_NS);
	set_levels(budget);
	n = budget_choose(&budget->sample, budget->left, budget->picks, PICKS_MAX);
	if (n) {
		take_out(budget, n, now);
		budget->batch = 1;
		budget->calm_until = now + ticks_of(CALM_NS);
	} else { /* what waits, or lasts, stays timed, whatever that costs */
		budget->rest_until = now + ticks_of(REST_NS);
	}
	budget_clear(&budget->sample);
}

static uint64_t cost_of_call(void)
{
	const struct cinstr_calibration *c = &cinstr.header->calibration;

	if (!c->rounds)
		return LOOK_COSTS * ticks_of(50);
	return LOOK_COSTS * (c->sum[CINSTR_COST_ENTER] + c->sum[CINSTR_COST_EXIT]) / c->rounds / 1024 + 1;
}

/* Calls that have become long are rare: the trial is due then. */
static void look(struct budget *budget, uint64_t now)
{
	struct budget_outs *outs = &budget->outs;
	const struct budget_rate rate = { ticks_of(LOOK_NS), budget->left, cost_of_call() };
	uint32_t n = min_of(LOOKS, LOOKS_COUNTERS / (atomic_load_relaxed(&cinstr.n_threads) + 1) + 1);

	if ((int64_t)(now - budget->look_at) < 0)
		return;
	budget->look_at = now + ticks_of(LOOK_EVERY_NS);
	for (uint32_t i = 0; i < min_of(n, outs->n); i++) {
		struct budget_out *out = &outs->list[outs->n_looked++ % outs->n];

		if (out->level == BUDGET_COUNT && !out->is_stuck)
			budget_look(out, &rate, counting_sum(out->func), now);
	}
}

/* Puts a few functions back on trial, for as long as the trial's credit lasts. */
static void put_back(struct budget *budget, uint64_t now)
{
	struct switch_change changes[BATCH_MAX];
	struct budget_out *outs[BATCH_MAX];
	uint32_t n = 0, done = 0;

	look(budget, now);
	while (n < budget->batch && (outs[n] = budget_due(&budget->outs, now))) {
		changes[n] = (struct switch_change){ outs[n]->func, BUDGET_ALL, 0 };
		outs[n++]->since = now; /* not due any more */
	}
	if (!n)
		return;
	switch_functions(changes, n);
	for (uint32_t i = 0; i < n; i++) {
		if (changes[i].error == -EBUSY) {
			outs[i]->since = now - outs[i]->wait;
			continue;
		}
		if (changes[i].error) { /* its module is gone */
			outs[i]->is_stuck = 1;
			continue;
		}
		budget_put_back(&budget->outs, outs[i], now);
		count_change(budget, 0);
		mark_change(budget, outs[i], now);
		done++;
	}
	if (!done)
		return;
	budget->batch = min_of(budget->batch * 2, BATCH_MAX);
	budget->calm_until = now + ticks_of(TRIALS_NS);
	budget->rest_until = now;
	atomic_add(&budget->trials, 1);
}

/* ---- the account ----------------------------------------------------------------------------- */

/* What one buffer and its fold cost, in ticks. */
struct spending {
	uint64_t probes; /* without the fold's */
	uint64_t fold;
	uint64_t own;  /* processor time of the program itself */
	uint64_t left; /* of the limit, to probes; millionths of `own` */
	uint64_t now;
};

static struct budget_prices prices_of(uint64_t fold, size_t n)
{
	const struct cinstr_calibration *c = &cinstr.header->calibration;
	struct budget_prices prices = { .fold = fold * 1024 / n,
					/* at most a tenth of the time goes into asking for the CPU
					 * time */
					.slow = cinstr.threshold / 100,
					.slow_max = cinstr.threshold };

	uint64_t costs[CINSTR_COST_KINDS] = { 0 };

	for (int i = 0; c->rounds && i < CINSTR_COST_KINDS; i++)
		costs[i] = c->sum[i] / c->rounds * IN_CONTEXT / 16;
	budget_set_prices(&prices, costs);
	return prices;
}

static uint64_t cpu_ticks(void)
{
	return ticks_of(sys_clock_ns(CLOCK_THREAD_CPUTIME_ID));
}

/* Returns what counting took of the thread's processor time when last looked at, in millionths, at
 * most half. */
static uint64_t counting_of(struct thread *thread, uint64_t cpu)
{
	uint64_t ticks = cpu - thread->budget_counts_at, all, n;

	if (ticks < ticks_of(COUNTS_EVERY_NS))
		return thread->budget_counting;
	all = counting_of_thread(thread);
	n = all > thread->budget_counts ? all - thread->budget_counts : 0;
	thread->budget_counting =
		min_of((uint64_t)((unsigned __int128)n * ticks_of(BUDGET_MILLION / 1000 * COUNT_PS) / ticks),
		       BUDGET_MILLION / 2);
	thread->budget_counts = all;
	thread->budget_counts_at = cpu;
	return thread->budget_counting;
}

/* Returns what counting, these millionths of a thread's time, leaves of the limit to probes. */
static uint64_t left_of(uint64_t limit, uint64_t counting)
{
	uint64_t spent = counting * BUDGET_MILLION / (BUDGET_MILLION - counting);

	return limit - min_of(spent, limit - limit / LEFT_TO_PROBES);
}

static struct spending spending_of(struct thread *thread, const struct budget_prices *prices, uint64_t fold,
				   size_t n)
{
	struct spending s = { .probes = budget_cost(prices, thread->buffer, n), .fold = fold };
	uint64_t cpu, all, counting;

	s.now = clock_now();
	cpu = cpu_ticks();
	all = thread->budget_cpu && cpu > thread->budget_cpu ? cpu - thread->budget_cpu
							     : s.now - CINSTR_SPECIAL_VALUE(thread->buffer);
	thread->budget_cpu = cpu;
	counting = counting_of(thread, cpu);
	s.left = left_of(cinstr.budget->limit, counting);
	s.own = all > s.probes + s.fold ? all - s.probes - s.fold : 0;
	s.own -= min_of(s.own, all * counting / BUDGET_MILLION);
	/* the calibration was too high: probes cannot take more than all of the time */
	if (s.own < all / 64)
		s.own = all / 64;
	return s;
}

static void book(struct budget *budget, struct thread *thread, const struct spending *s)
{
	struct cinstr_budget *totals = &cinstr.header->budget;
	uint64_t most = min_of((uint64_t)((unsigned __int128)ticks_of(CREDIT_NS) * s->left / BUDGET_MILLION),
			       ticks_of(CREDIT_MAX_NS));
	uint32_t trials = atomic_load_acquire(&budget->trials);
	int64_t earned = (int64_t)((unsigned __int128)s->own * s->left / BUDGET_MILLION);

	atomic_add(&totals->probe_ticks, s->probes + s->fold);
	atomic_add(&totals->own_ticks, s->own);
	if (thread->budget_trials != trials) {
		thread->budget_trials = trials;
		thread->budget_credit = min_of(thread->budget_credit, (int64_t)ticks_of(TRIAL_NS));
	}
	thread->budget_credit += earned - (int64_t)(s->probes + s->fold);
	thread->budget_has_all = thread->budget_credit >= (int64_t)most;
	if (thread->budget_has_all)
		thread->budget_credit = (int64_t)most;
}

/* No credit: the buffer goes into the sample, which may have enough now. */
static void on_debt(struct budget *budget, struct thread *thread, const struct budget_prices *prices,
		    size_t n, const struct spending *s)
{
	struct budget_sample *sample = &budget->sample;
	uint64_t enough = ticks_of(budget->batch > 1 ? SAMPLE_TRIAL_NS : SAMPLE_NS);

	if ((int64_t)(s->now - budget->rest_until) < 0)
		return;
	if (s->now - sample->last > ticks_of(SAMPLE_AGE_NS))
		budget_clear(sample);
	sample->last = s->now;
	sample->counts = !atomic_load_relaxed(&rules_depth);
	sample->probes += s->probes + s->fold;
	sample->own += s->own;
	budget_add(sample, prices, &cinstr.sites, thread->buffer, n);
	if (sample->probes < enough)
		return;
	decide(budget, s->now);
	thread->budget_credit = 0; /* else each later sample would find the thread in debt */
}

uint64_t budget_clock(void)
{
	return cpu_ticks();
}

/* Threads use these structs one after another: drops what the thread before had left. */
void budget_begin_thread(struct thread *thread)
{
	if (!cinstr.budget)
		return;
	thread->budget_cpu = thread->budget_counts_at = cpu_ticks();
	thread->budget_counts = counting_of_thread(thread);
	thread->budget_counting = 0;
	if (!thread->budget_is_open)
		thread->budget_credit = (int64_t)ticks_of(SAMPLE_NS);
	thread->budget_is_open = 1;
}

/* Takes out, or puts back, what has been chosen. If another thread is switching sleds it is left
 * for later. */
static void act(struct budget *budget, struct thread *thread, const struct budget_prices *prices, size_t n,
		const struct spending *s)
{
	uint64_t cpu;

	if (atomic_swap(&budget->lock, 1))
		return;
	budget->left = s->left;
	if (thread->budget_credit < 0)
		on_debt(budget, thread, prices, n, s);
	else
		put_back(budget, s->now);
	atomic_store_release(&budget->lock, 0); /* the swap above */
	cpu = cpu_ticks();			/* switching takes its time, too */
	if (cpu > thread->budget_cpu)
		atomic_add(&cinstr.header->budget.probe_ticks, cpu - thread->budget_cpu);
	thread->budget_cpu = cpu;
}

/* At the end of a fold of n records that began at this processor time. */
void budget_fold(struct thread *thread, size_t n, uint64_t began)
{
	struct budget *budget = cinstr.budget;
	uint64_t ended = cpu_ticks(), fold = ended > began ? ended - began : 0;
	struct budget_prices prices = prices_of(fold, n);
	struct spending s = spending_of(thread, &prices, fold, n);

	book(budget, thread, &s);
	if (thread->budget_credit < 0 ||
	    (thread->budget_has_all && budget->outs.n_out && (int64_t)(s.now - budget->calm_until) >= 0))
		act(budget, thread, &prices, n, &s);
}

/* Is it time to fold a buffer that is not full? */
int budget_wants_fold(const struct thread *thread, uint64_t now)
{
	return now - CINSTR_SPECIAL_VALUE(thread->buffer) > ticks_of(FOLD_EVERY_NS);
}

/* In a forked child: what is out stays out, and its file has to say so. Another thread may have
 * held the lock. */
void budget_forked(void)
{
	struct budget *budget = cinstr.budget;
	uint64_t now = clock_now();

	if (!budget)
		return;
	budget->lock = 0;
	budget->n_marks = 0;
	budget_clear(&budget->sample);
	cinstr.header->budget.limit = budget->limit;
	cinstr.header->budget.functions_out = budget->outs.n_out;
	for (uint32_t i = 0; i < budget->outs.n; i++)
		if (budget->outs.list[i].level != BUDGET_ALL)
			mark_change(budget, &budget->outs.list[i], now);
}
