/* Coroutines of C++20 have no stack of their own: resuming one is a call, suspending it a
 * return. */
#include "e2e.h"
#include <coroutine>

KEEP static int leaf(int x)
{
	return x + 1;
}

struct Generator {
	struct promise_type {
		int value;
		KEEP promise_type() : value(0)
		{
		}
		KEEP Generator get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		KEEP std::suspend_always initial_suspend()
		{
			return {};
		}
		KEEP std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		KEEP std::suspend_always yield_value(int x)
		{
			value = x;
			return {};
		}
		KEEP void unhandled_exception()
		{
			value = -1;
		}
		KEEP void return_void()
		{
		}
	};
	std::coroutine_handle<promise_type> handle;
};

KEEP static Generator count(int from, int n)
{
	for (int i = 0; i < n; i++)
		co_yield leaf(from + i);
	if (n > 3)
		throw n;
}

KEEP static int drain(Generator &generator)
{
	int sum = 0;

	while (!generator.handle.done()) {
		generator.handle.resume();
		sum += generator.handle.promise().value;
	}
	generator.handle.destroy();
	return sum;
}

int main()
{
	Generator a = count(1, 3), b = count(10, 4), unused = count(5, 5);

	printf("%d %d\n", drain(a), drain(b));
	unused.handle.resume();
	unused.handle.destroy();
	return 0;
}
