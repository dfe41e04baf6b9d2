/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * References and saved arrays, as files that anybody may have written. The first byte chooses what
 * the others are: a point; manifest.json; sums.bin; a block of sums.bin that is whole, its list and
 * its points; a .npy file. What is read is compared, too, with itself and with a good point.
 */
#include "tests/fuzz/fuzz.h"

#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "common/array/array.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/array/value.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/export/npy.h"
#include "frontend/reference/reference.h"
#include "frontend/reference/internal.h"

enum { A_POINT, A_MANIFEST, A_FILE, A_BLOCK, AN_ARRAY, KINDS };

static char dir[] = "fuzz-reference-XXXXXX";
static struct sums_point *good;

/* dir/name; overwritten by the next. */
static const char *path_of(const char *name)
{
	static char path[80];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void clean_up(void)
{
	static const char *const files[] = { "m/manifest.json", "m/sums.bin", "s/manifest.json",
					     "s/sums.bin",	"a.npy",      NULL };

	for (size_t i = 0; files[i]; i++)
		unlink(path_of(files[i]));
	rmdir(path_of("m"));
	rmdir(path_of("s"));
	rmdir(dir);
	sums_point_destroy(good);
	good = NULL;
}

static struct sum *sum_of(unsigned type, unsigned ndim, int64_t n, const void *v)
{
	struct sum_plan plan;
	struct sum *s;

	FUZZ_CHECK(!sum_plan_make(&plan, ndim, &n, type, 0, NULL));
	s = sum_create(&plan, NULL);
	FUZZ_CHECK(s && !sum_add(s,
				 &(struct layout){ .data = v,
						   .count = { n },
						   .stride = { (int64_t)value_size(type) } },
				 NULL));
	return s;
}

static struct sum_result *result(unsigned type, unsigned ndim, int64_t n, const void *v)
{
	struct sum *s = sum_of(type, ndim, n, v);
	struct sum_result *r = sum_finish(s, NULL);

	FUZZ_CHECK(r);
	sum_destroy(s);
	return r;
}

static void add_copy(struct sums_array *a, double v, uint32_t rank)
{
	struct sum *s = sum_of(VALUE_DOUBLE, 0, 1, &v);
	struct rankset ranks = { 0 };
	struct buf b = BUF_INIT;

	sum_put(s, &b);
	FUZZ_CHECK(!rankset_add(&ranks, rank, rank) &&
		   !groups_add(&a->copies, &ranks, b.data, b.len));
	sum_destroy(s);
	rankset_clear(&ranks);
	buf_clear(&b);
}

/* An array in two blocks, integers, a scalar with two copies, and one that failed. */
static struct sums_point *make_point(struct point at)
{
	static const char *const names[] = { "dt", "n", "u", "w" };
	struct sums_point *p = calloc(1, sizeof(*p));
	double v[128] = { 1, -2 };

	FUZZ_CHECK(p && (p->array = calloc(4, sizeof(*p->array))));
	p->point = at;
	p->kind = CONSTRUCT_PL;
	p->where = strdup("heat.c:61");
	p->func = strdup("main");
	for (p->n = 0; p->n < 4; p->n++) {
		struct sums_array *a = &p->array[p->n];

		*a = (struct sums_array){ .name = strdup(names[p->n]),
					  .file = strdup("heat.c"),
					  .line = 12,
					  .order = 'C' };
		FUZZ_CHECK(!rankset_add(&a->ranks, 0, 1));
	}
	p->array[0].kind = ARRAY_REPLICATED;
	p->array[0].sum = result(VALUE_DOUBLE, 0, 1, v);
	add_copy(&p->array[0], 1, 0);
	add_copy(&p->array[0], 2, 1);
	p->array[1].sum = result(VALUE_INT, 1, 2, (int[]){ 3, 4 });
	p->array[2].sum = result(VALUE_DOUBLE, 1, 128, v);
	p->array[3].failed = strdup("1 of 3 elements");
	return p;
}

static void make_reference(const char *path)
{
	static char *const argv[] = { "./heat", "100", NULL };
	const struct reference_info info = { .program = "/x/heat",
					     .build_id = "00ff",
					     .version = "1",
					     .argv = argv,
					     .ranks = 2,
					     .trace_config.start = { .main = 1 } };
	struct reference *r = reference_create(path, &info, NULL);

	FUZZ_CHECK(r);
	for (uint32_t i = 1; i <= 2; i++) {
		struct sums_point *p = make_point((struct point){ i, 0, 0, POINT_END });

		FUZZ_CHECK(!reference_add(r, p, NULL));
		sums_point_destroy(p);
	}
	FUZZ_CHECK(!reference_finish(r, true, NULL));
	reference_destroy(r);
}

/* The files that an input is one of, once. */
static void prepare(void)
{
	if (good)
		return;
	FUZZ_CHECK(mkdtemp(dir));
	atexit(clean_up);
	good = make_point((struct point){ 1, 0, 0, POINT_END });
	make_reference(path_of("m"));
	make_reference(path_of("s"));
}

static void put_file(const char *name, const void *data, size_t size)
{
	FILE *f = fopen(path_of(name), "wb");

	FUZZ_CHECK(f && fwrite(data, 1, size, f) == size);
	FUZZ_CHECK(!fclose(f));
}

/* What is made of points must hold whatever they say. */
static void use_point(struct compare *c, const struct sums_point *p)
{
	struct sums_array x;
	char text[100];

	for (size_t i = 0; i < p->n; i++) {
		sums_array_id(&p->array[i], text, sizeof(text));
		FUZZ_CHECK(sums_point_find(p, &p->array[i]));
		x = p->array[i];
		compare_known(c, &x);
	}
	FUZZ_CHECK(compare_point(c, p, p) >= 0);
	FUZZ_CHECK(compare_point(c, good, p) >= 0);
	FUZZ_CHECK(compare_point(c, p, good) >= 0);
	FUZZ_CHECK(compare_missing(c, p, true) >= 0);
	for (size_t i = 0; i < compare_count(c); i++)
		FUZZ_CHECK(*compare_mismatch(c, i)->text);
}

static struct compare *comparison(void)
{
	struct compare *c =
		compare_create(&(struct compare_tolerance){ SUM_RELATIVE, -1, 1, true });

	FUZZ_CHECK(c);
	return c;
}

static void try_point(const uint8_t *data, size_t size)
{
	struct buf in = buf_view(data, size), once = BUF_INIT, twice = BUF_INIT, back;
	struct err err = { "" };
	struct sums_point *p = sums_point_get(&in, &err);
	struct compare *c;

	FUZZ_CHECK(p || *err.text);
	if (!p)
		return;
	sums_point_put(p, &once);
	c = comparison();
	use_point(c, p);
	compare_destroy(c);
	sums_point_destroy(p);
	back = buf_view(once.data, once.len);
	p = sums_point_get(&back, &err);
	FUZZ_CHECK(p && !buf_left(&back));
	sums_point_put(p, &twice);
	FUZZ_CHECK(once.len == twice.len && !memcmp(once.data, twice.data, once.len));
	sums_point_destroy(p);
	buf_clear(&once);
	buf_clear(&twice);
}

static bool same_point(const struct point *a, const struct point *b)
{
	return a->main == b->main && a->task == b->task && a->sub == b->sub && a->side == b->side;
}

static void try_reference(const char *name)
{
	struct err err = { "" };
	struct reference *r = reference_open(path_of(name), &err);
	struct compare *c;

	FUZZ_CHECK(r || *err.text);
	if (!r)
		return;
	FUZZ_CHECK(reference_info(r)->ranks && reference_info(r)->program &&
		   reference_info(r)->argv);
	c = comparison();
	for (size_t i = 0; i < reference_count(r); i++) {
		const struct sums_point *p = reference_at(r, i, &err);
		struct point at;

		FUZZ_CHECK(p || *err.text);
		if (!p)
			continue;
		use_point(c, p);
		at = p->point;
		p = reference_point(r, &at, &err);
		FUZZ_CHECK(p ? same_point(&p->point, &at) : *err.text);
	}
	FUZZ_CHECK(!reference_at(r, reference_count(r), NULL));
	compare_destroy(c);
	reference_destroy(r);
}

/* A file with one whole block: u8 how many points, their list, then the points. */
static void put_block(const uint8_t *data, size_t size)
{
	uint32_t n = size ? 1 + data[0] % 4 : 1;
	size_t list = n * (REFERENCE_POINT + 4), packed;
	static uint8_t bytes[1 << 14];
	unsigned char hash[REFERENCE_HASH];
	struct buf b = BUF_INIT;

	if (size < 1 + list)
		return;
	packed = ZSTD_compress(bytes, sizeof(bytes), data + 1 + list, size - 1 - list, 1);
	if (ZSTD_isError(packed))
		return;
	buf_put_u32(&b, REFERENCE_BLOCK_MAGIC);
	buf_put_u32(&b, n);
	buf_put_u32(&b, (uint32_t)(size - 1 - list));
	buf_put_u32(&b, (uint32_t)packed);
	buf_put_raw(&b, data + 1, list);
	buf_put_raw(&b, bytes, packed);
	crypto_generichash(hash, sizeof(hash), b.data, b.len, NULL, 0);
	b.len -= packed;
	buf_put_raw(&b, hash, sizeof(hash));
	buf_put_raw(&b, bytes, packed);
	{
		struct buf file = BUF_INIT;

		buf_put_raw(&file, REFERENCE_MAGIC, REFERENCE_HEAD);
		buf_put_raw(&file, b.data, b.len);
		put_file("s/sums.bin", file.data, file.len);
		buf_clear(&file);
	}
	buf_clear(&b);
	try_reference("s");
}

static void try_array(void)
{
	struct err err = { "" };
	struct npy *f = npy_open(path_of("a.npy"), &err);
	uint64_t total = 1;
	char bytes[64];

	FUZZ_CHECK(f || *err.text);
	if (!f)
		return;
	FUZZ_CHECK(npy_type(f) < VALUE_TYPES && npy_ndim(f) <= ARRAY_DIMS);
	for (unsigned d = 0; d < npy_ndim(f); d++) {
		FUZZ_CHECK(npy_extent(f)[d] >= 0);
		total *= (uint64_t)npy_extent(f)[d];
	}
	FUZZ_CHECK(!npy_read(f, 0, bytes, 0, &err));
	if (total && npy_read(f, total - 1, bytes, 1, &err))
		FUZZ_CHECK(strstr(err.text, "cut off"));
	FUZZ_CHECK(npy_read(f, total, bytes, 1, &err));
	FUZZ_CHECK(!npy_close(f, &err));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	prepare();
	switch (data[0] % KINDS) {
	case A_POINT:
		try_point(data + 1, size - 1);
		break;
	case A_MANIFEST:
		put_file("m/manifest.json", data + 1, size - 1);
		try_reference("m");
		break;
	case A_FILE:
		put_file("s/sums.bin", data + 1, size - 1);
		try_reference("s");
		break;
	case A_BLOCK:
		put_block(data + 1, size - 1);
		break;
	default:
		put_file("a.npy", data + 1, size - 1);
		try_array();
	}
	return 0;
}

#ifdef FUZZ_MAIN

static void seed_file(const char *name, struct buf *out)
{
	char bytes[FUZZ_MOST];
	FILE *f = fopen(path_of(name), "rb");

	FUZZ_CHECK(f);
	buf_put_raw(out, bytes, fread(bytes, 1, sizeof(bytes), f));
	fclose(f);
}

static void seed_block(struct buf *out)
{
	struct buf points = BUF_INIT;

	buf_put_u8(out, 1); /* two */
	for (uint32_t i = 1; i <= 2; i++) {
		struct sums_point *p = make_point((struct point){ i, 0, 0, POINT_BEGIN });

		buf_put_u32(out, i);
		buf_put_u32(out, 0);
		buf_put_u32(out, 0);
		buf_put_u32(out, POINT_BEGIN);
		buf_put_u32(out, (uint32_t)points.len);
		sums_point_put(p, &points);
		sums_point_destroy(p);
	}
	buf_put_raw(out, points.data, points.len);
	buf_clear(&points);
}

static void seed_npy(const char *dictionary, struct buf *out)
{
	static const char magic[] = "\x93NUMPY\1";

	buf_put_raw(out, magic, sizeof(magic));
	buf_put_u16(out, (uint16_t)strlen(dictionary));
	buf_put_raw(out, dictionary, strlen(dictionary));
	buf_put_raw(out, (double[4]){ 1 }, sizeof(double[4]));
}

/* The files are read when they are as they were made. */
static bool fuzz_seed(unsigned i, struct buf *out)
{
	static struct buf file[2];

	if (!good) {
		prepare();
		seed_file("m/manifest.json", &file[0]);
		seed_file("s/sums.bin", &file[1]);
	}
	if (i >= 7)
		return false;
	buf_put_u8(out, (uint8_t)(i < KINDS ? i : AN_ARRAY));
	if (i == A_POINT)
		sums_point_put(good, out);
	else if (i == A_MANIFEST || i == A_FILE)
		buf_put_raw(out, file[i == A_FILE].data, file[i == A_FILE].len);
	else if (i == A_BLOCK)
		seed_block(out);
	else if (i == AN_ARRAY)
		seed_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n", out);
	else if (i == 5)
		seed_npy("{'shape': (1,), 'descr': '>c16', 'fortran_order': True}\n", out);
	else
		seed_npy("{'descr': '|i1', 'fortran_order': False, 'shape': (288230376151711743,)}",
			 out);
	return true;
}
#endif
