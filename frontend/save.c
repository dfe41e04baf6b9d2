/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/save.h"

#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/value.h"
#include "frontend/npy.h"
#include "frontend/pieces.h"
#include "frontend/save_text.h"

struct saving {
	struct npy *file;
	const struct pieces *p;
	bool fortran;
};

/* The elements with the first dimension fastest; to be freed. */
static unsigned char *turned(const unsigned char *in, unsigned ndim, const uint64_t *count,
			     size_t size)
{
	uint64_t stride[ARRAY_DIMS], i[ARRAY_DIMS] = { 0 }, total = 1;
	unsigned char *out;

	for (unsigned d = ndim; d--;) {
		stride[d] = total;
		total *= count[d];
	}
	out = malloc(total * size);
	for (uint64_t k = 0; out && k < total; k++) {
		uint64_t at = 0;

		for (unsigned d = 0; d < ndim; d++)
			at += i[d] * stride[d];
		memcpy(out + k * size, in + at * size, size);
		for (unsigned d = 0; d < ndim && ++i[d] == count[d]; d++)
			i[d] = 0;
	}
	return out;
}

static int take(void *arg, const void *elements, const uint64_t *count, struct err *err)
{
	const struct saving *s = arg;
	unsigned ndim = s->p->section.ndim;
	unsigned char *other = NULL;
	uint64_t total = 1;
	int rc;

	for (unsigned d = 0; d < ndim; d++)
		total *= count[d];
	if (s->fortran && ndim > 1) {
		other = turned(elements, ndim, count, value_size(s->p->type));
		if (!other)
			return err_set(err, "out of memory");
	}
	rc = npy_write(s->file, other ? other : elements, (size_t)total, err);
	free(other);
	return rc;
}

static void describe(const struct pieces *p, struct saved *out)
{
	*out = (struct saved){ .type = p->type,
			       .order = p->desc.order,
			       .elements = section_total(&p->section) };
	for (unsigned d = 0; d < p->section.ndim; d++)
		if (!p->section.dim[d].scalar)
			out->extent[out->ndim++] = (int64_t)section_count(&p->section, d);
}

int save_array(struct session *s, const char *name, const struct section *sec,
	       const struct rankset *who, const char *path, struct saved *out, struct err *err)
{
	struct saving saving = { 0 };
	struct pieces p;
	int rc;

	if (pieces_find(&p, s, name, sec, who, err))
		return -1;
	describe(&p, out);
	if (save_text_wanted(path)) {
		rc = save_text(&p, path, err);
		pieces_clear(&p);
		return rc;
	}
	saving.p = &p;
	saving.fortran = p.desc.order == 'F';
	saving.file = npy_create(path, out->type, out->ndim, out->extent, saving.fortran, err);
	rc = saving.file ? pieces_fetch(&p, saving.fortran, take, &saving, err) : -1;
	if (!rc)
		rc = npy_close(saving.file, err);
	else
		npy_abandon(saving.file);
	pieces_clear(&p);
	return rc;
}
