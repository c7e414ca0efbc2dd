/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_computing.c - the rules on computing, CF02xx. Their searches are in findings_loops.c,
 * findings_libraries.c, findings_objects.c, findings_format.c and findings_calls.c. */
#include "findings_computing.h"

#include "rules.h"

typedef int search_for(const struct computing *c, struct computing_found *found);

/* The time is that of the thread that has most of the call, by time on a processor: application
 * time leaves out calls that have lost theirs. */
static long double time_of(const struct finder *finder, const struct computing_found *found)
{
	const struct row *row = found->edge ? found->edge : finder->graph->nodes[found->about];
	long double time = finder_on_one_thread(finder, row, found->time, SHARE_CPU);

	return finder->findings->is_sampled ? found->time : time > 0 ? time : found->time / finder->at_once;
}

static void tell(struct finder *finder, const struct finding_rule *rule, search_for *search)
{
	struct computing_found found = { 0 };
	struct finding *finding;

	strbuf_clear(&found.text);
	if (!computing_is_enough(&finder->computing) || !search(&finder->computing, &found)) {
		strbuf_release(&found.text);
		return;
	}
	finding = finding_new(finder, rule);
	strbuf_release(&finding->text);
	finding->about = found.about;
	finding->said_of = found.is_said_of ? found.said_of : NAMES_NONE;
	finding->edge = found.edge;
	finding->place = found.place;
	finding->file = found.code.file;
	finding->line = found.code.line;
	finding->inlined = found.code.inlined;
	finding->look_at = found.look_at;
	finding->verb = found.verb;
	finding->text = found.text;
	finding->time = time_of(finder, &found);
}

#define FIND(name) \
	static void find_##name(struct finder *finder, const struct finding_rule *rule) \
	{ \
		tell(finder, rule, computing_##name); \
	}
FIND(scan)
FIND(search)
FIND(recursion)
FIND(allocation)
FIND(copies)
FIND(objects)
FIND(strings)
FIND(format)
FIND(exceptions)
FIND(short)
FIND(indirect)
FIND(locking)
FIND(library_locks)
FIND(strides)
FIND(locked)
FIND(moving)
FIND(sorting)
FIND(chase)
FIND(slow)
FIND(hot)

const struct finding_rule findings_computing_rules[] = {
	{ .id = "CF0201",
	  .title = "scan in a loop",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 60,
	  .least_percent = 0.5,
	  .find = find_scan,
	  .measured =
		  "How often one call of a function calls strlen, strcat, strcmp, memmove, memset or the "
		  "like at one place, and what part of all computing that takes. It is reported from 100 "
		  "times for each call on, where it is at least 10 % of the computing (strcmp and memset "
		  "20 %) and 30 % of the function. memmove is reported only if its times grow as they do "
		  "when an array is moved that gets longer, or if what calls it is the insert or erase of a "
		  "container of the C++ library.",
	  .time = "What these calls take.",
	  .matters = "Each such call goes through the whole text or array. In a loop over the same text the "
		     "work grows with the square of its length: twice the length, four times as long.",
	  .remedy = "Take the length once, before the loop. Keep a pointer to the end of what is appended "
		    "to. Append records and sort or reverse once. Look up by a hash table or "
		    "in sorted order in place of comparing with each. Clear only what was used.",
	  .false_alarm =
		  "Each call is about another text, which is long and needed: then the work is what it is." },
	{ .id = "CF0202",
	  .title = "search in a loop",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 55,
	  .least_percent = 0.5,
	  .find = find_search,
	  .measured = "Calls for each call, on two levels: a function that is called 100 times and more by "
		      "each call of its caller, and makes about as many calls of one function each time, "
		      "with times from short to long, as they are when a list grows or what is looked for is "
		      "sooner or later in it. Together at least 30 % of the computing.",
	  .time = "What the inner function and all that it calls take.",
	  .matters = "The work grows with the square of the number of things: with ten times as many the "
		     "program takes a hundred times as long.",
	  .remedy = "Look up by a hash table, or in an array that is sorted once. Sort once after the loop, "
		    "not in it. Remember the place where the last search ended.",
	  .false_alarm = "All pairs are needed (each body with each other one), or the number of things "
			 "stays small." },
	{ .id = "CF0203",
	  .title = "recursion that explodes",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 60,
	  .least_percent = 0.5,
	  .find = find_recursion,
	  .measured = "Calls of a function by itself for each call from elsewhere: 50,000 and more, of at "
		      "most 40 ns each, which are at least 40 % of the computing, where no other function is "
		      "called often enough to have made as many things for it to visit. Where calls were "
		      "only counted after some, all of 1,000 and more that were timed are of one call.",
	  .time = "All that the recursion takes.",
	  .matters = "A function that calls itself twice and comes to the same arguments again and again "
		     "doubles its work with each step.",
	  .remedy = "Keep results by argument (memoization), or reckon them from the smallest on in a loop.",
	  .false_alarm = "It walks through something that has as many parts: a large tree that was read in "
			 "one piece, all moves of a game." },
	{ .id = "CF0204",
	  .title = "memory allocation",
	  .of = OF_TIMED | OF_SAMPLED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 50,
	  .least_percent = 0.5,
	  .find = find_allocation,
	  .measured =
		  "Time in malloc, free, new, delete and the like, by the function of the program that leads "
		  "to them: at least 15 % of the computing, and 1,000 blocks. Functions that do little else "
		  "than allocate, and those of the system's headers, count for their callers.",
	  .time = "What allocating and freeing takes in that function, or, if none has a third of it, in "
		  "all. With memory that is not needed goes what was put there.",
	  .matters = "A block costs 20 to 100 ns, more where threads meet, and memory that is far apart "
		     "costs again when it is used.",
	  .remedy = "Allocate before the loop and use it again; reserve() the size of vectors and strings; "
		    "keep small things in place, on the stack or in one array; pass by reference, move, or "
		    "use string_view in place of copies; free all at once (an arena, std::pmr).",
	  .false_alarm = "The program's purpose is to build what it allocates, once. The first use of new "
			 "memory is in these times, too." },
	{ .id = "CF0205",
	  .title = "text formatting",
	  .of = OF_TIMED | OF_SAMPLED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 50,
	  .least_percent = 0.5,
	  .find = find_format,
	  .measured = "Time in printf and scanf, strtod, streams, locales and regular expressions, by the "
		      "function of the program that leads to them, without what the operating system did: at "
		      "least 15 % of the computing, in 100 calls and more, or in such as take 1 ms each.",
	  .time = "What formatting takes.",
	  .matters = "A format is read anew with each call, locales are looked up, and numbers with decimal "
		     "places are costly.",
	  .remedy = "Do not format what nobody reads (log levels, keys of tables). std::to_chars and "
		    "from_chars, strtol, or code of your own for a fixed format; build streams and regular "
		    "expressions once, before the loop.",
	  .false_alarm = "To write that text is what the program is for." },
	{ .id = "CF0206",
	  .title = "exceptions as control flow",
	  .of = OF_TIMED | OF_SAMPLED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 50,
	  .least_percent = 0.5,
	  .find = find_exceptions,
	  .measured = "Time from a throw to its handler, with making and releasing the exception, and all of "
		      "libgcc_s, which unwinds: at least 5 "
		      "% of the computing, and 1,000 of them.",
	  .time = "What throwing and catching takes.",
	  .matters = "An exception takes one to some microseconds, more with each function that it leaves, "
		     "and for some of its way threads wait for one another.",
	  .remedy = "Tell what happens often by the value returned (std::optional, an error code, from_chars "
		    "in place of stoi), and keep exceptions for what is rare.",
	  .false_alarm = "A run that tests errors on purpose." },
	{ .id = "CF0207",
	  .title = "short functions in other files",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 40,
	  .least_percent = 0.5,
	  .find = find_short,
	  .measured = "Calls of functions with probes that take up to 20 ns, by code of another source file "
		      "or library, where the compiler cannot inline them. A call is taken for 2 ns: from 5 % "
		      "of the computing on.",
	  .time = "2 ns for each call. Inlining saves more where the code on both sides can be simplified "
		  "then.",
	  .matters = "The call, its return and the registers that are saved cost as much as what the "
		     "function does, and the compiler knows nothing of either side.",
	  .remedy = "Link with -flto. Or define the function in the header (static inline). For another "
		    "library: a function that does many at once.",
	  .false_alarm = "The files were compiled as one (one includes the other), or the function is one "
			 "that cannot be inlined. Times of so short functions are uncertain; the number of "
			 "calls is exact." },
	{ .id = "CF0208",
	  .title = "a pointer that always leads to one function",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 45,
	  .least_percent = 0.5,
	  .find = find_indirect,
	  .measured = "Calls through a pointer or of a virtual function, at an instruction that has called "
		      "one function only, which takes up to 20 ns. A call is taken for 2 ns: from 5 % of the "
		      "computing on.",
	  .time = "2 ns for each call.",
	  .matters = "What is called through a pointer cannot be inlined.",
	  .remedy = "Mark the class or function `final`, or use a template; compile with -fprofile-generate "
		    "and -fprofile-use, which put a test of the pointer and the function's code there.",
	  .false_alarm =
		  "In other runs other functions are called there, which is what the pointer is for." },
	{ .id = "CF0209",
	  .title = "hot spot",
	  .of = OF_TIMED | OF_SAMPLED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 10,
	  .least_percent = 0.5,
	  .find = find_hot,
	  .measured = "The function that computes most by itself, if that is at least 40 % of all computing "
		      "and no other rule on computing tells why; of a program with one or two functions, if "
		      "samples show where in it. Of a library's function it is said of "
		      "the program's one that calls it; functions that make one such call each time count "
		      "for their callers. If few calls (5 %) of a function that leads to it take 60 % of "
		      "its time, and each ten times as long as half of its calls, it is said of that one. "
		      "Divisions are told of if half of its samples are at them or right behind them. Where "
		      "there "
		      "is none: the function of the program for which libraries do 60 % of the computing, if "
		      "it makes 1,000 calls of one of theirs.",
	  .time = "What it takes by itself; how much of that could be saved is not known.",
	  .matters = "What is saved anywhere else is little.",
	  .remedy = "Look at its lines (cinstr annotate; record with --probes=lines, or --sample for "
		    "instructions), at how often it is called and by whom (cinstr callers), and whether all "
		    "of it has to be done.",
	  .false_alarm = "It is the work that the program is for, and is done well already." },
	{ .id = "CF0210",
	  .title = "strings that are built",
	  .of = OF_TIMED | OF_SAMPLED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 45,
	  .least_percent = 0.5,
	  .find = find_strings,
	  .measured = "Time in functions of std::string that make, copy or append to one, by the function of "
		      "the program that leads to them: at least 15 % of the computing, and 1,000 calls. "
		      "Of those that were inlined: the copying of memory in them.",
	  .time = "What these calls take; blocks of memory that are freed after them are not in it.",
	  .matters = "A string of more than 15 characters takes memory, each piece that is appended a call "
		     "and perhaps a copy, and a key that is made for one comparison is thrown away.",
	  .remedy = "Compare without building: a struct of the parts as the key, string_view, a map with "
		    "std::less<>. Keep the string and use it again; reserve() its length; pass by reference.",
	  .false_alarm = "To build that text is what the program is for." },
	{ .id = "CF0211",
	  .title = "a lock that is taken very often",
	  .of = OF_TIMED | OF_SAMPLED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 50,
	  .least_percent = 3,
	  .find = find_locking,
	  .measured =
		  "Time on a processor in functions that take a lock, give it back, wait for a condition "
		  "variable or tell one, by the function of the program that calls them, in a program with "
		  "threads: at least 30 % of all time on a processor (15 % where two threads and more take "
		  "the lock at one place), and 50,000 locks that are taken. Waits are not in it. The lock is "
		  "named if a thread has waited for it.",
	  .time = "What these calls take on a processor.",
	  .matters =
		  "A lock that is free costs 20 ns and more, one that another processor has had 100 ns, to "
		  "wake a thread some microseconds. A task that is shorter than that is done sooner "
		  "by who has it.",
	  .remedy =
		  "Give out work in larger pieces, a hundred tasks at once; take several from a queue under "
		  "one lock. A queue for each thread. Tell a condition variable only if somebody waits. "
		  "An atomic counter or a value of each thread in place of a lock. For what is made once and "
		  "then only read no lock at all: std::call_once, a static variable in a function, "
		  "pthread_once, an atomic pointer.",
	  .false_alarm = "There is little work of the program itself in this run." },
	{ .id = "CF0212",
	  .title = "copies of objects",
	  .of = OF_TIMED | OF_SAMPLED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 55,
	  .least_percent = 0.5,
	  .find = find_copies,
	  .measured =
		  "Time in constructors and assignments of C++ that copy an object of their class, and in "
		  "those of containers that copy their parts, by the function of the program that leads "
		  "to them: at least 15 % of the computing, and 1,000 calls. Of those that a compiler has "
		  "inlined: the copying of memory in them (memcpy, memmove).",
	  .time = "What these calls take; objects that are destroyed later are not in it. If the same "
		  "function allocates most memory, four blocks and fewer for each copy, that is in it, too.",
	  .matters =
		  "A copy of a map or a vector takes memory for each of its parts, copies these, and frees "
		  "them all when it is thrown away.",
	  .remedy = "Pass and return references (const T &), take auto & or const auto & in loops, move what "
		    "is not used again (std::move, emplace), keep a pointer or an index.",
	  .false_alarm = "The copy is needed: it is changed, or the original is." },
	{ .id = "CF0213",
	  .title = "large steps through memory",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 30,
	  .least_percent = 3,
	  .find = find_strides,
	  .measured =
		  "The machine code of functions that compute 20 % and more by themselves. It is reported if "
		  "the inner loop that has half of the function's samples (without samples: the one with "
		  "most "
		  "loops around it) reads and writes in steps of 1,024 bytes and more, or in steps that are "
		  "known when it runs only, or down a column of rows that a list of pointers leads to "
		  "(std::vector<std::vector<T>>), at half of all the places that go on from round to round; "
		  "in a program that has touched 4 MB and more. That it waits for memory is likely, and not "
		  "measured.",
	  .time = "What the function takes by itself.",
	  .matters = "Memory comes in lines of 64 bytes, and what lies side by side is read ahead. In large "
		     "steps each access waits for another line, of which the rest is thrown away, and in "
		     "steps of a page for the page's address as well.",
	  .remedy = "Exchange the loops, so that the inner one goes along what lies side by side: the last "
		    "index in C, the first one in Fortran. Or work in blocks that fit into a cache. Of large "
		    "records of which little is used: arrays of the parts.",
	  .false_alarm =
		  "What is gone through fits into a cache. Or a step that is known when it runs only is "
		  "a small one, as that of an array in Fortran which was passed in one piece." },
	{ .id = "CF0214",
	  .title = "locked instructions in several threads",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 30,
	  .least_percent = 3,
	  .find = find_locked,
	  .measured =
		  "Samples of functions that compute 20 % and more by themselves, in two threads and more, "
		  "at instructions that lock memory (atomic operations, numbers of references): at least "
		  "half of the function's samples. Which memory it is nobody has recorded, so whether "
		  "threads meet there is not known.",
	  .time = "What the function takes by itself.",
	  .matters = "Such an instruction takes some nanoseconds. Where another processor has written to the "
		     "same 64 bytes it takes fifty and more, also if that was to another variable which lies "
		     "beside it (false sharing).",
	  .remedy = "Count in a variable of the thread's own, and add that up at the end. Keep what threads "
		    "write 64 bytes apart (alignas(64)). Pass a std::shared_ptr by reference, or the object "
		    "itself.",
	  .false_alarm =
		  "Each thread has memory of its own there already, and the operation has to be atomic." },
	{ .id = "CF0215",
	  .title = "a loop that follows pointers",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 30,
	  .least_percent = 3,
	  .find = find_chase,
	  .measured =
		  "Samples of functions that compute 20 % and more by themselves: at least half of them are "
		  "in an inner loop that reads where it has to read next.",
	  .time = "What the function takes by itself.",
	  .matters =
		  "The processor cannot read ahead: it waits for each thing before it knows where the next "
		  "one is. In a hash table it means that many things are in one place.",
	  .remedy = "An array in place of a list. Another hash function, or more places. What is looked for "
		    "again and again: an index of it.",
	  .false_alarm = "The list is short, and what is done with each thing is the work." },
	{ .id = "CF0216",
	  .title = "instructions that take long",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 20,
	  .least_percent = 3,
	  .find = find_slow,
	  .measured =
		  "Of programs built with -fplugin-arg-cinstr-instructions: the time of a function by its "
		  "executed instructions, which are counted exactly. It is reported of a function that "
		  "computes 20 % and more by itself and calls nothing, from 3 ns for an instruction on, if "
		  "that is five times as much as the other functions of the program take (of 10 million "
		  "instructions and more). That it waits for memory is likely, and not measured.",
	  .time = "What the function takes by itself.",
	  .matters = "A processor executes one to four instructions in a nanosecond, and waits for memory "
		     "100 ns "
		     "and more where it cannot read ahead, or where another processor has written there.",
	  .remedy = "Use less memory at a time: smaller types, arrays of what is used together, blocks that "
		    "fit into a cache. Read in order. Keep what threads write apart (alignas(64)).",
	  .false_alarm = "Long chains of divisions and square roots, and `rep` instructions, each of which "
			 "counts once." },
	{ .id = "CF0217",
	  .title = "large objects that are copied",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 35,
	  .least_percent = 3,
	  .find = find_moving,
	  .measured =
		  "Samples of functions that compute 20 % and more by themselves: at least half of them are "
		  "at instructions that copy a piece of memory (rep movs), as compilers use for objects of "
		  "some hundred bytes and more.",
	  .time = "What the function takes by itself, by the part of its samples that are there.",
	  .matters = "An argument that is passed by value is copied for each call, a value that is returned "
		     "perhaps too: all of it, also where little of it is used.",
	  .remedy = "Pass a pointer or a reference (const T &). Let the caller provide the place for what is "
		    "returned. Keep what is used often apart from large arrays.",
	  .false_alarm = "The copy is needed: one of the two is changed. Or memcpy was inlined, and to copy "
			 "is what the program is for." },
	{ .id = "CF0218",
	  .title = "sorting again and again",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 50,
	  .least_percent = 3,
	  .find = find_sorting,
	  .measured = "Time in qsort and in the functions of std::sort, by the function of the program that "
		      "leads to them: at least 30 % of the computing, in 100 sorts and more, each of 20 us "
		      "and more in the mean.",
	  .time = "What sorting takes.",
	  .matters = "To sort all anew for each thing that is added takes a thousand times as long as to put "
		     "it where it belongs, where there are a thousand.",
	  .remedy =
		  "Sort once, after the loop. Insert at the right place (std::lower_bound). Of the largest, "
		  "or one in the middle: a heap, std::nth_element; of what comes and goes: std::set.",
	  .false_alarm = "They are other things each time." },
	{ .id = "CF0219",
	  .title = "a lock of the C library",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 52,
	  .least_percent = 3,
	  .find = find_library_locks,
	  .measured =
		  "Samples where the C library waits for a lock that it takes for itself, and where it wakes "
		  "who waits for one: at least 5 % of the computing; or half of the samples of a function of "
		  "it, which computes 20 % and more by itself, at locked instructions. In two threads and "
		  "more. The call is "
		  "the "
		  "most frequent one of the function of the program that takes such a lock: rand, malloc, "
		  "printf and the like on one stream, localtime.",
	  .time = "What that call takes on a processor, with all of that library that samples only have "
		  "found in it. Waits are not in it.",
	  .matters = "Threads that meet at such a lock wait for one another, and each wakes the next by the "
		     "kernel: two threads are slower than one.",
	  .remedy = "A state of each thread's own: rand_r, random_r, <random>; an own buffer of output, "
		    "written "
		    "at once; memory that is used again; a time that is formatted once a second.",
	  .false_alarm = "Other calls of the C library of the same function are the ones that meet." },
	{ .id = "CF0220",
	  .title = "objects of the C++ library",
	  .of = OF_TIMED | OF_COMPUTING | OF_PROCESSOR,
	  .precedence = 58,
	  .least_percent = 3,
	  .find = find_objects,
	  .measured =
		  "What one function of the C++ library does for one function of the program, at least 20 % "
		  "of "
		  "the computing. It copies an object; builds a container that the program's function "
		  "destroys, too, or a random generator; erases from a vector, or inserts into it; goes "
		  "through a set, map or list by std::lower_bound, std::distance, std::advance and the like; "
		  "or searches in a std::string, for 200 ns and more each time. Time in libraries is divided "
		  "among the functions that call them by how often these do, and what allocates and frees "
		  "memory by who has how many blocks allocated: each call is taken for as long as any other.",
	  .time = "What the library's function takes, with all that it calls, the memory for it, and the "
		  "object's destructor in the same function.",
	  .matters = "One line of the program stands for a loop in the library: over all elements, all "
		     "letters, or all numbers that a generator prepares.",
	  .remedy = "Pass and return references (const T &), take auto & in loops, move what is not used "
		    "again. Build a table or a generator once (static const, or a member), and clear a "
		    "container for its next use. One std::remove_if for all that is erased. A set's own "
		    "lower_bound(), or a sorted vector. Search on from where the last search ended.",
	  .false_alarm = "The copy is needed: it is changed, or the original is. Or the container's size and "
			 "content are different each time, and needed." },
};
const size_t findings_n_computing_rules = ARRAY_SIZE(findings_computing_rules);
