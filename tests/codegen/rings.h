// Circuits under `padic`, compiled for the host beside the interpreter's answer, on elements of every kind.
#pragma once

#include <cstring>

#include "numerics/padic/padic.h"
#include "tests/codegen/intervals.h"

namespace reckon::codegen::testing {

namespace padic = numerics::padic;
using Elements = std::vector<padic::Value>;

/// Random elements, small numbers and halves, multiples of p, q and r, what exp, log and roots give of all that, ln 2's
/// powers, -inf, and undefined of every cause: what `steps` random operations make of each other.
inline Elements special(Random& random, std::size_t count) {
  constexpr auto p = static_cast<std::int64_t>(padic::p);
  Elements pool{padic::minus_infinity(), padic::constant_ln2(),         padic::constant_log2e(),
                padic::from_integer(p),  padic::from_integer(-p * p),   padic::from_integer(p * p * p),
                padic::from_integer(0),  padic::from_integer(padic::q), padic::from_integer(padic::r),
                padic::constant_pi()};
  for (int cause = 0; cause <= static_cast<int>(padic::Cause::constant); ++cause) {
    pool.push_back(padic::undefined(static_cast<padic::Cause>(cause)));
  }
  const auto any = [&] { return pool[random.below(pool.size())]; };
  while (pool.size() < count) {
    const auto small = padic::from_integer(static_cast<std::int64_t>(random.below(41)) - 20);
    padic::Value next;
    switch (random.below(12)) {
      case 0: next = small; break;
      case 1: next = padic::div(small, padic::from_integer(2)); break;
      case 2: next = padic::log(padic::random_value(random.word(), padic::Sign::positive)); break;
      case 3: next = padic::sqrt(padic::random_value(random.word(), padic::Sign::positive)); break;
      case 4: next = padic::exp(any()); break;
      case 5: next = padic::mul(any(), any()); break;
      case 6: next = padic::add(any(), any()); break;
      case 7: next = padic::log(padic::exp(any())); break;
      case 8: next = padic::mul(padic::constant_ln2(), padic::random_value(random.word(), padic::Sign::any)); break;
      case 9: next = padic::sin(any()); break;
      default: next = padic::random_value(random.word(), static_cast<padic::Sign>(random.below(3))); break;
    }
    // Undefined ones would soon be the most.
    if (!padic::is_undefined(next) || random.below(16) == 0) pool.push_back(next);
  }
  return pool;
}

inline HostTensor as_tensor(const Elements& elements) {
  HostTensor out(Scalar::f64, {static_cast<std::int64_t>(elements.size()), 2});
  std::memcpy(out.bytes.data(), elements.data(), out.bytes.size());
  return out;
}

inline std::string text(const HostTensor& tensor, std::size_t i) {
  char out[64];
  std::snprintf(out, sizeof out, "%016llx %016llx",
                static_cast<unsigned long long>(tensor.bits(2 * static_cast<std::int64_t>(i))),
                static_cast<unsigned long long>(tensor.bits(2 * static_cast<std::int64_t>(i) + 1)));
  return out;
}

/// The interpreter's bytes.
inline Outcome interpreted_elements(Circuit& circuit, const std::vector<HostTensor>& arguments) {
  auto meaning = semantics("padic");
  auto results = circuit.run(*meaning, {arguments.begin(), arguments.end()});
  if (!results) return results.error();
  std::vector<HostTensor> out;
  for (const interp::Values& value : *results) {
    Buffer like;
    like.scalar = value.scalar();
    like.words = padic_code().words();
    out.push_back(tensor_of(like, value.shape()));
    std::memcpy(out.back().bytes.data(), value.data(), out.back().bytes.size());
  }
  return out;
}
inline Outcome compiled_elements(Circuit& circuit, const Compiled& compiled, const std::vector<HostTensor>& arguments) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const HostTensor& argument : arguments) shapes.push_back(argument.shape);
  auto sizes = ir::bind_dimensions(circuit.module, circuit.function, shapes);
  REQUIRE(sizes);
  return run_host(circuit.module, circuit.function, compiled, arguments, *sizes, interp::generate);
}
inline void agree_in_ring(Circuit& circuit, const std::vector<HostTensor>& arguments) {
  const Compiled compiled = must_compile(circuit, host(&padic_code()));
  CHECK(difference(compiled_elements(circuit, compiled, arguments), interpreted_elements(circuit, arguments)) == "");
}

}  // namespace reckon::codegen::testing
