/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * debug_files.h - where the symbols and lines of a stripped module are: in a file found by its
 * build-id or its .gnu_debuglink, below the folders of --debug-dir and /usr/lib/debug or beside the
 * module; at a debuginfod server, if DEBUGINFOD_URLS names one; or, packed, in the module itself
 * (.gnu_debugdata).
 */
#ifndef REPORT_DEBUG_FILES_H
#define REPORT_DEBUG_FILES_H

#include "elf_file.h"

/* What --debug-dir says: folders, separated by commas; NULL: none. */
void debug_files_configure(const char *folders);
int debug_files_are_chosen(void);
/*
 * The file that belongs to the module: 0, or -1. module->bytes NULL: it is not there any more. A
 * build-id must be the same, a file that is found by its name alone must have the right checksum.
 */
int debug_file_open(struct elf *debug, const struct elf *module, const char *module_path,
		    const uint8_t *build_id, size_t build_id_bytes);
/*
 * Path of the file that the debug information of this one refers to (.gnu_debugaltlink: dwz puts
 * there what several have in common); the caller frees it. NULL: there is none, or it is not the
 * right one.
 */
char *debug_file_shared(const struct elf *debug);
/* The symbols that are packed into the module: 0, or -1. */
int debug_file_unpack(struct elf *symbols, const struct elf *module);

#endif
