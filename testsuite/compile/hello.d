// SPDX-License-Identifier: GPL-3.0-or-later
// D: a method, an exception, a delegate, a function of a template.
import std.stdio;

int fact(int n)
{
	if (n < 0)
		throw new Exception("negative");
	return n < 2 ? 1 : n * fact(n - 1);
}

class Shape
{
	int area() { return 0; }
}

class Square : Shape
{
	int side = 4;
	override int area() { return side * side; }
}

void main()
{
	Shape shape = new Square;
	auto add = delegate int(int x) { return x + shape.area(); };

	writeln(fact(6), " ", add(1));
	try
		fact(-1);
	catch (Exception e)
		writeln("caught ", e.msg);
}
