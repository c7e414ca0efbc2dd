/* SPDX-License-Identifier: MIT */
/* text.h - strings without libc: a buffer that is cut off when it is full, comparison, globs. */
#ifndef CINSTR_TEXT_H
#define CINSTR_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
	char data[1400];
	unsigned used;
};
void text_add(struct text *text, const char *string);
/* The same; control characters, and what is not UTF-8, as \xNN. */
void text_add_visible(struct text *text, const char *string);
/* Bytes of the UTF-8 sequence at `string` if it is a printable one; 0 otherwise. */
size_t text_printable(const char *string);
void text_add_number(struct text *text, int64_t number);
void text_add_hex(struct text *text, uint32_t number); /* eight digits */
/* a, b and c one behind another. */
struct text text_of(const char *a, const char *b, const char *c);
/* Length of the longest part that has at most `most` bytes and no character cut in two. */
size_t text_cut(const char *string, size_t most);
size_t string_length(const char *string);
int string_equal(const char *a, const char *b);
/* Do the first `length` characters of the string end with the suffix? */
int string_ends(const char *string, size_t length, const char *suffix);
/* Characters to insert, delete, replace or swap to make one of the other; UINT32_MAX: one has more
 * than 64. */
unsigned string_distance(const char *a, const char *b);
int glob_match(const char *glob, size_t glob_length, const char *string);

#endif
