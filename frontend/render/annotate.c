/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of annotations: a line for each array and loop, and where the patch is. */
#include "frontend/render/render.h"

#include <stdio.h>
#include <string.h>

static void put_array(FILE *f, const json_t *a)
{
	out_form(f, a, "array   <{name}, >allocated at {file}:{line}");
	if (out_int(a, "nth"))
		fprintf(f, ", number %lld", (long long)out_int(a, "nth") + 1);
	out_form(f, a, "\n          {mark}\n<          or {others}\n>");
}

void out_text_annotation(FILE *f, const json_t *a)
{
	const json_t *arrays = out_get(a, "arrays"), *loops = out_get(a, "loops"), *e;
	size_t i, marked = 0;

	json_array_foreach (arrays, i, e)
		if (*out_str(e, "mark"))
			put_array(f, e);
	json_array_foreach (loops, i, e) {
		if (!*out_str(e, "mark"))
			continue;
		marked++;
		out_form(f, e, "loop    {file}:{line}  {mark}<\n          {iteration}>\n");
	}
	json_array_foreach (arrays, i, e)
		if (!*out_str(e, "mark"))
			out_form(f, e, "left out: <{name}, >allocated at {file}:{line}: {left-out}\n");
	if (*out_str(a, "patch"))
		fprintf(f, "patch: %s; patch -p0 < %s puts the marks into the source\n",
			out_str(a, "patch"), out_str(a, "patch"));
	else
		fputs("no array was found whose parts make up one array on all numbers of ranks\n", f);
}
