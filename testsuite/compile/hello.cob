      * SPDX-License-Identifier: GPL-3.0-or-later
      * Paragraphs performed, one of them so many times.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 TOTAL PIC 9(4) VALUE 0.
       PROCEDURE DIVISION.
       MAIN-PARAGRAPH.
           PERFORM ADD-PARAGRAPH 3 TIMES.
           DISPLAY "hello " TOTAL.
           STOP RUN.
       ADD-PARAGRAPH.
           ADD 14 TO TOTAL.
