(* SPDX-License-Identifier: GPL-3.0-or-later *)
MODULE hello;
FROM StrIO IMPORT WriteLn;
FROM NumberIO IMPORT WriteInt;

PROCEDURE Fact (n: INTEGER): INTEGER;
BEGIN
   IF n < 2 THEN RETURN 1 END;
   RETURN n * Fact (n - 1)
END Fact;

BEGIN
   WriteInt (Fact (6), 0);
   WriteLn
END hello.
