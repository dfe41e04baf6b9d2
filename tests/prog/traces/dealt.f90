! SPDX-License-Identifier: GPL-3.0-or-later
! dealt [HOW]: arrays that are dealt out by lists of indices. row: every ranks-th element, from the end of its memory to
! the beginning. tile: rows and columns like cards to ranks on a grid, its rows from 0. node, flow: a mesh, nodes in any
! order, ghosts behind them; those of flow are its halo. HOW, with more than one rank: "row", "tile", "mesh" compute an
! element of these wrongly; "ghost" forgets to renew ghosts once.
program dealt
  use mpi
  use dvmdbg
  use, intrinsic :: iso_fortran_env, only: int16, int64
  implicit none
  integer, parameter :: n = 24, steps = 3, wp = kind(1d0)
  real(wp), allocatable, target :: memory(:)
  real(wp), pointer :: row(:)
  real(wp), allocatable :: tile(:, :), node(:), flow(:)
  integer(int64), allocatable :: cards(:)
  integer(int16) :: down(2, 0:n - 1)
  integer :: across(n), own(n), at(n), of(2 * n)
  integer :: rank, ranks, high, nrow, ndown, nacross, nown, ghosts, i, j, k, it, ierr
  character(len=8) :: how = ''

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  if (ranks > 1) call get_command_argument(1, how)
  nrow = (n - 1 - rank) / ranks + 1
  cards = pack([(int(i, int64), i=1, n)], [(mod(i - 1, ranks) == rank, i=1, n)])
  high = merge(2, 1, mod(ranks, 2) == 0)
  ndown = 0
  do i = mod(rank, high), n - 1, high
    down(2, ndown) = int(i, int16)
    ndown = ndown + 1
  end do
  across = 0
  nacross = 0
  do j = rank / high + 1, n, ranks / high
    nacross = nacross + 1
    across(nacross) = j
  end do
  call deal_nodes()
  allocate (memory(nrow))
  row => memory(nrow:1:-1)
  allocate (tile(ndown, nacross), node(nown + ghosts), flow(nown + ghosts))

  call dvmdbg_function_begin('dealt')
  call dvmdbg_array(row, 'row', shape=n, index1=cards)
  call dvmdbg_array(tile, 'tile', shape=[n, n], lower=[0, 1], index1=down(2, :ndown - 1), index2=across(:nacross))
  call dvmdbg_array(node, 'node', shape=n, index1=own(:nown))
  call dvmdbg_array(flow, 'flow', shape=n, index1=own(:nown), halo_lo=0, halo_hi=ghosts)

  call dvmdbg_pl_begin(first=1, last=n, on=row, writes='row')
  do k = 1, nrow
    i = int(cards(k))
    if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
    row(k) = sqrt(real(i, wp))
    if (how == 'row' .and. i == 11) row(k) = row(k) + 1
  end do
  call dvmdbg_pl_end()

  call dvmdbg_pl_begin(first=[0, 1], last=[n - 1, n], on=tile, writes='tile')
  do j = 1, nacross
    do k = 1, ndown
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(int(down(2, k - 1)), across(j))
      tile(k, j) = real(100 * down(2, k - 1) + across(j), wp)
    end do
  end do
  call dvmdbg_pl_end()

  call dvmdbg_pl_begin(first=1, last=n, on=node, writes='node,flow')
  do k = 1, nown
    if (dvmdbg_hooked) call dvmdbg_pl_iteration(own(k))
    node(k) = 1 / real(own(k), wp)
    flow(k) = 0
  end do
  call dvmdbg_pl_end()

  call dvmdbg_sl_begin(first=1, last=steps)
  do it = 1, steps
    call dvmdbg_iteration(it)
    if (how /= 'ghost' .or. it /= 2) call renew(node)
    call dvmdbg_pl_begin(first=1, last=n, on=flow, writes='flow', reads='node')
    do k = 1, nown
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(own(k))
      flow(k) = node(at(one(own(k)))) - node(at(other(own(k))))
      if (how == 'mesh' .and. it == 2 .and. own(k) == 17) flow(k) = flow(k) * 2
    end do
    call dvmdbg_pl_end()
    call renew(flow)
    call dvmdbg_pl_begin(first=1, last=n, on=node, writes='node', reads='flow')
    do k = 1, nown
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(own(k))
      node(k) = node(k) + (flow(k) + flow(at(one(own(k))))) / 8
    end do
    call dvmdbg_pl_end()
    call dvmdbg_pl_begin(first=[0, 1], last=[n - 1, n], on=tile, writes='tile')
    do j = 1, nacross
      do k = 1, ndown
        if (dvmdbg_hooked) call dvmdbg_pl_iteration(int(down(2, k - 1)), across(j))
        tile(k, j) = tile(k, j) / 2 + it
        if (how == 'tile' .and. it == 2 .and. down(2, k - 1) == 9 .and. across(j) == 14) tile(k, j) = -1
      end do
    end do
    call dvmdbg_pl_end()
  end do
  call dvmdbg_sl_end()
  call dvmdbg_function_end()
  call MPI_Finalize(ierr)

contains

  ! The neighbours of node i.
  integer function one(i)
    integer, intent(in) :: i
    one = mod(i * 7, n) + 1
  end function

  integer function other(i)
    integer, intent(in) :: i
    other = mod(i * 5 + 11, n) + 1
  end function

  ! Own nodes, the last one first; behind them ghosts, which lie at of(k).
  subroutine deal_nodes()
    at = 0
    nown = 0
    do i = n, 1, -1
      if (mod(i * i / 3, ranks) /= rank) cycle
      nown = nown + 1
      own(nown) = i
      at(i) = nown
    end do
    ghosts = 0
    do k = 1, 2 * nown
      j = merge(one(own((k + 1) / 2)), other(own((k + 1) / 2)), mod(k, 2) == 1)
      if (at(j) /= 0) cycle
      ghosts = ghosts + 1
      at(j) = nown + ghosts
      of(ghosts) = j
    end do
  end subroutine

  ! Ghosts get what their owners have.
  subroutine renew(a)
    real(wp), intent(inout) :: a(:)
    real(wp) :: mine(n), all(n)
    mine = 0
    do k = 1, nown
      mine(own(k)) = a(k)
    end do
    call MPI_Allreduce(mine, all, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    do k = 1, ghosts
      a(nown + k) = all(of(k))
    end do
  end subroutine
end program
