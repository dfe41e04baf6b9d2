# SPDX-License-Identifier: GPL-3.0-or-later
# Values that are changed from the debugger: on the ranks that own them, in their type, and as the program goes
# on with them.
. "${0%/*}/lib.sh"

for mpi in $(mpis_in long); do
	heat=$(prog doc/examples/heat "$mpi")
	dvm 60 'break 3.B
cont
assign u[3][4] 7.5
print u[3][4]
assign u[3][4] = u[3][4] * 2 + 1
print u[3][4]
assign u[10:89][49:50] -1
stat u[10:89][49:50]
assign u[5][*] nan
stat u[4:6][*] -after 5,98
assign eps 0.25
[2] assign eps 0.75
print eps
assign n 3.5 -force
print n' -n 4 "$heat" 100 10
	like "$mpi: one element, by its owner" "$out" '^u\[3\]\[4\] = 7\.5, was 0\.0[0-9]*, on \[0\]$'
	like "$mpi: it is so then" "$out" '^u\[3\]\[4\] = 7\.5$'
	like "$mpi: an expression" "$out" '^u\[3\]\[4\] = 16, was 7\.5, on \[0\]$'
	like "$mpi: a section that all ranks share" "$out" '^u\[10:89\]\[49:50\] = -1, 160 elements, on \[0:3\], copies on \[0:3\]$'
	like "$mpi: all of it" "$out" '^  mean     -1$'
	like "$mpi: not a number" "$out" '^  nan      100, the first at u\[5\]\[0\]|^  nan      100$'
	like "$mpi: the next NaN" "$out" '^  next nan u\[5\]\[99\]$'
	like "$mpi: every copy of a replicated object" "$out" '^eps = 0\.25, was 0\.5, on \[0:3\]$'
	like "$mpi: the copy of one rank" "$out" '^eps = 0\.75, was 0\.25, on \[2\]$'
	like "$mpi: copies differ then" "$out" '^eps = <differing>   \[2\]: 0\.75    \[0:1,3\]: 0\.25$'
	like "$mpi: a fraction is cut off when that is wanted" "$out" '^n = 3, was 100, on \[0:3\]$'

	# The program computes with it, on several ranks as on one: it checks its result in the end.
	dvm 60 'break 3.B
cont
assign u[50][50] 1000
delete -all
cont' -n 1 "$heat" 100 10
	error=$(printf '%s\n' "$out" | grep -o 'error [0-9.e+]*')
	error=${error//+/\\+}
	dvm 60 'break 3.B
cont
assign u[50][50] 1000
delete -all
cont' -n 4 "$heat" 100 10
	like "$mpi: the program goes on with the value" "$out" "$error.* WRONG"
done

heat=$(prog doc/examples/heat "$(first_mpi)")

# Copies in halos: u is in blocks of 50 x 50, with a halo of one on each side; its corners are not exchanged.
talk 'break 3.B
cont
halo u
assign u[49][5] 7
assign u[49:50][6] 8
[2] assign u[50][7] 9
halo u
assign u[49][60] 5 -owner
halo u
assign u[49][60] 6
[2] assign u[49][9] 1
halo u
assign eps eps + $rank
print eps
assign n eps
assign u[49][5] $rank
delete -all
[0] go
assign u[49][5] 3' -n 4 "$heat" 100 10
like "the owner and the copy of its neighbour" "$(answer 'assign u[49][5] 7')" '^u\[49\]\[5\] = 7, was [0-9.e-]*, on \[0\], copies on \[2\]$'
like "two owners, each with a copy of the other's" "$(answer 'assign u[49:50][6] 8')" '= 8, 2 elements, on \[0,2\], copies on \[0,2\]$'
like "of a set: the copies of what its ranks own" "$(answer '[2] assign u[50][7] 9')" 'on \[2\], copies on \[0\]$'
like "-owner leaves copies" "$(answer 'assign u[49][60] 5 -owner')" 'on \[1\]$'
is "halos are equal to their owners, but after -owner" "$(answer 'halo u' | grep -oE '^[0-9]+ of [0-9]+ halo element' | cut -d' ' -f1 | tr '\n' ' ')" \
	'4 4 5 4 '
like "a rank that does not own it writes no copy" "$(answer '[2] assign u[49][9] 1')" 'no rank of the set owns it'
is "what each rank has for itself gets a number of its own" "$(answer 'print eps')" \
	'eps = <differing>   [0]: 0.5    [1]: 1.5    [2]: 2.5    [3]: 3.5'
like "none is written when one does not fit" "$(answer 'assign n eps')" 'n is of type long: 0.5 does not fit'
like "an element has one value" "$(answer 'assign u[49][5] $rank')" "'\\\$rank' is not the same on all ranks"
like "ranks that run may have copies" "$(answer 'assign u[49][5] 3')" 'nothing was changed: \[0\]: running'
no_leak "copies"

refused()
{
	dvm 60 "break 3.B
cont
$2" -n 4 "$heat" 100 10
	like "$1" "$out" "$3"
}
refused "no value" 'assign eps' 'give a target and a value'
refused "a fraction for a whole number" 'assign n 3.5' 'n is of type long: 3\.5 does not fit'
refused "an array as the value" 'assign eps u' "'u' is not a single number"
refused "an index that is not there" 'assign u[100][0] 1' 'index 100 of dimension 1 is outside 0:99'
refused "a rank that does not own it" '[1] assign u[0][0] 4' 'u\[0\]\[0\] was not written: no rank of the set owns it'
refused "an unknown name" 'assign uu 1' "no object 'uu'"
DVMDBG_NO_VM=1
export DVMDBG_NO_VM
dvm 60 'break 3.B
cont
assign u[99][*] 2
stat u[99][*]' -n 4 "$heat" 100 10
like "by way of the program itself" "$out" '^  mean     2$'
unset DVMDBG_NO_VM

# Values as they are shown, of all types
odd=$(prog tests/prog/arrays/odd "$(first_mpi)")
dvm 60 'break 1.B
cont
assign waves[1][2] (1,2)
assign waves[1][3] = (1.5, -0)
assign waves[1][4] 1+2i
assign waves[1][5] -2.5e1-3i
assign waves[1][6] (nan,inf)
assign waves[2][0] 4
assign flags[0][1] true
assign flags[0][0] false
assign one[0] -7
assign wide[0] -0
assign wide[1] 1d-3' -n 3 "$odd"
like "complex numbers as pairs" "$out" '^waves\[1\]\[2\] = \(1, 2\), was \(2\.25, -0\), on \[0:2\]$' \
	'^waves\[1\]\[3\] = \(1\.5, -0\), was ' '^waves\[1\]\[6\] = \(nan, inf\), was '
like "and as sums" "$out" '^waves\[1\]\[4\] = \(1, 2\), was ' '^waves\[1\]\[5\] = \(-25, -3\), was ' \
	'^waves\[2\]\[0\] = \(4, 0\), was '
like "logical ones as words" "$out" '^flags\[0\]\[1\] = true, was false' '^flags\[0\]\[0\] = false, was true'
like "signs, and exponents of Fortran" "$out" '^one\[0\] = -7, was 7' '^wide\[0\] = -0, was 1000000' \
	'^wide\[1\] = 0\.001, was -100000'
unlike "none of them is an error" "$out" 'fit|allowed|needed|no object'
wrong() # NAME COMMAND REGEX…
{
	dvm 60 "break 1.B
cont
$2" -n 3 "$odd"
	like "$1" "$out" "${@:3}"
	is "$1: it is an error" "$status" 2
}
wrong "half a pair: what is allowed" 'assign waves[1][2] (1,2' "'\(1,2': column 5: expected an operator or '[)]', found the end" \
	'for waves, double complex, a number, \(re,im\), re\+imi, or an expression that is one number is allowed$'
wrong "a name that nothing has" 'assign waves[1][2] 1+i' "no object 'i'" 're\+imi'
wrong "a word for a number" 'assign one[0] seven' "no object 'seven'" 'for one, int, a whole number, or an expression'
wrong "a word for a truth" 'assign flags[0][0] yes' 'for flags, bool, true, false, or'
wrong "a complex number for a real one" 'assign wide[0] (1,2)' 'wide is of type double: \(1, 2\) does not fit'
wrong "an element and no value" 'assign waves (1,2)' 'give a target and a value'
no_leak "assign"
done_testing
