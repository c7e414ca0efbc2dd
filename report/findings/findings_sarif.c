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
static void put_text(struct sheet *sheet, const char *name, const char *text)
{
	sheet_open(sheet, name, '{', SHEET_PADDED);
	sheet_text(sheet, "text", text);
	sheet_close(sheet);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void put_rule(struct sheet *sheet, const struct finding_rule *rule)
{
	char *help = NULL;
	size_t n;
	FILE *memory = open_memstream(&help, &n);

	if (memory) {
		findings_explain_rule(memory, rule, HELP_WIDTH);
		fclose(memory);
	}
	sheet_open(sheet, NULL, '{', SHEET_LINES);
	sheet_text(sheet, "id", rule->id);
	put_text(sheet, "shortDescription", rule->title);
	put_text(sheet, "fullDescription", rule->matters);
	put_text(sheet, "help", help ? help : rule->remedy);
	sheet_close(sheet);
	free(help);
}

static void put_tool(struct sheet *sheet, const struct findings *findings)
{
	sheet_open(sheet, "tool", '{', SHEET_LINES);
	sheet_open(sheet, "driver", '{', SHEET_LINES);
	sheet_text(sheet, "name", "cinstr");
	sheet_text(sheet, "version", CINSTR_VERSION);
	sheet_open(sheet, "rules", '[', SHEET_LINES);
	for (size_t i = 0; i < findings->n; i++)
		if (is_first_of_rule(findings, i))
			put_rule(sheet, findings->list[i].rule);
	sheet_close(sheet);
	sheet_close(sheet);
	sheet_close(sheet);
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

static void put_root(struct sheet *sheet, const char *root)
{
	struct strbuf uri = { 0 };

	if (!root)
		return;
	strbuf_puts(&uri, "file://");
	put_uri_path(&uri, root);
	sheet_open(sheet, "originalUriBaseIds", '{', SHEET_LINES);
	sheet_open(sheet, ROOT, '{', SHEET_PADDED);
	sheet_text(sheet, "uri", uri.text);
	sheet_close(sheet);
	sheet_close(sheet);
	strbuf_release(&uri);
}

/* Where a file is now; below the root without it, so that the place holds on other machines. */
static void put_file(struct sheet *sheet, const char *recorded, const char *session, const char *root)
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
	sheet_open(sheet, "artifactLocation", '{', SHEET_PADDED);
	sheet_text(sheet, "uri", uri.text);
	if (is_below)
		sheet_text(sheet, "uriBaseId", ROOT);
	sheet_close(sheet);
	strbuf_release(&uri);
	free(found);
}

static void put_locations(struct sheet *sheet, const struct finding *finding, const char *root)
{
	sheet_open(sheet, "locations", '[', SHEET_LINES);
	if (finding->file) {
		sheet_open(sheet, NULL, '{', SHEET_LINES);
		sheet_open(sheet, "physicalLocation", '{', SHEET_LINES);
		put_file(sheet, finding->file, finding->session, root);
		if (finding->line) {
			sheet_open(sheet, "region", '{', SHEET_PADDED);
			sheet_count(sheet, "startLine", finding->line);
			sheet_close(sheet);
		}
		sheet_close(sheet);
		sheet_close(sheet);
	}
	sheet_close(sheet);
}

/* ---- results --------------------------------------------------------------------------------- */

static void put_result(struct sheet *sheet, const struct findings *findings, size_t i, const char *root)
{
	const struct finding *finding = &findings->list[i];
	struct strbuf message = { 0 };

	finding_put_percent(&message, finding->percent);
	strbuf_puts(&message, findings->is_sampled ? " of the samples: " : " of the run: ");
	finding_put_sentence(&message, finding);
	findings_put_gain(&message, finding);
	sheet_open(sheet, NULL, '{', SHEET_LINES);
	sheet_text(sheet, "ruleId", finding->id);
	sheet_count(sheet, "ruleIndex", rule_number(findings, i));
	sheet_text(sheet, "level", finding->percent < WARNING_LEAST ? "note" : "warning");
	sheet_decimal(sheet, "rank", finding->percent < 100 ? finding->percent : 100, 3);
	put_text(sheet, "message", message.text);
	put_locations(sheet, finding, root);
	sheet_open(sheet, "properties", '{', SHEET_LINES);
	sheet_ns(sheet, findings->is_sampled ? "time_samples" : "time_ns", finding->time);
	sheet_decimal(sheet, "percent", finding->percent, 3);
	if (finding->bound > 0)
		sheet_decimal(sheet, "bound_percent", finding->bound_percent, 3);
	if (finding->estimate_high > 0) {
		sheet_decimal(sheet, "estimate_low_percent", finding->estimate_low, 3);
		sheet_decimal(sheet, "estimate_high_percent", finding->estimate_high, 3);
	}
	if (finding->command)
		sheet_text(sheet, "command", finding->command);
	sheet_close(sheet);
	sheet_close(sheet);
	strbuf_release(&message);
}

void findings_sarif(struct sheet *sheet, const struct findings *findings)
{
	char *root = root_folder();

	sheet_open(sheet, NULL, '{', SHEET_LINES);
	sheet_text(sheet, "$schema", SCHEMA);
	sheet_text(sheet, "version", "2.1.0");
	sheet_open(sheet, "runs", '[', SHEET_LINES);
	sheet_open(sheet, NULL, '{', SHEET_LINES);
	put_tool(sheet, findings);
	put_root(sheet, root);
	sheet_open(sheet, "results", '[', SHEET_LINES);
	for (size_t i = 0; i < findings->n; i++)
		put_result(sheet, findings, i, root);
	sheet_close(sheet);
	sheet_close(sheet);
	sheet_close(sheet);
	sheet_close(sheet);
	free(root);
}
