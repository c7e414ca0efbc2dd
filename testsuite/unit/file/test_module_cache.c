/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "file/module_cache.h"
#include "tests.h"

static struct maker maker;
static struct data data;

static const struct module *open_app(void)
{
	maker_init(&maker);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT_EQUAL_FATAL(data.modules.n, 2);
	return &data.modules.list[0];
}

static void close_app(void)
{
	data_release(&data);
	maker_release(&maker);
}

static void functions_of_the_table(void)
{
	const struct module *app = open_app();
	const struct module_function *f = module_function(app, maker_code(WORK_ENTER));

	CU_ASSERT_EQUAL(app->n_functions, 9);
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_STRING_EQUAL(f->name, "work");
	CU_ASSERT_STRING_EQUAL(f->file, "a.c");
	CU_ASSERT_STRING_EQUAL(f->comp_dir, "/src");
	CU_ASSERT_EQUAL(f->line, 20);
	CU_ASSERT_PTR_NULL(module_function(app, maker_code(WORK_EXIT)));
	CU_ASSERT_EQUAL(app->n_left_out, 4); /* quiet, tiny (once), two static functions `chosen` */
	CU_ASSERT_STRING_EQUAL(app->left_out[0].name, "quiet");
	CU_ASSERT_STRING_EQUAL(app->left_out[1].name, "tiny");
	CU_ASSERT_EQUAL(app->left_out[2].reason, CINSTR_LEFT_OUT_EXCLUDED);
	CU_ASSERT_EQUAL(module_left_out_by_choice(&app->left_out[0]), 0);
	CU_ASSERT_EQUAL(module_left_out_by_choice(&app->left_out[1]), 1);
	close_app();
}

static void sites_of_the_table(void)
{
	const struct module *app = open_app();
	const struct module_site *s = module_site(app, maker_code(MAIN_USLEEP));

	CU_ASSERT_EQUAL(app->n_sites, MAKER_SITES);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	CU_ASSERT_EQUAL(s->address, MAKER_TEXT - MAKER_BASE + 8 * MAIN_USLEEP);
	CU_ASSERT_EQUAL(module_site_instruction(s), s->address + 5);
	CU_ASSERT_STRING_EQUAL(s->callee, "usleep");
	CU_ASSERT_EQUAL(s->flags, CINSTR_SITE_SYSCALL);
	CU_ASSERT_EQUAL(s->line, 14); /* from its AFTER */
	CU_ASSERT_STRING_EQUAL(app->functions[s->function].name, "main");
	CU_ASSERT_EQUAL(module_callee_address(app, s), MAKER_LIBC + 0x20);
	s = module_site(app, maker_code(WORK_TAIL));
	CU_ASSERT_EQUAL(s->line, 23); /* from the LINE record behind it */
	CU_ASSERT_EQUAL(module_callee_address(app, s), 0);
	CU_ASSERT_PTR_NULL(module_site(app, maker_code(MAIN_POINTER))->callee);
	s = module_site(app, maker_code(LINED_82));
	CU_ASSERT_EQUAL(s->line, 82);
	CU_ASSERT_PTR_NULL(s->file);
	CU_ASSERT_EQUAL(s->n_levels, 0);
	s = module_site(app, maker_code(LINED_AGAIN));
	CU_ASSERT_EQUAL(s->line, 5);
	CU_ASSERT_STRING_EQUAL(s->file, "/abs/b.c");
	CU_ASSERT_EQUAL_FATAL(s->n_levels, 2);
	CU_ASSERT_STRING_EQUAL(app->levels[s->first_level], "helper\tb.c\t9\n");
	CU_ASSERT_STRING_EQUAL(app->levels[s->first_level + 1], "outer.isra.0\ta.c\t84\n");
	close_app();
}

static void words_for_the_fold(void)
{
	const struct fold_sites *sites;

	open_app();
	sites = &data.modules.fold_sites;
	CU_ASSERT_EQUAL(sites->n_words, (maker_code(MAKER_SITES - 1) >> 3) + 1);
	CU_ASSERT_EQUAL(sites->words[maker_code(WORK_READ) >> 3], maker_code(WORK_ENTER));
	CU_ASSERT_EQUAL(sites->words[maker_code(WORK_EXIT) >> 3], maker_code(WORK_ENTER));
	CU_ASSERT_EQUAL(sites->words[maker_code(WORK_READ_AFTER) >> 3], maker_code(WORK_READ));
	CU_ASSERT_EQUAL(sites->words[0], 0);
	close_app();
}

static void look_up_by_name_address_and_code(void)
{
	const struct module *app = open_app();

	CU_ASSERT_PTR_EQUAL(modules_by_code(&data.modules, maker_code(MAIN_ENTER)), app);
	CU_ASSERT_PTR_NULL(modules_by_code(&data.modules, 8));
	CU_ASSERT_PTR_EQUAL(modules_by_address(&data.modules, MAKER_LIBC + 5), &data.modules.list[1]);
	CU_ASSERT_PTR_NULL(modules_by_address(&data.modules, 5));
	CU_ASSERT_EQUAL(module_site_of_word(app, CINSTR_CODE_WORD(maker_code(LINED_82)))->line, 82);
	CU_ASSERT_PTR_NULL(module_site_of_word(app, MAKER_CODE_BASE + 8 * MAKER_SITES));
	CU_ASSERT_EQUAL(module_function_named(app, "rec", NULL)->line, 30);
	CU_ASSERT_PTR_NULL(module_function_named(app, "twin", NULL)); /* two of them */
	CU_ASSERT_EQUAL(module_function_named(app, "twin", "a.c")->line, 40);
	CU_ASSERT_EQUAL(module_function_named(app, "twin", "/abs/b.c")->line, 50);
	CU_ASSERT_PTR_NULL(module_function_named(app, "zzz", NULL));
	CU_ASSERT_EQUAL(module_function_at(app, MAKER_TEXT + 8 * WORK_ENTER - 4)->line, 20);
	CU_ASSERT_EQUAL(module_function_at(app, MAKER_TEXT + 8 * WORK_ENTER)->line, 20);
	CU_ASSERT_PTR_NULL(module_function_at(app, MAKER_TEXT + 8 * WORK_ENTER + 1));
	CU_ASSERT_EQUAL(module_function_at(app, MAKER_TEXT + 8 * WORK_ENTER - 8)->line,
			20); /* endbr64, alignment */
	CU_ASSERT_PTR_NULL(module_function_at(app, MAKER_TEXT + 8 * WORK_ENTER - 9));
	close_app();
}

static void open_one_of(struct data *one, struct maker *m, struct module_cache *tables)
{
	CU_ASSERT_EQUAL_FATAL(data_open_by(one, maker_write(m), &(struct data_opening){ .tables = tables }),
			      0);
}

/* A process's tables outlive it; another one's are its own if anything in them differs. */
static void tables_are_decoded_once(void)
{
	struct module_cache *tables = module_cache_new();
	struct maker m;
	struct data first, same, moved, other;
	struct cinstr_module *raw;
	const struct module *app;
	char *name;

	maker_init(&m);
	open_one_of(&first, &m, tables);
	open_one_of(&same, &m, tables);
	app = &same.modules.list[0];
	CU_ASSERT_PTR_EQUAL(app->functions, first.modules.list[0].functions);
	data_release(&first);
	CU_ASSERT_STRING_EQUAL(module_function_named(app, "rec", NULL)->file, "a.c");
	CU_ASSERT_STRING_EQUAL(module_site(app, maker_code(WORK_READ))->callee, "read");
	CU_ASSERT_STRING_EQUAL(app->levels[module_site(app, maker_code(LINED_AGAIN))->first_level],
			       "helper\tb.c\t9\n");
	CU_ASSERT_EQUAL(same.modules.fold_sites.words[maker_code(WORK_READ) >> 3], maker_code(WORK_ENTER));
	raw = (struct cinstr_module *)(void *)(m.bytes + app->offset);
	raw->code_base += 8;
	open_one_of(&moved, &m, tables);
	CU_ASSERT_EQUAL(moved.modules.list[0].functions[0].code, app->functions[0].code + 8);
	raw->code_base -= 8;
	name = memmem(m.bytes, m.n, "\0rec\0", 5);
	CU_ASSERT_PTR_NOT_NULL_FATAL(name);
	memcpy(name, "\0fec\0", 5);
	open_one_of(&other, &m, tables);
	CU_ASSERT_PTR_NOT_NULL(module_function_named(&other.modules.list[0], "fec", NULL));
	CU_ASSERT_PTR_NOT_NULL(module_function_named(app, "rec", NULL));
	data_release(&same);
	data_release(&moved);
	data_release(&other);
	module_cache_release(tables);
	maker_release(&m);
}

CU_TestInfo modules_tests[] = {
	{ "functions of the table", functions_of_the_table },
	{ "call sites of the table", sites_of_the_table },
	{ "words for the fold", words_for_the_fold },
	{ "look-up by name, address, code", look_up_by_name_address_and_code },
	{ "tables are decoded once", tables_are_decoded_once },
	CU_TEST_INFO_NULL,
};
