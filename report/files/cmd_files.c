/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_files.c - cinstr files: which files and sockets were read, written and opened, how many bytes
 * and calls that took, and where in the program.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/ink.h"
#include "lib/options.h"
#include "lib/terminal.h"
#include "output/format.h"
#include "output/grid.h"
#include "output/items.h"
#include "rows/file_facts.h"
#include "session/session.h"

#define LIMIT 10
#define PLACES 4 /* of a file */

struct files_options {
	int format;
	uint64_t limit;
	struct terminal_options terminal;
	struct names_options names;
};

struct files {
	const struct files_options *options;
	struct names names;
	struct file_facts facts;
	struct printer printer;
};

/* Widths of the columns bytes, calls, bytes of a call, and time. */
static const int column_widths[] = { 10, 12, 11, 9 };
static const char *const kind_words[] = { "read", "written", "opened" };

static const char *name_of(const struct file_sums *file)
{
	return file->name ? file->name : file->is_others ? "[other files]" : "[streams and unknown files]";
}

/* ---- for scripts ----------------------------------------------------------------------------- */

static const char *const columns[] = {
	"file",	      "kind",	"calls", "failed",   "bytes",	    "largest",
	"elapsed_ns", "callee", "path",	 "function", "source_file", "source_line",
};

static void put_fact(struct items *items, const struct files *f, const struct file_fact *fact)
{
	const struct wait_place *place = &fact->place;

	items_open(items, NULL, '{', ITEMS_LINES);
	items_text(items, "file", f->facts.files[fact->file].name);
	items_text(items, "kind", kind_words[fact->kind]);
	items_count(items, "calls", fact->sums.calls);
	items_count(items, "failed", fact->sums.failed);
	items_count(items, "bytes", fact->sums.bytes);
	items_count(items, "largest", fact->sums.largest);
	items_ns(items, "elapsed_ns", (long double)fact->sums.ticks);
	items_text(items, "callee", *fact->callee ? fact->callee : NULL);
	items_text(items, "path", *fact->path ? fact->path : NULL);
	items_text(items, "function", place->entity == NAMES_NONE ? NULL : f->names.list[place->entity].name);
	items_text(items, "source_file", place->file);
	items_count_if(items, "source_line", place->line);
	items_close(items);
}

static void print_for_scripts(const struct files *f, const struct items_format *format)
{
	struct items items;

	items_table(&items, stdout, format, ITEMS_LINES, columns, ARRAY_SIZE(columns));
	items_table_rows(&items, "files");
	for (size_t i = 0; i < f->facts.n; i++)
		put_fact(&items, f, &f->facts.list[i]);
	items_table_end(&items);
}

/* ---- for people ------------------------------------------------------------------------------ */

static void put_bytes(struct strbuf *line, uint64_t bytes)
{
	if (bytes < 1000) {
		strbuf_printf(line, "%llu byte%s", (unsigned long long)bytes, bytes == 1 ? "" : "s");
		return;
	}
	strbuf_size(line, bytes);
}

/* "2.1 MB read in 33 calls" */
static void put_sums(struct strbuf *line, const char *before, const char *word, const struct moved_sums *sums)
{
	if (!sums->calls)
		return;
	strbuf_puts(line, before);
	put_bytes(line, sums->bytes);
	strbuf_printf(line, " %s in ", word);
	strbuf_thousands(line, sums->calls);
	strbuf_puts(line, sums->calls == 1 ? " call" : " calls");
}

/* "copy  io.c:17" */
static void put_place(const struct files *f, struct strbuf *line, const struct wait_place *place)
{
	strbuf_visible(line, place->entity == NAMES_NONE ? "not known" : f->names.list[place->entity].name);
	if (place->file)
		strbuf_printf(line, "  %s", util_basename(place->file));
	if (place->file && place->line)
		strbuf_printf(line, ":%u", place->line);
}

/* "1 byte", "4.1 KB": the mean of a call. */
static void put_mean(struct strbuf *line, const struct moved_sums *sums)
{
	uint64_t done = sums->calls - sums->failed;

	if (done)
		put_bytes(line, util_rounded((long double)sums->bytes / (long double)done));
}

/* "  read  158 KB  157,635  1 byte  112 ms  parse  demo.c:9": in the columns of print_columns(). */
static void print_fact(const struct files *f, const struct file_fact *fact)
{
	const struct moved_sums *sums = &fact->sums;
	struct strbuf line = { 0 }, cells[4] = { 0 };

	if (fact->kind != CINSTR_AMOUNT_OPENED) {
		put_bytes(&cells[0], sums->bytes);
		put_mean(&cells[2], sums);
	}
	strbuf_thousands(&cells[1], sums->calls);
	strbuf_duration(&cells[3], (long double)sums->ticks);
	strbuf_printf(&line, "  %-7s", kind_words[fact->kind]);
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++)
		strbuf_printf(&line, "%*s", column_widths[i], cells[i].length ? cells[i].text : "");
	strbuf_puts(&line, "  ");
	if (!f->facts.files[fact->file].name && *fact->callee)
		strbuf_printf(&line, "%s in ", fact->callee);
	put_place(f, &line, &fact->place);
	if (sums->failed) {
		strbuf_puts(&line, ", ");
		strbuf_thousands(&line, sums->failed);
		strbuf_puts(&line, " failed");
	}
	printer_line(&f->printer, &line, INK_PLAIN);
	strbuf_release(&line);
	for (size_t i = 0; i < ARRAY_SIZE(cells); i++)
		strbuf_release(&cells[i]);
}

static void print_columns(const struct files *f)
{
	static const char *const words[] = { "Bytes", "Calls", "Per call", "Time" };
	STRBUF(line);

	strbuf_printf(&line, "%9s", "");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		strbuf_printf(&line, "%*s", column_widths[i], words[i]);
	strbuf_puts(&line, "  Where");
	printer_line(&f->printer, &line, INK_HEADING);
}

/* Returns 1 if some kind of the facts first to end - 1 has several places: sums tell more then. */
static int has_sums(const struct files *f, size_t first, size_t end)
{
	int n[CINSTR_AMOUNT_KINDS] = { 0 };

	for (size_t i = first; i < end; i++)
		if (++n[f->facts.list[i].kind] > 1)
			return 1;
	return 0;
}

/* Prints the file of the facts from number `first` on. Returns the number after its last one. */
static size_t print_file(const struct files *f, size_t first)
{
	const struct file_fact *list = f->facts.list;
	const struct file_sums *file = &f->facts.files[list[first].file];
	STRBUF(line);
	const char *before = "  ";
	size_t end = first, shown;

	strbuf_visible(&line, name_of(file));
	printer_line(&f->printer, &line, INK_STRONG);
	while (end < f->facts.n && list[end].file == list[first].file)
		end++;
	shown = end - first > PLACES ? PLACES - 1 : end - first;
	if (has_sums(f, first, end)) {
		put_sums(&line, before, "read", &file->of[CINSTR_AMOUNT_READ]);
		before = line.length ? ", " : before;
		put_sums(&line, before, "written", &file->of[CINSTR_AMOUNT_WRITTEN]);
		before = line.length ? ", " : before;
		if (file->of[CINSTR_AMOUNT_OPENED].calls) {
			strbuf_printf(&line, "%sopened ", before);
			strbuf_thousands(&line, file->of[CINSTR_AMOUNT_OPENED].calls);
			strbuf_puts(&line, file->of[CINSTR_AMOUNT_OPENED].calls == 1 ? " time" : " times");
		}
		printer_line(&f->printer, &line, INK_PLAIN);
	}
	for (size_t i = first; i < first + shown; i++)
		print_fact(f, &list[i]);
	if (first + shown < end) {
		strbuf_printf(&line, "  and %zu more places", end - first - shown);
		printer_line(&f->printer, &line, INK_DIM);
	}
	return end;
}

static void print_head(const struct files *f)
{
	struct moved_sums all[CINSTR_AMOUNT_KINDS] = { 0 };
	STRBUF(line);
	uint64_t ns = 0;

	for (size_t i = 0; i < f->facts.n_files; i++)
		for (int kind = 0; kind < CINSTR_AMOUNT_KINDS; kind++) {
			moved_add(&all[kind], &f->facts.files[i].of[kind]);
			ns += f->facts.files[i].of[kind].ticks;
		}
	put_sums(&line, "", "read", &all[CINSTR_AMOUNT_READ]);
	put_sums(&line, line.length ? ", " : "", "written", &all[CINSTR_AMOUNT_WRITTEN]);
	if (line.length)
		printer_line(&f->printer, &line, INK_PLAIN);
	strbuf_puts(&line, "All these calls took ");
	strbuf_duration(&line, (long double)ns);
	strbuf_puts(&line, ", of all threads together.");
	printer_line(&f->printer, &line, INK_PLAIN);
}

static void print_for_people(struct files *f)
{
	STRBUF(line);
	size_t n = 0, i = 0;

	f->printer = printer_of(stdout);
	print_head(f);
	fputc('\n', stdout);
	print_columns(f);
	for (; i < f->facts.n && (!f->options->limit || n < f->options->limit); n++) {
		if (i)
			fputc('\n', stdout);
		i = print_file(f, i);
	}
	if (n < f->facts.n_files) {
		strbuf_printf(&line, "%zu more; --limit=0 shows them.", f->facts.n_files - n);
		fputc('\n', stdout);
		printer_line(&f->printer, &line, INK_DIM);
	}
}

/* ---- the command ----------------------------------------------------------------------------- */

static void visit(void *arg, struct data *data)
{
	struct files *f = arg;

	file_facts_add(&f->facts, &f->names, data);
	names_next_process(&f->names);
}

static int show(struct files *f)
{
	const struct output_format *format = &output_formats[f->options->format];

	if (!f->facts.n_timed)
		return error_data(
			"files: nothing is known of what was read and written: the program was not built "
			"with the plugin, or this is a merged session without it");
	file_facts_sort(&f->facts);
	terminal_page();
	if (!format->shape->is_for_people)
		print_for_scripts(f, format->items);
	else if (!f->facts.n)
		printf("Nothing was read, written or opened by a call of the C library that was recorded.\n");
	else
		print_for_people(f);
	return STATUS_OK;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct files_options options = { .limit = LIMIT };
	struct files f = { .options = &options };
	struct session input;
	int n_operands, status;
	enum options_result parsed = options_parse(command, argc, argv, &options, &n_operands);

	if (parsed != OPTIONS_OK)
		return parsed == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (terminal_configure(command->name, &options.terminal) ||
	    names_configure(command->name, &options.names,
			    output_formats[options.format].shape->is_for_people))
		return STATUS_USAGE;
	status = session_open(&input, n_operands ? argv[1] : NULL) ? STATUS_DATA : STATUS_OK;
	if (!status) {
		status = session_each(&input, visit, &f);
		if (input.n_usable && show(&f))
			status = STATUS_DATA;
	}
	session_release(&input);
	file_facts_release(&f.facts);
	names_release(&f.names);
	return status;
}

static const struct option files_options[] = {
	{ "limit", 'n', OPTION_NUMBER, "N", offsetof(struct files_options, limit),
	  "show the first N files; 0: all", "10" },
	{ "format", 'f', OPTION_CHOICE, OUTPUT_FORMAT_WORDS, offsetof(struct files_options, format),
	  "csv, json: a row for each file and call path that read, wrote or opened it", "table" },
	NAMES_OPTIONS(struct files_options, names),
	TERMINAL_OPTIONS(struct files_options, terminal),
};

const struct command command_files = {
	.name = "files",
	.operands = "[FOLDER | FILE]",
	.summary = "Shows files and sockets that were read, written and opened, and where.\n"
		   "With bytes, calls and time; of a session (default: cinstr.data).",
	OPTIONS_OF(files_options),
	.max_operands = 1,
	.notes = "Files with most time in these calls come first. Calls are those of read, write, recv,\n"
		 "send and their like, and open, in code that was built with the plugin. What fread,\n"
		 "fwrite and getline read and write has no file here. Not counted: fgets, puts, printf\n"
		 "and their like, streams of C++, and what is mapped. cinstr report --view=io and\n"
		 "cinstr tree --view=io tell the same by function and call path.\n",
	.examples = "  cinstr files                    files, bytes, calls, places\n"
		    "  cinstr files --format=csv       with call paths\n",
	.run = run,
};
