! SPDX-License-Identifier: GPL-3.0-or-later
! Errors of parallelisation in Fortran, a case each, and near misses that have none: cases CASE. The line that is wrong
! has the case's name in a comment.
program cases
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: n = 16
  integer :: rank, size, ierr, c0, c1, from, to
  real(8), allocatable, target :: u(:, :), v(:, :)
  real(8), allocatable :: work(:)
  real(8), target :: total
  character(len=32) :: name
  call get_command_argument(1, name)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  ! columns are distributed
  c0 = n * rank / size + 1
  c1 = n * (rank + 1) / size
  from = max(c0, 2)
  to = min(c1, n - 1)
  allocate (u(n, c0 - 1:c1 + 1), v(n, c0 - 1:c1 + 1), work(2))
  call dvmdbg_array(u, "u", shape=[n, n], own_lo=[1, c0], own_hi=[n, c1], halo=[0, 1])
  call dvmdbg_array(v, "v", shape=[n, n], own_lo=[1, c0], own_hi=[n, c1], halo=[0, 1])
  call fill()
  select case (name)
  case ('flow')
    call relax(.false.)
  case ('right-across')
    call relax(.true.)
  case ('stale')
    call stencil(.false.)
  case ('right-renewed')
    call stencil(.true.)
  case ('sum-unnamed')
    call sum_up(.false.)
  case ('right-sum')
    call sum_up(.true.)
  case ('unset')
    call unset(.false.)
  case ('right-set')
    call unset(.true.)
  case ('halo-written')
    call scatter(1)
  case ('right-own')
    call scatter(0)
  case ('private-unset')
    call temporary(.false.)
  case ('right-private')
    call temporary(.true.)
  end select
  call MPI_Finalize(ierr)

contains

  subroutine renew(a)
    real(8), intent(inout) :: a(n, c0 - 1:c1 + 1)
    integer :: left, right
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
    call MPI_Sendrecv(a(1, c0), n, MPI_DOUBLE_PRECISION, left, 1, a(1, c1 + 1), n, MPI_DOUBLE_PRECISION, right, 1, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(a(1, c1), n, MPI_DOUBLE_PRECISION, right, 2, a(1, c0 - 1), n, MPI_DOUBLE_PRECISION, left, 2, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call dvmdbg_halo(a)
  end subroutine

  subroutine fill()
    integer :: i, j
    call dvmdbg_pl_begin(first=[1, 1], last=[n, n], on=u, writes='u')
    do j = c0, c1
      do i = 1, n
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        u(i, j) = i + j
      end do
    end do
    call dvmdbg_pl_end()
    call renew(u)
  end subroutine

  subroutine relax(declared)
    logical, intent(in) :: declared
    integer :: i, j
    if (declared) call dvmdbg_across(u, below=[1, 0])
    call dvmdbg_pl_begin(first=[2, 1], last=[n, n], on=u, writes='u')
    do j = c0, c1
      do i = 2, n
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        u(i, j) = u(i - 1, j) + 1 ! flow
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine stencil(renewed)
    logical, intent(in) :: renewed
    integer :: i, j, step
    do step = 1, 2
      call dvmdbg_pl_begin(first=[1, 2], last=[n, n - 1], on=v, writes='v')
      do j = from, to
        do i = 1, n
          if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
          v(i, j) = u(i, j - 1) + u(i, j + 1) ! stale
        end do
      end do
      call dvmdbg_pl_end()
      call dvmdbg_pl_begin(first=[1, 2], last=[n, n - 1], on=u, writes='u')
      do j = from, to
        do i = 1, n
          if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
          u(i, j) = v(i, j)
        end do
      end do
      call dvmdbg_pl_end()
      if (renewed) call renew(u)
    end do
  end subroutine

  ! One number of an array on the heap, so that it is in no register.
  subroutine sum_up(reduced)
    logical, intent(in) :: reduced
    integer :: i, j
    work = 0
    call dvmdbg_pl_begin(first=[1, 1], last=[n, n], on=u, reads='u')
    do j = c0, c1
      do i = 1, n
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        work(1 + mod(i, 1)) = work(1 + mod(i, 1)) + u(i, j) ! sum-unnamed
      end do
    end do
    call dvmdbg_pl_end()
    if (reduced) call MPI_Allreduce(work, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine unset(all)
    logical, intent(in) :: all
    integer :: i, j
    do j = c0, c1
      do i = 1, n
        if (all .or. i /= 5 .or. j /= 3) v(i, j) = i
      end do
    end do
    call dvmdbg_pl_begin(first=[1, 1], last=[n, n], on=u, writes='u')
    do j = c0, c1
      do i = 1, n
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        u(i, j) = v(i, j) ! unset
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine scatter(away)
    integer, intent(in) :: away
    integer :: i, j
    call dvmdbg_pl_begin(first=[1, 2], last=[n, n - 1], on=u, writes='u')
    do j = from, to
      do i = 1, n
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        if (i == 4 .and. j == n / 2) u(i, j + away) = 0 ! halo-written
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine temporary(set)
    logical, intent(in) :: set
    integer :: i, j
    work = 0
    call dvmdbg_private(work)
    call dvmdbg_pl_begin(first=[1, 1], last=[n, n], on=u, writes='u')
    do j = c0, c1
      do i = 1, n
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        if (set .or. i /= 7 .or. j /= 2) work(1) = i
        u(i, j) = work(1) ! private-unset
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine
end program
