! SPDX-License-Identifier: GPL-3.0-or-later
! order FIRST: on three ranks, ranks 1 and 2 send to rank 0; FIRST is who does so first. Rank 0 takes what comes by mpi_recv
! and by mpi_irecv.
program order
   use mpi
   implicit none
   integer :: ierr, me, first, requests(2), statuses(mpi_status_size, 2), k
   double precision :: got(2), mine, until
   character(len=8) :: word

   call mpi_init(ierr)
   call mpi_comm_rank(mpi_comm_world, me, ierr)
   call get_command_argument(1, word)
   read (word, *) first
   mine = me
   do k = 1, 2
      if (me == 0) then
         if (k == 1) then
            call mpi_recv(got(1), 1, mpi_double_precision, mpi_any_source, k, mpi_comm_world, mpi_status_ignore, ierr)
            call mpi_recv(got(2), 1, mpi_double_precision, mpi_any_source, k, mpi_comm_world, mpi_status_ignore, ierr)
         else
            call mpi_irecv(got(1), 1, mpi_double_precision, mpi_any_source, k, mpi_comm_world, requests(1), ierr)
            call mpi_irecv(got(2), 1, mpi_double_precision, mpi_any_source, k, mpi_comm_world, requests(2), ierr)
            call mpi_waitall(2, requests, statuses, ierr)
         end if
         print '(a,i0,a,i0)', 'got ', int(got(1)), ' then ', int(got(2))
      else
         ! the other one's message is there by then
         until = mpi_wtime() + merge(0d0, 0.3d0, me == first)
         do while (mpi_wtime() < until)
         end do
         call mpi_send(mine, 1, mpi_double_precision, 0, k, mpi_comm_world, ierr)
      end if
      call mpi_barrier(mpi_comm_world, ierr)
   end do
   call mpi_finalize(ierr)
end program order
