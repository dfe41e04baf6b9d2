/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dvmdbg annotate, and the marks of locate --auto. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "frontend/annotate/annotate.h"
#include "frontend/launch/launch.h"
#include "frontend/main/internal.h"
#include "frontend/output/outcome.h"
#include "frontend/output/text.h"
#include "frontend/output/output.h"
#include "frontend/rebuild/rebuild.h"
#include "frontend/session/session.h"
#include "frontend/tags/tags.h"
#include "frontend/util/private_dir.h"
#include "frontend/util/words.h"
#include "frontend/util/xalloc.h"

static void on_progress(void *arg, const char *text)
{
	out_note(arg, "%s", text);
}

/* A line of the terminal; NULL: its end, or a signal of those that end us, which stays pending. */
static char *read_answer(char *line, int size, bool *interrupted)
{
	struct pollfd fd[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .events = POLLIN } };
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	fd[1].fd = signalfd(-1, &ends, SFD_CLOEXEC);
	while (poll(fd, 2, -1) < 0 && errno == EINTR)
		;
	*interrupted = fd[1].revents & POLLIN;
	if (fd[1].fd >= 0)
		close(fd[1].fd);
	return *interrupted ? NULL : fgets(line, size, stdin);
}

/* At the terminal; its end takes what is offered first. */
static unsigned on_question(void *arg, const char *question, char *const *choice, unsigned n)
{
	char line[64], *end;
	unsigned long v;
	bool interrupted;

	(void)arg;
	for (;;) {
		printf("%s%s", question, n ? "\n" : "\n  keep it? (Y/n) ");
		for (unsigned i = 0; i < n; i++)
			printf("  %u  %s\n", i + 1, choice[i]);
		if (n)
			printf("which? (1) ");
		fflush(stdout);
		end = read_answer(line, sizeof(line), &interrupted);
		if (interrupted) {
			putchar('\n');
			return ANNOTATE_STOP;
		}
		if (!end || *line == '\n')
			return n ? 0 : 1;
		if (!n && strchr("yYnN", *line))
			return *line == 'y' || *line == 'Y';
		v = strtoul(line, &end, 10);
		if (n && end != line && v >= 1 && v <= n)
			return (unsigned)v - 1;
		if (n)
			printf("a number from 1 to %u is needed\n", n);
		else
			puts("y or n is needed");
	}
}

/* The arguments of another size, with the program in front; to be freed. */
static int other_size(struct words *w, const char *text, const char *program, struct err *err)
{
	if (words_split(w, text, false, err))
		return -1;
	w->word = xreallocarray(w->word, (size_t)w->n + 2, sizeof(*w->word));
	memmove(w->word + 1, w->word, ((size_t)w->n + 1) * sizeof(*w->word));
	w->word[0] = xstrdup(program);
	w->n++;
	return 0;
}

/* There are marks, and where there was a trial some checksum of it was compared. */
static bool is_complete(const json_t *answer)
{
	const json_t *trial = out_get(answer, "trial");

	return *out_str(answer, "file") && (!trial || out_int(trial, "sums") > 0);
}

static bool has_hooks(const char *name)
{
	struct program p;
	/* what cannot be opened is reported by those who run it */
	bool has = program_open(&p, name, NULL) || p.hooked || p.hooked_library || p.script;

	program_clear(&p);
	return has;
}

/*
 * A program without access hooks is built once more with them, which is what is learned from. -1
 * and err: that cannot be done.
 */
static int build_with_hooks(struct session *s, struct rebuilt *built, struct annotate_request *r,
			    struct words *argv, struct err *err)
{
	struct err why = { "" };

	if (has_hooks(r->argv[0]))
		return 0;
	if (rebuild_with_hooks(built, s->symbols, r->argv[0], &why))
		return err_set(err,
			       "%s has no access hooks, by which reads and writes are seen, and cannot "
			       "be built with them here: %s; build it with dvmdbg-cc, in Fortran "
			       "dvmdbg-fc; marks that are learned then hold for this build, too "
			       "(--marks)",
			       r->argv[0], why.text);
	out_progress(s->out, NULL);
	out_note(s->out, "%s has no access hooks: its %u source%s built once more with them, as %s",
		 r->argv[0], built->sources, built->sources == 1 ? " is" : "s are",
		 built->program);
	if (r->trial && !built->optimized)
		r->tried = r->argv[0];
	else
		out_note(s->out,
			 "what follows is of that build, which is not optimised; macros that the "
			 "command line of %s defines (-D) are not in it",
			 path_base(r->argv[0]));
	argv->word = words_list_copy(r->argv);
	while (argv->word[argv->n])
		argv->n++;
	free(argv->word[0]);
	argv->word[0] = xstrdup(built->program);
	r->argv = argv->word;
	return 0;
}

static char *text_of(const json_t *answer, const char *key)
{
	const char *text = out_str(answer, key);

	return *text ? xstrdup(text) : NULL;
}

/* Writes them to that file, and the patch where it is not NULL. found: gets what may be the
 * program's fault; NULL: nobody asks. */
static int find(struct session *s, const struct options *o, const char *marks, const char *patch,
		struct rebuilt *built, struct found_marks *found)
{
	struct words argv = { 0 };
	struct words also[ANNOTATE_SIZES] = { 0 };
	struct annotate_request r = { .argv = s->spec.argv,
				      .ranks = o->n > 1 ? (uint32_t)o->n : 4,
				      .marks = marks,
				      .patch = patch,
				      .trial = patch != NULL,
				      .sizes_known = !patch,
				      .progress = on_progress,
				      .arg = s->out };
	struct err err = { "" };
	json_t *answer = NULL;
	int rc = 0;

	if (patch && !o->yes && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !o->json)
		r.ask = on_question;
	*built = (struct rebuilt){ .held = -1 };
	rc = build_with_hooks(s, built, &r, &argv, &err);
	for (int i = 0; i < o->nalso && !rc; i++) {
		rc = other_size(&also[i], o->also[i], r.argv[0], &err);
		r.other[i] = also[i].word;
	}
	if (!rc)
		answer = annotate(&r, s->symbols, &err);
	if (answer && json_is_true(out_get(out_get(answer, "trial"), "suspicious")))
		outcome_add(s->outcome, OUTCOME_FINDINGS);
	if (answer && patch && !is_complete(answer))
		outcome_add(s->outcome, OUTCOME_INCOMPLETE);
	if (answer && found) {
		found->suspect = text_of(answer, "suspect");
		found->unlike = text_of(answer, "unlike");
	}
	if (answer)
		out_answer(s->out, answer);
	else
		out_error(s->out, "annotate: %s", err.text);
	for (int i = 0; i < o->nalso; i++)
		words_clear(&also[i]);
	words_clear(&argv);
	return answer ? 0 : -1;
}

int main_annotate(struct session *s, const struct options *o)
{
	char *marks = o->dir ? xstrdup(o->dir) :
			       xasprintf("%s.marks", path_base(s->spec.argv[0]));
	char *patch = xasprintf("%s.diff", marks);
	struct rebuilt built;
	int rc = find(s, o, marks, patch, &built, NULL);

	rebuilt_clear(&built);
	free(marks);
	free(patch);
	return rc;
}

/* Options of this invocation that a run of the program needs, too; to be freed, not the words. */
static char **run_options(const struct options *o)
{
	char **list = xcalloc(2 * o->nset + 5, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < o->nset; i++) {
		list[n++] = (char *)"--set";
		list[n++] = (char *)o->set[i];
	}
	if (o->launcher) {
		list[n++] = (char *)"--launcher";
		list[n++] = (char *)o->launcher;
	}
	if (o->transport) {
		list[n++] = (char *)"--transport";
		list[n++] = (char *)o->transport;
	}
	return list;
}

int main_check_marks(struct session *s, const struct options *o)
{
	char self[PATH_MAX], **option = run_options(o);
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct tags_request r = { .dvmdbg = self, .marks = o->marks, .option = option,
				  .argv = s->spec.argv, .ranks = o->n > 1 ? (uint32_t)o->n : 4 };
	struct err err = { "" };
	json_t *answer = NULL;

	self[n > 0 ? n : 0] = 0;
	if (n < 0)
		err_set(&err, "/proc is needed, and cannot be read");
	else
		answer = tags_check(&r, s->symbols, &err);
	free(option);
	if (!answer) {
		out_error(s->out, "annotate --check: %s", err.text);
		return -1;
	}
	if (json_array_size(json_object_get(answer, "findings")))
		outcome_add(s->outcome, OUTCOME_FINDINGS);
	else if (!tags_proved(answer))
		outcome_add(s->outcome, OUTCOME_INCOMPLETE);
	out_answer(s->out, answer);
	return 0;
}

int main_find_marks(struct session *s, const struct options *o, struct found_marks *m)
{
	m->held = private_dir_temporary(&m->dir);
	if (m->held < 0) {
		out_error(s->out, "locate: cannot make %s: %s", m->dir, strerror(errno));
		main_drop_marks(m);
		return -1;
	}
	m->file = xasprintf("%s/marks", m->dir);
	if (find(s, o, m->file, NULL, &m->built, m)) {
		main_drop_marks(m);
		return -1;
	}
	/* what the program writes is seen in that build */
	if (m->built.program) {
		free(s->spec.argv[0]);
		s->spec.argv[0] = xstrdup(m->built.program);
	}
	if (access(m->file, F_OK) < 0 && m->unlike) {
		outcome_add(s->outcome, OUTCOME_FINDINGS);
		out_note(s->out, "likely: %s", m->unlike);
	}
	if (access(m->file, F_OK) < 0) {
		out_error(s->out,
			  "locate: no array was found that marks could be made for: mark the "
			  "program by hand");
		main_drop_marks(m);
		return -1;
	}
	s->marks_file = xstrdup(m->file);
	return 0;
}

void main_drop_marks(struct found_marks *m)
{
	if (m->held >= 0) {
		private_dir_scratch_remove(m->dir);
		close(m->held);
	}
	rebuilt_clear(&m->built);
	free(m->dir);
	free(m->file);
	free(m->suspect);
	free(m->unlike);
	*m = (struct found_marks){ .held = -1, .built = { .held = -1 } };
}
