/* Constructors and destructors of the program itself. */
#include "e2e.h"

KEEP static int helper(int x)
{
	return x + 1;
}

__attribute__((constructor)) static void before_main(void)
{
	sink = helper(sink);
}

__attribute__((constructor(200))) static void much_before_main(void)
{
	sink = helper(sink);
}

__attribute__((destructor)) static void after_main(void)
{
	sink = helper(sink);
	puts("after");
}

int main(void)
{
	printf("%d\n", sink);
	return 0;
}
