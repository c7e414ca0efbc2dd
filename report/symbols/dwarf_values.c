/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dwarf_values.c - see dwarf_unit.h: reads attributes of DIEs, including their ranges of code, in
 * DWARF 2 to 5. */
#include <string.h>

#include "dwarf_unit.h"

void debug_failed(struct debug_info *info, int status, Dwarf_Error failure)
{
	if (status == DW_DLV_ERROR && failure)
		dwarf_dealloc(info->dwarf, failure, DW_DLA_ERROR);
}

/* ---- values ---------------------------------------------------------------------------------- */

static Dwarf_Attribute attribute_of(struct debug_info *info, Dwarf_Die die, Dwarf_Half attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Error failure = NULL;
	int status = dwarf_attr(die, attribute, &attr, &failure);

	debug_failed(info, status, failure);
	return status == DW_DLV_OK ? attr : NULL;
}

int debug_die_number(struct debug_info *info, Dwarf_Die die, Dwarf_Half attribute, uint64_t *number)
{
	Dwarf_Attribute attr = attribute_of(info, die, attribute);
	Dwarf_Error failure = NULL;
	Dwarf_Unsigned value = 0;
	Dwarf_Signed with_sign = 0;
	int status;

	if (!attr)
		return -1;
	status = dwarf_formudata(attr, &value, &failure);
	if (status == DW_DLV_ERROR) {
		debug_failed(info, status, failure);
		failure = NULL;
		status = dwarf_formsdata(attr, &with_sign, &failure);
		value = (Dwarf_Unsigned)with_sign;
		debug_failed(info, status, failure);
	}
	dwarf_dealloc(info->dwarf, attr, DW_DLA_ATTR);
	*number = value;
	return status == DW_DLV_OK ? 0 : -1;
}

int debug_die_reference(struct debug_info *info, Dwarf_Die die, Dwarf_Half attribute, Dwarf_Off *offset,
			int *is_shared)
{
	Dwarf_Attribute attr = attribute_of(info, die, attribute);
	Dwarf_Error failure = NULL;
	Dwarf_Half form = 0;
	int status;

	if (!attr)
		return -1;
	status = dwarf_whatform(attr, &form, &failure);
	if (status == DW_DLV_OK && form == DW_FORM_ref_sig8)
		status = DW_DLV_NO_ENTRY; /* a type's */
	if (status == DW_DLV_OK)
		status = dwarf_global_formref(attr, offset, &failure);
	debug_failed(info, status, failure);
	dwarf_dealloc(info->dwarf, attr, DW_DLA_ATTR);
	*is_shared = form == DW_FORM_GNU_ref_alt || form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8;
	return status == DW_DLV_OK ? 0 : -1;
}

const char *debug_die_text(struct debug_info *info, Dwarf_Die die, Dwarf_Half attribute)
{
	Dwarf_Attribute attr = attribute_of(info, die, attribute);
	Dwarf_Error failure = NULL;
	const char *kept = NULL;
	char *text = NULL;
	int status;

	if (!attr)
		return NULL;
	status = dwarf_formstring(attr, &text, &failure);
	debug_failed(info, status, failure);
	if (status == DW_DLV_OK && *text && strncmp(text, DEBUG_NO_STRING, strlen(DEBUG_NO_STRING)))
		kept = map_keep(info->strings, text);
	dwarf_dealloc(info->dwarf, attr, DW_DLA_ATTR);
	return kept;
}

/* ---- the tree -------------------------------------------------------------------------------- */

Dwarf_Die debug_die_next(struct debug_info *info, Dwarf_Die die)
{
	Dwarf_Error failure = NULL;
	Dwarf_Die next;
	int status = dwarf_siblingof_b(info->dwarf, die, 1, &next, &failure);

	debug_failed(info, status, failure);
	debug_die_drop(info, die);
	return status == DW_DLV_OK ? next : NULL;
}

Dwarf_Die debug_die_child(struct debug_info *info, Dwarf_Die die)
{
	Dwarf_Error failure = NULL;
	Dwarf_Die child;
	int status = dwarf_child(die, &child, &failure);

	debug_failed(info, status, failure);
	return status == DW_DLV_OK ? child : NULL;
}

Dwarf_Half debug_die_tag(struct debug_info *info, Dwarf_Die die)
{
	Dwarf_Error failure = NULL;
	Dwarf_Half tag = 0;
	int status = dwarf_tag(die, &tag, &failure);

	debug_failed(info, status, failure);
	return status == DW_DLV_OK ? tag : 0;
}

Dwarf_Off debug_die_offset(struct debug_info *info, Dwarf_Die die)
{
	Dwarf_Error failure = NULL;
	Dwarf_Off offset = 0;
	int status = dwarf_dieoffset(die, &offset, &failure);

	debug_failed(info, status, failure);
	return status == DW_DLV_OK ? offset : 0;
}

/* ---- code ------------------------------------------------------------------------------------ */

/* Ranges that are added to. */
struct adding {
	struct address_ranges *spans;
	uint32_t value;
	uint64_t first;
	int n;
};

/* Code at 0 was left out by the linker. */
static void add(struct adding *a, uint64_t begin, uint64_t end)
{
	if (!begin || begin >= end)
		return;
	if (!a->n++)
		a->first = begin;
	ranges_add(a->spans, begin, end, a->value);
}

static void add_low_high(struct debug_info *info, Dwarf_Die die, struct adding *a)
{
	Dwarf_Error failure = NULL;
	Dwarf_Addr low, high;
	Dwarf_Half form;
	enum Dwarf_Form_Class class = DW_FORM_CLASS_UNKNOWN;
	int status = dwarf_lowpc(die, &low, &failure);

	if (status == DW_DLV_OK)
		status = dwarf_highpc_b(die, &high, &form, &class, &failure);
	if (status == DW_DLV_OK)
		add(a, low, class == DW_FORM_CLASS_CONSTANT ? low + high : high);
	debug_failed(info, status, failure);
}

static void add_ranges_4(struct debug_info *info, Dwarf_Die die, Dwarf_Off offset, uint64_t base,
			 struct adding *a)
{
	Dwarf_Error failure = NULL;
	Dwarf_Ranges *ranges = NULL;
	Dwarf_Signed n = 0;
	Dwarf_Unsigned bytes;
	Dwarf_Off real;
	int status = dwarf_get_ranges_b(info->dwarf, offset, die, &real, &ranges, &n, &bytes, &failure);

	debug_failed(info, status, failure);
	if (status != DW_DLV_OK)
		return;
	for (Dwarf_Signed i = 0; i < n; i++) {
		if (ranges[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
			base = ranges[i].dwr_addr2;
		else if (ranges[i].dwr_type == DW_RANGES_ENTRY)
			add(a, base + ranges[i].dwr_addr1, base + ranges[i].dwr_addr2);
	}
	dwarf_dealloc_ranges(info->dwarf, ranges, n);
}

static void add_ranges_5(struct debug_info *info, Dwarf_Attribute attr, Dwarf_Half form, Dwarf_Unsigned value,
			 struct adding *a)
{
	Dwarf_Error failure = NULL;
	Dwarf_Rnglists_Head head;
	Dwarf_Unsigned n, offset;
	int status = dwarf_rnglists_get_rle_head(attr, form, value, &head, &n, &offset, &failure);

	debug_failed(info, status, failure);
	if (status != DW_DLV_OK)
		return;
	for (Dwarf_Unsigned i = 0; i < n && status == DW_DLV_OK; i++) {
		unsigned bytes, kind;
		Dwarf_Unsigned raw1, raw2, low = 0, high = 0;
		Dwarf_Bool is_unknown = 0;

		status = dwarf_get_rnglists_entry_fields_a(head, i, &bytes, &kind, &raw1, &raw2, &is_unknown,
							   &low, &high, &failure);
		debug_failed(info, status, failure);
		if (status == DW_DLV_OK && !is_unknown && kind != DW_RLE_end_of_list &&
		    kind != DW_RLE_base_address && kind != DW_RLE_base_addressx)
			add(a, low, high);
	}
	dwarf_dealloc_rnglists_head(head);
}

static void add_listed(struct debug_info *info, Dwarf_Die die, Dwarf_Attribute attr, uint64_t base,
		       struct adding *a)
{
	Dwarf_Error failure = NULL;
	Dwarf_Half version, offset_size, form;
	Dwarf_Unsigned value = 0;
	Dwarf_Off offset = 0;
	int status = dwarf_whatform(attr, &form, &failure);

	if (status == DW_DLV_OK && form == DW_FORM_rnglistx)
		status = dwarf_formudata(attr, &value, &failure);
	else if (status == DW_DLV_OK) {
		status = dwarf_global_formref(attr, &offset, &failure);
		value = offset;
	}
	debug_failed(info, status, failure);
	if (status != DW_DLV_OK)
		return;
	if (dwarf_get_version_of_die(die, &version, &offset_size) == DW_DLV_OK && version >= 5)
		add_ranges_5(info, attr, form, value, a);
	else
		add_ranges_4(info, die, offset, base, a);
}

int debug_die_ranges(struct debug_info *info, Dwarf_Die die, uint64_t unit_low, struct address_ranges *spans,
		     uint32_t value, uint64_t *first)
{
	struct adding a = { .spans = spans, .value = value };
	Dwarf_Attribute attr = attribute_of(info, die, DW_AT_ranges);

	if (attr) {
		add_listed(info, die, attr, unit_low, &a);
		dwarf_dealloc(info->dwarf, attr, DW_DLA_ATTR);
	} else
		add_low_high(info, die, &a);
	if (first)
		*first = a.first;
	return a.n ? 0 : -1;
}
