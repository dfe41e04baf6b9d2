/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources as they are read and written, and the compiler that runs on them. */
#include "runtime/loops/loops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST ((size_t)256 << 20) /* bytes of a source */

void text_insert(struct text *t, size_t at, const char *fmt, ...)
{
	struct insert *grown = realloc(t->insert, (t->n + 1) * sizeof(*grown));
	va_list ap;

	if (!grown) {
		t->bad = true;
		return;
	}
	t->insert = grown;
	va_start(ap, fmt);
	t->insert[t->n].at = at;
	if (vasprintf(&t->insert[t->n].text, fmt, ap) < 0)
		t->bad = true;
	else
		t->n++;
	va_end(ap);
}

void text_clear(struct text *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->insert[i].text);
	free(t->insert);
	free(t->data);
	*t = (struct text){ 0 };
}

bool text_read(struct text *t, const char *path)
{
	FILE *f = fopen(path, "r");
	struct stat st;

	if (!f)
		return false;
	if (!fstat(fileno(f), &st) && S_ISREG(st.st_mode) && (size_t)st.st_size < MOST) {
		t->data = malloc((size_t)st.st_size + 1);
		if (t->data) {
			t->len = fread(t->data, 1, (size_t)st.st_size, f);
			t->data[t->len] = '\0';
		}
	}
	fclose(f);
	/* a NUL would be the end of it */
	return t->data && strlen(t->data) == t->len;
}

static int by_place(const void *a, const void *b)
{
	const struct insert *const *x = a, *const *y = b;

	if ((*x)->at != (*y)->at)
		return (*x)->at < (*y)->at ? -1 : 1;
	return *x < *y ? -1 : 1;
}

/* The text with what is put into it. */
static bool text_write(const struct text *t, FILE *f)
{
	const struct insert **order = malloc((t->n + 1) * sizeof(*order));
	size_t at = 0;

	if (!order)
		return false;
	for (size_t i = 0; i < t->n; i++)
		order[i] = &t->insert[i];
	qsort(order, t->n, sizeof(*order), by_place);
	for (size_t i = 0; i < t->n; i++) {
		fwrite(t->data + at, 1, order[i]->at - at, f);
		fputs(order[i]->text, f);
		at = order[i]->at;
	}
	fwrite(t->data + at, 1, t->len - at, f);
	free(order);
	return !ferror(f);
}

bool name_ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

static int run(char **argv, const char *said)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return -1;
	if (!pid) {
		int fd = said ? open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

		if (fd >= 0)
			dup2(fd, 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

static void show(const char *path)
{
	FILE *f = fopen(path, "r");
	char part[4096];
	size_t n;

	while (f && (n = fread(part, 1, sizeof(part), f)) > 0)
		fwrite(part, 1, n, stderr);
	if (f)
		fclose(f);
}

/* A new file, whose name ends so; NULL: there is none. */
char *file_new(const char *suffix, FILE **f)
{
	const char *tmp = getenv("TMPDIR");
	char *name;
	int fd;

	if (asprintf(&name, "%s/dvmdbg-omp.XXXXXX%s", tmp && *tmp ? tmp : "/tmp", suffix) < 0)
		return NULL;
	fd = mkstemps(name, (int)strlen(suffix));
	*f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (*f)
		return name;
	if (fd >= 0) {
		close(fd);
		unlink(name);
	}
	free(name);
	return NULL;
}

void file_discard(char *name)
{
	if (name)
		unlink(name);
	free(name);
}

bool run_quietly(char **argv)
{
	FILE *f = NULL;
	char *said = file_new("", &f);
	bool done;

	if (!said)
		return false;
	fclose(f);
	done = !run(argv, said);
	if (done)
		show(said);
	file_discard(said);
	return done;
}

char *file_marked(const struct text *t, const char *source)
{
	const char *suffix = strrchr(source, '.');
	FILE *f = NULL;
	char *name = file_new(suffix && !strchr(suffix, '/') ? suffix : "", &f);
	bool done;

	if (!name)
		return NULL;
	done = text_write(t, f);
	if (!fclose(f) && done)
		return name;
	file_discard(name);
	return NULL;
}
