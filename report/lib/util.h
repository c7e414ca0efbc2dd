/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * util.h - used by every part of the command: messages, memory that is never NULL, growing strings,
 * a hash map from byte strings to numbers. Messages go to stderr as "cinstr: ..."; texts that may
 * come from a data file pass through util_visible() first, so that no terminal escapes get out.
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

/* Print an error message. Return -1, STATUS_USAGE and STATUS_DATA, for the caller to return. */
int error(const char *format, ...) PRINTF_LIKE(1, 2);
int error_usage(const char *format, ...) PRINTF_LIKE(1, 2);
int error_data(const char *format, ...) PRINTF_LIKE(1, 2);
void warning(const char *format, ...) PRINTF_LIKE(1, 2);
/* While set to 1, errors and warnings are not printed: for workers of which one reports for all. */
void messages_silence(int is_silent);
/* Sets the source of messages where the same work is done in several places: "cinstr: WHO: error:
 * ...". NULL: none. The text stays the caller's. */
void messages_are_of(const char *who);

/* Renamed for the linker: libiberty has an xrealloc with other parameters. */
#define xcalloc util_calloc
#define xrealloc util_realloc
#define xstrdup util_strdup
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *memory, size_t n, size_t size);
char *xstrdup(const char *string);
/* Declares a pointer whose memory is freed at the end of its block: FREED char *path = ...; It must
 * have a value from the beginning, NULL if it has none yet. */
#define FREED __attribute__((cleanup(util_free)))
static inline void util_free(void *pointer)
{
	void *memory;

	__builtin_memcpy(&memory, pointer, sizeof(memory));
	__builtin_free(memory);
}

/* A growing string; `text` is always NUL-terminated, and NULL until the first change.
 * Zero-initialised: empty. */
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
/* Declares an empty string that is released at the end of its block. Its text must not outlive the
 * block. */
#define STRBUF(name) struct strbuf name __attribute__((cleanup(strbuf_release))) = { 0 }

/* Appends `string` with control characters and invalid UTF-8 made visible (\x1b, \n). Afterwards
 * `text` is not NULL. */
void strbuf_visible(struct strbuf *buf, const char *string);
/* Returns a visible copy of `string`, which the caller frees. */
char *util_visible(const char *string);
/* Returns a visible copy of `string` for a message; it stays until the command ends. */
const char *util_shown(const char *string);
/* Prints lines that contain names: makes control characters other than newlines and tabs visible,
 * as in errors and warnings. */
void print_visible(FILE *out, const char *format, ...) PRINTF_LIKE(2, 3);

/* Appends an argument for a shell, quoted if necessary. */
void strbuf_argument(struct strbuf *buf, const char *argument);
/* Appends n with thousands separators: 1,234,567. */
void strbuf_thousands(struct strbuf *buf, uint64_t n);
/* Appends nanoseconds with a unit chosen for reading: 12.3 ms. */
void strbuf_duration(struct strbuf *buf, long double ns);
/* Appends a size: 1.2 MB. */
void strbuf_size(struct strbuf *buf, uint64_t bytes);

/* Maps byte strings to numbers in order of insertion: a key's number is the count of keys before
 * it. */
struct map {
	uint32_t *slots;  /* number + 1; 0: free */
	uint64_t *hashes; /* indexed by number */
	char **keys;
	size_t *lengths;
	size_t n_slots, n, size;
};
#define MAP_NONE SIZE_MAX
/* Returns the number of a key, adding it if needed; *is_new: it was added by this call. map_find()
 * returns MAP_NONE if there is no such key. */
size_t map_add(struct map *map, const void *key, size_t length, int *is_new);
size_t map_find(const struct map *map, const void *key, size_t length);
/* Returns a copy of the string that lives as long as the map. Equal strings share one copy. */
const char *map_keep(struct map *map, const char *string);
void map_release(struct map *map);

/* qsort_r() that accepts empty arrays. */
void util_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *, void *),
	       void *arg);

/* Returns the time of day, ns since 1970. */
uint64_t util_realtime_ns(void);
/* Returns CLOCK_MONOTONIC_RAW, ns. */
uint64_t util_raw_ns(void);
/* Returns CLOCK_MONOTONIC, ns. */
uint64_t util_monotonic_ns(void);
/* Whether the string ends with the suffix and has something before it. */
int util_has_suffix(const char *string, const char *suffix);
/* Returns the last component of a path. */
const char *util_basename(const char *path);
/* Flushes the stream. Returns 0, or an errno if not everything could be written. */
int util_why_unwritten(FILE *out);
/* Whether another file may replace this one: it is a regular file, or does not exist. Devices,
 * pipes and links are written directly. */
int util_is_replaceable(const char *path);
/* Returns the nearest integer: 0 for negative numbers and NaN, UINT64_MAX for larger ones. Values
 * from files may be anything. */
uint64_t util_rounded(long double value);
/* Like util_rounded(), but truncates. */
uint64_t util_whole(long double value);
int64_t util_whole_signed(long double value);
/* Returns the number of columns that a UTF-8 string takes on a terminal. */
size_t util_columns(const char *string);
/* Returns the next word of a text that is wrapped, like strsep(). A number and its unit ("173 ms")
 * are one word. */
char *util_next_word(char **rest);
/* Returns the length in bytes of the longest prefix that is at most `columns` wide. */
size_t util_head(const char *string, size_t columns);
/* Returns the longest suffix that is at most `columns` wide. */
const char *util_tail(const char *string, size_t columns);
/* Returns the entry of names[n] that is closest to `word`, or NULL if none is close. */
const char *util_closest(const char *word, const char *const *names, size_t n);

#endif
