/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs that look at arrays from afar: stat heatmap. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/array/value.h"
#include "common/core/parse.h"
#include "frontend/export/about.h"
#include "frontend/export/cells_file.h"
#include "frontend/verbs/look/look.h"
#include "frontend/cmd/cmd.h"
#include "frontend/diff/diff.h"
#include "frontend/output/output.h"
#include "frontend/export/picture.h"
#include "frontend/data/pieces.h"
#include "frontend/session/session.h"
#include "frontend/data/bins.h"
#include "frontend/data/assemble.h"
#include "frontend/data/fetch.h"
#include "frontend/data/fields.h"
#include "frontend/util/xrankset.h"

/* What both verbs work on. */
struct view {
	struct named o;
	struct pieces p;
	struct bins_spec spec;
	struct bins z;
	uint32_t rank;
	json_t *notes;
};

static void view_clear(struct view *v)
{
	bins_clear(&v->z);
	pieces_clear(&v->p);
	named_clear(&v->o);
	json_decref(v->notes);
}

static int view_find(struct view *v, struct session *s, struct cmd_call *call, const char *verb,
		     struct err *err)
{
	memset(v, 0, sizeof(*v));
	if (!*call->rest)
		return err_set(err,
			       "%s: give the name of an array, or a section of it, as in %s "
			       "u[2:5][*]",
			       verb, verb);
	if (named_parse(&v->o, s, &call->who, verb, call->rest, err))
		return -1;
	if (pieces_find(&v->p, s, v->o.e->name, named_section(&v->o), &call->who, err)) {
		named_clear(&v->o);
		return -1;
	}
	v->notes = json_array();
	if (!v->p.section.ndim)
		err_set(err, "%s: %s is a single value; print shows it", verb, v->p.name);
	for (unsigned d = 0; d < v->p.section.ndim; d++)
		if (v->p.section.dim[d].vector ||
		    (!v->p.section.dim[d].scalar && v->p.section.dim[d].step != 1)) {
			err_set(err, "%s: in dimension %u only a range without a step is allowed",
				verb, d + 1);
			view_clear(v);
			return -1;
		}
	if (v->p.section.ndim)
		return 0;
	view_clear(v);
	return -1;
}

/* JSON has no number for these. */
static json_t *real(double x)
{
	return isnan(x)	  ? json_string("nan")
	       : isinf(x) ? json_string(x > 0 ? "inf" : "-inf")
			  : json_real(x);
}

static json_t *place(const struct view *v, const int64_t *index)
{
	unsigned ndim = v->p.section.ndim;
	json_t *list = json_array();
	char text[400];

	diff_element(fields_label(&v->p.desc, v->p.name), v->p.desc.order, ndim, index, text,
		     sizeof(text));
	for (unsigned d = 0; d < ndim; d++)
		json_array_append_new(list, json_integer(index[d]));
	return json_pack("{s:o s:o}", "element", out_json_text(text), "index", list);
}

/* What is known of all elements of the section. */
static void put_totals(json_t *o, const struct view *v)
{
	const struct bins *z = &v->z;
	const struct bins_cell *c = &z->all;
	json_t *x;

	json_object_set_new(o, "total", json_integer((json_int_t)section_total(&v->p.section)));
	json_object_set_new(o, "count", json_integer((json_int_t)c->count));
	json_object_set_new(o, "nan", json_integer((json_int_t)c->nan));
	json_object_set_new(o, "inf", json_integer((json_int_t)c->inf));
	if (c->least <= c->most) {
		json_object_set_new(o, "mean", real(picture_number(c, PICTURE_MEAN)));
		x = place(v, z->at_least);
		json_object_set_new(x, "value", real(c->least));
		json_object_set_new(o, "least", x);
		x = place(v, z->at_most);
		json_object_set_new(x, "value", real(c->most));
		json_object_set_new(o, "most", x);
	}
	if (z->found_nan)
		json_object_set_new(o, v->spec.after ? "next_nan" : "first_nan",
				    place(v, z->at_nan));
	if (v->rank != UINT32_MAX)
		json_object_set_new(o, "rank", json_integer(v->rank));
	if (json_array_size(v->notes))
		json_object_set(o, "notes", v->notes);
}

static void put_bins(json_t *o, const struct view *v)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < BINS_HISTOGRAM; i++)
		json_array_append_new(list, json_integer((json_int_t)v->z.bin[i]));
	json_object_set_new(o, "bins",
			    json_pack("{s:f s:f s:I s:I s:o}", "from", v->spec.from, "to",
				      v->spec.to, "below", (json_int_t)v->z.below, "above",
				      (json_int_t)v->z.above, "count", list));
}

static json_t *head(const char *type, const struct view *v, const struct cmd_call *call)
{
	char order[2] = { (char)v->p.desc.order, 0 };

	return json_pack("{s:s s:o s:o s:s s:s}", "type", type, "expr", out_json_text(call->rest),
			 "name", out_json_text(v->p.name), "kind", value_type_name(v->p.type),
			 "order", order);
}

enum { STAT_HISTOGRAM, STAT_BETWEEN, STAT_AFTER };

static int parse_between(const char *text, struct bins_spec *spec, struct err *err)
{
	const char *p = text;

	if (parse_real_at(&p, &spec->from) || *p++ != ':' || parse_real_at(&p, &spec->to) || *p ||
	    !isfinite(spec->from) || !isfinite(spec->to) || spec->from >= spec->to)
		return err_set(err, "stat -between %s: give two numbers, as in 0:1.5", text);
	spec->bins = true;
	return 0;
}

static int fetch(struct view *v, struct err *err)
{
	json_array_clear(v->notes);
	bins_clear(&v->z);
	return bins_fetch(&v->p, &v->spec, &v->z, &v->rank, v->notes, err);
}

/* Statistics, and then a histogram between the extremes, when it is wanted. */
static int stat_fetch(struct view *v, bool histogram, struct err *err)
{
	const struct bins_cell *all = &v->z.all;

	if (fetch(v, err))
		return -1;
	if (!histogram || v->spec.bins || !(all->least <= all->most))
		return 0;
	v->spec.bins = true;
	v->spec.from = all->least;
	v->spec.to = all->most;
	if (all->least == all->most) { /* around the only value */
		v->spec.from = fmax(all->least - fabs(all->least) / 2 - 0.5, -DBL_MAX);
		v->spec.to = fmin(all->least + fabs(all->least) / 2 + 0.5, DBL_MAX);
	}
	return fetch(v, err);
}

/* The numbers are those of one rank, or of one copy: who has other values? */
static void note_copies(struct view *v, struct session *s, const struct cmd_call *call)
{
	bool one = v->rank != UINT32_MAX;
	struct rankset others = { 0 };
	struct fetched f = { 0 };
	struct err err = { "" };

	if ((!one && v->p.desc.copies < 2) || rankset_count(&call->who) < 2)
		return;
	if (section_total(&v->p.section) > FETCH_COMPARED) {
		json_array_append_new(v->notes, json_string("the copies of the other ranks are too "
							    "large to be compared"));
		return;
	}
	if (one ? fetch_large(s, v->p.name, named_section(&v->o), &call->who, FETCH_COMPARED, &f,
			      &err)
		: fetch_all(s, v->p.name, named_section(&v->o), &call->who, &f, &err)) {
		json_array_append_new(v->notes, json_sprintf("the copies of the other ranks were "
							     "not compared: %s",
							     err.text));
		return;
	}
	for (size_t i = 0; i < f.q.n; i++)
		if (one ? !rankset_has(&f.q.group[i].ranks, v->rank) : i > 0)
			xrankset_add_set(&others, &f.q.group[i].ranks);
	if (others.n)
		fetch_note(v->notes, &others, "has other values");
	rankset_clear(&others);
	fetched_clear(&f);
}

static int run_stat(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *between = call->option[STAT_BETWEEN], *after = call->option[STAT_AFTER];
	struct view v;
	json_t *o;
	int rc;

	if (view_find(&v, s, call, "stat", err))
		return -1;
	v.spec.rows = v.spec.cols = 1;
	rc = between ? parse_between(between, &v.spec, err) : 0;
	if (!rc && after) {
		rc = plane_index("stat -after", after, v.p.section.ndim, v.spec.index, err);
		v.spec.after = true;
	}
	if (!rc)
		rc = stat_fetch(&v, call->option[STAT_HISTOGRAM], err);
	if (!rc) {
		note_copies(&v, s, call);
		o = head("stat", &v, call);
		put_totals(o, &v);
		if (v.spec.bins)
			put_bins(o, &v);
		if (v.spec.after && !v.z.found_nan)
			json_object_set_new(o, "next_nan", json_null());
		out_answer(s->out, o);
	}
	view_clear(&v);
	return rc;
}

const struct cmd cmd_stat = {
	.name = "stat",
	.args = "array [-histogram] [-between lo:hi] [-after indices]",
	.brief = "mean, extremes, NaN and a histogram of an array or a section",
	.help = "Each rank evaluates what it owns, so that arrays of any size take little time. Of "
		"equal extremes the first is shown, in the order of the language. Mean and "
		"extremes are those of finite values, for complex ones of the magnitudes. -after "
		"finds the next NaN after an element.",
	.both = CMD_SHOW,
	.example = "stat u[*][0:99] -histogram",
	.completes = "object",
	.needs_job = true,
	.needs_process = true,
	.option = { [STAT_HISTOGRAM] = { "histogram", CMD_FLAG,
					 "a histogram between the extremes" },
		    [STAT_BETWEEN] = { "between", CMD_STRING, "a histogram between lo:hi" },
		    [STAT_AFTER] = { "after", CMD_STRING,
				     "the first NaN after this element, as in 3,4" } },
	.run = run_stat,
};

enum { MAP_CELLS, MAP_ROWS, MAP_COLUMNS, MAP_SHOW, MAP_SCALE, MAP_IMAGE, MAP_BETWEEN, MAP_SAVE };

/* Fills in the shape of the picture. */
static int map_spec(struct view *v, const struct cmd_call *call, uint32_t *columns, struct err *err)
{
	const struct plane_words words = { .verb = "heatmap",
					   .cells = call->option[MAP_CELLS],
					   .rows = call->option[MAP_ROWS],
					   .columns = call->option[MAP_COLUMNS] };
	struct plane p;

	if (plane_parse(&p, &words, &v->p.section, v->p.desc.order == 'F', err))
		return -1;
	v->spec.row = (uint8_t)p.row;
	v->spec.col = (uint8_t)p.col;
	v->spec.rows = p.rows;
	v->spec.cols = p.cols;
	*columns = p.columns;
	return 0;
}

static json_t *dims_json(const struct section *s)
{
	json_t *list = json_array();

	for (unsigned d = 0; d < s->ndim; d++)
		json_array_append_new(list,
				      json_pack("{s:I s:I}", "first", (json_int_t)s->dim[d].first,
						"n", (json_int_t)section_count(s, d)));
	return list;
}

/* Each member of the cells as one list, row by row. */
static json_t *cells_json(const struct bins *z)
{
	json_t *count = json_array(), *mean = json_array(), *least = json_array();
	json_t *most = json_array(), *odd = json_array(), *owner = json_array();

	for (size_t i = 0; i < (size_t)z->rows * z->cols; i++) {
		const struct bins_cell *c = &z->cell[i];
		bool finite = picture_has(c);

		json_array_append_new(count, json_integer((json_int_t)c->count));
		json_array_append_new(mean,
				      finite ? real(picture_number(c, PICTURE_MEAN)) : json_null());
		json_array_append_new(least, finite ? real(c->least) : json_null());
		json_array_append_new(most, finite ? real(c->most) : json_null());
		json_array_append_new(odd, c->nan   ? json_string("nan")
					   : c->inf ? json_string("inf")
						    : json_null());
		json_array_append_new(owner, !c->count		      ? json_null()
					     : c->owner == BINS_MIXED ? json_string("mixed")
								      : json_integer(c->owner));
	}
	return json_pack("{s:o s:o s:o s:o s:o s:o}", "count", count, "mean", mean, "min", least,
			 "max", most, "odd", odd, "owner", owner);
}

/* A picture, as its cells are asked for. */
struct drawn {
	const struct bins *z;
	enum picture_show show;
	struct shade shade;
};

static uint32_t colour_of(void *arg, size_t cell)
{
	const struct drawn *d = arg;

	return picture_colour(&d->z->cell[cell], d->show, &d->shade);
}

static double number_of(void *arg, size_t cell)
{
	const struct drawn *d = arg;

	return picture_plain(&d->z->cell[cell], d->show);
}

static int draw(const struct view *v, uint32_t columns, struct drawn *d,
		const struct cmd_call *call, struct err *err)
{
	static const char *const words[PICTURE_SHOWS] = {
		"the mean", "the largest", "the smallest", "the largest magnitude",
		"the rank that owns it, -1: several own it"
	};
	char more[100];
	const struct about about = { .p = &v->p,
				     .type = v->p.type,
				     .plane = true,
				     .row = v->spec.row,
				     .col = v->spec.col,
				     .more = more };
	const struct cells_file file = { .verb = "heatmap",
					 .rows = v->z.rows,
					 .cols = v->z.cols,
					 .columns = columns,
					 .about = &about,
					 .arg = d,
					 .colour = colour_of,
					 .number = number_of };

	snprintf(more, sizeof(more), "%u x %u cells, of each %s", v->z.rows, v->z.cols,
		 words[d->show]);
	return cells_file_write(&file, call->option[MAP_IMAGE], call->option[MAP_SAVE], err);
}

static int parse_show(const struct view *v, const char *text, enum picture_show *show,
		      struct err *err)
{
	*show = text ? picture_show_find(text) : PICTURE_MEAN;
	if (*show == PICTURE_SHOWS)
		return err_set(err, "heatmap -show %s: mean, max, min, abs or owner is allowed",
			       text);
	if (*show == PICTURE_OWNER && v->p.desc.kind == ARRAY_REPLICATED)
		return err_set(err,
			       "heatmap -show owner: %s is replicated: each rank has all of it",
			       v->p.name);
	return 0;
}

static int parse_scale(const char *text, struct shade *shade, struct err *err)
{
	*shade = (struct shade){ .scale = text ? shade_find(text) : SHADE_LINEAR };
	if (shade->scale == SHADE_SCALES)
		return err_set(err, "heatmap -scale %s: linear, log or diverging is allowed", text);
	return 0;
}

/* The bounds that are given take the place of those that were found. */
static int map_bounds(struct drawn *d, const char *between, struct err *err)
{
	struct bins_spec given = { 0 };

	picture_bounds(d->z, d->show, &d->shade);
	if (!between)
		return 0;
	if (parse_between(between, &given, err))
		return err_set(err, "heatmap -between %s: give two numbers, as in 0:1.5", between);
	d->shade.least = given.from;
	d->shade.most = given.to;
	return 0;
}

static json_t *map_json(const struct view *v, const struct cmd_call *call, uint32_t columns,
			const struct drawn *d)
{
	const char *image = call->option[MAP_IMAGE], *save = call->option[MAP_SAVE];
	json_t *o = head("heatmap", v, call);

	put_totals(o, v);
	json_object_update_new(
		o, json_pack("{s:i s:i s:I s:I s:s s:s s:o s:o}", "row", v->spec.row + 1, "column",
			     v->spec.col + 1, "columns", (json_int_t)columns, "cells_count",
			     (json_int_t)v->z.rows * v->z.cols, "show", picture_show_name(d->show),
			     "scale", shade_name(d->shade.scale), "dims", dims_json(&v->p.section),
			     "cells", cells_json(&v->z)));
	if (d->shade.least <= d->shade.most && d->show != PICTURE_OWNER) {
		json_object_set_new(o, "from", json_real(d->shade.least));
		json_object_set_new(o, "to", json_real(d->shade.most));
	}
	if (image)
		json_object_set_new(o, "image", out_json_text(image));
	if (save)
		json_object_set_new(o, "saved", out_json_text(save));
	return o;
}

static int map_answer(struct session *s, struct view *v, const struct cmd_call *call,
		      uint32_t columns, struct err *err)
{
	struct drawn d = { .z = &v->z };

	if (parse_show(v, call->option[MAP_SHOW], &d.show, err) ||
	    parse_scale(call->option[MAP_SCALE], &d.shade, err) || fetch(v, err) ||
	    map_bounds(&d, call->option[MAP_BETWEEN], err) || draw(v, columns, &d, call, err))
		return -1;
	note_copies(v, s, call);
	out_answer(s->out, map_json(v, call, columns, &d));
	return 0;
}

static int run_heatmap(struct session *s, struct cmd_call *call, struct err *err)
{
	struct view v;
	uint32_t columns;
	int rc;

	if (cells_file_check("heatmap", call->option[MAP_IMAGE], call->option[MAP_SAVE], err) ||
	    view_find(&v, s, call, "heatmap", err))
		return -1;
	rc = map_spec(&v, call, &columns, err);
	if (!rc)
		rc = map_answer(s, &v, call, columns, err);
	view_clear(&v);
	return rc;
}

const struct cmd cmd_heatmap = {
	.name = "heatmap",
	.args = "array [-cells RxC] [-rows d] [-columns d] [-show what] [-scale s] [-between "
		"lo:hi] "
		"[-image file] [-save file]",
	.brief = "an array or a section as a picture of few cells",
	.help = "Each cell represents many elements: their mean, or the value of -show. Each rank "
		"makes the cells of what it owns, so that arrays of any size take little time. "
		"Denser characters are larger values; ! is a cell with NaN or infinity in it. "
		"Dimensions that are not shown are reduced like the others; -rows and -columns "
		"choose those that are. An array of one dimension is folded into rows.",
	.both = CMD_SHOW,
	.example = "heatmap u[*][0:99] -cells 20x60 -show max -image u.png",
	.completes = "object",
	.needs_job = true,
	.needs_process = true,
	.option = { [MAP_CELLS] = { "cells", CMD_STRING,
				    "rows and columns of cells; default 20x64" },
		    [MAP_ROWS] = { "rows", CMD_STRING, "the dimension, from 1, that goes down" },
		    [MAP_COLUMNS] = { "columns", CMD_STRING,
				      "the dimension that goes to the "
				      "right" },
		    [MAP_SHOW] = { "show", CMD_STRING,
				   "mean, max, min, abs: the largest magnitude, or owner: the "
				   "rank" },
		    [MAP_SCALE] = { "scale", CMD_STRING,
				    "linear, log, or diverging around 0; log is linear around 0 "
				    "when values have both signs, up to a millionth of the "
				    "largest" },
		    [MAP_BETWEEN] = { "between", CMD_STRING,
				      "the bounds lo:hi of the scale; default: those of the "
				      "values" },
		    [MAP_IMAGE] = { "image", CMD_STRING, "a PNG file, a pixel a cell" },
		    [MAP_SAVE] = { "save", CMD_STRING,
				   "the picture as .png, or its numbers as .npy or .txt" } },
	.values = { [MAP_SHOW] = "=mean|=max|=min|=abs|=owner",
		    [MAP_SCALE] = "=linear|=log|=diverging",
		    [MAP_IMAGE] = "file",
		    [MAP_SAVE] = "file" },
	.run = run_heatmap,
};
