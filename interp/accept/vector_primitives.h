// Primitive rules of whole vectors and matrices, and of scalars element by element: one row each.
#pragma once

#include "interp/accept/engine.h"
#include "interp/accept/primitives.h"
#include "interp/evaluate.h"

namespace reckon::interp::accept {

/// False: no row has this name. `scalar_row`: a row of primitives.h for it, or null. `scalar`: the format that counts.
Expected<bool> vector_primitive(Semantics& semantics, const Engine& engine, std::string_view name,
                                const PrimitiveRow* scalar_row, ir::Scalar scalar,
                                const std::vector<const Values*>& arguments, std::vector<Values>& out);

/// What a word of packed numbers stands for, lane 0 first.
enum class Packing { half2, snorm2, unorm2, snorm4, unorm4 };
std::vector<Answers> unpack(const Setting& setting, Packing packing, std::uint32_t word);

}  // namespace reckon::interp::accept
