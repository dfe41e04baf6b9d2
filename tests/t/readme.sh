# SPDX-License-Identifier: GPL-3.0-or-later
# The README's commands as they stand there: those of its table, typed into a shell and into a session, up to the rows
# about programs without annotations, which have tests of their own; and its report of locate, line by line.
. "$(dirname "$0")/lib.sh"
[ -x "$builddir/doc/examples/heat-hooked" ] || skip_all "no programs with access hooks"
cd "$tmp" || exit 1
mkdir bin
ln -s "$DVMDBG" bin/dvmdbg
PATH=$tmp/bin:$PATH
ln -s "$builddir/doc/examples/heat-hooked" heat-hooked
ln -s "$builddir/doc/examples/heat-hooked" heat
ln -s "$srcdir/doc/examples/heat.c" heat.c
readme=$srcdir/README.md

# commands: those of the rows, a line each
commands() { sed -n '/^| keep a run/,/^| run two programs/p; /^| keep a global array/p' "$readme" | grep -oE '`[^`]+`' | tr -d '`'; }
# kept WORD: the commands that begin with it, and there are such
kept() { commands | grep -E "^$1" | grep -vx '.npy'; }

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
	*compare*) like "it compares" "$out" '^compared .*: equal$' ;;
	*-element*) like "the element's accesses are shown" "$out" 'v\[20\]\[1\]' ;;
	esac
done 3< <(kept 'dvmdbg ')
check "there are such commands" test $n -gt 5

# Those for a session, one after the other. `cont` and `rerun -to finding 1` need something to go to.
rm -rf now
commands | grep -v '^dvmdbg \|^\.npy$' | sed 's/^record ref /record now /' >typed
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
no_leak "the report"
done_testing
