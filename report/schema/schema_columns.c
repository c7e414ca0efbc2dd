/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schema_columns.c - the types of the columns of rows. The words that column_table.h makes values
 * of are defined as the type of such a value here; columns.c defines them as functions. So a column
 * with a new word does not compile here without a type. Rows may be without any column, and any
 * value may be null: of a line that was not executed, or where it is not known.
 */
#include "documents.h"
#include "lib/util.h"
#include "output/column_table.h"

#define TEXT "~text?"
#define INTEGER "~integer?"
#define NUMBER "~number?"

/* clang-format off */
#define text(...) TEXT
#define relation_of(...) TEXT
#define spread_who(...) TEXT
#define count(...) INTEGER
#define count_or_none(...) INTEGER
#define count_if(...) INTEGER
#define calls_or_none(...) INTEGER
#define contributors(...) INTEGER
#define contributors_of(...) INTEGER
#define id_of(...) INTEGER
#define os_count(...) INTEGER
#define per_call(...) INTEGER
#define moved_bytes(...) INTEGER
#define moved_bytes_of_all(...) INTEGER
#define moved_calls(...) INTEGER
#define moved_per_call(...) INTEGER
#define allocated_bytes(...) INTEGER
#define allocations(...) INTEGER
#define allocated_own(...) INTEGER
#define allocations_own(...) INTEGER
#define allocation_mean(...) INTEGER
#define held(...) INTEGER
#define user_count(...) INTEGER
#define user_count_calls(...) INTEGER
#define time_per_count(...) NUMBER
#define ns(...) INTEGER
#define ns_or_none(...) INTEGER
#define average(...) INTEGER
#define cpu(...) INTEGER
#define extreme(...) INTEGER
#define off_cpu(...) INTEGER
#define quantile(...) INTEGER
#define spread(...) INTEGER
#define uncertainty(...) INTEGER
#define percent(...) NUMBER
#define cpu_percent(...) NUMBER
#define imbalance(...) NUMBER
#define ns_per_instruction(...) NUMBER
#define on_cpu(...) NUMBER

#define TYPE_OF(id, name, family, which, heading, views, method, value, meaning) { name, value, meaning },
/* clang-format on */

const struct schema_column schema_columns[] = { COLUMN_TABLE(TYPE_OF) };
const size_t schema_n_columns = ARRAY_SIZE(schema_columns);
