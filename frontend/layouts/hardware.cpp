#include <algorithm>

#include "frontend/layouts/functions.h"
#include "layout/memory/mend.h"
#include "layout/memory/report.h"

namespace reckon::frontend::layout_functions {

using layout::AnyLayout;
using layout::BitMatrix;
using layout::Composed;
using layout::IntTuple;
using layout::Layout;
using layout::Problem;
using layout::Result;
using layout::Swizzle;
using Int = std::int64_t;

/// A number of bits, bytes or elements, as hardware has them; one that is far too large is refused before it overflows.
Result<int> small(const std::string& operation, Int value, const char* unit) {
  if (value >= -1000 && value <= 1000) return static_cast<int>(value);
  return Problem{Problem::Kind::too_large, "`" + operation + "`: `" + std::to_string(value) + "`" + unit +
                                               ", which no hardware has"};
}

namespace {

// ------------------------------------------------------------------------------------------------------ memory

Result<layout::Access> access_of(const std::string& operation, Int bytes, const std::string& how, Int vector = 0) {
  const auto element_bytes = small(operation, bytes, " bytes an element");
  if (!element_bytes) return element_bytes.problem();
  const auto elements = small(operation, vector, " elements at a time");
  if (!elements) return elements.problem();
  layout::Access access;
  access.element_bytes = *element_bytes;
  access.vector = *elements;
  if (how == "global") access.space = layout::Space::global;
  else if (how == "ldmatrix") access.instruction = layout::Instruction::ldmatrix;
  else if (how == "stmatrix") access.instruction = layout::Instruction::stmatrix;
  else if (how != "shared") {
    return Problem{Problem::Kind::bad_access, "`" + operation + "`: there is no access `" + how + "`",
                   "`\"shared\"`, `\"global\"`, `\"ldmatrix\"` or `\"stmatrix\"`"};
  }
  if (access.instruction != layout::Instruction::plain && vector == 0) access.vector = 16 / std::max(*element_bytes, 1);
  return access;
}

Result<std::string> reported(const AnyLayout& any, Int bytes, const std::string& how, Int vector = 0) {
  auto access = access_of("report", bytes, how, vector);
  if (!access) return access.problem();
  auto report = layout::report(any, *access);
  if (!report) return prefixed("`report`: ", report.problem());
  return report->text();
}

Result<std::string> mended(const AnyLayout& any, const Int& bytes, const std::string& how) {
  auto access = access_of("mend", bytes, how);
  if (!access) return access.problem();
  auto offsets = layout::offsets(any);
  if (!offsets) return prefixed("`mend`: ", offsets.problem());
  auto mend = layout::mend({layout::Use{*offsets, *access}});
  if (!mend) return prefixed("`mend`: ", mend.problem());
  return mend->text();
}

}  // namespace

std::vector<LayoutFunction> hardware() {
  return {
      row<[](const Int& b, const Int& m, const Int& s) -> Result<Swizzle> {
        const auto bits = small("swizzle", b, " bits"), base = small("swizzle", m, " bits of base"),
                   shift = small("swizzle", s, " bits of shift");
        for (const auto& each : {bits, base, shift}) {
          if (!each) return each.problem();
        }
        return Swizzle::make(*bits, *base, *shift);
      }>("swizzle", "swizzle(bits, base, shift)"),
      row<[](const Int& read, const Int& changed) { return Swizzle::from_masks(read, changed); }>(
          "make_swizzle", "make_swizzle(read, changed)"),
      row<[](const AnyLayout& a) { return layout::bit_matrix(a); }>("bit_matrix", "bit_matrix(L)"),
      row<[](const Swizzle& a, const Int& bits) -> Result<BitMatrix> {
        const auto width = small("bit_matrix", bits, " bits");
        if (!width) return width.problem();
        return layout::bit_matrix(a, *width);
      }>("bit_matrix", "bit_matrix(Sw, bits)"),
      row<[](const BitMatrix& a) { return layout::any_layout_of(a); }>("layout_of", "layout_of(M)"),

      row<[](const AnyLayout& a, const Int& bytes) { return reported(a, bytes, "shared"); }>("report",
                                                                                             "report(L, bytes)"),
      row<[](const AnyLayout& a, const Int& bytes, const std::string& how) { return reported(a, bytes, how); }>(
          "report", "report(L, bytes, \"global\")"),
      row<[](const AnyLayout& a, const Int& bytes, const std::string& how, const Int& vector) {
        return reported(a, bytes, how, vector);
      }>("report", "report(L, bytes, \"shared\", vector)"),
      row<[](const AnyLayout& a, const Int& bytes) { return mended(a, bytes, "shared"); }>("mend", "mend(L, bytes)"),
      row<mended>("mend", "mend(L, bytes, \"ldmatrix\")"),
  };
}

}  // namespace reckon::frontend::layout_functions
