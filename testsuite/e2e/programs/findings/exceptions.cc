// SPDX-License-Identifier: GPL-3.0-or-later
// Words that may be numbers: `throws`: a word that is none is told by an exception; `tells`: by the
// value returned. `library`: as `throws`, but the C++ library throws it. `rare`: an exception, but
// for one word of 5,000.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

static const char *const words[] = { "12", "one", "377", "two", "4096" };

__attribute__((noinline)) static int number_of(const char *word)
{
	int n = 0;

	for (; *word; word++) {
		if (*word < '0' || *word > '9')
			throw std::runtime_error("not a number");
		n = n * 10 + (*word - '0');
	}
	return n;
}

__attribute__((noinline)) static bool parse(const char *word, int *n)
{
	for (*n = 0; *word; word++) {
		if (*word < '0' || *word > '9')
			return false;
		*n = *n * 10 + (*word - '0');
	}
	return true;
}

__attribute__((noinline)) static long sum_throws(const char *word)
{
	try {
		return number_of(word);
	} catch (const std::runtime_error &) {
		return -1;
	}
}

__attribute__((noinline)) static long sum_library(const char *word)
{
	try {
		return std::stoi(word);
	} catch (const std::invalid_argument &) {
		return -1;
	}
}

__attribute__((noinline)) static long sum_tells(const char *word)
{
	int n;

	return parse(word, &n) ? n : -1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "tells";
	long sum = 0;

	for (int i = 0; i < 100000; i++)
		if (!strcmp(what, "throws"))
			sum += sum_throws(words[i % 5]);
		else if (!strcmp(what, "library"))
			sum += sum_library(words[i % 5]);
		else if (!strcmp(what, "rare"))
			sum += sum_throws(i % 5000 ? "4711" : "none");
		else
			sum += sum_tells(words[i % 5]);
	printf("%ld\n", sum);
	return 0;
}
