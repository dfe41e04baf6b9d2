/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of checksums, traces and references: record compare start finish level limit sums. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/logical/rankset.h"
#include "common/protocol/trace_config.h"
#include "common/logical/point.h"
#include "frontend/model/actionpoints.h"
#include "frontend/action/action.h"
#include "frontend/verify/verify.h"
#include "frontend/cmd/cmd.h"
#include "frontend/output/output.h"
#include "frontend/reference/reference.h"
#include "frontend/session/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"

#define POINTS 16
#define NONE "none" /* in place of a directory: nothing is written */

/* What is recorded or compared next, as an answer. */
static void show(struct session *s)
{
	const char *record = checker_recording(s->checker),
		   *compare = checker_comparing(s->checker);

	if (record && !strcmp(record, NONE))
		out_note(s->out, "the next run is recorded, and what is recorded is dropped");
	else if (record)
		out_note(s->out, "the next run is recorded into %s", record);
	else if (compare)
		out_note(s->out, "the next run is compared with %s", compare);
	else
		out_note(s->out, "the next run is neither recorded nor compared");
}

/* A program is loaded and not started. */
static bool is_fresh(const struct session *s)
{
	return s->job &&
	       rankset_equal(job_set(s->job, JOB_LOADED), job_set(s->job, JOB_ALL));
}

/*
 * The request works from now on for what is loaded; when it cannot, what was requested before is
 * back. What it ends is reported.
 */
static int request(struct session *s, const char *verb, struct err *err,
		   int (*set)(struct session *s, const void *arg, struct err *err), const void *arg)
{
	struct checker *c = s->checker;
	const char *was = checker_recording(c) ? "recorded into" : "compared with";
	const char *dir = checker_recording(c) ? checker_recording(c) : checker_comparing(c);
	bool other = dir && !strcmp(verb, "record") != !!checker_recording(c);
	struct checker_request *before = checker_put_aside(c);

	if (!before)
		return err_set(err, "out of memory");
	if (set(s, arg, err) || checker_changed(c, err)) {
		checker_restore(c, before);
		checker_changed(c, NULL);
		return -1;
	}
	if (other)
		out_note(s->out, "%s: the next run is not %s %s any more", verb, was, dir);
	checker_request_free(before);
	/* the ranks are given it when they are started */
	if (is_fresh(s) && checker_order_changed(c, &s->spec))
		return session_load(s, err);
	return 0;
}

/* Two runs side by side are compared with each other. */
static int check_pair(const struct session *s, const char *verb, struct err *err)
{
	if (!s->pair)
		return 0;
	return err_set(err,
		       "%s: the two runs of a pair are compared only with each other; type pair "
		       "-off first",
		       verb);
}

/* A run that has begun goes on as it is. */
static void report_later(struct session *s, const char *verb)
{
	if (s->job && !rankset_equal(job_set(s->job, JOB_LOADED), job_set(s->job, JOB_ALL)))
		out_note(s->out, "%s: applies to the next run; type rerun", verb);
}

/* "u,v" in words; to be freed with free_list. */
static char **split(const char *text)
{
	size_t n = 0, most = strlen(text) + 2;
	char **list = xcalloc(most, sizeof(*list));

	while (*text) {
		size_t len = strcspn(text, ", ");

		if (len) {
			list[n] = xstrndup(text, len);
			if (!list[n++])
				break;
		}
		text += len;
		text += strspn(text, ", ");
	}
	return list;
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

static int parse_points(char *const *text, struct point at[POINTS], size_t *n, struct err *err)
{
	for (*n = 0; text[*n]; ++*n) {
		if (*n == POINTS)
			return err_set(err, "record -at: at most %d points can be given", POINTS);
		if (point_parse(&at[*n], text[*n], err))
			return err_prefix(err, "record -at");
	}
	return *n ? 0 : err_set(err, "record -at: give a point, as 13.E");
}

enum { RECORD_ARRAYS, RECORD_AT, RECORD_ORDER, RECORD_MPI, RECORD_OFF };

/* The options -arrays and -at. */
static int record_arrays(struct session *s, const struct cmd_call *call, struct err *err)
{
	const char *arrays = call->option[RECORD_ARRAYS], *at = call->option[RECORD_AT];
	struct point point[POINTS];
	char **name, **text;
	size_t n = 0;
	int rc = -1;

	if ((arrays || call->option[RECORD_ORDER]) && !strcmp(call->argv[0], NONE))
		return err_set(err, "record none: nothing is kept, neither arrays nor the order of "
				    "messages; give a directory (./none is one of that name)");

	if (!arrays != !at)
		return err_set(err, "record: give -arrays and -at together: -arrays u,v -at 13.E");
	if (!arrays) {
		checker_arrays(s->checker, NULL, NULL, 0);
		return 0;
	}
	name = split(arrays);
	text = split(at);
	if (!name[0])
		err_set(err, "record -arrays: give a name");
	else if (!parse_points(text, point, &n, err)) {
		checker_arrays(s->checker, name, point, n);
		rc = 0;
	}
	free_list(name);
	free_list(text);
	return rc;
}

static int set_record(struct session *s, const void *arg, struct err *err)
{
	const struct cmd_call *call = arg;

	checker_record(s->checker, call->argv[0]);
	checker_order(s->checker, call->option[RECORD_ORDER] != NULL);
	checker_calls(s->checker, call->option[RECORD_MPI] != NULL);
	return record_arrays(s, call, err) ? -1 : 0;
}

static int run_record(struct session *s, struct cmd_call *call, struct err *err)
{
	struct checker *c = s->checker;

	if (call->option[RECORD_OFF]) {
		if (call->argc)
			return err_set(err, "record -off takes no directory");
		checker_record(c, NULL);
		return checker_changed(c, err);
	}
	if (call->argc > 1)
		return err_set(err, "record: one directory, not '%s'", call->rest);
	if (!call->argc) {
		show(s);
		return 0;
	}
	if (check_pair(s, "record", err) || request(s, "record", err, set_record, call))
		return -1;
	report_later(s, "record");
	return 0;
}

const struct cmd cmd_record = {
	.name = "record",
	.args = "[DIR] [-arrays a,b -at point] [-order] [-mpi] [-off]",
	.brief = "write checksums, and traces, of the next run into a directory",
	.help = "Writes a reference for comparisons with later runs: checksums of arrays at the "
		"end of each parallel loop and task region, and the values of replicated objects; "
		"at level MINIMAL, MODIFY or FULL also a trace of each rank. DIR is created, or "
		"replaces an older reference when the run has ended. -arrays also keeps whole "
		"arrays as they are at the points of -at. -order also keeps which message each "
		"receive "
		"or probe with MPI_ANY_SOURCE or MPI_ANY_TAG gets, and which requests MPI_Waitany, "
		"MPI_Test and their relatives find complete: compare and locate make a run on the "
		"same number of ranks decide as that one has. -mpi also records each call of MPI "
		"with "
		"its arguments and times in the traces, which are at level MINIMAL at least then; "
		"trace "
		"print -mpi, trace stat and trace timeline show them. DIR none (one of that name "
		"is "
		"./none): all is done as ever, and dropped, nothing is written: what recording "
		"itself "
		"costs. Without DIR it shows what is set.",
	.example = "record ref -arrays u,v -at 13.E",
	.completes = "file",
	.option = { [RECORD_ARRAYS] = { "arrays", CMD_STRING, "names, separated by commas" },
		    [RECORD_AT] = { "at", CMD_STRING, "points, separated by commas" },
		    [RECORD_ORDER] = { "order", CMD_FLAG, "keep the order of messages" },
		    [RECORD_MPI] = { "mpi", CMD_FLAG, "record calls of MPI in the traces" },
		    [RECORD_OFF] = { "off", CMD_FLAG, "do not record" } },
	.values = { [RECORD_ARRAYS] = "object", [RECORD_AT] = "point" },
	.run = run_record,
};

/* Whether there is a reference, for a run that only comes later. */
static int check_reference(const char *dir, struct err *err)
{
	struct reference *r = reference_open(dir, err);

	reference_destroy(r);
	return r ? 0 : -1;
}

static int set_compare(struct session *s, const void *arg, struct err *err)
{
	checker_compare(s->checker, arg);
	return 0;
}

enum { COMPARE_OFF };

static int run_compare(struct session *s, struct cmd_call *call, struct err *err)
{
	struct checker *c = s->checker;

	if (call->option[COMPARE_OFF]) {
		if (call->argc)
			return err_set(err, "compare -off takes no directory");
		checker_compare(c, NULL);
		return checker_changed(c, err);
	}
	if (call->argc > 2)
		return err_set(err, "compare: one directory, or two, not '%s'", call->rest);
	if (call->argc == 2)
		return checker_compare_offline(s, call->argv[0], call->argv[1], err);
	if (!call->argc) {
		show(s);
		return 0;
	}
	if (check_pair(s, "compare", err) || check_reference(call->argv[0], err) ||
	    request(s, "compare", err, set_compare, call->argv[0]))
		return -1;
	report_later(s, "compare");
	return 0;
}

const struct cmd cmd_compare = {
	.name = "compare",
	.args = "[DIR | RUN DIR] [-off]",
	.brief = "compare the next run, or one that was recorded, with a reference",
	.help = "When the reference has traces, dvmdbg compares each access to a distributed array "
		"in an iteration of a parallel loop or task with the same iteration of the "
		"reference, on whatever rank, and each value of a replicated object and result of "
		"a reduction: at the reference's level, or at LEVEL when that is lower. Findings "
		"are shown in the order of the program at a stop and at the end; rerun -to finding "
		"n goes there. An array whose values differ from the reference is a finding, "
		"reported at the first such point; with the setting STOP_ON mismatch all ranks "
		"stop there. COMPARE, Exp and RelCompareMin set the tolerance. The end of the run "
		"reports how much was compared. With two directories it compares the run recorded "
		"in the first with the second at once, and no program runs. Without DIR it shows "
		"what is set. A text trace is a reference, too: a file, with those of other ranks "
		"beside it, or a directory. record and compare exclude each other.",
	.example = "compare ref",
	.completes = "file",
	.option = { [COMPARE_OFF] = { "off", CMD_FLAG, "do not compare" } },
	.run = run_compare,
};

/* Shows or sets a setting by its own verb; "-" is its default. */
static int setting_verb(struct session *s, const struct cmd_call *call, const char *verb,
			const char *name, const char *none, struct err *err)
{
	const char *value = settings_text(s->set, name);

	if (call->argc > 1)
		return err_set(err, "%s takes one word, not '%s'", verb, call->rest);
	if (!call->argc) {
		out_note(s->out, "%s: %s", verb, *value ? value : none);
		return 0;
	}
	if (shell_set(s, name, strcmp(call->argv[0], "-") ? call->argv[0] : "", err))
		return -1;
	report_later(s, verb);
	return 0;
}

static int run_start(struct session *s, struct cmd_call *call, struct err *err)
{
	return setting_verb(s, call, "start", "StartPoint",
			    "none, from the start (of checksums and traces); to start the program "
			    "type run",
			    err);
}

const struct cmd cmd_start = {
	.name = "start",
	.args = "[point | -]",
	.brief = "where checksums and traces begin in the next run",
	.help = "No checksums or traces are taken before this point; only the beginnings and ends "
		"of constructs are recorded. A point inside a task applies to that task alone. "
		"Without a point it shows which is set, - removes it. It is the setting "
		"StartPoint.",
	.both = CMD_SETS,
	.example = "start 7.B",
	.completes = "point",
	.run = run_start,
};

static int run_finish(struct session *s, struct cmd_call *call, struct err *err)
{
	return setting_verb(s, call, "finish", "FinishPoint",
			    "none, to the end (of checksums and traces); to leave a construct type "
			    "step -finish",
			    err);
}

const struct cmd cmd_finish = {
	.name = "finish",
	.args = "[point | -]",
	.brief = "the last point with checksums and traces in the next run",
	.help = "As start, for the last point. It is the setting FinishPoint.",
	.both = CMD_SETS,
	.example = "finish 13.E",
	.completes = "point",
	.run = run_finish,
};

/* The program's level and those of constructs, or the limits, as an answer. */
static json_t *levels_answer(struct session *s)
{
	static const char *const limits[] = { "Ig_left", "Ig_right", "Iloc_left", "Iloc_right",
					      "Irep_left" };
	json_t *o = json_pack("{s:s s:s s:o}", "type", "levels", "level",
			      settings_text(s->set, "LEVEL"), "list", levels_json(s->levels));
	json_t *set = json_object();

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (settings_number(s->set, limits[i]) >= 0)
			json_object_set_new(set, limits[i],
					    json_integer(settings_number(s->set, limits[i])));
	json_object_set_new(o, "limits", set);
	return o;
}

/* The level of one construct, from the next run on. */
static int level_of(struct session *s, const char *word, const char *place, struct err *err)
{
	int level = trace_config_level_parse(word);
	struct location loc;

	if (location_parse(&loc, place, s->shell->file, err) || action_place_check(s, &loc, err))
		return -1;
	if (loc.kind == RULE_POINT)
		return err_set(err,
			       "level %s: name a construct by its place, as heat.c:61; start and "
			       "finish choose points",
			       place);
	if (level < 0 && strcmp(word, "-"))
		return err_set(err, "level %s %s: NONE, MINIMAL, MODIFY, FULL or - are allowed",
			       word, place);
	if (level > TRACE_CONFIG_FULL)
		return err_set(err,
			       "level CHECKSUM applies to the whole program, not to "
			       "%s",
			       place);
	if (levels_set(s->levels, &loc, level, err))
		return err_prefix(err, "level %s", place);
	if (level >= 0 && action_place_bare(s, &loc))
		out_note(s->out,
			 "level %s: no construct begins on this line of the source; give the line "
			 "of a construct",
			 place);
	if (checker_changed(s->checker, err))
		return -1;
	report_later(s, "level");
	return 0;
}

enum { LEVEL_OFF };

static int run_level(struct session *s, struct cmd_call *call, struct err *err)
{
	if (call->option[LEVEL_OFF]) {
		levels_forget(s->levels);
		return checker_changed(s->checker, err);
	}
	if (!call->argc) {
		out_answer(s->out, levels_answer(s));
		return 0;
	}
	if (call->argc > 2)
		return err_set(err, "level: a level and a construct, not '%s'", call->rest);
	if (call->argc == 2)
		return level_of(s, call->argv[0], call->argv[1], err);
	if (!strcmp(call->argv[0], "-"))
		return err_set(err, "level: NONE, MINIMAL, MODIFY, FULL or CHECKSUM");
	return setting_verb(s, call, "level", "LEVEL", "NONE", err);
}

const struct cmd cmd_level = {
	.name = "level",
	.args = "[NONE | MINIMAL | MODIFY | FULL | CHECKSUM] [construct] [-off]",
	.brief = "what is observed in the next run, of the program or of one construct",
	.help = "record and compare take checksums at any level. At MINIMAL they also record or "
		"compare a trace: constructs, iterations, results of reductions, values of "
		"replicated objects; at MODIFY also writes, at FULL also reads, in programs "
		"compiled with dvmdbg-cc or dvmdbg-fc. A construct, given by its place as "
		"heat.c:61, can have its own level, which applies to everything inside it; - "
		"removes it, -off removes all of them. At CHECKSUM the checksums of arrays are "
		"taken at the end of each parallel loop and task region even when nothing is "
		"recorded or compared, for sums, and copies of replicated objects that do not "
		"match are findings. Without a level it shows what is set. The setting LEVEL is "
		"the program's.",
	.both = CMD_SETS,
	.example = "level FULL heat.c:61",
	.completes = "=NONE|=MINIMAL|=MODIFY|=FULL|=CHECKSUM construct|file",
	.option = { [LEVEL_OFF] = { "off", CMD_FLAG, "constructs have no levels of their own" } },
	.run = run_level,
};

enum { LIMIT_OFF };

static int run_limit(struct session *s, struct cmd_call *call, struct err *err)
{
	static const char *const names[] = { "Ig_left",	   "Ig_right",	"Iloc_left",
					     "Iloc_right", "Irep_left", "Irep_right" };
	const size_t n = sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; call->option[LIMIT_OFF] && i + 1 < n; i++)
		if (shell_set(s, names[i], "-1", err))
			return -1;
	if (!call->argc && !call->option[LIMIT_OFF]) {
		out_answer(s->out, levels_answer(s));
		return 0;
	}
	for (int k = 0; k < call->argc; k++) {
		char *mark = strchr(call->argv[k], '=');
		size_t i = 0;

		if (mark)
			*mark = '\0';
		while (i < n && strcasecmp(call->argv[k], names[i]))
			i++;
		if (i == n || !mark)
			return err_set(err,
				       "limit %s: Ig_left=N, Ig_right=N, Iloc_left=N, Iloc_right=N "
				       "and Irep_left=N are allowed; -1 is none",
				       call->argv[k]);
		if (shell_set(s, names[i], mark + 1, err))
			return -1;
	}
	report_later(s, "limit");
	return 0;
}

const struct cmd cmd_limit = {
	.name = "limit",
	.args = "[Ig_left=n] [Ig_right=n] [Iloc_left=n] [Iloc_right=n] [Irep_left=n] [-off]",
	.brief = "which iterations are traced in the next run",
	.help = "An iteration of a parallel loop is traced when it is within Ig_left or Ig_right "
		"steps of the loop's lower or upper bound in any dimension, or within Iloc_left or "
		"Iloc_right of the bounds of the rank's own part; of a sequential loop the first "
		"Irep_left are. -1 is no limit; without limits all are traced. A comparison "
		"compares what the reference has. They are the settings of these names.",
	.both = CMD_SETS,
	.example = "limit Ig_left=2 Ig_right=2 Irep_left=10",
	.completes = "=Ig_left=|=Ig_right=|=Iloc_left=|=Iloc_right=|=Irep_left=",
	.option = { [LIMIT_OFF] = { "off", CMD_FLAG, "no limits" } },
	.run = run_limit,
};

enum { SUMS_ALL };

static int run_sums(struct session *s, struct cmd_call *call, struct err *err)
{
	json_t *answer;

	if (call->argc > 1)
		return err_set(err, "sums takes one name, not '%s'", call->rest);
	answer = sums_answer(s, &call->who, call->argc ? call->argv[0] : NULL, err);
	if (!answer)
		return -1;
	if (call->option[SUMS_ALL])
		json_object_set_new(answer, "all", json_true());
	out_answer(s->out, answer);
	return 0;
}

const struct cmd cmd_sums = {
	.name = "sums",
	.args = "[array] [-all]",
	.brief = "checksums at the current point, with those of the reference",
	.help = "Shows for each array the mean of all elements with 17 digits, their number, the "
		"least and the greatest, the number of NaN; and, in a comparison with a reference, "
		"its mean and whether both are equal, differ by rounding, or differ. Replicated "
		"objects are shown as they were reported last.",
	.both = CMD_SHOW,
	.example = "sums u",
	.completes = "object",
	.needs_job = true,
	.option = { [SUMS_ALL] = { "all", CMD_FLAG, "all arrays, however many" } },
	.run = run_sums,
};
