/* SPDX-License-Identifier: MIT */
/*
 * module_file.h - writes modules to the data file, for module.c; choice.h declares the functions
 * for others.
 */
#ifndef CINSTR_MODULE_FILE_H
#define CINSTR_MODULE_FILE_H

#include <stddef.h>
#include <stdint.h>

struct cinstr_module;
struct image;
struct module;

/* Copies the module's build ID, at most `size` bytes. Returns the number of bytes. */
uint32_t module_build_id(const struct image *image, uint8_t *out, uint32_t size);
/* Returns 1 if a module with this base and text is in the file, else 0. */
int module_is_written(uint64_t base, uint64_t text_start);
/* Writes the module's entry, with these flags; `module` NULL: without tables. Returns the entry, or
 * NULL if there is no room. */
const struct cinstr_module *module_write_entry(const struct image *image, struct module *module,
					       uint32_t flags);
/* Copies the path of a loaded module, which may be in no file. */
void module_name(const struct image *image, char *path, size_t size);

#endif
