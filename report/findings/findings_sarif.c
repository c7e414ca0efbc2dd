/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_sarif.c - writes findings as SARIF 2.1.0 (OASIS), for services that show remarks beside
 * source code: rules, and results with their places. Only rules with results are written. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "findings.h"
#include "rules.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define ROOT "%SRCROOT%" /* what services take for the folder of the sources */
#define WARNING_LEAST 10 /* percent of the run; what is about less is a note */
#define HELP_WIDTH 80

/* A rule's number among those that have results is that of the first result that it has. */
static size_t rule_number(const struct findings *findings, size_t result)
{
	size_t n = 0;

	for (size_t i = 0; i < findings->n; i++) {
		size_t first = 0;

		while (findings->list[first].rule != findings->list[i].rule)
			first++;
		if (findings->list[i].rule == findings->list[result].rule)
			return n;
		n += first == i;
	}
	return n;
}

static int is_first_of_rule(const struct findings *findings, size_t result)
{
	for (size_t i = 0; i < result; i++)
		if (findings->list[i].rule == findings->list[result].rule)
			return 0;
	return 1;
}

/* Text as the member "text" of a group of its own. */
static void put_text(struct items *items, const char *name, const char *text)
{
	items_open(items, name, '{', ITEMS_PADDED);
	items_text(items, "text", text);
	items_close(items);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void put_rule(struct items *items, const struct finding_rule *rule)
{
	char *help = NULL;
	size_t n;
	FILE *memory = open_memstream(&help, &n);

	if (memory) {
		findings_explain_rule(memory, rule, HELP_WIDTH);
		fclose(memory);
	}
	items_open(items, NULL, '{', ITEMS_LINES);
	items_text(items, "id", rule->id);
	put_text(items, "shortDescription", rule->title);
	put_text(items, "fullDescription", rule->matters);
	put_text(items, "help", help ? help : rule->remedy);
	items_close(items);
	free(help);
}

static void put_tool(struct items *items, const struct findings *findings)
{
	items_open(items, "tool", '{', ITEMS_LINES);
	items_open(items, "driver", '{', ITEMS_LINES);
	items_text(items, "name", "cinstr");
	items_text(items, "version", CINSTR_VERSION);
	items_open(items, "rules", '[', ITEMS_LINES);
	for (size_t i = 0; i < findings->n; i++)
		if (is_first_of_rule(findings, i))
			put_rule(items, findings->list[i].rule);
	items_close(items);
	items_close(items);
	items_close(items);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Appends the path as a part of a URI: what has a meaning there is %-encoded. */
static void put_uri_path(struct strbuf *uri, const char *path)
{
	for (const char *at = path; *at; at++) {
		unsigned char c = (unsigned char)*at;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    strchr("/-._~", c))
			strbuf_add(uri, at, 1);
		else
			strbuf_printf(uri, "%%%02X", c);
	}
}

/* The working folder, with a / behind it; the caller frees it. NULL: it is not known. */
static char *root_folder(void)
{
	struct strbuf root = { 0 };
	char *folder = getcwd(NULL, 0);

	if (!folder)
		return NULL;
	strbuf_printf(&root, "%s%s", folder, folder[1] ? "/" : "");
	free(folder);
	return root.text;
}

static void put_root(struct items *items, const char *root)
{
	struct strbuf uri = { 0 };

	if (!root)
		return;
	strbuf_puts(&uri, "file://");
	put_uri_path(&uri, root);
	items_open(items, "originalUriBaseIds", '{', ITEMS_LINES);
	items_open(items, ROOT, '{', ITEMS_PADDED);
	items_text(items, "uri", uri.text);
	items_close(items);
	items_close(items);
	strbuf_release(&uri);
}

/* Where a file is now; below the root without it, so that the place holds on other machines. */
static void put_file(struct items *items, const char *recorded, const char *session, const char *root)
{
	char *found = names_source_path(recorded, session);
	const char *path = found ? found : recorded;
	struct strbuf uri = { 0 };
	int is_below = 0;

	path += path[0] == '.' && path[1] == '/' ? 2 : 0;
	if (*path != '/') {
		is_below = 1;
	} else if (root && !strncmp(path, root, strlen(root))) {
		path += strlen(root);
		is_below = 1;
	} else {
		strbuf_puts(&uri, "file://");
	}
	put_uri_path(&uri, path);
	items_open(items, "artifactLocation", '{', ITEMS_PADDED);
	items_text(items, "uri", uri.text);
	if (is_below)
		items_text(items, "uriBaseId", ROOT);
	items_close(items);
	strbuf_release(&uri);
	free(found);
}

static void put_locations(struct items *items, const struct finding *finding, const char *root)
{
	items_open(items, "locations", '[', ITEMS_LINES);
	if (finding->file) {
		items_open(items, NULL, '{', ITEMS_LINES);
		items_open(items, "physicalLocation", '{', ITEMS_LINES);
		put_file(items, finding->file, finding->session, root);
		if (finding->line) {
			items_open(items, "region", '{', ITEMS_PADDED);
			items_count(items, "startLine", finding->line);
			items_close(items);
		}
		items_close(items);
		items_close(items);
	}
	items_close(items);
}

/* ---- results --------------------------------------------------------------------------------- */

static void put_result(struct items *items, const struct findings *findings, size_t i, const char *root)
{
	const struct finding *finding = &findings->list[i];
	struct strbuf message = { 0 };

	finding_put_percent(&message, finding->percent);
	strbuf_puts(&message, findings->is_sampled ? " of the samples: " : " of the run: ");
	finding_put_sentence(&message, finding);
	findings_put_gain(&message, finding);
	items_open(items, NULL, '{', ITEMS_LINES);
	items_text(items, "ruleId", finding->id);
	items_count(items, "ruleIndex", rule_number(findings, i));
	items_text(items, "level", finding->percent < WARNING_LEAST ? "note" : "warning");
	items_decimal(items, "rank", finding->percent < 100 ? finding->percent : 100, 3);
	put_text(items, "message", message.text);
	put_locations(items, finding, root);
	items_open(items, "properties", '{', ITEMS_LINES);
	items_ns(items, findings->is_sampled ? "time_samples" : "time_ns", finding->time);
	items_decimal(items, "percent", finding->percent, 3);
	if (finding->bound > 0)
		items_decimal(items, "bound_percent", finding->bound_percent, 3);
	if (finding->estimate_high > 0) {
		items_decimal(items, "estimate_low_percent", finding->estimate_low, 3);
		items_decimal(items, "estimate_high_percent", finding->estimate_high, 3);
	}
	if (finding->command)
		items_text(items, "command", finding->command);
	items_close(items);
	items_close(items);
	strbuf_release(&message);
}

void findings_sarif(struct items *items, const struct findings *findings)
{
	char *root = root_folder();

	items_open(items, NULL, '{', ITEMS_LINES);
	items_text(items, "$schema", SCHEMA);
	items_text(items, "version", "2.1.0");
	items_open(items, "runs", '[', ITEMS_LINES);
	items_open(items, NULL, '{', ITEMS_LINES);
	put_tool(items, findings);
	put_root(items, root);
	items_open(items, "results", '[', ITEMS_LINES);
	for (size_t i = 0; i < findings->n; i++)
		put_result(items, findings, i, root);
	items_close(items);
	items_close(items);
	items_close(items);
	items_close(items);
	free(root);
}
