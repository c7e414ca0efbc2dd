// SPDX-License-Identifier: GPL-3.0-or-later
// carry.c - frames of many sizes on a thread of a small stack: under -fsplit-stack a function that
// jumps by a wrong carry overruns the stack.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static int deep(int n)
{
	volatile char bytes[900];

	memset((char *)bytes, n, sizeof(bytes));
	return n ? deep(n - 1) + bytes[7] : 0;
}

__attribute__((noinline)) static int thin(int n)
{
	volatile int value = n;

	return n ? thin(n - 1) + value % 3 : 0;
}

static void *run(void *unused)
{
	printf("%d %d\n", deep(5000), thin(50000));
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	pthread_create(&thread, &attributes, run, NULL);
	pthread_join(thread, NULL);
	return 0;
}
