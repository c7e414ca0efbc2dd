/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols.c - see symbols.h. ELF is read by <elf.h> with every offset checked; DWARF only when a
 * line is asked for.
 */
#include "symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <libdwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util.h"

#define DEBUG_FOLDER "/usr/lib/debug/.build-id"

struct elf {
	char *path;
	const char *bytes;
	size_t n_bytes;
	const Elf64_Shdr *sections;
	size_t n_sections;
};

struct function {
	uint64_t address, size;
	const char *name;
	int rank; /* of names for one address: the plainest is the lowest */
};

/* A row of a line table. */
struct place {
	uint64_t address;
	Dwarf_Signed order; /* in the table */
	Dwarf_Line row;
};

/* A compilation unit. */
struct unit {
	Dwarf_Off offset;
	Dwarf_Line_Context context;
	struct place *places; /* in order of address */
	size_t n_places;
};

struct symbols {
	struct elf elf, debug;	    /* debug.bytes NULL: no separate file */
	struct function *functions; /* sorted by address */
	size_t n_functions;
	int dwarf_state; /* 0 not tried, 1 open, -1 none */
	Dwarf_Debug dwarf;
	Dwarf_Arange *ranges;
	Dwarf_Signed n_ranges;
	struct unit *units; /* those that were asked for */
	size_t n_units;
	char *file; /* of the last answer */
};

/* ---- ELF ------------------------------------------------------------------------------------- */

static int range_ok(const struct elf *elf, uint64_t offset, uint64_t bytes)
{
	return offset <= elf->n_bytes && bytes <= elf->n_bytes - offset;
}

static void elf_close(struct elf *elf)
{
	if (elf->bytes)
		munmap((void *)(uintptr_t)elf->bytes, elf->n_bytes);
	free(elf->path);
	*elf = (struct elf){ 0 };
}

static int elf_check(struct elf *elf)
{
	const Elf64_Ehdr *header = (const void *)elf->bytes;

	if (elf->n_bytes < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
		return -1;
	if (header->e_shoff % 8 || header->e_shentsize != sizeof(Elf64_Shdr) ||
	    !range_ok(elf, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
		return -1;
	elf->sections = (const void *)(elf->bytes + header->e_shoff);
	elf->n_sections = header->e_shnum;
	return 0;
}

static int elf_open(struct elf *elf, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *bytes = MAP_FAILED;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return -1;
	*elf = (struct elf){ .path = xstrdup(path), .bytes = bytes, .n_bytes = (size_t)st.st_size };
	if (!elf_check(elf))
		return 0;
	elf_close(elf);
	return -1;
}

static const Elf64_Shdr *section_of_type(const struct elf *elf, uint32_t type)
{
	for (size_t i = 0; i < elf->n_sections; i++)
		if (elf->sections[i].sh_type == type &&
		    range_ok(elf, elf->sections[i].sh_offset, elf->sections[i].sh_size))
			return &elf->sections[i];
	return NULL;
}

static int note_is_build_id(const char *notes, uint64_t bytes, const uint8_t *build_id, size_t n)
{
	uint64_t at = 0;

	while (at + sizeof(Elf64_Nhdr) <= bytes) {
		Elf64_Nhdr note;
		uint64_t desc;

		memcpy(&note, notes + at, sizeof(note));
		desc = at + sizeof(note) + (((uint64_t)note.n_namesz + 3) & ~3ull);
		if (desc + note.n_descsz > bytes)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + at + sizeof(note), "GNU", 4))
			return note.n_descsz == n && !memcmp(notes + desc, build_id, n);
		at = desc + (((uint64_t)note.n_descsz + 3) & ~3ull);
	}
	return 0;
}

static int build_id_ok(const struct elf *elf, const uint8_t *build_id, size_t n)
{
	if (!n)
		return 1;
	for (size_t i = 0; i < elf->n_sections; i++) {
		const Elf64_Shdr *s = &elf->sections[i];

		if (s->sh_type == SHT_NOTE && range_ok(elf, s->sh_offset, s->sh_size) &&
		    note_is_build_id(elf->bytes + s->sh_offset, s->sh_size, build_id, n))
			return 1;
	}
	return 0;
}

static void debug_open(struct symbols *symbols, const uint8_t *build_id, size_t n)
{
	struct strbuf path = { 0 };

	if (n < 2)
		return;
	strbuf_printf(&path, "%s/%02x/", DEBUG_FOLDER, build_id[0]);
	for (size_t i = 1; i < n; i++)
		strbuf_printf(&path, "%02x", build_id[i]);
	strbuf_puts(&path, ".debug");
	if (!elf_open(&symbols->debug, path.text) && !build_id_ok(&symbols->debug, build_id, n))
		elf_close(&symbols->debug);
	strbuf_release(&path);
}

/* ---- functions ------------------------------------------------------------------------------- */

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->rank - y->rank;
}

static void function_add(struct symbols *symbols, const Elf64_Sym *sym, const char *name)
{
	static const int ranks[] = { [STB_GLOBAL] = 0, [STB_WEAK] = 1, [STB_LOCAL] = 2 };
	unsigned bind = ELF64_ST_BIND(sym->st_info);

	symbols->functions[symbols->n_functions++] = (struct function){
		.address = sym->st_value,
		.size = sym->st_size,
		.name = name,
		.rank = (bind < ARRAY_SIZE(ranks) ? ranks[bind] : 3) + (name[0] == '_' ? 4 : 0),
	};
}

static int functions_read(struct symbols *symbols, const struct elf *elf, uint32_t type)
{
	const Elf64_Shdr *table = elf->bytes ? section_of_type(elf, type) : NULL, *strings;
	const Elf64_Sym *syms;
	size_t n;

	if (!table || table->sh_offset % 8 || table->sh_link >= elf->n_sections)
		return -1;
	strings = &elf->sections[table->sh_link];
	if (!range_ok(elf, strings->sh_offset, strings->sh_size) || !strings->sh_size ||
	    elf->bytes[strings->sh_offset + strings->sh_size - 1])
		return -1;
	syms = (const void *)(elf->bytes + table->sh_offset);
	n = table->sh_size / sizeof(*syms);
	symbols->functions = xrealloc(symbols->functions, symbols->n_functions + n, sizeof(struct function));
	for (size_t i = 0; i < n; i++) {
		unsigned kind = ELF64_ST_TYPE(syms[i].st_info);

		if ((kind == STT_FUNC || kind == STT_GNU_IFUNC) && syms[i].st_shndx != SHN_UNDEF &&
		    syms[i].st_name < strings->sh_size)
			function_add(symbols, &syms[i], elf->bytes + strings->sh_offset + syms[i].st_name);
	}
	return 0;
}

struct symbols *symbols_open(const char *path, const uint8_t *build_id, size_t build_id_bytes)
{
	struct symbols *symbols = xcalloc(1, sizeof(*symbols));

	if (elf_open(&symbols->elf, path) || !build_id_ok(&symbols->elf, build_id, build_id_bytes)) {
		symbols_release(symbols);
		return NULL;
	}
	debug_open(symbols, build_id, build_id_bytes);
	if (functions_read(symbols, &symbols->debug, SHT_SYMTAB) &&
	    functions_read(symbols, &symbols->elf, SHT_SYMTAB))
		functions_read(symbols, &symbols->elf, SHT_DYNSYM);
	if (symbols->n_functions)
		qsort(symbols->functions, symbols->n_functions, sizeof(struct function), compare_functions);
	return symbols;
}

const char *symbols_name(const struct symbols *symbols, uint64_t address)
{
	size_t low = 0, high = symbols->n_functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	low--;
	while (low && symbols->functions[low - 1].address == symbols->functions[low].address)
		low--; /* the best name of this address */
	if (symbols->functions[low].size &&
	    address - symbols->functions[low].address >= symbols->functions[low].size)
		return NULL;
	return symbols->functions[low].name;
}

uint64_t symbols_address(const struct symbols *symbols, const char *name)
{
	for (size_t i = 0; i < symbols->n_functions; i++)
		if (!strcmp(symbols->functions[i].name, name))
			return symbols->functions[i].address;
	return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int dwarf_open(struct symbols *symbols)
{
	const struct elf *elf = symbols->debug.bytes ? &symbols->debug : &symbols->elf;
	Dwarf_Error failure = NULL;

	if (!symbols->dwarf_state) {
		symbols->dwarf_state = -1;
		if (dwarf_init_path(elf->path, NULL, 0, 0 /* DW_DLC_READ */, DW_GROUPNUMBER_ANY, NULL, NULL,
				    &symbols->dwarf, NULL, 0, NULL, &failure) == DW_DLV_OK)
			symbols->dwarf_state = 1;
	}
	return symbols->dwarf_state == 1 ? 0 : -1;
}

static void ranges_read(struct symbols *symbols)
{
	Dwarf_Error failure = NULL;

	if (!symbols->ranges &&
	    dwarf_get_aranges(symbols->dwarf, &symbols->ranges, &symbols->n_ranges, &failure) != DW_DLV_OK)
		symbols->n_ranges = 0;
}

/* Offset of the compilation unit's DIE that covers the address. */
static int unit_offset(struct symbols *symbols, uint64_t address, Dwarf_Off *offset)
{
	Dwarf_Arange range;
	Dwarf_Error failure = NULL;

	ranges_read(symbols);
	return symbols->n_ranges &&
			       dwarf_get_arange(symbols->ranges, (Dwarf_Unsigned)symbols->n_ranges, address,
						&range, &failure) == DW_DLV_OK &&
			       dwarf_get_cu_die_offset(range, offset, &failure) == DW_DLV_OK
		       ? 0
		       : -1;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The unit's line table as places in order of address. */
static void unit_places(struct unit *unit, Dwarf_Line *rows, Dwarf_Signed n)
{
	Dwarf_Error failure = NULL;
	Dwarf_Addr address;
	Dwarf_Bool is_end;

	unit->places = xcalloc((size_t)n, sizeof(*unit->places));
	for (Dwarf_Signed i = 0; i < n; i++)
		if (dwarf_lineaddr(rows[i], &address, &failure) == DW_DLV_OK &&
		    dwarf_lineendsequence(rows[i], &is_end, &failure) == DW_DLV_OK && !is_end)
			unit->places[unit->n_places++] = (struct place){ address, i, rows[i] };
	if (unit->n_places)
		qsort(unit->places, unit->n_places, sizeof(*unit->places), compare_places);
}

static void unit_read(struct symbols *symbols, struct unit *unit)
{
	Dwarf_Die die;
	Dwarf_Line *rows = NULL;
	Dwarf_Signed n = 0;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	Dwarf_Error failure = NULL;

	if (dwarf_offdie_b(symbols->dwarf, unit->offset, 1, &die, &failure) != DW_DLV_OK)
		return;
	if (dwarf_srclines_b(die, &version, &tables, &unit->context, &failure) == DW_DLV_OK &&
	    dwarf_srclines_from_linecontext(unit->context, &rows, &n, &failure) == DW_DLV_OK)
		unit_places(unit, rows, n);
	dwarf_dealloc(symbols->dwarf, die, DW_DLA_DIE);
}

static struct unit *unit_at(struct symbols *symbols, Dwarf_Off offset)
{
	struct unit *unit;

	for (size_t i = 0; i < symbols->n_units; i++)
		if (symbols->units[i].offset == offset)
			return &symbols->units[i];
	symbols->units = xrealloc(symbols->units, symbols->n_units + 1, sizeof(*symbols->units));
	unit = &symbols->units[symbols->n_units++];
	*unit = (struct unit){ .offset = offset };
	unit_read(symbols, unit);
	return unit;
}

static int row_read(struct symbols *symbols, Dwarf_Line row, uint32_t *line)
{
	Dwarf_Error failure = NULL;
	Dwarf_Unsigned number;
	char *file;

	if (dwarf_lineno(row, &number, &failure) != DW_DLV_OK ||
	    dwarf_linesrc(row, &file, &failure) != DW_DLV_OK)
		return -1;
	free(symbols->file);
	symbols->file = xstrdup(file);
	dwarf_dealloc(symbols->dwarf, file, DW_DLA_STRING);
	*line = (uint32_t)number;
	return 0;
}

int symbols_line(struct symbols *symbols, uint64_t address, const char **file, uint32_t *line)
{
	const struct unit *unit;
	Dwarf_Off offset;
	size_t low = 0, high;

	if (dwarf_open(symbols) || unit_offset(symbols, address, &offset))
		return -1;
	unit = unit_at(symbols, offset);
	for (high = unit->n_places; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (unit->places[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return -1;
	while (low > 1 && unit->places[low - 2].address == unit->places[low - 1].address)
		low--; /* the first of several rows for one address: where the function begins */
	if (row_read(symbols, unit->places[low - 1].row, line))
		return -1;
	*file = symbols->file;
	return 0;
}

static void dwarf_release(struct symbols *symbols)
{
	Dwarf_Error failure = NULL;

	for (size_t i = 0; i < symbols->n_units; i++) {
		if (symbols->units[i].context)
			dwarf_srclines_dealloc_b(symbols->units[i].context);
		free(symbols->units[i].places);
	}
	free(symbols->units);
	for (Dwarf_Signed i = 0; i < symbols->n_ranges; i++)
		dwarf_dealloc(symbols->dwarf, symbols->ranges[i], DW_DLA_ARANGE);
	if (symbols->ranges)
		dwarf_dealloc(symbols->dwarf, symbols->ranges, DW_DLA_LIST);
	if (symbols->dwarf_state == 1)
		dwarf_finish(symbols->dwarf, &failure);
}

void symbols_release(struct symbols *symbols)
{
	if (!symbols)
		return;
	dwarf_release(symbols);
	elf_close(&symbols->elf);
	elf_close(&symbols->debug);
	free(symbols->functions);
	free(symbols->file);
	free(symbols);
}
