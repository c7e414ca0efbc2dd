/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_ui.c - cinstr ui: shows a session in the terminal. */
#include <stdlib.h>

#include "browser.h"
#include "messages.h"
#include "places.h"
#include "screen.h"
#include "terminal.h"

struct ui_options {
	int newer;
	struct view_options view;
};

static const struct option ui_options[] = {
	{ "newer", 0, OPTION_FLAG, NULL, offsetof(struct ui_options, newer),
	  "also the text of sources that are newer than the module or the recording", NULL },
	MEASURE_OPTION(struct ui_options, view.measure),
	SET_OPTION(struct ui_options, view),
	READING_OPTIONS(struct ui_options, view),
};

/* What is being looked at. */
struct looking {
	const struct ui_options *options;
	struct counting counting;
	struct selection narrow; /* what of the session is read, if is_narrow */
	int is_narrow, is_on, was_shown;
	int measure;		       /* enum measure_choice */
	int is_measure_new;	       /* since the last look */
	unsigned tab;		       /* where one was */
	struct strbuf words;	       /* "thread 123" */
	struct strbuf process, thread; /* that it is narrowed to, by number */
	const char *note;	       /* to be said when it is shown; NULL: nothing */
	struct ui_session session;
	struct browser browser;
	struct places places; /* where one was before it was read again */
	int has_places;
	enum browser_wish wish;
};

/* In the last line, before something that may take a while. */
static void busy(void *arg, const char *what)
{
	struct browser *browser = &((struct looking *)arg)->browser;

	if (!browser->frame.lines)
		return;
	strbuf_puts(&frame_line(&browser->frame, browser->frame.height - 1, STYLE_BOLD)->text, what);
	screen_draw(&browser->frame);
}

static void browse(struct browser *browser)
{
	while (!browser->wish || browser->wish == WISH_REDRAW) {
		unsigned width, height;

		screen_size(&width, &height);
		browser_resize(browser, width, height);
		browser_draw(browser);
		(browser->wish ? screen_draw_anew : screen_draw)(&browser->frame);
		browser->wish = WISH_NONE;
		for (int key = screen_key(); key; key = PRESS_NOTHING)
			if (key == PRESS_GONE)
				browser->wish = WISH_QUIT;
			else
				browser_key(browser, key);
	}
}

/* The session has been read. */
static int show(struct view *view, void *arg)
{
	struct looking *looking = arg;
	struct ui_session *session = &looking->session;
	/* First the summary; of one thread or process what it calls. */
	unsigned width, height, tab = looking->is_on || view->executed ? TAB_FUNCTIONS : TAB_SUMMARY;

	if (looking->is_measure_new && (looking->tab != TAB_SUMMARY || !view->executed))
		tab = looking->tab;
	looking->is_measure_new = 0;

	if (!looking->is_on && (messages_begin() || screen_begin()))
		return STATUS_DATA;
	looking->is_on = 1;
	session->view = view;
	session->newer = looking->options->newer;
	session->busy = busy;
	session->busy_arg = looking;
	if (selection_rows(&session->options->selection, session->functions))
		return STATUS_DATA;
	screen_size(&width, &height);
	browser_init(&looking->browser, session, width, height);
	looking->browser.narrowed = looking->is_narrow ? looking->words.text : NULL;
	looking->was_shown = 1;
	if (looking->note)
		browser_say(&looking->browser, "%s", looking->note);
	looking->note = NULL;
	if (looking->has_places) {
		places_restore(&looking->places, &looking->browser);
		tab = looking->browser.tab;
		places_release(&looking->places);
	}
	browser_go_to_tab(&looking->browser, tab);
	browse(&looking->browser);
	looking->has_places = looking->browser.wish == WISH_RELOAD;
	if (looking->has_places)
		places_keep(&looking->places, &looking->browser);
	looking->wish = looking->browser.wish;
	looking->tab = looking->browser.tab;
	return STATUS_OK;
}

/* Reads the session, and has it looked at. Returns the exit status. */
static int look(struct looking *looking, const char *path)
{
	struct ui_session *session = &looking->session;
	struct view_options options = looking->options->view;
	struct profile *profiles[4];
	int status;

	if (looking->is_narrow)
		options.selection = looking->narrow;
	options.measure = looking->measure;
	ui_session_init(session, &options, &looking->counting);
	profiles[0] = session->functions;
	profiles[1] = session->threads;
	profiles[2] = session->processes;
	profiles[3] = session->paths;
	looking->wish = WISH_QUIT;
	looking->was_shown = 0;
	status = view_read(path, &options, profiles, ARRAY_SIZE(profiles), show, looking);
	if (!looking->was_shown && looking->is_measure_new && looking->measure == MEASURE_INSTRUCTIONS) {
		looking->wish = WISH_MEASURE;
		looking->note = "No instructions were counted: build with -fplugin-arg-cinstr-instructions";
	} else if (!looking->was_shown && looking->is_narrow) {
		looking->wish = WISH_WIDEN;
		looking->note = "It cannot be shown alone any more";
	}
	return status;
}

static void change_measure(struct looking *looking)
{
	looking->measure = looking->measure == MEASURE_TIME ? MEASURE_INSTRUCTIONS : MEASURE_TIME;
	looking->is_measure_new = 1;
}

static void look_release(struct looking *looking)
{
	if (looking->browser.session)
		browser_release(&looking->browser);
	looking->browser = (struct browser){ 0 };
	ui_session_release(&looking->session);
}

/* Only one thread or process from now on, or everything again. */
static void narrow(struct looking *looking)
{
	const struct browser *browser = &looking->browser;

	if (looking->is_narrow)
		selection_release(&looking->narrow);
	looking->is_narrow = looking->wish == WISH_NARROW;
	if (!looking->is_narrow)
		return;
	strbuf_clear(&looking->words);
	strbuf_clear(&looking->process);
	strbuf_clear(&looking->thread);
	strbuf_printf(&looking->process, browser->twin ? "%u#%u" : "%u", browser->pid, browser->twin + 1);
	strbuf_printf(&looking->thread, "%u", browser->tid);
	if (browser->tid)
		strbuf_printf(&looking->words, "thread %u%s", browser->tid, browser->twin ? " of " : "");
	if (!browser->tid || browser->twin)
		strbuf_printf(&looking->words, "process %s", looking->process.text);
	looking->narrow = looking->options->view.selection;
	looking->narrow.state = NULL;
	looking->narrow.file = looking->narrow.save = NULL;
	if (browser->pid)
		looking->narrow.processes = looking->process.text;
	if (browser->tid)
		looking->narrow.threads = looking->thread.text;
	selection_check(&looking->narrow);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct ui_options options = { .view.os_events = "default" };
	struct looking looking = { .options = &options };
	int n_operands, status;
	enum options_result result = options_parse(command, argc, argv, &options, &n_operands);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? STATUS_OK : STATUS_USAGE;
	if (view_counting(command, &options.view, &looking.counting) || terminal_check())
		return STATUS_USAGE;
	looking.measure = options.view.measure;
	do {
		status = look(&looking, n_operands ? argv[1] : NULL);
		if (looking.wish == WISH_NARROW || looking.wish == WISH_WIDEN)
			narrow(&looking);
		else if (looking.wish == WISH_MEASURE)
			change_measure(&looking);
		look_release(&looking);
	} while (looking.wish != WISH_QUIT);
	screen_end();
	messages_end();
	if (looking.has_places)
		places_release(&looking.places);
	if (looking.is_narrow)
		selection_release(&looking.narrow);
	strbuf_release(&looking.words);
	strbuf_release(&looking.process);
	strbuf_release(&looking.thread);
	selection_release(&options.view.selection);
	return status;
}

static const struct absent_options absent[] = {
	{ "limit", "all rows are there: scroll, or filter with the key f" },
	{ "sort", "the keys < and > sort, s takes a name, i turns the order round" },
	{ "columns", "the key v and --view=cpu, full or os choose them; cinstr report --columns prints any" },
	{ "width color no-pager", "it is as wide as the terminal, and has its colours" },
	{ "format output verbose", "it is to be looked at; cinstr report --format=csv -o FILE writes" },
	{ NULL, NULL },
};

const struct command command_ui = {
	.name = "ui",
	.operands = "[FOLDER | FILE]",
	.summary = "Browses a session in the terminal: functions, call tree, callers, sources,\n"
		   "threads, processes, findings (default: cinstr.data).",
	OPTIONS_OF(ui_options),
	.max_operands = 1,
	.notes = "Keys are those of perf report and less; ? lists them. Up and down, Enter goes on, Left and "
		 "q go\n"
		 "back, Tab is the next view, / searches, < and > sort, a shows the source, c the callers.\n"
		 "Values and marks are those of report, tree, callers and annotate. Needs a terminal of at\n"
		 "least 20 x 6 that can place the cursor.\n",
	.examples = "  cinstr ui                     the last session\n"
		    "  cinstr ui old.data            another one\n"
		    "  cinstr ui --just-my-code      calls among system libraries left out\n",
	.absent = absent,
	.run = run,
};
