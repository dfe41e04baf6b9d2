/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text traces in place of native ones: they are imported into files that have no name, so that
 * whoever opens one, on whatever host, reads the text itself.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/core/parse.h"
#include "common/core/vec.h"
#include "common/dvmtext/dvmtext.h"
#include "common/tracefile/tracefile.h"
#include "common/traceindex/internal.h"

static const char first_line[] = "# Begin trace header";

/* The first bytes of a regular file; "" when it is none. */
static void peek(const char *path, char *out, size_t room)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = 0;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		n = read(fd, out, room - 1);
	out[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* Named by the user: a head may lack its comment. */
static bool is_text(const char *path)
{
	static const char *const words[] = { "PL:", "SL:", "TR:", "ARR:", "END_HEADER" };
	char text[512], *p = text;

	peek(path, text, sizeof(text));
	if (!strncmp(p, "\x1f\x8b", 2))
		return true; /* whose import says what to do */
	if (!strncmp(p, first_line, strlen(first_line)))
		return true;
	while (*p == '#' || isspace((unsigned char)*p))
		p += *p == '#' ? strcspn(p, "\n") : 1;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(p, words[i], strlen(words[i])))
			return true;
	if (!isupper((unsigned char)*p))
		return false;
	p += strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
	return *(p + strspn(p, " \t")) == '=';
}

/*
 * Where a file's name has the rank: "0.trd", "heat.trd.0", "heat.rank0.trd". False: nowhere. What
 * comes before and behind the number is the same for all ranks of a run.
 */
static bool rank_in_name(const char *name, size_t *at, size_t *n, uint32_t *rank)
{
	const char *dot = strrchr(name, '.'), *word = strstr(name, ".rank"), *p = NULL;
	int64_t v;

	if (isdigit((unsigned char)*name) && name[strspn(name, "0123456789")] == '.')
		p = name;
	else if (word && isdigit((unsigned char)word[5]))
		p = word + 5;
	else if (dot && isdigit((unsigned char)dot[1]) && !dot[1 + strspn(dot + 1, "0123456789")])
		p = dot + 1;
	if (!p)
		return false;
	*at = (size_t)(p - name);
	*n = strspn(p, "0123456789");
	if (parse_int_at(&p, &v) || v < 0 || v > INT32_MAX)
		return false;
	*rank = (uint32_t)v;
	return true;
}

struct texts {
	struct text {
		char *path; /* owned */
		uint32_t rank;
	} * item;
	uint32_t n;
};

static void texts_clear(struct texts *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free(t->item[i].path);
	free(t->item);
	*t = (struct texts){ 0 };
}

static int add(struct texts *t, const char *dir, const char *name, uint32_t rank, struct err *err)
{
	struct text *x;

	for (uint32_t i = 0; i < t->n; i++)
		if (t->item[i].rank == rank)
			return err_set(err,
				       "%s: %s and %s are both text traces of rank %u: name the "
				       "one that is meant",
				       dir, strrchr(t->item[i].path, '/') + 1, name, rank);
	if (vec_more(t->item, t->n, 1))
		return err_set(err, "out of memory");
	x = &t->item[t->n];
	if (asprintf(&x->path, "%s/%s", dir, name) < 0)
		return err_set(err, "out of memory");
	x->rank = rank;
	t->n++;
	return 0;
}

/* Another file of the run that `like` (NULL: any name) is a file of. */
static int take(struct texts *t, const char *dir, const char *name, const char *like,
		struct err *err)
{
	char path[PATH_MAX], text[64];
	size_t at = 0, n = 0, at2 = 0, n2 = 0;
	uint32_t rank = 0, other;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return 0;
	peek(path, text, sizeof(text));
	if (strncmp(text, first_line, strlen(first_line)) != 0)
		return 0;
	if (!rank_in_name(name, &at, &n, &rank))
		return like ? 0 : add(t, dir, name, 0, err);
	if (like && (!rank_in_name(like, &at2, &n2, &other) || at != at2 ||
		     strncmp(name, like, at) != 0 || strcmp(name + at + n, like + at2 + n2) != 0))
		return 0;
	return add(t, dir, name, rank, err);
}

static int take_all(struct texts *t, const char *dir, const char *like, struct err *err)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	int rc = 0;

	if (!d)
		return err_set(err, "%s: %s", dir, strerror(errno));
	while (!rc && (e = readdir(d)))
		rc = take(t, dir, e->d_name, like, err);
	closedir(d);
	return rc;
}

/* How many processes the head says there were; 1 when it cannot be read: the import says why. */
static int64_t processes(const char *path)
{
	FILE *f = fopen(path, "re");
	struct dvmtext_head h;
	const char *text;
	int64_t n = 1;

	if (f && !dvmtext_head_read(&h, f, path, NULL)) {
		text = dvmtext_setting(&h, "CPU_COUNT");
		if (!text || parse_int_at(&text, &n))
			n = 1;
		dvmtext_head_clear(&h);
	}
	if (f)
		fclose(f);
	return n;
}

static int find(struct texts *t, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char dir[PATH_MAX] = ".";
	struct stat st;
	uint32_t rank;
	size_t at, n;

	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		return take_all(t, path, NULL, err);
	if (slash)
		snprintf(dir, sizeof(dir), "%.*s", slash == path ? 1 : (int)(slash - path), path);
	if (processes(path) > 1 && rank_in_name(name, &at, &n, &rank))
		return take_all(t, dir, name, err);
	return add(t, dir, name, 0, err);
}

/* The native trace of a text, in a file that is gone when it is closed. */
static struct trace_reader *import(const struct text *x, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	char dir[PATH_MAX], path[PATH_MAX + 16];
	struct trace_reader *m = NULL;

	snprintf(dir, sizeof(dir), "%s/dvmdbg-text-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir)) {
		err_set(err, "%s: %s", dir, strerror(errno));
		return NULL;
	}
	snprintf(path, sizeof(path), "%s/trace.bin", dir);
	if (!dvmtext_import(x->path, path, x->rank, NULL, err))
		m = trace_reader_open(path, err);
	unlink(path);
	rmdir(dir);
	return m;
}

bool trace_index_text(const char *path)
{
	struct texts t = { 0 };
	struct stat st;
	bool there;

	if (stat(path, &st))
		return false;
	if (!S_ISDIR(st.st_mode))
		return is_text(path);
	take_all(&t, path, NULL, NULL);
	there = t.n > 0;
	texts_clear(&t);
	return there;
}

int trace_index_texts(const char *path,
		      int (*fn)(void *arg, struct trace_reader *m, struct err *err), void *arg,
		      struct err *err)
{
	struct texts t = { 0 };
	int rc = find(&t, path, err);

	for (uint32_t i = 0; i < t.n && !rc; i++) {
		struct trace_reader *m = import(&t.item[i], err);

		rc = m ? fn(arg, m, err) : -1;
	}
	texts_clear(&t);
	return rc;
}
