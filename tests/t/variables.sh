# SPDX-License-Identifier: GPL-3.0-or-later
# Arguments and variables of functions: of ranks in a loop, in MPI, crashed, and of core files.
. "$(dirname "$0")/lib.sh"
export HOME=$tmp
src=$srcdir/tests/prog/native
mpi_compilers "$(first_mpi)"
unset DVMDBG_NO_VM
ulimit -c 0

line() { line_marked "$1" "$src/${2:-vars.c}"; }
compile() { "$cc" $1 "$src/vars.c" -o "$tmp/$2" 2>"$tmp/cc.err" || diag "$(cat "$tmp/cc.err")"; }

compile '-g -O0' O0
compile '-g -O2' O2
kinds='O0 O2'
if command -v clang >/dev/null; then
	OMPI_CC=clang MPICH_CC=clang compile '-g -O0' clang && kinds="$kinds clang"
fi

# In a loop, four calls inside of relax.
for kind in $kinds; do
	start -n 2 "$tmp/$kind" spin
	tell go
	check "$kind: they are in the loop" until_shown '^ +\[0:1\] +relax  vars.c:' 'where -native'
	if [ "$kind" = O2 ]; then
		tell 'print shared_sum' 'where -args' quit
		expect_out "$kind: a global variable" 10 '^  shared_sum = 10$'
		expect_out "$kind: arguments of calls" 10 "relax \(g=-> \{...\}, .*n=8"
		finish
		unlike "$kind: nothing wrong" "$(cat "$tmp/o")" 'cannot be read|is not known>'
		continue
	fi
	tell 'up 5' locals 'locals -args' 'print g->origin.y' 'print table[1][2]' 'print u[2:4]' 'print rank + 1' \
		'[1] print *g->next' 'print colour' 'print nosuch' 'locals nosuch' 'print row[9]' 'print mine*2' 'where -args' \
		'locals text -types' 'locals -calls -all' 'locals text -calls' quit
	expect_out "$kind: an argument that differs" 10 '^  \[0\]  rank = 0$'
	expect_out "$kind: of the other rank" 10 '^  \[1\]  rank = 1$'
	expect_out "$kind: of all calls, with addresses of pointers" 10 '^  \[0\]  u = 0x[0-9a-f]+ -> 0.5$'
	expect_out "$kind: all calls have no one variable" 10 "-calls is for all variables, not for 'text'"
	expect_out "$kind: a text" 10 '^  how = "spin"$'
	expect_out "$kind: an array" 10 '^  row = \{1.5, 2.5, 3.5, 4.5\}$'
	expect_out "$kind: an array of arrays" 10 '^  table = \{\{1, 2, 3\}, \{4, 5, 6\}\}$'
	expect_out "$kind: an enumeration by name" 10 '^  colour = GREEN$'
	expect_out "$kind: a structure" 10 '^  here = \{x = 0.25, y = -1\}$'
	expect_out "$kind: characters" 10 '^  text = "abc"$'
	expect_out "$kind: no pointer" 10 '^  nothing = NULL$'
	expect_out "$kind: a function" 10 '^  function = relax$'
	expect_out "$kind: single precision" 10 '^  single = 0.1$'
	expect_out "$kind: a large number" 10 '^  big = -123456789012$'
	expect_out "$kind: an unsigned byte" 10 '^  byte = 200$'
	expect_out "$kind: what a pointer points to" 10 '^  u = -> 0.5$'
	expect_out "$kind: a member through a pointer" 10 '^  g->origin.y = 2$'
	expect_out "$kind: an element" 10 '^  table\[1\]\[2\] = 6$'
	expect_out "$kind: a section" 10 '^  u\[2:4\] = \{2.5, 3.5, 4.5\}$'
	expect_out "$kind: arithmetic" 10 '^\[0\] .*1$|rank \+ 1'
	expect_out "$kind: a structure with fields of bits" 10 \
		'\*g->next = \{n = 4, origin = \{x = 1, y = 2\}, u = 0x[0-9a-f]+ -> 0.5, dirty = 1, level = 9, name = "fine", next = '
	expect_out "$kind: a name that nobody has" 10 "there is no object 'nosuch'"
	expect_out "$kind: a variable that the frame does not have" 10 "locals: the chosen frame has no variable 'nosuch'"
	expect_out "$kind: an index outside" 10 'index 9 of dimension 1 is outside 0:3'
	expect_out "$kind: arguments of calls, where they differ with ranks" 10 \
		'relax \(g=-> \{...\}, u=-> 0.5, n=8, rank=0 \[0\] \| 1 \[1\], how="spin"\)  vars.c:'
	expect_out "$kind: of calls of itself" 10 'factorial \(k=3, how="spin"\)'
	expect_out "$kind: the innermost of them" 10 'factorial \(k=0, how="spin"\)'
	expect_out "$kind: the type" 10 '^  text: char \[16\] = "abc"$'
	finish
done

# In MPI, stopped by halt; crashed; and what a core file has.
start -n 2 "$tmp/O0" recv
tell go
check "in MPI: they wait" until_shown '^ +\[0:1\] +MPI_Recv$' 'where -native'
tell 'locals -args' halt 'up 6' 'print mine' 'watch nosuch' 'watch $rank' "gcore 0 $tmp/core.0" "gcore 1 $tmp/core.1" quit
expect_out "in MPI: the innermost function of the user's" 10 '^  how = "recv"$'
expect_out "halted: a frame further out" 10 '^  \[1\]  mine = 10$'
expect_out "halted: a watch of what there is not" 10 "watch nosuch: there is no object 'nosuch'.*no variable of that name\$"
expect_out "halted: a watch of what is no variable" 10 'watch \$rank: this is no variable of the program'
if command -v gdb >/dev/null; then
	expect_out "cores are written" 60 "^rank 1 is in $tmp/core.1\$"
	finish
	talk "core $tmp/O0 $tmp/core.0 $tmp/core.1
status
where -native
up 6
list -length 1
locals
print mine
[1] print g->name
cont
kill
gcore 0 $tmp/core.2"
	like "cores: who they are" "$out" "^ranks \[0:1\] are core files of $tmp/O0"
	like "cores: status" "$(answer status)" '\[0:1\] +stopped +core file'
	like "cores: merged calls" "$(answer 'where -native')" '^ +\[0:1\] +relax  vars.c:' '^ +\[0:1\] +MPI_Recv'
	like "cores: the line" "$(answer 'list -length 1')" "^ *$(line relax) .*factorial\(3, how\);"
	like "cores: variables" "$(answer locals)" '^  \[0\]  rank = 0$' '^  row = \{1.5, 2.5, 3.5, 4.5\}$'
	like "cores: one of them" "$(answer 'print mine')" '^  \[0\]  mine = 0$' '^  \[1\]  mine = 10$'
	like "cores: a constant text" "$(answer locals)" '^  how = "recv"$'
	like "cores: of one rank" "$(answer '[1] print g->name')" 'g->name = "fine"'
	like "cores: nothing can run" "$(answer cont)" 'these are core files, of which nothing can run'
	like "cores: nor be killed" "$(answer kill)" 'these are core files: there is no process'
	talk "core $tmp/O0 3:$tmp/core.1
where -native
core $tmp/O0 $src/vars.c"
	like "cores: a rank of choice" "$(answer 'where -native')" '^ +\[3\] +main  vars.c:'
	like "cores: what is none" "$out" 'is no core file of this kind of machine|cannot be read'
else
	finish
fi

dvm 60 "cont
locals
up
print k" -n 2 --set STOP_TIMER=0 --set HANG_TIMER=0 "$tmp/O0" crash
like "crashed: arguments" "$out" '^  how = "crash"$'
like "state-1: the frame outside of the one that crashed" "$out" '^ *k = 0$'

if command -v "$fc" >/dev/null; then
	for o in O0 O2; do
		"$fc" -g -$o -J "$tmp" "$src/vars.f90" -o "$tmp/f$o" 2>"$tmp/fc.err" || diag "$(cat "$tmp/fc.err")"
		start -n 1 "$tmp/f$o"
		tell go
		check "Fortran -$o: it is in the loop" until_shown '^ +\[0\] +relax  vars.f90:' 'where -native'
		tell 'locals -types' 'print u(1,2)' 'print M%ORIGIN%x' 'print limit' 'print a(2,1)' 'print p' 'print t(2:4)' quit
		expect_out "Fortran -$o: a section" 10 '^  t\(2:4\) = \{2, 3, 4\}$'
		[ "$o" = O0 ] && expect_out "Fortran -$o: a dummy's element" 10 '^  u\(1,2\) = 12$'
		unlike "Fortran -$o: a wrong element" "$(cat "$tmp/o")" '^  u\(1,2\) = ([^1]|1$)'
		expect_out "Fortran -$o: a component, in any case" 10 '^  M%ORIGIN%x = 0.5$'
		expect_out "Fortran -$o: a variable of the module" 10 '^ *limit = 2.5$'
		[ "$o" = O0 ] && expect_out "Fortran -$o: an element behind a stride" 10 '^  a\(2,1\) = 31$'
		expect_out "Fortran -$o: text of a length that is an argument" 10 'label.* = "label"'
		if [ "$o" = O0 ]; then
			expect_out "Fortran: allocatable, with its bounds" 10 '^  work: real\(kind=8\) \(2:5\) = \{7.5, 7.5, 7.5, 7.5\}$'
			expect_out "Fortran: not allocated" 10 '^  none: .*= <not allocated>$'
			expect_out "Fortran: a pointer with a stride" 10 '^  p: .*= \{2, 4, 6\}$'
			expect_out "Fortran: logical, complex" 10 '^  done: logical\(kind=4\) = true$'
			expect_out "Fortran: a derived type" 10 '^  m: .*n = 9, origin = \{x = 0.5, y = 0.25\}'
		fi
		finish
	done
fi
# What each one says of a variable: says NAME TEXT, in the answer of print.
asked=
ask() # KIND PROGRAM COMMANDS…
{
	local kind=$1 exe=$2
	shift 2
	talk "cont
$(printf '%s\n' "$@")" -n 1 --set STOP_TIMER=0 --set HANG_TIMER=0 "$exe"
	asked=$kind
}
says() { is "$asked: $1" "$(answer "print $1" | head -n 1 | sed -E 's/^ +//; s/0x[0-9a-f]+ //')" "$1 = $2"; }

for o in O0 O2 $(! command -v clang >/dev/null || echo clang); do
	opt=-$o with=
	[ "$o" != clang ] || opt=-O0 with=clang
	env ${with:+OMPI_CC=$with MPICH_CC=$with} "$cc" -g $opt "$src/kinds.c" -o "$tmp/kinds" 2>"$tmp/cc.err" || diag "$(cat "$tmp/cc.err")"
	[ -n "$with" ] || { ask "kinds -$o" "$tmp/kinds" 'where -args' 'print own' 'print wide' 'print less' 'print longer' 'print bytes' \
		'print word' 'print packed' 'print flags' 'print AHEAD' 'print WRITE + 1' 'print how' 'print inner[1][2]' \
		'print a[0:1][0:2]' 'print m' 'up 2' 'print count'
	says own 78
	says wide 1267650600228229401496703205379
	says less -1180591620717411303424
	says longer 1.25
	says bytes '{1, 2, 250, 0, 9}'
	says word '"word"'
	says packed '{small = 5, way = BACK, on = true}'
	says flags 'READ | RUN'
	says AHEAD AHEAD
	says 'WRITE + 1' 3
	says m 3
	like "kinds -$o: arguments that were passed" "$(answer 'where -args')" 'passed \(.*count=3' 'passed \(.*how="fast"'
	says count 3; }
	if [ "$o" = O0 ]; then
		says 'inner[1][2]' 6
		is "kinds: rows whose length is a variable" "$(answer 'print a[0:1][0:2]' | tail -n 1 | tr -s ' ')" ' 1 4 5 6'
	fi
	if [ -n "$with" ]; then
		ask "kinds clang" "$tmp/kinds" 'print own' 'print a[1][0]'
		says own 78
		like "kinds clang: rows of a length that is not known" "$(answer 'print a[1][0]')" \
			'a: how large an element is is not known: the compiler has left it out'
	fi
done

for kind in O0 O2 $(! command -v clang++ >/dev/null || echo clang); do
	opt=-$kind with=
	[ "$kind" != clang ] || opt=-O0 with=clang++
	cxx=$(command -v "mpicxx.$(first_mpi)" || command -v mpicxx) || break
	env ${with:+OMPI_CXX=$with MPICH_CXX=$with} "$cxx" -g $opt "$src/vars.cpp" -o "$tmp/cpp" 2>"$tmp/cc.err" || diag "$(cat "$tmp/cc.err")"
	ask "C++ $kind" "$tmp/cpp" where up 'print r' 'print id' 'print scale' 'print name' up 'print data[2]' 'print v' up locals \
		up 'print u' 'print u[2]' 'print sum(u)' 'print this->u[1:2]' 'print nested' 'print nested[1][0]' 'print flags' \
		'print fixed' 'print fixed[1]' 'print title' 'print *owned' 'print *shared' 'print z' 'print colour' 'print which' \
		'print what' 'print w' 'print w[1]' 'print three' 'print n + 1'
	like "C++ $kind: a lambda is a call" "$(answer where)" '^  3  .*operator\(\)  vars\.cpp:'
	says r 1.5
	says id 1
	says scale 3
	says name '"circle"'
	says 'data[2]' 3
	says v '{4, 5}'
	[ "$kind" != O0 ] || like "C++ $kind: what it has captured" "$(answer locals)" ' k = 3'
	says u '{1, 2, 3, 4}'
	says 'u[2]' 3
	says 'sum(u)' 10
	says 'this->u[1:2]' '{2, 3}'
	says nested '{{1}, {2, 3}}'
	says 'nested[1][0]' 2
	says flags '{true, false, true}'
	says fixed '{7, 8, 9}'
	says 'fixed[1]' 8
	says title '"solver"'
	says '*owned' 6.5
	says '*shared' 11
	says z '(1, -2)'
	says colour Green
	says which NULL
	says what '"a text that is longer than what has room in a string"'
	says w '{9, 8, 7}'
	says 'w[1]' 8
	[ "$kind" = O2 ] || says three '{1, 2, 3}'
	says 'n + 1' 6
done

for o in O0 O2; do
	[ -n "$(command -v "$fc")" ] || break
	"$fc" -g -$o -J "$tmp" "$src/kinds.f90" -o "$tmp/fkinds" 2>"$tmp/fc.err" || diag "$(cat "$tmp/fc.err")"
	ask "Fortran kinds -$o" "$tmp/fkinds" 'where -args' up 'print loc' 'print total' 'print work(2)' 'print n' 'print most' \
		'print precise' up 'print c%label' 'print c' 'print c%id' 'print any%tag' 'print a(2)' 'print a(1:2)' \
		'print flat(4)' 'print flat[4]' 'print wide(0,2)' 'print wide[1][1]' 'assign wide[1][2] 7' \
		'print low(2,1)' 'print sum(low)' 'assign low(2,1) 7' 'call inside(total)' \
		'print rows%v(2)' 'print sum(rows%v(2))' 'print rows(3)%v' 'print rows(:)%v(1)' 'assign rows%v(3) 0' 'print rows(2)%v' \
		'print plane(0)' 'assign plane(1) 5' 'print plane(0,*)'
	says most 17
	is "Fortran kinds -$o: an index behind the field is the field's" "$(answer 'print rows%v(2)')" 'rows%v(2) = 12 22 32 42'
	is "Fortran kinds -$o: their sum" "$(answer 'print sum(rows%v(2))')" 'sum(rows%v(2)) = 108'
	is "Fortran kinds -$o: one before it is the array's" "$(answer 'print rows(3)%v')" '  rows(3)%v = {31, 32, 33}'
	is "Fortran kinds -$o: both" "$(answer 'print rows(:)%v(1)')" 'rows(:)%v(1) = 11 21 31 41'
	like "Fortran kinds -$o: assigned" "$(answer 'assign rows%v(3) 0')" '4 elements'
	is "Fortran kinds -$o: in each of them" "$(answer 'print rows(2)%v')" '  rows(2)%v = {21, 22, 0}'
	for asked in 'print plane(0)' 'assign plane(1) 5'; do
		like "Fortran kinds -$o: too few indices: $asked" "$(answer "$asked")" "plane has 2 dimensions, not 1: give an index, or ':', for each$"
	done
	is "Fortran kinds -$o: a row" "$(answer 'print plane(0,*)')" '  plane(0,*) = {2, 2, 2}'
	like "Fortran: a procedure that is internal" "$(answer 'call inside(total)')" 'inside: it is internal to a procedure whose frame it needs: it cannot be called'
	says precise 1.25
	says n 2
	if [ "$o" = O0 ]; then
		says loc 72
		says total 72
		says 'work(2)' 20
		says 'c%label' '"label"'
		says 'c%id' 3
		says 'any%tag' '"base"'
		says 'a(2)' 3
		says 'flat(4)' 4
		says 'flat[4]' 4
		for asked in 'print wide(0,2)' 'print wide[1][1]' 'assign wide[1][2] 7'; do
			like "Fortran: bounds that the compiler has left out: $asked" "$(answer "$asked")" \
				'wide: where its elements are is not known: the compiler has left the bounds of another'
		done
		for asked in 'print low(2,1)' 'print sum(low)' 'assign low(2,1) 7'; do
			like "Fortran: lower bounds that are variables: $asked" "$(answer "$asked")" \
				'does not say what low is: gfortran leaves out arguments whose lower bounds are variables; go up to the call'
		done
	fi
	unlike "Fortran kinds -$o: an array that is not there has no value" "$(answer 'print a(1:2)')" '= \{\}'
done

if [ -n "$(command -v "$fc")" ]; then
	"$fc" -g -O0 -J "$tmp" "$src/nested.f90" -o "$tmp/nested" 2>"$tmp/fc.err" || diag "$(cat "$tmp/fc.err")"
	elements=('t(1,2)%l(1)%w(2)' 't(1,2)%l(1)%w' 't(1,2)%l(1)' 't(1,2)%p(3)%w(2)' 't(1,2)%p(3)%w(2:3)' 'c%r' 'c%size' 'c' s x word a 't(2,2)%l(0)%w')
	ask "nested" "$tmp/nested" "${elements[@]/#/print }" 'print t(1,2)%l%w(2)' 'print t%l(1)%w(2)' 'print t(:,1)%l(0)%w(1)' \
		'print sum(t%l(1)%w(2))' 'print t(1,2)%l(0,1)%w' 'print t(1)%k' 'print t(1,2)%l(5)%w' 'print x + 1' 'print a(1)' locals \
		'assign t(1,2)%l(1)%w(2) 99' 'assign t(2,2)%l(0)%w 0' 'print t(1,2)%l(1)%w(2)' 'print t(2,2)%l' \
		'print rows(2)%v(1)' 'print rows%v(1)' 'print sum(rows%v(1))' 'assign rows%v(1) 5' 'print rows(2:3)%q(2)' 'print rows(3)%v' \
		'print known%name' 'print len(known%name)' 'print s(3:6)' "print s(1:2) == 'ab'" 'print s(5:9)' \
		"assign s(1:2) 'xy'" 'print s(1:3)' \
		'assign leaves(1) leaves(3)' 'print leaves%id' 'assign leaves(2) known' 'assign known known'
	says 'known%name' '"inherited"'
	is "nested: the length of what is inherited" "$(answer 'print len(known%name)')" 'len(known%name) = 9'
	is "nested: a part of characters" "$(answer 'print s(3:6)')" '  s(3:6) = "more"'
	is "nested: it is compared" "$(answer "print s(1:2) == 'ab'")" "s(1:2) == 'ab' = true"
	like "nested: a part that is outside" "$(answer 'print s(5:9)')" 'index 9 of dimension 1 is outside 1:6$'
	is "nested: it is assigned" "$(answer "assign s(1:2) 'xy'")$(answer 'print s(1:3)')" "s(1:2) = 'xy', on [0]  s(1:3) = \"xym\""
	is "nested: a structure becomes another one" "$(answer 'assign leaves(1) leaves(3)')$(answer 'print leaves%id')" \
		'leaves(1) = leaves(3), on [0]leaves%id = 3 2 3'
	like "nested: of another type" "$(answer 'assign leaves(2) known')" 'leaves is a structure, and known is none of its type$'
	like "nested: one that has allocated something" "$(answer 'assign known known')" 'known has components that are allocated'
	says 'rows(2)%v(1)' 20
	for line in 'print rows%v(1)' 'print sum(rows%v(1))' 'assign rows%v(1) 5' 'print rows(2:3)%q(2)'; do
		like "nested: arrays that each element has for itself: $line" "$(answer "$line")" 'elements of .* have arrays of their own: choose one$'
	done
	says 'rows(3)%v' '{30, 30, 30, 30}'
	says 't(1,2)%l(1)%w' '{124, 125, 126}'
	says 't(1,2)%l(1)' '{w = {124, 125, 126}, id = 0}'
	says 't(1,2)%p(3)%w(2)' 8
	says 't(1,2)%p(3)%w(2:3)' '{8, 9}'
	is "nested: the index of each dimension" "$(answer 'print t(1,2)%l(1)%w(2)' | head -n 1)" '  t(1,2)%l(1)%w(2) = 125'
	is "nested: one of each element" "$(answer 'print t(1,2)%l%w(2)')" 't(1,2)%l%w(2) = 122 125'
	is "nested: in all elements of an array around them" "$(answer 'print t%l(1)%w(2)')" \
		$'t%l(1)%w(2) =\n       1    2\n  1  115  125\n  2  215  225'
	is "nested: a section before it" "$(answer 'print t(:,1)%l(0)%w(1)')" 't(:,1)%l(0)%w(1) = 111 211'
	is "nested: their sum" "$(answer 'print sum(t%l(1)%w(2))')" 'sum(t%l(1)%w(2)) = 680'
	like "nested: too many indices" "$(answer 'print t(1,2)%l(0,1)%w')" "t\\.l\\.w: more indices than dimensions stand before 'w'$"
	like "nested: too few indices" "$(answer 'print t(1)%k')" 't\.k has 2 dimensions, not 1'
	like "nested: an index that is outside" "$(answer 'print t(1,2)%l(5)%w')" 'index 5 of dimension 1 is outside 0:1'
	is "nested: assigned" "$(answer 'assign t(1,2)%l(1)%w(2) 99')" 't(1,2)%l(1)%w(2) = 99, was 125, on [0]'
	is "nested: all of an array in one element" "$(answer 'assign t(2,2)%l(0)%w 0')" 't(2,2)%l(0)%w = 0, 3 elements, on [0]'
	says 't(2,2)%l' '{{w = {0, 0, 0}, id = 0}, {w = {224, 225, 226}, id = 0}}'
	says 'c%r' 3
	says 'c%size' 3.5
	says c '{shape_t = {size = 3.5}, r = 3}'
	says s '"abmore"'
	for absent in x word a; do
		says "$absent" '<not present>'
	done
	like "nested: no number of what is not present" "$(answer 'print x + 1')" 'x is not present$'
	like "nested: no element" "$(answer 'print a(1)')" 'a is <not present>$'
	unlike "nested: the compiler's own variables are not listed" "$(answer locals)" '__var_'
fi

# A mark of C++ is a function: the ranks stand in the user's, wherever the compiler has put it.
if cxx=$(command -v "mpicxx.$(first_mpi)" || command -v mpicxx); then
	cat >"$tmp/marked.cc" <<'EOT'
#include <mpi.h>
#include "dvmdbg.h"

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	volatile int number = 42, kind = 7;
	static double u[4];
	DVMDBG_ARRAY(u, .shape = { 4 }, .own = { { 0, 3 } });
	for (int k = 0; k < 2; k++) {
		DVMDBG_PL(.range = { { 0, 3 } })
		for (int i = 0; i < 4; i++)
			u[i] += number + kind;
	}
	MPI_Finalize();
}
EOT
	# marks name a template's instance without its arguments
	cat >"$tmp/template.cc" <<'EOT'
#include "dvmdbg.h"

template <class T> T step(T h)
{
	DVMDBG_FUNCTION();
	T sum = h;
	DVMDBG_PL(.range = { { 0, 3 } })
	sum += h;
	return sum;
}

int main()
{
	return step<double>(1.5) < 3 || step(2) < 4;
}
EOT
	"$cxx" -g -O0 -std=c++2a -I"$srcdir/runtime" "$tmp/template.cc" -o "$tmp/template" -L"$builddir/runtime/.libs" \
		-ldvmdbg -Wl,-rpath,"$builddir/runtime/.libs" 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
	talk 'break 1.B
cont
where
up
print h' -n 1 "$tmp/template"
	like "C++: a template's instance and its mark are one" "$(answer where | sed 's/ .*[^a-z]\(PL\|step\|main\)\b.*/ \1/' | tr '\n' ' ')" '^ PL  step  main $'
	is "C++: its argument" "$(answer 'print h')" '  h = 1.5'
	# streams that nobody has included do not exist
	cat >"$tmp/streamless.cc" <<'EOT'
#include "dvmdbg.h"

int square(int k)
{
	return k * k;
}

int main()
{
	int k = square(2);
	DVMDBG_PL(.range = { { 0, 3 } })
	k++;
	return k != 5;
}
EOT
	"$cxx" -g -O0 -std=c++2a -I"$srcdir/runtime" "$tmp/streamless.cc" -o "$tmp/streamless" -L"$builddir/runtime/.libs" \
		-ldvmdbg -Wl,-rpath,"$builddir/runtime/.libs" 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
	talk 'break 1.B
cont
call square(7)' -n 1 "$tmp/streamless"
	is "C++: a call in a program without streams" "$(answer 'call square(7)')" 'square(7) = 49'
	for o in O0 O2; do
		"$cxx" -g -$o -std=c++2a -I"$srcdir/runtime" "$tmp/marked.cc" -o "$tmp/marked" -L"$builddir/runtime/.libs" -ldvmdbg \
			-Wl,-rpath,"$builddir/runtime/.libs" 2>"$tmp/cc.err" || diag "$(<"$tmp/cc.err")"
		talk 'break 1.B
cont
print kind
assign kind 8
print &u[2]
print &(u)[2]
up
print kind
break 1.E
rerun
cont
print number' -n 1 "$tmp/marked"
		like "C++ -$o: at the beginning of a loop" "$(answer 'print kind' | head -n 1)" '^ *kind = 7$'
		like "C++ -$o: assigned" "$(answer 'assign kind 8')" '^kind = 8, was 7'
		like "C++ -$o: an address by the array's indices is none" "$(answer 'print &u[2]')" '&u: the elements of u are registered'
		like "C++ -$o: the variable's own is" "$(answer 'print &(u)[2]')" '&u\[2\]'
		like "C++ -$o: the loop is in that function, too" "$(answer 'print kind' | tail -n 1)" '^ *kind = 8$'
		like "C++ -$o: at its end" "$(answer 'print number')" '^ *number = 42$'
	done
fi
no_leak "variables"
done_testing
