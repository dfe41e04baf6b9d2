/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules that ranks are given for the actionpoints.
 */
#include "frontend/action/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/protocol/msg.h"
#include "frontend/model/actionpoints.h"
#include "frontend/verify/verify.h"
#include "frontend/model/focus.h"
#include "frontend/model/session.h"
#include "frontend/symbols/symbols.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"
#include "frontend/util/xvec.h"

#define LINE_RANGES 32 /* pieces of code that one source line is looked for in */

/* A set's ranks; a NULL text: all. */
static int eval(struct session *s, const char *text, struct rankset *out, struct err *err)
{
	struct focus_env env = action_focus_env(s);

	if (!text || !strcmp(text, "all")) {
		xrankset_copy(out, job_set(s->job, JOB_ALL));
		return 0;
	}
	if (focus_eval(s->shell ? s->shell->focus : NULL, text, &env, out, NULL, err))
		return -1;
	xrankset_intersect(out, job_set(s->job, JOB_ALL));
	return 0;
}

int action_members(struct session *s, const char *text, const char *off, struct rankset *out,
		   struct err *err)
{
	struct rankset without = { 0 };
	int rc = eval(s, text, out, err);

	if (!rc && off && *off &&
	    (eval(s, off, &without, err) || rankset_remove_set(out, &without)))
		rc = -1;
	rankset_clear(&without);
	return rc;
}

/* What is being made; texts of sets are borrowed from the actionpoints. */
struct making {
	struct session *s;
	struct msg_rules *m;
	size_t room; /* of m->rule */
};

/* The number of a set, which is taken over; 0: all, -1: nobody, or memory. */
static int set_number(struct making *x, struct rankset *ranks)
{
	struct msg_rules *m = x->m;
	int n = -1;

	if (rankset_covers(ranks, job_set(x->s->job, JOB_ALL)))
		n = 0;
	for (uint32_t i = m->nset; ranks->n && n < 0 && i--;)
		if (rankset_equal(&m->set[i], ranks))
			n = (int)i + 1;
	if (ranks->n && n < 0 && m->nset < UINT16_MAX) {
		xvec_more(m->set, m->nset, 1);
		m->set[m->nset++] = *ranks;
		*ranks = (struct rankset){ 0 };
		n = (int)m->nset;
	}
	rankset_clear(ranks);
	return n;
}

/* For whom the actionpoint holds: a set's number as above. */
static int trigger_number(struct making *x, const struct actionpoint *ap)
{
	struct rankset ranks = { 0 };

	if (!ap->who && !ap->off)
		return 0;
	if (action_members(x->s, ap->who, ap->off, &ranks, NULL)) {
		rankset_clear(&ranks);
		return -1;
	}
	return set_number(x, &ranks);
}

/* Who stops with them where all ranks come; 0: nobody else. A set of all ranks has a number here.
 */
static int stop_number(struct making *x, const struct actionpoint *ap)
{
	struct rankset ranks = { 0 };
	struct msg_rules *m = x->m;
	int n;

	if (ap->kind == ACT_BARRIER || (ap->stop && !*ap->stop) ||
	    action_members(x->s, ap->stop, NULL, &ranks, NULL))
		return 0;
	if (!rankset_covers(&ranks, job_set(x->s->job, JOB_ALL))) {
		n = set_number(x, &ranks);
		return n > 0 ? n : 0;
	}
	for (uint32_t i = 0; i < m->nset; i++)
		if (rankset_equal(&m->set[i], &ranks)) {
			rankset_clear(&ranks);
			return (int)i + 1;
		}
	if (m->nset == UINT16_MAX) {
		rankset_clear(&ranks);
		return 0;
	}
	xvec_more(m->set, m->nset, 1);
	m->set[m->nset++] = ranks;
	return (int)m->nset;
}

static void add_rule(struct making *x, const struct rule *r)
{
	struct msg_rules *m = x->m;

	xvec_room(m->rule, x->room, m->n + 1);
	m->rule[m->n++] = *r;
}

/*
 * The same rule as addresses, for marks that come without a file (Fortran): one per piece of code
 * of the line.
 */
static void add_addresses(struct making *x, const struct rule *line)
{
	struct session *s = x->s;
	struct symbol_range range[LINE_RANGES];
	const char *path = job_path(s->job), *slash = strrchr(path, '/');
	unsigned n = symbols_lines(s->symbols, path, line->file, line->line, range, LINE_RANGES);

	for (unsigned i = 0; i < n; i++) {
		struct rule r = *line;

		r.kind = RULE_ADDR;
		r.vaddr = range[i].vaddr;
		r.line = range[i].len;
		/* The name as the program was started by may be any path to it. */
		strncpy(r.file, slash ? slash + 1 : path, RULE_FILE - 1);
		r.file[RULE_FILE - 1] = '\0';
		add_rule(x, &r);
	}
}

static void add_actionpoint(struct making *x, const struct actionpoint *ap)
{
	int set = trigger_number(x, ap);
	struct rule r = ap->rule;

	if (set < 0)
		return; /* no rank of it is there */
	if (ap->kind == ACT_WATCH) {
		struct watch *w = &x->m->watch[x->m->nwatch];

		if (x->m->nwatch == WATCH_MOST)
			return;
		*w = ap->watch;
		if (w->native)
			w->ndim = 0;
		w->set = (uint16_t)set;
		w->stop = (uint16_t)stop_number(x, ap);
		x->m->nwatch++;
		return;
	}
	r.set = (uint16_t)set;
	if (set)
		r.stop = (uint16_t)stop_number(x, ap);
	add_rule(x, &r);
	if (r.kind == RULE_LINE)
		add_addresses(x, &r);
}

void action_orders(struct session *s, struct msg_rules *out)
{
	struct making x = { .s = s, .m = out };
	struct rule own[CHECKER_RULES];
	uint32_t n;

	*out = (struct msg_rules){ .watch = xcalloc(WATCH_MOST, sizeof(*out->watch)) };
	for (size_t i = 0; i < actionpoints_count(s->acts); i++) {
		const struct actionpoint *ap = actionpoints_at(s->acts, i);

		if (ap->enabled)
			add_actionpoint(&x, ap);
	}
	if (s->action && action_native_wanted(s->action))
		add_rule(&x, &(struct rule){ .id = ACTION_FIND_ID,
					     .kind = RULE_POINT,
					     .point = { .main = 1, .side = POINT_BEGIN } });
	n = checker_rules(s->checker, own);
	for (uint32_t i = 0; i < n; i++)
		add_rule(&x, &own[i]);
	checker_places(s->checker, &out->place, &out->nplace);
}
