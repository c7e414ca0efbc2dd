/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The wrapper of compilers: what a command line asks for, names of compilers, folders of shims, its
 * cache. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/util.h"
#include "tests.h"
#include "wrapper/cache.h"
#include "wrapper/command_line.h"
#include "wrapper/names.h"
#include "wrapper/shims.h"

/* Words separated by single spaces; two spaces are an empty word. */
static struct invocation read_line(const char *line, const char *folder)
{
	static char copy[512]; /* the filter points into it */
	char *rest = strcpy(copy, line), *argv[32];
	int argc = 0;

	while (rest)
		argv[argc++] = strsep(&rest, " ");
	return command_line_read(argc, argv, folder);
}

static const struct {
	enum invocation_kind kind;
	size_t sources;
	const char *line;
} lines[] = {
	{ INVOCATION_QUERY, 0, "gcc" },
	{ INVOCATION_QUERY, 0, "gcc -v" },
	{ INVOCATION_QUERY, 0, "gcc --version" },
	{ INVOCATION_QUERY, 0, "gcc -print-file-name=plugin" },
	{ INVOCATION_QUERY, 0, "gcc --print-search-dirs" },
	{ INVOCATION_QUERY, 1, "gcc -### a.c" },
	{ INVOCATION_QUERY, 0, "gcc -dumpversion" },
	{ INVOCATION_QUERY, 0, "gcc --help=optimizers -O2" },
	{ INVOCATION_TEXT, 1, "gcc -E a.c" },
	{ INVOCATION_TEXT, 1, "gcc -M a.c" },
	{ INVOCATION_TEXT, 1, "gcc -MM -MF a.d a.c" },
	{ INVOCATION_TEXT, 1, "gcc -fsyntax-only a.c" },
	{ INVOCATION_TEXT, 0, "gcc -E -" },
	{ INVOCATION_COMPILE, 1, "gcc -c a.c" },
	{ INVOCATION_COMPILE, 1, "gcc -MD -MF a.c.d -c a.c -o a.c.o" },
	{ INVOCATION_COMPILE, 1, "gcc -v -c a.c" },
	{ INVOCATION_COMPILE, 1, "gcc -S a.c" },
	{ INVOCATION_COMPILE, 2, "g++ a.cpp b.cc c.o -o app" },
	{ INVOCATION_COMPILE, 1, "gcc -c a.i" },
	{ INVOCATION_COMPILE, 1, "gcc -x c -c -" },
	{ INVOCATION_COMPILE, 1, "gcc -xc++ -c weird.name" },
	{ INVOCATION_COMPILE, 1, "gcc -x c a.in -x none b.o" },
	{ INVOCATION_COMPILE, 1, "gcc -x assembler a.in -x none b.c" },
	{ INVOCATION_COMPILE, 1, "gcc a.h" },
	{ INVOCATION_COMPILE, 1, "gfortran -c a.F90" },
	{ INVOCATION_COMPILE, 1, "gcc -c a.adb" },
	{ INVOCATION_COMPILE, 1, "gcc -include b.c -I c.c -D d.c -o e.c -isystem f.c -Xlinker g.c a.c" },
	{ INVOCATION_COMPILE, 1, "gcc -c a.c -march=x86-64 -m64" },
	{ INVOCATION_COMPILE, 1, "gcc -c src/CMakeFiles/a.c" },
	{ INVOCATION_COMPILE, 1, "gcc -c my-conftest.c" },
	{ INVOCATION_ASSEMBLE, 0, "gcc -c a.s" },
	{ INVOCATION_ASSEMBLE, 0, "gcc -c a.S -o a.o" },
	{ INVOCATION_ASSEMBLE, 0, "gcc -x assembler-with-cpp -c a.c" },
	{ INVOCATION_LINK, 0, "gcc a.o b.a -lm -o app" },
	{ INVOCATION_LINK, 0, "gcc -o app -lfoo" },
	{ INVOCATION_LINK, 0, "gcc -shared a.s b.o -o b.so" },
	{ INVOCATION_PROBE, 1, "gcc -c conftest.c" },
	{ INVOCATION_PROBE, 1, "gcc -o conftest -O2 conftest.c -lm" },
	{ INVOCATION_PROBE, 1, "gcc -c /b/meson-private/tmp1/testfile.c" },
	{ INVOCATION_PROBE, 1, "gcc -c a.c -o /dev/null" },
	{ INVOCATION_ABI, 1, "gcc -m32 -c a.c" },
	{ INVOCATION_ABI, 1, "gcc -mcmodel=large -m64 -c a.c" },
	{ INVOCATION_COMPILE, 1, "gcc -m32 -m64 -c a.c" },
	{ INVOCATION_COMPILE, 1, "gcc -mcmodel=large -mcmodel=small -c a.c" },
};

static void kinds_of_lines(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct invocation got = read_line(lines[i].line, "/src/build");

		if (got.kind != lines[i].kind || got.sources != lines[i].sources)
			fprintf(stderr, "%s: kind %d, %zu sources\n", lines[i].line, got.kind, got.sources);
		CU_ASSERT_EQUAL(got.kind, lines[i].kind);
		CU_ASSERT_EQUAL(got.sources, lines[i].sources);
	}
}

static void probes_by_folder(void)
{
	CU_ASSERT_EQUAL(read_line("cc -c a.c", "/b/CMakeFiles/CMakeScratch/TryCompile-x").kind, INVOCATION_PROBE);
	CU_ASSERT_EQUAL(read_line("cc -c a.c", "/b/meson-private/tmpx").kind, INVOCATION_PROBE);
	CU_ASSERT_EQUAL(read_line("cc -c a.c", "/b/.conf_check_1/t").kind, INVOCATION_PROBE);
	CU_ASSERT_EQUAL(read_line("cc -c a.c", "").kind, INVOCATION_COMPILE);
}

static void the_plugin_is_seen(void)
{
	CU_ASSERT(read_line("gcc -c a.c -fplugin=/x/cinstr.so", "").has_plugin);
	CU_ASSERT(read_line("gcc -c a.c -fplugin=cinstr", "").has_plugin);
	CU_ASSERT(!read_line("gcc -c a.c -fplugin=annobin", "").has_plugin);
	CU_ASSERT(!read_line("gcc -c a.c -fplugin-arg-cinstr-small=0", "").has_plugin);
	CU_ASSERT_PTR_NULL(read_line("gcc -c a.c", "").filter);
	CU_ASSERT_STRING_EQUAL(read_line("gcc -c a.c -fplugin-arg-cinstr-filter=f", "").filter, "f");
	CU_ASSERT(read_line("gcc -static a.c", "").is_static);
	CU_ASSERT(!read_line("gcc -static -c a.c", "").is_static);
	CU_ASSERT(!read_line("gcc -static -shared a.c", "").is_static);
}

static void response_files(void)
{
	char path[] = "/tmp/cinstr-unit-XXXXXX", line[128];
	int fd = mkstemp(path);
	static const char text[] = "-c \"a file.c\" 'b.c'\n\tc\\ d.c -fplugin-arg-cinstr-filter=x\n-o e.c";
	struct invocation got;

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	snprintf(line, sizeof(line), "gcc @%s f.cc", path);
	got = read_line(line, "");
	CU_ASSERT_EQUAL(got.kind, INVOCATION_COMPILE);
	CU_ASSERT_EQUAL(got.sources, 4);
	CU_ASSERT_STRING_EQUAL(got.filter, "x");
	unlink(path);
	/* Then it is the name of an input. */
	CU_ASSERT_EQUAL(read_line("gcc @/nonexistent/x.c", "").sources, 1);
}

/* A response file that names itself ends, too. */
static void response_file_of_itself(void)
{
	char path[] = "/tmp/cinstr-unit-XXXXXX", text[128];
	int fd = mkstemp(path);

	CU_ASSERT_FATAL(fd >= 0);
	snprintf(text, sizeof(text), "-c a.c @%s", path);
	CU_ASSERT_EQUAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	snprintf(text, sizeof(text), "gcc @%s", path);
	CU_ASSERT_EQUAL(read_line(text, "").kind, INVOCATION_COMPILE);
	unlink(path);
}

static void names_of_compilers(void)
{
	static const char *const good[] = { "gcc",	 "g++",	     "cc",    "c++",	"gcc-12",      "g++-12",
					    "gfortran",	 "c89",	     "c99",   "c99-gcc", "gnatgcc",    "gdc-12",
					    "gccgo-12",	 "clang",    "clang++-14", "x86_64-linux-gnu-gcc",
					    "x86_64-linux-gnu-g++-11", "gcc-12.2", "musl-gcc" };
	static const char *const bad[] = { "gcc-ar", "gcc-ar-12", "gcc-nm", "cpp",	"distcc",  "ccache",
					   "colorgcc", "c++filt", "ld",	    "cinstr-gcc", "gcc-",  "-12",
					   "",	     "rustc",	  "gnatmake", "cinstr-g++-12" };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		CU_ASSERT(name_of_compiler(good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CU_ASSERT(!name_of_compiler(bad[i]));
	CU_ASSERT(name_of_launcher("ccache"));
	CU_ASSERT(!name_of_launcher("gcc"));
	CU_ASSERT_STRING_EQUAL(name_of_gnatmake("x86_64-linux-gnu-gnatmake-12"), "gnatmake-12");
	CU_ASSERT_PTR_NULL(name_of_gnatmake("gnatlink"));
	CU_ASSERT(name_is_shimmed("gnatmake") && name_is_shimmed("cc") && !name_is_shimmed("ld"));
}

static void folders_of_shims(void)
{
	char folder[] = "/tmp/cinstr-unit-XXXXXX", path[128], expected[128], *kept;
	struct shims shims = { 0 };

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	CU_ASSERT(!shims_here(folder));
	snprintf(path, sizeof(path), "%s/" SHIMS_FILE, folder);
	CU_ASSERT_EQUAL(cache_write(path, "arg -fplugin-arg-cinstr-exclude=a b\nreal /x/gcc\narg -b\n"), 0);
	CU_ASSERT(shims_here(folder));
	CU_ASSERT_EQUAL(shims_read(folder, &shims), 0);
	CU_ASSERT_EQUAL_FATAL(shims.n_args, 2);
	CU_ASSERT_STRING_EQUAL(shims.args[0], "-fplugin-arg-cinstr-exclude=a b");
	CU_ASSERT_STRING_EQUAL(shims.real, "/x/gcc");
	snprintf(expected, sizeof(expected), "%s:/a:%s::/b", folder, folder);
	kept = shims_path_without(expected);
	CU_ASSERT_STRING_EQUAL(kept, "/a::/b");
	free(kept);
	/* Others may write to it: it is not trusted. */
	chmod(path, 0666);
	CU_ASSERT_EQUAL(shims_read(folder, &shims), -1);
	unlink(path);
	rmdir(folder);
	free(shims.args[0]);
	free(shims.args[1]);
	free(shims.args);
	free(shims.real);
}

static void folders_of_the_cache(void)
{
	char base[] = "/tmp/cinstr-unit-XXXXXX", before[512] = "", path[64], *found;
	const char *cache = getenv("XDG_CACHE_HOME");

	if (cache)
		snprintf(before, sizeof(before), "%s", cache);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(base));
	setenv("XDG_CACHE_HOME", base, 1);
	found = cache_folder("test");
	snprintf(path, sizeof(path), "%s/cinstr/test", base);
	CU_ASSERT_STRING_EQUAL(found, path);
	free(found);
	/* Who may write to the folder above can put another one in its place. */
	snprintf(path, sizeof(path), "%s/cinstr", base);
	chmod(path, 0777);
	found = cache_folder("test");
	CU_ASSERT(!found || strncmp(found, base, strlen(base)));
	free(found);
	snprintf(path, sizeof(path), "%s/cinstr/test", base);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/cinstr", base);
	rmdir(path);
	rmdir(base);
	if (cache)
		setenv("XDG_CACHE_HOME", before, 1);
	else
		unsetenv("XDG_CACHE_HOME");
}

CU_TestInfo wrapper_tests[] = { { "kinds of command lines", kinds_of_lines },
				{ "probes by their folder", probes_by_folder },
				{ "a plugin that is given already", the_plugin_is_seen },
				{ "response files", response_files },
				{ "a response file that names itself", response_file_of_itself },
				{ "names of compilers", names_of_compilers },
				{ "folders of shims", folders_of_shims },
				{ "folders of the cache", folders_of_the_cache },
				CU_TEST_INFO_NULL };
