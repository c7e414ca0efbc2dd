/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manual.c - manual pages from the option tables (manual.h). */
#include "manual.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cinstr/options.h"
#include "cinstr/plugin_options.h"
#include "cmd.h"
#include "lib/util.h"

#define ARGUMENT_MAX 56 /* columns, beside the option */

/* ---- roff ------------------------------------------------------------------------------------ */

/* Text with what roff takes for its own escaped. A line must not begin with a dot. */
static void put_escaped(FILE *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\\')
			fputs("\\e", out);
		else if (text[i] == '-')
			fputs("\\-", out);
		else if ((text[i] == '.' || text[i] == '\'') && (!i || text[i - 1] == '\n'))
			fprintf(out, "\\&%c", text[i]);
		else if (text[i] == '\'')
			fputs("\\(aq", out);
		else if (text[i] == '^')
			fputs("\\(ha", out);
		else if (text[i] == '~')
			fputs("\\(ti", out);
		else if (text[i] == '`')
			fputs("\\(ga", out);
		else
			fputc(text[i], out);
	}
}

static void put(FILE *out, const char *text)
{
	put_escaped(out, text, strlen(text));
}

/* A paragraph: words that begin with -- or name a variable of recording are bold. */
static void put_text(FILE *out, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, " \n"), bare = n;
		int bold = (text[0] == '-' && text[1] == '-' && isalpha((unsigned char)text[2])) ||
			   !strncmp(text, "CINSTR", 6);

		while (bare && strchr(".,;:)", text[bare - 1]))
			bare--;
		fputs(bold ? "\\fB" : "", out);
		put_escaped(out, text, bold ? bare : n);
		if (bold) {
			fputs("\\fR", out);
			put_escaped(out, text + bare, n - bare);
		}
		text += n;
		if (*text)
			fputc(*text++, out);
		while (*text == ' ')
			text++;
	}
	fputc('\n', out);
}

static void put_title(FILE *out, const char *page)
{
	char upper[64];
	size_t i;

	for (i = 0; page[i] && i + 1 < sizeof(upper); i++)
		upper[i] = (char)toupper((unsigned char)page[i]);
	upper[i] = '\0';
	fprintf(out, ".\\\" Made by `cinstr help`: do not change by hand.\n.TH \"");
	put(out, upper);
	fprintf(out, "\" \"1\" \"\" \"cinstr " CINSTR_VERSION "\" \"cinstr manual\"\n");
}

static void put_section(FILE *out, const char *name)
{
	fprintf(out, ".SH %s\n", name);
}

/* The first line of a summary, as a NAME section has it: no capital, no full stop. */
static void put_purpose(FILE *out, const char *summary)
{
	size_t n = strcspn(summary, "\n");

	while (n && strchr(",.", summary[n - 1]))
		n--;
	fputc(tolower((unsigned char)summary[0]), out);
	put_escaped(out, summary + 1, n - 1);
	fputc('\n', out);
}

/* Lines as they are, so far to the left that they fit 80 columns as those of --help do. */
static void put_examples(FILE *out, const char *text)
{
	fputs(".in 2n\n.nf\n.ft CR\n", out);
	while (*text) {
		size_t n = strcspn(text, "\n");
		size_t margin = strspn(text, " ") < 2 ? 0 : 2;

		put_escaped(out, text + margin, n - margin);
		fputc('\n', out);
		text += n + (text[n] == '\n');
	}
	fputs(".ft R\n.fi\n.in\n", out);
}

/* Paragraphs. One with lines that begin with spaces, as a list has them, stays as it is. */
static void put_notes(FILE *out, const char *notes)
{
	for (int is_first = 1; *notes; is_first = 0) {
		const char *end = strstr(notes, "\n\n");
		size_t n = end ? (size_t)(end - notes) : strlen(notes);
		FREED char *text = xstrdup(notes);

		text[n] = '\0';
		fputs(is_first ? "" : ".PP\n", out);
		if (text[0] == ' ' || strstr(text, "\n "))
			put_examples(out, text);
		else
			put_text(out, text);
		notes += n + strspn(notes + n, "\n");
	}
}

/* ---- commands -------------------------------------------------------------------------------- */

static void put_default(FILE *out, const char *fallback)
{
	if (!fallback || !*fallback)
		return;
	fputs("(default: ", out);
	put(out, fallback);
	fputs(")\n", out);
}

/* Words to choose from, which do not fit a line: "WORD is a, b or c." */
static void put_choices(FILE *out, const char *choices)
{
	fputs("\\fIWORD\\fR is ", out);
	while (*choices) {
		size_t n = strcspn(choices, "|");

		put_escaped(out, choices, n);
		choices += n + (choices[n] == '|');
		fputs(!*choices ? ".\n" : strchr(choices, '|') ? ", " : " or ", out);
	}
}

static void put_option(FILE *out, const struct option *option)
{
	int is_long = option->type != OPTION_FLAG && strlen(option->argument) > ARGUMENT_MAX;

	fputs(".TP\n", out);
	if (option->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
	fputs("\\fB\\-\\-", out);
	put(out, option->name);
	fputs("\\fR", out);
	if (option->type != OPTION_FLAG) {
		fputs(option->type == OPTION_MAYBE ? "[=\\fI" : "=\\fI", out);
		put(out, is_long ? "WORD" : option->argument);
		fputs(option->type == OPTION_MAYBE ? "\\fR]" : "\\fR", out);
	}
	fputc('\n', out);
	if (is_long)
		put_choices(out, option->argument);
	put_text(out, option->help);
	put_default(out, option->fallback);
}

static void put_exit_status(FILE *out)
{
	put_section(out, "EXIT STATUS");
	fputs(".TP\n0\ngood\n.TP\n1\nsomething is wrong with the data\n.TP\n2\nwrong usage\n", out);
}

void manual_command(FILE *out, const struct command *command)
{
	char page[64];

	snprintf(page, sizeof(page), "cinstr-%s", command->name);
	put_title(out, page);
	put_section(out, "NAME");
	put(out, page);
	fputs(" \\- ", out);
	put_purpose(out, command->summary);
	put_section(out, "SYNOPSIS");
	fprintf(out, "\\fBcinstr %s\\fR [\\fIOPTION\\fR...] ", command->name);
	put(out, command->operands);
	fputc('\n', out);
	put_section(out, "DESCRIPTION");
	put_text(out, command->summary);
	put_section(out, "OPTIONS");
	for (size_t i = 0; i < command->n_options; i++)
		if (command->options[i].name)
			put_option(out, &command->options[i]);
	fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint the options\n", out);
	if (command->notes) {
		put_section(out, "NOTES");
		put_notes(out, command->notes);
	}
	if (command->examples) {
		put_section(out, "EXAMPLES");
		put_examples(out, command->examples);
	}
	put_exit_status(out);
	put_section(out, "SEE ALSO");
	fputs("\\fBcinstr\\fR(1), \\fBcinstr\\-semantics\\fR(7), \\fBcinstr\\-data\\fR(5)\n", out);
}

/* ---- overview -------------------------------------------------------------------------------- */

static void put_variable(FILE *out, const char *variable, const char *flag, const char *argument,
			 const char *fallback, const char *help)
{
	fprintf(out, ".TP\n\\fB%s\\fR=\\fI", variable);
	put(out, argument);
	fputs("\\fR\n", out);
	put_text(out, help);
	if (flag) {
		fputs("(cinstr record: \\fB\\-\\-", out);
		put(out, flag);
		fputs("\\fR)\n", out);
	}
	put_default(out, fallback);
}

/* What the commands themselves look at. */
static const struct {
	const char *variable, *argument, *help;
} printing[] = {
	{ "CINSTR_PAGER", "COMMAND",
	  "the pager for long output to a terminal; if it is not set, $PAGER, else less (with LESS=FRX if "
	  "LESS is not set). Empty, or cat: no pager" },
	{ "CINSTR_COLOR", "auto|always|never", "as --color" },
	{ "NO_COLOR", "1", "no colours, if it is set to anything" },
	{ "COLUMNS", "N", "how wide output may be; 0: any width. --width overrides it" },
};

void manual_overview(FILE *out, const struct command *const list[], size_t n)
{
	put_title(out, "cinstr");
	put_section(out, "NAME");
	fputs("cinstr \\- instrumentation profiler for programs that GCC compiled\n", out);
	put_section(out, "SYNOPSIS");
	fputs("\\fBcinstr\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIOPERAND\\fR...]\n", out);
	put_section(out, "DESCRIPTION");
	put_text(out,
		 "A GCC plugin puts probes into a program: where functions are entered and left, around "
		 "calls, and on request at each source line. The program then counts and times every call: "
		 "with and without its callees (inclusive, exclusive), with and without waiting (elapsed, "
		 "application). It records that into a session folder, and the commands show it.");
	fputs(".PP\n", out);
	put_examples(out, "gcc -O2 -g $(cinstr --cflags) app.c -o app\n"
			  "./app                  records into cinstr.data\n"
			  "cinstr summary         what is wrong with it\n"
			  "cinstr report          its functions\n");
	put_section(out, "COMMANDS");
	for (size_t i = 0; i < n; i++) {
		fputs(".TP\n\\fBcinstr\\-", out);
		put(out, list[i]->name);
		fputs("\\fR(1)\n", out);
		put_text(out, list[i]->summary);
	}
	put_section(out, "OPTIONS");
	fputs(".TP\n\\fB\\-\\-plugin\\-path\\fR [\\fICOMPILER\\fR]\n"
	      "print where the plugin for this compiler is. It is the command, as in CC; default: $CC, or "
	      "gcc\n"
	      ".TP\n\\fB\\-\\-cflags\\fR [\\fICOMPILER\\fR]\n"
	      "print what to compile with: \\fB\\-fplugin=\\fR\\fIPATH\\fR, and where cinstr.h is; spaces "
	      "are "
	      "escaped as in makefiles\n"
	      ".TP\n\\fB\\-\\-help\\fR, \\fB\\-\\-version\\fR\nprint the commands, or the version\n",
	      out);
	put_section(out, "ENVIRONMENT");
	fputs("Of programs that are recorded:\n", out);
#define PUT_VARIABLE(id, variable, flag, argument, fallback, help) \
	put_variable(out, variable, flag, argument, fallback, help);
	CINSTR_OPTION_TABLE(PUT_VARIABLE)
#undef PUT_VARIABLE
	fputs("Of what the commands print:\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(printing); i++)
		put_variable(out, printing[i].variable, NULL, printing[i].argument, NULL, printing[i].help);
	put_exit_status(out);
	put_section(out, "SEE ALSO");
	fputs("\\fBcinstr\\-plugin\\fR(1) the plugin\\(aqs options,\n"
	      "\\fBcinstr\\-semantics\\fR(7) what the numbers mean,\n"
	      "\\fBcinstr\\-data\\fR(5) the data file\n",
	      out);
}

/* ---- the plugin ------------------------------------------------------------------------------ */

static void put_plugin_option(FILE *out, const char *name, const char *argument, const char *help)
{
	fputs(".TP\n\\fB", out);
	put(out, name);
	fputs("\\fR\\fI", out);
	put(out, argument ? argument : "");
	fputs("\\fR\n", out);
	put_text(out, help);
}

void manual_plugin(FILE *out)
{
	put_title(out, "cinstr-plugin");
	put_section(out, "NAME");
	fputs("cinstr\\-plugin \\- the GCC plugin of cinstr, and its options\n", out);
	put_section(out, "SYNOPSIS");
	fputs("\\fBgcc\\fR \\fB\\-fplugin\\fR=\\fBcinstr\\fR "
	      "[\\fB\\-fplugin\\-arg\\-cinstr\\-\\fR\\fINAME\\fR[=\\fIVALUE\\fR]...] ...\n",
	      out);
	put_section(out, "DESCRIPTION");
	put_text(out,
		 "Puts places for probes into what is compiled: five bytes that do nothing until a recording "
		 "switches them on. If GCC does not find it by this name, write its path, which cinstr "
		 "--plugin-path prints. With -flto the link needs the plugin and its options, too. Rules and "
		 "actions may be repeated. A GLOB has *, ? and [...]. It is compared with a function's name "
		 "in the source (ns::Class::method, with or without <...> and (...)) and with its assembler "
		 "name. GCC cuts a value at a second =: write operator??, or use a filter file.");
	put_section(out, "OPTIONS");
	fputs("Each as \\fB\\-fplugin\\-arg\\-cinstr\\-\\fR\\fINAME\\fR[=\\fIVALUE\\fR], or as a line "
	      "\\fINAME VALUE\\fR of a filter file.\n",
	      out);
#define PUT_OPTION(id, name, argument, help) put_plugin_option(out, name, argument, help);
	CINSTR_PLUGIN_OPTION_TABLE(PUT_OPTION)
#undef PUT_OPTION
	put_section(out, "SEE ALSO");
	fputs("\\fBcinstr\\fR(1), \\fBcinstr\\-record\\fR(1)\n", out);
}

/* ---- the wrappers ---------------------------------------------------------------------------- */

void manual_wrapper(FILE *out)
{
	put_title(out, "cinstr-gcc");
	put_section(out, "NAME");
	fputs("cinstr\\-gcc, cinstr\\-g++, cinstr\\-gfortran \\- compilers with the GCC plugin of cinstr\n",
	      out);
	put_section(out, "SYNOPSIS");
	fputs("\\fBcinstr\\-gcc\\fR [\\fIARGUMENT\\fR...]\n", out);
	put_section(out, "DESCRIPTION");
	put_text(out, "Runs the compiler whose name follows the hyphen, the first one of that name in PATH, "
		      "with -fplugin and the plugin that fits it. Arguments, exit status and streams are the "
		      "compiler's. Options of the plugin may be among the arguments: "
		      "-fplugin-arg-cinstr-NAME[=VALUE]. Commands that only preprocess, assemble or ask the "
		      "compiler something get no plugin; nor do the test programs of a configure script. A "
		      "static link gets the runtime, too. If there is no plugin for this compiler, it is an "
		      "error, and nothing is compiled.");
	fputs(".PP\nFor a compiler of another name make a link of that name: ", out);
	put(out, "ln -s cinstr-gcc cinstr-gcc-11.");
	fputs("\n", out);
	put_section(out, "EXAMPLES");
	put_examples(out, "cinstr-gcc -O2 -g app.c -o app && ./app && cinstr summary\n"
			  "./configure CC=cinstr-gcc CXX=cinstr-g++ && CINSTR=off make\n"
			  "cmake -B build -DCMAKE_C_COMPILER=cinstr-gcc\n");
	put_section(out, "FILES");
	fputs(".TP\n\\fI~/.cache/cinstr/compilers\\fR\nwhat is known of each compiler, so that it is asked "
	      "only once an hour\n",
	      out);
	put_section(out, "SEE ALSO");
	fputs("\\fBcinstr\\-build\\fR(1), \\fBcinstr\\-plugin\\fR(1), \\fBgcc\\fR(1)\n", out);
}
