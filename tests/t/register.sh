# SPDX-License-Identifier: GPL-3.0-or-later
# Registrations that cannot mislead: what a pointer points to, memory that is too small, strides, types and orders
# that cannot be meant. Each wrong one is an error that names the object and its line; right ones are not refused.
. "$(dirname "$0")/lib.sh"
exe=$(prog tests/prog/points/register "$(first_mpi)")
src=$srcdir/tests/prog/points/register.c

# at CASE [COMMAND]: runs it up to 1.E and gives the command there
at()
{
	dvm 30 "break 1.E
cont
${2-points}
findings
cont" -n 1 "$exe" "$1"
}

at own 'print u[0:2]'
like ".first = DVMDBG_OWN: the first own element is element 0" "$out" '^u\[0:2\] = 1 2 3$' '^no findings$'
like "the program computes the same" "$out" 'own: done'
for case in stored pool physical section every-second transposed shared-pad mapped stack small complex; do
	at "$case"
	like "$case is not refused" "$out" '^no findings$' "$case: done"
done
while IFS='|' read -r case text want; do
	at "$case"
	like "$case is refused, with what to do" "$out" \
		"^Finding register .* an object is registered with an invalid description: $want  register\\.c:$(grep -nF "$text" "$src" | cut -d: -f1) " \
		"$case: done"
done <<'EOT'
own-not-said|DVMDBG_ARRAY(u, .shape = { N }, .halo = { 1 });|u: the pointer points to the first own element, its halo lies before it: give \.first = DVMDBG_OWN, or a pointer to the first stored element
beyond|{ 100, 101 }|u: own and halo go beyond the allocated block, which has 1000[0-9] elements from the first stored one on and 0 before it; 10100 are needed
short-stride|{ 40, 1 }|u: the stride in dimension 1 is shorter than a row: several elements lie at one place
rows|DVMDBG_ARRAY(rows, .shape|rows: its elements are pointers to rows, and not numbers: register the block of numbers, .*
rows-with-type|DVMDBG_ARRAY(rows, .type|rows: its elements are pointers to rows, and not numbers: register the block of numbers, .*
float-as-double|.shape = { 200 }|f: its elements are float, and \.type says something else: leave out \.type
turned|{ 20, 6 }|u: own and halo need more elements than the array has: they fit in the other order, .*
EOT

f=$builddir/tests/prog/points/fregister
if [ -x "$f" ]; then
	dvm 30 'break 1.E
cont
print inside(1:2,3)
print whole(1:2,3)
findings
cont' -n 1 "$f"
	like "Fortran: the own part, with its halo around it" "$out" '^inside\(1:2,3\) = 103 203$' '^whole\(1:2,3\) = 103 203$'
	like "Fortran: no room for the halo" "$out" 'bare: own needs all of the array, .* or first=dvmdbg_own if that lies around it  fregister\.f90:17 '
	like "Fortran: the other order" "$out" 'turned: .* they fit in the other order of the dimensions  fregister\.f90:18 '
	like "Fortran: too large" "$out" 'short: own and halo need more elements than the array has  fregister\.f90:19 '
	unlike "Fortran: what is right is not refused" "$out" 'description: (inside|whole)'
else
	skip "Fortran" "no Fortran compiler"
fi
no_leak "registrations"
done_testing
