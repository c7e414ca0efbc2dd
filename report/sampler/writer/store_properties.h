/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_properties.h - what the PROPERTIES of a sampled process say: the same keys as those of the
 * runtime's. */
#ifndef SAMPLER_STORE_PROPERTIES_H
#define SAMPLER_STORE_PROPERTIES_H

#include <stddef.h>

struct strbuf;
struct store_process;

/* Appends pairs of NUL-terminated strings. */
void store_properties(struct strbuf *text, const struct store_process *process);
/* Of a process whose program was not known then. */
void store_properties_program(struct strbuf *text, const char *exe);
/* Random, of this machine since it was started; "": not known. */
void store_boot_id(char *id, size_t size);

#endif
