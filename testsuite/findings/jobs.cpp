// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0218|CF0220 add; processor
// Schedules jobs by a heap. Planted: the whole heap is made again for each job that is added.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <queue>
#include <string>
#include <vector>
struct Job {
	uint64_t due;
	int id;
	int work;
	bool operator<(const Job &o) const
	{
		return due > o.due;
	}
};
class Scheduler
{
      public:
	void add(Job job);
	Job take();
	bool empty() const
	{
		return jobs_.empty();
	}

      private:
	std::vector<Job> jobs_;
};
void Scheduler::add(Job job)
{
	jobs_.push_back(job);
#ifdef REPAIRED
	std::push_heap(jobs_.begin(), jobs_.end());
#else
	std::make_heap(jobs_.begin(), jobs_.end());
#endif
}
Job Scheduler::take()
{
	std::pop_heap(jobs_.begin(), jobs_.end());
	Job job = jobs_.back();
	jobs_.pop_back();
	return job;
}
int main()
{
	Scheduler scheduler;
	uint64_t state = 7, sum = 0;
	for (int i = 0; i < 4000; i++) {
		state = state * 6364136223846793005ULL + 1;
		scheduler.add({ state >> 40, i, i % 7 });
	}
	for (int i = 0; i < 12000; i++) {
		Job job = scheduler.take();
		sum = sum * 31 + job.id + job.work;
		state = state * 6364136223846793005ULL + 1;
		scheduler.add({ job.due + (state >> 48), job.id, job.work });
	}
	printf("%llu\n", (unsigned long long)sum);
}
