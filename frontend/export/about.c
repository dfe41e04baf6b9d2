/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/export/about.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/point.h"
#include "common/protocol/report.h"
#include "common/array/array.h"
#include "common/array/value.h"
#include "frontend/job/job.h"
#include "frontend/model/session.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

/* "3", "0:9", "0:9:2", "{1,4,9}" */
static int dim_text(const struct section_dim *x, char *out, size_t size)
{
	size_t used = 0;

	if (x->scalar)
		return snprintf(out, size, "%" PRId64, x->first);
	if (!x->vector && x->step == 1)
		return snprintf(out, size, "%" PRId64 ":%" PRId64, x->first, x->last);
	if (!x->vector)
		return snprintf(out, size, "%" PRId64 ":%" PRId64 ":%" PRId64, x->first, x->last,
				x->step);
	for (uint32_t i = 0; i < x->n && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%" PRId64 "%s", i ? "," : "{",
					 x->vector[i], i + 1 == x->n ? "}" : "");
	return (int)used;
}

const char *about_section(const char *name, char order, const struct section *s, char *out,
			  size_t size)
{
	size_t used = (size_t)snprintf(out, size, "%s", name);

	for (unsigned d = 0; d < s->ndim && used < size; d++) {
		const char *open = order != 'F' ? "[" : d ? "," : "(";
		const char *close = order != 'F' ? "]" : d + 1 == s->ndim ? ")" : "";
		char text[200];

		dim_text(&s->dim[d], text, sizeof(text));
		used += (size_t)snprintf(out + used, size - used, "%s%s%s", open, text, close);
	}
	return array_name_place(out, strlen(name));
}

static void put_axis(FILE *f, const char *words, const struct section *s, unsigned d, bool first)
{
	char text[200];

	dim_text(&s->dim[d], text, sizeof(text));
	fprintf(f, "%s%sdimension %u, %s", first ? "" : "; ", words, d + 1, text);
}

/* Which dimension goes where. */
static void put_axes(FILE *f, const struct about *a)
{
	static const char *const words[] = { "columns: ", "rows: ", "planes: ", "" };
	const struct section *s = &a->p->section;
	unsigned left = 0;
	bool first = true;

	if (a->plane) {
		if (a->row != a->col)
			put_axis(f, "rows: ", s, a->row, true);
		put_axis(f, "columns: ", s, a->col, a->row == a->col);
		fputc('\n', f);
		return;
	}
	for (unsigned d = 0; d < s->ndim; d++)
		left += !s->dim[d].scalar;
	for (unsigned d = 0; d < s->ndim; d++) {
		if (s->dim[d].scalar)
			continue;
		left--;
		put_axis(f, words[left < 3 ? left : 3], s, d, first);
		first = false;
	}
	if (!first)
		fputc('\n', f);
}

/* "point 3.B", "point 3.B [0:1], 4.B [2]" */
static void put_points(FILE *f, const struct session *s, const struct rankset *who)
{
	const struct groups *stops = job_stops(s->job);
	struct groups points = { 0 };
	char set[100];

	for (size_t i = 0; i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct rankset part = { 0 };
		struct report_stop r;
		char text[POINT_TEXT] = "before the first";

		if (report_stop_get(&r, &b))
			continue;
		if (r.point.main)
			point_format(&r.point, text);
		xrankset_copy(&part, &stops->group[i].ranks);
		xrankset_intersect(&part, who);
		if (part.n)
			xalloc_check(groups_add(&points, &part, text, strlen(text) + 1));
		rankset_clear(&part);
	}
	for (size_t i = 0; i < points.n; i++) {
		fprintf(f, "%s%s", i ? ", " : "point ", (const char *)points.group[i].blob);
		if (points.n > 1)
			fprintf(f, " %s", rankset_format(&points.group[i].ranks, set, sizeof(set)));
	}
	if (points.n)
		fputc('\n', f);
	groups_clear(&points);
}

char *about_text(const struct about *a)
{
	char section[ABOUT_SECTION], *text = NULL;
	size_t len;
	FILE *f = xmemstream(&text, &len);

	fprintf(f, "%s %s\n",
		about_section(a->p->name, (char)a->p->desc.order, &a->p->section, section,
			      sizeof(section)),
		value_type_name(a->type));
	if (a->more)
		fprintf(f, "%s\n", a->more);
	put_axes(f, a);
	if (a->p->s->job)
		put_points(f, a->p->s, a->p->who);
	xmemstream_close(f);
	return text;
}
