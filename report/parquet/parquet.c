/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parquet.c - see parquet.h: rows to column chunks, and these to a file. */
#include "parquet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "hybrid.h"
#include "lib/array.h"
#include "lib/files.h"
#include "lib/int_map.h"
#include "lib/util.h"
#include "thrift.h"

#define PAGE_ROWS 65536
#define LEVEL 2		      /* of gzip: a third larger than by level 6, and three times as fast */
#define GZIP_WINDOW (15 + 16) /* zlib: a gzip header and trailer */
#define FORMAT_VERSION 1
#define CREATED_BY "cinstr version " CINSTR_VERSION " (build cinstr)"

/* A column of the row group at hand. */
struct column {
	const struct parquet_column *is;
	void *numbers;	  /* by kind, those that there are; with a dictionary: uint32_t */
	uint8_t *is_some; /* by row, if it is optional */
	size_t n, n_rows, size, size_rows;
	struct map texts; /* the dictionary */
	struct int_map few;
	int64_t least, most;
};

/* A column chunk, as the footer has it. */
struct chunk {
	uint64_t dictionary_at, data_at; /* dictionary_at 0: it has none */
	uint64_t bytes, packed_bytes;
	uint64_t n_none;
	int64_t least, most;
	int has_range;
};

struct parquet_writer {
	char *path;
	FILE *out; /* NULL: paused */
	int error;
	uint64_t at; /* bytes written */
	struct column *columns;
	size_t n_columns;
	uint64_t n_rows, group_rows;
	struct chunk *chunks; /* n_columns of each group */
	uint64_t *rows_of;    /* each group */
	size_t n_groups, size_groups;
	struct thrift thrift;
	struct strbuf page, packed;
	z_stream stream;
};

/* ---- the file -------------------------------------------------------------------------------- */

static void fail(struct parquet_writer *w, int why)
{
	if (!w->error)
		w->error = why ? why : EIO;
}

static void put(struct parquet_writer *w, const void *bytes, size_t n)
{
	if (!w->out && !w->error) {
		w->out = files_write_by(w->path, FILES_APPEND);
		if (!w->out)
			fail(w, errno);
	}
	if (w->error || !n)
		return;
	if (fwrite(bytes, 1, n, w->out) != n)
		fail(w, errno);
	w->at += n;
}

void parquet_pause(struct parquet_writer *w)
{
	if (w->out && fclose(w->out))
		fail(w, errno);
	w->out = NULL;
}

struct parquet_writer *parquet_create(const char *path, const struct parquet_column *columns, size_t n)
{
	struct parquet_writer *w = xcalloc(1, sizeof(*w));

	w->path = xstrdup(path);
	w->columns = xcalloc(n, sizeof(*w->columns));
	w->n_columns = n;
	for (size_t i = 0; i < n; i++)
		w->columns[i].is = &columns[i];
	if (deflateInit2(&w->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		fail(w, ENOMEM);
	w->out = files_write(path);
	if (!w->out)
		fail(w, errno);
	put(w, PARQUET_MAGIC, PARQUET_MAGIC_BYTES);
	return w;
}

int parquet_failed(const struct parquet_writer *w)
{
	return w->error;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int has_dictionary(const struct column *column)
{
	return column->is->kind == PARQUET_TEXT || column->is->is_few;
}

static size_t item_bytes(const struct column *column)
{
	if (has_dictionary(column) || column->is->kind == PARQUET_INT32)
		return 4;
	return 8;
}

static void row_is(struct column *column, int is_some)
{
	if (column->is->is_optional) {
		ARRAY_ROOM(column->is_some, column->n_rows, column->size_rows, 1024);
		column->is_some[column->n_rows] = (uint8_t)is_some;
	}
	column->n_rows++;
}

static void add(struct column *column, const void *item)
{
	size_t bytes = item_bytes(column);

	if (column->n == column->size) {
		column->size = column->size ? 2 * column->size : 1024;
		column->numbers = xrealloc(column->numbers, column->size, bytes);
	}
	memcpy((char *)column->numbers + column->n++ * bytes, item, bytes);
	row_is(column, 1);
}

void parquet_none(struct parquet_writer *w, size_t number)
{
	row_is(&w->columns[number], 0);
}

void parquet_number(struct parquet_writer *w, size_t number, int64_t value)
{
	struct column *column = &w->columns[number];
	uint32_t small;
	int is_new;

	if (!column->n || value < column->least)
		column->least = value;
	if (!column->n || value > column->most)
		column->most = value;
	if (column->is->is_few) {
		small = int_map_add(&column->few, (uint64_t)value, &is_new);
		add(column, &small);
	} else if (column->is->kind == PARQUET_INT32) {
		small = (uint32_t)value;
		add(column, &small);
	} else {
		add(column, &value);
	}
}

void parquet_double(struct parquet_writer *w, size_t number, double value)
{
	add(&w->columns[number], &value);
}

void parquet_text(struct parquet_writer *w, size_t number, const char *text)
{
	struct column *column = &w->columns[number];
	uint32_t index;
	int is_new;

	if (!text) {
		row_is(column, 0);
		return;
	}
	index = (uint32_t)map_add(&column->texts, text, strlen(text), &is_new);
	add(column, &index);
}

void parquet_row_end(struct parquet_writer *w)
{
	if (++w->group_rows == PARQUET_GROUP_ROWS)
		parquet_group_end(w);
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* w->page as a gzip member in w->packed. */
static void pack(struct parquet_writer *w)
{
	z_stream *stream = &w->stream;
	size_t room;

	if (w->error)
		return;
	deflateReset(stream);
	room = deflateBound(stream, w->page.length) + 1;
	strbuf_clear(&w->packed);
	strbuf_fill(&w->packed, 0, room);
	stream->next_in = (unsigned char *)w->page.text;
	stream->avail_in = (unsigned)w->page.length;
	stream->next_out = (unsigned char *)w->packed.text;
	stream->avail_out = (unsigned)room;
	if (deflate(stream, Z_FINISH) != Z_STREAM_END)
		fail(w, ENOMEM);
	w->packed.length = room - stream->avail_out;
}

static void write_page(struct parquet_writer *w, struct chunk *chunk, int type, size_t n, int encoding)
{
	struct thrift *t = &w->thrift;

	pack(w);
	thrift_begin(t);
	thrift_i32(t, 1, type);
	thrift_i32(t, 2, (int64_t)w->page.length);
	thrift_i32(t, 3, (int64_t)w->packed.length);
	thrift_struct(t, type == PARQUET_PAGE_DATA ? 5 : 7);
	thrift_i32(t, 1, (int64_t)n);
	thrift_i32(t, 2, encoding);
	if (type == PARQUET_PAGE_DATA) {
		thrift_i32(t, 3, PARQUET_RLE); /* definition levels */
		thrift_i32(t, 4, PARQUET_RLE); /* repetition levels */
	}
	thrift_end(t);
	thrift_end(t);
	if (type == PARQUET_PAGE_DICTIONARY)
		chunk->dictionary_at = w->at;
	else if (!chunk->data_at)
		chunk->data_at = w->at;
	chunk->bytes += t->out.length + w->page.length;
	chunk->packed_bytes += t->out.length + w->packed.length;
	put(w, t->out.text, t->out.length);
	put(w, w->packed.text, w->packed.length);
}

static void put_little(struct strbuf *out, uint64_t number, unsigned n_bytes)
{
	char bytes[8];

	for (unsigned i = 0; i < n_bytes; i++)
		bytes[i] = (char)(number >> (8 * i));
	strbuf_add(out, bytes, n_bytes);
}

static size_t dictionary_size(const struct column *column)
{
	return column->is->kind == PARQUET_TEXT ? column->texts.n : column->few.n;
}

static void write_dictionary(struct parquet_writer *w, const struct column *column, struct chunk *chunk)
{
	size_t n = dictionary_size(column);

	strbuf_clear(&w->page);
	for (size_t i = 0; i < n; i++) {
		if (column->is->kind == PARQUET_TEXT) {
			FREED char *visible = util_visible(column->texts.keys[i]);
			size_t length = strlen(visible);

			put_little(&w->page, length, 4);
			strbuf_add(&w->page, visible, length);
		} else {
			put_little(&w->page, column->few.keys[i], column->is->kind == PARQUET_INT32 ? 4 : 8);
		}
	}
	write_page(w, chunk, PARQUET_PAGE_DICTIONARY, n, PARQUET_PLAIN);
}

/* Which rows have any, and how many of them do. */
static size_t put_levels(struct parquet_writer *w, const struct column *column, size_t from, size_t n)
{
	FREED uint32_t *levels = xcalloc(n + 1, sizeof(*levels));
	STRBUF(packed);
	size_t n_some = 0;

	for (size_t i = 0; i < n; i++)
		n_some += levels[i] = column->is_some[from + i];
	hybrid_put(&packed, levels, n, 1);
	put_little(&w->page, packed.length, 4);
	strbuf_add(&w->page, packed.text, packed.length);
	return n_some;
}

static void write_column(struct parquet_writer *w, const struct column *column, struct chunk *chunk)
{
	size_t bytes = item_bytes(column), given = 0;
	unsigned bits = 0;

	if (has_dictionary(column) && column->n) {
		bits = hybrid_bits((uint32_t)dictionary_size(column) - 1);
		write_dictionary(w, column, chunk);
	}
	for (size_t from = 0; from < column->n_rows; from += PAGE_ROWS) {
		size_t n = column->n_rows - from < PAGE_ROWS ? column->n_rows - from : PAGE_ROWS, n_some = n;
		const char *items = (const char *)column->numbers + given * bytes;

		strbuf_clear(&w->page);
		if (column->is->is_optional)
			n_some = put_levels(w, column, from, n);
		if (bits) {
			put_little(&w->page, bits, 1);
			hybrid_put(&w->page, (const uint32_t *)(const void *)items, n_some, bits);
		} else if (n_some) { /* the processor's order of bytes is the file's */
			strbuf_add(&w->page, items, n_some * bytes);
		}
		write_page(w, chunk, PARQUET_PAGE_DATA, n, bits ? PARQUET_RLE_DICTIONARY : PARQUET_PLAIN);
		given += n_some;
	}
	chunk->n_none = column->n_rows - column->n;
	chunk->has_range =
		column->n && (column->is->kind == PARQUET_INT32 || column->is->kind == PARQUET_INT64);
	chunk->least = column->least;
	chunk->most = column->most;
}

static void column_clear(struct column *column)
{
	column->n = column->n_rows = 0;
	map_release(&column->texts);
	int_map_release(&column->few);
	column->texts = (struct map){ 0 };
	column->few = (struct int_map){ 0 };
}

void parquet_group_end(struct parquet_writer *w)
{
	if (!w->group_rows)
		return;
	if (w->n_groups == w->size_groups) {
		w->size_groups = w->size_groups ? 2 * w->size_groups : 8;
		w->chunks = xrealloc(w->chunks, w->size_groups * w->n_columns, sizeof(*w->chunks));
		w->rows_of = xrealloc(w->rows_of, w->size_groups, sizeof(*w->rows_of));
	}
	for (size_t i = 0; i < w->n_columns; i++) {
		struct chunk *chunk = &w->chunks[w->n_groups * w->n_columns + i];

		memset(chunk, 0, sizeof(*chunk));
		write_column(w, &w->columns[i], chunk);
		column_clear(&w->columns[i]);
	}
	w->rows_of[w->n_groups++] = w->group_rows;
	w->n_rows += w->group_rows;
	w->group_rows = 0;
}

/* ---- the footer ------------------------------------------------------------------------------ */

static int physical_type(enum parquet_kind kind)
{
	static const int types[] = { PARQUET_TYPE_INT32, PARQUET_TYPE_INT64, PARQUET_TYPE_DOUBLE,
				     PARQUET_TYPE_BYTES };

	return types[kind];
}

static void put_schema(struct parquet_writer *w)
{
	struct thrift *t = &w->thrift;

	thrift_list(t, 2, THRIFT_STRUCT, w->n_columns + 1);
	thrift_item(t);
	thrift_text(t, 4, "schema");
	thrift_i32(t, 5, (int64_t)w->n_columns);
	thrift_end(t);
	for (size_t i = 0; i < w->n_columns; i++) {
		const struct parquet_column *is = w->columns[i].is;

		thrift_item(t);
		thrift_i32(t, 1, physical_type(is->kind));
		thrift_i32(t, 3, is->is_optional); /* 0: required, 1: optional */
		thrift_text(t, 4, is->name);
		if (is->kind == PARQUET_TEXT) {
			thrift_i32(t, 6, 0); /* UTF8 */
			thrift_struct(t, 10);
			thrift_struct(t, 1); /* string */
			thrift_end(t);
			thrift_end(t);
		}
		thrift_end(t);
	}
}

static void put_range(struct thrift *t, const struct chunk *chunk, enum parquet_kind kind)
{
	size_t bytes = kind == PARQUET_INT32 ? 4 : 8;

	thrift_struct(t, 12);
	thrift_i64(t, 3, (int64_t)chunk->n_none);
	if (chunk->has_range) {
		thrift_bytes(t, 5, &chunk->most, bytes);
		thrift_bytes(t, 6, &chunk->least, bytes);
	}
	thrift_end(t);
}

static void put_chunk(struct parquet_writer *w, const struct column *column, const struct chunk *chunk)
{
	struct thrift *t = &w->thrift;
	uint64_t begin = chunk->dictionary_at ? chunk->dictionary_at : chunk->data_at;

	thrift_item(t);
	thrift_i64(t, 2, 0);
	thrift_struct(t, 3);
	thrift_i32(t, 1, physical_type(column->is->kind));
	thrift_list(t, 2, THRIFT_I32, chunk->dictionary_at ? 3 : 2);
	thrift_item_number(t, PARQUET_PLAIN);
	thrift_item_number(t, PARQUET_RLE);
	if (chunk->dictionary_at)
		thrift_item_number(t, PARQUET_RLE_DICTIONARY);
	thrift_list(t, 3, THRIFT_BYTES, 1);
	thrift_item_text(t, column->is->name);
	thrift_i32(t, 4, PARQUET_CODEC_GZIP);
	thrift_i64(t, 5, (int64_t)column->n_rows);
	thrift_i64(t, 6, (int64_t)chunk->bytes);
	thrift_i64(t, 7, (int64_t)chunk->packed_bytes);
	thrift_i64(t, 9, (int64_t)chunk->data_at);
	if (chunk->dictionary_at)
		thrift_i64(t, 11, (int64_t)begin);
	put_range(t, chunk, column->is->kind);
	thrift_end(t);
	thrift_end(t);
}

static void put_group(struct parquet_writer *w, size_t group)
{
	struct chunk *chunks = &w->chunks[group * w->n_columns];
	struct thrift *t = &w->thrift;
	uint64_t bytes = 0, packed = 0;

	thrift_item(t);
	thrift_list(t, 1, THRIFT_STRUCT, w->n_columns);
	for (size_t i = 0; i < w->n_columns; i++) {
		w->columns[i].n_rows = w->rows_of[group];
		put_chunk(w, &w->columns[i], &chunks[i]);
		bytes += chunks[i].bytes;
		packed += chunks[i].packed_bytes;
	}
	thrift_i64(t, 2, (int64_t)bytes);
	thrift_i64(t, 3, (int64_t)w->rows_of[group]);
	thrift_i64(t, 5, (int64_t)(chunks[0].dictionary_at ? chunks[0].dictionary_at : chunks[0].data_at));
	thrift_i64(t, 6, (int64_t)packed);
	thrift_end(t);
}

static void put_footer(struct parquet_writer *w)
{
	struct thrift *t = &w->thrift;
	STRBUF(length);

	thrift_begin(t);
	thrift_i32(t, 1, FORMAT_VERSION);
	put_schema(w);
	thrift_i64(t, 3, (int64_t)w->n_rows);
	thrift_list(t, 4, THRIFT_STRUCT, w->n_groups);
	for (size_t i = 0; i < w->n_groups; i++)
		put_group(w, i);
	thrift_text(t, 6, CREATED_BY);
	thrift_list(t, 7, THRIFT_STRUCT, w->n_columns); /* how least and most are told */
	for (size_t i = 0; i < w->n_columns; i++) {
		thrift_item(t);
		thrift_struct(t, 1); /* as the type has it */
		thrift_end(t);
		thrift_end(t);
	}
	thrift_end(t);
	put(w, t->out.text, t->out.length);
	put_little(&length, t->out.length, 4);
	put(w, length.text, length.length);
	put(w, PARQUET_MAGIC, PARQUET_MAGIC_BYTES);
}

int parquet_close(struct parquet_writer *w, uint64_t *bytes)
{
	int why;

	parquet_group_end(w);
	put_footer(w);
	parquet_pause(w);
	deflateEnd(&w->stream);
	why = w->error;
	*bytes += w->at;
	for (size_t i = 0; i < w->n_columns; i++) {
		column_clear(&w->columns[i]);
		free(w->columns[i].numbers);
		free(w->columns[i].is_some);
	}
	free(w->columns);
	free(w->chunks);
	free(w->rows_of);
	strbuf_release(&w->thrift.out);
	strbuf_release(&w->page);
	strbuf_release(&w->packed);
	free(w->path);
	free(w);
	return why;
}
