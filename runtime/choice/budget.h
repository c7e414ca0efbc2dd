/* SPDX-License-Identifier: MIT */
/*
 * budget.h - the budget of overhead (CINSTR_MAX_OVERHEAD): which functions' probes are to be taken
 * out, and which may come back. budget_sample.c and budget_out.c decide: records in, functions out,
 * nothing else touched, so that unit tests can ask them. budget.c keeps the account and acts.
 */
#ifndef CINSTR_BUDGET_H
#define CINSTR_BUDGET_H

#include <stdint.h>

#include "cinstr/format.h"
#include "fold/fold.h"

/* What of a function's probes is in place. */
enum budget_level { BUDGET_NONE = 0, BUDGET_ENTRY = 1, BUDGET_ALL = 2, BUDGET_COUNT = 3 };

#define BUDGET_MILLION 1000000u

#define BUDGET_SHAPES 32

/* What records cost, besides the time that stands in them as the runtime's. */
struct budget_prices {
	uint64_t event[BUDGET_SHAPES]; /* 1/1024 ticks; see budget_set_prices */
	uint64_t fold;		       /* 1/1024 ticks for each record of this buffer */
	/* ticks of an event in the slow path that are not between its stamp and RESUME */
	uint64_t slow;
	uint64_t slow_max; /* ticks between them that count: what is more was an interruption */
};

/* Of a function, in 1/1024 ticks. */
struct budget_function {
	uint32_t func; /* code of its ENTER sled; 0: a free slot */
	uint32_t level;
	uint64_t sites;	 /* cost of the probes at its calls and lines */
	uint64_t events; /* cost of the others: entry, exit, landings */
	/* its exclusive time, and that of functions without probes which it called, less costs */
	int64_t work;
	/* activations that began in the buffers; of these, those that ended there, and their ticks,
	 * with all they called */
	uint32_t entered, returned;
	uint32_t ended; /* activations that ended in the buffers, wherever they began */
	uint64_t inclusive;
};

#define BUDGET_FUNCTIONS 1024 /* a power of two */

/* Where the probes' cost is: sum over some buffers. */
struct budget_sample {
	uint64_t probes, own; /* ticks: cost of all probes; processor time of the program itself */
	uint64_t last;	      /* stamp of the last buffer */
	/* 1: what costs too much is counted, with the sleds at its calls off; 0: it is left out,
	 * first its own calls */
	int counts;
	uint32_t n;
	struct budget_function functions[BUDGET_FUNCTIONS];
};

/* costs: 1/1024 ticks, by enum cinstr_cost. */
void budget_set_prices(struct budget_prices *prices, const uint64_t costs[CINSTR_COST_KINDS]);
/* Cost of a buffer's records in ticks, without the fold's. records[0] is START. */
uint64_t budget_cost(const struct budget_prices *prices, const struct cinstr_record *records, size_t n);
/* Adds a buffer's records to the functions they belong to. */
void budget_add(struct budget_sample *sample, const struct budget_prices *prices,
		const struct fold_sites *sites, const struct cinstr_record *records, size_t n);
void budget_clear(struct budget_sample *sample);

struct budget_pick {
	uint32_t func;
	uint32_t level; /* to be left */
	uint64_t cost;	/* ticks it has in the sample */
};

/*
 * What is to be taken out so that the sample's probes cost at most limit millionths of its own
 * time, less a margin: those with the most cost for their work first; of a function that is not
 * counted the calls first. The functions' levels must be set. Returns the number.
 */
unsigned budget_choose(struct budget_sample *sample, uint64_t limit, struct budget_pick *picks, unsigned max);

/* A function of which something is out, or was. */
struct budget_out {
	uint32_t func;
	uint32_t level;	   /* in place now */
	uint64_t cost;	   /* millionths of the program's own time, when it was taken out */
	uint64_t since;	   /* stamp of the last change */
	uint64_t wait;	   /* ticks from being taken out to a trial; doubles with each that fails */
	uint32_t is_stuck; /* 1: it cannot be switched */
	uint32_t changes;  /* how often it was taken out */
	/* of one that is counted: its calls, and the stamp, when it was looked at */
	uint64_t calls, looked;
};

#define BUDGET_OUTS 4096

struct budget_outs {
	uint64_t first_wait, longest_wait; /* ticks */
	uint32_t n;
	uint32_t n_looked;		 /* the next one to be looked at, by and by */
	uint32_t n_out;			 /* with another level than BUDGET_ALL */
	uint16_t slots[2 * BUDGET_OUTS]; /* by function: 1 + index; 0: free */
	struct budget_out list[BUDGET_OUTS];
};

struct budget_out *budget_find(struct budget_outs *outs, uint32_t func);
/* NULL: no room. */
struct budget_out *budget_take_out(struct budget_outs *outs, const struct budget_pick *pick, uint64_t cost,
				   uint64_t now);
void budget_put_back(struct budget_outs *outs, struct budget_out *out, uint64_t now);
/* a function that costs less than this part of the limit stays timed */
#define BUDGET_FLOOR_PARTS 128

/* Of ticks of calls, what part of the time the probes of a function may cost. */
struct budget_rate {
	uint64_t window; /* ticks to look at, at least */
	uint64_t limit;	 /* millionths */
	uint64_t cost;	 /* of the probes of a call */
};

/*
 * A function that is counted has been called so often until now. If its probes would cost so little
 * that it would stay timed, since its calls last longer than before, or are rarer, it need not wait
 * for its trial.
 */
void budget_look(struct budget_out *out, const struct budget_rate *rate, uint64_t calls, uint64_t now);
/* Of those that have waited long enough, the one that cost least. NULL: none. */
struct budget_out *budget_due(struct budget_outs *outs, uint64_t now);

/* kept_level.c: the level of the function of this ENTER sled, by code, and sets it. */
int kept_level_of(uint32_t func);
void kept_level_set(uint32_t func, int level);

#endif
