--  SPDX-License-Identifier: GPL-3.0-or-later
--  Ada: nested functions, an exception, tasks that meet.
with Ada.Text_IO; use Ada.Text_IO;
procedure Hello is
   Failed : exception;
   Total : Integer := 0;
   function Fact (N : Integer) return Integer is
   begin
      if N < 0 then
         raise Failed;
      end if;
      return (if N < 2 then 1 else N * Fact (N - 1));
   end Fact;
   task type Worker is
      entry Add (N : Integer);
   end Worker;
   task body Worker is
   begin
      accept Add (N : Integer) do
         Total := Total + Fact (N);
      end Add;
   end Worker;
   W : array (1 .. 3) of Worker;
begin
   for I in W'Range loop
      W (I).Add (I);
   end loop;
   Put_Line (Integer'Image (Fact (6)) & Integer'Image (Total));
   Total := Fact (-1);
exception
   when Failed => Put_Line ("caught");
end Hello;
