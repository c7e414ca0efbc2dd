/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random_events.c - see random_events.h. One at a time. */
#include "random_events.h"

#include <string.h>

/* Words of code of a function; the sled of an AFTER is right behind that of its BEFORE. */
#define FUNCTIONS 4u
#define WORDS 32u
#define LINES 3u
enum {
	ENTER,
	EXIT,
	EXIT_ELSEWHERE,
	LANDING,
	LINE,
	TAIL_OUT = LINE + LINES,
	TAIL,
	CALL = TAIL + FUNCTIONS,
	PUTS = CALL + 2 * FUNCTIONS,
	READ = PUTS + 2, /* a wrapper of a system call */
	POINTER = READ + 2,
};
#define CODE(function, word, kind) ((((function) + 1) * WORDS + (word)) << 3 | CINSTR_EV_##kind)
#define CODES ((FUNCTIONS + 1) * WORDS)
#define OUTSIDE 0x7f001234u /* an address in code without probes */
#define ROOM 12u	    /* records that the longest step puts */

/* What is called there: a function, or what has no probes. */
#define UNKNOWN UINT32_MAX
struct call {
	uint32_t function;
	uint32_t sp;
	uint32_t site; /* code of the BEFORE of its call; 0: called by code without probes */
};

static uint32_t words[CODES];
static uint8_t wrappers[CODES / 8], counted[CODES / 8];
static uint16_t names[CODES];
static const struct fold_sites sites = { words, CODES, wrappers, NULL, NULL };
static const struct fold_sites sites_counted = { words, CODES, wrappers, counted, names };

static struct random_events *out;
static struct random_manners manners;
static struct call stack[RANDOM_DEPTH_MAX + 1];
static uint32_t depth, lowest; /* lowest since recording went off */
static int is_off;
static uint64_t now, state;
static uint32_t text; /* low half of the code's address: below the stack's, or above */

uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % n;
}

int random_once_in(uint32_t n)
{
	return n && !random_below(n);
}

static uint32_t any_function(void)
{
	return manners.simple ? 0 : random_below(FUNCTIONS);
}

/* The last function was counted. */
static void names_make(void)
{
	uint32_t last = CODE(FUNCTIONS - 1, ENTER, ENTER);

	memset(counted, 0, sizeof(counted));
	counted[last >> 6] |= (uint8_t)(1u << (last >> 3 & 7));
	memset(names, 0, sizeof(names));
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		names[CODE(f, ENTER, ENTER) >> 3] = (uint16_t)(f + 1);
		for (uint32_t g = 0; g < FUNCTIONS; g++)
			names[CODE(f, TAIL + g, TAIL) >> 3] = (uint16_t)(g + 1);
	}
}

static void sites_make(void)
{
	memset(wrappers, 0, sizeof(wrappers));
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		uint32_t read = CODE(f, READ, BEFORE);

		for (uint32_t word = 0; word < WORDS; word++)
			words[(f + 1) * WORDS + word] = CODE(f, ENTER, ENTER);
		for (uint32_t word = CALL; word <= POINTER; word += 2)
			words[CODE(f, word + 1, AFTER) >> 3] = CODE(f, word, BEFORE);
		wrappers[read >> 6] |= (uint8_t)(1u << (read >> 3 & 7));
	}
}

/* ---- records --------------------------------------------------------------------------------- */

static void add(uint32_t code, uint32_t extra, uint32_t second)
{
	if (!is_off)
		out->records[out->n++] = (struct cinstr_record){ code, (uint32_t)now, extra, second };
}

static void add_special(uint32_t type, uint32_t argument, uint64_t value)
{
	add(CINSTR_SPECIAL(type, argument), (uint32_t)value, (uint32_t)(value >> 32) | 1u << 31);
}

static void break_last(void)
{
	struct cinstr_record *last = &out->records[out->n - 1], old = *last;

	switch (random_below(9)) {
	case 0:
		last->code = CINSTR_CODE_WORD(last->code) | random_below(8);
		break;
	case 1:
		last->code = random_below(CODES) << 3 | CINSTR_CODE_KIND(last->code);
		break;
	case 2:
		last->extra += 8 * random_below(9) - 32;
		break;
	case 3:
		last->extra = random_below(2) ? OUTSIDE : stack[random_below(depth + 1)].sp;
		break;
	case 4:
		last->second = random_below(5);
		break;
	case 5:
		last->second = CODE(any_function(), ENTER, ENTER);
		break;
	case 6:
		last->time_lo -= random_below(300);
		break;
	case 7:
		add(old.code, old.extra, old.second);
		break;
	default:
		out->n--;
	}
}

static void add_slow(uint32_t ticks)
{
	static const uint32_t bits[] = { CINSTR_OS_VOLUNTARY, CINSTR_OS_INVOLUNTARY | CINSTR_OS_MAJOR_FAULT,
					 CINSTR_OS_SYSCALL, CINSTR_OS_MINOR_FAULT };
	uint32_t with = random_below(3) ? bits[random_below(4)] : 0;

	add_special(CINSTR_SP_SLOW, with, now);
	if (!with || random_once_in(8))
		return;
	add_special(CINSTR_SP_OS, 0, random_below(ticks + 1));
	add_special(CINSTR_SP_SWITCHES, 0, (uint64_t)random_below(2) << 32 | random_below(3));
}

/* An event, some time after the last one; target: of an indirect call. */
static void put_with_target(uint32_t code, uint32_t extra, uint32_t second, uint64_t target)
{
	uint32_t ticks = random_once_in(manners.late) ? random_below(1u << 20) : random_below(200);

	now += ticks;
	if (random_once_in(manners.missing))
		return;
	if (random_once_in(manners.slow))
		add_slow(ticks);
	if (target)
		add_special(CINSTR_SP_TARGET, 0, target);
	add(code, extra, second);
	if (!is_off && random_once_in(manners.broken))
		break_last();
}

static void put(uint32_t code, uint32_t extra, uint32_t second)
{
	put_with_target(code, extra, second, 0);
}

/* ---- the program ----------------------------------------------------------------------------- */

static struct call *top(void)
{
	return &stack[depth - 1];
}

static int runs_function(void)
{
	return depth && top()->function != UNKNOWN;
}

static uint32_t return_of_sled(uint32_t code)
{
	return text + CINSTR_CODE_WORD(code) + 5;
}

static uint32_t return_of_call(uint32_t code)
{
	return code ? return_of_sled(code) + 5 : OUTSIDE;
}

/* Where the frame's own thunks stand; the lines' perhaps where the function was entered. */
static uint32_t own_sp(const struct call *call, uint32_t least)
{
	return call->sp - 8 * (least + random_below(2));
}

static void push(uint32_t function, uint32_t site)
{
	stack[depth] = (struct call){ function, 0x7fff0000 - 64 * depth, site };
	depth++;
}

static void pop_to(uint32_t to)
{
	depth = to;
	if (depth < lowest)
		lowest = depth;
}

/* The recording's own, between two events that else were one record. */
static void some_own_work(void)
{
	if (!random_once_in(3))
		return;
	now += random_below(500);
	add_special(CINSTR_SP_RESUME, 0, now);
}

static void call_function(void)
{
	uint32_t f = top()->function, g = any_function(), site = CODE(f, CALL + 2 * g, BEFORE);

	push(g, site);
	if (manners.calls_only || random_below(8)) {
		put(site, top()->sp, CODE(g, ENTER, ENTER));
		return;
	}
	put(site, return_of_sled(site), 0);
	some_own_work();
	put(CODE(g, ENTER, ENTER), return_of_call(site), top()->sp | 1);
}

static void call_unknown(void)
{
	uint32_t f = top()->function, site = CODE(f, random_below(3) ? PUTS : READ, BEFORE);

	put(site, return_of_sled(site), 0);
	push(UNKNOWN, site);
}

static void call_by_pointer(void)
{
	uint32_t f = top()->function, g = any_function(), site = CODE(f, POINTER, BEFORE);
	uint64_t target = random_below(4) ? 0x7f0000001000ull + 16 * random_below(2) : 0;

	put_with_target(site, return_of_sled(site), 0, target);
	push(random_below(2) ? g : UNKNOWN, site);
	if (runs_function())
		put(CODE(g, ENTER, ENTER), return_of_call(site), top()->sp | 1);
}

static void call_back(void)
{
	uint32_t g = any_function();

	push(g, 0);
	put(CODE(g, ENTER, ENTER), OUTSIDE + 32 * random_below(2), top()->sp | 1);
}

static void tail_call(void)
{
	uint32_t f = top()->function, g = any_function(), code = CODE(f, TAIL + g, TAIL);

	top()->function = g;
	if (random_below(4)) {
		put(code, top()->sp, CODE(g, ENTER, ENTER));
		return;
	}
	put(code, return_of_call(top()->site), 0);
	some_own_work();
	put(CODE(g, ENTER, ENTER), return_of_call(top()->site), top()->sp | 1);
}

/* To what has no probes: it returns to who called the function. */
static void tail_call_unknown(void)
{
	uint32_t f = top()->function;

	put_with_target(CODE(f, TAIL_OUT, TAIL), return_of_call(top()->site), 0,
			random_below(3) ? 0 : 0x7f0000002000ull);
	top()->function = UNKNOWN;
}

static void put_after(const struct call *caller, uint32_t site)
{
	put(CINSTR_CODE_WORD(site) + 8 + CINSTR_EV_AFTER, own_sp(caller, 1), CINSTR_SECOND_PLAIN);
}

static void come_back(void)
{
	const struct call ended = *top(), *caller;
	uint32_t word = random_below(3) ? EXIT : EXIT_ELSEWHERE;
	uint32_t exit = CODE(ended.function, word, EXIT);

	pop_to(depth - 1);
	caller = runs_function() && ended.site ? top() : NULL;
	/* Code that is not on the stack, but has probes since they were switched on, called it
	 * back. */
	if (depth && !ended.site && random_once_in(manners.missing)) {
		put(exit, own_sp(&stack[random_below(depth)], 1), CINSTR_SECOND_FUSED_EXIT);
		return;
	}
	if (ended.function != UNKNOWN && caller && (manners.calls_only || random_below(8))) {
		put(exit, own_sp(caller, 1), CINSTR_SECOND_FUSED_EXIT);
		return;
	}
	if (ended.function != UNKNOWN)
		put(exit, return_of_call(ended.site), CINSTR_SECOND_EXIT);
	if (caller)
		put_after(caller, ended.site);
}

/* A jump or an exception: control is in a frame further out. */
static void leave_frames(void)
{
	uint32_t to = random_below(depth);
	const struct call *frame = &stack[to];
	uint32_t site = stack[to + 1].site;

	if (frame->function == UNKNOWN || to + 1 == depth)
		return;
	pop_to(to + 1);
	if (random_once_in(manners.missing ? 2 : 0))
		return;
	if (site && random_below(2))
		put_after(frame, site);
	else
		put(CODE(frame->function, LANDING, LANDING), own_sp(frame, 1), CINSTR_SECOND_PLAIN);
}

static void reach_line(void)
{
	put(CODE(top()->function, LINE + random_below(manners.simple ? 1 : LINES), LINE), own_sp(top(), 0),
	    CINSTR_SECOND_PLAIN);
}

static void go_on_or_off(void)
{
	if (!is_off) {
		now += random_below(100);
		add_special(CINSTR_SP_PAUSE, 0, now);
		lowest = depth;
		is_off = 1;
		return;
	}
	is_off = 0;
	now += random_below(10000);
	add_special(CINSTR_SP_CONTINUE, 0, now);
	add_special(CINSTR_SP_STACK, 0, lowest | (uint64_t)(0x7fff0000 - 64 * lowest) >> 1 << 32);
}

static void step_in_function(void)
{
	static void (*const steps[])(void) = { call_by_pointer, tail_call,    tail_call_unknown, call_unknown,
					       call_unknown,	leave_frames, reach_line };

	if (depth == RANDOM_DEPTH_MAX || random_below(20) < (manners.calls_only ? 10 : 7))
		come_back();
	else if (manners.calls_only || random_below(10) < 6)
		call_function();
	else
		steps[random_below(sizeof(steps) / sizeof(*steps))]();
}

static void step(void)
{
	if (random_once_in(is_off ? 10 : manners.pauses))
		go_on_or_off();
	else if (runs_function())
		step_in_function();
	else if (!depth || (depth < RANDOM_DEPTH_MAX && random_below(3)))
		call_back();
	else
		come_back();
	if (manners.pauses && random_once_in(100))
		add_special(CINSTR_SP_LOST, 0, 1 + random_below(5));
}

void random_events_begin(struct random_events *events, const struct random_manners *with, uint64_t seed)
{
	sites_make();
	names_make();
	memset(stack, 0, sizeof(stack));
	*events = (struct random_events){ .sites = with->counted ? &sites_counted : &sites };
	out = events;
	manners = *with;
	depth = lowest = 0;
	is_off = 0;
	now = RANDOM_FIRST;
	state = seed;
	text = random_below(2) ? 0x400000 : 0x7fff8000;
}

void random_events_next(struct random_events *events)
{
	size_t n = 2 + random_below(RANDOM_RECORDS_MAX - ROOM - 2);
	int was_off = is_off;

	out = events;
	events->n = 0;
	now += random_below(500); /* the runtime's own */
	is_off = 0;
	add_special(CINSTR_SP_START, 0, now);
	is_off = was_off;
	for (uint32_t i = 0; i < 1000 && events->n < n; i++)
		step();
}
