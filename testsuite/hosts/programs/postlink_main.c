/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls the library that is made of postlink.c. */
#include <stdio.h>

int middle(int x);

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += middle(i);
	printf("%d\n", sum);
	return 0;
}
