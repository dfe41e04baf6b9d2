/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frontend/util/words.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/err.h"
#include "frontend/util/xalloc.h"
#include "frontend/util/xvec.h"

#define BLANKS " \t\r\n" /* between words */

void words_clear(struct words *w)
{
	for (int i = 0; i < w->n; i++)
		free(w->word[i]);
	for (int i = 0; i < w->ntyped; i++)
		free(w->typed[i]);
	free(w->word);
	free(w->typed);
	free(w->quoted);
	memset(w, 0, sizeof(*w));
}

static void add_word(struct words *w, const char *text, size_t len, const char *typed,
		     const char *end)
{
	char **words = xrealloc(w->word, ((size_t)w->n + 2) * sizeof(*words));

	w->word = words;
	xvec_more(w->quoted, w->n, 1);
	xvec_more(w->typed, w->ntyped, 1);
	words[w->n] = xstrndup(text, len);
	words[w->n + 1] = NULL;
	w->quoted[w->n] = *typed == '"' || *typed == '\'';
	w->typed[w->ntyped++] = xstrndup(typed, (size_t)(end - typed));
	w->n++;
}

/* One word from *p into out; -1 and err when something is open at the end. */
static int scan_word(const char **p, char *out, size_t *len, bool brackets, struct err *err)
{
	char quote = 0;
	int depth = 0;
	const char *q = *p;

	for (*len = 0; *q; q++) {
		if (quote) {
			if (*q == quote)
				quote = 0;
			else if (*q == '\\' && quote == '"' && q[1])
				out[(*len)++] = *++q;
			else
				out[(*len)++] = *q;
			continue;
		}
		if (*q == '"' || *q == '\'') {
			quote = *q;
			continue;
		}
		/* what the caller skips between words, and nothing else */
		if (!depth && strchr(BLANKS, *q))
			break;
		if (*q == '\\' && q[1])
			q++;
		else if (brackets && strchr("[{(", *q))
			depth++;
		else if (brackets && depth && strchr("]})", *q))
			depth--;
		out[(*len)++] = *q;
	}
	*p = q;
	out[*len] = 0;
	if (quote)
		return err_set(err, "a quote %c is not closed", quote);
	if (depth)
		return err_set(err, "a bracket is not closed in '%s'", out);
	return 0;
}

int words_split(struct words *w, const char *text, bool brackets, struct err *err)
{
	char *out = xcalloc(1, strlen(text) + 1);
	const char *p = text;
	int rc = 0;

	memset(w, 0, sizeof(*w));
	for (;;) {
		const char *typed;
		size_t len;

		p += strspn(p, BLANKS);
		if (!*p)
			break;
		typed = p;
		rc = scan_word(&p, out, &len, brackets, err);
		if (rc)
			break;
		add_word(w, out, len, typed, p);
	}
	/* argv of a call is never NULL. */
	if (!rc && !w->word)
		w->word = xcalloc(1, sizeof(*w->word));
	free(out);
	if (rc)
		words_clear(w);
	return rc;
}

char **words_list_copy(char *const *list)
{
	size_t n = 0;
	char **copy;

	while (list[n])
		n++;
	copy = xcalloc(n + 1, sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = xstrdup(list[i]);
	return copy;
}

void words_list_free(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}
