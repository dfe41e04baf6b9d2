/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/data/fetch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/logical/groups.h"
#include "common/core/err.h"
#include "common/protocol/msg.h"
#include "common/protocol/own_value.h"
#include "common/protocol/report.h"
#include "frontend/model/ask.h"
#include "frontend/data/assemble.h"
#include "frontend/data/fields.h"
#include "frontend/util/names.h"
#include "frontend/output/output.h"
#include "frontend/model/session.h"
#include "frontend/settings/settings.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xrankset.h"

#define NEAR 5

void fetch_objects_clear(struct fetch_objects *o)
{
	for (size_t i = 0; i < o->n; i++) {
		array_desc_clear(&o->item[i].desc);
		rankset_clear(&o->item[i].ranks);
	}
	free(o->item);
	rankset_clear(&o->silent);
	memset(o, 0, sizeof(*o));
}

/* Parts the answers, lists of descriptions, into one group of ranks per description. */
static void by_description(const struct groups *answers, struct groups *out)
{
	for (size_t i = 0; i < answers->n; i++) {
		const struct rank_group *g = &answers->group[i];
		struct buf b = buf_view(g->blob, g->len);

		while (buf_left(&b)) {
			size_t from = b.pos;
			struct array_desc d;

			if (array_desc_get_global(&d, &b))
				break;
			array_desc_clear(&d);
			xalloc_check(groups_add(out, &g->ranks, g->blob + from, b.pos - from));
		}
	}
}

int fetch_names(struct session *s, const char *name, const struct rankset *who,
		struct fetch_objects *out, struct err *err)
{
	struct msg_query q = { .kind = QUERY_NAMES, .name = name };
	struct groups answers = { 0 }, groups = { 0 };
	int rc;

	memset(out, 0, sizeof(*out));
	rc = ask(s, &q, who, &answers, &out->silent, err);
	if (!rc)
		by_description(&answers, &groups);
	if (!rc && groups.n)
		out->item = xcalloc(groups.n, sizeof(*out->item));
	for (size_t i = 0; !rc && i < groups.n; i++) {
		struct buf b = buf_view(groups.group[i].blob, groups.group[i].len);
		struct fetch_object *o = &out->item[out->n++];

		/* these bytes have been read as a description before */
		xalloc_check(array_desc_get_global(&o->desc, &b));
		xrankset_copy(&o->ranks, &groups.group[i].ranks);
	}
	groups_clear(&answers);
	groups_clear(&groups);
	if (rc)
		fetch_objects_clear(out);
	return rc;
}

/* Registered as row[0] or g[1].u, where name is row or g.u, or a field of it. */
static bool is_indexed(const char *registered, const char *name)
{
	bool any = false;

	name += strspn(name, "*&");
	for (; *registered; registered++) {
		size_t index = *registered == '[' ? strcspn(registered, "]") : 0;

		if (index > 1 && registered[index]) {
			registered += index;
			any = true;
		} else if (*name++ != *registered) {
			return false;
		}
	}
	return any && (!*name || strchr(".@", *name));
}

int fetch_unknown(struct session *s, const char *name, const struct rankset *who, struct err *err)
{
	struct fetch_objects all;
	const char *near[NEAR];
	char list[400] = "";
	size_t used = 0, n = 0;

	if (fetch_names(s, "", who, &all, err))
		return -1;
	if (fields_unnamed(&all, name, err) || fields_unknown(&all, name, err)) {
		fetch_objects_clear(&all);
		return -1;
	}
	for (size_t i = 0; i < all.n; i++)
		if (is_indexed(all.item[i].desc.name, name)) {
			err_set(err,
				"an array is registered as %.100s: type `%.100s` with these "
				"accents "
				"for it, and (%.*s) for the program's variable",
				all.item[i].desc.name, all.item[i].desc.name,
				(int)strcspn(name + strspn(name, "*&"), ".@"),
				name + strspn(name, "*&"));
			fetch_objects_clear(&all);
			return -1;
		}
	for (size_t i = 0; i < all.n && n < NEAR; i++)
		if (names_near(name, all.item[i].desc.name) &&
		    (!n || strcmp(near[n - 1], all.item[i].desc.name)))
			near[n++] = all.item[i].desc.name;
	for (size_t i = 0; i < n && used < sizeof(list); i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s %s", i ? "," : "",
					 near[i]);
	if (!all.n)
		err_set_code(err, ERR_NAME,
			     "there is no object '%.200s': no object is registered at this point, "
			     "and the chosen frame has no variable of that name",
			     name);
	else if (n)
		err_set_code(err, ERR_NAME,
			     "there is no object '%.200s'; near:%s. 'what' shows all", name, list);
	else
		err_set_code(err, ERR_NAME,
			     "there is no object '%.200s'; 'what' shows those that are registered",
			     name);
	fetch_objects_clear(&all);
	return -1;
}

void fetched_clear(struct fetched *f)
{
	array_desc_clear(&f->desc);
	section_clear(&f->section);
	values_clear(&f->q);
	free(f->missing);
	json_decref(f->notes);
	memset(f, 0, sizeof(*f));
}

/* The description that the ranks serve under this name: of several the one registered last. */
static int newest(struct session *s, const char *name, const struct rankset *ranks,
		  struct array_desc *out, struct err *err)
{
	struct msg_query q = { .kind = QUERY_LAYOUT, .name = name };
	struct rankset first = { 0 };
	struct groups answers = { 0 };
	uint32_t rank = (uint32_t)rankset_next(ranks, 0);
	struct buf b;
	int rc;

	xrankset_add(&first, rank, rank);
	rc = ask(s, &q, &first, &answers, NULL, err);
	if (!rc && !answers.n)
		rc = err_set(err, "[%u] does not answer", rank);
	if (!rc) {
		b = buf_view(answers.group[0].blob, answers.group[0].len);
		rc = array_desc_get_global(out, &b);
		if (rc)
			err_set_code(err, ERR_NAME, "there is no object '%s'", name);
	}
	groups_clear(&answers);
	rankset_clear(&first);
	return rc;
}

static bool same_shape(const struct array_desc *a, const struct array_desc *b)
{
	if (a->kind != b->kind || a->type != b->type || a->ndim != b->ndim ||
	    a->elem_size != b->elem_size || a->nfield != b->nfield || a->copies != b->copies ||
	    a->periodic != b->periodic)
		return false;
	return !memcmp(a->lower, b->lower, a->ndim * sizeof(*a->lower)) &&
	       !memcmp(a->extent, b->extent, a->ndim * sizeof(*a->extent));
}

/* Of who those that have not answered, and those that have answered and do not have the object. */
static void note_lacking(const struct rankset *who, const struct rankset *have,
			 const struct rankset *silent, json_t *notes)
{
	struct rankset lacking = { 0 };

	xrankset_copy(&lacking, who);
	xrankset_remove_set(&lacking, have);
	xrankset_remove_set(&lacking, silent);
	if (silent->n)
		fetch_note(notes, silent, "did not answer");
	if (lacking.n)
		fetch_note(notes, &lacking, "has not registered it");
	rankset_clear(&lacking);
}

/* Finds the description that holds for all ranks of who that have the object; these are in have. */
static int describe(struct session *s, const char *name, const struct rankset *who,
		    struct fetched *f, struct rankset *have, struct err *err)
{
	struct fetch_objects objects;
	char a[64], b[64];
	int rc = 0;

	if (fetch_names(s, name, who, &objects, err))
		return -1;
	for (size_t i = 0; i < objects.n; i++)
		xrankset_add_set(have, &objects.item[i].ranks);
	note_lacking(who, have, &objects.silent, f->notes);
	if (!objects.n && objects.silent.n)
		rc = err_set(err, "%s did not answer",
			     rankset_format(&objects.silent, a, sizeof(a)));
	else if (!objects.n)
		rc = fetch_unknown(s, name, who, err);
	else
		rc = fields_unnamed(&objects, name, err);
	if (!rc)
		rc = newest(s, name, have, &f->desc, err);
	for (size_t i = 1; !rc && i < objects.n; i++) {
		const struct fetch_object *x = &objects.item[0], *y = &objects.item[i];

		/* Several on one rank: the newest is meant. On different ranks: they must be alike.
		 */
		if (!rankset_meets(&x->ranks, &y->ranks) && !same_shape(&x->desc, &y->desc))
			rc = err_set(err,
				     "%s is not the same object on %s and %s: choose one set, as "
				     "in [%u] print",
				     name, rankset_format(&x->ranks, a, sizeof(a)),
				     rankset_format(&y->ranks, b, sizeof(b)),
				     (unsigned)rankset_next(&x->ranks, 0));
	}
	fetch_objects_clear(&objects);
	return rc;
}

/* The field that name means in the description, NULL when it is the object itself. */
static const struct array_field *field_of(const struct array_desc *d, const char *name)
{
	size_t own = strlen(d->name), len = strlen(name);
	const char *at = strrchr(name, '@');

	if (strncmp(name, d->name, own) || name[own] != '.')
		return NULL;
	if (at && strchr(at, ':') && at > name + own)
		len = (size_t)(at - name);
	for (uint32_t i = 0; i < d->nfield; i++)
		if (strlen(d->field[i].name) == len - own - 1 &&
		    !strncmp(d->field[i].name, name + own + 1, len - own - 1))
			return &d->field[i];
	return NULL;
}

/* Whether an index that is written down in dimension d is outside the array. */
static bool is_beyond(const struct array_desc *a, const struct section_dim *x, unsigned d)
{
	int64_t lo = a->lower[d], hi = lo + a->extent[d] - 1;
	bool any = false;

	if (x->vector) {
		for (uint32_t i = 0; i < x->n; i++)
			any |= x->vector[i] < lo || x->vector[i] > hi;
		return any;
	}
	if (x->all)
		return false;
	return (!x->open_first && (x->first < lo || x->first > hi)) ||
	       (!x->scalar && !x->open_last && (x->last < lo || x->last > hi));
}

/* What is left open ends at the array's own bounds. */
static void close_dim(const struct array_desc *a, struct section_dim *x, unsigned d)
{
	int64_t lo = a->lower[d], hi = lo + a->extent[d] - 1;

	if (x->vector || x->scalar)
		return;
	if (!x->step)
		x->step = 1;
	if (x->all || x->open_first)
		x->first = x->step > 0 ? lo : hi;
	if (x->all || x->open_last)
		x->last = x->step > 0 ? hi : lo;
	x->all = x->open_first = x->open_last = false;
}

/* The bounds of what any of the ranks stores, halo included; they are at least the array's own. */
static int stored_bounds(struct session *s, const char *name, const struct rankset *ranks,
			 int64_t *lower, int64_t *extent, struct err *err)
{
	struct msg_query q = { .kind = QUERY_LAYOUT, .name = name };
	struct groups answers = { 0 };
	int rc = ask(s, &q, ranks, &answers, NULL, err);

	for (size_t i = 0; !rc && i < answers.n; i++) {
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);
		struct array_desc a;

		if (array_desc_get_global(&a, &b))
			continue;
		for (unsigned d = array_desc_get_local(&a, &b) ? a.ndim : 0; d < a.ndim; d++) {
			int64_t hi = lower[d] + extent[d] - 1, lo = a.own_lo[d] - a.halo_lo[d];

			if (a.list[d] || a.own_hi[d] < a.own_lo[d])
				continue;
			if (a.own_hi[d] + a.halo_hi[d] > hi)
				hi = a.own_hi[d] + a.halo_hi[d];
			lower[d] = lo < lower[d] ? lo : lower[d];
			extent[d] = hi - lower[d] + 1;
		}
		array_desc_clear(&a);
	}
	groups_clear(&answers);
	return rc;
}

/* The bounds that the section may use, as lower and extent: further ones when it asks for halo
 * outside of the array. */
static int bounds(struct session *s, struct fetched *f, const char *name,
		  const struct rankset *ranks, int64_t *lower, int64_t *extent, struct err *err)
{
	const struct array_desc *d = &f->desc;

	memcpy(lower, d->lower, sizeof(d->lower));
	memcpy(extent, d->extent, sizeof(d->extent));
	if (d->kind != ARRAY_DISTRIBUTED || f->section.ndim != d->ndim)
		return 0;
	for (unsigned i = 0; i < d->ndim; i++)
		f->beyond |= is_beyond(d, &f->section.dim[i], i);
	for (unsigned i = 0; i < d->ndim && f->beyond; i++)
		close_dim(d, &f->section.dim[i], i);
	return f->beyond ? stored_bounds(s, name, ranks, lower, extent, err) : 0;
}

/* Binds the section and sets type and shape of the quantity. */
static int shape(struct fetched *f, const char *name, int64_t *lower, int64_t *extent,
		 uint64_t limit, struct err *err)
{
	const struct array_desc *d = &f->desc;
	unsigned ndim = d->ndim;
	uint64_t total;
	uint32_t count = f->field ? f->field->count : 1;

	if (!ndim && count > 1) {
		lower[0] = 0;
		extent[0] = count;
		ndim = 1;
		count = 1;
	}
	if (section_bind(&f->section, name, ndim, lower, extent, err))
		return -1;
	f->q.type = f->field ? f->field->type : d->type;
	f->q.elem_size = f->q.type == VALUE_STRUCT ? d->elem_size : (uint32_t)value_size(f->q.type);
	if (f->q.type == VALUE_STRUCT) {
		f->q.field = d->field;
		f->q.nfield = d->nfield;
	}
	for (unsigned i = 0; i < f->section.ndim; i++)
		if (!f->section.dim[i].scalar)
			values_add_dim(&f->q, &f->section, i);
	f->q.order = (char)d->order;
	if (count > 1 && f->q.ndim == ARRAY_DIMS)
		return err_set(err, "%s has too many dimensions", name);
	if (count > 1)
		f->q.count[f->q.ndim++] = count;
	total = values_total(&f->q);
	if (total > limit && limit == FETCH_MOST)
		return err_set(err,
			       "%s: these are %" PRIu64 " elements, more than the %" PRIu64
			       " that are computed with at once: choose a section",
			       name, total, limit);
	if (total > limit)
		return err_set(err,
			       "%s: these are %" PRIu64 " elements, more than PRINT_LIMIT "
			       "(%" PRIu64 "): choose a section, or set PRINT_LIMIT",
			       name, total, limit);
	return 0;
}

/* Moves the values, and what is said of them. */
static void adopt(struct fetched *to, struct fetched *from)
{
	to->q.group = from->q.group;
	to->q.n = from->q.n;
	to->missing = from->missing;
	to->nmissing = from->nmissing;
	json_array_extend(to->notes, from->notes);
	from->q.group = NULL;
	from->q.n = 0;
	from->missing = NULL;
}

static void values_free(struct fetched *f)
{
	values_clear(&f->q);
	free(f->missing);
	json_decref(f->notes);
}

/*
 * Copy number k into *part, which borrows what describes out and has values of its own. 1: these
 * ranks have nothing of it.
 */
static int fetch_copy(struct session *s, struct msg_query *q, uint32_t k,
		      const struct rankset *have, const struct fetched *out, struct fetched *part,
		      struct err *err)
{
	struct groups answers = { 0 };
	int rc;

	*part = *out;
	part->q.group = NULL;
	part->q.n = 0;
	part->notes = json_array();
	q->n = FETCH_COPY + k;
	rc = ask(s, q, have, &answers, NULL, err);
	if (!rc)
		rc = assemble_any(&answers) ? assemble(part, &answers, NULL, have, err) : 1;
	groups_clear(&answers);
	return rc;
}

/*
 * An array that is partly replicated: each whole copy is a value, of which equal ones become one;
 * where none is whole, the first of which something is there. Without `all` one copy is enough.
 */
static int fetch_copies(struct session *s, struct msg_query *q, const struct rankset *have,
			bool all, struct fetched *out, struct err *err)
{
	struct fetched first = { .notes = json_array() }, part;
	int rc = 0;

	for (uint32_t k = 0; k < out->desc.copies && rc >= 0 && (all || !out->q.n); k++) {
		rc = fetch_copy(s, q, k, have, out, &part, err);
		if (!rc && part.nmissing && !first.q.n)
			adopt(&first, &part);
		else if (!rc && !part.nmissing)
			xalloc_check(values_add(&out->q, &part.q.group[0].ranks,
						part.q.group[0].bytes) ||
				     values_collapse(&out->q));
		values_free(&part);
	}
	if (rc >= 0 && !out->q.n && first.q.n)
		adopt(out, &first);
	if (rc >= 0 && !out->q.n)
		rc = err_set(err, "%s: no rank has answered", out->desc.name);
	values_free(&first);
	return rc < 0 ? -1 : 0;
}

/* What the section's owners have, and of a section that goes beyond the array who stores it. */
static int fetch_owned(struct session *s, struct msg_query *q, const struct rankset *have,
		       struct fetched *out, struct err *err)
{
	struct groups answers = { 0 }, stored = { 0 };
	struct rankset silent = { 0 };
	int rc;

	q->n = out->beyond ? FETCH_INSIDE : FETCH_OWN;
	rc = ask(s, q, have, &answers, &silent, err);
	q->n = FETCH_STORED;
	if (!rc && out->beyond)
		rc = ask(s, q, have, &stored, NULL, err);
	if (!rc && silent.n)
		fetch_note(out->notes, &silent, "did not answer");
	if (!rc)
		rc = assemble(out, &answers, out->beyond ? &stored : NULL, have, err);
	groups_clear(&answers);
	groups_clear(&stored);
	rankset_clear(&silent);
	return rc;
}

/* all: every copy of an array that is partly replicated. */
static int fetch_section(struct session *s, const char *name, const struct section *sec,
			 const struct rankset *who, uint64_t limit, bool all, struct fetched *out,
			 struct err *err)
{
	struct msg_query q = { .kind = QUERY_FETCH, .name = name };
	struct rankset have = { 0 };
	int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];
	int rc;

	memset(out, 0, sizeof(*out));
	out->notes = json_array();
	rc = describe(s, name, who, out, &have, err);
	if (rc)
		goto out;
	out->field = field_of(&out->desc, name);
	if (sec)
		xalloc_check(section_copy(&out->section, sec));
	fields_whole(&out->desc, &out->section);
	rc = bounds(s, out, name, &have, lower, extent, err);
	if (!rc)
		rc = shape(out, name, lower, extent, limit, err);
	if (rc)
		goto out;
	xalloc_check(section_copy(&q.section, &out->section));
	rc = out->desc.copies && !out->beyond ? fetch_copies(s, &q, &have, all, out, err)
					      : fetch_owned(s, &q, &have, out, err);
out:
	section_clear(&q.section);
	rankset_clear(&have);
	if (rc)
		fetched_clear(out);
	return rc;
}

int fetch_object(struct session *s, const char *name, const struct section *sec,
		 const struct rankset *who, struct fetched *out, struct err *err)
{
	return fetch_section(s, name, sec, who, (uint64_t)settings_number(s->set, "PRINT_LIMIT"),
			     true, out, err);
}

int fetch_large(struct session *s, const char *name, const struct section *sec,
		const struct rankset *who, uint64_t limit, struct fetched *out, struct err *err)
{
	return fetch_section(s, name, sec, who, limit, false, out, err);
}

int fetch_all(struct session *s, const char *name, const struct section *sec,
	      const struct rankset *who, struct fetched *out, struct err *err)
{
	return fetch_section(s, name, sec, who, UINT64_MAX, true, out, err);
}

int fetch_ahead(struct session *s, const char *name, const struct array_desc *d,
		const struct section *sec, const struct rankset *who, struct fetch_part *out,
		struct err *err)
{
	struct msg_query q = { .kind = QUERY_FETCH, .name = name, .n = FETCH_OWN };
	int64_t lower[ARRAY_DIMS], extent[ARRAY_DIMS];
	int rc;

	*out = (struct fetch_part){ .f = { .desc = *d, .notes = json_array() } };
	out->f.field = field_of(&out->f.desc, name);
	xrankset_copy(&out->who, who);
	xalloc_check(section_copy(&out->f.section, sec));
	memcpy(lower, d->lower, sizeof(lower));
	memcpy(extent, d->extent, sizeof(extent));
	rc = shape(&out->f, name, lower, extent, UINT64_MAX, err);
	if (!rc) {
		xalloc_check(section_copy(&q.section, &out->f.section));
		out->req = ask_ahead(s, &q, who, err);
		rc = out->req ? 0 : -1;
	}
	section_clear(&q.section);
	if (rc)
		fetch_part_clear(s, out);
	return rc;
}

int fetch_await(struct session *s, struct fetch_part *p, struct err *err)
{
	struct groups answers = { 0 };
	int rc;

	ask_await(s, p->req, &answers);
	p->req = NULL;
	rc = assemble(&p->f, &answers, NULL, &p->who, err);
	groups_clear(&answers);
	memset(&p->f.desc, 0, sizeof(p->f.desc));
	return rc;
}

void fetch_part_clear(struct session *s, struct fetch_part *p)
{
	if (p->req)
		job_req_drop(s->job, p->req);
	memset(&p->f.desc, 0, sizeof(p->f.desc));
	fetched_clear(&p->f);
	rankset_clear(&p->who);
	memset(p, 0, sizeof(*p));
}

json_t *fetched_dims(const struct fetched *f)
{
	json_t *dims = json_array();

	for (unsigned d = 0; d < f->section.ndim; d++) {
		const struct section_dim *x = &f->section.dim[d];
		json_t *dim;

		if (x->scalar)
			continue;
		dim = json_pack("{s:I}", "n", (json_int_t)section_count(&f->section, d));
		if (x->vector) {
			json_t *list = json_array();

			for (uint32_t i = 0; i < x->n; i++)
				json_array_append_new(list, json_integer(x->vector[i]));
			json_object_set_new(dim, "list", list);
		} else {
			json_object_set_new(dim, "first", json_integer(x->first));
			json_object_set_new(dim, "step", json_integer(x->step ? x->step : 1));
		}
		json_array_append_new(dims, dim);
	}
	if (json_array_size(dims) < f->q.ndim) /* a field that is an array */
		json_array_append_new(
			dims, json_pack("{s:I s:I s:I}", "n", (json_int_t)f->q.count[f->q.ndim - 1],
					"first", (json_int_t)0, "step", (json_int_t)1));
	return dims;
}

json_t *fetched_subscripts(const struct fetched *f)
{
	json_t *list = json_array();

	for (unsigned d = 0; d < f->section.ndim; d++)
		json_array_append_new(list, f->section.dim[d].scalar
						    ? json_integer(f->section.dim[d].first)
						    : json_null());
	if (f->desc.ndim && f->field && f->field->count > 1)
		json_array_append_new(list, json_null());
	return list;
}

const char *fetched_lack(const struct fetched *f)
{
	const char *why = json_string_value(json_array_get(f->notes, 0));
	const char *how_many = why ? strstr(why, " elements: ") : NULL;

	return how_many ? how_many + strlen(" elements: ") : why ? why : "no rank owns them";
}

/* Of the ranks of one answer to QUERY_STATUS or QUERY_STACK. */
static int add_own(enum own_value which, const struct rank_group *g, struct values *out,
		   struct err *err)
{
	struct buf b = buf_view(g->blob, g->len);
	struct report_stack *stack = NULL;
	struct report_status status;
	int64_t number = 0;
	int rc = 0;

	if (which == OWN_ITERATION) {
		stack = xcalloc(1, sizeof(*stack));
		rc = report_stack_get(stack, &b);
	} else {
		rc = report_status_get(&status, &b);
		number = rc ? 0 : (int64_t)point_number(&status.point);
	}
	rc = rc ? err_set(err, "an answer cannot be read")
		: own_value_add(which, &g->ranks, number, stack, out, err);
	free(stack);
	return rc;
}

static int own_number(struct fetch *f, enum own_value which, struct values *out, struct err *err)
{
	struct rankset one = { 0 };
	int rc = 0;

	if (which == OWN_NRANKS)
		return own_value_add(which, f->who, job_size(f->s->job), NULL, out, err);
	for (int64_t r = rankset_next(f->who, 0); r >= 0 && !rc;
	     r = rankset_next(f->who, (uint32_t)r + 1)) {
		xrankset_add(&one, (uint32_t)r, (uint32_t)r);
		rc = own_value_add(which, &one, r, NULL, out, err);
		rankset_clear(&one);
		one = (struct rankset){ 0 };
	}
	return rc;
}

/* "$rank" and the like, as it is on each of them. */
static int resolve_own(struct fetch *f, const char *name, const struct section *sec,
		       struct values *out, struct err *err)
{
	enum own_value which = own_value_find(name, err);
	struct msg_query q = { .kind = which == OWN_ITERATION ? QUERY_STACK : QUERY_STATUS };
	struct groups answers = { 0 };
	int rc;

	if (which == OWN_VALUES)
		return -1;
	if (sec)
		return err_set(err, "%s is not an array", name);
	if (!f->s->job)
		return err_set(err, "%s: no program is loaded", name);
	if (which == OWN_RANK || which == OWN_NRANKS)
		return own_number(f, which, out, err);
	rc = ask(f->s, &q, f->who, &answers, NULL, err);
	for (size_t i = 0; !rc && i < answers.n; i++)
		rc = add_own(which, &answers.group[i], out, err);
	groups_clear(&answers);
	if (rc)
		values_clear(out);
	return rc;
}

int fetch_resolve(void *arg, const char *name, const struct section *sec, struct values *out,
		  struct err *err)
{
	struct fetch *f = arg;
	struct fetched *grown, *x;
	uint64_t missing;

	if (*name == '$')
		return resolve_own(f, name, sec, out, err);
	grown = xrealloc(f->kept, (f->nkept + 1) * sizeof(*grown));
	f->kept = grown;
	x = &grown[f->nkept];
	if (f->limit ? fetch_section(f->s, name, sec, f->who, f->limit, true, x, err)
		     : fetch_object(f->s, name, sec, f->who, x, err))
		return -1;
	missing = x->nmissing;
	if (missing) {
		err_set(err, "%s: %" PRIu64 " of %" PRIu64 " elements are missing: %s", name,
			missing, values_total(&x->q), fetched_lack(x));
		fetched_clear(x);
		return -1;
	}
	/* The bytes move out; the description stays, fields are borrowed from it. */
	*out = x->q;
	x->q.group = NULL;
	x->q.n = 0;
	f->nkept++;
	return 0;
}

void fetch_clear(struct fetch *f)
{
	for (size_t i = 0; i < f->nkept; i++)
		fetched_clear(&f->kept[i]);
	free(f->kept);
	json_decref(f->notes);
	memset(f, 0, sizeof(*f));
}
