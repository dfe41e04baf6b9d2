/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/output/logs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

struct logs {
	struct log_file *file; /* owned */
	size_t n;
	bool midline; /* the program's last bytes have not ended their line */
};

struct logs *logs_create(void)
{
	return xcalloc(1, sizeof(struct logs));
}

static void end(struct log_file *x)
{
	if (x->f)
		fclose(x->f);
	x->f = NULL;
}

void logs_destroy(struct logs *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++) {
		end(&l->file[i]);
		free(l->file[i].path);
	}
	free(l->file);
	free(l);
}

/* The entry for the path, made when there is none. */
static struct log_file *entry(struct logs *l, const char *path)
{
	char *copy;

	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->file[i].path, path))
			return &l->file[i];
	copy = xstrdup(path);
	xvec_more(l->file, l->n, 1);
	l->file[l->n] = (struct log_file){ .path = copy };
	return &l->file[l->n++];
}

int logs_begin(struct logs *l, const struct log_file *like, struct err *err)
{
	FILE *f = fopen(like->path, "ae");
	struct log_file *x;

	if (!f)
		return err_set(err, "log: cannot write %s: %s", like->path, strerror(errno));
	x = entry(l, like->path);
	end(x);
	x->f = f;
	x->input = like->input;
	x->output = like->output;
	x->quiet = like->quiet;
	return 0;
}

unsigned logs_end(struct logs *l, const char *path)
{
	unsigned n = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (!l->file[i].f || (path && strcmp(l->file[i].path, path)))
			continue;
		end(&l->file[i]);
		n++;
	}
	return n;
}

const struct log_file *logs_at(const struct logs *l, size_t i)
{
	return i < l->n ? &l->file[i] : NULL;
}

bool logs_quiet(const struct logs *l)
{
	for (size_t i = 0; l && i < l->n; i++)
		if (l->file[i].f && l->file[i].quiet)
			return true;
	return false;
}

static void put(struct logs *l, const char *text, size_t len)
{
	for (size_t i = 0; l && i < l->n; i++) {
		const struct log_file *x = &l->file[i];

		if (!x->f || !x->output)
			continue;
		fwrite(text, 1, len, x->f);
		fflush(x->f);
	}
}

/* What is ours begins a line. */
static void begin_line(struct logs *l)
{
	static const char newline = '\n';

	if (l && l->midline)
		put(l, &newline, 1);
	if (l)
		l->midline = false;
}

void logs_command(struct logs *l, const char *prompt, const char *line)
{
	begin_line(l);
	for (size_t i = 0; l && i < l->n; i++) {
		const struct log_file *x = &l->file[i];

		if (!x->f || !x->input)
			continue;
		fprintf(x->f, "%s%s\n", x->output ? prompt : "", line);
		fflush(x->f);
	}
}

void logs_answer(struct logs *l, const char *text, size_t len)
{
	begin_line(l);
	put(l, text, len);
}

void logs_program(struct logs *l, const char *text, size_t len)
{
	put(l, text, len);
	if (l && len)
		l->midline = text[len - 1] != '\n';
}
