// Circuits compiled for the host beside the interpreter's answer.
#pragma once

#include <catch2/catch.hpp>

#include "codegen/compile.h"
#include "codegen/sizes.h"
#include "ir/bind.h"
#include "ir/function_of.h"
#include "ir/op.h"
#include "runtime/host/run.h"
#include "tests/interp/circuits.h"
#include "tests/support/compiled_semantics.h"

namespace reckon::codegen::testing {

using namespace reckon::interp::testing;
using ir::HostTensor;
using runtime::canonicalise_nans;
using codegen::extent_values;
using runtime::run_host;
using runtime::tensor_of;

inline CompileOptions host(const CompiledSemantics* semantics = &float_code()) {
  CompileOptions options;
  options.semantics = semantics;
  return options;
}
inline CompileOptions ptx(const std::string& arch = "sm_90", const CompiledSemantics* semantics = &float_code()) {
  CompileOptions options;
  options.semantics = semantics;
  options.target = Target::ptx;
  options.arch = arch;
  return options;
}

inline Compiled must_compile(Circuit& circuit, const CompileOptions& options = host()) {
  auto compiled = compile(circuit.module, circuit.function, options);
  if (!compiled) {
    FAIL(compiled.error().message << (compiled.error().notes.empty() ? "" : "\n" + compiled.error().notes[0]));
  }
  return std::move(*compiled);
}

inline std::vector<HostTensor> run(Circuit& circuit, const Compiled& compiled,
                                   const std::vector<HostTensor>& arguments) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const HostTensor& argument : arguments) shapes.push_back(argument.shape);
  auto sizes = ir::bind_dimensions(circuit.module, circuit.function, shapes);
  REQUIRE(sizes);
  auto results = run_host(circuit.module, circuit.function, compiled, arguments, *sizes, interp::generate);
  if (!results) FAIL(results.error().message);
  return std::move(*results);
}

inline std::vector<HostTensor> interpret(Circuit& circuit, const char* name, const std::vector<HostTensor>& arguments) {
  auto meaning = semantics(name);
  std::vector<interp::Argument> values(arguments.begin(), arguments.end());
  auto results = circuit.run(*meaning, values);
  if (!results) FAIL(results.error().message);
  std::vector<HostTensor> out;
  for (const interp::Values& value : *results) out.push_back(value.host(*meaning));
  // What is shown of a float is canonical already; a copy of an argument is not.
  if (std::string(name) == "float") {
    for (HostTensor& tensor : out) canonicalise_nans(float_code(), tensor);
  }
  return out;
}

/// The first element that differs, in words; empty if there is none.
inline std::string difference(const std::vector<HostTensor>& actual, const std::vector<HostTensor>& expected) {
  if (actual.size() != expected.size()) return "different numbers of results";
  for (std::size_t k = 0; k < actual.size(); ++k) {
    if (actual[k].shape != expected[k].shape || actual[k].scalar != expected[k].scalar) return "different types";
    if (actual[k].bytes == expected[k].bytes) continue;
    for (std::int64_t i = 0; i < actual[k].size(); ++i) {
      if (actual[k].bits(i) == expected[k].bits(i)) continue;
      char text[160];
      std::snprintf(text, sizeof text, "result %zu, element %lld: %llx instead of %llx", k, static_cast<long long>(i),
                    static_cast<unsigned long long>(actual[k].bits(i)),
                    static_cast<unsigned long long>(expected[k].bits(i)));
      return text;
    }
  }
  return {};
}

inline constexpr Scalar float_scalars[] = {
#define RECKON_FORMAT(name, ...) Scalar::name,
#include "numerics/formats.def"
};
/// Whether the semantics of this name has the format.
inline bool has_format(std::string_view name, Scalar scalar) {
  return name != "fpsan" || numerics::fills_words(ir::format_of(scalar));
}

/// The functions of so many operands that numerics/functions/ has: compiled for f32 and narrower formats.
inline std::vector<Op> elementary_operations(int arity) {
  std::vector<Op> one, two;
#define RECKON_FUNCTION(name) one.push_back(Op::name);
#define RECKON_FUNCTION_OF_TWO(name) two.push_back(Op::name);
#include "numerics/functions.def"
  return arity == 1 ? one : two;
}

/// Random patterns of ordinary size, so that sums depend on their order.
inline HostTensor ordinary(Scalar scalar, std::vector<std::int64_t> shape, std::uint64_t seed) {
  HostTensor out(scalar, std::move(shape));
  Random random(seed);
  for (std::int64_t i = 0; i < out.size(); ++i) {
    const double value = (static_cast<double>(random.word() >> 11) - 0x1p52) / 0x1p51;
    out.set_bits(i, scalar == Scalar::boolean ? random.below(2) : numerics::round_f64(value, ir::format_of(scalar)));
  }
  return out;
}

/// Every kind of pattern: random ones, and those at the edges of the format.
inline HostTensor edgy(Scalar scalar, std::vector<std::int64_t> shape, std::uint64_t seed) {
  HostTensor out(scalar, std::move(shape));
  Random random(seed);
  const auto format = ir::format_of(scalar);
  const std::uint64_t mask = numerics::storage_mask(format), infinity = numerics::finite_end(format);
  const std::uint64_t hidden = numerics::min_normal(format), step = std::uint64_t{1} << numerics::traits(format).unused;
  const std::uint64_t edges[] = {0,
                                 step,
                                 2 * step,
                                 hidden - step,
                                 hidden,
                                 hidden + step,
                                 infinity - step,
                                 infinity,
                                 infinity + (hidden >> 1),
                                 infinity + step,
                                 numerics::round_rational(1, format),
                                 numerics::round_rational(2, format),
                                 numerics::round_rational(mpq_class(1, 2), format),
                                 numerics::round_rational(mpq_class(3, 2), format),
                                 numerics::round_rational(mpq_class(5, 2), format)};
  for (std::int64_t i = 0; i < out.size(); ++i) {
    std::uint64_t bits = random.word() & mask;
    const std::uint64_t kind = random.below(8);
    if (kind == 0) bits = (edges[random.below(std::size(edges))] & mask) | (random.below(2) ? numerics::sign_bit(format) : 0);
    if (kind >= 4) {  // of ordinary size
      const double value = (static_cast<double>(random.word() >> 11) - 0x1p52) / 0x1p48;
      bits = numerics::round_f64(value, format);
    }
    out.set_bits(i, bits);
  }
  return out;
}

/// Compiled for the host and interpreted: the same bits.
inline void agree(Circuit& circuit, const std::vector<HostTensor>& arguments, const char* name = "float") {
  const Compiled compiled =
      must_compile(circuit, host(std::string(name) == "fpsan" ? &fpsan_code(numerics::fpsan::now) : &float_code()));
  const std::string found = difference(run(circuit, compiled, arguments), interpret(circuit, name, arguments));
  CHECK(found == "");
}

/// The same of `for i: op(x[i], y[i], z[i])`, arguments of one scalar type.
inline void agree_on(Op op, const std::vector<HostTensor>& arguments, const char* name) {
  Circuit c;
  const IndexId n = c.dimension("n");
  const Scalar scalar = arguments[0].scalar;
  std::vector<NodeId> parameters;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    parameters.push_back(c.parameter(k == 0 ? "x" : k == 1 ? "y" : "z", scalar, {n}));
  }
  c.result(c.map({n}, [&](const std::vector<VariableId>& i) {
    std::vector<NodeId> operands;
    for (NodeId parameter : parameters) operands.push_back(c.module.element(parameter, {c.at(i[0])}));
    return c.module.apply(op, operands);
  }));
  INFO(ir::traits(op).spelling << " of " << ir::scalar_name(scalar) << " in " << name);
  agree(c, arguments, name);
}

}  // namespace reckon::codegen::testing
