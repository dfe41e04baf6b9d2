! SPDX-License-Identifier: BSD-3-Clause
! Jacobi's method for Laplace's equation in blocks of columns with halos: the Fortran example of dvmdbg.
!   jacobi [N [STEPS]] [--fault NAME]; jacobi --fault list
! A fault a line, with tabs between: name, array, first wrong element, and file:line of the parallel loop that has it
! wrong first, on 4 ranks with the given N. The faults show on more than one rank only.
program jacobi
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: wp = kind(1d0)
  real(wp), parameter :: pi = acos(-1d0)
  integer, target :: n = 400, steps = 50
  real(wp), target :: weight = 0.25d0, change = 0
  real(wp), allocatable, target :: u(:, :), v(:, :)
  integer :: rank, ranks, left, right, c0, c1, west, east, i, j, it, ierr
  character(len=32) :: fault = ''
  real(wp) :: local, worst, shrink

  call options()
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  c0 = int(int(n, 8) * rank / ranks) + 1
  c1 = int(int(n, 8) * (rank + 1) / ranks)
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  west = max(c0, 2)
  east = min(c1, n - 1)
  allocate (u(n, c0 - 1:c1 + 1), v(n, c0 - 1:c1 + 1))
  u = 0
  v = 0
  if (fault == 'differing-weight' .and. rank == ranks - 1 .and. ranks > 1) weight = 0.249d0

  call dvmdbg_function_begin('jacobi')
  call dvmdbg_replicated(n, 'n')
  call dvmdbg_replicated(steps, 'steps')
  call dvmdbg_replicated(weight, 'weight')
  call dvmdbg_replicated(change, 'change')
  call dvmdbg_array(u, 'u', shape=[n, n], own_lo=[1, c0], own_hi=[n, c1], halo=[0, 1])
  call dvmdbg_array(v, 'v', shape=[n, n], own_lo=[1, c0], own_hi=[n, c1], halo=[0, 1])

  call dvmdbg_pl_begin(first=[1, 1], last=[n, n], on=u)
  do j = c0, c1
    do i = 1, n
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
      u(i, j) = wave(i, j)
    end do
  end do
  call dvmdbg_pl_end()

  call dvmdbg_sl_begin(first=1, last=steps)
  do it = 1, steps
    call dvmdbg_iteration(it)
    call renew(u)

    call dvmdbg_pl_begin(first=[2, 2], last=[n - 1, n - 1], on=v)
    do j = west, east
      do i = 2, n - 1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        v(i, j) = weight * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
    call dvmdbg_pl_end()

    local = 0
    call dvmdbg_pl_begin(first=[2, 2], last=[n - 1, n - 1], on=u)
    do j = west, east
      do i = 2, n - 1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        local = max(local, abs(v(i, j) - u(i, j)))
        u(i, j) = v(i, j)
      end do
    end do
    call dvmdbg_pl_end()
    call MPI_Allreduce(local, change, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
    call dvmdbg_reduction(change, dvmdbg_max)
  end do
  call dvmdbg_sl_end()

  ! A step only shrinks the wave that u began as.
  shrink = (cos(2 * pi / (n - 1)) + cos(3 * pi / (n - 1))) / 2
  local = 0
  do j = c0, c1
    do i = 1, n
      local = max(local, abs(u(i, j) - shrink**steps * wave(i, j)))
    end do
  end do
  call MPI_Allreduce(local, worst, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,i0,a,i0,a,i0,a,es8.1,1x,a)', 'jacobi: n ', n, ', ', steps, ' steps, ', ranks, &
    ' ranks: error', worst, merge('OK   ', 'WRONG', worst < 1d-10)
  call dvmdbg_function_end()
  call MPI_Finalize(ierr)
  if (.not. worst < 1d-10) stop 1

contains

  ! What u starts as: zero on the rim.
  pure real(wp) function wave(row, column)
    integer, intent(in) :: row, column
    wave = sin(2 * pi * (row - 1) / (n - 1)) * sin(3 * pi * (column - 1) / (n - 1))
    if (row == n .or. column == n) wave = 0
  end function

  ! Renews the halo columns.
  subroutine renew(a)
    real(wp), intent(inout) :: a(1:, c0 - 1:)
    integer :: from, to
    from = merge(MPI_PROC_NULL, right, fault == 'missing-halo')
    to = merge(MPI_PROC_NULL, left, fault == 'missing-halo')
    call MPI_Sendrecv(a(1, c0), n, MPI_DOUBLE_PRECISION, to, 1, a(1, c1 + 1), n, MPI_DOUBLE_PRECISION, &
      from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(a(1, c1), n, MPI_DOUBLE_PRECISION, right, 2, a(1, c0 - 1), n, MPI_DOUBLE_PRECISION, &
      left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine

  subroutine options()
    character(len=32) :: word
    integer :: k, given, bad
    logical :: list, named
    list = .false.
    named = .false.
    given = 0
    do k = 1, command_argument_count()
      call get_command_argument(k, word)
      bad = 0
      if (named) then
        list = word == 'list'
        fault = word
        if (all(word /= [character(len=32) :: 'list', 'differing-weight', 'missing-halo'])) bad = 1
        named = .false.
      else if (word == '--fault') then
        named = .true.
      else
        given = given + 1
        if (given == 1) read (word, *, iostat=bad) n
        if (given == 2) read (word, *, iostat=bad) steps
        if (given > 2 .or. n < 8 .or. steps < 0) bad = 1
      end if
      if (bad /= 0) then
        print '(3a)', 'jacobi: not understood: ', trim(word), &
          '; usage: jacobi [N [STEPS]] [--fault NAME], N from 8; --fault list'
        stop 2
      end if
    end do
    if (list) then
      print '(a)', 'differing-weight'//achar(9)//'weight'//achar(9)//'weight'//achar(9)//'jacobi.f90:42'
      print '(a,i0,a)', 'missing-halo'//achar(9)//'v'//achar(9)//'v(2,', n / 4, ')'//achar(9)//'jacobi.f90:56'
      stop
    end if
  end subroutine
end program
