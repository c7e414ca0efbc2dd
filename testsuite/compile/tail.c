/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 100 million calls deep in constant stack, as long as tail calls stay tail calls. */
#include <stdio.h>

int odd(unsigned int n);

__attribute__((noinline, noclone)) int even(unsigned int n)
{
	return n ? odd(n - 1) : 1;
}

__attribute__((noinline, noclone)) int odd(unsigned int n)
{
	return n ? even(n - 1) : 0;
}

int main(void)
{
	printf("%d\n", even(100000000));
	return 0;
}
