/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text form of answers: one renderer per type, found by name.
 */
#ifndef DVMDBG_FRONTEND_OUT_TEXT_H
#define DVMDBG_FRONTEND_OUT_TEXT_H

#include <stdio.h>

#include <jansson.h>

typedef void (*out_text_fn)(FILE *f, const json_t *answer);

/* NULL when no renderer has that type. */
out_text_fn out_text_find(const char *type);

/* Members with a default, so that renderers stay short. */
const char *out_str(const json_t *o, const char *key);	 /* "" when absent */
json_int_t out_int(const json_t *o, const char *key);	 /* 0 when absent */
const json_t *out_get(const json_t *o, const char *key); /* NULL when absent */

/* In out_fold.c. Whole lines, those that are longer folded between words; to be freed. NULL: memory. */
char *out_text_fold(const char *text, size_t len, size_t columns);
/* In out_value.c. Columns that tables may take, 120 at first. */
void out_text_columns(int columns);
/* One value of value.h's type `kind`, in full; out has room for VALUE_TEXT and is returned. */
const char *out_text_value(const char *kind, const json_t *v, char *out);
void out_text_print(FILE *f, const json_t *answer);
void out_text_differ(FILE *f, const json_t *answer);
/* In out_diff.c. */
void out_text_save(FILE *f, const json_t *answer);
void out_text_diff(FILE *f, const json_t *answer);
/* In out_halo.c. */
void out_text_halo(FILE *f, const json_t *answer);
/* In out_locate.c. */
void out_text_locate(FILE *f, const json_t *answer);
/* In out_sums.c. */
void out_text_sums(FILE *f, const json_t *answer);
void out_text_compared(FILE *f, const json_t *answer);
void out_text_recorded(FILE *f, const json_t *answer);
/* In out_zoom.c. */
void out_text_stat(FILE *f, const json_t *answer);
void out_text_heatmap(FILE *f, const json_t *answer);
/* In out_stop.c. */
void out_text_stop(FILE *f, const json_t *answer);
void out_text_exit(FILE *f, const json_t *answer);
void out_text_waiting(FILE *f, const json_t *answer);
void out_text_where(FILE *f, const json_t *answer);
void out_text_status(FILE *f, const json_t *answer);
void out_text_points(FILE *f, const json_t *answer);

#endif
