# SPDX-License-Identifier: GPL-3.0-or-later
# break on a line where nothing can stop: it goes to the next one where something can, with a warning, as the code of the
# program shows it, whatever compiled it. What a library may announce is pending, and refused is nothing that could stop.
. "${0%/*}/lib.sh"
cd "$tmp" || exit 1
src=$srcdir/tests/prog/points/lines.c
libs="-L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs"
cp "$src" lines.cc

# line TEXT [FILE]: the number of the source's first line with the text
line() { line_with "$1" "${2-$src}"; }
# asked PROGRAM FILE: break on each line; in $out what was said, in $places the lines of the actionpoints, each once
asked()
{
	seq 1 "$(wc -l <"$2")" | sed "s/^/break ${2##*/}:/" >each
	out=$("$DVMDBG" "./$1" <each 2>&1)
	places=$(sed -nE 's/^actionpoint [0-9]+: .*:([0-9]+)$/\1/p' <<<"$out" | sort -nu | tr '\n' ' ')
}
first=$(line 'if (a)') either=$((first + 1)) or=$((first + 3)) main=$(line 'DVMDBG_FUNCTION();') loop=$(line '	LOOP(5)') several=$(line 'DVMDBG_SL(')
wanted="$either $or $main $loop $several "
for c in gcc clang g++ clang++; do
	command -v $c >/dev/null || continue
	file=$src
	case $c in *++) file=lines.cc ;; esac
	for o in -O0 "-O2 -fno-plt" -Os; do
		# shellcheck disable=SC2086
		$c $o -g -w -I"$srcdir/runtime" "$file" -o lines $libs >said 2>&1 || { skip "$c $o" "$(head -n 1 said)"; continue; }
		asked lines "$file"
		# clang counts a macro over two lines as the second
		case $c in clang*) places=${places/ $((several + 1)) / $several } ;; esac
		is "$c $o: a break on any line is where something can stop" "$places" "$wanted"
	done
done
gcc -O2 -g -I"$srcdir/runtime" "$src" -o lines $libs
talk "break lines.c:$((loop + 1))
break lines.c:$((several + 3))
break lines.c:$loop
barrier lines.c:$((loop + 2))
cont" ./lines
is "it is said at once, with the next line" "$(answer "break lines.c:$((loop + 1))")" \
	"warning: no construct begins at lines.c:$((loop + 1)), so nothing can stop there; the actionpoint is at line $several, the next one where it can
actionpoint 0: lines.c:$several"
is "behind the last one it is an error" "$(answer "break lines.c:$((several + 3))")" \
	"nothing can stop at lines.c:$((several + 3)): no construct begins there or further down; the last one of the file begins at line $several"
is "where one begins nothing is said" "$(answer "break lines.c:$loop")" "actionpoint 1: lines.c:$loop"
like "a barrier goes there, too" "$(answer "barrier lines.c:$((loop + 2))")" "^barrier 2: lines\\.c:$several$"
like "and it stops" "$out" "^Point 1\\.B  \\[0\\]  parallel loop  lines\\.c:$loop  actionpoint 1$"
gcc -O2 -g -DDVMDBG_OFF -I"$srcdir/runtime" "$src" -o none
talk "break lines.c:$loop" ./none
is "a program that announces nothing" "$(answer "break lines.c:$loop")" \
	"nothing can stop at lines.c:$loop: the program announces no constructs; dvmdbg.h shows how a loop is announced"
strip -g lines -o bare
talk "break lines.c:$((loop + 1))" ./bare
unlike "without debug information nothing is known" "$(answer "break lines.c:$((loop + 1))")" 'nothing can stop'

# A library that the program needs announces a construct with the program's file and line.
printf '%s\n' '#include <dvmdbg.h>' 'unsigned announced_at(const char *f, int l) {' 'struct dvmdbg_construct c = { .abi = DVMDBG_ABI };' \
	'return dvmdbg_active ? dvmdbg_open_at(80, 0, &c, f, l, f) : 0; }' >announce.c
gcc -g -shared -fPIC -I"$srcdir/runtime" announce.c -o libannounce.so $libs
gcc -g -DLIBRARY -I"$srcdir/runtime" "$src" -o needs -L. -lannounce -Wl,-rpath,"$tmp" $libs
at=$(line 'announced_at(__FILE__')
talk "break lines.c:$at
cont
break plugin.c:7" ./needs
is "what a library may announce is pending" "$(answer "break lines.c:$at")" \
	"no construct of the program itself begins at lines.c:$at; the actionpoint is pending: it stops if a library announces one there
actionpoint 0: lines.c:$at"
like "and stops" "$out" "^Point [0-9]+\\.B  \\[0\\]  parallel loop  lines\\.c:$at  actionpoint 0$"
like "so is a file that it may have" "$(answer 'break plugin.c:7')" \
	"there is no source 'plugin\\.c' of this program itself: lines\\.c; the actionpoint is pending until a library has it" '^actionpoint 1: plugin\.c:7$'
gcc -g -DLOADER -I"$srcdir/runtime" "$src" -o loads $libs
talk 'break plugin.c:7' ./loads
like "or one that is loaded later" "$(answer 'break plugin.c:7')" 'pending until a library has it' '^actionpoint 0: plugin\.c:7$'
talk 'break plugin.c:7' ./lines
is "where there is no such library the file is refused, with those that there are" "$(answer 'break plugin.c:7')" \
	"there is no source 'plugin.c' of this program; its sources are lines.c"

stagger=$builddir/doc/examples/stagger
if [ -x "$stagger" ]; then
	ln -s "$stagger" stagger
	asked stagger "$srcdir/doc/examples/stagger.f90"
	is "Fortran: as many lines as constructs" "$(wc -w <<<"$places")" \
		"$(grep -cE 'call dvmdbg_(pl|sl|tr|task|function)_begin' "$srcdir/doc/examples/stagger.f90")"
else
	skip "Fortran" "no Fortran"
fi
no_leak "break"
done_testing
