! SPDX-License-Identifier: GPL-3.0-or-later
! check N STEPS: red and black points of columns that are distributed; names of implicit types
      program check
      use mpi
      implicit double precision (a-h, o-z)
      integer ip(2), st(MPI_STATUS_SIZE)
      double precision, allocatable :: f(:, :), g(:, :)
      character(len=16) arg
      call mpi_init(ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, np, ierr)
      ip = (/ 30, 6 /)
      if (me .eq. 0) then
         do k = 1, min(2, command_argument_count())
            call get_command_argument(k, arg)
            read (arg, *) ip(k)
         end do
      end if
      call mpi_bcast(ip, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      n = ip(1)
      nst = ip(2)
      om = 1.5d0
      lo = me * n / np
      m = (me + 1) * n / np - lo
      left = me - 1
      if (me .eq. 0) left = MPI_PROC_NULL
      next = me + 1
      if (next .eq. np) next = MPI_PROC_NULL
      allocate (f(0:n + 1, 0:m + 1), g(0:n + 1, 0:m + 1))
      do j = 0, m + 1
         do i = 0, n + 1
            f(i, j) = 0.01d0 * i + 0.02d0 * (lo + j)
            g(i, j) = sin(0.3d0 * (lo + j))
         end do
      end do
      do k = 1, nst
         do ic = 0, 1
            call mpi_sendrecv(f(0, 1), n + 2, MPI_DOUBLE_PRECISION, left, 0, &
               f(0, m + 1), n + 2, MPI_DOUBLE_PRECISION, next, 0, MPI_COMM_WORLD, st, ierr)
            call mpi_sendrecv(f(0, m), n + 2, MPI_DOUBLE_PRECISION, next, 1, &
               f(0, 0), n + 2, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, st, ierr)
            do j = 1, m
               do i = 1 + mod(lo + j + ic, 2), n, 2
                  f(i, j) = f(i, j) + om * (0.25d0 * (f(i - 1, j) + f(i + 1, j) + f(i, j - 1) &
                     + f(i, j + 1)) - f(i, j) + 0.01d0 * g(i, j))
               end do
            end do
         end do
      end do
      s = sum(f(1:n, 1:m)**2)
      call mpi_reduce(s, t, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
      if (me .eq. 0) print '(a, es20.12)', 'norm', sqrt(t)
      call mpi_finalize(ierr)
      end program
