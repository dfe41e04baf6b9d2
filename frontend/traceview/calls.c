/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The system trace: calls of MPI that were recorded, all of them in the order of time, and what
 * they come to for each kind of call and each rank.
 */
#include "frontend/traceview/traceview.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/core/err.h"
#include "common/mpistate/mpistate.h"
#include "common/trace/call.h"
#include "frontend/output/output.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

static const struct {
	char letter;
	const char *words;
} kinds[] = {
#define X(name, letter, words) { letter, words },
	TRACEVIEW_KIND_LIST(X)
#undef X
};

char traceview_kind_letter(unsigned kind)
{
	return kind < TRACEVIEW_KINDS ? kinds[kind].letter : '?';
}

const char *traceview_kind_words(unsigned kind)
{
	return kind < TRACEVIEW_KINDS ? kinds[kind].words : "?";
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static unsigned kind_of_class(unsigned class)
{
	static const uint8_t of[MPISTATE_CLASSES] = {
		[MPISTATE_SEND] = TRACEVIEW_SEND,	  [MPISTATE_RECV] = TRACEVIEW_RECV,
		[MPISTATE_SENDRECV] = TRACEVIEW_SENDRECV, [MPISTATE_POST] = TRACEVIEW_POST,
		[MPISTATE_INIT] = TRACEVIEW_POST,	  [MPISTATE_START] = TRACEVIEW_POST,
		[MPISTATE_WAIT] = TRACEVIEW_WAIT,	  [MPISTATE_WAITANY] = TRACEVIEW_WAIT,
		[MPISTATE_TEST] = TRACEVIEW_TEST,	  [MPISTATE_TESTANY] = TRACEVIEW_TEST,
		[MPISTATE_CANCEL] = TRACEVIEW_TEST,	  [MPISTATE_PROBE] = TRACEVIEW_TEST,
		[MPISTATE_IPROBE] = TRACEVIEW_TEST,	  [MPISTATE_MRECV] = TRACEVIEW_RECV,
		[MPISTATE_ALL] = TRACEVIEW_ALL,		  [MPISTATE_FROM] = TRACEVIEW_FROM,
		[MPISTATE_TO] = TRACEVIEW_TO,		  [MPISTATE_SCAN] = TRACEVIEW_ALL,
		[MPISTATE_NEIGHBOR] = TRACEVIEW_ALL,	  [MPISTATE_IALL] = TRACEVIEW_POST,
		[MPISTATE_IFROM] = TRACEVIEW_POST,	  [MPISTATE_ITO] = TRACEVIEW_POST,
		[MPISTATE_ISCAN] = TRACEVIEW_POST,	  [MPISTATE_INEIGHBOR] = TRACEVIEW_POST,
		[MPISTATE_GROUP] = TRACEVIEW_MAKE,	  [MPISTATE_LOCAL] = TRACEVIEW_MAKE,
		[MPISTATE_OTHER] = TRACEVIEW_OTHER,
	};

	if (class == MPISTATE_NAME)
		return TRACEVIEW_MAKE;
	return class < MPISTATE_CLASSES ? of[class] : TRACEVIEW_OTHER;
}

unsigned traceview_kind_of(const char *name)
{
	static const char *const windows[] = { "MPI_Win_", "MPI_Put", "MPI_Get", "MPI_Accumulate",
					       "MPI_Rput", "MPI_Rget", "MPI_Raccumulate",
					       "MPI_Fetch_and_op", "MPI_Compare_and_swap" };

	if (!strcmp(name, "MPI_Init") || !strcmp(name, "MPI_Finalize"))
		return TRACEVIEW_INIT;
	if (!strcmp(name, "MPI_Barrier"))
		return TRACEVIEW_BARRIER;
	if (begins(name, "MPI_File_"))
		return TRACEVIEW_FILE;
	for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++)
		if (begins(name, windows[i]))
			return TRACEVIEW_WINDOW;
	for (unsigned i = 0; i < MPISTATE_CALLS; i++) {
		struct mpistate_shape h;

		if (strcmp(mpistate_call_name(i), name))
			continue;
		h = mpistate_shape(i);
		if (h.made_comm >= 0 || h.ends_comm >= 0)
			return TRACEVIEW_MAKE;
		return kind_of_class(h.class);
	}
	return TRACEVIEW_OTHER;
}

/* ---- loading ---- */

static uint32_t name_add(struct traceview_calls *c, const char *name)
{
	struct traceview_name *n;

	for (uint32_t i = 0; i < c->nname; i++)
		if (!strcmp(c->name[i].text, name))
			return i;
	n = xvec_add(c->name, c->nname);
	n->text = xstrdup(name);
	n->kind = (uint8_t)traceview_kind_of(name);
	return c->nname - 1;
}

static int64_t amount(const struct trace_call *c, enum trace_call_number bytes,
		      enum trace_call_number peer)
{
	if (!trace_call_has(c, bytes) || c->number[bytes] < 0 || c->number[bytes] > INT64_MAX / 4 ||
	    (trace_call_has(c, peer) && c->number[peer] == MPISTATE_NULL))
		return 0;
	return c->number[bytes];
}

/* Sent and received; to and from MPI_PROC_NULL nothing is. */
static int64_t bytes_of(const struct trace_call *c)
{
	bool receives = trace_call_has(c, TRACE_CALL_FROM) && !trace_call_has(c, TRACE_CALL_TO);

	return amount(c, TRACE_CALL_BYTES, receives ? TRACE_CALL_FROM : TRACE_CALL_TO) +
	       amount(c, TRACE_CALL_RECV_BYTES, TRACE_CALL_FROM);
}

static void add(struct traceview_calls *c, struct traceview_rank *r, const struct trace_rec *rec,
		const struct trace_call *call)
{
	struct traceview_call x = { .begin = rec->value[0], .ns = rec->value[1] };

	x.name = name_add(c, call->text[TRACE_CALL_NAME]);
	if (c->name[x.name].kind != TRACEVIEW_MAKE)
		x.bytes = bytes_of(call);
	/* a trace may have been made by anybody */
	if (x.begin > INT64_MAX || x.ns > INT64_MAX - x.begin)
		return;
	if (!c->last || x.begin < c->first)
		c->first = x.begin;
	if (x.begin + x.ns > c->last)
		c->last = x.begin + x.ns;
	if (x.ns > r->longest)
		r->longest = x.ns;
	*xvec_add(r->call, r->n) = x;
}

/* Calls of a block, with where it has them. */
static void load_block(struct traceview_calls *c, struct traceview_rank *r, uint32_t at,
		       const struct trace_block *b)
{
	struct trace_cursor *cursor = xalloc_checked(trace_cursor_open(b));
	struct trace_call call;
	struct trace_rec rec;
	size_t before = r->n;

	while (trace_block_next(cursor, &rec) > 0) {
		if (rec.op != TRACE_CALL || !trace_call_get(&call, rec.bytes, rec.nbytes))
			continue;
		add(c, r, &rec, &call);
		if (r->n == before)
			continue;
		before = r->n;
		r->call[r->n - 1].block = at;
		r->call[r->n - 1].record = cursor->record - 1;
	}
	trace_cursor_free(cursor);
}

static int by_time(const void *a, const void *b)
{
	const struct traceview_call *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Threads have their calls in blocks of their own. */
static void sort(struct traceview_rank *r)
{
	for (size_t i = 1; i < r->n; i++)
		if (r->call[i].begin < r->call[i - 1].begin) {
			qsort(r->call, r->n, sizeof(*r->call), by_time);
			return;
		}
}

static int load_rank(struct traceview_calls *c, uint32_t file, const struct trace_reader *m,
		     struct err *err)
{
	struct traceview_rank *r = &c->rank[c->nrank++];

	*r = (struct traceview_rank){ .rank = trace_reader_meta(m)->rank, .file = file };
	for (size_t i = 0; i < trace_reader_blocks(m) && !out_cut_short(); i++) {
		struct trace_block *b;

		if (!trace_reader_info(m, i)->count[TRACE_CALL])
			continue;
		b = trace_reader_block(m, i, err);
		if (!b)
			return -1;
		load_block(c, r, (uint32_t)i, b);
		trace_block_free(b);
	}
	sort(r);
	return 0;
}

bool traceview_has_calls(const struct trace_files *f)
{
	for (size_t i = 0; i < trace_files_count(f); i++)
		for (size_t k = 0; k < trace_reader_blocks(trace_files_map(f, i)); k++)
			if (trace_reader_info(trace_files_map(f, i), k)->count[TRACE_CALL])
				return true;
	return false;
}

int traceview_calls_load(struct traceview_calls *c, const struct trace_files *f, struct err *err)
{
	size_t n = trace_files_count(f);

	*c = (struct traceview_calls){ .rank = xcalloc(n + 1, sizeof(*c->rank)) };
	for (size_t i = 0; i < n; i++)
		if (load_rank(c, (uint32_t)i, trace_files_map(f, i), err)) {
			traceview_calls_clear(c);
			return -1;
		}
	return 0;
}

void traceview_calls_clear(struct traceview_calls *c)
{
	for (uint32_t i = 0; i < c->nname; i++)
		free(c->name[i].text);
	for (size_t i = 0; i < c->nrank; i++)
		free(c->rank[i].call);
	free(c->name);
	free(c->rank);
	*c = (struct traceview_calls){ 0 };
}

/* The first of a rank that is not over before `from`; those behind it are in the order of time. */
static size_t first_from(const struct traceview_rank *r, uint64_t from)
{
	uint64_t least = from > r->longest ? from - r->longest : 0;
	size_t lo = 0, hi = r->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->call[mid].begin < least)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct traceview_call *traceview_call_at(const struct traceview_rank *r, uint64_t from,
					       uint64_t to)
{
	const struct traceview_call *best = NULL;
	uint64_t most = 0;

	for (size_t i = first_from(r, from); i < r->n && r->call[i].begin < to; i++) {
		const struct traceview_call *x = &r->call[i];
		uint64_t lo = x->begin > from ? x->begin : from;
		uint64_t hi = x->begin + x->ns < to ? x->begin + x->ns : to;

		if (x->begin + x->ns < from || (best && hi - lo <= most))
			continue;
		best = x;
		most = hi - lo;
	}
	return best;
}

const struct traceview_call *traceview_call_next(const struct traceview_rank *r, uint64_t time,
						 int step)
{
	size_t lo = 0, hi = r->n;

	/* the first that begins behind time, or at it when that is not to be counted */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (step > 0 ? r->call[mid].begin <= time : r->call[mid].begin < time)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (step > 0)
		return lo < r->n ? &r->call[lo] : NULL;
	return lo ? &r->call[lo - 1] : NULL;
}

/* Adds the part of a call that is in each of the cells. */
static void spread(uint64_t (*spent)[TRACEVIEW_KINDS], uint32_t width, uint64_t from, uint64_t to,
		   unsigned kind, const struct traceview_call *x)
{
	uint64_t span = to - from, end = x->begin + x->ns;
	uint64_t lo = x->begin > from ? x->begin - from : 0, hi = end < to ? end - from : span;
	uint32_t cell = (uint32_t)((unsigned __int128)lo * width / span);

	for (; cell < width; cell++) {
		uint64_t begin = (uint64_t)((unsigned __int128)span * cell / width);
		uint64_t over = (uint64_t)((unsigned __int128)span * (cell + 1) / width);

		if (begin > hi)
			break;
		begin = begin > lo ? begin : lo;
		over = over < hi ? over : hi;
		/* one that took no time is seen, too */
		spent[cell][kind] += over > begin ? over - begin : begin == lo;
	}
}

void traceview_row(const struct traceview_calls *c, const struct traceview_rank *r, uint64_t from,
		   uint64_t to, uint32_t width, char *out, uint8_t *kind)
{
	uint64_t(*spent)[TRACEVIEW_KINDS] = xcalloc(width + 1, sizeof(*spent));

	for (size_t i = first_from(r, from); i < r->n && r->call[i].begin < to; i++)
		if (r->call[i].begin + r->call[i].ns >= from)
			spread(spent, width, from, to, c->name[r->call[i].name].kind, &r->call[i]);
	for (uint32_t x = 0; x < width; x++) {
		unsigned best = TRACEVIEW_KINDS;
		uint64_t all = 0;

		for (unsigned k = 0; k < TRACEVIEW_KINDS; k++) {
			all += spent[x][k];
			if (spent[x][k] &&
			    (best == TRACEVIEW_KINDS || spent[x][k] > spent[x][best]))
				best = k;
		}
		out[x] = '.';
		if (best < TRACEVIEW_KINDS)
			out[x] = all >= (to - from) / width / 2 ? kinds[best].letter :
								  (char)(kinds[best].letter | 0x20);
		if (kind)
			kind[x] = (uint8_t)best;
	}
	out[width] = '\0';
	free(spent);
}

/* ---- one call in words ---- */

__attribute__((format(printf, 3, 4))) static void append(char *out, size_t size, const char *fmt,
							 ...)
{
	size_t n = strlen(out);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out + n, size - n, fmt, ap);
	va_end(ap);
}

static const char *rank_text(int64_t rank, char out[24])
{
	if (rank == MPISTATE_ANY)
		return "any";
	if (rank == MPISTATE_NULL)
		return "MPI_PROC_NULL";
	snprintf(out, 24, "%" PRId64, rank);
	return out;
}

static void put_message(const struct trace_call *c, char *out, size_t size, const char *word,
			enum trace_call_number peer, enum trace_call_number tag)
{
	char rank[24], text[24];

	if (trace_call_has(c, peer))
		append(out, size, " %s %s", word, rank_text(c->number[peer], rank));
	if (trace_call_has(c, tag))
		append(out, size, " tag %s", rank_text(c->number[tag], text));
}

static void put_amount(const struct trace_call *c, char *out, size_t size,
		       enum trace_call_number count, enum trace_call_number bytes,
		       enum trace_call_text type)
{
	if (trace_call_has(c, count))
		append(out, size, ", %" PRId64 " %s", c->number[count],
		       *c->text[type] ? c->text[type] : "of some type");
	else if (*c->text[type])
		append(out, size, ", %s", c->text[type]);
	if (trace_call_has(c, bytes))
		append(out, size, " (%" PRId64 " bytes)", c->number[bytes]);
}

void traceview_call_text(const struct trace_call *c, char *out, size_t size)
{
	snprintf(out, size, "%s", c->text[TRACE_CALL_NAME]);
	put_message(c, out, size, "to", TRACE_CALL_TO, TRACE_CALL_TAG);
	put_message(c, out, size, "from", TRACE_CALL_FROM, TRACE_CALL_FROM_TAG);
	put_message(c, out, size, "got from", TRACE_CALL_GOT, TRACE_CALL_GOT_TAG);
	if (trace_call_has(c, TRACE_CALL_ROOT))
		append(out, size, " root %" PRId64, c->number[TRACE_CALL_ROOT]);
	if (*c->text[TRACE_CALL_OP])
		append(out, size, " %s", c->text[TRACE_CALL_OP]);
	put_amount(c, out, size, TRACE_CALL_COUNT, TRACE_CALL_BYTES, TRACE_CALL_TYPE);
	put_amount(c, out, size, TRACE_CALL_RECV_COUNT, TRACE_CALL_RECV_BYTES,
		   TRACE_CALL_RECV_TYPE);
	if (*c->text[TRACE_CALL_COMM])
		append(out, size, ", %s", c->text[TRACE_CALL_COMM]);
	if (trace_call_has(c, TRACE_CALL_SIZE))
		append(out, size, " of %" PRId64, c->number[TRACE_CALL_SIZE]);
	if (trace_call_has(c, TRACE_CALL_REQUEST))
		append(out, size, ", makes request %" PRId64, c->number[TRACE_CALL_REQUEST]);
	if (*c->text[TRACE_CALL_WAITS])
		append(out, size, ", request%s %s",
		       strchr(c->text[TRACE_CALL_WAITS], ' ') ? "s" : "",
		       c->text[TRACE_CALL_WAITS]);
	if (trace_call_has(c, TRACE_CALL_TRIES))
		append(out, size, ", %" PRId64 " without success", c->number[TRACE_CALL_TRIES]);
	if (trace_call_has(c, TRACE_CALL_ERROR))
		append(out, size, ", error %" PRId64, c->number[TRACE_CALL_ERROR]);
}

void traceview_time_text(uint64_t ns, char *out, size_t size)
{
	if (ns < 10000)
		snprintf(out, size, "%" PRIu64 " ns", ns);
	else if (ns < 10000000)
		snprintf(out, size, "%.1f us", (double)ns * 1e-3);
	else if (ns < UINT64_C(10000000000))
		snprintf(out, size, "%.1f ms", (double)ns * 1e-6);
	else
		snprintf(out, size, "%.2f s", (double)ns * 1e-9);
}

/* ---- totals ---- */

struct total {
	uint64_t calls, bytes, ns, longest;
	uint32_t longest_rank;
};

static void total_add(struct total *t, const struct traceview_call *x, uint32_t rank)
{
	t->calls++;
	t->bytes += (uint64_t)x->bytes;
	t->ns += x->ns;
	if (t->calls == 1 || x->ns > t->longest) {
		t->longest = x->ns;
		t->longest_rank = rank;
	}
}

static json_t *total_json(const struct total *t)
{
	return json_pack("{s:I s:I s:f s:f s:I}", "calls", (json_int_t)t->calls, "bytes",
			 (json_int_t)t->bytes, "seconds", (double)t->ns * 1e-9, "longest",
			 (double)t->longest * 1e-9, "longest_rank", (json_int_t)t->longest_rank);
}

/* Those that took longest come first. */
static json_t *totals_json(const struct traceview_calls *c, const struct total *t)
{
	bool *said = xcalloc(c->nname + 1, sizeof(*said));
	json_t *list = json_array();

	for (;;) {
		uint32_t best = c->nname;
		json_t *o;

		for (uint32_t i = 0; i < c->nname; i++)
			if (!said[i] && t[i].calls && (best == c->nname || t[i].ns > t[best].ns))
				best = i;
		if (best == c->nname)
			break;
		said[best] = true;
		o = total_json(&t[best]);
		json_object_set_new(o, "call", out_json_text(c->name[best].text));
		json_array_append_new(list, o);
	}
	free(said);
	return list;
}

json_t *traceview_calls_json(const struct traceview_calls *c)
{
	struct total *all = xcalloc(c->nname + 1, sizeof(*all));
	json_t *ranks = json_array(), *o;

	for (size_t i = 0; i < c->nrank; i++) {
		const struct traceview_rank *r = &c->rank[i];
		struct total *own = xcalloc(c->nname + 1, sizeof(*own)), sum = { 0 };

		for (size_t k = 0; k < r->n; k++) {
			total_add(&own[r->call[k].name], &r->call[k], r->rank);
			total_add(&all[r->call[k].name], &r->call[k], r->rank);
			total_add(&sum, &r->call[k], r->rank);
		}
		o = total_json(&sum);
		json_object_set_new(o, "rank", json_integer(r->rank));
		json_object_set_new(o, "calls_of", totals_json(c, own));
		json_array_append_new(ranks, o);
		free(own);
	}
	o = json_pack("{s:f s:o s:o}", "seconds", (double)(c->last - c->first) * 1e-9, "list",
		      totals_json(c, all), "ranks", ranks);
	free(all);
	return o;
}
