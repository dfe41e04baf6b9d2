/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of the evaluation share.
 */
#ifndef DVMDBG_COMMON_EXPR_INTERNAL_H
#define DVMDBG_COMMON_EXPR_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/expr/expr.h"

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

/* -1 and err where it is a pointer: the operand of what needs numbers. */
int expr_no_pointer(const struct expr *e, const struct values *q, struct err *err);
/* Sets type and shape of the result of e for operands a and b (b may be a itself). */
int expr_shape(const struct expr *e, const struct values *a, const struct values *b,
	       struct values *out, struct err *err);

/* In call.c. An error for what stands like a function, and is neither one nor an object. */
int expr_no_function(const struct eval *ev, const struct expr *e);
/* Whether e is a function and no object; its value. */
bool expr_calls(const struct eval *ev, const struct expr *e);
/* The same of functions of the program; cast: "(double)" before it, or "". */
bool expr_calls_program(const struct eval *ev, const struct expr *e);
int expr_call_program(const struct eval *ev, const struct expr *e, const char *cast,
		      struct values *out);
/* What the program's types decide. */
int expr_typed(const struct eval *ev, const struct expr *e, struct values *out);
/* Parts of what a function of the program returns; 1: it is none. */
int expr_call_parts(const struct eval *ev, const struct expr *e, struct values *out);
int expr_call(const struct eval *ev, const struct expr *e, struct values *out);
/* of[0] where the mask, which is what of[2] comes to, is true, else of[1]; e: the whole. */
int expr_choose(const struct eval *ev, const struct expr *e, const struct expr *const of[3],
		const struct values *mask, struct values *out);

/* In characters.c. "==" and "!=" with a text; the truth. */
bool expr_compares_text(const struct expr *e);
int expr_compare_text(const struct eval *ev, const struct expr *e, struct values *out);
/* How long the characters that e comes to are; trimmed: up to the last that counts. */
int expr_text_length(const struct eval *ev, const struct expr *e, bool trimmed, struct values *out);

/*
 * The words of expressions (expr.h): how long what stands at a text is. Texts end with a NUL.
 */

/* In any case of letters. */
bool lex_starts(const char *s, const char *word);
/* Of names. */
bool lex_is_first(char c);
bool lex_is_word(char c);
/* A name begins here: "u", "*s", "$rank"; scopes: "a::b" is one. */
bool lex_is_name(const char *s, bool scopes);
/* "#file#proc#", "[2#1]" and "a::" may stand before it; no stars. 0: there is none. */
size_t lex_base(const char *s, bool scopes);
/* "[process.thread#frame]"; -1: left out. */
struct lex_place {
	int64_t process, thread, frame;
};
/* 0: there is none. out may be NULL. */
size_t lex_place(const char *s, struct lex_place *out);

enum lex_type { LEX_NO_TYPE, LEX_BASE_TYPE, LEX_TAGGED_TYPE, LEX_NAMED_TYPE };
/* "unsigned char", "struct cell **", "ns::real": as it looks; how long it is. */
enum lex_type lex_type(const char *s, size_t *length, unsigned *stars);
/* How long a cast to a type is that only the program knows; 0: there is none. */
size_t lex_cast(const char *s);
/* A number; *real when it has a point or an exponent. */
size_t lex_number(const char *s, bool *real);
/* The fields of a name, "" or ".x->y"; percent: '%' is one of their signs as well. */
/* Length of "<int, 3>" at s, 0: it is none. */
size_t lex_template(const char *s);
size_t lex_fields(const char *s, bool percent);
/* "@file:line", 0 when there is none or it is not whole. */
size_t lex_suffix(const char *s);
/* A unary operator or a cast, and in *op its name; 0: there is none. */
size_t lex_unary(const char *s, const char **op);
/* "sizeof(double)" of a type that casts know, and how many bytes it has; 0: it is none. */
size_t lex_sizeof(const char *s, unsigned *bytes);
/* The number that the text is, in which Fortran's exponents become those of C; -1: too large. */
int lex_convert(struct value *v, char *text, bool real);
/* Length of "static_cast<int>" before "(" at s, 0: there is none. */
size_t lex_cxx_cast(const char *s);
/* A binary operator but "**", its name, and its level: those that bind tighter have higher ones. */
size_t lex_binary(const char *s, const char **op, int *level);

#endif
