/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/rule.h"

#include <string.h>

/* The numbers of two sets of ranks. */
static void sets_code(struct codec *c, uint16_t *set, uint16_t *stop)
{
	codec_u16(c, set);
	codec_u16(c, stop);
}

int rule_code(struct codec *c, struct rule *r)
{
	codec_u32(c, &r->id);
	codec_below(c, &r->kind, RULE_ADDR + 1);
	codec_u32(c, &r->count);
	sets_code(c, &r->set, &r->stop);
	codec_below(c, &r->niter, RULE_ITERS + 1);
	codec_u8(c, &r->any);
	codec_i64s(c, r->iter, r->niter);
	point_code(c, &r->point);
	point_target_code(c, &r->from);
	codec_u32(c, &r->line);
	codec_u64(c, &r->vaddr);
	codec_text_in(c, r->file, sizeof(r->file));
	return codec_end(c);
}

int watch_code(struct codec *c, struct watch *w)
{
	codec_u32(c, &w->id);
	sets_code(c, &w->set, &w->stop);
	point_target_code(c, &w->start);
	codec_below(c, &w->ndim, ARRAY_DIMS + 1);
	for (unsigned d = 0; d < w->ndim; d++) {
		codec_i64(c, &w->first[d]);
		codec_i64(c, &w->last[d]);
		codec_i64(c, &w->step[d]);
		codec_check(c, w->step[d] > 0);
	}
	codec_text_in(c, w->name, sizeof(w->name));
	codec_check(c, *w->name);
	codec_flag(c, &w->native);
	return codec_end(c);
}

int plan_code(struct codec *c, struct plan *p)
{
	codec_u32(c, &p->gen);
	codec_u32(c, &p->since);
	codec_below(c, &p->mode, PLAN_TO + 1);
	codec_u32(c, &p->n);
	point_target_code(c, &p->target);
	return codec_end(c);
}

bool rule_file_matches(const char *file, const char *path)
{
	size_t nfile = strlen(file), npath = strlen(path);

	if (nfile == 0 || nfile > npath || strcmp(path + npath - nfile, file))
		return false;
	return nfile == npath || path[npath - nfile - 1] == '/';
}
