# SPDX-License-Identifier: GPL-3.0-or-later
# For the tests of the full screen: a terminal (tmux), keys for it, and what is to be seen on it. Sourced after
# lib.sh. Screens are compared with tests/screens; UPDATE_SCREENS=1 writes them anew
# (tests/t/manual.sh then puts them into doc/TUI.md).
command -v tmux >/dev/null || skip_all "no tmux"
export XDG_CONFIG_HOME=$tmp/config HOME=$tmp
unset NO_COLOR COLORTERM

servers=0
mux() { tmux -S "$tmp/tmux$servers" -f /dev/null "$@"; }
# open_terminal COLUMNS ROWS [TERM]: a shell in a terminal of that size, in the test's folder
open_terminal()
{
	rm -rf "$XDG_CONFIG_HOME" # the layout that was kept
	close_terminal
	servers=$((servers + 1))
	mux new-session -d -s t -x "$1" -y "$2" -c "$tmp" "env TERM=${3-screen} PS1='ready> ' bash --norc --noprofile"
	sees "a terminal of $1 x $2" '^ready>'
}
close_terminal() { mux kill-server 2>/dev/null; }
resize() { mux resize-window -t t -x "$1" -y "$2"; }
keys() { mux send-keys -t t "$@"; }
type_line() { keys -l "$1"; keys Enter; }
# What is to be seen, with other words for what is not always the same, as times; seen_colours: and how.
screen_text()
{
	mux capture-pane -e -N -p -t t |
		LC_ALL=C awk -v loose="${loose-}" "$@" -f "$srcdir/tests/t/cells.awk" -f "$srcdir/tests/t/colours.awk"
}
seen_now() { screen_text; }
seen_colours() { screen_text -v looks=1; }
shown() { has_line "$(seen_now)" "$1"; }
# gone NAME REGEX: no line on the screen is like that any more, soon
hidden() { ! shown "$1"; }
gone()
{
	if wait_for 40 hidden "$2"; then
		ok "$1"
	else
		not_ok "$1" "$(printf 'still seen: %s\non:\n' "$2"; seen_now)"
	fi
}
# sees NAME REGEX: a line on the screen is like that, soon
sees()
{
	if wait_for 40 shown "$2"; then
		ok "$1"
	else
		not_ok "$1" "$(printf 'not seen: %s\non:\n' "$2"; seen_now)"
	fi
}
same_screen() { [ "$($2)" = "$(cat "$1" 2>/dev/null)" ]; }
golden_wait=20
# golden NAME [seen_colours]: the screen becomes what tests/screens/NAME has; when one does not, the next may be alike
golden()
{
	local file=$srcdir/tests/screens/$1 seen=${2-seen_now}
	if [ -n "${UPDATE_SCREENS-}" ]; then
		sleep 1
		"$seen" >"$file"
	fi
	if wait_for "$golden_wait" same_screen "$file" "$seen"; then
		ok "screen $1"
	else
		golden_wait=5
		not_ok "screen $1" "$("$seen" | diff "$file" - | head -60)"
	fi
}
# picture NAME: what is to be seen becomes a picture for the documents, with UPDATE_PICTURES=1
picture()
{
	[ -n "${UPDATE_PICTURES-}" ] || return 0
	mux capture-pane -e -N -p -t t | LC_ALL=C awk -v columns="$(mode '#{pane_width}')" \
		-f "$srcdir/tests/t/cells.awk" -f "$srcdir/tests/t/picture.awk" >"$srcdir/doc/pictures/$1.svg"
}
# short_name PROGRAM: another path of it, which has the same name for every MPI
short_name()
{
	local name=${1##*/}
	ln -sf "$1" "$tmp/${name%%-*}"
	echo "$tmp/${name%%-*}"
}
# quit_screen: Q, and yes when it asks about ranks that live
quit_screen()
{
	keys Q
	wait_for 40 shown '\(y or n\)|^ready>'
	! shown '\(y or n\)' || keys y
}
mode() { mux display-message -p -t t "$1"; }
# What is to be found after the full screen as before it.
terminal_state() { mode '#{alternate_on} #{cursor_flag} #{keypad_cursor_flag} #{keypad_flag} #{mouse_any_flag}'; }
# at_shell NAME: the shell has the terminal, in the modes it had
at_shell()
{
	keys C-u
	type_line "stty -g >$tmp/after; echo is ${1%% *} there"
	sees "$1: the shell has the terminal" "^is ${1%% *} there"
	is "$1: the modes of the terminal are those before" "$(<"$tmp/after")" "$(<"$tmp/before")"
	is "$1: cursor, screen, keypad and mouse are those before" "$(terminal_state)" "$state_before"
}
