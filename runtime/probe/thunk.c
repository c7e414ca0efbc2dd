/* SPDX-License-Identifier: MIT */
/*
 * thunk.c - thunk pages: a copy of the template (thunk_template.S) within reach of each module's
 * text, followed by stubs that load the target of an indirect call, and stubs that count.
 *
 * They lie in the module's own room (abi.h), for which the module has unwind information, or,
 * where that is too small, in pages near by, which go to a pool when the module is unloaded.
 * Descriptors of restartable sequences are never unmapped: the kernel may read one at a thread's
 * next preemption.
 */
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <sys/rseq.h>

#include "runtime.h"
#include "thunk_more.h"

#define PAGES_MAX MODULES_MAX
#define REACH (1ull << 31)
#define STUB_BYTES 64
/* distinct operands of indirect calls that a module can have */
#define STUBS_MAX 1500
/* counted functions of a module; with sites as many as it may need */
#define COUNTS_MAX 8192
/* stubs that count for which the module's room is mapped at first; then it grows */
#define COUNTS_FIRST 256

static struct thunks pages[PAGES_MAX];

/*
 * When a module is unloaded, threads may still have the descriptor of a sequence in its room: the
 * kernel then looks for the signature in front of the abort handler, and must find it. So the abort
 * handlers of modules that may be unloaded are in memory that stays, and that unwinders know: of
 * the module that is never unloaded, or of this library. Each place in `pages` has a part of it.
 */
struct abort {
	uint32_t nothing, signature;
	uint8_t jump[8]; /* of which 6 bytes; jmp *target(%rip) */
	uint64_t target;
};
#define ABORTS_MODULE 64 /* sequences of a module, at most */
#define ABORTS_MODULES (CINSTR_ROOM_ABORTS / (ABORTS_MODULE * sizeof(struct abort)))

static struct abort (*aborts)[ABORTS_MODULE];

void thunks_place_aborts(const struct cinstr_abi_hook *carrier)
{
	const char *room;

	if (aborts)
		return;
	aborts = (void *)cinstr_own_room;
	if (!carrier)
		return;
	room = (const char *)&carrier->room + carrier->room;
	aborts = (void *)(((uint64_t)room + CINSTR_PAGE - 1) & ~(uint64_t)(CINSTR_PAGE - 1));
}

static size_t n_sequences(void)
{
	return (size_t)(thunk_sequences_end - thunk_sequences); /* of each template */
}

/* Returns 1: abort handlers of this module, which lead into its room, are in memory that stays. */
static int make_aborts(const struct thunks *thunks)
{
	size_t place = (size_t)(thunks - pages);
	const int writable = PROT_READ | PROT_WRITE | PROT_EXEC;

	if (place >= ABORTS_MODULES || n_sequences() > ABORTS_MODULE ||
	    sys_mprotect(aborts, CINSTR_ROOM_ABORTS, writable))
		return 0;
	for (size_t i = 0; i < n_sequences(); i++)
		aborts[place][i] = (struct abort){
			.signature = ARCH_RSEQ_SIGNATURE,
			.jump = { 0xff, 0x25, 2, 0, 0, 0 },
			.target = (uint64_t)(thunks->page + OF(thunks, sequences)[i].abort),
		};
	return !sys_mprotect(aborts, CINSTR_ROOM_ABORTS, PROT_READ | PROT_EXEC);
}

/* Stubs refer to the module's data, so these must be within reach, too. */
static uint64_t image_end_of(const struct module *module)
{
	const ElfW(Phdr) *ph = module->image.headers;
	uint64_t end = module->text_end;

	for (int i = 0; i < module->image.n; i++)
		if (ph[i].p_type == PT_LOAD && module->base + ph[i].p_vaddr + ph[i].p_memsz > end)
			end = module->base + ph[i].p_vaddr + ph[i].p_memsz;
	return end;
}

static int reaches(const char *page, size_t bytes, const struct module *module)
{
	uint64_t low = min_of((uint64_t)page, module->text_start);
	uint64_t page_end = (uint64_t)page + bytes;
	uint64_t image_end = image_end_of(module);
	uint64_t high = page_end > image_end ? page_end : image_end;

	return high - low < REACH;
}

/* Memory at a free place near the module: below its image in growing steps, then above. NULL, and
 * *error: there is none (-ENOMEM), or memory for code is refused. */
static char *map_near(const struct module *module, size_t bytes, int *error)
{
	uint64_t start = ((uint64_t)module->ehdr - bytes) & ~(uint64_t)(CINSTR_PAGE - 1);
	uint64_t end = (image_end_of(module) + CINSTR_PAGE) & ~(uint64_t)(CINSTR_PAGE - 1);

	*error = -ENOMEM;
	for (uint64_t step = CINSTR_PAGE; step < REACH; step += step / 2 + CINSTR_PAGE) {
		uint64_t tries[2] = { start - (step & ~(uint64_t)(CINSTR_PAGE - 1)),
				      end + (step & ~(uint64_t)(CINSTR_PAGE - 1)) };

		for (int i = 0; i < 2; i++) {
			char *at;

			if (tries[i] < 65536 || tries[i] > (1ull << 47))
				continue;
			at = sys_mmap((void *)tries[i], bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
			if (at == (char *)-EACCES || at == (char *)-EPERM)
				*error = (int)(long)at;
			if (sys_failed(at))
				continue;
			if (at == (char *)tries[i] && reaches(at, bytes, module))
				return at;
			sys_munmap(at, bytes); /* an old kernel took the address as a hint */
		}
	}
	return NULL;
}

static void reset_stubs(struct thunks *thunks)
{
	thunks->used = (uint32_t)((template_bytes(thunks->stores) + 63) & ~(size_t)63);
	thunks->n_stubs = 0;
	thunks->counts_at = thunks->used + thunks->max_stubs * STUB_BYTES;
	thunks->n_counts = 0;
	if (thunks->counts)
		arch_zero(thunks->counts_index.places, INDEX_BYTES(thunks->counts_index.bits));
}

static uint64_t abort_of(const struct thunks *thunks, size_t i)
{
	return thunks->has_aborts ? (uint64_t)aborts[thunks - pages][i].jump
				  : (uint64_t)(thunks->page + OF(thunks, sequences)[i].abort);
}

static void set_word(const struct thunks *thunks, uint32_t at, uint64_t value)
{
	*(uint64_t *)(void *)(thunks->page + at) = value;
}

/* What the gate to the slow path has to know. */
static void fill_gate(const struct thunks *thunks)
{
	set_word(thunks, OF(thunks, early_pointer), (uint64_t)cinstr_slow_early);
	set_word(thunks, OF(thunks, slow_pointer), (uint64_t)cinstr_slow_entry);
	set_word(thunks, OF(thunks, slow_reach),
		 (uint64_t)(cinstr.restartable ? -GATE_REACH : -GATE_REACH_WHOLE));
	set_word(thunks, OF(thunks, has_ticks), (uint64_t)&cinstr.has_ticks);
	set_word(thunks, OF(thunks, is_mute), (uint64_t)&cinstr.is_mute);
	set_word(thunks, OF(thunks, gives), (uint64_t)waits_gives);
	set_word(thunks, OF(thunks, files), (uint64_t)files_of_fds);
	set_word(thunks, OF(thunks, pipes), (uint64_t)pipes_of_fds);
	set_word(thunks, OF(thunks, control_pages), (uint64_t)cinstr.control_pages);
}

static void fill_in(struct thunks *thunks)
{
	const struct thunk_fixup *fixup;
	const struct thunk_sequence *sequence;

	/* a used page: threads, and the kernel, may still look at it. Only K differs. */
	if (thunks->used) {
		for (fixup = OF(thunks, fixups); fixup < OF(thunks, fixups_end); fixup++)
			if (fixup->type == FIX_CODE)
				*(uint32_t *)(void *)(thunks->page + fixup->offset) = thunks->code_offset;
		reset_stubs(thunks);
		return;
	}
	for (size_t i = 0; i < template_bytes(thunks->stores); i++)
		thunks->page[i] = OF(thunks, template)[i];
	for (fixup = OF(thunks, fixups); fixup < OF(thunks, fixups_end); fixup++)
		*(uint32_t *)(void *)(thunks->page + fixup->offset) =
			thunk_field(fixup->type, thunks->code_offset);
	for (sequence = OF(thunks, sequences); sequence < OF(thunks, sequences_end); sequence++) {
		struct rseq_cs *cs = &thunks->sequences[sequence - OF(thunks, sequences)];

		set_word(thunks, sequence->descriptor, (uint64_t)cs);
		cs->version = 0;
		cs->flags = 0;
		cs->start_ip = (uint64_t)(thunks->page + sequence->start);
		cs->post_commit_offset = sequence->end - sequence->start;
		cs->abort_ip = abort_of(thunks, (size_t)(sequence - OF(thunks, sequences)));
	}
	fill_gate(thunks);
	reset_stubs(thunks);
}

static void *array(size_t bytes)
{
	void *memory = sys_memory(bytes);

	return sys_failed(memory) ? NULL : memory;
}

/* To the data file: which code is the recording's. */
static void describe(const struct thunks *thunks)
{
	const char *counts = thunks->page + thunks->counts_at;

	counting_code(thunks->page, counts, CINSTR_PROBE_CODE_THUNKS);
	counting_code(counts, thunks->page + thunks->bytes, CINSTR_PROBE_CODE_COUNTING);
}

void thunks_describe(void)
{
	for (int i = 0; i < PAGES_MAX; i++)
		if (pages[i].page)
			describe(&pages[i]);
}

/* Stubs that the module may need to count: by site, one for most of its sleds at most. */
static uint32_t counts_of(const struct module *module)
{
	if (!cinstr.budget)
		return 0;
	if (cinstr.counts == COUNTS_SITES && module->sleds >= COUNTS_MAX)
		return (uint32_t)min_of(module->sleds, CINSTR_COUNTERS_ALL);
	return (uint32_t)min_of(COUNTS_MAX + module->named_calls, CINSTR_COUNTERS_ALL);
}

/* The list of stubs that count, and its index; without memory there are none. */
static void make_counts(struct thunks *thunks, uint32_t max)
{
	uint32_t bits = 1;

	while (1u << bits < 2 * max)
		bits++;
	thunks->counts = array(max * sizeof(*thunks->counts) + INDEX_BYTES(bits));
	thunks->max_counts = max;
	thunks->counts_index.places = thunks->counts + max;
	thunks->counts_index.bits = bits;
}

static void drop_counts(struct thunks *thunks)
{
	sys_munmap(thunks->counts,
		   thunks->max_counts * sizeof(*thunks->counts) + INDEX_BYTES(thunks->counts_index.bits));
	thunks->counts = NULL;
}

size_t thunks_whole_pages(size_t bytes)
{
	return (bytes + CINSTR_PAGE - 1) & ~(size_t)(CINSTR_PAGE - 1);
}

/* What the module's thunks need, with `counts` stubs that count. */
static size_t bytes_in_room(const struct module *module, uint32_t counts)
{
	return template_bytes(stores_now()) + 2 * COUNT_BYTES +
	       min_of(module->indirect_calls, STUBS_MAX) * (size_t)STUB_BYTES + counts * (size_t)COUNT_BYTES;
}

static int fits_room(const struct module *module, size_t bytes)
{
	return module->room && bytes <= module->room_bytes &&
	       reaches(module->room, module->room_bytes, module);
}

/* A call needs a second stub where its caller is counted before its callee is. Calls that have no
 * place in the room are not counted. */
static uint32_t counts_in_room(const struct module *module)
{
	uint64_t functions = min_of(module->functions, COUNTS_MAX), fixed = bytes_in_room(module, 0);
	uint64_t room = module->room_bytes > fixed ? (module->room_bytes - fixed) / COUNT_BYTES : 0;
	uint64_t counts = functions + 2 * (uint64_t)module->named_calls;

	if (!cinstr.budget)
		return 0;
	if (cinstr.counts == COUNTS_SITES)
		return counts_of(module);
	if (counts > room && functions <= room)
		counts = room;
	return (uint32_t)min_of(counts, CINSTR_COUNTERS_ALL);
}

static struct thunks *free_thunks(const struct module *module, uint32_t counts, int is_room)
{
	for (int i = 0; i < PAGES_MAX; i++)
		if (!pages[i].in_use && (!pages[i].page || (!is_room && pages[i].max_counts >= counts &&
							    pages[i].stores == stores_now() &&
							    reaches(pages[i].page, pages[i].bytes, module))))
			return &pages[i];
	return NULL;
}

static int place_in_room(struct thunks *thunks, const struct module *module, size_t bytes)
{
	size_t first = thunks_whole_pages(min_of(bytes, bytes_in_room(module, COUNTS_FIRST)));

	if (backing_map(module, 0, first))
		return -1;
	thunks->stores = stores_now();
	atomic_store_relaxed(&thunks->page, module->room); /* thunks_around() */
	atomic_store_relaxed(&thunks->bytes, thunks_whole_pages(bytes));
	thunks->mapped = first;
	thunks->used = 0;
	thunks->max_stubs = (uint32_t)min_of(module->indirect_calls, STUBS_MAX);
	thunks->has_aborts = !module->stays;
	if (module->stays || make_aborts(thunks))
		return 0;
	atomic_store_relaxed(&thunks->page, NULL);
	return -1;
}

/* 0, or -errno as map_near has it. */
static int place_near(struct thunks *thunks, const struct module *module, uint32_t counts)
{
	size_t stubs = STUBS_MAX * STUB_BYTES + counts * (size_t)COUNT_BYTES;
	int error;

	if (thunks->page)
		return sys_mprotect(thunks->page, thunks->bytes, PROT_READ | PROT_WRITE | PROT_EXEC);
	thunks->stores = stores_now();
	thunks->mapped = thunks_whole_pages(template_bytes(thunks->stores) + 2 * COUNT_BYTES + stubs);
	atomic_store_relaxed(&thunks->bytes, thunks->mapped);
	atomic_store_relaxed(&thunks->page, map_near(module, thunks->mapped, &error));
	thunks->max_stubs = STUBS_MAX;
	return thunks->page ? 0 : error;
}

static int make_sequences(struct thunks *thunks)
{
	if (!thunks->sequences)
		thunks->sequences = array(n_sequences() * sizeof(*thunks->sequences));
	return thunks->sequences ? 0 : -1;
}

/* Lists of stubs are kept for the next module. */
static void make_lists(struct thunks *thunks, uint32_t counts)
{
	if (!thunks->stubs)
		thunks->stubs = array(STUBS_MAX * sizeof(struct stub));
	if (thunks->counts && thunks->max_counts < counts)
		drop_counts(thunks);
	if (!thunks->counts && counts)
		make_counts(thunks, counts);
}

static uint32_t counts_for_sites(const struct module *module, uint32_t counts)
{
	uint32_t functions = (uint32_t)min_of(module->functions, COUNTS_MAX);

	if (cinstr.counts == COUNTS_SITES)
		return counts;
	return counts > functions ? counts - functions : 0;
}

struct thunks *thunks_make(const struct module *module, int *error)
{
	uint32_t counts = counts_in_room(module);
	size_t bytes = bytes_in_room(module, counts);
	int is_room = fits_room(module, bytes);
	struct thunks *thunks = free_thunks(module, counts, is_room);

	*error = -ENOMEM;
	if (!thunks || make_sequences(thunks))
		return NULL;
	if (is_room && place_in_room(thunks, module, bytes))
		is_room = 0;
	if (!is_room) {
		counts = counts_of(module);
		thunks = free_thunks(module, counts, 0);
		if (!thunks || make_sequences(thunks))
			return NULL;
		*error = place_near(thunks, module, counts);
		if (*error)
			return NULL;
		thunks->has_aborts = 0;
	}
	thunks->is_room = is_room;
	thunks->module = module;
	make_lists(thunks, counts);
	thunks->most_counts = counts;
	thunks->sites_left = counts_for_sites(module, counts);
	thunks->writable = 1;
	thunks->code_offset = module->code_base - (uint32_t)module->text_start - 1;
	atomic_store_release(&thunks->in_use, 1); /* thunks_around() */
	fill_in(thunks);
	if (counting_is_on())
		describe(thunks);
	return thunks;
}

struct thunks *thunks_make_own(void)
{
	static struct thunks own; /* its descriptors name no abort handler of `aborts` */
	void *page = sys_memory(thunks_whole_pages(template_bytes(THUNK_STORES_NOTHING)));

	if (sys_failed(page) || make_sequences(&own))
		return NULL;
	own.page = page;
	own.bytes = own.mapped = thunks_whole_pages(template_bytes(THUNK_STORES_NOTHING));
	fill_in(&own);
	own.writable = 1;
	return thunks_ready(&own) ? NULL : &own;
}

/* Where stubs may have been made. Until then the page is writable as well: sleds are live one by
 * one. */
int thunks_ready(struct thunks *thunks)
{
	if (!thunks->writable)
		return 0;
	thunks->writable = 0;
	return sys_mprotect(thunks->page, thunks->mapped, PROT_READ | PROT_EXEC);
}

int thunks_writable(struct thunks *thunks)
{
	if (!thunks->writable)
		thunks->writable =
			!sys_mprotect(thunks->page, thunks->mapped, PROT_READ | PROT_WRITE | PROT_EXEC);
	return thunks->writable;
}

void thunks_release(struct thunks *thunks)
{
	if (thunks->is_room)
		atomic_store_relaxed(&thunks->page, NULL);
	atomic_store_relaxed(&thunks->in_use, 0);
}

const char *thunks_code(const struct thunks *thunks)
{
	return thunks->page;
}

const char *thunk_for_action(const struct thunks *thunks, uint32_t kind, int recorded)
{
	return thunks->page + (recorded ? OF(thunks, action) : OF(thunks, silent))[kind];
}

const char *thunk_for_stream(const struct thunks *thunks, uint32_t kind)
{
	return thunks->page +
	       (cinstr.clock != CINSTR_CLOCK_TSC ? OF(thunks, stream_slow) : OF(thunks, stream))[kind];
}

const char *thunk_for_object(const struct thunks *thunks, uint32_t kind, enum cinstr_object_use use)
{
	return thunks->page + (kind == CINSTR_EV_TAIL ? OF(thunks, object_tail) : OF(thunks, object))[use];
}

const char *thunk_for_moves(const struct thunks *thunks, uint32_t kind, enum cinstr_amount_use use)
{
	uint32_t at = (kind == CINSTR_EV_BEFORE ? OF(thunks, moves) : OF(thunks, moved))[use];

	return at ? thunks->page + at : NULL;
}

const char *thunk_for_held(const struct thunks *thunks, uint32_t kind, enum cinstr_amount_use use)
{
	return thunks->page + (kind == CINSTR_EV_BEFORE ? OF(thunks, holds) : OF(thunks, held))[use];
}

const char *thunk_for_frees(const struct thunks *thunks, uint32_t kind, int alone)
{
	return thunks->page + (alone ? OF(thunks, frees_alone) : OF(thunks, frees))[kind];
}

const char *thunk_for_give(const struct thunks *thunks, enum cinstr_object_use use)
{
	return thunks->page + OF(thunks, give_alone)[use];
}

const char *thunk_for_lock(const struct thunks *thunks, uint32_t kind, enum cinstr_abi_lock lock, int keep)
{
	return thunks->page +
	       (kind == CINSTR_EV_AFTER ? OF(thunks, unlocked)[keep] : OF(thunks, lock)[keep][lock]);
}

/* only: no before-call announces what is entered. */
const char *thunk_address(struct thunks *thunks, uint32_t kind, enum thunk_way way, int only)
{
	if (kind == CINSTR_EV_LINE && !arch_has_lahf())
		way = THUNK_SLOW;
	if (way == THUNK_SLOW || cinstr.clock != CINSTR_CLOCK_TSC)
		return thunks->page + OF(thunks, slow)[kind];
	if (kind == CINSTR_EV_ENTER && only)
		return thunks->page + OF(thunks, enter_only)[way];
	return thunks->page + (way == THUNK_KEEP ? OF(thunks, keep) : OF(thunks, fast))[kind];
}

/* The operand's address is told by the same bytes as its load. */
static int same_operand(const struct stub *stub, const struct stub *wanted)
{
	if (stub->thunk != wanted->thunk || stub->operand != wanted->operand ||
	    stub->call.skip != wanted->call.skip || stub->call.n_load != wanted->call.n_load)
		return 0;
	for (int i = 0; i < stub->call.n_load; i++)
		if (stub->call.load[i] != wanted->call.load[i])
			return 0;
	return 1;
}

static void write_stub(struct thunks *thunks, const struct stub *stub)
{
	const char *known = thunks->page + OF(thunks, indirect)[stub->thunk];
	const char *nothing = thunks->page + OF(thunks, indirect_nothing)[stub->thunk];

	call_write_stub(thunks->page + stub->offset, &stub->call, stub->operand, stub->thunk >= INDIRECT_KEEP,
			known, nothing);
}

static struct stub stub_for(uint32_t kind, enum thunk_way way, const uint8_t *code)
{
	struct stub stub = { .operand = NULL };

	call_decode(code, &stub.call);
	if (kind == CINSTR_EV_TAIL)
		stub.call.skip = 0;
	/* Relative to the end of the call instruction. */
	if (stub.call.is_rip)
		stub.operand = code + stub.call.size + stub.call.displacement;
	stub.thunk = kind == CINSTR_EV_TAIL ? INDIRECT_TAIL
		     : stub.call.skip	    ? INDIRECT_APART
					    : INDIRECT_BEFORE;
	if (way == THUNK_KEEP || stub.call.needs_kept)
		stub.thunk += INDIRECT_KEEP;
	return stub;
}

/* The thunk for a sled before an indirect call; code: the call. NULL: each event takes the slow
 * path. */
const char *thunk_for_indirect(struct thunks *thunks, uint32_t kind, enum thunk_way way, const uint8_t *code)
{
	struct stub wanted;

	if (!thunks->stubs || way == THUNK_SLOW || cinstr.clock != CINSTR_CLOCK_TSC)
		return NULL;
	wanted = stub_for(kind, way, code);
	for (uint32_t i = 0; i < thunks->n_stubs; i++)
		if (same_operand(&thunks->stubs[i], &wanted))
			return thunks->page + thunks->stubs[i].offset;
	if (thunks->n_stubs == thunks->max_stubs || !thunks_writable(thunks))
		return NULL;
	wanted.offset = thunks->used;
	thunks->used += STUB_BYTES;
	write_stub(thunks, &wanted);
	thunks->stubs[thunks->n_stubs++] = wanted;
	return thunks->page + wanted.offset;
}

const struct thunks *thunks_around(const char *at)
{
	for (int i = 0; i < PAGES_MAX; i++) {
		const struct thunks *thunks = &pages[i];

		if (atomic_load_acquire(&thunks->in_use) &&
		    (uint64_t)(at - atomic_load_relaxed(&thunks->page)) < atomic_load_relaxed(&thunks->bytes))
			return thunks;
	}
	return NULL;
}
