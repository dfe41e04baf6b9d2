! SPDX-License-Identifier: BSD-3-Clause
!
! dvmdbg.f90: annotations for the dvmdbg debugger, for Fortran (gfortran 12 and later). Compile this file
! with the program's compiler, link with -ldvmdbg (pkg-config dvmdbg). Indices are global and 1-based
! unless lower says otherwise; upper ends are inclusive. Lists are one integer per dimension, or one
! integer for all dimensions, of any kind.
!
!   use dvmdbg
!   call dvmdbg_function_begin("solve")
!   call dvmdbg_array(u, "u", shape=[n, n], own_lo=[1, c0], own_hi=[n, c1], halo=[0, 1])
!   call dvmdbg_array(a, "a", shape=[n, n], index2=dvmdbg_cyclic(rank + 1, n, ranks))   columns that are distributed cyclically
!   call dvmdbg_array(a, "a", shape=[n, n], index2=mine(1:m))         columns of a list
!   call dvmdbg_replicated(eps, "eps")
!   call dvmdbg_sl_begin(first=1, last=steps)
!   do it = 1, steps
!     call dvmdbg_iteration(it)
!     call dvmdbg_pl_begin(first=[2, 2], last=[n - 1, n - 1], on=v, writes="v", reads="u")
!     do j = … ; do i = …
!     call dvmdbg_pl_end()
!   end do
!   call dvmdbg_sl_end()
!   call dvmdbg_function_end()
!
! Checksums are taken of the arrays that a construct writes (also of those it reads, when that is
! requested), at its end: writes="rsd, flux" names registered arrays, in capitals or not. Where a construct
! names neither, they are taken of all.
!
! Of an array of a derived type name the fields, those components that are numbers or arrays of them; each becomes an
! array, which can be shown, added up and compared as any other:
!
!   call dvmdbg_field(c, c%t, "t")                  c is a variable of the type, or an element, p(1)
!   call dvmdbg_field(c, c%v, "v")
!   call dvmdbg_field(c, c%at%x, "at%x")
!   call dvmdbg_array(p, "p", shape=[n], own_lo=[i0], own_hi=[i1])
!
! They are called p%t, p%v and p%at%x, an element p(3)%t; p(3) is all fields of one. A field that is an array has one more
! index: p(3)%v(2) (of two dimensions as well, in the order of memory). In lists writes="p" are all fields, writes="p%t"
! is one. One component alone is registered by call dvmdbg_array(p(:)%x, "p(:)%x", …). (gfortran 12 leaves p itself
! changed when it is given p%x.)
!
! A registered object keeps its name and address until it is registered again under its name, as after
! move_alloc, reallocation, or pointer assignment (what a pointer points to is registered: after two
! have been swapped, both are to be registered again), or forgotten. gfortran may move a whole allocatable
! array that is assigned a function's result: c(:, :) = matmul(a, b) leaves c where it is, c = matmul(a, b)
! need not.
!
! Give scalars that are registered the TARGET attribute: else the compiler may hold them in registers. Task
! regions: tr_begin, task_begin(k), task_end, tr_end, k from 1. Constructs are announced by the thread that
! runs the main program, outside parallel regions. An end closes what was left open inside it.
!
! For traces and their comparison, which need a program compiled with dvmdbg-fc: iterations of a parallel
! loop, marked by whatever thread runs them, and results. dvmdbg_hooked is .false. when the compiler alone
! compiles this file, so that the mark compiles to nothing. A program with hooks therefore needs this file
! compiled with dvmdbg-fc, too, in a directory of its own, and then all files that use it:
!
!   if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
!   call dvmdbg_reduction(eps, dvmdbg_max)
!   call dvmdbg_skip()
!
! The mark is skipped until iterations are wanted: by a trace, by break or step with -iter. In one parallel
! loop a rank executes each iteration once: where the same ones come again in each step of a ring, they are not
! marked, or each step is a loop. Messages and exchanges of halos of a pipeline stand between pl_begin and
! pl_end, behind dvmdbg_pl_iteration_end.
module dvmdbg
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_char
  use, intrinsic :: iso_fortran_env, only: compiler_options
  implicit none
  private
  public :: dvmdbg_array, dvmdbg_field, dvmdbg_replicated, dvmdbg_mapped, dvmdbg_forget
  public :: dvmdbg_pl_begin, dvmdbg_pl_end, dvmdbg_sl_begin, dvmdbg_sl_end
  public :: dvmdbg_tr_begin, dvmdbg_tr_end, dvmdbg_task_begin, dvmdbg_task_end
  public :: dvmdbg_function_begin, dvmdbg_function_end, dvmdbg_iteration
  public :: dvmdbg_dispatch_begin, dvmdbg_dispatch_end
  public :: dvmdbg_pl_iteration, dvmdbg_pl_iteration_end, dvmdbg_reduction, dvmdbg_cyclic, dvmdbg_skip
  public :: dvmdbg_private, dvmdbg_readonly, dvmdbg_reduces, dvmdbg_across, dvmdbg_computes_halo, dvmdbg_after
  public :: dvmdbg_halo_start, dvmdbg_halo, dvmdbg_reduction_start, dvmdbg_remote

  ! Whether dvmdbg-fc compiles this: its options are among those of the compiler.
  logical, parameter, public :: dvmdbg_hooked = index(compiler_options(), '-fsanitize=thread') > 0

  ! For the debugger, which warns when the program has hooks and this module was compiled without them.
  character(len=29), parameter :: dvmdbg_marks(0:1) = &
    ['dvmdbg_fortran_without_hooks_', 'dvmdbg_fortran_with_hooks_   ']
  integer(c_int), protected, public, bind(c, name=trim(dvmdbg_marks(merge(1, 0, dvmdbg_hooked)))) :: &
    dvmdbg_compiled = 1

  ! How a reduction makes one value of many.
  integer(c_int), parameter, public :: dvmdbg_sum = 1, dvmdbg_prod = 2, dvmdbg_max = 3, dvmdbg_min = 4
  integer(c_int), parameter, public :: dvmdbg_and = 5, dvmdbg_or = 6, dvmdbg_neqv = 7, dvmdbg_eqv = 8
  integer(c_int), parameter, public :: dvmdbg_iand = 9, dvmdbg_ior = 10, dvmdbg_ieor = 11
  integer(c_int), parameter, public :: dvmdbg_maxloc = 12, dvmdbg_minloc = 13

  ! What dvmdbg_array is given: what is stored here, halo and all, or the own part of that.
  integer(c_int), parameter, public :: dvmdbg_stored = 0, dvmdbg_own = 1

  interface
    ! a: what is allocated here, halo and all. shape: of the global array (default: a without halo);
    ! own_lo, own_hi: what this rank owns (default: all); halo on both sides, or halo_lo and halo_hi;
    ! lower: global lower bounds (default 1); nothing /= 0: this rank owns no element.
    ! index1 … index8: in place of own in dimension 1 … 8 the list of the global indices that this rank
    ! owns, in their order in memory, after halo_lo: index1=mine(1:m). shape is needed then.
    ! What is allocated after them (ghosts) is owned by no rank, or is halo_hi.
    ! first=dvmdbg_own: a is the own part alone, a section of the array or a pointer to it, and its halo lies
    ! around it. By default (dvmdbg_stored) a has the halo.
    ! copies, copy: the array is partly replicated, as along one dimension of a grid of processes: all ranks
    ! together hold the whole of it `copies` times, and this part belongs to copy number `copy`, from 0. Each
    ! element counts once, in copy 0; the others are compared with it.
    ! periodic: for each dimension 1 where the array begins again behind its end: halo that goes beyond it has copies of
    ! the elements at the other end; else 0 (default).
    subroutine dvmdbg_array(a, name, shape, own_lo, own_hi, halo, halo_lo, halo_hi, lower, nothing, &
        index1, index2, index3, index4, index5, index6, index7, index8, first, copies, copy, &
        periodic) bind(c, name="dvmdbg_f_array_periodic")
      import :: c_int, c_char
      type(*), dimension(..), intent(in), target :: a
      character(kind=c_char, len=*), intent(in) :: name
      type(*), dimension(..), intent(in), optional :: shape, own_lo, own_hi
      type(*), dimension(..), intent(in), optional :: halo, halo_lo, halo_hi, lower
      integer(c_int), intent(in), optional :: nothing
      type(*), dimension(..), intent(in), optional :: index1, index2, index3, index4
      type(*), dimension(..), intent(in), optional :: index5, index6, index7, index8
      integer(c_int), intent(in), optional :: first, copies, copy
      type(*), dimension(..), intent(in), optional :: periodic
    end subroutine

    ! Of the array, or variable, that is registered next, which is of a derived type: structure is a variable of that
    ! type, component a component of this variable.
    subroutine dvmdbg_field(structure, component, name) bind(c, name="dvmdbg_f_field")
      import :: c_char
      type(*), dimension(..), intent(in), target :: structure, component
      character(kind=c_char, len=*), intent(in) :: name
    end subroutine

    ! a: a variable or a whole array that is meant to be equal on all ranks.
    subroutine dvmdbg_replicated(a, name, lower) bind(c, name="dvmdbg_f_replicated")
      import :: c_char
      type(*), dimension(..), intent(in), target :: a
      character(kind=c_char, len=*), intent(in) :: name
      type(*), dimension(..), intent(in), optional :: lower
    end subroutine

    ! a: a variable that is of one rank only: owns /= 0 there. What others have in theirs does not count.
    subroutine dvmdbg_mapped(a, name, owns) bind(c, name="dvmdbg_f_mapped")
      import :: c_int, c_char
      type(*), dimension(..), intent(in), target :: a
      character(kind=c_char, len=*), intent(in) :: name
      integer(c_int), intent(in) :: owns
    end subroutine

    subroutine dvmdbg_forget(name) bind(c, name="dvmdbg_f_forget")
      import :: c_char
      character(kind=c_char, len=*), intent(in) :: name
    end subroutine

    ! first, last: the global range of the iterations; on: the array they are mapped on; writes, reads:
    ! names of the arrays that are accessed, with commas between.
    ! shift, by: an iteration is mapped on the element of `on` whose index in dimension d is shift(d) more than the
    ! loop's index number by(d); by(d) -1: any. Default: 0, d.
    subroutine dvmdbg_pl_begin(first, last, on, writes, reads, shift, by) bind(c, name="dvmdbg_f_pl_mapped")
      import :: c_char
      type(*), dimension(..), intent(in), optional :: first, last, on
      character(kind=c_char, len=*), intent(in), optional :: writes, reads
      type(*), dimension(..), intent(in), optional :: shift, by
    end subroutine

    ! For dynamic control (dvmdbg check), before the mark of the parallel loop or task region that they are of.
    ! Each iteration has its own, and writes it before it reads it:
    subroutine dvmdbg_private(a) bind(c, name="dvmdbg_f_private")
      type(*), dimension(..), intent(in), target :: a
    end subroutine

    ! No iteration writes it:
    subroutine dvmdbg_readonly(a) bind(c, name="dvmdbg_f_readonly")
      type(*), dimension(..), intent(in), target :: a
    end subroutine

    ! Iterations contribute to a reduction of it:
    subroutine dvmdbg_reduces(a) bind(c, name="dvmdbg_f_reduces")
      type(*), dimension(..), intent(in), target :: a
    end subroutine

    ! Iterations depend on those whose indices are up to `below` less, or up to `above` more (neither: on any):
    subroutine dvmdbg_across(a, below, above) bind(c, name="dvmdbg_f_across")
      type(*), dimension(..), intent(in), target :: a
      type(*), dimension(..), intent(in), optional :: below, above
    end subroutine

    ! Iterations compute the halo of the array, too:
    subroutine dvmdbg_computes_halo(a) bind(c, name="dvmdbg_f_computes_halo")
      type(*), dimension(..), intent(in), target :: a
    end subroutine

    ! Before task_begin: the task depends on task k, and on those that k depends on.
    subroutine dvmdbg_after(k) bind(c, name="dvmdbg_f_after")
      type(*), dimension(..), intent(in) :: k
    end subroutine

    ! Where the renewal of the array's halo begins, and is complete (alone: both), on any number of ranks:
    subroutine dvmdbg_halo_start(a) bind(c, name="dvmdbg_f_halo_start")
      type(*), dimension(..), intent(in), target :: a
    end subroutine

    subroutine dvmdbg_halo(a) bind(c, name="dvmdbg_f_halo")
      type(*), dimension(..), intent(in), target :: a
    end subroutine

    ! Where an asynchronous reduction begins; dvmdbg_reduction is where it is complete:
    subroutine dvmdbg_reduction_start(a) bind(c, name="dvmdbg_f_reduction_start")
      type(*), dimension(..), intent(in), target :: a
    end subroutine

    ! What is loaded into a from now on is of other ranks:
    subroutine dvmdbg_remote(a) bind(c, name="dvmdbg_f_remote")
      type(*), dimension(..), intent(in), target :: a
    end subroutine

    subroutine dvmdbg_pl_end() bind(c, name="dvmdbg_f_pl_end")
    end subroutine

    subroutine dvmdbg_sl_begin(first, last) bind(c, name="dvmdbg_f_sl_begin")
      type(*), dimension(..), intent(in), optional :: first, last
    end subroutine

    subroutine dvmdbg_sl_end() bind(c, name="dvmdbg_f_sl_end")
    end subroutine

    subroutine dvmdbg_tr_begin(first, last, writes, reads) bind(c, name="dvmdbg_f_tr_open")
      import :: c_char
      type(*), dimension(..), intent(in), optional :: first, last
      character(kind=c_char, len=*), intent(in), optional :: writes, reads
    end subroutine

    subroutine dvmdbg_tr_end() bind(c, name="dvmdbg_f_tr_end")
    end subroutine

    subroutine dvmdbg_task_begin(k) bind(c, name="dvmdbg_f_task_begin")
      type(*), dimension(..), intent(in) :: k
    end subroutine

    subroutine dvmdbg_task_end() bind(c, name="dvmdbg_f_task_end")
    end subroutine

    subroutine dvmdbg_function_begin(name) bind(c, name="dvmdbg_f_function_begin")
      import :: c_char
      character(kind=c_char, len=*), intent(in) :: name
    end subroutine

    subroutine dvmdbg_function_end() bind(c, name="dvmdbg_f_function_end")
    end subroutine

    ! Between these a rank waits for orders and carries them out: a dispatch loop.
    subroutine dvmdbg_dispatch_begin() bind(c, name="dvmdbg_f_dispatch_begin")
    end subroutine

    subroutine dvmdbg_dispatch_end() bind(c, name="dvmdbg_f_dispatch_end")
    end subroutine

    ! What follows in the parallel loop is in no iteration, for example packing and sending.
    subroutine dvmdbg_pl_iteration_end() bind(c, name="dvmdbg_f_pl_iteration_end")
    end subroutine

    ! a: a variable or an array that is the result of a reduction, which has been completed; op: one of
    ! dvmdbg_sum and the others above.
    subroutine dvmdbg_reduction(a, op) bind(c, name="dvmdbg_f_reduction")
      import :: c_int
      type(*), dimension(..), intent(in), target :: a
      integer(c_int), value :: op
    end subroutine

    ! What this rank did since the last construct is its own: behind what only some ranks do, or do otherwise, outside
    ! of parallel loops and task regions. All ranks call it.
    subroutine dvmdbg_skip() bind(c, name="dvmdbg_f_skip")
    end subroutine
  end interface

  ! Indices that are distributed cyclically, for index1 and the others: of first … last every step-th, or every step the
  ! next block of them.
  interface dvmdbg_cyclic
    module procedure dvmdbg_cyclic_4, dvmdbg_cyclic_8
  end interface

  ! The index values of the iteration that begins; one to three, of kind 4 or 8.
  interface dvmdbg_iteration
    subroutine dvmdbg_f_iteration_4(i) bind(c, name="dvmdbg_f_iteration_4")
      import :: c_int
      integer(c_int), value :: i
    end subroutine
    subroutine dvmdbg_f_iteration_44(i, j) bind(c, name="dvmdbg_f_iteration_44")
      import :: c_int
      integer(c_int), value :: i, j
    end subroutine
    subroutine dvmdbg_f_iteration_444(i, j, k) bind(c, name="dvmdbg_f_iteration_444")
      import :: c_int
      integer(c_int), value :: i, j, k
    end subroutine
    subroutine dvmdbg_f_iteration_8(i) bind(c, name="dvmdbg_f_iteration_8")
      import :: c_int64_t
      integer(c_int64_t), value :: i
    end subroutine
    subroutine dvmdbg_f_iteration_88(i, j) bind(c, name="dvmdbg_f_iteration_88")
      import :: c_int64_t
      integer(c_int64_t), value :: i, j
    end subroutine
    subroutine dvmdbg_f_iteration_888(i, j, k) bind(c, name="dvmdbg_f_iteration_888")
      import :: c_int64_t
      integer(c_int64_t), value :: i, j, k
    end subroutine
  end interface

  ! As that, of a parallel loop, and by any thread.
  interface dvmdbg_pl_iteration
    subroutine dvmdbg_f_pl_iteration_4(i) bind(c, name="dvmdbg_f_pl_iteration_4")
      import :: c_int
      integer(c_int), value :: i
    end subroutine
    subroutine dvmdbg_f_pl_iteration_44(i, j) bind(c, name="dvmdbg_f_pl_iteration_44")
      import :: c_int
      integer(c_int), value :: i, j
    end subroutine
    subroutine dvmdbg_f_pl_iteration_444(i, j, k) bind(c, name="dvmdbg_f_pl_iteration_444")
      import :: c_int
      integer(c_int), value :: i, j, k
    end subroutine
    subroutine dvmdbg_f_pl_iteration_8(i) bind(c, name="dvmdbg_f_pl_iteration_8")
      import :: c_int64_t
      integer(c_int64_t), value :: i
    end subroutine
    subroutine dvmdbg_f_pl_iteration_88(i, j) bind(c, name="dvmdbg_f_pl_iteration_88")
      import :: c_int64_t
      integer(c_int64_t), value :: i, j
    end subroutine
    subroutine dvmdbg_f_pl_iteration_888(i, j, k) bind(c, name="dvmdbg_f_pl_iteration_888")
      import :: c_int64_t
      integer(c_int64_t), value :: i, j, k
    end subroutine
  end interface

contains

  pure function dvmdbg_cyclic_8(first, last, step, block) result(list)
    integer(c_int64_t), intent(in) :: first, last, step
    integer(c_int64_t), intent(in), optional :: block
    integer(c_int64_t), allocatable :: list(:)
    integer(c_int64_t) :: wide, i, k, n
    wide = 1
    if (present(block)) wide = block
    n = 0
    if (step >= 1) then
      do i = first, last, step
        n = n + min(wide, last - i + 1)
      end do
    end if
    allocate(list(max(n, 0_c_int64_t)))
    n = 0
    if (size(list) > 0) then
      do i = first, last, step
        do k = i, min(i + wide - 1, last)
          n = n + 1
          list(n) = k
        end do
      end do
    end if
  end function

  pure function dvmdbg_cyclic_4(first, last, step, block) result(list)
    integer(c_int), intent(in) :: first, last, step
    integer(c_int), intent(in), optional :: block
    integer(c_int64_t), allocatable :: list(:)
    integer(c_int64_t) :: wide
    wide = 1
    if (present(block)) wide = block
    list = dvmdbg_cyclic_8(int(first, c_int64_t), int(last, c_int64_t), int(step, c_int64_t), wide)
  end function
end module dvmdbg
