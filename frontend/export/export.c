/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/export/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "frontend/export/npy.h"
#include "frontend/util/xalloc.h"

struct export
{
	struct npy *npy; /* NULL: it is a text */
	FILE *f;
	char *path, *part; /* part: what is written, renamed in the end */
	unsigned type;
	uint64_t line, plane; /* elements of a line, of a plane; 0: there are no planes */
	uint64_t total, done;
};

enum export_kind export_kind(const char *path)
{
	static const char *const endings[] = { ".npy", ".txt", ".png" };
	size_t n = strlen(path);

	for (unsigned i = 0; i < EXPORT_OTHER; i++)
		if (n > 4 && !strcmp(path + n - 4, endings[i]))
			return i;
	return EXPORT_OTHER;
}

static void export_free(struct export *e)
{
	free(e->path);
	free(e->part);
	free(e);
}

static void put_about(FILE *f, const char *about)
{
	while (about && *about) {
		size_t n = strcspn(about, "\n");

		fprintf(f, "# %.*s\n", (int)n, about);
		about += n + (about[n] == '\n');
	}
}

static int text_create(struct export *e, const char *path, const struct export_shape *s,
		       const char *about, struct err *err)
{
	uint64_t last[2] = { 1, 0 };

	e->total = 1;
	for (unsigned d = 0; d < s->ndim; d++) {
		e->total *= (uint64_t)s->extent[d];
		if (s->ndim - d <= 2)
			last[s->ndim - 1 - d] = (uint64_t)s->extent[d];
	}
	e->line = last[0] ? last[0] : 1;
	e->plane = e->line * last[1];
	e->path = xstrdup(path);
	e->part = xasprintf("%s.part-%d", path, getpid());
	e->f = fopen(e->part, "we");
	if (!e->f)
		return err_set(err, "%.300s: %s", path, strerror(errno));
	put_about(e->f, about);
	return 0;
}

struct export *export_create(const char *path, const struct export_shape *shape, const char *about,
			     struct err *err)
{
	struct export *e = xcalloc(1, sizeof(*e));
	int rc;

	e->type = shape->type;
	if (export_kind(path) == EXPORT_TEXT) {
		rc = text_create(e, path, shape, about, err);
	} else {
		e->npy = npy_create(path, shape->type, shape->ndim, shape->extent, shape->fortran,
				    err);
		rc = e->npy ? 0 : -1;
	}
	if (!rc)
		return e;
	export_free(e);
	return NULL;
}

static int text_write(struct export *e, const void *elements, size_t count, struct err *err)
{
	size_t size = value_size(e->type);
	char text[VALUE_TEXT];

	errno = 0;
	for (size_t i = 0; i < count; i++) {
		struct value v = value_load(e->type, (const char *)elements + i * size);

		fputs(value_format(e->type, &v, 0, text), e->f);
		e->done++;
		fputc(e->done % e->line ? ' ' : '\n', e->f);
		if (e->plane && e->done % e->plane == 0 && e->done < e->total)
			fputc('\n', e->f);
	}
	return ferror(e->f) ? err_set(err, "%.300s: %s", e->path, strerror(errno)) : 0;
}

int export_write(struct export *e, const void *elements, size_t count, struct err *err)
{
	return e->npy ? npy_write(e->npy, elements, count, err)
		      : text_write(e, elements, count, err);
}

int export_close(struct export *e, struct err *err)
{
	int rc = 0;

	if (e->npy) {
		rc = npy_close(e->npy, err);
	} else if (fclose(e->f) || rename(e->part, e->path)) {
		rc = err_set(err, "%.300s: %s", e->path, strerror(errno));
		unlink(e->part);
	}
	export_free(e);
	return rc;
}

void export_abandon(struct export *e)
{
	if (!e)
		return;
	npy_abandon(e->npy);
	if (e->f) {
		fclose(e->f);
		unlink(e->part);
	}
	export_free(e);
}

int export_all(const char *path, const struct export_shape *shape, const char *about,
	       const void *elements, struct err *err)
{
	struct export *e = export_create(path, shape, about, err);
	uint64_t total = 1;

	for (unsigned d = 0; d < shape->ndim; d++)
		total *= (uint64_t)shape->extent[d];
	if (!e || export_write(e, elements, total, err)) {
		export_abandon(e);
		return -1;
	}
	return export_close(e, err);
}
