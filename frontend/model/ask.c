/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/model/ask.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/construct.h"
#include "common/core/err.h"
#include "common/core/log.h"
#include "frontend/job/job.h"
#include "frontend/output/output.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

/* Nobody is there to answer for ranks that never came and for lost supervisors. */
static void manned(struct session *s, const struct rankset *who, struct rankset *out)
{
	xrankset_add_set(out, who);
	xrankset_remove_set(out, job_set(s->job, JOB_ABSENT));
	xrankset_remove_set(out, job_set(s->job, JOB_LOST));
}

struct job_req *ask_ahead(struct session *s, struct msg_query *q, const struct rankset *who,
			  struct err *err)
{
	struct rankset asked = { 0 };
	struct job_req *r = NULL;

	manned(s, who, &asked);
	if (!asked.n)
		err_set(err, "no rank of the set is there to be asked");
	else
		r = job_ask(s->job, q, &asked, err);
	rankset_clear(&asked);
	return r;
}

void ask_await(struct session *s, struct job_req *r, struct groups *answers)
{
	job_await(s->job, r, (int)settings_number(s->set, "QUERY_TIMER") * 1000, answers);
	log_debug("ask", "answered, %llu bytes", (unsigned long long)job_bytes_in(s->job));
}

int ask(struct session *s, struct msg_query *q, const struct rankset *who, struct groups *answers,
	struct rankset *silent, struct err *err)
{
	struct job_req *r = ask_ahead(s, q, who, err);

	*answers = (struct groups){ 0 };
	if (!r)
		return -1;
	/* before the answers: who is lost meanwhile has not answered either */
	if (silent)
		manned(s, who, silent);
	ask_await(s, r, answers);
	for (size_t i = 0; silent && i < answers->n; i++)
		xrankset_remove_set(silent, &answers->group[i].ranks);
	return 0;
}

int ask_waiting(struct session *s, struct rankset *out, struct err *err)
{
	struct msg_query q = { .kind = QUERY_STATUS };
	struct groups answers = { 0 };
	int rc;

	if (!job_set(s->job, JOB_RUNNING)->n)
		return 0;
	rc = ask(s, &q, job_set(s->job, JOB_RUNNING), &answers, NULL, err);
	for (size_t i = 0; !rc && i < answers.n; i++) {
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);
		struct report_status r;

		if (report_status_get(&r, &b))
			continue;
		if (r.mpi == MPI_STATE_IN_INIT || r.mpi == MPI_STATE_IN_FINALIZE)
			xrankset_add_set(out, &answers.group[i].ranks);
	}
	groups_clear(&answers);
	return rc;
}

json_t *ask_ranks(const struct rankset *ranks)
{
	size_t size = 32 * (ranks->n + 1);
	char *text = xmalloc(size);
	json_t *s = json_string(rankset_format(ranks, text, size));

	free(text);
	return s;
}

void ask_put_place(struct session *s, json_t *o, const struct place *place)
{
	struct place p = *place;

	symbols_resolve(s->symbols, &p);
	if (!p.file || !*p.file)
		return;
	json_object_set_new(o, "file", out_json_text(p.file));
	if (p.line)
		json_object_set_new(o, "line", json_integer(p.line));
}

void ask_put_iteration(json_t *o, const struct report_frame *f)
{
	json_t *index;

	if (!f->nidx)
		return;
	index = json_array();
	for (unsigned d = 0; d < f->nidx && d < ARRAY_DIMS; d++)
		json_array_append_new(index, json_integer(f->idx[d]));
	json_object_set_new(o, "iteration", index);
}

void ask_put_frame(struct session *s, json_t *o, const struct report_frame *f)
{
	char point[POINT_TEXT];
	struct place p = f->place;

	symbols_resolve(s->symbols, &p);
	json_object_set_new(o, "construct", json_string(construct_brief(f->kind)));
	if (p.func && *p.func)
		json_object_set_new(o, "name", out_json_text(p.func));
	ask_put_place(s, o, &f->place);
	if (f->point.main && f->kind != CONSTRUCT_FINISH)
		json_object_set_new(o, "point", json_string(point_format(&f->point, point)));
	ask_put_iteration(o, f);
	if (f->ending)
		json_object_set_new(o, "ending", json_true());
}
