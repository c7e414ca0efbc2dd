/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random_events.h - buffers of records of a thread of a random program: every kind of event, in the
 * order that a program makes them in, or with records that are missing or wrong.
 */
#ifndef UNIT_RANDOM_EVENTS_H
#define UNIT_RANDOM_EVENTS_H

#include "runtime/fold/fold.h"

#define RANDOM_FIRST 1000000u /* stamp that the thread begins with */
#define RANDOM_RECORDS_MAX 128u
#define RANDOM_DEPTH_MAX 24u

/* How often something happens: once in so many times; 0: never. */
struct random_manners {
	uint32_t calls_only; /* 1: calls of functions with probes, nothing else */
	uint32_t simple;     /* 1: one function, with one line */
	uint32_t missing;    /* an event is not recorded: its sled is off */
	/* a record is changed, left out, doubled, or exchanged with the next one */
	uint32_t broken;
	uint32_t slow;	  /* an event has its full stamp before it, perhaps with OS events */
	uint32_t late;	  /* an event comes long after the one before */
	uint32_t pauses;  /* recording is off for a while */
	uint32_t counted; /* 1: a function's calls were counted, and what jumps lead to is known */
};

struct random_events {
	const struct fold_sites *sites;
	struct cinstr_record records[RANDOM_RECORDS_MAX];
	size_t n;
};

void random_events_begin(struct random_events *events, const struct random_manners *manners, uint64_t seed);
/* The thread's next buffer. */
void random_events_next(struct random_events *events);
/* A number below n, of the same sequence. */
uint32_t random_below(uint32_t n);
/* Once in n times; n = 0: never. */
int random_once_in(uint32_t n);

#endif
