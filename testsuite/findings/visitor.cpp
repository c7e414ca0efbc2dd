// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0212|CF0220 visit; processor
// Walks the tree of a document. Planted: what is done with each node is passed as a std::function by
// value, and holds a copy of a table of styles.
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct Node {
	std::string text;
	int style = 0;
	std::vector<std::unique_ptr<Node>> children;
};

struct Style {
	std::string font;
	double size;
	double spacing;
};

#ifdef REPAIRED
using Action = const std::function<void(const Node &, int)> &;
#else
using Action = std::function<void(const Node &, int)>;
#endif

static void visit(const Node &node, int depth, Action action)
{
	action(node, depth);
	for (const auto &child : node.children)
		visit(*child, depth + 1, action);
}

static std::unique_ptr<Node> section(int depth, int &n)
{
	auto node = std::make_unique<Node>();
	node->text = "paragraph " + std::to_string(n) + " of the document";
	node->style = n++ % 16;
	if (depth > 0)
		for (int i = 0; i < 6; i++)
			node->children.push_back(section(depth - 1, n));
	return node;
}

static std::vector<Style> styles()
{
	std::vector<Style> all;
	for (int i = 0; i < 16; i++)
		all.push_back({"Some Font Family " + std::to_string(i), 9.0 + i, 1.2});
	return all;
}

static double height(const Node &root, const std::vector<Style> &styles)
{
	double sum = 0;
#ifdef REPAIRED
	visit(root, 0, [&styles, &sum](const Node &node, int depth) {
#else
	visit(root, 0, [styles, &sum](const Node &node, int depth) {
#endif
		const Style &style = styles[node.style];
		double width = 0;
		for (char c : node.text)
			width += (c == ' ' ? 0.3 : 0.55) * style.size;
		sum += style.size * style.spacing * (1 + static_cast<int>(width / (400 - 10 * depth)));
	});
	return sum;
}

int main()
{
	int n = 0;
	auto root = section(6, n);
	auto all = styles();
	double sum = 0;
	for (int page = 0; page < 60; page++)
		sum += height(*root, all);
	printf("%d nodes, %g\n", n, sum);
}
