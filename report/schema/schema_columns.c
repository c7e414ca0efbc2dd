/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schema_columns.c - the types of the columns of rows, by the form that tables have of them. Rows
 * may be without any column, and any value may be null: of a line that was not executed, or where
 * it is not known.
 */
#include "documents.h"
#include "lib/util.h"
#include "output/column_table.h"

#define TYPE_OF_TEXT "~text?"
#define TYPE_OF_RELATION TYPE_OF_TEXT
#define TYPE_OF_NAME TYPE_OF_TEXT
#define TYPE_OF_MODULE TYPE_OF_TEXT
#define TYPE_OF_SOURCE TYPE_OF_TEXT
#define TYPE_OF_COUNT "~integer?"
#define TYPE_OF_ID TYPE_OF_COUNT
#define TYPE_OF_TIME TYPE_OF_COUNT
#define TYPE_OF_DURATION TYPE_OF_COUNT
#define TYPE_OF_PERCENT "~number?"
#define TYPE_OF_DECIMAL TYPE_OF_PERCENT

/* clang-format off */
#define HEADING(group, text, form) TYPE_OF_##form
#define MEMBER_OF(id, name, family, which, type, views, method, value, meaning) { name, type, meaning },
/* clang-format on */

const struct schema_column schema_columns[] = { COLUMN_TABLE(MEMBER_OF) };
const size_t schema_n_columns = ARRAY_SIZE(schema_columns);
