/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "hybrid.h"
#include "lib/files.h"
#include "lib/util.h"
#include "thrift.h"

#define GZIP_WINDOW (15 + 16)
#define ROWS_MOST (1 << 28)
#define PAGE_MOST (1 << 30)
#define PAGE_ROWS 65536 /* of a page of ours */
#define PAGE_LEAST 24	/* bytes of one, with its head */
#define TAIL_BYTES 8	/* length of the footer, magic */
#define DAMAGED "it is no Parquet file of cinstr, or damaged"

/* ---- the footer ------------------------------------------------------------------------------ */

struct schema_column {
	const unsigned char *name;
	size_t name_length;
	int64_t type, is_optional;
};

struct file {
	const unsigned char *bytes;
	size_t size;
	struct schema_column *schema; /* without the root */
	size_t n_schema;
	int64_t n_rows;
	size_t n_read; /* rows of the groups that are done */
	struct parquet_table *table;
	const struct parquet_column *columns;
	size_t n_columns;
	int is_bad;
};

static const int types[] = { PARQUET_TYPE_INT32, PARQUET_TYPE_INT64, PARQUET_TYPE_DOUBLE,
			     PARQUET_TYPE_BYTES };

static void get_schema_column(struct varint_reader *in, struct schema_column *column)
{
	struct thrift_field field = { 0 };

	*column = (struct schema_column){ 0 };
	while (thrift_get_field(in, field.number, &field)) {
		if (field.number == 1 && field.type == THRIFT_I32)
			column->type = thrift_get_number(in);
		else if (field.number == 3 && field.type == THRIFT_I32)
			column->is_optional = thrift_get_number(in);
		else if (field.number == 4 && field.type == THRIFT_BYTES)
			column->name = thrift_get_bytes(in, &column->name_length);
		else
			thrift_skip(in, field.type);
	}
}

static void get_schema(struct file *f, struct varint_reader *in)
{
	enum thrift_type type;
	size_t n = thrift_get_list(in, &type);
	struct schema_column root;

	if (!n || type != THRIFT_STRUCT || f->schema) {
		in->is_bad = 1;
		return;
	}
	get_schema_column(in, &root);
	f->schema = xcalloc(n, sizeof(*f->schema));
	f->n_schema = n - 1;
	for (size_t i = 0; i < f->n_schema && !in->is_bad; i++)
		get_schema_column(in, &f->schema[i]);
}

/* Of a column chunk, what is needed. */
struct chunk {
	int64_t codec, n_values, data_at, dictionary_at, bytes;
};

static void get_chunk_data(struct varint_reader *in, struct chunk *chunk)
{
	struct thrift_field field = { 0 };

	while (thrift_get_field(in, field.number, &field)) {
		int64_t *to = field.number == 4	   ? &chunk->codec
			      : field.number == 5  ? &chunk->n_values
			      : field.number == 7  ? &chunk->bytes
			      : field.number == 9  ? &chunk->data_at
			      : field.number == 11 ? &chunk->dictionary_at
						   : NULL;

		if (to && (field.type == THRIFT_I32 || field.type == THRIFT_I64))
			*to = thrift_get_number(in);
		else
			thrift_skip(in, field.type);
	}
}

static void get_chunk(struct varint_reader *in, struct chunk *chunk)
{
	struct thrift_field field = { 0 };

	*chunk = (struct chunk){ 0 };
	while (thrift_get_field(in, field.number, &field)) {
		if (field.number == 3 && field.type == THRIFT_STRUCT)
			get_chunk_data(in, chunk);
		else
			thrift_skip(in, field.type);
	}
}

/* ---- pages ----------------------------------------------------------------------------------- */

struct page {
	int64_t type, bytes, packed_bytes, n_values, encoding;
	unsigned char *data; /* unpacked */
};

static void get_page_kind(struct varint_reader *in, struct page *page)
{
	struct thrift_field field = { 0 };

	while (thrift_get_field(in, field.number, &field)) {
		if (field.number == 1 && field.type == THRIFT_I32)
			page->n_values = thrift_get_number(in);
		else if (field.number == 2 && field.type == THRIFT_I32)
			page->encoding = thrift_get_number(in);
		else
			thrift_skip(in, field.type);
	}
}

static void get_page_head(struct varint_reader *in, struct page *page)
{
	struct thrift_field field = { 0 };

	*page = (struct page){ .type = -1 };
	while (thrift_get_field(in, field.number, &field)) {
		int64_t *to = field.number == 1	  ? &page->type
			      : field.number == 2 ? &page->bytes
			      : field.number == 3 ? &page->packed_bytes
						  : NULL;

		if ((field.number == 5 || field.number == 7) && field.type == THRIFT_STRUCT)
			get_page_kind(in, page);
		else if (to && field.type == THRIFT_I32)
			*to = thrift_get_number(in);
		else
			thrift_skip(in, field.type);
	}
}

static int unpack(const unsigned char *from, struct page *page, int64_t codec)
{
	z_stream stream = { .next_in = (unsigned char *)(uintptr_t)from,
			    .avail_in = (unsigned)page->packed_bytes,
			    .next_out = page->data,
			    .avail_out = (unsigned)page->bytes };
	int result;

	if (codec == PARQUET_CODEC_NONE && page->bytes == page->packed_bytes) {
		memcpy(page->data, from, (size_t)page->bytes);
		return 0;
	}
	if (codec != PARQUET_CODEC_GZIP || inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
		return -1;
	result = inflate(&stream, Z_FINISH);
	inflateEnd(&stream);
	return result == Z_STREAM_END && !stream.avail_out ? 0 : -1;
}

/* 0, or -1; page->data is the caller's. */
static int get_page(struct varint_reader *in, struct page *page, int64_t codec)
{
	get_page_head(in, page);
	if (in->is_bad || page->bytes < 0 || page->bytes > PAGE_MOST || page->packed_bytes < 0 ||
	    page->packed_bytes > in->end - in->at || page->n_values < 0 || page->n_values > ROWS_MOST)
		return -1;
	/* gzip packs a thousandfold at most */
	if (page->bytes / 1100 > page->packed_bytes)
		return -1;
	page->data = xcalloc((size_t)page->bytes + 1, 1);
	if (unpack(in->at, page, codec))
		return -1;
	in->at += page->packed_bytes;
	return 0;
}

static uint64_t get_little(const unsigned char *at, unsigned n)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < n; i++)
		number |= (uint64_t)at[i] << (8 * i);
	return number;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* A column chunk being read into the table. */
struct reading {
	struct parquet_cells *cells;
	const struct parquet_column *column;
	int is_optional;
	size_t row, end; /* the next one, that behind the group */
	/* the dictionary */
	int64_t *numbers;
	const char **texts;
	size_t n;
};

static unsigned bytes_of(const struct parquet_column *column)
{
	return column->kind == PARQUET_INT32 ? 4 : 8;
}

static char *keep(struct parquet_cells *cells, const unsigned char *bytes, size_t n)
{
	char *text = xcalloc(n + 1, 1);

	memcpy(text, bytes, n);
	if (!(cells->n_kept & (cells->n_kept - 1)))
		cells->kept =
			xrealloc(cells->kept, cells->n_kept ? 2 * cells->n_kept : 1, sizeof(*cells->kept));
	cells->kept[cells->n_kept++] = text;
	return text;
}

/* One value as it is; 0: there is none. */
static int get_plain(struct reading *r, struct varint_reader *in, int64_t *number, const char **text)
{
	size_t left = (size_t)(in->end - in->at);
	unsigned n = bytes_of(r->column);

	if (r->column->kind != PARQUET_TEXT) {
		if (left < n)
			return 0;
		*number = (int64_t)get_little(in->at, n);
		if (n == 4)
			*number = (int32_t)*number;
		in->at += n;
		return 1;
	}
	if (left < 4 || get_little(in->at, 4) > left - 4)
		return 0;
	n = (unsigned)get_little(in->at, 4);
	*text = keep(r->cells, in->at + 4, n);
	in->at += 4 + n;
	return 1;
}

static int read_dictionary(struct reading *r, const struct page *page)
{
	struct varint_reader in = { page->data, page->data + page->bytes, 0 };

	if (r->numbers || page->n_values > page->bytes)
		return -1;
	r->n = (size_t)page->n_values;
	r->numbers = xcalloc(r->n + 1, sizeof(*r->numbers));
	r->texts = xcalloc(r->n + 1, sizeof(*r->texts));
	for (size_t i = 0; i < r->n; i++)
		if (!get_plain(r, &in, &r->numbers[i], &r->texts[i]))
			return -1;
	return 0;
}

static void set(struct reading *r, size_t row, int64_t number, const char *text)
{
	r->cells->is_some[row] = 1;
	if (r->column->kind == PARQUET_TEXT)
		r->cells->texts[row] = text;
	else if (r->column->kind == PARQUET_DOUBLE)
		memcpy(&r->cells->doubles[row], &number, sizeof(number));
	else
		r->cells->numbers[row] = number;
}

/* Values of those rows of a page that have one. */
static int read_values(struct reading *r, struct varint_reader *in, const struct page *page,
		       const uint32_t *levels, size_t n, size_t n_some)
{
	int has_dictionary = page->encoding == PARQUET_RLE_DICTIONARY, failed = 0;
	FREED uint32_t *indices = has_dictionary ? xcalloc(n_some + 1, sizeof(*indices)) : NULL;
	size_t at = 0;

	if (has_dictionary &&
	    (in->at == in->end || hybrid_get(in->at + 1, in->end, *in->at, indices, n_some)))
		failed = 1;
	for (size_t i = 0; i < n && !failed; i++) {
		int64_t number = 0;
		const char *text = "";

		if (levels && !levels[i])
			continue;
		if (!has_dictionary)
			failed = !get_plain(r, in, &number, &text);
		else if (indices[at] >= r->n)
			failed = 1;
		else
			number = r->numbers[indices[at]], text = r->texts[indices[at]];
		at++;
		if (!failed)
			set(r, r->row + i, number, text);
	}
	return failed ? -1 : 0;
}

static int read_data(struct reading *r, const struct page *page)
{
	struct varint_reader in = { page->data, page->data + page->bytes, 0 };
	size_t n = (size_t)page->n_values, n_some = n, length;
	uint32_t *levels = NULL;
	int failed = 0;

	if (n > r->end - r->row ||
	    (page->encoding != PARQUET_PLAIN && page->encoding != PARQUET_RLE_DICTIONARY))
		return -1;
	if (r->is_optional) {
		levels = xcalloc(n + 1, sizeof(*levels));
		length = page->bytes < 4 ? 0 : get_little(in.at, 4);
		failed = page->bytes < 4 || length > (size_t)page->bytes - 4 ||
			 hybrid_get(in.at + 4, in.at + 4 + length, 1, levels, n);
		in.at += failed ? 0 : 4 + length;
		n_some = 0;
		for (size_t i = 0; i < n; i++)
			n_some += levels[i];
	}
	if (!failed && n_some)
		failed = read_values(r, &in, page, levels, n, n_some);
	r->row += n;
	free(levels);
	return failed ? -1 : 0;
}

static int read_chunk(struct file *f, struct reading *r, const struct chunk *chunk)
{
	int64_t begin = chunk->dictionary_at ? chunk->dictionary_at : chunk->data_at;
	struct varint_reader in;
	int failed = 0;

	if (begin < 0 || (uint64_t)begin > f->size || chunk->bytes < 0 ||
	    (uint64_t)chunk->bytes > f->size - (uint64_t)begin)
		return -1;
	in = (struct varint_reader){ f->bytes + begin, f->bytes + begin + chunk->bytes, 0 };
	while (!failed && r->row < r->end) {
		struct page page;

		failed = get_page(&in, &page, chunk->codec)		   ? -1
			 : page.type == PARQUET_PAGE_DICTIONARY		   ? read_dictionary(r, &page)
			 : page.type == PARQUET_PAGE_DATA && page.n_values ? read_data(r, &page)
									   : -1;
		free(page.data);
	}
	free(r->numbers);
	free(r->texts);
	return failed;
}

/* The column that is asked for by that name; NULL: nobody wants it. */
static struct parquet_cells *wanted(const struct file *f, const struct schema_column *is,
				    const struct parquet_column **column)
{
	for (size_t i = 0; i < f->n_columns; i++) {
		*column = &f->columns[i];
		if (strlen((*column)->name) == is->name_length &&
		    !memcmp((*column)->name, is->name, is->name_length) && types[(*column)->kind] == is->type)
			return &f->table->columns[i];
	}
	return NULL;
}

static void get_chunks(struct file *f, struct varint_reader *in, struct chunk *chunks)
{
	enum thrift_type type;
	size_t n = thrift_get_list(in, &type);

	if (n != f->n_schema || type != THRIFT_STRUCT)
		in->is_bad = 1;
	for (size_t i = 0; i < n && !in->is_bad; i++)
		get_chunk(in, &chunks[i]);
}

static void read_group(struct file *f, struct varint_reader *in)
{
	struct chunk *chunks = xcalloc(f->n_schema + 1, sizeof(*chunks));
	struct thrift_field field = { 0 };
	int64_t n_rows = 0;

	while (thrift_get_field(in, field.number, &field)) {
		if (field.number == 1 && field.type == THRIFT_LIST)
			get_chunks(f, in, chunks);
		else if (field.number == 3 && field.type == THRIFT_I64)
			n_rows = thrift_get_number(in);
		else
			thrift_skip(in, field.type);
	}
	if (n_rows < 0 || n_rows > f->n_rows - (int64_t)f->n_read)
		in->is_bad = 1;
	for (size_t i = 0; i < f->n_schema && !in->is_bad; i++) {
		struct reading r = { .is_optional = f->schema[i].is_optional != 0,
				     .row = f->n_read,
				     .end = f->n_read + (size_t)n_rows };

		r.cells = wanted(f, &f->schema[i], &r.column);
		if (r.cells && read_chunk(f, &r, &chunks[i]))
			in->is_bad = 1;
	}
	f->n_read += in->is_bad ? 0 : (size_t)n_rows;
	free(chunks);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void table_make(struct file *f)
{
	struct parquet_table *table = f->table;
	size_t n = (size_t)f->n_rows + 1;

	table->n_rows = (size_t)f->n_rows;
	for (size_t i = 0; i < f->n_columns; i++) {
		struct parquet_cells *cells = &table->columns[i];

		cells->is_some = xcalloc(n, 1);
		if (f->columns[i].kind == PARQUET_TEXT)
			cells->texts = xcalloc(n, sizeof(*cells->texts));
		else if (f->columns[i].kind == PARQUET_DOUBLE)
			cells->doubles = xcalloc(n, sizeof(*cells->doubles));
		else
			cells->numbers = xcalloc(n, sizeof(*cells->numbers));
		for (size_t row = 0; cells->texts && row < n; row++)
			cells->texts[row] = "";
	}
}

/* A file of this size has no more: each column has a page for each so many rows. What is damaged
 * may ask for gigabytes else. */
static uint64_t rows_most(const struct file *f)
{
	uint64_t pages = f->size / (PAGE_LEAST * f->n_schema + 1) + 1;

	return pages < ROWS_MOST / PAGE_ROWS ? pages * PAGE_ROWS : ROWS_MOST;
}

/* Schema and number of rows come before the groups. */
static void read_footer(struct file *f, struct varint_reader *in)
{
	struct thrift_field field = { 0 };
	enum thrift_type type;

	while (thrift_get_field(in, field.number, &field)) {
		if (field.number == 2 && field.type == THRIFT_LIST) {
			get_schema(f, in);
		} else if (field.number == 3 && field.type == THRIFT_I64) {
			f->n_rows = thrift_get_number(in);
			if (!f->schema || f->n_rows < 0 || (uint64_t)f->n_rows > rows_most(f))
				in->is_bad = 1;
			else if (!f->table->n_rows && !f->table->columns->is_some)
				table_make(f);
		} else if (field.number == 4 && field.type == THRIFT_LIST && f->schema &&
			   f->table->columns->is_some) {
			for (size_t n = thrift_get_list(in, &type); n-- && !in->is_bad;)
				read_group(f, in);
		} else {
			thrift_skip(in, field.type);
		}
	}
	f->is_bad = in->is_bad || f->n_read != (size_t)f->n_rows || !f->table->columns->is_some;
}

static void read_bytes(struct file *f)
{
	const unsigned char *end = f->bytes + f->size;
	uint64_t length =
		f->size < 2 * PARQUET_MAGIC_BYTES + 4 ? UINT64_MAX : get_little(end - TAIL_BYTES, 4);
	struct varint_reader in;

	if (length > f->size - TAIL_BYTES - PARQUET_MAGIC_BYTES ||
	    memcmp(f->bytes, PARQUET_MAGIC, PARQUET_MAGIC_BYTES) != 0 ||
	    memcmp(end - PARQUET_MAGIC_BYTES, PARQUET_MAGIC, PARQUET_MAGIC_BYTES) != 0) {
		f->is_bad = 1;
		return;
	}
	in = (struct varint_reader){ end - TAIL_BYTES - length, end - TAIL_BYTES, 0 };
	read_footer(f, &in);
}

const char *parquet_read(struct parquet_table *table, const char *path, const struct parquet_column *columns,
			 size_t n)
{
	struct file f = { .table = table, .columns = columns, .n_columns = n };
	int fd = files_open(path, 0);
	struct stat status;
	void *bytes;

	*table = (struct parquet_table){ .n_columns = n, .columns = xcalloc(n, sizeof(*table->columns)) };
	if (fd < 0)
		return files_problem(errno);
	bytes = fstat(fd, &status) || !S_ISREG(status.st_mode) || !status.st_size
			? MAP_FAILED
			: mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return DAMAGED;
	f.bytes = bytes;
	f.size = (size_t)status.st_size;
	read_bytes(&f);
	free(f.schema);
	munmap(bytes, f.size);
	return f.is_bad ? DAMAGED : NULL;
}

void parquet_table_release(struct parquet_table *table)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		struct parquet_cells *cells = &table->columns[i];

		for (size_t k = 0; k < cells->n_kept; k++)
			free(cells->kept[k]);
		free(cells->kept);
		free(cells->is_some);
		free(cells->numbers);
		free(cells->doubles);
		free(cells->texts);
	}
	free(table->columns);
	*table = (struct parquet_table){ 0 };
}
