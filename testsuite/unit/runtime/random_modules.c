/* SPDX-License-Identifier: MIT */
/*
 * random_modules.c - prints what the runtime makes (runtime/choice) of modules that were made by
 * chance (module_image.c): what is wrong with their tables when something was changed in
 * these, and where each sled and each call leads, whatever is chosen. For golden files: a change of
 * a rule is seen there by the sleds that lead elsewhere.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "module_image.h"

int random_tables(void);
int random_sleds(void);

/* ---- tables ---------------------------------------------------------------------------------- */

static char checked(void)
{
	struct module module = { .image = { made.headers, 7, (uint64_t)made.at, "" },
				 .base = (uint64_t)made.at };

	return (char)('0' + tables_check(&module, module_hook(), module_hook_code()));
}

/* Changes a word in every way that may matter: what is found then. */
static void print_changes(uint32_t *word)
{
	const uint32_t was = *word;
	const uint32_t others[] = { was + 1,	 was - 1,	   was + 8,   was - 8, was + 0x100,
				    was - 0x100, was ^ 0x10,	   0,	      0xffff,  was + 24,
				    was / 2,	 was ^ 0x80000000, 0xffffffff };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		*word = others[i];
		putchar(checked());
	}
	*word = was;
}

static void print_all_changes(const char *what, void *from, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += 4) {
		printf("%s %zx ", what, at);
		print_changes((uint32_t *)(void *)((char *)from + at));
		putchar('\n');
	}
}

/* What others may have written there: jumps near and far, breakpoints. */
static void print_foreign(char *at)
{
	static const uint8_t others[][5] = { { 0xcc, 0x1f, 0x44, 0, 0 }, { 0xcc, 0x1f, 0x44, 0, 1 },
					     { 0xe9, 0, 1, 0, 0 },	 { 0xe9, 0, 0, 0, 1 },
					     { 0xe9, 0, 0, 0, 0xff },	 { 0xe9, 0xff, 0xff, 0xff, 0xff },
					     { 0xe8, 0, 0, 0, 1 },	 { 0x90, 0x90, 0x90, 0x90, 0x90 },
					     { 0xe9, 0xf0, 0x1f, 0, 0 }, { 0xe9, 0x00, 0x30, 0, 0 } };
	char was[5];

	memcpy(was, at, 5);
	printf("others ");
	for (size_t i = 0; i < sizeof(others) / 5; i++) {
		memcpy(at, others[i], 5);
		putchar(checked());
	}
	memcpy(at, was, 5);
	putchar('\n');
}

/* Without its hook, or elsewhere; by its own header. */
static void print_ways(void)
{
	ElfW(Ehdr) *ehdr = (void *)made.at;
	struct image image;
	struct module module = { .image = { made.headers, 7, (uint64_t)made.at, "" },
				 .base = (uint64_t)made.at };

	printf("ways %d", tables_check(&module, made.at + DATA, module_hook_code()));
	printf(" %d", tables_check(&module, module_hook(), module_hook_code() + 8));
	printf(" %d\n", tables_check(&module, (char *)module_hook() + 2, module_hook_code()));
	stubs.n_objects = 0;
	for (size_t at = 0; at < sizeof(*ehdr); at++) {
		uint8_t was = (uint8_t)made.at[at];

		made.at[at] = (char)(was + 1);
		printf(" %d", image_find(&image, module_hook_code(), made.at));
		made.at[at] = (char)was;
	}
	ehdr->e_phoff = CINSTR_PAGE - sizeof(made.headers);
	memcpy(made.at + ehdr->e_phoff, made.headers, sizeof(made.headers));
	printf(" %d", image_find(&image, module_hook_code(), made.at));
	ehdr->e_phoff++;
	printf(" %d", image_find(&image, module_hook_code(), made.at));
	module_elf_header();
	printf(" %d %d %d\n", image_find(&image, module_hook_code(), made.at), image.n,
	       image.base == (uint64_t)made.at);
}

int random_tables(void)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		module_make(seed, seed == 2);
		printf("module %llu: %c\n", (unsigned long long)seed, checked());
		print_all_changes("notes", made.at + NOTES, made.notes);
		if (seed > 1)
			continue;
		for (int i = 0; i < 7; i++) {
			print_all_changes("type and flags", &made.headers[i].p_type, 8);
			print_all_changes("offset", &made.headers[i].p_offset, 4);
			print_all_changes("size in the file", &made.headers[i].p_filesz, 4);
			print_all_changes("size", &made.headers[i].p_memsz, 4);
		}
		print_all_changes("hook", module_hook(), sizeof(*module_hook()));
		for (uint32_t f = 0; f < FUNCTIONS; f++) {
			print_all_changes("sled", module_sled(made.entry_sled[f]), 8);
			print_foreign(module_sled(made.entry_sled[f]));
		}
		print_ways();
	}
	return 0;
}

/* ---- sleds ----------------------------------------------------------------------------------- */

/* Where an instruction at the end of `at` leads: a function, or what thunks mean. */
static void print_target(const char *at)
{
	int32_t distance;
	int64_t to;

	memcpy(&distance, at - 4, sizeof(distance));
	to = at + distance - made.at;
	if (to >= THUNKS && to < THUNKS + 0x10000)
		printf("%llx", (unsigned long long)to - THUNKS);
	else
		printf("@%llx", (unsigned long long)to);
}

static void print_sled(const struct module *module, char *sled, uint32_t info)
{
	static const char letters[] = "?.xbatnl"; /* by kind */
	uint32_t kind = CINSTR_REC_KIND(info) & 7;
	const char *call = sled + ARCH_SLED_BYTES;

	(void)module;
	if (kind == CINSTR_EV_ENTER)
		printf("\n   ");
	printf(" %c", kind == CINSTR_EV_ENTER ? 'e' : letters[kind]);
	if ((uint8_t)*sled != ARCH_NOP_OPCODE) {
		putchar((uint8_t)*sled == ARCH_CALL_OPCODE ? ':' : '>');
		print_target(call);
	}
	if ((kind != CINSTR_EV_BEFORE && kind != CINSTR_EV_TAIL) ||
	    CINSTR_REC_PAYLOAD(info) == CINSTR_REC_NO_REF)
		return;
	while ((uint8_t)*call == ARCH_IDLE_PREFIX)
		call++;
	if ((uint8_t)*call == ARCH_CALL_OPCODE || (uint8_t)*call == ARCH_JUMP_OPCODE) {
		putchar('=');
		print_target(call + 5);
	}
}

static void print_module(struct module *module)
{
	printf("\n  patched %u, refused %u, of %u, switches %u of %u, epoch %u", module->patched,
	       module->refused, module->sleds, cinstr.switches_done, cinstr.header->switches,
	       control_block()->epoch);
	module_each_sled(module, print_sled);
	putchar('\n');
}

/* What folds know of the module's sleds. */
static void print_sites(const struct module *module)
{
	printf("  sites:");
	for (uint32_t word = module->code_base / 8; word < cinstr.sites.n_words; word++) {
		int wraps = cinstr.sites.wrappers[word >> 3] >> (word & 7) & 1;
		int is_indirect = cinstr.indirect[word >> 3] >> (word & 7) & 1;
		uint32_t name = cinstr.sites.names ? cinstr.sites.names[word] : 0;

		if (cinstr.sites.words[word])
			printf(" %x-%x%s%s", word, cinstr.sites.words[word], wraps ? "w" : "",
			       is_indirect ? "i" : "");
		if (name)
			printf(" %x=%x", word, name);
		if (cinstr.lost[word])
			printf(" %x lost in %u", word, cinstr.lost[word]);
	}
	printf("\n  room %td of %zu, stays %d", module->room ? module->room - made.at : 0, module->room_bytes,
	       module->stays);
	for (uint32_t code = module->code_base; code < cinstr.next_code; code += 8) {
		const struct action *action = module_actions(code + 3);

		if (action)
			printf(" %x:%u@%llx", code, action->action,
			       (unsigned long long)module_address(code + 1) - (uint64_t)made.at);
	}
	printf("\n  functions %u, indirect %u, by name %u, lines %d, regions %d\n", module->functions,
	       module->indirect_calls, module->named_calls, cinstr.has_lines, cinstr.has_regions);
	for (uint32_t i = 0; i < module->n_actions; i++)
		printf("  action %u at %x %s\n", module->actions[i].action, module->actions[i].code,
		       module->actions[i].text);
}

static uint32_t sum_of(const void *bytes, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + ((const uint8_t *)bytes)[i];
	return sum;
}

/* The entries of all modules in the data file. */
static void print_entries(void)
{
	for (uint64_t at = CINSTR_PAGE; at < stubs.used;) {
		const struct cinstr_segment *s = (const void *)(cinstr.store.file + at);
		const struct cinstr_module *m = (const void *)(s + 1);

		at += s->bytes;
		for (; s->type == CINSTR_SEG_MODULES && (const char *)m < (const char *)(s + 1) + s->used;
		     m = (const void *)((const char *)m + m->bytes))
			printf("  entry %s: %llu bytes, text %llx to %llx, codes %x %x, id %u %.12s, notes "
			       "%llx %x, "
			       "strings %llx %x, sleds %u %u %u, flags %u, sealed %u\n",
			       strrchr((const char *)m + m->path_offset, '/')
				       ? strrchr((const char *)m + m->path_offset, '/')
				       : (const char *)m + m->path_offset,
			       (unsigned long long)m->bytes,
			       (unsigned long long)m->text_start - (uint64_t)made.at,
			       (unsigned long long)m->text_end - (uint64_t)made.at, m->code_base,
			       m->code_bytes, m->build_id_bytes, (const char *)m->build_id,
			       (unsigned long long)m->notes_address,
			       sum_of((const char *)m + m->notes_offset, m->notes_bytes),
			       (unsigned long long)m->strings_address,
			       sum_of((const char *)m + m->strings_offset, m->strings_bytes), m->sleds,
			       m->patched, m->refused, m->flags, s->sealed);
	}
}

static void choose(void)
{
	static const char *const rules[] = { "all",
					     "only=f1,f3,f5",
					     "not=f2,f4 only=",
					     "only=file:a.c not=",
					     "depth=3",
					     "depth=0",
					     "probes=functions",
					     "probes=calls",
					     "probes=lines",
					     "only=module:*lib.so",
					     "only=file:dir/*,f1",
					     "only= not= probes=lines",
					     "only=x:y",
					     "probes=all",
					     "depth=99",
					     "not=f?" };
	const char *rule = rules[module_below(sizeof(rules) / sizeof(*rules))];

	printf("  choose %s: %d", rule, choose_apply(rule));
}

static void change_levels(const struct module *module)
{
	struct switch_change list[FUNCTIONS];
	unsigned n = 1 + module_below(4), first = module_below(FUNCTIONS);

	printf("  levels");
	for (unsigned i = 0; i < n; i++) {
		uint32_t f = (first + i * 3) % FUNCTIONS;

		list[i] = (struct switch_change){ .func = code_of(module, module_sled(made.entry_sled[f])) |
							  CINSTR_EV_ENTER,
						  .level = (int)module_below(4) };
		if (module_below(12) == 0)
			list[i].func += 8;
		printf(" f%u:%d", f, list[i].level);
	}
	switch_functions(list, n);
	for (unsigned i = 0; i < n; i++)
		printf(" %d", list[i].error);
}

static void load(const char *name)
{
	stubs.n_objects = *name ? 1 : 0;
	module_elf_header();
	stubs.objects[0] = (struct dl_phdr_info){
		.dlpi_addr = (uint64_t)made.at, .dlpi_name = name, .dlpi_phdr = made.headers, .dlpi_phnum = 7
	};
	module_add(made.at, module_hook(), module_hook_code());
}

/* Calls at all sleds that are counted, by two threads, and what is told when a phase begins. */
static void count_calls(void)
{
	static struct cinstr_thread records[2] = { { .index = 5 }, { .index = 6 } };
	static struct thread threads[2];
	static struct probe_state probes[2];
	const struct cinstr_phase_count *list;

	memset(threads, 0, sizeof(threads));
	memset(probes, 0, sizeof(probes));
	for (int t = 0; t < 2; t++) {
		threads[t].record = &records[t];
		threads[t].next_made = t ? NULL : &threads[1];
		probes[t].thread = &threads[t];
	}
	cinstr.threads = threads;
	for (uint32_t code = 0x100; code < cinstr.next_code; code += 8) {
		uint32_t counted = counting_sled(code);

		for (uint32_t n = module_below(4); n > 0; n--)
			counting_add(&threads[module_below(2)], counted ? counted : code);
		counting_hand(&threads[1], counted ? counted : code);
		if (counting_sum(counted ? counted : code))
			printf(" %x:%llu", counted, (unsigned long long)counting_sum(counted));
	}
	counting_open(&probes[0], 0);
	printf("\n  own counters %d", probes[0].counts[0] == threads[0].counts[0]);
	counting_close(&probes[0]);
	printf(" %d\n", probes[0].counts[0] != NULL);
	stubs.last = NULL;
	counting_phase(3);
	list = stubs.last;
	for (uint64_t i = 0; list && i < store_segment_of(stubs.last)->used / sizeof(*list); i++)
		printf(" %u.%u=%llu", list[i].thread, list[i].slot, (unsigned long long)list[i].calls);
	cinstr.budget = (void *)threads;
	cinstr.counts = COUNTS_FUNCTIONS;
	counting_forked();
	counting_phases_forked();
	cinstr.budget = NULL;
	cinstr.threads = NULL;
}

/* Places of slots in blocks. */
static void print_places(void)
{
	for (uint32_t slot = 0; slot < CINSTR_COUNTERS_ALL; slot += slot / 3 + 1) {
		struct counting_place place = counting_place(slot);

		printf(" %u=%u.%u", slot, place.block, place.index);
	}
	printf("\n");
}

static void print_counters(void)
{
	printf("  slots:");
	for (uint32_t code = 0x100; code < cinstr.next_code; code += 8)
		if (counting_sled(code))
			printf(" %x", counting_sled(code));
	printf("\n");
}

/* Somebody else has the lock. */
static void try_locked(const struct module *module)
{
	struct switch_change change = { .func = module->code_base + CINSTR_EV_ENTER, .level = 0 };

	cinstr.alive[1] = 1;
	cinstr_probe.busy = 1;
	switch_functions(&change, 1);
	printf("  locked: %d %d", change.error, choose_apply("all"));
	cinstr_probe.busy = 0;
	cinstr.alive[1] = 0;
	cinstr.state = RUNTIME_OFF;
	printf(" %d", choose_apply("all"));
	switch_functions(&change, 1);
	printf(" %d\n", change.error);
	cinstr.state = RUNTIME_ON;
}

/* What a forked child has of modules. */
static void fork_store(void)
{
	static char parent[STUB_STORE];
	struct stubs was = stubs;

	memcpy(parent, cinstr.store.file, STUB_STORE);
	((struct cinstr_header *)(void *)parent)->file_bytes = stubs.used;
	memset(cinstr.store.file + CINSTR_PAGE, 0, STUB_STORE - CINSTR_PAGE);
	stubs.used = CINSTR_PAGE;
	modules_copy(parent, was.used);
	printf("  in a child: %s\n", module_path(&cinstr.modules[0]));
	print_entries();
}

static void print_steps(unsigned seed)
{
	struct module *module = &cinstr.modules[0];
	char *odd = module_sled(made.entry_sled[seed % FUNCTIONS]), was = *odd;

	for (int step = 0; step < 14; step++) {
		if (step == 5 || step == 8) { /* a debugger comes and goes */
			mprotect(made.at, END, PROT_READ | PROT_WRITE | PROT_EXEC);
			was = step == 5 ? *odd : was;
			*odd = step == 5 ? (char)0xcc : was;
		}
		if (seed == 9 && step == 10) /* its code may not be changed any more */
			made.headers[1].p_memsz += 0x40000000;
		if (module_below(3))
			change_levels(module);
		else
			choose();
		print_module(module);
	}
	print_counters();
	count_calls();
	print_sites(module);
	try_locked(module);
	load("/work/lib.so"); /* it is known */
	module_remove(made.at);
	module_remove(made.at);
	printf("  it comes again\n");
	module_make(seed, 0);
	load("/work/lib.so");
	printf("  tried: %d\n", module_try(made.at, module_hook_code()));
	print_module(module);
	modules_scan();
	switch_finish();
	print_entries();
	fork_store();
	cinstr.state = RUNTIME_OFF;
	patch_all_off();
	print_module(module);
}

/* Tables that are not as they should be. */
static void print_refused(void)
{
	static const int changed[] = { 6, 2, 7 }; /* words of a note: flags, type, text */

	for (int what = 0; what < 8; what++) {
		uint32_t *words;

		module_make(2, 1);
		words = (void *)(made.at + NOTES);
		stubs_begin(made.at + THUNKS);
		stubs.most_place = what == 4 ? 0 : STUB_PLACE;
		if (what < 3)
			words[changed[what]] ^= 0x100;
		if (what == 7)
			words[changed[0]] |= CINSTR_TABLE_READS_CODE;
		if (what == 5)
			memset(words, 0, made.notes);
		if (what == 6)
			cinstr.sites_reserved = 100;
		stubs.error = what == 3 ? -EPERM : 0;
		load("./lib.so");
		print_entries();
	}
}

int random_sleds(void)
{
	if (chdir("/usr")) /* the runtime makes paths absolute */
		return 1;
	rules_begin();
	print_places();
	print_refused();
	for (unsigned seed = 1; seed <= 12; seed++) {
		module_make(seed, 1);
		stubs_begin(made.at + THUNKS);
		rules_take(rules_read("all"));
		stubs.most_place = seed == 12 ? 100 : STUB_PLACE;
		stubs.has_sites = seed % 4 != 3;
		stubs.room = seed % 5 ? STUB_SLOTS : 4;
		cinstr.counts = seed % 3;
		cinstr.is_traced = seed == 6;
		if (seed % 2)
			cinstr.clock = CINSTR_CLOCK_TSC;
		printf("module %u, counts %d\n", seed, (int)cinstr.counts);
		load(seed == 4 ? "" : "/work/lib.so");
		if (cinstr.n_modules) {
			print_sites(&cinstr.modules[0]);
			print_module(&cinstr.modules[0]);
			print_steps(seed);
		}
	}
	return 0;
}
