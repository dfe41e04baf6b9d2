/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "common/core/parse.h"
#include "frontend/traceview/traceview.h"

/* "[3]", "[3][4]", "(3,4)" at *at, which moves behind it; false: something else. */
static bool take_indices(struct traceview_element *e, const char **at)
{
	const char *p = *at;
	char close = *p == '(' ? ')' : ']';

	do {
		if (e->ndim == ARRAY_DIMS)
			return false;
		p += 1 + strspn(p + 1, " ");
		if (parse_int_at(&p, &e->index[e->ndim++]))
			return false;
		p += strspn(p, " ");
	} while (*p == ',');
	*at = p + 1;
	return *p == close;
}

bool traceview_element_parse(const char *text, struct traceview_element *e)
{
	size_t n = 0;

	*e = (struct traceview_element){ .whole = true };
	while (*text) {
		if (*text == '[' || *text == '(') {
			if (take_indices(e, &text))
				continue;
			e->whole = false;
			break;
		}
		if (n + 1 == sizeof(e->name) ||
		    (e->ndim && n && !strchr(".%", *text) && strchr(")]", text[-1]))) {
			e->whole = false;
			break;
		}
		e->name[n++] = *text == '%' ? '.' : *text;
		text++;
	}
	e->name[n] = 0;
	return e->whole && n;
}
