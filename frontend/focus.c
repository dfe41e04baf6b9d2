/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/focus.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "frontend/job.h"

#define NESTING 16

struct named {
	char *name, *text; /* owned */
};

struct focus {
	struct named *set;
	size_t n;
};

static const char *const builtin[] = { "all",	 "running", "stopped", "runnable", "held",
				       "exited", "waiting", "lost",    NULL };

struct focus *focus_create(void)
{
	return calloc(1, sizeof(struct focus));
}

void focus_undefine_all(struct focus *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->set[i].name);
		free(f->set[i].text);
	}
	f->n = 0;
}

void focus_destroy(struct focus *f)
{
	if (!f)
		return;
	focus_undefine_all(f);
	free(f->set);
	free(f);
}

static struct named *find(const struct focus *f, const char *name)
{
	for (size_t i = 0; f && i < f->n; i++)
		if (!strcmp(f->set[i].name, name))
			return &f->set[i];
	return NULL;
}

static bool is_builtin(const char *name)
{
	for (size_t i = 0; builtin[i]; i++)
		if (!strcmp(builtin[i], name))
			return true;
	return false;
}

const char *focus_name(const struct focus *f, size_t i, const char **text)
{
	if (i >= f->n)
		return NULL;
	if (text)
		*text = f->set[i].text;
	return f->set[i].name;
}

const char *focus_builtin(size_t i)
{
	return i < sizeof(builtin) / sizeof(builtin[0]) ? builtin[i] : NULL;
}

/* What an evaluation carries along. */
struct eval {
	const struct focus *f;
	const struct focus_env *env;
	struct rankset *out;
	bool repeated;
	int depth;
	struct err *err;
};

static int eval_text(struct eval *e, const char *text);

/* Adds a member's ranks and notices repeated ones. */
static int add(struct eval *e, const struct rankset *ranks)
{
	if (rankset_meets(e->out, ranks))
		e->repeated = true;
	if (rankset_add_set(e->out, ranks))
		return err_set(e->err, "out of memory");
	return 0;
}

static int eval_builtin(struct eval *e, const char *name)
{
	static const struct {
		const char *name;
		enum job_set set;
	} map[] = { { "all", JOB_ALL },		{ "running", JOB_RUNNING },
		    { "stopped", JOB_STOPPED }, { "runnable", JOB_STOPPED },
		    { "exited", JOB_EXITED },	{ "lost", JOB_LOST } };
	const struct job *job = e->env->job;
	struct rankset ranks = { 0 };
	int rc;

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (strcmp(map[i].name, name))
			continue;
		if (!job)
			return 0;
		if (map[i].set != JOB_STOPPED)
			return add(e, job_set(job, map[i].set));
		/* Ranks that are not started yet stand still and can go on. */
		rc = rankset_copy(&ranks, job_set(job, JOB_STOPPED)) ||
		     rankset_add_set(&ranks, job_set(job, JOB_LOADED));
		rc = rc ? err_set(e->err, "out of memory") : add(e, &ranks);
		rankset_clear(&ranks);
		return rc;
	}
	if (!job || !e->env->waiting || strcmp(name, "waiting"))
		return 0;
	rc = e->env->waiting(e->env->arg, &ranks, e->err);
	if (!rc)
		rc = add(e, &ranks);
	rankset_clear(&ranks);
	return rc;
}

/* "exec(NAME)": all ranks when the program has that name. */
static int eval_exec(struct eval *e, const char *member)
{
	size_t len = strlen(member);
	const char *program = e->env->program, *base;

	if (member[len - 1] != ')' || len == 6)
		return err_set(e->err, "'%s': the form is exec(NAME)", member);
	if (!program || !e->env->job)
		return 0;
	base = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
	if (strlen(base) == len - 6 && !strncmp(member + 5, base, len - 6))
		return add(e, job_set(e->env->job, JOB_ALL));
	return 0;
}

/* Takes a thread part off: "1.0" and "0:3.*"; other threads than the first are not told apart. */
static int cut_thread(char *member, struct err *err)
{
	char *dot = strrchr(member, '.');

	if (!dot || dot == member || dot[-1] == '.')
		return 0;
	if (strcmp(dot, ".*") && strcmp(dot, ".0"))
		return err_set(err,
			       "'%s': threads are not told apart; '.0' and '.*' are allowed "
			       "after a rank",
			       member);
	*dot = 0;
	return 0;
}

static int eval_numbers(struct eval *e, char *member)
{
	struct rankset ranks = { 0 };
	int rc = -1;

	if (cut_thread(member, e->err))
		return -1;
	if (rankset_parse(&ranks, member, e->err))
		goto out;
	if (e->env->job && !rankset_covers(job_set(e->env->job, JOB_ALL), &ranks)) {
		int n = job_size(e->env->job);

		if (n == 1)
			err_set(e->err, "there is no rank %s: the only rank is 0", member);
		else
			err_set(e->err, "there is no rank %s: ranks are 0 to %d", member, n - 1);
		goto out;
	}
	rc = add(e, &ranks);
out:
	rankset_clear(&ranks);
	return rc;
}

static int eval_member(struct eval *e, char *member)
{
	const struct named *named;
	int rc;

	if (isdigit((unsigned char)*member))
		return eval_numbers(e, member);
	if (!strcmp(member, "*"))
		return eval_builtin(e, "all");
	if (!strncmp(member, "exec(", 5))
		return eval_exec(e, member);
	if (is_builtin(member))
		return eval_builtin(e, member);
	named = find(e->f, member);
	if (!named) {
		char names[300] = "";
		size_t used = 0;

		for (size_t i = 0; e->f && i < e->f->n && used < sizeof(names); i++)
			used += (size_t)snprintf(names + used, sizeof(names) - used, " %s",
						 e->f->set[i].name);
		return err_set(e->err,
			       "unknown set '%s'; a set has ranks (0, 0:3), the names all running "
			       "stopped runnable held exited waiting lost exec(NAME)%s%s",
			       member,
			       *names ? ", and the defined" : ", and those made with defset",
			       names);
	}
	if (e->depth == NESTING)
		return err_set(e->err, "the set '%s' is defined by itself", member);
	e->depth++;
	rc = eval_text(e, named->text);
	e->depth--;
	return rc;
}

static int eval_text(struct eval *e, const char *text)
{
	char *copy = strdup(*text == '!' ? text + 1 : text), *rest = copy, *member;
	int rc = 0;

	if (!copy)
		return err_set(e->err, "out of memory");
	while (!rc && (member = strsep(&rest, ",")))
		rc = *member ? eval_member(e, member)
			     : err_set(e->err, "'[%s]' is no set: a member is missing", text);
	free(copy);
	return rc;
}

int focus_eval(const struct focus *f, const char *text, const struct focus_env *env,
	       struct rankset *out, bool *repeated, struct err *err)
{
	struct eval e = { .f = f, .env = env, .out = out, .err = err };
	int rc;

	rankset_clear(out);
	memset(out, 0, sizeof(*out));
	rc = eval_text(&e, text);
	if (repeated)
		*repeated = e.repeated;
	return rc;
}

static bool name_fits(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return false;
	return true;
}

/* A static set's ranks as text, for keeping. */
static char *frozen(const struct rankset *ranks)
{
	size_t size = 32 * (ranks->n + 1);
	char *text = malloc(size);

	if (!text)
		return NULL;
	rankset_format(ranks, text, size);
	memmove(text, text + 1, strlen(text));
	text[strlen(text) - 1] = 0;
	return text;
}

int focus_define(struct focus *f, const char *name, const char *text, const struct focus_env *env,
		 struct err *err)
{
	struct rankset ranks = { 0 };
	struct named *old = find(f, name), *grown;
	char *kept = NULL;

	if (!name_fits(name) || is_builtin(name))
		return err_set(err,
			       "'%s' cannot name a set: a name has letters, digits and '_', "
			       "begins with a letter, and is not built in",
			       name);
	if (focus_eval(f, text, env, &ranks, NULL, err))
		goto fail;
	if (*text == '!' && !ranks.n) {
		err_set(err, "a static set without members");
		goto fail;
	}
	kept = *text == '!' ? frozen(&ranks) : strdup(text);
	if (old && kept) {
		free(old->text);
		old->text = kept;
		rankset_clear(&ranks);
		/* A dynamic set must not contain itself. */
		memset(&ranks, 0, sizeof(ranks));
		if (focus_eval(f, name, env, &ranks, NULL, err)) {
			focus_undefine(f, name, NULL);
			kept = NULL;
			goto fail;
		}
		rankset_clear(&ranks);
		return 0;
	}
	grown = kept ? realloc(f->set, (f->n + 1) * sizeof(*grown)) : NULL;
	if (!grown) {
		err_set(err, "out of memory");
		goto fail;
	}
	f->set = grown;
	grown[f->n].name = strdup(name);
	grown[f->n].text = kept;
	if (!grown[f->n].name) {
		err_set(err, "out of memory");
		goto fail;
	}
	f->n++;
	rankset_clear(&ranks);
	return 0;
fail:
	free(kept);
	rankset_clear(&ranks);
	return -1;
}

int focus_undefine(struct focus *f, const char *name, struct err *err)
{
	struct named *set = find(f, name);

	if (!set)
		return err_set(
			err, is_builtin(name) ? "the set '%s' is built in" : "there is no set '%s'",
			name);
	free(set->name);
	free(set->text);
	memmove(set, set + 1, (size_t)(f->set + f->n - set - 1) * sizeof(*set));
	f->n--;
	return 0;
}

int focus_prefix(const char *line, char **text, struct err *err)
{
	char close = *line == '[' ? ']' : '}';
	const char *end;
	char *p;

	*text = NULL;
	if (*line != '[' && *line != '{')
		return 0;
	end = strchr(line, close);
	if (!end)
		return err_set(err, "the set '%.40s' is not closed by '%c'", line, close);
	*text = p = malloc((size_t)(end - line));
	if (!p)
		return err_set(err, "out of memory");
	for (const char *q = line + 1; q < end; q++)
		if (!isspace((unsigned char)*q))
			*p++ = *q;
	*p = 0;
	if (**text)
		return (int)(end - line + 1);
	free(*text);
	*text = NULL;
	return err_set(err, "'%.*s' is an empty set; [all] are all ranks", (int)(end - line + 1),
		       line);
}

const char *focus_prompt(const char *text, size_t max, char *out, size_t size)
{
	size_t len = strlen(text), room = max > 8 ? max - 4 : 4;

	if (len <= room)
		snprintf(out, size, "[%s]> ", text);
	else
		snprintf(out, size, "[%.*s...]> ", (int)(room - 3), text);
	return out;
}
