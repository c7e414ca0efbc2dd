/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls in functions that are inlined: whose they are, and on which line of main they come. */
#include <stdlib.h>

#define INLINE static inline __attribute__((always_inline))

INLINE void *take(size_t n)
{
	return malloc(n); /* the inner call */
}

INLINE void use(size_t n)
{
	free(take(n)); /* the outer call */
}

int main(void)
{
	for (int i = 0; i < 50; i++)
		use(100); /* in main */
	return 0;
}
