/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/tracefile/tracefile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/protocol/trace_config.h"
#include "common/tracefile/internal.h"
#include "tests/unit/set.h"
#include "tests/unit/trace_help.h"

#define BLOCKS 5

static char top[] = "/tmp/test-trace-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[2][300];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[0]), "%s/%s", top, name);
	return path[turn];
}

static unsigned char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	unsigned char *bytes = malloc(1 << 20);

	assert_non_null(f);
	*n = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static struct trace_reader *open_good(const char *path)
{
	struct err err = { "" };
	struct trace_reader *m = trace_reader_open(path, &err);

	if (!m)
		fail_msg("%s", err.text);
	return m;
}

/* Block i is the one that was written. */
static void check_block(const struct trace_reader *m, size_t i, const char *text)
{
	struct err err = { "" };
	struct trace_block *b = trace_reader_block(m, i, &err), want;

	if (!b)
		fail_msg("%s%s", text, err.text);
	trace_help_block_at(&want, (unsigned)i);
	assert_int_equal(b->ndata, want.ndata);
	assert_memory_equal(b->data, want.data, want.ndata);
	assert_int_equal(b->info.seq, i);
	trace_block_clear(&want);
	trace_block_free(b);
}

static void test_whole(void **state)
{
	const char *path = path_of("whole");
	const struct trace_meta *meta;
	const struct trace_info *i;
	struct trace_reader *m;
	struct err err;

	trace_help_file(path, BLOCKS, true);
	m = open_good(path);
	meta = trace_reader_meta(m);
	assert_int_equal(meta->rank, 1);
	assert_int_equal(meta->ranks, 4);
	assert_int_equal(meta->level, TRACE_CONFIG_FULL);
	assert_int_equal(meta->start.main, 1);
	assert_int_equal(meta->finish.main, 0);
	assert_int_equal(meta->seconds, 1000000000);
	assert_string_equal(meta->program, "/bin/prog");
	assert_string_equal(meta->build_id, "00ff");
	assert_string_equal(meta->version, "9.9");
	assert_string_equal(meta->origin, "");
	assert_true(trace_reader_complete(m));
	assert_string_equal(trace_reader_note(m), "");
	assert_int_equal(trace_reader_blocks(m), BLOCKS);
	for (size_t k = 0; k < BLOCKS; k++)
		check_block(m, k, "");
	i = trace_reader_info(m, 2);
	assert_int_equal(i->rank, 1);
	assert_int_equal(i->first.main, 20);
	assert_int_equal(i->last.main, 21);
	assert_int_equal(i->last.side, POINT_END);
	assert_int_equal(i->records, 4 * 25 + 2);
	assert_int_equal(i->count[TRACE_READ], 4 * 24);
	assert_int_equal(i->boxed, 2);
	assert_true(i->lo[0] == 2 && i->hi[0] == 5 && i->lo[1] == -5 && i->hi[1] == -2);
	assert_true(i->packed && i->packed < i->raw);
	assert_null(trace_reader_info(m, BLOCKS));
	assert_null(trace_reader_block(m, BLOCKS, &err));
	assert_non_null(strstr(err.text, "has 5 blocks"));
	trace_reader_close(m);
}

/* Blocks come in the order in which they were closed, with an index and without; one that has no
 * number stays where it is. */
static void test_order(void **state)
{
	static const unsigned order[BLOCKS] = { 1, 3, 2, 4, 0 };
	struct trace_writer *f = trace_writer_create(path_of("order"), &trace_help_meta, NULL);
	unsigned char *bytes;
	struct trace_reader *m;
	size_t n;

	for (unsigned i = 0; i < BLOCKS; i++) {
		struct trace_block b;

		trace_help_block_at(&b, order[i]);
		assert_int_equal(trace_writer_put(f, &b, NULL), 0);
		trace_block_clear(&b);
	}
	assert_int_equal(trace_writer_close(f, true, NULL), 0);
	bytes = read_file(path_of("order"), &n);
	write_file(path_of("noindex"), bytes, n - TRACE_TAIL);
	free(bytes);
	for (unsigned k = 0; k < 2; k++) {
		m = open_good(path_of(k ? "noindex" : "order"));
		assert_int_equal(trace_reader_blocks(m), BLOCKS);
		for (size_t i = 0; i + 1 < BLOCKS; i++)
			assert_int_equal(trace_reader_info(m, i)->seq, i + 1);
		assert_int_equal(trace_reader_info(m, BLOCKS - 1)->seq, 0);
		trace_reader_close(m);
	}
	unlink(path_of("order"));
	unlink(path_of("noindex"));
}

static void test_all_records(void **state)
{
	struct trace_writer *f = trace_writer_create(path_of("all"), &trace_help_meta, NULL);
	struct trace_block b, *back;
	struct trace_reader *m;

	trace_help_block(&b);
	trace_writer_effort(f, 19);
	assert_int_equal(trace_writer_put(f, &b, NULL), 0);
	assert_int_equal(trace_writer_close(f, true, NULL), 0);
	m = open_good(path_of("all"));
	back = trace_reader_block(m, 0, NULL);
	assert_non_null(back);
	trace_help_check(back);
	assert_int_equal(back->info.thread, 2);
	assert_true(back->info.lo[1] == INT64_MIN);
	trace_block_free(back);
	trace_block_clear(&b);
	trace_reader_close(m);
}

/* One that was not ended as it should. */
static void test_not_ended(void **state)
{
	struct trace_reader *m;

	trace_help_file(path_of("open"), 0, false);
	m = open_good(path_of("open"));
	assert_false(trace_reader_complete(m));
	assert_string_equal(trace_reader_note(m), "");
	assert_int_equal(trace_reader_blocks(m), 0);
	trace_reader_close(m);
}

/* Cut at any byte, the blocks before are there. */
static void test_cut(void **state)
{
	uint64_t end[BLOCKS + 1], head;
	unsigned char *bytes;
	struct trace_reader *m;
	struct err err;
	size_t size, k, step;

	trace_help_file(path_of("whole"), BLOCKS, true);
	bytes = read_file(path_of("whole"), &size);
	m = open_good(path_of("whole"));
	for (k = 0; k < BLOCKS; k++)
		end[k] = trace_reader_info(m, k)->offset;
	head = end[0];
	for (k = 0; k < BLOCKS - 1; k++)
		end[k] = end[k + 1];
	trace_reader_close(m);
	for (size_t n = 0; n < size; n += step) {
		step = n > head + 7 ? in_set_times(1, 1, 3) : 1;
		write_file(path_of("cut"), bytes, n);
		m = trace_reader_open(path_of("cut"), &err);
		if (n < head) {
			assert_null(m);
			assert_non_null(strstr(err.text, n < 20 ? "is empty or not a trace"
								: "is cut off in its head"));
			continue;
		}
		assert_non_null(m);
		assert_false(trace_reader_complete(m));
		for (k = 0; k < BLOCKS - 1 && n >= end[k];)
			k++;
		if (n < end[BLOCKS - 2] || trace_reader_blocks(m) == BLOCKS - 1)
			assert_int_equal(trace_reader_blocks(m), k);
		else
			assert_int_equal(trace_reader_blocks(m), BLOCKS);
		if (trace_reader_blocks(m))
			check_block(m, trace_reader_blocks(m) - 1, "");
		if (n == head + 7)
			assert_non_null(strstr(trace_reader_note(m), "only the 0 blocks before"));
		trace_reader_close(m);
	}
	free(bytes);
}

/* A byte that changed is seen where it matters, and nowhere else. */
static void test_damaged(void **state)
{
	unsigned char *bytes;
	size_t size, lost = 0, step;
	struct trace_reader *m;
	struct err err;

	trace_help_file(path_of("whole"), 2, true);
	bytes = read_file(path_of("whole"), &size);
	for (size_t n = 0; n < size; n += step) {
		step = n > 200 ? in_set_times(1, 1, 3) : 1;
		bytes[n] ^= 0x41;
		write_file(path_of("bad"), bytes, size);
		bytes[n] ^= 0x41;
		m = trace_reader_open(path_of("bad"), &err);
		if (!m) {
			assert_true(n < 200 && *err.text);
			continue;
		}
		for (size_t i = 0; i < trace_reader_blocks(m); i++) {
			struct trace_block *b = trace_reader_block(m, i, &err);

			if (b) {
				trace_block_free(b);
				check_block(m, i, "");
			} else {
				assert_non_null(strstr(err.text, "is damaged"));
				lost += step;
			}
		}
		trace_reader_close(m);
	}
	/* nearly all bytes are of the two blocks; the index is not looked for when it is bad */
	assert_true(lost > size / 2 && lost < size);
	free(bytes);
}

/* An index of one entry for a file of two blocks, with all hashes as they have to be. */
static void lie(const unsigned char *bytes, size_t end, uint64_t offset, uint32_t n)
{
	struct buf content = BUF_INIT, piece = BUF_INIT;
	unsigned char packed[1000], hash[PACK_HASH], head[17] = { 1 };
	struct trace_info info = { .rank = 1 };
	struct buf of_block = BUF_INIT;
	size_t len;

	trace_info_put(&info, &of_block);
	buf_put_u64(&content, offset);
	buf_put_u32(&content, n);
	buf_put_u32(&content, 100);
	buf_put_blob(&content, of_block.data, of_block.len);
	len = pack_bytes(packed, sizeof(packed), content.data, content.len, 1);
	buf_put_u32(&piece, TRACE_INDEX_MAGIC);
	buf_put_u32(&piece, sizeof(head));
	buf_put_u32(&piece, (uint32_t)content.len);
	buf_put_u32(&piece, (uint32_t)len);
	buf_put_raw(&piece, head, sizeof(head));
	pack_hash(hash, piece.data, piece.len, packed, len);
	buf_put_raw(&piece, hash, sizeof(hash));
	buf_put_raw(&piece, packed, len);
	buf_put_u64(&piece, end);
	buf_put_u32(&piece, TRACE_END_MAGIC);
	{
		FILE *f = fopen(path_of("bad"), "wb");

		fwrite(bytes, 1, end, f);
		fwrite(piece.data, 1, piece.len, f);
		fclose(f);
	}
	buf_clear(&content);
	buf_clear(&piece);
	buf_clear(&of_block);
}

/* An index that does not fit the blocks is not believed; one that does is. */
static void test_index_lies(void **state)
{
	uint64_t first, second, end;
	unsigned char *bytes;
	struct trace_reader *m;
	size_t size;

	trace_help_file(path_of("whole"), 2, true);
	bytes = read_file(path_of("whole"), &size);
	m = open_good(path_of("whole"));
	first = trace_reader_info(m, 0)->offset;
	second = trace_reader_info(m, 1)->offset;
	trace_reader_close(m);
	memcpy(&end, bytes + size - TRACE_TAIL, 8);
	for (unsigned how = 0; how < 5; how++) {
		uint64_t offset[] = { first, first, second, first, second };
		uint64_t n[] = { end - first, end - first + 1, end - second, second - first,
				 end - first };

		lie(bytes, end, offset[how], (uint32_t)n[how]);
		m = open_good(path_of("bad"));
		assert_int_equal(trace_reader_complete(m), how == 0);
		assert_int_equal(trace_reader_blocks(m), how == 0 ? 1 : 2);
		if (how)
			check_block(m, 1, "");
		else
			assert_null(trace_reader_block(m, 0, NULL));
		trace_reader_close(m);
	}
	free(bytes);
}

/* Both names in the directory: the one that is made and the one that it gets. */
static void test_beside(void **state)
{
	const char *path = path_of("beside"), *partial = path_of("beside.partial");
	struct trace_writer *f;
	struct trace_block b;
	struct trace_reader *m;

	trace_help_block_at(&b, 0);
	write_file(path, "old", 3);
	f = trace_writer_create_adjacent(path, &trace_help_meta, NULL);
	assert_int_equal(trace_writer_put(f, &b, NULL), 0);
	m = open_good(partial);
	assert_int_equal(trace_reader_blocks(m), 1);
	check_block(m, 0, "");
	trace_reader_close(m);
	assert_null(trace_reader_open(path, NULL));
	assert_int_equal(trace_writer_close(f, true, NULL), 0);
	assert_int_equal(access(partial, F_OK), -1);
	m = open_good(path);
	assert_true(trace_reader_complete(m));
	trace_reader_close(m);
	f = trace_writer_create_adjacent(path, &trace_help_meta, NULL);
	assert_int_equal(trace_writer_close(f, false, NULL), 0);
	assert_int_equal(access(partial, F_OK), 0);
	trace_block_clear(&b);
}

/* The disk is full in the middle of a block: what was whole stays, the reason is told. */
static void test_full(void **state)
{
	struct rlimit all, some;
	struct trace_writer *f;
	struct trace_block b;
	struct trace_reader *m;
	struct err err, again;

	trace_help_block_at(&b, 0);
	f = trace_writer_create(path_of("full"), &trace_help_meta, NULL);
	assert_int_equal(trace_writer_put(f, &b, NULL), 0);
	getrlimit(RLIMIT_FSIZE, &all);
	some = all;
	some.rlim_cur = trace_writer_bytes(f) + 50;
	setrlimit(RLIMIT_FSIZE, &some);
	assert_int_equal(trace_writer_put(f, &b, &err), -1);
	assert_int_equal(trace_writer_put(f, &b, &again), -1);
	assert_int_equal(trace_writer_close(f, true, &again), -1);
	setrlimit(RLIMIT_FSIZE, &all);
	assert_string_equal(err.text, again.text);
	assert_non_null(strstr(err.text,
			       "/full: File too large; the trace ends after 1 blocks, 102 "
			       "records"));
	m = open_good(path_of("full"));
	assert_false(trace_reader_complete(m));
	assert_string_equal(trace_reader_note(m), "");
	assert_int_equal(trace_reader_blocks(m), 1);
	check_block(m, 0, "");
	trace_reader_close(m);
	trace_block_clear(&b);
}

/* No room for the head, or for the index alone. */
static void test_full_ends(void **state)
{
	struct rlimit all, some;
	struct trace_writer *f;
	struct trace_block b;
	struct trace_reader *m;
	struct err err;

	trace_help_block_at(&b, 0);
	getrlimit(RLIMIT_FSIZE, &all);
	some = all;
	some.rlim_cur = 10;
	setrlimit(RLIMIT_FSIZE, &some);
	f = trace_writer_create(path_of("full"), &trace_help_meta, &err);
	setrlimit(RLIMIT_FSIZE, &all);
	assert_null(f);
	assert_non_null(strstr(err.text, "/full: File too large"));
	f = trace_writer_create(path_of("full"), &trace_help_meta, NULL);
	assert_int_equal(trace_writer_put(f, &b, NULL), 0);
	some.rlim_cur = trace_writer_bytes(f) + 20;
	setrlimit(RLIMIT_FSIZE, &some);
	assert_int_equal(trace_writer_close(f, true, &err), -1);
	setrlimit(RLIMIT_FSIZE, &all);
	assert_non_null(strstr(err.text, "the trace ends after 1 blocks"));
	m = open_good(path_of("full"));
	assert_string_equal(trace_reader_note(m), "");
	assert_int_equal(trace_reader_blocks(m), 1);
	assert_false(trace_reader_complete(m));
	trace_reader_close(m);
	trace_block_clear(&b);
}

static void no_file(const char *path, const char *why)
{
	struct err err = { "" };

	assert_null(trace_writer_create(path, &trace_help_meta, &err));
	if (!strstr(err.text, why) || !strstr(err.text, path))
		fail_msg("%s", err.text);
}

static void no_map(const char *path, const char *why)
{
	struct err err = { "" };

	assert_null(trace_reader_open(path, &err));
	if (!strstr(err.text, why) || !strstr(err.text, path))
		fail_msg("%s", err.text);
}

static void test_no_file(void **state)
{
	no_file(path_of("none/x"), "No such file");
	no_file(top, "Is a directory");
	assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
	no_file(path_of("pipe"), "");
	no_map(path_of("none"), "No such file");
	no_map(top, "Is a directory");
	no_map(path_of("pipe"), "Invalid argument");
	write_file(path_of("text"), "this is a text, and it is longer than a head", 44);
	no_map(path_of("text"), "is empty or not a trace");
	write_file(path_of("text"), "", 0);
	no_map(path_of("text"), "is empty or not a trace");
}

static void test_format(void **state)
{
	unsigned char *bytes;
	size_t size, n;
	struct err err;

	trace_help_file(path_of("format"), 0, true);
	bytes = read_file(path_of("format"), &size);
	n = bytes[TRACE_MAGIC_BYTES] + 256u * bytes[TRACE_MAGIC_BYTES + 1];
	bytes[TRACE_MAGIC_BYTES + 4] = 77;
	pack_hash(bytes + TRACE_MAGIC_BYTES + 4 + n, bytes, TRACE_MAGIC_BYTES + 4 + n, NULL, 0);
	write_file(path_of("format"), bytes, size);
	assert_null(trace_reader_open(path_of("format"), &err));
	assert_non_null(strstr(err.text, "/format has format 77, and this program reads format 2"));
	free(bytes);
}

static void test_shrinks(void **state)
{
	struct trace_reader *m;
	struct err err;

	trace_help_file(path_of("shrinks"), 2, true);
	m = open_good(path_of("shrinks"));
	assert_int_equal(truncate(path_of("shrinks"), 300), 0);
	assert_null(trace_reader_block(m, 1, &err));
	assert_non_null(strstr(err.text, "became shorter while it was read"));
	trace_reader_close(m);
}

static int set_up(void **state)
{
	return mkdtemp(top) ? 0 : -1;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "whole", "all",	"open",		  "cut",
					     "bad",   "beside", "beside.partial", "full",
					     "pipe",  "text",	"format",	  "shrinks" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(path_of(names[i]));
	return rmdir(top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),	   cmocka_unit_test(test_all_records),
		cmocka_unit_test(test_order),	   cmocka_unit_test(test_not_ended),
		cmocka_unit_test(test_cut),	   cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_index_lies), cmocka_unit_test(test_beside),
		cmocka_unit_test(test_full),	   cmocka_unit_test(test_full_ends),
		cmocka_unit_test(test_no_file),	   cmocka_unit_test(test_format),
		cmocka_unit_test(test_shrinks),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
