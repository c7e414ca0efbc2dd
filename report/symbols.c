/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols.c - see symbols.h. DWARF is read only when a line is asked for.
 */
#include "symbols.h"

#include <libdwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "debug_files.h"
#include "elf_file.h"
#include "util.h"

#define VDSO_PAGES 16 /* it has fewer */

struct function {
	uint64_t address, size;
	const char *name;
	int rank;      /* of names for one address: the plainest is the lowest */
	int is_import; /* of another module; the address is that of its stub in this one's PLT */
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
	struct elf elf, debug;	    /* bytes NULL: there is none */
	struct elf packed;	    /* .gnu_debugdata */
	struct map names;	    /* those that had to be copied */
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

/* ---- functions ------------------------------------------------------------------------------- */

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->rank - y->rank;
}

/* "puts@GLIBC_2.2.5" is puts. */
static const char *without_version(struct symbols *symbols, const char *name)
{
	const char *at = strchr(name, '@'), *kept;
	char *copy;

	if (!at || at == name)
		return name;
	copy = xstrdup(name);
	copy[at - name] = '\0';
	kept = map_keep(&symbols->names, copy);
	free(copy);
	return kept;
}

/* Where a function without a size may end: with its section. */
static uint64_t room(const struct elf *elf, const Elf64_Sym *sym)
{
	const Elf64_Shdr *s = sym->st_shndx < elf->n_sections ? &elf->sections[sym->st_shndx] : NULL;

	return s && sym->st_value - s->sh_addr < s->sh_size ? s->sh_addr + s->sh_size - sym->st_value : 0;
}

static void function_add(struct symbols *symbols, const struct elf *elf, const Elf64_Sym *sym,
			 const char *name)
{
	static const int ranks[] = { [STB_GLOBAL] = 0, [STB_WEAK] = 1, [STB_LOCAL] = 2 };
	unsigned bind = ELF64_ST_BIND(sym->st_info);
	int is_import = sym->st_shndx == SHN_UNDEF;

	symbols->functions[symbols->n_functions++] = (struct function){
		.address = sym->st_value,
		.size = sym->st_size || is_import ? sym->st_size : room(elf, sym),
		.name = without_version(symbols, name),
		.rank = (bind < ARRAY_SIZE(ranks) ? ranks[bind] : 3) + (name[0] == '_' ? 4 : 0),
		.is_import = is_import,
	};
}

/* Functions of a symbol table; undefined ones have an address where their stub stands for them (without PIE). */
static int functions_read(struct symbols *symbols, const struct elf *elf, uint32_t type, int imports)
{
	const Elf64_Shdr *table = elf->bytes ? elf_section_of_type(elf, type) : NULL, *strings;
	const Elf64_Sym *syms;
	size_t n;

	if (!table || table->sh_offset % 8 || table->sh_link >= elf->n_sections)
		return -1;
	strings = &elf->sections[table->sh_link];
	if (!elf_has(elf, strings->sh_offset, strings->sh_size) || !strings->sh_size ||
	    elf->bytes[strings->sh_offset + strings->sh_size - 1])
		return -1;
	syms = (const void *)(elf->bytes + table->sh_offset);
	n = table->sh_size / sizeof(*syms);
	symbols->functions = xrealloc(symbols->functions, symbols->n_functions + n, sizeof(struct function));
	for (size_t i = 0; i < n; i++) {
		unsigned kind = ELF64_ST_TYPE(syms[i].st_info);
		int is_import = syms[i].st_shndx == SHN_UNDEF;

		if ((kind == STT_FUNC || kind == STT_GNU_IFUNC) && is_import == imports && syms[i].st_value &&
		    syms[i].st_name < strings->sh_size)
			function_add(symbols, elf, &syms[i],
				     elf->bytes + strings->sh_offset + syms[i].st_name);
	}
	return 0;
}

/* From the best table there is; what is missing in that of a packed one is in the dynamic one. */
static void functions_read_all(struct symbols *symbols)
{
	const struct elf *elf = &symbols->elf;

	functions_read(symbols, elf, SHT_DYNSYM, 1);
	if (functions_read(symbols, &symbols->debug, SHT_SYMTAB, 0) &&
	    functions_read(symbols, elf, SHT_SYMTAB, 0)) {
		functions_read(symbols, elf, SHT_DYNSYM, 0);
		if (!debug_file_unpack(&symbols->packed, elf))
			functions_read(symbols, &symbols->packed, SHT_SYMTAB, 0);
	}
	if (symbols->n_functions)
		qsort(symbols->functions, symbols->n_functions, sizeof(struct function), compare_functions);
}

/* The kernel's part of every process has no file, but is in this process, too: the same if the build-id is. */
static int vdso_open(struct elf *elf, const char *path)
{
	const char *image = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	size_t n_bytes = VDSO_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	const Elf64_Ehdr *header = (const void *)image;
	size_t end = image ? header->e_shoff + (size_t)header->e_shnum * header->e_shentsize : 0;
	char *copy;

	if (!strstr(path, "vdso") || strchr(path, '/') || !end || end > n_bytes)
		return -1;
	copy = xcalloc(end, 1);
	memcpy(copy, image, end);
	return elf_open_bytes(elf, copy, end);
}

struct symbols *symbols_open(const char *path, const uint8_t *build_id, size_t build_id_bytes)
{
	struct symbols *symbols = xcalloc(1, sizeof(*symbols));

	if ((!elf_open(&symbols->elf, path) || (build_id_bytes && !vdso_open(&symbols->elf, path))) &&
	    !elf_build_id_is(&symbols->elf, build_id, build_id_bytes))
		elf_close(&symbols->elf);
	if (debug_file_open(&symbols->debug, &symbols->elf, path, build_id, build_id_bytes) &&
	    !symbols->elf.bytes) {
		symbols_release(symbols);
		return NULL;
	}
	functions_read_all(symbols);
	return symbols;
}

const char *symbols_name(const struct symbols *symbols, uint64_t address, int *is_import)
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
	if (symbols->functions[low].is_import && symbols->functions[low].address != address)
		return NULL; /* where stubs end is not told */
	if (is_import)
		*is_import = symbols->functions[low].is_import;
	return symbols->functions[low].name;
}

uint64_t symbols_address(const struct symbols *symbols, const char *name)
{
	for (size_t i = 0; i < symbols->n_functions; i++)
		if (!symbols->functions[i].is_import && !strcmp(symbols->functions[i].name, name))
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
	elf_close(&symbols->packed);
	map_release(&symbols->names);
	free(symbols->functions);
	free(symbols->file);
	free(symbols);
}
