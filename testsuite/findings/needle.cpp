// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0210|CF0220 matches; processor
// Counts phrases in mail. Planted: each comparison makes a string of the letters that it
// compares.
#include <cstdio>
#include <string>
#include <vector>
struct Rule {
	std::string what;
	int weight;
};
static size_t matches(const std::string &text, const std::string &what)
{
	size_t n = 0;
	for (size_t i = 0; i + what.size() <= text.size(); i++)
#ifdef REPAIRED
		if (text.compare(i, what.size(), what) == 0)
#else
		if (text.substr(i, what.size()) == what)
#endif
			n++;
	return n;
}
static long score(const std::string &mail, const std::vector<Rule> &rules)
{
	long sum = 0;
	for (const Rule &rule : rules)
		sum += rule.weight * (long)matches(mail, rule.what);
	return sum;
}
int main()
{
	std::vector<Rule> rules = { { "free money for everybody", 9 },
				    { "click here to unsubscribe", 5 },
				    { "this offer expires today", 7 },
				    { "dear valued customer", 3 } };
	std::string mail;
	for (int i = 0; i < 3000; i++)
		mail += i % 50 ? "some words about this and that. "
			       : "dear valued customer, click here to unsubscribe. ";
	long sum = 0;
	for (int i = 0; i < 40; i++)
		sum += score(mail, rules);
	printf("%ld\n", sum);
}
