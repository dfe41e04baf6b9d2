/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/pair/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define PLACES 200 /* that are remembered of a side */
#define NAMES 100  /* … of a place */
#define TOLD 12	   /* names or places in a message */

static void tie_clear(struct tie *t)
{
	for (int k = 0; k < 2; k++) {
		free(t->array[k]);
		free(t->where[k]);
		sums_array_clear(&t->known[k]);
	}
}

static void tie_forget(struct tie *t)
{
	for (int k = 0; k < 2; k++) {
		sums_array_clear(&t->known[k]);
		t->known[k] = (struct sums_array){ 0 };
		t->reported[k] = false;
	}
	t->compared = 0;
}

/* Where the file begins in "A.u@src/heat.c:61"; NULL: it is not like that. */
static const char *file_of(const char *text, int side)
{
	const char *at = strrchr(text, '@'), *slash = at ? strrchr(at, '/') : NULL;
	const char *file = slash ? slash + 1 : at ? at + 1 : NULL;
	const char *colon = file ? strrchr(file, ':') : NULL;

	if ((text[0] | 0x20) != 'a' + side || text[1] != '.' || !colon || at == text + 2 ||
	    colon == file || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
		return NULL;
	return file;
}

int tie_check(const char *text, int side, struct err *err)
{
	if (file_of(text, side))
		return 0;
	return err_set(
		err,
		"'%s': %c.ARRAY@FILE:LINE is needed, the line that of a parallel loop or task "
		"region",
		text, 'A' + side);
}

static int tie_read(const char *text, int side, struct tie *t, struct err *err)
{
	const char *at = strrchr(text, '@');

	if (tie_check(text, side, err))
		return -1;
	t->array[side] = xstrndup(text + 2, (size_t)(at - text - 2));
	t->where[side] = xstrdup(file_of(text, side));
	return 0;
}

static bool equal(const struct tie *a, const struct tie *b)
{
	for (int k = 0; k < 2; k++)
		if (strcmp(a->array[k], b->array[k]) || strcmp(a->where[k], b->where[k]))
			return false;
	return true;
}

static int add(struct ties *t, struct tie *new, struct err *err)
{
	for (size_t i = 0; i < t->n; i++)
		if (equal(&t->list[i], new))
			return err_set(err, "that is tied already");
	xvec_more(t->list, t->n, 1);
	t->list[t->n++] = *new;
	return 0;
}

int ties_add(struct ties *t, const char *a, const char *b, struct err *err)
{
	struct tie new = { 0 };

	if (!tie_read(a, PAIR_A, &new, err) && !tie_read(b, PAIR_B, &new, err) &&
	    !add(t, &new, err))
		return 0;
	tie_clear(&new);
	return -1;
}

void ties_clear(struct ties *t)
{
	for (size_t i = 0; i < t->n; i++)
		tie_clear(&t->list[i]);
	free(t->list);
	t->list = NULL;
	t->n = 0;
}

static void forget_places(struct ties *t, int side)
{
	for (size_t i = 0; i < t->nplace[side]; i++) {
		struct tie_place *p = &t->place[side][i];

		for (size_t k = 0; k < p->n; k++)
			free(p->name[k]);
		free(p->name);
		free(p->where);
	}
	free(t->place[side]);
	t->place[side] = NULL;
	t->nplace[side] = 0;
}

void ties_forget(struct ties *t)
{
	for (size_t i = 0; i < t->n; i++)
		tie_forget(&t->list[i]);
	forget_places(t, PAIR_A);
	forget_places(t, PAIR_B);
}

static struct tie_place *find_place(const struct ties *t, int side, const char *where)
{
	for (size_t i = 0; i < t->nplace[side]; i++)
		if (!strcmp(t->place[side][i].where, where))
			return &t->place[side][i];
	return NULL;
}

/* The place, which may be new; NULL: there are too many. */
static struct tie_place *make_place(struct ties *t, int side, const char *where)
{
	struct tie_place *p = find_place(t, side, where);

	if (p || t->nplace[side] == PLACES)
		return p;
	xvec_more(t->place[side], t->nplace[side], 1);
	p = &t->place[side][t->nplace[side]];
	*p = (struct tie_place){ .where = xstrdup(where) };
	if (!p->where)
		return NULL;
	t->nplace[side]++;
	return p;
}

static bool has_name(const struct tie_place *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->name[i], name))
			return true;
	return false;
}

static void add_name(struct tie_place *p, const char *name)
{
	if (p->n == NAMES || has_name(p, name))
		return;
	xvec_more(p->name, p->n, 1);
	p->name[p->n] = xstrdup(name);
	p->n++;
}

/* Keeps what is reported of a replicated object that is tied. */
static void keep_known(struct tie *t, int side, const struct sums_array *a)
{
	struct buf b = BUF_INIT;
	struct sums_array copy;

	if (a->kind != ARRAY_REPLICATED || !a->sum || strcmp(t->array[side], a->name))
		return;
	sums_array_put(a, true, &b);
	if (!b.bad && !sums_array_get(&copy, &b, NULL)) {
		sums_array_clear(&t->known[side]);
		t->known[side] = copy;
		t->reported[side] = true;
	} else if (!b.bad) {
		sums_array_clear(&copy);
	}
	buf_clear(&b);
}

void ties_inspect(struct ties *t, int side, const struct sums_point *p)
{
	struct tie_place *place = p->point.side == POINT_END ? make_place(t, side, p->where) : NULL;

	for (size_t i = 0; i < p->n; i++) {
		if (place)
			add_name(place, p->array[i].name);
		for (size_t k = 0; k < t->n; k++)
			keep_known(&t->list[k], side, &p->array[i]);
	}
	if (place)
		place->ends++;
}

const char *tie_text(const struct tie *tie, char *out, size_t size)
{
	snprintf(out, size, "A.%s@%s = B.%s@%s", tie->array[PAIR_A], tie->where[PAIR_A],
		 tie->array[PAIR_B], tie->where[PAIR_B]);
	return out;
}

/* Appends ", name" as long as there are not too many. */
static size_t append(char *out, size_t size, size_t used, size_t i, const char *name)
{
	if (used >= size || i > TOLD)
		return used;
	return used + (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
				       i < TOLD ? name : "…");
}

static void other_places(const struct ties *t, const struct tie *tie, int side, char *out,
			 size_t size)
{
	size_t used = (size_t)snprintf(out, size, "%c has reported no construct at %s", 'A' + side,
				       tie->where[side]);

	if (!t->nplace[side] || used >= size)
		return;
	used += (size_t)snprintf(out + used, size - used, ", but at ");
	for (size_t i = 0; i < t->nplace[side]; i++)
		used = append(out, size, used, i, t->place[side][i].where);
}

static void other_names(const struct tie_place *p, const struct tie *tie, int side, char *out,
			size_t size)
{
	size_t used = (size_t)snprintf(out, size, "%c has reported no %s at %s", 'A' + side,
				       tie->array[side], tie->where[side]);

	if (p->n && used < size)
		used += (size_t)snprintf(out + used, size - used, ", but of ");
	for (size_t i = 0; i < p->n; i++)
		used = append(out, size, used, i, p->name[i]);
	if (used < size)
		snprintf(out + used, size - used,
			 "; ChecksumMode 2 also reports arrays that are only read there");
}

bool tie_trouble(const struct ties *t, const struct tie *tie, char *out, size_t size)
{
	const struct tie_place *p[2];

	for (int k = 0; k < 2; k++) {
		p[k] = find_place(t, k, tie->where[k]);
		if (tie->compared || t->nplace[k] == PLACES)
			continue;
		if (!p[k]) {
			other_places(t, tie, k, out, size);
			return true;
		}
		if (!has_name(p[k], tie->array[k]) && !tie->reported[k]) {
			other_names(p[k], tie, k, out, size);
			return true;
		}
	}
	if (!p[0] || !p[1] || (tie->compared && p[0]->ends == p[1]->ends))
		return false;
	snprintf(out, size, "%s has ended %llu time%s in A, %s %llu time%s in B", tie->where[0],
		 (unsigned long long)p[0]->ends, p[0]->ends == 1 ? "" : "s", tie->where[1],
		 (unsigned long long)p[1]->ends, p[1]->ends == 1 ? "" : "s");
	return true;
}
