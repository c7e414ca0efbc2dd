/* C++23: an explicit object parameter, static operator(), if consteval, std::generator,
 * std::expected, <print>. */
#include <expected>
#include <generator>
#include <print>

#include "e2e.h"

struct Counter {
	int n = 0;

	KEEP auto &&add(this auto &&self, int x)
	{
		self.n += x;
		return self;
	}
};

struct Twice {
	KEEP static int operator()(int x)
	{
		return 2 * x;
	}
};

constexpr int where()
{
	if consteval {
		return 1;
	} else {
		return 2;
	}
}

KEEP static int leaf(int x)
{
	return x + where();
}

KEEP static std::generator<int> numbers(int n)
{
	for (int i = 0; i < n; i++)
		co_yield leaf(i);
}

KEEP static std::expected<int, const char *> half(int x)
{
	if (x & 1)
		return std::unexpected("odd");
	return x / 2;
}

KEEP static void say(int sum)
{
	std::println("{} {:>4}", sum, "end");
}

int main()
{
	Counter counter;
	constexpr int at_once = where();
	int sum = at_once;

	for (int x : numbers(4))
		sum += x;
	counter.add(1).add(2);
	sum += Twice{}(counter.n) + half(4).value_or(0) + half(5).value_or(7);
	say(sum);
	return 0;
}
