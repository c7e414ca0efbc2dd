/* SPDX-License-Identifier: GPL-3.0-or-later */
/* maker_module.c - the modules of a made data file: app, which has tables, and libc (maker.h). */
#include "maker.h"

#include <string.h>

#define NOTES 0x2000u /* link addresses */
#define STRINGS 0x3000u
#define TEXT (MAKER_TEXT - MAKER_BASE)

struct blob {
	char bytes[4096];
	size_t n;
};

static size_t put(struct blob *blob, const void *bytes, size_t n)
{
	size_t at = blob->n;

	memcpy(blob->bytes + at, bytes, n);
	blob->n += n;
	return at;
}

enum string {
	S_UNIT,
	S_DIR,
	S_MAIN,
	S_WORK,
	S_REC,
	S_TWIN,
	S_CLONE,
	S_TAIL,
	S_FILE_A,
	S_FILE_B,
	S_PUTS,
	S_USLEEP,
	S_READ,
	S_LEFT,
	S_LINED,
	S_OMP,
	S_CHAIN_INNER,
	S_CHAIN,
	S_CHAIN_OUTER,
	S_CHAIN_3,
	S_CHAIN_4,
	S_CHAIN_5,
	S_TINY,
	S_CHOSEN,
	S_COUNT
};
static const char *const texts[S_COUNT] = {
	"a.c",
	"/src",
	"main",
	"work",
	"rec",
	"twin",
	"clone.constprop.0",
	"tail",
	"a.c",
	"/abs/b.c",
	"puts",
	"usleep",
	"read",
	"quiet",
	[S_LINED] = "lined",
	[S_OMP] = "work._omp_fn.0",
	[S_CHAIN] = "helper\ta.c\t83\n",
	[S_CHAIN_INNER] = "helper\tb.c\t9\n",
	[S_CHAIN_OUTER] = "outer.isra.0\ta.c\t84\n",
	[S_CHAIN_3] = "third\ta.c\t3\n",
	[S_CHAIN_4] = "fourth\ta.c\t4\n",
	[S_CHAIN_5] = "fifth\ta.c\t5\n",
	[S_TINY] = "tiny",
	[S_CHOSEN] = "chosen",
};

struct table {
	struct blob strings, notes;
	size_t offsets[S_COUNT];
	size_t records; /* offset of records in the notes */
	int site;
};

static void record(struct table *t, uint32_t offset, uint32_t kind, uint32_t flags, uint32_t payload)
{
	struct cinstr_abi_record r = { offset, kind | flags << 4 | payload << 8 };

	put(&t->notes, &r, sizeof(r));
}

static void sled(struct table *t, uint32_t kind, uint32_t flags, uint32_t payload)
{
	record(t, 8u * (uint32_t)t->site++, 8 + kind, flags, payload);
}

static void function(struct table *t, uint32_t line, enum string name, enum string file)
{
	uint32_t field = NOTES + (uint32_t)t->notes.n + 8;

	record(t, line, CINSTR_REC_FUNCTION, 0, name);
	record(t, (uint32_t)(TEXT + 8 * (uint64_t)t->site) - field, CINSTR_REC_ENTRY, 0, file);
	sled(t, CINSTR_EV_ENTER, 0, 0);
}

static void call(struct table *t, uint32_t callee, uint32_t flags, uint32_t line)
{
	sled(t, CINSTR_EV_BEFORE, flags, callee);
	sled(t, CINSTR_EV_AFTER, 0, line);
}

static void end(struct table *t, uint32_t line)
{
	sled(t, CINSTR_EV_EXIT, 0, line);
}

static void line(struct table *t, uint32_t number)
{
	sled(t, CINSTR_EV_LINE, 0, number);
}

static void lined(struct table *t)
{
	function(t, 80, S_LINED, S_FILE_A);
	line(t, 81);
	call(t, S_PUTS, 0, 81);
	line(t, 82);
	record(t, CINSTR_ACTION_MARK, CINSTR_REC_ACTION, 0, CINSTR_REC_NO_REF);
	call(t, S_LINED, 0, 82);
	for (uint32_t chain = S_CHAIN; chain <= S_CHAIN_5; chain++) {
		line(t, 5);
		record(t, 5, CINSTR_REC_LINE, 0, S_FILE_B);
		if (chain == S_CHAIN_OUTER)
			record(t, 0, CINSTR_REC_INLINED, 0, S_CHAIN_INNER);
		record(t, 0, CINSTR_REC_INLINED, 0, chain);
	}
	line(t, 80);
	end(t, 85);
}

/* In the order of enum maker_site. */
static void functions(struct table *t)
{
	function(t, 10, S_MAIN, S_FILE_A);
	call(t, S_WORK, 0, 11);
	call(t, S_REC, 0, 12);
	call(t, S_PUTS, 0, 13);
	call(t, S_USLEEP, CINSTR_SITE_SYSCALL, 14);
	call(t, CINSTR_REC_NO_REF, 0, 15);
	call(t, S_TWIN, 0, 16);
	end(t, 17);
	function(t, 20, S_WORK, S_FILE_A);
	call(t, S_READ, CINSTR_SITE_SYSCALL, 21);
	call(t, S_REC, 0, 22);
	sled(t, CINSTR_EV_TAIL, 0, S_TAIL);
	record(t, 23, CINSTR_REC_LINE, 0, CINSTR_REC_NO_REF);
	end(t, 24);
	function(t, 30, S_REC, S_FILE_A);
	call(t, S_REC, 0, 31);
	end(t, 32);
	function(t, 40, S_TWIN, S_FILE_A);
	end(t, 41);
	function(t, 50, S_TWIN, S_FILE_B);
	end(t, 51);
	function(t, 60, S_CLONE, S_FILE_A);
	end(t, 61);
	function(t, 70, S_TAIL, S_FILE_A);
	end(t, 71);
	lined(t);
	function(t, 25, S_OMP, S_FILE_A);
	end(t, 26);
	record(t, CINSTR_LEFT_OUT_ATTRIBUTE, CINSTR_REC_LEFT_OUT, 0, S_LEFT);
	record(t, CINSTR_LEFT_OUT_SMALL, CINSTR_REC_LEFT_OUT, 0, S_TINY);
	record(t, CINSTR_LEFT_OUT_SMALL, CINSTR_REC_LEFT_OUT, 0, S_TINY); /* from another unit */
	record(t, CINSTR_LEFT_OUT_SMALL, CINSTR_REC_LEFT_OUT, CINSTR_FUNCTION_ALIAS, S_TINY);
	record(t, CINSTR_LEFT_OUT_EXCLUDED, CINSTR_REC_LEFT_OUT, CINSTR_FUNCTION_LOCAL, S_CHOSEN);
	record(t, CINSTR_LEFT_OUT_EXCLUDED, CINSTR_REC_LEFT_OUT, CINSTR_FUNCTION_LOCAL, S_CHOSEN);
	record(t, 0x1234, 7, 0, 0xabcdef); /* of a kind to come */
}

static void refs(struct table *t)
{
	for (int i = 0; i < S_COUNT; i++) {
		int32_t ref = (int32_t)(STRINGS + t->offsets[i]) - (int32_t)(NOTES + t->notes.n);

		put(&t->notes, &ref, sizeof(ref));
	}
}

static void table_make(struct table *t)
{
	uint32_t note[3] = { sizeof(CINSTR_NOTE_NAME), 0, CINSTR_NOTE_TABLE };
	struct cinstr_abi_table header = { .abi = CINSTR_ABI_VERSION, .n_refs = S_COUNT };
	uint32_t at;

	*t = (struct table){ .site = 0 };
	put(&t->strings, "", 1);
	for (int i = 0; i < S_COUNT; i++)
		t->offsets[i] = put(&t->strings, texts[i], strlen(texts[i]) + 1);
	put(&t->notes, note, sizeof(note));
	put(&t->notes, CINSTR_NOTE_NAME "\0", 8);
	at = NOTES + (uint32_t)t->notes.n;
	header.text = (int32_t)(TEXT - (at + offsetof(struct cinstr_abi_table, text)));
	header.unit =
		(int32_t)(STRINGS + t->offsets[S_UNIT] - (at + offsetof(struct cinstr_abi_table, unit)));
	header.comp_dir =
		(int32_t)(STRINGS + t->offsets[S_DIR] - (at + offsetof(struct cinstr_abi_table, comp_dir)));
	put(&t->notes, &header, sizeof(header));
	refs(t);
	t->records = t->notes.n;
	functions(t);
	header.n_records = (uint32_t)((t->notes.n - t->records) / sizeof(struct cinstr_abi_record));
	memcpy(t->notes.bytes + 20, &header, sizeof(header));
	note[1] = (uint32_t)(t->notes.n - 20);
	memcpy(t->notes.bytes, note, sizeof(note));
}

static uint32_t part(struct blob *entry, const void *bytes, size_t n)
{
	uint32_t at = (uint32_t)put(entry, bytes, n);

	entry->n = (entry->n + 7) & ~7ul;
	return at;
}

static size_t module_put(struct maker *m, size_t at, struct cinstr_module *raw, struct blob *entry)
{
	raw->bytes = entry->n;
	memcpy(entry->bytes, raw, sizeof(*raw));
	memcpy(m->bytes + at, entry->bytes, entry->n);
	return at + entry->n;
}

size_t maker_app_module(struct maker *m, size_t at)
{
	struct table t;
	struct blob entry = { .n = sizeof(struct cinstr_module) };
	struct cinstr_module raw = { .base = MAKER_BASE,
				     .text_start = MAKER_TEXT,
				     .text_end = MAKER_TEXT + 0x1000,
				     .code_base = MAKER_CODE_BASE,
				     .code_bytes = 0x1000,
				     .notes_address = NOTES,
				     .strings_address = STRINGS,
				     .flags = CINSTR_MODULE_MAIN };
	struct cinstr_callee callees[2];

	table_make(&t);
	callees[0] = (struct cinstr_callee){ STRINGS + t.offsets[S_PUTS], MAKER_LIBC + 0x10 };
	callees[1] = (struct cinstr_callee){ STRINGS + t.offsets[S_USLEEP], MAKER_LIBC + 0x20 };
	raw.path_offset = part(&entry, "/nowhere/app", 13);
	raw.notes_bytes = (uint32_t)t.notes.n;
	raw.notes_offset = part(&entry, t.notes.bytes, t.notes.n);
	raw.strings_bytes = (uint32_t)t.strings.n;
	raw.strings_offset = part(&entry, t.strings.bytes, t.strings.n);
	raw.n_callees = 2;
	raw.callees_offset = part(&entry, callees, sizeof(callees));
	raw.sleds = raw.patched = MAKER_SITES;
	return module_put(m, at, &raw, &entry);
}

size_t maker_libc_module(struct maker *m, size_t at)
{
	struct blob entry = { .n = sizeof(struct cinstr_module) };
	struct cinstr_module raw = { .base = MAKER_LIBC - 0x1000,
				     .text_start = MAKER_LIBC,
				     .text_end = MAKER_LIBC + 0x1000 };

	raw.path_offset = part(&entry, "/nowhere/libc.so", 17);
	return module_put(m, at, &raw, &entry);
}

uint32_t maker_code(enum maker_site site)
{
	static const unsigned char kinds[MAKER_SITES] = {
		[MAIN_ENTER] = 1,
		[MAIN_WORK] = 3,
		[MAIN_WORK_AFTER] = 4,
		[MAIN_REC] = 3,
		[MAIN_REC_AFTER] = 4,
		[MAIN_PUTS] = 3,
		[MAIN_PUTS_AFTER] = 4,
		[MAIN_USLEEP] = 3,
		[MAIN_USLEEP_AFTER] = 4,
		[MAIN_POINTER] = 3,
		[MAIN_POINTER_AFTER] = 4,
		[MAIN_TWIN] = 3,
		[MAIN_TWIN_AFTER] = 4,
		[MAIN_EXIT] = 2,
		[WORK_ENTER] = 1,
		[WORK_READ] = 3,
		[WORK_READ_AFTER] = 4,
		[WORK_REC] = 3,
		[WORK_REC_AFTER] = 4,
		[WORK_TAIL] = 5,
		[WORK_EXIT] = 2,
		[REC_ENTER] = 1,
		[REC_REC] = 3,
		[REC_REC_AFTER] = 4,
		[REC_EXIT] = 2,
		[TWIN_A_ENTER] = 1,
		[TWIN_A_EXIT] = 2,
		[TWIN_B_ENTER] = 1,
		[TWIN_B_EXIT] = 2,
		[CLONE_ENTER] = 1,
		[CLONE_EXIT] = 2,
		[TAIL_ENTER] = 1,
		[TAIL_EXIT] = 2,
		[LINED_ENTER] = 1,
		[LINED_81] = 7,
		[LINED_PUTS] = 3,
		[LINED_PUTS_AFTER] = 4,
		[LINED_82] = 7,
		[LINED_LINED] = 3,
		[LINED_LINED_AFTER] = 4,
		[LINED_INLINED] = 7,
		[LINED_AGAIN] = 7,
		[LINED_THIRD] = 7,
		[LINED_FOURTH] = 7,
		[LINED_FIFTH] = 7,
		[LINED_80] = 7,
		[LINED_EXIT] = 2,
		[OMP_ENTER] = 1,
		[OMP_EXIT] = 2,
	};

	return MAKER_CODE_BASE + 8 * (uint32_t)site + kinds[site];
}
