// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0205|CF0204|CF0210 label|text_of|main; processor
// true: CF0210 to put these texts together is what is left
// Labels the points of a map. Planted: a std::ostringstream is made for each number of each label.
#include <charconv>
#include <cstdio>
#include <sstream>
#include <string>

static std::string text_of(long value)
{
#ifdef REPAIRED
	char text[24];
	return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
#else
	std::ostringstream stream;
	stream << value;
	return stream.str();
#endif
}

struct Point {
	long x, y;
};

static std::size_t label(const Point &point, std::string &to)
{
	to.clear();
	to += text_of(point.x);
	to += '/';
	to += text_of(point.y);
	return to.size();
}

int main()
{
	std::string text;
	std::size_t size = 0;
	for (long i = 0; i < 500000; i++)
		size += label(Point{i * 7 % 1000, i * 13 % 777}, text);
	std::printf("%zu\n", size);
	return 0;
}
