/* SPDX-License-Identifier: GPL-3.0-or-later */
/* annotate.c - chooses the lines of sources (annotate.h). */
#include "annotate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/order.h"
#include "lib/search.h"
#include "selection/selection.h"

/* ---- lines of a part ------------------------------------------------------------------------- */

static int is_executed_at(const struct row *row)
{
	return row->file && (row->calls || row->entries || row->sums.elapsed_inclusive > 0);
}

static int is_in(const struct annotated *part, const struct row *row)
{
	return row->line >= part->from && row->line <= part->to && is_executed_at(row) &&
	       !strcmp(row->file, part->file) && !strcmp(row->module, part->module);
}

/* Of "f; g; h". A name may have a ";". */
static int is_among(const char *names, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = names; at;
	     at = strstr(at, PLACES_SEPARATOR), at = at ? at + strlen(PLACES_SEPARATOR) : NULL)
		if (!strncmp(at, name, n) &&
		    (!at[n] || !strncmp(at + n, PLACES_SEPARATOR, strlen(PLACES_SEPARATOR))))
			return 1;
	return 0;
}

/* Whether the function executes it. */
static int is_of_function(const struct annotated *part, const struct row *row)
{
	if (row->callee)
		return !strcmp(row->name, part->function);
	return row->n_functions > PLACES_SHOWN || !row->function || is_among(row->function, part->function);
}

static int by_source(const struct row *row, const char *file, const char *module)
{
	int files = strcmp(row->file, file);

	return files ? files : strcmp(row->module, module);
}

/* By source and line; of a line from the most inclusive time on. */
ORDER_POINTERS(by_place, struct row, by_source(x, y->file, y->module), ORDER(x->line, y->line),
	       ORDER(y->sums.elapsed_inclusive, x->sums.elapsed_inclusive),
	       strcmp(x->callee ? x->callee : "", y->callee ? y->callee : ""))

/* Returns the rows of one of the profiles that were executed and have a source, by place. They are
 * sorted when they are first asked for. */
static const struct annotated_rows *rows_of(struct annotation *annotation, int which)
{
	const struct profile *profile = &annotation->profiles[which];
	struct annotated_rows *rows = &annotation->rows[which];

	if (rows->list)
		return rows;
	rows->list = xcalloc(profile->n_rows + 1, sizeof(*rows->list));
	for (size_t i = 0; i < profile->n_rows; i++)
		if (is_executed_at(&profile->rows[i]))
			rows->list[rows->n++] = &profile->rows[i];
	util_sort(rows->list, rows->n, sizeof(*rows->list), by_place, NULL);
	return rows;
}

/* Returns -1, 0 or 1, as the row is before, at or after the part's first line. */
static int by_first_line(const struct row *row, const struct annotated *part)
{
	int source = by_source(row, part->file, part->module);

	return source ? source : row->line < part->from ? -1 : row->line > part->from;
}

/* Returns how many rows the part has; *first is the first of them. */
static size_t rows_in(struct annotation *annotation, const struct annotated *part, int which,
		      const struct row *const **first)
{
	const struct annotated_rows *rows = rows_of(annotation, which);
	size_t begin, n = 0;

	SEARCH(begin, rows->n, by_first_line(rows->list[begin], part) >= 0);
	*first = rows->list + begin;
	while (begin + n < rows->n && is_in(part, rows->list[begin + n]))
		n++;
	return n;
}

ORDER_POINTERS(by_exclusive, struct row,
	       ORDER(y->sums.elapsed_exclusive - y->sums.off_cpu_exclusive,
		     x->sums.elapsed_exclusive - x->sums.off_cpu_exclusive),
	       strcmp(x->name, y->name))

static struct annotated_line *line_add(struct annotated *part, uint32_t number)
{
	part->lines = xrealloc(part->lines, part->n + 1, sizeof(*part->lines));
	part->lines[part->n] = (struct annotated_line){ .number = number };
	return &part->lines[part->n++];
}

ORDER_ITEMS(by_begin, struct annotated_range, ORDER(x->from, y->from), ORDER(y->to, x->to),
	    ORDER(x->row->line, y->row->line))

/* Rows whose own time is not of their line alone; brackets that overlap stand beside one
 * another. */
static void part_ranges(struct annotated *part, const struct row *const *rows, size_t n)
{
	uint32_t until[ANNOTATE_LANES] = { 0 };

	part->ranges = xcalloc(n + 1, sizeof(*part->ranges));
	for (size_t i = 0; i < n; i++)
		if (row_has_range(rows[i]))
			part->ranges[part->n_ranges++] = (struct annotated_range){ .from = rows[i]->line_from,
										   .to = rows[i]->line_to,
										   .row = rows[i] };
	util_sort(part->ranges, part->n_ranges, sizeof(*part->ranges), by_begin, NULL);
	for (size_t i = 0; i < part->n_ranges; i++) {
		struct annotated_range *range = &part->ranges[i];

		while (range->lane < ANNOTATE_LANES && until[range->lane] >= range->from)
			range->lane++;
		if (range->lane < ANNOTATE_LANES)
			until[range->lane] = range->to;
	}
}

/* "helper at a.c:9, outer at a.c:84; ...": the first line of the part on which one of these was
 * inlined into its function; 0: none. */
static uint32_t inlined_at(const struct annotated *part, const char *chains)
{
	static const char at[] = " at ";
	uint32_t first = 0;

	for (const char *chain = chains; chain && *chain;) {
		const char *end = strstr(chain, PLACES_SEPARATOR), *place = NULL, *colon = NULL;
		size_t n = end ? (size_t)(end - chain) : strlen(chain);
		uint32_t line;

		for (const char *p = chain; (p = strstr(p, at)) && p < chain + n; p++)
			place = p + strlen(at);
		for (const char *p = place; p && p < chain + n; p++)
			colon = *p == ':' ? p : colon;
		line = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
		if (line >= part->from && line <= part->end && (!first || line < first)) {
			const char *base = util_basename(part->file);
			size_t length = strlen(base);

			if ((size_t)(colon - place) >= length && !strncmp(colon - length, base, length))
				first = line;
		}
		chain = end ? end + strlen(PLACES_SEPARATOR) : NULL;
	}
	return first;
}

ORDER_ITEMS(by_place_inlined, struct inlined_line, ORDER(x->at, y->at),
	    ORDER(y->row->sums.elapsed_inclusive, x->row->sums.elapsed_inclusive),
	    strcmp(x->row->name, y->row->name))

/* Of a function: lines that it executes and that stand elsewhere, above it or in another file. */
static void part_inlined(struct annotated *part, const struct profile *profile)
{
	part->inlined = xcalloc(profile->n_rows + 1, sizeof(*part->inlined));
	for (size_t i = 0; part->function && i < profile->n_rows; i++) {
		const struct row *row = &profile->rows[i];
		uint32_t at;

		if (!row->inlined_from || !*row->inlined_from || !row->file || is_in(part, row) ||
		    strcmp(row->module, part->module) || !is_of_function(part, row))
			continue;
		at = inlined_at(part, row->inlined_from);
		if (at)
			part->inlined[part->n_inlined++] = (struct inlined_line){ at, row };
	}
	part->inlined = xrealloc(part->inlined, part->n_inlined + 1, sizeof(*part->inlined));
	util_sort(part->inlined, part->n_inlined, sizeof(*part->inlined), by_place_inlined, NULL);
}

/* The lines with values, and those that call, merged in order. */
static void part_fill(struct annotation *annotation, struct annotated *part)
{
	const struct row *const *rows, *const *sites;
	size_t n = rows_in(annotation, part, ANNOTATE_LINES, &rows), i = 0, k = 0, m = 0;
	size_t n_sites = rows_in(annotation, part, ANNOTATE_SITES, &sites);

	part_ranges(part, rows, n);
	part_inlined(part, &annotation->profiles[ANNOTATE_LINES]);
	while (i < n || k < n_sites || m < part->n_inlined) {
		uint32_t number = i < n ? rows[i]->line : UINT32_MAX;
		struct annotated_line *line;

		if (k < n_sites && sites[k]->line < number)
			number = sites[k]->line;
		if (m < part->n_inlined && part->inlined[m].at < number)
			number = part->inlined[m].at;
		line = line_add(part, number);

		if (i < n && rows[i]->line == number)
			line->row = rows[i++];
		line->callees = sites + k;
		for (; k < n_sites && sites[k]->line == number; k++)
			line->n_callees++;
		line->inlined = part->inlined + m;
		for (; m < part->n_inlined && part->inlined[m].at == number; m++)
			line->n_inlined++;
	}
}

/* Returns its number. */
static size_t part_add(struct annotation *annotation, const struct annotated *part)
{
	for (size_t i = 0; i < annotation->n; i++) {
		const struct annotated *other = &annotation->parts[i];

		if (!strcmp(other->file, part->file) && !strcmp(other->module, part->module) &&
		    other->from == part->from)
			return i;
	}
	annotation->parts = xrealloc(annotation->parts, annotation->n + 1, sizeof(*annotation->parts));
	annotation->parts[annotation->n] = *part;
	part_fill(annotation, &annotation->parts[annotation->n]);
	return annotation->n++;
}

/* ---- functions and files --------------------------------------------------------------------- */

static int is_executed(const struct row *row)
{
	return row->name && (row->calls || row->sums.elapsed_inclusive > 0);
}

/* The last line that the function executes: what is behind it may have been inlined elsewhere. */
static uint32_t last_executed(const struct annotation *annotation, const struct annotated *part)
{
	uint32_t last = part->from;

	for (int p = ANNOTATE_LINES; p <= ANNOTATE_SITES; p++)
		for (size_t i = 0; i < annotation->profiles[p].n_rows; i++) {
			const struct row *row = &annotation->profiles[p].rows[i];

			if (row->line > last && is_in(part, row) && is_of_function(part, row))
				last = row->line;
			else if (p == ANNOTATE_LINES && row->inlined_from && *row->inlined_from &&
				 row->file && !is_in(part, row) && is_of_function(part, row) &&
				 inlined_at(part, row->inlined_from) > last)
				last = inlined_at(part, row->inlined_from);
		}
	return last;
}

/* A function ends before the next one in its file that was executed. */
static size_t function_add(struct annotation *annotation, const struct row *function)
{
	const struct profile *profile = &annotation->profiles[ANNOTATE_FUNCTIONS];
	struct annotated part = { .file = function->file,
				  .module = function->module,
				  .function = function->name,
				  .from = function->line,
				  .to = UINT32_MAX };

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct row *row = &profile->rows[i];

		if (row->line > part.from && row->line <= part.to && is_executed(row) && row->file &&
		    !strcmp(row->file, part.file))
			part.to = row->line - 1;
	}
	part.end = part.to;
	part.to = last_executed(annotation, &part);
	return part_add(annotation, &part);
}

static int means(const struct profile *profile, const struct row *row, const char *wanted)
{
	const struct entity *entity = &profile->names->list[row->entity];

	return !wanted || !strcmp(entity->name, wanted) || names_matches(entity, wanted);
}

static int means_shortly(const struct profile *profile, const struct row *row, const char *wanted)
{
	return names_is_short(&profile->names->list[row->entity], wanted);
}

static int is_taken(const struct annotation *annotation, const struct profile *profile, const struct row *row)
{
	return !annotation->selection || selection_takes_row(annotation->selection, profile, row);
}

static size_t choose_by(const struct annotation *annotation, const struct row **rows, const char *wanted,
			int (*does_mean)(const struct profile *, const struct row *, const char *))
{
	const struct profile *profile = &annotation->profiles[ANNOTATE_FUNCTIONS];
	size_t n = 0;

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct row *row = &profile->rows[i];

		if (is_executed(row) && row->file && row->line && does_mean(profile, row, wanted) &&
		    is_taken(annotation, profile, row))
			rows[n++] = row;
	}
	return n;
}

/* Functions of which a source is known, those that compute most first. */
static size_t choose_functions(struct annotation *annotation, const char *wanted, size_t max)
{
	const struct profile *profile = &annotation->profiles[ANNOTATE_FUNCTIONS];
	FREED const struct row **rows = xcalloc(profile->n_rows + 1, sizeof(*rows));
	size_t n = choose_by(annotation, rows, wanted, means);

	if (!n && wanted)
		n = choose_by(annotation, rows, wanted, means_shortly);
	if (annotation->order)
		order_rows(profile, rows, n, annotation->order);
	else
		util_sort(rows, n, sizeof(*rows), by_exclusive, NULL);
	for (size_t i = 0; i < n && i < max; i++)
		function_add(annotation, rows[i]);
	return n;
}

/* As a whole or from any of its folders on. */
static int is_file(const char *path, const char *wanted)
{
	size_t n = strlen(path), m = strlen(wanted);

	return m && m <= n && !strcmp(path + n - m, wanted) &&
	       (m == n || path[n - m - 1] == '/' || wanted[0] == '/');
}

static size_t file_add(struct annotation *annotation, const struct row *row)
{
	return part_add(annotation, &(struct annotated){ .file = row->file,
							 .module = row->module,
							 .from = 1,
							 .to = UINT32_MAX,
							 .end = UINT32_MAX });
}

/* A source as a whole. */
struct annotated_file {
	const struct row *row; /* any of it */
	long double time;      /* exclusive, of its lines */
	int is_taken;	       /* it has something of what was selected */
};

/* Orders files by descending exclusive time, then by name. */
ORDER_ITEMS(by_time, struct annotated_file, ORDER(y->time, x->time),
	    by_source(x->row, y->row->file, y->row->module))

/* Adds the rows of one profile to the files that they are of. */
static void files_of(struct annotation *annotation, int which, const char *wanted, struct map *known,
		     struct annotated_file **files)
{
	const struct annotated_rows *rows = rows_of(annotation, which);
	STRBUF(key);
	size_t number = 0;
	int is_new;

	for (size_t i = 0; i < rows->n; i++) {
		const struct row *row = rows->list[i];

		if (!row->name || (wanted && !is_file(row->file, wanted)))
			continue;
		strbuf_clear(&key);
		strbuf_add(&key, row->file, strlen(row->file) + 1);
		strbuf_puts(&key, row->module);
		number = map_add(known, key.text, key.length, &is_new);
		if (is_new) {
			*files = xrealloc(*files, number + 1, sizeof(**files));
			(*files)[number] = (struct annotated_file){ .row = row };
		}
		if (which == ANNOTATE_LINES)
			(*files)[number].time += row->sums.elapsed_exclusive;
		(*files)[number].is_taken |= is_taken(annotation, &annotation->profiles[which], row);
	}
}

size_t annotate_choose_files(struct annotation *annotation, const char *wanted, size_t max_lines)
{
	struct annotated_file *files = NULL;
	struct map known = { 0 };
	size_t lines = 0, n = 0, i;

	files_of(annotation, ANNOTATE_LINES, wanted, &known, &files);
	files_of(annotation, ANNOTATE_SITES, wanted, &known, &files);
	util_sort(files, known.n, sizeof(*files), by_time, NULL);
	for (i = 0; i < known.n; i++)
		if (files[i].is_taken)
			files[n++] = files[i];
	for (i = 0; i < n; i++) {
		size_t part = file_add(annotation, files[i].row);

		lines += annotation->parts[part].n;
		if (lines >= max_lines)
			break;
	}
	annotation->files_hidden = i < n ? n - i - 1 : 0;
	free(files);
	map_release(&known);
	return annotation->n;
}

size_t annotate_choose(struct annotation *annotation, const char *wanted, size_t hottest)
{
	size_t n = choose_functions(annotation, wanted, hottest);

	return n || !wanted ? n : annotate_choose_files(annotation, wanted, SIZE_MAX);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static uint64_t changed_ns(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return UINT64_MAX;
	return (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
}

static void note(struct annotated *part, const char *format, ...) PRINTF_LIKE(2, 3);
static void note(struct annotated *part, const char *format, ...)
{
	struct strbuf text = { 0 };
	va_list args;

	va_start(args, format);
	strbuf_vprintf(&text, format, args);
	va_end(args);
	part->note = text.text;
}

/* Functions of one file share its text. 0, or -errno. */
static int text_read(struct annotation *annotation, const char *path, struct source_text *text)
{
	int is_new;
	size_t number = map_add(&annotation->read, path, strlen(path), &is_new);
	struct annotated_text *read;

	if (is_new) {
		annotation->texts = xrealloc(annotation->texts, number + 1, sizeof(*annotation->texts));
		read = &annotation->texts[number];
		read->status = source_text_read(&read->text, path);
	}
	read = &annotation->texts[number];
	*text = read->text;
	return read->status;
}

static void part_read(struct annotation *annotation, struct annotated *part, int newer)
{
	int status;

	part->path = names_source_path(part->file, annotation->view.source);
	if (!part->path) {
		note(part, "the source is not there: --source-path=FROM=TO says where sources are now");
		return;
	}
	status = text_read(annotation, part->path, &part->text);
	if (status) {
		note(part, "the source cannot be read: %s", strerror(-status));
		return;
	}
	if (part->text.changed_ns > changed_ns(part->module))
		part->newer_than = "module";
	else if (part->text.changed_ns > annotation->view.profile->totals.begin_realtime_ns)
		part->newer_than = "recording";
	if (part->newer_than && !newer)
		note(part,
		     "the source is newer than the %s, its lines may have moved: --newer shows it all the "
		     "same",
		     part->newer_than);
	else if (part->n && part->lines[part->n - 1].number > part->text.n)
		note(part, "the source has fewer lines than were recorded: it is another one");
	else
		part->has_text = 1;
}

void annotate_read(struct annotation *annotation, int newer)
{
	for (size_t i = 0; i < annotation->n; i++)
		part_read(annotation, &annotation->parts[i], newer);
}

size_t annotate_function(struct annotation *annotation, const struct row *function, int newer)
{
	size_t n = annotation->n, part = function_add(annotation, function);

	if (part == n)
		part_read(annotation, &annotation->parts[part], newer);
	return part;
}

void annotate_release(struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->n; i++) {
		struct annotated *part = &annotation->parts[i];

		free(part->path);
		free(part->note);
		free(part->ranges);
		free(part->inlined);
		free(part->lines);
	}
	free(annotation->parts);
	for (size_t i = 0; i < ARRAY_SIZE(annotation->rows); i++)
		free(annotation->rows[i].list);
	for (size_t i = 0; i < annotation->read.n; i++)
		source_text_release(&annotation->texts[i].text);
	free(annotation->texts);
	map_release(&annotation->read);
}
