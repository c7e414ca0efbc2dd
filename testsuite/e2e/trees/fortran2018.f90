! Fortran 2018 and 2008: submodules, blocks, do concurrent, select rank, an assumed type from C, pure recursion, error in a function.
module shapes
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none (type, external)
  interface
    module integer function weight(n)
      integer, intent(in) :: n
    end function weight
  end interface
contains
  recursive pure integer function depth(n) result(d)
    integer, value :: n
    d = 0
    if (n > 0) d = 1 + depth(n - 1)
  end function depth
  impure elemental integer function tripled(n)
    integer, intent(in) :: n
    tripled = 3 * n
  end function tripled
  integer function ranked(a)
    integer, intent(in) :: a(..)
    ranked = -1
    select rank (a)
      rank (0)
        ranked = a
      rank (1)
        ranked = size(a) * 10
      rank default
        ranked = rank(a) * 100
    end select
  end function ranked
  integer(c_int) function from_c(n) bind(c, name="from_c")
    integer(c_int), value :: n
    from_c = n + 1
  end function from_c
end module shapes

submodule (shapes) weights
  implicit none
contains
  module procedure weight
    weight = n * 7
  end procedure weight
end submodule weights

program main_program
  use shapes
  implicit none
  integer :: i, list(4), table(2, 2)
  do concurrent (i = 1:4)
    list(i) = depth(i)
  end do
  table = 1
  block
    integer :: total
    total = sum(list) + weight(3) + ranked(5) + ranked(list) + ranked(table) + from_c(1)
    total = total + sum(tripled(list))
    if (total /= 308) error stop 1
  end block
end program main_program
