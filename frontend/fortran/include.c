/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What INCLUDE and #include bring: statements of other files, in the line that names the file. */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frontend/fortran/fortran.h"
#include "frontend/fortran/internal.h"
#include "frontend/util/xvec.h"

#define DEEPEST 4
#define LARGEST (1 << 20) /* bytes of a file */

/* The name of the file that the line includes, owned by the caller; NULL: it includes none. */
static char *included(const char *line)
{
	const char *s = line + strspn(line, " \t"), *end;

	if (*s == '#')
		s += 1 + strspn(s + 1, " \t");
	if (strncasecmp(s, "include", 7))
		return NULL;
	s += 7 + strspn(s + 7, " \t");
	if (*s != '\'' && *s != '"')
		return NULL;
	end = s + 1 + strcspn(s + 1, "'\"\n");
	return *end == *s && end > s + 1 ? xstrndup(s + 1, (size_t)(end - s - 1)) : NULL;
}

/* The text of the file in the folder, or in one for such files beside it; NULL: it is not there. */
static char *text_of(const char *dir, const char *name)
{
	static const char *const at[] = { "", "include/", "../include/", "../inc/" };
	char *text = NULL;

	for (unsigned i = 0; !text && i < sizeof(at) / sizeof(*at); i++) {
		char *path = *name == '/' ? xstrdup(name) : xasprintf("%s/%s%s", dir, at[i], name);
		FILE *f = fopen(path, "re");

		text = f ? xalloc_read(f) : NULL;
		if (f)
			fclose(f);
		free(path);
	}
	if (text && strlen(text) <= LARGEST)
		return text;
	free(text);
	return NULL;
}

/* The file's statements become f's, at the line, whose end is at the place of the text. */
static void splice(struct fortran *f, struct fortran *in, uint32_t line, size_t end)
{
	uint32_t at = 0;

	while (at < f->n && f->statement[at].first <= line)
		at++;
	if (!in->n)
		return;
	xvec_more(f->statement, f->n, in->n);
	memmove(f->statement + at + in->n, f->statement + at, (f->n - at) * sizeof(*f->statement));
	for (uint32_t i = 0; i < in->n; i++) {
		struct fortran_statement *s = &f->statement[at + i];

		*s = in->statement[i];
		s->first = s->last = line;
		s->at = s->end = end;
		s->label = 0;
	}
	f->n += in->n;
	in->n = 0;
}

void includes(struct fortran *f, const char *text, const char *dir, unsigned depth)
{
	uint32_t line = 1;

	for (const char *s = text; *s && depth < DEEPEST; line++) {
		size_t n = strcspn(s, "\n");
		char *name = included(s), *more = name ? text_of(dir, name) : NULL;

		if (more) {
			struct fortran in = { .fixed = f->fixed };

			statements(&in, more);
			includes(&in, more, dir, depth + 1);
			splice(f, &in, line, (size_t)(s - text) + n);
			statements_clear(&in);
		}
		free(more);
		free(name);
		s += n + (s[n] == '\n');
	}
}

struct fortran *fortran_parse_file(const char *text, const char *path)
{
	struct fortran *f = xcalloc(1, sizeof(*f));
	char *copy = xstrdup(path);

	f->fixed = fortran_is_fixed(path);
	statements(f, text);
	includes(f, text, dirname(copy), 0);
	units(f);
	free(copy);
	return f;
}
