/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/export/npy.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "common/core/parse.h"
#include "frontend/util/xalloc.h"

#define MAGIC "\x93NUMPY"
#define MAGIC_LEN 6
#define ALIGN 64
#define HEADER_MOST 65535

struct npy {
	FILE *f;
	char *path, *part; /* part: what is written, renamed in the end; NULL when reading */
	unsigned type, ndim;
	int64_t extent[ARRAY_DIMS];
	int fortran;
	bool swapped; /* the file has the other byte order */
	uint64_t total, done;
	off_t data; /* where elements begin */
};

/* Kind letter and bytes of our types, as in numpy's array interface. */
static const struct {
	char kind;
	uint8_t size;
} descr[VALUE_TYPES] = {
	[VALUE_CHAR] = { 'i', 1 },     [VALUE_INT] = { 'i', 4 },      [VALUE_LONG] = { 'i', 8 },
	[VALUE_FLOAT] = { 'f', 4 },    [VALUE_DOUBLE] = { 'f', 8 },   [VALUE_FCOMPLEX] = { 'c', 8 },
	[VALUE_DCOMPLEX] = { 'c', 16 }, [VALUE_LOGICAL] = { 'i', 4 }, [VALUE_LLONG] = { 'i', 8 },
	[VALUE_SCHAR] = { 'i', 1 },    [VALUE_UCHAR] = { 'u', 1 },    [VALUE_SHORT] = { 'i', 2 },
	[VALUE_USHORT] = { 'u', 2 },   [VALUE_UINT] = { 'u', 4 },     [VALUE_ULONG] = { 'u', 8 },
	[VALUE_BOOL] = { 'b', 1 },     [VALUE_POINTER] = { 'u', 8 },
};

static int total_of(struct npy *f, struct err *err)
{
	f->total = 1;
	for (unsigned d = 0; d < f->ndim; d++) {
		if (f->extent[d] < 0 ||
		    (f->extent[d] && f->total > (uint64_t)INT64_MAX / 32 / (uint64_t)f->extent[d]))
			return err_set(err, "%s: the extent of dimension %u, %" PRId64
				       ", is not valid", f->path, d + 1, f->extent[d]);
		f->total *= (uint64_t)f->extent[d];
	}
	return 0;
}

static void npy_free(struct npy *f)
{
	if (f->f)
		fclose(f->f);
	free(f->path);
	free(f->part);
	free(f);
}

void npy_abandon(struct npy *f)
{
	if (!f)
		return;
	if (f->part)
		unlink(f->part);
	npy_free(f);
}

/* Text of a header: the dictionary, padded so that elements are aligned. */
static int put_header(struct npy *f)
{
	char text[600];
	size_t len, padded;
	int n = snprintf(text, sizeof(text), "{'descr': '%c%c%u', 'fortran_order': %s, 'shape': (",
			 descr[f->type].size == 1 ? '|' : '<', descr[f->type].kind,
			 descr[f->type].size, f->fortran ? "True" : "False");

	for (unsigned d = 0; d < f->ndim; d++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%" PRId64 "%s", f->extent[d],
			      f->ndim == 1 ? "," : d + 1 < f->ndim ? ", " : "");
	n += snprintf(text + n, sizeof(text) - (size_t)n, "), }");
	len = MAGIC_LEN + 4 + (size_t)n + 1;
	padded = (len + ALIGN - 1) / ALIGN * ALIGN - MAGIC_LEN - 4;
	fprintf(f->f, MAGIC "%c%c%c%c%-*s\n", 1, 0, (int)(padded & 255), (int)(padded >> 8),
		(int)padded - 1, text);
	return ferror(f->f) ? -1 : 0;
}

struct npy *npy_create(const char *path, unsigned type, unsigned ndim, const int64_t *extent,
		       int fortran, struct err *err)
{
	struct npy *f;

	if (type >= VALUE_TYPES || !descr[type].size || ndim > ARRAY_DIMS) {
		err_set(err, "%s: elements of type %s cannot be saved", path,
			value_type_name(type));
		return NULL;
	}
	f = xcalloc(1, sizeof(*f));
	f->path = xstrdup(path);
	f->part = xasprintf("%s.part-%d", path, getpid());
	f->type = type;
	f->ndim = ndim;
	f->fortran = fortran != 0;
	if (ndim)
		memcpy(f->extent, extent, ndim * sizeof(*extent));
	if (total_of(f, err))
		goto fail;
	f->f = fopen(f->part, "wbe");
	if (!f->f || put_header(f)) {
		err_set_code(err, ERR_FILE, "%s: %s", path, strerror(errno));
		goto fail;
	}
	return f;
fail:
	npy_abandon(f);
	return NULL;
}

int npy_write(struct npy *f, const void *elements, size_t count, struct err *err)
{
	if (count > f->total - f->done)
		return err_set(err, "%s: more elements than its shape has", f->path);
	if (fwrite(elements, descr[f->type].size, count, f->f) != count)
		return err_set(err, "%s: %s", f->path, strerror(errno));
	f->done += count;
	return 0;
}

int npy_close(struct npy *f, struct err *err)
{
	int rc = 0;

	if (f->part && f->done != f->total)
		rc = err_set(err, "%s: %" PRIu64 " of %" PRIu64 " elements were written", f->path,
			     f->done, f->total);
	if (fclose(f->f) && f->part && !rc)
		rc = err_set(err, "%s: %s", f->path, strerror(errno));
	f->f = NULL;
	if (f->part && !rc && rename(f->part, f->path))
		rc = err_set(err, "%s: %s", f->path, strerror(errno));
	if (f->part && rc)
		unlink(f->part);
	npy_free(f);
	return rc;
}

/* What stands behind 'key': in the dictionary; NULL when it is not there. */
static const char *value_of(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	if (!p)
		return NULL;
	p += strlen(key);
	p += strspn(p, "'\" ");
	if (*p != ':')
		return NULL;
	p++;
	return p + strspn(p, " ");
}

static int read_descr(struct npy *f, const char *p, struct err *err)
{
	char order, kind;
	unsigned size;

	if (!p || (*p != '\'' && *p != '"') ||
	    sscanf(p + 1, "%c%c%2u", &order, &kind, &size) != 3 || !strchr("<>|=", order))
		return err_set(err, "%s: the type of the elements is unknown", f->path);
	for (unsigned t = 0; t < VALUE_TYPES; t++) {
		/* char comes first, but signed char says what is meant */
		if (descr[t].kind != kind || descr[t].size != size || t == VALUE_CHAR)
			continue;
		f->type = t;
		f->swapped = order == '>';
		return 0;
	}
	return err_set(err, "%s: elements of type %c%u are not supported", f->path, kind, size);
}

static int read_shape(struct npy *f, const char *p, struct err *err)
{
	if (!p || *p != '(')
		return err_set(err, "%s: the header has no shape", f->path);
	for (p++; *p && *p != ')';) {
		p += strspn(p, " ,");
		if (*p == ')')
			break;
		if (!isdigit((unsigned char)*p) || f->ndim == ARRAY_DIMS)
			return err_set(err, "%s: a shape of at most %d numbers is needed", f->path,
				       ARRAY_DIMS);
		if (parse_int_at(&p, &f->extent[f->ndim++]))
			return err_set(err, "%s: an extent is too large", f->path);
	}
	return *p == ')' ? total_of(f, err) : err_set(err, "%s: the shape has no end", f->path);
}

static int read_header(struct npy *f, struct err *err)
{
	unsigned char head[MAGIC_LEN + 6];
	size_t more = 2, len;
	const char *order;
	char *text;
	int rc;

	if (fread(head, 1, MAGIC_LEN + 4, f->f) != MAGIC_LEN + 4 || memcmp(head, MAGIC, MAGIC_LEN))
		return err_set(err, "%s is not a .npy file", f->path);
	if (head[MAGIC_LEN] < 1 || head[MAGIC_LEN] > 3)
		return err_set(err,
			       "%s: version %u of the format is not supported; 1 to 3 "
			       "are",
			       f->path, head[MAGIC_LEN]);
	len = head[MAGIC_LEN + 2] | (size_t)head[MAGIC_LEN + 3] << 8;
	if (head[MAGIC_LEN] > 1) {
		if (fread(head + MAGIC_LEN + 4, 1, more, f->f) != more)
			return err_set(err, "%s: the header is cut off", f->path);
		len |= (size_t)head[MAGIC_LEN + 4] << 16 | (size_t)head[MAGIC_LEN + 5] << 24;
	}
	if (len > HEADER_MOST)
		return err_set(err, "%s: its header of %zu bytes is too long", f->path, len);
	text = xcalloc(len + 1, 1);
	if (fread(text, 1, len, f->f) != len) {
		free(text);
		return err_set(err, "%s: the header is cut off", f->path);
	}
	order = value_of(text, "fortran_order");
	f->fortran = order && !strncmp(order, "True", 4);
	rc = read_descr(f, value_of(text, "descr"), err);
	if (!rc)
		rc = read_shape(f, value_of(text, "shape"), err);
	free(text);
	f->data = ftello(f->f);
	return rc;
}

struct npy *npy_open(const char *path, struct err *err)
{
	struct npy *f = xcalloc(1, sizeof(*f));

	f->path = xstrdup(path);
	f->f = fopen(path, "rbe");
	if (!f->f)
		err_set(err, "%s: %s", path, strerror(errno));
	else if (!read_header(f, err))
		return f;
	npy_free(f);
	return NULL;
}

unsigned npy_type(const struct npy *f)
{
	return f->type;
}

unsigned npy_ndim(const struct npy *f)
{
	return f->ndim;
}

const int64_t *npy_extent(const struct npy *f)
{
	return f->extent;
}

int npy_fortran(const struct npy *f)
{
	return f->fortran;
}

static void swap_bytes(unsigned char *p, size_t size, size_t count)
{
	for (size_t i = 0; i < count; i++, p += size) {
		for (size_t k = 0; k < size / 2; k++) {
			unsigned char t = p[k];

			p[k] = p[size - 1 - k];
			p[size - 1 - k] = t;
		}
	}
}

int npy_read(struct npy *f, uint64_t at, void *elements, size_t count, struct err *err)
{
	size_t size = descr[f->type].size;
	bool complex = descr[f->type].kind == 'c';

	if (at > f->total || count > f->total - at)
		return err_set(err, "%s has %" PRIu64 " elements", f->path, f->total);
	if (fseeko(f->f, f->data + (off_t)(at * size), SEEK_SET) ||
	    fread(elements, size, count, f->f) != count)
		return err_set(err, "%s is cut off: it ends before element %" PRIu64, f->path,
			       at + count);
	if (f->swapped)
		swap_bytes(elements, complex ? size / 2 : size, complex ? 2 * count : count);
	return 0;
}
