// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0210|CF0201 parse|next_field; processor
// true: CF0204|CF0210 the fields are made and kept, which is what is left
// Parses a message of fields. Planted: after each field the rest of the text is copied to the front.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

using Field = std::pair<std::string, std::string>;

static std::string message(int fields)
{
	std::string text;
	for (int i = 0; i < fields; i++)
		text += "field-" + std::to_string(i) + ": value of it " + std::to_string(i * i) + "\n";
	return text;
}

class Parser {
public:
	explicit Parser(std::string text) : text_(std::move(text)) {}

	bool next_field(Field &field)
	{
		size_t colon = text_.find(':', at_), end = text_.find('\n', at_);
		if (colon == std::string::npos || end == std::string::npos)
			return false;
		field.first = text_.substr(at_, colon - at_);
		field.second = text_.substr(colon + 2, end - colon - 2);
#ifdef REPAIRED
		at_ = end + 1;
#else
		text_ = text_.substr(end + 1);
#endif
		return true;
	}

private:
	std::string text_;
	size_t at_ = 0;
};

static size_t parse(const std::string &text)
{
	Parser parser(text);
	std::vector<Field> fields;
	Field field;
	while (parser.next_field(field))
		fields.push_back(field);
	size_t sum = 0;
	for (const auto &one : fields)
		sum += one.first.size() * 3 + one.second.size();
	return sum;
}

int main()
{
	std::printf("%zu\n", parse(message(40000)));
}
