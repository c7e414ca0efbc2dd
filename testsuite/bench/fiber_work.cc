// SPDX-License-Identifier: GPL-3.0-or-later
// fiber_work.cc - fibers that hand numbers to one another by a channel: argument times.
#include <boost/fiber/all.hpp>
#include <cstdio>
#include <cstdlib>

__attribute__((noinline)) static long step(long n, int i)
{
	for (int k = 0; k < i % 40; k++)
		n = n * 31 + (n >> 7);
	return n;
}

__attribute__((noinline)) static void produce(boost::fibers::buffered_channel<int> &channel, int times)
{
	for (int i = 0; i < times; i++)
		channel.push(i);
	channel.close();
}

__attribute__((noinline)) static long consume(boost::fibers::buffered_channel<int> &channel)
{
	long sum = 0;
	int i;

	while (channel.pop(i) == boost::fibers::channel_op_status::success)
		sum += step(sum + i, i);
	return sum;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? std::atoi(argv[1]) : 1000;
	boost::fibers::buffered_channel<int> channel(16);
	long sum = 0;
	boost::fibers::fiber producer([&] { produce(channel, times); });
	boost::fibers::fiber consumer([&] { sum = consume(channel); });

	producer.join();
	consumer.join();
	std::printf("%ld\n", sum);
	return 0;
}
