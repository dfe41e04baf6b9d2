/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks as calls of the module dvmdbg. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/fortran/fortran.h"
#include "frontend/marks/internal.h"
#include "frontend/util/xalloc.h"

#define WIDE_FREE 100
#define WIDE_FIXED 72
#define INDICES 3 /* that an iteration may have */

/* Where marks of one source go. */
struct writing {
	const struct source *s;
	const struct fortran *f;
	struct insertions *x;
	uint32_t unit; /* of the mark */
};

/* How far the statement at the line, or the next one, is indented. */
static size_t indentation(const struct writing *w, uint32_t line)
{
	size_t n = 0;

	for (uint32_t i = 0; i < w->f->n; i++) {
		if (w->f->statement[i].last >= line) {
			n = strspn(w->s->line[w->f->statement[i].first - 1], " \t");
			break;
		}
	}
	return w->f->fixed && n < 6 ? 6 : n;
}

/* Behind what still fits into so many columns: at a comma; the end of a word that is too long for
 * that. */
static size_t fits(const char *text, size_t columns)
{
	size_t n = 0;
	bool quoted = false;

	if (strlen(text) <= columns)
		return strlen(text);
	for (size_t i = 0; text[i]; i++) {
		quoted ^= text[i] == '\'';
		if (!quoted && text[i] == ',' && text[i + 1] == ' ' && (i < columns || !n))
			n = i + 1;
	}
	return n ? n : strlen(text);
}

/* The text with its indentation, on several lines where it is too long for one. */
static char *laid_out(const struct writing *w, const char *text, size_t indent)
{
	size_t wide = w->f->fixed ? WIDE_FIXED : WIDE_FREE, size, room;
	bool first = true;
	char *out;
	FILE *f = xmemstream(&out, &size);

	if (indent > wide / 2)
		indent = wide / 2;
	room = wide - indent - 4;
	while (*text) {
		size_t n = fits(text, room);
		const char *next = text + n + strspn(text + n, " ");

		if (first)
			fprintf(f, "%*s", (int)indent, "");
		else if (w->f->fixed)
			fprintf(f, "\n     &%*s", (int)(indent - 4), "");
		else
			fprintf(f, "\n%*s", (int)indent + 2, "");
		fprintf(f, "%.*s%s", (int)n, text, *next && !w->f->fixed ? " &" : "");
		text = next;
		first = false;
	}
	xmemstream_close(f);
	return out;
}

/* In front of the line, indented as the statement at line `like`; begun: where the construct begins
 * that it ends, 0: it ends none. */
static void say(struct writing *w, uint32_t before, uint32_t like, uint32_t begun, char *text)
{
	insert_whole(w->x, before, begun, laid_out(w, text, indentation(w, like)));
	free(text);
}

/* ---- numbers ---- */

/* The kind of an integer as "8" or "ik", "4" of a default one; owned by the caller. "?": not
 * known. */
static char *kind_of(const struct writing *w, const char *name)
{
	const char *part = strrchr(name, '%');
	struct fortran_entity e;
	char *kind, *end;
	bool known = part ? fortran_component(w->f, part + 1, &e) :
			    fortran_find(w->f, w->unit, name, &e);

	if (!known || strncmp(e.type, "integer", 7))
		return xstrdup("?");
	kind = e.type + 7 + strspn(e.type + 7, "*(");
	if (!strncmp(kind, "kind=", 5))
		kind += 5;
	end = kind + strlen(kind);
	if (end > kind && end[-1] == ')')
		end[-1] = 0;
	return xstrdup(*kind ? kind : "4");
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The kind that all of them have; "?": it is not known, or not one. */
static char *kind_of_all(const struct writing *w, const struct mark_names *n, bool literals)
{
	char *kind = NULL;

	for (uint32_t i = 0; i < n->n; i++) {
		bool any = false;

		for (const char *c = n->name[i], *e; *c; c = e) {
			char *name, *now;

			for (e = c; is_name(*e) || (e > c && *e == '%'); e++)
				;
			if (e == c) {
				e++;
				continue;
			}
			name = xstrndup(c, (size_t)(e - c));
			if (isdigit((unsigned char)*c)) {
				free(name);
				continue;
			}
			any = true;
			now = kind_of(w, name);
			free(name);
			if (kind && strcmp(kind, now)) {
				free(now);
				free(kind);
				return xstrdup("?");
			}
			free(kind);
			kind = now;
		}
		if (!any && literals) {
			if (kind && strcmp(kind, "4")) {
				free(kind);
				return xstrdup("?");
			}
			if (!kind)
				kind = xstrdup("4");
		}
	}
	return kind ? kind : xstrdup("4");
}

/* ", shape=[n, m]"; elements of an array constructor have one kind. */
static void list(FILE *f, const struct writing *w, const char *what, const struct mark_names *n)
{
	char *kind;

	if (!n->n)
		return;
	kind = kind_of_all(w, n, true);
	fprintf(f, "%s[%s", what, strcmp(kind, "?") ? "" : "integer(8) :: ");
	for (uint32_t i = 0; i < n->n; i++)
		fprintf(f, "%s%s", i ? ", " : "", n->name[i]);
	fputc(']', f);
	free(kind);
}

static void indices(FILE *f, const struct writing *w, const struct mark_names *n)
{
	char *kind = kind_of_all(w, n, false);

	for (uint32_t i = 0; i < n->n; i++)
		fprintf(f, strcmp(kind, "?") ? "%s%s" : "%sint(%s, 8)", i ? ", " : "", n->name[i]);
	free(kind);
}

/* ", writes='u, v'" */
static void names(FILE *f, const char *what, const struct mark_names *n)
{
	if (!n->n)
		return;
	fputs(what, f);
	for (uint32_t i = 0; i < n->n; i++)
		fprintf(f, "%s%s", i ? ", " : "", n->name[i]);
	fputc('\'', f);
}

/* ---- what the unit needs ---- */

/* USE in the unit whose statements can call, as far out as its hosts can. */
static void use(struct writing *w)
{
	const struct fortran *f = w->f;
	uint32_t unit = w->unit, at;
	bool headed;

	if (fortran_uses(f, unit, "dvmdbg", NULL))
		return;
	while (f->unit[unit].host != FORTRAN_NONE &&
	       f->unit[f->unit[unit].host].kind != FORTRAN_MODULE)
		unit = f->unit[unit].host;
	at = f->unit[unit].head;
	headed = f->unit[unit].headed;
	say(w, headed ? f->statement[at].last + 1 : f->statement[at].first,
	    f->statement[at + (headed && at + 1 < f->n)].first, 0, xstrdup("use dvmdbg"));
}

/* Adds the name to the TARGET statement in front of the line; false: there is none so far. */
static bool add_target(const struct insertions *x, uint32_t before, const char *name)
{
	for (uint32_t i = 0; i < x->n; i++) {
		struct insertion *l = &x->line[i];
		const char *text = l->text + strspn(l->text, " ");
		char *more;

		if (l->before != before || strncmp(text, "target :: ", 10))
			continue;
		if (!fortran_word(text + 10, name)) {
			more = xasprintf("%s, %s", l->text, name);
			free(l->text);
			l->text = more;
		}
		return true;
	}
	return false;
}

/* Behind the statement; ahead: in front of all that was put there, which may be executable. */
static void declare(struct writing *w, uint32_t statement, bool ahead, char *text)
{
	const struct fortran_statement *at = &w->f->statement[statement];
	struct insertion first;

	say(w, at->last + 1, at->first, 0, text);
	if (!ahead)
		return;
	first = w->x->line[w->x->n - 1];
	memmove(w->x->line + 1, w->x->line, (w->x->n - 1) * sizeof(first));
	w->x->line[0] = first;
}

/*
 * TARGET for what is registered, where the source declares it: arguments only where callers see
 * the interface.
 */
static void target(struct writing *w, const char *variable)
{
	char *name = xstrndup(variable, strcspn(variable, "%( "));
	const struct fortran_unit *u;
	struct fortran_entity e;
	uint32_t at;

	if (fortran_find(w->f, w->unit, name, &e) && !e.pointer && !e.target && !e.parameter &&
	    !e.common && !(e.dummy && w->f->unit[e.unit].host == FORTRAN_NONE)) {
		u = &w->f->unit[e.unit];
		at = u->body > u->head + 1 ? u->body - 1 : e.last;
		if (!add_target(w->x, w->f->statement[at].last + 1, name))
			declare(w, at, at > u->head, xasprintf("target :: %s", name));
	}
	free(name);
}

/* ---- marks ---- */

static char *array(const struct writing *w, const struct mark *m)
{
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);
	bool same = true;

	fprintf(f, "call dvmdbg_array(%s, '%s'", m->name, m->name);
	list(f, w, ", shape=", &m->shape);
	list(f, w, ", own_lo=", &m->from);
	list(f, w, ", own_hi=", &m->to);
	for (uint32_t i = 0; i < m->halo_lo.n; i++)
		same = same && !strcmp(m->halo_lo.name[i], m->halo_hi.name[i]);
	list(f, w, same ? ", halo=" : ", halo_lo=", &m->halo_lo);
	if (!same)
		list(f, w, ", halo_hi=", &m->halo_hi);
	list(f, w, ", lower=", &m->lower);
	for (uint32_t i = 0; i < m->step.n; i++)
		if (strcmp(m->step.name[i], "0"))
			fprintf(f,
				", index%u=dvmdbg_cyclic(int(%s, 8), int(%s, 8), int(%s, 8), "
				"int(%s, 8))",
				i + 1, m->from.name[i], m->to.name[i], m->step.name[i],
				m->block.name[i]);
	list(f, w, ", periodic=", &m->periodic);
	if (m->copies.n)
		fprintf(f, ", copies=%s, copy=%s", m->copies.name[0], m->copy.name[0]);
	fputc(')', f);
	xmemstream_close(f);
	return text;
}

/* The statement leads a pointer elsewhere, or gives an array the memory of another one. */
static bool moves(const char *text)
{
	return strstr(text, "=>") || fortran_word(text, "move_alloc");
}

/* That pointer, or array: "NAME => …", "move_alloc(…, NAME)". */
static bool moves_name(const char *text, const char *name)
{
	const char *at = fortran_word(text, name);
	const char *to = strstr(text, "=>");

	if (!at || !moves(text))
		return false;
	return to ? at < to && at[strlen(name) + strspn(at + strlen(name), " ")] == '=' : true;
}

/*
 * A pointer that is swapped with others, or an array by move_alloc, is registered again behind the
 * statements that do it, which follow one another: its memory is another one then.
 */
static void again(struct writing *w, const struct mark *m)
{
	const struct fortran_unit *u = &w->f->unit[w->unit];
	bool moved = false;

	if (strpbrk(m->name, "%(@"))
		return;
	for (uint32_t i = u->body; i < u->end && i < w->f->n; i++) {
		const struct fortran_statement *s = &w->f->statement[i];
		bool next = i + 1 < u->end && moves(s[1].text);

		moved = moved || (s->first > m->line && moves_name(s->text, m->name));
		if (!moved || next)
			continue;
		say(w, s->last + 1, s->first, 0, array(w, m));
		moved = false;
	}
}

static char *loop_begin(const struct writing *w, const struct mark *m)
{
	char *text, *cut;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	if (m->from.n == 1) {
		fprintf(f, ", first=%s, last=%s", m->from.name[0], m->to.name[0]);
	} else {
		list(f, w, ", first=", &m->from);
		list(f, w, ", last=", &m->to);
	}
	if (m->name)
		fprintf(f, ", on=%s", m->name);
	names(f, ", writes='", m->dummies ? &m->passed_writes : &m->writes);
	names(f, ", reads='", m->dummies ? &m->passed_reads : &m->reads);
	xmemstream_close(f);
	cut = xasprintf("call dvmdbg_%s_begin(%s)", m->kind == MARK_PARALLEL ? "pl" : "sl",
			*text ? text + 2 : "");
	free(text);
	return cut;
}

/* What is called in DO CONCURRENT has to be pure: no iteration can be marked there. */
static bool is_concurrent(const struct fortran *f, uint32_t line)
{
	uint32_t at = fortran_statement_at(f, line);
	const char *s = at == FORTRAN_NONE ? NULL :
					     fortran_begins(f->statement[at].text, "do", NULL);

	return s && fortran_begins(s, "concurrent", NULL);
}

static void loop(struct writing *w, const struct mark *m, uint32_t before)
{
	bool parallel = m->kind == MARK_PARALLEL;
	char *text;
	size_t size;
	FILE *f;

	say(w, before, m->line, 0, loop_begin(w, m));
	if (m->iteration.n && m->iteration.n <= INDICES && !is_concurrent(w->f, m->line)) {
		f = xmemstream(&text, &size);
		fputs(parallel ? "if (dvmdbg_hooked) call dvmdbg_pl_iteration(" :
				 "call dvmdbg_iteration(",
		      f);
		indices(f, w, &m->iteration);
		fputc(')', f);
		xmemstream_close(f);
		say(w, m->iteration_line, m->iteration_line, 0, text);
	}
	say(w, m->last + 1, m->line, m->line,
	    xasprintf("call dvmdbg_%s_end()", parallel ? "pl" : "sl"));
}

static void frame(struct writing *w, const struct mark *m, uint32_t before)
{
	const struct fortran_unit *u = &w->f->unit[w->unit];
	uint32_t end = w->f->statement[u->end].first;

	say(w, before, m->line, 0, xasprintf("call dvmdbg_function_begin('%s')", u->name));
	say(w, end, m->line, w->f->statement[u->head].first, xstrdup("call dvmdbg_function_end()"));
}

/* The line where the statement begins that the line is of. */
static uint32_t first_line(const struct fortran *f, uint32_t line)
{
	uint32_t at = fortran_statement_at(f, line);

	return at == FORTRAN_NONE ? line : f->statement[at].first;
}

void mark_in_fortran(const struct mark *m, const struct source *s, struct insertions *x)
{
	struct writing w = { .s = s,
			     .f = s->fortran,
			     .x = x,
			     .unit = fortran_unit_at(s->fortran, m->line) };
	uint32_t before = first_line(s->fortran, m->line);

	if (w.unit == FORTRAN_NONE)
		return;
	use(&w);
	switch (m->kind) {
	case MARK_FUNCTION:
		frame(&w, m, before);
		break;
	case MARK_REPLICATED:
		target(&w, m->name);
		say(&w, before, m->line, 0,
		    xasprintf("call dvmdbg_replicated(%s, '%s')", m->name, m->name));
		break;
	case MARK_ARRAY:
		target(&w, m->name);
		say(&w, before, m->line, 0, array(&w, m));
		again(&w, m);
		break;
	case MARK_SEQUENTIAL:
	case MARK_PARALLEL:
		loop(&w, m, before);
		break;
	case MARK_REDUCTION:
		target(&w, m->name);
		say(&w, before, m->line, 0,
		    xasprintf("call dvmdbg_reduction(%s, dvmdbg_%s)", m->name, m->operation));
		break;
	case MARK_FORGET:
		say(&w, before, m->line, 0, xasprintf("call dvmdbg_forget('%s')", m->name));
		break;
	case MARK_SKIP:
		say(&w, before, m->line, 0, xstrdup("call dvmdbg_skip()"));
		break;
	default:
		break;
	}
}
