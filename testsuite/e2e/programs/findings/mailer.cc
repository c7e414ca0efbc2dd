// A pool of connections that dials, and sleeps, under its lock; all is inlined into the thread's
// function.
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
struct Connection { int id; long used = 0; };
class Pool {
	std::mutex mutex_;
	std::map<std::string, Connection> open_;
	int next_ = 0;
public:
	Connection &get(const std::string &host)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		auto found = open_.find(host);
		if (found == open_.end() || found->second.used % 40 == 39)
			found = open_.insert_or_assign(host, dial(host)).first;
		found->second.used++;
		return found->second;
	}
private:
	Connection dial(const std::string &host)
	{
		for (int attempt = 0; attempt < 2; attempt++)
			std::this_thread::sleep_for(std::chrono::milliseconds(4));
		return Connection{ next_++ + (int)host.size() };
	}
};
static Pool pool;
static unsigned render(const std::string &to, unsigned seed)
{
	unsigned h = seed;
	for (int i = 0; i < 20000; i++)
		h = h * 1664525u + (unsigned)to[i % to.size()];
	return h;
}
static void sender(unsigned which, unsigned *sum)
{
	for (unsigned i = 0; i < 900; i++) {
		std::string host = "mx" + std::to_string((which * 7 + i) % 5) + ".example";
		*sum += render(host, i);
		*sum += (unsigned)pool.get(host).id;
	}
}
int main()
{
	std::vector<std::thread> threads;
	unsigned sums[5] = {};
	for (unsigned i = 0; i < 5; i++)
		threads.emplace_back(sender, i, &sums[i]);
	for (auto &t : threads)
		t.join();
	printf("%u\n", sums[0]);
}
