/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/reductions/internal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/value.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/core/vec.h"

static enum cell_view view_of(const struct reduction *r)
{
	return r->integer ? CELL_INT : CELL_REAL;
}

uint64_t element_result(const struct reduction *r, const struct reduction_element *e, unsigned op,
			bool once)
{
	enum cell_view view = view_of(r);
	uint64_t init = e->init_fold[op - 1];

	if (once && e->init_same && r->iterates && !(e->based & 1u << op))
		init = view == CELL_REAL || op < REDUCTION_AND || op >= REDUCTION_BAND
			       ? e->init
			       : e->init != 0;
	return fold_apply(view, op, init, e->fold[op - 1]);
}

static double epsilon(unsigned type)
{
	return type == VALUE_FLOAT ? (double)FLT_EPSILON : DBL_EPSILON;
}

/* Sums and products are rounded in another order than the program's; all else is exact. */
static double allowed(const struct reduction *r, const struct reduction_element *e, unsigned op,
		      double wanted)
{
	double each = 4 * epsilon(r->type) * (double)(e->count + 16);

	if (r->integer)
		return 0;
	if (op == REDUCTION_SUM)
		return each * e->scale;
	return op == REDUCTION_PROD ? each * fabs(wanted) : 0;
}

/* AND and its relatives have truth values of any number. */
static bool is_truth(unsigned op)
{
	return op >= REDUCTION_AND && op <= REDUCTION_EQV;
}

/* Integers of fewer bits overflow as the program's do. */
static uint64_t wrap(const struct reduction *r, uint64_t v)
{
	unsigned size = (unsigned)value_size(r->type);

	return size && size < 8 ? cell_number(CELL_INT, v & ((UINT64_C(1) << 8 * size) - 1), size)
				: v;
}

static bool agrees(const struct reduction *r, const struct reduction_element *e, unsigned op,
		   uint64_t wanted, uint64_t result)
{
	double a = fold_real(wanted), b = fold_real(result);

	if (r->integer)
		return is_truth(op) ? !wanted == !result : wrap(r, wanted) == wrap(r, result);
	if (isnan(a) || isnan(b) || isinf(a) || isinf(b))
		return (isnan(a) && isnan(b)) || a == b ||
		       (r->type == VALUE_FLOAT && (float)a == (float)b);
	return fabs(a - b) <= allowed(r, e, op, a);
}

static bool place_agrees(const struct reduction *r, const struct reduction_element *e,
			 uint64_t place)
{
	if (fold_of(r->op) == r->op || e->nplace == REDUCTION_PLACES)
		return true;
	for (unsigned i = 0; i < e->nplace; i++)
		if (e->place[i] == place)
			return true;
	return false;
}

static bool is_right(const struct reduction *r, const struct reduction_element *e, uint64_t wanted,
		     uint64_t result, uint64_t place)
{
	return agrees(r, e, fold_of(r->op), wanted, result) && place_agrees(r, e, place);
}

/* Of one element; *rank is the lowest rank whose result is wrong, *bits and *place that. */
static bool element_wrong(const struct reduction *r, const struct reduction_element *e,
			  uint64_t *wanted, uint64_t *bits, uint64_t *place, uint32_t *rank)
{
	*wanted = element_result(r, e, fold_of(r->op), true);
	if (e->result_rank == TRACE_NO_RANK)
		return false;
	*bits = e->result;
	*place = e->result_place;
	*rank = e->result_rank;
	if (!is_right(r, e, *wanted, e->result, e->result_place))
		return true;
	if (e->other_rank == TRACE_NO_RANK || is_right(r, e, *wanted, e->other, e->other_place))
		return false;
	*bits = e->other;
	*place = e->other_place;
	*rank = e->other_rank;
	return true;
}

/* ---- what is likely ---- */

/* Another operation whose result the program has, 0: none. */
static unsigned other_op(const struct reduction *r, const struct reduction_element *e,
			 uint64_t bits)
{
	static const uint8_t order[] = { REDUCTION_MIN,	 REDUCTION_MAX, REDUCTION_SUM,
					 REDUCTION_PROD, REDUCTION_AND, REDUCTION_OR,
					 REDUCTION_XOR,	 REDUCTION_EQV, REDUCTION_BAND,
					 REDUCTION_BOR,	 REDUCTION_BXOR };

	for (unsigned i = 0; i < sizeof(order); i++) {
		unsigned op = order[i];

		if (op == fold_of(r->op) || (!r->integer && op > REDUCTION_MIN) ||
		    e->against & 1u << op ||
		    (*r->mpi_op && !strstr(r->mpi_op, reduction_op_name(op))))
			continue;
		if (agrees(r, e, op, element_result(r, e, op, false), bits))
			return op;
	}
	return 0;
}

/* All parts but that one. */
static uint64_t without(const struct reduction *r, unsigned op, unsigned i)
{
	enum cell_view view = view_of(r);
	uint64_t v = fold_neutral(view, op);

	for (unsigned k = 0; k < r->nparts; k++)
		if (k != i)
			v = fold_apply(view, op, v,
				       is_truth(op) ? r->part[k].value != 0 : r->part[k].value);
	return v;
}

static bool lost_part(const struct reduction *r, const struct reduction_element *e, uint64_t bits,
		      uint32_t *rank)
{
	unsigned op = fold_of(r->op);

	for (unsigned i = 0; r->ranks > 1 && r->nparts == r->ranks && i < r->nparts; i++) {
		if (!agrees(r, e, op, without(r, op, i), bits))
			continue;
		*rank = r->part[i].rank;
		return true;
	}
	return false;
}

/* The result is what one rank gives. */
static bool one_part(const struct reduction *r, uint64_t bits, uint32_t *rank)
{
	for (unsigned i = 0; r->ranks > 1 && r->nparts == r->ranks && i < r->nparts; i++) {
		if (r->part[i].value != bits)
			continue;
		*rank = r->part[i].rank;
		return true;
	}
	return false;
}

static const char *number_text(const struct reduction *r, uint64_t bits, char out[VALUE_TEXT])
{
	if (r->integer)
		snprintf(out, VALUE_TEXT, "%" PRId64, (int64_t)bits);
	else
		snprintf(out, VALUE_TEXT, "%.9g", fold_real(bits));
	return out;
}

static void say_contradiction(const struct reduction *r, char *text, size_t room)
{
	char from[VALUE_TEXT], to[VALUE_TEXT];
	size_t n = (size_t)snprintf(text, room, "iteration (");

	for (unsigned d = 0; d < r->nidx && n < room; d++)
		n += (size_t)snprintf(text + n, room - n, "%s%" PRId64, d ? "," : "", r->index[d]);
	if (n < room)
		snprintf(text + n, room - n, ") makes %s of %s, which %s does not",
			 number_text(r, r->to, to), number_text(r, r->from, from),
			 reduction_op_name(r->op));
}

/* What explains the result, the surest first. "": nothing does. */
static void say_likely(const struct reduction *r, const struct reduction_element *e, uint64_t bits,
		       uint64_t place, uint64_t wanted, uint32_t rank_wrong, char *text,
		       size_t room)
{
	unsigned op = fold_of(r->op), other;
	uint32_t rank;

	*text = '\0';
	if (agrees(r, e, op, wanted, bits) && !place_agrees(r, e, place))
		snprintf(text, room, "its location is %" PRId64 ", not %" PRId64, (int64_t)place,
			 e->nplace ? (int64_t)e->place[0] : 0);
	else if (r->contradicted)
		say_contradiction(r, text, room);
	else if (r->performed)
		snprintf(text, room, "the iterations perform %s", reduction_op_name(r->performed));
	else if (agrees(r, e, op, element_result(r, e, op, false), bits))
		snprintf(text, room, "its initial value is counted on each rank");
	else if (e->other_rank != TRACE_NO_RANK && one_part(r, bits, &rank) && rank == rank_wrong)
		snprintf(text, room, "rank %u has only its own part", rank);
	else if (lost_part(r, e, bits, &rank))
		snprintf(text, room, "the part of rank %u is missing", rank);
	else if (r->sets)
		snprintf(text, room, "an iteration sets it without what was there before");
	else if (!*r->mpi_op && one_part(r, bits, &rank))
		snprintf(text, room, "it is the part of rank %u alone", rank);
	else if ((other = other_op(r, e, bits)))
		snprintf(text, room, "the result is that of %s%s%s", reduction_op_name(other),
			 *r->mpi_op ? ", the call has " : "", r->mpi_op);
	else if (one_part(r, bits, &rank))
		snprintf(text, room, "it is the part of rank %u alone", rank);
}

/* ---- the finding ---- */

/* As the program's type has it, so that it is shown as such. */
static uint64_t typed(const struct reduction *r, uint64_t bits)
{
	uint32_t half;
	float f;

	if (r->type != VALUE_FLOAT)
		return value_size(r->type) < 8
			       ? bits & ((UINT64_C(1) << 8 * value_size(r->type)) - 1)
			       : bits;
	f = (float)fold_real(bits);
	memcpy(&half, &f, sizeof(half));
	return half;
}

bool reduction_judge(const struct reduction *r, struct trace_finding *f, char *text, size_t room)
{
	uint64_t wanted, bits, place, first_wanted = 0, first_bits = 0, first_place = 0;
	uint32_t rank, first_rank = 0, first = UINT32_MAX;

	*f = (struct trace_finding){ .kind = FINDING_CALCULATED, .count = 1 };
	for (uint32_t i = 0; i < r->n; i++) {
		if (!element_wrong(r, &r->element[i], &wanted, &bits, &place, &rank))
			continue;
		f->missing++;
		if (first != UINT32_MAX)
			continue;
		first = i;
		first_wanted = wanted;
		first_bits = bits;
		first_place = place;
		first_rank = rank;
	}
	if (first == UINT32_MAX)
		return false;
	f->point = r->point;
	f->rank = first_rank;
	f->ref_rank = TRACE_NO_RANK;
	f->spot.place = r->place;
	f->spot.build_id = r->build_id;
	f->spot.nbuild_id = r->nbuild_id;
	f->thing.what = TRACE_WHAT_ARRAY;
	f->thing.name = r->name;
	f->thing.file = "";
	f->thing.order = r->order == 'F' ? 'F' : 'C';
	f->thing.array_kind = ARRAY_REPLICATED;
	f->thing.field = "";
	f->thing.ndim = r->n > 1;
	f->thing.index[0] = (int64_t)((uint64_t)r->lower + first);
	f->value = (struct trace_pair){ .type = r->type,
					.size = (uint8_t)value_size(r->type),
					.has_now = true,
					.has_ref = true,
					.now = typed(r, first_bits),
					.ref = typed(r, first_wanted) };
	if (r->loop.main) {
		f->nframe = 1;
		f->frame[0] =
			(struct report_frame){ .kind = r->loop_kind,
					       .point = r->loop,
					       .place = { .file = "", .func = "", .module = "" } };
	}
	say_likely(r, &r->element[first], first_bits, first_place, first_wanted, first_rank, text,
		   room);
	f->note = text;
	f->operation = reduction_op_name(r->op);
	return true;
}

/* ---- the parts of all ranks ---- */

#define WAITING 4096 /* reductions of which some ranks are missing; more are given up */

struct reductions_set {
	struct reduction *item;
	size_t n;
	struct reductions_counts counts;
};

struct reductions_set *reductions_set_create(void)
{
	return calloc(1, sizeof(struct reductions_set));
}

void reductions_set_destroy(struct reductions_set *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		reduction_clear(&s->item[i]);
	free(s->item);
	free(s);
}

static void count_not(struct reductions_set *s, const struct reduction *r, unsigned why)
{
	struct reductions_counts *c = &s->counts;

	if (!c->not ++) {
		c->why = why;
		snprintf(c->what, sizeof(c->what), "%s", r->name ? r->name : "");
		if (r->place.file && *r->place.file)
			snprintf(c->what, sizeof(c->what), "%.60s at %.80s:%u", r->name,
				 path_base(r->place.file), r->place.line);
	}
}

static int judge(struct reductions_set *s, const struct reduction *r, struct trace_findings *out)
{
	struct trace_finding f;
	char text[256];

	if (r->why) {
		count_not(s, r, r->why);
		return 0;
	}
	if (!r->iterates && r->size < 2) {
		count_not(s, r, REDUCTION_WHY_SINGLE);
		return 0;
	}
	s->counts.calculated++;
	s->counts.parts += !r->iterates;
	if (!reduction_judge(r, &f, text, sizeof(text)))
		return 0;
	s->counts.wrong++;
	return trace_findings_add(out, &f);
}

static void drop(struct reductions_set *s, size_t i)
{
	reduction_clear(&s->item[i]);
	memmove(&s->item[i], &s->item[i + 1], (s->n - i - 1) * sizeof(*s->item));
	s->n--;
}

int reductions_add(struct reductions_set *s, struct reduction *r, struct trace_findings *out,
		   struct err *err)
{
	size_t i = 0;
	int rc = 0;

	while (i < s->n && !reduction_is_same(&s->item[i], r))
		i++;
	if (i < s->n) {
		reduction_merge(&s->item[i], r);
		reduction_clear(r);
	} else {
		struct reduction *to = vec_add(s->item, s->n);

		if (!to) {
			reduction_clear(r);
			return err_set(err, "out of memory");
		}
		*to = *r;
		*r = (struct reduction){ 0 };
	}
	if (s->item[i].ranks >= s->item[i].size) {
		rc = judge(s, &s->item[i], out);
		drop(s, i);
	}
	if (s->n > WAITING) {
		count_not(s, &s->item[0], REDUCTION_WHY_RANKS);
		drop(s, 0);
	}
	return rc ? err_set(err, "out of memory") : 0;
}

void reductions_end(struct reductions_set *s)
{
	while (s->n) {
		count_not(s, &s->item[0], s->item[0].why ? s->item[0].why : REDUCTION_WHY_RANKS);
		drop(s, 0);
	}
}

const struct reductions_counts *reductions_counts(const struct reductions_set *s)
{
	return &s->counts;
}
