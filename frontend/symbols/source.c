/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/symbols/symbols.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/core/err.h"
#include "frontend/util/xalloc.h"

#define FILES 16
#define MAX_BYTES (64 << 20)

struct kept {
	struct source_file file;
	char *text;
	struct timespec changed;
	off_t size;
};

struct source {
	struct kept kept[FILES];
	unsigned next;
	struct symbols *symbols; /* borrowed */
};

struct source *source_create(struct symbols *symbols)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->symbols = symbols;
	return s;
}

static void drop(struct kept *k)
{
	free(k->file.path);
	free(k->file.line);
	free(k->text);
	memset(k, 0, sizeof(*k));
}

void source_destroy(struct source *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < FILES; i++)
		drop(&s->kept[i]);
	free(s);
}

/* Cuts k->text into lines. */
static void cut(struct kept *k)
{
	uint32_t n = 0;

	for (char *p = k->text; *p; p++)
		n += *p == '\n' || !p[1];
	k->file.line = xcalloc(n + 1, sizeof(*k->file.line));
	for (char *p = k->text, *line; (line = strsep(&p, "\n")) && k->file.n < n;) {
		size_t len = strlen(line);

		if (len && line[len - 1] == '\r')
			line[len - 1] = 0;
		k->file.line[k->file.n++] = line;
	}
}

static int load(struct kept *k, const char *path, const struct stat *st)
{
	FILE *f = fopen(path, "re");
	size_t len;

	if (!f)
		return -1;
	k->text = calloc(1, (size_t)st->st_size + 1);
	k->file.path = xstrdup(path);
	len = k->text ? fread(k->text, 1, (size_t)st->st_size, f) : 0;
	fclose(f);
	if (!k->text)
		return -1;
	for (size_t i = 0; i < len; i++)
		if (!k->text[i])
			k->text[i] = ' ';
	k->changed = st->st_mtim;
	k->size = st->st_size;
	cut(k);
	return 0;
}

/* The file at exactly this path, or NULL. */
static const struct source_file *get(struct source *s, const char *path)
{
	struct kept *k;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_BYTES)
		return NULL;
	for (unsigned i = 0; i < FILES; i++) {
		k = &s->kept[i];
		if (k->file.path && !strcmp(k->file.path, path) && k->size == st.st_size &&
		    k->changed.tv_sec == st.st_mtim.tv_sec &&
		    k->changed.tv_nsec == st.st_mtim.tv_nsec)
			return &k->file;
	}
	k = &s->kept[s->next++ % FILES];
	drop(k);
	if (!load(k, path, &st))
		return &k->file;
	drop(k);
	return NULL;
}

static const struct source_file *in_dir(struct source *s, const char *dir, int len,
					const char *name)
{
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	const struct source_file *f = NULL;
	char path[PATH_MAX];

	if (*name != '/' && snprintf(path, sizeof(path), "%.*s/%s", len, dir, name) < PATH_MAX)
		f = get(s, path);
	if (!f && base != name &&
	    snprintf(path, sizeof(path), "%.*s/%s", len, dir, base) < PATH_MAX)
		f = get(s, path);
	return f;
}

struct wanted {
	struct source *s;
	const char *name;
	const struct source_file *f;
};

/* Names in debug information are often those from where the compiler ran. */
static void try_compiled(void *arg, const char *path)
{
	struct wanted *w = arg;
	size_t all = strlen(path), n = strlen(w->name);

	if (!w->f && all > n && path[all - n - 1] == '/' && !strcmp(path + all - n, w->name))
		w->f = get(w->s, path);
}

static const struct source_file *as_compiled(struct source *s, const char *name,
					     const char *program)
{
	struct wanted w = { s, name, NULL };

	if (s->symbols && program && *name != '/')
		symbols_sources(s->symbols, program, try_compiled, &w);
	return w.f;
}

const struct source_file *source_find(struct source *s, const char *name, const char *path,
				      const char *program, struct err *err)
{
	const struct source_file *f = get(s, name);
	const char *slash = program ? strrchr(program, '/') : NULL;

	for (const char *p = path; !f && p && *p;) {
		int len = (int)strcspn(p, ":");

		if (len)
			f = in_dir(s, p, len, name);
		p += len + (p[len] == ':');
	}
	if (!f && slash)
		f = in_dir(s, program, (int)(slash - program), name);
	if (!f)
		f = in_dir(s, ".", 1, name);
	if (!f)
		f = as_compiled(s, name, program);
	if (!f)
		err_set(err,
			"the source %s was not found under its own path, in SOURCE_PATH (%s), in "
			"the directory of the program, here, or where it was compiled",
			name, path && *path ? path : "empty");
	return f;
}
