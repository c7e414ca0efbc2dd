// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0220 keyword; processor
// true: CF0308 all tokens are kept
// Splits source text into tokens. Planted: the table of keywords is a local variable that is built for
// each word.
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

enum class Kind { NAME, NUMBER, SIGN, IF, ELSE, WHILE, FOR, RETURN, BREAK, CONTINUE, STRUCT, CONST, END };

struct Token {
	Kind kind;
	std::string_view text;
	int line;
};

#ifdef REPAIRED
#define ONCE static
#else
#define ONCE
#endif

static Kind keyword(std::string_view word)
{
	ONCE const std::unordered_map<std::string_view, Kind> keywords = {
		{"if", Kind::IF}, {"else", Kind::ELSE}, {"while", Kind::WHILE}, {"for", Kind::FOR},
		{"return", Kind::RETURN}, {"break", Kind::BREAK}, {"continue", Kind::CONTINUE},
		{"struct", Kind::STRUCT}, {"const", Kind::CONST},
	};
	auto found = keywords.find(word);
	return found == keywords.end() ? Kind::NAME : found->second;
}

class Lexer {
public:
	explicit Lexer(std::string_view text) : text_(text) {}
	Token next();

private:
	template <typename Is> std::string_view run(Is is)
	{
		size_t begin = at_;
		while (at_ < text_.size() && is(text_[at_]))
			at_++;
		return text_.substr(begin, at_ - begin);
	}
	void skip();
	std::string_view text_;
	size_t at_ = 0;
	int line_ = 1;
};

void Lexer::skip()
{
	while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) {
		line_ += text_[at_] == '\n';
		at_++;
	}
}

Token Lexer::next()
{
	skip();
	if (at_ == text_.size())
		return {Kind::END, {}, line_};
	unsigned char c = text_[at_];
	if (std::isalpha(c) || c == '_') {
		auto word = run([](unsigned char c) { return std::isalnum(c) || c == '_'; });
		return {keyword(word), word, line_};
	}
	if (std::isdigit(c))
		return {Kind::NUMBER, run([](unsigned char c) { return std::isdigit(c) || c == '.'; }), line_};
	return {Kind::SIGN, text_.substr(at_++, 1), line_};
}

static std::string source(int functions)
{
	std::string text;
	for (int i = 0; i < functions; i++) {
		text += "struct point f" + std::to_string(i) + "(const int a, const int b)\n{\n";
		text += "\twhile (a < b * " + std::to_string(i % 97) + ") {\n\t\tif (a == b)\n\t\t\tbreak;\n";
		text += "\t\telse\n\t\t\tcontinue;\n\t}\n\treturn sum_of(a, b) + total;\n}\n";
	}
	return text;
}

int main()
{
	std::string text = source(100000);
	size_t counts[13] = {};
	std::vector<Token> tokens;
	Lexer lexer(text);
	for (Token token = lexer.next(); token.kind != Kind::END; token = lexer.next())
		tokens.push_back(token);
	for (const Token &token : tokens)
		counts[static_cast<int>(token.kind)]++;
	printf("%zu tokens, %zu names, %zu returns\n", tokens.size(), counts[0], counts[7]);
}
