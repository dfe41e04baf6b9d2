! SPDX-License-Identifier: GPL-3.0-or-later
! terms: what terms.c has, in Fortran. Arrays are distributed by columns, and indices begin with 1.
module terms_data
  implicit none
  type point
    real(8) :: x, y
  end type
  type cell
    integer :: id
    real(8) :: t
    type(point) :: at
    real(4) :: w(3)
  end type
  real(8) :: global = 6.5d0
  integer :: counts(4) = [4, 3, 2, 1]
  integer :: rank, ranks
end module

module terms_look
  use terms_data
  use dvmdbg
  implicit none
contains
  real(8) function twice(x)
    real(8), intent(in) :: x

    twice = 2 * x
  end function

  real(8) function total(p, n)
    integer, intent(in) :: n
    real(8), intent(in) :: p(n)

    total = sum(p)
  end function

  integer function tick()
    integer, save :: ncalls = 10

    ncalls = ncalls + 1
    tick = ncalls
  end function

  subroutine look(c, p, n, a)
    type(cell), intent(in) :: c
    integer, intent(in) :: n
    real(8), intent(in) :: p(n), a(:, :)
    type(cell) :: cells(5)
    real(8) :: row(4), nothing(3), zero
    integer :: table(2, 3), i, mine, m
    complex(8) :: z
    real(8), allocatable :: work(:), none(:)
    real(8), pointer :: stride(:)
    real(8), target :: t(6)
    logical :: yes
    real(4) :: single
    character(len=8) :: text

    text = 'abc'
    row = [1.5d0, 2.5d0, -3.5d0, 4.5d0]
    zero = 0
    nothing = [zero / zero, 1 / zero, 1d0]
    table = reshape([1, 4, 2, 5, 3, 6], [2, 3])
    i = 2
    mine = 10 * rank
    z = (3d0, 4d0)
    allocate (work(2:5))
    work = [2, 3, 4, 5]
    t = [1, 2, 3, 4, 5, 6]
    stride => t(2:6:2)
    yes = .true.
    single = 0.5
    do m = 1, 5
      cells(m) = cell(m, m * 0.5d0, point(m, -m), real([m, m + 1, m + 2]))
    end do
    call dvmdbg_pl_begin(first=1, last=12)
    i = i + 1
    call dvmdbg_pl_end()
    row(1) = row(1) + cells(i)%t + nothing(3) + table(1, 1) + mine + real(z) + work(2) + stride(1) + single
    if (allocated(none) .or. .not. yes .or. row(1) > 1d9) print *, text, c%t, p(1), a, none
  end subroutine
end module

program terms
  use mpi
  use terms_data
  use terms_look
  use dvmdbg
  implicit none
  integer, parameter :: rows = 6, columns = 8, n = 12
  integer :: ierr, c0, c1, i0, i1, i, j, it
  real(8), allocatable :: grid(:, :), other(:, :), odd(:)
  complex(4), allocatable :: waves(:)
  integer(8), allocatable :: whole(:)
  logical, allocatable :: flags(:)
  integer, target :: copies(6) = [3, 1, 4, 1, 5, 9], k = 3
  real(8), target :: eps = 0.25d0
  real(8) :: heap(n), square(4, 2), zero = 0
  type(cell) :: one

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  c0 = columns * rank / ranks + 1
  c1 = columns * (rank + 1) / ranks
  i0 = n * rank / ranks + 1
  i1 = n * (rank + 1) / ranks
  allocate (grid(rows, c0 - 1:c1 + 1), other(rows, c0 - 1:c1 + 1), odd(i0:i1), waves(i0:i1), whole(i0:i1), flags(i0:i1))
  grid = 1d6
  other = -1d6
  do j = c0, c1
    do i = 1, rows
      grid(i, j) = (j - 1) * rows + i - 1
      other(i, j) = j - i
    end do
  end do
  do i = i0, i1
    odd(i) = i - 1
    if (i == 4) odd(i) = zero / zero
    if (i == 8) odd(i) = -1 / zero
    waves(i) = cmplx(i - 1, -2)
    whole(i) = mod((i - 1) * 5, n) - 4
    flags(i) = mod(i - 1, 3) == 0
  end do
  do i = 1, n
    heap(i) = (i - 1)**2
  end do
  square = reshape([11, 21, 31, 41, 12, 22, 32, 42], [4, 2])
  one = cell(7, 2.25d0, point(8, 9), [1.0, 2.0, 3.0])
  call dvmdbg_function_begin("terms")
  call dvmdbg_array(grid, "grid", shape=[rows, columns], own_lo=[1, c0], own_hi=[rows, c1], halo=[0, 1])
  call dvmdbg_array(other, "other", shape=[rows, columns], own_lo=[1, c0], own_hi=[rows, c1], halo=[0, 1])
  call dvmdbg_array(odd, "odd", shape=[n], own_lo=[i0], own_hi=[i1])
  call dvmdbg_array(waves, "waves", shape=[n], own_lo=[i0], own_hi=[i1])
  call dvmdbg_array(whole, "whole", shape=[n], own_lo=[i0], own_hi=[i1])
  call dvmdbg_array(flags, "flags", shape=[n], own_lo=[i0], own_hi=[i1])
  call dvmdbg_replicated(copies, "copies")
  call dvmdbg_replicated(k, "k")
  call dvmdbg_replicated(eps, "eps")
  call dvmdbg_sl_begin(first=1, last=2)
  do it = 1, 2
    call dvmdbg_iteration(it)
    call look(one, heap, n, square(1:4:2, :))
  end do
  call dvmdbg_sl_end()
  global = global + twice(total(heap, n)) + tick()
  call dvmdbg_function_end()
  call mpi_finalize(ierr)
end program
