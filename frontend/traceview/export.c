/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/traceview/internal.h"
#include "frontend/traceview/traceview.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array/value.h"
#include "common/checksum/checksum.h"
#include "common/core/err.h"
#include "common/protocol/point_sums.h"
#include "common/protocol/trace_config.h"
#include "common/dvmtext/dvmtext.h"
#include "frontend/output/output.h"
#include "frontend/model/session.h"
#include "frontend/reference/reference.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"

/* The source line of an access, by debug information. */
static int line_of(struct symbols *symbols, const struct trace_site *site, const char **file,
		   uint32_t *line)
{
	struct place p = site->place;

	if (!symbols_build_is(symbols, p.module, site->build_id, site->nbuild_id))
		return -1;
	symbols_resolve(symbols, &p);
	if (!p.line || !p.file)
		return -1;
	*file = p.file;
	*line = p.line;
	return 0;
}

/* The last name that was asked for. */
struct naming {
	struct symbols *symbols;
	char text[600];
	struct reference *sums;
};

static int line_at(void *arg, const struct trace_site *site, const char **file, uint32_t *line)
{
	return line_of(((struct naming *)arg)->symbols, site, file, line);
}

static const char *variable_at(void *arg, const struct trace_block *b, const struct trace_rec *r)
{
	struct naming *n = arg;

	return trace_access_name(n->symbols, b, r, NULL, n->text, sizeof(n->text));
}

/* The i-th array that a construct has used, by annotation or as its elements have changed. */
static bool sum_at(void *arg, const struct point *at, size_t i, struct dvmtext_sum *out)
{
	struct naming *n = arg;
	const struct sums_point *p = reference_point(n->sums, at, NULL);

	for (size_t k = 0; p && k < p->n; k++) {
		const struct sums_array *a = &p->array[k];
		bool read = a->flags & POINT_SUMS_READ, written = a->flags & POINT_SUMS_WRITE;

		/* neither or both: the annotation does not say it */
		if (read == written)
			written = a->flags & POINT_SUMS_CHANGED;
		if (a->kind != ARRAY_DISTRIBUTED || (!read && !written) || i--)
			continue;
		*out = (struct dvmtext_sum){ .name = a->name,
					     .file = a->file,
					     .line = a->line,
					     .counter = a->counter,
					     .type = VALUE_DOUBLE,
					     .distributed = true,
					     .read = read,
					     .written = written };
		if (!a->sum)
			return true;
		out->type = a->sum->plan.type;
		out->ndim = a->sum->plan.ndim;
		snprintf(n->text, sizeof(n->text),
			 a->sum->plan.parts == 2 ? "(%.17G,%.17G)" : "%.17G", sum_mean(a->sum, 0),
			 sum_mean(a->sum, 1));
		out->value = n->text;
		return true;
	}
	return false;
}

int traceview_export(struct session *s, const struct trace_reader *m, int level,
		     struct reference *sums, const char *to, struct err *err)
{
	const struct dvmtext_form form = { .indent =
						   (unsigned)settings_number(s->set, "SpaceIndent"),
					   .dense = !settings_number(s->set, "WriteEmptyIter"),
					   .none = level == TRACE_CONFIG_NONE,
					   .checksum = level == TRACE_CONFIG_CHECKSUM };
	struct naming naming = { .symbols = s->symbols, .sums = sums };
	const struct dvmtext_names names = { .arg = &naming,
					     .line = line_at,
					     .variable = variable_at,
					     .sum = sums ? sum_at : NULL,
					     .form = &form };
	bool out = !strcmp(to, "-");
	FILE *f = out ? stdout : fopen(to, "we");
	struct stat st;
	bool file;
	int rc;

	if (!f)
		return err_set(err, "%s: %s", to, strerror(errno));
	file = !out && !fstat(fileno(f), &st) && S_ISREG(st.st_mode);
	rc = dvmtext_export(m, f, to, &names, err);
	if (!out && fclose(f) && !rc)
		rc = err_set(err, "%s: %s", to, strerror(errno));
	/* half of it is of no use; a device or a pipe stays */
	if (rc && file)
		unlink(to);
	if (!rc && !out)
		out_note(s->out, "wrote %s", to);
	return rc;
}

static ssize_t count_out(void *cookie, const char *text, size_t n)
{
	struct dvmtext_counter *c = cookie;

	c->bytes += n;
	for (const char *p = text, *end = text + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		c->lines++;
	return (ssize_t)n;
}

int text_costs(struct symbols *symbols, const struct trace_reader *m, struct dvmtext_head *out,
	       struct dvmtext_counter *all, struct err *err)
{
	struct naming naming = { .symbols = symbols };
	const struct dvmtext_names names = { .arg = &naming,
					     .line = line_at,
					     .variable = variable_at,
					     .counter = all,
					     .costs = out };
	FILE *f = fopencookie(all, "w", (cookie_io_functions_t){ .write = count_out });
	int rc;

	*all = (struct dvmtext_counter){ 0 };
	*out = (struct dvmtext_head){ 0 };
	if (!f)
		return err_set(err, "out of memory");
	rc = dvmtext_export(m, f, "a text that is counted", &names, err);
	fclose(f);
	return rc;
}
