/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/save_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "common/value.h"
#include "frontend/pieces.h"

struct writing {
	const struct pieces *p;
	FILE *f;
	uint64_t line, plane; /* elements of a line; lines of a plane */
	uint64_t done;	      /* elements so far */
};

bool save_text_wanted(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && !strcmp(path + n - 4, ".txt");
}

/* The section's last dimensions that have more than one index make lines and planes. */
static void find_lines(struct writing *w)
{
	const struct section *s = &w->p->section;
	uint64_t *next = &w->line;

	w->line = 1;
	w->plane = 0;
	for (unsigned d = s->ndim; d-- > 0 && next;) {
		if (s->dim[d].scalar)
			continue;
		*next = section_count(s, d);
		next = next == &w->line ? &w->plane : NULL;
	}
}

static void put_head(const struct writing *w)
{
	const struct section *s = &w->p->section;
	bool fortran = w->p->desc.order == 'F';

	fprintf(w->f, "# %s", w->p->name);
	for (unsigned d = 0; d < s->ndim; d++) {
		const struct section_dim *x = &s->dim[d];

		fputs(!fortran ? "[" : d ? "," : "(", w->f);
		if (x->scalar)
			fprintf(w->f, "%" PRId64, x->first);
		else if (x->vector)
			fprintf(w->f, "{%" PRId64 ",...}", x->vector[0]);
		else
			fprintf(w->f, "%" PRId64 ":%" PRId64, x->first, x->last);
		if (!x->scalar && !x->vector && x->step != 1)
			fprintf(w->f, ":%" PRId64, x->step);
		fputs(!fortran ? "]" : d + 1 == s->ndim ? ")" : "", w->f);
	}
	fprintf(w->f, " %s\n", value_type_name(w->p->type));
}

static int take(void *arg, const void *elements, const uint64_t *count, struct err *err)
{
	struct writing *w = arg;
	size_t size = value_size(w->p->type);
	uint64_t total = 1;
	char text[VALUE_TEXT];

	for (unsigned d = 0; d < w->p->section.ndim; d++)
		total *= count[d];
	for (uint64_t i = 0; i < total; i++) {
		struct value v = value_load(w->p->type, (const char *)elements + i * size);

		fputs(value_format(w->p->type, &v, 0, text), w->f);
		w->done++;
		fputc(w->done % w->line ? ' ' : '\n', w->f);
		if (w->plane && w->done % (w->line * w->plane) == 0 &&
		    w->done < section_total(&w->p->section))
			fputc('\n', w->f);
	}
	return ferror(w->f) ? err_set(err, "it cannot be written: %s", strerror(errno)) : 0;
}

int save_text(const struct pieces *p, const char *path, struct err *err)
{
	struct writing w = { .p = p };
	char *part;
	int rc;

	if (asprintf(&part, "%s.part-%d", path, getpid()) < 0)
		return err_set(err, "out of memory");
	w.f = fopen(part, "we");
	if (!w.f) {
		rc = err_set(err, "%.300s: %s", path, strerror(errno));
		free(part);
		return rc;
	}
	find_lines(&w);
	put_head(&w);
	errno = 0;
	rc = pieces_fetch(p, false, take, &w, err);
	if ((fclose(w.f) || (!rc && rename(part, path))) && !rc)
		rc = err_set(err, "%.300s: %s", path, strerror(errno));
	if (rc)
		unlink(part);
	free(part);
	return rc;
}
