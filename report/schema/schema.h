/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schema.h - JSON Schemas (2020-12) of what verbs print with --format=json. Columns of rows are
 * those of column_table.h; all other members are in the tables of documents.h. Nothing here reads a
 * session.
 */
#ifndef REPORT_SCHEMA_SCHEMA_H
#define REPORT_SCHEMA_SCHEMA_H

#include <stdio.h>

/* Whether the verb of this name has a schema. */
int schema_has(const char *verb);
/* Writes the schema of the verb's JSON; NULL: one that all verbs share. */
void schema_write(FILE *out, const char *verb);
/* Writes the "properties" of the outermost objects that the verb prints, with their types only. */
void schema_write_outermost(FILE *out, const char *verb);

/* Calls `visit` for each verb that has a schema. */
void schema_each_verb(void (*visit)(void *arg, const char *verb), void *arg);

#endif
