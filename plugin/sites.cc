/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects and writes the tables. Everything lives until the compiler exits; nothing here is
 * known to GCC's garbage collector, so strings are copied and sections are only compared.
 * (The collector does not move, and a section stays reachable through GCC's table of sections.)
 */
#include "sites.h"
#include "arch.h"
#include "options.h"
#include "own_code.h"

struct record {
	unsigned int value; /* a label (sleds, ENTRY), or what the record says */
	unsigned int info;
};

/* One text section. refs holds numbers of strings; ref_of leads back from number to index. */
struct table {
	section *text;
	unsigned int anchor; /* label */
	vec<unsigned int> refs;
	hash_map<int_hash<unsigned int, -1U, -2U>, unsigned int> *ref_of;
	vec<struct record> records;
};

/* A call sled that is dropped if its callee turns out to be of the wrong sort. */
struct waiting {
	struct table *table;
	unsigned int record;
	unsigned int function;
	unsigned int callee; /* string */
};

static struct {
	vec<struct table *> tables;
	hash_map<section *, struct table *> *table_of;
	vec<const char *> strings;
	hash_map<nofree_string_hash, unsigned int> *string_of;
	unsigned int last_label;
	struct table *current;	    /* of the function begun last */
	vec<unsigned int> sleds_of; /* each function */
	vec<struct waiting> waiting;
	bool enter_pending; /* the ENTRY record added last waits for its label */
	struct site_totals totals;
	bool reads_code; /* own_code.h */
} unit;

static unsigned int string_number(const char *string)
{
	if (!unit.string_of)
		unit.string_of = new hash_map<nofree_string_hash, unsigned int>;
	if (unsigned int *known = unit.string_of->get(string))
		return *known;

	const char *copy = xstrdup(string);
	unit.strings.safe_push(copy);
	unit.string_of->put(copy, unit.strings.length() - 1);
	return unit.strings.length() - 1;
}

static struct table *table_new(section *text)
{
	struct table *table = XCNEW(struct table);

	table->text = text;
	table->ref_of = new hash_map<int_hash<unsigned int, -1U, -2U>, unsigned int>;
	unit.tables.safe_push(table);
	return table;
}

static struct table *table_for(section *text)
{
	if (!unit.table_of)
		unit.table_of = new hash_map<section *, struct table *>;

	bool known;
	struct table *&slot = unit.table_of->get_or_insert(text, &known);
	if (!known)
		slot = table_new(text);
	return slot;
}

static unsigned int table_ref(struct table *table, const char *string)
{
	bool known;
	unsigned int &index = table->ref_of->get_or_insert(string_number(string), &known);

	if (!known) {
		index = table->refs.length();
		table->refs.safe_push(string_number(string));
	}
	return index;
}

static void add_record(struct table *table, enum cinstr_abi_kind kind, unsigned int flags,
		       unsigned int payload, unsigned int value)
{
	struct record record = { value, kind | flags << 4 | payload << 8 };

	table->records.safe_push(record);
}

/* Labels are handed out in the order of the code, so the first one in a section is its lowest. */
static unsigned int new_label(struct table *table)
{
	unit.last_label++;
	if (!table->anchor)
		table->anchor = unit.last_label;
	return unit.last_label;
}

unsigned int sites_ref(const char *string)
{
	return string ? table_ref(unit.current, string) : CINSTR_REC_NO_REF;
}

struct site_place place_of(location_t location)
{
	expanded_location expanded = expand_location(location);
	/* The records have 24 bits for it. */
	unsigned int line = expanded.line > 0 && expanded.line <= 0xffffff ? expanded.line : 0;

	return { line ? expanded.file : NULL, line };
}

static unsigned int file_ref(const char *file)
{
	return sites_ref(file ? remap_debug_filename(file) : NULL);
}

void sites_begin_function(section *text, const struct site_function *function, unsigned int enter)
{
	unsigned int flags = function->local ? CINSTR_FUNCTION_LOCAL : 0;

	if (enter)
		flags |= CINSTR_FUNCTION_COLD;
	else {
		unit.totals.functions++;
		unit.sleds_of.safe_push(0);
	}
	unit.current = table_for(text);
	add_record(unit.current, CINSTR_REC_FUNCTION, flags, sites_ref(function->name),
		   function->definition.line);
	add_record(unit.current, CINSTR_REC_ENTRY, 0, file_ref(function->definition.file), enter);
	unit.enter_pending = !enter;
}

unsigned int sites_add(enum cinstr_abi_kind kind, unsigned int flags, unsigned int payload)
{
	unsigned int label = new_label(unit.current);

	if (unit.enter_pending)
		unit.current->records.last().value = label;
	unit.enter_pending = false;
	unit.totals.sleds++;
	unit.sleds_of.last()++;
	add_record(unit.current, kind, flags, payload, label);
	return label;
}

void sites_await(const char *callee)
{
	unit.waiting.safe_push({ unit.current, unit.current->records.length() - 1, sites_current_function(),
				 string_number(callee) });
}

void sites_add_place(struct site_place place)
{
	add_record(unit.current, CINSTR_REC_LINE, 0, file_ref(place.file), place.line);
}

void sites_add_inlined(const char *level)
{
	add_record(unit.current, CINSTR_REC_INLINED, 0, sites_ref(level), 0);
}

void sites_add_action(enum cinstr_abi_action action, const char *text)
{
	add_record(unit.current, CINSTR_REC_ACTION, 0, sites_ref(text), action);
}

unsigned int sites_leave_out(section *text, const struct site_function *function,
			     enum cinstr_abi_reason reason)
{
	struct table *table = table_for(text);
	unsigned int label = table->anchor ? 0 : new_label(table);

	add_record(table, CINSTR_REC_LEFT_OUT,
		   (function->local ? CINSTR_FUNCTION_LOCAL : 0) |
			   (function->replaceable ? CINSTR_FUNCTION_REPLACEABLE : 0),
		   table_ref(table, function->name), reason);
	unit.totals.left_out++;
	return label;
}

void sites_leave_out_alias(section *text, const char *name, enum cinstr_abi_reason reason)
{
	struct table *table = table_for(text);

	add_record(table, CINSTR_REC_LEFT_OUT, CINSTR_FUNCTION_ALIAS, table_ref(table, name), reason);
}

unsigned int sites_current_function(void)
{
	return unit.sleds_of.length() - 1;
}

unsigned int sites_function_sleds(unsigned int function)
{
	return unit.sleds_of[function];
}

static unsigned int kind_of(const struct record *record)
{
	return CINSTR_REC_KIND(record->info);
}

/* Does the record say more about the sled before it? */
static bool is_detail(const struct record *record)
{
	unsigned int kind = kind_of(record);

	return kind == CINSTR_REC_LINE || kind == CINSTR_REC_INLINED || kind == CINSTR_REC_ACTION;
}

/* Makes holes (kind 0) of a sled and of what follows it; returns the index of the next record. */
static unsigned int drop_sled(const struct waiting *waiting, unsigned int i)
{
	vec<struct record> records = waiting->table->records;

	do
		records[i++].info = 0;
	while (i < records.length() && is_detail(&records[i]));
	unit.totals.sleds--;
	unit.sleds_of[waiting->function]--;
	return i;
}

static void drop_call(const struct waiting *waiting)
{
	unsigned int next = drop_sled(waiting, waiting->record);

	if (next < waiting->table->records.length() &&
	    kind_of(&waiting->table->records[next]) == CINSTR_REC_AFTER)
		drop_sled(waiting, next);
}

/* The line of a TAIL is in a LINE behind it, that of an EXIT in itself, if the file is the
 * function's. */
static void make_exit(const struct waiting *waiting)
{
	struct record *exit = &waiting->table->records[waiting->record];
	struct record *line = exit + 1, *entry = exit;

	gcc_assert(kind_of(exit) == CINSTR_REC_TAIL && kind_of(line) == CINSTR_REC_LINE);
	while (kind_of(entry) != CINSTR_REC_ENTRY)
		entry--;
	exit->info =
		CINSTR_REC_EXIT | (CINSTR_REC_FLAGS(exit->info) & CINSTR_SITE_KEEP) << 4 | line->value << 8;
	if (CINSTR_REC_PAYLOAD(line->info) == CINSTR_REC_NO_REF ||
	    CINSTR_REC_PAYLOAD(line->info) == CINSTR_REC_PAYLOAD(entry->info))
		line->info = 0;
}

/* Closes the holes, and drops parts of functions that have lost all their sleds. */
static void compact(struct table *table)
{
	unsigned int kept = 0;

	for (const struct record &record : table->records) {
		if (!record.info)
			continue;
		bool begins =
			kind_of(&record) == CINSTR_REC_FUNCTION || kind_of(&record) == CINSTR_REC_LEFT_OUT;
		if (begins && kept && kind_of(&table->records[kept - 1]) == CINSTR_REC_ENTRY)
			kept -= 2;
		table->records[kept++] = record;
	}
	if (kept && kind_of(&table->records[kept - 1]) == CINSTR_REC_ENTRY)
		kept -= 2;
	table->records.truncate(kept);
}

/* Marks the names of the table's functions that have probes. */
static void count_named_call(const struct table *table)
{
	if (table->text->common.flags & SECTION_LINKONCE)
		unit.totals.shared_named_calls++;
	else
		unit.totals.own_named_calls++;
}

static void count(const struct table *table)
{
	for (const struct record &record : table->records) {
		unsigned int kind = kind_of(&record);

		if (kind == CINSTR_REC_ENTER && table->text->common.flags & SECTION_LINKONCE)
			unit.totals.shared_functions++;
		else if (kind == CINSTR_REC_ENTER)
			unit.totals.own_functions++;
		else if ((kind == CINSTR_REC_BEFORE || kind == CINSTR_REC_TAIL) &&
			 CINSTR_REC_PAYLOAD(record.info) == CINSTR_REC_NO_REF)
			unit.totals.indirect_calls++;
		else if (kind == CINSTR_REC_BEFORE || kind == CINSTR_REC_TAIL)
			count_named_call(table);
	}
}

void sites_settle(enum site_verdict (*judge)(enum cinstr_abi_kind kind, const char *callee))
{
	for (const struct waiting &waiting : unit.waiting) {
		unsigned int kind = kind_of(&waiting.table->records[waiting.record]);
		enum site_verdict verdict = judge((enum cinstr_abi_kind)kind, unit.strings[waiting.callee]);
		if (verdict == SITE_UNWANTED)
			drop_call(&waiting);
		else if (verdict == SITE_EXIT)
			make_exit(&waiting);
	}
	for (struct table *table : unit.tables) {
		compact(table);
		count(table);
	}
}

const struct site_totals *sites_totals(void)
{
	return &unit.totals;
}

/*
 * gold's --gc-sections knows no links between sections: a relocation, which does nothing, makes the
 * text section keep its note. Only on demand: with it no linker and no objcopy can drop the note
 * alone.
 */
static void keep_with_text(FILE *out, const struct table *table)
{
	static unsigned int n;

	fprintf(out, ".Lcinstrn%u:\n\t.reloc\t.Lcinstr%u, %s, .Lcinstrn%u\n", n, table->anchor,
		arch_no_relocation, n);
	n++;
}

/* Follows the text section into its COMDAT group, if it is in one. */
static void write_section(FILE *out, const struct table *table)
{
	tree group = NULL_TREE;

	if (table->text->common.flags & SECTION_LINKONCE)
		group = table->text->named.decl;
	if (group && DECL_P(group))
		group = DECL_COMDAT_GROUP(group);
	fprintf(out, "\t.section\t%s,\"ao%s\",@note,.Lcinstr%u", CINSTR_NOTE_SECTION, group ? "G" : "",
		table->anchor);
	if (group)
		fprintf(out, ",%s,comdat", IDENTIFIER_POINTER(group));
	fprintf(out, "\n\t.p2align 2\n");
	if (settings.gold)
		keep_with_text(out, table);
}

static void begin_note(FILE *out, unsigned int bytes, unsigned int type)
{
	fprintf(out, "\t.long\t%u,%u,%#x\n", (unsigned int)sizeof(CINSTR_NOTE_NAME), bytes, type);
	fprintf(out, "\t.asciz\t\"%s\"\n\t.p2align 2\n", CINSTR_NOTE_NAME);
}

void sites_begin_note(FILE *out, section *text, unsigned int bytes, unsigned int type)
{
	write_section(out, table_for(text));
	begin_note(out, bytes, type);
}

static void write_header(FILE *out, const struct table *table)
{
	unsigned int size = sizeof(struct cinstr_abi_table) + table->refs.length() * sizeof(cinstr_abi_ref) +
			    table->records.length() * sizeof(struct cinstr_abi_record);

	begin_note(out, size, CINSTR_NOTE_TABLE);
	fprintf(out, "\t.long\t%u,%u,.Lcinstr%u-.\n", CINSTR_ABI_VERSION,
		unit.reads_code ? CINSTR_TABLE_READS_CODE : 0, table->anchor);
}

static void write_string_ref(FILE *out, const char *string)
{
	if (string)
		fprintf(out, "\t.long\t.Lcinstrs%u-.\n", string_number(string));
	else
		fprintf(out, "\t.long\t0\n");
}

static unsigned int sum_length(unsigned int sum, const char *string)
{
	return cinstr_abi_sum_word(sum, string ? strlen(string) : 0);
}

static unsigned int checksum_of(const struct table *table, const char *source_file, const char *comp_dir)
{
	unsigned int sum = sum_length(sum_length(0, source_file), comp_dir);

	for (unsigned int number : table->refs)
		sum = sum_length(sum, unit.strings[number]);
	for (const struct record &record : table->records)
		sum = cinstr_abi_sum_record(sum, record.value, record.info);
	return cinstr_abi_sum_end(sum);
}

static void write_record(FILE *out, const struct table *table, const struct record *record)
{
	unsigned int kind = CINSTR_REC_KIND(record->info);

	if (kind == CINSTR_REC_ENTRY)
		fprintf(out, "\t.long\t.Lcinstr%u-.,%#x\n", record->value, record->info);
	else if (kind >= CINSTR_REC_ENTER)
		fprintf(out, "\t.long\t.Lcinstr%u-.Lcinstr%u,%#x\n", record->value, table->anchor,
			record->info);
	else
		fprintf(out, "\t.long\t%u,%#x\n", record->value, record->info);
}

static void write_table(FILE *out, const struct table *table)
{
	const char *source_file = main_input_filename ? remap_debug_filename(main_input_filename) : NULL;
	const char *comp_dir = remap_debug_filename(get_src_pwd());

	write_section(out, table);
	write_header(out, table);
	write_string_ref(out, source_file);
	write_string_ref(out, comp_dir);
	fprintf(out, "\t.long\t%u,%u,%#x\n", table->refs.length(), table->records.length(),
		checksum_of(table, source_file, comp_dir));
	for (unsigned int number : table->refs)
		fprintf(out, "\t.long\t.Lcinstrs%u-.\n", number);
	for (const struct record &record : table->records)
		write_record(out, table, &record);
}

static void write_strings(FILE *out)
{
	fprintf(out, "\t.section\t%s,\"aMS\",@progbits,1\n", CINSTR_STRING_SECTION);
	for (unsigned int i = 0; i < unit.strings.length(); i++) {
		fprintf(out, ".Lcinstrs%u:\n\t.asciz\t", i);
		output_quoted_string(out, unit.strings[i]);
		putc('\n', out);
	}
}

void sites_write(FILE *out)
{
	unit.reads_code = own_code_is_read();
	for (const struct table *table : unit.tables)
		if (table->records.length())
			write_table(out, table);
	write_strings(out);
}
