/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file of marks: a line a mark, written and read. */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/marks/internal.h"
#include "frontend/util/xvec.h"

static const char *const kinds[MARK_KINDS] = {
	[MARK_FUNCTION] = "function", [MARK_REPLICATED] = "replicated",
	[MARK_ARRAY] = "array",	      [MARK_SEQUENTIAL] = "sequential",
	[MARK_PARALLEL] = "parallel", [MARK_REDUCTION] = "reduction",
	[MARK_FORGET] = "forget",     [MARK_SKIP] = "skip",
};

struct mark *marks_add(struct marks *m, enum mark_kind kind, const char *file, uint32_t line)
{
	struct mark *x = xvec_add(m->mark, m->n);

	x->kind = kind;
	x->file = xstrdup(file);
	x->line = line;
	return x;
}

void mark_name_add(struct mark_names *n, const char *name)
{
	char **to = xvec_add(n->name, n->n);

	*to = xstrdup(name);
}

void mark_name_remove(struct mark_names *n, uint32_t which)
{
	free(n->name[which]);
	n->n--;
	memmove(n->name + which, n->name + which + 1, (n->n - which) * sizeof(*n->name));
}

void mark_names_clear(struct mark_names *n)
{
	for (uint32_t i = 0; i < n->n; i++)
		free(n->name[i]);
	free(n->name);
	*n = (struct mark_names){ 0 };
}

void mark_clear(struct mark *x)
{
	free(x->file);
	free(x->name);
	free(x->operation);
	mark_names_clear(&x->shape);
	mark_names_clear(&x->from);
	mark_names_clear(&x->to);
	mark_names_clear(&x->step);
	mark_names_clear(&x->block);
	mark_names_clear(&x->halo_lo);
	mark_names_clear(&x->halo_hi);
	mark_names_clear(&x->copies);
	mark_names_clear(&x->copy);
	mark_names_clear(&x->lower);
	mark_names_clear(&x->periodic);
	mark_names_clear(&x->writes);
	mark_names_clear(&x->reads);
	mark_names_clear(&x->passed_writes);
	mark_names_clear(&x->passed_reads);
	mark_names_clear(&x->iteration);
	*x = (struct mark){ 0 };
}

void mark_friend_add(struct marks *m, const char *file, uint32_t line, const char *text)
{
	for (uint32_t i = 0; i < m->nfriend; i++)
		if (m->friend[i].line == line && !strcmp(m->friend[i].file, file) &&
		    !strcmp(m->friend[i].text, text))
			return;
	*xvec_add(m->friend, m->nfriend) = (struct mark_friend){
		.file = xstrdup(file), .text = xstrdup(text), .line = line
	};
}

void mark_friends_cut(struct marks *m, uint32_t n)
{
	while (m->nfriend > n) {
		m->nfriend--;
		free(m->friend[m->nfriend].file);
		free(m->friend[m->nfriend].text);
	}
}

void marks_clear(struct marks *m)
{
	mark_friends_cut(m, 0);
	free(m->friend);
	for (uint32_t i = 0; i < m->n; i++)
		mark_clear(&m->mark[i]);
	mark_names_clear(&m->closed);
	mark_names_clear(&m->open);
	free(m->mark);
	*m = (struct marks){ 0 };
}

const char *mark_member(const char *name)
{
	const char *at = strstr(name, "[].");

	if (!at || at == name || !at[3])
		return NULL;
	while (at - name > 2 && !strncmp(at - 2, "[]", 2))
		at -= 2;
	return at;
}

size_t mark_rows(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && !strcmp(name + n - 2, "[]") ? n - 2 : 0;
}

char *mark_registered(const char *name)
{
	char *plain = mark_plain(name);
	size_t n = mark_rows(plain);

	if (n)
		plain[n] = 0;
	return plain;
}

char *mark_element(const char *name, unsigned *dims)
{
	const char *at = mark_member(name);
	char *first = at ? xstrndup(name, (size_t)(at - name)) : NULL, *more;

	for (*dims = 0; at && *at == '['; at += 2, ++*dims) {
		more = xasprintf("%s[0]", first);
		free(first);
		first = more;
	}
	return first;
}

bool marks_fortran(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && (dot[1] == 'f' || dot[1] == 'F');
}

static void put_list(FILE *f, const char *what, const struct mark_names *from,
		     const struct mark_names *to)
{
	if (!from->n)
		return;
	fprintf(f, "  %s [", what);
	for (uint32_t i = 0; i < from->n; i++) {
		fprintf(f, "%s%s", i ? ", " : "", from->name[i]);
		if (to && i < to->n && strcmp(from->name[i], to->name[i]))
			fprintf(f, ":%s", to->name[i]);
	}
	fputc(']', f);
}

/* Pairs lo:hi, always with both; lo:hi:step:block of what is cyclic. */
static void put_ranges(FILE *f, const char *what, const struct mark *x)
{
	if (!x->from.n)
		return;
	fprintf(f, "  %s [", what);
	for (uint32_t i = 0; i < x->from.n; i++) {
		fprintf(f, "%s%s:%s", i ? ", " : "", x->from.name[i], x->to.name[i]);
		if (i < x->step.n && strcmp(x->step.name[i], "0"))
			fprintf(f, ":%s", x->step.name[i]);
		if (i < x->block.n && strcmp(x->block.name[i], "0") &&
		    strcmp(x->block.name[i], "1"))
			fprintf(f, ":%s", x->block.name[i]);
	}
	fputc(']', f);
}

const char *path_below(const char *path, const char *base)
{
	size_t n = strlen(base);

	return !strncmp(path, base, n) && path[n] == '/' ? path + n + 1 : path;
}

static void write_plain(const struct mark *x, FILE *f, const char *base)
{
	fprintf(f, "%-10s  %s:%" PRIu32, kinds[x->kind], path_below(x->file, base), x->line);
	if (x->last)
		fprintf(f, "-%" PRIu32, x->last);
	if (x->name)
		fprintf(f, "  %s%s", x->kind == MARK_PARALLEL ? "on " : "", x->name);
	if (x->operation)
		fprintf(f, " %s", x->operation);
	put_list(f, "shape", &x->shape, NULL);
	put_ranges(f, x->kind == MARK_ARRAY ? "own" : "range", x);
	put_list(f, "halo", &x->halo_lo, &x->halo_hi);
	put_list(f, "lower", &x->lower, NULL);
	put_list(f, "periodic", &x->periodic, NULL);
	put_list(f, "copies", &x->copies, NULL);
	put_list(f, "copy", &x->copy, NULL);
	put_list(f, "writes", &x->writes, NULL);
	put_list(f, "reads", &x->reads, NULL);
	if (x->iteration.n) {
		put_list(f, "iteration", &x->iteration, NULL);
		fprintf(f, " at %" PRIu32, x->iteration_line);
	}
	fputc('\n', f);
}

void mark_write(const struct mark *x, FILE *f, const char *base)
{
	char *text, *plain;
	size_t size;
	FILE *line = xmemstream(&text, &size);

	write_plain(x, line, base);
	xmemstream_close(line);
	plain = mark_plain(text);
	fputs(plain, f);
	free(text);
	free(plain);
}

/* The next word, or a list in brackets without them; NULL: the line ends. The line is cut up. */
static char *next(char **at, bool *list)
{
	char *s = *at, *from;
	unsigned depth = 0;

	while (isspace((unsigned char)*s))
		s++;
	*list = *s == '[';
	if (!*s)
		return NULL;
	if (!*list) {
		/* a name may have an index with blanks: u(:, 1) */
		for (from = s; *s && (depth || !isspace((unsigned char)*s)); s++)
			depth += (*s == '(' || *s == '[') - (depth && (*s == ')' || *s == ']'));
	} else {
		for (from = ++s; *s && (depth || *s != ']'); s++)
			depth += (*s == '(' || *s == '[') - (depth && (*s == ')' || *s == ']'));
		if (!*s)
			return NULL;
	}
	*at = *s ? s + 1 : s;
	*s = 0;
	return from;
}

static char *trim(char *s)
{
	size_t n;

	while (isspace((unsigned char)*s))
		s++;
	for (n = strlen(s); n && isspace((unsigned char)s[n - 1]);)
		s[--n] = 0;
	return s;
}

/* The end of an item: at a comma, or at the colon of a range, outside of brackets. */
static char *item_end(char *s, char with)
{
	unsigned depth = 0;

	for (; *s && (depth || *s != with); s++)
		depth += (*s == '(' || *s == '[') - (depth && (*s == ')' || *s == ']'));
	return s;
}

/* "a, b" or "a:b, c:d": to may be NULL; both: an item without a colon counts for both. */
static bool take_list(char *s, struct mark_names *from, struct mark_names *to, bool both)
{
	while (s) {
		char *end = item_end(s, ','), *more = *end ? end + 1 : NULL, *colon;

		*end = 0;
		colon = to ? item_end(s, ':') : s + strlen(s);
		if (to && !*colon && !both)
			return false;
		if (*colon) {
			*colon = 0;
			mark_name_add(to, trim(colon + 1));
		} else if (to) {
			mark_name_add(to, trim(s));
		}
		mark_name_add(from, trim(s));
		s = more;
	}
	return true;
}

/* What own parts have behind their last index, "b:s:k", becomes step and block. */
static bool take_steps(struct mark *x)
{
	bool any = false;

	for (uint32_t i = 0; i < x->to.n; i++) {
		char *step = item_end(x->to.name[i], ':'), *block;

		if (*step)
			*step++ = 0;
		block = item_end(step, ':');
		if (*block)
			*block++ = 0;
		if (*item_end(block, ':'))
			return false;
		any = any || *step;
		mark_name_add(&x->step, *step ? trim(step) : "0");
		mark_name_add(&x->block, *block ? trim(block) : *step ? "1" : "0");
		trim(x->to.name[i]);
	}
	if (!any) {
		mark_names_clear(&x->step);
		mark_names_clear(&x->block);
	}
	return true;
}

static int take_word(struct mark *x, const char *word, char **at)
{
	bool list, is_range = !strcmp(word, "own") || !strcmp(word, "range");
	char *value = next(at, &list);
	int64_t line;

	if (!value)
		return -1;
	if (!strcmp(word, "on") && x->kind == MARK_PARALLEL && !list) {
		free(x->name);
		x->name = xstrdup(value);
		return 0;
	}
	if (!strcmp(word, "at") && x->iteration.n && !list &&
	    !parse_int(value, 1, UINT32_MAX, &line)) {
		x->iteration_line = (uint32_t)line;
		return 0;
	}
	if (!list)
		return -1;
	if (is_range && !take_list(value, &x->from, &x->to, false))
		return -1;
	if (is_range)
		return strcmp(word, "own") || take_steps(x) ? 0 : -1;
	if (!strcmp(word, "halo"))
		return take_list(value, &x->halo_lo, &x->halo_hi, true) ? 0 : -1;
	if (!strcmp(word, "shape"))
		return take_list(value, &x->shape, NULL, false) ? 0 : -1;
	if (!strcmp(word, "lower"))
		return take_list(value, &x->lower, NULL, false) ? 0 : -1;
	if (!strcmp(word, "periodic"))
		return take_list(value, &x->periodic, NULL, false) ? 0 : -1;
	if (!strcmp(word, "copies"))
		return take_list(value, &x->copies, NULL, false) ? 0 : -1;
	if (!strcmp(word, "copy"))
		return take_list(value, &x->copy, NULL, false) ? 0 : -1;
	if (!strcmp(word, "writes"))
		return take_list(value, &x->writes, NULL, false) ? 0 : -1;
	if (!strcmp(word, "reads"))
		return take_list(value, &x->reads, NULL, false) ? 0 : -1;
	if (!strcmp(word, "iteration"))
		return take_list(value, &x->iteration, NULL, false) ? 0 : -1;
	return -1;
}

/* FILE:LINE or FILE:FIRST-LAST */
static int take_place(char *word, struct mark *x)
{
	char *colon = strrchr(word, ':'), *end;
	unsigned long v;

	if (!colon || colon == word)
		return -1;
	v = strtoul(colon + 1, &end, 10);
	if (end == colon + 1 || !v || v > UINT32_MAX)
		return -1;
	x->line = (uint32_t)v;
	if (*end == '-') {
		v = strtoul(end + 1, &end, 10);
		if (v < x->line || v > UINT32_MAX)
			return -1;
		x->last = (uint32_t)v;
	}
	*colon = 0;
	x->file = xstrdup(word);
	return *end ? -1 : 0;
}

/* Why the mark is none; NULL: it is one. */
static const char *whole(const struct mark *x)
{
	bool loop = x->kind == MARK_SEQUENTIAL || x->kind == MARK_PARALLEL;

	if (loop && !x->last)
		return "a loop needs FILE:FIRST-LAST";
	if (!loop && x->kind != MARK_FUNCTION && x->kind != MARK_SKIP && !x->name)
		return "the variable is missing";
	if (x->kind == MARK_ARRAY && (!x->shape.n || x->shape.n > MARK_DIMS))
		return "an array needs shape [n, …] of 1 to 4 dimensions";
	if (x->kind == MARK_ARRAY && x->from.n != x->shape.n)
		return "an array needs own [first:last, …] with as many dimensions as its shape";
	if ((x->halo_lo.n && x->halo_lo.n != x->shape.n) ||
		 (x->lower.n && x->lower.n != x->shape.n) ||
		 (x->periodic.n && x->periodic.n != x->shape.n))
		return "halo, lower and periodic need as many dimensions as shape";
	if ((x->copies.n || x->copy.n) &&
		 (x->kind != MARK_ARRAY || x->copies.n != 1 || x->copy.n != 1))
		return "an array in several copies needs both: copies [n]  copy [k]";
	if (loop && x->from.n > MARK_DIMS)
		return "a loop has 1 to 4 dimensions";
	if (x->iteration.n && !x->iteration_line)
		return "iteration [i, …] needs: at LINE";
	if (x->kind == MARK_REDUCTION && !x->operation)
		return "a reduction needs its operation: sum, product, max, min, …";
	return NULL;
}

#define WORDS                                                                                      \
	"allowed are shape [n], own [a:b] or [a:b:step:block], halo [n], lower [n], periodic [1 or "  \
	"0], copies [n], copy [k], range [a:b], on NAME, writes [NAME], reads [NAME], iteration [i] " \
	"at LINE"

/* What is wrong with a word that was not taken, and with what stands behind it. */
static int wrong_word(const char *word, const char *rest, struct err *err)
{
	bool list;
	char *copy = xstrdup(rest), *at = copy;
	const char *value = next(&at, &list);
	int rc;

	if (!value && strchr(rest, '['))
		rc = err_set(err, "the list of %s has no end: ] is missing", word);
	else if (!value)
		rc = err_set(err, "there is nothing behind %s; " WORDS, word);
	else
		rc = err_set(err, "'%s %s%s%s' is not understood: " WORDS, word, list ? "[" : "",
			     value, list ? "]" : "");
	free(copy);
	return rc;
}

static int take_words(struct mark *to, char *at, struct err *err)
{
	bool list;
	char *word;

	while ((word = next(&at, &list))) {
		char *rest = xstrdup(at);
		int rc = list || take_word(to, word, &at) ? wrong_word(word, rest, err) : 0;

		free(rest);
		if (rc)
			return rc;
	}
	return *at ? err_set(err, "a list has no end: ] is missing") : 0;
}

static int take_line(struct marks *m, char *line, struct err *err)
{
	char *word, *at = line;
	const char *why;
	struct mark *to;
	bool list;
	unsigned k = 0;

	word = next(&at, &list);
	if (!word || *word == '#')
		return 0;
	while (k < MARK_KINDS && (list || strcmp(kinds[k], word)))
		k++;
	if (k == MARK_KINDS) {
		return err_set(err,
			       "'%.40s': a line begins with function, replicated, array, sequential, "
			       "parallel, reduction, forget, skip or #",
			       word);
	}
	to = marks_add(m, k, NULL, 0);
	word = next(&at, &list);
	if (!word || list || take_place(word, to)) {
		return err_set(err, "behind %s stands FILE:LINE, for loops FILE:FIRST-LAST, not '%s'",
			       kinds[k], word && !list ? word : "");
	}
	if (k != MARK_FUNCTION && k != MARK_SEQUENTIAL && k != MARK_PARALLEL && k != MARK_SKIP) {
		word = next(&at, &list);
		to->name = list ? NULL : xstrdup(word);
	}
	if (k == MARK_REDUCTION) {
		word = next(&at, &list);
		to->operation = list ? NULL : xstrdup(word);
	}
	if (take_words(to, at, err))
		return -1;
	why = whole(to);
	return why ? err_set(err, "%s", why) : 0;
}

int marks_read(struct marks *m, const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	uint32_t n = 0;
	int rc = 0;

	*m = (struct marks){ 0 };
	if (!f)
		return err_set(err, "cannot read %s: %s", path, strerror(errno));
	while (!rc && getline(&line, &room, f) >= 0) {
		n++;
		line[strcspn(line, "\r\n")] = 0;
		rc = take_line(m, line, err);
	}
	if (!rc && ferror(f))
		rc = err_set(err, "cannot read %s: %s", path, strerror(errno));
	else if (rc)
		err_prefix(err, "%s:%" PRIu32, path, n);
	free(line);
	fclose(f);
	if (rc)
		marks_clear(m);
	return rc;
}

static bool is_kind(const char *line, enum mark_kind kind)
{
	size_t n = strlen(kinds[kind]);

	line += strspn(line, " ");
	return !strncmp(line, kinds[kind], n) && line[n] == ' ';
}

/* The line is the mark of that array, or of a loop on it. */
static bool is_of_array(const char *line, const char *name)
{
	const char *x = line + strspn(line, " ");
	bool loop = is_kind(line, MARK_PARALLEL);
	size_t len = strlen(name);

	if (!loop && !is_kind(line, MARK_ARRAY))
		return false;
	x += strcspn(x, " ");
	x += strspn(x, " ");
	x += strcspn(x, " \n");
	x += strspn(x, " ");
	if (loop && strncmp(x, "on ", 3) != 0)
		return false;
	x += loop ? 3 : 0;
	return !strncmp(x, name, len) && (!x[len] || strchr(" \n", x[len]));
}

bool marks_drop_array(const char *path, const char *name)
{
	FILE *f = fopen(path, "r");
	char *line = NULL, *text = NULL;
	size_t room = 0, n = 0;
	FILE *out = f ? open_memstream(&text, &n) : NULL;
	bool any = false, others = false, drops;

	while (out && getline(&line, &room, f) > 0) {
		drops = is_of_array(line, name);
		any |= drops;
		others |= !drops && is_kind(line, MARK_ARRAY);
		if (!drops)
			fputs(line, out);
	}
	free(line);
	if (f)
		fclose(f);
	if (out)
		fclose(out);
	f = any && others ? fopen(path, "w") : NULL;
	any = f && fwrite(text, 1, n, f) == n;
	if (f)
		any &= !fclose(f);
	free(text);
	return any;
}
