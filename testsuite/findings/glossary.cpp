// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0204|CF0210|CF0212 known|count; processor
// true: CF0215 what is left goes through the map
// Counts the words of a text that a glossary has. Planted: each word, which is a std::string_view, is
// made a std::string to be looked up.
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#ifdef REPAIRED
using Glossary = std::map<std::string, int, std::less<>>;
#else
using Glossary = std::map<std::string, int>;
#endif

static Glossary read_glossary()
{
	Glossary glossary;
	for (int i = 0; i < 40; i++)
		glossary["a-rather-long-term-" + std::to_string(i * 3)] = i;
	return glossary;
}

static bool known(const Glossary &glossary, std::string_view word)
{
#ifdef REPAIRED
	return glossary.find(word) != glossary.end();
#else
	return glossary.find(std::string(word)) != glossary.end();
#endif
}

static unsigned count(const Glossary &glossary, std::string_view text)
{
	unsigned n = 0;
	while (!text.empty()) {
		std::size_t end = text.find(' ');
		n += known(glossary, text.substr(0, end));
		text.remove_prefix(end == text.npos ? text.size() : end + 1);
	}
	return n;
}

int main()
{
	Glossary glossary = read_glossary();
	std::string text;
	for (int i = 0; i < 20000; i++)
		text += "a-rather-long-term-" + std::to_string(i % 150) + ' ';
	unsigned n = 0;
	for (int i = 0; i < 400; i++)
		n += count(glossary, text);
	std::printf("%u\n", n);
	return 0;
}
