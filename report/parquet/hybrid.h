/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hybrid.h - small numbers as Parquet packs them: runs of one number, and groups of eight, each in
 * so many bits.
 */
#ifndef REPORT_PARQUET_HYBRID_H
#define REPORT_PARQUET_HYBRID_H

#include <stddef.h>
#include <stdint.h>

#include "lib/util.h"

/* Bits that every number up to this fits into; 1 at least. */
unsigned hybrid_bits(uint32_t most);
void hybrid_put(struct strbuf *out, const uint32_t *numbers, size_t n, unsigned bits);
/* Reads n numbers; 0, or -1: there are not so many. */
int hybrid_get(const unsigned char *at, const unsigned char *end, unsigned bits, uint32_t *numbers, size_t n);

#endif
