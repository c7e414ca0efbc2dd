/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lib/options.h"
#include "tests.h"

struct values {
	int flag, choice;
	const char *text, *size, *maybe;
	uint64_t number;
	double percent;
	struct option_each each;
};

static const struct option table[] = {
	{ "flag", 'f', OPTION_FLAG, NULL, offsetof(struct values, flag), "a flag", NULL },
	{ NULL, 0, OPTION_TEXT, "X", 0, "skipped", NULL },
	{ "choice", 'c', OPTION_CHOICE, "red|green|blue", offsetof(struct values, choice), "a colour",
	  "red" },
	{ "text", 't', OPTION_TEXT, "NAME", offsetof(struct values, text), "a text", NULL },
	{ "size", 0, OPTION_TEXT, "SIZE", offsetof(struct values, size), "a size", NULL },
	{ "number", 'n', OPTION_NUMBER, "N", offsetof(struct values, number), "a number", NULL },
	{ "percent", 0, OPTION_PERCENT, "PERCENT", offsetof(struct values, percent), "a share", NULL },
	{ "maybe", 0, OPTION_MAYBE, "VALUE", offsetof(struct values, maybe), "with or without", NULL },
	{ "add", 0, OPTION_EACH, "GLOB", offsetof(struct values, each), "one more", NULL },
	{ "kind", 0, OPTION_EACH, "all|none", offsetof(struct values, each), "one more of these", NULL },
};

static struct command command = { .name = "test",
				  .operands = "[X]",
				  .summary = "Tests.",
				  .options = table,
				  .n_options = 10,
				  .max_operands = 1,
				  .examples = "  cinstr test\n" };

/* Parses words separated by spaces; *operands joined by "+". */
static enum options_result parse(const char *line, struct values *values, char *operands)
{
	char *copy = strdup(line), *rest = copy, *argv[16] = { "test" };
	int argc = 1, n;
	enum options_result result;

	for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " "))
		argv[argc++] = word;
	memset(values, 0, sizeof(*values));
	quiet_begin();
	result = options_parse(&command, argc, argv, values, &n);
	quiet_end();
	operands[0] = '\0';
	for (int i = 1; i <= n; i++)
		strcat(strcat(operands, i > 1 ? "+" : ""), argv[i]);
	values->text = NULL; /* points into the copy */
	free(copy);
	return result;
}

static void every_spelling(void)
{
	struct values v;
	char operands[64];

	CU_ASSERT_EQUAL(parse("--flag --choice=blue -n5 file --percent 2.5", &v, operands), OPTIONS_OK);
	CU_ASSERT(v.flag == 1 && v.choice == 2 && v.number == 5 && v.percent == 2.5);
	CU_ASSERT_STRING_EQUAL(operands, "file");
	CU_ASSERT_EQUAL(parse("-f -c green -- -x", &v, operands), OPTIONS_OK);
	CU_ASSERT(v.flag == 1 && v.choice == 1);
	CU_ASSERT_STRING_EQUAL(operands, "-x");
}

/* Its value stands behind "=" only: the next word is an operand. */
static void value_may_be_left_out(void)
{
	struct values v;
	char operands[64];

	CU_ASSERT_EQUAL(parse("x", &v, operands), OPTIONS_OK);
	CU_ASSERT_PTR_NULL(v.maybe);
	CU_ASSERT_EQUAL(parse("--maybe file", &v, operands), OPTIONS_OK);
	CU_ASSERT_PTR_NOT_NULL(v.maybe);
	CU_ASSERT_STRING_EQUAL(operands, "file");
	CU_ASSERT_EQUAL(parse("--maybe=1ms file", &v, operands), OPTIONS_OK);
	CU_ASSERT_STRING_EQUAL(operands, "file");
}

static void wrong_use_is_refused(void)
{
	static const char *const lines[] = {
		"--nope",	 "-z",		"--flag=1",	"--choice",  "--choice=pink",
		"--choice=re",	 "--number=-1", "--number=12x", "--number=", "--percent=101",
		"--percent=nan", "--size=12Q",	"--size=K",	"a b",	     "-fx"
	};
	struct values v;
	char operands[64];

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		CU_ASSERT_EQUAL(parse(lines[i], &v, operands), OPTIONS_WRONG);
		if (parse(lines[i], &v, operands) != OPTIONS_WRONG)
			printf("not refused: %s\n", lines[i]);
	}
	CU_ASSERT_EQUAL(parse("--size=12M", &v, operands), OPTIONS_OK);
	CU_ASSERT_EQUAL(parse("--size=unlimited", &v, operands), OPTIONS_OK);
}

static void what_follows_the_program_is_its_own(void)
{
	struct values v;
	char operands[64];

	command.stops_at_operand = 1;
	CU_ASSERT_EQUAL(parse("-f prog --flag -n x", &v, operands), OPTIONS_OK);
	CU_ASSERT_STRING_EQUAL(operands, "prog+--flag+-n+x");
	CU_ASSERT_EQUAL(parse("-- prog -- x", &v, operands), OPTIONS_OK);
	CU_ASSERT_STRING_EQUAL(operands, "prog+--+x");
	command.stops_at_operand = 0;
}

static void print_help(FILE *out, const void *arg)
{
	options_help(arg, out);
}

static void help_has_everything(void)
{
	char *help = captured(print_help, &command);

	CU_ASSERT_PTR_NOT_NULL(strstr(help, "-c, --choice=red|green|blue"));
	CU_ASSERT_PTR_NOT_NULL(strstr(help, "(default: red)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(help, "-h, --help"));
	CU_ASSERT_PTR_NOT_NULL(strstr(help, "Examples:\n  cinstr test\n"));
	CU_ASSERT_PTR_NULL(strstr(help, "skipped"));
	CU_ASSERT_PTR_NULL(strstr(help, " \n"));
	free(help);
}

static void repeated_options_keep_their_order(void)
{
	struct values v;
	char operands[64];

	CU_ASSERT_EQUAL(parse("--add=a* --kind none --add b=c x", &v, operands), OPTIONS_OK);
	CU_ASSERT_EQUAL_FATAL(v.each.n, 3);
	CU_ASSERT_STRING_EQUAL(v.each.items[0], "add=a*");
	CU_ASSERT_STRING_EQUAL(v.each.items[1], "kind=none");
	CU_ASSERT_STRING_EQUAL(v.each.items[2], "add=b=c");
	for (size_t i = 0; i < v.each.n; i++)
		free(v.each.items[i]);
	free(v.each.items);
	CU_ASSERT_EQUAL(parse("--add", &v, operands), OPTIONS_WRONG);
	CU_ASSERT_EQUAL(parse("--kind=some", &v, operands), OPTIONS_WRONG);
}

CU_TestInfo options_tests[] = {
	{ "repeated options keep their order", repeated_options_keep_their_order },
	{ "a value may be left out", value_may_be_left_out },
	{ "every spelling", every_spelling },
	{ "wrong use is refused", wrong_use_is_refused },
	{ "what follows the program is its own", what_follows_the_program_is_its_own },
	{ "help has everything", help_has_everything },
	CU_TEST_INFO_NULL,
};
