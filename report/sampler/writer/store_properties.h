/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_properties.h - the PROPERTIES of a sampled process, with the keys that the runtime uses. */
#ifndef SAMPLER_STORE_PROPERTIES_H
#define SAMPLER_STORE_PROPERTIES_H

#include <stddef.h>

struct strbuf;
struct store_process;

/* Appends pairs of NUL-terminated strings. */
void store_properties(struct strbuf *text, const struct store_process *process);
/* Appends the properties of the program, if it was not known before. */
void store_properties_program(struct strbuf *text, const char *exe);
/* Sets `id` to the kernel's random boot ID; "": not known. */
void store_boot_id(char *id, size_t size);

#endif
