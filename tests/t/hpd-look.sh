# SPDX-License-Identifier: GPL-3.0-or-later
# The HPD standard, looking at the program: doc/HPD.md has the requirements by the ids of these cases.
. "${0%/*}/lib.sh"
export HOME=$tmp
heat=$(prog doc/examples/heat "$(first_mpi)")
source=$srcdir/doc/examples/heat.c
# The numbers of the lines that list has shown, as "first last".
lines() { answer "$1" | sed -nE 's/^(->)? *([0-9]+) .*/\2/p' | sed -n '1p;$p' | tr '\n' ' '; }

talk "list
break heat.c:61
cont
list -length 4
list -length 5
list -length -3
list -length 2
list heat.c -length 2
list 10 -length 4
list allocate
list heat.c:61 -length 6
list #heat.c#69 -length 1
list 3.B -length 1
list 2 -length 10
list 290
list -length 3
list nosuch
list heat.c:9999
list nofile.c:3
list \$EXEC -length 5
list 3.B -length x
set MAX_LIST = 7
list heat.c:100
where
where 1
set MAX_LEVELS = 2
where
where -all
where -all -args
up
list -length 1
up 9
down 9
set VERBOSE = ERR
up
set VERBOSE = WARN
what u
what nosuch
what v -all
print eps
print eps -name
print u[1:2][1:2] -index
print u[1:2][1:2] -name
print u[1:2][1:2]
print n == 100 && eps < 1
print sum(v[0:9][0:9]) + max(n, 3) - MINVAL(v)
print 2**3 + (6 & 3) + (int) 2.7 + mod(7, 4)
print eps@heat.c:30
print u[5000][1]
print 3 +
print nosuch
[2] print eps
print 1000 -format x
print 1000 -format d8
print 1000 -format d2
print 0-1024.5 -format f7.1
print 1024.5 -format e12.4E3
print 5 -format b
print 8 -format o
print 65 -format c
print 1 -format l
print eps -format x
print eps -format b
print 7 -format u
print 7 -format q
assign eps 0.25
print eps
assign n 2.5
[3] assign eps eps/2
print eps
assign u[3][3] 7
print u[3][3]
assign u[3][3] u[3][3] + n
print u[3][3]
set VERBOSE = ERR
assign eps 0.5" -n 4 "$heat" 100 10 --fault differing-eps
main=$(grep -n '^int main' "$source" | cut -d : -f 1)
is "list-7: after load it begins at main" "$(answer list | head -n 30 | grep -c 'int main(')" 1
is "list-2: after a stop around the place" "$(lines 'list -length 4')" '59 62 '
is "list-2: it goes on" "$(lines 'list -length 5')" '63 67 '
is "list-4: negative: before" "$(lines 'list -length -3')" '60 62 '
is "list-4: forward again, no line twice" "$(lines 'list -length 2')" '63 64 '
is "list-1: a file begins at its start" "$(lines 'list heat.c -length 2')" '1 2 '
is "list-1: a line is in the middle" "$(lines 'list 10 -length 4')" '8 11 '
is "list-1: file and line" "$(lines 'list heat.c:61 -length 6')" '58 63 '
is "list-1: #file#line" "$(lines 'list #heat.c#69 -length 1')" '69 69 '
is "list-1: a point" "$(lines 'list 3.B -length 1')" '61 61 '
is "list-5: a procedure is shown whole" "$(answer 'list allocate' | sed -n '1p;$p' | sed -E 's/^ *[0-9]+ *//' | tr '\n' ' ')" \
	'static double *allocate(void) } '
is "list-6: the window as far as there are lines: at the start" "$(lines 'list 2 -length 10')" '1 6 '
is "list-6: at the end" "$(lines 'list 290' | cut -d ' ' -f 2)" "$(wc -l <"$source")"
like "list-6: behind the end" "$(answer 'list -length 3')" 'ends with line'
like "list-10: no such procedure" "$(answer 'list nosuch')" 'list nosuch: no open function'
like "list-10: no such line" "$(answer 'list heat.c:9999')" 'there is no line 9999'
like "list-10: no such file" "$(answer 'list nofile.c:3')" 'nofile.c was not found'
like "list-10: a length that is none" "$(answer 'list 3.B -length x')" 'list -length x: 1 to 10000'
is "list-3: around the current place" "$(lines 'list $EXEC -length 5')" '59 63 '
like "list-9: which is marked" "$(answer 'list $EXEC -length 5')" '^-> +61 '
is "list-5: MAX_LIST lines" "$(lines 'list heat.c:100')" '97 103 '
is "where-1: levels from 0, innermost first" "$(answer where | sed -n 1,3p)" '  0  synchronized    [0:3]  PL  heat.c:61   3.B
  1  synchronized    [0:3]  SL  heat.c:52   iteration 1
  2  synchronized    [0:3]  main  heat.c:20'
is "where-2: n levels" "$(answer 'where 1' | head -n 1)" '  0  synchronized    [0:3]  PL  heat.c:61   3.B'
is "where-2: MAX_LEVELS" "$(answer where | sed 1,3d | grep -c synchronized)" 2
is "where-2: all" "$(answer 'where -all' | grep -c synchronized)" 3
like "where-3: the arguments of procedures" "$(answer 'where -all -args')" 'main \(argc='
like "up-1: one level" "$(answer up | head -n 1)" '^> 1  synchronized +\[0:3\]  SL  heat\.c:52'
is "list-8: list is around the frame's place" "$(lines 'list -length 1')" '52 52 '
is "state-1: the frame chooses where list is" "$(lines 'list -length 1')" '52 52 '
like "state-2: a stop moves the list location" "$(lines 'list -length 4')" '^59 '
like "up-2: beyond the outermost: a warning, and it is chosen" "$(answer 'up 9')" '^warning: the outermost frame is 2' '^> 2 '
like "up-2: beyond the innermost" "$(answer 'down 9')" '^warning: the innermost frame is 0' '^ *>? ?0 '
is "up-3: silent with VERBOSE ERR" "$(answer up | tail -n +2)" ''
like "what-1: type, shape, place, ranks" "$(answer 'what u')" '^u: double\[100\]\[100\], distributed, registered at heat\.c:32, on \[0:3\]'
like "what-2: of one that has a name for itself, that one" "$(answer 'what v -all')" '^v: double'
like "what-3: an unknown name" "$(answer 'what nosuch')" "there is no object 'nosuch'"
like "sym-1: an unknown name is an error" "$(answer 'print nosuch')" "there is no object 'nosuch'"
is "sym-2: a name with its place" "$(answer 'print eps@heat.c:30')" 'eps@heat.c:30 = <differing>   [3]: 0.75    [0:2]: 0.5'
is "sym-3: a name on a process" "$(answer '[2] print eps')" 'eps = 0.5'
is "print-1: merged, each group after its processes" "$(answer 'print eps' | head -n 1)" 'eps = <differing>   [3]: 0.75    [0:2]: 0.5'
is "set-16: equal output once, after its processes" "$(answer 'print eps' | head -n 1)" 'eps = <differing>   [3]: 0.75    [0:2]: 0.5'
like "print-2: names" "$(answer 'print u[1:2][1:2] -name')" '^u\[1\]\[1\] = ' '^u\[2\]\[2\] = '
like "print-3: indices" "$(answer 'print u[1:2][1:2] -index')" '^\[1\]\[1\] = ' '^\[2\]\[2\] = '
is "print-6: a section is a table" "$(answer 'print u[1:2][1:2]' | wc -l)" 4
is "sym-4: arithmetic, comparison, logic" "$(answer 'print n == 100 && eps < 1')" 'n == 100 && eps < 1 = true'
is "sym-4: sums and extremes of arrays" "$(answer 'print sum(v[0:9][0:9]) + max(n, 3) - MINVAL(v)')" 'sum(v[0:9][0:9]) + max(n, 3) - MINVAL(v) = 100'
is "sym-4: powers, bits, casts, remainders" "$(answer 'print 2**3 + (6 & 3) + (int) 2.7 + mod(7, 4)')" '2**3 + (6 & 3) + (int) 2.7 + mod(7, 4) = 15'
like "print-9: an index outside" "$(answer 'print u[5000][1]')" 'index 5000 of dimension 1 is outside -1:100'
like "print-9: a syntax error" "$(answer 'print 3 +')" 'column 4: expected'
is "print-4: x" "$(answer 'print 1000 -format x')" '1000 = 0x3e8'
is "print-4: a width" "$(answer 'print 1000 -format d8')" '1000 =     1000'
is "print-4: a width too small is ignored" "$(answer 'print 1000 -format d2')" '1000 = 1000'
is "print-4: f7.1" "$(answer 'print 0-1024.5 -format f7.1')" '0-1024.5 = -1024.5'
is "print-4: e with digits of the exponent" "$(answer 'print 1024.5 -format e12.4E3')" '1024.5 = 1.0245e+003 '
is "print-4: b" "$(answer 'print 5 -format b')" '5 = 0b101'
is "print-4: o" "$(answer 'print 8 -format o')" '8 = 010'
is "print-4: c" "$(answer 'print 65 -format c')" "65 = 'A'"
is "print-4: l" "$(answer 'print 1 -format l')" '1 = true'
is "print-4: u" "$(answer 'print 7 -format u')" '7 = 7'
like "print-4: others are errors" "$(answer 'print 7 -format q')" "print -format 'q': f e g d u x o b l c s are allowed"
is "print-5: x of a real shows its bits" "$(answer 'print eps -format x')" 'eps = <differing>   [3]: 0x3fe8000000000000    [0:2]: 0x3fe0000000000000'
like "print-5: b of a real" "$(answer 'print eps -format b')" '0b11111111100000000'
like "assign-1: each process stores it" "$(answer 'assign eps 0.25')" 'eps = 0.25.* on \[0:3\]'
like "assign-4: what was stored is told" "$(answer 'assign eps 0.25')" '^eps = 0\.25'
like "assign-2: what does not fit is an error" "$(answer 'assign n 2.5')" 'does not fit into type long'
is "assign-1: of a set" "$(answer 'print eps' | tail -n 1)" 'eps = <differing>   [3]: 0.125    [0:2]: 0.25'
is "assign-1: an element" "$(answer 'print u[3][3]' | head -n 1)" 'u[3][3] = 7'
is "assign-2: an integer into a real" "$(answer 'print u[3][3]' | tail -n 1)" 'u[3][3] = 107'
is "assign-4: silent with VERBOSE ERR" "$(answer 'assign eps 0.5')" ''
like "assign-3: a name is one object, told by its place" "$(answer 'what u')" 'registered at heat\.c:32'
no_leak "looking"

talk 'print 2*3
print eps
assign eps 3
list $EXEC
where' -n 2 "$heat" 100 10
is "print-7: constants need no process that stands" "$(answer 'print 2*3')" '2*3 = 6'
like "exec-3: values need one" "$(answer 'print eps')" 'print: \[0:1\]: not started yet'
like "assign-5: so does storing" "$(answer 'assign eps 3')" 'nothing was changed: \[0:1\]: not started yet'
like "list-10: there is no current place" "$(answer 'list $EXEC')" 'no rank is stopped'
no_leak "before the start"

start -n 4 "$heat" 100 1000000
tell 'break 3.B' cont 'delete -all' '[0:1] go' 'print steps' 'assign eps 0.1' '[2:3] assign eps 0.125' '[2:3] print eps' 'list $EXEC' where halt status quit
expect_out "print-8: who runs is warned of" 30 '^warning: print: \[0:1\] still running: values of this moment'
expect_out "print-8: and shown with the others" 10 '^steps = 1000000'
expect_out "assign-5: nothing is stored when not all stand" 10 'assign: nothing was changed: \[0:1\]: running'
expect_out "assign-5: those that stand can be named" 10 '^eps = 0.125'
expect_out "list-10: \$EXEC of a process that runs" 10 'list \$EXEC: \[0:1\]: running'
expect_out "where-4: of who runs it is told that it does" 10 '^\[0:1\] still running: the stack of this moment'
finish
no_leak "looking while some run"

# Ranks at different places: one is chosen, and that is said.
talk 'break 3.B
cont
[0] step 2
list $EXEC -length 1
[0] list $EXEC -length 1
[1:3] list $EXEC -length 1' -n 4 "$heat" 100 10
like "set-11: whose place is shown is said" "$(answer 'list $EXEC -length 1')" '^warning: this is where \[.*\] is; \[.*\] is elsewhere' '^->'
unlike "set-11: nothing is said where one is named" "$(answer '[0] list $EXEC -length 1')" 'elsewhere'
no_leak "different places"

ask=$builddir/tests/prog/runs/ask
talk 'break 2.B
go
proginput -end
wait
print text -format s
print text
print text -format c
print text[0] -format c
print bits -format x
print n
print sum' -n 1 "$ask"
is "sym-5: characters as a string" "$(answer 'print text -format s')" 'text = "halo"'
is "print-4: which they are without a format" "$(answer 'print text')" 'text = "halo"'
is "print-4: characters one by one" "$(answer 'print text -format c')" "text = 'h' 'a' 'l' 'o' '\\000' '\\000' '\\000' '\\000'"
is "sym-5: an element of it" "$(answer 'print text[0] -format c')" "text[0] = 'h'"
is "sym-5: whole numbers" "$(answer 'print bits -format x')" 'bits = 0x4142434a'
no_leak "types"
talk 'break 1.B
cont
print four[1][2][3][0:1]
print waves[0][1]
print flags[0][0:3]
print wide[1:2]
print below(-2,10)' -n 2 "$(prog tests/prog/arrays/odd "$(first_mpi)")"
is "sym-5: short numbers, complex, logical, real" "$(said | grep -E '^(four|waves|flags|wide|below)')" \
	'four[1][2][3][0:1] = 1230 1231
waves[0][1] = (0.25, -1)
flags[0][0:3] = true false false true
wide[1:2] = -100000 10000
below(-2,10) = -190'
talk 'break 1.B
cont
print par
print par.dt * 2
what par
print -name par' -n 2 "$(prog tests/prog/points/tasks "$(first_mpi)")"
like "sym-5: structures, and their fields" "$(answer 'print par')" '^par = .*dt = .*steps = '
like "sym-5: a field takes part in arithmetic" "$(answer 'print par.dt * 2')" '^par\.dt \* 2 = [0-9.]+$'
like "what-1: a structure with its fields" "$(answer 'what par')" '^par: structure, replicated, registered at tasks\.c:33, on \[0:1\]' \
	'^ +\.dt: double' '^ +\.steps: '
talk 'break 1.B
cont
what twice -all
print twice
print twice@reduce.c:35' -n 2 "$(prog tests/prog/arrays/reduce "$(first_mpi)")"
is "what-2: all that have the name" "$(answer 'what twice -all')" 'twice: int, replicated, registered at reduce.c:35, on [0:1]
twice: double, replicated, registered at reduce.c:84, on [0:1]'
is "sym-2: the newest one, or the one of a place" "$(answer 'print twice')$(answer 'print twice@reduce.c:35')" \
	'twice = 2twice@reduce.c:35 = 2'
fortran=$builddir/tests/prog/points/fmarks
if [ -x "$fortran" ]; then
	talk 'break 1.B
cont
print w(2)
print W(2)
what EPS
print Tag
watch U(1,1)
cont
print EPS + Nope' -n 1 "$fortran"
	is "sym-6: names in Fortran are found in any case" "$(answer 'print w(2)')$(answer 'print W(2)')" 'w(2) = 2W(2) = 2'
	is "sym-6: and told as they were registered" "$(answer 'what EPS')" 'eps: double, replicated, on [0]'
	is "sym-5: characters in Fortran" "$(answer 'print Tag')" 'Tag = "heat    "'
	like "sym-6: they can be watched, too" "$(answer cont | tail -n 3)" '^Watch 1, U\(1,1\): changed before 1\.E' '^  u\(1,1\)  \[0\]  1 -> 2$'
	like "sym-1: others are unknown as ever" "$(answer 'print EPS + Nope')" "there is no object 'Nope'"
	no_leak "Fortran"
else
	skip "sym-6: names in Fortran are found in any case" "no program in Fortran"
fi
done_testing
