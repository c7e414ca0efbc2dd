/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_varint.c - numbers of every length, at every distance from the end of what is read. */
#include "lib/varint.h"
#include "tests.h"

#define NUMBERS 2000

static uint64_t random_bits = 88172645463325252u;

static uint64_t random_word(void)
{
	random_bits ^= random_bits << 13;
	random_bits ^= random_bits >> 7;
	random_bits ^= random_bits << 17;
	return random_bits;
}

/* Of up to so many bits. */
static wide random_number(unsigned bits)
{
	wide n = (wide)random_word() << 64 | random_word();
	unsigned length = (unsigned)(random_word() >> 20) % (bits + 1);

	return length ? n >> (128 - length) : 0;
}

static void what_is_written_is_read(void)
{
	static const unsigned bits[] = { 7, 16, 64, 128 };
	struct strbuf text = { 0 };
	wide numbers[NUMBERS];

	for (size_t kind = 0; kind < ARRAY_SIZE(bits); kind++) {
		struct varint_reader reader = { 0 };

		strbuf_clear(&text);
		for (size_t i = 0; i < NUMBERS; i++) {
			numbers[i] = random_number(bits[kind]);
			varint_put(&text, numbers[i]);
		}
		reader.at = (const unsigned char *)text.text;
		reader.end = reader.at + text.length;
		for (size_t i = 0; i < NUMBERS; i++)
			CU_ASSERT_FATAL(varint_get(&reader) == numbers[i]);
		CU_ASSERT(reader.at == reader.end && !reader.is_bad);
		CU_ASSERT(varint_get(&reader) == 0 && reader.is_bad);
	}
	strbuf_release(&text);
}

/* Cut off anywhere, and with others behind it. */
static void one_that_has_no_end_is_bad(void)
{
	struct strbuf text = { 0 };

	for (int i = 0; i < NUMBERS; i++) {
		struct varint_reader reader = { 0 };
		wide n = random_number(128);
		size_t length;

		strbuf_clear(&text);
		varint_put(&text, n);
		length = text.length;
		for (size_t cut = 0; cut < length; cut++) {
			reader = (struct varint_reader){ (const unsigned char *)text.text,
							 (const unsigned char *)text.text + cut, 0 };
			CU_ASSERT(varint_get(&reader) == 0 && reader.is_bad && reader.at == reader.end);
		}
		for (int k = 0; k < 20; k++)
			strbuf_add(&text, "\xff", 1);
		reader = (struct varint_reader){ (const unsigned char *)text.text,
						 (const unsigned char *)text.text + text.length, 0 };
		CU_ASSERT(varint_get(&reader) == n && !reader.is_bad);
		CU_ASSERT(varint_get(&reader) == 0 && reader.is_bad);
	}
	strbuf_release(&text);
}

static void one_that_is_too_large_is_bad(void)
{
	struct strbuf text = { 0 };
	struct varint_reader reader;

	varint_put(&text, (wide)UINT64_MAX + 1);
	strbuf_add(&text, "\0\0\0\0\0\0\0\0", 8);
	reader = (struct varint_reader){ (const unsigned char *)text.text,
					 (const unsigned char *)text.text + text.length, 0 };
	varint_get64(&reader);
	CU_ASSERT(reader.is_bad);
	strbuf_clear(&text);
	varint_put(&text, (wide)UINT32_MAX + 1);
	strbuf_add(&text, "\0\0\0\0\0\0\0\0", 8);
	reader = (struct varint_reader){ (const unsigned char *)text.text,
					 (const unsigned char *)text.text + text.length, 0 };
	varint_get32(&reader);
	CU_ASSERT(reader.is_bad);
	strbuf_release(&text);
}

CU_TestInfo varint_tests[] = {
	{ "what is written is read", what_is_written_is_read },
	{ "one that has no end is bad", one_that_has_no_end_is_bad },
	{ "one that is too large is bad", one_that_is_too_large_is_bad },
	CU_TEST_INFO_NULL,
};
