/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions over registered objects: numbers, names, fields (p.x), sections in C spelling
 * a[1:3][*] or Fortran spelling a(1:3,*), unary - + !, * / %, + -, comparisons, &&, ||,
 * parentheses. Both spellings list the dimensions in the array's own order. In a section "*" and
 * ":" mean all, "lo:hi", "lo:hi:step", an index expression, or an index vector {1,4,9}; ends are
 * inclusive, and either may be left out ("2:", ":5", "::2"). Also ** (before a unary sign, from the
 * right), & | ^ ~ << >> and c ? a : b where C has them, casts as (double).
 *
 * In front of a name its program, file and procedure may stand, "#heat.c#step#i", the process,
 * thread and frame that it is of, "[2.0#1]i", scopes, "ns::x", which within a subscript need
 * parentheses, as a[i::2] is a range.
 *
 * Fortran's /= .eq. .ne. .lt. .le. .gt. .ge. .and. .or. .not. .true. .false. and 1d-3 are read as
 * well. "p%x" without blanks is the field p.x; with blanks, before a digit or after "]" the sign is
 * the remainder. A field may follow the section: a[3].x is the name "a.x" with the section [3].
 * "s->u" and, where an operand may stand, "*s" are names as well. "name@file:line" chooses among
 * objects of one name; in the tree the suffix is always last: "p.x@heat.c:12". Functions (call.c)
 * of all elements, as sum(a), and by element, as abs(a), in any case of letters, are names with a
 * section in "(" in the tree; they are functions where no object has that name.
 */
#ifndef DVMDBG_COMMON_EXPR_EXPR_H
#define DVMDBG_COMMON_EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "common/array/reduce.h"
#include "common/array/section.h"
#include "common/array/value.h"
#include "common/array/values.h"

struct buf;
struct err;
struct expr;

/*
 * EXPR_BINARY: "c ? a : b" is op "?" of c and of op ":", which is of a and b and stands nowhere
 * else.
 *
 * EXPR_TYPED: what the types of the program decide, of any operand: op is "*", "&" (a), "cast" and
 * "sizeof" (to or of the type `name`), "[" (a with sub), "." (a with the fields `name`, ".x->y"),
 * "@" (so many, `name`). EXPR_TEXT: "abc" with its quotes in `name`, for functions of the program.
 */
enum expr_kind { EXPR_NUMBER, EXPR_NAME, EXPR_UNARY, EXPR_BINARY, EXPR_TYPED, EXPR_TEXT };

/* One subscript: all, or expressions for its parts. */
struct expr_subscript {
	bool all;
	unsigned char after; /* of "(…)": so many fields stand before it */
	bool range;			  /* else one index, first, or vector */
	struct expr *first, *last, *step; /* of a range each may be NULL: left out */
	struct expr **vector;		  /* else NULL */
	size_t nvector;
};

struct expr {
	enum expr_kind kind;
	size_t column; /* 0-based, in the text it was parsed from */
	const char *source; /* that text; the root's, which is where `from` and `end` are of it all */
	size_t from, end;   /* with the parentheses round it */
	bool root, bracketed;
	struct value number;
	char *name; /* "u", "p.x", "p.x@heat.c:12"; EXPR_NAME */
	struct expr_subscript *sub;
	size_t nsub;
	char spelling;	/* '[' or '(' or 0: no section */
	char *inside; /* what is between "(" and ")", with blanks up to its column; NULL: no "(" */
	/* "f(2)" first: what is behind it in the source, how many subscripts those are; 0: it is
	 * not */
	size_t behind, narguments;
	bool mixed;	/* "f(2)[3]" */
	bool late;	/* "c%v(2)": "(…)" stands behind a field */
	const char *op; /* static text; EXPR_UNARY, EXPR_BINARY, EXPR_TYPED */
	struct expr *a, *b;
};

/* It can be a function: its name is one of theirs, and what is in "(" are expressions. */
bool expr_is_call(const struct expr *e);
/* It, or something in it, can be one. */
bool expr_has_call(const struct expr *e);
/* It, or something in it, can be one that makes one value of all elements. */
bool expr_has_reduction(const struct expr *e);
/* It, or something in it, is for the session: types of the program, a function of it, a variable of
 * another process. */
bool expr_needs_session(const struct expr *e);
/*
 * What can be a call of the program's of whose result parts are taken, "f(2)" of "f(2).x[3]",
 * "*f(2)", "(f(2) + 1)->x" and "sizeof(f(2).x)"; NULL: there is none in it. *name, to be freed:
 * "f"; NULL with it, or without memory.
 */
const struct expr *expr_call_within(const struct expr *e, char **name);
/* Of what is such an expression: the operand that is one, or the call; NULL: it has none. */
const struct expr *expr_toward_call(const struct expr *e);
/*
 * "(real)*p" and "(real)-x" are read as a product and a difference, and are casts where real is a
 * type: cast and its operand become those, and borrow from e. False: it cannot be one.
 */
bool expr_as_cast(const struct expr *e, struct expr *cast, struct expr *operand);
/* The names of all functions, with blanks. */
const char *expr_functions(void);
/* One of them has that name, in any case of letters. */
bool expr_function_named(const char *name);

/* A name taken apart, all of it borrowed: "**[1.0#2]#exec#file#proc#ns::x.y->z@4". */
struct expr_name {
	bool address;	/* "&" first */
	unsigned stars;
	int64_t process, thread, frame; /* -1: left out */
	const char *qualifier; /* "#exec#file#proc#" … */
	size_t nqualifier;
	const char *word; /* "ns::x" */
	size_t nword;
	const char *fields; /* ".y->z@4", "" */
};
/* -1: it is none; '&' behind '*' too. */
int expr_name_split(const char *name, struct expr_name *out);
/* It says where it is of the program's variables: "#f#x", "[2#1]x", "ns::x"; row[0] does not. */
bool expr_name_has_place(const char *name);

/* Parses the whole text. NULL and err, which shows the column (from 1) and what was expected. */
struct expr *expr_parse(const char *text, struct err *err);
void expr_destroy(struct expr *e);

/*
 * Evaluation of an expression over differing values: per group of ranks, elementwise, scalars
 * broadcast, results that are equal collapsed into one group. Distributed sections take part as one
 * group of all ranks.
 */

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
	/* Whether it is a registered one, no variable of the program; NULL: as known. */
	bool (*registered)(void *arg, const char *name);
	/*
	 * A reduction of an expression, without fetching all elements; text is the expression, of
	 * which e is the tree. out as of resolve. 1: this one cannot be had so. NULL: none can.
	 */
	int (*reduce)(void *arg, enum reduce what, const struct expr *e, const char *text,
		      struct values *out, struct err *err);
	/* n NaN of e do not count in a reduction that has not gone that way; NULL: never mind. */
	void (*left_out)(void *arg, enum reduce what, const struct expr *e, uint64_t n);
	/*
	 * What the types of the program decide: EXPR_TYPED, sums and differences with pointers, the
	 * size of what is no number. out as of resolve. NULL: there are no types.
	 */
	int (*typed)(void *arg, const struct expr *e, struct values *out, struct err *err);
	/*
	 * A function that is none of ours: e is its name with arguments in "(", or has such a call
	 * within; cast: "(double)" before it, "" none. out as of resolve. 1: there is no such
	 * function. NULL: none can be called.
	 */
	int (*call)(void *arg, const struct expr *e, const char *cast, struct values *out,
		    struct err *err);
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

/*
 * "f(x, g(2), \"a,b\")" as it is typed: the name, a cast before it, and the arguments, which are
 * not parsed. Behind a line break what is wanted of it may stand, an expression of EXPR_RESULT.
 */
#define EXPR_RESULT "result"
struct expr_arguments {
	char *cast; /* "double" of "(double)f(x)"; "" none */
	char *name;
	char **arg; /* without outer blanks */
	size_t n;
	const char *wanted; /* in the text; NULL: none */
};
/* -1 and err, which shows what is expected. Clear it in either case. */
int expr_arguments(const char *text, struct expr_arguments *out, struct err *err);
void expr_arguments_clear(struct expr_arguments *a);

/* What is between the quotes, n bytes with a zero behind them, with C's escapes in those of C; to be
 * freed. NULL: it is no text. */
char *expr_quoted(const char *text, size_t *n);

/* Appends the text that means a section (not bound; NULL: none) of that name, as
 * "u[2:5][{1,4}]". */
void expr_put_path(const char *name, const struct section *sec, struct buf *b);

#endif
