/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * util.h - what every part of the command uses: messages, memory that is never NULL, growing
 * strings, a hash map from byte strings to numbers. Messages go to stderr as "cinstr: ..."; text
 * that may come from a data file is passed through util_visible() first, so that no terminal escape
 * gets out.
 */
#ifndef REPORT_UTIL_H
#define REPORT_UTIL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses of the command. */
enum { STATUS_OK = 0, STATUS_DATA = 1, STATUS_USAGE = 2 };

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define PRINTF_LIKE(string, first) __attribute__((format(printf, string, first)))

void error(const char *format, ...) PRINTF_LIKE(1, 2);
void warning(const char *format, ...) PRINTF_LIKE(1, 2);
/* While it is 1 nothing of that is printed: where several see the same, and one tells it. */
void messages_silence(int is_silent);
/* Whose they are, where the same is done in several places: "cinstr: WHO: error: ...". NULL: not
 * said. Kept by the caller. */
void messages_are_of(const char *who);

/* For the linker they have other names: libiberty has an xrealloc, with other parameters. */
#define xcalloc util_calloc
#define xrealloc util_realloc
#define xstrdup util_strdup
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *memory, size_t n, size_t size);
char *xstrdup(const char *string);

/* A string that grows; `text` is always NUL-terminated. Zero-initialised is empty. */
struct strbuf {
	char *text;
	size_t length, size;
};
void strbuf_add(struct strbuf *buf, const char *bytes, size_t n);
void strbuf_puts(struct strbuf *buf, const char *string);
void strbuf_printf(struct strbuf *buf, const char *format, ...) PRINTF_LIKE(2, 3);
void strbuf_vprintf(struct strbuf *buf, const char *format, va_list args);
void strbuf_fill(struct strbuf *buf, char c, size_t n);
void strbuf_clear(struct strbuf *buf);
void strbuf_release(struct strbuf *buf);

/* Appends `string` with control characters and bytes that are not UTF-8 made visible (\x1b, \n).
 * `text` is never NULL behind it. */
void strbuf_visible(struct strbuf *buf, const char *string);
/* The same in a buffer that the caller frees. */
char *util_visible(const char *string);
/* Prints lines with names in them: control characters but newlines and tabs are made visible, as in
 * errors and warnings. */
void print_visible(FILE *out, const char *format, ...) PRINTF_LIKE(2, 3);

/* Appends n with thousands separators: 1,234,567. */
/* An argument as a shell takes it: in quotes, if it must be. */
void strbuf_argument(struct strbuf *buf, const char *argument);
void strbuf_thousands(struct strbuf *buf, uint64_t n);
/* Appends nanoseconds with a unit chosen for reading: 12.3 ms. */
void strbuf_duration(struct strbuf *buf, long double ns);
/* Appends a size: 1.2 MB. */
void strbuf_size(struct strbuf *buf, uint64_t bytes);

/* Byte strings to numbers, in order of insertion: the number is the count of keys before. */
struct map {
	uint32_t *slots;  /* number + 1; 0 = free */
	uint64_t *hashes; /* by number */
	char **keys;
	size_t *lengths;
	size_t n_slots, n, size;
};
#define MAP_NONE SIZE_MAX
/* The number of a key; *is_new says whether it was added by this call. */
size_t map_add(struct map *map, const void *key, size_t length, int *is_new);
size_t map_find(const struct map *map, const void *key, size_t length);
/* A copy of the string that lives as long as the map; equal strings have one copy. */
const char *map_keep(struct map *map, const char *string);
void map_release(struct map *map);

/* qsort_r that takes empty arrays. */
void util_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
	       void *arg);

/* The time of day. */
uint64_t util_realtime_ns(void);
/* CLOCK_MONOTONIC_RAW. */
uint64_t util_raw_ns(void);
/* Last component of a path. */
const char *util_basename(const char *path);
/* Writes what is still in the buffer. Returns 0, or an errno: why not all of it was written. */
int util_why_unwritten(FILE *out);
/* A plain file, or nothing yet: another file may take its place. A device, a pipe or a link is
 * written to itself. */
int util_is_replaceable(const char *path);
/* The nearest whole number: 0 for less, and for none, the largest for more. What comes of a file
 * may be anything. */
uint64_t util_rounded(long double value);
/* The same, without what stands behind the point. */
uint64_t util_whole(long double value);
int64_t util_whole_signed(long double value);
/* Columns that a UTF-8 string takes on a terminal. */
size_t util_columns(const char *string);
/* The next word of a text that is shown in lines, as strsep; "173 ms" is one. */
char *util_next_word(char **rest);
/* Bytes of the longest begin that is no wider. */
size_t util_head(const char *string, size_t columns);
/* The longest end that is no wider. */
const char *util_tail(const char *string, size_t columns);
/* The entry of names[n] that looks most like `word`, or NULL if none does. */
const char *util_closest(const char *word, const char *const *names, size_t n);

#endif
