// SPDX-License-Identifier: GPL-3.0-or-later
// Reads, visits and prints a document with tinyxml2, argv[1] times: small virtual functions; for
// mixed.py.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tinyxml2.h"

using namespace tinyxml2;

class Counter : public XMLVisitor {
public:
	size_t elements = 0, characters = 0;

	bool VisitEnter(const XMLElement &element, const XMLAttribute *attribute) override
	{
		elements++;
		for (; attribute; attribute = attribute->Next())
			characters += attribute->Value()[0] != 0;
		for (const XMLNode *node = element.FirstChild(); node; node = node->NextSibling())
			characters += node->ToText() ? 1 : node->ToElement() ? 2 : 3;
		return true;
	}
};

static std::string document()
{
	std::string text = "<?xml version=\"1.0\"?><shop>";

	for (int i = 0; i < 300; i++) {
		const std::string n = std::to_string(i);

		text += "<item id=\"" + n + "\" kind='k" + std::to_string(i % 7) + "'><name>a &amp; b " + n +
			"</name><!-- " + n + " --><price>" + std::to_string(i * 37 % 101) + "</price><tags><t/><t/></tags></item>";
	}
	return text + "</shop>";
}

int main(int argc, char **argv)
{
	const std::string text = document();
	Counter counter;
	size_t bytes = 0;

	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1); i++) {
		XMLDocument read;
		XMLPrinter printer(nullptr, true);

		read.Parse(text.c_str(), text.size());
		read.Accept(&counter);
		read.Print(&printer);
		bytes += printer.CStrSize();
	}
	printf("%zu %zu %zu\n", counter.elements, counter.characters, bytes);
	return 0;
}
