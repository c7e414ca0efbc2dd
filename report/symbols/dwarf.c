/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dwarf.c - see dwarf.h: the file, its units, their lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf_unit.h"
#include "lib/array.h"
#include "lib/files.h"
#include "lib/order.h"
#include "lib/search.h"

#define UNITS_MAX (1u << 22)
#define SCOPES_ASKED 2 /* the innermost one, and the last */

/* ---- units ----------------------------------------------------------------------------------- */

uint32_t debug_unit_number(struct debug_info *info, Dwarf_Off offset)
{
	int is_new;
	size_t number = int_map_add(&info->offsets, offset, &is_new);

	if (is_new) {
		ARRAY_ONE_MORE(info->units, number);
		info->units[number] = (struct unit){ .offset = offset };
		info->n_units = number + 1;
	}
	return (uint32_t)number;
}

Dwarf_Die debug_die_at(struct debug_info *info, Dwarf_Off offset)
{
	Dwarf_Error failure = NULL;
	Dwarf_Die die;
	int status = dwarf_offdie_b(info->dwarf, offset, 1, &die, &failure);

	debug_failed(info, status, failure);
	return status == DW_DLV_OK ? die : NULL;
}

void debug_die_drop(struct debug_info *info, Dwarf_Die die)
{
	dwarf_dealloc(info->dwarf, die, DW_DLA_DIE);
}

/* What .debug_aranges says. Code at 0 was left out by the linker. */
static void ranges_told(struct debug_info *info)
{
	Dwarf_Error failure = NULL;
	Dwarf_Arange *list = NULL;
	Dwarf_Signed n = 0;
	int status = dwarf_get_aranges(info->dwarf, &list, &n, &failure);

	if (status != DW_DLV_OK) {
		debug_failed(info, status, failure);
		return;
	}
	for (Dwarf_Signed i = 0; i < n; i++) {
		Dwarf_Unsigned segment, segment_bytes, length;
		Dwarf_Addr begin;
		Dwarf_Off offset;

		if (dwarf_get_arange_info_b(list[i], &segment, &segment_bytes, &begin, &length, &offset,
					    &failure) == DW_DLV_OK &&
		    begin && length && begin + length > begin)
			ranges_add(&info->code, begin, begin + length, debug_unit_number(info, offset));
		dwarf_dealloc(info->dwarf, list[i], DW_DLA_ARANGE);
	}
	dwarf_dealloc(info->dwarf, list, DW_DLA_LIST);
}

uint64_t debug_unit_low(struct debug_info *info, Dwarf_Die die)
{
	Dwarf_Error failure = NULL;
	Dwarf_Addr low = 0;
	int status = dwarf_lowpc(die, &low, &failure);

	debug_failed(info, status, failure);
	return status == DW_DLV_OK ? low : 0;
}

/* A unit that is not in .debug_aranges tells by itself: clang's, those of link-time
 * optimization. */
static void unit_ranges(struct debug_info *info, Dwarf_Die die, void *arg)
{
	Dwarf_Off offset = debug_die_offset(info, die);
	uint32_t number;

	(void)arg;
	if (!offset || int_map_find(&info->offsets, offset) != INT_MAP_NONE)
		return;
	number = debug_unit_number(info, offset);
	debug_die_ranges(info, die, debug_unit_low(info, die), &info->code, number, NULL);
}

/* Visits each unit of the file. libdwarf begins again behind the last one. */
static void units_each(struct debug_info *info,
		       void (*visit)(struct debug_info *info, Dwarf_Die die, void *arg), void *arg)
{
	Dwarf_Error failure = NULL;
	int status = DW_DLV_OK;

	for (unsigned n = 0; status == DW_DLV_OK && n < UNITS_MAX; n++) {
		Dwarf_Unsigned bytes, type_offset, next;
		Dwarf_Off abbreviations;
		Dwarf_Half version, address_size, length_size, extension_size, type;
		Dwarf_Sig8 signature;
		Dwarf_Die die;

		status = dwarf_next_cu_header_d(info->dwarf, 1, &bytes, &version, &abbreviations,
						&address_size, &length_size, &extension_size, &signature,
						&type_offset, &next, &type, &failure);
		if (status != DW_DLV_OK ||
		    dwarf_siblingof_b(info->dwarf, NULL, 1, &die, &failure) != DW_DLV_OK)
			continue;
		visit(info, die, arg);
		debug_die_drop(info, die);
	}
	debug_failed(info, status, failure);
}

static void units_find(struct debug_info *info)
{
	ranges_told(info);
	units_each(info, unit_ranges, NULL);
	ranges_sort(&info->code);
}

static void producer_take(struct debug_info *info, Dwarf_Die die, void *arg)
{
	const char *text = debug_die_text(info, die, DW_AT_producer);
	int is_new;

	if (text)
		map_add(arg, text, strlen(text), &is_new);
}

void debug_info_producers(struct debug_info *info, struct map *producers)
{
	units_each(info, producer_take, producers);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Without the folder, if that is told in a file that is not there. */
static const char *file_name(const char *name)
{
	const char *end = strncmp(name, DEBUG_NO_STRING, strlen(DEBUG_NO_STRING)) ? NULL : strstr(name, ">/");

	return end ? end + 2 : name;
}

/* Files are numbered from 1, but in DWARF 5 from 0. */
static void file_names_read(struct debug_info *info, struct unit *unit, Dwarf_Die die)
{
	Dwarf_Error failure = NULL;
	Dwarf_Half version = 0, offset_size;
	Dwarf_Signed n = 0;
	char **names = NULL;
	size_t first;
	int status = dwarf_srcfiles(die, &names, &n, &failure);

	unit->has_files = 1;
	if (status != DW_DLV_OK) {
		debug_failed(info, status, failure);
		return;
	}
	first = dwarf_get_version_of_die(die, &version, &offset_size) == DW_DLV_OK && version >= 5 ? 0 : 1;
	unit->files = xcalloc((size_t)n + first, sizeof(*unit->files));
	unit->n_files = (size_t)n + first;
	for (Dwarf_Signed i = 0; i < n; i++) {
		unit->files[(size_t)i + first] = map_keep(info->strings, file_name(names[i]));
		dwarf_dealloc(info->dwarf, names[i], DW_DLA_STRING);
	}
	dwarf_dealloc(info->dwarf, names, DW_DLA_LIST);
}

const char *debug_unit_file(struct debug_info *info, struct unit *unit, uint64_t number)
{
	Dwarf_Die die = unit->has_files ? NULL : debug_die_at(info, unit->offset);

	if (die) {
		file_names_read(info, unit, die);
		debug_die_drop(info, die);
	}
	unit->has_files = 1;
	return number < unit->n_files ? unit->files[number] : NULL;
}

/* The end of a piece of code is before what begins there. */
ORDER_ITEMS(compare_places, struct place, ORDER(x->address, y->address), y->is_end - x->is_end,
	    ORDER(x->order, y->order))

static int row_read(Dwarf_Line row, struct place *place)
{
	Dwarf_Error failure = NULL;
	Dwarf_Unsigned file, line;
	Dwarf_Addr address;
	Dwarf_Bool is_end;

	if (dwarf_lineaddr(row, &address, &failure) != DW_DLV_OK ||
	    dwarf_lineendsequence(row, &is_end, &failure) != DW_DLV_OK ||
	    dwarf_lineno(row, &line, &failure) != DW_DLV_OK ||
	    dwarf_line_srcfileno(row, &file, &failure) != DW_DLV_OK)
		return -1;
	*place = (struct place){
		.address = address, .file = (uint32_t)file, .line = (uint32_t)line, .is_end = is_end
	};
	return 0;
}

static void places_read(struct debug_info *info, struct unit *unit, Dwarf_Die die)
{
	Dwarf_Error failure = NULL;
	Dwarf_Line_Context context = NULL;
	Dwarf_Line *rows = NULL;
	Dwarf_Signed n = 0;
	Dwarf_Unsigned version;
	Dwarf_Small tables;
	int status = dwarf_srclines_b(die, &version, &tables, &context, &failure);

	if (status == DW_DLV_OK)
		status = dwarf_srclines_from_linecontext(context, &rows, &n, &failure);
	debug_failed(info, status, failure);
	if (status == DW_DLV_OK) {
		unit->places = xcalloc((size_t)n, sizeof(*unit->places));
		for (Dwarf_Signed i = 0; i < n; i++)
			if (!row_read(rows[i], &unit->places[unit->n_places]))
				unit->places[unit->n_places++].order = (uint32_t)i;
	}
	if (unit->n_places)
		util_sort(unit->places, unit->n_places, sizeof(*unit->places), compare_places, NULL);
	if (context)
		dwarf_srclines_dealloc_b(context);
}

static const struct place *place_find(const struct unit *unit, uint64_t address, enum debug_line which)
{
	const struct place *places = unit->places;
	size_t i;

	SEARCH(i, unit->n_places, places[i].address > address);
	if (!i || places[--i].is_end)
		return NULL;
	if (which == DEBUG_LINE_FIRST)
		while (i && places[i - 1].address == places[i].address && !places[i - 1].is_end)
			i--;
	return &places[i];
}

/*
 * Name of the row's file. In DWARF 5, libdwarf says 0 where a line program has not yet set the
 * file, although that means 1; it may also have set 0. The function there tells which.
 */
static const char *place_file(struct debug_info *info, uint32_t unit, const struct place *place,
			      uint64_t address)
{
	const char *file = debug_unit_file(info, &info->units[unit], place->file);
	const char *other = place->file ? file : debug_unit_file(info, &info->units[unit], 1);
	struct debug_scope scopes[SCOPES_ASKED];

	if (!file || !other || other == file)
		return file ? file : other;
	return debug_info_scopes(info, address, scopes, SCOPES_ASKED) && scopes[0].name.decl_file == other
		       ? other
		       : file;
}

int debug_info_line(struct debug_info *info, uint64_t address, enum debug_line which, const char **file,
		    uint32_t *line)
{
	const struct address_range *span = ranges_find(&info->code, address);
	struct unit *unit = span ? &info->units[span->value] : NULL;
	const struct place *place;
	struct place found;
	Dwarf_Die die = unit && !unit->has_places ? debug_die_at(info, unit->offset) : NULL;

	if (!unit)
		return -1;
	unit->has_places = 1;
	if (die) {
		places_read(info, unit, die);
		debug_die_drop(info, die);
	}
	place = place_find(unit, address, which);
	if (!place || !place->line)
		return -1;
	found = *place; /* units move when names are looked up */
	*file = place_file(info, span->value, &found, address);
	if (!*file)
		return -1;
	*line = found.line;
	return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static struct debug_info *file_open(const char *path, struct map *strings)
{
	struct debug_info *info = xcalloc(1, sizeof(*info));
	Dwarf_Error failure = NULL;
	int fd = files_open(path, FILES_LINKED), status = DW_DLV_NO_ENTRY;
	char opened[64];

	info->strings = strings;
	if (fd >= 0) {
		snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
		status = dwarf_open(opened, &info->dwarf, &failure);
		close(fd);
	}
	if (status == DW_DLV_OK)
		return info;
	debug_failed(info, status, failure);
	free(info);
	return NULL;
}

struct debug_info *debug_info_open(const char *path, const char *shared, struct map *strings)
{
	struct debug_info *info = file_open(path, strings);
	Dwarf_Error failure = NULL;

	if (!info)
		return NULL;
	info->shared = shared ? file_open(shared, strings) : NULL;
	if (info->shared) {
		int status = dwarf_set_tied_dbg(info->dwarf, info->shared->dwarf, &failure);

		debug_failed(info, status, failure);
	}
	units_find(info);
	if (info->code.n)
		return info;
	debug_info_release(info);
	return NULL;
}

void debug_info_release(struct debug_info *info)
{
	if (!info)
		return;
	for (size_t i = 0; i < info->n_units; i++) {
		free(info->units[i].places);
		free(info->units[i].files);
		debug_unit_functions_release(&info->units[i]);
	}
	free(info->units);
	ranges_release(&info->code);
	int_map_release(&info->offsets);
	int_map_release(&info->names_offsets);
	free(info->names);
	dwarf_close(info->dwarf);
	debug_info_release(info->shared);
	free(info);
}
