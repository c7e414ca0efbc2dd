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
/* Appends a string with control characters and invalid UTF-8 as \xNN. */
void text_add_visible(struct text *text, const char *string);
/* Returns the bytes of the UTF-8 sequence at `string` if it is printable, else 0. */
size_t text_printable(const char *string);
void text_add_number(struct text *text, int64_t number);
void text_add_hex(struct text *text, uint32_t number); /* eight digits */
/* Returns the concatenation of a, b and c. */
struct text text_of(const char *a, const char *b, const char *c);
/* Returns the length of the longest prefix of at most `most` bytes that splits no character. */
size_t text_cut(const char *string, size_t most);
size_t string_length(const char *string);
int string_equal(const char *a, const char *b);
/* Returns 1 if the first `length` characters of the string end with the suffix, else 0. */
int string_ends(const char *string, size_t length, const char *suffix);
/* Returns the characters to insert, delete, replace or swap to turn a into b, or UINT32_MAX if one
 * has more than 64. */
unsigned string_distance(const char *a, const char *b);
int glob_match(const char *glob, size_t glob_length, const char *string);

#endif
