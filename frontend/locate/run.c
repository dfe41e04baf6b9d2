/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runs of locate: that of the reference, the one that is compared with it, and those in which
 * both are looked at again.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "frontend/verify/verify.h"
#include "frontend/locate/internal.h"
#include "frontend/model/findings.h"
#include "frontend/util/loop.h"
#include "frontend/output/output.h"
#include "frontend/launch/launch.h"
#include "frontend/reference/reference.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"

#define QUIET_MS 20000	     /* a run is given up when it has no new point for this, and for … */
#define QUIET_TIMES 20	     /* … so many times as long as the reference */
#define SUMS_MS 5000	     /* for checksums of the point where ranks stand */
#define TRACED_ERRORS "1000" /* findings of traces that are kept, to choose from */
#define NOTHING 1e-290	     /* numbers are not computed that are as small */

static const struct checker_only untraced;

static int size_of(const struct session *s)
{
	return s->spec.n ? s->spec.n : 1;
}

/* The run of a second session stops for no mismatch, and is traced as is said here alone. */
static int set_up(struct session *s, const struct checker_only *only, struct err *err)
{
	checker_trace_only(s->checker, only);
	return settings_set(s->set, "STOP_ON", "none", err) ||
			       settings_set(s->set, "EnableTrace", "1", err) ||
			       settings_set(s->set, "TraceMode", "1", err) ||
			       settings_set(s->set, "FileLoopInfo", "", err)
		       ? -1
		       : 0;
}

/* A run begins: is reported, and timed. */
static void stage(struct locate *l, const char *what, const struct point *to, bool ref, int ranks)
{
	char text[POINT_TEXT], size[LOCATE_SIZE];

	l->stage = what;
	l->stage_begun = loop_now();
	l->stage_ranks = ranks;
	l->stage_threads = ref ? l->spec->ref_threads : l->spec->threads;
	l->runs++;
	out_note(l->s->out, "run %u: %s%s%s, %s", l->runs, what, to ? " to " : "",
		 to ? point_format(to, text) : "", locate_size(l, size));
}

/* Bytes of the files in the directory. */
static uint64_t bytes_in(const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *e;
	uint64_t n = 0;
	struct stat st;

	while (d && (e = readdir(d)))
		if (!fstatat(dirfd(d), e->d_name, &st, 0) && S_ISREG(st.st_mode))
			n += (uint64_t)st.st_size;
	if (d)
		closedir(d);
	return n;
}

/* Traces may become larger than anybody would want them. */
static void measure(struct locate *l)
{
	const struct locate_interval *x = l->interval;

	if (x->room && bytes_in(x->dir) + bytes_in(x->now) > x->room)
		l->watch->enough = "its traces have filled half of the free space there (name "
				   "another place with TMPDIR)";
}

/* The line that shows how far a run has come. */
void locate_show_progress(void *arg, struct session *s)
{
	struct locate *l = arg;
	const struct sums_point *now = checker_last(s->checker);
	char text[300], at[POINT_TEXT] = "", of[POINT_TEXT + 8] = "", last[POINT_TEXT];
	char size[LOCATE_SIZE];

	if (now)
		point_format(&now->point, at);
	if (now && l->last.main)
		snprintf(of, sizeof(of), " of %s", point_format(&l->last, last));
	if (l->watch)
		measure(l);
	snprintf(text, sizeof(text), "run %u: %s, %s: %s%s%s%.0f s", l->runs, l->stage,
		 locate_size(l, size), at, of, now ? ", " : "",
		 (double)(loop_now() - l->stage_begun) / 1000);
	out_progress(l->s->out, text);
}

/* How long a run may be without a point: what the reference took says what is long. */
static struct run_watch watch_for(struct locate *l, bool first)
{
	int64_t most = 1000 * (int64_t)settings_number(l->s->set, "HANG_LIMIT");
	int64_t like_ref = QUIET_MS + QUIET_TIMES * l->ref_quiet;
	struct run_watch w = { .quiet_ms = most, .tick = locate_show_progress, .arg = l };

	if (!first && l->ref_quiet && most > like_ref)
		w.quiet_ms = like_ref;
	if (l->quick_ms && w.quiet_ms > l->quick_ms)
		w.quiet_ms = l->quick_ms;
	return w;
}

/* Ctrl-C, while the ranks of a run are started or after that. */
static bool interrupted(struct locate *l)
{
	if (loop_interrupted(l->s->loop))
		l->interrupted = true;
	loop_clear_interrupt(l->s->loop);
	return l->interrupted;
}

/* Loads the program of s and lets it go on to p. */
static enum run_end load_and_run(struct locate *l, struct session *s, const struct point *p,
				 struct run_watch *w, struct err *err)
{
	enum run_end end;

	if (session_load(s, err))
		return interrupted(l) ? RUN_INTERRUPTED : RUN_FAILED;
	l->annotated &= job_annotated(s->job);
	end = second_run_to(s, p, w, err);
	out_progress(l->s->out, NULL);
	if (end == RUN_INTERRUPTED)
		l->interrupted = true;
	return end;
}

/* The reference's directory is complete: what it is of. */
static int take_reference(struct locate *l, struct err *err)
{
	const struct reference_info *info;
	const struct sums_point *p;

	l->ref = reference_open(l->dir, err);
	if (!l->ref)
		return -1;
	info = reference_info(l->ref);
	l->bare = info->bare;
	l->bytes = info->bytes;
	l->points = info->points;
	l->ref_ranks = (int)info->ranks;
	for (size_t i = reference_count(l->ref); i-- > 0 && !l->last.main;) {
		p = reference_at(l->ref, i, NULL);
		l->points -= p && p->kind == CONSTRUCT_FINISH;
		if (p && !p->point.sub && p->kind != CONSTRUCT_FINISH)
			l->last = p->point;
	}
	return 0;
}

/*
 * The run of s decides about its messages as the former one did: that of the reference, or of the
 * program. NULL: there is nothing to follow.
 */
static const char *order_again(struct locate *l, struct session *s, bool ref)
{
	const char *dir = ref ? l->dir : l->order_dir;

	if (l->unordered || !dir || !reference_has_order(dir))
		dir = NULL;
	checker_order_in(s->checker, NULL, dir);
	l->followed |= dir != NULL;
	return dir;
}

/* A run of which the order was followed has gone another way. */
static void note_order(struct locate *l, const struct session *s)
{
	json_t *f = locate_finding(s, FINDING_ORDER);

	if (f)
		locate_note(l, "%s: %s: %s", l->stage, finding_kind_text(FINDING_ORDER),
			    json_string_value(json_object_get(f, "detail")));
	json_decref(f);
}

/* Records r's run; 0, 1 it ended before its end, -1 it could not begin. */
static int record(struct locate *l, struct second *r, struct err *err)
{
	struct session *ref = second_session(r);
	struct run_watch w = watch_for(l, true);
	enum run_end end;

	if (set_up(ref, &untraced, err))
		return -1;
	checker_record(ref->checker, l->dir);
	checker_order(ref->checker, true);
	end = load_and_run(l, ref, NULL, &w, err);
	if (!ref->job)
		return end == RUN_INTERRUPTED ? 1 : -1;
	if (end == RUN_FAILED) {
		locate_fail(l, ref, err->text);
		locate_show_ranks(l, ref, w.hung);
		locate_note_output(l, r);
	} else if (end == RUN_OVER && *err->text && !locate_failed_stuck(l, ref)) {
		locate_note(l, "%s: %s", l->stage, err->text);
		locate_note_output(l, r);
	}
	l->ref_bad = *err->text;
	err->text[0] = '\0';
	l->ref_quiet = w.longest_ms > 1 ? w.longest_ms : 1;
	checker_over(ref->checker);
	if (!checker_reference(ref->checker))
		return err_set(err, "the reference %s could not be written: %.300s", l->dir,
			       second_warnings(r));
	if (l->annotated)
		locate_note_warnings(l, r);
	return take_reference(l, err) ? -1 : l->interrupted;
}

int locate_reference(struct locate *l, struct err *err)
{
	struct second *r;
	int rc;

	if (l->spec->with)
		return take_reference(l, err);
	r = second_create(l->s, l->ref_ranks, NULL, err);
	if (!r)
		return -1;
	second_session(r)->spec.threads = l->spec->ref_threads;
	stage(l, "the reference", NULL, true, l->ref_ranks);
	rc = record(l, r, err);
	second_retire(l->s, r);
	return rc;
}

/*
 * At the same point: an array that is not distributed correctly shows most, then what the construct
 * there says it works with.
 */
static bool earlier(const struct mismatch *a, const struct mismatch *b)
{
	const uint8_t named = POINT_SUMS_READ | POINT_SUMS_WRITE;
	int order = point_sort(&a->point, &b->point);

	if (!order && (a->kind == MISMATCH_PARTS) != (b->kind == MISMATCH_PARTS))
		return a->kind == MISMATCH_PARTS;
	return order < 0 || (!order && a->id.flags & named && !(b->id.flags & named));
}

/* Zeros, or what addresses are as numbers, which memory that was never set holds, too. */
static bool is_nothing(double a, double b)
{
	return fabs(a) < NOTHING && fabs(b) < NOTHING;
}

/* A copy that holds nothing but these. */
static bool has_zeros(const struct mismatch *m)
{
	bool zero = m->kind == MISMATCH_VALUE && is_nothing(m->now[0], m->now[1]);

	for (size_t i = 0; i < m->copies.n && !zero; i++) {
		struct sum_result *r = compare_copy(&m->copies.group[i]);

		zero = r && is_nothing(sum_mean(r, 0), sum_mean(r, 1));
		sum_result_destroy(r);
	}
	return zero;
}

/* A replicated object that nothing has set so far: it may be set before it is used. */
static bool is_unset(const struct mismatch *m)
{
	return m->id.kind == ARRAY_REPLICATED && m->unwritten && !m->previous.main &&
	       (m->kind == MISMATCH_VALUE || m->kind == MISMATCH_COPIES) && has_zeros(m);
}

/*
 * It has been set since: on all ranks to the same, which may be wrong for another reason; where no
 * copies differed, as in the reference.
 */
static bool is_set_since(const struct locate *l, const struct compare *c, const struct mismatch *m)
{
	const struct sum_result *ref = compare_known(c, &m->id);
	struct sums_point *p = checker_objects(l->s->checker, NULL);
	const struct sums_array *now = p ? sums_point_find(p, &m->id) : NULL;
	struct sum_difference d = { .verdict = SUM_FAULT };
	bool same = ref && now && now->sum && !now->copies.n && now->flags & POINT_SUMS_WRITTEN;

	if (same && m->kind != MISMATCH_COPIES) {
		struct sum_tolerance tol = compare_limit(c, now, &ref->plan);

		same = !sum_compare(ref, now->sum, &tol, &d, NULL) && d.verdict != SUM_FAULT;
	}
	sums_point_destroy(p);
	return same;
}

bool locate_passed_over(const struct locate *l, const struct mismatch *m)
{
	return is_unset(m) && is_set_since(l, checker_comparison(l->s->checker), m);
}

/*
 * The first mismatch that is more than an object which only one run has. ended: of replicated
 * objects that were not set so far those count that have not been set since; else none does.
 */
static const struct mismatch *first_true(const struct locate *l, const struct compare *c,
					 bool ended)
{
	const struct mismatch *first = NULL, *m;

	for (size_t i = 0; c && (m = compare_mismatch(c, i)); i++)
		if (m->kind != MISMATCH_ABSENT && (!first || earlier(m, first)) &&
		    !(is_unset(m) && (!ended || is_set_since(l, c, m))))
			first = m;
	return first;
}

/* What was passed over. */
static void note_unset(struct locate *l, const struct compare *c)
{
	const struct mismatch *m;
	char at[POINT_TEXT];

	for (size_t i = 0; c && (m = compare_mismatch(c, i)); i++)
		if (locate_passed_over(l, m))
			locate_note(l,
				    "%s was not set yet at %s, and has been set since: register it "
				    "where it has its value",
				    m->id.name, point_format(&m->point, at));
}

/* The run goes on from mismatches that say too little. */
static enum run_end run_compared(struct locate *l, struct run_watch *w, struct err *err)
{
	struct session *s = l->s;
	enum run_end end = load_and_run(l, s, NULL, w, err);

	while (end == RUN_HELD && !first_true(l, checker_comparison(s->checker), false)) {
		end = second_run_to(s, NULL, w, err);
		l->interrupted |= end == RUN_INTERRUPTED;
	}
	out_progress(s->out, NULL);
	return end;
}

/* The comparison keeps the order of its messages; it follows that of a reference only when the user
 * has recorded that, as a fault may be in the order. */
static void keep_order(struct locate *l)
{
	struct err err = { "" };

	l->order_dir = locate_temporary(&l->order_lock, &err);
	checker_order_in(l->s->checker, l->order_dir,
			 l->spec->with && reference_has_order(l->dir) ? l->dir : NULL);
}

int locate_compare(struct locate *l, struct err *err)
{
	struct session *s = l->s;
	struct run_watch w = watch_for(l, false);
	const struct compare *c;
	enum run_end end;

	stage(l, "the comparison", NULL, false, size_of(s));
	checker_trace_only(s->checker, &untraced);
	checker_compare(s->checker, l->dir);
	keep_order(l);
	end = run_compared(l, &w, err);
	if (!s->job)
		return end == RUN_INTERRUPTED ? 1 : -1;
	l->stage_ranks = job_size(s->job);
	l->hung = w.hung;
	if (end == RUN_OVER)
		checker_ended(s->checker);
	c = checker_comparison(s->checker);
	l->m = first_true(l, c, true);
	if (!l->m && c)
		l->m = compare_first(c);
	l->went_on = l->m && is_unset(l->m);
	note_unset(l, c);
	note_order(l, s);
	if (c)
		l->state = *compare_state(c);
	if (end == RUN_FAILED) {
		locate_fail(l, s, err->text);
		locate_show_ranks(l, s, w.hung);
	} else if (end == RUN_OVER && *err->text && !locate_failed_stuck(l, s)) {
		locate_note(l, "%s: %s", l->stage, err->text);
	}
	err->text[0] = '\0';
	return 0;
}

/* Of the findings of the comparison the one that comes first in the program. */
static json_t *first_finding(const struct session *s)
{
	static const enum finding_kind kinds[] = {
		FINDING_CONSTRUCT, FINDING_ITERATION, FINDING_TWICE,	 FINDING_MISSING,
		FINDING_EXIT,	   FINDING_VALUE,     FINDING_UNWRITTEN, FINDING_USE,
		FINDING_REDUCTION, FINDING_SHAPE,     FINDING_CHECKSUM,	 FINDING_ABSENT,
	};
	struct point first = { 0 }, at;
	json_t *found = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		json_t *f = locate_finding(s, kinds[i]);
		const char *point = json_string_value(json_object_get(f, "point"));

		if (!f || (point && point_parse(&at, point, NULL)))
			continue;
		if (!point)
			at = (struct point){ 0 };
		if (found && point_sort(&at, &first) >= 0) {
			json_decref(f);
			continue;
		}
		json_decref(found);
		found = f;
		first = at;
	}
	return found;
}

int locate_compare_trace(struct locate *l, struct err *err)
{
	struct session *s = l->s;
	struct run_watch w = watch_for(l, false);
	enum run_end end;

	stage(l, "the comparison", NULL, false, size_of(s));
	checker_trace_only(s->checker, NULL);
	checker_compare(s->checker, l->dir);
	end = load_and_run(l, s, NULL, &w, err);
	out_progress(s->out, NULL);
	if (!s->job)
		return end == RUN_INTERRUPTED ? 1 : -1;
	l->stage_ranks = job_size(s->job);
	if (end == RUN_OVER)
		checker_over(s->checker);
	l->traced = first_finding(s);
	if (end == RUN_FAILED) {
		locate_fail(l, s, err->text);
		locate_show_ranks(l, s, w.hung);
	} else if (end == RUN_OVER && *err->text && !locate_failed_stuck(l, s)) {
		locate_note(l, "%s: %s", l->stage, err->text);
	}
	err->text[0] = '\0';
	return 0;
}

/* Both are one file, wherever their names lead. */
static bool one_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/*
 * The program that made the reference is run only if the user has named it: a reference comes from
 * elsewhere, and can name any program. NULL: a note says so.
 */
static const char *named_program(struct locate *l, const struct reference_info *info)
{
	const char *own = l->spec->ref_program ? l->spec->ref_program : l->s->spec.argv[0];
	struct program p = { 0 };
	struct err err = { "" };
	bool named = l->spec->ref_program != NULL;

	if (program_open(&p, own, &err))
		locate_note(l, "the reference cannot be run again: %s", err.text);
	else if (!named && !one_file(p.path, info->program) &&
		 !(*p.build_id && !strcmp(p.build_id, info->build_id)))
		locate_note(l,
			    "the reference is not run again: its program %s is not the one of this "
			    "run; name it with --ref-program if it may be run",
			    info->program);
	else if (strcmp(p.build_id, info->build_id) != 0)
		locate_note(l, "the reference cannot be run again: %s %s", own,
			    named ? "is not the program that made it" : "has changed since");
	else
		l->ref_path = xstrdup(p.path);
	program_clear(&p);
	return l->ref_path;
}

/* Its path and arguments in argv (owned by both). False: it may not be run, or cannot. */
static bool find_program(struct locate *l, char **argv)
{
	const struct reference_info *info = reference_info(l->ref);
	const char *path = l->ref_path ? l->ref_path : named_program(l, info);

	for (size_t i = 0; info->argv && info->argv[i]; i++)
		argv[i] = info->argv[i];
	argv[0] = (char *)path;
	return path;
}

static struct second *create_again(struct locate *l, bool ref, struct err *err)
{
	const struct reference_info *info = reference_info(l->ref);
	struct second *r = NULL;
	char **argv;
	size_t n = 0;

	if (!ref || !l->spec->with) {
		r = second_create(l->s, ref ? l->ref_ranks : job_size(l->s->job), NULL, err);
		if (r && ref)
			second_session(r)->spec.threads = l->spec->ref_threads;
		return r;
	}
	while (info->argv && info->argv[n])
		n++;
	argv = xcalloc(n + 2, sizeof(*argv));
	if (find_program(l, argv))
		r = second_create(l->s, l->ref_ranks, argv, err);
	free(argv);
	return r;
}

/*
 * Compared only in the construct of p, in a task no others of its region: that it is the same again
 * is seen there, and what the construct reads.
 */
static int compare_at(struct locate *l, struct session *s, const struct point *p, struct err *err)
{
	struct point begin = *p, end = *p;
	char from[POINT_TEXT], to[POINT_TEXT];

	begin.side = POINT_BEGIN;
	end.side = POINT_END;
	checker_see_reads(s->checker);
	if (set_up(s, &untraced, err) ||
	    settings_set(s->set, "StartPoint", point_format(&begin, from), err) ||
	    settings_set(s->set, "FinishPoint", point_format(&end, to), err))
		return -1;
	checker_compare(s->checker, l->dir);
	return 0;
}

/* How long a run that is not stopped may be without a point, of which it reports only in the
 * interval. */
static int64_t passing_ms(const struct locate *l)
{
	return QUIET_MS + QUIET_TIMES * (loop_now() - l->begun);
}

/* Runs r up to p; true: it is there. *ordered: the order of a former run was followed. */
static bool run_again(struct locate *l, struct second *r, bool ref, const struct point *p,
		      bool *ordered, struct err *err)
{
	struct session *s = second_session(r);
	struct run_watch w = watch_for(l, false);
	enum run_end end = RUN_FAILED;

	stage(l, ref ? "the reference" : "the program", p, ref,
	      ref ? l->ref_ranks : job_size(l->s->job));
	*ordered = false;
	if (!compare_at(l, s, p, err)) {
		*ordered = order_again(l, s, ref);
		/* it reports no point before it is there */
		w.quiet_ms = *ordered ? passing_ms(l) : 0;
		end = load_and_run(l, s, p, &w, err);
	}
	note_order(l, s);
	/* nor can they stand there when it is traced; what ranks have of a scalar is asked there */
	l->passing |= !ref && end == RUN_STUCK && l->m->id.kind == ARRAY_DISTRIBUTED &&
		      point_compare(p, &l->m->point) == POINT_EQUAL;
	return end == RUN_THERE;
}

/* The order of a former run has led nowhere: from now on runs find their own. */
static bool without_order(struct locate *l, bool ordered, struct err *err)
{
	if (!ordered || l->unordered || l->interrupted)
		return false;
	locate_note(l,
		    "%s: the order of messages of the former run is not followed any longer, as it "
		    "did not come through: %s",
		    l->stage, *err->text ? err->text : "it stopped elsewhere");
	l->unordered = true;
	err->text[0] = '\0';
	return true;
}

struct second *locate_again(struct locate *l, bool ref, const struct point *p)
{
	struct err err = { "" };
	struct second *r;
	char text[POINT_TEXT];
	bool ordered = false;

	do {
		r = l->interrupted ? NULL : create_again(l, ref, &err);
		if (!r && !*err.text)
			return NULL;
		if (r && run_again(l, r, ref, p, &ordered, &err))
			return r;
		second_retire(l->s, r);
	} while (r && without_order(l, ordered, &err));
	if (!l->interrupted)
		locate_note(l, "%s cannot be examined again at %s%s%s",
			    ref ? "the reference" : "the program", point_format(p, text),
			    *err.text ? ": " : "", err.text);
	return NULL;
}

static int trace_into(struct session *s, bool ref, const struct locate_interval *x, struct err *err)
{
	char from[POINT_TEXT], to[POINT_TEXT];

	if (set_up(s, &x->only, err) || settings_set(s->set, "MaxErrors", TRACED_ERRORS, err) ||
	    settings_set(s->set, "StartPoint", x->from.main ? point_format(&x->from, from) : "",
			 err) ||
	    settings_set(s->set, "FinishPoint", point_format(&x->to, to), err))
		return -1;
	if (ref)
		checker_record(s->checker, x->dir);
	else
		checker_compare(s->checker, x->dir);
	return 0;
}

/* One such run; NULL: end and err say why. */
static struct second *run_traced(struct locate *l, bool ref, const struct locate_interval *x,
				 const struct point *to, enum run_end *end, bool *ordered,
				 struct err *err)
{
	struct second *r = l->interrupted ? NULL : create_again(l, ref, err);
	struct run_watch w = watch_for(l, false);

	*ordered = false;
	*end = RUN_FAILED;
	if (!r)
		return NULL;
	/* it reports no point before the interval */
	w.quiet_ms = to ? 0 : passing_ms(l);
	l->watch = &w;
	l->interval = x;
	stage(l, ref ? "the reference, traced" : "the program, traced", to, ref,
	      ref ? l->ref_ranks : job_size(l->s->job));
	if (!trace_into(second_session(r), ref, x, err)) {
		*ordered = order_again(l, second_session(r), ref);
		*end = load_and_run(l, second_session(r), to, &w, err);
	}
	note_order(l, second_session(r));
	l->watch = NULL;
	if (*end == (to ? RUN_THERE : RUN_OVER) || (!to && w.hung && !w.enough))
		return r;
	/* gone before another one has the same directories */
	if (*end == RUN_STUCK)
		second_destroy(r);
	else
		second_retire(l->s, r);
	return NULL;
}

/* The same, once more without the order of a former run when that has led nowhere. */
static struct second *run_ordered(struct locate *l, bool ref, const struct locate_interval *x,
				  const struct point *to, enum run_end *end, struct err *err)
{
	bool ordered;
	struct second *r = run_traced(l, ref, x, to, end, &ordered, err);

	if (!r && *end != RUN_STUCK && without_order(l, ordered, err))
		r = run_traced(l, ref, x, to, end, &ordered, err);
	return r;
}

struct second *locate_traced(struct locate *l, bool ref, const struct locate_interval *x)
{
	struct err err = { "" };
	struct second *r = NULL;
	struct point to = x->to;
	enum run_end end = RUN_STUCK;
	char text[POINT_TEXT];

	/* what no rank has executed in a task is known when all have left the region */
	if (to.sub)
		to = (struct point){ .main = to.main, .side = POINT_END };
	if (!l->passing)
		r = run_ordered(l, ref, x, &to, &end, &err);
	if (end == RUN_STUCK && !l->interrupted) {
		l->passing = true;
		err.text[0] = '\0';
		r = run_ordered(l, ref, x, NULL, &end, &err);
	}
	if (!r && !l->interrupted && (*err.text || end != RUN_FAILED))
		locate_note(l, "%s was not traced up to %s%s%s",
			    ref ? "the reference" : "the program", point_format(&to, text),
			    *err.text ? ": " : "", err.text);
	return r;
}

struct second *locate_alone(struct locate *l, const char *dir, const struct point *from,
			    const struct point *p, const struct checker_only *only)
{
	struct run_watch w = watch_for(l, true);
	struct err err = { "" };
	char begin[POINT_TEXT], to[POINT_TEXT];
	struct session *s;
	struct second *r;

	r = l->interrupted ? NULL : second_create(l->s, size_of(l->s), NULL, &err);
	if (!r)
		return NULL;
	s = second_session(r);
	stage(l, only ? "the program, traced" : "the halos of the program", only ? p : NULL, false,
	      size_of(l->s));
	if (!set_up(s, only ? only : &untraced, &err) &&
	    !settings_set(s->set, "ChecksumMode", "2", &err) &&
	    (!only || (!settings_set(s->set, "StartPoint", point_format(from, begin), &err) &&
		       !settings_set(s->set, "FinishPoint", point_format(p, to), &err)))) {
		checker_record(s->checker, dir);
		if (load_and_run(l, s, p, &w, &err) == RUN_THERE)
			return r;
	}
	second_retire(l->s, r);
	return NULL;
}

struct second *locate_controlled(struct locate *l, const struct point *from, const struct point *to,
				 struct run_watch *w)
{
	char begin[POINT_TEXT] = "", end[POINT_TEXT] = "";
	struct err err = { "" };
	enum run_end how = RUN_FAILED;
	struct session *s;
	struct second *r = second_create(l->s, size_of(l->s), NULL, &err);

	if (!r)
		return NULL;
	s = second_session(r);
	stage(l, "the program, its threads controlled", NULL, l->spec->threads < 2, size_of(l->s));
	s->spec.threads = l->stage_threads;
	if (from->main)
		point_format(from, begin);
	if (to->main)
		point_format(to, end);
	if (!set_up(s, NULL, &err) && !settings_set(s->set, "EnableDynControl", "1", &err) &&
	    !settings_set(s->set, "StartPoint", begin, &err) &&
	    !settings_set(s->set, "FinishPoint", end, &err))
		how = load_and_run(l, s, NULL, w, &err);
	if (s->job)
		checker_over(s->checker);
	if (how != RUN_OVER && !w->enough)
		w->enough = "it did not come to its end";
	if (!l->interrupted && w->enough)
		locate_note(l, "%s: not all of the run: %s", l->stage,
			    *err.text ? err.text : w->enough);
	if (s->job)
		return r;
	second_retire(l->s, r);
	return NULL;
}

int locate_on(struct locate *l, struct second *r, const struct point *p)
{
	struct run_watch w = watch_for(l, false);
	struct err err = { "" };
	enum run_end end = second_run_to(second_session(r), p, &w, &err);

	out_progress(l->s->out, NULL);
	l->interrupted |= end == RUN_INTERRUPTED;
	return end == RUN_THERE ? 0 : -1;
}

const struct mismatch *locate_differs(struct locate *l, struct second *r)
{
	struct session *s = second_session(r);
	const struct compare *c = checker_comparison(s->checker);
	int64_t until = loop_now() + SUMS_MS;
	const struct mismatch *m;

	while ((checker_awaits(s->checker) || checker_may_await(s->checker)) &&
	       loop_now() < until && !loop_interrupted(s->loop))
		loop_turn(s->loop, 20);
	for (size_t i = 0; c && (m = compare_mismatch(c, i)); i++)
		if (sums_array_same(&m->id, &l->m->id) && m->id.line == l->m->id.line)
			return m;
	return NULL;
}

/* What the run printed is compared; lines that another run of the reference has otherwise are left
 * out, which that is made for. */
size_t locate_printed(struct locate *l)
{
	const char *line[2], *number[2];
	struct checker *c = l->s->checker;
	struct run_watch w = watch_for(l, false);
	struct err err = { "" };
	struct second *r;

	if (!checker_printed(c, 0, line, number) || l->interrupted)
		return 0;
	r = create_again(l, true, &err);
	if (!r)
		return checker_printed(c, 0, line, number);
	stage(l, "the reference again, for what it prints", NULL, true, l->ref_ranks);
	if (!set_up(second_session(r), &untraced, &err) &&
	    load_and_run(l, second_session(r), NULL, &w, &err) == RUN_OVER) {
		second_output(r);
		checker_printed_again(c, checker_output(second_session(r)->checker));
	}
	second_retire(l->s, r);
	return checker_printed(c, 0, line, number);
}
