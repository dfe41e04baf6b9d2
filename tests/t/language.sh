# SPDX-License-Identifier: GPL-3.0-or-later
# The language of expressions, in both spellings: each line of tests/data/language gets the same answer on any number of
# ranks, from registered arrays and from variables that nothing has registered.
. "$(dirname "$0")/lib.sh"
mpi=$(first_mpi)
[ -n "$mpi" ] || skip_all "no MPI"
mpi_compilers "$mpi"
src=$srcdir/tests/prog/language
lines=$srcdir/tests/data/language/terms.txt
libs="-L$builddir/runtime/.libs -ldvmdbg -Wl,-rpath,$builddir/runtime/.libs"

# wanted COLUMN: "expression<tab>answer" of the lines that this language has
wanted() { grep -v '^#' "$lines" | awk -F '\t' -v c="$1" '$c != "-" { print $c "\t" $3 }'; }
# given: the same, of what the session has said
given()
{
	printf '%s\n' "$out" | awk '
		function done() { if (expr != "") print expr "\t" answer; expr = answer = "" }
		match($0, /^\[[^]]*\]> /) {
			done()
			line = substr($0, RLENGTH + 1)
			if (sub(/^print /, "", line)) expr = line
			next
		}
		expr != "" {
			sub(/^stdin:[0-9]*: /, "")
			gsub(/[ \t]+/, " ")
			sub(/^ /, "")
			sub(/ $/, "")
			if (answer == "" && index($0, expr " = ") == 1) $0 = substr($0, length(expr) + 4)
			answer = answer (answer == "" ? "" : " ") $0
		}
		END { done() }'
}

# ask LANGUAGE COLUMN RANKS PROGRAM
ask()
{
	local script
	script=$(printf 'break 2.B\ncont\n'; wanted "$2" | cut -f 1 | sed 's/^/print /')
	talk "$script" -n "$3" "$4"
	given >"$tmp/given.$1.$3"
	wanted "$2" | sed "s/WHO:/$([ "$3" = 1 ] && echo '[0]' || echo "[0:$(($3 - 1))]"):/" >"$tmp/wanted.$1"
	is "$1, $3 ranks: all $(wc -l <"$tmp/wanted.$1") expressions have their answers" \
		"$(diff "$tmp/given.$1.$3" "$tmp/wanted.$1")" ""
}

"$cc" -g -O0 -I"$srcdir/runtime" "$src/terms.c" -o "$tmp/terms" $libs -lm 2>"$tmp/cc.err" || diag "$(cat "$tmp/cc.err")"
for n in 1 4; do
	ask C 1 $n "$tmp/terms"
done
if command -v "$fc" >/dev/null; then
	(cd "$tmp" && "$fc" -g -O0 "$srcdir/runtime/dvmdbg.f90" "$src/terms.f90" -o fterms $libs) 2>"$tmp/fc.err" ||
		diag "$(cat "$tmp/fc.err")"
	for n in $(! in_set all || echo 1) 4; do
		ask Fortran 2 $n "$tmp/fterms"
	done
else
	skip "Fortran" "no Fortran compiler"
fi
# What differs between ranks, and pictures.
talk 'break 2.B
cont
print $rank
print $nranks
print $rank * 10 == mine
print mine
print sum(grid) + mine
assign eps {[0:2]: 4, [3]: 5.5}
print eps
assign par.x {[3]: 9}
print par
print *c
assign eps {[0:1]: 1, [1]: 2}
assign eps {[0]: 1, [1]: nonsense}
print eps
assign k {[7]: 1}
assign i 4
print i
assign row[1:2] 8
print row
assign cells[2].t = i * 2
print cells.t
assign cells.id 1
print sum(cells.id)
assign big 1.5
assign wide -2.5
print (double)wide * 2
assign wides[1] 7
print wides
assign few 12
assign quad -0.3
print (double)quad == -0.3
print few + 1
assign nosuch 3
[1] assign mine 7
print mine
what row
what mine
print grid -where grid > 44
print grid[7][*] -where grid[7][*] > 46
print copies -where copies == 1
print odd[2:4] -sort
print grid -hist
print mine -hist
print mine -plot
print copies -plot
print copies -plot -hist
print copies -where
print k -where k > 2
print k -format x
print/x mine
print row -format .2f
print row -where row > $rank
print to
print p
print first
print marked
print ends
print [2]mine
print mine - [1.0]mine
print [3#0]mine + #look#mine
print #main#k + #terms.c#look#i
print #terms#terms.c#look#mine
print twice(mine)
print *(p + $rank)
print ((struct cell *)raw)[$rank].t
print (real)*p
print (real)(*p)
print (real)-i
print (real)-i*2
print (real)-i - 1
print (row)*k
print (nosuch)*p
call twice((real)-i + 6)
print *first@3
print (*first@3).t
assign *(p + 1) twice(4)
print p[1]
assign [2]mine -1
print mine
assign cells[2].low -8
assign cells[2].low 8
assign cells[3].level 32
assign first->dirty 1
print cells[0:2].dirty * 100 + cells[0:2].level
print cells[2].low
assign text "wxyz"
print text
assign text "12345678"
assign text[1] '"'q'"'
print text[1] == '"'q'"'
assign big "many"
assign cells[4] cells[1]
print cells[4].t
assign cells[4] row
call hypot(3, 4)
print pow(2, i) + 1
assign row[rank] 100
print row' -n 4 "$tmp/terms"
is "each rank has its number" "$(answer 'print $rank')" '$rank = <differing>   [0]: 0    [1]: 1    [2]: 2    [3]: 3'
is "all know how many there are" "$(answer 'print $nranks')" '$nranks = 4'
is "a variable and the rank" "$(answer 'print $rank * 10 == mine')" '$rank * 10 == mine = true'
is "objects and variables" "$(answer 'print sum(grid) + mine')" \
	'sum(grid) + mine = <differing>   [0]: 1128    [1]: 1138    [2]: 1148    [3]: 1158'
like "values by rank" "$out" '^eps = 4, was 0.25, on \[0:2\]$' '^eps = 5.5, was 0.25, on \[3\]$' \
	'^eps = <differing>   \[3\]: 5.5    \[0:2\]: 4$'
like "a structure that differs, by field" "$(answer 'print par')" '^par.x = <differing>   \[3\]: 9    \[0:2\]: 1.5$' '^par.y = -2$'
is "two values for a rank" "$(answer 'assign eps {[0:1]: 1, [1]: 2}')" 'assign: a rank has two values'
like "one that cannot be: nothing is changed" "$(answer 'assign eps {[0]: 1, [1]: nonsense}')" "'nonsense'"
is "a rank that there is not" "$(answer 'assign k {[7]: 1}')" 'assign: [7]: not of the ranks that are asked'
like "variables are assigned" "$out" '^i = 4, was 2, on \[0:3\]$' '^ *row = \{1.5, 8, 8, 4.5\}$' \
	'^cells.t = 0 0.5 8 1.5 2$' '^sum\(cells.id\) = 5$'
like "what does not fit" "$(answer 'assign big 1.5')" 'does not fit into type long'
is "a long double is assigned what a double has" "$(answer 'print (double)wide * 2')" '(double)wide * 2 = -5'
is "an element of an array of them" "$(answer 'print wides' | tr -s ' ')" ' wides = {0.5, 7}'
is "one of four times the precision" "$(answer 'print (double)quad == -0.3')" '(double)quad == -0.3 = true'
is "and a whole number of 16 bytes" "$(answer 'print few + 1')" 'few + 1 = 13'
like "nobody has it" "$(answer 'assign nosuch 3')" "there is no object 'nosuch'"
like "of one rank" "$out" '^mine = 7, was 10, on \[1\]$'
like "what it is" "$(answer 'what row')" '^ *row: double \[4\] = \{1.5, 8, 8, 4.5\}$'
is "those for which it holds" "$(answer 'print grid -where grid > 44')" 'grid: 3 of 48 elements
  grid[7][3] = 45
  grid[7][4] = 46
  grid[7][5] = 47'
is "with the indices that are given as numbers" "$(answer 'print grid[7][*] -where grid[7][*] > 46')" 'grid[7][*]: 1 of 6 elements
  grid[7][5] = 47'
is "sorted" "$(answer 'print copies -where copies == 1')" 'copies: 2 of 6 elements
  copies[1] = 1
  copies[3] = 1'
is "NaN comes last" "$(answer 'print odd[2:4] -sort' | tail -n 1)" '  odd[3] = nan'
like "a histogram" "$(answer 'print grid -hist')" '^grid: 48 elements$' '^ +0  #+ +3$'
like "bars over ranks" "$(answer 'print mine -plot')" '^  \[0\]  +0$' '^  \[3\]  #+  30$'
like "a histogram over ranks" "$(answer 'print mine -hist')" '^mine: 4 ranks$' '^ +0  #+ +1$'
like "one picture at a time" "$(answer 'print copies -plot -hist')" 'choose one of -sort, -plot and -hist'
like "bars along an array" "$(answer 'print copies -plot')" '^  copies\[5\]  #{50}  9$'
like "a condition is needed" "$(answer 'print copies -where')" 'where'
like "a variable of the program, as -format has it" "$(answer 'print k -format x')" '^k = 0x[0-9a-f]+$'
like "as in gdb" "$(answer 'print/x mine')" '^mine = <differing> .*\[3\]: 0x1e'
like "an array" "$(answer 'print row -format .2f')" '^row = .*8\.00 8\.00 4\.50$'
like "how many there are on which rank" "$(answer 'print row -where row > $rank')" '^row: <differing>$' '^  \[0:?1?\]: 4 of 4 elements$' \
	'^  \[2:?3?\]: 3 of 4 elements$'
is "a pointer, by what it leads to" "$(answer 'print to')" '  to = -> 4'
is "a pointer to a registered object, by its name, which is the same on all ranks" "$(answer 'print marked')" '  marked = &copies[2]'
like "one to the halo before an array, in an array of structures" "$(answer 'print ends')" \
	'^  \[0\]  ends = \{\{from = &grid\[-1\]\[0\]\}, \{from = &grid\[0\]\[0\]\}\}$' \
	'^  \[3\]  ends = \{\{from = &grid\[5\]\[0\]\}, \{from = &grid\[6\]\[0\]\}\}$'

is "sym-3: a variable of another process" "$(answer 'print [2]mine')" '  [2]mine = 20'
is "sym-3: whatever ranks ask" "$(answer 'print mine - [1.0]mine')" \
	'mine - [1.0]mine = <differing>   [0]: -7    [1]: 0    [2]: 13    [3]: 23'
like "sym-3: and of a frame of it" "$(answer 'print [3#0]mine + #look#mine')" '\[0\]: 30    \[1\]: 37    \[2\]: 50    \[3\]: 60'
is "sym-2: of other procedures and files" "$(answer 'print #main#k + #terms.c#look#i')" '#main#k + #terms.c#look#i = 7'
like "sym-2: with all its parts" "$(answer 'print #terms#terms.c#look#mine')" '^  \[3\]  #terms#terms.c#look#mine = 30$'
is "calls differ as their arguments do" "$(answer 'print twice(mine)')" \
	'twice(mine) = <differing>   [0]: 0    [1]: 14    [2]: 40    [3]: 60'
like "sym-4: a pointer that each rank moves otherwise" "$(answer 'print *(p + $rank)')" '^  \[2\]  .* = 4$' '^  \[3\]  .* = 9$'
like "sym-4: casts to structures, and an index that differs" "$(answer 'print ((struct cell *)raw)[$rank].t')" \
	'^  \[3\]  .* = 1.5$'
like "a field of bits is assigned" "$(answer 'assign cells[2].low -8')" '^cells\[2\]\.low = -8, was -2, on \[0:3\]$'
like "it has a range" "$out" 'cells.*low is a field of 4 bits: 8 is not between -8 and 7$' \
	'cells.*level is a field of 5 bits without a sign: 32 is not between 0 and 31$'
is "those beside it stay" "$(answer 'print cells[0:2].dirty * 100 + cells[0:2].level')$(answer 'print cells[2].low')" \
	'cells[0:2].dirty * 100 + cells[0:2].level = 120 121 22  cells[2].low = -8'
is "characters become a text" "$(answer 'assign text "wxyz"')$(answer 'print text')" 'text = "wxyz", on [0:3]  text = "wxyz"'
like "what has no room for it" "$(answer 'assign text "12345678"')" 'text has room for 7 characters, and the text has 8$'
is "a character" "$(answer "assign text[1] 'q'")$(answer "print text[1] == 'q'")" "text[1] = 'q', on [0:3]text[1] == 'q' = true"
like "what is no text" "$(answer 'assign big "many"')" 'big holds no characters'
is "a structure becomes another one" "$(answer 'assign cells[4] cells[1]')$(answer 'print cells[4].t')" 'cells[4] = cells[1], on [0:3]  cells[4].t = 0.5'
like "what is of another type" "$(answer 'assign cells[4] row')" 'cells is a structure, and row is none of its type$'
is "functions of the C library get doubles" "$(answer 'call hypot(3, 4)')" 'hypot(3, 4) = 5'
like "in expressions, too" "$(answer 'print pow(2, i) + 1')" '= 17$'
like "an element that differs with ranks" "$(tail -n 5 <<<"$out")" '^ *\[0\]  row = \{100, 8, 8, 4\.5\}$' '^ *\[3\]  row = \{1\.5, 8, 8, 100\}$'
is "a cast of what a pointer leads to" "$(answer 'print (real)*p')" '(real)*p = 0'
is "the same with brackets" "$(answer 'print (real)(*p)')" '(real)(*p) = 0'
is "a cast of a negative number" "$(answer 'print (real)-i')" '(real)-i = -4'
is "with more behind it" "$(answer 'print (real)-i - 1')" '(real)-i - 1 = -5'
like "one that needs brackets says how" "$(answer 'print (real)-i*2')" "there is no object 'real'; when it is a type, type \(real\)\(-i\)\$"
is "a variable in brackets stays one" "$(answer 'print (row)*k' | tr -s ' ')" '(row)*k = 4.5 24 24 13.5'
like "one that is no type" "$(answer 'print (nosuch)*p')" "there is no object 'nosuch'"
like "as an argument of a call" "$(answer 'call twice((real)-i + 6)')" '^twice\(\(real\)-i \+ 6\) = 4$'
like "several structures behind a pointer" "$(answer 'print *first@3')" '^  \*first@3 = \{\{id = 1, t = 0, .*t = 8, '
like "and a field of them" "$(answer 'print (*first@3).t')" '^\(\*first@3\)\.t = 0 0\.5 8$'
like "assigned where a pointer leads, from a call" "$out" '^\*\(p \+ 1\) = 8, was 1, on \[0:3\]$' '^  p\[1\] = 8$'
like "assigned on another process" "$out" '^\[2\]mine = -1, was 20, on \[2\]$'

# Conditions on variables, at the place.
dvm 60 'break terms.c:'"$(grep -n 'DVMDBG_PL(.range' "$src/terms.c" | cut -d: -f1)"' -if cells[i].id == 2 && sum(row) > 4
cont
print i
delete -all
break 1.E -if twice(n) == 24 && (c + 0)->id == 7
break 1.E -if text == "abc" && '"'x'"' != text[0]
break 1.E -if nosuch(n) > 1
export '"$tmp/conditions"'
cont
delete -all
break 2.B -if mine > 10
cont' -n 2 "$tmp/terms"
like "a condition of variables holds" "$out" '^Point 1\.B  \[0:1\]' '^ *i = 2$'
unlike "and could be evaluated" "$out" 'actionpoint [0124]: the condition .* cannot be evaluated'
like "one calls a function of the program, one has texts" "$out" '^Point 1\.E .*actionpoints 1,2(,3)?$'
like "texts keep their quotes in a file" "$(<"$tmp/conditions")" "^\[all\] break 1\.E -if text == \"abc\" && 'x' != text\[0\]\$"
like "one cannot, and says why" "$out" "actionpoint 3: the condition nosuch\\(n\\) > 1 cannot be evaluated.*no function 'nosuch'"
no_leak "language"
done_testing
