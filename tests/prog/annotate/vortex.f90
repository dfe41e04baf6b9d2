! SPDX-License-Identifier: GPL-3.0-or-later
! Each rank has the whole arrays, which are declared larger than they are used, sets all of them to zero, and works on the
! columns js to je. usage: vortex N STEPS [late]
program vortex
   use mpi
   implicit none
   integer, parameter :: most = 90
   double precision :: psi(most, most), wrk(most, most), dt
   integer :: n, steps, js, je, rank, ranks, ierr, i, j, k
   double precision :: part, all
   character(len=16) :: arg
   logical :: late
   common /flow/ psi, wrk, dt, n, js, je, rank, ranks
   call mpi_init(ierr)
   call mpi_comm_rank(mpi_comm_world, rank, ierr)
   call mpi_comm_size(mpi_comm_world, ranks, ierr)
   call get_command_argument(1, arg)
   read (arg, *) n
   call get_command_argument(2, arg)
   read (arg, *) steps
   late = command_argument_count() > 2
   dt = 0.2d0
   js = rank*(n/ranks) + 1 + min(rank, mod(n, ranks))
   je = js + n/ranks - 1
   if (rank < mod(n, ranks)) je = je + 1
   do j = 1, n
      do i = 1, n
         psi(i, j) = 0
         wrk(i, j) = 0
      end do
   end do
   do k = 1, steps
      call source(k)
      if (.not. late) call exchange()
      call relax()
   end do
   part = 0
   do j = js, je
      do i = 1, n
         part = part + psi(i, j)**2
      end do
   end do
   call mpi_reduce(part, all, 1, mpi_double_precision, mpi_sum, 0, mpi_comm_world, ierr)
   if (rank == 0) print '(a, es20.11)', 'sum', all
   call mpi_finalize(ierr)
end program

subroutine source(k)
   implicit none
   integer, parameter :: most = 90
   double precision :: psi(most, most), wrk(most, most), dt
   integer :: n, js, je, rank, ranks, i, j, k
   common /flow/ psi, wrk, dt, n, js, je, rank, ranks
   do j = max(js, 2), min(je, n - 1)
      do i = 2, n - 1
         psi(i, j) = psi(i, j) + 0.01d0*sin(0.3d0*i)*cos(0.2d0*j)/k
      end do
   end do
end subroutine

subroutine exchange()
   use mpi
   implicit none
   integer, parameter :: most = 90
   double precision :: psi(most, most), wrk(most, most), dt
   integer :: n, js, je, rank, ranks, left, right, ierr
   common /flow/ psi, wrk, dt, n, js, je, rank, ranks
   left = rank - 1
   if (rank == 0) left = mpi_proc_null
   right = rank + 1
   if (right == ranks) right = mpi_proc_null
   call mpi_sendrecv(psi(1, je), n, mpi_double_precision, right, 0, psi(1, max(js - 1, 1)), n, mpi_double_precision, left, 0, &
                     mpi_comm_world, mpi_status_ignore, ierr)
   call mpi_sendrecv(psi(1, js), n, mpi_double_precision, left, 1, psi(1, je + 1), n, mpi_double_precision, right, 1, &
                     mpi_comm_world, mpi_status_ignore, ierr)
end subroutine

subroutine relax()
   implicit none
   integer, parameter :: most = 90
   double precision :: psi(most, most), wrk(most, most), dt
   integer :: n, js, je, rank, ranks, i, j
   common /flow/ psi, wrk, dt, n, js, je, rank, ranks
   do j = max(js, 2), min(je, n - 1)
      do i = 2, n - 1
         wrk(i, j) = psi(i, j) + dt*(psi(i - 1, j) + psi(i + 1, j) + psi(i, j - 1) + psi(i, j + 1) - 4*psi(i, j))
      end do
   end do
   do j = max(js, 2), min(je, n - 1)
      do i = 2, n - 1
         psi(i, j) = wrk(i, j)
      end do
   end do
end subroutine
