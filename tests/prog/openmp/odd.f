C     SPDX-License-Identifier: GPL-3.0-or-later
C     Fixed form: labels, continued lines, and a race in line 27.
      program odd
      integer i, j, n
      parameter (n = 20)
      double precision a(n, n)
      common /c/ a
c$omp parallel do
c$omp&  private(j)
      do 10 i = 1, n
        do 10 j = 1, n
          a(i, j) = i + j
   10 continue
!$omp parallel
!$omp do
      do i = 1,
     &  n
        a(i, 1) = a(i, 2) + 1
      enddo
!$omp end do nowait
!$omp critical
      a(1, 3) = a(1, 3) + 1
!$omp end critical
!$omp end parallel
C$OMP PARALLEL DO
      DO I = 2, N
        A(I, 5) = A(I - 1, 5)
      END DO
      print *, a(2, 1), a(1, 3)
      end
