/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>

static jmp_buf back;

void through(void (*function)(int), int n)
{
	if (n == 0)
		longjmp(back, 1);
	if (n == 3 || n == 1 ? !setjmp(back) : 1)
		function(n - 1);
}
