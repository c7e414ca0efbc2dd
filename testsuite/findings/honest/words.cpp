// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a text line by line from a file, counts its words, and prints the most frequent ones.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

static std::string make_text()
{
	std::string name = "/tmp/words." + std::to_string(std::rand()) + ".txt", text;
	unsigned seed = 11;
	for (int i = 0; i < 900000; i++) {
		seed = seed * 1664525u + 1013904223u;
		for (unsigned k = 0, n = (seed >> 28) % 6 + 2, w = (seed >> 12) % 5000; k < n; k++, w = w * 31 + 7)
			text += char('a' + w % 26);
		text += i % 12 == 11 ? '\n' : ' ';
	}
	std::ofstream(name) << text;
	return name;
}

static void count(std::string_view line, std::unordered_map<std::string, unsigned> &counts)
{
	std::string word;
	for (char c : line)
		if (c == ' ') {
			counts[word]++;
			word.clear();
		} else {
			word += c;
		}
	counts[word]++;
}

int main()
{
	std::string name = make_text(), line;
	std::unordered_map<std::string, unsigned> counts;
	for (int round = 0; round < 12; round++)
		for (std::ifstream in(name); std::getline(in, line);)
			count(line, counts);
	std::remove(name.c_str());
	std::vector<std::pair<unsigned, std::string>> sorted;
	for (auto &[word, n] : counts)
		sorted.emplace_back(n, word);
	std::partial_sort(sorted.begin(), sorted.begin() + 5, sorted.end(), std::greater<>());
	for (int i = 0; i < 5; i++)
		std::printf("%u %s\n", sorted[i].first, sorted[i].second.c_str());
	return 0;
}
