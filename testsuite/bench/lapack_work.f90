! SPDX-License-Identifier: GPL-3.0-or-later
! lapack_work.f90 - eigenvalues of a symmetric matrix, and a system of equations; the argument is
! its size.
program lapack_work
  implicit none
  integer :: n, i, j, info
  character(len=16) :: word
  double precision, allocatable :: a(:, :), b(:, :), w(:), work(:)
  integer, allocatable :: pivots(:)
  call get_command_argument(1, word)
  read (word, *) n
  allocate (a(n, n), b(n, 1), w(n), work(40 * n), pivots(n))
  do j = 1, n
    do i = 1, n
      a(i, j) = cos(dble(i * j)) + merge(dble(n), 0d0, i == j)
    end do
  end do
  a = (a + transpose(a)) / 2
  b = 1
  call dsyev('V', 'U', n, a, n, w, work, 40 * n, info)
  call dgesv(n, 1, a, n, pivots, b, n, info)
  print '(2f12.4,i4)', w(1), w(n), info
end program
