// SPDX-License-Identifier: GPL-3.0-or-later
// What is planted here is in functions that a compiler inlines into main.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static std::string lines(int n)
{
	std::string text;
	for (int i = 0; i < n; i++)
		text += "line " + std::to_string(i) + "\n";
	return text;
}

struct reader { // copies what is left after each line
	std::string rest;
	bool next(std::string &line)
	{
		std::size_t end = rest.find('\n');
		if (end == std::string::npos)
			return false;
		line = rest.substr(0, end);
		rest = rest.substr(end + 1);
		return true;
	}
};

static std::size_t read_copies(const std::string &text)
{
	reader reader{ text };
	std::string line;
	std::size_t sum = 0;
	while (reader.next(line))
		sum += line.size();
	return sum;
}

struct letter {
	std::string text;
	void append(const std::string &line)
	{
		text = text + line; // copies all that is there
	}
};

static std::size_t write_letter(int n)
{
	letter letter;
	std::string line(40, 'x');
	for (int i = 0; i < n; i++)
		letter.append(line);
	return letter.text.size();
}

struct series {
	std::vector<double> values;
	double scale;
};

static double at(series all, std::size_t i)
{
	return all.values[i] * all.scale;
}

static double at_reference(const series &all, std::size_t i)
{
	return all.values[i] * all.scale;
}

static double sum_copies(const series &all)
{
	double sum = 0;
	for (std::size_t i = 0; i < all.values.size(); i++)
		sum += at(all, i); // a copy
	return sum;
}

static double sum_references(const series &all, int rounds)
{
	double sum = 0;
	while (rounds--)
		for (std::size_t i = 0; i < all.values.size(); i++)
			sum += at_reference(all, i);
	return sum;
}

/* Each division waits for the one before it. */
static unsigned long next_remainder(unsigned long last, unsigned long i, unsigned long n)
{
	return (last * last + i) % n;
}

static unsigned long remainders(unsigned long rounds, unsigned long n)
{
	unsigned long last = 1;
	for (unsigned long i = 0; i < rounds; i++)
		last = next_remainder(last, i, n);
	return last;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!std::strcmp(what, "rest"))
		std::printf("%zu\n", read_copies(lines(20000)));
	else if (!std::strcmp(what, "letter"))
		std::printf("%zu\n", write_letter(20000));
	else if (!std::strcmp(what, "value"))
		std::printf("%f\n", sum_copies({ std::vector<double>(30000, 2.5), 2 }));
	else if (!std::strcmp(what, "reference"))
		std::printf("%f\n", sum_references({ std::vector<double>(30000, 2.5), 2 }, 4000));
	else if (!std::strcmp(what, "remainders"))
		std::printf("%lu\n", remainders(100000000, (1ul << 40) - 87 + (argc > 2)));
	return 0;
}
