// Reckon programs as texts, whose circuits are evaluated side by side: the whole way from the text to the interpreter.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "ir/op.h"
#include "semantics/standard.h"
#include "tests/interp/circuits.h"
#include "tests/support/no_files.h"

namespace reckon::algebra {

using interp::testing::Random;

/// `fpsan(now, homomorphic)` as a semantics.
inline std::unique_ptr<interp::Semantics> make_ring(const std::string& name) {
  std::vector<interp::SemanticsArgument> arguments;
  const std::size_t open = name.find('(');
  if (open != std::string::npos) {
    std::string rest = name.substr(open + 1, name.size() - open - 2);
    for (std::size_t comma; (comma = rest.find(", ")) != std::string::npos; rest = rest.substr(comma + 2)) {
      arguments.push_back({rest.substr(0, comma)});
    }
    arguments.push_back({rest});
  }
  auto made = interp::make_semantics(name.substr(0, open), arguments, {});
  REQUIRE(made);
  return std::move(*made);
}

/// `count` bit patterns, each as likely as any other: under FPSan, a uniform element of its ring.
inline ir::HostTensor random_patterns(Random& random, ir::Scalar scalar, std::vector<std::int64_t> shape) {
  ir::HostTensor out(scalar, std::move(shape));
  const int width = numerics::traits(ir::format_of(scalar)).width;
  for (std::int64_t i = 0; i < out.size(); ++i) out.set_bits(i, random.word() >> (64 - width));
  return out;
}

/// Elements of a ring that draws its own.
inline interp::RandomTensor random_elements(ir::Scalar scalar, std::vector<std::int64_t> shape, std::uint64_t seed,
                                            interp::Draw::Sign sign = interp::Draw::Sign::any) {
  interp::RandomTensor out;
  out.scalar = scalar;
  out.shape = std::move(shape);
  out.seed = seed;
  out.sign = sign;
  return out;
}

class Program {
 public:
  explicit Program(std::string text) : text_(std::move(text)) {
    auto outcome = session_.add(sources_.add("program.rk", text_), "program.rk", frontend::ParseAs::program);
    items_ = std::move(outcome.items);
    if (outcome.diagnostics.empty()) return;
    FAIL(outcome.diagnostics.front().message << "\n"
                                             << text_.substr(outcome.diagnostics.front().primary.span.begin, 600));
  }
  ir::Module& module() { return session_.module(); }
  ir::Function circuit(const std::string& name) {
    auto found = session_.circuit(name);
    REQUIRE(found);
    return *found;
  }
  const std::string& text() const { return text_; }
  /// The program's checks, in order.
  const std::vector<frontend::ElaboratedItem>& items() const { return items_; }

  /// The one tensor that a circuit of these arguments gives.
  interp::Values evaluate(const std::string& name, interp::Semantics& semantics,
                          const std::vector<interp::Argument>& arguments) {
    auto values = interp::evaluate(module(), circuit(name), semantics, arguments);
    if (!values) {
      INFO(text_);
      FAIL(values.error().message);
    }
    REQUIRE(values->size() == 1);
    return std::move(values->front());
  }

 private:
  std::string text_;
  SourceMap sources_;
  frontend::Session session_{sources_, test::no_files()};
  std::vector<frontend::ElaboratedItem> items_;
};

/// How two tensors compare, element by element.
struct Comparison {
  std::int64_t equal = 0, different = 0, undefined = 0;
  std::int64_t total() const { return equal + different + undefined; }
};
inline Comparison compare(interp::Semantics& semantics, const interp::Values& a, const interp::Values& b) {
  REQUIRE(a.count() == b.count());
  Comparison out;
  for (std::int64_t i = 0; i < a.count(); ++i) {
    switch (semantics.equal(a.scalar(), a.at(i), b.at(i))) {
      case interp::Truth::yes: ++out.equal; break;
      case interp::Truth::no: ++out.different; break;
      case interp::Truth::unknown: ++out.undefined; break;
    }
  }
  return out;
}

}  // namespace reckon::algebra
