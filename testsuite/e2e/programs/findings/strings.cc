// SPDX-License-Identifier: GPL-3.0-or-later
//
// A table is asked for customers' orders. `keys`: by a text that is made for each; `pairs`: by two
// numbers.
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#define KEEP __attribute__((noinline))

static std::map<std::string, int> by_text;
static std::map<std::pair<int, int>, int> by_numbers;

KEEP static std::string make_key(int customer, int order)
{
	return "customer/" + std::to_string(customer) + "/order/" + std::to_string(order);
}

KEEP static int look_up(int customer, int order)
{
	auto it = by_text.find(make_key(customer, order));

	return it == by_text.end() ? 0 : it->second;
}

KEEP static int look_up_numbers(int customer, int order)
{
	auto it = by_numbers.find({ customer, order });

	return it == by_numbers.end() ? 0 : it->second;
}

int main(int argc, char **argv)
{
	bool is_text = argc > 1 && !strcmp(argv[1], "keys");
	long sum = 0;

	for (int i = 0; i < 100; i++) {
		by_numbers[{ i, i }] = i;
		if (is_text)
			by_text["customer/" + std::to_string(i) + "/order/" + std::to_string(i)] = i;
	}
	for (int i = 0; i < 100000; i++)
		sum += is_text ? look_up(i % 100, i % 100) : look_up_numbers(i % 100, i % 100);
	printf("%ld\n", sum);
	return 0;
}
