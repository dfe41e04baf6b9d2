/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/sumdiff/sumdiff.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "common/core/parse.h"
#include "frontend/settings/settings.h"

static const char *const modes[] = { [SUM_ABSOLUTE] = "absolute",
				     [SUM_RELATIVE] = "relative",
				     [SUM_EXACT] = "exact",
				     [SUM_SCALED] = "scaled" };

/* The mode that the first len characters name; -1: none. */
static int mode_find(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strlen(modes[i]) == len && !strncasecmp(text, modes[i], len))
			return (int)i;
	return -1;
}

struct sum_tolerance tolerance_of(const struct settings *set, unsigned type)
{
	const char *mode = settings_text(set, "COMPARE");
	int found = mode_find(mode, strlen(mode));
	struct sum_tolerance tol = { .mode = found < 0 ? SUM_SCALED : (enum sum_mode)found };
	bool exp = !parse_real(settings_text(set, "Exp"), 0, DBL_MAX, &tol.exp);
	bool least = !parse_real(settings_text(set, "RelCompareMin"), 0, DBL_MAX, &tol.rel_min);

	if (tol.mode == SUM_SCALED && (exp || least))
		tol.mode = SUM_RELATIVE;
	if (settings_is(set, "StrictCompare", "ON"))
		tol.mode = SUM_EXACT;
	if (!exp)
		tol.exp = type == VALUE_FLOAT || type == VALUE_FCOMPLEX ? TOLERANCE_FLOAT
									: TOLERANCE_DOUBLE;
	if (!least)
		tol.rel_min = 1;
	return tol;
}

struct compare_tolerance tolerance_compare(const struct settings *set)
{
	struct sum_tolerance tol = tolerance_of(set, VALUE_DOUBLE);
	struct compare_tolerance out = { .mode = tol.mode, .exp = -1, .rel_min = tol.rel_min };

	/* else by the type of each array */
	if (!parse_real(settings_text(set, "Exp"), 0, DBL_MAX, &tol.exp))
		out.exp = tol.exp;
	return out;
}

struct trace_tolerance tolerance_trace(const struct settings *set)
{
	const struct compare_tolerance tol = tolerance_compare(set);

	return (struct trace_tolerance){ .mode = (uint8_t)tol.mode,
					 .exp = tol.exp,
					 .rel_min = tol.rel_min };
}

int tolerance_parse(const char *text, struct sum_tolerance *tol, struct err *err)
{
	size_t len = strcspn(text, ":");
	int mode = mode_find(text, len);

	if (mode == SUM_EXACT && !text[len]) {
		tol->mode = SUM_EXACT;
		return 0;
	}
	if (mode >= 0 && mode != SUM_EXACT && text[len] &&
	    !parse_real(text + len + 1, 0, DBL_MAX, &tol->exp)) {
		tol->mode = (enum sum_mode)mode;
		return 0;
	}
	if (!parse_real(text, 0, DBL_MAX, &tol->exp)) {
		tol->mode = tol->mode == SUM_EXACT ? SUM_SCALED : tol->mode;
		return 0;
	}
	return err_set(err,
		       "the tolerance '%.100s' is not understood: exact, a number as 1e-6, "
		       "scaled:1e-6, relative:1e-6 or absolute:1e-6 are allowed",
		       text);
}

const char *tolerance_text(const struct sum_tolerance *tol, char *out, size_t size)
{
	if (tol->mode == SUM_EXACT)
		snprintf(out, size, "exact");
	else if (tol->mode == SUM_SCALED)
		snprintf(out, size, "%.4g of its block's largest value", tol->exp);
	else if (tol->mode == SUM_RELATIVE)
		snprintf(out, size, "%.4g of the larger of both values and %.4g", tol->exp,
			 tol->rel_min);
	else
		snprintf(out, size, "%.4g absolute", tol->exp);
	return out;
}

const char *tolerance_mode(const struct sum_tolerance *tol)
{
	return modes[tol->mode];
}
