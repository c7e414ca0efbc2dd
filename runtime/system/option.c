/* SPDX-License-Identifier: MIT */
/*
 * option.c - the options of recording, from the environment (cinstr/options.h). Read once, at
 * attach, in a constructor. Set-user-ID programs ignore the environment. An invalid value gets one
 * message naming the variable, and the default is used.
 */
#include "runtime.h"

#define COMPLAINT_MAX 500 /* characters of an option that is complained of */

struct option {
	const char *variable, *argument, *standard;
	const char *value;
};

static struct option options[] = {
#define ROW(id, env, flag, arg, def, help) [CINSTR_OPTION_##id] = { env, arg, def, NULL },
	CINSTR_OPTION_TABLE(ROW)
#undef ROW
};

void options_read(void)
{
	for (unsigned i = 0; i < CINSTR_OPTION_COUNT; i++) {
		const char *value = libc_variable(options[i].variable);

		options[i].value = value && *value ? value : options[i].standard;
	}
}

const char *option_value(enum cinstr_option option)
{
	return options[option].value;
}

/* What could have been meant; NULL: nothing comes near. */
static const char *nearest(const char *word, const char *const *words)
{
	const char *found = NULL;
	unsigned least = (unsigned)string_length(word) / 2 + 1;

	for (; *words; words++) {
		unsigned d = string_distance(word, *words);

		if (d < least) {
			least = d;
			found = *words;
		}
	}
	return found;
}

/* Says that the value is none, what it could have been, and what is taken instead; that it has from
 * then on. */
static void complain(enum cinstr_option option, const char *meant)
{
	struct option *self = &options[option];
	struct text text = text_of(self->variable, "=", self->value);

	if (text.used > COMPLAINT_MAX) {
		text.used = COMPLAINT_MAX;
		text_add(&text, "...");
	}
	text_add(&text, ": no such value; it takes ");
	text_add(&text, self->argument);
	text_add(&text, meant ? "; did you mean " : "");
	text_add(&text, meant ? meant : "");
	text_add(&text, *self->standard ? "; using " : "; ignored");
	text_add(&text, self->standard);
	cinstr_say(text.data, NULL, 0);
	self->value = self->standard;
}

void option_complain(enum cinstr_option option)
{
	complain(option, NULL);
}

/* One of the words; its index. A word not among them: complaint, and the default's. */
int option_word(enum cinstr_option option, const char *const *words)
{
	for (int round = 0; round < 2; round++) {
		for (int i = 0; words[i]; i++)
			if (string_equal(options[option].value, words[i]))
				return i;
		complain(option, nearest(options[option].value, words));
	}
	return 0;
}

int option_is_off(void)
{
	static const char *const words[] = { "on", "1", "yes", "true", "off", "0", "no", "false", NULL };

	return option_word(CINSTR_OPTION_SWITCH, words) >= 4;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Variables that begin so and are none of the options above. */
#define PREFIX "CINSTR_"

static int begins(const char *string, const char *prefix)
{
	while (*prefix && *string == *prefix)
		string++, prefix++;
	return !*prefix;
}

static void check_name(const char *entry)
{
	static const char *const names[] = {
#define NAME(id, env, flag, arg, def, help) env,
		CINSTR_OPTION_TABLE(NAME)
#undef NAME
			CINSTR_COMMAND_VARIABLES,
		NULL
	};
	struct text name = { .used = 0 }, text;
	const char *meant;

	while (*entry && *entry != '=' && name.used < COMPLAINT_MAX) {
		char character[2] = { *entry++, '\0' };

		text_add(&name, character);
	}
	for (unsigned i = 0; names[i]; i++)
		if (string_equal(name.data, names[i]))
			return;
	meant = nearest(name.data, names);
	text = text_of(name.data, " is not a variable of cinstr", meant ? "; did you mean " : "");
	text_add(&text, meant ? meant : "");
	text_add(&text, meant ? "?" : "");
	cinstr_say(text.data, NULL, 0);
}

void options_check_names(void)
{
	for (char **entry = libc_environment(); entry && *entry; entry++)
		if (begins(*entry, PREFIX))
			check_name(*entry);
}

/* ---- values ---------------------------------------------------------------------------------- */

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

int option_paths(uint64_t *max)
{
	const char *text = options[CINSTR_OPTION_PATHS].value;

	if (!string_equal(text, "auto")) {
		if (read_size(text, max))
			return 0;
		option_complain(CINSTR_OPTION_PATHS);
	}
	*max = FOLD_PATHS_MAX;
	return 1;
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
