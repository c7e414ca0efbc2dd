// SPDX-License-Identifier: GPL-3.0-or-later
// expect: CF0205 text; processor
// true: CF0205|CF0308|CF0204 all of that text is built, and kept
// Writes records as JSON. Planted: texts go letter by letter through operator<< of a stream.
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

struct Record {
	int id;
	std::string title, body;
	std::vector<std::string> tags;
};

class Writer {
public:
	void record(const Record &record);
	std::string take() { return out_.str(); }

private:
	void text(const std::string &text);
	void key(const char *name);
	std::ostringstream out_;
};

#ifdef REPAIRED
void Writer::text(const std::string &text)
{
	static const char special[] = "\"\\\n\t";
	std::string escaped = "\"";
	size_t at = 0;
	for (size_t next; (next = text.find_first_of(special, at)) != std::string::npos; at = next + 1) {
		escaped.append(text, at, next - at);
		escaped += '\\';
		escaped += text[next] == '\n' ? 'n' : text[next] == '\t' ? 't' : text[next];
	}
	escaped.append(text, at);
	escaped += '"';
	out_ << escaped;
}
#else
void Writer::text(const std::string &text)
{
	out_ << '"';
	for (char c : text) {
		switch (c) {
		case '"': out_ << "\\\""; break;
		case '\\': out_ << "\\\\"; break;
		case '\n': out_ << "\\n"; break;
		case '\t': out_ << "\\t"; break;
		default: out_ << c;
		}
	}
	out_ << '"';
}
#endif

void Writer::key(const char *name)
{
	out_ << '"' << name << "\":";
}

void Writer::record(const Record &record)
{
	out_ << '{';
	key("id");
	out_ << record.id << ',';
	key("title");
	text(record.title);
	out_ << ',';
	key("body");
	text(record.body);
	out_ << ',';
	key("tags");
	out_ << '[';
	for (size_t i = 0; i < record.tags.size(); i++) {
		if (i)
			out_ << ',';
		text(record.tags[i]);
	}
	out_ << "]}\n";
}

static Record article(int id)
{
	Record record{id, "Title of \"article\" " + std::to_string(id), {}, {"news", "weather", "sports"}};
	for (int i = 0; i < 12; i++)
		record.body += "This is sentence " + std::to_string(i) + " of the article, which goes on for a while.\n";
	return record;
}

int main()
{
	size_t letters = 0;
	for (int batch = 0; batch < 240; batch++) {
		Writer writer;
		for (int id = 0; id < 400; id++)
			writer.record(article(id));
		letters += writer.take().size();
	}
	printf("%zu letters\n", letters);
}
