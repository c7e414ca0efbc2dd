/* SPDX-License-Identifier: MIT */
/*
 * choice_stubs.c - what runtime/choice asks of other rooms, in place of these, for
 * random_modules.c: thunks are addresses that say what was asked for, a data file is memory, and
 * what is said is printed. test_fold_joint.c has `cinstr`, and lost.c.
 */
#include <stdio.h>
#include <string.h>

#include "choice_stubs.h"

ptrdiff_t probe_offset;
char cinstr_slow_entry[1];

struct stubs stubs;

static _Thread_local struct probe_state probe;
static char store[STUB_STORE] __attribute__((aligned(CINSTR_PAGE)));
static char control[2 * CINSTR_PAGE] __attribute__((aligned(CINSTR_PAGE)));
static uint64_t alive[8];
static char places[7][STUB_PLACE] __attribute__((aligned(CINSTR_PAGE)));

void stubs_begin(char *thunks)
{
	struct place *list[] = { &cinstr.words_place,	&cinstr.indirect_place, &cinstr.wrappers_place,
				 &cinstr.demoted_place, &cinstr.counted_place,	&cinstr.lost_place,
				 &cinstr.names_place };

	memset(&cinstr, 0, sizeof(cinstr));
	memset(store, 0, sizeof(store));
	memset(places, 0, sizeof(places));
	memset(control, 0, sizeof(control));
	stubs = (struct stubs){ .thunks = thunks, .used = CINSTR_PAGE, .room = 60 };
	probe_offset = (char *)&probe - (char *)__builtin_thread_pointer();
	for (int i = 0; i < 7; i++)
		*list[i] = (struct place){ .at = places[i], .size = STUB_PLACE };
	cinstr.state = RUNTIME_ON;
	cinstr.alive = alive;
	cinstr.control_pages = control;
	cinstr.store.file = store;
	cinstr.header = (void *)store;
	cinstr.header->file_bytes = CINSTR_PAGE;
	cinstr.sites.words = (void *)places[0];
	cinstr.indirect = (void *)places[1];
	cinstr.sites.wrappers = (void *)places[2];
	cinstr.demoted = (void *)places[3];
	cinstr.lost = (void *)places[5];
	cinstr.sites_reserved = STUB_PLACE / 8;
	cinstr.next_code = 0x100;
	cinstr.clock = CINSTR_CLOCK_TSC;
}

/* ---- thunks ---------------------------------------------------------------------------------- */

const char *thunk_address(struct thunks *thunks, uint32_t kind, enum thunk_way way, int only)
{
	(void)thunks;
	if (!cinstr.switching || !cinstr.any_on)
		printf(" nobody switches");
	return stubs.thunks + 0x1000 + kind * 16 + way * 2 + (only != 0);
}

const char *thunk_for_stream(const struct thunks *thunks, uint32_t kind)
{
	(void)thunks;
	return stubs.thunks + 0x2000 + kind;
}

const char *thunk_for_lock(const struct thunks *thunks, uint32_t kind, enum cinstr_abi_lock lock, int keep)
{
	(void)thunks;
	return stubs.thunks + 0x3000 + kind * 16 + lock * 2 + (keep != 0);
}

const char *thunk_for_object(const struct thunks *thunks, uint32_t kind, enum cinstr_object_use use)
{
	(void)thunks;
	return stubs.thunks + 0x6000 + kind * 16 + use;
}

const char *thunk_for_moves(const struct thunks *thunks, uint32_t kind, enum cinstr_amount_use use)
{
	return kind && use ? stubs.thunks + 0x8000 + kind * 16 + use : thunks ? NULL : NULL;
}

const char *thunk_for_held(const struct thunks *thunks, uint32_t kind, enum cinstr_amount_use use)
{
	return thunk_for_moves(thunks, kind, use);
}

const char *thunk_for_frees(const struct thunks *thunks, uint32_t kind, int alone)
{
	(void)thunks;
	return stubs.thunks + 0x9000 + kind * 16 + alone;
}

const char *thunk_for_give(const struct thunks *thunks, enum cinstr_object_use use)
{
	(void)thunks;
	return stubs.thunks + 0x7000 + use;
}

const char *thunk_for_action(const struct thunks *thunks, uint32_t kind, int recorded)
{
	(void)thunks;
	return stubs.thunks + 0x4000 + kind * 2 + recorded;
}

/* Calls through memory have no stub. */
const char *thunk_for_indirect(struct thunks *thunks, uint32_t kind, enum thunk_way way, const uint8_t *call)
{
	(void)thunks;
	return call[0] == 0x90 ? NULL : stubs.thunks + 0x5000 + kind * 16 + way;
}

const char *thunk_for_count(struct thunks *thunks, uint32_t slot, int keep, const char *back)
{
	(void)thunks;
	if (slot >= stubs.room)
		return NULL;
	if (back)
		stubs.back[slot] = back;
	return stubs.thunks + 0x8000 + slot * 8 + (keep != 0) * 2 + (back != NULL) * 4;
}

/* A call that gives an object has a stub that calls, which does the same. */
const char *thunk_for_count_give(struct thunks *thunks, uint32_t slot, enum cinstr_object_use use)
{
	(void)use;
	return thunk_for_count(thunks, slot, 0, NULL);
}

/* So has one that takes a lock. */
const char *thunk_for_count_bytes(struct thunks *thunks, uint32_t slot, enum cinstr_amount_use use)
{
	(void)use;
	return thunk_for_count(thunks, slot, 0, NULL);
}

const char *thunk_for_count_lock(struct thunks *thunks, uint32_t slot, enum cinstr_abi_lock lock, int keep)
{
	(void)lock;
	return thunk_for_count(thunks, slot, keep, NULL);
}

const char *thunk_for_led(struct thunks *thunks, uint32_t slot, const char *back)
{
	const char *stub = thunk_for_count(thunks, slot, 0, back);

	return stub ? thunk_for_calls(stub) : NULL;
}

static int slot_of_stub(const char *thunk, unsigned part)
{
	uint64_t at = (uint64_t)(thunk - stubs.thunks) - 0x8000;

	return at < STUB_SLOTS * 8 && (at & 5) == part && stubs.back[at / 8] ? (int)(at / 8) : -1;
}

int thunks_reserve_count(struct thunks *thunks, uint32_t slot)
{
	(void)thunks;
	return slot < stubs.room;
}

int thunks_can_count_site(struct thunks *thunks)
{
	(void)thunks;
	return stubs.has_sites;
}

int thunks_slot_before(const char *end)
{
	int slot = slot_of_stub(end - STUB_END + STUB_DIRECT, 5);

	return slot >= 0 ? slot : slot_of_stub(end - STUB_END + STUB_MARKED, 5);
}

int thunk_is_jumped_to(const struct thunks *thunks, const char *thunk)
{
	(void)thunks;
	return slot_of_stub(thunk, 4) >= 0;
}

const char *thunk_for_calls(const char *thunk)
{
	return thunk + 1;
}

const char *thunk_sled_of(const struct thunks *thunks, const char *to)
{
	int slot = slot_of_stub(to, 5);

	(void)thunks;
	return slot < 0 ? NULL : stubs.back[slot] - ARCH_SLED_BYTES;
}

struct thunks *thunks_make(const struct module *module, int *error)
{
	(void)module;
	*error = stubs.error;
	return stubs.error ? NULL : (struct thunks *)(void *)stubs.thunks;
}

struct thunks *thunks_make_own(void)
{
	return (struct thunks *)(void *)stubs.thunks;
}

int thunks_ready(struct thunks *thunks)
{
	(void)thunks;
	return 0;
}

void thunks_release(struct thunks *thunks)
{
	printf("  thunks %s\n", thunks ? "released" : "of nobody");
}

void thunks_describe(void)
{
}

uint64_t thunks_idle_descriptor(void)
{
	return 1;
}

/* ---- the data file --------------------------------------------------------------------------- */

void *store_segment(uint32_t type, uint64_t payload_bytes, uint32_t owner)
{
	uint64_t bytes = (payload_bytes + sizeof(struct cinstr_segment) + CINSTR_PAGE - 1) &
			 ~(uint64_t)(CINSTR_PAGE - 1);
	struct cinstr_segment *s = (void *)(store + stubs.used);

	printf("  segment %u, %llu bytes\n", type, (unsigned long long)payload_bytes);
	if (stubs.used + bytes > sizeof(store))
		return NULL;
	*s = (struct cinstr_segment){ .type = type, .owner = owner, .bytes = bytes };
	stubs.used += bytes;
	cinstr.header->file_bytes = stubs.used;
	stubs.last = s + 1;
	return s + 1;
}

struct cinstr_segment *store_segment_of(void *payload)
{
	return (struct cinstr_segment *)payload - 1;
}

void store_seal(void *payload, uint64_t used)
{
	printf("  sealed, %llu bytes\n", (unsigned long long)used);
	store_segment_of(payload)->used = used;
	store_segment_of(payload)->sealed = 1;
}

int place_grow(struct place *place, uint64_t bytes)
{
	printf("  place %td: %llu\n", place - &cinstr.words_place, (unsigned long long)bytes);
	return bytes > stubs.most_place ? -1 : 0;
}

int mark_add(enum cinstr_mark_kind kind, uint64_t ticks, uint32_t site, int64_t id, const char *text)
{
	(void)ticks;
	printf("  mark %d %u %lld %s\n", (int)kind, site, (long long)id, text);
	return 0;
}

/* ---- the rest -------------------------------------------------------------------------------- */

uint32_t seccomp_concern(const struct module *module, const struct cinstr_abi_table *table,
			 const struct cinstr_abi_record *record)
{
	const char *name = table_string(module, table, CINSTR_REC_PAYLOAD(record->info));

	return CINSTR_REC_KIND(record->info) == CINSTR_REC_BEFORE && !strcmp(name, "prctl") ? ACTION_PRCTL
											    : 0;
}

uint64_t control_place_of(const struct cinstr_open *open, uint64_t sp)
{
	(void)sp;
	return open->where;
}

void thread_fold(struct thread *thread)
{
	(void)thread;
}

void control_starts_off(void)
{
	printf("  starts off\n");
}

void cinstr_say(const char *what, const char *detail, int error)
{
	printf("  says: %s %s %d\n", what, detail ? detail : "-", error);
}

void api_offer(const struct image *image)
{
	(void)image;
}

void timeline_watch_module(struct module *module)
{
	(void)module;
}

void call_apart(void (*work)(void *), void *data)
{
	work(data);
}

void libc_each_object(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
	for (int i = 0; i < stubs.n_objects; i++)
		if (visit(&stubs.objects[i], sizeof(stubs.objects[i]), data))
			return;
}

int libc_is_single_threaded(void)
{
	return 1;
}

int libc_is_program(const struct dl_phdr_info *info)
{
	return !*info->dlpi_name;
}

const char *libc_unlisted_name(uint64_t base)
{
	(void)base;
	return stubs.unlisted;
}
