/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/util/redirect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "frontend/util/words.h"
#include "frontend/util/xalloc.h"

enum { STREAM_IN = -1, STREAM_OUT, STREAM_ERR, STREAM_BOTH };

/* The longer ones before their beginnings. */
static const struct {
	const char *sign;
	int stream;
	bool append;
} signs[] = {
	{ "&>>", STREAM_BOTH, true }, { "&>", STREAM_BOTH, false }, { "2>>", STREAM_ERR, true },
	{ "2>", STREAM_ERR, false },  { "1>>", STREAM_OUT, true },  { "1>", STREAM_OUT, false },
	{ ">>", STREAM_OUT, true },   { ">", STREAM_OUT, false },   { "0<", STREAM_IN, false },
	{ "<", STREAM_IN, false },
};

#define SIGNS (sizeof(signs) / sizeof(signs[0]))

/* The sign that the word begins with; SIGNS: none. */
static size_t sign_of(const char *word)
{
	size_t i = 0;

	while (i < SIGNS && strncmp(word, signs[i].sign, strlen(signs[i].sign)))
		i++;
	return i;
}

static void keep(char **to, const char *path)
{
	char *copy = xstrdup(path);

	free(*to);
	*to = copy;
}

/* "2>&1": where the one goes now the other goes, too. */
static int join(struct redirect *r, int stream, const char *word, const char *to, struct err *err)
{
	static const char *const number[] = { "2", "1" };

	if (stream == STREAM_BOTH || stream == STREAM_IN || strcmp(to, number[stream]))
		return err_set(err,
			       "run: '%s' is not a redirection; the forms are <file >file >>file "
			       "2>file 2>>file &>file 2>&1",
			       word);
	r->append[stream] = r->append[!stream];
	keep(&r->path[stream], r->path[!stream]);
	return 0;
}

static void set(struct redirect *r, size_t sign, const char *path)
{
	int stream = signs[sign].stream;

	if (stream == STREAM_IN) {
		keep(&r->in, path);
		return;
	}
	for (int i = STREAM_OUT; i <= STREAM_ERR; i++) {
		if (stream != i && stream != STREAM_BOTH)
			continue;
		r->append[i] = signs[sign].append;
		keep(&r->path[i], path);
	}
}

static int check_in(const char *path, struct err *err)
{
	struct stat st;

	if (access(path, R_OK))
		return err_set(err, "run: cannot read %s: %s", path, strerror(errno));
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return err_set(err, "run: cannot read %s: %s", path, strerror(EISDIR));
	return 0;
}

/* Why no file of that name can be made; 0: as far as is known, it can. */
static int why_no_new(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	int why = access(dir, W_OK) ? errno : 0;

	free(dir);
	return why;
}

/* A file that is not there is made later. */
static int check_out(const char *path, struct err *err)
{
	struct stat st;
	int why;

	if (stat(path, &st))
		why = errno == ENOENT ? why_no_new(path) : errno;
	else
		why = S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
	return why ? err_set(err, "run: cannot write %s: %s", path, strerror(why)) : 0;
}

static int check(const struct redirect *r, struct err *err)
{
	if (r->in && check_in(r->in, err))
		return -1;
	for (int i = STREAM_OUT; i <= STREAM_ERR; i++)
		if (r->path[i] && check_out(r->path[i], err))
			return -1;
	return 0;
}

/* The redirection that word i is, perhaps with the next one as its file; *used words of it. */
static int take_one(struct redirect *r, const struct words *w, int i, int *used, struct err *err)
{
	size_t sign = sign_of(w->word[i]);
	const char *to = w->word[i] + strlen(signs[sign].sign);

	*used = 1;
	if (*to == '&')
		return join(r, signs[sign].stream, w->word[i], to + 1, err);
	if (!*to && i + 1 < w->n) {
		to = w->word[i + 1];
		*used = 2;
	}
	if (!*to)
		return err_set(err, "run: a file is needed after %s", w->word[i]);
	set(r, sign, to);
	return 0;
}

int redirect_take(struct redirect *r, struct words *w, struct err *err)
{
	int kept = 0, used, rc = 0;

	if (w->n && !w->quoted[w->n - 1] && !strcmp(w->word[w->n - 1], "&"))
		return err_set(err, "run: '&' is not supported; load and go do not wait");
	for (int i = 0; i < w->n; i += used) {
		used = 1;
		if (rc || w->quoted[i] || sign_of(w->word[i]) == SIGNS) {
			w->quoted[kept] = w->quoted[i];
			w->word[kept++] = w->word[i];
			continue;
		}
		rc = take_one(r, w, i, &used, err);
		for (int k = i; k < i + used; k++)
			free(w->word[k]);
	}
	w->n = kept;
	w->word[kept] = NULL;
	return rc ? rc : check(r, err);
}

static void close_files(struct redirect *r)
{
	if (r->f[STREAM_ERR] && r->f[STREAM_ERR] != r->f[STREAM_OUT])
		fclose(r->f[STREAM_ERR]);
	if (r->f[STREAM_OUT])
		fclose(r->f[STREAM_OUT]);
	r->f[STREAM_OUT] = r->f[STREAM_ERR] = NULL;
}

/* A pipe that nobody reads is not waited for. */
static FILE *open_one(const char *path, bool append, struct err *err)
{
	int fd = open(path,
		      O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (append ? O_APPEND : O_TRUNC),
		      0666);
	FILE *f = fd >= 0 ? fdopen(fd, append ? "a" : "w") : NULL;

	if (f) {
		fcntl(fd, F_SETFL, append ? O_APPEND : 0);
		return f;
	}
	err_set(err, "run: cannot write %s: %s", path,
		errno == ENXIO ? "it is a pipe without a reader" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return NULL;
}

/* Both are one file, by whatever names: then each line comes behind the one before. */
static bool same_file(const struct redirect *r)
{
	struct stat a, b;

	if (!r->f[STREAM_OUT] || !r->path[STREAM_ERR] || fstat(fileno(r->f[STREAM_OUT]), &a) ||
	    stat(r->path[STREAM_ERR], &b))
		return false;
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int redirect_open(struct redirect *r, struct err *err)
{
	close_files(r);
	for (int i = STREAM_OUT; i <= STREAM_ERR; i++) {
		if (!r->path[i])
			continue;
		r->f[i] = i == STREAM_ERR && same_file(r) ? r->f[STREAM_OUT]
							  : open_one(r->path[i], r->append[i], err);
		if (!r->f[i]) {
			close_files(r);
			return -1;
		}
	}
	return 0;
}

void redirect_clear(struct redirect *r)
{
	close_files(r);
	free(r->in);
	free(r->path[STREAM_OUT]);
	free(r->path[STREAM_ERR]);
	memset(r, 0, sizeof(*r));
}
