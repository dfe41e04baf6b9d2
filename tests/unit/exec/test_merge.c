/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/buf.h"
#include "common/protocol/msg.h"
#include "runtime/exec/tree/internal.h"

#define SENT 4096

/* What went up, a line each: "E1.7 [0:3]=stop" or "R5 [0:3] [0:1]=a [2:3]=b". */
struct up {
	struct merge *m;
	char text[SENT];
};

static int setup(void **state)
{
	struct up *u = calloc(1, sizeof(*u));

	u->m = merge_create();
	*state = u;
	return u->m ? 0 : -1;
}

static int teardown(void **state)
{
	struct up *u = *state;

	merge_destroy(u->m);
	free(u);
	return 0;
}

static struct rankset ranks(const char *text)
{
	struct rankset s = { 0 };

	assert_int_equal(rankset_parse(&s, text, NULL), 0);
	return s;
}

static void add(struct up *u, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct up *u, const char *fmt, ...)
{
	size_t used = strlen(u->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(u->text + used, sizeof(u->text) - used, fmt, ap);
	va_end(ap);
}

static void add_groups(struct up *u, const struct groups *d)
{
	char text[256];

	for (size_t i = 0; i < d->n; i++)
		add(u, " %s=%.*s", rankset_format(&d->group[i].ranks, text, sizeof(text)),
		    (int)d->group[i].len, (const char *)d->group[i].blob);
	add(u, "\n");
}

static void sent(void *arg, unsigned type, const struct buf *payload)
{
	struct up *u = arg;
	struct buf b = buf_view(payload->data, payload->len);
	char text[256];

	if (type == MSG_EVENT) {
		struct msg_event m = { 0 };

		assert_int_equal(msg_event_get(&m, &b), 0);
		add(u, "E%u.%u", m.kind, m.gen);
		add_groups(u, &m.groups);
		msg_event_clear(&m);
	} else {
		struct msg_reply m = { 0 };

		assert_int_equal(type, MSG_REPLY);
		assert_int_equal(msg_reply_get(&m, &b), 0);
		add(u, "R%u %s", m.req, rankset_format(&m.covered, text, sizeof(text)));
		add_groups(u, &m.groups);
		msg_reply_clear(&m);
	}
}

/* Sends what is due at `now` and compares it with `want`. */
static void goes_up(struct up *u, int64_t now, const char *want)
{
	u->text[0] = '\0';
	merge_send(u->m, now, sent, u);
	assert_string_equal(u->text, want);
}

static void subtree(struct up *u, const char *who)
{
	struct rankset s = ranks(who);

	assert_int_equal(merge_subtree(u->m, &s), 0);
	rankset_clear(&s);
}

static void event(struct up *u, unsigned kind, uint32_t gen, const char *who, const char *blob,
		  int64_t now)
{
	struct rankset s = ranks(who);
	struct groups d = { 0 };

	assert_int_equal(groups_add(&d, &s, blob, strlen(blob)), 0);
	assert_int_equal(merge_event(u->m, kind, gen, &d, now), 0);
	groups_clear(&d);
	rankset_clear(&s);
}

static void reply(struct up *u, uint32_t req, const char *who, const char *blob, int64_t now)
{
	struct rankset s = ranks(who);
	struct groups d = { 0 };

	assert_int_equal(groups_add(&d, &s, blob, strlen(blob)), 0);
	assert_int_equal(merge_reply(u->m, req, &s, &d, now), 0);
	groups_clear(&d);
	rankset_clear(&s);
}

static void expect(struct up *u, uint32_t req, const char *who, int64_t now)
{
	struct rankset s = ranks(who);

	assert_int_equal(merge_expect(u->m, req, &s, now), 0);
	rankset_clear(&s);
}

static void a_complete_answer_goes_at_once(void **state)
{
	struct up *u = *state;

	expect(u, 5, "0:3", 1000);
	reply(u, 5, "0", "a", 1000);
	reply(u, 5, "2:3", "b", 1001);
	goes_up(u, 1001, "");
	assert_int_equal(merge_due(u->m), 1000 + MERGE_REPLY_MS);
	reply(u, 5, "1", "a", 1002);
	assert_int_equal(merge_due(u->m), 0);
	goes_up(u, 1002, "R5 [0:3] [0:1]=a [2:3]=b\n");
	assert_int_equal(merge_due(u->m), -1);
	goes_up(u, 99999, "");
}

static void what_is_late_follows_later(void **state)
{
	struct up *u = *state;

	expect(u, 5, "0:3", 1000);
	reply(u, 5, "0:1", "a", 1000);
	goes_up(u, 1000 + MERGE_REPLY_MS, "R5 [0:1] [0:1]=a\n");
	assert_int_equal(merge_due(u->m), -1);
	reply(u, 5, "3", "c", 2000);
	goes_up(u, 2000, "");
	goes_up(u, 2000 + MERGE_LATE_MS, "R5 [3] [3]=c\n");
	reply(u, 5, "2", "a", 3000);
	goes_up(u, 3000, "R5 [2] [2]=a\n");
}

static void nobody_waits_for_the_lost(void **state)
{
	struct up *u = *state;
	struct rankset gone = ranks("2:9");

	expect(u, 5, "0:3", 1000);
	reply(u, 5, "0:1", "a", 1000);
	assert_int_equal(merge_gone(u->m, &gone), 0);
	goes_up(u, 1000, "R5 [0:1] [0:1]=a\n");
	/* all who were asked are gone: no empty answer */
	expect(u, 6, "2:3", 1000);
	assert_int_equal(merge_gone(u->m, &gone), 0);
	goes_up(u, 1000, "");
	assert_int_equal(merge_due(u->m), -1);
	rankset_clear(&gone);
}

static void unasked_answers_pass(void **state)
{
	struct up *u = *state;

	reply(u, 77, "4", "x", 1000);
	goes_up(u, 1000, "R77 [4] [4]=x\n");
}

static void questions_do_not_pile_up(void **state)
{
	struct up *u = *state;

	for (uint32_t req = 1; req <= 3 * MERGE_REPLIES; req++)
		expect(u, req, "0:3", 1000);
	reply(u, 3 * MERGE_REPLIES, "0:3", "a", 1000);
	goes_up(u, 1000, "R768 [0:3] [0:3]=a\n");
}

static void an_event_of_all_goes_at_once(void **state)
{
	struct up *u = *state;

	subtree(u, "0:3");
	event(u, EVENT_STOP, 7, "0:2", "s", 1000);
	goes_up(u, 1000, "");
	assert_int_equal(merge_due(u->m), 1000 + MERGE_EVENT_MS);
	event(u, EVENT_STOP, 7, "3", "t", 1001);
	assert_int_equal(merge_due(u->m), 0);
	goes_up(u, 1001, "E1.7 [0:2]=s [3]=t\n");
	assert_int_equal(merge_due(u->m), -1);
}

static void an_event_of_some_waits_a_little(void **state)
{
	struct up *u = *state;

	subtree(u, "0:3");
	event(u, EVENT_STOP, 7, "0", "s", 1000);
	event(u, EVENT_STOP, 7, "2", "s", 1010);
	goes_up(u, 1000 + MERGE_EVENT_MS - 1, "");
	goes_up(u, 1000 + MERGE_EVENT_MS, "E1.7 [0,2]=s\n");
}

static void generations_are_kept_apart(void **state)
{
	struct up *u = *state;

	subtree(u, "0:3");
	event(u, EVENT_STOP, 7, "0:1", "s", 1000);
	event(u, EVENT_STOP, 8, "2:3", "s", 1000);
	goes_up(u, 2000, "E1.7 [0:1]=s\nE1.8 [2:3]=s\n");
}

static void the_newest_state_of_a_rank_counts(void **state)
{
	struct up *u = *state;

	subtree(u, "0:3");
	event(u, EVENT_STOP, 7, "0:1", "old", 1000);
	event(u, EVENT_STOP, 7, "1", "new", 1001);
	goes_up(u, 2000, "E1.7 [1]=new [0]=old\n");
}

static void findings_add_up(void **state)
{
	struct up *u = *state;

	subtree(u, "0:3");
	event(u, EVENT_FINDING, 7, "0:1", "f", 1000);
	event(u, EVENT_FINDING, 7, "1", "g", 1001);
	goes_up(u, 2000, "E3.7 [0:1]=f [1]=g\n");
	event(u, EVENT_COVER, 7, "1", "f", 3000);
	event(u, EVENT_COVER, 7, "1", "g", 3001);
	goes_up(u, 4000, "E6.7 [1]=f [1]=g\n");
}

/* Rank 3 stops after rank 5 has ended, then ends too: its end must not come before its stop. */
static void a_ranks_events_keep_their_order(void **state)
{
	struct up *u = *state;

	subtree(u, "0:9");
	event(u, EVENT_EXIT, 7, "5", "x", 1000);
	event(u, EVENT_STOP, 7, "3", "s", 1001);
	event(u, EVENT_EXIT, 7, "3", "x", 1002);
	goes_up(u, 2000, "E2.7 [5]=x\nE1.7 [3]=s\nE2.7 [3]=x\n");
}

static void events_go_before_answers(void **state)
{
	struct up *u = *state;

	subtree(u, "0:3");
	expect(u, 5, "1", 1000);
	event(u, EVENT_STOP, 7, "1", "s", 1000);
	reply(u, 5, "1", "a", 1000);
	goes_up(u, 1000, "E1.7 [1]=s\nR5 [1] [1]=a\n");
}

static void much_is_sent_at_once(void **state)
{
	struct up *u = *state;
	size_t len = MERGE_BYTES + 1;
	char *blob = malloc(len);
	struct rankset s = ranks("0");
	struct groups d = { 0 };

	memset(blob, 'x', len);
	assert_int_equal(groups_add(&d, &s, blob, len), 0);
	expect(u, 5, "0:3", 1000);
	assert_int_equal(merge_reply(u->m, 5, &s, &d, 1000), 0);
	assert_true(merge_due(u->m) <= 1000);
	groups_clear(&d);
	rankset_clear(&s);
	free(blob);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_complete_answer_goes_at_once),
		T(what_is_late_follows_later),
		T(nobody_waits_for_the_lost),
		T(unasked_answers_pass),
		T(questions_do_not_pile_up),
		T(an_event_of_all_goes_at_once),
		T(an_event_of_some_waits_a_little),
		T(generations_are_kept_apart),
		T(the_newest_state_of_a_rank_counts),
		T(findings_add_up),
		T(a_ranks_events_keep_their_order),
		T(events_go_before_answers),
		T(much_is_sent_at_once),
	};

	return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
