/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/model/focus.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/job/job.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

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
	return xcalloc(1, sizeof(struct focus));
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

bool focus_builtin_name(const char *name)
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

const char *focus_find(const struct focus *f, const char *name)
{
	const struct named *set = find(f, name);

	return set ? set->text : NULL;
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
	struct thread_set *threads; /* NULL: threads are not distinguished */
	struct focus_odd odd;
	bool found; /* a member that is there, or that may have no members now */
	int depth;
	struct err *err;
};

static int eval_text(struct eval *e, const char *text);

/* Adds a member's ranks and notices repeated ones. */
static void add(struct eval *e, const struct rankset *ranks)
{
	for (size_t i = 0; e->threads && i < ranks->n; i++)
		e->odd.repeated |= thread_set_meets(
			e->threads, &(struct thread_part){ ranks->run[i].lo, ranks->run[i].hi, 0,
							   THREAD_LAST, false });
	if (e->threads)
		xalloc_check(thread_set_add_ranks(e->threads, ranks));
	else
		e->odd.repeated |= rankset_meets(e->out, ranks);
	xrankset_add_set(e->out, ranks);
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
		if (map[i].set != JOB_STOPPED) {
			add(e, job_set(job, map[i].set));
			return 0;
		}
		/* Ranks that are not started yet stand still and can go on. */
		xrankset_copy(&ranks, job_set(job, JOB_STOPPED));
		xrankset_add_set(&ranks, job_set(job, JOB_LOADED));
		rc = 0;
		if (e->env->held && !strcmp(name, "runnable"))
			xrankset_remove_set(&ranks, e->env->held);
		add(e, &ranks);
		rankset_clear(&ranks);
		return 0;
	}
	if (job && e->env->held && !strcmp(name, "held")) {
		add(e, e->env->held);
		return 0;
	}
	if (!job || !e->env->waiting || strcmp(name, "waiting"))
		return 0;
	rc = e->env->waiting(e->env->arg, &ranks, e->err);
	if (!rc)
		add(e, &ranks);
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
	if (strlen(base) == len - 6 && !strncmp(member + 5, base, len - 6)) {
		add(e, job_set(e->env->job, JOB_ALL));
		return 0;
	}
	return 0;
}

/* A member in numbers: ranks, and threads of the first, of the last and of those between. */
struct member {
	unsigned long first, last;
	struct thread_part part[3];
	size_t n;
};

/* "2", or "*", which is any; false: it is no number. */
static bool read_number(const char *text, size_t len, unsigned long any, unsigned long *out)
{
	char digits[24];

	if (len == 1 && *text == '*') {
		*out = any;
		return true;
	}
	if (!len || len >= sizeof(digits) || strspn(text, "0123456789") < len)
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)len, text);
	*out = strtoul(digits, NULL, 10);
	return true;
}

/* Where a range is parted: ":" , ".." or "-"; its length in *len. NULL: it is no range. */
static const char *range_sign(const char *text, const char *end, size_t *len)
{
	for (const char *p = text; p < end; p++) {
		*len = p[0] == '.' && p + 1 < end && p[1] == '.' ? 2 : 1;
		if (*p == ':' || *p == '-' || *len == 2)
			return p;
	}
	return NULL;
}

/* "1:2", "1", "*", and "1:*" */
static bool read_range(const char *text, const char *end, unsigned long most, unsigned long *first,
		       unsigned long *last)
{
	size_t len;
	const char *sign = range_sign(text, end, &len);

	if (!sign)
		return read_number(text, (size_t)(end - text), most, last) &&
		       read_number(text, (size_t)(end - text), 0, first);
	return read_number(text, (size_t)(sign - text), 0, first) &&
	       read_number(sign + len, (size_t)(end - sign) - len, most, last);
}

/* The dot between a process and a thread; NULL: there is none. */
static const char *id_dot(const char *text, const char *end)
{
	for (const char *p = text; p < end; p++) {
		if (p[0] == '.' && p + 1 < end && p[1] == '.')
			p++;
		else if (*p == '.')
			return p;
	}
	return NULL;
}

static void put_part(struct member *m, unsigned long lo, unsigned long hi, unsigned long first,
		     unsigned long last)
{
	const unsigned long most = THREAD_LAST;

	if (lo <= hi)
		m->part[m->n++] =
			(struct thread_part){ (uint32_t)(lo < most ? lo : most),
					      (uint32_t)(hi < most ? hi : most),
					      (uint32_t)(first < most ? first : most),
					      (uint32_t)(last < most ? last : most), true };
}

/* "1.2:2.3": from a thread to a thread. */
static bool read_from_to(const char *text, const char *sign, const char *behind, const char *end,
			 unsigned long most, struct member *m)
{
	const char *a = id_dot(text, sign), *b = id_dot(behind, end);
	unsigned long from = 0, to = 0;

	if (!read_number(text, (size_t)(a - text), 0, &m->first) ||
	    !read_number(behind, (size_t)(b - behind), most, &m->last) ||
	    !read_number(a + 1, (size_t)(sign - a) - 1, 0, &from) ||
	    !read_number(b + 1, (size_t)(end - b) - 1, THREAD_LAST, &to))
		return false;
	if (m->first == m->last) {
		put_part(m, m->first, m->last, from, to);
		return from <= to;
	}
	put_part(m, m->first, m->first, from, THREAD_LAST);
	put_part(m, m->first + 1, m->last - 1, 0, THREAD_LAST);
	put_part(m, m->last, m->last, 0, to);
	return true;
}

/*
 * Ranks or ranges of them, with a dot and a thread or a range of these ("0:3.1:2", "1.3:5",
 * "0:4.*"); or from a thread to a thread ("0.*:4.*", "1.2:2.3").
 */
static bool read_forms(const char *text, unsigned long most, struct member *m)
{
	const char *end = text + strlen(text), *dot = id_dot(text, end), *sign;
	unsigned long first = 0, last = THREAD_LAST;
	size_t len = 0;

	sign = dot ? range_sign(dot + 1, end, &len) : NULL;
	if (sign && id_dot(sign + len, end) && !range_sign(text, dot, &(size_t){ 0 }))
		return read_from_to(text, sign, sign + len, end, most, m);
	if (!read_range(text, dot ? dot : end, most, &m->first, &m->last) ||
	    (dot && !read_range(dot + 1, end, THREAD_LAST, &first, &last)) || first > last)
		return false;
	put_part(m, m->first, m->last, first, last);
	m->part[0].named = dot;
	return true;
}

/* What a member names. */
static int read_member(const char *member, unsigned long most, struct member *m, struct err *err)
{
	*m = (struct member){ 0 };
	if (!read_forms(member, most, m))
		return err_set(err,
			       "'%s' is neither a rank nor a range: the forms are 2, 0:3, 1.0, "
			       "0.*:4.*, 0:4.*, 1.2:5, *",
			       member);
	if (m->first > m->last && m->last != most)
		return err_set(err, "'%s' is not a range: %lu is greater than %lu", member,
			       m->first, m->last);
	return m->first > RANKSET_MAX ? err_set(err, "'%s': the greatest rank is %u", member,
						(unsigned)RANKSET_MAX)
				      : 0;
}

static void note_absent(struct eval *e, const char *member)
{
	size_t used = strlen(e->odd.absent);

	snprintf(e->odd.absent + used, sizeof(e->odd.absent) - used, "%s%s", used ? "," : "",
		 member);
}

/* The threads of a member; more than once is odd. */
static void add_threads(struct eval *e, const struct member *m)
{
	for (size_t i = 0; i < m->n; i++) {
		e->odd.repeated |= thread_set_meets(e->threads, &m->part[i]);
		xalloc_check(thread_set_add(e->threads, &m->part[i]));
	}
}

static int eval_numbers(struct eval *e, const char *text)
{
	const struct rankset *all = e->env->job ? job_set(e->env->job, JOB_ALL) : NULL;
	unsigned long most =
		all && all->n ? (unsigned long)job_size(e->env->job) - 1 : RANKSET_MAX - 1;
	struct rankset ranks = { 0 };
	struct member m;

	if (read_member(text, most, &m, e->err))
		return -1;
	if (m.last > RANKSET_MAX - 1)
		m.last = RANKSET_MAX - 1;
	if (m.first <= m.last)
		xrankset_add(&ranks, (uint32_t)m.first, (uint32_t)m.last);
	if (all)
		xrankset_intersect(&ranks, all);
	if (ranks.n)
		e->found = true;
	else
		note_absent(e, text);
	if (e->threads) {
		add_threads(e, &m);
		xrankset_add_set(e->out, &ranks);
	} else {
		add(e, &ranks);
	}
	rankset_clear(&ranks);
	return 0;
}

static int eval_member(struct eval *e, char *member)
{
	const struct named *named;
	int rc;

	if (isdigit((unsigned char)*member) || *member == '*')
		return eval_numbers(e, member);
	e->found = true;
	if (!strncmp(member, "exec(", 5))
		return eval_exec(e, member);
	if (focus_builtin_name(member))
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
	char *copy = xstrdup(*text == '!' ? text + 1 : text), *rest = copy, *member;
	int rc = 0;

	while (!rc && (member = strsep(&rest, ",")))
		rc = *member ? eval_member(e, member)
			     : err_set(e->err, "'[%s]' is not a set: a member is missing", text);
	free(copy);
	return rc;
}

/* Nothing but ranks that do not exist. */
static int nobody(const struct eval *e, const char *text)
{
	int n = job_size(e->env->job);

	if (n == 1)
		return err_set(e->err, "there is no rank %s: the only rank is 0", text);
	return err_set(e->err, "there is no rank %s: ranks are 0 to %d", text, n - 1);
}

int focus_eval(const struct focus *f, const char *text, const struct focus_env *env,
	       struct rankset *out, struct focus_odd *odd, struct err *err)
{
	return focus_eval_threads(f, text, env, out, NULL, odd, err);
}

int focus_eval_threads(const struct focus *f, const char *text, const struct focus_env *env,
		       struct rankset *out, struct thread_set *threads, struct focus_odd *odd,
		       struct err *err)
{
	struct eval e = { .f = f, .env = env, .out = out, .threads = threads, .err = err };
	int rc;

	if (threads)
		thread_set_clear(threads);
	rankset_clear(out);
	memset(out, 0, sizeof(*out));
	rc = eval_text(&e, text);
	if (!rc && !e.found && env->job)
		rc = nobody(&e, e.odd.absent);
	if (odd)
		*odd = e.odd;
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

char *focus_freeze(const struct rankset *ranks)
{
	size_t size = 32 * (ranks->n + 1);
	char *text = xmalloc(size);

	rankset_format(ranks, text, size);
	*text = '!';
	text[strlen(text) - 1] = 0;
	return text;
}

char *focus_replace(const char *text, const char *name, const struct rankset *ranks)
{
	size_t len = strlen(name);
	char *fixed = NULL, *whole = NULL;

	for (const char *p = text + (*text == '!'); *p;) {
		size_t n = strcspn(p, ",");

		if (n == len && !strncmp(p, name, n)) {
			fixed = focus_freeze(ranks);
			if (fixed)
				whole = xasprintf("%.*s%s%s", (int)(p - text), text, fixed + 1,
						  p + n);
			free(fixed);
			return whole;
		}
		p += n + (p[n] == ',');
	}
	return NULL;
}

/* Keeps text under the name; text is taken over. */
static void keep(struct focus *f, const char *name, char *text)
{
	struct named *old = find(f, name);

	if (old) {
		free(old->text);
		old->text = text;
		return;
	}
	xvec_more(f->set, f->n, 1);
	f->set[f->n].name = xstrdup(name);
	f->set[f->n++].text = text;
}

/* Whether the set of that name can be evaluated: it may contain itself now. */
static int check_itself(struct focus *f, const char *name, const struct focus_env *env,
			struct err *err)
{
	struct rankset ranks = { 0 };
	int rc = focus_eval(f, name, env, &ranks, NULL, err);

	rankset_clear(&ranks);
	if (rc)
		focus_undefine(f, name, NULL);
	return rc;
}

int focus_define(struct focus *f, const char *name, const char *text, const struct focus_env *env,
		 struct focus_odd *odd, struct err *err)
{
	struct rankset ranks = { 0 };
	char *kept = NULL;
	int rc = -1;

	if (focus_builtin_name(name))
		return err_set(err, "the set '%s' is built in and cannot be changed", name);
	if (!name_fits(name))
		return err_set(err,
			       "'%s' cannot name a set: a name has letters, digits and '_', and "
			       "begins with a letter",
			       name);
	if (focus_eval(f, text, env, &ranks, odd, err))
		goto out;
	if (*text == '!' && !ranks.n) {
		err_set(err, "[%s]: a static set without members", text);
		goto out;
	}
	kept = *text == '!' ? focus_freeze(&ranks) : xstrdup(text);
	keep(f, name, kept);
	rc = check_itself(f, name, env, err);
out:
	rankset_clear(&ranks);
	return rc;
}

int focus_undefine(struct focus *f, const char *name, struct err *err)
{
	struct named *set = find(f, name);

	if (!set)
		return err_set(err,
			       focus_builtin_name(name) ? "the set '%s' is built in"
							: "there is no set '%s'",
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
	*text = p = xmalloc((size_t)(end - line));
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

/* The form with text in place of $PTSET. */
static size_t expand(const char *form, const char *text, char *out, size_t size)
{
	size_t used = 0;

	while (*form && used + 1 < size) {
		int n = 1;

		if (!strncmp(form, "$PTSET", 6)) {
			used += (size_t)snprintf(out + used, size - used, "%s", text);
			n = 6;
		} else {
			out[used++] = *form;
		}
		form += n;
	}
	used = used < size ? used : size - 1;
	out[used] = 0;
	return used;
}

const char *focus_prompt(const char *form, const char *text, size_t max, char *out, size_t size)
{
	size_t len = expand(form, text, out, size), own = expand(form, "", out, size);
	char *cut;

	if (len <= max || own + 3 >= max || own == len) {
		len = expand(form, text, out, size);
		if (len > max && size > max)
			strcpy(out + (max > 3 ? max - 3 : 0), "...");
		return out;
	}
	/* The set is cut, what stands around it is not. */
	cut = xasprintf("%.*s...", (int)(max - own - 3), text);
	expand(form, cut, out, size);
	free(cut);
	return out;
}
