/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The constructor and destructor that register a module with the runtime (cinstr/abi.h).
 */
#ifndef CINSTR_PLUGIN_HOOK_H
#define CINSTR_PLUGIN_HOOK_H

#include <stdio.h>

/* Writes constructor and destructor, in a COMDAT group. plugin_path: file of this plugin; the
 * runtime may be in the same folder. */
void hook_write(FILE *out, const char *plugin_path);

/* Warns if there is no runtime where the hook will look for it. */
void hook_warn_no_runtime(const char *plugin_path);

#endif
