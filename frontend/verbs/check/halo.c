/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb of halos: halo. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "frontend/model/ask.h"
#include "frontend/cmd/cmd.h"
#include "frontend/halo/halo.h"
#include "frontend/output/outcome.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/data/value_json.h"

/* "[3][0:9]", "(0:9,3)"; hi NULL: of a single element. */
static void subscripts(const struct halo_entry *e, const int64_t *lo, const int64_t *hi, char *out,
		       size_t size)
{
	bool fortran = e->order == 'F';
	size_t used = 0;

	*out = 0;
	for (unsigned d = 0; d < e->ndim && used < size; d++) {
		const char *open = !fortran ? "[" : d ? "," : "(";
		const char *close = !fortran ? "]" : d + 1 == e->ndim ? ")" : "";

		if (!hi || hi[d] == lo[d])
			used += (size_t)snprintf(out + used, size - used, "%s%" PRId64 "%s", open,
						 lo[d], close);
		else
			used += (size_t)snprintf(out + used, size - used,
						 "%s%" PRId64 ":%" PRId64 "%s", open, lo[d], hi[d],
						 close);
	}
}

static json_t *indices(unsigned ndim, const int64_t *index)
{
	json_t *list = json_array();

	for (unsigned d = 0; d < ndim; d++)
		json_array_append_new(list, json_integer(index[d]));
	return list;
}

static json_t *one_value(unsigned type, const struct value *v)
{
	unsigned char bytes[16];

	return value_store(type, bytes, v, NULL) ? json_null() : value_json(type, bytes);
}

static void put_since(const struct session *s, const struct halo_entry *e, json_t *o)
{
	struct point since, equal;
	char text[POINT_TEXT];

	if (!halo_watch_since(s->halo, e, &since, &equal))
		return;
	json_object_set_new(o, "since", json_string(point_format(&since, text)));
	/* where it follows from the other that is not said */
	if (equal.main && equal.main + 1 < since.main)
		json_object_set_new(o, "equal_at", json_string(point_format(&equal, text)));
	else if (!equal.main && since.main > 1)
		json_object_set_new(o, "or_before", json_true());
}

static json_t *entry_json(const struct session *s, const struct halo_entry *e)
{
	char side[120], box[400], element[500], first[300];
	json_t *sides = json_array(), *o;

	for (unsigned d = 0; d < e->ndim; d++)
		json_array_append_new(sides, json_integer(e->side[d]));
	subscripts(e, e->lo, e->hi, box, sizeof(box));
	subscripts(e, e->first, NULL, first, sizeof(first));
	snprintf(element, sizeof(element), "%.*s%s", (int)strcspn(e->array, "@"), e->array, first);
	o = json_pack("{s:o s:s s:o s:I s:I s:I s:I}", "array", out_json_text(e->array), "where",
		      halo_side(e, side, sizeof(side)), "side", sides, "rank", (json_int_t)e->rank,
		      "owner", (json_int_t)e->owner, "total", (json_int_t)e->total, "differ",
		      (json_int_t)e->differ);
	json_object_set_new(o, "box", json_string(box));
	json_object_set_new(o, "lo", indices(e->ndim, e->lo));
	json_object_set_new(o, "hi", indices(e->ndim, e->hi));
	json_object_set_new(o, "element", out_json_text(element));
	json_object_set_new(o, "first", indices(e->ndim, e->first));
	if (*e->field)
		json_object_set_new(o, "field", out_json_text(e->field));
	json_object_set_new(o, "kind", json_string(value_type_name(e->type)));
	json_object_set_new(o, "halo", one_value(e->type, &e->halo));
	json_object_set_new(o, "own", one_value(e->type, &e->own));
	json_object_set_new(o, "largest",
			    isfinite(e->largest) ? json_real(e->largest) : json_string("inf"));
	put_since(s, e, o);
	return o;
}

static void put_shifted(struct session *s, const struct halo_report *r, json_t *notes)
{
	struct halo_shifted list[HALO_SHIFTED];
	size_t n = r->n ? halo_shifted(s, list) : 0;

	for (size_t i = 0; i < n; i++)
		json_array_append_new(notes, out_json_text(list[i].text));
}

static json_t *report_json(struct session *s, const struct halo_report *r, const char *name)
{
	json_t *list = json_array(), *notes = json_array(), *o;
	uint64_t differ = 0;
	char text[400];

	for (size_t i = 0; i < r->n; i++) {
		differ += r->entry[i].differ;
		json_array_append_new(list, entry_json(s, &r->entry[i]));
	}
	put_shifted(s, r, notes);
	for (size_t i = 0; i < r->nnote; i++)
		json_array_append_new(notes, out_json_text(r->note[i]));
	if (*name)
		snprintf(text, sizeof(text), "no rank of the set has a halo of %.200s to compare",
			 name);
	else
		snprintf(text, sizeof(text), "no rank of the set has a halo to compare");
	o = json_pack("{s:s s:o s:I s:I s:I s:I}", "type", "halo", "list", list, "differ",
		      (json_int_t)differ, "elements", (json_int_t)r->elements, "arrays",
		      (json_int_t)r->arrays, "unowned", (json_int_t)r->unowned);
	if (!r->elements)
		json_object_set_new(o, "text", out_json_text(text));
	json_object_set_new(o, "notes", notes);
	if (r->silent.n)
		json_object_set_new(o, "silent", ask_ranks(&r->silent));
	return o;
}

/* What was not compared counts for the exit status. */
static void keep_incomplete(struct session *s, const struct halo_report *r)
{
	char ranks[128];

	if (r->unowned)
		outcome_incomplete(s->outcome,
				   "no rank that is stopped owns %" PRIu64 " elements of halos",
				   r->unowned);
	if (r->silent.n)
		outcome_incomplete(s->outcome, "%s did not answer about halos",
				   rankset_format(&r->silent, ranks, sizeof(ranks)));
}

enum { HALO_ALL };

static int run_halo(struct session *s, struct cmd_call *call, struct err *err)
{
	struct halo_report r;
	json_t *o;

	if (call->argc > 1)
		return err_set(err, "halo takes the name of one array, not '%s'", call->rest);
	if (halo_check(s, call->rest, &call->who, &r, err))
		return -1;
	keep_incomplete(s, &r);
	o = report_json(s, &r, call->rest);
	if (call->option[HALO_ALL])
		json_object_set_new(o, "all", json_true());
	out_answer(s->out, o);
	halo_report_clear(&r);
	return 0;
}

const struct cmd cmd_halo = {
	.name = "halo",
	.args = "[array] [-all]",
	.brief = "halo elements that differ from their owners' elements",
	.help = "Compares the members' halos of the array, or of all distributed arrays, bit by "
		"bit with the present elements of their owners. Halos may be stale between a write "
		"of the owner and the next exchange; a loop must not read stale elements. With "
		"CHECK_HALO ON it also shows since which point a halo is stale. Halo outside the "
		"array has no owner and is left out. If a whole side is stale, its corners and "
		"edges are counted in one line; -all lists them.",
	.both = CMD_SHOW,
	.example = "halo u",
	.completes = "object",
	.needs_job = true,
	.needs_process = true,
	.option = { [HALO_ALL] = { "all", CMD_FLAG, "all rows, however many, with corners" } },
	.run = run_halo,
};
