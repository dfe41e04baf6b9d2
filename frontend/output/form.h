/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of text from answers, by a form:
 *
 *   {key}          the member: a string, a whole number, numbers as "1" or "(1,2)"; nothing when
 * absent {key#}         a set of ranks, cut when it is long (out_ranks) {key|word}     a number and
 * the word, with an s unless it is 1: "3 records" {key?one:two}  `one` when the member is 1 or
 * true, else `two`
 *   <...>          only if no member named in it, outside of inner < >, is absent, empty, 0 or
 * false
 *   <?key:...>     only if the member is none of these
 *   <@key:...>     only if there is such a member
 *   <!key:...>     only if it is false
 *   \x             x itself
 *
 * In the last four only `key` decides.
 */
#ifndef DVMDBG_FRONTEND_OUT_FORM_H
#define DVMDBG_FRONTEND_OUT_FORM_H

#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/* A form that is none is our own mistake: an assertion. */
void out_form(FILE *f, const json_t *answer, const char *form);
/* The same for each of the first n members of the list. */
void out_form_each(FILE *f, const json_t *list, size_t n, const char *form);
/* "1" or "(1,2)". */
void out_index(FILE *f, const json_t *index);

#endif
