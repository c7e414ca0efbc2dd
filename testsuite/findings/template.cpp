// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0220 fill; processor
// true: CF0204|CF0210 to build that text is what is left
// Fills in letters. Planted: each placeholder is searched for from the begin of the text, and replaced in
// the middle of it, which moves all that comes after.
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

using Values = std::map<std::string, std::string, std::less<>>;

static std::string fill(const std::string &form, const Values &values)
{
#ifdef REPAIRED
	std::string text;
	size_t at = 0;
	for (size_t begin; (begin = form.find("{{", at)) != std::string::npos;) {
		size_t end = form.find("}}", begin);
		text.append(form, at, begin - at);
		auto found = values.find(std::string_view(form).substr(begin + 2, end - begin - 2));
		text += found == values.end() ? "" : found->second;
		at = end + 2;
	}
	text.append(form, at);
	return text;
#else
	std::string text = form;
	for (size_t begin; (begin = text.find("{{")) != std::string::npos;) {
		size_t end = text.find("}}", begin);
		auto found = values.find(std::string_view(text).substr(begin + 2, end - begin - 2));
		text.replace(begin, end + 2 - begin, found == values.end() ? "" : found->second);
	}
	return text;
#endif
}

static std::string form(int rows)
{
	std::string text = "Dear {{name}},\nplease find below what you have bought in {{month}}.\n";
	for (int i = 0; i < rows; i++)
		text += "  " + std::to_string(i) + "  {{article" + std::to_string(i % 50) + "}}  {{price" + std::to_string(i % 50) + "}} for {{name}}\n";
	return text + "Yours, {{clerk}}\n";
}

static Values values_of(int customer)
{
	Values values = {{"name", "Customer " + std::to_string(customer)}, {"month", "November"}, {"clerk", "the Clerk"}};
	for (int i = 0; i < 50; i++) {
		values["article" + std::to_string(i)] = "an article with a rather long name " + std::to_string(i * customer);
		values["price" + std::to_string(i)] = std::to_string(i * 1.25 + customer);
	}
	return values;
}

int main()
{
	std::string letter = form(3600);
	size_t letters = 0;
	unsigned check = 0;
	for (int customer = 0; customer < 15; customer++) {
		std::string text = fill(letter, values_of(customer));
		letters += text.size();
		for (unsigned char c : text)
			check = check * 31 + c;
	}
	printf("%zu letters, %x\n", letters, check);
}
