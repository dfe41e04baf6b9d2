/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of checksums and references: record compare start finish level sums. */
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/point.h"
#include "frontend/checker.h"
#include "frontend/cmd_list.h"
#include "frontend/out.h"
#include "frontend/reference.h"
#include "frontend/session.h"
#include "frontend/settings.h"
#include "frontend/shell.h"
#include "frontend/sums_answer.h"

#define POINTS 16

/* What is recorded or compared next, as an answer. */
static void show(struct session *s)
{
	const char *record = checker_recording(s->checker),
		   *compare = checker_comparing(s->checker);

	if (record)
		out_note(s->out, "the next run is recorded into %s", record);
	else if (compare)
		out_note(s->out, "the next run is compared with %s", compare);
	else
		out_note(s->out, "the next run is neither recorded nor compared");
}

/* The wish works from now on for what is loaded; undone when it cannot. */
static int take_effect(struct session *s, int (*undo)(struct checker *, const char *, struct err *),
		       struct err *err)
{
	if (!checker_changed(s->checker, err))
		return 0;
	undo(s->checker, NULL, NULL);
	checker_changed(s->checker, NULL);
	return -1;
}

/* Two runs side by side are compared with each other. */
static int check_pair(const struct session *s, const char *verb, struct err *err)
{
	if (!s->pair)
		return 0;
	return err_set(err,
		       "%s: two runs side by side are compared with each other only; pair -off "
		       "ends that",
		       verb);
}

/* A run that has begun goes on as it is. */
static void tell_later(struct session *s, const char *verb)
{
	if (s->job && !rankset_equal(job_set(s->job, JOB_LOADED), job_set(s->job, JOB_ALL)))
		out_note(s->out, "%s: for the next run; rerun begins it", verb);
}

/* "u,v" in words; to be freed with free_list. */
static char **split(const char *text)
{
	size_t n = 0, most = strlen(text) + 2;
	char **list = calloc(most, sizeof(*list));

	while (list && *text) {
		size_t len = strcspn(text, ", ");

		if (len) {
			list[n] = strndup(text, len);
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
	return *n ? 0 : err_set(err, "record -at: a point is needed, as 13.E");
}

enum { RECORD_ARRAYS, RECORD_AT, RECORD_OFF };

/* The options -arrays and -at. */
static int record_arrays(struct session *s, const struct cmd_call *call, struct err *err)
{
	const char *arrays = call->option[RECORD_ARRAYS], *at = call->option[RECORD_AT];
	struct point point[POINTS];
	char **name, **text;
	size_t n = 0;
	int rc = -1;

	if (!arrays != !at)
		return err_set(err,
			       "record: -arrays and -at belong together: -arrays u,v -at 13.E");
	if (!arrays)
		return checker_arrays(s->checker, NULL, NULL, 0, err);
	name = split(arrays);
	text = split(at);
	if (!name || !text)
		err_set(err, "out of memory");
	else if (!name[0])
		err_set(err, "record -arrays: a name is needed");
	else if (!parse_points(text, point, &n, err))
		rc = checker_arrays(s->checker, name, point, n, err);
	free_list(name);
	free_list(text);
	return rc;
}

static int run_record(struct session *s, struct cmd_call *call, struct err *err)
{
	struct checker *c = s->checker;

	if (call->option[RECORD_OFF]) {
		if (call->argc)
			return err_set(err, "record -off takes no directory");
		checker_record(c, NULL, NULL);
		return checker_changed(c, err);
	}
	if (call->argc > 1)
		return err_set(err, "record: one directory, not '%s'", call->rest);
	if (!call->argc) {
		show(s);
		return 0;
	}
	if (check_pair(s, "record", err) || checker_record(c, call->argv[0], err) ||
	    record_arrays(s, call, err) || take_effect(s, checker_record, err))
		return -1;
	tell_later(s, "record");
	return 0;
}

const struct cmd cmd_record = {
	.name = "record",
	.args = "[DIR] [-arrays a,b -at point] [-off]",
	.brief = "write the checksums of the next run into a directory",
	.help = "A reference that later runs are compared with: checksums of arrays at the end of "
		"each "
		"parallel loop and task region, and the values of replicated objects. DIR is made, "
		"or replaces a former reference when the run has ended. With -arrays whole arrays "
		"are kept as well, as they are at the points of -at. Without DIR shows what is "
		"set.",
	.example = "record ref -arrays u,v -at 13.E",
	.completes = "file",
	.option = { [RECORD_ARRAYS] = { "arrays", CMD_STRING, "names, separated by commas" },
		    [RECORD_AT] = { "at", CMD_STRING, "points, separated by commas" },
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

enum { COMPARE_OFF };

static int run_compare(struct session *s, struct cmd_call *call, struct err *err)
{
	struct checker *c = s->checker;

	if (call->option[COMPARE_OFF]) {
		if (call->argc)
			return err_set(err, "compare -off takes no directory");
		checker_compare(c, NULL, NULL);
		return checker_changed(c, err);
	}
	if (call->argc > 1)
		return err_set(err, "compare: one directory, not '%s'", call->rest);
	if (!call->argc) {
		show(s);
		return 0;
	}
	if (check_pair(s, "compare", err) || check_reference(call->argv[0], err) ||
	    checker_compare(c, call->argv[0], err) || take_effect(s, checker_compare, err))
		return -1;
	tell_later(s, "compare");
	return 0;
}

const struct cmd cmd_compare = {
	.name = "compare",
	.args = "[DIR] [-off]",
	.brief = "compare the checksums of the next run with a reference",
	.help = "Arrays whose values are not those of the reference at some point are findings, "
		"told at "
		"the first such point; with the setting STOP_ON mismatch all ranks stop there. "
		"COMPARE, Exp and RelCompareMin say how equal numbers have to be. When the run has "
		"ended, or is ended, it is told how closely it was looked. Without DIR shows what "
		"is "
		"set.",
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
	tell_later(s, verb);
	return 0;
}

static int run_start(struct session *s, struct cmd_call *call, struct err *err)
{
	return setting_verb(
		s, call, "start", "StartPoint",
		"none, from the start: that is of checksums; to start the program type run", err);
}

const struct cmd cmd_start = {
	.name = "start",
	.args = "[point | -]",
	.brief = "where checksums begin in the next run",
	.help = "At points before it nothing is added up, only the beginnings and ends of "
		"constructs are "
		"kept. A point inside a task is meant for that task alone. Without a point shows "
		"which is set, - takes it away. It is the setting StartPoint.",
	.both = CMD_SETS,
	.example = "start 7.B",
	.completes = "point",
	.run = run_start,
};

static int run_finish(struct session *s, struct cmd_call *call, struct err *err)
{
	return setting_verb(
		s, call, "finish", "FinishPoint",
		"none, to the end: that is of checksums; to leave a construct type step -finish",
		err);
}

const struct cmd cmd_finish = {
	.name = "finish",
	.args = "[point | -]",
	.brief = "the last point with checksums in the next run",
	.help = "As start, for the other end. It is the setting FinishPoint.",
	.both = CMD_SETS,
	.example = "finish 13.E",
	.completes = "point",
	.run = run_finish,
};

static int run_level(struct session *s, struct cmd_call *call, struct err *err)
{
	if (call->argc && !strcmp(call->argv[0], "-"))
		return err_set(err, "level: NONE or CHECKSUM");
	return setting_verb(s, call, "level", "LEVEL", "NONE", err);
}

const struct cmd cmd_level = {
	.name = "level",
	.args = "[NONE | CHECKSUM]",
	.brief = "what is observed in the next run, even when nothing is recorded or compared",
	.help = "At level CHECKSUM the checksums of arrays are taken at the end of each parallel "
		"loop "
		"and task region, for sums, and copies of replicated objects that do not match are "
		"findings. record and compare do so in any case. It is the setting LEVEL.",
	.both = CMD_SETS,
	.example = "level CHECKSUM",
	.completes = "=NONE|=CHECKSUM",
	.run = run_level,
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
	.brief = "checksums at the current point, beside those of the reference",
	.help = "Of each array the mean of all elements with 17 digits, how many they are, the "
		"least and "
		"the greatest, how many are NaN; and, when a reference is compared with, its mean "
		"and whether both are equal, differ by rounding, or differ. Replicated objects are "
		"shown as they were told last.",
	.both = CMD_SHOW,
	.example = "sums u",
	.completes = "object",
	.needs_job = true,
	.option = { [SUMS_ALL] = { "all", CMD_FLAG, "all arrays, however many" } },
	.run = run_sums,
};
