// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0220 find; processor
// Finds the function of each address of a log. Planted: std::lower_bound() on a std::set, whose iterators
// go from one element to the next, in place of the set's own lower_bound().
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

struct Symbol {
	uint64_t end;
	uint64_t begin;
	std::string name;
	bool operator<(const Symbol &other) const { return end < other.end; }
};

class SymbolTable {
public:
	void add(uint64_t begin, uint64_t size, std::string name) { symbols_.insert({begin + size, begin, std::move(name)}); }
	const Symbol *find(uint64_t address) const;

private:
	std::set<Symbol> symbols_;
};

const Symbol *SymbolTable::find(uint64_t address) const
{
	Symbol key{address + 1, 0, {}};
#ifdef REPAIRED
	auto found = symbols_.lower_bound(key);
#else
	auto found = std::lower_bound(symbols_.begin(), symbols_.end(), key);
#endif
	if (found == symbols_.end() || address < found->begin)
		return nullptr;
	return &*found;
}

struct Frame {
	uint64_t address;
	uint32_t depth;
};

static std::vector<Frame> read_log(int n, uint64_t top)
{
	std::vector<Frame> frames;
	uint64_t state = 88172645463325252ULL;
	for (int i = 0; i < n; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		frames.push_back({state % top, static_cast<uint32_t>(state >> 60)});
	}
	return frames;
}

static size_t describe(const SymbolTable &table, const std::vector<Frame> &frames)
{
	size_t letters = 0;
	std::string line;
	for (const Frame &frame : frames) {
		const Symbol *symbol = table.find(frame.address);
		line.assign(frame.depth, ' ');
		if (symbol) {
			line += symbol->name;
			line += '+';
			line += std::to_string(frame.address - symbol->begin);
		} else {
			line += "??";
		}
		letters += line.size();
	}
	return letters;
}

int main()
{
	SymbolTable table;
	uint64_t begin = 4096;
	for (int i = 0; i < 6000; i++) {
		uint64_t size = 32 + (i * 2654435761u) % 900;
		table.add(begin, size, "module::function_" + std::to_string(i));
		begin += size + 8;
	}
	std::vector<Frame> frames = read_log(12000, begin);
	printf("%zu letters\n", describe(table, frames));
}
