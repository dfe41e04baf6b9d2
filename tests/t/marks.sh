# SPDX-License-Identifier: GPL-3.0-or-later
# Marks beside the source (--marks): a program compiled with -g alone has the points, arrays and checksums of the one with
# marks in its source.
. "${srcdir:-..}/tests/t/lib.sh"
cd "$tmp" || exit 1
src=$srcdir/tests/prog/marks/ways.c
at() { line_marked "$1" "${2:-$src}"; }

cat >ways.marks <<EOT
# what ways.c has
function    ways.c:$(at begin)
replicated  ways.c:$(at registered)  total
array       ways.c:$(at registered)  g.u  shape [g.n]  own [0:g.rows[0] * 4 - 1]
array       ways.c:$(at registered)  v  shape [2, 3]  own [0:1, 0:2]
parallel    ways.c:$(at fill)-$(($(at fill) + 3))  on g->u  range [0:g->n - 1]  writes [g->u]  iteration [k] at $(at filling)
parallel    ways.c:$(at sum)-$(($(at sum) + 1))  range [0:(*g).n - 1]
parallel    ways.c:$(at loop)-$(($(at behind) - 1))  range [0:3]  iteration [i] at $(at inside)
parallel    ways.c:$(at while)-$(($(at while) + 1))
parallel    ways.c:$(at do)-$(at done)
sequential  ways.c:$(at deep)-$(($(at deep) + 1))  range [0:0]
parallel    ways.c:$(at threads)-$(($(at threads) + 1))
parallel    ways.c:$(at crash)-$(at crash)
forget      ways.c:$(at end)  g.u
EOT
for opt in O0 Og; do
	"${CC%% *}" -std=gnu11 -g -$opt "$src" -o ways-$opt -lpthread || not_ok "ways.c is compiled with -$opt"
	expected=$(./ways-$opt)
	dvm 60 "level CHECKSUM
break ways.c:$(at fill) -iter 5
run
print g.u
where
delete 0
break ways.c:$(at deep)
cont
cont
where
delete 1
cont
points -last 100" --marks ways.marks "./ways-$opt"
	like "-$opt: it stops in an iteration, and has arrays by expressions" "$out" \
		"^Iteration 5 .*ways\.c:$(at fill)" '^g\.u = 0\.5 1\.5 2\.5 3\.5 4\.5 0 0 0' \
		"main  ways\.c:$(at begin)"
	is "-$opt: calls that stand in one another have their loops" \
		"$(printf '%s\n' "$out" | grep -c "SL  ways\.c:$(at deep)")" 2
	is "-$opt: loops end, however they are left" \
		"$(printf '%s\n' "$out" | sed -nE 's/^ *([0-9]+\.[BE]) +parallel loop +ways\.c:([0-9]+) .*/\1 \2/p')" \
		"$(n=0; for w in fill sum loop while do loop while do loop while do loop; do
			n=$((n + 1)); echo "$n.B $(at $w)"; echo "$n.E $(at $w)"; done)"
	unlike "-$opt: nothing is found in it" "$out" '^Finding'
	like "-$opt: it computes the same" "$out" "^$expected\$"
	like "-$opt: the child of a fork, another thread and its own handler are as without marks" "$expected" \
		'thread 3, child 7, traps 1,'
done
dvm 60 'run
where -native' --marks ways.marks ./ways-O0 crash
like "a crash at a mark is where the instruction was" "$out" "SIGSEGV.*ways\.c:$(at crash)" "13\.B"

# A breakpoint of training runs at the address of a mark.
trap=$(readelf --debug-dump=decodedline ways-O0 2>&1 | awk -v line="$(at fill)" '$2 == line && !a { a = $3 } END { print substr(a, 3) }')
DVMDBG_BREAKS=$trap dvm 60 'run
where -native
cont
points -last 100' --marks ways.marks ./ways-O0
like "a breakpoint at a mark stops once, and the mark remains" "$out" "^  \[0\]   fill  ways\.c:$(at fill)" \
	"^ *1\.B +parallel loop +ways\.c:$(at fill)"

refused() # NAME LINE REGEX
{
	printf '# bad\n%s\n' "$2" >bad.marks
	dvm 20 'run' --marks bad.marks ./ways-O0
	like "$1" "$status $out" "^2 .*$3"
}
refused "a word that is none" 'loop ways.c:3' "bad\.marks:2: 'loop': a line begins with function, replicated"
refused "a loop without its lines" "parallel ways.c:$(at fill)" 'bad\.marks:2: a loop needs FILE:FIRST-LAST'
refused "a variable that is not in scope" "array ways.c:$(at behind) u shape [4] own [0:3]" \
	"ways\.c:$(at behind): u: there is no variable 'u' in scope"
refused "an expression that is none" "parallel ways.c:$(at fill)-$(at sum) range [0:k * ]" 'it ends too soon'
refused "a line behind the last" 'replicated ways.c:9999 total' 'ways\.c:9999: no code follows line 9999'
refused "a file that the program does not have" 'replicated other.c:3 total' 'the program has no code of other\.c'
refused "a number that is none" "parallel ways.c:$(at fill)-$(at sum) range [0:sum]" 'ways\.c:'"$(at fill): sum: this is no whole number"

# The heat example without its marks, beside the one with them.
heat=$srcdir/doc/examples/heat.c
grep -vE '^[[:space:]]*DVMDBG_|dvmdbg\.h' "$heat" >heat.c
line() { grep -nF -e "$1" heat.c | sed -n "${2:-1}p" | cut -d: -f1; }
i=$(line 'for (long i = r0') j=$(line 'for (long i = r0' 2) t=$(line 'for (long t') a=$(line 'for (long i = top')
b=$(line 'for (long i = top' 2)
cat >heat.marks <<EOT
function    heat.c:$(line 'double eps = 0.5')
replicated  heat.c:$i  n
replicated  heat.c:$i  steps
replicated  heat.c:$i  eps
replicated  heat.c:$i  change
array       heat.c:$i  u  shape [n, n]  own [r0:r1, c0:c1]  halo [1, 1]
array       heat.c:$i  v  shape [n, n]  own [r0:r1, c0:c1]  halo [1, 1]
parallel    heat.c:$i-$((i + 3))  on u  range [0:n - 1, 0:n - 1]  writes [u]
parallel    heat.c:$j-$((j + 3))  on v  range [0:n - 1, 0:n - 1]  writes [v]  iteration [i, j] at $((j + 2))
sequential  heat.c:$t-$((b + 10))  range [1:steps]  iteration [t] at $((t + 1))
parallel    heat.c:$a-$((a + 5))  on v  range [1:n - 2, 1:n - 2]  writes [v]  iteration [i, j] at $((a + 2))
parallel    heat.c:$b-$((b + 4))  on v  range [1:n - 2, 1:n - 2]  reads [u, v]  iteration [i, j] at $((b + 2))
reduction   heat.c:$((b + 7))  change max
forget      heat.c:$(line 'free(u)')  u
forget      heat.c:$(line 'free(u)')  v
EOT
for mpi in $(mpis); do
	mpi_compilers "$mpi"
	for opt in O0 Og; do
		$cc -std=gnu11 -g -$opt heat.c -o "heat-$opt" -lm || not_ok "$mpi: heat.c is compiled with -$opt"
		dvm 60 'level CHECKSUM
run
sums' --marks heat.marks -n 4 "./heat-$opt" 24 3
		printf '%s\n' "$out" | sed -n '/^Checksums/,$p' | sed 's/heat.c:.*//' >beside
		dvm 60 'level CHECKSUM
run
sums' -n 4 "$(prog doc/examples/heat "$mpi")" 24 3
		is "$mpi, -$opt: the last checksums are those of the program with marks in its source" "$(<beside)" \
			"$(printf '%s\n' "$out" | sed -n '/^Checksums/,$p' | sed 's/heat.c:.*//')"
	done
	rm -rf ref
	"$DVMDBG" record -o ref --marks heat.marks ./heat-O0 24 3 >said 2>&1
	out=$(timeout 60 "$DVMDBG" compare -r ref --marks heat.marks -n 4 ./heat-Og 24 3 --fault missing-halo 2>&1)
	status=$?
	unlike "$mpi: its marks are those of the reference" "$out" 'recorded with.* marks'
	like "$mpi: compared with a reference, a fault is where it is in the program with marks" "$status $out" \
		"array \(\"v\".* at 3\.E  heat\.c:$a"
done

# In Fortran: allocatable arrays, which their descriptors describe.
fortran() { grep -nF -e "$1" jacobi.f90 | sed -n "${2:-1}p" | cut -d: -f1; }
mpi=$(first_mpi)
if [ -x "$(prog doc/examples/jacobi "$mpi")" ]; then
	mpi_compilers "$mpi"
	grep -v dvmdbg "$srcdir/doc/examples/jacobi.f90" >jacobi.f90
	i=$(fortran 'do j = c0, c1') t=$(fortran 'do it = 1') a=$(fortran 'do j = west') b=$(fortran 'do j = west' 2)
	{
		for x in n steps weight change; do echo "replicated  jacobi.f90:$i  $x"; done
		for x in u v; do echo "array  jacobi.f90:$i  $x  shape [n, n]  own [1:n, c0:c1]  halo [0, 1]"; done
		echo "parallel  jacobi.f90:$i-$((i + 4))  on u  range [1:ubound(u, 1), 1:n]"
		echo "sequential  jacobi.f90:$t-$((b + 7))  range [1:steps]  iteration [it] at $((t + 1))"
		echo "parallel  jacobi.f90:$a-$((a + 4))  on v  range [2:n - 1, 2:n - 1]  iteration [i, j] at $((a + 2))"
		echo "parallel  jacobi.f90:$b-$((b + 5))  on u  range [2:n - 1, 2:n - 1]  iteration [i, j] at $((b + 2))"
	} >jacobi.marks
	"$fc" -g -O0 jacobi.f90 -o jacobi || not_ok 'jacobi.f90 is compiled without marks'
	dvm 60 'level CHECKSUM
run
sums' --marks jacobi.marks -n 4 ./jacobi 24 3
	printf '%s\n' "$out" | sed -n '/^Checksums/,$p' | sed 's/jacobi.f90:.*//' >beside
	dvm 60 'level CHECKSUM
run
sums' -n 4 "$(prog doc/examples/jacobi "$mpi")" 24 3
	is 'Fortran: the last checksums are those of the program with marks in its source' "$(<beside)" \
		"$(printf '%s\n' "$out" | sed -n '/^Checksums/,$p' | sed 's/jacobi.f90:.*//')"
else
	skip 'Fortran: the last checksums are those of the program with marks in its source' 'there is no gfortran'
fi
# Members, templates, references and namespaces of C++.
cxx=$srcdir/tests/prog/marks/parts.cpp
cat >parts.marks <<EOT
array parts.cpp:$(at fill "$cxx")  data  shape [n]  own [0:n - 1]
parallel parts.cpp:$(at fill "$cxx")-$(at filling "$cxx")  on data  range [0:n - 1]  iteration [i] at $(at filling "$cxx")
array parts.cpp:$(at sweep "$cxx")  p  shape [m]  own [0:m - 1]
array parts.cpp:$(at sweep "$cxx")  f.data  shape [f.n]  own [f.lo - 1:f.n - 1]
array parts.cpp:$(at sweep "$cxx")  mesh::weight  shape [8]  own [0:7]
replicated parts.cpp:$(at sweep "$cxx")  m
replicated parts.cpp:$(at sweep "$cxx")  cells
parallel parts.cpp:$(at sweep "$cxx")-$(at sweeping "$cxx")  on p  range [0:m - 1]  writes [p]  reads [f.data]  iteration [i] at $(at sweeping "$cxx")
EOT
for compiler in $(compgen -c | grep -xE 'g\+\+|clang\+\+' | sort -u); do
	"$compiler" -g -O0 "$cxx" -o parts || not_ok "parts.cpp is compiled by $compiler"
	dvm 60 "level CHECKSUM
break parts.cpp:$(at sweep "$cxx") -iter 3
run
print data
print f.data
print m
print cells
print p
what mesh::weight
points" --marks parts.marks ./parts
	like "$compiler: members of the object, of references and bases, names of namespaces" "$out" '^Iteration 3 ' \
		'^data = 2 3 4 5$' '^f\.data = 1\.5 2\.5 3\.5 4\.5 5\.5 6\.5 7\.5$' '^m = 7$' '^cells = 6$' \
		'^p = 3 5 7 0 0 0 0$' '^mesh::weight: double\(0:7\)|^mesh::weight: double\[8\]' \
		"2\.E  parallel loop  parts\.cpp:$(at fill "$cxx")"
done

# Arrays and variables of all kinds in Fortran.
kinds=$srcdir/tests/prog/marks/kinds.f90
k() { line_marked "$1" "$kinds"; }
if command -v gfortran >said; then
	cat >kinds.marks <<EOT
array kinds.f90:$(k main)  g%u  shape [3]  own [1:3]
array kinds.f90:$(k main)  q%v  shape [lbound(q%v, 1):ubound(q%v, 1)]  own [0:4]
array kinds.f90:$(k main)  g%w  shape [3]  own [1:3]
array kinds.f90:$(k main)  g%p  shape [-3:-1]  own [-3:-1]
array kinds.f90:$(k main)  field  shape [2, 0:3]  own [1:2, 0:3]
array kinds.f90:$(k main)  x  shape [most]  own [1:most]
array kinds.f90:$(k main)  y  shape [-1:2]  own [-1:2]
array kinds.f90:$(k main)  z  shape [3]  own [1:3]
array kinds.f90:$(k main)  single  shape [0:2]  own [0:2]
replicated kinds.f90:$(k main)  g%n
replicated kinds.f90:$(k main)  n
replicated kinds.f90:$(k main)  wide
array kinds.f90:$(k assumed)  a  shape [4]  own [1:4]
array kinds.f90:$(k assumed)  b  shape [0:1, -1:2]  own [0:1, -1:2]
array kinds.f90:$(k assumed)  c  shape [4]  own [1:4]
array kinds.f90:$(($(k explicit) + 1))  auto  shape [0:n]  own [0:n]
array kinds.f90:$(($(k explicit) + 1))  two  shape [n, -n:n]  own [1:n, -n:n]
parallel kinds.f90:$(($(k explicit) + 1))-$(($(k explicit) + 1))  on two  range [1:n, -n:n]
parallel kinds.f90:$(k inside)-$(($(k inside) + 2))  on a  range [1:n - 2]  iteration [i] at $(($(k inside) + 1))
parallel kinds.f90:$(k label)-$(($(k label) + 2))  on g%v  range [1:n / 2]  iteration [i] at $(($(k label) + 1))
parallel kinds.f90:$(k concurrent)-$(($(k concurrent) + 2))  on g%u  range [1:g%n]
parallel kinds.f90:$(k section)-$(k section)  on g%u  range [1:g%n - 1]
array kinds.f90:$(k guest)  h  shape [first:last]  own [first:last]
parallel kinds.f90:$(k guest)-$(($(k guest) + 2))  on h  range [first:last]
EOT
	gfortran -g -O0 "$kinds" -o kinds || not_ok 'kinds.f90 is compiled'
	gfortran -g -Og "$kinds" -o kinds-Og || not_ok 'kinds.f90 is compiled with -Og'
	dvm 60 "level CHECKSUM
break kinds.f90:$(k inside)
break kinds.f90:$(($(k explicit) + 1))
break kinds.f90:$(k guest)
run
print g%u
print q%v
print g%w
print g%p
print field(:, 0:1)
print x
print y
print z(1)
print single
print n
print wide
cont
print a
print b(0, -1)
print auto
what two
cont
print h
points -last 20" --marks kinds.marks ./kinds
	like 'Fortran: components, COMMON, pointers, bounds; n as it is, not as it began' "$out" '^g%u = 1 2 3$' \
		'^q%v = 10 20 30 40 50$' '^g%w = 6 6 6$' '^g%p = 7 8 9$' '^x = 1 2 3 4$' '^y = 5 6 7 8$' \
		'^z\(1\) = \(1, 2\)$' '^single = 1\.5 1\.5 1\.5$' '^n = 6$' '^wide = 5$' \
		'^h = 4 4 4 4 4 4$' '^b\(0, -1\) = 7$' '^auto = 3 3$' \
		'^two: double\(1,-1:1\)'
	unlike 'Fortran: nothing is left out' "$out" 'left out|^Finding'
	is 'Fortran: loops in functions that are internal to others' \
		"$(printf '%s\n' "$out" | sed -nE 's/^ *([0-9]+\.[BE]) +parallel loop +kinds\.f90:([0-9]+) .*/\1 \2/p')" \
		"$(n=0; for w in inside label concurrent section; do n=$((n + 1)); echo "$n.B $(k $w)"; echo "$n.E $(k $w)"; done
			echo "5.B $(($(k explicit) + 1))"; echo "5.E $(($(k explicit) + 1))"; echo "6.B $(k guest)")"
	dvm 60 'run' --marks kinds.marks ./kinds-Og
	like '-Og: what the compiler has not kept is left out, with its reason; the program goes on' "$status $out" \
		"kinds\.f90:$(($(k explicit) + 1)): .*where 'n' is there is not known: it has been optimised away" \
		'^Not fully compared: .*the mark is left out' 'exited with code 0'
else
	skip 'Fortran: components, COMMON, pointers, bounds; n as it is, not as it began' 'there is no gfortran'
fi
grep -v '^reduction' heat.marks >fewer.marks
out=$(timeout 60 "$DVMDBG" compare -r ref --marks fewer.marks -n 2 ./heat-O0 24 3 2>&1)
like 'marks that are others than those of the reference are reported' "$out" \
	'the reference ref was recorded with other marks beside the source'

# Code of a shared library: each mark says so, and the others are executed.
cat >sweep.c <<'EOT'
void sweep(double *u, int n)
{
	for (int i = 0; i < n; i++)
		u[i] = i;
}
EOT
cat >uses.c <<'EOT'
void sweep(double *u, int n);
int main(void)
{
	static double u[4];
	int n = 4;

	sweep(u, n);
	for (int i = 0; i < n; i++)
		u[i] += 1;
	return u[3] != 4;
}
EOT
cat >uses.marks <<'EOT'
array     uses.c:7  u  shape [n]  own [0:n - 1]
parallel  sweep.c:3-4  on u  writes [u]
parallel  uses.c:8-9  on u  writes [u]
EOT
"${CC%% *}" -g -O0 -shared -fPIC sweep.c -o libsweep.so && "${CC%% *}" -g -O0 uses.c -o uses -L. -lsweep -Wl,-rpath,"$PWD" ||
	not_ok 'a program with a shared library is compiled'
dvm 60 'run
points' --marks uses.marks ./uses
like 'code of a shared library: the mark is left out, with the reason' "$out" \
	"sweep\.c:3: its code is that of libsweep\.so, and marks beside the source are executed in the program's own code only"
like 'and the others are there' "$out" "1\.E  parallel loop  uses\.c:8" 'exited with code 0'
no_leak marks
done_testing
