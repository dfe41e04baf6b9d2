/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/util/names.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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
