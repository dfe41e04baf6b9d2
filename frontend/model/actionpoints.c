/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/model/actionpoints.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

struct actionpoints {
	struct actionpoint *item; /* ascending ids */
	size_t n, cap;
	uint32_t next;
};

#define LOCATION_FORMS                                                                         \
	"a location is a point (13.B, mpi:4.B), file:line, #file#line, a line of the current " \
	"file, or a "                                                                          \
	"function"

/* A whole text of digits that is a line number; 0 when it is none. */
static uint32_t line_number(const char *text)
{
	uint64_t v;

	return isdigit((unsigned char)*text) && !parse_uint(text, 0, 100000000, &v) ? (uint32_t)v
										    : 0;
}

static int set_line(struct location *loc, const char *file, size_t len, const char *line,
		    struct err *err)
{
	loc->kind = RULE_LINE;
	loc->line = line_number(line);
	if (!len || !loc->line)
		return err_set(err,
			       "'%.*s:%s' is not a place in a source: give a line number from 1 "
			       "after the file",
			       (int)len, file, line);
	if (len >= sizeof(loc->file))
		return err_set(err, "the file name is longer than %zu characters",
			       sizeof(loc->file) - 1);
	memcpy(loc->file, file, len);
	loc->file[len] = 0;
	return 0;
}

/* Looks like a point: digits and dots that end in .B or .E in any case, of one kind or another. */
static bool point_like(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	for (unsigned i = 0; i < POINT_KINDS; i++) {
		size_t n = strlen(point_kind_word(i));

		if (!strncmp(text, point_kind_word(i), n) && text[n] == ':' &&
		    isdigit((unsigned char)text[n + 1]))
			return true;
	}
	return digits && text[digits] == '.' && strspn(text, "0123456789.BEbe") == strlen(text);
}

static bool name_like(const char *text)
{
	for (const char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_.$:~<>,", *p))
			return false;
	return *text && !isdigit((unsigned char)*text);
}

int location_parse(struct location *loc, const char *text, const char *current_file,
		   struct err *err)
{
	const char *mark;

	memset(loc, 0, sizeof(*loc));
	if (!*text)
		return err_set_code(err, ERR_LOCATION, "no location is given; " LOCATION_FORMS);
	if (point_like(text)) {
		loc->kind = RULE_POINT;
		if (point_parse(&loc->point, text, err))
			return -1;
		if (!loc->point.main)
			return err_set(err, "there is no point '%s': numbers begin at 1", text);
		return 0;
	}
	if (*text == '#') {
		mark = strchr(text + 1, '#');
		if (!mark)
			return err_set_code(err, ERR_LOCATION,
					    "'%s' is not a location: the form is #file#line", text);
		return set_line(loc, text + 1, (size_t)(mark - text - 1), mark + 1, err);
	}
	if (isdigit((unsigned char)*text)) {
		if (!line_number(text))
			return err_set_code(err, ERR_LOCATION,
					    "'%s' is not a location; " LOCATION_FORMS, text);
		if (!current_file)
			return err_set(err,
				       "line %s of which file? There is no current file yet: "
				       "give file:line",
				       text);
		return set_line(loc, current_file, strlen(current_file), text, err);
	}
	mark = strrchr(text, ':');
	if (mark && (mark == text || mark[-1] != ':'))
		return set_line(loc, text, (size_t)(mark - text), mark + 1, err);
	if (!name_like(text) || strlen(text) >= sizeof(loc->file))
		return err_set_code(err, ERR_LOCATION,
				    "'%.200s' is not a "
				    "location; " LOCATION_FORMS,
				    text);
	loc->kind = RULE_NAME;
	snprintf(loc->file, sizeof(loc->file), "%s", text);
	return 0;
}

const char *location_format(const struct location *loc, char *out, size_t size)
{
	char point[POINT_TEXT];

	switch (loc->kind) {
	case RULE_POINT:
		snprintf(out, size, "%s", point_format(&loc->point, point));
		break;
	case RULE_LINE:
	case RULE_ADDR:
		snprintf(out, size, "%s:%u", loc->file, loc->line);
		break;
	case RULE_NAME:
		snprintf(out, size, "%s", loc->file);
		break;
	}
	return out;
}

const char *act_kind_name(enum act_kind kind)
{
	static const char *const name[ACT_KINDS] = { "break", "barrier", "watch" };

	return kind < ACT_KINDS ? name[kind] : "?";
}

int actionpoints_iteration_parse(struct rule *r, const char *text, struct err *err)
{
	const char *p = text;
	bool open = *p == '(';
	unsigned n = 0;

	r->any = 0;
	for (p += open; n < RULE_ITERS; n++) {
		p += strspn(p, " ");
		r->iter[n] = 0;
		if (*p == '*') {
			r->any |= (uint8_t)(1u << n);
			p++;
		} else if (parse_int_at(&p, &r->iter[n])) {
			n = RULE_ITERS; /* none is there */
			break;
		}
		p += strspn(p, " ");
		if (*p != ',')
			break;
		p++;
	}
	if (open && *p == ')')
		p++;
	else if (open)
		p = "?";
	if (n == RULE_ITERS || *p || p == text || (p > text && p[-1] == ','))
		return err_set(err,
			       "-iter %s: give the index of the iteration, as 5, or one for each "
			       "dimension, as (5,*), where * is any; at most %d",
			       text, RULE_ITERS);
	r->niter = (uint8_t)(n + 1);
	return 0;
}

const char *actionpoints_iteration_format(const struct rule *r, char *out, size_t size)
{
	size_t used = 0;

	*out = 0;
	for (unsigned i = 0; i < r->niter && used < size; i++) {
		const char *before = i ? "," : r->niter > 1 ? "(" : "";

		if (r->any >> i & 1)
			used += (size_t)snprintf(out + used, size - used, "%s*", before);
		else
			used += (size_t)snprintf(out + used, size - used, "%s%" PRId64, before,
						 r->iter[i]);
	}
	if (r->niter > 1 && used < size)
		snprintf(out + used, size - used, ")");
	return out;
}

int actionpoint_set(char **member, const char *text)
{
	char *copy = text ? xstrdup(text) : NULL;

	if (text && !copy)
		return -1;
	free(*member);
	*member = copy;
	return 0;
}

/* The texts that an actionpoint owns. */
#define TEXTS 6
static void texts(struct actionpoint *ap, char **of[TEXTS])
{
	of[0] = &ap->text;
	of[1] = &ap->who;
	of[2] = &ap->off;
	of[3] = &ap->stop;
	of[4] = &ap->cond;
	of[5] = &ap->length;
}

static void clear(struct actionpoint *ap)
{
	char **of[TEXTS];

	texts(ap, of);
	for (int i = 0; i < TEXTS; i++)
		free(*of[i]);
}

/* A copy with texts of its own. */
static void copy(struct actionpoint *to, const struct actionpoint *from)
{
	char **of[TEXTS];

	*to = *from;
	texts(to, of);
	for (int i = 0; i < TEXTS; i++)
		*of[i] = xstrdup(*of[i]);
}

struct actionpoints *actionpoints_create(void)
{
	return xcalloc(1, sizeof(struct actionpoints));
}

void actionpoints_destroy(struct actionpoints *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		clear(&a->item[i]);
	free(a->item);
	free(a);
}

/* A new one, which has its id and nothing else yet. */
static struct actionpoint *append(struct actionpoints *a, const char *text)
{
	struct actionpoint *ap;

	xvec_room(a->item, a->cap, a->n + 1);
	ap = &a->item[a->n];
	memset(ap, 0, sizeof(*ap));
	ap->text = xstrdup(text);
	ap->enabled = true;
	ap->rule.id = a->next++;
	a->n++;
	return ap;
}

int64_t actionpoints_add(struct actionpoints *a, const struct location *loc, uint32_t count)
{
	char text[RULE_FILE + 32];
	struct actionpoint *ap = append(a, location_format(loc, text, sizeof(text)));

	ap->rule.kind = (uint8_t)loc->kind;
	ap->rule.count = count;
	ap->rule.point = loc->point;
	ap->rule.line = loc->line;
	memcpy(ap->rule.file, loc->file, sizeof(ap->rule.file));
	return ap->rule.id;
}

int64_t actionpoints_add_watch(struct actionpoints *a, const struct watch *w, const char *text)
{
	struct actionpoint *ap = append(a, text);

	ap->kind = ACT_WATCH;
	ap->watch = *w;
	ap->watch.id = ap->rule.id;
	return ap->rule.id;
}

struct actionpoint *actionpoints_find(struct actionpoints *a, uint32_t id)
{
	size_t lo = 0, hi = a->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (a->item[mid].rule.id == id)
			return &a->item[mid];
		if (a->item[mid].rule.id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

int actionpoints_delete(struct actionpoints *a, uint32_t id, struct err *err)
{
	struct actionpoint *ap = actionpoints_find(a, id);
	size_t at;

	if (!ap)
		return err_set(err, "there is no actionpoint %u", id);
	at = (size_t)(ap - a->item);
	clear(ap);
	memmove(ap, ap + 1, (a->n - at - 1) * sizeof(*ap));
	a->n--;
	return 0;
}

void actionpoints_copy(struct actionpoints *to, const struct actionpoints *from)
{
	struct actionpoint *item = xcalloc(from->n + 1, sizeof(*item));
	size_t n = 0;

	for (; n < from->n; n++) {
		const struct actionpoint *old = actionpoints_find(to, from->item[n].rule.id);

		copy(&item[n], &from->item[n]);
		item[n].hits = old ? old->hits : 0;
		item[n].run_hits = old ? old->run_hits : 0;
	}
	for (size_t i = 0; i < to->n; i++)
		clear(&to->item[i]);
	free(to->item);
	to->item = item;
	to->n = n;
	to->cap = n + 1;
	to->next = from->next;
}

size_t actionpoints_count(const struct actionpoints *a)
{
	return a->n;
}

struct actionpoint *actionpoints_at(struct actionpoints *a, size_t i)
{
	return &a->item[i];
}

void actionpoints_hit(struct actionpoints *a, uint32_t id)
{
	struct actionpoint *ap = actionpoints_find(a, id);

	if (!ap)
		return;
	ap->hits++;
	ap->run_hits++;
}

void actionpoints_new_run(struct actionpoints *a)
{
	for (size_t i = 0; i < a->n; i++)
		a->item[i].run_hits = 0;
}

struct rule *actionpoints_rules(const struct actionpoints *a, uint32_t *n)
{
	struct rule *rule;

	*n = 0;
	if (!a->n)
		return NULL;
	rule = xcalloc(a->n, sizeof(*rule));
	for (size_t i = 0; i < a->n; i++)
		if (a->item[i].enabled && a->item[i].kind != ACT_WATCH)
			rule[(*n)++] = a->item[i].rule;
	return rule;
}
