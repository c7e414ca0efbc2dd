/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_interface.h - the only file that includes libdwarf's headers. It hides the differences
 * between its releases since 2021; the rest of the report uses the current names. Release 0.3
 * renamed interfaces, removed arguments and added macros for the release to the header.
 */
#ifndef REPORT_DWARF_INTERFACE_H
#define REPORT_DWARF_INTERFACE_H

#include <stddef.h>

#include <dwarf.h>
#include <libdwarf.h>

#ifdef DW_LIBDWARF_VERSION_MAJOR

static inline int dwarf_open(const char *path, Dwarf_Debug *dwarf, Dwarf_Error *failure)
{
	return dwarf_init_path(path, NULL, 0, DW_GROUPNUMBER_ANY, NULL, NULL, dwarf, failure);
}

static inline void dwarf_close(Dwarf_Debug dwarf)
{
	dwarf_finish(dwarf);
}

#else /* releases 20210528 and before, 0.1, 0.2 */

static inline int dwarf_open(const char *path, Dwarf_Debug *dwarf, Dwarf_Error *failure)
{
	return dwarf_init_path(path, NULL, 0, 0 /* DW_DLC_READ */, DW_GROUPNUMBER_ANY, NULL, NULL, dwarf,
			       NULL, 0, NULL, failure);
}

static inline void dwarf_close(Dwarf_Debug dwarf)
{
	Dwarf_Error failure = NULL;

	dwarf_finish(dwarf, &failure);
}

static inline void dwarf_dealloc_ranges(Dwarf_Debug dwarf, Dwarf_Ranges *ranges, Dwarf_Signed n)
{
	dwarf_ranges_dealloc(dwarf, ranges, n);
}

#endif

#endif
