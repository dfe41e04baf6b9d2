/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs, what ranks have noted in them, and what follows. */
#include "frontend/tags/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/output/text.h"
#include "frontend/util/private_dir.h"
#include "frontend/util/xalloc.h"

bool tags_blames_mark(const char *kind)
{
	static const char *const kinds[] = { "nesting", "left",	     "unbalanced", "register",
					     "access",	"partial",   "shape",	   "parts",
					     "memory",	"iteration", "twice" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i], kind))
			return true;
	return false;
}

static bool has_finding(const json_t *list, const char *text)
{
	const json_t *e;
	size_t i;

	json_array_foreach (list, i, e)
		if (!strcmp(out_str(e, "text"), text))
			return true;
	return false;
}

/* Findings of the run, and its last error. */
static void take_answers(json_t *answer, char *answers, char **error)
{
	json_t *findings = json_object_get(answer, "findings");
	char *rest = answers;

	for (char *line = strtok_r(rest, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		json_t *o = json_loads(line, 0, NULL);
		const char *type = out_str(o, "type"), *detail = out_str(o, "detail");
		char *text = xasprintf("%s%s%s<%s>", out_str(o, "text"), *detail ? ": " : "",
				       detail, out_str(o, "place"));

		if (!strcmp(type, "error")) {
			free(*error);
			*error = xstrdup(out_str(o, "text"));
		} else if (!strcmp(type, "finding") && tags_blames_mark(out_str(o, "kind"))) {
			text[strlen(text) - strlen(out_str(o, "place")) - 2] = 0;
			if (!has_finding(findings, text))
				json_array_append_new(findings,
						      json_pack("{s:s s:s s:s}", "kind",
								out_str(o, "kind"), "text", text,
								"place", out_str(o, "place")));
		}
		free(text);
		json_decref(o);
	}
}

static bool has_integers(const struct noted *n)
{
	for (uint32_t r = 0; r < n->ranks; r++)
		for (uint32_t i = 0; i < n->rank[r].narrays; i++)
			if (n->rank[r].array[i].a.why == TAGS_TAGGED &&
			    tag_is_integer(n->rank[r].array[i].a.type))
				return true;
	return false;
}

static bool has_arrays(const struct noted *n)
{
	for (uint32_t r = 0; r < n->ranks; r++)
		if (n->rank[r].narrays)
			return true;
	return false;
}

static void add_note(json_t *answer, const char *text)
{
	json_array_append_new(json_object_get(answer, "notes"), json_string(text));
}

/* One run in a folder of its own. */
static int one(const struct tags_request *r, bool reals, struct noted *n, struct tagged_run *run,
	       struct err *err)
{
	char *dir;
	int lock = private_dir_temporary(&dir), rc;

	if (lock < 0) {
		rc = err_set(err, "cannot make %s: %s", dir, strerror(errno));
		free(dir);
		return rc;
	}
	rc = tags_run(r, dir, reals, run, err);
	if (!rc)
		noted_read(n, dir, r->ranks);
	private_dir_scratch_remove(dir);
	close(lock);
	free(dir);
	return rc;
}

static int runs(const struct tags_request *r, struct noted *n, struct tagged_run *run,
		json_t *answer, struct err *err)
{
	if (one(r, false, n, run, err))
		return -1;
	if ((!run->died && !run->late) || !has_integers(n))
		return 0;
	add_note(answer,
		 run->died ? "with tags in its integers the program did not come to its end: "
			     "the run was repeated without them"
			   : "with tags in its integers the program went on for too long: the "
			     "run was repeated without them");
	noted_clear(n);
	free(run->answers);
	return one(r, true, n, run, err);
}

json_t *tags_check(const struct tags_request *r, struct symbols *symbols, struct err *err)
{
	json_t *answer = json_pack("{s:s s:i s:[] s:[] s:[]}", "type", "checked_marks", "ranks",
				   (int)r->ranks, "arrays", "findings", "notes");
	struct noted n = { 0 };
	struct tagged_run run = { 0 };
	char *error = NULL;
	int rc = runs(r, &n, &run, answer, err);

	if (!rc) {
		take_answers(answer, run.answers, &error);
		if (run.died)
			add_note(answer, "the run has not come to its end: what was received up to "
					 "there counts");
		if (run.late)
			add_note(answer,
				 "the run was ended when its time was over: what was received "
				 "up to there counts");
		if (!has_arrays(&n) && error &&
		    !json_array_size(json_object_get(answer, "findings")))
			rc = err_set(err, "%s", error);
		else
			tags_judge(&n, symbols, answer);
	}
	free(error);
	free(run.answers);
	noted_clear(&n);
	if (!rc)
		return answer;
	json_decref(answer);
	return NULL;
}

uint32_t tags_proved(const json_t *answer)
{
	const json_t *e;
	uint32_t n = 0;
	size_t i;

	json_array_foreach (json_object_get(answer, "arrays"), i, e)
		n += json_integer_value(json_object_get(e, "right")) > 0 &&
		     !json_integer_value(json_object_get(e, "findings"));
	return n;
}
