/* SPDX-License-Identifier: GPL-3.0-or-later */
/* known_words.cc - each word is looked for in a vector, in inlined code of headers. */
#include <cstdio>
#include <string>
#include <vector>

static std::vector<std::string> seen;

static bool is_known(const std::string &word)
{
	for (const auto &other : seen)
		if (other == word)
			return true;
	return false;
}

static void add(const std::string &word)
{
	if (!is_known(word))
		seen.push_back(word);
}

int main()
{
	char word[32];

	for (int i = 0; i < 3000; i++) {
		snprintf(word, sizeof(word), "word-%d", i * 7919 % 9973);
		add(word);
	}
	printf("%zu\n", seen.size());
}
