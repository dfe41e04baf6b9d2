/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/traceview/traceview.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/dvmtext/dvmtext.h"
#include "frontend/output/output.h"
#include "frontend/model/session.h"
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

int traceview_export(struct session *s, const struct trace_reader *m, const char *to,
		     struct err *err)
{
	const struct dvmtext_form form = { .indent =
						   (unsigned)settings_number(s->set, "SpaceIndent"),
					   .dense = !settings_number(s->set, "WriteEmptyIter") };
	struct naming naming = { .symbols = s->symbols };
	const struct dvmtext_names names = {
		.arg = &naming, .line = line_at, .variable = variable_at, .form = &form
	};
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
