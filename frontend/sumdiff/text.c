/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/sumdiff/internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/protocol/point_sums.h"
#include "common/array/value.h"
#include "frontend/util/xalloc.h"

#define ID_TEXT 600
#define NUMBER_TEXT 40
#define WHEN_TEXT (POINT_TEXT + 60)
#define GROUPS_TOLD 8

static char *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *text(const char *fmt, ...)
{
	va_list ap;
	char *out;

	va_start(ap, fmt);
	out = xvasprintf(fmt, ap);
	va_end(ap);
	return out;
}

/* ("u", "heat.c", 31, 0, "rw"): the identifier with the access; returns out. */
static const char *id_with_access(const struct sums_array *a, char out[ID_TEXT])
{
	static const char *const words[] = { "rw", "r", "w", "rw" };
	size_t len;

	sums_array_id(a, out, ID_TEXT);
	len = strlen(out);
	if (len && out[len - 1] == ')')
		snprintf(out + len - 1, ID_TEXT - len + 1, ", \"%s\")",
			 words[a->flags & (POINT_SUMS_READ | POINT_SUMS_WRITE)]);
	return out;
}

/* Both as short as distinguishes them, 6 digits at least. */
static void two_numbers(double a, double b, char x[NUMBER_TEXT], char y[NUMBER_TEXT])
{
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(x, NUMBER_TEXT, "%.*g", digits, a);
		snprintf(y, NUMBER_TEXT, "%.*g", digits, b);
		if (strcmp(x, y))
			return;
	}
	snprintf(x, NUMBER_TEXT, "%.6g", a);
	snprintf(y, NUMBER_TEXT, "%.6g", b);
}

static void two_means(const struct mismatch *m, char x[2 * NUMBER_TEXT + 4],
		      char y[2 * NUMBER_TEXT + 4])
{
	char re[2][NUMBER_TEXT], im[2][NUMBER_TEXT];

	two_numbers(m->ref[0], m->now[0], re[0], re[1]);
	two_numbers(m->ref[1], m->now[1], im[0], im[1]);
	snprintf(x, 2 * NUMBER_TEXT + 4, m->plan.parts > 1 ? "(%s,%s)" : "%s", re[0], im[0]);
	snprintf(y, 2 * NUMBER_TEXT + 4, m->plan.parts > 1 ? "(%s,%s)" : "%s", re[1], im[1]);
}

static bool same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* Why they differ all the same when their means look equal; "" else. */
static const char *why_equal(const struct mismatch *m, char out[120])
{
	*out = '\0';
	if (!same_number(m->ref[0], m->now[0]) || !same_number(m->ref[1], m->now[1]))
		return out;
	if (m->plan.blocks > 1)
		snprintf(out, 120, " (the means are equal, %u of %u blocks differ)", m->diff.differ,
			 m->plan.blocks);
	else
		snprintf(out, 120, " (the means are equal, the elements are not)");
	return out;
}

static const char *previous_text(const struct mismatch *m, char out[POINT_TEXT])
{
	if (!m->previous.main)
		return strcpy(out, "absent");
	return point_format(&m->previous, out);
}

/* "at the point 6.E"; returns out. */
static const char *when_text(const struct mismatch *m, char out[WHEN_TEXT])
{
	char point[POINT_TEXT];

	if (m->gone && m->last.main)
		snprintf(out, WHEN_TEXT, "when it was forgotten or freed, after the last point %s",
			 point_format(&m->last, point));
	else if (m->gone)
		snprintf(out, WHEN_TEXT, "when it was forgotten or freed, before the point %s",
			 point_format(&m->point, point));
	else if (m->finish && m->last.main)
		snprintf(out, WHEN_TEXT, "at the end of the program, after the last point %s",
			 point_format(&m->last, point));
	else if (m->finish)
		snprintf(out, WHEN_TEXT, "at the end of the program, which has no point");
	else
		snprintf(out, WHEN_TEXT, "at the point %s", point_format(&m->point, point));
	return out;
}

char *compare_value_text(const struct mismatch *m)
{
	char id[ID_TEXT], ref[2 * NUMBER_TEXT + 4], now[2 * NUMBER_TEXT + 4], why[120];
	char at[WHEN_TEXT], previous[POINT_TEXT];

	two_means(m, ref, now);
	return text("Different checksums for array %s: %s != %s%s %s; previous correct "
		    "point is %s",
		    id_with_access(&m->id, id), ref, now, why_equal(m, why), when_text(m, at),
		    previous_text(m, previous));
}

/* One number in full. */
static void number_text(const struct sum_result *r, unsigned part, char out[VALUE_TEXT])
{
	const struct sum_numbers *n = &r->all.part[part];
	struct value v = { .class = VALUE_IS_REAL, .re = sum_mean(r, part) };

	if (r->plan.parts == 1 && n->least <= n->most)
		v = sum_key_value(&r->plan, n->least);
	value_format(r->plan.parts == 1 ? r->plan.type : VALUE_DOUBLE, &v, 0, out);
}

const char *compare_sum_text(const struct sum_result *r, char *out, size_t size)
{
	char re[VALUE_TEXT], im[VALUE_TEXT];

	if (!r)
		snprintf(out, size, "?");
	else if (r->plan.total != 1 && r->plan.parts > 1)
		snprintf(out, size, "mean (%.17g,%.17g)", sum_mean(r, 0), sum_mean(r, 1));
	else if (r->plan.total != 1)
		snprintf(out, size, "mean %.17g", sum_mean(r, 0));
	else if (r->plan.parts > 1) {
		number_text(r, 0, re);
		number_text(r, 1, im);
		snprintf(out, size, "(%s,%s)", re, im);
	} else {
		number_text(r, 0, re);
		snprintf(out, size, "%s", re);
	}
	return out;
}

/* The groups: "[0:2] 0.5, [3] 0.75"; to be freed. */
static char *groups_text(const struct groups *d)
{
	size_t size = 0;
	char *out = NULL;
	FILE *f = xmemstream(&out, &size);

	for (size_t i = 0; i < d->n && i < GROUPS_TOLD; i++) {
		struct sum_result *r = compare_copy(&d->group[i]);
		char ranks[128], value[VALUE_TEXT];

		fprintf(f, "%s%s %s", i ? ", " : "",
			rankset_format(&d->group[i].ranks, ranks, sizeof(ranks)),
			compare_sum_text(r, value, sizeof(value)));
		sum_result_destroy(r);
	}
	if (d->n > GROUPS_TOLD)
		fprintf(f, " and %zu more", d->n - GROUPS_TOLD);
	xmemstream_close(f);
	return out;
}

char *compare_copies_text(const struct mismatch *m)
{
	char id[ID_TEXT], at[WHEN_TEXT], wrong[128], value[VALUE_TEXT];
	char *groups = groups_text(&m->copies), *truth = NULL, *out = NULL;

	if (groups && m->truth)
		truth = text("; the reference has %s, so %s %s wrong",
			     compare_sum_text(m->truth, value, sizeof(value)),
			     rankset_format(&m->wrong, wrong, sizeof(wrong)),
			     rankset_count(&m->wrong) == 1 ? "is" : "are");
	if (groups && (truth || !m->truth))
		out = text("Instances of replicated array %s do not match %s: %s%s",
			   sums_array_id(&m->id, id, sizeof(id)), when_text(m, at), groups,
			   truth ? truth : "");
	free(groups);
	free(truth);
	return out;
}

char *compare_parts_text(const struct mismatch *m, const char *why)
{
	char id[ID_TEXT], at[POINT_TEXT], previous[POINT_TEXT];

	return text("Array %s at the point %s: %s. The reference has each once; previous correct "
		    "point is %s",
		    sums_array_id(&m->id, id, sizeof(id)), point_format(&m->point, at),
		    why ? why : "", previous_text(m, previous));
}

/* "double 40 x 40"; returns out. */
static const char *plan_text(const struct sum_plan *p, char out[200])
{
	size_t used = (size_t)snprintf(out, 200, "%s", value_type_name(p->type));

	for (unsigned d = 0; d < p->ndim && used < 200; d++)
		used += (size_t)snprintf(out + used, 200 - used, "%s%lld", d ? " x " : " ",
					 (long long)p->extent[d]);
	return out;
}

char *compare_shape_text(const struct mismatch *m, const struct sum_plan *ref,
			 const struct sum_plan *now)
{
	char id[ID_TEXT], at[WHEN_TEXT], here[200], there[200];

	sums_array_id(&m->id, id, sizeof(id));
	when_text(m, at);
	plan_text(now, here);
	plan_text(ref, there);
	if (!strcmp(here, there))
		return text("Array %s has other bounds, or another distribution, %s than "
			    "in the reference",
			    id, at);
	return text("Array %s is %s %s, but %s in the reference", id, here, at, there);
}

char *compare_absent_text(const struct mismatch *m, bool here)
{
	char id[ID_TEXT], at[POINT_TEXT];

	return text(here ? "Array %s was not found at the point %s in the reference"
			 : "Array %s was not found at the point %s, but the reference has it",
		    sums_array_id(&m->id, id, sizeof(id)), point_format(&m->point, at));
}

char *compare_construct_text(const struct sums_point *ref, const struct sums_point *now)
{
	char at[POINT_TEXT];

	point_format(&now->point, at);
	if (!ref)
		return text(
			"at the point %s there is the %s %s, but the reference has no such point",
			at, construct_words(now->kind), now->where);
	return text("at the point %s there is the %s %s, but the %s %s in the reference", at,
		    construct_words(now->kind), now->where, construct_words(ref->kind), ref->where);
}

char *compare_ended_text(const struct point *last, const struct sums_point *ref)
{
	char here[POINT_TEXT], next[POINT_TEXT];

	return text("the run ended %s%s, the reference goes on with the %s %s at the point %s",
		    last->main ? "after " : "before any point",
		    last->main ? point_format(last, here) : "", construct_words(ref->kind),
		    ref->where, point_format(&ref->point, next));
}
