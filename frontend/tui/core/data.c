/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/tui/core/core.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/logical/rankset.h"
#include "common/protocol/report.h"
#include "frontend/job/job.h"
#include "frontend/output/text.h"
#include "frontend/session/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"

json_t *data_points(struct tui *t, struct err *err)
{
	return tui_ask(t, "points", err, "points -last %d", DATA_POINTS + 1);
}

const char *data_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *data_place(const json_t *o, char *out, size_t size)
{
	const char *file = out_str(o, "file");

	*out = 0;
	if (*file && out_int(o, "line"))
		snprintf(out, size, "%s:%" JSON_INTEGER_FORMAT, data_base(file),
			 out_int(o, "line"));
	else if (*file)
		snprintf(out, size, "%s", data_base(file));
	return out;
}

const char *data_iteration(const json_t *o, char *out, size_t size)
{
	const json_t *index = out_get(o, "iteration");
	size_t n = json_array_size(index), used = 0;

	*out = 0;
	for (size_t i = 0; i < n && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%" JSON_INTEGER_FORMAT "%s",
					 i	 ? ","
					 : n > 1 ? "("
						 : "",
					 json_integer_value(json_array_get(index, i)),
					 n > 1 && i + 1 == n ? ")" : "");
	return out;
}

size_t data_fitting(const char *text, int columns)
{
	size_t n = 0, blank = 0;

	for (int wide = 0; text[n] && (wide < columns || !n); wide++) {
		n++;
		while ((text[n] & 0xc0) == 0x80)
			n++;
		if (text[n] == ' ')
			blank = n;
	}
	return text[n] && blank ? blank : n;
}

bool data_ranks(struct rankset *set, const char *text)
{
	size_t len = strlen(text);
	char *bare = len > 2 ? xstrndup(text + 1, len - 2) : NULL;
	struct err err;
	bool ok = bare && !rankset_parse(set, bare, &err);

	free(bare);
	return ok;
}

size_t data_count(const char *ranks)
{
	struct rankset set = { 0 };
	size_t n = data_ranks(&set, ranks) ? rankset_count(&set) : 0;

	rankset_clear(&set);
	return n;
}

void data_first_place(struct session *s)
{
	static const char *const names[] = { "MAIN__", "main" };
	struct place p = { 0 };

	if (!s->job)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		p = (struct place){ .module = job_path(s->job) };
		p.vaddr = symbols_address(s->symbols, p.module, names[i]);
		if (!p.vaddr)
			continue;
		symbols_resolve(s->symbols, &p);
		if (p.file && *p.file && p.line)
			break;
	}
	if (!p.file || !*p.file || !p.line)
		return;
	free(s->shell->file);
	s->shell->file = xstrdup(p.file);
	s->shell->line = p.line;
}
