/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/util/names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/array/array.h"

#define LONGEST 64

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

/* Letters to be changed, put in or taken out, whatever their case. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[LONGEST + 1], n = (unsigned)strlen(b);

	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 0; a[i]; i++) {
		unsigned corner = row[0];

		row[0] = i + 1;
		for (unsigned j = 0; j < n; j++) {
			unsigned up = row[j + 1];
			bool same = tolower((unsigned char)a[i]) == tolower((unsigned char)b[j]);

			row[j + 1] = least(up + 1, row[j] + 1, corner + !same);
			corner = up;
		}
	}
	return row[n];
}

bool names_near(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), shorter = la < lb ? la : lb;

	if (!shorter || la > LONGEST || lb > LONGEST)
		return false;
	if (!strncasecmp(a, b, shorter))
		return true;
	return distance(a, b) <= (shorter > 3 ? 2u : 1u);
}

bool names_fortran(const char *file)
{
	static const char *const suffix[] = {
		"f", "for", "ftn", "f77", "f90", "f95", "f03", "f08"
	};
	const char *dot = file ? strrchr(file, '.') : NULL;

	for (size_t i = 0; dot && i < sizeof(suffix) / sizeof(suffix[0]); i++)
		if (!strcasecmp(dot + 1, suffix[i]))
			return true;
	return false;
}

const char *names_element(const char *name, bool fortran, unsigned ndim, const int64_t *index,
			  char *out, size_t size)
{
	size_t used = (size_t)snprintf(out, size, "%s", name);

	for (unsigned d = 0; d < ndim && used < size; d++)
		used += (size_t)snprintf(out + used, size - used,
					 !fortran ? "[%" PRId64 "]"
					 : d	  ? ",%" PRId64
						  : "(%" PRId64,
					 index[d]);
	if (fortran && ndim && used < size)
		snprintf(out + used, size - used, ")");
	return array_name_place(out, strlen(name));
}
