/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unwind_example.c - frames of several kinds: fixed, aligned, of a length that is known late; calls
 * through the PLT. ALIGNED: of an array, in bytes. */
#include <stdlib.h>

__attribute__((noinline, noclone)) int inner(int (*call)(int *), int n)
{
	int room[8] __attribute__((aligned(ALIGNED)));

	for (int i = 0; i < 8; i++)
		room[i] = n + i;
	return call(room) + room[n & 7];
}

__attribute__((noinline, noclone)) int middle(int (*call)(int *), int n)
{
	return inner(call, n + 1) + abs(n) + atoi("1");
}

__attribute__((noinline, noclone)) int outer(int (*call)(int *), int n)
{
	volatile int room[n];

	room[0] = 1;
	return middle(call, n) + room[0];
}
