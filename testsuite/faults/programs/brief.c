/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that ends at once: 100 calls. */
static int calls;

static void __attribute__((noinline)) step(void)
{
	__asm__ volatile("" : "+m"(calls));
	calls++;
}

int main(void)
{
	for (int i = 0; i < 100; i++)
		step();
	return 0;
}
