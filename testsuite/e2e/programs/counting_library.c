/* A library that is loaded again and again; it counts nothing itself. */
#define APART __attribute__((noinline, noclone, noipa))

APART unsigned library_leaf(unsigned x)
{
	return x * 2246822519u ^ x >> 5;
}

APART unsigned in_library(unsigned n, unsigned s)
{
	for (unsigned i = 0; i < n; i++)
		s = library_leaf(s + i);
	return s;
}
