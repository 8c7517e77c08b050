// Primitive rules for whole vectors and matrices, and for scalars element by element: one row each.
#pragma once

#include "interp/evaluate.h"
#include "semantics/accept/engine.h"
#include "semantics/accept/primitives.h"

namespace reckon::interp::accept {

/// Applies the row that the piece names. `scalar` is the format that the rule works in.
std::optional<Fault> vector_primitive(Semantics& semantics, const Engine& engine, const Piece& piece, ir::Scalar scalar,
                                      const std::vector<const Values*>& arguments, std::vector<Values>& out);

/// What a word of packed numbers contains, lane 0 first.
enum class Packing { half2, snorm2, unorm2, snorm4, unorm4 };
std::vector<Answers> unpack(const Setting& setting, Packing packing, std::uint32_t word);

}  // namespace reckon::interp::accept
