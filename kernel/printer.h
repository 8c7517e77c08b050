// The kernel IR as a stable text, which kernel/parser.h reads back (docs/kernel_ir.md shows one).
//
//   text       = [ "widths" width {"," width} ] { function }
//   width      = SCALAR INTEGER [ "/" INTEGER "/" INTEGER ]          bytes of a number: given, kept, in registers
//   function   = ("kernel" | "function") label "(" [ parameter {"," parameter} ] ")" [ "->" type {"," type} ]
//                [ "threads" INTEGER ] [ "blocks" INTEGER ] block
//   label      = NAME [ "@" INTEGER ]                                the function's number where names repeat
//   parameter  = (NAME | VALUE [ STRING ]) ":" type [ "changes" ]    a name, if it is a word that no other has
//   type       = SCALAR | "index" | "flag" | space (SCALAR | "index" | "flag") [ "given" | "kept" ]
//              | ("divisor" | "sizes") SCALAR
//   space      = "global" | "shared" | "local"
//   block      = "{" { statement } [ "yield" operands ] "}"
//   statement  = [ VALUE {"," VALUE} "=" ] operation
//   operation  = NAME [ operands ] marks                             of ops.def
//              | OPERATION "." SCALAR [ ".to." SCALAR ] operands marks  `apply`: its operands', its result
//              | "apply_rounded" OPERATION "." SCALAR ".to." SCALAR operands marks
//              | "from_index" operand ":" SCALAR | "fault" INTEGER OPERATION "." SCALAR "(" [ operands ] ")"
//              | "table" "[" [ INTEGER {"," INTEGER} ] "]" | "stack" INTEGER ":" type
//              | "shared" INTEGER "at" INTEGER ":" type              bytes, from where
//              | "clear" operand "," INTEGER | "shuffle_xor" operand "," INTEGER
//              | "bounded_index" operand "," operand "," INTEGER     the fault
//              | "clamped_index" operand "," operand
//              | ("load" | "load_vector") element marks
//              | ("store" | "store_vector") element "=" operands marks
//              | "atomic_add" element "," operand
//              | ("arrive" | "ticket") operand "[" operand "]" "," operand
//              | "publish" operand "[" operand "]" "," operand
//              | "look_up" operand "[" operand "]" ":" type
//              | "for" VALUE "=" operand "to" operand "step" operand [ carried ] marks block
//              | "while" [ carried ] block "do" [ VALUE {"," VALUE} ] block
//              | "if" operand block [ "else" block ]
//              | "call" label "(" [ operands ] ")" [ ":" type {"," type} ]
//              | "chains" INTEGER "by" INTEGER "lanes" INTEGER VALUE "=" operand "to" operand
//                "sums" chain {"," chain} "pitch" INTEGER
//                "rows" chain "leaf" INTEGER "row" INTEGER {"," ...} "columns" chain "leaf" INTEGER {"," ...} marks
//                block
//              | "mma_tiles" NAME SCALAR SCALAR [ "warps" ] INTEGER "by" INTEGER "stages" INTEGER "in" operand "leaves"
//              operand
//                VALUE "=" operand "to" operand "step" operand "x" factor "y" factor marks block
//                "do" VALUE {"," VALUE} block             model, operand, accumulator, rows, columns; the tile, ...
//              | "mma_rows" NAME SCALAR SCALAR "@" INTEGER INTEGER "by" INTEGER "leaves" INTEGER "width" INTEGER
//                "slots" INTEGER "in" operand VALUE "=" operand "to" operand "step" operand "x" factor "y" factor
//                "z" factor marks block                         model, operand, accumulator, first site, rows, columns
//                { "pass" values block "tile" values block } "end" values block
//   chain      = VALUE "=" operand "[" operand "]"                   the element, or the sum, of a row and a column
//   values     = VALUE {"," VALUE}
//   factor     = operand [ "or" operand "if" operand ] "leaf" INTEGER "side" INTEGER "map" INTEGER "extents" operands [
//   "strides" operands ] element    = operand "[" operand [ ("+" | "-") INTEGER ] "]"      so many elements further
//   carried    = "carry" VALUE "=" operand {"," VALUE "=" operand}
//   marks      = [ "@" INTEGER ] [ "[" mark {"," mark} "]" ]         the site; what else is known
//   mark       = "fits" [ "signed" ] | "joins" | "once" | "beside" "results" | "no" "unroll"
//   operands   = operand {"," operand}
//   operand    = VALUE | NAME | STRING                               a value, a parameter
//              | INTEGER | "true" | "false"                          an index, a flag
//              | SCALAR "(" literal ")" | SCALAR "#" DIGITS          as ir/printer.h has literals; "bool(true)"
//              | "rounded" "(" SCALAR "#" DIGITS ")" | "zero" "(" type ")" | "neutral" "(" SCALAR ")"
//
// VALUE is % and a number; values are numbered in each function in the order in which the text defines them. `;` begins
// a comment. What breaks a rule of the verifier is written as well as it can be, and need not be readable.
#pragma once

#include <string>

#include "kernel/program.h"

namespace reckon::kernel {

std::string type_text(Type type);

/// The whole program.
std::string print(const Program& program);
/// One function.
std::string print(const Program& program, const Function& function);
/// One operation of the function on one line, without its regions, as the function's text has it.
std::string operation_text(const Program& program, const Function& function, std::uint32_t operation);

}  // namespace reckon::kernel
