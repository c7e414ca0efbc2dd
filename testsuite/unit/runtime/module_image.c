/* SPDX-License-Identifier: MIT */
/* module_image.c - see module_image.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "module_image.h"

struct image_made made;
static uint64_t state;

uint32_t module_below(uint32_t n)
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

char *module_sled(uint32_t number)
{
	return made.at + TEXT + 8 + SLED * number;
}

static void sled(uint32_t kind, uint32_t flags, uint32_t payload)
{
	static const uint64_t nop = ARCH_SLED_NOP_WORD;

	memcpy(module_sled(made.sled), &nop, ARCH_SLED_BYTES);
	record((uint32_t)(module_sled(made.sled++) - (made.at + TEXT)), kind, flags, payload);
}

/* The call or jump behind the last sled: to a function's entry, or through memory. */
static void instruction(uint8_t opcode, uint32_t function, int is_direct)
{
	char *at = module_sled(made.sled - 1) + ARCH_SLED_BYTES;
	int32_t distance;

	if (!is_direct) {
		*at = module_below(2) ? (char)0x90 : (char)0xff;
		return;
	}
	if (module_below(4)) { /* so that its distance lies in one word */
		*at++ = ARCH_IDLE_PREFIX;
		*at++ = ARCH_IDLE_PREFIX;
	}
	*at = (char)opcode;
	distance = (int32_t)(module_sled(made.entry_sled[function]) - 4 - (at + 5));
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
		record(10 + module_below(90), CINSTR_REC_LINE, 0,
		       module_below(3) ? CINSTR_REC_NO_REF : string("dir/b.h"));
}

static void actions(void)
{
	if (module_below(9) == 0)
		record(1 + module_below(9), CINSTR_REC_ACTION, 0,
		       module_below(2) ? CINSTR_REC_NO_REF : string("a mark"));
}

static void call(uint32_t own)
{
	uint32_t which = module_below(CALLEES), flags = module_below(3) ? 0 : module_below(16),
		 is_named = module_below(5) != 0;

	sled(CINSTR_REC_BEFORE, flags, is_named ? string(callees[which]) : CINSTR_REC_NO_REF);
	instruction(ARCH_CALL_OPCODE, which < FUNCTIONS ? which : own, is_named && which < FUNCTIONS);
	place(module_below(3) == 0);
	actions();
	if (flags & CINSTR_SITE_NORETURN)
		return;
	sled(CINSTR_REC_AFTER,
	     module_below(2) | (which == CALLEES - 1 ? CINSTR_LOCK_FLAGS(1 + module_below(5)) : 0),
	     20 + module_below(50));
	place(module_below(6) == 0);
	actions();
}

static void source_line(void)
{
	sled(CINSTR_REC_SOURCE_LINE, 0, 20 + module_below(50));
	if (module_below(3))
		return;
	place(1);
	record(0, CINSTR_REC_INLINED, 0, string("inner\ta.c\t7\n"));
}

static void function(uint32_t number)
{
	char name[] = "f0";
	uint32_t callee;

	name[1] = (char)('0' + number);
	record(10 * number, CINSTR_REC_FUNCTION, module_below(2), string(name));
	made.entry[number] = made.n_records;
	record(0, CINSTR_REC_ENTRY, 0, string(number % 2 ? "a.c" : "dir/b.c"));
	made.sled = made.entry_sled[number];
	sled(CINSTR_REC_ENTER, module_below(4) == 0, 0);
	if (module_below(2)) {
		static const uint32_t mark = ARCH_ENTRY_MARK;

		memcpy(module_sled(made.sled - 1) - 4, &mark, sizeof(mark));
	}
	actions();
	for (uint32_t n = 1 + module_below(5); n > 0; n--)
		if (module_below(3))
			call(number);
		else if (module_below(3))
			source_line();
		else
			sled(CINSTR_REC_LANDING, 0, 44);
	if (module_below(2)) {
		sled(CINSTR_REC_EXIT, 0, 99);
		actions();
		return;
	}
	callee = module_below(CALLEES);
	sled(CINSTR_REC_TAIL, module_below(4) ? 0 : module_below(16) & ~(uint32_t)CINSTR_SITE_NORETURN,
	     module_below(5) ? string(callees[callee]) : CINSTR_REC_NO_REF);
	instruction(ARCH_JUMP_OPCODE, callee < FUNCTIONS ? callee : 0, callee < FUNCTIONS);
	place(module_below(2));
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
			records[i].offset = (uint32_t)(module_sled(made.entry_sled[which]) - made.at) -
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

struct cinstr_abi_hook *module_hook(void)
{
	return (struct cinstr_abi_hook *)(void *)(made.at + HOOK);
}

const char *module_hook_code(void)
{
	return made.at + CODE;
}

void module_elf_header(void)
{
	ElfW(Ehdr) *ehdr = (void *)made.at;

	*ehdr = (ElfW(Ehdr)){ .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3 },
			      .e_phentsize = sizeof(ElfW(Phdr)),
			      .e_phoff = sizeof(*ehdr),
			      .e_phnum = 7 };
	memcpy(made.at + sizeof(*ehdr), made.headers, sizeof(made.headers));
}

void module_make(uint64_t seed, int has_sum)
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
	if (seed % 3 == 1)
		note(NT_GNU_BUILD_ID, "GNU", 4, id, 12);
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		if (f == 4) {
			put_table(has_sum);
			here = NOTES + (uint32_t)made.notes + 20;
			where.code = (int32_t)(CODE - here);
			where.data = (int32_t)(HOOK - (here + 4));
			note(CINSTR_NOTE_HOOK, CINSTR_NOTE_NAME, sizeof(CINSTR_NOTE_NAME), &where,
			     sizeof(where));
		}
		function(f);
	}
	record(70, CINSTR_REC_FUNCTION, CINSTR_FUNCTION_LOCAL, string("last"));
	made.entry[FUNCTIONS] = made.n_records;
	record(0, CINSTR_REC_ENTRY, 0, string("a.c"));
	made.sled = made.entry_sled[FUNCTIONS] = LAST_SLED;
	sled(CINSTR_REC_ENTER, 0, 0);
	record(1 + module_below(9), CINSTR_REC_LEFT_OUT, 0, string("other"));
	record(CINSTR_LEFT_OUT_SMALL, CINSTR_REC_LEFT_OUT, module_below(3) ? 0 : module_below(16),
	       string("small"));
	put_table(has_sum);
	if (seed % 3 == 2)
		note(NT_GNU_BUILD_ID, "GNU", 4, id, 12);
	*module_hook() = (struct cinstr_abi_hook){
		.magic = CINSTR_HOOK_MAGIC,
		.abi = CINSTR_ABI_VERSION,
		.room = (int32_t)(ROOM - (HOOK + offsetof(struct cinstr_abi_hook, room))),
		.room_end = (int32_t)(ROOM + 0x2000 - (HOOK + offsetof(struct cinstr_abi_hook, room_end)))
	};
	header(0, PT_LOAD, PF_R, 0, TEXT);
	header(1, PT_LOAD, PF_R | PF_X, TEXT, TEXT_BYTES);
	header(2, PT_LOAD, PF_R, NOTES, DATA - NOTES);
	header(3, PT_LOAD, PF_R | PF_W, DATA, ROOM - DATA);
	header(4, PT_NOTE, PF_R, NOTES, (uint32_t)made.notes);
	header(5, PT_GNU_EH_FRAME, PF_R, HOOK + 0x800, 16);
	header(6, PT_DYNAMIC, PF_R, DATA, 16);
	module_elf_header();
}
