/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Training runs twice: from the first ones follow arrays and loops, in the second ones ranks stop
 * where a loop is come to, and show what their variables hold.
 */
#include "frontend/annotate/annotate.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/annotate/internal.h"
#include "frontend/symbols/symbols.h"
#include "frontend/tags/tags.h"
#include "frontend/util/private_dir.h"
#include "frontend/util/words.h"
#include "frontend/util/xvec.h"

#define GRID 4	     /* ranks from which on two dimensions can be divided */
#define CUBE 8	     /* and three */
#define TAGS_MOST 20 /* seconds of the run with tags */

struct plan {
	char ***argv; /* owned: by size; the first is the user's */
	uint32_t nsize;
	struct plan_run {
		uint32_t size, count;
		bool refused;
	} *run; /* owned */
	uint32_t nrun;
	unsigned number; /* of the last run */
	bool derived;	 /* the second size follows from the first one */
	bool smaller;	 /* as the program has refused a larger one */
	char *self, *dir;
	int lock;
};

static void progress(const struct annotate_request *r, const char *fmt, ...)
{
	va_list ap;
	char *text;

	if (!r->progress)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	r->progress(r->arg, text);
	free(text);
}

static void plan_size(struct plan *p, char **argv)
{
	if (!argv)
		return;
	xvec_more(p->argv, p->nsize, 1);
	p->argv[p->nsize++] = argv;
}

static void plan_run(struct plan *p, uint32_t size, uint32_t count)
{
	struct plan_run *run = xvec_add(p->run, p->nrun);

	run->size = size;
	run->count = count;
}

static int plan_make(struct plan *p, const struct annotate_request *r, struct err *err)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	memset(p, 0, sizeof(*p));
	if (n < 0)
		return err_set(err, "annotate: /proc is needed, and cannot be read");
	p->self = xstrndup(self, (size_t)n);
	p->lock = private_dir_temporary(&p->dir);
	if (p->lock < 0)
		return err_set(err, "cannot make %s: %s", p->dir, strerror(errno));
	plan_size(p, words_list_copy(r->argv));
	for (unsigned i = 0; i < ANNOTATE_SIZES && r->other[i]; i++)
		plan_size(p, words_list_copy(r->other[i]));
	p->derived = p->nsize == 1;
	if (p->derived)
		plan_size(p, trial_larger(r->argv, 4, NULL));
	for (uint32_t i = 0; i < p->nsize; i++) {
		plan_run(p, i, 1);
		if (r->ranks > 2)
			plan_run(p, i, 2);
		plan_run(p, i, r->ranks);
		if (r->ranks < GRID)
			plan_run(p, i, GRID);
	}
	return 0;
}

static void plan_clear(struct plan *p)
{
	for (uint32_t i = 0; i < p->nsize; i++)
		words_list_free(p->argv[i]);
	free(p->argv);
	free(p->run);
	free(p->self);
	if (p->lock >= 0) {
		private_dir_scratch_remove(p->dir);
		close(p->lock);
	}
	free(p->dir);
}

/* The line begins a call with a lambda, which has code on that line too: where the call's is. */
static bool code_of_call(struct symbols *s, const char *program, const struct place_of *p,
			 uint64_t *at)
{
	struct symbol_site site[SYMBOL_SITES];
	struct err none;

	for (uint32_t i = 0; !p->scan->fortran && i < p->scan->nloop; i++) {
		const struct loop *l = &p->scan->loop[i];

		if (!l->implicit || !l->braces || l->first != p->stop)
			continue;
		if (symbols_sites(s, program, p->scan->path, p->stop, p->stop, site, &none) < 1 ||
		    site[0].line != p->stop)
			return false;
		*at = site[0].vaddr;
		return true;
	}
	return false;
}

/* Where the place's line begins in the code; UINT64_MAX: it has none. */
static uint64_t code_of(struct symbols *s, const char *program, const struct place_of *p)
{
	struct symbol_range range[64];
	uint64_t lo = UINT64_MAX;
	unsigned n;

	if (code_of_call(s, program, p, &lo))
		return lo;
	n = symbols_lines(s, program, p->scan->path, p->stop, range, 64);

	for (unsigned k = 0; k < n; k++)
		if (range[k].vaddr < lo)
			lo = range[k].vaddr;
	return lo;
}

static void places_to_stop_at(const struct draft *m, struct symbols *s, const char *program,
			      struct breaks *b)
{
	struct places places;

	places_make(&places, m);
	for (uint32_t i = 0; i < places.n; i++) {
		uint64_t at = code_of(s, program, &places.place[i]);

		if (at != UINT64_MAX)
			*xvec_add(b->at, b->n) = at;
		b->fortran = b->fortran || places.place[i].scan->fortran;
	}
	for (uint32_t i = 0; b->fortran && i < m->nscan; i++)
		fortran_modules(b, m->scan[i]);
	places_clear(&places);
}

/* What training runs have shown, and what follows from it. */
struct known {
	struct training *t; /* owned */
	uint32_t n;
	struct guesses g;
	struct draft m;
};

static void known_clear(struct known *x)
{
	draft_clear(&x->m);
	guesses_clear(&x->g);
	for (uint32_t i = 0; i < x->n; i++)
		training_clear(&x->t[i]);
	free(x->t);
	*x = (struct known){ 0 };
}

static char *words_of(char *const *argv)
{
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	for (size_t i = 0; argv[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", i ? argv[i] : path_base(argv[i]));
	xmemstream_close(f);
	return text;
}

/* One run; a program may refuse a size or a number of ranks: then that is left out of the plan. */
static int train_one(struct plan *p, struct plan_run *run, const struct annotate_request *r,
		     struct symbols *s, const struct breaks *b, struct known *x, struct err *err)
{
	char *dir = xasprintf("%s/%" PRIu32 ".%" PRIu32 ".%u", p->dir, run->size, run->count,
			      b->n > 0);
	char *answers = NULL, *words = words_of(p->argv[run->size]);
	struct training *t = xvec_add(x->t, x->n);
	int rc;

	progress(r, "run %u: %s, %" PRIu32 " rank%s%s", ++p->number, words, run->count,
	     run->count == 1 ? "" : "s", b->n ? ", with stops at its loops" : "");
	rc = training_run(p->self, p->argv[run->size], run->count, b, dir, &answers, err);
	if (!rc)
		rc = training_read(t, dir, s, err);
	t->size = run->size;
	/* the machine may refuse more ranks than were asked for */
	if (rc && run->count > r->ranks && strcmp(err->text, "interrupted")) {
		run->refused = true;
		training_clear(t);
		x->n--;
		rc = 0;
	} else if (!rc && !training_shows(t)) {
		run->refused = true;
		progress(r, "%s goes over no array on %" PRIu32 " rank%s: left out", words,
			 run->count, run->count == 1 ? "" : "s");
		training_clear(t);
		x->n--;
	} else if (!rc) {
		training_stops(t, answers);
		training_rows(t);
		training_stacks(t);
	}
	private_dir_scratch_remove(dir);
	free(answers);
	free(words);
	free(dir);
	return rc;
}

/* Modules, and functions that communicate, may be in sources of their own. */
static void open_source(void *arg, const char *path)
{
	if (!access(path, R_OK))
		draft_open(arg, path);
}

/* Runs of a pass that are made so far, of one size. */
static uint32_t runs_of_size(const struct known *x, uint32_t size)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->n; i++)
		n += x->t[i].size == size;
	return n;
}

/* The program refuses the larger size, as one whose arrays have a fixed one does: a smaller one is
 * there in its place. */
static bool smaller_instead(struct plan *p, const struct known *x, struct plan_run *run,
			    const struct annotate_request *r)
{
	if (!run->refused || !run->size || !p->derived || p->smaller || runs_of_size(x, run->size))
		return false;
	words_list_free(p->argv[run->size]);
	p->argv[run->size] = trial_larger(r->argv, -4, NULL);
	p->smaller = true;
	run->refused = false;
	return true;
}

/*
 * The first pass needs one size, on one rank and on all: it shows where loops are. A program that
 * refuses one of these is run on another number.
 */
static int train(struct plan *p, bool first, const struct annotate_request *r, struct symbols *s,
		 const struct breaks *b, struct known *x, struct err *err)
{
	for (uint32_t i = 0; i < p->nrun; i++) {
		struct plan_run *run = &p->run[i];
		bool ends = run->count == 1 || run->count == r->ranks;

		if (run->refused || (first && (run->size || !ends)))
			continue;
		do
			if (train_one(p, run, r, s, b, x, err) < 0)
				return -1;
		while (smaller_instead(p, x, run, r));
	}
	for (uint32_t i = 0; first && i < p->nrun && runs_of_size(x, 0) < 2; i++) {
		struct plan_run *run = &p->run[i];

		if (run->size || run->count == 1 || run->count == r->ranks)
			continue;
		if (train_one(p, run, r, s, b, x, err) < 0)
			return -1;
	}
	if (!x->n)
		return err_set(err, "%s goes over no array in any run: was it compiled with "
				    "dvmdbg-cc or dvmdbg-fc, and with -g?",
			       path_base(r->argv[0]));
	x->m.symbols = s;
	x->m.program = r->argv[0];
	fortran_extents(x->t, x->n);
	training_structures(&x->m, x->t, x->n);
	guesses_make(&x->g, x->t, x->n);
	guesses_orders(&x->g);
	guesses_alike(&x->g);
	symbols_sources(s, r->argv[0], open_source, &x->m);
	symbols_closed(s, r->argv[0], draft_close, &x->m);
	x->g.closed = &x->m.closed;
	scan_communicate(x->m.scan, x->m.nscan);
	draft_loops(&x->m, &x->g);
	fortran_frames(&x->m, x->t, x->n);
	return 0;
}

static json_t *place(const char *file, uint32_t line)
{
	return json_pack("{s:s s:i}", "file", file ? path_base(file) : "", "line", (int)line);
}

/* What shows its layout: the pitches of accesses, and the shapes that own parts make up. */
static char *evidence_text(const struct array_guess *a, bool fortran)
{
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	fputs(a->full	 ? "strides; each rank goes over its part of" :
	      a->alike ? "own parts as of another array, which tile" :
			 "strides; own parts tile",
	      f);
	for (uint32_t k = 0; k < a->nrun; k++) {
		bool known = false;

		for (uint32_t i = 0; i < k && !known; i++)
			known = !memcmp(a->run[i].shape, a->run[k].shape, sizeof(a->run[k].shape));
		for (unsigned i = 0; i < a->ndim && !known; i++)
			fprintf(f, "%s%" PRId64, i ? " x " : k ? ", " : " ",
				a->run[k].shape[fortran ? a->ndim - 1 - i : i]);
	}
	xmemstream_close(f);
	return text;
}

/* With names as sources have them. */
static json_t *plain(const char *text)
{
	char *names = mark_plain(text);
	json_t *e = json_string(names);

	free(names);
	return e;
}

static json_t *array_answer(const struct draft_array *x, const struct array_guess *a)
{
	bool fortran;
	char *evidence;

	json_t *e = place(a->file, a->line);

	if (a->name || x->mark.name)
		json_object_set_new(e, "name", plain(a->name ? a->name : x->mark.name));
	json_object_set_new(e, "nth", json_integer(a->nth));
	json_object_set_new(e, "dims", json_integer(a->ndim));
	if (!x->good) {
		json_object_set_new(e, "left_out", plain(x->why_not));
		return e;
	}
	fortran = marks_fortran(x->mark.file);
	evidence = evidence_text(a, fortran);
	json_object_set_new(e, "evidence", json_string(evidence));
	json_object_set_new(e, "mark", place(x->mark.file, x->mark.line));
	json_object_set_new(json_object_get(e, "mark"), "name", plain(x->mark.name));
	free(evidence);
	json_object_set_new(e, "split", json_array());
	json_object_set_new(e, "halo", json_array());
	for (unsigned i = 0; i < a->ndim; i++) {
		unsigned d = fortran ? a->ndim - 1 - i : i;
		bool split = false;

		for (uint32_t k = 0; k < a->nrun; k++)
			split = split || a->run[k].grid[d] > 1;
		json_array_append_new(json_object_get(e, "split"), json_boolean(split));
		json_array_append_new(json_object_get(e, "halo"),
				      json_pack("[I, I]", (json_int_t)a->halo_lo[d],
						(json_int_t)a->halo_hi[d]));
	}
	if (a->cyclic && x->mark.block.n)
		json_object_set_new(e, "cyclic",
				    json_string(x->mark.block.name[fortran ? a->ndim - 1 : 0]));
	json_object_set_new(e, "others", json_array());
	for (unsigned d = 0; d < a->ndim; d++)
		if (x->others[d])
			json_array_append_new(json_object_get(e, "others"),
					      json_pack("{s:i s:s s:s}", "dimension", (int)d + 1,
							"is", x->mark.shape.name[d], "or",
							x->others[d]));
	return e;
}

static bool has_number(const json_t *list, uint32_t n)
{
	const json_t *e;
	size_t i;

	json_array_foreach (list, i, e)
		if (json_integer_value(e) == n)
			return true;
	return false;
}

static json_t *loop_answer(const struct draft_loop *l)
{
	json_t *o = place(l->scan->path, l->loop->first);

	json_object_set_new(o, "why_not",
			    plain(l->why_not ? l->why_not : "its arrays have no mark"));
	return o;
}

/* It leads to the rows of others, and is none that could be marked. */
static bool is_table(const struct guesses *g, const struct array_guess *a)
{
	const struct rank_seen *s = &g->training[0].rank[0];
	uint32_t region = a->run[0].part[0].region;

	return region != UINT32_MAX && region_leads(s, &s->region[region]);
}

static json_t *answer_of(const struct draft *m, const struct guesses *g, const struct plan *p)
{
	json_t *o = json_pack("{s:s s:[] s:[] s:[] s:i}", "type", "annotation", "ranks", "arrays",
			      "loops", "sizes", (int)p->nsize);

	for (uint32_t i = 0; i < p->nrun; i++)
		if (!p->run[i].refused && !has_number(json_object_get(o, "ranks"), p->run[i].count))
			json_array_append_new(json_object_get(o, "ranks"),
					      json_integer(p->run[i].count));
	for (uint32_t i = 0; i < m->narray; i++) {
		const struct array_guess *a = &g->array[m->array[i].array];

		if (!a->stack && !is_table(g, a))
			json_array_append_new(json_object_get(o, "arrays"),
					      array_answer(&m->array[i], a));
	}
	for (uint32_t i = 0; i < m->nloop; i++)
		if (!m->loop[i].good && !m->loop[i].inside && !m->loop[i].loop->implicit)
			json_array_append_new(json_object_get(o, "loops"),
					      loop_answer(&m->loop[i]));
	return o;
}

/* What was written, to the answer. */
static void answer_marks(json_t *o, const struct marks *marks, const char *base)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < marks->n; i++) {
		char *text;
		size_t size;
		FILE *f = xmemstream(&text, &size);

		mark_write(&marks->mark[i], f, base);
		xmemstream_close(f);
		text[strcspn(text, "\n")] = 0;
		json_array_append_new(list, json_string(text));
		free(text);
	}
	json_object_set_new(o, "marks", list);
}

static int write_files(const struct marks *marks, const struct annotate_request *r,
		       const char *base, struct err *err)
{
	for (int what = 0; what < 2; what++) {
		const char *path = what ? r->patch : r->marks;
		FILE *f = path ? fopen(path, "we") : NULL;
		int rc = 0;

		if (!path)
			continue;
		if (!f)
			return err_set(err, "cannot write %s: %s", path, strerror(errno));
		if (what)
			rc = marks_patch(marks, f, base, err);
		for (uint32_t i = 0; !what && i < marks->n; i++)
			mark_write(&marks->mark[i], f, base);
		if (!what)
			marks_write_sources(marks, f, base);
		if (fclose(f) && !rc)
			rc = err_set(err, "cannot write %s: %s", path, strerror(errno));
		if (rc)
			return rc;
	}
	return 0;
}

/* The extents that n other variables have as well: which one is meant. False: it was
 * interrupted. */
static bool ask_shape(const struct annotate_request *r, struct draft_array *x, unsigned d)
{
	struct mark_names fits = { 0 };
	char *text = xasprintf("%s:%" PRIu32 ": array %s has in dimension %u the extent of several "
			       "variables, in all runs",
			       path_base(x->mark.file), x->mark.line, x->mark.name, d + 1),
	     *rest = x->others[d];
	unsigned which;

	mark_name_add(&fits, x->mark.shape.name[d]);
	for (char *c = strtok_r(rest, ",", &rest); c; c = strtok_r(NULL, ",", &rest))
		mark_name_add(&fits, c + strspn(c, " "));
	which = r->ask(r->arg, text, fits.name, fits.n);
	if (which < fits.n) {
		free(x->mark.shape.name[d]);
		x->mark.shape.name[d] = xstrdup(fits.name[which]);
	}
	mark_names_clear(&fits);
	free(x->others[d]);
	x->others[d] = NULL;
	free(text);
	return which != ANNOTATE_STOP;
}

/* evidence: of an array; NULL: a loop. False: it was interrupted. */
static bool ask_keep(const struct annotate_request *r, const struct mark *m, const char *evidence,
		     const char *base, bool *keep)
{
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);
	unsigned answer;

	mark_write(m, f, base);
	if (evidence)
		fprintf(f, "  %s\n", evidence);
	xmemstream_close(f);
	text[strlen(text) - 1] = 0;
	answer = r->ask(r->arg, text, NULL, 0);
	free(text);
	*keep = answer == 1;
	return answer != ANNOTATE_STOP;
}

#define REFUSED "as you said"

static bool ask_array(const struct annotate_request *r, struct draft_array *x,
		      const struct array_guess *a, const char *base)
{
	char *evidence;
	bool goes_on = true;

	for (unsigned d = 0; goes_on && d < x->mark.shape.n; d++)
		if (x->others[d])
			goes_on = ask_shape(r, x, d);
	if (!goes_on)
		return false;
	evidence = evidence_text(a, marks_fortran(x->mark.file));
	goes_on = ask_keep(r, &x->mark, evidence, base, &x->good);
	free(evidence);
	if (!x->good)
		snprintf(x->why_not, sizeof(x->why_not), REFUSED);
	return goes_on;
}

static void forget_name(struct mark_names *n, const char *name)
{
	for (uint32_t i = n->n; i-- > 0;)
		if (!strcmp(n->name[i], name))
			mark_name_remove(n, i);
}

/* Loops do without an array that was refused; those over it alone go with it. */
static void refuse_array(struct draft *m, const struct draft_array *x)
{
	for (uint32_t i = 0; i < m->nloop; i++) {
		struct draft_loop *l = &m->loop[i];

		if (!l->good || strcmp(l->mark.file, x->mark.file))
			continue;
		forget_name(&l->mark.writes, x->mark.name);
		forget_name(&l->mark.reads, x->mark.name);
		if (l->mark.kind == MARK_PARALLEL &&
		    (!l->mark.writes.n || (l->mark.name && !strcmp(l->mark.name, x->mark.name))))
			l->good = false;
	}
}

/* Each array and loop is shown, and may be left out. */
static int ask(const struct annotate_request *r, struct draft *m, const struct guesses *g,
	       struct err *err)
{
	char here[PATH_MAX];
	const char *base = getcwd(here, sizeof(here)) ? here : "";

	for (uint32_t i = 0; i < m->narray; i++)
		if (m->array[i].good &&
		    !ask_array(r, &m->array[i], &g->array[m->array[i].array], base))
			return err_set(err, "interrupted");
	for (uint32_t i = 0; i < m->narray; i++)
		if (!m->array[i].good && !strcmp(m->array[i].why_not, REFUSED))
			refuse_array(m, &m->array[i]);
	for (uint32_t i = 0; i < m->nloop; i++)
		if (m->loop[i].good && !ask_keep(r, &m->loop[i].mark, NULL, base, &m->loop[i].good))
			return err_set(err, "interrupted");
	return 0;
}

/* The marks into files and the answer. */
static int put_marks(const struct marks *marks, const struct annotate_request *r, json_t *answer,
		     struct err *err)
{
	char here[PATH_MAX];

	if (!getcwd(here, sizeof(here)))
		*here = 0;
	answer_marks(answer, marks, here);
	if (!marks->n) {
		if (json_object_get(answer, "file"))
			unlink(r->marks);
		if (json_object_get(answer, "patch"))
			unlink(r->patch);
		json_object_del(answer, "file");
		json_object_del(answer, "patch");
		return 0;
	}
	if (write_files(marks, r, here, err))
		return -1;
	json_object_set_new(answer, "file", json_string(r->marks));
	if (r->patch)
		json_object_set_new(answer, "patch", json_string(r->patch));
	return 0;
}

/* What is known becomes marks. NULL: it was interrupted. */
static json_t *conclude(struct known *x, const struct annotate_request *r, const struct plan *p,
			struct marks *marks, struct err *err)
{
	char *unlike;
	json_t *answer;

	x->m.by_rank = r->sizes_known;
	draft_fold(&x->m, &x->g);
	draft_arrays(&x->m, &x->g);
	draft_marks(&x->m, &x->g);
	if (r->ask && ask(r, &x->m, &x->g, err))
		return NULL;
	draft_open_members(&x->m);
	answer = answer_of(&x->m, &x->g, p);
	draft_note_beside(&x->m, r);
	uses_edges(&x->m, &x->g);
	compose(marks, &x->m, &x->g);
	json_object_set_new(answer, "notes", json_array());
	for (uint32_t i = 0; i < x->m.narray; i++)
		if (x->m.array[i].good && x->m.array[i].nearly)
			json_object_set_new(answer, "suspect",
					    plain(x->m.array[i].nearly));
	unlike = r->sizes_known ? unlike_line(&x->m, &x->g) : NULL;
	if (unlike)
		json_object_set_new(answer, "unlike", plain(unlike));
	free(unlike);
	for (uint32_t i = 0; i < x->m.notes.n; i++)
		json_array_append_new(json_object_get(answer, "notes"),
				      plain(x->m.notes.name[i]));
	return answer;
}

/* The fewest ranks on which the program runs. */
static uint32_t fewest(const struct plan *p)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t i = 0; i < p->nrun; i++)
		if (!p->run[i].refused && p->run[i].count < least)
			least = p->run[i].count;
	return least;
}

/* A program that does not run on one rank may want an even number. */
static json_t *try_size(struct plan *p, const struct annotate_request *r, char *const *argv,
			struct err *err)
{
	uint32_t ref = fewest(p), n = r->ranks > ref ? r->ranks : r->ranks + 2;
	uint32_t count[] = { n, ref > 1 ? n + 2 : n > 2 ? n - 1 : 3 };
	struct trial t = { .dvmdbg = p->self, .marks = r->marks, .dir = p->dir, .argv = argv,
			   .reference = ref, .count = count, .n = 2 };
	char *words = words_of(argv), **tried = words_list_copy(argv);
	json_t *trial;

	if (r->tried) {
		free(tried[0]);
		tried[0] = xstrdup(r->tried);
		t.argv = tried;
	}

	progress(r, "run %u to %u: the trial, %s, %" PRIu32 ", %" PRIu32 " and %" PRIu32 " ranks",
	     p->number + 1, p->number + 3, words, ref, count[0], count[1]);
	p->number += 3;
	trial = trial_run(&t, err);
	if (trial) {
		json_object_set_new(trial, "command", json_string(words));
		json_object_set_new(trial, "reference", json_integer(ref));
	}
	words_list_free(tried);
	free(words);
	return trial;
}

/* Of three dimensions two are divided: the third one is only on more ranks, if at all. */
static void plan_cube(struct plan *p, const struct annotate_request *r, const struct guesses *g)
{
	bool any = false;

	for (uint32_t i = 0; i < g->narray; i++) {
		const struct array_guess *a = &g->array[i];
		unsigned split = 0;

		for (unsigned d = 0; a->tiles && a->ndim > 2 && d < a->ndim; d++)
			for (uint32_t k = 0; k < a->nrun; k++)
				if (a->run[k].grid[d] > 1) {
					split++;
					break;
				}
		any = any || split == 2;
	}
	if (any && r->ranks < CUBE)
		plan_run(p, 0, CUBE);
}

/* On a size and a number of ranks that the marks know nothing of; a program may refuse the size. */
static json_t *try_marks(struct plan *p, const struct annotate_request *r, struct err *err)
{
	char **other = trial_larger(r->argv, p->smaller ? -3 : 2,
			      p->derived ? p->argv[1] : NULL);
	json_t *trial = try_size(p, r, other ? other : r->argv, err);

	if (trial && other && !json_integer_value(json_object_get(trial, "sums"))) {
		json_decref(trial);
		trial = try_size(p, r, r->argv, err);
	}
	words_list_free(other);
	return trial;
}

/* Marks are tried; those that cannot be right are taken away, and the rest is tried again. */
static int try_all(struct plan *p, const struct annotate_request *r, struct marks *marks,
		   json_t *answer, struct err *err)
{
	json_t *trial = NULL, *taken = json_array();
	uint32_t dropped = 0, now = 0;

	for (int again = 0; again < 3 && marks->n; again++) {
		json_decref(trial);
		trial = try_marks(p, r, err);
		if (!trial)
			goto failed;
		now = trial_drop(trial, marks, json_object_get(answer, "notes"), taken);
		dropped += now;
		if (!now)
			break;
		if (put_marks(marks, r, answer, err))
			goto failed;
	}
	if (trial_suspicious(trial))
		json_object_set_new(trial, "suspicious", json_true());
	json_object_set_new(trial, "rounds", json_boolean(trial_rounds(trial)));
	json_object_set_new(trial, "dropped", json_integer(dropped));
	json_object_set_new(trial, "taken", taken);
	json_object_set_new(answer, "trial", trial);
	return 0;
failed:
	json_decref(trial);
	json_decref(taken);
	return -1;
}

/* What exchanges bring proves marks of arrays, or refutes them; -1: it was interrupted. */
static int prove(struct plan *p, const struct annotate_request *r, struct symbols *symbols,
		 struct marks *marks, json_t *answer, struct err *err)
{
	struct tags_request q = { .dvmdbg = p->self, .marks = r->marks, .argv = r->argv,
				  .ranks = r->ranks, .seconds = TAGS_MOST };
	char *words = words_of(r->argv);
	json_t *tags;

	if (q.ranks < 2)
		q.ranks = 2;
	progress(r, "run %u: %s, %" PRIu32 " ranks, with tags in the arrays", ++p->number, words,
		 q.ranks);
	free(words);
	tags = tags_check(&q, symbols, err);
	if (!tags)
		return strcmp(err->text, "interrupted") ? 0 : -1;
	if (trial_tags(tags, marks, answer) && put_marks(marks, r, answer, err)) {
		json_decref(tags);
		return -1;
	}
	json_decref(tags);
	return 0;
}

static char *small_functions(const struct annotate_request *r, struct symbols *symbols)
{
	struct draft m = { .symbols = symbols, .program = r->argv[0] };
	char *text;

	symbols_sources(symbols, r->argv[0], open_source, &m);
	scan_communicate(m.scan, m.nscan);
	text = draft_small(r->argv[0], &m);
	draft_clear(&m);
	return text;
}

json_t *annotate(const struct annotate_request *r, struct symbols *symbols, struct err *err)
{
	struct plan p;
	struct known x = { 0 };
	struct breaks b = { 0 };
	struct marks marks = { 0 };
	json_t *answer = NULL;

	b.calls = small_functions(r, symbols);
	if (plan_make(&p, r, err) < 0 || train(&p, true, r, symbols, &b, &x, err) < 0)
		goto out;
	places_to_stop_at(&x.m, symbols, r->argv[0], &b);
	plan_cube(&p, r, &x.g);
	known_clear(&x);
	if (train(&p, false, r, symbols, &b, &x, err) < 0)
		goto out;
	answer = conclude(&x, r, &p, &marks, err);
	if (!answer)
		goto out;
	trial_compiles(&marks, symbols, r->argv[0], json_object_get(answer, "notes"));
	if (put_marks(&marks, r, answer, err) ||
	    (r->trial && marks.n && prove(&p, r, symbols, &marks, answer, err)) ||
	    (r->trial && marks.n && try_all(&p, r, &marks, answer, err))) {
		json_decref(answer);
		answer = NULL;
	}
out:
	marks_clear(&marks);
	known_clear(&x);
	free(b.at);
	free(b.calls);
	for (uint32_t i = 0; i < b.nname; i++)
		free(b.name[i]);
	free(b.name);
	plan_clear(&p);
	return answer;
}
