/* SPDX-License-Identifier: MIT */
/*
 * cinstr/held.h - the blocks of memory that a program has allocated and not freed (CINSTR_HELD): a
 * table in the data file, which threads change at the time of the event: after a call that
 * allocates, and before one that frees. Folds add the call path (runtime/fold/fold_amount.c).
 *
 * A block's place is one of 2 * CINSTR_HELD_BUCKET entries, by its address. Where these are all in
 * use `halvings` is increased: of all addresses only 1 in 2^halvings is kept from then on, by bits
 * of the same product; entries of others count as free. So a sum over the table, times 2^halvings,
 * is an estimate; without halvings it is exact.
 */
#ifndef CINSTR_HELD_H
#define CINSTR_HELD_H

#include <stddef.h>
#include <stdint.h>

#include "names.h"

/* Payload: struct cinstr_held_table. */
#define CINSTR_SEG_HELD 37
#define CINSTR_HELD_BUCKET 8u
#define CINSTR_HELD_HALVINGS 20u
#define CINSTR_HELD_BITS_MIN 1u
#define CINSTR_HELD_BITS_MAX 21u

struct cinstr_held {
	uint64_t address; /* 0: free; CINSTR_HELD_BUSY: it is being written */
	uint64_t bytes;	  /* that the call asked for */
	uint64_t ticks;	  /* stamp of the end of the call */
	/* offset of the struct cinstr_thread / 64 << 32 | cell index of the call path, 0 until the
	 * event is folded */
	uint64_t owner;
};
#define CINSTR_HELD_BUSY 1u

struct cinstr_held_table {
	uint32_t bits; /* there are 2^bits buckets */
	uint32_t halvings;
	uint64_t now;  /* bytes held, a sum of events: see `halvings` */
	uint64_t most; /* highest value of `now` */
	uint64_t most_ticks;
	/* blocks that were freed by code without probes, and replaced by another one of the same
	 * address */
	uint64_t replaced;
	uint64_t reserved[3];
	struct cinstr_held entries[];
};

/*
 * A special record (cinstr/format.h) of the type of AMOUNT, before the AFTER of a call that has
 * allocated. value: offset of the block's entry in the file, divided by its size.
 */
#define CINSTR_HELD_RECORD CINSTR_SPECIAL(CINSTR_SP_AMOUNT, 2)

static inline uint64_t cinstr_held_hash(uint64_t address)
{
	/* malloc's addresses are multiples of 16 */
	return (address >> 4) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Returns the first entry of the block's first (way 0) or second bucket (way 1). */
static inline size_t cinstr_held_bucket(uint32_t bits, uint64_t hash, int way)
{
	if (way)
		hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return (size_t)(hash >> (64 - bits)) * CINSTR_HELD_BUCKET;
}

static inline int cinstr_held_is_kept(uint32_t bits, uint32_t halvings, uint64_t hash)
{
	return !halvings || !(hash << bits >> (64 - halvings));
}

struct cinstr_held_call {
	const char *name;
};

/* Functions that free the block that is their first argument, in the order of strcmp(). */
static const struct cinstr_held_call cinstr_held_calls[] = {
	{ "_ZdaPv" },
	{ "_ZdaPvRKSt9nothrow_t" },
	{ "_ZdaPvSt11align_val_t" },
	{ "_ZdaPvSt11align_val_tRKSt9nothrow_t" },
	{ "_ZdaPvm" },
	{ "_ZdaPvmSt11align_val_t" },
	{ "_ZdlPv" },
	{ "_ZdlPvRKSt9nothrow_t" },
	{ "_ZdlPvSt11align_val_t" },
	{ "_ZdlPvSt11align_val_tRKSt9nothrow_t" },
	{ "_ZdlPvm" },
	{ "_ZdlPvmSt11align_val_t" },
	{ "cfree" },
	{ "free" },
	{ "free_aligned_sized" },
	{ "free_sized" },
	{ "realloc" },
	{ "reallocarray" },
};

static inline int cinstr_held_is_freed(const char *name)
{
	return CINSTR_NAMES_FIND(cinstr_held_calls, name) != NULL;
}

#endif
