// Two circuits f and g of one program: proved equal or not, and compared under `exact`.
#pragma once

#include <bit>
#include <catch2/catch.hpp>

#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "ir/bind.h"
#include "prove/prove.h"
#include "semantics/standard.h"
#include "tests/interp/circuits.h"
#include "tests/support/no_files.h"

namespace reckon::normal {

using interp::testing::Random;

struct Pair {
  SourceMap sources;
  frontend::Session session{sources, test::no_files()};
  std::string text;
  std::optional<ir::Function> f, g;

  explicit Pair(std::string program) : text(std::move(program)) {
    auto outcome = session.add(sources.add("pair.rk", text), "pair.rk", frontend::ParseAs::program);
    INFO(text);
    INFO((outcome.diagnostics.empty() ? "" : outcome.diagnostics.front().message));
    REQUIRE(outcome.diagnostics.empty());
    f = *session.circuit("f");
    g = *session.circuit("g");
  }

  std::optional<ir::Proof> prove() { return ir::prove_equal(session.module(), *f, *g); }

  /// Inputs for f with zeros, equal and negative elements; or all above 0.
  std::vector<interp::Argument> inputs(Random& random, const ir::Dimensions& sizes, bool positive) {
    std::vector<interp::Argument> out;
    const bool few = random.below(2) == 0;
    for (const ir::Parameter& parameter : f->parameters) {
      const ir::Type type = session.module().types()[parameter.type];
      std::vector<std::int64_t> shape;
      for (ir::IndexId extent : type.extents)
        shape.push_back(*session.module().indices().evaluate(extent, {sizes, {}}));
      ir::HostTensor tensor(type.scalar, shape);
      for (std::int64_t i = 0; i < tensor.size(); ++i) {
        auto value =
            static_cast<double>(static_cast<long>(random.below(few ? 3 : 41)) - (few ? 1 : 20)) / (few ? 1 : 4);
        if (positive) value = static_cast<double>(1 + random.below(20)) / 4;
        tensor.set_bits(i, type.scalar == ir::Scalar::f64 ? std::bit_cast<std::uint64_t>(value)
                                                          : std::bit_cast<std::uint32_t>(static_cast<float>(value)));
      }
      out.emplace_back(std::move(tensor));
    }
    return out;
  }

  /// How the two compare for some inputs: differing if any element does. Nothing where one of them has no value.
  std::optional<interp::Truth> compare(const std::vector<interp::Argument>& arguments) {
    auto semantics = interp::make_semantics("exact", {interp::SemanticsArgument{"bits(300)"}}, {});
    REQUIRE(semantics);
    auto a = interp::evaluate(session.module(), *f, **semantics, arguments);
    if (!a) return {};
    auto b = interp::evaluate(session.module(), *g, **semantics, arguments);
    if (!b) return {};
    interp::Truth all = interp::Truth::yes;
    for (std::size_t part = 0; part < a->size(); ++part) {
      for (std::int64_t i = 0; i < (*a)[part].count(); ++i) {
        const auto truth = (*semantics)->equal((*a)[part].scalar(), (*a)[part].at(i), (*b)[part].at(i));
        if (truth == interp::Truth::no) return truth;
        if (truth == interp::Truth::unknown) all = truth;
      }
    }
    return all;
  }
};

}  // namespace reckon::normal
