/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames of addresses in programs that are compiled here. Labels in their code (mark_...) say where
 * to look. */
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "lib/util.h"
#include "sampler/symbolize.h"
#include "sampler/writer/store.h"
#include "symbols/address_ranges.h"
#include "symbols/elf_file.h"
#include "symbols/symbols.h"
#include "tests.h"

static char folder[] = "/tmp/cinstr-frames-XXXXXX";

static const char *path_of(const char *name)
{
	static char paths[8][128];
	static unsigned turn;
	char *path = paths[turn++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static void source_write(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs(text, file);
	fclose(file);
}

/* In the folder. */
static void run(const char *format, ...) PRINTF_LIKE(1, 2);
static void run(const char *format, ...)
{
	struct strbuf command = { 0 };
	va_list args;

	strbuf_printf(&command, "cd %s && ", folder);
	va_start(args, format);
	strbuf_vprintf(&command, format, args);
	va_end(args);
	CU_ASSERT_EQUAL_FATAL(system(command.text), 0);
	strbuf_release(&command);
}

static const char *compiler(const char *variable, const char *usual)
{
	const char *found = getenv(variable);

	return found && *found ? found : usual;
}

/* Address that a command prints first on the line that matches. */
static uint64_t address_printed(const char *command, const char *file, const char *pattern)
{
	struct strbuf text = { 0 };
	unsigned long long address = 0;
	FILE *pipe;

	strbuf_printf(&text, "cd %s && %s %s | grep -m1 -E '%s'", folder, command, file, pattern);
	pipe = popen(text.text, "r");
	CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
	CU_ASSERT_EQUAL(fscanf(pipe, "%llx", &address), 1);
	pclose(pipe);
	strbuf_release(&text);
	CU_ASSERT_NOT_EQUAL_FATAL(address, 0);
	return address;
}

static uint64_t symbol(const char *file, const char *name)
{
	char pattern[64];

	snprintf(pattern, sizeof(pattern), " %s$", name);
	return address_printed("nm", file, pattern);
}

/* ---- inlined functions ----------------------------------------------------------------------- */

#define INLINE "static inline __attribute__((always_inline)) "
static const char chain_header[] =
	INLINE "int deep(int x)\n"
	       "{\n"
	       "	__asm__ volatile(\"mark_deep: nop\" : \"+r\"(x));\n" /* line 3 */
	       "	return x * global;\n"
	       "}\n";
/* line 3 */
static const char chain_source[] = "volatile int global = 1;\n"
				   "#include \"chain.h\"\n" INLINE "int middle(int x)\n"
				   "{\n"
				   "	global++;\n"
				   "	return deep(x) + 1;\n"	     /* line 6 */
				   "}\n" INLINE "int outer(int x)\n" /* line 8 */
				   "{\n"
				   "	return middle(x) + global;\n" /* line 10 */
				   "}\n"
				   "__attribute__((noinline)) int holder(int x)\n" /* line 12 */
				   "{\n"
				   "	global += 3;\n"
				   "	return outer(x) * 5;\n" /* line 15 */
				   "}\n"
				   "int main(int argc, char **argv)\n"
				   "{\n"
				   "	return argv ? holder(argc) : 0;\n"
				   "}\n";

struct expected {
	const char *name, *file;
	uint32_t line;
	const char *decl_file;
	uint32_t decl_line;
};
static const struct expected chain[] = {
	{ "deep", "chain.h", 3, "chain.h", 1 },
	{ "middle", "chain.c", 6, "chain.c", 3 },
	{ "outer", "chain.c", 10, "chain.c", 8 },
	{ "holder", "chain.c", 15, "chain.c", 12 },
};

static int is_file(const char *found, const char *expected)
{
	return found && !strcmp(util_basename(found), expected);
}

static void frame_check(const struct symbol_frame *frame, const struct expected *e, int is_inlined)
{
	CU_ASSERT_STRING_EQUAL(frame->name, e->name);
	CU_ASSERT(is_file(frame->file, e->file));
	CU_ASSERT_EQUAL(frame->line, e->line);
	CU_ASSERT(is_file(frame->decl_file, e->decl_file));
	CU_ASSERT_EQUAL(frame->decl_line, e->decl_line);
	CU_ASSERT_EQUAL(frame->is_inlined, is_inlined);
	CU_ASSERT_EQUAL(frame->is_guessed, 0);
}

static void chain_check(struct symbols *symbols, uint64_t address, uint64_t holder)
{
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];

	CU_ASSERT_PTR_NOT_NULL_FATAL(symbols);
	CU_ASSERT_EQUAL_FATAL(symbols_frames(symbols, address, frames, SYMBOL_FRAMES_MAX), 4);
	for (int i = 0; i < 4; i++)
		frame_check(&frames[i], &chain[i], i < 3);
	CU_ASSERT_EQUAL(frames[3].entry, holder);
	for (int i = 0; i < 3; i++)
		CU_ASSERT(frames[i].entry >= frames[i + 1].entry && frames[i].entry <= address);
}

static void chain_build(const char *options)
{
	source_write("chain.h", chain_header);
	source_write("chain.c", chain_source);
	run("%s -O2 %s chain.c -o chain", compiler("CC", "gcc"), options);
}

static void chain_of(const char *options)
{
	struct symbols *symbols;

	chain_build(options);
	symbols = symbols_open(path_of("chain"), NULL, 0);
	chain_check(symbols, symbol("chain", "mark_deep"), symbol("chain", "holder"));
	symbols_release(symbols);
}

static void three_inlined_in_another(void)
{
	chain_of("-g -gdwarf-5");
	chain_of("-g -gdwarf-4");
	chain_of("-g -gdwarf-5 -flto -fno-toplevel-reorder");
	chain_of("-g -ffunction-sections -Wl,--gc-sections -gz");
}

/* The outermost one stays, and the innermost ones. */
static void less_room_than_frames(void)
{
	struct symbol_frame frames[2];
	struct symbols *symbols;
	uint64_t mark;

	chain_build("-g");
	mark = symbol("chain", "mark_deep");
	symbols = symbols_open(path_of("chain"), NULL, 0);
	CU_ASSERT_EQUAL(symbols_frames(symbols, mark, frames, 2), 2);
	CU_ASSERT_STRING_EQUAL(frames[0].name, "deep");
	CU_ASSERT_STRING_EQUAL(frames[1].name, "holder");
	CU_ASSERT_EQUAL(symbols_frames(symbols, mark, frames, 1), 1);
	CU_ASSERT_STRING_EQUAL(frames[0].name, "holder");
	CU_ASSERT_EQUAL(symbols_frames(symbols, mark, frames, 0), 0);
	symbols_release(symbols);
}

static void a_separate_debug_file(void)
{
	struct symbols *symbols;
	uint64_t mark, holder;

	chain_build("-g");
	mark = symbol("chain", "mark_deep");
	holder = symbol("chain", "holder");
	run("objcopy --only-keep-debug chain chain.debug && strip chain && objcopy "
	    "--add-gnu-debuglink=chain.debug chain");
	symbols = symbols_open(path_of("chain"), NULL, 0);
	chain_check(symbols, mark, holder);
	symbols_release(symbols);
}

static void a_deleted_file(void)
{
	uint64_t mark, holder;
	struct symbols *symbols;
	int fd;

	chain_build("-g");
	mark = symbol("chain", "mark_deep");
	holder = symbol("chain", "holder");
	fd = open(path_of("chain"), O_RDONLY);
	unlink(path_of("chain"));
	CU_ASSERT_PTR_NULL(symbols_open(path_of("chain"), NULL, 0));
	symbols = symbols_open_fd(fd, path_of("chain"), NULL, 0);
	chain_check(symbols, mark, holder);
	symbols_release(symbols);
	close(fd);
}

/* Static functions have no linkage name. One that is also a function by itself has its symbol. */
static void inlined_in_cplusplus(void)
{
	static const char *const names[] = {
		"space::(anonymous namespace)::Hidden::method",
		"_ZN5spaceL4bothEi",
		"_ZN5space5twiceIiEET_S1_",
		"run()::{lambda}::operator()",
		"_ZN5space6Public3runEi",
	};
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	struct symbols *symbols;

	source_write("inlined.cc",
		     "volatile int global = 1;\n"
		     "#define INLINE __attribute__((always_inline))\n"
		     "namespace space {\n"
		     "namespace {\n"
		     "struct Hidden { INLINE int method(int x) const { __asm__ volatile(\"mark_method%=: "
		     "nop\" : \"+r\"(x)); return x; } };\n"
		     "}\n"
		     "INLINE static inline int both(int x) { return Hidden().method(x) * global; }\n"
		     "template<class T> INLINE inline T twice(T x) { return both(x) + global; }\n"
		     "struct Public { int z; __attribute__((noinline)) int run(int x); };\n"
		     "int Public::run(int x)\n"
		     "{\n"
		     "	auto lambda = [&](int y) INLINE { return twice(y) + z; };\n"
		     "	return lambda(x) * 7;\n"
		     "}\n"
		     "int (*volatile pointer)(int) = both;\n"
		     "}\n"
		     "int main(int argc, char **) { space::Public p = { argc }; return p.run(argc) + "
		     "space::pointer(argc); }\n");
	run("%s -O2 -g inlined.cc -o inlined", compiler("CXX", "g++"));
	symbols = symbols_open(path_of("inlined"), NULL, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(symbols);
	/* of the two marks that of run() */
	run("nm -n inlined | sed -n '/Public3run/,$p' > inlined.nm");
	CU_ASSERT_EQUAL_FATAL(symbols_frames(symbols, address_printed("cat", "inlined.nm", "mark_method"),
					     frames, SYMBOL_FRAMES_MAX),
			      5);
	for (int i = 0; i < 5; i++)
		CU_ASSERT_STRING_EQUAL(frames[i].name, names[i]);
	CU_ASSERT_EQUAL(frames[3].decl_line, 12);
	CU_ASSERT_EQUAL(frames[4].decl_line, 10);
	symbols_release(symbols);
}

/* In DWARF 5, the first function's file is not set in the line table: it is the file 1, not the
 * source. */
static void first_function_in_a_header(void)
{
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	struct symbols *symbols;
	const char *file = NULL;
	uint64_t address;
	uint32_t line = 0;

	source_write("first.h",
		     "template<class T> __attribute__((noinline)) T first(T x)\n{\n	return x * x;\n}\n");
	source_write("first.cc",
		     "#include \"first.h\"\nint main(int argc, char **)\n{\n	return first(argc);\n}\n");
	run("%s -O2 -g -gdwarf-5 first.cc -o first", compiler("CXX", "g++"));
	address = symbol("first", "_Z5firstIiET_S0_");
	symbols = symbols_open(path_of("first"), NULL, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(symbols);
	CU_ASSERT_EQUAL_FATAL(symbols_frames(symbols, address, frames, SYMBOL_FRAMES_MAX), 1);
	CU_ASSERT(is_file(frames[0].file, "first.h"));
	CU_ASSERT_EQUAL(frames[0].line, 3);
	CU_ASSERT_EQUAL(symbols_line(symbols, address, &file, &line), 0);
	CU_ASSERT(is_file(file, "first.h"));
	CU_ASSERT_EQUAL(line, 1); /* the head */
	symbols_release(symbols);
}

/* What libdwarf would free twice. Names stay. */
static void damaged_range_lists(void)
{
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	const Elf64_Shdr *section;
	struct symbols *symbols;
	uint64_t mark, offset;
	struct elf elf;
	int fd;

	chain_build("-g -gdwarf-5");
	mark = symbol("chain", "mark_deep");
	CU_ASSERT_EQUAL_FATAL(elf_open(&elf, path_of("chain")), 0);
	section = elf_section_named(&elf, ".debug_rnglists");
	CU_ASSERT_PTR_NOT_NULL_FATAL(section);
	offset = section->sh_offset;
	elf_close(&elf);
	fd = open(path_of("chain"), O_WRONLY);
	CU_ASSERT_EQUAL(pwrite(fd, "\x09", 1, (off_t)offset + 4), 1); /* version */
	close(fd);
	symbols = symbols_open(path_of("chain"), NULL, 0);
	CU_ASSERT_EQUAL(symbols_frames(symbols, mark, frames, SYMBOL_FRAMES_MAX), 1);
	CU_ASSERT_STRING_EQUAL(frames[0].name, "holder");
	symbols_release(symbols);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static const char stripped_source[] =
	"#include <stdio.h>\n"
	"__attribute__((noinline)) static int whole(int x)\n"
	"{\n"
	"	__asm__ volatile(\"mark_inside: nop\");\n"
	"	puts(\"x\");\n"
	"	return x;\n"
	"}\n"
	"int main(int argc, char **argv) { return argv ? whole(argc) - 1 : 0; }\n";

static void one_frame(const char *file, uint64_t address, const char *name, uint64_t entry, int is_guessed)
{
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	struct symbols *symbols = symbols_open(path_of(file), NULL, 0);

	CU_ASSERT_PTR_NOT_NULL_FATAL(symbols);
	CU_ASSERT_EQUAL_FATAL(symbols_frames(symbols, address, frames, SYMBOL_FRAMES_MAX), 1);
	CU_ASSERT_STRING_EQUAL(frames[0].name, name);
	CU_ASSERT_EQUAL(frames[0].entry, entry);
	CU_ASSERT_EQUAL(frames[0].is_guessed, is_guessed);
	symbols_release(symbols);
}

/* Static functions of the same name in two files: each has its own part. */
static void unlikely_parts(void)
{
	static const char *const options[] = { "-g", "" };

	source_write("parts.c",
		     "#include <stdio.h>\n"
		     "__attribute__((cold, noinline)) void NAME(bad)(int x) { printf(\"%d\", x); }\n"
		     "__attribute__((noinline)) static int whole(int x)\n"
		     "{\n"
		     "	if (x > 7)\n"
		     "		NAME(bad)(x);\n"
		     "	return puts(\"x\");\n"
		     "}\n"
		     "int NAME(main)(int argc, char **argv) { return argv ? whole(argc) - 1 : 0; }\n");
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		run("%s -O2 %s '-DNAME(x)=x' -c parts.c -o parts1.o && %s -O2 %s '-DNAME(x)=x##2' -c parts.c "
		    "-o parts2.o",
		    compiler("CC", "gcc"), options[i], compiler("CC", "gcc"), options[i]);
		run("%s parts1.o parts2.o -o parts", compiler("CC", "gcc"));
		run("nm -p parts | awk '/whole$/ { w[++n] = $1 } /cold$/ { c[++m] = $1 }"
		    " END { for (i = 1; i <= n; i++) print w[i], \"whole\" i; for (i = 1; i <= m; i++) print "
		    "c[i], \"cold\" i }' > parts.nm");
		for (int part = 1; part <= 2; part++) {
			char name[2][16];
			uint64_t cold, whole;

			snprintf(name[0], sizeof(name[0]), "whole%d", part);
			snprintf(name[1], sizeof(name[1]), "cold%d", part);
			whole = address_printed("cat", "parts.nm", name[0]);
			cold = address_printed("cat", "parts.nm", name[1]);
			one_frame("parts", cold, "whole", whole, 0);
			one_frame("parts", cold + 1, "whole", whole, 0);
		}
	}
}

/* Two addresses of one function are of one function. */
static void functions_without_symbols(void)
{
	uint64_t inside, whole;
	char name[32];

	source_write("stripped.c", stripped_source);
	run("%s -O2 stripped.c -o stripped", compiler("CC", "gcc"));
	inside = symbol("stripped", "mark_inside");
	whole = symbol("stripped", "whole");
	snprintf(name, sizeof(name), "0x%llx", (unsigned long long)whole);
	run("strip stripped");
	one_frame("stripped", inside, name, whole, 1);
	one_frame("stripped", whole, name, whole, 1);
}

static void behind_the_end_of_a_function(void)
{
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	struct symbols *symbols;
	uint64_t gap;

	source_write("gap.S", "	.text\n"
			      "	.type unsized, @function\nunsized:	nop\nmark_unsized:	nop\n"
			      "	.type sized, @function\nsized:	nop\n	.size sized, .-sized\n"
			      "	nop\n	ret\n"
			      "	.section .note.GNU-stack,\"\",@progbits\n");
	source_write("gap.c", "int main(void) { return 0; }\n");
	run("%s gap.c gap.S -o gap", compiler("CC", "gcc"));
	one_frame("gap", symbol("gap", "mark_unsized"), "unsized", symbol("gap", "unsized"), 0);
	gap = symbol("gap", "sized") + 1;
	symbols = symbols_open(path_of("gap"), NULL, 0);
	CU_ASSERT_EQUAL(symbols_frames(symbols, gap, frames, SYMBOL_FRAMES_MAX), 0);
	CU_ASSERT_PTR_NULL(symbols_name(symbols, gap, NULL));
	CU_ASSERT_EQUAL(symbols_frames(symbols, 1, frames, SYMBOL_FRAMES_MAX), 0);
	CU_ASSERT_EQUAL(symbols_frames(symbols, UINT64_MAX, frames, SYMBOL_FRAMES_MAX), 0);
	symbols_release(symbols);
}

static void stubs(void)
{
	static const char *const options[] = { "-Wl,-z,lazy", "-fcf-protection -Wl,-z,ibtplt -Wl,-z,lazy",
					       "-no-pie" };

	source_write("stripped.c", stripped_source);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		uint64_t stub;

		run("%s -O2 %s stripped.c -o stripped", compiler("CC", "gcc"), options[i]);
		stub = address_printed("objdump -d -j .plt -j .plt.sec", "stripped", "<puts@plt>:");
		one_frame("stripped", stub, "puts@plt", stub, 0);
		one_frame("stripped", stub + 4, "puts@plt", stub, 0);
		stub = address_printed("objdump -d -j .plt", "stripped", "^0.*<.*>:");
		one_frame("stripped", stub, ".plt", stub, 0);
	}
}

/* As it is copied from a process: without section headers, the loader's changes in it. */
static void a_copy_from_memory(void)
{
	static const Elf64_Ehdr no_sections;
	uint64_t inside, hidden, exported;
	char name[32];
	int fd;

	source_write("copy.c", "__attribute__((noinline)) static int hidden(int x)\n"
			       "{\n"
			       "	__asm__ volatile(\"mark_hidden: nop\");\n"
			       "	return x;\n"
			       "}\n"
			       "int exported(int x) { return hidden(x) + 1; }\n");
	run("%s -O2 -shared -fPIC copy.c -o copy", compiler("CC", "gcc"));
	inside = symbol("copy", "mark_hidden");
	hidden = symbol("copy", "hidden");
	exported = symbol("copy", "exported");
	run("strip copy");
	fd = open(path_of("copy"), O_WRONLY);
	CU_ASSERT_EQUAL(pwrite(fd, &no_sections, 8, offsetof(Elf64_Ehdr, e_shoff)), 8);
	CU_ASSERT_EQUAL(pwrite(fd, &no_sections, 4, offsetof(Elf64_Ehdr, e_shnum)), 4);
	close(fd);
	one_frame("copy", exported, "exported", exported, 0);
	snprintf(name, sizeof(name), "0x%llx", (unsigned long long)hidden);
	one_frame("copy", inside, name, hidden, 1);
}

static void the_kernels_page(void)
{
	const char *image = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const void *)image;
	size_t bytes = image ? header->e_shoff + (size_t)header->e_shnum * header->e_shentsize : 0, n;
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	struct symbols *symbols;
	const uint8_t *build_id;
	struct elf elf;
	char *copy;

	if (!image)
		return;
	copy = malloc(bytes);
	memcpy(copy, image, bytes);
	CU_ASSERT_EQUAL_FATAL(elf_open_bytes(&elf, copy, bytes), 0);
	build_id = elf_build_id(&elf, &n);
	symbols = symbols_open("[vdso]", build_id, n);
	CU_ASSERT_PTR_NOT_NULL_FATAL(symbols);
	CU_ASSERT_EQUAL(symbols_frames(symbols, symbols_address(symbols, "clock_gettime"), frames,
				       SYMBOL_FRAMES_MAX),
			1);
	CU_ASSERT_STRING_EQUAL(frames[0].name, "clock_gettime");
	symbols_release(symbols);
	elf_close(&elf);
}

/* ---- all at once ----------------------------------------------------------------------------- */

struct question {
	const char *path;
	uint64_t addresses[2];
};

static void *chain_in_thread(void *arg)
{
	const struct question *question = arg;
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	struct symbols *symbols = symbols_shared(-1, question->path, NULL, 0);
	uintptr_t n_good = 0;

	for (int i = 0; symbols && i < 100; i++)
		n_good += symbols_frames(symbols, question->addresses[i % 2], frames, SYMBOL_FRAMES_MAX) ==
				  (i % 2 ? 1 : 4) &&
			  !strcmp(frames[0].name, i % 2 ? "holder" : "deep");
	return (void *)n_good;
}

static void shared_by_threads(void)
{
	struct question question = { .path = path_of("shared") };
	pthread_t threads[4];
	struct symbols *symbols;
	void *n_good;
	int fd;

	chain_build("-g");
	run("mv chain shared");
	question.addresses[0] = symbol("shared", "mark_deep");
	question.addresses[1] = symbol("shared", "holder");
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, chain_in_thread, &question), 0);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &n_good);
		CU_ASSERT_EQUAL((uintptr_t)n_good, 100);
	}
	symbols = symbols_shared(-1, path_of("shared"), NULL, 0);
	CU_ASSERT_PTR_EQUAL(symbols_shared(-1, path_of("shared"), NULL, 0), symbols);
	fd = open(path_of("shared"), O_RDONLY);
	symbols = symbols_shared(fd, path_of("shared"), NULL, 0);
	CU_ASSERT_PTR_EQUAL(symbols_shared(fd, path_of("shared"), NULL, 0), symbols);
	close(fd);
	CU_ASSERT_PTR_NULL(symbols_shared(-1, path_of("nothing"), NULL, 0));
	CU_ASSERT_PTR_NULL(symbols_shared(-1, path_of("nothing"), NULL, 0));
}

/* ---- in data files --------------------------------------------------------------------------- */

static struct store *store_of(const uint64_t *addresses, size_t n, const struct image *image)
{
	struct store_process process = { .session = folder, .pid = 7, .begin_ticks = 1, .exe = "/x/sampled" };
	struct store *store;
	struct cinstr_module entry = { .text_start = 0x1000, .text_end = 0x2000 };
	uint32_t module;
	int why;

	store = store_new(&process, &why);
	CU_ASSERT_PTR_NOT_NULL_FATAL(store);
	store_module(store, "[heap]", &(struct cinstr_module){ .text_start = 0x100, .text_end = 0x200 });
	entry.build_id_bytes = image->build_id_bytes;
	memcpy(entry.build_id, image->build_id, sizeof(entry.build_id));
	module = store_module(store, image->path, &entry);
	CU_ASSERT_EQUAL(module, 2);
	for (size_t i = 0; i < n; i++)
		store_node(store, 0, module, addresses[i]);
	store_node(store, 0, 1, 0x100);
	store_node(store, 0, 0, 0x7777);
	store_node(store, 0, CINSTR_NODE_KERNEL, 0);
	store_node(store, 0, CINSTR_NODE_TRUNCATED, 0);
	return store;
}

static void symbols_segment_check(const struct data *data, const struct data_segment *segment,
				  const uint64_t *addresses)
{
	const struct cinstr_symbols *head = (const void *)(data->memory + segment->offset);
	const struct cinstr_symbol_address *list = (const void *)(head + 1);
	const struct cinstr_symbol_frame *frames = (const void *)(list + head->n_addresses);
	const char *strings = (const char *)(frames + head->n_frames);
	int first = addresses[0] > addresses[1];

	/* of what nothing is known, nothing is written */
	CU_ASSERT_EQUAL_FATAL(head->n_addresses, 2);
	CU_ASSERT_EQUAL_FATAL(head->n_frames, 5);
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(list[i].module, 2);
		CU_ASSERT_EQUAL(list[i].address, addresses[i ^ first]);
		CU_ASSERT_EQUAL(list[i].n_frames, i ^ first ? 1 : 4);
		frames = (const struct cinstr_symbol_frame *)(const void *)(list + 2) + list[i].first_frame;
		CU_ASSERT_STRING_EQUAL(strings + frames->name, i ^ first ? "holder" : "deep");
		CU_ASSERT_EQUAL(frames->flags, i ^ first ? 0 : CINSTR_SYMBOL_INLINED);
	}
	CU_ASSERT_EQUAL(frames[list[1].n_frames - 1].entry, addresses[1]);
	CU_ASSERT_EQUAL(strings[0], '\0');
	CU_ASSERT_EQUAL(strings[head->strings_bytes - 1], '\0');
}

/* Files that are deleted meanwhile are read by what is open of them. */
static void written_into_a_data_file(void)
{
	struct image image = { .path = xstrdup(path_of("chain")) }, *images[] = { NULL, &image };
	uint64_t addresses[3];
	struct store *store;
	struct data data;
	size_t n = 0;

	chain_build("-g");
	addresses[0] = symbol("chain", "mark_deep");
	addresses[1] = symbol("chain", "holder");
	addresses[2] = 8;
	image.fd = open(image.path, O_RDONLY);
	unlink(image.path);
	store = store_of(addresses, ARRAY_SIZE(addresses), &image);
	CU_ASSERT_EQUAL(symbolize(store, images, ARRAY_SIZE(images)), 0);
	store_release(store);
	run("mv sampled.7.* sampled");
	CU_ASSERT_EQUAL_FATAL(data_load(&data, path_of("sampled")), 0);
	for (size_t i = 0; i < data.n_segments; i++)
		if (data.segments[i].type == CINSTR_SEG_SYMBOLS) {
			symbols_segment_check(&data, &data.segments[i], addresses);
			n++;
		}
	CU_ASSERT_EQUAL(n, 1);
	data_release(&data);
	close(image.fd);
	free(image.path);
}

static void nested_spans(void)
{
	struct address_ranges spans = { 0 };

	CU_ASSERT_PTR_NULL(ranges_find(&spans, 5));
	ranges_add(&spans, 10, 100, 0);
	ranges_add(&spans, 20, 40, 1);
	ranges_add(&spans, 20, 30, 2);
	ranges_add(&spans, 20, 30, 3);
	ranges_add(&spans, 50, 50, 4);
	ranges_add(&spans, 200, 210, 5);
	ranges_sort(&spans);
	CU_ASSERT_PTR_NULL(ranges_find(&spans, 9));
	CU_ASSERT_EQUAL(ranges_find(&spans, 10)->value, 0);
	CU_ASSERT_EQUAL(ranges_find(&spans, 29)->value, 3);
	CU_ASSERT_EQUAL(ranges_find(&spans, 30)->value, 1);
	CU_ASSERT_EQUAL(ranges_find(&spans, 50)->value, 0);
	CU_ASSERT_EQUAL(ranges_find_value(&spans, 25, 1)->end, 40);
	CU_ASSERT_PTR_NULL(ranges_find_value(&spans, 35, 2));
	CU_ASSERT_PTR_NULL(ranges_find(&spans, 100));
	CU_ASSERT_EQUAL(ranges_find(&spans, 209)->value, 5);
	CU_ASSERT_PTR_NULL(ranges_find(&spans, 210));
	ranges_release(&spans);
}

int symbols_frames_begin(void)
{
	return mkdtemp(folder) ? 0 : -1;
}

int symbols_frames_end(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

CU_TestInfo symbols_frames_tests[] = {
	{ "three inlined in another", three_inlined_in_another },
	{ "less room than frames", less_room_than_frames },
	{ "a separate debug file", a_separate_debug_file },
	{ "a deleted file", a_deleted_file },
	{ "inlined in C++", inlined_in_cplusplus },
	{ "first function in a header", first_function_in_a_header },
	{ "damaged range lists", damaged_range_lists },
	{ "unlikely parts", unlikely_parts },
	{ "functions without symbols", functions_without_symbols },
	{ "behind the end of a function", behind_the_end_of_a_function },
	{ "stubs", stubs },
	{ "a copy from memory", a_copy_from_memory },
	{ "the kernel's page", the_kernels_page },
	{ "shared by threads", shared_by_threads },
	{ "written into a data file", written_into_a_data_file },
	{ "nested spans", nested_spans },
	CU_TEST_INFO_NULL,
};
