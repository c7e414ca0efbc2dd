/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stand-in for the runtime that tells what the hook did. */
#include <stdio.h>
#include <string.h>

void cinstr_register_v1(const void *ehdr);
void cinstr_unregister_v1(const void *ehdr);

void cinstr_register_v1(const void *ehdr)
{
	fprintf(stderr, "registered %d\n", memcmp(ehdr, "\177ELF", 4));
}

void cinstr_unregister_v1(const void *ehdr)
{
	fprintf(stderr, "unregistered %d\n", memcmp(ehdr, "\177ELF", 4));
}
