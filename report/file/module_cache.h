/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * module_cache.h - modules' tables, decoded once for all processes of a session that have the same
 * ones, such as a thousand processes of one program. Callable from several threads.
 */
#ifndef REPORT_FILE_MODULE_CACHE_H
#define REPORT_FILE_MODULE_CACHE_H

struct module;
struct module_cache;

struct module_cache *module_cache_new(void);
/* All data opened with `tables` must have been released. */
void module_cache_release(struct module_cache *tables);

/* If the same tables have been decoded before, shares the result with the module
 * (module->is_shared) and returns 1; else 0. `tables` may be NULL. */
int module_cache_find(struct module_cache *tables, struct module *module);
/* Keeps the module's decoded tables and shares them from now on; its texts then point into copies.
 * Not for damaged ones. */
void module_cache_keep(struct module_cache *tables, struct module *module);

#endif
