! SPDX-License-Identifier: GPL-3.0-or-later
! placed: an array of each placement, as in placed.c. placed [copy]: where a copy of a partly replicated array goes wrong.
program placed
  use mpi
  use dvmdbg
  implicit none
  integer, parameter :: n = 12, m = 8
  type :: pair
    real(8), pointer :: u(:) => null()
  end type
  integer :: rank, ranks, ierr, p, q, row, col, lo, hi, r0, r1, m0, m1, i, k, step
  integer, allocatable :: deals(:)
  real(8), allocatable, target :: blocks(:), cyclic(:), dealt(:), part(:), plane(:, :), aligned(:), rows(:, :)
  real(8), target :: whole(3), owned, vector(3)
  type(pair), target :: field
  character(len=20) :: fault
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, fault)
  q = merge(2, 1, mod(ranks, 2) == 0)
  p = ranks / q
  row = rank / q
  col = mod(rank, q)
  lo = n * rank / ranks + 1
  hi = n * (rank + 1) / ranks
  r0 = n * row / p + 1
  r1 = n * (row + 1) / p
  m0 = m * col / q + 1
  m1 = m * (col + 1) / q
  deals = pack([(i, i=1, n)], [(mod((i - 1) / 2, ranks) == rank, i=1, n)])
  ! element i of aligned lies where element 2 i of blocks is
  allocate (blocks(lo:hi), cyclic((n - rank - 1) / ranks + 1), dealt(size(deals)), part(r0:r1), plane(n, m0:m1))
  allocate (aligned((lo + 1) / 2:hi / 2), rows(3, lo:hi), field%u(lo:hi))
  call dvmdbg_array(blocks, 'blocks', shape=[n], own_lo=[lo], own_hi=[hi])
  call dvmdbg_array(cyclic, 'cyclic', shape=[n], index1=dvmdbg_cyclic(rank + 1, n, ranks))
  call dvmdbg_array(dealt, 'dealt', shape=[n], index1=deals)
  call dvmdbg_array(part, 'part', shape=[n], own_lo=[r0], own_hi=[r1], copies=q, copy=col)
  call dvmdbg_array(plane, 'plane', shape=[n, m], own_lo=[1, m0], own_hi=[n, m1], copies=p, copy=row)
  call dvmdbg_array(aligned, 'aligned', shape=[n / 2], own_lo=[(lo + 1) / 2], own_hi=[hi / 2])
  call dvmdbg_array(rows, 'rows', shape=[3, n], own_lo=[1, lo], own_hi=[3, hi])
  call dvmdbg_array(field%u, 'field%u', shape=[n], own_lo=[lo], own_hi=[hi])
  whole = 0
  call dvmdbg_replicated(whole, 'whole')
  owned = 0
  vector = 0
  call dvmdbg_mapped(owned, 'owned', merge(1, 0, rank == ranks - 1))
  call dvmdbg_mapped(vector, 'vector', merge(1, 0, rank == 0))
  do step = 1, 3
    call dvmdbg_pl_begin(first=[1], last=[n], on=blocks, writes='blocks, aligned, rows, field%u')
    do i = lo, hi
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      blocks(i) = val(1, i)
      if (mod(i, 2) == 0) aligned(i / 2) = val(2, i / 2)
      rows(:, i) = [(val(3, 3 * i + k), k=1, 3)]
      field%u(i) = val(4, i)
    end do
    call dvmdbg_pl_end()
    call dvmdbg_pl_begin(first=[1], last=[n], on=cyclic, writes='cyclic')
    do i = rank + 1, n, ranks
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      cyclic((i - rank - 1) / ranks + 1) = val(5, i)
    end do
    call dvmdbg_pl_end()
    call dvmdbg_pl_begin(first=[1], last=[n], on=dealt, writes='dealt')
    do k = 1, size(deals)
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(deals(k))
      dealt(k) = val(7, deals(k))
    end do
    call dvmdbg_pl_end()
    call dvmdbg_pl_begin(first=[1], last=[n], on=part, writes='part')
    do i = r0, r1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      part(i) = val(8, i)
      if (fault == 'copy' .and. q > 1 .and. col == q - 1 .and. step == 2 .and. i == 5) part(i) = part(i) + 1000
    end do
    call dvmdbg_pl_end()
    call dvmdbg_pl_begin(first=[1], last=[m], writes='plane')
    do i = m0, m1
      if (dvmdbg_hooked) call dvmdbg_pl_iteration(i)
      plane(:, i) = [(val(9, n * i + k), k=1, n)]
    end do
    call dvmdbg_pl_end()
    owned = merge(val(10, step), real(rank, 8), rank == ranks - 1)
    whole = [(val(11, k), k=1, 3)]
    vector = merge([(val(12, k), k=1, 3)], spread(real(rank, 8), 1, 3), rank == 0)
    call dvmdbg_pl_begin(first=[1], last=[n])
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call dvmdbg_pl_end()
  end do
  call MPI_Finalize(ierr)
contains
  pure real(8) function val(array, i)
    integer, intent(in) :: array, i
    val = 100 * array + i + 0.25d0 * step
  end function
end program
