// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the C++ library does with objects. `table`: a table is built for each look, `once`: it is
// built once. `erase`: names are erased one by one, `remove`: all at once. `bound`: a set is gone
// through for each look, `own`: it is asked itself. `long`: each search goes through a long text,
// `short`: through a word. `kept`: tables are built and kept.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#define KEEP __attribute__((noinline))

struct name {
	std::string text;
	int age;
};

KEEP static int in_table(int key)
{
	const std::map<int, int> table = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } }; // here: built
	auto found = table.find(key);

	return found == table.end() ? 0 : found->second;
}

KEEP static int in_table_once(int key)
{
	static const std::map<int, int> table = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 }, { 9, 10 } };
	auto found = table.find(key);

	return found == table.end() ? 0 : found->second;
}

KEEP static int keep_tables(int n)
{
	std::vector<std::map<int, int>> tables;

	for (int i = 0; i < n; i++)
		tables.push_back({ { 1, i }, { 3, 4 }, { 5, 6 } });
	return (int)tables.size();
}

KEEP static std::vector<name> people(int n)
{
	std::vector<name> all;

	for (int i = 0; i < n; i++)
		all.push_back({ "number " + std::to_string(i), i % 90 });
	return all;
}

KEEP static size_t erase(std::vector<name> &all)
{
	for (auto it = all.begin(); it != all.end();)
		if (it->age > 40)
			it = all.erase(it); // here: erased
		else
			++it;
	return all.size();
}

KEEP static size_t remove(std::vector<name> &all)
{
	all.erase(std::remove_if(all.begin(), all.end(), [](const name &one) { return one.age > 40; }), all.end());
	return all.size();
}

KEEP static int bound(const std::set<int> &all, int key)
{
	return *std::lower_bound(all.begin(), all.end(), key); // here: bound
}

KEEP static int own_bound(const std::set<int> &all, int key)
{
	return *all.lower_bound(key);
}

KEEP static size_t positions(const std::string &text, const char *what, int n)
{
	size_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += text.find(what) + (size_t)i; // here: searched
	return sum;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long sum = 0;
	std::vector<name> all = people(20000);
	std::set<int> numbers;
	std::string text(100000, 'a');

	for (int i = 0; i < 4001; i++)
		numbers.insert(i);
	text += "zebra";
	for (int i = 0; !strcmp(what, "table") && i < 1000000; i++)
		sum += in_table(i % 10);
	for (int i = 0; !strcmp(what, "once") && i < 2000000; i++)
		sum += in_table_once(i % 10);
	for (int i = 0; !strcmp(what, "bound") && i < 4000; i++)
		sum += bound(numbers, i);
	for (int i = 0; !strcmp(what, "own") && i < 2000000; i++)
		sum += own_bound(numbers, i % 4000);
	sum += !strcmp(what, "kept") ? keep_tables(300000) : 0;
	sum += (long)(!strcmp(what, "erase") ? erase(all) : !strcmp(what, "remove") ? remove(all) : 0);
	sum += (long)(!strcmp(what, "long")    ? positions(text, "zebra", 100000)
		      : !strcmp(what, "short") ? positions("a zebra", "zebra", 10000000)
					       : 0);
	printf("%ld\n", sum);
	return 0;
}
