// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0205|CF0209|CF0214 capital|capitals|main; processor
// Turns a text into capitals. Planted: std::toupper() of a std::locale that is made for each letter.
#include <cctype>
#include <cstdio>
#include <locale>
#include <string>

static char capital(char c)
{
#ifdef REPAIRED
	return (char)std::toupper((unsigned char)c);
#else
	return std::toupper(c, std::locale());
#endif
}

static void capitals(std::string &text)
{
	for (char &c : text)
		c = capital(c);
}

int main()
{
	unsigned long sum = 0;
	for (int i = 0; i < 300; i++) {
		std::string text(50000, (char)('a' + i % 26));
		capitals(text);
		sum += (unsigned char)text[(std::size_t)i];
	}
	std::printf("%lu\n", sum);
	return 0;
}
