/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/verify/printed.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define NUMBERS 64  /* of a line that are compared */
#define NOISE 1e-14 /* of the largest number printed: what rounding leaves of a zero */

struct number {
	size_t at, len;	    /* in the line */
	double value, unit; /* unit: one of its last digit */
	bool whole;
};

struct line {
	const char *text; /* borrowed */
	size_t len;
	char *key; /* owned; without numbers */
	struct number number[NUMBERS];
	size_t n;
	bool used, ignored;
};

struct lines {
	struct line *line; /* owned */
	size_t n;
	double largest;
};

void printed_add(struct printed *p, const char *text, size_t len)
{
	size_t room = PRINTED_MOST - p->n;

	p->cut |= len > room;
	len = len < room ? len : room;
	xvec_room(p->text, p->cap, p->n + len + 1);
	memcpy(p->text + p->n, text, len);
	p->n += len;
	p->text[p->n] = '\0';
}

void printed_clear(struct printed *p)
{
	free(p->text);
	*p = (struct printed){ 0 };
}

void printed_diff_clear(struct printed_diff *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->pair[i].ref);
		free(d->pair[i].now);
		free(d->pair[i].number_ref);
		free(d->pair[i].number);
	}
	free(d->pair);
	*d = (struct printed_diff){ 0 };
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t digits(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && isdigit((unsigned char)s[n]))
		n++;
	return n;
}

/* Bytes of an exponent: "e-03", "D+02", or Fortran's "-103" without a letter after a fraction. */
static size_t exponent(const char *s, size_t len, bool fraction, int *value)
{
	size_t at = 0, n;
	bool letter = len && strchr("eEdD", s[0]);
	char text[16] = "";

	at = letter;
	if (at < len && (s[at] == '+' || s[at] == '-'))
		at++;
	else if (!letter)
		return 0;
	n = digits(s + at, len - at);
	if (!n || n > 4 || (!letter && (!fraction || n != 3)))
		return 0;
	memcpy(text, s + letter, at + n - letter);
	*value = atoi(text);
	return at + n;
}

/* A number at s, which no word goes on into; false: there is none. Hexadecimal ones are of no
 * value. */
static bool number_at(const char *s, size_t len, struct number *x)
{
	size_t sign = len && (s[0] == '-' || s[0] == '+'), n = sign, before, after = 0, e;
	char text[64];
	int power = 0;

	before = digits(s + n, len - n);
	n += before;
	x->whole = true;
	if (n < len && s[n] == '.' &&
	    (before || (n + 1 < len && isdigit((unsigned char)s[n + 1])))) {
		after = digits(s + n + 1, len - n - 1);
		n += after + 1;
		x->whole = false;
	}
	if (before + after == 0 || n >= sizeof(text))
		return false;
	memcpy(text, s, n);
	text[n] = '\0';
	e = exponent(s + n, len - n, !x->whole, &power);
	x->whole = x->whole && !e;
	n += e;
	if (n < len && is_word(s[n]))
		return false;
	x->value = strtod(text, NULL) * pow(10, power);
	x->unit = pow(10, power - (int)after);
	x->len = n;
	return true;
}

/* Finds the numbers of a line, and its text without them. */
static void read_line(struct line *l, double *largest)
{
	size_t to = 0, at = 0;

	l->key = xcalloc(l->len + 1, 1);
	while (at < l->len) {
		struct number x = { .at = at };
		bool inside = at && is_word(l->text[at - 1]);
		const char *s = l->text + at;

		if (!inside && l->len - at > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
			for (at += 2; at < l->len && isxdigit((unsigned char)l->text[at]);)
				at++;
			l->key[to++] = '#';
		} else if (!inside && l->n < NUMBERS && number_at(s, l->len - at, &x)) {
			l->number[l->n++] = x;
			*largest = fmax(*largest, isfinite(x.value) ? fabs(x.value) : 0);
			at += x.len;
			l->key[to++] = '#';
		} else if (isspace((unsigned char)*s)) {
			/* columns move with the width of numbers */
			if (to && l->key[to - 1] != ' ')
				l->key[to++] = ' ';
			at++;
		} else {
			l->key[to++] = *s;
			at++;
		}
	}
}

/* The word of len bytes is w, with an s behind or one letter before it. */
static bool word_is(const char *s, size_t len, const char *w, size_t n)
{
	if (len > n && tolower((unsigned char)s[len - 1]) == 's' && len - n <= 2)
		len--;
	return (len == n && !strncasecmp(s, w, n)) || (len == n + 1 && !strncasecmp(s + 1, w, n));
}

static bool has_word(const struct line *l, const char *w, size_t n)
{
	size_t len;

	for (size_t at = 0; at < l->len; at += len ? len : 1) {
		for (len = 0; at + len < l->len && isalpha((unsigned char)l->text[at + len]);)
			len++;
		if (len && word_is(l->text + at, len, w, n))
			return true;
	}
	return false;
}

static bool is_ignored(const struct line *l, const char *ignore)
{
	size_t n;

	for (; *ignore; ignore += n ? n : 1) {
		n = strcspn(ignore, ", ");
		if (n && has_word(l, ignore, n))
			return true;
	}
	return false;
}

static void read_lines(const struct printed *p, const char *ignore, struct lines *out)
{
	const char *at = p->text ? p->text : "";

	*out = (struct lines){ 0 };
	while (*at) {
		size_t len = strcspn(at, "\n");
		struct line l = { .text = at, .len = len };

		at += len + (at[len] == '\n');
		/* the last one of what was cut off may be half a line */
		if (p->cut && !*at)
			break;
		read_line(&l, &out->largest);
		if (!l.n || is_ignored(&l, ignore)) {
			free(l.key);
			continue;
		}
		xvec_more(out->line, out->n, 1);
		out->line[out->n++] = l;
	}
}

static void lines_clear(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->line[i].key);
	free(l->line);
}

static bool number_equal(const struct number *a, const struct number *b, double rel, double noise)
{
	double d = fabs(a->value - b->value), most = fmax(fabs(a->value), fabs(b->value));

	if (a->value == b->value || d <= rel * most)
		return true;
	if (a->whole && b->whole)
		return false;
	return d <= fmax(a->unit, b->unit) * (1 + 1e-6) || most <= noise;
}

/* The first number that differs; NUMBERS: none. */
static size_t differs(const struct line *a, const struct line *b, double rel, double noise)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (!number_equal(&a->number[i], &b->number[i], rel, noise))
			return i;
	return NUMBERS;
}

/* Lines of ref that another run of it does not have are no basis of anything. */
static void ignore_changing(struct lines *ref, const struct lines *again)
{
	for (size_t i = 0; i < ref->n; i++) {
		struct line *l = &ref->line[i];
		bool same = false;

		for (size_t k = 0; k < again->n && !same; k++)
			same = !strcmp(l->key, again->line[k].key) &&
			       differs(l, &again->line[k], 0, 0) == NUMBERS;
		l->ignored = !same;
	}
}

/* A line of ref to compare l with: one that is equal, else the first that is free; NULL: none. */
static struct line *partner(struct lines *ref, const struct line *l, double rel, double noise,
			    bool *ignored)
{
	struct line *open = NULL, *any = NULL;
	size_t n = 0;

	*ignored = false;
	for (size_t i = 0; i < ref->n; i++) {
		struct line *r = &ref->line[i];

		if (strcmp(r->key, l->key))
			continue;
		*ignored |= r->ignored;
		n++;
		any = r;
		if (differs(r, l, rel, noise) == NUMBERS) {
			r->used = true;
			return r;
		}
		open = open || r->used ? open : r;
	}
	/* more ranks may print what one has printed */
	open = open ? open : n == 1 ? any : NULL;
	return open;
}

static char *number_text(const struct line *l, size_t i)
{
	return xstrndup(l->text + l->number[i].at, l->number[i].len);
}

static void add_pair(struct printed_diff *d, const struct line *ref, const struct line *now,
		     size_t i)
{
	xvec_more(d->pair, d->n, 1);
	d->pair[d->n++] =
		(struct printed_pair){ xstrndup(ref->text, ref->len), xstrndup(now->text, now->len),
				       number_text(ref, i), number_text(now, i) };
}

void printed_compare(const struct printed *ref, const struct printed *now,
		     const struct printed *again, double rel, const char *ignore,
		     struct printed_diff *out)
{
	struct lines a, b, c = { 0 };
	double noise;
	bool ignored;

	*out = (struct printed_diff){ 0 };
	read_lines(ref, ignore, &a);
	read_lines(now, ignore, &b);
	noise = NOISE * fmax(a.largest, b.largest);
	if (again) {
		read_lines(again, ignore, &c);
		ignore_changing(&a, &c);
	}
	/* equal ones first, so that the others pair with what is left, in whatever order they came
	 */
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < b.n; i++) {
			struct line *l = &b.line[i], *r;
			size_t at;

			r = l->used ? NULL : partner(&a, l, rel, noise, &ignored);
			at = r ? differs(r, l, rel, noise) : NUMBERS;
			if (!l->used && r && at == NUMBERS)
				out->compared += l->n;
			if (r && at == NUMBERS)
				l->used = true;
			if (round == 0 || l->used)
				continue;
			out->alone += !r;
			if (r)
				r->used = true;
			if (!r || ignored)
				continue;
			out->compared += l->n;
			add_pair(out, r, l, at);
		}
	}
	for (size_t i = 0; i < a.n; i++)
		out->alone += !a.line[i].used;
	lines_clear(&a);
	lines_clear(&b);
	lines_clear(&c);
}
