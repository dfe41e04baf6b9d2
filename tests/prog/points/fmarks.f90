! SPDX-License-Identifier: GPL-3.0-or-later
! For test_runtime: the Fortran module, with every kind of description once.
program fmarks
  use dvmdbg
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: n = 6
  integer(int64), parameter :: long = n
  real(8), allocatable :: u(:, :), v(:, :), more(:, :)
  real(8), target :: eps = 0.5d0
  complex(8), target :: z = (1d0, 2d0)
  logical, target :: ok = .true.
  character(len=8), target :: tag = "heat"
  integer, target :: w(3) = [1, 2, 3]
  integer :: it, k

  allocate (u(0:n + 1, n), v(n, n))
  u = 1
  v = 2
  call dvmdbg_function_begin("solve ")
  call dvmdbg_array(u, "u", shape=[2*n, n], own_lo=[1, 1], own_hi=[n, n], halo=[1, 0])
  call dvmdbg_array(v(:, 1:n:2), "odd")
  call dvmdbg_array(v, "v", lower=0_int64, shape=[long, long])
  call dvmdbg_array(v, "none", shape=[9, n], nothing=1)
  call dvmdbg_replicated(eps, "eps")
  call dvmdbg_replicated(z, "z")
  call dvmdbg_replicated(ok, "ok")
  call dvmdbg_replicated(tag, "tag")
  call dvmdbg_replicated(w, "w")
  call dvmdbg_array(v, "wide", shape=[n, n], own_lo=[1, 1], own_hi=[n, n], halo=1)
  call dvmdbg_array(v, "long", shape=[n, n, n])
  call dvmdbg_array(v, "real", shape=[1.0, 2.0])
  call dvmdbg_sl_begin(first=1, last=2)
  do it = 1, 2
    call dvmdbg_iteration(it)
    call dvmdbg_pl_begin(first=[1, 1], last=[long, long], on=u, writes="U, v ,", reads="odd")
    u(it, it) = 2
    call dvmdbg_iteration(long, long)
    call dvmdbg_pl_end()
    call dvmdbg_tr_begin(reads="none")
    do k = 1, 2
      call dvmdbg_task_begin(k)
      call dvmdbg_pl_begin(writes="rsd")
      call dvmdbg_pl_end()
      call dvmdbg_task_end()
    end do
    call dvmdbg_tr_end()
  end do
  call dvmdbg_sl_end()
  allocate (more(n, 2*n))
  more = 3
  call dvmdbg_forget("odd")
  call dvmdbg_forget("none")
  call move_alloc(more, v)
  call dvmdbg_array(v, "v")
  call dvmdbg_forget("u")
  call dvmdbg_array(v(:, 2:5), "dealt", shape=[2*n, 9], lower=[0, 1], own_lo=[2, 1], own_hi=[7, 1], halo_hi=[0, 1], &
    index2=[8_1, 1_1, 5_1])
  call dvmdbg_array(v(1:3, 1:2), "both", shape=[long, long], index1=reshape([6, 0, 4, 0, 1, 0], [2, 3]), index2=[6, 2])
  call dvmdbg_array(v(1:3, 1:2), "cards", shape=[long, long], index1=w(3:1:-1), index2=[6_8, 2_8])
  call dvmdbg_array(v, "hand", shape=[n, 2*n], index2=w(2:1))
  call dvmdbg_array(v, "far", shape=[n, 9], index2=[9, 10])
  call dvmdbg_array(v, "much", shape=[2*n, 2*n], index1=[(k, k=1, n + 1)])
  call dvmdbg_array(v, "real", shape=[n, 2*n], index1=[1.0])
  call dvmdbg_array(v, "bare", index1=[1])
  call dvmdbg_array(v, "third", shape=[n, 2*n], index3=[1])
  call dvmdbg_pl_begin()
  call dvmdbg_function_end()
  call dvmdbg_pl_end()
  if (.not. ok .or. tag /= "heat" .or. real(z) > 2 .or. sum(w) /= 6 .or. eps > 1) stop 1
end program
