! SPDX-License-Identifier: GPL-3.0-or-later
! lanes N STEPS: conjugate gradients on columns, whose operator and products are functions of dummy arrays
module lanes_mod
  use mpi
  implicit none
  integer :: n, m, lo, me, np, left, next
contains
  subroutine apply(p, q)
    real(8), intent(inout) :: p(0:, 0:)
    real(8), intent(out) :: q(0:, 0:)
    integer :: i, j, st(MPI_STATUS_SIZE), ierr
    call mpi_sendrecv(p(0, 1), n + 2, MPI_DOUBLE_PRECISION, left, 0, p(0, m + 1), n + 2, &
         MPI_DOUBLE_PRECISION, next, 0, MPI_COMM_WORLD, st, ierr)
    call mpi_sendrecv(p(0, m), n + 2, MPI_DOUBLE_PRECISION, next, 1, p(0, 0), n + 2, &
         MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, st, ierr)
    do j = 1, m ! apply
      do i = 1, n
        q(i, j) = 4.2d0*p(i, j) - p(i - 1, j) - p(i + 1, j) - p(i, j - 1) - p(i, j + 1)
      end do
    end do
  end subroutine apply

  real(8) function dot(a, b)
    real(8), intent(in) :: a(0:, 0:), b(0:, 0:)
    real(8) :: s
    integer :: i, j, ierr
    s = 0
    do j = 1, m ! dot
      do i = 1, n
        s = s + a(i, j)*b(i, j)
      end do
    end do
    call mpi_allreduce(s, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end function dot
end module lanes_mod

program lanes
  use lanes_mod
  implicit none
  real(8), allocatable :: x(:, :), r(:, :), d(:, :), w(:, :)
  real(8) :: rho, new, alpha
  integer :: i, j, k, steps, ierr
  character(12) :: arg
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, np, ierr)
  n = 24; steps = 6
  call get_command_argument(1, arg)
  if (len_trim(arg) > 0) read (arg, *) n
  call get_command_argument(2, arg)
  if (len_trim(arg) > 0) read (arg, *) steps
  lo = me*n/np
  m = (me + 1)*n/np - lo
  left = merge(me - 1, MPI_PROC_NULL, me > 0)
  next = merge(me + 1, MPI_PROC_NULL, me < np - 1)
  allocate (x(0:n + 1, 0:m + 1), r(0:n + 1, 0:m + 1), d(0:n + 1, 0:m + 1), w(0:n + 1, 0:m + 1))
  x = 0; r = 0; d = 0; w = 0
  do j = 1, m
    do i = 1, n
      r(i, j) = sin(0.2d0*i) + 0.1d0*(lo + j)
      d(i, j) = r(i, j)
    end do
  end do
  rho = dot(r, r)
  do k = 1, steps
    call apply(d, w)
    alpha = rho/dot(d, w)
    do j = 1, m
      do i = 1, n
        x(i, j) = x(i, j) + alpha*d(i, j)
        r(i, j) = r(i, j) - alpha*w(i, j)
      end do
    end do
    new = dot(r, r)
    do j = 1, m
      do i = 1, n
        d(i, j) = r(i, j) + new/rho*d(i, j)
      end do
    end do
    rho = new
  end do
  rho = dot(x, x)
  if (me == 0) print '(a, es18.10)', 'norm', sqrt(rho)
  call mpi_finalize(ierr)
end program lanes
