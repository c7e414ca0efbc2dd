/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --gc-sections must drop unused_function and the table that speaks of it. */
#include <stdio.h>

void unused_function(void)
{
	puts("nobody calls me");
	puts("so I go");
}

int main(void)
{
	puts("used");
	return 0;
}
