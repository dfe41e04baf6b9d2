# SPDX-License-Identifier: GPL-3.0-or-later
# The README's commands as they stand there, with the programs that they name: the first session, line by line; the tables of
# annotated programs and of those with access hooks, typed into a shell and into a session; and its report of locate. What can
# be asked of programs without annotations has tests of its own.
. "${0%/*}/lib.sh"
[ -x "$builddir/doc/examples/heat-hooked" ] || skip_all "no programs with access hooks"
cd "$tmp" || exit 1
mkdir bin
ln -s "$DVMDBG" bin/dvmdbg
PATH=$tmp/bin:$PATH
ln -s "$builddir/doc/examples/heat" "$builddir/doc/examples/heat-hooked" "$srcdir/doc/examples/heat.c" .
readme=$srcdir/README.md

# The first session: what is typed behind the prompts, and all that is shown.
sed -n '/^    \$ dvmdbg -n 4 .*differing-eps/,/^$/p' "$readme" | sed 's/^    //; /^$/d' >session
sed -n 's/^\[all\]> //p' session >typed
out=$(timeout -k 5 60 bash -c "$(sed -n '1s/^\$ //p' session)" 2>&1 <typed)
is "the first session" "$out" "$(sed 1d session)"
no_leak "the first session"

# commands: those of the rows, a line each
commands() { sed -n '/^Of an annotated program/,/^The exit status/p' "$readme" | grep '^| ' | grep -oE '`[^`]+`' | tr -d '`' | grep -vx '\.npy'; }

# Those for the shell; of two runs that were recorded there have to be some.
for run in run1 run2; do
	timeout -k 5 60 dvmdbg record -o $run -n 1 ./heat 40 3 >said 2>&1 </dev/null
done
n=0
while IFS= read -r -u 3 line; do
	n=$((n + 1))
	out=$(timeout -k 5 60 bash -c "$line" 2>&1 </dev/null)
	is "in a shell: $line" $? 0 || diag "$(printf '%s\n' "$out" | tail -n 5)"
	case $line in
	*'compare -r full'*) like "it compares access by access" "$out" '^compared .*: equal$' '^compared traces .*: equal' ;;
	*compare*) like "it compares" "$out" '^compared .*: equal$' ;;
	*-element*) like "the element's accesses are shown" "$out" 'v\[20\]\[1\]' ;;
	esac
done 3< <(commands | grep '^dvmdbg ')
check "there are such commands" test $n -gt 6

# Those for a session, one after the other. `cont` and `rerun -to finding 1` need something to go to.
rm -rf now
commands | grep -v '^dvmdbg ' | sed 's/^record ref /record now /' >typed
check "there are more of them for a session" test "$(wc -l <typed)" -gt 10
talk "break 3.B
run
$(sed '/^tie$/d; /^pair$/d' typed)
quit" -n 4 ./heat 40 30 --fault missing-halo
while IFS= read -r line; do
	unlike "in a session: $line" "$(answer "$line")" 'dvmdbg: |unknown|no such|[Uu]sage'
done < <(sed '/^tie$/d; /^pair$/d; /^cont$/d' typed)
no_leak "the table"

# What it says of locate: lines with … are cut there, and runs take other times.
sed -n '/^    \$ dvmdbg locate/,/^## /p' "$readme" | sed -n '2,/^    8 runs/p' | sed 's/^    //' >wanted
out=$(timeout -k 5 100 dvmdbg locate -n 4 ./heat-hooked 40 3 --fault swapped-index 2>&1 </dev/null)
# in one line, as the README has its paragraphs folded
flat() { tr '\n' ' ' | tr -s ' '; }
said=$(printf '%s\n' "$out" | flat)
while IFS= read -r part; do
	part=$(printf '%s' "$part" | sed 's/^ *//; s/ *$//; s/^)$//; s/, [0-9.]* s;.*//')
	[ -n "$part" ] || continue
	if [[ $said == *"$part"* ]]; then ok "locate: $part"; else not_ok "locate: $part" "$out"; fi
done < <(flat <wanted | sed 's/…/\n/g')
# What ./quickstart builds and offers is what the README shows.
is "quickstart builds the examples with hooks" "$(sed -n 's/^also=//p' "$srcdir/quickstart" | head -n 1)" examples-hooked
shown=$(sed -n 's/^    \$ \(dvmdbg locate .*\)/\1/p' "$readme" | head -n 1)
like "quickstart offers the README's command" "$(<"$srcdir/quickstart")" "there $shown finds a wrong element and its cause\.$"
no_leak "the report"
done_testing
