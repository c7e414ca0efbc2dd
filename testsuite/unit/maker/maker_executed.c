/* SPDX-License-Identifier: GPL-3.0-or-later */
/* maker_executed.c - see maker_executed.h. */
#include "maker_executed.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE 0x10000000ull
#define COUNTER "\x66\x66\x66\x66\x66\x66\x2e\x0f\x1f\x84\0\0\0\0\0\x90"

/* A segment's code: what is before its counter, and behind. */
struct part {
	const char *before, *behind;
	size_t n_before, n_behind;
	int has_counter;
	uint32_t from, to;
};
#define PLAIN(from, to, code) \
	{ \
		"", code, 0, sizeof(code) - 1, 0, from, to \
	}
#define COUNTED(from, to, before, behind) \
	{ \
		before, behind, sizeof(before) - 1, sizeof(behind) - 1, 1, from, to \
	}
/* Its counter is before it. */
#define LOOP(node, code) \
	{ \
		"", code, 0, sizeof(code) - 1, 1, node, node | CINSTR_SEGMENT_LOOP \
	}

enum { ENTRY, EXIT, FIRST, SECOND };

static const struct function {
	const char *name;
	size_t n;
	struct part parts[4];
} functions[] = {
	/* xor; counter; nop; xor. A sled; add; add; js. ret */
	{ "loop",
	  3,
	  { COUNTED(ENTRY, FIRST, "\x31\xc0", "\x90\x31\xd2"),
	    LOOP(FIRST, "\x0f\x1f\x44\0\0\x01\xc0\x01\xd2\x78\x10"),
	    PLAIN(FIRST, EXIT, "\xc3") } },
	/* test; je. xor, 4 times. rep movsb. pop; ret */
	{ "branch",
	  4,
	  { PLAIN(ENTRY, FIRST, "\x85\xc0\x74\x05"),
	    COUNTED(FIRST, SECOND, "\x31\xc0\x31\xc0", "\x31\xc0\x31\xc0"),
	    COUNTED(FIRST, SECOND, "", "\xf3\xa4"), PLAIN(SECOND, EXIT, "\x5d\xc3") } },
	/* jmp over it; xor; ret */
	{ "jumping", 1, { COUNTED(ENTRY, EXIT, "", "\xeb\x02\x31\xc0\xc3") } },
	{ "strange", 1, { COUNTED(ENTRY, EXIT, "", "\x06") } },
};
#define N_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

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

static int32_t distance(size_t to, const struct blob *notes, size_t member)
{
	return (int32_t)((int64_t)(EXECUTED_TEXT + to) - (int64_t)(EXECUTED_NOTES + notes->n + member));
}

/* The code of a segment, and what the note says of it. */
static void part_put(struct blob *text, struct blob *notes, const struct part *part)
{
	size_t start = put(text, part->before, part->n_before), counter = text->n;
	struct cinstr_abi_segment s = { .from = part->from, .to = part->to };

	if (part->has_counter)
		put(text, COUNTER, CINSTR_COUNT_BYTES);
	if (CINSTR_SEGMENT_IS_LOOP(part->to))
		start = text->n;
	put(text, part->behind, part->n_behind);
	s.start = distance(start, notes, offsetof(struct cinstr_abi_segment, start));
	s.end = distance(text->n, notes, offsetof(struct cinstr_abi_segment, end));
	if (part->has_counter)
		s.counter = distance(counter, notes, offsetof(struct cinstr_abi_segment, counter));
	put(notes, &s, sizeof(s));
}

/* Places of the functions in the code; the last one is its end. */
static void code_put(struct blob *text, struct blob *notes, size_t *places)
{
	*text = *notes = (struct blob){ .n = 0 };
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		const struct function *f = &functions[i];
		struct cinstr_abi_segments head = { CINSTR_ABI_VERSION, (uint32_t)f->n, ENTRY, EXIT };
		Elf64_Nhdr note = { sizeof(CINSTR_NOTE_NAME), 0, CINSTR_NOTE_SEGMENTS };

		note.n_descsz = (uint32_t)(sizeof(head) + f->n * sizeof(struct cinstr_abi_segment));
		put(notes, &note, sizeof(note));
		put(notes, CINSTR_NOTE_NAME "\0", 8);
		put(notes, &head, sizeof(head));
		places[i] = text->n;
		for (size_t k = 0; k < f->n; k++)
			part_put(text, notes, &f->parts[k]);
		put(text, "\x90\x90\x90", 3);
	}
	places[N_FUNCTIONS] = text->n;
}

enum { NO_SECTION, TEXT, SYMTAB, STRTAB, SECTIONS };

int maker_executed_program(const char *path)
{
	static const char names[] = "\0.text\0.symtab\0.strtab";
	struct blob text, notes, symbols = { .n = 0 }, strings = { .n = 0 };
	size_t places[N_FUNCTIONS + 1];
	Elf64_Ehdr head = { .e_ident = ELFMAG,
			    .e_type = ET_DYN,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(head),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = SECTIONS,
			    .e_shstrndx = STRTAB };
	Elf64_Shdr sections[SECTIONS] = {
		[TEXT] = { .sh_name = 1,
			   .sh_type = SHT_PROGBITS,
			   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			   .sh_addr = EXECUTED_TEXT,
			   .sh_addralign = 1 },
		[SYMTAB] = { .sh_name = 7,
			     .sh_type = SHT_SYMTAB,
			     .sh_link = STRTAB,
			     .sh_entsize = sizeof(Elf64_Sym),
			     .sh_addralign = 8 },
		[STRTAB] = { .sh_name = 15, .sh_type = SHT_STRTAB, .sh_addralign = 1 },
	};
	Elf64_Sym symbol = { 0 };
	FILE *out = fopen(path, "w");

	if (!out)
		return -1;
	code_put(&text, &notes, places);
	put(&strings, names, sizeof(names));
	put(&symbols, &symbol, sizeof(symbol));
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		symbol = (Elf64_Sym){ .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = TEXT };
		symbol.st_name = (uint32_t)put(&strings, functions[i].name, strlen(functions[i].name) + 1);
		symbol.st_value = EXECUTED_TEXT + places[i];
		symbol.st_size = places[i + 1] - places[i];
		put(&symbols, &symbol, sizeof(symbol));
	}
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	head.e_ident[EI_VERSION] = EV_CURRENT;
	head.e_shoff = sizeof(head);
	sections[TEXT].sh_offset = sizeof(head) + sizeof(sections);
	sections[TEXT].sh_size = text.n;
	sections[SYMTAB].sh_offset = sections[TEXT].sh_offset + ((text.n + 7) & ~7ul);
	sections[SYMTAB].sh_size = symbols.n;
	sections[STRTAB].sh_offset = sections[SYMTAB].sh_offset + symbols.n;
	sections[STRTAB].sh_size = strings.n;
	fwrite(&head, sizeof(head), 1, out);
	fwrite(sections, sizeof(sections), 1, out);
	fwrite(text.bytes, 1, (text.n + 7) & ~7ul, out);
	fwrite(symbols.bytes, 1, symbols.n, out);
	fwrite(strings.bytes, 1, strings.n, out);
	return fclose(out) ? -1 : 0;
}

/* A segment of modules with this one alone. */
static void module_put(struct maker *m, const char *program, const struct blob *notes, size_t n_text)
{
	size_t at = maker_segment(m, CINSTR_SEG_MODULES, 0, 1);
	struct cinstr_segment *s = (void *)(m->bytes + at - sizeof(*s));
	struct cinstr_module raw = { .base = BASE,
				     .text_start = BASE + EXECUTED_TEXT,
				     .text_end = BASE + EXECUTED_TEXT + n_text,
				     .notes_address = EXECUTED_NOTES,
				     .path_offset = sizeof(raw) };
	size_t n_path = (strlen(program) + 8) & ~7ul;

	raw.notes_offset = (uint32_t)(raw.path_offset + n_path);
	raw.notes_bytes = (uint32_t)notes->n;
	raw.bytes = raw.notes_offset + ((notes->n + 7) & ~7ul);
	memcpy(m->bytes + at, &raw, sizeof(raw));
	strcpy(m->bytes + at + raw.path_offset, program);
	memcpy(m->bytes + at + raw.notes_offset, notes->bytes, notes->n);
	s->used = raw.bytes;
}

static void counts_put(struct maker *m, uint32_t thread, uint32_t first, const uint64_t *counts, int is_short)
{
	size_t at = maker_segment(m, CINSTR_SEG_SEGMENT_COUNTS, thread, 1);
	struct cinstr_segment *s = (void *)(m->bytes + at - sizeof(*s));
	size_t room = (s->bytes - sizeof(*s)) / sizeof(*counts);

	if (is_short)
		first = (uint32_t)(room - 2);
	for (size_t i = 0; i < MADE_COUNTERS && first + i < room; i++)
		memcpy(m->bytes + at + (first + i) * sizeof(*counts), &counts[i], sizeof(*counts));
}

/* A list of modules: n times this one. */
static void modules_put(struct maker *m, const struct cinstr_segment_module *entry, size_t n)
{
	size_t at = maker_segment(m, CINSTR_SEG_SEGMENT_MODULES, 0, 1);
	struct cinstr_segment *s = (void *)(m->bytes + at - sizeof(*s));

	for (size_t i = 0; i < n; i++)
		memcpy(m->bytes + at + i * sizeof(*entry), entry, sizeof(*entry));
	s->used = n * sizeof(*entry);
}

void maker_executed_init(struct maker *m, const char *program, const struct maker_executed *how)
{
	struct cinstr_segment_module entry = { .base = BASE,
					       .text_start = BASE + EXECUTED_TEXT,
					       .first = 3,
					       .n = MADE_COUNTERS + how->more_counters };
	struct blob text, notes;
	size_t places[N_FUNCTIONS + 1];

	code_put(&text, &notes, places);
	if (how->change_notes)
		how->change_notes(notes.bytes, notes.n);
	maker_init(m);
	maker_thread(m, "counted");
	maker_thread(m, "worker");
	module_put(m, program, &notes, text.n);
	if (how->has_short_counts)
		entry.first = (CINSTR_PAGE - sizeof(struct cinstr_segment)) / sizeof(uint64_t) - 2;
	entry.base += how->is_lost;
	if (how->is_twice)
		modules_put(m, &(struct cinstr_segment_module){ .base = 1 }, 1);
	modules_put(m, &entry, how->is_twice ? 2 : 1);
	for (uint32_t i = 0; i < 2; i++)
		counts_put(m, i && how->is_shared ? UINT32_MAX : i, entry.first, how->counts[i],
			   how->has_short_counts);
}

int maker_executed_sample(const char *folder, unsigned more)
{
	struct maker_executed how = { .counts = { { 10, 1000, 5, 2, 3, 0 }, { 1, 50, 0, 4, 0, 7 } } };
	char program[48];
	struct maker m;
	int status;

	snprintf(program, sizeof(program), "%s/counted", folder);
	how.counts[1][MADE_B] += more;
	if (more)
		how.counts[0][MADE_T] = 0; /* `jumping` is not called */
	status = maker_executed_program(program);
	maker_executed_init(&m, program, &how);
	snprintf(m.path, sizeof(m.path), "%s.4242.cinstr", program);
	maker_write(&m);
	free(m.bytes);
	return status ? 1 : 0;
}
