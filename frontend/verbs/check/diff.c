/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb that compares whole arrays: diff. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "common/expr/expr.h"
#include "frontend/export/about.h"
#include "frontend/model/ask.h"
#include "frontend/export/cells_file.h"
#include "frontend/verbs/look/look.h"
#include "frontend/cmd/cmd.h"
#include "frontend/diff/diff.h"
#include "frontend/export/export.h"
#include "frontend/output/output.h"
#include "frontend/data/pieces.h"
#include "frontend/pair/pair.h"
#include "frontend/session/session.h"
#include "frontend/sumdiff/sumdiff.h"
#include "frontend/data/value_json.h"
#include "frontend/util/xalloc.h"

#define LIST 10		/* elements that diff shows */
#define MOST_LIST 10000 /* at most */

static json_t *numbers(const int64_t *x, unsigned n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(list, json_integer(x[i]));
	return list;
}

enum {
	DIFF_WITH,
	DIFF_IMAGE,
	DIFF_TOLERANCE,
	DIFF_LIST,
	DIFF_CELLS,
	DIFF_ROWS,
	DIFF_COLUMNS,
	DIFF_AFTER,
	DIFF_SAVE
};

static json_t *one_value(unsigned type, const struct value *v)
{
	unsigned char bytes[16] = { 0 };

	value_store(type, bytes, v, NULL);
	return value_json(type, bytes);
}

static json_t *real(double x)
{
	return isfinite(x) ? json_real(x) : json_string("inf");
}

static json_t *element(const struct diff_input *in, const int64_t *index, const struct value *ref,
		       const struct value *now)
{
	char text[400];

	diff_element(in->name, in->order, in->section->ndim, index, text, sizeof(text));
	return json_pack("{s:o s:o s:o s:o}", "element", out_json_text(text), "index",
			 numbers(index, in->section->ndim), "value", one_value(in->type, now),
			 "reference", one_value(in->type, ref));
}

static void put_rank(json_t *o, uint32_t rank)
{
	if (rank != UINT32_MAX)
		json_object_set_new(o, "rank", json_integer(rank));
}

/* The first elements that differ. */
static json_t *list_json(const struct diff *d, const struct diff_input *in, size_t n)
{
	struct diff_item *list = xcalloc(n + 1, sizeof(*list));
	json_t *out = json_array();

	n = diff_list(d, in, n, list);
	for (size_t i = 0; i < n; i++) {
		json_t *o = element(in, list[i].index, &list[i].ref, &list[i].now);

		json_object_set_new(o, "difference", real(list[i].difference));
		put_rank(o, list[i].owner);
		json_array_append_new(out, o);
	}
	free(list);
	return out;
}

static json_t *answer(const struct diff *d, const struct diff_input *in, const char *from)
{
	char tolerance[80];
	json_t *o, *x;

	o = json_pack("{s:s s:o s:o s:s s:I s:I s:I s:I s:o s:s s:f s:f}", "type", "diff", "name",
		      out_json_text(in->name), "from", out_json_text(from), "kind",
		      value_type_name(in->type), "total", (json_int_t)d->total, "differ",
		      (json_int_t)d->differ, "rounding", (json_int_t)d->rounding, "small",
		      (json_int_t)d->small, "tolerance",
		      json_string(tolerance_text(&in->tol, tolerance, sizeof(tolerance))),
		      "compare", tolerance_mode(&in->tol), "exp", in->tol.exp, "rel_min",
		      in->tol.rel_min);
	if (!d->differ && !d->rounding)
		return o;
	json_object_set_new(o, "difference", real(d->largest));
	x = element(in, d->first, &d->first_ref, &d->first_now);
	put_rank(x, d->first_owner);
	json_object_set_new(o, "first", x);
	json_object_set_new(o, "worst", element(in, d->worst, &d->worst_ref, &d->worst_now));
	if (!d->differ)
		return o;
	json_object_set_new(o, "shape", out_json_text(d->shape));
	json_object_set_new(o, "low", numbers(d->lo, in->section->ndim));
	json_object_set_new(o, "high", numbers(d->hi, in->section->ndim));
	if (d->owners.n)
		json_object_set_new(o, "owners", ask_ranks(&d->owners));
	return o;
}

/* The difference reduced to cells; a zeroed one has none. */
struct map {
	struct plane plane;
	struct diff_cell *cell; /* owned */
	double largest;		/* of all */
};

static int map_make(struct map *m, const struct diff *d, const struct diff_input *in,
		    const struct cmd_call *call, struct err *err)
{
	const struct plane_words words = { .verb = "diff",
					   .cells = call->option[DIFF_CELLS],
					   .rows = call->option[DIFF_ROWS],
					   .columns = call->option[DIFF_COLUMNS] };
	struct plane *p = &m->plane;

	if (plane_parse(p, &words, in->section, in->order == 'F', err))
		return -1;
	m->cell = calloc((size_t)p->rows * p->cols, sizeof(*m->cell));
	if (!m->cell)
		return xalloc_refused((uint64_t)p->rows * p->cols * sizeof(*m->cell),
				      "choose fewer cells with -cells", err);
	m->largest = d->largest;
	diff_cells(d, in, &(struct diff_plane){ p->row, p->col, p->rows, p->cols }, m->cell);
	return 0;
}

static json_t *map_json(const struct map *m)
{
	json_t *count = json_array(), *differ = json_array(), *largest = json_array();
	size_t n = (size_t)m->plane.rows * m->plane.cols;

	for (size_t i = 0; i < n; i++) {
		json_array_append_new(count, json_integer((json_int_t)m->cell[i].count));
		json_array_append_new(differ, json_integer((json_int_t)m->cell[i].differ));
		json_array_append_new(largest, real(m->cell[i].largest));
	}
	return json_pack("{s:i s:i s:I s:I s:o s:o s:o}", "row", m->plane.row + 1, "column",
			 m->plane.col + 1, "columns", (json_int_t)m->plane.columns, "cells_count",
			 (json_int_t)n, "count", count, "differ", differ, "largest", largest);
}

static uint32_t colour_of(void *arg, size_t cell)
{
	const struct map *m = arg;

	return diff_cell_colour(&m->cell[cell], m->largest);
}

static double number_of(void *arg, size_t cell)
{
	const struct map *m = arg;

	return m->cell[cell].largest;
}

/* The map in files. */
static int map_write(struct map *m, const struct pieces *p, const struct diff_input *in,
		     const char *from, const struct cmd_call *call, struct err *err)
{
	char more[DIFF_FROM + 200], tolerance[80];
	const struct about about = { .p = p,
				     .type = p->type,
				     .plane = true,
				     .row = m->plane.row,
				     .col = m->plane.col,
				     .more = more };
	const struct cells_file file = { .verb = "diff",
					 .rows = m->plane.rows,
					 .cols = m->plane.cols,
					 .columns = m->plane.columns,
					 .about = &about,
					 .arg = m,
					 .colour = colour_of,
					 .number = number_of };

	snprintf(more, sizeof(more),
		 "compared with %s: %u x %u cells, the largest difference in each, 0: none beyond "
		 "tolerance %s",
		 from, m->plane.rows, m->plane.cols,
		 tolerance_text(&in->tol, tolerance, sizeof(tolerance)));
	return cells_file_write(&file, call->option[DIFF_IMAGE], call->option[DIFF_SAVE], err);
}

/* Without cells: a picture with a pixel for each element. */
static int draw(const struct diff_input *in, const char *option, const char *path, struct err *err)
{
	if (!path || !diff_image(in, path, err))
		return 0;
	return err_prefix(err, "diff -%s %.200s", option, path);
}

/* The next element that differs behind the one that -after shows; null when there is none. */
static int put_next(json_t *o, const struct diff *d, const struct diff_input *in,
		    const struct cmd_call *call, struct err *err)
{
	int64_t index[ARRAY_DIMS];
	struct diff_item next;
	json_t *x;

	if (plane_index("diff -after", call->option[DIFF_AFTER], in->section->ndim, index, err))
		return -1;
	if (!diff_next(d, in, index, 1, &next)) {
		json_object_set_new(o, "next", json_null());
		return 0;
	}
	x = element(in, next.index, &next.ref, &next.now);
	json_object_set_new(x, "difference", real(next.difference));
	put_rank(x, next.owner);
	json_object_set_new(o, "next", x);
	return 0;
}

static int write_files(struct map *m, const struct pieces *p, const struct diff_input *in,
		       const char *from, const struct cmd_call *call, json_t *o, struct err *err)
{
	const char *image = call->option[DIFF_IMAGE], *save = call->option[DIFF_SAVE];

	if (m->cell ? map_write(m, p, in, from, call, err)
		    : draw(in, "image", image, err) || draw(in, "save", save, err))
		return -1;
	if (image)
		json_object_set_new(o, "image", out_json_text(image));
	if (save)
		json_object_set_new(o, "saved", out_json_text(save));
	return 0;
}

/* Compares both blocks and shows what differs, and the picture. */
static int compare(const struct pieces *p, const struct diff_input *in, const char *from,
		   const struct cmd_call *call, struct err *err)
{
	const char *n = call->option[DIFF_LIST];
	size_t list = n ? strtoul(n, NULL, 10) : LIST;
	struct map m = { 0 };
	struct diff d;
	json_t *o;
	int rc = 0;

	if (diff_make(&d, in, err))
		return -1;
	o = answer(&d, in, from);
	if ((call->option[DIFF_CELLS] && map_make(&m, &d, in, call, err)) ||
	    (call->option[DIFF_AFTER] && put_next(o, &d, in, call, err))) {
		json_decref(o);
		free(m.cell);
		diff_clear(&d);
		return -1;
	}
	if (m.cell)
		json_object_set_new(o, "cells", map_json(&m));
	if (d.differ && list)
		json_object_set_new(o, "list", list_json(&d, in, list));
	rc = write_files(&m, p, in, from, call, o, err);
	/* What was found is shown even if it cannot be drawn. */
	out_answer(p->s->out, o);
	free(m.cell);
	diff_clear(&d);
	return rc;
}

static int diff_pieces(struct session *s, struct pieces *p, struct cmd_call *call, struct err *err)
{
	const char *word = call->option[DIFF_TOLERANCE];
	struct diff_input in = { .name = p->name,
				 .type = p->type,
				 .order = p->desc.order,
				 .section = &p->section,
				 .lower = p->desc.lower,
				 .extent = p->desc.extent,
				 .tol = tolerance_of(s->set, p->type) };
	struct owner *owner = NULL;
	char from[DIFF_FROM];
	void *ref, *now = NULL;
	double *scale = NULL;
	int rc = -1;

	if (word && tolerance_parse(word, &in.tol, err))
		return err_prefix(err, "diff");
	ref = diff_reference(s, p, call->option[DIFF_WITH], from, err);
	if (ref)
		now = pieces_all(p, err);
	if (now && (p->desc.kind == ARRAY_REPLICATED ||
		    !owners_of(s, p->name, p->who, &owner, &in.nowner, err))) {
		in.ref = ref;
		in.now = now;
		in.owner = owner;
		scale = diff_scale(&in, pair_compared(s), &p->desc);
		rc = compare(p, &in, from, call, err);
	}
	owners_free(owner, in.nowner);
	free(scale);
	free(ref);
	free(now);
	return rc;
}

static int check_files(const struct cmd_call *call, struct err *err)
{
	const char *image = call->option[DIFF_IMAGE], *save = call->option[DIFF_SAVE];

	if (cells_file_check("diff", image, save, err))
		return -1;
	if (save && !call->option[DIFF_CELLS] && export_kind(save) != EXPORT_PICTURE)
		return err_set(
			err,
			"diff -save %.200s: this file gets the numbers of a map; give its size "
			"with -cells, as in -cells 20x64",
			save);
	return 0;
}

static int run_diff(struct session *s, struct cmd_call *call, struct err *err)
{
	const char *n = call->option[DIFF_LIST];
	const char *what = *call->rest ? call->rest : s->kept.name;
	struct named o;
	struct pieces p;
	int rc;

	if (!what)
		return err_set(err, "diff: give the name of an array, or a section of it, as in "
				    "diff u[2:5][*]");
	if (n && strtoul(n, NULL, 10) > MOST_LIST)
		return err_set(err, "diff -list %s: a number from 0 to %d is allowed", n,
			       MOST_LIST);
	if (check_files(call, err) || named_parse(&o, s, &call->who, "diff", what, err))
		return -1;
	rc = pieces_find(&p, s, o.e->name, named_section(&o), &call->who, err);
	if (!rc) {
		rc = diff_pieces(s, &p, call, err);
		pieces_clear(&p);
	}
	named_clear(&o);
	return rc;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.args = "[array] [-with file] [-image file] [-tolerance t] [-list n] [-cells RxC] [-rows "
		"d] "
		"[-columns d] [-after indices] [-save file]",
	.brief = "an array against the reference, element by element",
	.help = "Compares the array with that of the reference at this point (record DIR -arrays A "
		"-at P), with that of the other run in a pair (of the tied name), or with a file "
		"that save has written. After locate it is the array that differs first, also "
		"without a name, against the reference run at that point. Shows how many elements "
		"differ, the first and the largest "
		"difference, and the shape of the region. -image writes a picture with one pixel "
		"per element: dark where the values are equal or differ by rounding, else red, "
		"brighter for larger differences. With -cells, pictures and numbers show cells: "
		"the largest difference in each, 0 where none is beyond tolerance. COMPARE, Exp "
		"and RelCompareMin set the tolerance. Replicated arrays must be the same on all "
		"ranks of the set.",
	.both = CMD_ONE,
	.example = "diff u[*][0:99] -with u.npy -image u.png",
	.completes = "object",
	.needs_job = true,
	.needs_stopped = true,
	.option = { [DIFF_WITH] = { "with", CMD_STRING,
				    "a .npy file with the values to compare "
				    "with" },
		    [DIFF_IMAGE] = { "image", CMD_STRING, "a PNG file to be written" },
		    [DIFF_TOLERANCE] = { "tolerance", CMD_STRING,
					 "exact, a number, relative:1e-6 or absolute:1e-6" },
		    [DIFF_LIST] = { "list", CMD_NUMBER,
				    "how many elements are listed; default 10" },
		    [DIFF_CELLS] = { "cells", CMD_STRING,
				     "a map of so many cells, as 20x64: denser characters for "
				     "larger differences in a cell" },
		    [DIFF_ROWS] = { "rows", CMD_STRING,
				    "the dimension, from 1, that goes down in the map" },
		    [DIFF_COLUMNS] = { "columns", CMD_STRING,
				       "the dimension that goes to the "
				       "right" },
		    [DIFF_AFTER] = { "after", CMD_STRING,
				     "the next element that differs after this one, as in 3,4" },
		    [DIFF_SAVE] = { "save", CMD_STRING,
				    "the picture as .png, or the map's numbers as .npy or .txt" } },
	.values = { [DIFF_WITH] = "file",
		    [DIFF_IMAGE] = "file",
		    [DIFF_SAVE] = "file",
		    [DIFF_TOLERANCE] = "=exact|=relative:1e-6|=absolute:1e-6" },
	.run = run_diff,
};
