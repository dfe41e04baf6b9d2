/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is particular to Fortran: what a frame sees of its hosts and of modules, lower bounds, the
 * order of dimensions.
 */
#include "frontend/annotate/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/fortran/fortran.h"
#include "frontend/util/xvec.h"

static struct variable *find(const struct frame_seen *f, const char *name)
{
	for (uint32_t i = 0; i < f->nvariable; i++)
		if (!strcmp(f->variable[i].name, name))
			return &f->variable[i];
	return NULL;
}

bool fortran_sees(const struct draft *m, const struct scan *s, uint32_t unit, const char *name,
		  struct fortran_entity *out)
{
	if (fortran_find(s->fortran, unit, name, out))
		return true;
	for (uint32_t i = 0; i < m->nscan; i++) {
		const struct fortran *f = m->scan[i]->fortran;

		for (uint32_t k = 0; f && m->scan[i] != s && k < f->nunit; k++)
			if (f->unit[k].kind == FORTRAN_MODULE &&
			    fortran_uses(s->fortran, unit, f->unit[k].name, name) &&
			    fortran_find(f, k, name, out))
				return true;
	}
	return false;
}

/* Without the module, and without the number that gfortran gives what the main program saves. */
static char *plain_name(const char *symbol)
{
	const char *scope = strstr(symbol, "::"), *name = scope ? scope + 2 : symbol,
		   *dot = strchr(name, '.');

	if (dot && dot[1] && !dot[1 + strspn(dot + 1, "0123456789")])
		return xstrndup(name, (size_t)(dot - name));
	return xstrdup(name);
}

/*
 * A variable that lasts, as the trace has it; its value at the end is taken for that at any time,
 * if it does not change once arrays are gone over: from `begin` on, in records of the rank. Of what
 * the main program saves the debug information may have the first value alone.
 */
static void add_scalar(struct frame_seen *f, const struct scalar *x, const char *name,
		       const struct fortran_entity *e, uint64_t begin)
{
	struct variable *old = find(f, name);
	char text[64];
	double d;
	float s;

	if (!strncmp(e->type, "integer", 7)) {
		if (x->changes && x->changed_last >= begin)
			return;
		snprintf(text, sizeof(text), "%" PRId64, x->value);
		if (old && old->whole && strchr(x->name, '.') && e->initial) {
			free(old->value);
			old->value = xstrdup(text);
			old->number = x->value;
		}
		if (old)
			return;
		variables_add(f, name, "integer", text);
	} else if (!old && (!strncmp(e->type, "real", 4) || !strncmp(e->type, "double", 6))) {
		memcpy(&d, &x->value, sizeof(d));
		memcpy(&s, &x->value, sizeof(s));
		snprintf(text, sizeof(text), "%.17g", x->size == 8 ? d : (double)s);
		variables_add(f, name, "real", text);
	}
}

/* An array that lasts, of a module. */
static void add_region(const struct draft *m, const struct scan *s, uint32_t unit,
		       struct frame_seen *f, const struct region *r)
{
	const char *scope = r->name ? strstr(r->name, "::") : NULL,
		   *name = scope ? scope + 2 : r->name;
	struct fortran_entity e;
	char text[32];

	if (!name || find(f, name) || !fortran_sees(m, s, unit, name, &e))
		return;
	snprintf(text, sizeof(text), "0x%" PRIx64, r->base);
	variables_add(f, name, "", text);
}

/* What another frame has of a variable or component, unless the frame has the name: a type is that
 * of the whole. */
static void copy_variable(struct frame_seen *f, const struct variable *v)
{
	struct variable *to;

	if (find(f, v->name))
		return;
	variables_add(f, v->name, v->type, v->value);
	to = find(f, v->name);
	if (to)
		to->whole = v->whole;
}

/* All that the function sees at the frame, which so far has its own variables. */
static void complete(struct draft *m, const struct rank_seen *seen, const struct stop_seen *stop,
		     uint32_t k)
{
	struct frame_seen *f = &stop->frame[k];
	const struct scan *s = draft_open(m, f->file);
	const struct function *x = s && s->fortran ? draft_function(s, f->line) : NULL;
	struct fortran_entity e;

	if (!x)
		return;
	for (uint32_t host = x->host; host != UINT32_MAX; host = s->function[host].host) {
		for (uint32_t j = k + 1; j < stop->nframe; j++) {
			const struct frame_seen *o = &stop->frame[j];

			if (strcmp(o->file, f->file) ||
			    draft_function(s, o->line) != &s->function[host])
				continue;
			for (uint32_t i = 0; i < o->nvariable; i++)
				copy_variable(f, &o->variable[i]);
			break;
		}
	}
	for (uint32_t i = 0; i < stop->modules.nvariable; i++) {
		const struct variable *v = &stop->modules.variable[i];
		char *root = xstrndup(v->name, strcspn(v->name, "%("));

		if (fortran_sees(m, s, x->unit, root, &e))
			copy_variable(f, v);
		free(root);
	}
	for (uint32_t i = 0; i < seen->nregion; i++)
		add_region(m, s, x->unit, f, &seen->region[i]);
	for (uint32_t i = 0; i < seen->nscalar; i++) {
		char *name = plain_name(seen->scalar[i].name);

		if (!strpbrk(name, ".[(%+") && fortran_sees(m, s, x->unit, name, &e) &&
		    !e.parameter && e.unit != FORTRAN_NONE && !e.dummy)
			add_scalar(f, &seen->scalar[i], name, &e, seen->begin);
		free(name);
	}
}

void fortran_frames(struct draft *m, struct training *t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t r = 0; r < t[i].ranks; r++)
			for (uint32_t j = 0; j < t[i].rank[r].nstop; j++)
				for (uint32_t k = t[i].rank[r].stop[j].nframe; k-- > 0;)
					complete(m, &t[i].rank[r], &t[i].rank[r].stop[j], k);
}

/* What the variable says of the region that it is. */
static void take_extents(struct region *r, const struct variable *v)
{
	int64_t lo[LAYOUT_DIMS], hi[LAYOUT_DIMS], all = 1;
	unsigned n = variable_bounds(v, lo, hi, LAYOUT_DIMS);

	for (unsigned d = 0; d < n; d++) {
		if (hi[d] < lo[d])
			return;
		all *= hi[d] - lo[d] + 1;
	}
	if (n <= r->nextent || (uint64_t)all * r->unit != r->bytes)
		return;
	r->nextent = n;
	for (unsigned d = 0; d < n; d++)
		r->extent[n - 1 - d] = hi[d] - lo[d] + 1;
}

static void extents_at(struct rank_seen *s, const struct frame_seen *f)
{
	for (uint32_t i = 0; i < f->nvariable; i++)
		for (uint32_t k = 0; f->variable[i].pointer && k < s->nregion; k++)
			if (s->region[k].base == (uint64_t)f->variable[i].number)
				take_extents(&s->region[k], &f->variable[i]);
}

void fortran_extents(struct training *t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t r = 0; r < t[i].ranks; r++)
			for (uint32_t j = 0; j < t[i].rank[r].nstop; j++)
				for (uint32_t k = t[i].rank[r].stop[j].nframe + 1; k-- > 0;)
					extents_at(&t[i].rank[r],
						   k ? &t[i].rank[r].stop[j].frame[k - 1]
						     : &t[i].rank[r].stop[j].modules);
}

void region_pitches(const struct region *r, struct part *p)
{
	int64_t pitch = 1;

	for (unsigned d = r->nextent; d-- > 0;) {
		p->pitch[d] = pitch;
		p->stored[d] = r->extent[d];
		pitch *= r->extent[d];
	}
}

void fortran_bases(const struct guesses *g, const struct array_guess *a, const char *name,
		   const struct env *env, int64_t *base)
{
	int64_t first[LAYOUT_DIMS], lo[LAYOUT_DIMS], hi[LAYOUT_DIMS];
	uint32_t i = 0;
	bool any = false;

	for (unsigned d = 0; d < LAYOUT_DIMS; d++)
		base[d] = 1;
	for (uint32_t k = 0; k < g->ntraining; i += g->training[k++].ranks) {
		const struct variable *v = NULL;

		if (g->training[k].ranks != 1 || !env[i].frame)
			continue;
		for (uint32_t j = 0; j < env[i].frame->nvariable && !v; j++)
			if (!strcmp(env[i].frame->variable[j].name, name))
				v = &env[i].frame->variable[j];
		if (!v || variable_bounds(v, lo, hi, LAYOUT_DIMS) != a->ndim)
			return;
		for (unsigned d = 0; d < a->ndim; d++) {
			int64_t now = lo[a->ndim - 1 - d] + a->run[k].part[0].own_lo[d];

			if (any && now != first[d])
				return;
			first[d] = now;
		}
		any = true;
	}
	if (any)
		memcpy(base, first, a->ndim * sizeof(*base));
}

static void turn_names(struct mark_names *n)
{
	for (uint32_t i = 0; i < n->n / 2; i++) {
		char *last = n->name[n->n - 1 - i];

		n->name[n->n - 1 - i] = n->name[i];
		n->name[i] = last;
	}
}

void fortran_order(struct mark *m)
{
	turn_names(&m->shape);
	turn_names(&m->from);
	turn_names(&m->to);
	turn_names(&m->halo_lo);
	turn_names(&m->halo_hi);
	turn_names(&m->lower);
	turn_names(&m->step);
	turn_names(&m->block);
	turn_names(&m->iteration);
}

/* ---- replicated variables ---- */

/* ---- calls ---- */

#define ARGUMENTS 16

/* The arguments in the brackets at s, owned by the caller; how many. */
static unsigned arguments(const char *s, char **out, unsigned max)
{
	const char *close = *s == '(' ? fortran_closing(s) : NULL, *from = s + 1;
	unsigned n = 0;

	while (close && n < max) {
		const char *end = from;

		while (end < close - 1 && *end != ',') {
			const char *e = *end == '(' || *end == '[' ? fortran_closing(end) : end + 1;

			end = e && e < close ? e : close - 1;
		}
		while (*from == ' ')
			from++;
		out[n++] = xstrndup(from, (size_t)(end - from));
		for (size_t k = strlen(out[n - 1]); k && out[n - 1][k - 1] == ' ';)
			out[n - 1][--k] = 0;
		if (end >= close - 1)
			break;
		from = end + 1;
	}
	return n;
}

static void arguments_clear(char **a, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		free(a[i]);
}

/* The dummy argument of a unit may not be changed: intent(in). */
static bool is_input(const struct fortran *f, uint32_t unit, const char *dummy)
{
	struct fortran_entity e;
	bool found = false;

	if (!fortran_find(f, unit, dummy, &e) || e.unit != unit)
		return false;
	for (uint32_t i = e.first; i <= e.last && i < f->n && !found; i++) {
		const char *c = fortran_word(f->statement[i].text, dummy) ?
					fortran_word(f->statement[i].text, "intent") :
					NULL;

		c = c ? c + strlen("intent") + strspn(c + strlen("intent"), " ") : "";
		found = *c == '(' && !strncmp(c + 1 + strspn(c + 1, " "), "in", 2) &&
			strchr(" )", c[3 + strspn(c + 1, " ")]);
	}
	return found;
}

/* A call of MPI may set a number that it gets: by a broadcast, reduction or message. */
static bool mpi_sets(const char *call)
{
	static const char *const words[] = { "mpi_bcast", "mpi_allreduce", "mpi_reduce",
					     "mpi_recv",  "mpi_comm_",	   "mpi_cart_",
					     "mpi_dims_", "mpi_scan",	   "mpi_exscan" };

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(call, words[i], strlen(words[i])))
			return true;
	return false;
}

/* No statement of the unit assigns the dummy argument, reads it, or passes it on but to MPI. */
static bool is_never_set(const struct fortran *f, uint32_t unit, const char *dummy)
{
	for (uint32_t i = f->unit[unit].body; i < f->unit[unit].end && i < f->n; i++) {
		const char *text = f->statement[i].text, *s = fortran_begins(text, "if", NULL);
		size_t len;

		if (s && *s == '(') {
			s = fortran_closing(s);
			text = s ? s + strspn(s, " ") : "";
		}
		s = fortran_begins(text, "call", NULL);
		if ((s && !strncmp(s, "mpi_", 4) && !mpi_sets(s)) || !fortran_word(text, dummy))
			continue;
		if (s || fortran_begins(text, "read", NULL) || fortran_begins(text, "do", NULL) ||
		    (fortran_assignment(text, &len) && !strncmp(text, dummy, strlen(dummy)) &&
		     len == strlen(dummy)))
			return false;
	}
	return true;
}

/* CALL of a subroutine of the source, whose text is behind the word, that may not change what it
 * gets under the name. */
static bool only_reads(const struct fortran *f, const char *call, const char *name)
{
	size_t len = strcspn(call, " (");
	const char *open = call + len + strspn(call + len, " ");
	char *given[ARGUMENTS], *dummy[ARGUMENTS];
	unsigned n = arguments(open, given, ARGUMENTS), m = 0;
	bool only = false;

	for (uint32_t u = 0; n && u < f->nunit && !only; u++) {
		const struct fortran_unit *x = &f->unit[u];
		const char *head = f->statement[x->head].text, *list = strchr(head, '(');

		if (x->kind != FORTRAN_SUBROUTINE || strlen(x->name) != len ||
		    strncmp(x->name, call, len) != 0 || !list)
			continue;
		m = arguments(list, dummy, ARGUMENTS);
		only = n <= m;
		for (unsigned k = 0; k < n && only; k++)
			only = !fortran_word(given[k], name) ||
			       (!strchr(given[k], '=') &&
				(is_input(f, u, dummy[k]) || is_never_set(f, u, dummy[k])));
		arguments_clear(dummy, m);
	}
	arguments_clear(given, n);
	return only;
}

/* The name is assigned, or given to a procedure or READ, by the statement. */
static bool changes(const struct fortran *f, const char *text, const char *name)
{
	size_t n = strlen(name), len;
	const char *s = fortran_begins(text, "if", NULL);

	if (s && *s == '(') {
		s = fortran_closing(s);
		text = s ? s + strspn(s, " ") : "";
	}
	if (fortran_assignment(text, &len))
		return len == n && !strncmp(text, name, n) && text[n] != '%' && text[n] != '(';
	s = fortran_begins(text, "call", NULL);
	if (s && only_reads(f, s, name))
		return false;
	if (!s)
		s = fortran_begins(text, "read", NULL);
	return s && strncmp(s, "mpi_", 4) && fortran_word(s, name);
}

/* The last argument of a call of MPI: an error code. */
static bool is_error_code(const struct fortran *f, const char *name)
{
	size_t n = strlen(name);

	for (uint32_t i = 0; i < f->n; i++) {
		const char *s = fortran_begins(f->statement[i].text, "call", NULL), *end;

		if (!s || strncmp(s, "mpi_", 4))
			continue;
		end = s + strlen(s);
		while (end > s && (end[-1] == ' ' || end[-1] == ')'))
			end--;
		if ((size_t)(end - s) > n && !strncmp(end - n, name, n) &&
		    strchr(" ,(", end[-(long)n - 1]))
			return true;
	}
	return false;
}

/* Some unit calls the other one only behind where it calls this one. */
static bool called_later(const struct fortran *f, uint32_t here, uint32_t other)
{
	uint32_t in = FORTRAN_NONE;
	bool later = false;

	for (uint32_t i = 0; f->unit[here].name && f->unit[other].name && i < f->n; i++) {
		const char *text = f->statement[i].text;
		uint32_t unit = fortran_unit_at(f, f->statement[i].first);

		if (unit == here || unit == other || !fortran_begins(text, "call", NULL))
			continue;
		if (in == FORTRAN_NONE && fortran_word(text, f->unit[here].name))
			in = unit;
		else if (fortran_word(text, f->unit[other].name) && unit != in)
			return false;
		else if (fortran_word(text, f->unit[other].name))
			later = true;
	}
	return later;
}

/* The unit of the line names the other one behind the line only: what that sets comes later. */
static bool comes_later(const struct fortran *f, uint32_t here, uint32_t other, uint32_t line)
{
	bool later = called_later(f, here, other);

	for (uint32_t i = 0; f->unit[other].name && i < f->n; i++) {
		const struct fortran_statement *x = &f->statement[i];

		if (fortran_unit_at(f, x->first) != here ||
		    !fortran_word(x->text, f->unit[other].name))
			continue;
		if (x->first < line)
			return false;
		later = true;
	}
	return later;
}

/* The host of the unit has called it in front of that line, and what stands there comes later. */
static bool was_called(const struct fortran *f, uint32_t here, uint32_t line)
{
	for (uint32_t i = 0; f->unit[here].name && i < f->n; i++)
		if (f->statement[i].first < line &&
		    fortran_unit_at(f, f->statement[i].first) == f->unit[here].host &&
		    fortran_begins(f->statement[i].text, "call", NULL) &&
		    fortran_word(f->statement[i].text, f->unit[here].name))
			return true;
	return false;
}

static bool is_in_loop(const struct scan *s, uint32_t line)
{
	for (uint32_t i = 0; i < s->nloop; i++)
		if (!s->loop[i].implicit && s->loop[i].first <= line && line <= s->loop[i].last)
			return true;
	return false;
}

/* What is a variable, but is not declared where the unit sees it, has an implicit type there. Of a
 * component the object is looked for. */
static bool find_variable(const struct fortran *f, uint32_t unit, const char *name,
			  struct fortran_entity *e)
{
	char *root = xstrndup(name, strcspn(name, "%"));
	bool declared = fortran_find(f, unit, root, e);

	free(root);
	if (!declared)
		*e = (struct fortran_entity){ .unit = unit };
	return declared || !strchr(name, '%');
}

/* It, or the object that it is a component of, is changed by the statement. */
static bool changes_some(const struct fortran *f, const char *text, const char *name)
{
	char *root = xstrndup(name, strcspn(name, "%"));
	bool is = changes(f, text, name) || changes(f, text, root);

	free(root);
	return is;
}

/* A component that the unit itself names, of an object that is no array. */
static bool is_component(const struct draft *m, const struct scan *s, uint32_t unit,
			 const struct variable *v, struct fortran_entity *e)
{
	const struct fortran *f = s->fortran;
	const char *part = strchr(v->name, '%');
	char *root = xstrndup(v->name, strcspn(v->name, "%")), *end;
	bool is = part && !strpbrk(part + 1, "%(") && fortran_sees(m, s, unit, root, e) &&
		  !e->pointer && !e->allocatable, named = false;

	free(root);
	strtod(v->value, &end);
	for (uint32_t i = f->unit[unit].body; is && i < f->unit[unit].end && !named; i++)
		named = fortran_word(f->statement[i].text, v->name);
	return is && named && end != v->value && !*end;
}

/*
 * It has a value in front of the line, from its declaration, a statement before, or another unit,
 * and no loop of its unit behind the line gives it another: what ranks compute there was not seen
 * at all stops. MPI may set it, alike on all ranks.
 */
static bool is_settled(const struct scan *s, const struct fortran_entity *e, const char *name,
		       uint32_t line)
{
	const struct fortran *f = s->fortran;
	uint32_t here = fortran_unit_at(f, line);
	bool has_value = e->initial || e->dummy;

	for (uint32_t i = 0; i < f->n; i++) {
		struct fortran_entity o;
		uint32_t unit = fortran_unit_at(f, f->statement[i].first);

		if (!changes_some(f, f->statement[i].text, name) ||
		    !find_variable(f, unit, name, &o) ||
		    o.unit != e->unit)
			continue;
		if (unit == here && f->statement[i].first >= line) {
			if (is_in_loop(s, f->statement[i].first))
				return false;
			continue;
		}
		if (unit == here ||
		    (!comes_later(f, here, unit, line) &&
		     !(unit == f->unit[here].host && was_called(f, here, f->statement[i].first))))
			has_value = true;
	}
	return has_value;
}

bool fortran_is_set(const struct scan *s, const char *name, uint32_t line)
{
	const struct fortran *f = s->fortran;
	uint32_t here = fortran_unit_at(f, line);
	struct fortran_entity e;

	if (strpbrk(name, "%([") || here == FORTRAN_NONE || !fortran_find(f, here, name, &e) ||
	    e.unit != here || e.dummy || e.common || e.initial || e.parameter)
		return true;
	if (is_error_code(f, name))
		return false;
	for (uint32_t i = f->unit[here].body; i < f->unit[here].end && f->statement[i].first < line;
	     i++)
		if (changes(f, f->statement[i].text, name) ||
		    (fortran_begins(f->statement[i].text, "call", NULL) &&
		     fortran_word(f->statement[i].text, name)))
			return true;
	return false;
}

static bool is_summand_of(const struct fortran *f, const char *name);

bool fortran_replicated(const struct draft *m, const struct scan *s, const struct variable *v,
			uint32_t line)
{
	const struct function *x = draft_function(s, line);
	struct fortran_entity e;

	if (!x || v->pointer || *v->value == '<' ||
	    !(v->whole || strchr(v->name, '%') || !strncmp(v->type, "real", 4)))
		return false;
	return (strchr(v->name, '%') ? is_component(m, s, x->unit, v, &e) :
				       fortran_sees(m, s, x->unit, v->name, &e) ||
					       find_variable(s->fortran, x->unit, v->name, &e)) &&
	       !e.parameter && !e.array &&
	       !is_error_code(s->fortran, v->name) && !is_summand_of(s->fortran, v->name) &&
	       is_settled(s, &e, v->name, line);
}

/* The unit itself declares it. */
static bool fortran_local(const struct scan *s, const struct function *x, const char *name)
{
	struct fortran_entity e;

	return fortran_find(s->fortran, x->unit, name, &e) && e.unit == x->unit;
}

bool fortran_kept(const struct draft *m, const struct scan *s, uint32_t line, const char *name)
{
	const struct function *x = draft_function(s, line);
	char *root = xstrndup(name, strcspn(name, "%("));
	struct fortran_entity e;
	bool kept = x && fortran_sees(m, s, x->unit, root, &e) &&
		    (x->program || e.common || (!e.dummy && !fortran_local(s, x, root)));

	free(root);
	return kept;
}

bool fortran_outside(const struct draft *m, const struct scan *s, uint32_t line, const char *name)
{
	const struct function *x = draft_function(s, line);
	char *root = xstrndup(name, strcspn(name, "%"));
	struct fortran_entity e;
	bool is = x && fortran_sees(m, s, x->unit, root, &e) &&
		  (e.common || e.dummy || !fortran_local(s, x, root));

	free(root);
	return is;
}

bool fortran_frame(const struct scan *s, const struct function *f)
{
	const struct fortran_unit *u = &s->fortran->unit[f->unit];

	for (uint32_t i = u->body; i < u->end; i++)
		if (fortran_word(s->fortran->statement[i].text, "return") ||
		    fortran_begins(s->fortran->statement[i].text, "entry", NULL))
			return false;
	return u->body < u->end;
}

/* ---- reductions, and what is freed ---- */

static const char *operation(const char *text)
{
	static const char *const of[][2] = {
		{ "mpi_sum", "sum" },  { "mpi_prod", "prod" }, { "mpi_max", "max" },
		{ "mpi_min", "min" },  { "mpi_land", "and" },  { "mpi_lor", "or" },
		{ "mpi_band", "iand" }, { "mpi_bor", "ior" },  { "mpi_bxor", "ieor" }
	};

	for (unsigned i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (!strcmp(text, of[i][0]))
			return of[i][1];
	return NULL;
}

/* The call that gives the variable to all ranks, in the statements behind that one; NULL: there is
 * none before another of the variable. */
static const struct fortran_statement *broadcast(const struct fortran *f,
						 const struct fortran_statement *st,
						 const char *name)
{
	for (uint32_t i = (uint32_t)(st - f->statement) + 1; i < f->n; i++) {
		const struct fortran_statement *x = &f->statement[i];
		const char *call = fortran_begins(x->text, "call", "mpi_bcast");
		char *a[ARGUMENTS];
		unsigned n = call ? arguments(call, a, ARGUMENTS) : 0;
		bool is = n >= 5 && !strcmp(a[0], name) && !strcmp(a[1], "1");

		arguments_clear(a, n);
		if (is || fortran_word(x->text, name) ||
		    fortran_unit_at(f, x->first) != fortran_unit_at(f, st->first))
			return is ? x : NULL;
	}
	return NULL;
}

/* Of one number that all ranks get: the mark comes behind the call. */
static void reduction(struct marks *to, const struct scan *s, const struct fortran_statement *st)
{
	const char *call = fortran_begins(st->text, "call", "mpi_allreduce"),
		   *one = fortran_begins(st->text, "call", "mpi_reduce"), *op;
	char *a[ARGUMENTS];
	unsigned n = call || one ? arguments(call ? call : one, a, ARGUMENTS) : 0;

	op = n >= 6 && !strcmp(a[2], "1") ? operation(a[4]) : NULL;
	if (op && one)
		st = broadcast(s->fortran, st, a[1]);
	if (op && st && !a[1][strspn(a[1], "abcdefghijklmnopqrstuvwxyz_%0123456789")]) {
		struct mark *m = marks_add(to, MARK_REDUCTION, s->path, st->last + 1);

		m->operation = xstrdup(op);
		m->name = xstrdup(a[1]);
	}
	arguments_clear(a, n);
}

/* As is_summand in C. */
static bool is_summand_of(const struct fortran *f, const char *name)
{
	static const char *const calls[] = { "mpi_allreduce", "mpi_iallreduce", "mpi_reduce",
					     "mpi_ireduce",   "mpi_scan",	"mpi_exscan",
					     "mpi_gather",    "mpi_allgather" };

	for (uint32_t i = 0; i < f->n; i++)
		for (unsigned k = 0; k < sizeof(calls) / sizeof(*calls); k++) {
			const char *call = fortran_begins(f->statement[i].text, "call", calls[k]);
			char *a[ARGUMENTS];
			unsigned n = call ? arguments(call, a, ARGUMENTS) : 0;
			bool is = n && !strcmp(a[0], name);

			arguments_clear(a, n);
			if (is)
				return true;
		}
	return false;
}

void fortran_reductions(struct marks *to, const struct scan *s)
{
	for (uint32_t i = 0; i < s->fortran->n; i++)
		reduction(to, s, &s->fortran->statement[i]);
}

void fortran_forget(struct marks *to, const struct scan *s, const struct mark *array)
{
	const struct fortran *f = s->fortran;
	uint32_t unit = fortran_unit_at(f, array->line);

	for (uint32_t i = 0; i < f->n; i++) {
		const struct fortran_statement *st = &f->statement[i];
		const char *open = fortran_begins(st->text, "deallocate", NULL);
		char *a[ARGUMENTS];
		unsigned n = open ? arguments(open, a, ARGUMENTS) : 0;

		for (unsigned k = 0; k < n; k++)
			if (!strcmp(a[k], array->name) && fortran_unit_at(f, st->first) == unit)
				marks_add(to, MARK_FORGET, s->path, st->first)->name =
					xstrdup(array->name);
		arguments_clear(a, n);
	}
}

void fortran_modules(struct breaks *b, const struct scan *s)
{
	for (uint32_t i = 0; s->fortran && i < s->fortran->nunit; i++) {
		uint32_t at = 0, place = 0;
		char *name;

		while (s->fortran->unit[i].kind == FORTRAN_MODULE &&
		       (name = fortran_next(s->fortran, i, &at, &place)))
			*xvec_add(b->name, b->nname) = name;
	}
}
