/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/match/internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/logical/rankset.h"
#include "frontend/model/session.h"
#include "frontend/symbols/symbols.h"

void match_put(struct match_line *l, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(l->text + l->n, sizeof(l->text) - l->n, format, ap);
	va_end(ap);
	if (n > 0)
		l->n += (size_t)n;
	if (l->n >= sizeof(l->text))
		l->n = sizeof(l->text) - 1;
}

static const char *kind_words(uint32_t base, bool many)
{
	switch (base >> 8) {
	case 'i':
		return many ? "integers" : "integer";
	case 'u':
		return many ? "unsigned integers" : "unsigned integer";
	case 'f':
		return many ? "reals" : "real";
	case 'z':
		return many ? "complex numbers" : "complex number";
	case 'l':
		return many ? "logicals" : "logical";
	case 'c':
		return many ? "characters" : "character";
	case 'b':
		return many ? "bytes" : "byte";
	}
	return many ? "elements" : "element";
}

void match_put_base(struct match_line *l, uint32_t base)
{
	uint32_t bytes = base & 0xff;

	if (base == MPISTATE_BASE_MIXED)
		match_put(l, "elements of several types");
	else if (base >> 8 == 'b')
		match_put(l, "bytes");
	else
		match_put(l, "%s of %u byte%s", kind_words(base, true), bytes,
			  bytes == 1 ? "" : "s");
}

void match_put_data(struct match_line *l, const struct mpistate_sig *s)
{
	uint32_t bytes = s->base & 0xff;

	if (s->len == MPISTATE_SIG_UNKNOWN)
		match_put(l, "data that are not known");
	else if (s->base == MPISTATE_SIG_LIST)
		match_put(l, "counts of %llu in all", (unsigned long long)s->len);
	else if (!s->len)
		match_put(l, "no data");
	else if (!s->base)
		match_put(l, "%llu elements of several types", (unsigned long long)s->len);
	else if (s->base >> 8 == 'b')
		match_put(l, "%llu %s", (unsigned long long)s->len,
			  kind_words(s->base, s->len != 1));
	else
		match_put(l, "%llu %s of %u byte%s", (unsigned long long)s->len,
			  kind_words(s->base, s->len != 1), bytes, bytes == 1 ? "" : "s");
}

void match_put_place(struct match *m, struct match_line *l, const struct place *place)
{
	char text[512];

	if (place->file[0] || place->module[0])
		match_put(l, " at %s", symbols_text(m->s->symbols, place, text, sizeof(text)));
}

void match_put_ranks(struct match_line *l, const struct rankset *ranks)
{
	char text[80];

	match_put(l, "%s", rankset_format(ranks, text, sizeof(text)));
}

const char *match_op(uint32_t op)
{
	/* in the order of the runtime's list */
	static const char *const names[] = { "MPI_MAX",	 "MPI_MIN", "MPI_SUM",	  "MPI_PROD",
					     "MPI_LAND", "MPI_BAND", "MPI_LOR",	  "MPI_BOR",
					     "MPI_LXOR", "MPI_BXOR", "MPI_MAXLOC", "MPI_MINLOC",
					     "MPI_REPLACE", "MPI_NO_OP" };

	if (op && op <= sizeof(names) / sizeof(names[0]))
		return names[op - 1];
	return op == MPISTATE_GIVEN_USER_OP ? "an operation of the program" : "an operation";
}
