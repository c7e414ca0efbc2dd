// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0205|CF0204 matches|level_of|main; processor
// true: CF0205|CF0204|CF0212 of std::regex, which allocates and copies for each search
// Filters the lines of a log by a pattern. Planted: the regular expression is built anew for each line.
#include <cstdio>
#include <regex>
#include <string>
#include <vector>

struct Line {
	std::string text;
	int number;
};

static std::vector<Line> make_lines(int n)
{
	static const char *levels[] = {"info", "debug", "warning", "error"};
	std::vector<Line> lines;
	for (int i = 0; i < n; i++)
		lines.push_back({"[" + std::string(levels[i * 7 % 4]) + "] " + std::to_string(i), i});
	return lines;
}

static bool matches(const std::string &text, const std::string &pattern)
{
#ifdef REPAIRED
	static const std::regex expression(pattern);
#else
	std::regex expression(pattern);
#endif
	return std::regex_search(text, expression);
}

static long select(const std::vector<Line> &lines)
{
	long sum = 0;
	for (const Line &line : lines)
		if (matches(line.text, "^\\[(warning|error)\\]"))
			sum += line.number;
	return sum;
}

int main()
{
	std::vector<Line> lines = make_lines(200'000);
	std::printf("%ld\n", select(lines));
	return 0;
}
