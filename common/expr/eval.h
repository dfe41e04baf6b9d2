/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Evaluation of an expression over differing values: per group of ranks, elementwise, scalars
 * broadcast, results that are equal collapsed into one group. Distributed sections take part as one
 * group of all ranks.
 */
#ifndef DVMDBG_COMMON_EXPR_EVAL_H
#define DVMDBG_COMMON_EXPR_EVAL_H

#include "common/expr/expr.h"
#include "common/array/values.h"
#include "common/array/reduce.h"

struct err;

/*
 * Fetches the object `name` ("u", "p.x", "p.x@heat.c:12"): all of it when sec is NULL, else the
 * section of it. sec is not bound: the callback binds a copy (section_bind words the errors) and
 * leaves out the dimensions that are scalar. out is empty before; the callback sets type,
 * elem_size, shape, and adds groups with disjoint rank sets. -1 and err when there is no such
 * object or no answer; out is cleared then.
 */
typedef int (*expr_resolve)(void *arg, const char *name, const struct section *sec,
			    struct values *out, struct err *err);

/* What names in an expression mean. */
struct expr_scope {
	void *arg;
	expr_resolve resolve;
	/* Whether an object has that name, which hides the function of that name; NULL: none has.
	 */
	bool (*known)(void *arg, const char *name);
	/*
	 * The sum or an extreme of what resolve would fetch, without fetching it; as resolve. 1:
	 * this one cannot be had so. NULL: none can.
	 */
	int (*reduce)(void *arg, enum reduce what, const char *name, const struct section *sec,
		      struct values *out, struct err *err);
};

/*
 * Evaluates e for the ranks of who, which is what numbers hold for (rank 0 when it is empty). out
 * is overwritten and, on success, owned by the caller; it has at least one group, collapsed.
 * Structures can be the whole result, but not an operand. Indices must be integers that are equal
 * on all ranks; a one-dimensional integer object as an index is an index vector. && and || with a
 * left side that decides alone leave the right one unevaluated. Errors of operators, functions and
 * indices begin with the column.
 */
int expr_eval(const struct expr *e, const struct rankset *who, const struct expr_scope *scope,
	      struct values *out, struct err *err);

/*
 * The section that the subscripts of a name choose, not bound; for assignments. Empty when there
 * are none. *out is overwritten, freed with section_clear.
 */
int expr_section(const struct expr *name, const struct rankset *who, const struct expr_scope *scope,
		 struct section *out, struct err *err);

#endif
