/* SPDX-License-Identifier: MIT */
/*
 * thunk_count.c - stubs that count, behind the thunks and other stubs of a module (thunk.c): finds
 * the one of a slot, or makes it. What is in them writes arch/ARCH/count_stub.c.
 */
#include "runtime.h"
#include "thunk_more.h"

/* By whom a stub is reached. A sled that jumps has one that jumps back. */
enum stub_form { STUB_CALLED, STUB_KEEPS, STUB_JUMPED, STUB_LOCKS };

#define STUB_KEY(slot, form) ((slot) << 2 | (uint32_t)(form))
#define STUB_FORM(key) ((key)&3)

static int can_count(struct thunks *thunks)
{
	return thunks->counts && thunks->n_counts < thunks->most_counts && thunks_writable(thunks);
}

int thunks_can_count_site(struct thunks *thunks)
{
	if (!thunks->sites_left || !can_count(thunks))
		return 0;
	thunks->sites_left--;
	return 1;
}

/* Has the room mapped up to this offset, and as much again as there was. Returns 0, or -1. */
static int grow(struct thunks *thunks, size_t to)
{
	size_t mapped =
		min_of(thunks_whole_pages(to > 2 * thunks->mapped ? to : 2 * thunks->mapped), thunks->bytes);

	if (to <= thunks->mapped)
		return 0;
	if (backing_map(thunks->module, thunks->mapped, mapped))
		return -1;
	thunks->mapped = mapped;
	return 0;
}

/* Where the stub is, or will be; NULL: no room. */
static char *stub_of(struct thunks *thunks, uint32_t key)
{
	char *stubs = thunks->page + thunks->counts_at;
	uint32_t known = thunks->counts ? index_find(&thunks->counts_index, thunks->counts, key) : INDEX_NONE;

	if (known != INDEX_NONE)
		return stubs + known * COUNT_BYTES;
	if (!can_count(thunks) || grow(thunks, thunks->counts_at + (thunks->n_counts + 1) * COUNT_BYTES))
		return NULL;
	stubs[thunks->n_counts * COUNT_BYTES] = 0; /* of a module that is no more */
	thunks->counts[thunks->n_counts] = key;
	index_add(&thunks->counts_index, thunks->counts, thunks->n_counts);
	return stubs + thunks->n_counts++ * COUNT_BYTES;
}

int thunks_reserve_count(struct thunks *thunks, uint32_t slot)
{
	return stub_of(thunks, STUB_KEY(slot, cinstr.is_traced ? STUB_CALLED : STUB_JUMPED)) != NULL;
}

/* Its slot stands behind it, where any thread may read it. */
static void write_jumped(const struct thunks *thunks, char *stub, uint32_t slot, const char *back,
			 uint32_t word)
{
	struct counting_place place = counting_place(slot);

	*(uint32_t *)(void *)(stub + STUB_END) = slot;
	count_write_jumped(stub, place, back, word, thunks->page + OF(thunks, count_jump)[place.block]);
}

/* Never changed once it is there: threads may be in it. */
const char *thunk_for_count(struct thunks *thunks, uint32_t slot, int keep, const char *back)
{
	struct counting_place place = counting_place(slot);
	char *stub = stub_of(thunks, STUB_KEY(slot, back ? STUB_JUMPED : keep ? STUB_KEEPS : STUB_CALLED));

	if (!stub || (!*stub && !thunks_writable(thunks)))
		return NULL;
	if (!*stub && back)
		write_jumped(thunks, stub, slot, back,
			     ARCH_JUMP_OPCODE | (uint32_t)(stub + STUB_JUMPED_TO - back) << 8);
	else if (!*stub)
		count_write_called(stub, place, keep,
				   thunks->page +
					   (keep ? OF(thunks, count_keep) : OF(thunks, count))[place.block]);
	return back ? stub + STUB_JUMPED_TO : stub;
}

const char *thunk_for_led(struct thunks *thunks, uint32_t slot, const char *back)
{
	char *stub = stub_of(thunks, STUB_KEY(slot, STUB_JUMPED));
	const uint32_t *sled = (const void *)(back - ARCH_SLED_BYTES);

	if (!stub || (!*stub && !thunks_writable(thunks)))
		return NULL;
	if (!*stub)
		write_jumped(thunks, stub, slot, back, *sled);
	return thunk_for_calls(stub + STUB_JUMPED_TO);
}

const char *thunk_for_count_lock(struct thunks *thunks, uint32_t slot, enum cinstr_abi_lock lock, int keep)
{
	struct counting_place place = counting_place(slot);
	const struct count_lock of = { .lock = lock,
				       .taken = thunks->page + OF(thunks, lock_taken)[keep][lock],
				       .own = lock == CINSTR_LOCK_MUTEX && !keep
						      ? thunks->page + OF(thunks, lock_own)[0]
						      : NULL };
	char *stub = stub_of(thunks, STUB_KEY(slot, STUB_LOCKS));

	if (!stub || (!*stub && !thunks_writable(thunks)))
		return NULL;
	if (!*stub)
		count_write_lock(stub, place, keep, &of,
				 thunks->page +
					 (keep ? OF(thunks, count_keep) : OF(thunks, count))[place.block]);
	return stub;
}

const char *thunk_for_count_give(struct thunks *thunks, uint32_t slot, enum cinstr_object_use use)
{
	struct counting_place place = counting_place(slot);
	char *stub = stub_of(thunks, STUB_KEY(slot, STUB_CALLED));

	if (!stub || (!*stub && !thunks_writable(thunks)))
		return NULL;
	if (!*stub)
		count_write_called_behind(stub, place, thunks->page + OF(thunks, give)[use],
					  thunks->page + OF(thunks, count)[place.block]);
	return stub;
}

const char *thunk_for_count_bytes(struct thunks *thunks, uint32_t slot, enum cinstr_amount_use use)
{
	struct counting_place place = counting_place(slot);
	char *stub = stub_of(thunks, STUB_KEY(slot, STUB_CALLED));

	if (!stub || (!*stub && !thunks_writable(thunks)))
		return NULL;
	if (!*stub)
		count_write_bytes(stub, place, use, thunks->page + OF(thunks, sizes)[use],
				  thunks->page + OF(thunks, count)[place.block]);
	return stub;
}

/* Is it this place in a stub that is jumped to? */
static int is_in_jumped(const struct thunks *thunks, const char *at, size_t place)
{
	size_t offset = (size_t)(at - thunks->page) - thunks->counts_at;

	return offset < (size_t)thunks->n_counts * COUNT_BYTES && offset % COUNT_BYTES == place &&
	       STUB_FORM(thunks->counts[offset / COUNT_BYTES]) == STUB_JUMPED;
}

int thunks_slot_before(const char *end)
{
	const struct thunks *thunks = thunks_around(end);

	if (!thunks || (size_t)(end - thunks->page - thunks->counts_at) % COUNT_BYTES != STUB_END)
		return -1;
	return *(const int32_t *)(const void *)end;
}

int thunk_is_jumped_to(const struct thunks *thunks, const char *thunk)
{
	return is_in_jumped(thunks, thunk, STUB_JUMPED_TO);
}

const char *thunk_for_calls(const char *thunk)
{
	const char *stub = thunk - STUB_JUMPED_TO;

	return stub + ((uint8_t)*stub == STUB_NO_MARK ? STUB_DIRECT : STUB_MARKED);
}

const char *thunk_sled_of(const struct thunks *thunks, const char *to)
{
	const char *jump = to + STUB_JUMPED_TO + STUB_BACK;

	if (is_in_jumped(thunks, to, STUB_DIRECT))
		jump -= STUB_DIRECT;
	else if (!is_in_jumped(thunks, to, STUB_MARKED))
		return NULL;
	return jump + *(const int32_t *)(const void *)(jump + 1);
}
