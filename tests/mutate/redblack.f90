! SPDX-License-Identifier: BSD-3-Clause
! Gauss-Seidel for Poisson's equation, red points and then black ones, in blocks of rows and columns.
program redblack
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: wp = kind(1d0), n = 18, m = 22, steps = 4
  real(wp), target :: scale = 1, omega = 1.3d0, residual = 0
  real(wp), allocatable, target :: u(:, :), f(:, :)
  integer :: rank, size, grid, north, south, west, east, r0, r1, c0, c1, it, ierr
  character(len=20) :: word

  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) scale
  end if
  call setup()
  call dvmdbg_function_begin('redblack')
  call dvmdbg_replicated(scale, 'scale')
  call dvmdbg_replicated(omega, 'omega')
  call dvmdbg_replicated(residual, 'residual')
  call dvmdbg_array(u, 'u', shape=[n, m], own_lo=[r0, c0], own_hi=[r1, c1], halo=[1, 1])
  call dvmdbg_array(f, 'f', shape=[n, m], own_lo=[r0, c0], own_hi=[r1, c1])
  call start()
  call dvmdbg_sl_begin(first=1, last=steps)
  do it = 1, steps
    call dvmdbg_iteration(it)
    call colour(0)
    call colour(1)
    call norm()
  end do
  call dvmdbg_sl_end()
  if (rank == 0) print '(a,es12.6)', 'redblack: residual ', residual
  call dvmdbg_forget('u')
  call dvmdbg_forget('f')
  call dvmdbg_function_end()
  call MPI_Finalize(ierr)

contains

  subroutine setup()
    integer :: dims(2), at(2)
    call MPI_Init(ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
    dims = 0
    call MPI_Dims_create(size, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .false., grid, ierr)
    call MPI_Comm_rank(grid, rank, ierr)
    call MPI_Cart_coords(grid, rank, 2, at, ierr)
    call MPI_Cart_shift(grid, 0, 1, north, south, ierr)
    call MPI_Cart_shift(grid, 1, 1, west, east, ierr)
    r0 = n * at(1) / dims(1) + 1
    r1 = n * (at(1) + 1) / dims(1)
    c0 = m * at(2) / dims(2) + 1
    c1 = m * (at(2) + 1) / dims(2)
    allocate (u(r0 - 1:r1 + 1, c0 - 1:c1 + 1), f(r0:r1, c0:c1))
    u = 0
    f = 0
  end subroutine

  subroutine start()
    integer :: i, j
    call dvmdbg_pl_begin(first=[1, 1], last=[n, m], on=u, writes='u,f')
    do j = c0, c1
      do i = r0, r1
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        u(i, j) = scale * 0.1d0 * (i + 0.5d0 * j)
        f(i, j) = scale * sin(0.6d0 * i) * cos(0.5d0 * j)
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  ! The points whose row and column have an even sum, or an odd one.
  subroutine colour(odd)
    integer, intent(in) :: odd
    integer :: i, j, first
    real(wp) :: mean
    call exchange()
    call dvmdbg_pl_begin(first=[2, 2], last=[n - 1, m - 1], on=u, writes='u', reads='u,f')
    do j = max(c0, 2), min(c1, m - 1)
      first = max(r0, 2)
      if (mod(first + j + odd, 2) /= 0) first = first + 1
      do i = first, min(r1, n - 1), 2
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        mean = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - f(i, j))
        u(i, j) = u(i, j) + omega * (mean - u(i, j))
      end do
    end do
    call dvmdbg_pl_end()
  end subroutine

  subroutine norm()
    integer :: i, j
    real(wp) :: local, r
    call exchange()
    local = 0
    call dvmdbg_pl_begin(first=[2, 2], last=[n - 1, m - 1], on=u, reads='u,f')
    do j = max(c0, 2), min(c1, m - 1)
      do i = max(r0, 2), min(r1, n - 1)
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(i, j)
        r = u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j) - f(i, j)
        local = local + r * r
      end do
    end do
    call MPI_Allreduce(local, residual, 1, MPI_DOUBLE_PRECISION, MPI_SUM, grid, ierr)
    call dvmdbg_reduction(residual, dvmdbg_sum)
    call dvmdbg_pl_end()
  end subroutine

  ! Rows go through buffers, columns as they are.
  subroutine exchange()
    real(wp) :: first(c0:c1), last(c0:c1), above(c0:c1), below(c0:c1)
    first = u(r0, c0:c1)
    last = u(r1, c0:c1)
    call MPI_Sendrecv(first, c1 - c0 + 1, MPI_DOUBLE_PRECISION, north, 1, below, c1 - c0 + 1, &
      MPI_DOUBLE_PRECISION, south, 1, grid, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(last, c1 - c0 + 1, MPI_DOUBLE_PRECISION, south, 2, above, c1 - c0 + 1, &
      MPI_DOUBLE_PRECISION, north, 2, grid, MPI_STATUS_IGNORE, ierr)
    if (north /= MPI_PROC_NULL) u(r0 - 1, c0:c1) = above
    if (south /= MPI_PROC_NULL) u(r1 + 1, c0:c1) = below
    call MPI_Sendrecv(u(r0, c0), r1 - r0 + 1, MPI_DOUBLE_PRECISION, west, 3, u(r0, c1 + 1), r1 - r0 + 1, &
      MPI_DOUBLE_PRECISION, east, 3, grid, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(u(r0, c1), r1 - r0 + 1, MPI_DOUBLE_PRECISION, east, 4, u(r0, c0 - 1), r1 - r0 + 1, &
      MPI_DOUBLE_PRECISION, west, 4, grid, MPI_STATUS_IGNORE, ierr)
  end subroutine
end program
