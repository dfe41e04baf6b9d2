/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system trace as a time line: a row for each rank, as an answer. */
#include "frontend/traceview/traceview.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/core/err.h"
#include "common/logical/rankset.h"
#include "frontend/model/session.h"
#include "frontend/output/outcome.h"
#include "frontend/output/output.h"
#include "frontend/util/xalloc.h"

/* Seconds since the first call, as a time; 0 … the last. */
static uint64_t time_of(const struct traceview_calls *c, double seconds)
{
	double ns = seconds * 1e9, most = (double)(c->last - c->first);

	return c->first + (uint64_t)(ns < 0 ? 0 : ns > most ? most : ns);
}

/* Kinds of calls that rows show. */
static json_t *legend(const bool seen[TRACEVIEW_KINDS])
{
	json_t *list = json_array();

	for (unsigned k = 0; k < TRACEVIEW_KINDS; k++) {
		char letter[2] = { traceview_kind_letter(k), '\0' };

		if (seen[k])
			json_array_append_new(list, json_pack("{s:s s:s}", "letter", letter,
							      "words", traceview_kind_words(k)));
	}
	return list;
}

static json_t *rows(const struct traceview_calls *c, const struct rankset *ranks, uint64_t from,
		    uint64_t to, uint32_t width, bool seen[TRACEVIEW_KINDS])
{
	char *row = xmalloc(width + 1);
	uint8_t *kind = xmalloc(width + 1);
	json_t *list = json_array();

	for (size_t i = 0; i < c->nrank; i++) {
		const struct traceview_rank *r = &c->rank[i];

		if (ranks->n && !rankset_has(ranks, r->rank))
			continue;
		traceview_row(c, r, from, to, width, row, kind);
		for (uint32_t x = 0; x < width; x++)
			if (kind[x] < TRACEVIEW_KINDS)
				seen[kind[x]] = true;
		json_array_append_new(list, json_pack("{s:I s:s s:I}", "rank", (json_int_t)r->rank,
						      "row", row, "calls", (json_int_t)r->n));
	}
	free(row);
	free(kind);
	return list;
}

static int answer(struct session *s, const struct traceview_calls *c, const struct rankset *ranks,
		  double from, double to, uint32_t width, struct err *err)
{
	bool seen[TRACEVIEW_KINDS] = { false };
	uint64_t lo = time_of(c, from), hi = to > from ? time_of(c, to) : c->last;
	json_t *list, *o;
	char cell[32];

	if (from > 0 && lo >= c->last)
		return err_set(err, "trace timeline -span: the last call ends after %.6f s",
			       (double)(c->last - c->first) * 1e-9);
	/* a cell is a nanosecond at least */
	if (hi < lo + width)
		hi = lo + width;
	list = rows(c, ranks, lo, hi, width, seen);
	traceview_time_text((hi - lo) / width, cell, sizeof(cell));
	o = json_pack("{s:s s:f s:f s:f s:I s:s s:o s:o}", "type", "timeline", "from",
		      (double)(lo - c->first) * 1e-9, "to", (double)(hi - c->first) * 1e-9, "last",
		      (double)(c->last - c->first) * 1e-9, "width", (json_int_t)width, "cell", cell,
		      "list", list, "legend", legend(seen));
	out_answer(s->out, o);
	return 0;
}

int traceview_timeline(struct session *s, const struct trace_files *f, const struct rankset *ranks,
		       double from, double to, uint32_t width, struct err *err)
{
	struct traceview_calls c = { 0 };
	int rc;

	if (!traceview_has_calls(f))
		return err_set(err,
			       "trace timeline: there are no calls of MPI in these traces; record "
			       "-mpi keeps them");
	rc = traceview_calls_load(&c, f, err);
	rc = rc ? rc : answer(s, &c, ranks, from, to, width, err);
	traceview_calls_clear(&c);
	return rc;
}
