/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function without probes jumps outward through recursion of one call site: what comes then is
 * the outer frame's. */
#include <stdio.h>

#include "e2e.h"

void through(void (*function)(int), int n); /* jumpback_plain.c */

KEEP void leaf(void)
{
	sink++;
}

KEEP void again(int n)
{
	through(again, n);
	leaf();
}

int main(void)
{
	again(3);
	leaf();
	again(1);
	printf("%d\n", sink);
	return 0;
}
