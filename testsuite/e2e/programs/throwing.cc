/* Calls in a loop, of which some throw: at -O3 nothing of the loop's block stands behind them. */
#include <cstdio>
#include <memory>
#include <stdexcept>

struct Node {
	virtual ~Node() = default;
	virtual long eval(int depth) const = 0;
};

struct Leaf : Node {
	long eval(int depth) const override { return depth; }
};

struct Sum : Node {
	std::unique_ptr<Node> a, b;
	Sum(std::unique_ptr<Node> a, std::unique_ptr<Node> b) : a(std::move(a)), b(std::move(b)) {}
	long eval(int depth) const override
	{
		if (depth > 9)
			throw std::runtime_error("deep");
		return a->eval(depth + 1) + b->eval(depth + 1);
	}
};

static std::unique_ptr<Node> make(int depth, int most)
{
	if (depth >= most)
		return std::make_unique<Leaf>();
	return std::make_unique<Sum>(make(depth + 1, most), make(depth + 2, most));
}

int main()
{
	long sum = 0;

	for (int most = 4; most < 16; most++) {
		auto tree = make(0, most);
		try {
			sum += tree->eval(0);
		} catch (const std::exception &e) {
			sum += e.what()[0];
		}
	}
	std::printf("%ld\n", sum);
}
