// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0212|CF0220 type; processor
// Edits a document that can be undone. Planted: each change keeps a copy of the whole document.
#include <cstdio>
#include <string>
#include <vector>
struct Line {
	std::string text;
	int style;
};
class Document
{
      public:
	void line(std::string text)
	{
		lines_.push_back({ std::move(text), 0 });
	}
	void type(size_t line, char c);
	void undo();
	size_t size() const
	{
		size_t n = 0;
		for (auto &l : lines_)
			n += l.text.size();
		return n;
	}

      private:
	std::vector<Line> lines_;
#ifdef REPAIRED
	struct Change {
		size_t line;
	};
	std::vector<Change> history_;
#else
	std::vector<std::vector<Line>> history_;
#endif
};
void Document::type(size_t line, char c)
{
	Line &at = lines_[line % lines_.size()];
#ifdef REPAIRED
	history_.push_back({ line % lines_.size() });
#else
	history_.push_back(lines_);
	if (history_.size() > 50)
		history_.erase(history_.begin());
#endif
	at.text += c;
	at.style = (at.style + c) % 5;
}
void Document::undo()
{
	if (history_.empty())
		return;
#ifdef REPAIRED
	lines_[history_.back().line].text.pop_back();
#else
	lines_ = history_.back();
#endif
	history_.pop_back();
}
int main()
{
	Document document;
	for (int i = 0; i < 2000; i++)
		document.line("this is line number " + std::to_string(i) + " of the text");
	for (int i = 0; i < 3000; i++) {
		document.type(i * 31, 'a' + i % 26);
		if (i % 10 == 9)
			document.undo();
	}
	printf("%zu\n", document.size());
}
