/* SPDX-License-Identifier: GPL-3.0-or-later */
/* computing_rules.c - the table of rules on computing, with what --explain tells of each. */
#include "findings_computing.h"

const struct computing_rule computing_rules[] = {
	{ "201", "scan in a loop", computing_scan,
	  "How often one call of a function calls strlen, strcat, strcmp, memmove, memset or the like at one "
	  "place, and what part of all computing that takes. It is told from 100 times for each call on, "
	  "where "
	  "it is at least 10 % of the computing (strcmp and memset 20 %) and 30 % of the function. memmove "
	  "is "
	  "told only if its times grow as they do when an array is moved that gets longer.",
	  "Each such call goes through the whole text or array. In a loop over the same text the work grows "
	  "with "
	  "the square of its length: twice the length, four times as long.",
	  "Take the length once, before the loop. Keep a pointer to the end of what is appended to. Put "
	  "records "
	  "behind the others and sort or reverse once. Look up by a hash table or in sorted order in place "
	  "of "
	  "comparing with each. Clear only what was used.",
	  "Each call is about another text, which is long and needed: then the work is what it is." },
	{ "202", "search in a loop", computing_search,
	  "Calls for each call, on two levels: a function that is called 100 times and more by each call of "
	  "its "
	  "caller, and makes about as many calls of one function each time, with times from short to long, "
	  "as "
	  "they are when a list grows or what is looked for is sooner or later in it. Together at least 30 % "
	  "of "
	  "the computing.",
	  "The work grows with the square of the number of things: with ten times as many the program takes "
	  "a "
	  "hundred times as long.",
	  "Look up by a hash table, or in an array that is sorted once. Sort once behind the loop, not in "
	  "it. "
	  "Remember the place where the last search ended.",
	  "All pairs are needed (each body with each other one), or the number of things stays small." },
	{ "203", "recursion that explodes", computing_recursion,
	  "Calls of a function by itself for each call from elsewhere: 50,000 and more, of at most 40 ns "
	  "each, "
	  "which are at least 40 % of the computing, where no other function is called often enough to have "
	  "made "
	  "as many things for it to visit.",
	  "A function that calls itself twice and comes to the same arguments again and again doubles its "
	  "work "
	  "with each step.",
	  "Keep results by argument (memoization), or reckon them from the smallest on in a loop.",
	  "It walks through something that has as many parts: a large tree that was read in one piece, all "
	  "moves "
	  "of a game." },
	{ "204", "memory allocation", computing_allocation,
	  "Time in malloc, free, new, delete and the like, by the function of the program that leads to "
	  "them: at "
	  "least 15 % of the computing, and 1,000 blocks. Functions that do little else than allocate, and "
	  "those "
	  "of the system's headers, count for their callers.",
	  "A block costs 20 to 100 ns, more where threads meet, and memory that is far apart costs again "
	  "when it "
	  "is used.",
	  "Allocate before the loop and use it again; reserve() the size of vectors and strings; keep small "
	  "things in place, on the stack or in one array; pass by reference, move, or use string_view in "
	  "place "
	  "of copies; free all at once (an arena, std::pmr).",
	  "The program's purpose is to build what it allocates, once. The first use of new memory is in "
	  "these "
	  "times, too." },
	{ "205", "text formatting", computing_format,
	  "Time in printf and scanf, strtod, streams, locales and regular expressions, by the function of "
	  "the "
	  "program that leads to them, without what the operating system did: at least 15 % of the "
	  "computing. "
	  "Half of it is taken for what can be won.",
	  "A format is read anew with each call, locales are looked up, and numbers with decimal places are "
	  "costly.",
	  "Do not format what nobody reads (log levels, keys of tables). std::to_chars and from_chars, "
	  "strtol, or "
	  "code of your own for a fixed format; build streams and regular expressions once, before the loop.",
	  "To write that text is what the program is for." },
	{ "206", "exceptions", computing_exceptions,
	  "Time from a throw to its handler, with making and releasing the exception: at least 5 % of the "
	  "computing, and 1,000 of them.",
	  "An exception takes one to some microseconds, more with each function that it leaves, and for some "
	  "of "
	  "its way threads wait for one another.",
	  "Tell what happens often by the value returned (std::optional, an error code, from_chars in place "
	  "of "
	  "stoi), and keep exceptions for what is rare.",
	  "A run that tests errors on purpose." },
	{ "207", "short functions in other files", computing_short,
	  "Calls of functions with probes that take up to 20 ns, by code of another source file or library, "
	  "where "
	  "the compiler cannot inline them. A call is taken for 2 ns: from 5 % of the computing on.",
	  "The call, its return and the registers that are saved cost as much as what the function does, and "
	  "the "
	  "compiler knows nothing of either side.",
	  "Link with -flto. Or define the function in the header (static inline). For another library: a "
	  "function "
	  "that does many at once.",
	  "The files were compiled as one (one includes the other), or the function is one that cannot be "
	  "inlined. "
	  "Times of so short functions are uncertain; the number of calls is exact." },
	{ "208", "call through a pointer, one target", computing_indirect,
	  "Calls through a pointer or of a virtual function, at an instruction that has called one function "
	  "only, "
	  "which takes up to 20 ns. A call is taken for 2 ns: from 5 % of the computing on.",
	  "What is called through a pointer cannot be inlined.",
	  "Mark the class or function `final`, or use a template; compile with -fprofile-generate and "
	  "-fprofile-use, which put a test of the pointer and the function's code there.",
	  "In other runs other functions are called there, which is what the pointer is for." },
	{ "209", "hot spot", computing_hot,
	  "The function that computes most by itself, if that is at least 40 % of all computing and no other "
	  "rule "
	  "on computing tells why.",
	  "What is saved anywhere else is little.",
	  "Look at its lines (cinstr annotate; record with --probes=lines, or --sample for instructions), at "
	  "how "
	  "often it is called and by whom (cinstr callers), and whether all of it has to be done.",
	  "It is the work that the program is for, and is done well already." },
};
const size_t computing_n_rules = sizeof(computing_rules) / sizeof(computing_rules[0]);
