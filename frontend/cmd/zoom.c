/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs that look at arrays from afar: stat heatmap. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/value.h"
#include "frontend/cmd/named.h"
#include "frontend/cmd/plane.h"
#include "frontend/cmd_list.h"
#include "frontend/diff.h"
#include "frontend/image.h"
#include "frontend/out.h"
#include "frontend/pieces.h"
#include "frontend/session.h"
#include "frontend/shade.h"
#include "frontend/zoom.h"

/* What both verbs work on. */
struct view {
	struct named o;
	struct pieces p;
	struct zoom_spec spec;
	struct zoom z;
	uint32_t rank;
	json_t *notes;
};

static void view_clear(struct view *v)
{
	zoom_clear(&v->z);
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
			       "%s: the name of an array is needed, perhaps with a section, as in "
			       "%s u[2:5][*]",
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

	diff_element(v->p.name, v->p.desc.order, ndim, index, text, sizeof(text));
	for (unsigned d = 0; d < ndim; d++)
		json_array_append_new(list, json_integer(index[d]));
	return json_pack("{s:o s:o}", "element", out_json_text(text), "index", list);
}

static double mean_of(const struct zoom_cell *c)
{
	return c->sum / (double)(c->count - c->nan - c->inf);
}

/* What is known of all elements of the section. */
static void put_totals(json_t *o, const struct view *v)
{
	const struct zoom *z = &v->z;
	const struct zoom_cell *c = &z->all;
	json_t *x;

	json_object_set_new(o, "total", json_integer((json_int_t)section_total(&v->p.section)));
	json_object_set_new(o, "count", json_integer((json_int_t)c->count));
	json_object_set_new(o, "nan", json_integer((json_int_t)c->nan));
	json_object_set_new(o, "inf", json_integer((json_int_t)c->inf));
	if (c->least <= c->most) {
		json_object_set_new(o, "mean", real(mean_of(c)));
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

	for (unsigned i = 0; i < ZOOM_BINS; i++)
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

static int parse_between(const char *text, struct zoom_spec *spec, struct err *err)
{
	char *end;

	spec->from = strtod(text, &end);
	spec->to = *end == ':' ? strtod(end + 1, &end) : NAN;
	if (*end || !isfinite(spec->from) || !isfinite(spec->to) || spec->from >= spec->to)
		return err_set(err, "stat -between %s: two numbers are needed, as in 0:1.5", text);
	spec->bins = true;
	return 0;
}

static int fetch(struct view *v, struct err *err)
{
	json_array_clear(v->notes);
	zoom_clear(&v->z);
	return zoom_fetch(&v->p, &v->spec, &v->z, &v->rank, v->notes, err);
}

/* Statistics, and then a histogram between the extremes, when it is wanted. */
static int stat_fetch(struct view *v, bool histogram, struct err *err)
{
	const struct zoom_cell *all = &v->z.all;

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
	.help = "The ranks look at what they own, so that arrays of any size are summed up at "
		"once. "
		"Of equal extremes the first is told, in the order of the language. Mean and "
		"extremes are those of finite values; of complex ones the magnitude counts. "
		"-after looks for the next NaN behind an element.",
	.both = CMD_SHOW,
	.example = "stat u[*][0:99] -histogram",
	.completes = "object",
	.needs_job = true,
	.needs_stopped = true,
	.option = { [STAT_HISTOGRAM] = { "histogram", CMD_FLAG,
					 "how many values lie where between the extremes" },
		    [STAT_BETWEEN] = { "between", CMD_STRING, "a histogram between lo:hi" },
		    [STAT_AFTER] = { "after", CMD_STRING,
				     "the first NaN behind this element, as in 3,4" } },
	.run = run_stat,
};

enum { MAP_CELLS, MAP_ROWS, MAP_COLUMNS, MAP_SHOW, MAP_SCALE, MAP_IMAGE, MAP_BETWEEN };

/* What of a cell is shown. */
static const char *const shown[] = { "mean", "max", "min", "abs" };

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
static json_t *cells_json(const struct zoom *z)
{
	json_t *count = json_array(), *mean = json_array(), *least = json_array();
	json_t *most = json_array(), *odd = json_array(), *owner = json_array();

	for (size_t i = 0; i < (size_t)z->rows * z->cols; i++) {
		const struct zoom_cell *c = &z->cell[i];
		bool finite = c->least <= c->most;

		json_array_append_new(count, json_integer((json_int_t)c->count));
		json_array_append_new(mean, finite ? real(mean_of(c)) : json_null());
		json_array_append_new(least, finite ? real(c->least) : json_null());
		json_array_append_new(most, finite ? real(c->most) : json_null());
		json_array_append_new(odd, c->nan   ? json_string("nan")
					   : c->inf ? json_string("inf")
						    : json_null());
		json_array_append_new(owner, c->count ? json_integer(c->owner) : json_null());
	}
	return json_pack("{s:o s:o s:o s:o s:o s:o}", "count", count, "mean", mean, "min", least,
			 "max", most, "odd", odd, "owner", owner);
}

/* The number that is shown of a cell with finite ones. */
static double shown_of(const struct zoom_cell *c, unsigned show)
{
	switch (show) {
	case 1:
		return c->most;
	case 2:
		return c->least;
	case 3:
		return fmax(fabs(c->least), fabs(c->most));
	default:
		return mean_of(c);
	}
}

/* The bounds of what is shown: the extremes, of means those of the means. */
static void find_bounds(const struct zoom *z, unsigned show, struct shade *shade)
{
	shade->least = INFINITY;
	shade->most = -INFINITY;
	for (size_t i = 0; i < (size_t)z->rows * z->cols; i++) {
		const struct zoom_cell *c = &z->cell[i];
		double x;

		if (!(c->least <= c->most))
			continue;
		x = shown_of(c, show);
		shade->least = x < shade->least ? x : shade->least;
		shade->most = x > shade->most ? x : shade->most;
	}
}

static uint32_t colour_of(const struct zoom_cell *c, unsigned show, const struct shade *shade)
{
	if (c->nan)
		return SHADE_NAN;
	if (c->inf)
		return SHADE_INF;
	return c->least <= c->most ? shade_colour(shade, shown_of(c, show)) : SHADE_EMPTY;
}

static int draw(const struct view *v, uint32_t columns, unsigned show, const struct shade *shade,
		const char *path, struct err *err)
{
	size_t n = (size_t)v->z.rows * v->z.cols;
	uint32_t rows = (uint32_t)((n + columns - 1) / columns);
	uint8_t *rgb = malloc((size_t)rows * columns * 3);
	int rc;

	if (!rgb)
		return err_set(err, "out of memory");
	for (size_t i = 0; i < (size_t)rows * columns; i++) {
		uint32_t c = i < n ? colour_of(&v->z.cell[i], show, shade) : SHADE_EMPTY;

		rgb[3 * i] = (uint8_t)(c >> 16);
		rgb[3 * i + 1] = (uint8_t)(c >> 8);
		rgb[3 * i + 2] = (uint8_t)c;
	}
	rc = image_write(path, columns, rows, rgb, err);
	free(rgb);
	return rc ? err_prefix(err, "heatmap -image %.200s", path) : 0;
}

static int parse_show(const char *text, unsigned *show, struct err *err)
{
	*show = 0;
	for (unsigned i = 0; text && i < sizeof(shown) / sizeof(shown[0]); i++)
		if (!strcmp(text, shown[i])) {
			*show = i;
			return 0;
		}
	return text ? err_set(err, "heatmap -show %s: mean, max, min or abs is allowed", text) : 0;
}

static int parse_scale(const char *text, struct shade *shade, struct err *err)
{
	*shade = (struct shade){ .scale = text ? shade_find(text) : SHADE_LINEAR };
	if (shade->scale == SHADE_SCALES)
		return err_set(err, "heatmap -scale %s: linear, log or diverging is allowed", text);
	return 0;
}

/* The bounds that are given take the place of those that were found. */
static int map_bounds(struct view *v, const char *between, unsigned show, struct shade *shade,
		      struct err *err)
{
	struct zoom_spec given = { 0 };

	find_bounds(&v->z, show, shade);
	if (!between)
		return 0;
	if (parse_between(between, &given, err))
		return err_set(err, "heatmap -between %s: two numbers are needed, as in 0:1.5",
			       between);
	shade->least = given.from;
	shade->most = given.to;
	return 0;
}

static int map_answer(struct session *s, struct view *v, const struct cmd_call *call,
		      uint32_t columns, struct err *err)
{
	const char *image = call->option[MAP_IMAGE];
	struct shade shade;
	unsigned show;
	json_t *o;
	int rc;

	if (parse_show(call->option[MAP_SHOW], &show, err) ||
	    parse_scale(call->option[MAP_SCALE], &shade, err) || fetch(v, err) ||
	    map_bounds(v, call->option[MAP_BETWEEN], show, &shade, err))
		return -1;
	rc = image ? draw(v, columns, show, &shade, image, err) : 0;
	if (rc)
		return rc;
	o = head("heatmap", v, call);
	put_totals(o, v);
	json_object_update_new(o, json_pack("{s:i s:i s:I s:I s:s s:s s:o s:o}", "row",
					    v->spec.row + 1, "column", v->spec.col + 1, "columns",
					    (json_int_t)columns, "cells_count",
					    (json_int_t)v->z.rows * v->z.cols, "show", shown[show],
					    "scale", shade_name(shade.scale), "dims",
					    dims_json(&v->p.section), "cells", cells_json(&v->z)));
	if (shade.least <= shade.most) {
		json_object_set_new(o, "from", json_real(shade.least));
		json_object_set_new(o, "to", json_real(shade.most));
	}
	if (image)
		json_object_set_new(o, "image", out_json_text(image));
	out_answer(s->out, o);
	return 0;
}

static int run_heatmap(struct session *s, struct cmd_call *call, struct err *err)
{
	struct view v;
	uint32_t columns;
	int rc;

	if (view_find(&v, s, call, "heatmap", err))
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
		"[-image file]",
	.brief = "an array or a section as a picture of few cells",
	.help = "Each cell stands for many elements: their mean, or what -show says. The ranks "
		"make "
		"the cells of what they own, so that arrays of any size are seen at once. The "
		"denser a character the larger the value; ! is a cell with NaN or infinity in it. "
		"Dimensions that are not shown are reduced like the others; -rows and -columns "
		"choose which are. An array of one dimension is folded into rows.",
	.both = CMD_SHOW,
	.example = "heatmap u[*][0:99] -cells 20x60 -show max -image u.png",
	.completes = "object",
	.needs_job = true,
	.needs_stopped = true,
	.option = { [MAP_CELLS] = { "cells", CMD_STRING,
				    "rows and columns of cells; 20x64 without" },
		    [MAP_ROWS] = { "rows", CMD_STRING, "the dimension, from 1, that goes down" },
		    [MAP_COLUMNS] = { "columns", CMD_STRING, "the one that goes to the right" },
		    [MAP_SHOW] = { "show", CMD_STRING,
				   "mean, max, min, or abs: the largest magnitude" },
		    [MAP_SCALE] = { "scale", CMD_STRING, "linear, log, or diverging around 0; log is linear around 0 "
				    "where values are not of one sign, up to a millionth of the "
				    "largest" },
		    [MAP_BETWEEN] = { "between", CMD_STRING,
				      "the bounds lo:hi of the scale, not those of the values" },
		    [MAP_IMAGE] = { "image", CMD_STRING, "a PNG file, a pixel a cell" } },
	.run = run_heatmap,
};
