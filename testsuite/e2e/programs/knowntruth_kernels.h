/*
 * The work of knowntruth.c; included once for the functions with probes and once for those without.
 * P(x): x's name. Each kernel does the same work whenever it is called, so the plain ones say what
 * the probed ones should take.
 */
KEEP static long P(leaf)(long x)
{
	return x + 1;
}

KEEP static long P(tiny)(long x)
{
	for (int i = 0; i < 2000; i++)
		x = P(leaf)(x);
	return x;
}

KEEP static long P(nest1)(long x)
{
	return x * 3 + 1;
}

KEEP static long P(nest2)(long x)
{
	return P(nest1)(x) + 1;
}

KEEP static long P(nest3)(long x)
{
	return P(nest2)(x) + 1;
}

KEEP static long P(nest4)(long x)
{
	return P(nest3)(x) + 1;
}

KEEP static long P(nest5)(long x)
{
	return P(nest4)(x) + 1;
}

KEEP static long P(nested)(long x)
{
	for (int i = 0; i < 500; i++)
		x = P(nest5)(x);
	return x;
}

/* A chain of multiplications: nothing of it can be done beside it. */
KEEP static long P(serial_leaf)(long x)
{
	for (int i = 0; i < 25; i++)
		x = x * 7 + 1;
	return x;
}

KEEP static long P(serial)(long x)
{
	for (int i = 0; i < 400; i++)
		x = P(serial_leaf)(x);
	return x;
}

/* Sums that do not wait for each other. */
KEEP static long P(wide_leaf)(const int *at)
{
	long a = 0, b = 0, c = 0, d = 0;

	for (int i = 0; i < 64; i += 4) {
		a += at[i] ^ i;
		b += at[i + 1] ^ i;
		c += at[i + 2] ^ i;
		d += at[i + 3] ^ i;
	}
	return a + b + c + d;
}

KEEP static long P(wide)(long x)
{
	for (int i = 0; i < 1000; i++)
		x += P(wide_leaf)(table + (i & 63) * 64);
	return x;
}

/* Branches that cannot be foreseen. */
KEEP static long P(branchy_leaf)(unsigned r)
{
	long x = 0;

	for (int i = 0; i < 6; i++) {
		if (r & 1)
			x = x * 5 + r;
		else
			x ^= r >> 2;
		r >>= 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

KEEP static long P(branchy)(long x)
{
	unsigned r = 12345;

	for (int i = 0; i < 1000; i++) {
		r = r * 1103515245 + 12345;
		x += P(branchy_leaf)(r >> 12);
	}
	return x;
}

/* Loads that miss the nearest cache. */
KEEP static long P(missing_leaf)(unsigned r)
{
	return table[r % NEAR];
}

KEEP static long P(missing)(long x)
{
	unsigned r = (unsigned)x | 1;

	for (int i = 0; i < 1000; i++) {
		r = r * 1103515245 + 12345;
		x += P(missing_leaf)(r >> 4);
	}
	return x;
}

/* 64 functions, called in no order, with memory touched in between: the caches and predictors are
 * others' at each call. */
#define ONE(n) \
	KEEP static long P(cold_leaf_##n)(long x) \
	{ \
		return x * n + table[n * 64]; \
	}
ALL(ONE)
#undef ONE

KEEP static long P(choose)(unsigned which, long x)
{
	switch (which & 63) {
#define ONE(n) \
	case n - 64: \
		x = P(cold_leaf_##n)(x); \
		break;
		ALL(ONE)
#undef ONE
	}
	return x + 1;
}

KEEP static long P(cold)(long x)
{
	unsigned r = 12345;

	for (int i = 0; i < 200; i++) {
		r = r * 1103515245 + 12345;
		for (int j = 0; j < 64; j++)
			x += table[((r >> 8) + (unsigned)j * 1040) % TABLE];
		x = P(choose)(r >> 16, x);
	}
	return x;
}

KEEP static long P(outside)(long x)
{
	for (int i = 0; i < 1000; i++)
		x = without_probes(x);
	return x;
}

KEEP static long P(indirect)(long x)
{
	long (*volatile f[2])(long) = { P(leaf), P(nest1) };

	for (int i = 0; i < 1000; i++)
		x = f[i & 1](x);
	return x;
}

KEEP static long P(fibonacci)(long n)
{
	return n < 2 ? n : P(fibonacci)(n - 1) + P(fibonacci)(n - 2);
}

KEEP static long P(recursive)(long x)
{
	return x + P(fibonacci)(14);
}
