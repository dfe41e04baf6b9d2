! SPDX-License-Identifier: BSD-3-Clause
! A sweep from the upper left corner: a pipeline of ranks with blocks of columns, a few rows at a time.
program wavefront
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: wp = kind(1d0), n = 24, m = 20, steps = 3, few = 5
  real(wp), target :: scale = 1, top = 0
  real(wp), allocatable, target :: a(:, :), f(:, :)
  integer :: rank, size, left, right, c0, c1, i, j, i0, i1, t, ierr
  real(wp) :: c = 0.3d0, local = 0
  character(len=20) :: word

  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) scale
  end if
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  c0 = m * rank / size + 1
  c1 = m * (rank + 1) / size
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
  allocate (a(n, c0 - 1:c1 + 1), f(n, c0:c1))
  a = 0
  f = 0
  call dvmdbg_function_begin('wavefront')
  call dvmdbg_replicated(scale, 'scale')
  call dvmdbg_replicated(top, 'top')
  call dvmdbg_array(a, 'a', shape=[n, m], own_lo=[1, c0], own_hi=[n, c1], halo=[0, 1])
  call dvmdbg_array(f, 'f', shape=[n, m], own_lo=[1, c0], own_hi=[n, c1])

  call dvmdbg_pl_begin(first=[1, 1], last=[n, m], on=f, writes='a,f')
  do j = c0, c1
    do i = 1, n
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
      f(i, j) = scale * (1 + sin(0.4d0 * i) * cos(0.3d0 * j))
      a(i, j) = 0
    end do
  end do
  call dvmdbg_pl_end()

  call dvmdbg_sl_begin(first=1, last=steps)
  do t = 1, steps
    call dvmdbg_iteration(t)
    call sweep()
    call dvmdbg_pl_begin(first=[1, 1], last=[n, m], on=f, writes='f', reads='a')
    do j = c0, c1
      do i = 1, n
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        f(i, j) = 0.5d0 * f(i, j) + 0.25d0 * a(i, j)
      end do
    end do
    call dvmdbg_pl_end()
  end do
  call dvmdbg_sl_end()

  call dvmdbg_pl_begin(first=[1, 1], last=[n, m], on=a, reads='a')
  do j = c0, c1
    do i = 1, n
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
      local = max(local, abs(a(i, j)))
    end do
  end do
  call MPI_Allreduce(local, top, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  call dvmdbg_reduction(top, dvmdbg_max)
  call dvmdbg_pl_end()
  if (rank == 0) print '(a,es19.12)', 'wavefront: greatest ', top
  call dvmdbg_forget('a')
  call dvmdbg_forget('f')
  call dvmdbg_function_end()
  call MPI_Finalize(ierr)

contains

  ! a from f and from the points above and to the left. The column to the left comes from there.
  subroutine sweep()
    call dvmdbg_pl_begin(first=[2, 2], last=[n, m], on=a, writes='a', reads='a,f')
    do i0 = 2, n, few
      i1 = min(i0 + few - 1, n)
      if (dvmdbg_hooked) call dvmdbg_pl_iteration_end()
      call MPI_Recv(a(i0, c0 - 1), i1 - i0 + 1, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE, ierr)
      do j = max(c0, 2), c1
        do i = i0, i1
          if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
          a(i, j) = f(i, j) + c * (a(i - 1, j) + a(i, j - 1))
        end do
      end do
      if (dvmdbg_hooked) call dvmdbg_pl_iteration_end()
      call MPI_Send(a(i0, c1), i1 - i0 + 1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, ierr)
    end do
    call dvmdbg_pl_end()
  end subroutine
end program
