/* SPDX-License-Identifier: GPL-3.0-or-later */
/* decimal.h - writes numbers as digits, as printf does but much faster: scripts' tables have many
 * millions of them. */
#ifndef REPORT_LIB_DECIMAL_H
#define REPORT_LIB_DECIMAL_H

#include <stdint.h>

/* The largest long double has 4933 digits before the point. */
#define DECIMAL_BYTES 5000
#define DECIMAL_BYTES_COUNT 21

/* Write what printf's %llu, %lld and %.*Lf do, with the NUL. */
void decimal_count(char digits[DECIMAL_BYTES_COUNT], uint64_t n);
void decimal_signed(char digits[DECIMAL_BYTES_COUNT], int64_t n);
void decimal_number(char digits[DECIMAL_BYTES], long double number, int decimals);

#endif
