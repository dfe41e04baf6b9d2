/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs of the program: those that marks are learned from, with commands that ask at each stop, and
 * the trial of the marks, on a size, and a number of ranks, that they were not learned from.
 */
#include "frontend/annotate/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array/array.h"
#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/logical/rankset.h"
#include "frontend/launch/launch.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/tags/tags.h"
#include "frontend/util/words.h"
#include "frontend/util/xvec.h"

#define FRAMES 3   /* that are asked about */
#define ROUNDS 500 /* of stops, at most */
#define PASSES "3" /* of each line over an array, that are recorded */

static FILE *commands(uint32_t ranks, const struct breaks *b, const char *dir)
{
	FILE *f = tmpfile();

	if (!f)
		return NULL;
	fprintf(f, "record %s\nlevel FULL\nrun\n", dir);
	/* ranks that wait for others arrive at the same place later: at worst each stops alone;
	 * those that arrive meanwhile are asked in the next round */
	for (uint32_t k = 0; k < b->n * ranks && k < ROUNDS; k++) {
		fprintf(f,
			"defset asked [!stopped]\n[asked] where -native\n"
			"[asked] locals -calls %s\n",
			b->fortran ? "-addresses" : "-types -all -addresses");
		for (uint32_t i = 0; i < b->nname; i++)
			fprintf(f, "[asked] locals %s -addresses\n", b->name[i]);
		fputs("[asked] cont\n", f);
	}
	fflush(f);
	rewind(f);
	return f;
}

static char *breaks_text(const struct breaks *b)
{
	char *text, *s;

	s = text = xmalloc(b->n * 18 + 1);
	*s = 0;
	for (uint32_t i = 0; i < b->n; i++)
		s += sprintf(s, "%s%" PRIx64, i ? "," : "", b->at[i]);
	return text;
}

static char *read_all(int fd)
{
	size_t n = 0, room = 1 << 16;
	char *text = xmalloc(room);
	ssize_t got;

	while ((got = read(fd, text + n, room - n - 1)) > 0 || (got < 0 && errno == EINTR)) {
		n += got > 0 ? (size_t)got : 0;
		if (n + 1 == room)
			text = xrealloc(text, room *= 2);
	}
	text[n] = 0;
	return text;
}

int run_dvmdbg(char *const *argv, FILE *in, const struct breaks *b, char **answers, struct err *err)
{
	char *breaks = b ? breaks_text(b) : NULL;
	int out[2], status = 0;
	pid_t pid;

	*answers = NULL;
	if (pipe2(out, O_CLOEXEC) < 0) {
		free(breaks);
		return err_set(err, "cannot start a run: %s", strerror(errno));
	}
	pid = fork();
	if (!pid) {
		int fd = in ? fileno(in) : open("/dev/null", O_RDONLY);

		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (fd < 0 || dup2(fd, 0) < 0 || dup2(out[1], 1) < 0)
			_exit(127);
		if (breaks) {
			setenv("DVMDBG_BREAKS", breaks, 1);
			setenv("DVMDBG_SURVEY", PASSES, 1);
			setenv("DVMDBG_SURVEY_CALLS", b->calls ? b->calls : "", 1);
		}
		execv(argv[0], argv);
		_exit(127);
	}
	close(out[1]);
	*answers = pid > 0 ? read_all(out[0]) : xstrdup("");
	close(out[0]);
	free(breaks);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && !out_cut_short())
		return 0;
	free(*answers);
	*answers = NULL;
	return err_set(err, pid > 0 ? "interrupted" : "cannot start a run: no process can be made");
}

/* The words in front of the program's, and those. */
char **run_words(const char *const *first, char *const *argv)
{
	size_t n = 0, k = 0;
	char **all;

	while (argv[n])
		n++;
	while (first[k])
		k++;
	all = xcalloc(n + k + 1, sizeof(*all));
	for (size_t i = 0; i < k; i++)
		all[i] = (char *)first[i];
	for (size_t i = 0; i < n; i++)
		all[k + i] = argv[i];
	return all;
}

/* The last error that a run has reported. */
static void take_error(const char *answers, struct err *err)
{
	err_set(err, "the program could not be run");
	for (const char *line = answers; *line;
	     line += strcspn(line, "\n") + !!strchr(line, '\n')) {
		json_t *o = json_loadb(line, strcspn(line, "\n"), 0, NULL);

		if (!strcmp(out_str(o, "type"), "error"))
			err_set(err, "%s", out_str(o, "text"));
		json_decref(o);
	}
}

int training_run(const char *dvmdbg, char *const *argv, uint32_t ranks, const struct breaks *b,
		 const char *dir, char **answers, struct err *err)
{
	FILE *in = commands(ranks, b, dir);
	char count[16], **all;
	int rc;

	if (!in)
		return err_set(err, "cannot start a training run: %s", strerror(errno));
	snprintf(count, sizeof(count), "%" PRIu32, ranks);
	all = run_words((const char *const[]){ dvmdbg, "--json", "-n", count, "--set",
					       "STOP_TIMER=0", "--", NULL },
			argv);
	rc = run_dvmdbg(all, in, b, answers, err);
	fclose(in);
	free(all);
	if (!rc && access(dir, F_OK) < 0) {
		take_error(*answers, err);
		rc = -1;
	}
	return rc;
}

static bool has_rank(const json_t *o, uint32_t rank)
{
	char *set_text = xstrdup(out_str(o, "ranks"));
	struct rankset set = { 0 };
	bool has;

	set_text[strcspn(set_text, "]")] = 0;
	has = *set_text == '[' && !rankset_parse(&set, set_text + 1, NULL) &&
	      rankset_has(&set, rank);
	rankset_clear(&set);
	free(set_text);
	return has;
}

/* The first of the list that the rank is one of; NULL: none. */
static const json_t *of_rank(const json_t *list, uint32_t rank)
{
	const json_t *o;
	size_t i;

	json_array_foreach (list, i, o)
		if (has_rank(o, rank))
			return o;
	return NULL;
}

/* Frames of a rank's calls, the outermost first in the tree, innermost first in the stop. */
static void take_calls(struct stop_seen *s, const json_t *tree, uint32_t rank)
{
	const json_t *o = of_rank(tree, rank);
	struct frame_seen *f;

	if (!o)
		return;
	take_calls(s, json_object_get(o, "calls"), rank);
	f = xvec_add(s->frame, s->nframe);
	f->func = xstrdup(out_str(o, "name"));
	f->file = xstrdup(out_str(o, "file"));
	f->line = (uint32_t)json_integer_value(json_object_get(o, "line"));
}

static void take_variable(struct frame_seen *f, const json_t *o, uint32_t rank)
{
	const json_t *g = of_rank(json_object_get(o, "groups"), rank);

	if (g)
		variables_add(f, out_str(o, "name"), out_str(g, "kind"), out_str(g, "value"));
}

/* A variable of a module, which was asked for by its name. */
static void take_module(struct stop_seen *s, const json_t *calls, uint32_t rank)
{
	const json_t *variables = json_object_get(of_rank(calls, rank), "variables");
	const json_t *v = json_array_get(variables, 0);

	if (json_array_size(variables) != 1 || !s->nframe)
		return;
	for (uint32_t i = 0; i < s->frame[0].nvariable; i++)
		if (!strcmp(s->frame[0].variable[i].name, out_str(v, "name")))
			return;
	if (!s->modules.file)
		s->modules.file = xstrdup(s->frame[0].file);
	take_variable(&s->modules, v, rank);
}

/* Those of the innermost calls; calls of one name are one. */
static void take_locals(struct stop_seen *s, const json_t *calls, uint32_t rank)
{
	const json_t *c, *v;
	size_t i, k;

	json_array_foreach (calls, i, c) {
		uint32_t at = 0;

		while (at < s->nframe && at < FRAMES &&
		       (strcmp(s->frame[at].func, out_str(c, "name")) || s->frame[at].nvariable))
			at++;
		if (at == s->nframe || at == FRAMES || !has_rank(c, rank))
			continue;
		json_array_foreach (json_object_get(c, "variables"), k, v)
			take_variable(&s->frame[at], v, rank);
	}
}

/* What one answer shows of a rank; which: of the answers about variables at a stop. */
static void take_answer(struct rank_seen *x, uint32_t rank, const json_t *o, uint32_t which)
{
	const json_t *tree = json_object_get(o, "tree"), *calls = json_object_get(o, "calls");
	struct stop_seen *s = x->nstop ? &x->stop[x->nstop - 1] : NULL;

	if (tree && of_rank(tree, rank))
		take_calls(xvec_add(x->stop, x->nstop), tree, rank);
	else if (!tree && s && !which)
		take_locals(s, calls, rank);
	else if (!tree && s)
		take_module(s, calls, rank);
}

void training_stops(struct training *t, char *answers)
{
	uint32_t which = 0;

	for (char *line = strtok(answers, "\n"); line; line = strtok(NULL, "\n")) {
		json_t *o = json_loads(line, 0, NULL);
		const char *type = out_str(o, "type");
		bool calls = !strcmp(type, "calls");

		if (calls || !strcmp(type, "locals")) {
			for (uint32_t r = 0; r < t->ranks; r++)
				take_answer(&t->rank[r], r, o, which);
			which = calls ? 0 : which + 1;
		}
		json_decref(o);
	}
}

/* ---- the trial ---- */

#define MOST_EQUAL 4 /* fewer than every fourth checksum: suspicious */

/* The same was found on another number of ranks. */
static bool is_known(const json_t *findings, const json_t *o)
{
	const json_t *e;
	size_t i;

	json_array_foreach (findings, i, e)
		if (!strcmp(out_str(e, "kind"), out_str(o, "kind")) &&
		    !strcmp(out_str(e, "place"), out_str(o, "place")))
			return true;
	return false;
}

#define AMPLIFIED 1e-7 /* what rounding may become, relatively; one element less is more than that */

/* Both checksums of a finding, "): A != B at", differ in their last digits only. */
static bool is_rounding(const json_t *finding)
{
	const char *text = out_str(finding, "detail"), *mid = strstr(text, " != "), *from = mid;
	double a, b, most;

	if (!mid || strcmp(out_str(finding, "kind"), "checksum"))
		return false;
	while (from > text && from[-1] != ' ')
		from--;
	a = strtod(from, NULL);
	b = strtod(mid + 4, NULL);
	most = (a < 0 ? -a : a) + (b < 0 ? -b : b);
	return (a < b ? b - a : a - b) <= AMPLIFIED * most;
}

void trial_take(json_t *trial, char *answers, uint32_t ranks)
{
	json_t *findings = json_object_get(trial, "findings");
	char *rest = answers;

	for (char *line = strtok_r(rest, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		json_t *o = json_loads(line, 0, NULL);
		const char *type = out_str(o, "type");

		if (!strcmp(type, "compared")) {
			json_int_t sums = json_integer_value(json_object_get(trial, "sums")),
				   equal = json_integer_value(json_object_get(trial, "equal"));

			sums += json_integer_value(json_object_get(o, "sums"));
			equal += json_integer_value(json_object_get(o, "equal")) +
				 json_integer_value(json_object_get(o, "rounding"));
			json_object_set_new(trial, "sums", json_integer(sums));
			json_object_set_new(trial, "equal", json_integer(equal));
		} else if (!strcmp(type, "finding") && is_rounding(o)) {
			json_object_set_new(trial, "amplified", json_true());
		} else if (!strcmp(type, "finding") && !is_known(findings, o)) {
			json_t *f = json_pack("{s:i}", "ranks", (int)ranks);
			static const char *const kept[] = { "kind", "text", "place", "detail" };

			for (unsigned i = 0; i < sizeof(kept) / sizeof(*kept); i++)
				json_object_set_new(f, kept[i], json_string(out_str(o, kept[i])));
			json_array_append_new(findings, f);
		} else if (!strcmp(type, "incomplete")) {
			json_array_extend(json_object_get(trial, "incomplete"),
					  json_object_get(o, "list"));
		} else if (!strcmp(type, "warning")) {
			json_array_append(json_object_get(trial, "incomplete"),
					  json_object_get(o, "text"));
		} else if (!strcmp(type, "error")) {
			json_object_set_new(trial, "error", json_string(out_str(o, "text")));
		}
		json_decref(o);
	}
}

static int one(const struct trial *t, const char *ref, uint32_t ranks, json_t *trial,
	       struct err *err)
{
	bool records = !json_object_get(trial, "ranks");
	char count[16], *answers, **words;
	int rc;

	snprintf(count, sizeof(count), "%" PRIu32, ranks);
	words = run_words((const char *const[]){ t->dvmdbg, records ? "record" : "compare",
						 "--json", records ? "-o" : "-r", ref, "--marks",
						 t->marks, "-n", count, "--", NULL },
			  t->argv);
	rc = run_dvmdbg(words, NULL, NULL, &answers, err);
	free(words);
	if (rc)
		return -1;
	trial_take(trial, answers, ranks);
	free(answers);
	if (records)
		json_object_set_new(trial, "ranks", json_array());
	else
		json_array_append_new(json_object_get(trial, "ranks"), json_integer(ranks));
	return 0;
}

json_t *trial_run(const struct trial *t, struct err *err)
{
	json_t *trial = json_pack("{s:i s:i s:[] s:[]}", "sums", 0, "equal", 0, "findings",
				  "incomplete");
	char *ref = xasprintf("%s/trial", t->dir);
	int rc = one(t, ref, t->reference, trial, err);

	for (uint32_t i = 0; !rc && !json_object_get(trial, "error") && i < t->n; i++)
		rc = one(t, ref, t->count[i], trial, err);
	free(ref);
	if (!rc)
		return trial;
	json_decref(trial);
	return NULL;
}

bool trial_rounds(const json_t *trial)
{
	const json_t *e;
	size_t i;

	json_array_foreach (json_object_get(trial, "findings"), i, e)
		if (!strcmp(out_str(e, "kind"), "checksum"))
			return false;
	return json_is_true(json_object_get(trial, "amplified"));
}

bool trial_suspicious(const json_t *trial)
{
	json_int_t sums = json_integer_value(json_object_get(trial, "sums")),
		   equal = json_integer_value(json_object_get(trial, "equal"));

	return sums > 0 && equal * MOST_EQUAL < sums && !trial_rounds(trial);
}

static bool is_at(const struct mark *m, const char *place)
{
	const char *colon = strrchr(place, ':');

	return colon && strtoul(colon + 1, NULL, 10) == m->line &&
	       strlen(path_base(m->file)) == (size_t)(colon - place) &&
	       !strncmp(path_base(m->file), place, (size_t)(colon - place));
}

static bool lists(const struct mark_names *n, const char *name)
{
	for (uint32_t i = 0; i < n->n; i++)
		if (!strcmp(n->name[i], name))
			return true;
	return false;
}

/* taken: what was, and why; may be NULL. */
static void remove_mark(struct marks *m, uint32_t i, json_t *taken, const char *why)
{
	char here[PATH_MAX], *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	mark_write(&m->mark[i], f, getcwd(here, sizeof(here)) ? here : "");
	xmemstream_close(f);
	text[strcspn(text, "\n")] = 0;
	if (taken)
		json_array_append_new(taken, json_pack("{s:s s:s}", "mark", text, "why", why));
	free(text);
	mark_clear(&m->mark[i]);
	memmove(&m->mark[i], &m->mark[i + 1], (m->n - i - 1) * sizeof(*m->mark));
	m->n--;
}

/* The array has no mark any more: neither have loops that name it, nor what forgets it. */
static void remove_users(struct marks *m, const char *file, const char *name)
{
	for (uint32_t i = m->n; i-- > 0;) {
		const struct mark *x = &m->mark[i];

		if (!strcmp(x->file, file) &&
		    (((x->kind == MARK_PARALLEL || x->kind == MARK_FORGET) && x->name &&
		      !strcmp(x->name, name)) ||
		     lists(&x->writes, name) || lists(&x->reads, name) ||
		     lists(&x->passed_writes, name) || lists(&x->passed_reads, name)))
			remove_mark(m, i, NULL, NULL);
	}
}

static void take_away(struct marks *m, uint32_t i, json_t *taken, const char *why)
{
	char *file = xstrdup(m->mark[i].file),
	     *name = m->mark[i].kind == MARK_ARRAY ? xstrdup(m->mark[i].name) : NULL;

	remove_mark(m, i, taken, why);
	if (name)
		remove_users(m, file, name);
	free(file);
	free(name);
}

/* One that differed on few ranks in the runs before is the program's fault, and is noted. */
static bool is_noted(const json_t *notes, const char *name)
{
	const json_t *e;
	size_t i, n = strlen(name);

	json_array_foreach(notes, i,
			   e) if (!strncmp(json_string_value(e), name, n) &&
				  !strncmp(json_string_value(e) + n, " is not", 7)) return true;
	return false;
}

/* The text of a finding names an object so. */
static bool is_named(const char *detail, const struct mark *x)
{
	char *name = mark_registered(x->name);
	char *named = xasprintf("(\"%s\", \"%s\", %" PRIu32 ",", name, path_base(x->file), x->line);
	bool found = strstr(detail, named);

	free(name);
	free(named);
	return found;
}

/* The text has what is registered under the name of a mark: of a[].x an element, a[3].x, too. */
static bool has_object(const char *text, const char *of)
{
	char *name = mark_registered(of);
	const char *member = mark_member(name), *at = text, *end;
	size_t n = member ? (size_t)(member - name) : strlen(name);
	bool has = !member && strstr(text, name);

	for (; member && !has && (at = strchr(at, *name)); at++) {
		if (strncmp(at, name, n))
			continue;
		for (end = at + n; *end == '[' && strchr(end, ']');)
			end = strchr(end, ']') + 1;
		has = !strncmp(end, strchr(member, '.'), strlen(strchr(member, '.')));
	}
	free(name);
	return has;
}

static bool is_object(const char *registered, const char *name)
{
	char *plain = mark_registered(name);
	bool is = array_name_is(registered, plain, false, false);

	free(plain);
	return is;
}

/* The mark is to blame for the finding, whatever the program computes. */
static bool is_blamed(const struct mark *x, const json_t *finding, const json_t *notes)
{
	const char *kind = out_str(finding, "kind"), *detail = out_str(finding, "detail");

	if (!strcmp(kind, "replicated"))
		return x->kind == MARK_REPLICATED && is_named(detail, x) &&
		       !is_noted(notes, x->name);
	if (!tags_blames_mark(kind) || !is_at(x, out_str(finding, "place")))
		return false;
	/* several arrays are announced at one line: that which is named */
	return x->kind == MARK_PARALLEL || x->kind == MARK_SEQUENTIAL ||
	       (x->kind == MARK_ARRAY && has_object(detail, x->name));
}

/* The own parts that the mark gives leave elements out, or give them to several. */
static bool is_unsummed(const struct mark *x, const char *text)
{
	return x->kind == MARK_ARRAY && strstr(text, "Unable to compute checksum") && is_named(text, x);
}

static bool has_text(const struct mark_names *n, const char *text)
{
	for (uint32_t i = 0; i < n->n; i++)
		if (strstr(n->name[i], text))
			return true;
	return false;
}

/* An expression of the mark has the text. */
static bool computes(const struct mark *x, const char *text)
{
	const struct mark_names *const list[] = { &x->shape, &x->from,	 &x->to,
						  &x->lower, &x->step,	 &x->block,
						  &x->halo_lo, &x->halo_hi, &x->iteration };

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (has_text(list[i], text))
			return true;
	return false;
}

/* The debugger refused the file of marks because of this one: "SOURCE:LINE: WHAT: WHY". WHAT is its
 * name (by_name), or in one of its expressions. */
static bool is_refused(const struct mark *x, const char *error, bool by_name)
{
	char *place = xasprintf("%s:%" PRIu32 ": ", path_base(x->file), x->line), *what, *name;
	const char *found = strstr(error, place);
	bool refused;

	/* the path of the source may stand before it */
	while (found && found > error && !strchr(" /", found[-1]))
		found = strstr(found + 1, place);
	if (found)
		found += strlen(place);
	free(place);
	if (!found)
		return false;
	what = xstrndup(found, strcspn(found, ":"));
	name = mark_plain(x->name ? x->name : "");
	refused = by_name ? !strcmp(name, what) : computes(x, what);
	free(what);
	free(name);
	return refused;
}

/* The mark that was refused; marks->n: none is known to be. */
static uint32_t refused_of(const struct marks *m, const char *error)
{
	for (unsigned by_name = 2; by_name-- > 0;)
		for (uint32_t i = m->n; i-- > 0;)
			if (is_refused(&m->mark[i], error, by_name))
				return i;
	return m->n;
}

uint32_t trial_drop(const json_t *trial, struct marks *m, const json_t *notes, json_t *taken)
{
	const json_t *e;
	uint32_t before = m->n;
	const char *error = out_str(trial, "error");
	size_t k;

	if (*error && refused_of(m, error) < m->n) {
		take_away(m, refused_of(m, error), taken, error);
		return before - m->n;
	}
	json_array_foreach (json_object_get(trial, "findings"), k, e) {
		uint32_t i = m->n;

		while (i && !is_blamed(&m->mark[i - 1], e, notes))
			i--;
		if (i)
			take_away(m, i - 1, taken, out_str(e, "text"));
	}
	json_array_foreach (json_object_get(trial, "incomplete"), k, e) {
		uint32_t i = m->n;

		while (i && !is_unsummed(&m->mark[i - 1], json_string_value(e)))
			i--;
		if (i)
			take_away(m, i - 1, taken, json_string_value(e));
	}
	return before - m->n;
}

static void add_library(void *to, const char *path)
{
	mark_name_add(to, path);
}

void trial_compiles(struct marks *m, struct symbols *s, const char *program, json_t *notes)
{
	struct mark_names libraries = { 0 };

	program_libraries(program, add_library, &libraries);
	for (;;) {
		struct err err = { "" };
		void *code = NULL;
		char *left = NULL;
		size_t n = 0;
		uint32_t i;
		int rc = marks_compile(m, s, program, &libraries, &code, &n, &left, &err);

		free(code);
		free(left);
		if (!rc)
			break;
		i = refused_of(m, err.text);
		if (i == m->n)
			break;
		json_array_append_new(notes, json_sprintf("a mark is left out: %s", err.text));
		take_away(m, i, NULL, NULL);
	}
	mark_names_clear(&libraries);
}

/* The array of the annotation whose mark this is; NULL: there is none. */
static json_t *array_of(const json_t *answer, const json_t *tagged)
{
	json_t *e;
	size_t i;

	json_array_foreach (json_object_get(answer, "arrays"), i, e) {
		const json_t *mark = json_object_get(e, "mark");

		if (mark && is_object(out_str(tagged, "name"), out_str(mark, "name")) &&
		    !strcmp(out_str(mark, "file"), out_str(tagged, "file")) &&
		    json_equal(json_object_get(mark, "line"), json_object_get(tagged, "line")))
			return e;
	}
	return NULL;
}

/* The first thing that is wrong with the array. */
static const char *refuted(const json_t *tags, const json_t *tagged)
{
	const json_t *e;
	size_t i;

	json_array_foreach (json_object_get(tags, "findings"), i, e)
		if (!strcmp(out_str(e, "array"), out_str(tagged, "name")) &&
		    json_equal(json_object_get(e, "line"), json_object_get(tagged, "line")) &&
		    !strcmp(out_str(e, "file"), out_str(tagged, "file")))
			return out_str(e, "text");
	return NULL;
}

static bool is_mark_of(const struct mark *x, const json_t *tagged)
{
	return x->kind == MARK_ARRAY && is_object(out_str(tagged, "name"), x->name) &&
	       x->line == json_integer_value(json_object_get(tagged, "line")) &&
	       !strcmp(path_base(x->file), out_str(tagged, "file"));
}

static void drop_array(struct marks *m, const json_t *tagged)
{
	for (uint32_t i = m->n; i-- > 0;) {
		if (!is_mark_of(&m->mark[i], tagged))
			continue;
		take_away(m, i, NULL, NULL);
		return;
	}
}

/* Halos came round the end of the array: so it begins again there. */
static bool put_round(struct marks *m, const json_t *tagged)
{
	const json_t *round = json_object_get(tagged, "round"), *e;
	bool any = false;
	size_t d;

	json_array_foreach (round, d, e)
		any = any || json_integer_value(e);
	for (uint32_t i = 0; any && i < m->n; i++) {
		struct mark *x = &m->mark[i];

		if (!is_mark_of(x, tagged) || x->periodic.n ||
		    x->shape.n != json_array_size(round))
			continue;
		json_array_foreach (round, d, e)
			mark_name_add(&x->periodic, json_integer_value(e) ? "1" : "0");
		return true;
	}
	return false;
}

uint32_t trial_tags(const json_t *tags, struct marks *m, json_t *answer)
{
	uint32_t before = m->n, changed = 0;
	const json_t *t;
	size_t i;

	json_array_foreach (json_object_get(tags, "arrays"), i, t) {
		json_t *e = array_of(answer, t);
		json_int_t right = json_integer_value(json_object_get(t, "right")),
			   wrong = json_integer_value(json_object_get(t, "wrong"));
		const char *why = refuted(tags, t);
		char *text;

		if (!e && why && wrong >= right) /* another member of structures */
			drop_array(m, t);
		if (!e)
			continue;
		if (why && wrong >= right) {
			text = xasprintf("its tags say otherwise: %s", why);
			json_object_set_new(e, "left_out", json_string(text));
			json_object_del(e, "split");
			drop_array(m, t);
		} else if (why) {
			text = xasprintf("%s: a mark is wrong, or the program: %s",
					 out_str(t, "name"), why);
			json_array_append_new(json_object_get(answer, "notes"), json_string(text));
		} else if (right) {
			changed += put_round(m, t);
			text = xasprintf("%s; tags", out_str(e, "evidence"));
			json_object_set_new(e, "evidence", json_string(text));
		} else {
			continue;
		}
		free(text);
	}
	return before - m->n + changed;
}

/* ---- sizes ---- */

#define LEAST_SIZE 8 /* an argument from this on is taken for a size */

/* An argument is taken for a size. */
static bool is_size(const char *text, long *v)
{
	char *end;

	*v = strtol(text, &end, 10);
	return end != text && !*end && *v >= LEAST_SIZE && *v <= INT_MAX / 2;
}

/* Two sizes differ as they do in other arguments: then one would seem to be the other and a
 * number. */
static bool differ_alike(char *const *argv, size_t i, size_t k, long by)
{
	long v, w;

	return argv && is_size(argv[i], &v) && is_size(argv[k], &w) && v - w == by;
}

char **trial_larger(char *const *argv, long part, char *const *also)
{
	char **to = words_list_copy(argv);
	bool any = false;
	long more = 0, by = part < 0 ? -2 : 2, least = LEAST_SIZE / 2; /* not all by the same */

	for (size_t i = 1; to[i]; i++) {
		long v, w, was;

		if (!is_size(argv[i], &v))
			continue;
		v += v / part + by * more++;
		v = (v < least ? least : v) | 1;
		for (size_t k = 1; k < i; k++) {
			if (!is_size(argv[k], &was))
				continue;
			w = strtol(to[k], NULL, 10);
			if (v == w || differ_alike(argv, i, k, v - w) ||
			    differ_alike(also, i, k, v - w)) {
				v += 2;
				k = 0;
			}
		}
		free(to[i]);
		to[i] = xasprintf("%ld", v);
		any = true;
	}
	if (any)
		return to;
	words_list_free(to);
	return NULL;
}
