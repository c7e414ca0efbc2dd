/* SPDX-License-Identifier: MIT */
/*
 * counting.c - counts entries of functions (level BUDGET_COUNT, switch.c) and, if so chosen, calls
 * by site. Each sled has a permanent slot, and each thread that executes one has counters, in
 * blocks of slots, as segments of the data file (cinstr/format.h). A stub near the module (thunk.c)
 * adds 1; if the thread lacks the block, the stub takes the slow path, which gets it here.
 *
 * Slots are given under the lock of patch.c. Counters are their thread's own: opened and closed by
 * it, signals blocked. A thread's pointers are NULL while it does not record, where its memory may
 * be another task's soon (vfork), and around a fork: the child's counters are in another file.
 */
#include <link.h>

#include "runtime.h"
#include "system/index.h"

#define CODES_SEGMENT (CINSTR_PAGE - sizeof(struct cinstr_segment))
#define CODES ((uint32_t)(CODES_SEGMENT / sizeof(uint32_t)))
#define RANGES ((uint32_t)(CODES_SEGMENT / sizeof(struct cinstr_probe_code)))

#define FUNCTIONS 16384u /* slots that calls do not take */
#define HIDDEN_MAX 64u	 /* blocks of forked processes before this one that are still mapped */
#define INDEX_BITS 18	 /* of more places than there are slots */

/* by slot: */
static uint32_t *codes;
static uint32_t *led;	   /* of a call that leads to the counter: code of the function; else 0 */
static uint32_t *next_led; /* of a function, and of a call that leads to it: the next call */
static uint32_t n_codes, n_led;
/* by the sled's word: */
static uint32_t *words;
static struct index by_word;
static uint8_t *by_hand;				   /* by slot */
static char *codes_segment, *led_segment, *ranges_segment; /* those that are being filled */
static uint32_t n_ranges;

struct counting_place counting_place(uint32_t slot)
{
	struct counting_place place = { .index = slot };

	while (place.index >= CINSTR_COUNTERS(place.block))
		place.index -= CINSTR_COUNTERS(place.block++);
	return place;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Writes the number of this position into the segment at hand, of this type. 0, or -1: no room in
 * the file. */
static int tell(uint32_t type, char **segment, uint32_t position, uint32_t number)
{
	uint32_t at = position % CODES;

	if (!at)
		*segment = store_segment(type, CODES_SEGMENT, 0);
	if (!*segment)
		return -1;
	((uint32_t *)(void *)*segment)[at] = number;
	/* reader */
	atomic_store_release(&store_segment_of(*segment)->used, (at + 1) * sizeof(uint32_t));
	return 0;
}

static int tell_code(uint32_t slot, uint32_t code)
{
	return tell(CINSTR_SEG_COUNTED, &codes_segment, slot, code);
}

/* Before the call's own code. */
static int tell_led(uint32_t n, uint32_t func)
{
	return tell(CINSTR_SEG_LED, &led_segment, n, func);
}

/* All of the memory that slots need, at the first. 0, or -1. */
static int make_room(void)
{
	char *memory;

	if (codes)
		return 0;
	memory = sys_memory(CINSTR_COUNTERS_ALL * (4 * sizeof(*codes) + 1) + INDEX_BYTES(INDEX_BITS));
	if (sys_failed(memory))
		return -1;
	by_word.places = (uint32_t *)(void *)memory;
	codes = by_word.places + (1u << INDEX_BITS);
	words = codes + CINSTR_COUNTERS_ALL;
	led = words + CINSTR_COUNTERS_ALL;
	next_led = led + CINSTR_COUNTERS_ALL;
	by_hand = (uint8_t *)(next_led + CINSTR_COUNTERS_ALL);
	atomic_store_release(&by_word.bits, INDEX_BITS); /* slot_of() */
	return 0;
}

/* INDEX_NONE: it has none. */
static uint32_t slot_of(uint32_t code)
{
	return atomic_load_acquire(&by_word.bits) ? index_find(&by_word, words, CINSTR_CODE_WORD(code))
						  : INDEX_NONE;
}

static void tell_function(uint32_t func)
{
	uint8_t *counted = (uint8_t *)cinstr.counted_place.at;

	counted[func >> 6] |= (uint8_t)(1u << (func >> 3 & 7));
	atomic_store_release(&cinstr.sites.counted, counted); /* folds, of any thread */
}

/* Returns how many slots may be taken before one for this code: calls leave some to functions. */
static uint32_t most_codes(uint32_t code)
{
	return CINSTR_CODE_KIND(code) == CINSTR_EV_ENTER ? CINSTR_COUNTERS_ALL
							 : CINSTR_COUNTERS_ALL - FUNCTIONS;
}

int counting_slot(uint32_t code)
{
	uint32_t slot = slot_of(code);

	if (slot != INDEX_NONE)
		return (int)slot;
	if (n_codes >= most_codes(code) || make_room() || tell_code(n_codes, code))
		return -1;
	codes[n_codes] = code;
	words[n_codes] = CINSTR_CODE_WORD(code);
	index_add(&by_word, words, n_codes);
	if (CINSTR_CODE_KIND(code) == CINSTR_EV_ENTER)
		tell_function(code);
	return (int)n_codes++;
}

int counting_led_slot(uint32_t code, uint32_t func)
{
	uint32_t known = slot_of(CINSTR_LED_CODE(code)), function = slot_of(func);
	int slot;

	if (known != INDEX_NONE)
		return (int)known;
	if (function == INDEX_NONE || n_codes >= most_codes(code) || tell_led(n_led, func))
		return -1;
	slot = counting_slot(CINSTR_LED_CODE(code));
	if (slot < 0)
		return -1;
	n_led++;
	atomic_store_relaxed(&led[slot], func); /* is_of_bytes() */
	next_led[slot] = next_led[function];
	atomic_store_release(&next_led[function], (uint32_t)slot); /* counting_sum() */
	return slot;
}

/* Makes the next slot one for bytes of this site's calls. Returns 0, or -1: no room. */
static int make_bytes_slot(uint32_t code)
{
	if (n_codes >= most_codes(code) || make_room() || tell_led(n_led, CINSTR_LED_BYTES))
		return -1;
	n_led++;
	if (tell_code(n_codes, CINSTR_LED_CODE(code)))
		return -1;
	codes[n_codes] = CINSTR_LED_CODE(code);
	atomic_store_release(&led[n_codes++], CINSTR_LED_BYTES); /* is_of_bytes() */
	return 0;
}

/* Returns whether the slot counts bytes, not calls. In any thread. */
static int is_of_bytes(uint32_t slot)
{
	return slot < CINSTR_COUNTERS_ALL && atomic_load_acquire(&led[slot]) == CINSTR_LED_BYTES;
}

int counting_has_bytes(uint32_t slot)
{
	return is_of_bytes(slot + 1) && codes[slot + 1] == CINSTR_LED_CODE(codes[slot]) &&
	       counting_place(slot + 1).index;
}

int counting_site_slot(uint32_t code)
{
	int slot = (int)slot_of(code);

	if (slot >= 0)
		return slot;
	/* a stub has both slots in one block: the last one of a block stays unused */
	if (!counting_place(n_codes + 1).index && make_bytes_slot(code))
		return -1;
	slot = counting_slot(code);
	if (slot >= 0)
		(void)make_bytes_slot(code); /* else the site has none */
	return slot;
}

int counting_is_led(uint32_t code)
{
	return slot_of(CINSTR_LED_CODE(code)) != INDEX_NONE;
}

uint32_t counting_sled(uint32_t code)
{
	uint32_t slot = slot_of(code);

	return slot == INDEX_NONE ? 0 : codes[slot];
}

/* ---- counters -------------------------------------------------------------------------------- */

static uint64_t *block_of(struct thread *thread, uint32_t block)
{
	uint64_t bytes = CINSTR_COUNTERS(block) * sizeof(uint64_t);
	uint64_t *counts = thread->counts[block];

	if (counts)
		return counts;
	counts = store_segment(CINSTR_SEG_COUNTERS, bytes, thread->record->index);
	if (!counts) {
		atomic_add(&cinstr.header->lost_events, 1);
		return NULL;
	}
	store_segment_of(counts)->sequence = block;
	store_segment_of(counts)->used = bytes;
	thread->counts[block] = counts;
	return counts;
}

void counting_open(struct probe_state *probe, uint32_t block)
{
	probe->counts[block] = block_of(probe->thread, block);
}

void counting_close(struct probe_state *probe)
{
	for (uint32_t block = 0; block < CINSTR_COUNTER_BLOCKS; block++)
		probe->counts[block] = NULL;
	probe->segments = 0;
}

void counting_hide(const struct thread *parents)
{
	static uint32_t n_hidden; /* children's children have all of these */

	segments_hide(parents);
	for (uint32_t block = 0; parents && block < CINSTR_COUNTER_BLOCKS; block++) {
		uint64_t start = (uint64_t)parents->counts[block] & ~(uint64_t)(CINSTR_PAGE - 1);
		uint64_t end = (uint64_t)(parents->counts[block] + CINSTR_COUNTERS(block)) + CINSTR_PAGE - 1;

		if (start && n_hidden++ < HIDDEN_MAX)
			sys_mmap((void *)start, (end & ~(uint64_t)(CINSTR_PAGE - 1)) - start,
				 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
}

static void add(struct thread *thread, uint32_t slot, uint64_t n)
{
	struct counting_place place = counting_place(slot);
	uint64_t *counts = block_of(thread, place.block);

	if (counts)
		counts[place.index] += n;
}

void counting_add_slot(struct thread *thread, uint32_t slot)
{
	add(thread, slot, 1);
}

void counting_add(struct thread *thread, uint32_t code)
{
	uint32_t slot = slot_of(code);

	if (slot != INDEX_NONE)
		add(thread, slot, 1);
}

void counting_add_bytes(struct thread *thread, uint32_t code, uint64_t bytes)
{
	uint32_t slot = slot_of(code);

	if (slot != INDEX_NONE && counting_has_bytes(slot))
		add(thread, slot + 1, bytes);
}

void counting_had_event(struct thread *thread, uint32_t slot)
{
	if (!led[slot])
		return;
	add(thread, slot, (uint64_t)-1);
	counting_add(thread, led[slot]);
}

uint64_t counting_of_thread(const struct thread *thread)
{
	uint64_t sum = 0;

	if (!atomic_load_acquire(&by_word.bits)) /* make_room() */
		return 0;
	for (uint32_t block = 0, slot = 0; block < CINSTR_COUNTER_BLOCKS; block++) {
		const uint64_t *counts = thread->counts[block];

		for (uint32_t i = 0; counts && i < CINSTR_COUNTERS(block); i++)
			sum += is_of_bytes(slot + i) ? 0 : counts[i];
		slot += CINSTR_COUNTERS(block);
	}
	return sum;
}

static uint64_t sum_of_slot(uint32_t slot)
{
	struct counting_place place = counting_place(slot);
	const struct thread *thread = atomic_load_acquire(&cinstr.threads);
	uint64_t sum = 0;

	for (; thread; thread = thread->next_made) {
		const uint64_t *counts = atomic_load_relaxed(&thread->counts[place.block]);

		sum += counts ? atomic_load_relaxed(&counts[place.index]) : 0;
	}
	return sum;
}

uint64_t counting_sum(uint32_t code)
{
	uint32_t slot = slot_of(code);
	uint64_t sum = 0;

	/* no call has slot 0 */
	for (; slot != INDEX_NONE; slot = next_led[slot] ? next_led[slot] : INDEX_NONE)
		sum += sum_of_slot(slot);
	return sum;
}

int counting_by_hand(uint32_t code, int is_on)
{
	int slot = is_on ? counting_slot(code) : (int)slot_of(code);

	if (slot >= 0)
		atomic_store_relaxed(&by_hand[slot], (uint8_t)is_on); /* counting_hand() */
	return is_on && slot < 0 ? -1 : 0;
}

void counting_hand(struct thread *thread, uint32_t code)
{
	uint32_t slot = slot_of(code);

	if (slot != INDEX_NONE && atomic_load_relaxed(&by_hand[slot]))
		counting_add(thread, code);
}

/* ---- the recording's own code ---------------------------------------------------------------- */

void counting_code(const char *start, const char *end, uint32_t kind)
{
	uint32_t at = n_ranges % RANGES;

	if (start == end)
		return;
	if (!at)
		ranges_segment = store_segment(CINSTR_SEG_PROBE_CODE, CODES_SEGMENT, 0);
	if (!ranges_segment)
		return;
	((struct cinstr_probe_code *)(void *)ranges_segment)[at] =
		(struct cinstr_probe_code){ .start = (uint64_t)start, .end = (uint64_t)end, .kind = kind };
	atomic_store_release(&store_segment_of(ranges_segment)->used,
			     (at + 1) * sizeof(struct cinstr_probe_code)); /* reader */
	n_ranges++;
}

static uint64_t text_start, text_end; /* of the runtime's library; 0: it is a part of the program */

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* By its own headers: a loader that does not list it may have loaded it. */
static void find_text(void)
{
	const ElfW(Phdr) *ph = (const void *)((const char *)&__ehdr_start + __ehdr_start.e_phoff);
	uint64_t base = load_base(&__ehdr_start), here = (uint64_t)cinstr_slow_entry;

	if (&libc_static)
		return;
	for (int i = 0; i < __ehdr_start.e_phnum; i++) {
		uint64_t start = base + ph[i].p_vaddr;

		if (ph[i].p_type != PT_LOAD || here - start >= ph[i].p_memsz)
			continue;
		text_start = start;
		text_end = start + ph[i].p_memsz;
	}
}

void counting_look_for_tracer(void)
{
	static const char untraced[] = "*\nTracerPid:\t0\n*";
	char text[1024] = "";
	int fd = sys_open("/proc/self/status", O_RDONLY, 0);

	if (fd >= 0) {
		sys_read(fd, text, sizeof(text) - 1);
		sys_close(fd);
	}
	cinstr.is_traced = *text && !glob_match(untraced, sizeof(untraced) - 1, text);
}

void counting_begin(void)
{
	find_text();
	counting_code((const char *)text_start, (const char *)text_end, CINSTR_PROBE_CODE_RUNTIME);
}

int counting_is_on(void)
{
	return cinstr.budget || cinstr.is_mixed;
}

/* In a forked child, whose file has nothing of that yet. */
void counting_forked(void)
{
	codes_segment = led_segment = ranges_segment = NULL;
	n_ranges = n_led = 0;
	counting_phases_forked();
	if (!counting_is_on())
		return;
	for (uint32_t slot = 0; slot < n_codes; slot++)
		if ((led[slot] && tell_led(n_led++, led[slot])) || tell_code(slot, codes[slot]))
			return;
	counting_code((const char *)text_start, (const char *)text_end, CINSTR_PROBE_CODE_RUNTIME);
	thunks_describe();
}
