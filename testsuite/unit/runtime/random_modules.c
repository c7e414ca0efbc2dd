/* SPDX-License-Identifier: MIT */
/*
 * random_modules.c - makes instrumented modules by chance, in memory, and prints what the runtime
 * makes of them (runtime/choice): what is wrong with their tables when something was changed in
 * these, and where each sled and each call leads, whatever is chosen. For golden files: a change of
 * a rule is seen there by the sleds that lead elsewhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "choice_stubs.h"

int random_tables(void);
int random_sleds(void);

/* Link addresses: headers, text, tables, strings, the hook, writable data, thunks. */
#define TEXT 0x1000u
#define NOTES 0x4000u
#define STRINGS 0x6000u
#define HOOK 0x7000u
#define DATA 0x8000u
#define ROOM 0x9800u
#define THUNKS 0xc000u
#define END 0x10000u
#define SLED 24u /* from one to the next */
#define FUNCTIONS 7u

struct image_made {
	char *at; /* of END bytes */
	ElfW(Phdr) headers[7];
	size_t notes; /* bytes so far */
	size_t strings;
	uint32_t n_refs, refs[64]; /* link addresses of strings */
	uint32_t n_records;
	struct cinstr_abi_record records[400];
	uint32_t entry[2 * FUNCTIONS]; /* places in records of ENTRYs */
	uint32_t entry_sled[2 * FUNCTIONS];
	uint32_t sled; /* number of the next */
};

static struct image_made made;
static uint64_t state;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % n;
}

/* ---- making ---------------------------------------------------------------------------------- */

static uint32_t string(const char *text)
{
	uint32_t at = STRINGS + (uint32_t)made.strings;

	for (uint32_t i = 0; i < made.n_refs; i++)
		if (!strcmp(made.at + made.refs[i], text))
			return i;
	strcpy(made.at + at, text);
	made.strings += strlen(text) + 1;
	made.refs[made.n_refs] = at;
	return made.n_refs++;
}

static void record(uint32_t offset, uint32_t kind, uint32_t flags, uint32_t payload)
{
	made.records[made.n_records++] =
		(struct cinstr_abi_record){ offset, kind | flags << 4 | payload << 8 };
}

static char *sled_at(uint32_t number)
{
	return made.at + TEXT + 8 + SLED * number;
}

static void sled(uint32_t kind, uint32_t flags, uint32_t payload)
{
	static const uint64_t nop = ARCH_SLED_NOP_WORD;

	memcpy(sled_at(made.sled), &nop, ARCH_SLED_BYTES);
	record((uint32_t)(sled_at(made.sled++) - (made.at + TEXT)), kind, flags, payload);
}

/* The call or jump behind the last sled: to a function's entry, or through memory. */
static void instruction(uint8_t opcode, uint32_t function, int is_direct)
{
	char *at = sled_at(made.sled - 1) + ARCH_SLED_BYTES;
	int32_t distance;

	if (!is_direct) {
		*at = below(2) ? (char)0x90 : (char)0xff;
		return;
	}
	if (below(4)) { /* so that its distance lies in one word */
		*at++ = ARCH_IDLE_PREFIX;
		*at++ = ARCH_IDLE_PREFIX;
	}
	*at = (char)opcode;
	distance = (int32_t)(sled_at(made.entry_sled[function]) - 4 - (at + 5));
	memcpy(at + 1, &distance, sizeof(distance));
}

static const char *const callees[] = { "f0",
				       "f1",
				       "f2",
				       "f3",
				       "f4",
				       "f5",
				       "f6",
				       "puts",
				       "malloc",
				       "prctl",
				       "small",
				       "other",
				       "pthread_mutex_lock" };
#define CALLEES (uint32_t)(sizeof(callees) / sizeof(*callees))

static void place(int is_line)
{
	if (is_line)
		record(10 + below(90), CINSTR_REC_LINE, 0, below(3) ? CINSTR_REC_NO_REF : string("dir/b.h"));
}

static void actions(void)
{
	if (below(9) == 0)
		record(1 + below(9), CINSTR_REC_ACTION, 0, below(2) ? CINSTR_REC_NO_REF : string("a mark"));
}

static void call(uint32_t own)
{
	uint32_t which = below(CALLEES), flags = below(3) ? 0 : below(16), is_named = below(5) != 0;

	sled(CINSTR_REC_BEFORE, flags, is_named ? string(callees[which]) : CINSTR_REC_NO_REF);
	instruction(ARCH_CALL_OPCODE, which < FUNCTIONS ? which : own, is_named && which < FUNCTIONS);
	place(below(3) == 0);
	actions();
	if (flags & CINSTR_SITE_NORETURN)
		return;
	sled(CINSTR_REC_AFTER, below(2) | (which == CALLEES - 1 ? CINSTR_LOCK_FLAGS(1 + below(5)) : 0),
	     20 + below(50));
	place(below(6) == 0);
	actions();
}

static void source_line(void)
{
	sled(CINSTR_REC_SOURCE_LINE, 0, 20 + below(50));
	if (below(3))
		return;
	place(1);
	record(0, CINSTR_REC_INLINED, 0, string("inner\ta.c\t7\n"));
}

static void function(uint32_t number)
{
	char name[] = "f0";
	uint32_t callee;

	name[1] = (char)('0' + number);
	record(10 * number, CINSTR_REC_FUNCTION, below(2), string(name));
	made.entry[number] = made.n_records;
	record(0, CINSTR_REC_ENTRY, 0, string(number % 2 ? "a.c" : "dir/b.c"));
	made.sled = made.entry_sled[number];
	sled(CINSTR_REC_ENTER, below(4) == 0, 0);
	if (below(2)) {
		static const uint32_t mark = ARCH_ENTRY_MARK;

		memcpy(sled_at(made.sled - 1) - 4, &mark, sizeof(mark));
	}
	actions();
	for (uint32_t n = 1 + below(5); n > 0; n--)
		if (below(3))
			call(number);
		else if (below(3))
			source_line();
		else
			sled(CINSTR_REC_LANDING, 0, 44);
	if (below(2)) {
		sled(CINSTR_REC_EXIT, 0, 99);
		actions();
		return;
	}
	callee = below(CALLEES);
	sled(CINSTR_REC_TAIL, below(4) ? 0 : below(16) & ~(uint32_t)CINSTR_SITE_NORETURN,
	     below(5) ? string(callees[callee]) : CINSTR_REC_NO_REF);
	instruction(ARCH_JUMP_OPCODE, callee < FUNCTIONS ? callee : 0, callee < FUNCTIONS);
	place(below(2));
}

static size_t note(uint32_t type, const char *name, uint32_t name_bytes, const void *descriptor,
		   uint32_t bytes)
{
	uint32_t header[3] = { name_bytes, bytes, type };
	char *at = made.at + NOTES + made.notes;
	size_t begin = made.notes + sizeof(header) + ((name_bytes + 3) & ~3u);

	memcpy(at, header, sizeof(header));
	memcpy(at + sizeof(header), name, name_bytes);
	memcpy(made.at + NOTES + begin, descriptor, bytes);
	made.notes = begin + ((bytes + 3) & ~3u);
	return begin;
}

/* has_sum: with a checksum. */
static void put_table(int has_sum)
{
	struct {
		struct cinstr_abi_table head;
		char rest[0x1000];
	} whole = { .head = {
			    .abi = CINSTR_ABI_VERSION, .n_refs = made.n_refs, .n_records = made.n_records } };
	uint32_t bytes = sizeof(whole.head), sum = 0, at;
	struct cinstr_abi_record *records;
	int32_t *refs = (int32_t *)(void *)whole.rest;

	bytes += made.n_refs * 4 + made.n_records * (uint32_t)sizeof(*records);
	at = NOTES + (uint32_t)made.notes + 12 + 8;
	whole.head.text = (int32_t)(TEXT - (at + offsetof(struct cinstr_abi_table, text)));
	whole.head.unit = (int32_t)(made.refs[0] - (at + offsetof(struct cinstr_abi_table, unit)));
	sum = cinstr_abi_sum_word(sum, (uint32_t)strlen(made.at + made.refs[0]));
	sum = cinstr_abi_sum_word(sum, 0);
	for (uint32_t i = 0; i < made.n_refs; i++) {
		refs[i] = (int32_t)(made.refs[i] - (at + sizeof(whole.head) + 4 * i));
		sum = cinstr_abi_sum_word(sum, (uint32_t)strlen(made.at + made.refs[i]));
	}
	records = (void *)(refs + made.n_refs);
	memcpy(records, made.records, made.n_records * sizeof(*records));
	for (uint32_t i = 0; i < made.n_records; i++) {
		if (CINSTR_REC_KIND(records[i].info) == CINSTR_REC_ENTRY) {
			uint32_t which = 0;

			while (made.entry[which] != i)
				which++;
			records[i].offset = (uint32_t)(sled_at(made.entry_sled[which]) - made.at) -
					    (at + (uint32_t)((char *)&records[i] - (char *)&whole));
		}
		sum = cinstr_abi_sum_record(sum, records[i].offset, records[i].info);
	}
	whole.head.checksum = has_sum ? cinstr_abi_sum_end(sum) : 0;
	note(CINSTR_NOTE_TABLE, CINSTR_NOTE_NAME, sizeof(CINSTR_NOTE_NAME), &whole, bytes);
	made.n_records = 0;
	memset(made.entry, 0xff, sizeof(made.entry));
}

static void header(int i, uint32_t type, uint32_t flags, uint32_t from, uint32_t bytes)
{
	made.headers[i] = (ElfW(Phdr)){ .p_type = type,
					.p_flags = flags,
					.p_offset = from,
					.p_vaddr = from,
					.p_filesz = bytes,
					.p_memsz = bytes,
					.p_align = 4 };
}

static struct cinstr_abi_hook *hook(void)
{
	return (struct cinstr_abi_hook *)(void *)(made.at + HOOK);
}

static const char *hook_code(void)
{
	return made.at + TEXT + 0x2ff0;
}

/* Two tables, the hook's note between them, a build id before or behind them. */
static void make_module(uint64_t seed, int has_sum)
{
	static const char id[] = "0123456789abcdef";
	struct cinstr_abi_hook_note where;
	char *at = made.at ? made.at
			   : mmap(NULL, END, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t here;

	mprotect(at, END, PROT_READ | PROT_WRITE);
	memset(at, 0, END);
	made = (struct image_made){ .at = at };
	state = seed * 77 + 5;
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		made.entry_sled[f] = 1 + f * 24;
	string("unit.c");
	if (seed % 2)
		note(NT_GNU_BUILD_ID, "GNU", 4, id, 12);
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		if (f == 4) {
			put_table(has_sum);
			here = NOTES + (uint32_t)made.notes + 20;
			where.code = (int32_t)(TEXT + 0x2ff0 - here);
			where.data = (int32_t)(HOOK - (here + 4));
			note(CINSTR_NOTE_HOOK, CINSTR_NOTE_NAME, sizeof(CINSTR_NOTE_NAME), &where,
			     sizeof(where));
		}
		function(f);
	}
	record(1 + below(9), CINSTR_REC_LEFT_OUT, 0, string("other"));
	record(CINSTR_LEFT_OUT_SMALL, CINSTR_REC_LEFT_OUT, below(3) ? 0 : below(16), string("small"));
	put_table(has_sum);
	if (seed % 2 == 0)
		note(NT_GNU_BUILD_ID, "GNU", 4, id, 12);
	*hook() = (struct cinstr_abi_hook){
		.magic = CINSTR_HOOK_MAGIC,
		.abi = CINSTR_ABI_VERSION,
		.room = (int32_t)(ROOM - (HOOK + offsetof(struct cinstr_abi_hook, room))),
		.room_end = (int32_t)(ROOM + 0x2000 - (HOOK + offsetof(struct cinstr_abi_hook, room_end)))
	};
	header(0, PT_LOAD, PF_R, 0, TEXT);
	header(1, PT_LOAD, PF_R | PF_X, TEXT, 0x3000);
	header(2, PT_LOAD, PF_R, NOTES, DATA - NOTES);
	header(3, PT_LOAD, PF_R | PF_W, DATA, ROOM - DATA);
	header(4, PT_NOTE, PF_R, NOTES, (uint32_t)made.notes);
	header(5, PT_GNU_EH_FRAME, PF_R, HOOK + 0x800, 16);
	header(6, PT_DYNAMIC, PF_R, DATA, 16);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static char checked(void)
{
	struct module module = { .image = { made.headers, 7, (uint64_t)made.at, "" },
				 .base = (uint64_t)made.at };

	return (char)('0' + tables_check(&module, hook(), hook_code()));
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

int random_tables(void)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		make_module(seed, seed == 2);
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
		print_all_changes("hook", hook(), sizeof(*hook()));
		for (uint32_t f = 0; f < FUNCTIONS; f++)
			print_all_changes("sled", sled_at(made.entry_sled[f]), 8);
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
	printf("\n  patched %u, refused %u, of %u", module->patched, module->refused, module->sleds);
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
	printf("\n  functions %u, indirect %u, of libraries %u, lines %d, regions %d\n", module->functions,
	       module->indirect_calls, module->library_calls, cinstr.has_lines, cinstr.has_regions);
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
			       (const char *)m + m->path_offset, (unsigned long long)m->bytes,
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
	const char *rule = rules[below(sizeof(rules) / sizeof(*rules))];

	printf("  choose %s: %d", rule, choose_apply(rule));
}

static void change_levels(const struct module *module)
{
	struct switch_change list[FUNCTIONS];
	unsigned n = 1 + below(4), first = below(FUNCTIONS);

	printf("  levels");
	for (unsigned i = 0; i < n; i++) {
		uint32_t f = (first + i * 3) % FUNCTIONS;

		list[i] = (struct switch_change){ .func = code_of(module, sled_at(made.entry_sled[f])) |
							  CINSTR_EV_ENTER,
						  .level = (int)below(4) };
		if (below(12) == 0)
			list[i].func += 8;
		printf(" f%u:%d", f, list[i].level);
	}
	switch_functions(list, n);
	for (unsigned i = 0; i < n; i++)
		printf(" %d", list[i].error);
}

static void load(const char *name)
{
	stubs.n_objects = 1;
	stubs.objects[0] = (struct dl_phdr_info){
		.dlpi_addr = (uint64_t)made.at, .dlpi_name = name, .dlpi_phdr = made.headers, .dlpi_phnum = 7
	};
	module_add(made.at, hook(), hook_code());
}

static void print_counters(void)
{
	printf("  slots:");
	for (uint32_t code = 0x100; code < cinstr.next_code; code += 8)
		if (counting_sled(code))
			printf(" %x", counting_sled(code));
	printf("\n");
}

static void print_steps(unsigned seed)
{
	struct module *module = &cinstr.modules[0];

	for (int step = 0; step < 14; step++) {
		if (below(3))
			change_levels(module);
		else
			choose();
		print_module(module);
	}
	print_counters();
	print_sites(module);
	module_remove(made.at);
	printf("  it comes again\n");
	make_module(seed, 0);
	load("/work/lib.so");
	print_module(module);
	modules_scan();
	print_entries();
	cinstr.state = RUNTIME_OFF;
	patch_all_off();
	print_module(module);
}

int random_sleds(void)
{
	rules_begin();
	for (unsigned seed = 1; seed <= 12; seed++) {
		make_module(seed, 1);
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
		load("/work/lib.so");
		if (cinstr.n_modules) {
			print_sites(&cinstr.modules[0]);
			print_module(&cinstr.modules[0]);
			print_steps(seed);
		}
	}
	return 0;
}
