/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * module_cache.h - what modules' tables say, decoded once for all processes of a session that have
 * the same ones: a thousand processes of one program. Callable from several threads.
 */
#ifndef REPORT_FILE_MODULE_CACHE_H
#define REPORT_FILE_MODULE_CACHE_H

struct module;
struct tables;

struct tables *tables_new(void);
/* Data that was opened with it must have been released. */
void tables_release(struct tables *tables);

/*
 * If the same tables have been decoded before, gives the module what they say (module->is_shared)
 * and returns 1. `tables` may be NULL.
 */
int tables_find(struct tables *tables, struct module *module);
/*
 * Keeps what has been decoded from the module, whose texts then point into copies, and is shared
 * from now on. Not for damaged ones.
 */
void tables_keep(struct tables *tables, struct module *module);

#endif
