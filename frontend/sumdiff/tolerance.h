/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How equal two numbers have to be, from the settings COMPARE, Exp and RelCompareMin.
 */
#ifndef DVMDBG_FRONTEND_TOLERANCE_H
#define DVMDBG_FRONTEND_TOLERANCE_H

#include <stddef.h>

#include "common/checksum/sum.h"
#include "frontend/sumdiff/compare.h"

struct err;
struct settings;

/* For elements of the type; Exp "auto" is 1e-9 for double, 1e-4 for float. */
struct sum_tolerance tolerance_of(const struct settings *set, unsigned type);
/* The same for a comparison of whole runs. */
struct compare_tolerance tolerance_compare(const struct settings *set);
/*
 * Changes tol as text says: "exact", "1e-6", "relative:1e-6", "absolute:0.1". A number alone keeps
 * the kind; after exact it is relative. The error shows what is allowed.
 */
int tolerance_parse(const char *text, struct sum_tolerance *tol, struct err *err);
/* "1e-09 relative", "0.0001 absolute", "exact"; returns out. */
const char *tolerance_text(const struct sum_tolerance *tol, char *out, size_t size);
/* "relative", "absolute", "exact" */
const char *tolerance_mode(const struct sum_tolerance *tol);

#endif
