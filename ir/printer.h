// The circuit as a stable text, which ir/parser.h reads back. The text depends on the circuit alone, not on the order
// in which its nodes were made.
//
//   text        = { "schedule" NAME "=" schedule } { callee | function }
//   callee      = "callee" NAME function                             what `call` refers to, before its first use: a
//                                                                    builtin's name, and the circuit for some types
//   function    = "fn" NAME [ "[" NAME {"," NAME} "]" ] "(" [ parameter {"," parameter} ] ")" "->" result
//                 [ "with" clause {"," clause} ] "{" { requirement } statements "}"
//   clause      = ("tile" | "values" | "threads" | "blocks") "(" part {"," part} ")"    of a kernel item, each once
//   part        = integers [ ":" integers ]
//   parameter   = NAME ":" type [ "@" storage ]
//   result      = type [ "@" storage ] | "(" [ result {"," result} ] ")"
//   storage     = tuple ":" tuple                                    a layout's shape and stride
//               | "compose" "(" stage "," INTEGER "," storage ")"    x to stage(INTEGER + x) after it
//   stage       = "swizzle" "(" INTEGER "," INTEGER "," INTEGER ")"
//               | integers ":" integers                              another layout's
//   integers    = INTEGER | "(" integers {"," integers} ")"
//   tuple       = index | "[" tuple {"," tuple} "]"
//   requirement = "require" index "==" index "else" CODE STRING
//   statements  = { "%v" NUMBER ":" type "=" value } "yield" operand
//   value       = OPERATION operand {"," operand}                    a scalar operation of ops.def; or tuple, array
//               | "call" NAME operand {"," operand}                 of a callee
//               | "map" binding {"," binding} region
//               | ("reduce" | "scan") OPERATION binding "by" schedule region [ "else" operand ]
//               | ("reduce" | "scan") binding "by" schedule region
//                                     "with" VARIABLE "," VARIABLE region [ "else" operand ]
//               | ("random" | "normal" | "lcg") "(" [ index ] ")" | "load" "(" STRING ")"
//   binding     = VARIABLE "<" index
//   region      = "{" statements "}"
//   operand     = base { "[" index {"," index} "]" | "." NUMBER }    an element of a tensor, a part of a tuple
//   base        = "%v" NUMBER | VARIABLE | NAME | "@" NUMBER         a value; an operand of the operation around; a
//                                                                    parameter, by its position where names repeat
//               | SCALAR "(" literal ")" | SCALAR "#" DIGITS | "true" | "false"
//               | SCALAR "{" index "}"                               an index as a number, or a condition as a bool
//   literal     = rational | CONSTANT "*" rational | "inf" | "-inf" | "nan"
//
// Index expressions and schedules are written as in the language, with %0, %1, ... for variables. `;` begins a comment.
// A value stands at the outermost place where all its variables are bound, and is written once there. The contents of a
// loaded file are not part of the text.
#pragma once

#include <array>
#include <string>

#include "ir/module.h"

namespace reckon::ir {

/// In RealConstant's order.
inline constexpr std::array<std::string_view, 5> real_constant_names{"one", "pi", "e", "ln2", "log2e"};

/// The storage of a tensor as printed IR has it: `[m, [4, k]]:[1, [m, 4*m]]`, `compose(swizzle(3, 0, 3), 0, [8]:[1])`.
/// (layout_text writes it as the language does.)
std::string storage_text(const Module& module, const Storage& storage);
/// `inner`, the text of a layout, after these stages: `compose(swizzle(3, 0, 3), 0, inner)`.
std::string composed_text(const std::vector<layout::Stage>& stages, std::string inner);

/// `f32(1/3)`, `f64(pi*1/2)`, `f32#3fc00000`, `f32(-inf)`, `true`.
std::string literal_text(const Literal& literal, Scalar scalar);

/// One function, after the schedule definitions and callees that it uses.
std::string print(const Module& module, const Function& function);
/// All functions of the module, after the schedule definitions and callees that they use.
std::string print(const Module& module);

}  // namespace reckon::ir
