/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen.c - see screen.h. Without CINSTR_NCURSES there is no ui (terminal.c says so). */
#include "screen.h"

#ifdef CINSTR_NCURSES

#define NCURSES_WIDECHAR 1
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "keys.h"
#include "terminal.h"

#define ESCAPE_MS 25 /* so soon behind Esc come the bytes of a key's sequence */

static struct {
	int is_on;
	int is_utf8;
	attr_t styles[STYLES];
} screen;

/* ---- begin and end --------------------------------------------------------------------------- */

static void choose_styles(void)
{
	const char *no_colour = getenv("NO_COLOR");
	attr_t styles[STYLES] = {
		[STYLE_PLAIN] = A_NORMAL,   [STYLE_BAR] = A_REVERSE,
		[STYLE_HEADING] = A_BOLD,   [STYLE_SORTED] = A_BOLD | A_UNDERLINE,
		[STYLE_CURSOR] = A_REVERSE, [STYLE_BOLD] = A_BOLD,
		[STYLE_DIM] = A_NORMAL,	    [STYLE_WARM] = A_NORMAL,
		[STYLE_HOT] = A_NORMAL,
	};

	memcpy(screen.styles, styles, sizeof(styles));
	if ((no_colour && *no_colour) || !has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(1, COLOR_RED, -1);
	init_pair(2, COLOR_YELLOW, -1);
	screen.styles[STYLE_HOT] = COLOR_PAIR(1);
	screen.styles[STYLE_WARM] = COLOR_PAIR(2);
	screen.styles[STYLE_DIM] = A_DIM;
}

int screen_begin(void)
{
	setlocale(LC_CTYPE, "");
	screen.is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	terminal_keep();
	if (!newterm(NULL, stdout, stdin))
		return error("ui: the terminal cannot be drawn on");
	screen.is_on = 1;
	atexit(screen_end);
	terminal_restore_on_signals();
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	choose_styles();
	curs_set(0);
	return 0;
}

void screen_end(void)
{
	if (!screen.is_on)
		return;
	endwin();
	terminal_is_restored();
	screen.is_on = 0;
}

void screen_size(unsigned *width, unsigned *height)
{
	*width = COLS > 0 ? (unsigned)COLS : 1;
	*height = LINES > 0 ? (unsigned)LINES : 1;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* In a locale that has no such characters. */
static wchar_t in_ascii(wchar_t c)
{
	static const struct {
		wchar_t of, as;
	} others[] = {
		{ 0x2248, '=' }, /* of estimates */
		{ 0x250c, '+' }, { 0x2502, '|' }, { 0x2514, '+' }, { 0x2500, '-' },
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].of == c)
			return others[i].as;
	return c < 0x80 ? c : '?';
}

/* The next character of UTF-8; what is none, byte by byte, is a question mark. */
static wchar_t next_character(const char **text)
{
	const unsigned char *at = (const unsigned char *)*text;
	unsigned n = *at < 0x80 ? 0 : *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc0 ? 1 : 4;
	wchar_t c = (wchar_t)(n ? *at & (0x3f >> n) : *at);

	*text += 1;
	for (unsigned i = 1; n < 4 && i <= n; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return '?';
		c = (c << 6) | (at[i] & 0x3f);
	}
	if (n == 4)
		return '?';
	*text += n;
	return screen.is_utf8 ? c : in_ascii(c);
}

static void put_line(const struct frame_line *line, int y, unsigned width)
{
	const char *text = line->text.text ? line->text.text : "";
	size_t columns = 0;
	attr_t style = screen.styles[line->style];

	move(y, 0);
	while (columns < width) {
		wchar_t c = *text ? next_character(&text) : ' ';
		int n = wcwidth(c);
		int is_marked = columns - line->mark_at < line->mark_n && columns >= line->mark_at;

		if (n < 0) {
			c = '?';
			n = 1;
		}
		if (columns + (size_t)n > width)
			break;
		attrset(is_marked ? screen.styles[line->mark_style] : style);
		addnwstr(&c, 1);
		columns += (size_t)n;
	}
	attrset(A_NORMAL);
}

void screen_draw(const struct frame *frame)
{
	erase();
	for (unsigned y = 0; y < frame->height; y++)
		put_line(&frame->lines[y], (int)y, frame->width);
	curs_set(frame->caret >= 0);
	if (frame->caret >= 0)
		move((int)frame->height - 1, frame->caret);
	refresh();
}

void screen_draw_anew(const struct frame *frame)
{
	clearok(stdscr, TRUE);
	screen_draw(frame);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static int is_gone(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&input, 1, 0) > 0 && input.revents & (POLLHUP | POLLERR | POLLNVAL);
}

int screen_key(void)
{
	static const struct {
		wint_t code;
		int key;
	} keys[] = {
		{ KEY_UP, PRESS_UP },	      { KEY_DOWN, PRESS_DOWN },
		{ KEY_LEFT, PRESS_LEFT },     { KEY_RIGHT, PRESS_RIGHT },
		{ KEY_PPAGE, PRESS_PAGE_UP }, { KEY_NPAGE, PRESS_PAGE_DOWN },
		{ KEY_HOME, PRESS_HOME },     { KEY_END, PRESS_END },
		{ KEY_BTAB, PRESS_TAB_BACK }, { KEY_BACKSPACE, PRESS_RUBOUT },
		{ KEY_DC, PRESS_RUBOUT },     { KEY_ENTER, PRESS_ENTER },
	};
	wint_t code;
	int kind = get_wch(&code);

	if (kind == ERR)
		return is_gone() ? PRESS_GONE : PRESS_NOTHING;
	for (size_t i = 0; kind == KEY_CODE_YES && i < ARRAY_SIZE(keys); i++)
		if (keys[i].code == code)
			return keys[i].key;
	if (kind == KEY_CODE_YES)
		return PRESS_NOTHING;
	return code == 0x7f || code == PRESS_CONTROL('h') ? PRESS_RUBOUT : (int)code;
}

#else

int screen_begin(void)
{
	return -1;
}

void screen_end(void)
{
}

void screen_size(unsigned *width, unsigned *height)
{
	*width = *height = 0;
}

void screen_draw(const struct frame *frame)
{
	(void)frame;
}

void screen_draw_anew(const struct frame *frame)
{
	(void)frame;
}

int screen_key(void)
{
	return 0;
}

#endif
