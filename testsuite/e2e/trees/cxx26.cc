/* C++26: contracts that hold and one that is violated, pack indexing, a loop over what is known
 * when compiling. */
#include <contracts>

#include "e2e.h"

KEEP static bool is_small(int x)
{
	return x < 10;
}

KEEP static int checked(const int x) pre(is_small(x)) post(result : result > x)
{
	contract_assert(x >= 0);
	return x + 1;
}

KEEP void handle_contract_violation(const std::contracts::contract_violation &)
{
	sink = 26;
}

template <class... T> KEEP static int second(T... arguments)
{
	return arguments...[1];
}

KEEP static int leaf(int x)
{
	return x;
}

KEEP static int unrolled()
{
	int sum = 0;

	template for (constexpr int x : { 1, 2, 3 })
		sum += leaf(x);
	return sum;
}

int main()
{
	int sum = checked(3) + checked(4);

	sum += checked(11);
	printf("%d %d %d\n", sum + (sink == 26), second('a', 5, 2.0), unrolled());
	return 0;
}
