/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine_libunwind.h - libunwind for this processor, whichever runs the command. Registers have
 * their DWARF numbers. */
#ifndef REPORT_MACHINE_LIBUNWIND_H
#define REPORT_MACHINE_LIBUNWIND_H

#include <libunwind-x86_64.h>

#define MACHINE_SEARCH_UNWIND_TABLE _Ux86_64_dwarf_search_unwind_table

#endif
