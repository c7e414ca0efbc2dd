// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0204|CF0210|CF0212 less|main|small; processor
// true: CF0204 the names and their keys are made once, which is most of what is left
// Sorts a phone book. Planted: each comparison makes copies of both names in small letters.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

static std::string small(std::string name)
{
	for (char &c : name)
		c = (char)std::tolower((unsigned char)c);
	return name;
}

static bool less(const std::string &a, const std::string &b)
{
	return small(a) < small(b);
}

static void sort_names(std::vector<std::string> &names)
{
#ifdef REPAIRED
	std::vector<std::pair<std::string, std::size_t>> keys;
	for (std::size_t i = 0; i < names.size(); i++)
		keys.emplace_back(small(names[i]), i);
	std::sort(keys.begin(), keys.end());
	std::vector<std::string> sorted;
	for (auto &key : keys)
		sorted.push_back(std::move(names[key.second]));
	names.swap(sorted);
#else
	std::sort(names.begin(), names.end(), less);
#endif
}

int main()
{
	std::vector<std::string> names;
	unsigned seed = 1;
	for (int i = 0; i < 60000; i++) {
		std::string name = "Van der ";
		for (int k = 0; k < 14; k++)
			name += (char)((k % 5 ? 'a' : 'A') + (seed = seed * 1664525 + 1013904223) / 65536 % 26);
		names.push_back(name);
	}
	sort_names(names);
	std::printf("%s\n", names[names.size() / 2].c_str());
	return 0;
}
