// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0202 collide|meet; processor
// true: CF0218 the balls are sorted after each step
// Lets balls bounce. Planted: each ball is compared with each other one, though only those near to it can
// be touched.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

struct Ball {
	float x, y, vx, vy, radius;
};

class Table {
public:
	explicit Table(int n);
	void step(float dt);
	double energy() const;
	long touches() const { return touches_; }

private:
	void move(float dt);
	void collide();
	void meet(Ball &one, Ball &other);
	static constexpr float SIDE = 1000;
	std::vector<Ball> balls_;
	long touches_ = 0;
};

Table::Table(int n)
{
	std::mt19937 random(7);
	std::uniform_real_distribution<float> place(0, SIDE), speed(-30, 30);
	for (int i = 0; i < n; i++)
		balls_.push_back({place(random), place(random), speed(random), speed(random), 1 + (i % 3) * 0.5f});
}

void Table::move(float dt)
{
	for (Ball &ball : balls_) {
		ball.x += ball.vx * dt;
		ball.y += ball.vy * dt;
		if (ball.x < 0 || ball.x > SIDE)
			ball.vx = -ball.vx;
		if (ball.y < 0 || ball.y > SIDE)
			ball.vy = -ball.vy;
	}
}

void Table::meet(Ball &one, Ball &other)
{
	float dx = other.x - one.x, dy = other.y - one.y, reach = one.radius + other.radius;
	if (dx * dx + dy * dy > reach * reach)
		return;
	touches_++;
	std::swap(one.vx, other.vx);
	std::swap(one.vy, other.vy);
}

void Table::collide()
{
#ifdef REPAIRED
	std::sort(balls_.begin(), balls_.end(), [](const Ball &a, const Ball &b) { return a.x < b.x; });
	for (size_t i = 0; i < balls_.size(); i++)
		for (size_t j = i + 1; j < balls_.size() && balls_[j].x - balls_[i].x < 4; j++)
			meet(balls_[i], balls_[j]);
#else
	for (size_t i = 0; i < balls_.size(); i++)
		for (size_t j = i + 1; j < balls_.size(); j++)
			meet(balls_[i], balls_[j]);
#endif
}

void Table::step(float dt)
{
	move(dt);
	collide();
}

double Table::energy() const
{
	double sum = 0;
	for (const Ball &ball : balls_)
		sum += std::hypot(ball.vx, ball.vy) * ball.radius;
	return sum;
}

int main()
{
	Table table(4000);
	double sum = 0;
	for (int i = 0; i < 100; i++) {
		table.step(0.02f);
		sum += table.energy();
	}
	printf("%.3e, %s\n", sum, table.touches() > 1000 ? "many touches" : "few touches");
}
