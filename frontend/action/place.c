/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/action/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/expr/expr.h"
#include "frontend/marks/marks.h"
#include "frontend/model/actionpoints.h"
#include "frontend/data/fetch.h"
#include "frontend/data/fields.h"
#include "frontend/job/job.h"
#include "frontend/launch/launch.h"
#include "frontend/output/output.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/names.h"
#include "frontend/util/xalloc.h"

/* The program's file; NULL when there is none to look into. */
static const char *program(const struct session *s)
{
	const char *path = s->job ? job_path(s->job) : s->spec.argv ? s->spec.argv[0] : NULL;

	return path && access(path, R_OK) == 0 ? path : NULL;
}

const char *action_place_file(struct session *s)
{
	struct symbol_function f;

	if (s->shell->file)
		return s->shell->file;
	return program(s) && symbols_function(s->symbols, program(s), "main", &f) ? f.file : NULL;
}

/* The sources that the program's debug information names. */
struct sources {
	const char *file;
	size_t n;
	bool found, foreign; /* the latter: one of another language than C */
	char path[1024];     /* of the one that was found */
	char names[300];
};

static void add_source(void *arg, const char *path)
{
	struct sources *x = arg;
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t used = strlen(x->names), len = strlen(base);

	x->foreign |= len < 2 || strcmp(base + len - 2, ".c") != 0;
	if (!x->found && rule_file_matches(x->file, path)) {
		x->found = true;
		snprintf(x->path, sizeof(x->path), "%s", path);
	}
	if (used < sizeof(x->names) - 1)
		snprintf(x->names + used, sizeof(x->names) - used, "%s%s", x->n ? ", " : "", base);
	x->n++;
}

/* The text of the file, from where it was compiled or where sources are looked for; NULL: not
 * found. */
static const struct source_file *find_source(struct session *s, struct sources *known)
{
	const char *paths = settings_text(s->set, "SOURCE_PATH");
	const struct source_file *source = NULL;

	symbols_sources(s->symbols, program(s), add_source, known);
	if (known->found)
		source = source_find(s->shell->source, known->path, paths, program(s), NULL);
	return source ? source
		      : source_find(s->shell->source, known->file, paths, program(s), NULL);
}

/*
 * Whoever mistypes a name should not have to wait for the end of the run to learn that. Procedures
 * of modules and name spaces are not looked up, so nothing is said of programs in other languages.
 */
static void check_name(struct session *s, const char *name)
{
	struct sources known = { .file = "" };
	struct symbol_function f;

	symbols_sources(s->symbols, program(s), add_source, &known);
	if (known.n && !known.foreign && !symbols_function(s->symbols, program(s), name, &f))
		out_note(s->out,
			 "there is no function %s in the program's sources; the actionpoint stops "
			 "at constructs that announce this name",
			 name);
}

int action_place_check(struct session *s, const struct location *loc, struct err *err)
{
	struct sources known = { .file = loc->file };
	const struct source_file *source;

	if (loc->kind == RULE_NAME && program(s))
		check_name(s, loc->file);
	if (loc->kind != RULE_LINE || !program(s))
		return 0;
	source = find_source(s, &known);
	if (source && (known.found || !known.n) && loc->line > source->n)
		return err_set(err, "%s has %u lines, so there is no line %u", loc->file, source->n,
			       loc->line);
	if (known.found || (source && !known.n))
		return 0;
	if (known.n && !source && program_marks_elsewhere(program(s)))
		out_warning(
			s->out,
			"there is no source '%s' of this program itself: %s; the actionpoint is "
			"pending until a library has it",
			loc->file, known.names);
	else if (known.n && !source)
		return err_set(err, "there is no source '%s' of this program; its sources are %s",
			       loc->file, known.names);
	else if (known.n)
		out_warning(s->out,
			    "%s is not one of the separately compiled sources: %s; the actionpoint "
			    "stops if the file is included or of a library",
			    loc->file, known.names);
	else
		out_warning(s->out,
			    "it is unknown whether the program has a source %s: there is no debug "
			    "information, and the file was not found (SOURCE_PATH)",
			    loc->file);
	return 0;
}

/* No construct begins on that line, or on none behind it: -1 and the reason. */
static int no_line(const struct session *s, const struct location *loc,
		   const struct symbol_marks *m, struct err *err)
{
	if (!m->total && s->spec.points)
		return err_set(err,
			       "nothing can stop at %s:%u: the program announces no constructs and "
			       "has no %s of its own",
			       loc->file, loc->line,
			       s->spec.points == POINT_KIND_MPI ? "collective calls"
								: "parallel regions");
	if (!m->total)
		return err_set(err,
			       "nothing can stop at %s:%u: the program announces no constructs; "
			       "dvmdbg.h shows how a loop is announced%s",
			       loc->file, loc->line,
			       s->job && job_needs_mpi(s->job)
				       ? "; set POINTS marks,mpi stops at collective calls"
				       : "");
	if (!m->previous)
		return err_set(
			err,
			"nothing can stop at %s:%u: no construct begins in this file; points "
			"shows those that were met",
			loc->file, loc->line);
	return err_set(err,
		       "nothing can stop at %s:%u: no construct begins there or further down; the "
		       "last one of the file begins at line %u",
		       loc->file, loc->line, m->previous);
}

int action_place_move(struct session *s, struct location *loc, struct err *err)
{
	struct sources known = { .file = loc->file };
	struct symbol_marks m;

	if (action_place_check(s, loc, err))
		return -1;
	if (loc->kind != RULE_LINE || !program(s))
		return 0;
	symbols_sources(s->symbols, program(s), add_source, &known);
	if (!known.found ||
	    !symbols_marks(s->symbols, program(s), loc->file, loc->line, s->spec.points, &m))
		return 0;
	marks_near(s->marks_file, loc->file, loc->line, &m);
	if (m.here)
		return 0;
	if (program_marks_elsewhere(program(s))) {
		out_note(s->out,
			 "no construct of the program itself begins at %s:%u; the actionpoint is "
			 "pending: it stops if a library announces one there",
			 loc->file, loc->line);
		return 0;
	}
	if (!m.next)
		return no_line(s, loc, &m, err);
	out_warning(
		s->out,
		"no construct begins at %s:%u, so nothing can stop there; the actionpoint is at "
		"line %u, the next one where it can",
		loc->file, loc->line, m.next);
	loc->line = m.next;
	return 0;
}

/* Another construct begins on the line: what follows is no longer of the loop itself. */
static bool begins(const char *line)
{
	static const char *const words[] = { "dvmdbg_pl(",    "dvmdbg_pl (", "dvmdbg_pl_begin",
					     "dvmdbg_pl_end", "dvmdbg_sl",   "dvmdbg_tr",
					     "dvmdbg_task" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(line, words[i]))
			return true;
	return false;
}

bool action_place_bare(struct session *s, const struct location *loc)
{
	struct sources known = { .file = loc->file };
	const struct source_file *source;

	if (loc->kind != RULE_LINE || !program(s))
		return false;
	source = find_source(s, &known);
	return source && loc->line && loc->line <= source->n &&
	       !strcasestr(source->line[loc->line - 1], "dvmdbg_");
}

enum action_loop action_place_loop(struct session *s, const struct location *loc)
{
	struct sources known = { .file = loc->file };
	const struct source_file *source;
	int beside;

	if (loc->kind != RULE_LINE || !program(s))
		return ACTS_LOOP_NONE;
	beside = marks_iteration(s->marks_file, loc->file, loc->line);
	if (beside >= 0)
		return beside ? ACTS_LOOP_MARKED : ACTS_LOOP_BARE;
	source = find_source(s, &known);
	if (!source || !loc->line || loc->line > source->n ||
	    !strcasestr(source->line[loc->line - 1], "dvmdbg_pl"))
		return ACTS_LOOP_NONE;
	for (uint32_t i = loc->line; i < source->n && !begins(source->line[i]); i++) {
		if (strcasestr(source->line[i], "dvmdbg_pl_iteration"))
			return ACTS_LOOP_HOOKED;
		if (strcasestr(source->line[i], "dvmdbg_iteration"))
			return ACTS_LOOP_MARKED;
	}
	return ACTS_LOOP_BARE;
}

const char *action_place_unseen(const char *file)
{
	return names_fortran(file)
		       ? "dvmdbg does not see the iterations of this parallel loop: mark them with "
			 "dvmdbg_pl_iteration and rebuild with dvmdbg-fc, or stop at a sequential "
			 "loop "
			 "or task"
		       : "dvmdbg does not see the iterations of this parallel loop: mark them with "
			 "DVMDBG_PL_ITERATION and rebuild with dvmdbg-cc, or stop at a sequential "
			 "loop "
			 "or task";
}

/* Indices may be objects, when there is somebody to ask. */
static int resolve(void *arg, const char *name, const struct section *sec, struct values *out,
		   struct err *err)
{
	const struct fetch *f = arg;

	if (!f->s->job)
		return err_set(err, "%s has no value: no program runs", name);
	return fetch_resolve(arg, name, sec, out, err);
}

/* One dimension; where the array's ends are not known yet they are as far away as can be. */
static int dimension(const struct section_dim *x, unsigned d, struct watch *w, struct err *err)
{
	int64_t step = x->step ? x->step : 1;

	if (x->vector)
		return err_set(err, "watch: give a section, not a list of indices");
	if (x->open_first && step != 1)
		return err_set(err, "watch: a section with a step needs its first index");
	w->first[d] = x->all || x->open_first ? INT64_MIN : x->first;
	w->last[d] = x->all || x->open_last ? INT64_MAX : x->scalar ? x->first : x->last;
	w->step[d] = step < 0 ? -step : step;
	if (step < 0) {
		if (x->all || x->open_last)
			return err_set(err, "watch: a section with a step back needs both ends");
		/* the indices that are met, upwards */
		w->last[d] = x->first;
		w->first[d] = x->first - (x->first - x->last) / -step * -step;
	}
	return 0;
}

/*
 * The object as it is registered now. 1: it is found, 0: it is not, or nobody can be asked; -1 and
 * err: structures are called so, and no field is named, or one that they do not have.
 */
static int find_object(struct session *s, const char *name, const struct rankset *who,
		       struct array_desc *out, struct err *err)
{
	struct fetch_objects objects, all;
	int found;

	if (!s->job || !job_set(s->job, JOB_STOPPED)->n ||
	    fetch_names(s, name, who, &objects, NULL))
		return 0;
	found = fields_unnamed(&objects, name, err) ? -1 : objects.n > 0;
	if (!objects.n && !fetch_names(s, "", who, &all, NULL)) {
		found = fields_unknown(&all, name, err) ? -1 : 0;
		fetch_objects_clear(&all);
	}
	if (found > 0) {
		struct array_desc *d = &objects.item[objects.n - 1].desc;

		*out = *d;
		*d = (struct array_desc){ 0 };
	}
	fetch_objects_clear(&objects);
	return found;
}

/* The elements that so many bytes from the given one on take. */
static int extend(struct watch *w, const struct array_desc *d, const char *text, uint64_t bytes,
		  struct err *err)
{
	uint64_t n = (bytes + d->elem_size - 1) / d->elem_size, room = 1;
	unsigned inner = d->order == 'F' ? 0 : d->ndim - 1;

	for (unsigned i = 0; i < w->ndim; i++)
		if (w->first[i] != w->last[i])
			return err_set(err, "watch -length goes with one element, as u[3][4], not "
					    "with a section");
	if (d->ndim && !w->ndim)
		return err_set(err, "watch -length goes with one element, as %s%s", text,
			       d->order == 'F' ? "(1)" : "[0]");
	if (d->ndim)
		room = (uint64_t)(d->lower[inner] + d->extent[inner] - w->first[inner]);
	if (!bytes || n > room)
		return err_set(err,
			       "watch %s -length %" PRIu64 ": from 1 to %" PRIu64 " bytes, the "
			       "end of the row, are allowed",
			       text, bytes, room * d->elem_size);
	if (d->ndim)
		w->last[inner] = w->first[inner] + (int64_t)n - 1;
	return 0;
}

/* A section of structures is one of the field: of one that is an array all elements of each. */
static void widen(struct watch *w, const struct array_desc *d)
{
	if (!w->ndim || w->ndim + 1U != d->ndim || array_name_dims(d->name) != w->ndim)
		return;
	w->first[w->ndim] = INT64_MIN;
	w->last[w->ndim] = INT64_MAX;
	w->step[w->ndim++] = 1;
}

static int check_section(const struct watch *w, const struct array_desc *d, const char *text,
			 struct err *err)
{
	if (w->ndim && strchr(w->name, '.') && !array_is_named(d, w->name))
		return err_set(err,
			       "watch %s: single elements of a structure's member cannot be "
			       "watched; 'watch %s' is about all of them",
			       text, w->name);
	if (w->ndim && w->ndim != d->ndim)
		return err_set(err, "watch %s: %s has %u dimension%s", text, w->name, d->ndim,
			       d->ndim == 1 ? "" : "s");
	for (unsigned i = 0; i < w->ndim; i++) {
		int64_t lo = d->lower[i], hi = d->lower[i] + d->extent[i] - 1;

		if ((w->first[i] != INT64_MIN && (w->first[i] < lo || w->first[i] > hi)) ||
		    (w->last[i] != INT64_MAX && (w->last[i] < lo || w->last[i] > hi)))
			return err_set(err,
				       "watch %s: dimension %u has the indices %" PRId64
				       " to %" PRId64,
				       text, i + 1, lo, hi);
	}
	return 0;
}

/* A member that the registered structure does not have: -1 and err. */
static int check_member(struct session *s, const char *text, const char *name,
			const struct rankset *who, struct err *err)
{
	char *structure = xstrndup(name, strcspn(name, "."));
	struct array_desc d = { 0 };
	int rc = 0;

	if (name[strlen(structure)] && find_object(s, structure, who, &d, NULL) > 0)
		rc = err_set(err, "watch %s: %s has no member '%s'; 'print %s' shows those it has",
			     text, structure, name + strlen(structure) + 1, structure);
	array_desc_clear(&d);
	free(structure);
	return rc;
}

/* Nothing is registered under the name yet: what the user has to do, or has mistyped. */
static void note_deferred(struct session *s, const char *text, const struct rankset *who,
			  const char *name)
{
	struct fetch f = { .s = s, .who = who, .limit = FETCH_MOST };
	struct expr_scope scope = s->expressions ? s->expressions(&f) : fetch_scope(&f);
	struct values q = { 0 };
	struct err err = { "" };

	if (!scope.resolve(scope.arg, name, NULL, &q, &err))
		err_set(&err, "the program has not registered this variable");
	else
		fetch_unknown(s, name, who, &err);
	values_clear(&q);
	fetch_clear(&f);
	out_note(s->out,
		 "watch %s: %s; nothing is watched until the program registers it, with "
		 "DVMDBG_ARRAY "
		 "or DVMDBG_REPLICATED",
		 text, err.text);
}

/* It is registered later, or never. */
static int defer(struct session *s, const char *text, const char *length, const struct rankset *who,
		 const struct watch *w, struct err *err)
{
	if (length)
		return err_set(err,
			       "watch -length: the size of the elements of %s is unknown "
			       "until the program has registered it and stopped",
			       w->name);
	if (*w->name == '$')
		return err_set(err,
			       "watch %s: this is no variable of the program; 'break POINT -if' "
			       "stops where a condition of it is true",
			       text);
	if (!s->job || !job_set(s->job, JOB_STOPPED)->n)
		return 0;
	if (!job_marked(s->job) && (s->spec.points || !job_annotated(s->job)) &&
	    !job_attached(s->job) && !job_script(s->job)) {
		fetch_unknown(s, w->name, who, err);
		return err_prefix(err, "watch %s", text);
	}
	note_deferred(s, text, who, w->name);
	return 0;
}

static int check_object(struct session *s, const char *text, const char *length,
			const struct rankset *who, struct watch *w, struct err *err)
{
	struct array_desc d = { 0 };
	int found = find_object(s, w->name, who, &d, err), rc;

	if (found < 0) {
		err_prefix(err, "watch");
		return -1;
	}
	if (!found)
		return defer(s, text, length, who, w, err);
	/* in Fortran it may have been typed in other letters; a field's indices have their place */
	if (array_is_named(&d, w->name) && strlen(d.name) < sizeof(w->name))
		snprintf(w->name, sizeof(w->name), "%s", d.name);
	widen(w, &d);
	rc = check_section(w, &d, text, err);
	if (!rc && length)
		rc = extend(w, &d, text, strtoull(length, NULL, 10), err);
	array_desc_clear(&d);
	return rc;
}

/* It can be a registered object, or elements of one, as far as its form shows. */
static bool is_object(struct session *s, const struct expr *e, const struct rankset *who)
{
	struct array_desc d = { 0 };
	bool has;

	if (e->kind != EXPR_NAME || strlen(e->name) >= RULE_FILE || strpbrk(e->name, "@&*#>"))
		return false;
	if (!expr_is_call(e))
		return true;
	/* an array may be called as a function is */
	has = find_object(s, e->name, who, &d, NULL) != 0;
	array_desc_clear(&d);
	return has || (e->nsub && e->sub[0].first && e->sub[0].first->kind == EXPR_NUMBER);
}

/* The object, or what will be registered under that name. */
static int parse_object(struct session *s, const char *text, const struct expr *e,
			const char *length, const struct rankset *who, struct watch *w,
			struct err *err)
{
	struct fetch f = { .s = s, .who = who };
	struct expr_scope scope = fetch_scope(&f);
	struct section sec = { 0 };
	int rc;

	scope.resolve = resolve;
	rc = expr_section(e, who, &scope, &sec, err);
	for (unsigned d = 0; !rc && d < sec.ndim; d++)
		rc = dimension(&sec.dim[d], d, w, err);
	if (!rc) {
		w->ndim = (uint8_t)sec.ndim;
		snprintf(w->name, sizeof(w->name), "%s", e->name);
		rc = check_object(s, text, length, who, w, err);
	}
	section_clear(&sec);
	fetch_clear(&f);
	return rc;
}

static bool is_registered(struct session *s, const struct expr *e, const struct rankset *who)
{
	struct array_desc d = { 0 };
	bool is = find_object(s, e->name, who, &d, NULL) != 0;

	array_desc_clear(&d);
	return is;
}

/* What no object is: a variable of the program, or a place in its memory. */
static int parse_native(struct session *s, const char *text, const struct expr *e,
			const char *length, const struct rankset *who, bool object, struct watch *w,
			struct err *err)
{
	struct err why = { "" };

	if (!action_native_parse(s, text, e, who, w, &why)) {
		if (!length)
			return 0;
		return err_set(err, "watch -length goes with one element of a registered array; of "
				    "others give a section, as in watch a[3:5]");
	}
	*w = (struct watch){ 0 };
	if (object && check_member(s, text, e->name, who, err))
		return -1;
	if (object && why.code == ERR_NAME)
		return parse_object(s, text, e, length, who, w, err);
	return err_set(err,
		       "watch %s: %s; variables, what pointers lead to, and elements and sections "
		       "of arrays can be watched; of other expressions 'break POINT -if' stops "
		       "where one is true",
		       text, why.text);
}

int action_watch_parse(struct session *s, const char *text, const char *length,
		       const struct rankset *who, struct watch *w, struct err *err)
{
	struct expr *e = expr_parse(text, err);
	size_t enabled = 0;
	bool object;
	int rc;

	*w = (struct watch){ 0 };
	for (size_t i = 0; i < actionpoints_count(s->acts); i++)
		enabled += actionpoints_at(s->acts, i)->kind == ACT_WATCH;
	if (!e)
		return -1;
	object = is_object(s, e, who);
	if (enabled >= WATCH_MOST)
		rc = err_set(err,
			     "watch: %d variables are watched already, the most "
			     "possible",
			     WATCH_MOST);
	else if (object && is_registered(s, e, who))
		rc = parse_object(s, text, e, length, who, w, err);
	else
		rc = parse_native(s, text, e, length, who, object, w, err);
	expr_destroy(e);
	return rc;
}
