/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of traces that are there: trace last-write. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/protocol/report.h"
#include "common/tracereport/tracereport.h"
#include "common/traceslice/traceslice.h"
#include "common/dvmtext/dvmtext.h"
#include "common/array/value.h"
#include "frontend/model/actionpoints.h"
#include "frontend/verify/verify.h"
#include "frontend/cmd/cmd.h"
#include "frontend/job/job.h"
#include "frontend/output/output.h"
#include "frontend/session/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/traceview/traceview.h"
#include "frontend/util/xalloc.h"

#define MOST 1000 /* records that print shows, when nothing else is asked */

enum {
	PICK_RANK,
	PICK_FROM,
	PICK_TO,
	PICK_ARRAY,
	PICK_ELEMENT,
	PICK_ITERATION,
	PICK_COUNT,
	PICK_MPI,
	PICK_CALL,
	PICK_SPAN
};

/* The path that was given, or the traces of the session's run; to be freed. */
static char *path_of(struct session *s, const char *given, const char *verb, struct err *err)
{
	char *path = given ? xstrdup(given) : checker_traces_dir(s->checker);

	if (!path)
		err_set(err,
			"%s: give a directory with traces, or a trace file; this session records "
			"and compares none",
			verb);
	return path;
}

static int parse_point(const char *text, const char *option, struct point *p, struct err *err)
{
	if (text && point_parse(p, text, err))
		return err_prefix(err, "trace -%s", option);
	return 0;
}

static int parse_iteration(const char *text, struct trace_want *w, struct err *err)
{
	struct rule r = { 0 };

	if (!text)
		return 0;
	if (actionpoints_iteration_parse(&r, text, err))
		return err_prefix(err, "trace -iteration");
	if (r.any)
		return err_set(err, "trace -iteration %s: give numbers, as (3,4)", text);
	w->nidx = r.niter;
	memcpy(w->index, r.iter, r.niter * sizeof(*w->index));
	return 0;
}

static int parse_ranks(const char *text, struct rankset *out, struct err *err)
{
	uint64_t n;

	if (!text)
		return 0;
	if (*text != '+' && !parse_uint(text, 0, RANKSET_MAX - 1, &n))
		return rankset_add(out, (uint32_t)n, (uint32_t)n);
	if (rankset_parse(out, text, err))
		return err_prefix(err, "trace -rank");
	return 0;
}

static int run_print(struct session *s, const struct cmd_call *call, struct err *err)
{
	const char *count = call->option[PICK_COUNT];
	struct trace_want w = { .array = call->option[PICK_ARRAY],
				.element = call->option[PICK_ELEMENT],
				.most = count ? strtoull(count, NULL, 10) : MOST,
				.calls = call->option[PICK_MPI] || call->option[PICK_CALL],
				.call = call->option[PICK_CALL] };
	struct trace_files f = { 0 };
	char *path = path_of(s, call->argc > 1 ? call->argv[1] : NULL, "trace print", err);
	int rc = path ? 0 : -1;

	rc = rc || parse_point(call->option[PICK_FROM], "from", &w.from, err) ||
	     parse_point(call->option[PICK_TO], "to", &w.to, err) ||
	     parse_iteration(call->option[PICK_ITERATION], &w, err) ||
	     parse_ranks(call->option[PICK_RANK], &w.ranks, err) ||
	     trace_files_open(&f, path, err) || traceview_show(s, &f, &w, err);
	trace_files_close(&f);
	rankset_clear(&w.ranks);
	free(path);
	return rc ? -1 : 0;
}

static int run_stat(struct session *s, const struct cmd_call *call, struct err *err)
{
	char *path = path_of(s, call->argc > 1 ? call->argv[1] : NULL, "trace stat", err);
	struct trace_files f = { 0 };
	int rc = path ? trace_files_open(&f, path, err) : -1;

	if (!rc) {
		out_answer(s->out, traceview_stat(&f));
		traceview_check(s, &f);
	}
	trace_files_close(&f);
	free(path);
	return rc;
}

/* "0.5:0.75", seconds; either may be left out. *to 0: to the end. */
static int parse_span(const char *text, double *from, double *to, struct err *err)
{
	char *end;

	*from = *to = 0;
	if (!text)
		return 0;
	*from = strtod(text, &end);
	if (*end == ':' && end[1])
		*to = strtod(end + 1, &end);
	else if (*end == ':')
		end++;
	if (*end || !strchr(text, ':') || !(*from >= 0) || (*to && !(*to > *from)))
		return err_set(
			err,
			"trace timeline -span %s: give seconds since the first call, as 0.5:0.75",
			text);
	return 0;
}

#define COLUMNS 64 /* of a time line, when nothing else is asked */

static int run_timeline(struct session *s, const struct cmd_call *call, struct err *err)
{
	const char *count = call->option[PICK_COUNT];
	uint64_t width = count ? strtoull(count, NULL, 10) : COLUMNS;
	char *path = path_of(s, call->argc > 1 ? call->argv[1] : NULL, "trace timeline", err);
	struct trace_files f = { 0 };
	struct rankset ranks = { 0 };
	double from, to;
	int rc = path ? 0 : -1;

	if (!rc && (!width || width > TRACEVIEW_TIMELINE_MOST))
		rc = err_set(err, "trace timeline -n %s: 1 to %d columns are allowed", count,
			     TRACEVIEW_TIMELINE_MOST);
	rc = rc || parse_span(call->option[PICK_SPAN], &from, &to, err) ||
	     parse_ranks(call->option[PICK_RANK], &ranks, err) || trace_files_open(&f, path, err) ||
	     traceview_timeline(s, &f, &ranks, from, to, (uint32_t)width, err);
	trace_files_close(&f);
	rankset_clear(&ranks);
	free(path);
	return rc ? -1 : 0;
}

/* Ctrl-C gives up. */
static int watch_interrupt(void *arg, uint64_t done, uint64_t total)
{
	return out_cut_short();
}

static int run_diff(struct session *s, const struct cmd_call *call, struct err *err)
{
	if (call->argc != 3)
		return err_set(err, "trace diff: give two directories: that of a run, and that of "
				    "the reference");
	return checker_traces_offline(s, call->argv[1], call->argv[2], false, err);
}

/* Of several ranks each has a file of its own. */
static int run_export(struct session *s, const struct cmd_call *call, struct err *err)
{
	struct trace_files f = { 0 };
	int rc;

	if (call->argc != 3)
		return err_set(err, "trace export: give a trace file or directory, and the file to "
				    "write (- for the standard output)");
	rc = trace_files_open(&f, call->argv[1], err);
	for (size_t i = 0; i < trace_files_count(&f) && !rc; i++) {
		const struct trace_reader *m = trace_files_map(&f, i);
		char *to = NULL;

		if (trace_files_count(&f) == 1)
			rc = traceview_export(s, m, -1, NULL, call->argv[2], err);
		else if (!strcmp(call->argv[2], "-"))
			rc = err_set(err,
				     "trace export: %zu ranks need a file each, FILE.RANK; give a "
				     "file, not -",
				     trace_files_count(&f));
		else {
			to = xasprintf("%s.%u", call->argv[2], trace_reader_meta(m)->rank);
			rc = traceview_export(s, m, -1, NULL, to, err);
		}
		free(to);
	}
	trace_files_close(&f);
	return rc;
}

/*
 * "DIR/trace.0.bin" of a directory, which is made when it ends with '/'; else the file itself; to
 * be freed.
 */
static char *import_path(const char *to, uint32_t rank, struct err *err)
{
	size_t n = strlen(to);
	bool slash = n && to[n - 1] == '/';
	struct stat st;

	if (slash && mkdir(to, 0777) && errno != EEXIST) {
		err_set(err, "%s: %s", to, strerror(errno));
		return NULL;
	}
	if (stat(to, &st) || !S_ISDIR(st.st_mode))
		return xstrdup(to);
	return xasprintf(slash ? "%strace.%u.bin" : "%s/trace.%u.bin", to, rank);
}

/* Another rank's trace is not replaced, and what is no trace neither. *there: one is. */
static int check_import(const char *path, uint32_t rank, bool *there, struct err *err)
{
	struct err why = { "" };
	struct trace_reader *m;
	uint32_t other;

	*there = access(path, F_OK) == 0;
	m = *there ? trace_reader_open(path, &why) : NULL;
	if (*there && !m)
		return err_set(err,
			       "trace import: %s exists and is not a trace; it was not "
			       "changed",
			       path);
	other = m ? trace_reader_meta(m)->rank : rank;
	trace_reader_close(m);
	if (other == rank)
		return 0;
	return err_set(
		err,
		"trace import: %s is the trace of rank %u; of several ranks give a directory, "
		"as dir/, and -rank",
		path, other);
}

static int run_import(struct session *s, const struct cmd_call *call, struct err *err)
{
	const char *number = call->option[PICK_RANK];
	unsigned long rank = number ? strtoul(number, NULL, 10) : 0;
	struct dvmtext_count count = { 0 };
	bool there;
	char *path;
	int rc;

	if (call->argc != 3)
		return err_set(err, "trace import: give a text trace, and the file or directory to "
				    "write");
	if (rank >= RANKSET_MAX || (number && strspn(number, "0123456789") != strlen(number)))
		return err_set(err, "trace import -rank %s: give a rank", number);
	path = import_path(call->argv[2], (uint32_t)rank, err);
	if (!path)
		return -1;
	rc = check_import(path, (uint32_t)rank, &there, err);
	rc = rc ? rc : dvmtext_import(call->argv[1], path, (uint32_t)rank, &count, err);
	if (!rc) {
		out_note(s->out, "wrote %s: %llu records of %llu lines%s", path,
			 (unsigned long long)count.records, (unsigned long long)count.lines,
			 there ? ", which replaces the old file" : "");
		if (!count.ended)
			out_warning(s->out, "%s has no END_TRACE: the trace is not complete",
				    call->argv[1]);
		if (count.unfinished)
			out_warning(s->out, "%s: %llu writes begin but do not end", call->argv[1],
				    (unsigned long long)count.unfinished);
		dvmtext_head_clear(&count.head);
	}
	free(path);
	return rc;
}

static int run_trace(struct session *s, struct cmd_call *call, struct err *err)
{
	static const struct {
		const char *word;
		int most; /* words, with itself */
		int (*run)(struct session *s, const struct cmd_call *call, struct err *err);
	} actions[] = { { "print", 2, run_print },	 { "stat", 2, run_stat },
			{ "timeline", 2, run_timeline }, { "diff", 3, run_diff },
			{ "export", 3, run_export },	 { "import", 3, run_import } };

	for (size_t i = 0; call->argc && i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(actions[i].word, call->argv[0]))
			continue;
		if (call->argc > actions[i].most)
			return err_set(err, "trace %s: too many words: '%s'", call->argv[0],
				       call->argv[actions[i].most]);
		return actions[i].run(s, call, err);
	}
	return err_set(err, "trace %s: print, stat, timeline, diff, export and import are allowed",
		       call->argc ? call->argv[0] : "");
}

const struct cmd cmd_trace = {
	.name = "trace",
	.args = "print|stat|timeline|diff|export|import [path] [path]",
	.brief = "contents of recorded traces",
	.help = "A path is a directory that record has made, one trace file in it, or a text trace "
		"(of several ranks any one of them, or their directory); without it "
		"print, stat and timeline use the traces that the session records or compares "
		"with. print "
		"shows records, 1000 of them or the number of -n (0: all); stat counts them; "
		"timeline "
		"draws the calls of MPI that record -mpi has kept, a row for each rank, in 64 "
		"columns or "
		"as many as -n says; diff "
		"A B compares the run of A with that of B, as compare does while a program runs. "
		"export PATH FILE writes the historical text format, several ranks into FILE.RANK "
		"each; import FILE PATH reads it, several ranks one by one with -rank into a "
		"directory, which is created when PATH ends with a slash. Imported traces can be "
		"compared like others.",
	.no_set = true,
	.example = "trace print ref -from 3.B -to 3.E -element v[20][1]",
	.completes = "=print|=stat|=timeline|=diff|=export|=import file",
	.option = { [PICK_RANK] = { "rank", CMD_STRING,
				    "print, timeline: only these ranks; import: the rank of the "
				    "trace" },
		    [PICK_FROM] = { "from", CMD_STRING, "print: from this point on" },
		    [PICK_TO] = { "to", CMD_STRING, "print: up to this point" },
		    [PICK_ARRAY] = { "array", CMD_STRING, "print: accesses to this array" },
		    [PICK_ELEMENT] = { "element", CMD_STRING,
				       "print: accesses to this element, in global indices" },
		    [PICK_ITERATION] = { "iteration", CMD_STRING,
					 "print: of this iteration of a parallel loop" },
		    [PICK_COUNT] = { "n", CMD_NUMBER, "print: records at most; timeline: columns" },
		    [PICK_MPI] = { "mpi", CMD_FLAG, "print: only calls of MPI" },
		    [PICK_CALL] = { "call", CMD_STRING,
				    "print: only calls of this function of MPI" },
		    [PICK_SPAN] = { "span", CMD_STRING,
				    "timeline: seconds since the first call, as 0.5:0.75" } },
	.values = { [PICK_FROM] = "point", [PICK_TO] = "point", [PICK_ARRAY] = "object" },
	.run = run_trace,
};

enum { LAST_IN, LAST_BEFORE, LAST_RANK, LAST_CHAIN };

/* What is looked for, as it was typed. */
struct last {
	const char *text;
	struct trace_last w;
	bool element; /* it has the form of an element of an object */
	bool member;  /* it is one of a registered structure */
	struct traceview_element e;
	unsigned type; /* of a variable: enum value_type, VALUE_TYPES: not known */
	bool chain;    /* and what was read for it */
};

/* What has another form than an element of an object may be a variable's. */
static void parse_element(struct last *l)
{
	l->element = traceview_element_parse(l->text, &l->e);
	l->w.name = l->e.name;
	l->w.ndim = l->e.ndim;
	memcpy(l->w.index, l->e.index, sizeof(l->w.index));
}

/* Of a variable the type is known by the debug information alone. */
static void set_type(const struct last *l, struct trace_finding *f)
{
	if (l->w.module && l->type < VALUE_TYPES && value_size(l->type) == f->value.size)
		f->value.type = (uint8_t)l->type;
}

/* Who has done it, where and when. Types of variables are in the debug information. */
static json_t *access_json(struct session *s, struct trace_finding *f)
{
	struct symbol_data data = { .type = VALUE_TYPES };
	char where[600], at[POINT_TEXT];
	json_t *o;

	if (f->thing.what == TRACE_WHAT_ADDRESS)
		trace_spot_name(s->symbols, &f->thing.spot, f->value.size, &data, where,
				sizeof(where));
	if (data.type < VALUE_TYPES && value_size(data.type) == f->value.size)
		f->value.type = (uint8_t)data.type;
	o = trace_finding_json(s->symbols, f);
	json_object_set_new(o, "point", json_string(point_format(&f->point, at)));
	trace_spot_text(s->symbols, &f->spot, where, sizeof(where));
	json_object_set_new(o, "place", out_json_text(where));
	return o;
}

/* What was read for it, behind it. -1: err. */
static int put_chain(struct session *s, json_t *to, struct trace_index *ref, const char *name,
		     const struct trace_finding *f, struct err *err)
{
	static const char *const how[] = { [HISTORY_LOCAL] = "local",
					   [HISTORY_OWNER] = "owner",
					   [HISTORY_MESSAGE] = "message",
					   [HISTORY_UNSEEN] = "unseen" };
	struct history h;
	json_t *chain = json_array();
	int rc = history_make(ref, f, &h);

	for (unsigned i = 1; i < h.n; i++) {
		struct history_step *step = &h.step[i];
		json_t *o = access_json(s, &step->access);

		json_object_set_new(o, "depth", json_integer(step->depth));
		json_object_set_new(o, "from", json_string(how[step->how]));
		json_object_set_new(o, "again", json_boolean(step->again));
		json_array_append_new(chain, o);
	}
	json_object_set_new(to, "chain", chain);
	json_object_set_new(to, "shortened", json_boolean(h.shortened));
	history_clear(&h);
	if (!rc)
		return err_set(err,
			       "last-write -chain: %s was not registered when it was written; only "
			       "of registered objects is known what was read for them",
			       name);
	return rc < 0 ? err_set(err, "last-write -chain: out of memory") : 0;
}

/* NULL: err. */
static json_t *writes_json(struct session *s, struct trace_index *ref,
			   const struct trace_findings *found, const struct last *l,
			   struct err *err)
{
	json_t *list = json_array();

	for (size_t i = 0; i < found->n; i++) {
		struct trace_finding f;
		json_t *o;

		if (trace_findings_get(found, i, &f))
			continue;
		set_type(l, &f);
		o = access_json(s, &f);
		if (l->member)
			json_object_set_new(o, "element", out_json_text(l->text));
		json_array_append_new(list, o);
		if (l->chain && put_chain(s, o, ref, l->text, &f, err)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* 0, or -1: err says why the traces have no such element. */
static int check_element(struct session *s, struct trace_index *ref, const struct last *l,
			 struct err *err)
{
	char why[600];

	if (!traceview_element_miss(s->symbols, ref, l->text, why, sizeof(why)))
		return 0;
	return err_set(err, "last-write %s", why);
}

/* Likewise of a registered structure's member, "par.dt" or "par.w[1]". */
static int search_member(struct trace_index *ref, struct last *l, struct trace_findings *found,
			 bool *known, struct err *err)
{
	char *dot = strchr(l->e.name, '.');
	struct trace_last w = l->w;
	int64_t nth = l->e.ndim ? l->e.index[0] + !strchr(l->text, '(') : 0;
	int n;

	if (!dot || l->e.ndim > 1 || nth < (l->e.ndim ? 1 : 0) || nth > UINT32_MAX)
		return 0;
	*dot = 0;
	w.field = dot + 1;
	w.ndim = 0;
	w.nth = (uint32_t)nth;
	n = trace_last_write(ref, &w, found, known, err);
	*dot = '.';
	l->member = *known;
	return n;
}

/*
 * Looks among objects, then among variables that nobody registered. How many, -1: err, -2: given
 * up; *known: there is such a thing.
 */
static int search(struct session *s, struct trace_index *ref, struct last *l,
		  struct trace_findings *found, bool *known, struct err *err)
{
	struct trace_block *hold = NULL;
	struct symbol_data data;
	int n = 0;

	if (l->element)
		n = trace_last_write(ref, &l->w, found, known, err);
	if (l->element && !n && !*known)
		n = search_member(ref, l, found, known, err);
	if (!n && *known)
		return check_element(s, ref, l, err);
	if (n)
		return n;
	n = traceview_name_find(s->symbols, ref, l->text, &data, &l->w.module, &hold, err);
	if (n > 0) {
		l->w.vaddr = data.vaddr;
		l->w.size = data.size;
		l->type = data.type;
		n = trace_last_write(ref, &l->w, found, known, err);
		*known = true;
	} else if (check_element(s, ref, l, err)) {
		n = -1;
	} else if (!n && !l->element) {
		n = err_set(err,
			    "last-write %s: give an element in global indices, as u[3][4] or "
			    "a(3,4), or the name of a single variable",
			    l->text);
	}
	trace_block_free(hold);
	return n;
}

static bool has_rank(const struct trace_index *ref, uint32_t rank)
{
	for (uint32_t f = 0; f < trace_index_files(ref); f++)
		if (trace_reader_meta(trace_index_map(ref, f))->rank == rank)
			return true;
	return false;
}

static int look_for(struct session *s, const char *path, struct last *l, struct err *err)
{
	struct trace_index *ref = trace_index_open(path, 0, err);
	struct trace_findings found = { 0 };
	bool known = false;
	json_t *o, *list;
	int n;

	if (!ref)
		return -1;
	if (l->w.rank != TRACE_NO_RANK && !has_rank(ref, l->w.rank))
		n = err_set(err, "last-write -rank %u: %s has no trace of that rank", l->w.rank,
			    path);
	else
		n = search(s, ref, l, &found, &known, err);
	list = n >= 0 ? writes_json(s, ref, &found, l, err) : NULL;
	if (n >= 0 && !list)
		n = -1;
	if (n >= 0) {
		o = json_pack("{s:s s:o s:o s:o}", "type", "last-write", "element",
			      out_json_text(l->text), "trace", out_json_text(path), "list", list);
		if (!n)
			json_object_set_new(
				o, "text",
				json_sprintf(known ? "there is no write of %s in %s"
						   : "there is no object with the name and "
						     "dimensions of %s in %s",
					     l->text, path));
		out_answer(s->out, o);
	}
	trace_findings_clear(&found);
	trace_index_close(ref);
	return n == -1 ? -1 : n == -2 ? err_set(err, "last-write: interrupted") : 0;
}

/* How far the ranks that stand have come; main 0: none does. */
static struct point come_to(const struct session *s)
{
	const struct groups *stops = s->job ? job_stops(s->job) : NULL;
	struct point at = { 0 };

	for (size_t i = 0; stops && i < stops->n; i++) {
		struct buf b = buf_view(stops->group[i].blob, stops->group[i].len);
		struct report_stop r;

		if (!report_stop_get(&r, &b) && r.point.main)
			at = at.main ? point_furthest(&at, &r.point) : r.point;
	}
	return at;
}

static int run_last_write(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *rank = call->option[LAST_RANK], *before = call->option[LAST_BEFORE];
	struct last l = {
		.w = { .counter = UINT32_MAX, .rank = TRACE_NO_RANK, .progress = watch_interrupt }
	};
	char *path = NULL;
	int rc;

	if (call->argc != 1)
		return err_set(err, "last-write: give one element, as u[3][4]");
	l.text = call->argv[0];
	l.chain = call->option[LAST_CHAIN];
	if (before && point_parse(&l.w.before, before, err))
		return err_prefix(err, "last-write -before");
	if (rank)
		l.w.rank = (uint32_t)strtoul(rank, NULL, 10);
	/* the run's own traces end where it stands, those that it is compared with do not */
	if (!before && !call->option[LAST_IN] && !checker_traces_own(s->checker))
		l.w.before = come_to(s);
	parse_element(&l);
	rc = 0;
	path = path_of(s, call->option[LAST_IN], "last-write", err);
	rc = path ? look_for(s, path, &l, err) : -1;
	free(path);
	return rc;
}

const struct cmd cmd_last_write = {
	.name = "last-write",
	.args = "element [-before point] [-rank n] [-in dir] [-chain]",
	.brief = "the last write of an element: rank, place and iteration",
	.help = "Searches from the end of the traces that the session records, or else of those "
		"that it compares with, or of -in; they must have level MODIFY or FULL. At a stop "
		"the search begins there; in the reference, before that point. Elements are in "
		"global indices. -chain goes on from there: what was read for it, which level FULL "
		"records, who has written that, and so on, three reads deep, through halos to "
		"the owner and through messages to the rank that sent the value.",
	.no_set = true,
	.example = "last-write A[3][4]",
	.completes = "object",
	.option = { [LAST_IN] = { "in", CMD_STRING, "a directory with traces" },
		    [LAST_BEFORE] = { "before", CMD_STRING, "only writes before this point" },
		    [LAST_RANK] = { "rank", CMD_NUMBER, "only by this rank" },
		    [LAST_CHAIN] = { "chain", CMD_FLAG, "and where its value comes from" } },
	.values = { [LAST_IN] = "file", [LAST_BEFORE] = "point" },
	.run = run_last_write,
};
