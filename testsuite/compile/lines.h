/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lines.c inlines, one into the other. */
#line 10
static inline __attribute__((always_inline)) int inner(int x)
{
	touched += 2;
	return touched * x;
}
#line 20
static inline __attribute__((always_inline)) int outer(int x)
{
	touched ^= 5;
	return inner(x) ^ x;
}
