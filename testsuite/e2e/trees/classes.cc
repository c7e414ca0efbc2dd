/* Thunks of several bases, returns of a derived type, virtual bases; objects made and ended outside
 * of main. */
#include "e2e.h"

KEEP static int leaf(int x)
{
	return x + 1;
}

struct Left {
	int left = 1;
	Left();
	virtual int value();
	virtual Left *clone();
	virtual ~Left();
};

struct Right {
	int right = 2;
	Right();
	virtual int other();
	virtual Right *clone();
	virtual ~Right();
};

struct Both : Left, Right {
	int both = 3;
	Both();
	int value() override;
	int other() override;
	Both *clone() override;
	~Both() override;
};

KEEP Left::Left() {}
KEEP Right::Right() {}
KEEP Both::Both() {}
KEEP int Left::value() { return left; }
KEEP Left *Left::clone() { return this; }
KEEP Left::~Left() { sink = leaf(left); }
KEEP int Right::other() { return right; }
KEEP Right *Right::clone() { return this; }
KEEP Right::~Right() { sink = leaf(right); }
KEEP int Both::value() { return leaf(both); }
KEEP int Both::other() { return leaf(both + 1); }
KEEP Both *Both::clone() { return leaf(both) ? this : nullptr; }
KEEP Both::~Both() { sink = leaf(both); }

struct Base {
	int base;
	KEEP explicit Base(int n) : base(leaf(n)) {}
	virtual int get() { return base; }
};
struct Upper : virtual Base {
	KEEP Upper() : Base(1) {}
};
struct Lower : virtual Base {
	KEEP Lower() : Base(2) {}
	KEEP int get() override { return leaf(base); }
};
struct Diamond : Upper, Lower {
	KEEP Diamond() : Base(3) {}
};

KEEP static int use(Left &left, Right &right)
{
	return left.value() + right.other() + right.clone()->right + left.clone()->left;
}

KEEP static int use(Base &base)
{
	return base.get();
}

struct Global {
	int n;
	KEEP explicit Global(int x) : n(x) {}
	KEEP ~Global() { printf("end %d\n", leaf(n)); }
};
static Global last(1);
__attribute__((init_priority(200))) static Global first_made(2);

template <typename T>
KEEP static T largest(T a, T b)
{
	return a < b ? b : a;
}

int main()
{
	Diamond diamond;
	static Global local(3);
	Left *both = new Both;

	printf("%d\n", use(*both, *static_cast<Both *>(both)));
	printf("%d %d %.1f\n", use(diamond), largest(1, 2), largest(1.0, 2.0));
	delete both;
	return 0;
}
