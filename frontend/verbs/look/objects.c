/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs of objects: what decomp. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array/array.h"
#include "common/core/buf.h"
#include "common/core/err.h"
#include "common/array/value.h"
#include "common/protocol/answer.h"
#include "frontend/model/ask.h"
#include "frontend/verbs/look/internal.h"
#include "common/expr/expr.h"
#include "frontend/cmd/cmd.h"
#include "frontend/data/fetch.h"
#include "frontend/output/output.h"
#include "frontend/output/text.h"
#include "frontend/session/session.h"
#include "frontend/util/xalloc.h"

/* "[1000][1000]", "(0:5,20)": extents, with lower bounds that are not the language's own. */
static void shape_text(const struct array_desc *d, char *out, size_t size)
{
	bool fortran = d->order == 'F';
	size_t used = 0;

	*out = 0;
	for (unsigned i = 0; i < d->ndim && used < size; i++) {
		const char *open = fortran ? (i ? "," : "(") : "[";
		const char *close = fortran ? (i + 1 == d->ndim ? ")" : "") : "]";
		int64_t last = d->lower[i] + d->extent[i] - 1;

		if (d->lower[i] == (fortran ? 1 : 0))
			used += (size_t)snprintf(out + used, size - used, "%s%" PRId64 "%s", open,
						 d->extent[i], close);
		else
			used += (size_t)snprintf(out + used, size - used,
						 "%s%" PRId64 ":%" PRId64 "%s", open, d->lower[i],
						 last, close);
	}
}

/* "distributed in 2 copies"; returns out. */
static const char *held_words(const struct array_desc *d, char *out, size_t size)
{
	if (d->copies)
		snprintf(out, size, "distributed in %u copies", d->copies);
	else
		snprintf(out, size, "%s",
			 d->kind == ARRAY_DISTRIBUTED ? "distributed" : "replicated");
	for (unsigned i = 0, used = 0; i < d->ndim; i++) {
		size_t n = strlen(out);

		if (d->periodic >> i & 1)
			snprintf(out + n, size - n, used++ ? ",%u" : ", periodic in %u", i + 1);
	}
	return out;
}

json_t *object_json(struct session *s, const struct fetch_object *o)
{
	const struct array_desc *d = &o->desc;
	char shape[300], place[600] = "", held[128];
	const char *slash = strrchr(d->file, '/');
	json_t *fields = json_array(), *a;
	int n = 0;

	shape_text(d, shape, sizeof(shape));
	if (*d->file)
		n = snprintf(place, sizeof(place), "%s:%u", slash ? slash + 1 : d->file, d->line);
	if (*d->file && d->counter && n > 0 && (size_t)n < sizeof(place))
		snprintf(place + n, sizeof(place) - (size_t)n, "#%u", d->counter);
	for (uint32_t i = 0; i < d->nfield; i++)
		json_array_append_new(fields, json_pack("{s:o s:s s:I}", "name",
							out_json_text(d->field[i].name), "kind",
							value_type_name(d->field[i].type), "count",
							(json_int_t)d->field[i].count));
	a = json_pack("{s:o s:s s:s s:s s:o s:o}", "name", out_json_text(d->name), "kind",
		      d->type == VALUE_STRUCT ? "structure" : value_type_name(d->type), "shape",
		      shape, "held", held_words(d, held, sizeof(held)), "place",
		      out_json_text(place), "ranks", ask_ranks(&o->ranks));
	if (d->nfield)
		json_object_set(a, "fields", fields);
	json_decref(fields);
	return a;
}

/*
 * What is typed of an object: the name between accents, of an element its array, cells.t of
 * cells[3].t; allocated. element: that is allowed, when the array is registered.
 */
static char *object_name(struct session *s, const struct cmd_call *call, bool element)
{
	struct expr *e = strpbrk(call->rest, "`[(") ? expr_parse(call->rest, NULL) : NULL;
	bool is = e && e->kind == EXPR_NAME && (!e->nsub || (element && !expr_is_call(e)));
	char *name = NULL;

	if (is && e->nsub) {
		struct fetch_objects found;

		is = !fetch_names(s, e->name, &call->who, &found, NULL) && found.n;
		fetch_objects_clear(&found);
	}
	name = xstrdup(is ? e->name : call->rest);
	expr_destroy(e);
	return name;
}

enum { WHAT_ALL, WHAT_ADDRESS };

/* Of a name that no object has: the variable of the chosen frame. */
static int what_variable(struct session *s, const struct cmd_call *call, struct err *err)
{
	struct err own = { "" };
	json_t *o = session_locals(s, &call->who, call->rest, LOCALS_LONG, &own);
	const json_t *calls = o ? out_get(o, "calls") : NULL;

	if (!o && own.code != ERR_NAME && *own.text) {
		*err = own;
		return err_prefix(err, "what");
	}
	if (!o)
		return fetch_unknown(s, call->rest, &call->who, err);
	variables_together(o);
	for (size_t i = 0; i < json_array_size(calls); i++) {
		const json_t *list = out_get(json_array_get(calls, i), "variables");

		for (size_t k = 0; k < json_array_size(list); k++)
			json_object_set_new(json_array_get(list, k), "typed", json_true());
	}
	json_object_set_new(o, "one", json_true());
	out_answer(s->out, o);
	return 0;
}

static void note_hidden(struct session *s, const struct rankset *who, const char *text)
{
	struct expr *e = *text ? expr_parse(text, NULL) : NULL;

	named_note_hidden(s, who, e);
	expr_destroy(e);
}

/* Where it is, instead of what it is; of a variable as print &x shows it. */
static int what_address(struct session *s, const struct cmd_call *call, struct err *err)
{
	json_t *o = call->argc ? address_of(s, &call->who, call->rest, err) : NULL;

	if (!call->argc)
		return err_set(err, "what -address: give a name or an element, as in u[3][4]");
	if (!o && err->code == ERR_NAME) {
		char *line = xasprintf("print &%s", call->rest);
		int rc = cmd_within(s, line, call->set, err);

		free(line);
		return rc;
	}
	if (!o)
		return -1;
	out_answer(s->out, o);
	note_hidden(s, &call->who, call->rest);
	return 0;
}

static int run_what(struct session *s, struct cmd_call *call, struct err *err)
{
	struct fetch_objects objects;
	json_t *list, *o;
	char *name;
	int rc;

	if (call->option[WHAT_ADDRESS])
		return what_address(s, call, err);
	if (call->argc > 1)
		return err_set(err, "what takes one name, not '%s'", call->rest);
	name = object_name(s, call, true);
	rc = fetch_names(s, name, &call->who, &objects, err);
	free(name);
	if (rc)
		return -1;
	if (call->argc && !objects.n && !objects.silent.n) {
		fetch_objects_clear(&objects);
		return what_variable(s, call, err);
	}
	list = json_array();
	for (size_t i = 0; i < objects.n; i++)
		json_array_append_new(list, object_json(s, &objects.item[i]));
	o = out_json_list("what", list, "no object is registered at this point");
	if (objects.silent.n)
		json_object_set_new(o, "silent", ask_ranks(&objects.silent));
	if (call->option[WHAT_ALL])
		json_object_set_new(o, "all", json_true());
	out_answer(s->out, o);
	note_hidden(s, &call->who, call->rest);
	fetch_objects_clear(&objects);
	return 0;
}

const struct cmd cmd_what = {
	.name = "what",
	.args = "[name] [-address] [-all]",
	.brief = "type, shape, place and ranks of registered objects",
	.help = "Without a name it shows all objects that are registered now. An object that was "
		"registered at several places has a line for each; print name@file:line chooses "
		"one of them. One line may register several, for the levels of a grid: they are "
		"name@file:line#0, name@file:line#1 and so on; without a number the one that was "
		"registered last is used. A name that no object has is a variable of the chosen "
		"frame: its type "
		"and its value.",
	.both = CMD_SHOW,
	.example = "what u",
	.completes = "object",
	.needs_job = true,
	.option = { [WHAT_ADDRESS] = { "address", CMD_FLAG,
				       "where the object, or an element or section of it, is in "
				       "the memory of each rank that stores it: as owner, as "
				       "another copy, or in its halo" },
		    [WHAT_ALL] = { "all", CMD_FLAG,
				   "all objects and registrations, however many" } },
	.run = run_what,
};

/* "0:499" or "{1,4,9}" for what is owned in dimension i. */
static size_t own_text(const struct array_desc *d, unsigned i, char *out, size_t size)
{
	size_t used;

	if (!d->list[i])
		return (size_t)snprintf(out, size, "%" PRId64 ":%" PRId64, d->own_lo[i],
					d->own_hi[i]);
	used = (size_t)snprintf(out, size, "{");
	for (uint32_t k = 0; k < d->list_n[i] && used < size; k++) {
		if (k == 12) {
			used += (size_t)snprintf(out + used, size - used, ",... %u in all",
						 d->list_n[i]);
			break;
		}
		used += (size_t)snprintf(out + used, size - used, k ? ",%" PRId64 : "%" PRId64,
					 d->list[i][k]);
	}
	return used + (used < size ? (size_t)snprintf(out + used, size - used, "}") : 0);
}

static bool owns_nothing(const struct array_desc *d)
{
	for (unsigned i = 0; i < d->ndim; i++)
		if (d->list[i] ? !d->list_n[i] : d->own_hi[i] < d->own_lo[i])
			return true;
	return false;
}

static json_t *owner_json(const struct rankset *ranks, const struct array_desc *d)
{
	bool fortran = d->order == 'F', halo = false;
	char own[900] = "", width[300] = "";
	size_t used = 0, at = 0;
	json_t *o = json_pack("{s:o}", "ranks", ask_ranks(ranks));

	for (unsigned i = 0; i < d->ndim && used + 60 < sizeof(own); i++) {
		used += (size_t)snprintf(own + used, sizeof(own) - used, "%s",
					 fortran ? (i ? "," : "(") : "[");
		used += own_text(d, i, own + used, sizeof(own) - used - 20);
		if (!fortran || i + 1 == d->ndim)
			used += (size_t)snprintf(own + used, sizeof(own) - used,
						 fortran ? ")" : "]");
		at += (size_t)snprintf(width + at, sizeof(width) - at,
				       d->halo_lo[i] == d->halo_hi[i] ? "%s%" PRId64
								      : "%s%" PRId64 "/%" PRId64,
				       i ? "," : "", d->halo_lo[i], d->halo_hi[i]);
		halo = halo || d->halo_lo[i] || d->halo_hi[i];
	}
	json_object_set_new(o, "text", json_string(owns_nothing(d) ? "nothing" : own));
	if (d->copies)
		json_object_set_new(o, "copy", json_integer(d->copy));
	if (halo && !owns_nothing(d))
		json_object_set_new(o, "halo", json_string(width));
	return o;
}

static int by_first_rank(const void *pa, const void *pb)
{
	const struct rank_group *a = pa, *b = pb;
	int64_t x = rankset_next(&a->ranks, 0), y = rankset_next(&b->ranks, 0);

	return x < y ? -1 : x > y;
}

enum { DECOMP_ALL };

static int run_decomp(struct session *s, struct cmd_call *call, struct err *err)
{
	char *name = object_name(s, call, false);
	struct msg_query q = { .kind = QUERY_LAYOUT, .name = name };
	struct groups answers = { 0 };
	struct rankset silent = { 0 };
	json_t *o = NULL, *list = json_array();
	int rc = call->argc == 1 ? ask(s, &q, &call->who, &answers, &silent, err)
				 : err_set(err, "decomp: give the name of one array");

	if (answers.n)
		qsort(answers.group, answers.n, sizeof(*answers.group), by_first_rank);
	for (size_t i = 0; !rc && i < answers.n; i++) {
		struct buf b = buf_view(answers.group[i].blob, answers.group[i].len);
		struct array_desc d;
		char shape[300], held[64];

		if (array_desc_get_global(&d, &b))
			continue;
		if (!array_desc_get_local(&d, &b)) {
			shape_text(&d, shape, sizeof(shape));
			if (!o)
				o = json_pack("{s:s s:o s:s s:s}", "type", "decomp", "name",
					      out_json_text(d.name), "shape", shape, "held",
					      held_words(&d, held, sizeof(held)));
			json_array_append_new(list, owner_json(&answers.group[i].ranks, &d));
		}
		array_desc_clear(&d);
	}
	if (!rc && !o) {
		rc = fetch_unknown(s, name, &call->who, err);
		if (err->code == ERR_NAME && session_local_is_array(s, &call->who, name))
			err_set(err,
				"decomp: %s is a variable that the program has not registered: each "
				"rank has its own",
				name);
	}
	if (o) {
		json_object_set(o, "list", list);
		if (silent.n)
			json_object_set_new(o, "silent", ask_ranks(&silent));
		if (call->option[DECOMP_ALL])
			json_object_set_new(o, "all", json_true());
		out_answer(s->out, o);
	}
	json_decref(list);
	free(name);
	groups_clear(&answers);
	rankset_clear(&silent);
	return rc;
}

const struct cmd cmd_decomp = {
	.name = "decomp",
	.args = "array [-all]",
	.brief = "which ranks own which elements of an array",
	.help = "Shows for each group of ranks the global indices they own, as ranges or lists per "
		"dimension, and the widths of the halo.",
	.both = CMD_SHOW,
	.example = "decomp u",
	.completes = "object",
	.needs_job = true,
	.option = { [DECOMP_ALL] = { "all", CMD_FLAG, "all groups of ranks, however many" } },
	.run = run_decomp,
};
