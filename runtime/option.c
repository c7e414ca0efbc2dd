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

/* A number with K, M, G or "unlimited". 1: given and good. */
int option_size(enum cinstr_option option, uint64_t *value)
{
	const char *s = options[option].value;
	uint64_t n = 0;

	if (string_equal(s, "unlimited")) {
		*value = UINT64_MAX;
		return 1;
	}
	for (; *s >= '0' && *s <= '9' && n < UINT64_MAX / 16; s++)
		n = n * 10 + (uint64_t)(*s - '0');
	for (const char *unit = "KMG"; s != options[option].value && *unit; unit++) {
		if (*s == *unit || *s == *unit + 32) {
			n <<= 10 * (unit - "KMG" + 1);
			s++;
			break;
		}
	}
	if (*s || s == options[option].value) {
		option_complain(option); /* now it has its default, which is a number */
		return option_size(option, value);
	}
	*value = n;
	return 1;
}
