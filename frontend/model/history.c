/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/model/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define KEPT 10000

struct history {
	char **line; /* owned */
	size_t n, cap;
	size_t dropped; /* the first `dropped` numbers are forgotten */
};

struct history *history_create(void)
{
	return xcalloc(1, sizeof(struct history));
}

void history_destroy(struct history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n; i++)
		free(h->line[i]);
	free(h->line);
	free(h);
}

void history_add(struct history *h, const char *line)
{
	char *copy;

	copy = xstrdup(line);
	if (h->n == KEPT) {
		free(h->line[0]);
		memmove(h->line, h->line + 1, (h->n - 1) * sizeof(*h->line));
		h->n--;
		h->dropped++;
	}
	xvec_room(h->line, h->cap, h->n + 1);
	h->line[h->n++] = copy;
}

size_t history_count(const struct history *h)
{
	return h->dropped + h->n;
}

const char *history_at(const struct history *h, size_t n)
{
	if (n <= h->dropped || n > h->dropped + h->n)
		return NULL;
	return h->line[n - h->dropped - 1];
}

char *history_expand(const struct history *h, const char *line, struct err *err)
{
	const char *p = line + 1, *found = NULL;
	size_t word = strcspn(p, " \t");
	const char *end = p;
	int64_t n;

	if (*p == '!') {
		found = history_at(h, history_count(h));
		end = p + 1;
	} else if (*p != '+' && !parse_int_at(&end, &n)) {
		if (n < 0)
			n += (int64_t)history_count(h) + 1;
		found = n > 0 ? history_at(h, (size_t)n) : NULL;
	} else {
		end = p + word;
		for (size_t i = history_count(h); word && i && !found; i--) {
			const char *old = history_at(h, i);

			if (old && !strncmp(old, p, word))
				found = old;
		}
	}
	if (!found) {
		err_set(err,
			"no earlier command is '%s' (!! the last, !n number n, !-n the n-th "
			"last, !text the last that begins with text)",
			line);
		return NULL;
	}
	return xasprintf("%s%s", found, end);
}
