/* no_instrument_function: no probes in it; it has a row because its caller has probes. */
#include "e2e.h"

KEEP static int leaf(int x)
{
	return x + 1;
}

__attribute__((no_instrument_function)) KEEP static int hidden(int x)
{
	return leaf(x) + leaf(x);
}

int main(void)
{
	printf("%d\n", hidden(3));
	return 0;
}
