// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0220 expire; processor
// Keeps the sessions of a server. Planted: sessions that have expired are erased one by one out of a
// vector, and each time all that come after are moved.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

struct Session {
	uint64_t id;
	std::string user;
	std::string token;
	int64_t last_seen;
	int requests;
};

class Sessions {
public:
	void open(uint64_t id, int64_t now);
	void touch(size_t which, int64_t now);
	void expire(int64_t now);
	size_t count() const { return sessions_.size(); }
	uint64_t digest() const;

private:
	std::vector<Session> sessions_;
};

void Sessions::open(uint64_t id, int64_t now)
{
	sessions_.push_back({id, "user" + std::to_string(id), "token-of-some-length-" + std::to_string(id * 7919), now, 0});
}

void Sessions::touch(size_t which, int64_t now)
{
	Session &session = sessions_[which % sessions_.size()];
	session.last_seen = now;
	session.requests++;
}

void Sessions::expire(int64_t now)
{
#ifdef REPAIRED
	sessions_.erase(std::remove_if(sessions_.begin(), sessions_.end(),
				       [&](const Session &session) { return session.last_seen + 500 < now; }),
			sessions_.end());
#else
	for (auto it = sessions_.begin(); it != sessions_.end();) {
		if (it->last_seen + 500 < now)
			it = sessions_.erase(it);
		else
			++it;
	}
#endif
}

uint64_t Sessions::digest() const
{
	uint64_t sum = 0;
	for (const Session &session : sessions_)
		for (char c : session.token)
			sum = sum * 31 + c;
	return sum;
}

int main()
{
	Sessions sessions;
	uint64_t id = 1, state = 1, digest = 0;
	for (int64_t now = 0; now < 2500; now++) {
		for (int i = 0; i < 20; i++)
			sessions.open(id++, now);
		for (int i = 0; i < 30; i++) {
			state = state * 6364136223846793005ULL + 1442695040888963407ULL;
			sessions.touch(state >> 33, now);
		}
		if (now % 50 == 0) {
			sessions.expire(now);
			digest ^= sessions.digest();
		}
	}
	printf("%zu sessions, %llx\n", sessions.count(), static_cast<unsigned long long>(digest));
}
