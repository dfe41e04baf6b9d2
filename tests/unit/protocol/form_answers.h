/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Answers to queries as forms, for test_forms.c, which includes this where its FORM is known.
 */
#ifndef DVMDBG_TESTS_FORM_ANSWERS_H
#define DVMDBG_TESTS_FORM_ANSWERS_H

FORM_OF(answer_head, (void)0)
{
	answer_head_put(&(struct answer_head){ ANSWER_ERROR, "running" }, b);
}

FORM_OF(answer_fetch, layout_clear(&x.piece))
{
	static const int64_t list[] = { 5, 0, 9 };
	struct answer_fetch a = { .head.kind = ANSWER_PIECE,
				  .type = VALUE_DOUBLE,
				  .piece = { .ndim = 2, .count = { 3, 2 }, .list = { list } } };

	a.piece.lower[1] = 3;
	a.piece.first[1] = 10;
	answer_fetch_put(&a, b);
}

FORM_OF(trace_index_head, (void)0)
{
	trace_index_head_put(&(struct trace_index_head){ 1, 12, 345678 }, b);
}

FORM_OF(trace_index_entry, (void)0)
{
	struct trace_index_entry e = { 4096, 300, 70000, "head", 4 };

	trace_index_entry_put(&e, b);
}

FORM_OF(trace_tail, (void)0)
{
	trace_tail_put(&(struct trace_tail){ 4396, TRACE_END_MAGIC }, b);
}

static void put_answer_fetch_value(struct buf *b)
{
	struct answer_fetch a = { .head.kind = ANSWER_VALUE, .type = VALUE_INT, .count = 12 };

	answer_fetch_put(&a, b);
}

FORM_OF(answer_assign, (void)0)
{
	answer_assign_put(&(struct answer_assign){ { .kind = ANSWER_DONE }, 1 << 20 }, b);
}

FORM_OF(answer_called, (void)0)
{
	struct answer_called a = { .head.kind = ANSWER_DONE,
				   .how = CALLED_RETURNED,
				   .code = 0,
				   .module = "/bin/heat",
				   .vaddr = 0x1234,
				   .mpi = "",
				   .number = VALUE_DOUBLE,
				   .type = "double",
				   .value = "0.5" };

	memcpy(a.bytes, &(double){ 0.5 }, sizeof(double));
	answer_called_put(&a, b);
}

FORM_OF(answer_points, (void)0)
{
	answer_points_put(&(struct answer_points){ 300 }, b);
}

FORM_OF(answer_hash, (void)0)
{
	answer_hash_put(&(struct answer_hash){ 1, CONSTRUCT_PL, 0xfedcba, line_place }, b);
}

FORM_OF(answer_process, (void)0)
{
	answer_process_put(&(struct answer_process){ 4711, "node3" }, b);
}

FORM_OF(answer_halo, (void)0)
{
	answer_halo_put(&(struct answer_halo){ { .kind = ANSWER_DONE }, 2 }, b);
}

FORM_OF(answer_array, array_desc_clear(&x.desc))
{
	struct array_desc a = {
		.name = (char[]){ "u" },
		.file = (char[]){ "heat.c" },
		.line = 41,
		.counter = 1,
		.kind = ARRAY_DISTRIBUTED,
		.type = VALUE_DOUBLE,
		.order = 'C',
		.elem_size = 8,
		.ndim = 1,
		.lower = { -1 },
		.extent = { 100 },
		.own_lo = { 10 },
		.own_hi = { 19 },
		.halo_lo = { 1 },
		.halo_hi = { 2 },
	};

	answer_array_put(&(struct answer_array){ a, { .kind = ANSWER_DONE } }, b);
}

FORM_OF(agree_clashes, agree_clashes_clear(&x))
{
	struct agree_clash clash = { MPISTATE_CALL_Isend, MPISTATE_CALLS, 1, 0, 0, 1, line_place,
				     call_place };

	agree_clashes_put(&(struct agree_clashes){ 1, 1, &clash }, b);
}

FORM_OF(agree_race, agree_race_clear(&x))
{
	struct mpistate_window window = { .id = 7, .base = 4096, .size = 800, .pc = 1, .unit = 8,
					  .call = MPISTATE_CALL_Win_create + 1 };
	struct mpistate_event event[] = {
		{ .kind = MPISTATE_EVENT_SEND, .n = 3, .peer = 1, .tag = 5, .id = 9 },
		{ .kind = MPISTATE_EVENT_UNLOCK, .peer = -1, .id = 7, .begin = 100, .end = 250 }
	};
	struct mpistate_access access = { .id = 7, .disp = 3, .piece = { 8, 16, 64, 4 }, .begin = 1,
					  .end = MPISTATE_NOT_ENDED, .target = 2,
					  .call = MPISTATE_CALL_Accumulate + 1,
					  .kind = MPISTATE_ATOMIC, .base = 'i' << 8 | 4, .op = 3 };
	struct place place[] = { line_place, call_place };

	agree_race_put(&(struct agree_race){ 0, 77, 1, 2, 1, 2, &window, event, &access, place },
		       b);
}

#endif
