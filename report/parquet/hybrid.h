/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hybrid.h - Parquet's encoding of small numbers: runs of one number, and groups of eight, with a
 * fixed number of bits each.
 */
#ifndef REPORT_PARQUET_HYBRID_H
#define REPORT_PARQUET_HYBRID_H

#include <stddef.h>
#include <stdint.h>

#include "lib/util.h"

/* Returns the number of bits for numbers up to `most`; at least 1. */
unsigned hybrid_bits(uint32_t most);
void hybrid_put(struct strbuf *out, const uint32_t *numbers, size_t n, unsigned bits);
/* Reads n numbers. Returns 0, or -1 if there are fewer. */
int hybrid_get(const unsigned char *at, const unsigned char *end, unsigned bits, uint32_t *numbers, size_t n);

#endif
