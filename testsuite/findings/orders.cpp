// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0220|CF0212|CF0204 total; processor
// true: CF0204 the orders are made once, which is most of what is left
// Adds up orders. Planted: the loop over orders copies each of them (for (auto order : orders)).
#include <cstdio>
#include <string>
#include <vector>

#ifdef REPAIRED
#define EACH const auto &
#else
#define EACH auto
#endif

struct Order {
	std::string customer, street;
	std::vector<int> cents;
};

static std::vector<Order> read_orders(int n)
{
	std::vector<Order> orders;
	for (int i = 0; i < n; i++)
		orders.push_back({"customer number " + std::to_string(i), "the street of " + std::to_string(i) + ", by the river",
				  std::vector<int>(6, i % 100)});
	return orders;
}

static long total(const std::vector<Order> &orders)
{
	long sum = 0;
	for (EACH order : orders)
		for (int cents : order.cents)
			sum += cents;
	return sum;
}

int main()
{
	auto orders = read_orders(20000);
	long sum = 0;
	for (int day = 0; day < 100; day++)
		sum += total(orders);
	std::printf("%ld\n", sum);
	return 0;
}
