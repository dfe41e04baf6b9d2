/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values as they are typed and shown: a single number, without names and operators. What is no
 * literal may still be an expression (common/expr/expr.h).
 */
#ifndef DVMDBG_FRONTEND_LITERAL_H
#define DVMDBG_FRONTEND_LITERAL_H

#include <stdbool.h>

#include "common/array/value.h"

/*
 * The whole text, for something of that type (enum value_type): "12", "-0", "1d-3", "nan", "-inf",
 * "true", "(1, 2)", "1+2i". False: it is none of these.
 */
bool literal_parse(const char *text, unsigned type, struct value *out);
/* A text that is read as the same value again; returns out. */
const char *literal_text(unsigned type, const struct value *v, char out[VALUE_TEXT]);
/* What may be typed for that type, for refusals: "a number, nan, inf, …". */
const char *literal_allowed(unsigned type);

#endif
