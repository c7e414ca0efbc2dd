/* SPDX-License-Identifier: MIT */
/*
 * option.c - the options of recording, from the environment (cinstr/options.h). Read once, at attach, in a
 * constructor. Set-user-ID programs ignore the environment. A value that makes no sense gets one message naming the
 * variable, and the default is used.
 */
#include <stdlib.h>

#include "runtime.h"

#define COMPLAINT_MAX 500 /* characters of an option that is complained of */

struct option {
	const char *variable, *standard;
	const char *value;
};

static struct option options[] = {
#define ROW(id, env, flag, arg, def, help) [CINSTR_OPTION_##id] = { env, def, NULL },
	CINSTR_OPTION_TABLE(ROW)
#undef ROW
};

void options_read(void)
{
	for (unsigned i = 0; i < CINSTR_OPTION_COUNT; i++) {
		const char *value = secure_getenv(options[i].variable);

		options[i].value = value && *value ? value : options[i].standard;
	}
}

const char *option_value(enum cinstr_option option)
{
	return options[option].value;
}

void option_complain(enum cinstr_option option)
{
	struct text text = { .used = 0 };

	text_add(&text, options[option].variable);
	text_add(&text, "=");
	text_add(&text, options[option].value);
	if (text.used > COMPLAINT_MAX) {
		text.used = COMPLAINT_MAX;
		text_add(&text, "...");
	}
	text_add(&text, *options[option].standard ? "; using " : "; not heeded");
	text_add(&text, options[option].standard);
	cinstr_say("this option has no such value", text.data, 0);
	options[option].value = options[option].standard;
}

/* One of the words, separated by '|'; its index. A word not among them: complaint, and the default's. */
int option_word(enum cinstr_option option, const char *const *words)
{
	for (int round = 0; round < 2; round++) {
		for (int i = 0; words[i]; i++)
			if (string_equal(options[option].value, words[i]))
				return i;
		option_complain(option);
	}
	return 0;
}

int option_is_given(enum cinstr_option option)
{
	return options[option].value != options[option].standard;
}

/* Digits; the text behind them, or NULL: there are none, or too many. */
static const char *read_number(const char *text, uint64_t *number)
{
	const char *s = text;

	for (*number = 0; *s >= '0' && *s <= '9' && *number < UINT64_MAX / 16; s++)
		*number = *number * 10 + (uint64_t)(*s - '0');
	return s == text ? NULL : s;
}

/* A number with K, M, G or "unlimited". Returns 0: it is none. */
static int read_size(const char *text, uint64_t *value)
{
	uint64_t n;
	const char *s = read_number(text, &n);

	if (string_equal(text, "unlimited")) {
		*value = UINT64_MAX;
		return 1;
	}
	for (const char *unit = "KMG"; s && *unit; unit++) {
		unsigned shift = 10 * (unsigned)(unit - "KMG" + 1);

		if ((*s == *unit || *s == *unit + 32) && n <= UINT64_MAX >> shift) {
			n <<= shift;
			s++;
			break;
		}
	}
	if (!s || *s)
		return 0;
	*value = n;
	return 1;
}

/* As read_size. 1: given and good. */
int option_size(enum cinstr_option option, uint64_t *value)
{
	if (!read_size(options[option].value, value)) {
		option_complain(option); /* now it has its default, which is a number */
		return option_size(option, value);
	}
	return 1;
}

uint32_t option_paths(uint64_t *max)
{
	const char *text = options[CINSTR_OPTION_PATHS].value;

	if (!string_equal(text, "auto")) {
		if (read_size(text, max))
			return 0;
		option_complain(CINSTR_OPTION_PATHS);
	}
	*max = FOLD_PATHS_MAX;
	return FOLD_PATHS_EARLY;
}

void option_budget(enum cinstr_option option, int *is_ring, uint64_t *bytes)
{
	static const char ring[] = "ring:";
	const char *text = options[option].value;
	size_t n = 0;

	while (ring[n] && text[n] == ring[n])
		n++;
	*is_ring = !ring[n];
	*bytes = 0;
	if (string_equal(text, "none"))
		return;
	if (!read_size(*is_ring ? text + n : text, bytes) || (*is_ring && *bytes - 1 >= UINT64_MAX - 1)) {
		option_complain(option);
		option_budget(option, is_ring, bytes);
	}
}

int option_read_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	const char *unit = read_number(text, ns);

	for (unsigned i = 0; unit && i < sizeof(units) / sizeof(*units); i++) {
		if (!string_equal(unit, units[i].name) || *ns > UINT64_MAX / 1024 / units[i].ns)
			continue;
		*ns *= units[i].ns;
		return 1;
	}
	return 0;
}

void option_time(enum cinstr_option option, uint64_t *ns)
{
	if (option_read_time(options[option].value, ns))
		return;
	option_complain(option);
	option_time(option, ns);
}

/* Percent, with up to four decimals, as millionths; at most `most`. */
uint64_t option_millionths(enum cinstr_option option, uint64_t most)
{
	const char *s = options[option].value;
	uint64_t n = 0, unit = 10000;

	for (; *s >= '0' && *s <= '9' && n <= most; s++)
		n = n * 10 + (uint64_t)(*s - '0') * 10000;
	if (*s == '.' && s != options[option].value && s[1])
		for (s++; *s >= '0' && *s <= '9' && unit > 1; s++)
			n += (uint64_t)(*s - '0') * (unit /= 10);
	if (!*s && s != options[option].value && n <= most)
		return n;
	option_complain(option); /* now it has its default, which is good */
	return option_millionths(option, most);
}
