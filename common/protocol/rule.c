/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/protocol/rule.h"

#include <string.h>

#include "common/core/buf.h"

void rule_put(const struct rule *r, struct buf *b)
{
	buf_put_u32(b, r->id);
	buf_put_u8(b, r->kind);
	buf_put_u32(b, r->count);
	buf_put_u32(b, (uint32_t)r->stop << 16 | r->set);
	buf_put_u8(b, r->niter);
	buf_put_u8(b, r->any);
	for (unsigned i = 0; i < r->niter; i++)
		buf_put_u64(b, (uint64_t)r->iter[i]);
	point_put(&r->point, b);
	point_put(&r->from, b);
	buf_put_u32(b, r->line);
	buf_put_u64(b, r->vaddr);
	buf_put_str(b, r->file);
}

int rule_get(struct rule *r, struct buf *b)
{
	const char *file;
	uint32_t sets;
	size_t len;

	*r = (struct rule){ 0 };
	r->id = buf_get_u32(b);
	r->kind = buf_get_u8(b);
	r->count = buf_get_u32(b);
	sets = buf_get_u32(b);
	r->set = (uint16_t)sets;
	r->stop = (uint16_t)(sets >> 16);
	r->niter = buf_get_u8(b);
	r->any = buf_get_u8(b);
	if (r->niter > RULE_ITERS) {
		b->bad = true;
		return -1;
	}
	for (unsigned i = 0; i < r->niter; i++)
		r->iter[i] = (int64_t)buf_get_u64(b);
	point_get(&r->point, b);
	point_get(&r->from, b);
	r->line = buf_get_u32(b);
	r->vaddr = buf_get_u64(b);
	file = buf_get_str(b);
	len = strlen(file);
	if (r->kind > RULE_ADDR || len >= RULE_FILE)
		b->bad = true;
	if (b->bad)
		return -1;
	memcpy(r->file, file, len + 1);
	return 0;
}

void watch_put(const struct watch *w, struct buf *b)
{
	buf_put_u32(b, w->id);
	buf_put_u32(b, (uint32_t)w->stop << 16 | w->set);
	buf_put_u8(b, w->ndim);
	for (unsigned d = 0; d < w->ndim; d++) {
		buf_put_u64(b, (uint64_t)w->first[d]);
		buf_put_u64(b, (uint64_t)w->last[d]);
		buf_put_u64(b, (uint64_t)w->step[d]);
	}
	buf_put_str(b, w->name);
}

int watch_get(struct watch *w, struct buf *b)
{
	const char *name;
	uint32_t sets;
	size_t len;

	*w = (struct watch){ 0 };
	w->id = buf_get_u32(b);
	sets = buf_get_u32(b);
	w->set = (uint16_t)sets;
	w->stop = (uint16_t)(sets >> 16);
	w->ndim = buf_get_u8(b);
	if (w->ndim > ARRAY_DIMS)
		b->bad = true;
	for (unsigned d = 0; d < w->ndim && !b->bad; d++) {
		w->first[d] = (int64_t)buf_get_u64(b);
		w->last[d] = (int64_t)buf_get_u64(b);
		w->step[d] = (int64_t)buf_get_u64(b);
		if (w->step[d] < 1)
			b->bad = true;
	}
	name = buf_get_str(b);
	len = strlen(name);
	if (!len || len >= RULE_FILE)
		b->bad = true;
	if (b->bad)
		return -1;
	memcpy(w->name, name, len + 1);
	return 0;
}

void plan_put(const struct plan *p, struct buf *b)
{
	buf_put_u32(b, p->gen);
	buf_put_u32(b, p->since);
	buf_put_u8(b, p->mode);
	buf_put_u32(b, p->n);
	point_put(&p->target, b);
}

int plan_get(struct plan *p, struct buf *b)
{
	*p = (struct plan){ 0 };
	p->gen = buf_get_u32(b);
	p->since = buf_get_u32(b);
	p->mode = buf_get_u8(b);
	p->n = buf_get_u32(b);
	point_get(&p->target, b);
	if (p->mode > PLAN_TO)
		b->bad = true;
	return b->bad ? -1 : 0;
}

bool rule_file_matches(const char *file, const char *path)
{
	size_t nfile = strlen(file), npath = strlen(path);

	if (nfile == 0 || nfile > npath || strcmp(path + npath - nfile, file))
		return false;
	return nfile == npath || path[npath - nfile - 1] == '/';
}
