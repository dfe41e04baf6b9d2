# SPDX-License-Identifier: GPL-3.0-or-later
# make install with DESTDIR gives a dvmdbg that works from any folder, and what users compile with.
. "${0%/*}/lib.sh"

make -C "$builddir" install DESTDIR="$tmp/root" >"$tmp/log" 2>&1 </dev/null
is "make install" $? 0
prefix=$(find "$tmp/root" -name dvmdbg -path '*/bin/*' -type f)
prefix=${prefix%/bin/dvmdbg}
for file in bin/dvmdbg lib/dvmdbg/dvmdbg-exec lib/libdvmdbg.so include/dvmdbg.h share/dvmdbg/dvmdbg.f90 \
	lib/pkgconfig/dvmdbg.pc share/man/man1/dvmdbg.1 share/man/man5/dvmdbg.5 \
	share/bash-completion/completions/dvmdbg share/zsh/site-functions/_dvmdbg share/doc/dvmdbg/COMMANDS.md \
	share/doc/dvmdbg/FROM-GDB.md share/doc/dvmdbg/GLOSSARY.md bin/dvmdbg-cc bin/dvmdbg-fc lib/dvmdbg/libdvmdbg-hooks.a lib/dvmdbg/inline.s \
	share/man/man1/dvmdbg-cc.1 share/man/man1/dvmdbg-fc.1 share/doc/dvmdbg/HPD.md share/doc/dvmdbg/hpdinit.sample; do
	check "$file is installed" test -e "$prefix/$file"
done
for example in "$srcdir"/doc/examples/*.c "$srcdir"/doc/examples/*.f90; do
	check "the example $(basename "$example") is installed" cmp "$example" "$prefix/share/doc/dvmdbg/examples/$(basename "$example")"
done
for mpi in $(mpis); do
	check "the library for $mpi is installed" test -e "$prefix/lib/dvmdbg/libdvmdbg-$mpi.so"
done

unset LD_LIBRARY_PATH
DVMDBG=$prefix/bin/dvmdbg
cd / || exit 1
for mpi in $(mpis); do
	mpi_compilers "$mpi"
	$cc -g -O1 -I"$prefix/include" "$prefix/share/doc/dvmdbg/examples/heat.c" -o "$tmp/heat" -L"$prefix/lib" -ldvmdbg \
		-lm -Wl,-rpath,"$prefix/lib" 2>"$tmp/log"
	is "$mpi: a program is compiled with what is installed" $? 0
	dvm 60 'break heat.c:61
cont
print eps' -n 2 "$tmp/heat" 60 3
	like "$mpi: the installed dvmdbg works from /" "$out" '^Point 3\.B  \[0:1\]' '^eps = 0\.5$'
	no_leak "$mpi: installed"
	DVMDBG_CC=$cc "$prefix/bin/dvmdbg-cc" -g -O1 -I"$prefix/include" "$srcdir/doc/examples/heat.c" -o "$tmp/heat" \
		-L"$prefix/lib" -ldvmdbg -lm -Wl,-rpath,"$prefix/lib" 2>"$tmp/log"
	is "$mpi: a program is compiled with hooks" "$? $(<"$tmp/log")" "0 "
	like "$mpi: it has them" "$(readelf -n "$tmp/heat")" 'dvmdbg +0x00000004'
	like "$mpi: it runs" "$(mpirun $mpi 2 "$tmp/heat" 60 3)" ' OK$'
done
done_testing
