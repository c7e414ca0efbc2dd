/* SPDX-License-Identifier: MIT */
/*
 * budget_sample.c - finds the functions with the probes' cost, and chooses those to take out
 * (budget.h).
 *
 * Called at a fold by the thread whose records they are, or by a unit test. Touches its arguments
 * only.
 *
 * A record's cost is the calibrated cost of an interval that it begins (that is all of the probe:
 * the intervals of the calibration's loops add up to the loops' time), its part of the fold, and,
 * in the slow path, the time up to its RESUME. To save a pair (call and entry, exit and return),
 * both halves must go, so each pays half; counting a function saves both.
 */
#include "budget.h"

#define OPEN_KEPT 64 /* calls of the buffer whose function is kept in mind; a power of two */
/* a function that saves less than this part of what has to be saved is left alone */
#define LEAST_GAIN 64
#define LEFT_PARTS 32 /* so little of it is left for the next time, where functions are counted */
/* what takes so many times as long as its own probes is long: it stays timed */
#define LONG_TIMES 64
/* a function with so many activations that only end in a sample is a recursion */
#define RECURSION_DEPTH 64
#define MARGIN_PARTS 8 /* aims at the limit less this part of it */

struct walk {
	const struct budget_prices *prices;
	uint64_t time; /* last stamp */
	uint64_t off;  /* ticks that the interval at hand spent off the processor */
};

/* Kind of the record, and whether it is one of a pair (cinstr/format.h: 1 in the low bits of
 * `second`). */
static uint32_t shape_of(const struct cinstr_record *r)
{
	return CINSTR_CODE_KIND(r->code) * 4 + (r->second & 3);
}

/* What an event in the slow path costs whose RESUME came so many ticks after it. */
static uint64_t slow_cost(const struct budget_prices *prices, uint64_t ticks)
{
	return prices->slow + (ticks < prices->slow_max ? ticks : prices->slow_max);
}

void budget_set_prices(struct budget_prices *prices, const uint64_t costs[CINSTR_COST_KINDS])
{
	static const uint8_t alone[8] = {
		[CINSTR_EV_ENTER] = CINSTR_COST_ENTER,	 [CINSTR_EV_EXIT] = CINSTR_COST_EXIT,
		[CINSTR_EV_BEFORE] = CINSTR_COST_BEFORE, [CINSTR_EV_AFTER] = CINSTR_COST_AFTER,
		[CINSTR_EV_TAIL] = CINSTR_COST_BEFORE,	 [CINSTR_EV_LANDING] = CINSTR_COST_AFTER,
		[CINSTR_EV_LINE] = CINSTR_COST_LINE
	};

	for (uint32_t shape = 4; shape < BUDGET_SHAPES; shape++)
		prices->event[shape] = costs[alone[shape / 4]];
	prices->event[CINSTR_EV_BEFORE * 4 + 1] = costs[CINSTR_COST_CALL];
	prices->event[CINSTR_EV_TAIL * 4 + 1] = costs[CINSTR_COST_CALL];
	prices->event[CINSTR_EV_EXIT * 4 + 1] = costs[CINSTR_COST_RETURN];
}

/* Ticks since the last stamp. */
static uint64_t step_to(struct walk *w, const struct cinstr_record *r)
{
	int32_t ticks = (int32_t)(r->time_lo - (uint32_t)w->time);

	w->time += ticks > 0 ? (uint32_t)ticks : 0;
	return ticks > 0 ? (uint32_t)ticks : 0;
}

/* Ticks up to this full stamp. */
static uint64_t step_to_full(struct walk *w, const struct cinstr_record *r)
{
	uint64_t now = CINSTR_SPECIAL_VALUE(r), ticks = now > w->time ? now - w->time : 0;

	w->time += ticks;
	return ticks;
}

/* A special record. *own: ticks of the runtime's own work behind the last event. Returns the
 * program's ticks up to here. */
static uint64_t on_special(struct walk *w, const struct cinstr_record *r, uint64_t *own)
{
	uint64_t ticks;

	*own = 0;
	switch (CINSTR_SPECIAL_TYPE(r->code)) {
	case CINSTR_SP_START:
	case CINSTR_SP_CONTINUE:
		w->time = CINSTR_SPECIAL_VALUE(r);
		return 0;
	case CINSTR_SP_SLOW:
	case CINSTR_SP_PAUSE:
		return step_to_full(w, r);
	case CINSTR_SP_OS:
		w->off = CINSTR_SPECIAL_VALUE(r);
		return 0;
	case CINSTR_SP_RESUME:
		ticks = step_to_full(w, r);
		*own = slow_cost(w->prices, ticks);
		return 0;
	default:
		return 0;
	}
}

/* HOT: a nanosecond or two a record. */
uint64_t budget_cost(const struct budget_prices *prices, const struct cinstr_record *records, size_t n)
{
	uint64_t cost = 0, slow = 0;

	for (const struct cinstr_record *r = records; r < records + n; r++) {
		if (CINSTR_CODE_KIND(r->code) != CINSTR_EV_SPECIAL)
			cost += prices->event[shape_of(r)];
		else if (CINSTR_SPECIAL_TYPE(r->code) == CINSTR_SP_RESUME && r > records)
			slow += slow_cost(prices, (uint32_t)(r->time_lo - r[-1].time_lo));
	}
	return cost / 1024 + slow;
}

/* ---- by function ----------------------------------------------------------------------------- */

/* Slot of a function, made if need be; NULL: there are too many. */
static struct budget_function *function_of(struct budget_sample *sample, uint32_t func)
{
	uint32_t slot = (func >> 3) * 0x9e3779b1u >> 22;

	while (sample->functions[slot].func && sample->functions[slot].func != func)
		slot = (slot + 1) % BUDGET_FUNCTIONS;
	if (!sample->functions[slot].func) {
		if (sample->n >= BUDGET_FUNCTIONS * 3 / 4)
			return NULL;
		sample->n++;
		sample->functions[slot].func = func;
		sample->functions[slot].level = BUDGET_ALL;
	}
	return &sample->functions[slot];
}

static uint32_t owner_of(const struct fold_sites *sites, uint32_t code)
{
	uint32_t word = code >> 3;
	uint32_t owner = word < sites->n_words ? sites->words[word] : 0;

	if (CINSTR_CODE_KIND(code) == CINSTR_EV_AFTER) /* that is its call */
		owner = owner >> 3 < sites->n_words ? sites->words[owner >> 3] : 0;
	return owner;
}

/* The functions that the buffer has entered, innermost last; of the deepest nest the outermost are
 * forgotten. */
struct open {
	uint32_t funcs[OPEN_KEPT];
	uint64_t since[OPEN_KEPT]; /* stamps */
	uint32_t top, known;
	uint64_t now;
};

static void open_push(struct budget_sample *sample, struct open *open, uint32_t func)
{
	struct budget_function *f = function_of(sample, func);

	open->top++;
	open->funcs[open->top % OPEN_KEPT] = func;
	open->since[open->top % OPEN_KEPT] = open->now;
	open->known += open->known < OPEN_KEPT;
	if (f)
		f->entered++;
}

static void open_pop(struct budget_sample *sample, struct open *open)
{
	uint32_t top = open->top % OPEN_KEPT;
	struct budget_function *f;

	if (!open->known)
		return;
	f = function_of(sample, open->funcs[top]);
	if (f) {
		f->returned++;
		f->inclusive += open->now - open->since[top];
	}
	open->top--;
	open->known--;
}

static uint32_t open_top(const struct open *open)
{
	return open->known ? open->funcs[open->top % OPEN_KEPT] : 0;
}

/* What is known of the next event before it comes. */
struct pending {
	uint64_t interval; /* ticks so far: SLOW and OS come before it */
	uint64_t price;	   /* of the event that began the interval */
	uint64_t sites;	   /* cost of the return that came with the last exit */
};

static void pay(struct budget_sample *sample, uint32_t func, uint64_t sites, uint64_t events)
{
	struct budget_function *f = func ? function_of(sample, func) : NULL;

	if (!f)
		return;
	f->sites += sites;
	f->events += events;
}

static void count_end(struct budget_sample *sample, uint32_t func)
{
	struct budget_function *f = func ? function_of(sample, func) : NULL;

	if (f)
		f->ended++;
}

static void settle(struct budget_sample *sample, uint32_t func, struct pending *pending, uint64_t off)
{
	struct budget_function *f = func ? function_of(sample, func) : NULL;
	uint64_t ticks = pending->interval > off ? pending->interval - off : 0;

	if (f) {
		f->work += (int64_t)(ticks * 1024) - (int64_t)pending->price;
		f->sites += pending->sites;
	}
	*pending = (struct pending){ 0 };
}

/* Splits an event's price between the calls and the entries and exits; the stack follows. `where`:
 * who executes it. */
static void charge(struct budget_sample *sample, struct open *open, const struct cinstr_record *r,
		   uint32_t where, uint64_t price, struct pending *pending)
{
	uint64_t half = sample->counts ? 0 : price / 2; /* of the caller */

	switch (CINSTR_CODE_KIND(r->code)) {
	case CINSTR_EV_TAIL:
		open_pop(sample, open);
		count_end(sample, where);
		/* fallthrough */
	case CINSTR_EV_BEFORE:
		pay(sample, where, r->second ? half : price, 0);
		if (!r->second)
			break;
		pay(sample, r->second, 0, price - half);
		open_push(sample, open, r->second);
		break;
	case CINSTR_EV_ENTER:
		pay(sample, r->code, 0, price);
		open_push(sample, open, r->code);
		break;
	case CINSTR_EV_EXIT:
		open_pop(sample, open);
		count_end(sample, where);
		pending->sites = r->second == CINSTR_SECOND_FUSED_EXIT ? half : 0;
		pay(sample, where, 0, price - pending->sites);
		break;
	case CINSTR_EV_LANDING:
		pay(sample, where, 0, price);
		break;
	default:
		pay(sample, where, price, 0);
	}
}

void budget_add(struct budget_sample *sample, const struct budget_prices *prices,
		const struct fold_sites *sites, const struct cinstr_record *records, size_t n)
{
	struct walk w = { .prices = prices };
	struct open open = { .top = 0 };
	struct pending pending = { 0 };
	uint64_t own;

	for (const struct cinstr_record *r = records, *event = NULL; r < records + n; r++) {
		uint64_t price = prices->event[shape_of(r)] + prices->fold;
		uint32_t where;

		if (CINSTR_CODE_KIND(r->code) == CINSTR_EV_SPECIAL) {
			pending.interval += on_special(&w, r, &own);
			/* That it came at this event is chance, or the call waits: counting
			 * saves neither. */
			if (own && event && !sample->counts)
				charge(sample, &(struct open){ .top = 0 }, event,
				       owner_of(sites, event->code), own * 1024, &(struct pending){ 0 });
			continue;
		}
		pending.interval += step_to(&w, r);
		open.now = w.time;
		where = CINSTR_CODE_KIND(r->code) == CINSTR_EV_ENTER ? open_top(&open)
								     : owner_of(sites, r->code);
		settle(sample, where, &pending, w.off);
		w.off = 0;
		pending.price = price;
		charge(sample, &open, r, where, price, &pending);
		event = r;
	}
}

void budget_clear(struct budget_sample *sample)
{
	for (uint32_t i = 0; sample->n && i < BUDGET_FUNCTIONS; i++)
		sample->functions[i] = (struct budget_function){ 0 };
	sample->probes = sample->own = sample->last = 0;
	sample->n = 0;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* Says whether the function calls itself, or is called by its callees, deeper than buffers reach:
 * on its way up activations end that have begun in other buffers, though each may be short by
 * itself. (On its way down it looks like a function that is left by longjmp() each time.) */
static int is_deep_recursion(const struct budget_function *f)
{
	return f->ended >= f->entered + RECURSION_DEPTH;
}

/* Says whether most calls of the function last, or go on for longer than buffers: its frame has to
 * be on the stack for what it calls. */
static int is_long(const struct budget_function *f)
{
	if (is_deep_recursion(f))
		return 0;
	return f->returned * 2 < f->entered || !f->returned || f->events * LONG_TIMES < f->inclusive * 1024;
}

/* What the function's next step down would save. Where functions are counted, of a long one only
 * the probes at its calls go. */
static uint64_t next_gain(const struct budget_function *f, int counts)
{
	if (!f->func || f->level == BUDGET_NONE)
		return 0;
	if (f->level == BUDGET_COUNT)
		return 0;
	if (counts && is_long(f))
		return f->level == BUDGET_ALL ? f->sites : 0;
	if (counts)
		return f->sites + f->events;
	return f->level == BUDGET_ALL && f->sites ? f->sites : f->events;
}

/* Do a's probes cost more for the work they measure than b's? gain_a: what a would save. */
static int is_worse(const struct budget_function *a, uint64_t gain_a, const struct budget_function *b,
		    uint64_t gain_b)
{
	uint64_t work_a = a->work > 0 ? (uint64_t)a->work : 0, work_b = b->work > 0 ? (uint64_t)b->work : 0;

	return (unsigned __int128)gain_a * (work_b + 1) > (unsigned __int128)gain_b * (work_a + 1);
}

static struct budget_function *worst(struct budget_sample *sample, uint64_t least)
{
	struct budget_function *found = NULL;

	for (struct budget_function *f = sample->functions; f < sample->functions + BUDGET_FUNCTIONS; f++) {
		uint64_t gain = next_gain(f, sample->counts);

		if (gain && gain >= least &&
		    (!found || is_worse(f, gain, found, next_gain(found, sample->counts))))
			found = f;
	}
	return found;
}

/* A function that goes down two steps is one pick. */
static unsigned add_pick(struct budget_pick *picks, unsigned n, const struct budget_function *f,
			 uint64_t gain)
{
	for (unsigned i = 0; i < n; i++) {
		if (picks[i].func != f->func)
			continue;
		picks[i].level = f->level;
		picks[i].cost += gain / 1024;
		return n;
	}
	picks[n] = (struct budget_pick){ f->func, f->level, gain / 1024 };
	return n + 1;
}

unsigned budget_choose(struct budget_sample *sample, uint64_t limit, struct budget_pick *picks, unsigned max)
{
	uint64_t allowed =
		(uint64_t)((unsigned __int128)sample->own * (limit - limit / MARGIN_PARTS) / BUDGET_MILLION);
	int64_t needed = (int64_t)(sample->probes - allowed) * 1024;
	uint64_t floor = !sample->counts ? 0
					 : (uint64_t)((unsigned __int128)(sample->own + sample->probes) *
						      limit * 1024 / BUDGET_MILLION / BUDGET_FLOOR_PARTS);
	uint64_t least = (uint64_t)needed / LEAST_GAIN > floor ? (uint64_t)needed / LEAST_GAIN : floor;
	/* the next sample will tell that better, of what is timed then */
	int64_t left = sample->counts ? needed / LEFT_PARTS : 0;
	unsigned n = 0;

	if ((unsigned __int128)sample->probes * BUDGET_MILLION <= (unsigned __int128)sample->own * limit)
		return 0;
	while (needed > left && n < max) {
		struct budget_function *f = worst(sample, least);
		uint64_t gain;

		if (!f && least == floor)
			break;
		if (!f) { /* many that save little */
			least = floor;
			continue;
		}
		gain = next_gain(f, sample->counts);
		if (sample->counts) {
			f->level = is_long(f) ? BUDGET_ENTRY : BUDGET_COUNT;
		} else {
			f->level = f->level == BUDGET_ALL && f->sites ? BUDGET_ENTRY : BUDGET_NONE;
		}
		n = add_pick(picks, n, f, gain);
		needed -= (int64_t)gain;
	}
	return n;
}
