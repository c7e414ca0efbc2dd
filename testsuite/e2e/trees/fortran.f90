! Fortran: modules, procedures in procedures, recursion, generic and type-bound procedures, arrays, a callback.
module shapes
  implicit none
  type :: shape
    real :: side = 1.0
  contains
    procedure :: area => square_area
  end type shape
  interface twice
    module procedure twice_integer, twice_real
  end interface twice
contains
  real function square_area(this)
    class(shape), intent(in) :: this
    square_area = this%side * this%side
  end function square_area
  integer function twice_integer(n)
    integer, intent(in) :: n
    twice_integer = 2 * n
  end function twice_integer
  real function twice_real(x)
    real, intent(in) :: x
    twice_real = 2 * x
  end function twice_real
  recursive integer function fact(n) result(f)
    integer, intent(in) :: n
    f = 1
    if (n > 1) f = n * fact(n - 1)
  end function fact
  integer function apply(f, n)
    interface
      integer function f(x)
        integer, intent(in) :: x
      end function f
    end interface
    integer, intent(in) :: n
    apply = f(n) + 1
  end function apply
end module shapes

program main_program
  use shapes
  implicit none
  type(shape) :: s
  integer :: i
  s%side = 3.0
  do i = 1, 3
    call say(i)
  end do
  print *, fact(5), apply(twice_integer, 4), twice(5), twice(1.5), s%area()
contains
  subroutine say(n)
    integer, intent(in) :: n
    integer :: v(n)
    v = n
    print *, sum(v)
  end subroutine say
end program main_program
