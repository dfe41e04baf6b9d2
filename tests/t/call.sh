# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of the program that are called from the debugger: arguments and results of all kinds, in a copy of the
# process and in the process itself, and what ends them before they return.
. "$(dirname "$0")/lib.sh"
export HOME=$tmp
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
src=$srcdir/tests/prog/native
mpi_compilers "$mpi"
libs="-L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs -lm"
ulimit -c 0

compile() { "$cc" $1 -g -I"$srcdir/runtime" "$src/called.c" -o "$tmp/$2" $libs 2>"$tmp/cc.err" || diag "$(cat "$tmp/cc.err")"; }
line() { line_marked "$1" "$src/${2:-called.c}"; }
# what the program prints may stand before it
one() { is "$1" "$(answer "$2" | grep -v '^| ' | head -n 1)" "$3"; }

# Arguments and results.
compile -O0 c0
results()
{
	talk "break 1.B
cont
call square(-12)
call half(3)
call add_float(0.5, 0.25)
call ten(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
call many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
call low(300)
call word(0)
call made(\"a, b\")
call length(word(1))
call length(\"four\")
call total(table, 4)
call total(local, 2 + 1)
call total(&local[1], 1)
call total(a, n)
call pair_of(1.5)
call by_value(pairs[1])
call pairs_of(pairs[0], pairs[1])
call mixed_by(0.5, mix, 2)
call large_by(7, block, 2)
call narrow_by(narrow)
call bits_by(bits)
call full(1, 2, 3, 4, 5, bits, 6, mix)
call mixed_of(7)
call large_of(3)
call turned((1, 2))
call colour_of(1)
call longer(2)
call apply(square, 9)
call apply(called.c::hidden, 100)
call hidden(mine)
call first_char('A')
call set_errno(5)
call nothing()
call square(u[3] * 2)
call square(rank + 1)
call square(\$rank)
call (double)sqrt(2.25)
call (double)sqrt(u[3] * 3)
call (int)strlen(\"twelve chars\")
call count()
call count()
print calls
print pair_of(1.5).y
print pair_of(half(3)).y * 2
print large_of(3).a[1]
print large_of(3).a[size - size + 1]
print pair_at(1)->x
print pair_at(0)[1].y
print (*pair_at(1)).x
print (pair_at(0) + size - size + 1)->x
print sizeof(pair_of(1).y) + sizeof(pair_of(1))
print sizeof pair_at(1)
print element(1)[2]
print *element(1) + 0.5
print (double)pair_of(1).y
call square(large_of(3).a[0] * 2)
print large_of(3).a
print large_of(3).a[0:1]
print pair_of(1).z
print *square(2)
print square(2).x
print table(1)[1]
print pair_of(1)
call pair_of(1).x" -n "$1" "$2"
}
for n in 1 2; do
	results $n "$tmp/c0"
	one "$n: a whole number" 'call square(-12)' 'square(-12) = 144'
	one "$n: one that becomes real" 'call half(3)' 'half(3) = 1.5'
	one "$n: single precision" 'call add_float(0.5, 0.25)' 'add_float(0.5, 0.25) = 0.75'
	one "$n: more than there are registers" 'call ten(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)' 'ten(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) = 10954'
	one "$n: real ones on the stack" 'call many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)' 'many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) = 11055'
	one "$n: a byte" 'call low(300)' 'low(300) = 44'
	like "$n: a text" "$(answer 'call word(0)')" '^word\(0\) = .*"zero"$'
	like "$n: a text that it has allocated" "$(answer 'call made("a, b")')" '"<a, b>"$'
	one "$n: a text as an argument" 'call length("four")' 'length("four") = 4'
	one "$n: a global array" 'call total(table, 4)' 'total(table, 4) = 10'
	one "$n: a local array, and arithmetic" 'call total(local, 2 + 1)' 'total(local, 2 + 1) = 4.5'
	one "$n: an address" 'call total(&local[1], 1)' 'total(&local[1], 1) = 1.5'
	one "$n: a structure as an argument" 'call by_value(pairs[1])' 'by_value(pairs[1]) = 3'
	one "$n: two of them" 'call pairs_of(pairs[0], pairs[1])' 'pairs_of(pairs[0], pairs[1]) = 4321'
	one "$n: one in registers of both kinds" 'call mixed_by(0.5, mix, 2)' 'mixed_by(0.5, mix, 2) = 2480.5'
	one "$n: one in memory" 'call large_by(7, block, 2)' 'large_by(7, block, 2) = 20817'
	one "$n: two numbers in one register" 'call narrow_by(narrow)' 'narrow_by(narrow) = 321'
	one "$n: fields of bits" 'call bits_by(bits)' 'bits_by(bits) = 311486701863'
	one "$n: one that has no room in registers any more" 'call full(1, 2, 3, 4, 5, bits, 6, mix)' 'full(1, 2, 3, 4, 5, bits, 6, mix) = 35654325.5'
	one "$n: a structure in vector registers" 'call pair_of(1.5)' 'pair_of(1.5) = {x = 1.5, y = -1.5}'
	one "$n: one in both kinds" 'call mixed_of(7)' 'mixed_of(7) = {n = 7, x = 3.5}'
	one "$n: one in memory" 'call large_of(3)' 'large_of(3) = {a = {3, 4, 0, 0, 0, 0, 0, 0}}'
	one "$n: complex numbers" 'call turned((1, 2))' 'turned((1, 2)) = (-2, 1)'
	one "$n: an enumeration" 'call colour_of(1)' 'colour_of(1) = BLUE'
	one "$n: a long double" 'call longer(2)' 'longer(2) = 2.5'
	one "$n: a function as an argument" 'call apply(square, 9)' 'apply(square, 9) = 81'
	one "$n: a character" "call first_char('A')" "first_char('A') = 65"
	one "$n: nothing is returned" 'call nothing()' 'nothing(): it has returned'
	one "$n: an element in global indices" 'call square(u[3] * 2)' 'square(u[3] * 2) = 36'
	one "$n: one without debug information" 'call (double)sqrt(2.25)' '(double)sqrt(2.25) = 1.5'
	one "$n: a whole element stays real" 'call (double)sqrt(u[3] * 3)' '(double)sqrt(u[3] * 3) = 3'
	one "$n: and with a text" 'call (int)strlen("twelve chars")' '(int)strlen("twelve chars") = 12'
	one "$n: what a copy changes is thrown away" 'call count()' 'count() = 1'
	is "$n: each time" "$(answer 'call count()' | grep -c '^count() = 1$')" 2
	like "$n: the process has not changed" "$(answer 'print calls')" '^  calls = 0$'
	one "$n: a field of the result" 'print pair_of(1.5).y' 'pair_of(1.5).y = -1.5'
	one "$n: it can be computed with" 'print pair_of(half(3)).y * 2' 'pair_of(half(3)).y * 2 = -3'
	one "$n: an element of a field" 'print large_of(3).a[1]' 'large_of(3).a[1] = 4'
	one "$n: its index is an expression" 'print large_of(3).a[size - size + 1]' 'large_of(3).a[size - size + 1] = 4'
	one "$n: a field of what it points to" 'print pair_at(1)->x' 'pair_at(1)->x = 3'
	one "$n: of another one behind that" 'print pair_at(0)[1].y' 'pair_at(0)[1].y = 4'
	one "$n: the pointer is moved" 'print (pair_at(0) + size - size + 1)->x' '(pair_at(0) + size - size + 1)->x = 3'
	one "$n: the sizes of a field and of all" 'print sizeof(pair_of(1).y) + sizeof(pair_of(1))' \
		'sizeof(pair_of(1).y) + sizeof(pair_of(1)) = 24'
	one "$n: of a pointer" 'print sizeof pair_at(1)' 'sizeof pair_at(1) = 8'
	one "$n: with a star" 'print (*pair_at(1)).x' '(*pair_at(1)).x = 3'
	one "$n: an element of what it points to" 'print element(1)[2]' 'element(1)[2] = 4'
	one "$n: what it points to" 'print *element(1) + 0.5' '*element(1) + 0.5 = 2.5'
	one "$n: a field that is cast" 'print (double)pair_of(1).y' '(double)pair_of(1).y = -1'
	one "$n: a part as an argument" 'call square(large_of(3).a[0] * 2)' 'square(large_of(3).a[0] * 2) = 36'
	for asked in 'large_of(3).a' 'large_of(3).a[0:1]'; do
		like "$n: several elements are refused: $asked" "$(answer "print $asked")" 'large_of\(3\): these are several elements: choose one$'
	done
	like "$n: there is no such field" "$(answer 'print pair_of(1).z')" "pair_of\(1\).z: it has no member 'z'"
	like "$n: it is no pointer" "$(answer 'print *square(2)')" '\*square\(2\) is no pointer$'
	like "$n: it is no structure" "$(answer 'print square(2).x')" 'what has members must be a structure$'
	like "$n: an array is no function" "$(answer 'print table(1)[1]')" 'there is no function table; subscripts are all in \[ \], or all in \( \)$'
	one "$n: a structure is shown as call does" 'print pair_of(1)' 'pair_of(1) = {x = 1, y = -1}'
	like "$n: and its parts by print" "$(answer 'call pair_of(1).x')" 'print shows parts of what a function returns$'
done
like "values that differ" "$(answer 'call hidden(mine)')" '^  \[0\]  +hidden\(mine\) = 10$' '^  \[1\]  +hidden\(mine\) = 12$'
like "arguments that differ" "$(answer 'call square(rank + 1)')" '^  \[1\]  +square\(rank \+ 1\) = 4$'
like "a rank's own number" "$(answer 'call square($rank)')" '^  \[1\]  +square\(\$rank\) = 1$'
like "each rank's own array" "$(answer 'call total(a, n)')" '^  \[0\]  +total\(a, n\) = 6$' '^  \[1\]  +total\(a, n\) = 22$'

# What ends a call; the program goes on as if nobody had called anything.
ends()
{
	export CALLED_NOTES=$tmp/notes
	talk "break 1.B
cont
call crash(0)
call divide(1, 0)
call deeper(0)
call fails()
call leaves(3)
call loop(1) -limit 1
call sum_all(1)
call rank_of()
call rank_of_none()
call arrived()
call says(\"hello\")
call noted(4)
call count()
delete -all
cont" -n 2 "$1"
	one "a null pointer" 'call crash(0)' "crash(0): SIGSEGV at called.c:$(line crash) in crash, at an address near 0"
	one "a division by zero" 'call divide(1, 0)' "divide(1, 0): SIGFPE at called.c:$(line divide) in divide"
	like "a recursion without an end" "$(answer 'call deeper(0)')" '^deeper\(0\): SIGSEGV at called.c:[0-9]* in deeper: the stack has overflowed$'
	like "abort" "$(answer 'call fails()')" '^fails\(\): SIGABRT'
	one "exit" 'call leaves(3)' 'leaves(3): it has called exit (3)'
	one "a loop without an end" 'call loop(1) -limit 1' 'loop(1): it was ended after 1 s; -limit gives it more'
	one "a collective call of MPI" 'call sum_all(1)' \
		'sum_all(1): it was stopped where it calls MPI_Allreduce: the other ranks would not take part'
	one "one that looks for messages" 'call arrived()' \
		'arrived(): it was stopped where it calls MPI_Iprobe: the other ranks would not take part'
	like "what is local to a rank is called" "$(answer 'call rank_of()')" '^  \[0\]  +rank_of\(\) = 1280$' '^  \[1\]  +rank_of\(\) = 1281$'
	like "where that fails the call ends" "$(answer 'call rank_of_none()')" \
		'^rank_of_none\(\): it was stopped where a call of MPI fails: MPI_Comm_rank: '
	like "what it prints is shown" "$out" 'said hello'
	is "what it writes to a file is there, and once what the program has in its buffer" \
		"$(cat "$CALLED_NOTES.0")" "$(printf 'noted 4\nfirst')"
	is "what the program had not printed yet is printed once" "$(printf '%s\n' "$out" | grep -o begins | wc -l)" 2
	is "and the program has noticed nothing" \
		"$(printf '%s\n' "$out" | grep -c 'ends: calls 0, table 1, children 0, mask same, waits -1')" 2
	unlike "all is well" "$out" WRONG
	no_leak "ends of calls"
}
ends "$tmp/c0"

# In the process itself.
talk "break 1.B
cont
call count() -keep
[1] call count() -keep
print calls
call set_errno(5) -keep
call crash(0) -keep
call divide(1, 0) -keep
call deeper(0) -keep
call loop(1) -keep -limit 1
call sum_all(1) -keep
call leaves(3) -keep
call rank_of() -keep
call rank_of_none() -keep
call masks(1) -keep -limit 1
call sends(15) -keep
call made(\"kept\") -keep
call total(a, n) -keep
delete -all
cont" -n 2 "$tmp/c0"
like "its changes stay" "$(answer 'print calls')" '^  \[0\]  calls = 1$' '^  \[1\]  calls = 2$'
like "which is said" "$(answer 'call count() -keep')" '^  kept: registers, stack, signal mask and errno are as they were; memory'
like "a crash is survived" "$(answer 'call crash(0) -keep')" '^crash\(0\): SIGSEGV at called.c'
like "also of the stack" "$(answer 'call deeper(0) -keep')" 'the stack has overflowed$'
like "a loop is left" "$(answer 'call loop(1) -keep -limit 1')" '^loop\(1\): it was ended after 1 s'
like "MPI is not called" "$(answer 'call sum_all(1) -keep')" 'it calls MPI_Allreduce'
like "but what is local" "$(answer 'call rank_of() -keep')" '^  \[1\]  +rank_of\(\) = 1281$'
like "or fails" "$(answer 'call rank_of_none() -keep')" 'a call of MPI fails: MPI_Comm_rank: '
like "exit is not the process's" "$(answer 'call leaves(3) -keep')" '^leaves\(3\): it has called exit \(3\)$'
like "a loop that has blocked all signals is left" "$(answer 'call masks(1) -keep -limit 1')" '^masks\(1\): it was ended after 1 s'
like "a signal that it sends itself ends the call" "$(answer 'call sends(15) -keep')" '^sends\(15\): SIGTERM'
like "a result in its memory" "$(answer 'call made("kept") -keep')" '"<kept>"$'
like "the program goes on with what it has counted" "$out" 'ends: calls 1, table 1, children 0, mask same' \
	'ends: calls 2, table 1, children 0, mask same'
unlike "errno is as it was" "$out" WRONG
no_leak "calls in the process"

# Ctrl-C, and ranks that cannot.
start -n 2 "$tmp/c0"
tell 'break 1.B' cont
check "at the point" wait_for 20 seen 'Point 1\.B'
tell 'call loop(1) -limit 100'
copied() { [ "$(running "$tmp/c0" | wc -w)" -ge 4 ]; }
check "copies of both run" wait_for 20 copied
kill -INT "$(front_end)"
expect_out "Ctrl-C ends it" 10 '^loop\(1\): it was ended by Ctrl-C$'
finish
no_leak "Ctrl-C"

# What cannot be called is said.
talk "break 1.B
cont
call nosuch(1)
call square()
call square(1, 2)
call by_value(1)
call by_value(mix)
call square(nosuch)
call half(u)
call square(1
call square
call hidden(zero) -limit 0
call crash(table[0])
kill
call square(1)" -n 1 "$tmp/c0"
like "an unknown function" "$(answer 'call nosuch(1)')" 'there is no function nosuch with debug information; say what it returns'
like "too few arguments" "$(answer 'call square()')" 'square takes 1 argument, not 0'
like "too many" "$(answer 'call square(1, 2)')" 'square takes 1 argument, not 2'
like "no structure" "$(answer 'call by_value(1)')" 'argument 1 of by_value: the function takes a structure here: give a variable of it$'
like "another structure" "$(answer 'call by_value(mix)')" 'argument 1 of by_value: the function takes pair here, and mix is mixed$'
like "an unknown variable" "$(answer 'call square(nosuch)')" "argument 1 of square: there is no variable 'nosuch'"
like "a pointer as a number" "$(answer 'call half(u)')" 'argument 1 of half: the function takes a number, and u is an address'
like "a bracket that lacks" "$(answer 'call square(1')" "'\\)' is missing"
like "no arguments at all" "$(answer 'call square')" 'give a function and its arguments'
like "a number as a pointer" "$(answer 'call crash(table[0])')" 'table\[0\] is no address'
no_leak "what cannot be called"

# What each rank computes by itself, of variables that are not registered.
compile -O0 c0
talk "break 1.B
cont
print local[rank]
print local[\$rank + 1] * 2
print local[1]@2
print *local
print *local@2
print rank%size
print rank%size + 1
print mine != 10 && 10 / (mine - 10) > 3
print mine == 10 ? 0 : 10 / (mine - 10)
print a == local
print 2.5f + 10L + 3u
print 010
p/u mine" -n 2 "$tmp/c0"
like "an index that differs" "$(answer 'print local[rank]')" '^  \[0\]  local\[rank\] = 0\.5$' '^  \[1\]  local\[rank\] = 1\.5$'
like "in an expression" "$(answer 'print local[$rank + 1] * 2')" '\[0\]: 3 +\[1\]: 5$'
one "so many from an element on" 'print local[1]@2' '  local[1]@2 = {1.5, 2.5}'
one "the first element of an array" 'print *local' '  *local = 0.5'
one "so many from the first on" 'print *local@2' '*local@2 = 0.5 1.5'
like "a remainder without blanks" "$(answer 'print rank%size')" '\[0\]: 0 +\[1\]: 1$'
like "in a sum" "$(answer 'print rank%size + 1')" '\[0\]: 1 +\[1\]: 2$'
like "where the left side decides the right one is not computed" "$(answer 'print mine != 10 && 10 / (mine - 10) > 3')" '\[0\]: false +\[1\]: true$'
like "nor what is not chosen" "$(answer 'print mine == 10 ? 0 : 10 / (mine - 10)')" '\[0\]: 0 +\[1\]: 10$'
like "a pointer is not compared with elements" "$(answer 'print a == local')" 'one is a pointer, the other one has elements: take its address, as in &local$'
one "suffixes of numbers" 'print 2.5f + 10L + 3u' '2.5f + 10L + 3u = 15.5'
like "octal numbers" "$(answer 'print 010')" 'column 1: 010 has another value in C, .* than in Fortran: leave the 0 out, or write 0x8$'
like "p/u" "$(answer 'p/u mine')" '\[0\]: 10 +\[1\]: 11$'

# Optimised code.
if in_set compiler; then
	compile -O2 c2
	talk "break 1.B
cont
call square(-12)
call total(table, 4)
call pair_of(1.5)
call sum_all(1)" -n 1 "$tmp/c2"
	one "-O2: a number" 'call square(-12)' 'square(-12) = 144'
	one "-O2: an array" 'call total(table, 4)' 'total(table, 4) = 10'
	one "-O2: a structure" 'call pair_of(1.5)' 'pair_of(1.5) = {x = 1.5, y = -1.5}'
	like "-O2: MPI" "$(answer 'call sum_all(1)')" 'it calls MPI_Allreduce'
fi

# C++: the arguments choose among functions of one name, or its scope is given.
if cxx=$(command -v "mpicxx.$mpi" || command -v mpicxx); then
	"$cxx" -O0 -g "$src/called.cpp" -o "$tmp/cpp" 2>"$tmp/cc.err" || diag "$(cat "$tmp/cc.err")"
	talk "step
call over(1)
call over(1.5)
call over(whole)
call over(real)
call over(&a)
call kind(&a)
call kind(&b)
call fun(1)
call one::fun(1)
call called.cpp::two::fun(1)
call A::three(2)
call A::kind(&a)
call (int)_Z4overi(1)
call says(8)
call total(v)
call total(w)
call total<int>(v)
print total<int>(v) + 1
call square.side(1)
print spot.dot(same) + 0.5
call dot(spot, other)
call spot.dot(same)
call emptied(v)
call emptied(v) -keep
print v[0:2]
print two::fun(1) + 1
print sizeof(v)
print sizeof(va)
print va
print sum(va * 2)
print sum(p)
print p * 2
print abs(p)
print sum(p@2)
print p + 1
call area(shown, 1)
call area(shown, 1.5)
call Shape::area(shown, 1)
call called.cpp::area(shown, 1)
call area((Square *)shown, 1)
call area(&shape, 1)
call area(&square, 1)
call name(called)
call name(&square)
call Named::name(&square)
call side(shown)
call mass(body[0], 3)
call mass(body[1], 3)
print area(shown, 1) + name(called)
print shown->area(1) + square.name()
call square.area(1)
call shown->area(1)
call body[0]->mass(3)
print body[0]->mass(3)
print body[0]->nosuch(3)
print two::phase == two::Kind::Gas
print (int)Kind::Gas
print one::Grid<double,4>::scale
print one::Grid<double, 4>::scale * 2
print one::Grid<one::Named, 2>::scale.i
print one::Named::half
print one::Named::half + one::Base::shared
print one::Grid<double,4>::shared
print grid.scale
print grid.shared + named.half
print sizeof(one::Grid<double,4>)
print one::Grid<float,4>::scale
print grid.nosuch
assign one::Grid<double,4>::scale 8
print grid.scale + 1
delete -all
break mpi:2.B
cont
call plus(3)
call label(3)
call corner()
call far(4)
call plus()
call kind(3)
print this->plus(3) + 1
cont" -n 1 --set POINTS=marks,mpi "$tmp/cpp"
	one "C++: of the object of the call" 'call plus(3)' 'plus(3) = 10'
	one "C++: of it, with a class as the result" 'call label(3)' 'label(3) = "10 turns, xxxxxxxxxxxxxxxxxxxx"'
	like "C++: of it, with a structure" "$(answer 'call corner()')" '^corner\(\) = \{'
	one "C++: of a base that is further in" 'call far(4)' 'far(4) = 20'
	like "C++: of it, too few" "$(answer 'call plus()')" 'plus takes the object and 1 argument, not 0$'
	unlike "C++: of another class" "$(answer 'call kind(3)')" '^kind\(3\) ='
	one "C++: a whole number" 'call over(1)' 'over(1) = 2'
	one "C++: a real one" 'call over(1.5)' 'over(1.5) = 2'
	one "C++: a variable" 'call over(whole)' 'over(whole) = 4'
	one "C++: a real variable" 'call over(real)' 'over(real) = 4.5'
	like "C++: none fits" "$(answer 'call over(&a)')" 'none of the functions over fit the arguments: over\((int|double)\), over\('
	one "C++: by the object" 'call kind(&a)' 'kind(&a) = 1'
	one "C++: by another object" 'call kind(&b)' 'kind(&b) = 2'
	like "C++: two of one name" "$(answer 'call fun(1)')" 'several functions fun fit the arguments: .*one::fun\(int\).*; say which, as in'
	one "C++: of a name space" 'call one::fun(1)' 'one::fun(1) = 101'
	one "C++: of a file and a name space" 'call called.cpp::two::fun(1)' 'called.cpp::two::fun(1) = 201'
	one "C++: of a class" 'call A::three(2)' 'A::three(2) = 6'
	one "C++: of an object" 'call A::kind(&a)' 'A::kind(&a) = 1'
	one "C++: by its symbol" 'call (int)_Z4overi(1)' '(int)_Z4overi(1) = 2'
	like "C++: what cout has in buffers of its own is written, each text once" "$(printf '%s\n' "$out" | grep -E '^(says|begins) ' | tr '\n' ' ')" \
		'^says 8 begins says 3 $'
	# what says(8) has written may come here
	like "C++: a template" "$(answer 'call total(v)')" '^total\(v\) = 15$'
	one "C++: of another type" 'call total(w)' 'total(w) = 1.5'
	one "C++: a template with its arguments" 'call total<int>(v)' 'total<int>(v) = 15'
	one "C++: in an expression" 'print total<int>(v) + 1' 'total<int>(v) + 1 = 16'
	like "C++: the object is no argument" "$(answer 'call square.side(1)')" 'side takes the object and 0 arguments, not 1$'
	one "C++: a structure as an argument" 'call dot(spot, other)' 'dot(spot, other) = 32'
	one "C++: by a reference" 'call spot.dot(same)' 'spot.dot(same) = 32'
	one "C++: one that a constructor copies" 'call emptied(v)' 'emptied(v) = 3'
	like "C++: which is not made in the process itself" "$(answer 'call emptied(v) -keep')" 'takes a copy of v, which only its constructor can make: call it without -keep$'
	one "C++: so it is as it was" 'print v[0:2]' '  v[0:2] = {4, 5, 6}'
	one "C++: in an expression" 'print two::fun(1) + 1' 'two::fun(1) + 1 = 202'
	one "C++: the size of a vector is not that of its elements" 'print sizeof(v)' 'sizeof(v) = 24'
	one "C++: the size of a valarray" 'print sizeof(va)' 'sizeof(va) = 16'
	one "C++: a valarray is an array" 'print va' '  va = {1, 2, 3}'
	one "C++: and can be computed with" 'print sum(va * 2)' 'sum(va * 2) = 12'
	for asked in 'sum(p)' 'p * 2' 'abs(p)'; do
		like "a pointer's address is no number: $asked" "$(answer "print $asked")" \
			'p is a pointer, and its length is not known: say of how many elements, as in p\[0:9\] or p@10'
	done
	one "with a length it is an array" 'print sum(p@2)' 'sum(p@2) = 1.5'
	one "C++: a virtual function, of the object's class" 'call area(shown, 1)' 'area(shown, 1) = 10'
	one "C++: one that the class does not override" 'call area(shown, 1.5)' 'area(shown, 1.5) = -1'
	one "C++: the one that is named" 'call Shape::area(shown, 1)' 'Shape::area(shown, 1) = 1'
	one "C++: of a file, which names no class" 'call called.cpp::area(shown, 1)' 'called.cpp::area(shown, 1) = 10'
	one "C++: a pointer that is cast" 'call area((Square *)shown, 1)' 'area((Square *)shown, 1) = 10'
	one "C++: of an object of the base class" 'call area(&shape, 1)' 'area(&shape, 1) = 1'
	one "C++: of one of the derived class" 'call area(&square, 1)' 'area(&square, 1) = 10'
	one "C++: by its second base" 'call name(called)' 'name(called) = 112'
	one "C++: by the whole object" 'call name(&square)' 'name(&square) = 112'
	one "C++: that of a base is given its part of the object" 'call Named::name(&square)' 'Named::name(&square) = 9'
	like "C++: a function of another class" "$(answer 'call side(shown)')" \
		'argument 1 of side: it is of class Shape, and the function is of Square$'
	one "C++: one that the base only declares" 'call mass(body[0], 3)' 'mass(body[0], 3) = 30'
	one "C++: of another class" 'call mass(body[1], 3)' 'mass(body[1], 3) = 6'
	one "C++: in an expression, too" 'print area(shown, 1) + name(called)' 'area(shown, 1) + name(called) = 122'
	one "C++: as C++ spells it" 'print shown->area(1) + square.name()' 'shown->area(1) + square.name() = 122'
	one "C++: of an object, by call" 'call square.area(1)' 'square.area(1) = 10'
	one "C++: by a pointer" 'call shown->area(1)' 'shown->area(1) = 10'
	one "C++: of an element" 'call body[0]->mass(3)' 'body[0]->mass(3) = 30'
	one "C++: which is computed with" 'print body[0]->mass(3)' 'body[0]->mass(3) = 30'
	like "C++: there is no such function" "$(answer 'print body[0]->nosuch(3)')" "it has no member 'nosuch'"
	one "C++: an enumerator in its scopes" 'print two::phase == two::Kind::Gas' 'two::phase == two::Kind::Gas = true'
	one "C++: in some of them" 'print (int)Kind::Gas' '(int)Kind::Gas = 7'
	one "C++: a static member of a class template" 'print one::Grid<double,4>::scale' '  one::Grid<double,4>::scale = 4.5'
	one "C++: blanks among its arguments" 'print one::Grid<double, 4>::scale * 2' 'one::Grid<double, 4>::scale * 2 = 9'
	one "C++: scopes among its arguments" 'print one::Grid<one::Named, 2>::scale.i' '  one::Grid<one::Named, 2>::scale.i = 7'
	one "C++: a constant of a class" 'print one::Named::half' '  one::Named::half = 0.5'
	one "C++: which is computed with" 'print one::Named::half + one::Base::shared' 'one::Named::half + one::Base::shared = 20.5'
	one "C++: one that is inherited" 'print one::Grid<double,4>::shared' '  one::Grid<double,4>::shared = 20'
	one "C++: by an object" 'print grid.scale' '  grid.scale = 4.5'
	one "C++: inherited, and a constant" 'print grid.shared + named.half' 'grid.shared + named.half = 20.5'
	one "C++: the size of a class template" 'print sizeof(one::Grid<double,4>)' 'sizeof(one::Grid<double,4>) = 32'
	like "C++: of another template" "$(answer 'print one::Grid<float,4>::scale')" "no variable 'one::Grid<float,4>::scale'"
	like "C++: no member" "$(answer 'print grid.nosuch')" "it has no member 'nosuch'"
	one "C++: it can be assigned" 'print grid.scale + 1' 'grid.scale + 1 = 9'
	like "and it moves" "$(answer 'print p + 1')" '^  p \+ 1 = 0x[0-9a-f]+ -> 1$'

	"$cxx" -O0 -g "$src/classes.cpp" -o "$tmp/classes" 2>"$tmp/cc.err" || diag "$(cat "$tmp/cc.err")"
	asked=('w.v' 'p2->v' 'pv->v' 'virtual_base(w)' '((C*)pb)->c' '((B*)pc)->b' '(B*)pc == pb' 'by_reference(c)' 'by_pointer(&c)' \
		'by_pointer(pc)' 'by_pointer(pb)' 'c.three()' 'w.twice()' 'p2->twice()' '(int)kind' 'kind > Kind::Ion' 'kind' '(long)wide' 'wide > NARROW' \
		'way == Case::RIGHT' 'Case::LEFT' 'static_cast<int>(2.75) + 1' 'static_cast<A *>(pc)->a' 'counter() + 1')
	given=(4 4 4 4 33 22 true 22 22 22 22 66 8 8 200 true Neutral 4294967295 true true LEFT 3 1 6)
	talk "break mpi:1.B
cont
assign c.b 22
assign c.c 33
call function(4)
call at.op(3)
call counter()
print function(4)
$(printf 'print %s\n' "${asked[@]}")
print ((W*)pv)->w
assign w.v 100
print pv->v + w.v1
cont" -n 1 --set POINTS=marks,mpi "$tmp/classes"
	one "C++: by a pointer to a function" 'call function(4)' 'function(4) = 8'
	one "C++: by one in an object" 'call at.op(3)' 'at.op(3) = 6'
	one "C++: what a reference refers to" 'call counter()' 'counter() = 5'
	like "C++: a pointer to a function has no elements" "$(answer 'print function(4)')" 'function is a pointer to a function: call function\(\.\.\.\) calls it$'
	for i in "${!asked[@]}"; do
		is "C++, classes: ${asked[i]}" "$(answer "print ${asked[i]}" | sed 's/^ *//')" "${asked[i]} = ${given[i]}"
	done
	like "C++, classes: from a virtual base there is no way" "$(answer 'print ((W*)pv)->w')" 'it is a virtual base, from which there is no way to the object$'
	like "C++, classes: a member of a virtual base is assigned" "$(answer 'assign w.v 100')" 'w\.v = 100, was 4, on \[0\]$'
	one "C++, classes: and nothing else" 'print pv->v + w.v1' 'pv->v + w.v1 = 105'
fi

# Fortran.
fortran()
{
	mkdir -p "$tmp/mod"
	"$fc" $1 -g -J "$tmp/mod" "$srcdir/runtime/dvmdbg.f90" "$src/called.f90" -o "$tmp/f" $libs 2>"$tmp/cc.err" ||
		diag "$(cat "$tmp/cc.err")"
	talk "break 1.B
cont
call norm(x, 2, 'abc')
call NORM(x, n, 'four')
call total(a)
call plain(5, .false.)
call turned((1d0, 2d0))
call word(3)
call word(n)
call above(0.75)
call numbers::change(eps)
print eps
call change(eps) -keep
print eps
call total(x)
call norm(row, 2, 'ab')
call norm(row(1:2), 2, 'ab')
call total(row)
call total(k)
call doubled(2)
call area(square)
call count_of(square)
call count_of(base)
call area(base)
call side(x)
call side(square)
call square%covers()
call square%count_of()
call base%count_of()
call square%signed(5, .false.)
print square%covers() + 1
call square%more()
call square%more(NULL)
call square%more(n)
call square%nosuch()
call twice(x)
call twice(x(2))
call lengths(x)
call norm(n, 1, 'ab')
delete -all
cont" -n 2 "$tmp/f"
	one "Fortran $1: an array, a number and characters" "call norm(x, 2, 'abc')" "norm(x, 2, 'abc') = 305"
	one "Fortran $1: any case of letters, variables" "call NORM(x, n, 'four')" "NORM(x, n, 'four') = 405"
	like "Fortran $1: an array with its shape" "$(answer 'call total(a)')" '^  \[0\]  +total\(a\) = 4$' '^  \[1\]  +total\(a\) = 8$'
	one "Fortran $1: by value, and a logical" 'call plain(5, .false.)' 'plain(5, .false.) = -5'
	one "Fortran $1: complex" 'call turned((1d0, 2d0))' 'turned((1d0, 2d0)) = (-2, 1)'
	like "Fortran $1: characters as the result" "$(answer 'call word(3)')" '^word\(3\) = .odd'
	like "Fortran $1: a logical as the result" "$(answer 'call above(0.75)')" '= (true|\.true\.)$'
	is "Fortran $1: a variable that a copy changes" "$(answer 'print eps' | head -n 1)" 'eps = 0.25'
	like "Fortran $1: one that is changed" "$(answer 'print eps')" '^eps = 1.25$'
	like "Fortran $1: no descriptor" "$(answer 'call total(x)')" 'x has no descriptor'
	# optimised, it may be nowhere
	if [ "$1" = -O0 ]; then
		like "Fortran $1: elements that are apart" "$(answer "call norm(row, 2, 'ab')")" \
			'the elements of row do not follow one another, as the argument takes them'
		like "Fortran $1: a section" "$(answer "call norm(row(1:2), 2, 'ab')")" 'row\(1:2\) is a section'
	fi
	like "Fortran $1: another rank" "$(answer 'call total(row)')" 'row has 1 dimension, and the argument takes an array of 2'
	like "Fortran $1: another type" "$(answer 'call total(k)')" \
		'k has elements of type integer\(kind=4\), and the argument takes real\(kind=8\)'
	like "Fortran $1: an array as the result" "$(answer 'call doubled(2)')" 'doubled returns an array: call a function that'
	[ "$1" = -O2 ] || one "Fortran $1: a class" 'call area(square)' 'area(square) = 25'
	[ "$1" = -O2 ] || one "Fortran $1: the type that it is of" 'call count_of(square)' 'count_of(square) = 103'
	[ "$1" = -O2 ] || one "Fortran $1: the base" 'call count_of(base)' 'count_of(base) = 3'
	like "Fortran $1: what does not extend the class" "$(answer 'call area(base)')" 'argument 1 of area: base: the argument is of class square_t$'
	like "Fortran $1: a number as a structure" "$(answer 'call side(x)')" 'x is of type real\(kind=8\), and the argument takes square_t$'
	[ "$1" = -O2 ] || one "Fortran $1: a structure" 'call side(square)' 'side(square) = 5'
	if [ "$1" = -O0 ]; then
		one "Fortran $1: what is bound to a type" 'call square%covers()' 'square%covers() = 25'
		one "Fortran $1: to what it extends" 'call square%count_of()' 'square%count_of() = 103'
		one "Fortran $1: of that" 'call base%count_of()' 'base%count_of() = 3'
		one "Fortran $1: without the object" 'call square%signed(5, .false.)' 'square%signed(5, .false.) = -5'
		is "Fortran $1: in an expression" "$(answer 'print square%covers() + 1' | head -n 1)" 'square%covers() + 1 = 26'
		like "Fortran $1: too few" "$(answer 'call square%more()')" 'takes 2 arguments, not 1; NULL is an optional one that is left out$'
		one "Fortran $1: one is left out" 'call square%more(NULL)' 'square%more(NULL) = 5'
		one "Fortran $1: it is given" 'call square%more(n)' 'square%more(n) = 7'
		like "Fortran $1: what it does not have" "$(answer 'call square%nosuch()')" 'there is no function square%nosuch'
	fi
	like "Fortran $1: elements are not called one by one" "$(answer 'call twice(x)')" 'x is an array, and the argument takes one number: give an element$'
	one "Fortran $1: one of them" 'call twice(x(2))' 'twice(x(2)) = 8'
	like "Fortran $1: numbers as characters" "$(answer 'call lengths(x)')" 'x has no characters, which the argument takes$'
	like "Fortran $1: one number of another type as an array" "$(answer "call norm(n, 1, 'ab')")" \
		'n is of type integer\(kind=4\), and the argument takes an array of real\(kind=8\)$'
	like "Fortran $1: it goes on with that" "$out" 'eps counted *1.25 +1'
	unlike "Fortran $1: all is well" "$out" WRONG
	no_leak "Fortran $1"
}
if [ -n "$fc" ] && command -v "$fc" >/dev/null; then
	fortran -O0
	! in_set compiler || fortran -O2
fi
done_testing
