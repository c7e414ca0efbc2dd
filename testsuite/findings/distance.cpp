// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0220 distance; processor
// Finds the words nearest to others. Planted: a table of vectors is made for each distance of
// two words.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>
static int distance(const std::string &a, const std::string &b)
{
#ifdef REPAIRED
	static std::vector<int> row;
	row.resize(b.size() + 1);
	for (size_t j = 0; j <= b.size(); j++)
		row[j] = j;
	for (size_t i = 1; i <= a.size(); i++) {
		int before = row[0];
		row[0] = i;
		for (size_t j = 1; j <= b.size(); j++) {
			int above = row[j];
			row[j] = std::min({ row[j] + 1, row[j - 1] + 1, before + (a[i - 1] != b[j - 1]) });
			before = above;
		}
	}
	return row[b.size()];
#else
	std::vector<std::vector<int>> table(a.size() + 1, std::vector<int>(b.size() + 1));
	for (size_t i = 0; i <= a.size(); i++)
		table[i][0] = i;
	for (size_t j = 0; j <= b.size(); j++)
		table[0][j] = j;
	for (size_t i = 1; i <= a.size(); i++)
		for (size_t j = 1; j <= b.size(); j++)
			table[i][j] = std::min({ table[i - 1][j] + 1, table[i][j - 1] + 1,
						 table[i - 1][j - 1] + (a[i - 1] != b[j - 1]) });
	return table[a.size()][b.size()];
#endif
}
static const std::string *nearest(const std::string &word, const std::vector<std::string> &words)
{
	const std::string *best = nullptr;
	int least = 1000;
	for (const auto &one : words) {
		int d = distance(word, one);
		if (d < least) {
			least = d;
			best = &one;
		}
	}
	return best;
}
int main()
{
	std::vector<std::string> words;
	for (int i = 0; i < 3000; i++) {
		std::string w;
		for (int n = i + 17; n; n /= 7)
			w += 'a' + n % 26;
		words.push_back(w);
	}
	size_t sum = 0;
	for (int i = 0; i < 300; i++)
		sum += nearest(words[i * 7] + "x", words)->size();
	printf("%zu\n", sum);
}
