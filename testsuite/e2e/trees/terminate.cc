/* noexcept: an exception that may not pass ends in the terminate handler, on top of the frames that
 * stand. */
#include "e2e.h"
#include <exception>

KEEP static void finish(int status)
{
	printf("end\n");
	exit(status);
}

KEEP static void handler()
{
	finish(7);
}

KEEP static void thrower(int depth)
{
	if (!depth)
		throw 1;
	thrower(depth - 1);
	sink = depth;
}

KEEP static void wall() noexcept
{
	thrower(2);
	sink = 1;
}

int main()
{
	std::set_terminate(handler);
	try {
		wall();
	} catch (int) {
		printf("not here\n");
	}
	return 0;
}
