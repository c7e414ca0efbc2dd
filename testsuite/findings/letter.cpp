// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0210 append; processor
// true: CF0210 to build that text is what it is for
// Writes a long letter. Planted: each line is added by text = text + line, which copies all that is there.
#include <cstdio>
#include <string>

class Letter {
public:
	void append(const std::string &line)
	{
#ifdef REPAIRED
		text += line;
#else
		text = text + line;
#endif
		lines++;
	}
	std::size_t size() const { return text.size() + lines; }

private:
	std::string text;
	std::size_t lines = 0;
};

static std::string body(int i)
{
	return "line " + std::to_string(i) + " of what there is to be said\n";
}

int main()
{
	Letter letter;
	for (int i = 0; i < 12000; i++)
		letter.append(body(i));
	std::printf("%zu\n", letter.size());
	return 0;
}
