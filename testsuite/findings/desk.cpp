// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0406 clerk|enquire; wall
// A desk answers enquiries, for which its clerks ask a server that takes 2 ms. Planted: there are two
// clerks, who only wait for it, while many enquiries wait for them.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

#ifdef REPAIRED
enum { CLERKS = 16 };
#else
enum { CLERKS = 2 };
#endif
enum { ENQUIRIES = 600 };

// Answers on its end of a connection, 2 ms after the question.
static void serve(int fd)
{
	unsigned question;
	while (read(fd, &question, sizeof(question)) == sizeof(question)) {
		timespec pause = {0, 2000000};
		nanosleep(&pause, nullptr);
		question = question * 2654435761u;
		if (write(fd, &question, sizeof(question)) != sizeof(question))
			break;
	}
	close(fd);
}

static unsigned enquire(int fd, unsigned question)
{
	unsigned answer = 0;
	pollfd one = {fd, POLLIN, 0};
	if (write(fd, &question, sizeof(question)) != sizeof(question))
		return 0;
	poll(&one, 1, -1);
	if (read(fd, &answer, sizeof(answer)) != sizeof(answer))
		return 0;
	return answer;
}

class Desk {
public:
	void put(unsigned question)
	{
		std::lock_guard<std::mutex> guard(mutex);
		questions.push_back(question);
		some.notify_one();
	}
	void close_down()
	{
		std::lock_guard<std::mutex> guard(mutex);
		closed = true;
		some.notify_all();
	}
	void clerk(int fd)
	{
		for (;;) {
			unsigned question;
			{
				std::unique_lock<std::mutex> guard(mutex);
				some.wait(guard, [this] { return closed || !questions.empty(); });
				if (questions.empty())
					return;
				question = questions.front();
				questions.pop_front();
			}
			unsigned answer = enquire(fd, question);
			std::lock_guard<std::mutex> guard(mutex);
			sum += answer;
		}
	}
	unsigned sum = 0;

private:
	std::mutex mutex;
	std::condition_variable some;
	std::deque<unsigned> questions;
	bool closed = false;
};

int main()
{
	Desk desk;
	int ends[CLERKS][2];
	std::vector<std::thread> clerks, servers;
	for (auto &pair : ends) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			return 1;
		servers.emplace_back(serve, pair[1]);
		clerks.emplace_back(&Desk::clerk, &desk, pair[0]);
	}
	for (unsigned i = 0; i < ENQUIRIES; i++)
		desk.put(i);
	desk.close_down();
	for (auto &one : clerks)
		one.join();
	for (auto &pair : ends)
		close(pair[0]);
	for (auto &one : servers)
		one.join();
	std::printf("%u\n", desk.sum);
	return 0;
}
