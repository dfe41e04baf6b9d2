/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verb that writes arrays into files: save. */
#include <stdlib.h>

#include "common/core/err.h"
#include "common/expr/expr.h"
#include "common/array/value.h"
#include "frontend/verbs/look/look.h"
#include "frontend/cmd/cmd.h"
#include "frontend/export/export.h"
#include "frontend/output/output.h"
#include "frontend/data/pieces.h"
#include "frontend/export/save.h"
#include "frontend/session/session.h"

enum { SAVE_ROWS, SAVE_COLUMNS, SAVE_HALO };

/* The dimensions that go down and to the right; all others must have one index. */
static int find_plane(struct save_how *how, const struct pieces *p, const struct cmd_call *call,
		      struct err *err)
{
	const struct plane_words words = { .verb = "save",
					   .rows = call->option[SAVE_ROWS],
					   .columns = call->option[SAVE_COLUMNS] };
	const struct section *s = &p->section;
	struct plane plane;

	if (plane_parse(&plane, &words, s, p->desc.order == 'F', err))
		return -1;
	how->plane = true;
	how->row = plane.row;
	how->col = plane.col;
	if (plane.row == plane.col && s->ndim > 1)
		return err_set(err, "save: rows and columns are both of dimension %u",
			       plane.row + 1);
	for (unsigned d = 0; d < s->ndim; d++) {
		bool shown = d == plane.row || d == plane.col;

		if (shown && s->dim[d].scalar)
			return err_set(err,
				       "save: dimension %u of %s is a single index; give a range "
				       "for rows and columns",
				       d + 1, p->name);
		if (!shown && !s->dim[d].scalar)
			return err_set(err,
				       "save: dimension %u of %s is neither rows nor columns; give "
				       "a single index there",
				       d + 1, p->name);
	}
	return 0;
}

static int parse_how(struct save_how *how, const struct pieces *p, const struct cmd_call *call,
		     struct err *err)
{
	const char *halo = call->option[SAVE_HALO];

	*how = (struct save_how){ .as_rank = halo };
	if (halo)
		how->rank = (uint32_t)strtoul(halo, NULL, 10);
	if (call->option[SAVE_ROWS] || call->option[SAVE_COLUMNS])
		return find_plane(how, p, call, err);
	return 0;
}

static json_t *answer(const struct cmd_call *call, const struct saved *saved,
		      const struct save_how *how)
{
	const char order[2] = { (char)saved->order, 0 };
	json_t *shape = json_array(), *o;

	for (unsigned d = 0; d < saved->ndim; d++)
		json_array_append_new(shape, json_integer(saved->extent[d]));
	o = json_pack("{s:s s:o s:o s:s s:s s:o s:I}", "type", "save", "name",
		      out_json_text(call->argv[0]), "file", out_json_text(call->argv[1]), "kind",
		      value_type_name(saved->type), "order", order, "shape", shape, "elements",
		      (json_int_t)saved->elements);
	if (how->plane) {
		json_object_set_new(o, "row", json_integer(how->row + 1));
		json_object_set_new(o, "column", json_integer(how->col + 1));
	}
	if (how->as_rank)
		json_object_set_new(o, "rank", json_integer(how->rank));
	return o;
}

static int save_it(struct session *s, const struct named *o, const struct cmd_call *call,
		   struct err *err)
{
	struct save_how how;
	struct saved saved;
	struct pieces p;
	int rc;

	if (pieces_find(&p, s, o->e->name, named_section(o), &call->who, err))
		return -1;
	rc = parse_how(&how, &p, call, err);
	if (!rc)
		rc = save_pieces(&p, &how, call->argv[1], &saved, err);
	if (!rc) {
		json_t *a = answer(call, &saved, &how);

		json_object_set(a, "notes", p.notes);
		out_answer(s->out, a);
	}
	pieces_clear(&p);
	return rc;
}

static int run_save(struct session *s, struct cmd_call *call, struct err *err)
{
	struct named o;
	int rc;

	if (call->argc != 2)
		return err_set(err, "save: give an array and a file, as in save u[*][3] u.npy");
	if (export_kind(call->argv[1]) == EXPORT_PICTURE)
		return err_set(err,
			       "save: numbers are saved as .npy or .txt; 'heatmap %s -image %s' "
			       "writes a picture",
			       call->argv[0], call->argv[1]);
	if (named_parse(&o, s, &call->who, "save", call->argv[0], err))
		return -1;
	rc = save_it(s, &o, call, err);
	named_clear(&o);
	return rc;
}

const struct cmd cmd_save = {
	.name = "save",
	.args = "array file [-rows d] [-columns d] [-halo rank]",
	.brief = "an array, or a section of it, into a .npy or .txt file",
	.help = "Writes the global array, of any size, in NumPy's format, assembled from what the "
		"ranks own. The order of a Fortran array is kept: its indices are those of the "
		"file, counted from 0. An existing file is replaced when all is written. A "
		"replicated array must be the same on all ranks of the set. A file whose name ends "
		"in .txt gets text: a line for the last dimension, an empty line between planes, "
		"and lines with # on top that describe it. -rows and -columns choose which of two "
		"dimensions goes down; -halo writes what one rank has: its block, the copies in "
		"its halo, and nan for the rest.",
	.both = CMD_ONE,
	.example = "save u[*][0:9] u.npy",
	.completes = "object file",
	.needs_job = true,
	.needs_process = true,
	.option = { [SAVE_ROWS] = { "rows", CMD_STRING, "the dimension, from 1, that goes down" },
		    [SAVE_COLUMNS] = { "columns", CMD_STRING,
				       "the dimension that goes to the "
				       "right" },
		    [SAVE_HALO] = { "halo", CMD_NUMBER, "as this rank has it, with its halo" } },
	.run = run_save,
};
