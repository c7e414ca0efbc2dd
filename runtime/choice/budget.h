/* SPDX-License-Identifier: MIT */
/*
 * budget.h - the budget of overhead (CINSTR_MAX_OVERHEAD): chooses the functions whose probes are
 * taken out, and those that get them back. budget_sample.c and budget_out.c decide from records
 * alone and touch nothing else, so that unit tests can call them. budget.c keeps the account and
 * acts.
 */
#ifndef CINSTR_BUDGET_H
#define CINSTR_BUDGET_H

#include <stdint.h>

#include "cinstr/format.h"
#include "fold/fold.h"

/* The probes of a function that are in place. */
enum budget_level { BUDGET_NONE = 0, BUDGET_ENTRY = 1, BUDGET_ALL = 2, BUDGET_COUNT = 3 };

#define BUDGET_MILLION 1000000u

#define BUDGET_SHAPES 32

/* Costs of records, besides the runtime's time that they contain. */
struct budget_prices {
	uint64_t event[BUDGET_SHAPES]; /* 1/1024 ticks; see budget_set_prices */
	uint64_t fold;		       /* 1/1024 ticks for each record of this buffer */
	/* ticks of an event in the slow path that are not between its stamp and RESUME */
	uint64_t slow;
	uint64_t slow_max; /* most ticks between them that count; longer times were interruptions */
};

/* The cost and work of a function, in 1/1024 ticks. */
struct budget_function {
	uint32_t func; /* code of its ENTER sled; 0: a free slot */
	uint32_t level;
	uint64_t sites;	 /* cost of the probes at its calls and lines */
	uint64_t events; /* cost of its other probes: entry, exit, landings */
	/* its exclusive time, with its callees without probes, less the probes' costs */
	int64_t work;
	/* activations that began in the buffers; those of them that also ended there, and their
	 * inclusive ticks */
	uint32_t entered, returned;
	uint32_t ended; /* activations that ended in the buffers, wherever they began */
	uint64_t inclusive;
};

#define BUDGET_FUNCTIONS 1024 /* a power of two */

/* The probes' costs by function, summed over some buffers. */
struct budget_sample {
	uint64_t probes, own; /* ticks: cost of all probes; processor time of the program itself */
	uint64_t last;	      /* stamp when the last buffer was added */
	/* 1: functions that cost too much are counted, with the sleds at their calls off; 0: they
	 * are left out, their calls first */
	int counts;
	uint32_t n;
	struct budget_function functions[BUDGET_FUNCTIONS];
};

/* Sets the prices by costs in 1/1024 ticks, by enum cinstr_cost. */
void budget_set_prices(struct budget_prices *prices, const uint64_t costs[CINSTR_COST_KINDS]);
/* Returns the cost of a buffer's records in ticks, without the fold's. records[0] is START. */
uint64_t budget_cost(const struct budget_prices *prices, const struct cinstr_record *records, size_t n);
/* Adds a buffer's records to the functions they belong to. */
void budget_add(struct budget_sample *sample, const struct budget_prices *prices,
		const struct fold_sites *sites, const struct cinstr_record *records, size_t n);
void budget_clear(struct budget_sample *sample);

struct budget_pick {
	uint32_t func;
	uint32_t level; /* level to be left in place */
	uint64_t cost;	/* ticks that this saves in the sample */
};

/*
 * Chooses what to take out so that the sample's probes cost at most limit millionths of its own
 * time, less a margin: functions with the most cost for their work first; the calls of a function
 * first, unless it is to be counted. The functions' levels must be set. Returns the number of
 * picks.
 */
unsigned budget_choose(struct budget_sample *sample, uint64_t limit, struct budget_pick *picks, unsigned max);

/* A function with probes that are or were taken out. */
struct budget_out {
	uint32_t func;
	uint32_t level;	   /* probes in place now */
	uint64_t cost;	   /* millionths of the program's own time, when taken out */
	uint64_t since;	   /* stamp of the last change */
	uint64_t wait;	   /* ticks from then to a trial; doubles with each failed trial */
	uint32_t is_stuck; /* 1: it cannot be switched */
	uint32_t changes;  /* times that it was taken out */
	/* of a counted function: its calls and the stamp when last checked */
	uint64_t calls, looked;
};

#define BUDGET_OUTS 4096

struct budget_outs {
	uint64_t first_wait, longest_wait; /* ticks */
	uint32_t n;
	uint32_t n_looked;		 /* index of the next one to be checked */
	uint32_t n_out;			 /* number with another level than BUDGET_ALL */
	uint16_t slots[2 * BUDGET_OUTS]; /* by function: 1 + index; 0: free */
	struct budget_out list[BUDGET_OUTS];
};

struct budget_out *budget_find(struct budget_outs *outs, uint32_t func);
/* Adds the pick to the list. Returns its entry, or NULL: no room. cost: millionths. */
struct budget_out *budget_take_out(struct budget_outs *outs, const struct budget_pick *pick, uint64_t cost,
				   uint64_t now);
void budget_put_back(struct budget_outs *outs, struct budget_out *out, uint64_t now);
/* a function that costs less than this part of the limit stays timed */
#define BUDGET_FLOOR_PARTS 128

/* The limit for the cost of a function's probes. */
struct budget_rate {
	uint64_t window; /* least ticks between two checks */
	uint64_t limit;	 /* millionths */
	uint64_t cost;	 /* of the probes of a call, ticks */
};

/*
 * Checks a counted function that has been called `calls` times until now. If its probes would cost
 * so little that it would stay timed, because its calls have become rarer, its trial is due at
 * once.
 */
void budget_look(struct budget_out *out, const struct budget_rate *rate, uint64_t calls, uint64_t now);
/* Returns the function with the least cost among those that have waited long enough, or NULL. */
struct budget_out *budget_due(struct budget_outs *outs, uint64_t now);

/* kept_level.c: return and set the level (enum budget_level) of the function with this ENTER
 * sled. */
int kept_level_of(uint32_t func);
void kept_level_set(uint32_t func, int level);

#endif
