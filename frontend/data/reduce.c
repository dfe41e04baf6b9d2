/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums and extremes of objects, by the ranks where they can: of a distributed array each looks at
 * what it owns.
 */
#include <inttypes.h>
#include <math.h>

#include "common/core/err.h"
#include "common/expr/expr.h"
#include "frontend/data/fetch.h"
#include "frontend/data/pieces.h"
#include "frontend/model/session.h"
#include "frontend/data/bins.h"
#include "frontend/util/xalloc.h"

#define WHOLE_MOST 0x1p53 /* up to there each integer is a double */

/* The section has no steps, and what the ranks report of such elements is not rounded. */
static bool can_reduce(const struct pieces *p)
{
	for (unsigned d = 0; d < p->section.ndim; d++)
		if (p->section.dim[d].vector ||
		    (!p->section.dim[d].scalar && p->section.dim[d].step != 1))
			return false;
	return p->section.ndim && value_class(p->type) != VALUE_IS_COMPLEX;
}

/* Integers are reported as doubles: is the result one that no rounding has touched? */
static bool is_whole(const struct pieces *p, const struct bins_cell *c)
{
	double most = fmax(fabs(c->least), fabs(c->most));

	return value_class(p->type) == VALUE_IS_REAL ||
	       (most < WHOLE_MOST && most * (double)c->count < WHOLE_MOST);
}

static int lacking(const struct pieces *p, uint64_t count, const json_t *notes, struct err *err)
{
	uint64_t total = section_total(&p->section);
	const char *why = json_string_value(json_array_get(notes, 0));

	return err_set(err, "%s: %" PRIu64 " of %" PRIu64 " elements are missing: %s", p->name,
		       total - count, total, why ? why : "no rank that is asked owns them");
}

/* By the ranks. 1: their answers are not enough, as with infinities. */
static int by_bins(const struct pieces *p, enum reduce what, struct value *v, struct err *err)
{
	struct bins_spec spec = { .rows = 1, .cols = 1 };
	json_t *notes = json_array();
	const struct bins_cell *c;
	struct bins z;
	uint32_t rank;
	int rc = bins_fetch(p, &spec, &z, &rank, notes, err);

	if (!rc) {
		c = &z.all;
		*v = (struct value){ .class = VALUE_IS_REAL };
		v->re = what == REDUCE_SUM ? c->sum : what == REDUCE_LEAST ? c->least : c->most;
		if (c->count < section_total(&p->section))
			rc = lacking(p, c->count, notes, err);
		else if (what == REDUCE_SUM && c->nan)
			v->re = NAN;
		else if (c->inf || c->nan == c->count || !is_whole(p, c))
			rc = 1;
		bins_clear(&z);
	}
	json_decref(notes);
	return rc;
}

struct adding {
	struct reduction r;
	unsigned ndim;
};

static int add_piece(void *arg, const void *elements, const uint64_t *count, struct err *err)
{
	struct adding *a = arg;
	uint64_t n = 1;

	for (unsigned d = 0; d < a->ndim; d++)
		n *= count[d];
	reduce_add(&a->r, elements, n);
	return 0;
}

/* All elements come here, piece by piece. */
static int by_pieces(const struct pieces *p, enum reduce what, struct value *v, struct err *err)
{
	struct adding a = { .ndim = p->section.ndim };

	reduce_begin(&a.r, what, p->type);
	if (pieces_fetch(p, p->desc.order == 'F', add_piece, &a, err) || reduce_end(&a.r, v, err))
		return -1;
	return 0;
}

static int distributed(const struct fetch *f, const struct pieces *p, enum reduce what,
		       struct values *out, struct err *err)
{
	unsigned char bytes[16];
	struct value v;
	int rc = can_reduce(p) ? by_bins(p, what, &v, err) : 1;

	if (rc > 0)
		rc = by_pieces(p, what, &v, err);
	if (rc || reduce_type(what, p->type, &out->type, err) ||
	    value_store(out->type, bytes, &v, err))
		return -1;
	out->elem_size = (uint32_t)value_size(out->type);
	xalloc_check(values_add(out, f->who, bytes));
	return 0;
}

/* Each group of ranks with equal copies by itself. */
static int replicated(const struct fetch *f, const struct pieces *p, const struct section *sec,
		      enum reduce what, struct values *out, struct err *err)
{
	struct fetched x;
	int rc;

	if (fetch_large(f->s, p->name, sec, f->who, FETCH_MOST, &x, err))
		return -1;
	rc = reduce_quantity(what, &x.q, out, err);
	fetched_clear(&x);
	return rc;
}

static int reduce(void *arg, enum reduce what, const char *name, const struct section *sec,
		  struct values *out, struct err *err)
{
	const struct fetch *f = arg;
	struct pieces p;
	int rc;

	/* what is wrong with it is reported when it is fetched */
	if (pieces_find(&p, f->s, name, sec, f->who, NULL))
		return 1;
	rc = p.desc.kind == ARRAY_DISTRIBUTED ? distributed(f, &p, what, out, err)
					      : replicated(f, &p, sec, what, out, err);
	pieces_clear(&p);
	if (rc)
		values_clear(out);
	return rc;
}

static bool known(void *arg, const char *name)
{
	const struct fetch *f = arg;
	struct fetch_objects objects;
	bool any;

	if (!f->s->job || fetch_names(f->s, name, f->who, &objects, NULL))
		return false;
	any = objects.n;
	fetch_objects_clear(&objects);
	return any;
}

struct expr_scope fetch_scope(struct fetch *f)
{
	return (struct expr_scope){
		.arg = f, .resolve = fetch_resolve, .known = known, .reduce = reduce
	};
}
