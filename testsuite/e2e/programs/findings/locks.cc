// Three threads and the locks of C++: argv[1] is mutex or shared. Who holds one sleeps.
#include <chrono>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::shared_mutex shared;
static long total;

[[gnu::noipa]] static void save()
{
	std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

[[gnu::noipa]] void log_line(int i)
{
	std::lock_guard<std::mutex> guard(mutex);
	total += i;
	save();
}

[[gnu::noipa]] void update(int i)
{
	std::unique_lock<std::shared_mutex> guard(shared);
	total += i;
	save();
}

[[gnu::noipa]] long look()
{
	std::shared_lock<std::shared_mutex> guard(shared);
	return total;
}

static void work(bool is_shared)
{
	for (int i = 0; i < 20; i++)
		if (is_shared) {
			update(i);
			for (int k = 0; k < 10; k++)
				look();
		} else {
			log_line(i);
		}
}

int main(int argc, char **argv)
{
	std::vector<std::thread> threads;
	bool is_shared = argc > 1 && !std::strcmp(argv[1], "shared");

	for (int i = 0; i < 3; i++)
		threads.emplace_back(work, is_shared);
	for (auto &thread : threads)
		thread.join();
	return 0;
}
