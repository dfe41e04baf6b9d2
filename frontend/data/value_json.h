/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values as members of answers.
 */
#ifndef DVMDBG_FRONTEND_VALUE_JSON_H
#define DVMDBG_FRONTEND_VALUE_JSON_H

#include <jansson.h>

struct values;

/*
 * One element: a number, true or false, [re, im], or a text where JSON has no number for it (nan,
 * inf, large unsigned ones).
 */
json_t *value_json(unsigned type, const void *bytes);
/*
 * The groups of a quantity: ranks, kind, and values, or fields of a structure. missing: a byte per
 * element, 1 where the value is null; may be NULL.
 */
json_t *value_json_groups(const struct values *q, const unsigned char *missing);

#endif
