// Rows of the algebra: canonical forms, composition, complements, inverses, swizzles, common vectors.
#include "layout/coalesce.h"
#include "layout/common.h"
#include "layout/complement.h"
#include "layout/compose.h"
#include "layout/filter.h"
#include "layout/inverse.h"
#include "tests/layout/cases.h"
#include "tests/layout/notation.h"

namespace reckon::layout_tests {
namespace {

using layout::Result;

/// Of swizzled layouts.
std::optional<Answer> composed(const Row& row) {
  const auto a = row.args.size() == 1 ? read_any(row.args[0]) : std::nullopt;
  if (!a || std::holds_alternative<Layout>(*a)) return std::nullopt;
  if (row.op == "right_inverse") return right_inverse(*a);
  if (row.op == "left_inverse") return left_inverse(*a);
  return std::nullopt;
}

std::optional<Answer> unary(const Row& row) {
  const auto a = row.args.empty() ? std::nullopt : read_layout(row.args[0]);
  if (!a) return std::nullopt;
  const bool alone = row.args.size() == 1;
  if (row.op == "coalesce") return alone ? Answer(coalesce(*a)) : Answer(coalesce(*a, *whole_tuple(row.args[1])));
  if (row.op == "filter") return alone ? Answer(filter(*a)) : Answer(filter(*a, *whole_tuple(row.args[1])));
  if (row.op == "filter_zeros") {
    return alone ? Answer(filter_zeros(*a)) : Answer(filter_zeros(*a, *whole_tuple(row.args[1])));
  }
  if (row.op == "right_inverse") return right_inverse(*a);
  if (row.op == "left_inverse") {
    const auto out = left_inverse(*a);
    return out ? Answer(*out) : Answer(left_inverse_loose(*a));
  }
  if (row.op == "nullspace") return Answer(nullspace(*a));
  if (row.op == "max_alignment") return Answer(std::to_string(max_alignment(*a)));
  if (row.op == "complement") {
    const auto target = alone ? std::nullopt : whole_tuple(row.args[1]);
    const auto exact = target ? complement(*a, *target) : complement(*a);
    // CuTe's accepts gaps.
    if (exact || exact.problem().kind != layout::Problem::Kind::gap) return exact;
    return target ? complement_loose(*a, *target) : complement_loose(*a);
  }
  return std::nullopt;
}

std::optional<Answer> binary(const Row& row) {
  if (row.args.size() != 2) return std::nullopt;
  const auto a = read_any(row.args[0]), b = read_any(row.args[1]);
  if (row.op == "max_common_layout" && a && b) return Answer(max_common_layout(*a, *b));
  if (row.op == "max_common_vector" && a && b) return Answer(std::to_string(max_common_vector(*a, *b)));
  if (row.op != "composition") return std::nullopt;
  if (const auto swizzle = read_swizzle(row.args[1])) {
    if (a) return Answer(compose_any(*a, *swizzle));
    const auto out = compose(*read_swizzle(row.args[0]), *swizzle);
    return out ? Answer(out->text()) : Answer(out.problem());
  }
  if (!a) return std::nullopt;
  const auto plain = b ? read_layout(row.args[1]) : std::nullopt;
  if (!plain) return std::nullopt;
  return compose(std::get<Layout>(*a), *plain);
}

std::optional<Answer> swizzles(const Row& row) {
  if (row.op == "swizzle") return Answer(std::to_string((*read_swizzle(row.args[0]))(numbers(row.args[1])[0])));
  if (row.op != "make_swizzle") return std::nullopt;
  const auto mask = [](const std::string& text) { return std::stoll(text.substr(2), nullptr, 2); };
  const auto out = Swizzle::from_masks(mask(row.args[0]), mask(row.args[1]));
  return out ? Answer(out->text()) : Answer(out.problem());
}

}  // namespace

std::optional<Answer> algebra_answer(const Row& row) {
  for (const auto family : {composed, unary, binary, swizzles}) {
    if (auto answer = family(row)) return answer;
  }
  return std::nullopt;
}

}  // namespace reckon::layout_tests
