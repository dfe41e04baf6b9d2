# SPDX-License-Identifier: GPL-3.0-or-later
# What the program prints, at the prompt of a terminal: by line, with the ranks that have printed it. Files, pipes and
# logs have its bytes.
. "${0%/*}/lib.sh"
export HOME=$tmp

if ! command -v expect >/dev/null; then
	skip "output at a prompt" "no expect"
	done_testing
	exit 0
fi
# shown REGEX…: the lines of the session without what belongs to the terminal
lines() { tr -d '\r' <"$tmp/o" | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g'; }
# in_order REGEX…: lines that come one after another
in_order()
{
	local text=$1 at=0 n
	shift
	for regex in "$@"; do
		n=$(printf '%s\n' "$text" | tail -n "+$((at + 1))" | grep -nE -m 1 -- "$regex" | cut -d: -f1)
		[ -n "$n" ] || { diag "not there, in order: $regex"; return 1; }
		at=$((at + n))
	done
}

for mpi in $(mpis); do
	chatter=$(prog tests/prog/runs/chatter "$mpi")
	rm -f "$tmp/log" "$tmp/file"
	typed_ok "$mpi: a session" "prompt
enter {log $tmp/log}
prompt
enter cont
sees {exited with code 0}
prompt
enter {run open >$tmp/file}
sees {exited with code 0}
prompt
enter {set OUTPUT raw}
prompt
enter {run >/dev/null}
sees {exited with code 0}
prompt
enter quit
ends" -n 3 --set PAGE=OFF "$chatter"
	text=$(lines)
	like "$mpi: what all ranks print is one line" "$text" '^\[(0:2|0:1|1:2|0,2)\] hello from everyone$'
	like "$mpi: what some print has these" "$text" '^\[0\] the first$' '^\[(1:2|1|2)\] one of the others$' '^\[(0,2|0|2)\] rank parity 0$' '^\[1\] rank parity 1$'
	check "$mpi: a line that is not ended is shown, and goes on" in_order "$text" '^\[1\] not ended$' '^\[1\]  but now$'
	is "$mpi: nothing is lost of much" "$(printf '%s\n' "$text" | grep -cE '^\[1\] line [0-9]+$')" 3000
	check "$mpi: the order of a rank's lines is kept" in_order "$text" '^\[1\] line 0$' '^\[1\] line 1$' '^\[1\] line 1500$' '^\[1\] line 2999$' '^\[.*1.*\] last$|^\[0:2\] last$'
	is "$mpi: it has no mark of ours elsewhere" "$(printf '%s\n' "$text" | grep -c '^| line')" 0
	"mpiexec.$mpi" -n 3 "$chatter" open 2>/dev/null | tr -d '\r' >"$tmp/direct"
	terminal=$(grep -o -m 1 'terminal [01]' "$tmp/direct" | head -n 1 | cut -d ' ' -f 2)
	like "$mpi: its output is a terminal where it would be one" "$text" "^\[.*\] terminal $terminal\$"
	is "$mpi: logs have every line of each rank" "$(grep -c '^hello from everyone' "$tmp/log") $(grep -c '^line [0-9]*$' "$tmp/log")" '3 3000'
	# launchers may break lines of different ranks
	is "$mpi: a file has its bytes, without marks" "$(tr -d '\r' <"$tmp/file" | wc -c)" "$(wc -c <"$tmp/direct")"
	diff <(tr -d '\r' <"$tmp/file" | sort) <(sort "$tmp/direct") | head -n 10 | sed 's/^/# /'
	like "$mpi: raw, as it comes" "$text" '^\| rank parity 1$'
done

mpi=$(first_mpi)
typed_ok "one rank" "prompt
enter cont
sees {exited with code 0}
prompt
enter quit
ends" -n 1 --set PAGE=OFF "$(prog tests/prog/runs/chatter "$mpi")"
like "what one rank prints has no number of a rank" "$(lines)" '^\| hello from everyone$'
out=$(timeout -k 5 60 "$DVMDBG" --batch -e cont -n 3 "$(prog tests/prog/runs/chatter "$mpi")" </dev/null 2>&1 | tr -d '\r')
is "in a pipe: all that each rank prints, unlabelled" "$(printf '%s\n' "$out" | grep -o 'hello from everyone' | wc -l) $(printf '%s\n' "$out" | grep -c '^\[')" '3 0'
exe=mpiexec.$mpi
command -v "$exe" >/dev/null || exe=mpiexec
"$exe" -n 1 "$(prog tests/prog/runs/chatter "$mpi")" 2>"$tmp/direct.errors" </dev/null | tr -d '\r' >"$tmp/direct"
timeout -k 5 60 "$DVMDBG" --batch -e cont -n 1 "$(prog tests/prog/runs/chatter "$mpi")" </dev/null 2>"$tmp/errors" | tr -d '\r' >"$tmp/here"
is "in a file: the bytes of one rank, and what is ours behind them" "$(cat "$tmp/direct" - <<<'All ranks have exited with code 0.' | cmp - "$tmp/here")" ""
is "what it writes to standard error goes there" "$(grep -cFx -f "$tmp/direct.errors" "$tmp/errors")" "$(wc -l <"$tmp/direct.errors")"
done_testing
