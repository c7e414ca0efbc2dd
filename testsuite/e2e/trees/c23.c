/* C23: nullptr, constexpr, auto, typeof, _BitInt, attributes, enumerations of a type, empty
 * initializers, no-prototype functions gone. */
#include <stddef.h>

#include "e2e.h"

constexpr int times = 3;
enum small : unsigned char { NONE, SOME = 200 };

typedef unsigned _BitInt(200) wide;

[[gnu::noipa]] static wide grow(wide x)
{
	return x * 1'000'003uwb + 1u;
}

[[nodiscard, gnu::noipa]] static bool is_nothing(void *p)
{
	return p == nullptr;
}

[[gnu::noipa]] static enum small kind([[maybe_unused]] int unused)
{
	return SOME;
}

[[gnu::noipa]] static int sum_of(typeof(int[3]) list)
{
	auto sum = 0;

	for (size_t i = 0; i < 3; i++)
		sum += list[i];
	return sum;
}

[[noreturn, gnu::noipa]] static void leave(int status)
{
	exit(status);
}

int main()
{
	wide x = 1;
	int list[3] = {};

	for (int i = 0; i < times; i++) {
		x = grow(x);
		list[i] = (int)(x % 97);
	}
	printf("%d %d %d\n", sum_of(list), kind(0), is_nothing(list));
	leave(0);
}
