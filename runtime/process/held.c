/* SPDX-License-Identifier: MIT */
/*
 * held.c - the table of blocks that the program has allocated and not freed (cinstr/held.h), for
 * CINSTR_HELD. The thunks around calls that allocate and free (thunk_moves.inc) take the slow path,
 * which calls this file: behind the call that allocates, and before the one that frees, so that the
 * order is that of the program, whichever thread frees.
 *
 * Called in any thread, recording or not, signals blocked, without locks. An entry belongs to the
 * thread that has made it BUSY; a block's entry is changed by the thread that has the block from
 * the allocator, or gives it back; no block is both. Must not look at the block.
 */
#include "cinstr/held.h"

#include "runtime.h"

#define BLOCKS_DEFAULT (1u << 18)

static struct cinstr_held_table *table; /* NULL: nothing is kept */

/* Returns the number of blocks that CINSTR_HELD asks for; 0: none. */
static uint64_t blocks_wanted(void)
{
	static const char *const words[] = { "off", "0", "on", NULL };
	const char *text = option_value(CINSTR_OPTION_HELD);
	uint64_t blocks = 0;

	for (int i = 0; words[i]; i++)
		if (string_equal(text, words[i]))
			return i < 2 ? 0 : BLOCKS_DEFAULT;
	option_size(CINSTR_OPTION_HELD, &blocks);
	return blocks;
}

int held_is_wanted(void)
{
	return blocks_wanted() != 0;
}

void held_begin(void)
{
	uint64_t blocks = cinstr.clock == CINSTR_CLOCK_TSC ? blocks_wanted() : 0, bytes;
	struct cinstr_held_table *made = NULL;
	uint32_t bits = CINSTR_HELD_BITS_MIN;

	if (!blocks && blocks_wanted())
		cinstr_say("CINSTR_HELD: no blocks are kept, as the clock is not the time-stamp counter",
			   NULL, 0);
	while (bits < CINSTR_HELD_BITS_MAX && (uint64_t)CINSTR_HELD_BUCKET << bits < blocks)
		bits++;
	bytes = sizeof(*made) + ((uint64_t)CINSTR_HELD_BUCKET << bits) * sizeof(made->entries[0]);
	if (blocks)
		made = store_segment(CINSTR_SEG_HELD, bytes, 0);
	if (made) {
		made->bits = bits;
		store_segment_of(made)->used = bytes;
	}
	atomic_store_release(&table, made); /* held_free(), add() */
}

void held_end(void)
{
	atomic_store_release(&table, NULL); /* held_free(), add() */
}

int held_is_on(void)
{
	return atomic_load_relaxed(&table) != NULL;
}

void held_tell(struct fold *fold)
{
	const struct cinstr_held_table *at = atomic_load_acquire(&table);

	fold->held_from = at ? store_offset(at->entries) : 0;
	fold->held_bytes = at ? ((uint64_t)CINSTR_HELD_BUCKET << at->bits) * sizeof(at->entries[0]) : 0;
}

static int is_kept(const struct cinstr_held_table *at, uint64_t address)
{
	return cinstr_held_is_kept(at->bits, atomic_load_relaxed(&at->halvings), cinstr_held_hash(address));
}

/* Returns the block's entry, or NULL. */
static struct cinstr_held *find(struct cinstr_held_table *at, uint64_t address)
{
	uint64_t hash = cinstr_held_hash(address);

	for (int way = 0; way < 2; way++) {
		struct cinstr_held *entry = &at->entries[cinstr_held_bucket(at->bits, hash, way)];

		for (unsigned i = 0; i < CINSTR_HELD_BUCKET; i++, entry++)
			if (atomic_load_relaxed(&entry->address) == address)
				return entry;
	}
	return NULL;
}

/* Removes the block from the table. Returns 1 and sets *old to its entry, or 0: it is not there. */
static int take(struct cinstr_held_table *at, uint64_t address, struct cinstr_held *old)
{
	struct cinstr_held *entry = is_kept(at, address) ? find(at, address) : NULL;

	if (!entry)
		return 0;
	*old = *entry;
	/* else it has been given away meanwhile, as it is no longer kept */
	if (!atomic_compare_swap(&entry->address, &address, 0))
		return 0;
	atomic_add(&at->now, -(old->bytes << atomic_load_relaxed(&at->halvings)));
	return 1;
}

/* Returns an entry for the block, which is made BUSY, or NULL: all are in use. */
static struct cinstr_held *claim(struct cinstr_held_table *at, uint64_t hash)
{
	for (int way = 0; way < 2; way++) {
		struct cinstr_held *entry = &at->entries[cinstr_held_bucket(at->bits, hash, way)];

		for (unsigned i = 0; i < CINSTR_HELD_BUCKET; i++, entry++) {
			uint64_t known = atomic_load_relaxed(&entry->address);

			if (known != CINSTR_HELD_BUSY && (!known || !is_kept(at, known)) &&
			    atomic_compare_swap(&entry->address, &known, CINSTR_HELD_BUSY))
				return entry;
		}
	}
	return NULL;
}

static void add_bytes(struct cinstr_held_table *at, uint64_t bytes, uint64_t now_ticks)
{
	uint64_t sum = bytes << atomic_load_relaxed(&at->halvings);
	int64_t now = (int64_t)(atomic_add(&at->now, sum) + sum);
	uint64_t most = atomic_load_relaxed(&at->most);

	while (now > (int64_t)most)
		if (atomic_compare_swap(&at->most, &most, (uint64_t)now)) {
			atomic_store_relaxed(&at->most_ticks, now_ticks);
			return;
		}
}

/* Returns the entry that has got the block, or NULL: its address is not kept. */
static struct cinstr_held *put(struct cinstr_held_table *at, const struct cinstr_held *block)
{
	uint64_t hash = cinstr_held_hash(block->address);
	struct cinstr_held *entry = NULL;

	while (!entry) {
		uint32_t halvings = atomic_load_relaxed(&at->halvings);

		if (!cinstr_held_is_kept(at->bits, halvings, hash))
			return NULL;
		entry = claim(at, hash);
		if (!entry && halvings == CINSTR_HELD_HALVINGS)
			return NULL;
		if (!entry)
			atomic_compare_swap(&at->halvings, &halvings, halvings + 1);
	}
	entry->bytes = block->bytes;
	entry->ticks = block->ticks;
	atomic_store_relaxed(&entry->owner, block->owner);
	add_bytes(at, block->bytes, block->ticks);
	atomic_store_release(&entry->address, block->address); /* reader */
	return entry;
}

static uint64_t owner_of(const struct thread *thread)
{
	return store_offset(thread->record) / sizeof(struct cinstr_cell) << 32;
}

void held_free(struct thread *thread, const struct probe_frame *frame)
{
	struct cinstr_held_table *at = atomic_load_acquire(&table);
	uint64_t address = arch_argument(&frame->registers, 0);
	struct cinstr_held old;

	/* a forked child's table is not made yet */
	if (!(frame->kind & PROBE_KIND_FREES) || !*cinstr.alive)
		return;
	if (!at || address <= CINSTR_HELD_BUSY || !take(at, address, &old))
		old.address = 0;
	if (thread) {
		thread->held.old = old;
		thread->held.freed_site = (uint32_t)frame->at[0];
	}
}

/* Returns the block that a call has returned, or 0: it has failed. posix_memalign() has just
 * written it where its first argument says. */
static uint64_t block_of(const struct thread *thread, const struct probe_frame *frame)
{
	uint64_t result = arch_result(&frame->registers);

	if (!(frame->kind & PROBE_KIND_HOLDS_AT))
		return result;
	return (uint32_t)result ? 0 : *(const uint64_t *)thread->held.first;
}

static uint64_t add(struct thread *thread, const struct probe_frame *frame, uint64_t now)
{
	struct cinstr_held_table *at = atomic_load_acquire(&table);
	uint32_t after = (uint32_t)frame->at[0] - ARCH_SLED_BYTES, site = files_site();
	struct cinstr_held block = { .bytes = files_size(), .ticks = now, .owner = owner_of(thread) }, unseen;

	/* else a handler's call came between */
	if (!at || after - site > CINSTR_CALL_BYTES_MAX)
		return 0;
	block.address = block_of(thread, frame);
	if (!block.address && block.bytes && thread->held.old.address && thread->held.freed_site == site)
		put(at, &thread->held.old); /* realloc has failed */
	if (block.address <= CINSTR_HELD_BUSY)
		return 0;
	if (take(at, block.address, &unseen))
		atomic_add(&at->replaced, 1);
	at = (void *)put(at, &block);
	return at ? store_offset(at) / sizeof(block) : 0;
}

uint64_t held_note(struct thread *thread, const struct probe_frame *frame, uint64_t now)
{
	if (!(frame->kind & PROBE_KIND_HOLDS))
		return 0;
	if (CINSTR_CODE_KIND(frame->kind) == CINSTR_EV_AFTER)
		return add(thread, frame, now);
	thread->held.first = arch_argument(&frame->registers, 0);
	return 0;
}
