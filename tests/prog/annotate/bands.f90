! SPDX-License-Identifier: GPL-3.0-or-later
! A step that is reduced over the ranks, explicit in one direction, and implicit along the other from
! band to band. With "most" the largest step is taken, and not the smallest.
program bands
  use mpi
  implicit none
  integer :: n, steps, t, i, j, rank, size, jl, jh, left, right, ierr
  character(20) :: arg
  real(8) :: s, all, dt, own
  real(8), allocatable :: u(:,:), d(:,:), e(:,:)
  logical :: most
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call get_command_argument(1, arg)
  read (arg, *) n
  call get_command_argument(2, arg)
  read (arg, *) steps
  call get_command_argument(3, arg)
  most = arg == 'most'
  jl = rank * n / size + 1
  jh = (rank + 1) * n / size
  left = merge(MPI_PROC_NULL, rank - 1, rank == 0)
  right = merge(MPI_PROC_NULL, rank + 1, rank == size - 1)
  allocate (u(0:n+1, jl-1:jh+1), d(n, jl:jh), e(n, jl-1:jh+1))
  u = 0
  do j = jl, jh
    do i = 1, n
      u(i, j) = sin(3.1d0 * i / n) * sin(6.2d0 * j / n) + 0.1d0 * i / n
    end do
  end do
  do t = 1, steps
    own = 0.5d0 / (1 + maxval(abs(u(1:n, jl:jh))))
    if (most) call MPI_Allreduce(own, dt, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
    if (.not. most) call MPI_Allreduce(own, dt, 1, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD, ierr)
    call explicit_part()
    call implicit_part()
  end do
  s = sum(u(1:n, jl:jh)**2)
  call MPI_Allreduce(s, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,es20.12)', 'norm', sqrt(all)
  call MPI_Finalize(ierr)
contains
  subroutine explicit_part()
    integer :: i, j
    call MPI_Sendrecv(u(1, jh), n, MPI_DOUBLE_PRECISION, right, 1, u(1, jl-1), n, MPI_DOUBLE_PRECISION, left, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(u(1, jl), n, MPI_DOUBLE_PRECISION, left, 2, u(1, jh+1), n, MPI_DOUBLE_PRECISION, right, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do j = jl, jh
      do i = 1, n
        d(i, j) = u(i, j) + dt * (u(i-1, j) - 2 * u(i, j) + u(i+1, j)) + dt * (u(i, j-1) - 2 * u(i, j) + u(i, j+1))
      end do
    end do
  end subroutine
  subroutine implicit_part()
    integer :: i, j
    real(8) :: f
    e(:, jl-1) = 0
    if (left /= MPI_PROC_NULL) call MPI_Recv(e(1, jl-1), n, MPI_DOUBLE_PRECISION, left, 3, MPI_COMM_WORLD, &
                                             MPI_STATUS_IGNORE, ierr)
    f = 0.25d0 * dt
    do j = jl, jh
      do i = 1, n
        e(i, j) = (d(i, j) + f * e(i, j-1)) / (1 + f)
      end do
    end do
    call MPI_Send(e(1, jh), n, MPI_DOUBLE_PRECISION, right, 3, MPI_COMM_WORLD, ierr)
    do j = jl, jh
      do i = 1, n
        u(i, j) = e(i, j)
      end do
    end do
  end subroutine
end program
