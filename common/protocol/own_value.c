/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/own_value.h"

#include <string.h>

#include "common/array/values.h"
#include "common/core/err.h"
#include "common/logical/rankset.h"

static const char *const names[OWN_VALUES] = { "$rank", "$nranks", "$iteration", "$point" };

enum own_value own_value_find(const char *name, struct err *err)
{
	for (unsigned i = 0; i < OWN_VALUES; i++)
		if (!strcmp(names[i], name))
			return (enum own_value)i;
	err_set(err, "there is no value '%.100s'; there are $rank, $nranks, $iteration and $point",
		name);
	return OWN_VALUES;
}

/* The innermost frame that is in an iteration; NULL: none is. */
static const struct report_frame *iterating(const struct report_stack *s)
{
	for (uint32_t i = s ? s->n : 0; i-- > 0;)
		if (s->frame[i].nidx)
			return &s->frame[i];
	return NULL;
}

int own_value_add(enum own_value which, const struct rankset *ranks, int64_t number,
		  const struct report_stack *stack, struct values *out, struct err *err)
{
	const struct report_frame *f = which == OWN_ITERATION ? iterating(stack) : NULL;
	const int64_t *from = f ? f->idx : &number;
	unsigned ndim = f && f->nidx > 1;
	char text[64];

	rankset_format(ranks, text, sizeof(text));
	if (which == OWN_ITERATION && !f)
		return err_set(err, "$iteration: %s: in no iteration", text);
	if (which == OWN_POINT && !number)
		return err_set(err, "$point: %s: no point has been passed", text);
	if (out->n && (out->ndim != ndim || (ndim && out->count[0] != f->nidx)))
		return err_set(err, "$iteration: %s: in a loop of other dimensions than the others",
			       text);
	*out = (struct values){ .type = VALUE_LONG,
				.elem_size = 8,
				.ndim = ndim,
				.count[0] = f ? f->nidx : 0,
				.group = out->group,
				.n = out->n };
	return values_add(out, ranks, from) ? err_set(err, "out of memory") : 0;
}
