/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/rule.h"

#include <string.h>

#include "common/buf.h"

void rule_put(const struct rule *r, struct buf *b)
{
	buf_put_u32(b, r->id);
	buf_put_u8(b, r->kind);
	buf_put_u32(b, r->count);
	point_put(&r->point, b);
	point_put(&r->from, b);
	buf_put_u32(b, r->line);
	buf_put_u64(b, r->vaddr);
	buf_put_str(b, r->file);
}

int rule_get(struct rule *r, struct buf *b)
{
	const char *file;
	size_t len;

	*r = (struct rule){ 0 };
	r->id = buf_get_u32(b);
	r->kind = buf_get_u8(b);
	r->count = buf_get_u32(b);
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

void plan_put(const struct plan *p, struct buf *b)
{
	buf_put_u32(b, p->gen);
	buf_put_u8(b, p->mode);
	buf_put_u32(b, p->n);
	point_put(&p->target, b);
}

int plan_get(struct plan *p, struct buf *b)
{
	*p = (struct plan){ 0 };
	p->gen = buf_get_u32(b);
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
