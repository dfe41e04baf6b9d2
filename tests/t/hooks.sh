# SPDX-License-Identifier: GPL-3.0-or-later
# What access hooks see: exact numbers for each compiler and level of optimisation, counted by a library in
# the place of libdvmdbg (tests/prog/hooks/hooks_count.c).
. "${0%/*}/lib.sh"

wrapper=$builddir/runtime/dvmdbg-cc
fortran=$builddir/runtime/dvmdbg-fc
archive=$builddir/runtime/hooks/libdvmdbg-hooks.a
prog=$srcdir/tests/prog/hooks
unset DVMDBG_CC DVMDBG_FC
# where yielding sleeps, threads of OpenMP that wait for each other take a minute
unset LD_PRELOAD
cd "$tmp" || exit 1
count="-L$tmp -lcount -Wl,-rpath,$tmp"

compilers=
for c in gcc clang; do
	! command -v $c >/dev/null || compilers="$compilers $c"
done
check "the library that counts" ${CC:-cc} -std=gnu11 -O1 -shared -fPIC -I"$srcdir" "$prog/hooks_count.c" -o libcount.so

# hooked COMPILER FLAGS… : compiles and links with the hooks; says what is wrong, if anything
hooked()
{
	local compiler=$1
	shift
	DVMDBG_CC=$compiler "$wrapper" -g -w "$@" $count 2>&1
}

# Bytes are read and written as the source says. Only what lies in one iteration may be joined (both,
# some: one read of what is read twice; again: what has just been written), and what does not change be
# read once (scale).
written="joined 1
stencil read 2560 written 512 atomic 0 at 1636864 values 2880
fixed read 2560 written 512 atomic 0 at 1636864 values 2880
in-place read 2560 written 512 atomic 0 at 1227264 values 736280
reduce read 160 written 80 atomic 0 at 394120 values 220
recur read 144 written 72 atomic 0 at 26100 values 219
zero read 0 written 80 atomic 0 at 9560 values 0
copy read 80 written 80 atomic 0 at 83120 values 55
both read 160 written 160 atomic 0 at 230240 values 120
some read 120 written 40 atomic 0 at 43120 values 35
scatter read 160 written 80 atomic 0 at 284040 values 55
multiply read 24000 written 8000 atomic 0 at 44784000 values 351375
structure read 24 written 24 atomic 0 at 117480 values 0
copy-3 read 3 written 3 atomic 0 at 16086 values 0
copy-8 read 8 written 8 atomic 0 at 42936 values 0
copy-24 read 24 written 24 atomic 0 at 129192 values 0
copy-200 read 200 written 200 atomic 0 at 1111800 values 0
move read 100 written 100 atomic 0 at 521300 values 0
set read 0 written 100 atomic 0 at 260150 values 0
write-copy read 0 written 16 atomic 0 at 38456 values 42
write-call read 0 written 16 atomic 0 at 38456 values 49
write-call-unseen read 0 written 8 atomic 0 at 19228 values 7
scale read 160 written 80 atomic 0 at 212040 values 110
again read 80 written 160 atomic 0 at 92680 values 100
write-free read 0 written 8 atomic 0 at 92 values 42
write-resize read 0 written 8 atomic 0 at 92 values 42
write-unmap read 0 written 8 atomic 0 at 92 values 42
heap made 6 freed 6"
optimised=$(printf '%s\n' "$written" | sed 's/^both .*/both read 80 written 160 atomic 0 at 220680 values 120/
	s/^some .*/some read 80 written 40 atomic 0 at 40740 values 35/
	s/^scale .*/scale read 88 written 80 atomic 0 at 38412 values 110/
	s/^again .*/again read 0 written 160 atomic 0 at 83120 values 100/')
# once LEVEL: with optimisation the factor of scale may be read once, or each time
once()
{
	if [ "$1" = -O0 ]; then
		cat
	else
		sed -e 's/^scale read 160 written 80 atomic 0 at 212040/scale read 88 written 80 atomic 0 at 38412/' \
			-e 's/^scale read 160 written 80 atomic 0 at 141000/scale read 88 written 80 atomic 0 at 134988/'
	fi
}
for c in $compilers; do
	for level in -O0 -O1 -O2 -Os -O3 '-O3 -mavx2 -funroll-loops -D_FORTIFY_SOURCE=2' '-Ofast -flto'; do
		said=$(hooked $c $level "$prog/hooks_c.c" -o c)
		is "$c $level: C compiles with hooks" "$said" ""
		wanted=$optimised
		[ "$level" != -O0 ] || wanted=$written
		# the pointer that it passes is a variable in memory: reading it is an event before the call
		[ "$c $level" != "clang -O0" ] ||
			wanted=$(printf '%s\n' "$wanted" | sed '/^write-call-unseen/s/7$/42/')
		is "$c $level: every access of C is seen" "$(timeout 60 ./c | once $level)" "$wanted"
	done
done

written="stencil read 2560 written 512 atomic 0 at 1636864 values 2880
module read 0 written 512 atomic 0 at 614144 values 2880
in-place read 2560 written 512 atomic 0 at 1227264 values 736280
reduce read 160 written 80 atomic 0 at 394120 values 220
multiply read 24000 written 8000 atomic 0 at 44784000 values 351375
zero read 0 written 800 atomic 0 at 959600 values 0
copy read 800 written 800 atomic 0 at 1279200 values 900
section read 64 written 64 atomic 0 at 81856 values 68
masked read 80 written 40 atomic 0 at 37540 values 5
packed read 400 written 400 atomic 0 at 1596400 values 850
scale read 160 written 80 atomic 0 at 141000 values 45
allocated read 2560 written 0 atomic 0 at 1022720 values 0"
optimised=$(printf '%s\n' "$written" | sed 's/^scale .*/scale read 88 written 80 atomic 0 at 134988 values 45/')
if [ -n "$FC" ]; then
	mkdir mod
	for level in -O0 -O1 -O2 -O3 '-O3 -march=native -funroll-loops' -Ofast; do
		in_set long || case $level in -O1 | -O2 | -Ofast) continue ;; esac
		said=$(DVMDBG_FC=$FC "$fortran" -g $level -J mod "$prog/hooks_f.f90" -o f $count 2>&1)
		is "gfortran $level: Fortran compiles with hooks" "$said" ""
		wanted=$optimised
		[ "$level" != -O0 ] || wanted=$written
		is "gfortran $level: every access of Fortran is seen" "$(timeout 60 ./f | once $level)" "$wanted"
	done
	for mpi in $(mpis); do
		command -v mpifort.$mpi >/dev/null || continue
		said=$(DVMDBG_FC=mpifort.$mpi "$fortran" -g -O2 -J mod "$prog/hooks_f.f90" -o f $count 2>&1)
		is "$mpi: its Fortran compiler works with hooks" "$said$(timeout 60 ./f | once -O2)" "$optimised"
	done
else
	skip "Fortran" "no Fortran compiler"
fi

rest_in compiler
# atomic COMPILER FLAGS NUMBER: each operation is done, and told; sums of threads are right
atomic()
{
	local said
	said=$(hooked $1 $2 -pthread "$prog/hooks_atomic.c" -o atomic)
	is "$1 $2: atomic operations compile" "$said" ""
	said=$(timeout 100 ./atomic)
	is "$1 $2: their results are right, from threads too" "$? $(printf '%s\n' "$said" | grep wrong)" "0 "
	like "$1 $2: each is told" "$said" "^once .* atomic $3 "
	case $2 in
	*openmp*) like "$1 $2: OpenMP's writes are told" "$said" "^openmp .* written 19 atomic 15 " ;;
	esac
	unlike "$1 $2: nothing else is" "$said" WRONG
}
wide=
case $(uname -m) in x86_64) wide=-mcx16 ;; esac
for c in $compilers; do
	for level in -O0 -O2; do
		flags=$level
		! echo 'int main(void){return 0;}' | $c -fopenmp -x c - -o openmp 2>/dev/null || flags="$level -fopenmp"
		if [ $c = gcc ]; then
			atomic gcc "$flags" 70
		else
			# without it clang leaves 16 bytes to libatomic, but for the one that has no such call
			atomic clang "$flags $wide" 70
			atomic clang "$flags" 58
		fi
	done
done
if [ -n "$FC" ]; then
	cat >omp.f90 <<'EOT'
program omp
  integer :: i, n = 0
  real(8) :: x = 0, r = 0
  integer(8) :: most = 0
  !$omp parallel do num_threads(4) reduction(+:r) reduction(max:most)
  do i = 1, 20000
    !$omp atomic
    n = n + 1
    !$omp atomic
    x = x + 0.5d0
    r = r + i
    most = max(most, int(i, 8))
  end do
  print '(i0,1x,f0.1,1x,f0.1,1x,i0)', n, x, r, most
end program
EOT
	said=$(DVMDBG_FC=$FC "$fortran" -O2 -fopenmp omp.f90 -o omp $count 2>&1)
	is "OpenMP in Fortran: sums are right" "$said$(timeout 60 ./omp)" "20000 10000.0 200010000.0 20000"
fi

# C++: new and delete, exceptions, threads.
cat >c.cc <<'EOT'
#include <atomic>
#include <iostream>
#include <stdexcept>
#include <thread>
#include <vector>
extern "C" {
void count_begin(const void *p, size_t n), count_end(const char *name), count_heap_begin(void);
void count_heap_end(const char *name);
}
struct base {
	virtual ~base() {}
	virtual int f() { return 1; }
};
struct derived : base {
	int f() override { return 2; }
};
static double sum(const std::vector<double> &v)
{
	double s = 0;
	for (double x : v)
		s += x;
	if (s > 1e9)
		throw std::runtime_error("big");
	return s;
}
int main()
{
	count_heap_begin();
	{
		std::vector<double> v(100, 1.0);
		base *b = new derived;
		std::cout << b->f() << sum(v) << std::endl;
		delete b;
	}
	count_heap_end("heap");
	std::vector<double> v(100, 1e8);
	count_begin(v.data(), 800);
	try {
		sum(v);
	} catch (std::exception &e) {
		std::cout << e.what() << std::endl;
	}
	count_end("sum");
	std::atomic<int> n{0};
	std::thread t([&] { for (int i = 0; i < 10000; i++) n++; });
	for (int i = 0; i < 10000; i++)
		n++;
	t.join();
	std::cout << n << std::endl;
}
EOT
for c in g++ clang++; do
	echo 'int main() {}' | $c -x c++ - -o cxx 2>/dev/null || continue
	for flags in -O0 -O2 '-O2 -static-libstdc++ -static-libgcc'; do
		said=$(hooked $c -std=c++11 $flags c.cc -o cxx -pthread && timeout 60 ./cxx)
		is "$c $flags: C++" "$said" "2100
heap made 2 freed 2
big
sum read 800 written 0 atomic 0 at 319600 values 0
20000"
	done
	# clang writes sections that another assembler than its own does not know
	is "$c: nothing but the compiler warns" "$(DVMDBG_CC=$c "$wrapper" -std=c++2a -O2 -c c.cc -o cxx.o 2>&1)" ""
done

# Whatever the compilers can call is there.
nm "$archive" 2>/dev/null | awk '$2 ~ /[TW]/ { print $3 }' | grep -E '^(__tsan_|Annotate|WTFAnnotate)' | sort -u >have
lacks() { sort -u | comm -23 - have | tr '\n' ' '; }
is "all hooks that gcc and clang know are there" "$(
	for n in 1 2 4 8 16; do
		for kind in read write; do
			printf '__tsan_%s\n' $kind$n ${kind}${n}_pc volatile_$kind$n unaligned_$kind$n \
				unaligned_volatile_$kind$n
		done
		printf '__tsan_%s\n' read_write$n unaligned_read_write$n
	done | lacks
	for bits in 8 16 32 64 128; do
		for op in load store exchange fetch_add fetch_sub fetch_and fetch_or fetch_xor fetch_nand \
			compare_exchange_strong compare_exchange_weak compare_exchange_val; do
			echo __tsan_atomic${bits}_$op
		done
	done | lacks
	printf '__tsan_%s\n' init func_entry func_exit vptr_read vptr_update read_range write_range read_range_pc \
		write_range_pc memcpy memmove memset atomic_thread_fence atomic_signal_fence ignore_thread_begin \
		ignore_thread_end switch_to_fiber | lacks
)" ""
# What a program defines for the sanitizer, or the sanitizer has for itself.
own='__tsan_(default_options|default_suppressions|on_report|symbolize_external|symbolize_external_ex'
own="$own|on_thread_idle|resume|setjmp|stack_initialization|test_only_on_fork|thread_start_func|tls_initialization)"
for c in $compilers; do
	lib=$($c -print-file-name=libtsan.so)
	[ -e "$lib" ] || lib=$($c -print-file-name=libclang_rt.tsan-x86_64.so)
	[ -e "$lib" ] || continue
	is "$c: what its own sanitizer exports is there" \
		"$(nm -D --defined-only "$lib" | awk '{ sub(/@.*/, "", $3); print $3 }' |
			grep -E '^(__tsan_|Annotate|WTFAnnotate)' | grep -vxE "$own" | lacks)" ""
done

# Code with everything: what it calls is there too.
cat >all.c <<'EOT'
#include <stdatomic.h>
#include <string.h>
struct __attribute__((packed)) loose { char c; short s; int i; long l; double d; __int128 w; } loose;
struct bits { unsigned a : 3, b : 7; } bits;
volatile char vc; volatile short vs; volatile int vi; volatile long vl; volatile __int128 vw;
char c; short s; int i; long l; __int128 w; long double x; _Complex double z; _Bool b;
struct big { char a[1000]; } big, other;
__attribute__((no_sanitize("thread"))) void quiet(void) { i++; memset(&big, 0, sizeof(big)); }
void all(struct loose *p, char *q)
{
	c++, s++, i++, l++, w++, x += 1, z += 1, b = !b;
	vc++, vs++, vi++, vl++, vw++;
	p->s++, p->i++, p->l++, p->d++, p->w++, bits.a++, bits.b++;
	big = other;
	memcpy(q, &big, 100), memmove(q, q + 1, 100), memset(q, 0, 33), memcpy(&l, q, 8);
	atomic_thread_fence(memory_order_seq_cst), atomic_signal_fence(memory_order_seq_cst);
	quiet();
}
int main(void) { char q[2000] = "x"; all(&loose, q); return 0; }
EOT
for c in $compilers; do
	more='--param tsan-distinguish-volatile=1'
	[ $c = gcc ] || more='-mllvm -tsan-distinguish-volatile=1'
	for level in -O0 -O2 "-O2 $more" "-O2 $wide"; do
		DVMDBG_CC=$c "$wrapper" -w $level -c all.c "$prog/hooks_c.c" "$prog/hooks_atomic.c"
		is "$c $level: it calls nothing else" \
			"$(nm -u all.o hooks_c.o hooks_atomic.o | awk '/__tsan/ { print $NF }' | lacks)" ""
		said=$(hooked $c $level all.o -o all && ./all)
		is "$c $level: and runs" "$? $said" "0 "
	done
done
if command -v clang >/dev/null; then
	said=$(hooked clang -O1 -c all.c -o all.o -mllvm -tsan-instrument-read-before-write=0 \
		-mllvm -tsan-compound-read-before-write=1)
	said=$(hooked clang all.o -o all && ./all)
	is "clang: reads that end in writes as one" "$? $said" "0 "
fi

# A library with hooks has an archive of its own, which it does not show.
cat >lib.c <<'EOT'
#include <stdlib.h>
#include <string.h>
void *make(size_t n) { return malloc(n); }
void fill(double *a, int n) { for (int i = 0; i < n; i++) a[i] = i; }
void copy(double *a, const double *b, size_t n) { memcpy(a, b, n); }
EOT
cat >main.c <<'EOT'
#include <stdio.h>
#include <stdlib.h>
void *make(size_t n), fill(double *a, int n), copy(double *a, const double *b, size_t n);
void count_begin(const void *p, size_t n), count_end(const char *name), count_heap_begin(void);
void count_heap_end(const char *name);
int count_joined(void);
int main(void)
{
	double *a, sum = 0;
	printf("joined %d\n", count_joined());
	count_heap_begin();
	a = make(800);
	count_heap_end("heap");
	count_begin(a, 800);
	fill(a, 50);
	copy(a + 50, a, 400);
	for (int i = 0; i < 100; i++)
		sum += a[i];
	count_end("all");
	printf("%g\n", sum);
	free(a);
	return 0;
}
EOT
# both JOINED: what is said when everything has hooks
both()
{
	echo "joined $1
heap made 1 freed 0
all read 1200 written 800 atomic 0 at 719000 values 1225
2450"
}
for c in $compilers; do
	is "$c: a shared library with hooks" \
		"$(DVMDBG_CC=$c "$wrapper" -O2 -shared -fPIC lib.c -o libhooked.so $count 2>&1)" ""
	is "$c: the library shows nothing of ours" \
		"$(nm -D --defined-only libhooked.so | awk '{ print $3 }' | sort | tr '\n' ' ')" "copy fill make "
	DVMDBG_CC=$c "$wrapper" -O2 main.c -o main -L. -lhooked -Wl,-rpath,"$tmp" $count
	is "$c: a program and its library" "$(./main)" "$(both 2)"
	cc -O2 main.c -o main -L. -lhooked -Wl,-rpath,"$tmp" $count
	is "$c: only the library has hooks" "$(./main)" "joined 1
heap made 1 freed 0
all read 400 written 800 atomic 0 at 399400 values 1225
2450"
	cc -O2 -c lib.c -o lib.o
	is "$c: a part without hooks is not seen, but for what it calls" \
		"$(DVMDBG_CC=$c "$wrapper" -O2 main.c lib.o -o main $count 2>&1; ./main)" "joined 1
heap made 1 freed 0
all read 1200 written 400 atomic 0 at 639200 values 0
2450"
	DVMDBG_CC=$c "$wrapper" -O2 main.c lib.c -o main $count && strip main
	is "$c: a program that has been stripped" "$(./main)" "$(both 1)"
	like "$c: it still says that it has hooks" "$(readelf -n main)" 'dvmdbg +0x00000004'
	for other in $compilers; do
		[ $other != $c ] || continue
		DVMDBG_CC=$other "$wrapper" -O2 -c lib.c -o lib.o
		is "parts by $c and $other" \
			"$(DVMDBG_CC=$c "$wrapper" -O2 main.c lib.o -o main $count 2>&1; ./main)" "$(both 1)"
	done
done

# What has no hooks does not say that it has, though its memory is known.
cc -O2 -c main.c lib.c
"$wrapper" main.o lib.o -o main $count
unlike "linked only: no note" "$(readelf -n main)" dvmdbg
like "linked only: the heap is known" "$(./main)" '^heap made 1 '
nm main >symbols
check "linked only: no marker" test -z "$(grep dvmdbg_hooked_ symbols)"
DVMDBG_CC=cc "$wrapper" main.c lib.c -o main $count
check "compiled: the marker is there" test -n "$(nm main | grep dvmdbg_hooked_)"

# Nothing is there to join: the program is as it ever was.
cat >alone.c <<'EOT'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	const char *e = dlerror();
	puts(e ? e : "fine");
	return 0;
}
EOT
"$wrapper" alone.c -o alone
is "without libdvmdbg nothing happens" "$(./alone)" "fine"
done_testing
