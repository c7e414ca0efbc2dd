/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kept_registers N - r10 and r11 are variables of the program's, as -ffixed-r10 -ffixed-r11 allows:
 * each call of each kind finds there what the one before has left. Compares them with variables in
 * memory.
 */
#include <stdio.h>
#include <stdlib.h>

#define WITH_PROBES __attribute__((noinline, noipa))

register unsigned long in_r10 __asm__("r10");
register unsigned long in_r11 __asm__("r11");

static unsigned long in_memory[2], wrong;
static volatile unsigned long sink;

static inline __attribute__((always_inline)) void look(unsigned long by)
{
	wrong += in_r10 != in_memory[0];
	wrong += in_r11 != in_memory[1];
	in_r10 = in_memory[0] = in_memory[0] * 31 + by;
	in_r11 = in_memory[1] = in_memory[1] * 37 + by;
}

WITH_PROBES static void leaf(unsigned long x)
{
	look(x);
	sink = x;
}

WITH_PROBES static void tail(unsigned long x)
{
	look(x + 1);
	leaf(x);
}

WITH_PROBES static void jump(void (**f)(unsigned long), unsigned long x)
{
	look(x + 2);
	f[1](x);
}

WITH_PROBES static void around(void (**f)(unsigned long), unsigned long x)
{
	look(x + 3);
	f[0](x);
	look(x + 4);
	tail(x);
	look(x + 5);
	jump(f, x);
	look(x + 6);
}

/* Comes back a second time. */
WITH_PROBES static void landing(unsigned long x)
{
	void *place[5];

	if (!__builtin_setjmp(place)) {
		look(x + 7);
		leaf(x);
		__builtin_longjmp(place, 1);
	}
	look(x + 8);
}

WITH_PROBES static void all(unsigned long n)
{
	void (*functions[2])(unsigned long) = { leaf, tail };
	unsigned long saved[2] = { in_r10, in_r11 };

	in_r10 = in_memory[0] = 1;
	in_r11 = in_memory[1] = 2;
	__asm__ volatile("" : : "r"(functions) : "memory");
	for (unsigned long i = 0; i < n; i++) {
		around(functions, i);
		landing(i);
	}
	in_r10 = saved[0];
	in_r11 = saved[1];
}

int main(int argc, char **argv)
{
	all(argc > 1 ? strtoul(argv[1], NULL, 10) : 0);
	printf("%lu wrong, %lx %lx\n", wrong, in_memory[0], in_memory[1]);
	return 0;
}
