/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words of expressions (expr.h): how long what stands at a text is. Texts end with a NUL.
 */
#ifndef DVMDBG_COMMON_EXPR_LEX_H
#define DVMDBG_COMMON_EXPR_LEX_H

#include <stdbool.h>
#include <stddef.h>

/* In any case of letters. */
bool lex_starts(const char *s, const char *word);
/* Of names. */
bool lex_is_first(char c);
bool lex_is_word(char c);
/* A number; *real when it has a point or an exponent. */
size_t lex_number(const char *s, bool *real);
/* The fields of a name, "" or ".x->y"; percent: '%' is one of their signs as well. */
size_t lex_fields(const char *s, bool percent);
/* "@file:line", 0 when there is none or it is not whole. */
size_t lex_suffix(const char *s);
/* A unary operator or a cast, and in *op its name; 0: there is none. */
size_t lex_unary(const char *s, const char **op);
/* A binary operator but "**", its name, and its level: those that bind tighter have higher ones. */
size_t lex_binary(const char *s, const char **op, int *level);

#endif
