/* SPDX-License-Identifier: MIT */
/*
 * timeline_filter.c - finds the records of a buffer that belong to calls shorter than
 * CINSTR_TIMELINE_MIN: whole pairs of begin and end, with everything between them. In the thread
 * that owns the buffer.
 *
 * Leaves out only what is certain: a begin and an end in one buffer that fit by code, kind and
 * stack pointer. Where control went another way (a landing, recording off and on, an end that fits
 * nothing) all that is open stays. So does a call in which the operating system did something, and
 * one in which the clock's high half changed, because the record with the change is needed.
 */
#include "cinstr/amounts.h"
#include "timeline_steps.h"

/* from the ENTER's stack pointer to that behind the call: a return address, and arguments */
#define SP_SLACK 64u

enum open_kind {
	OPEN_CALL,  /* BEFORE or TAIL alone: its AFTER ends it */
	OPEN_FRAME, /* ENTER alone: its EXIT ends it */
	OPEN_BOTH,  /* fused: EXIT + AFTER ends it */
};

struct filter {
	struct timeline_work *work;
	const struct cinstr_record *records;
	size_t n_records;
	uint64_t time;
	uint64_t min_ticks;
	uint64_t left_out; /* events */
	uint32_t n;	   /* open activations */
	uint32_t fixed;	   /* of these, the outermost ones stay whatever comes */
	uint32_t first;	   /* first record of the group at hand */
};

static void forget_all(struct filter *f)
{
	f->n = f->fixed = 0;
}

static struct timeline_open *top_of(const struct filter *f)
{
	return f->n ? &f->work->open[f->n - 1] : NULL;
}

static void open_one(struct filter *f, enum open_kind kind, uint32_t site, uint32_t func, uint32_t sp)
{
	f->work->open[f->n++] = (struct timeline_open){
		.ticks = f->time, .site = site, .func = func, .sp = sp, .first = f->first, .kind = kind
	};
}

static void close_top(struct filter *f)
{
	f->n--;
	if (f->fixed > f->n)
		f->fixed = f->n;
}

static uint64_t events_in(const struct filter *f, uint32_t from, uint32_t end)
{
	uint64_t events = 0;

	for (; from < end; from++) {
		if (f->work->skip[from]) { /* counted already */
			from = f->work->skip[from] - 1;
			continue;
		}
		events += timeline_events_of(f->records[from].code, f->records[from].second);
	}
	return events;
}

/* The topmost activation ends with record i. */
static void end_top(struct filter *f, size_t i)
{
	const struct timeline_open *open = top_of(f);
	uint32_t end = (uint32_t)i + 1;
	int stays =
		f->n <= f->fixed || f->time - open->ticks >= f->min_ticks || (f->time ^ open->ticks) >> 32;

	if (!stays) {
		if (end < f->n_records && f->records[end].code == CINSTR_SPECIAL(CINSTR_SP_RESUME, 0))
			end++; /* it belongs to the event */
		f->left_out += events_in(f, open->first, end);
		f->work->skip[open->first] = (uint16_t)end;
	}
	close_top(f);
}

static void on_exit(struct filter *f, const struct cinstr_record *r, size_t i)
{
	struct timeline_open *open = top_of(f);
	int is_fused = r->second == CINSTR_SECOND_FUSED_EXIT;

	if (!open)
		return;
	if (open->kind == OPEN_CALL || open->func != timeline_owner(r->code) ||
	    (is_fused && r->extra - open->sp > SP_SLACK)) {
		forget_all(f);
		return;
	}
	if (!is_fused && open->kind == OPEN_BOTH) {
		open->kind = OPEN_CALL; /* its AFTER will end it */
		return;
	}
	if (!is_fused || open->kind == OPEN_BOTH) {
		end_top(f, i);
		return;
	}
	/* The ENTER was alone: below it is the call that it belongs to, unless that began in an
	 * earlier buffer. */
	close_top(f);
	if (f->n && top_of(f)->kind == OPEN_CALL)
		end_top(f, i);
	else
		forget_all(f);
}

static void on_after(struct filter *f, const struct cinstr_record *r, size_t i)
{
	const struct timeline_open *open = top_of(f);

	if (!open)
		return;
	if (open->kind == OPEN_CALL && open->site == timeline_owner(r->code))
		end_top(f, i);
	else
		forget_all(f);
}

/* The function ends and another runs in its place. */
static void on_tail(struct filter *f, const struct cinstr_record *r, size_t i)
{
	struct timeline_open *open = top_of(f);

	if (!open)
		return;
	if (open->kind == OPEN_CALL || open->func != timeline_owner(r->code)) {
		forget_all(f);
	} else if (r->second) {
		open->func = r->second;
		open->sp = r->extra;
	} else if (open->kind == OPEN_BOTH) {
		open->kind = OPEN_CALL; /* what runs now ends with the AFTER of the first call */
	} else {
		end_top(f, i);
	}
}

static void on_event(struct filter *f, const struct cinstr_record *r, size_t i)
{
	switch (CINSTR_CODE_KIND(r->code)) {
	case CINSTR_EV_BEFORE:
		if (r->second)
			open_one(f, OPEN_BOTH, r->code, r->second, r->extra);
		else
			open_one(f, OPEN_CALL, r->code, 0, 0);
		break;
	case CINSTR_EV_ENTER:
		open_one(f, OPEN_FRAME, 0, r->code, CINSTR_ENTER_SP(r));
		break;
	case CINSTR_EV_EXIT:
		on_exit(f, r, i);
		break;
	case CINSTR_EV_AFTER:
		on_after(f, r, i);
		break;
	case CINSTR_EV_TAIL:
		on_tail(f, r, i);
		break;
	case CINSTR_EV_LANDING:
		forget_all(f);
		break;
	default:
		break; /* a line */
	}
}

/* Returns 1: an event follows that belongs to it. */
static int on_special(struct filter *f, const struct cinstr_record *r)
{
	uint64_t value = CINSTR_SPECIAL_VALUE(r);

	switch (CINSTR_SPECIAL_TYPE(r->code)) {
	case CINSTR_SP_START:
	case CINSTR_SP_RESUME:
		f->time = value > f->time ? value : f->time;
		return 0;
	case CINSTR_SP_SLOW:
		f->time = value > f->time ? value : f->time;
		if (CINSTR_SPECIAL_ARGUMENT(r->code))
			f->fixed = f->n;
		return 1;
	case CINSTR_SP_OS:
	case CINSTR_SP_SWITCHES:
	case CINSTR_SP_TARGET:
	case CINSTR_SP_AMOUNT:
		return 1;
	default: /* recording went off or on, events were lost */
		forget_all(f);
		return 0;
	}
}

uint64_t timeline_filter(struct timeline_work *work, const struct cinstr_record *records, size_t n)
{
	struct filter f = { .work = work,
			    .records = records,
			    .n_records = n,
			    .min_ticks = timeline_ticks(cinstr.timeline_min_ns) };
	int in_group = 0, has_os_event = 0;

	arch_zero(work->skip, sizeof(work->skip));
	for (size_t i = 0; i < n; i++) {
		const struct cinstr_record *r = &records[i];

		if (!in_group)
			f.first = (uint32_t)i;
		if (CINSTR_CODE_KIND(r->code) == CINSTR_EV_SPECIAL) {
			has_os_event |= CINSTR_SPECIAL_TYPE(r->code) == CINSTR_SP_OS;
			in_group = on_special(&f, r);
			continue;
		}
		f.time = timeline_advance(f.time, r);
		on_event(&f, r, i);
		/* also what this event has opened: the record before it says what happened */
		if (has_os_event)
			f.fixed = f.n;
		in_group = has_os_event = 0;
	}
	return f.left_out;
}
