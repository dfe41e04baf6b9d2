/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Characters: the last dimension of an array of them is a text. Texts are compared as the language
 * does it: in C they end before a zero, in Fortran blanks behind them do not matter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/expr/internal.h"

static bool are_characters(const struct values *q)
{
	return q->type == VALUE_CHAR || q->type == VALUE_SCHAR || q->type == VALUE_UCHAR;
}

/* Of one element of q, which has room for so many. */
static size_t text_length(const struct values *q, const unsigned char *bytes, size_t room)
{
	size_t n = strnlen((const char *)bytes, room);

	while (q->order == 'F' && n && bytes[n - 1] == ' ')
		n--;
	return n;
}

bool expr_compares_text(const struct expr *e)
{
	return e->kind == EXPR_BINARY && (!strcmp(e->op, "==") || !strcmp(e->op, "!=")) &&
	       (e->a->kind == EXPR_TEXT) != (e->b->kind == EXPR_TEXT);
}

/* What the pointer leads to, so many characters; else q stays as it is. */
static void follow(const struct eval *ev, const struct expr *e, size_t n, struct values *q)
{
	struct values to = { 0 };
	char name[300];

	if (q->type != VALUE_POINTER || q->ndim || e->kind != EXPR_NAME || e->nsub)
		return;
	snprintf(name, sizeof(name), "%s@%zu", e->name, n);
	if (ev->scope->resolve(ev->scope->arg, name, NULL, &to, &(struct err){ "" }))
		return;
	values_clear(q);
	*q = to;
}

/* The truth of each element, of each group. */
static int compare(const struct eval *ev, const struct values *q, const char *text, size_t n,
		   bool differ, struct values *out)
{
	size_t room = q->ndim ? q->count[q->ndim - 1] : 1;
	uint64_t total;

	*out = (struct values){ .type = VALUE_BOOL, .elem_size = 1, .ndim = q->ndim };
	values_like(out, q);
	out->ndim -= out->ndim > 0;
	total = values_total(out);
	for (size_t g = 0; g < q->n; g++) {
		unsigned char *truth = malloc(total + 1);

		for (uint64_t i = 0; truth && i < total; i++) {
			const unsigned char *at = q->group[g].bytes + i * room;

			truth[i] =
				differ != (text_length(q, at, room) == n && !memcmp(at, text, n));
		}
		if (values_adopt(out, &q->group[g].ranks, truth))
			return err_set(ev->err, "out of memory");
	}
	return values_collapse(out) ? err_set(ev->err, "out of memory") : 0;
}

int expr_compare_text(const struct eval *ev, const struct expr *e, struct values *out)
{
	const struct expr *text = e->a->kind == EXPR_TEXT ? e->a : e->b;
	const struct expr *of = text == e->a ? e->b : e->a;
	struct values q = { 0 };
	size_t n = 0;
	char *quoted = expr_quoted(text->name, &n);
	int rc = quoted ? expr_eval_part(ev, of, &q) : err_set(ev->err, "out of memory");

	if (!rc)
		follow(ev, of, n + 1, &q);
	/* 'x' is a number too */
	if (!rc && !q.ndim && *text->name == '\'' && n == 1) {
		struct values b = { 0 };

		rc = expr_eval_part(ev, text, &b);
		rc = rc		    ? rc
		     : text == e->a ? expr_apply(ev, e, &b, &q, out)
				    : expr_apply(ev, e, &q, &b, out);
		values_clear(&b);
	} else if (!rc && !are_characters(&q)) {
		rc = err_set(ev->err, "column %zu: %s is compared with characters, and this is %s",
			     of->column + 1, text->name, value_type_name(q.type));
	} else if (!rc) {
		while (q.order == 'F' && n && quoted[n - 1] == ' ')
			n--;
		rc = compare(ev, &q, quoted, n, !strcmp(e->op, "!="), out);
	}
	values_clear(&q);
	free(quoted);
	return rc;
}

int expr_text_length(const struct eval *ev, const struct expr *e, bool trimmed, struct values *out)
{
	struct values q = { 0 };
	uint64_t room, total;
	int rc = expr_eval_part(ev, e, &q);

	if (!rc && (!are_characters(&q) || !q.ndim))
		rc = err_set(ev->err, "column %zu: characters are needed, and this is %s",
			     e->column + 1, value_type_name(q.type));
	room = rc ? 0 : q.count[q.ndim - 1];
	*out = (struct values){ .type = VALUE_LONG, .elem_size = sizeof(int64_t), .ndim = q.ndim };
	values_like(out, &q);
	out->ndim -= out->ndim > 0;
	if (!trimmed)
		out->ndim = 0;
	total = values_total(out);
	for (size_t g = 0; g < q.n && !rc; g++) {
		int64_t *length = malloc((total + 1) * sizeof(*length));

		for (uint64_t i = 0; length && i < total; i++)
			length[i] = trimmed ? (int64_t)text_length(&q, q.group[g].bytes + i * room,
								   room)
					    : (int64_t)room;
		if (values_adopt(out, &q.group[g].ranks, length))
			rc = err_set(ev->err, "out of memory");
	}
	values_clear(&q);
	return rc || !values_collapse(out) ? rc : err_set(ev->err, "out of memory");
}
