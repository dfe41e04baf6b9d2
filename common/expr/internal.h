/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of the evaluation share.
 */
#ifndef DVMDBG_COMMON_EXPR_IMPL_H
#define DVMDBG_COMMON_EXPR_IMPL_H

#include "common/expr/eval.h"

struct eval {
	const struct rankset *who;	/* borrowed */
	const struct expr_scope *scope; /* borrowed */
	struct err *err;
};

/* As expr_eval. */
int expr_eval_part(const struct eval *ev, const struct expr *e, struct values *out);
/* The subscripts of a name; *sec is overwritten. */
int expr_eval_section(const struct eval *ev, const struct expr *e, struct section *sec);
/* The operator of e on a and b, element by element; b NULL: unary. out is empty before. */
int expr_apply(const struct eval *ev, const struct expr *e, const struct values *a,
	       const struct values *b, struct values *out);

/* In expr_call.c. Whether e is a function and no object; its value. */
bool expr_calls(const struct eval *ev, const struct expr *e);
int expr_call(const struct eval *ev, const struct expr *e, struct values *out);

#endif
