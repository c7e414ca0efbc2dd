/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * debug_files.h - finds the symbols and lines of a stripped module: in a file with its build-id or
 * of its .gnu_debuglink, below the folders of --debug-dir and /usr/lib/debug or beside the module;
 * at a debuginfod server, if DEBUGINFOD_URLS names one; or packed in the module itself
 * (.gnu_debugdata).
 */
#ifndef REPORT_DEBUG_FILES_H
#define REPORT_DEBUG_FILES_H

#include "elf_file.h"

/* Sets the folders of --debug-dir, separated by commas; NULL: none. The text stays the caller's. */
void debug_files_configure(const char *folders);
int debug_files_are_chosen(void);
/* Opens the module's debug file. module->bytes NULL: the module no longer exists. The build-id must
 * match; a file found only by its name must have the right checksum. Returns 0, or -1. */
int debug_file_open(struct elf *debug, const struct elf *module, const char *module_path,
		    const uint8_t *build_id, size_t build_id_bytes);
/* Returns the path of the file with the debug information shared by several files
 * (.gnu_debugaltlink, made by dwz), which the caller frees. NULL: there is none, or it is not the
 * right one. */
char *debug_file_shared(const struct elf *debug);
/* Unpacks the symbols in the module's .gnu_debugdata. Returns 0, or -1. */
int debug_file_unpack(struct elf *symbols, const struct elf *module);

#endif
