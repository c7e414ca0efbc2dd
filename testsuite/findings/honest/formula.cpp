// SPDX-License-Identifier: GPL-3.0-or-later
// Parses formulas once, and evaluates them for many values.
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

struct Node {
	virtual ~Node() = default;
	virtual double value(double x) const = 0;
};
using Part = std::unique_ptr<Node>;

struct Constant : Node {
	explicit Constant(double c) : c(c) {}
	double value(double) const override { return c; }
	double c;
};

struct Variable : Node {
	double value(double x) const override { return x; }
};

struct Binary : Node {
	Binary(char op, Part a, Part b) : op(op), a(std::move(a)), b(std::move(b)) {}
	double value(double x) const override
	{
		double l = a->value(x), r = b->value(x);
		return op == '+' ? l + r : op == '-' ? l - r : op == '*' ? l * r : l / (r * r + 1);
	}
	char op;
	Part a, b;
};

class Parser {
public:
	explicit Parser(const std::string &text) : at(text.c_str()) {}
	Part sum()
	{
		Part left = product();
		while (*at == '+' || *at == '-') {
			char op = *at++;
			left = std::make_unique<Binary>(op, std::move(left), product());
		}
		return left;
	}

private:
	Part product()
	{
		Part left = factor();
		while (*at == '*' || *at == '/') {
			char op = *at++;
			left = std::make_unique<Binary>(op, std::move(left), factor());
		}
		return left;
	}
	Part factor()
	{
		if (*at == '(') {
			at++;
			Part inner = sum();
			at++;
			return inner;
		}
		if (*at == 'x') {
			at++;
			return std::make_unique<Variable>();
		}
		char *end;
		double number = std::strtod(at, &end);
		at = end;
		return std::make_unique<Constant>(number);
	}
	const char *at;
};

int main()
{
	std::vector<Part> formulas;
	for (const char *text : {"3*x+1", "(x+1)*(x-1)/(x*x+2)", "x*(x*(x*(x+1)+2)+3)+4", "1/(x-0.5)+2/(x-0.25)"})
		formulas.push_back(Parser(text).sum());
	double sum = 0;
	for (int i = 0; i < 6000000; i++)
		for (const Part &formula : formulas)
			sum += formula->value(i * 2e-7);
	std::printf("%.6f\n", sum);
	return 0;
}
