#include "compilations/residues.h"

#include <gmpxx.h>

#include "numerics/split_mix.h"

namespace reckon::compilations {

using ir::Op;
using worst::Kind;
using worst::Node;

namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
__extension__ using Wide = unsigned __int128;

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return static_cast<std::uint64_t>(Wide{a} * b % prime); }
std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return (a + b) % prime; }
std::uint64_t minus(std::uint64_t a) { return (prime - a) % prime; }
std::uint64_t inverse(std::uint64_t a) {
  std::uint64_t out = 1;
  for (std::uint64_t power = prime - 2; power != 0; power /= 2, a = times(a, a)) {
    if (power % 2 != 0) out = times(out, a);
  }
  return out;
}

std::uint64_t residue(const mpq_class& value) {
  const mpz_class modulus(std::to_string(prime));
  const auto of = [&](const mpz_class& whole) {
    mpz_class out;
    mpz_mod(out.get_mpz_t(), whole.get_mpz_t(), modulus.get_mpz_t());
    return static_cast<std::uint64_t>(out.get_ui());
  };
  return times(of(value.get_num()), inverse(of(value.get_den())));
}

/// What is no rational operation is a number of its own, which depends on the operation and its operands.
std::uint64_t opaque(std::uint64_t seed, const Node& node, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t state = seed ^ (static_cast<std::uint64_t>(node.kind) << 8 | static_cast<std::uint64_t>(node.op));
  for (const std::uint64_t each : {a, b, c}) {
    state ^= each;
    state = numerics::split_mix(state);
  }
  return state % prime;
}

std::vector<std::uint64_t> values_at(const worst::Circuit& circuit, std::uint64_t seed) {
  std::uint64_t random = seed;
  const std::uint64_t named = numerics::split_mix(random) % prime;
  std::vector<std::uint64_t> x(circuit.nodes().size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Node& node = circuit.nodes()[k];
    if (node.kind == Kind::input) {
      x[k] = numerics::split_mix(random) % prime;
      continue;
    }
    if (node.kind == Kind::constant) {
      const worst::Constant& constant = circuit.constant_of(node);
      x[k] = residue(constant.real);
      if (constant.named != ir::RealConstant::one)
        x[k] = times(x[k], plus(named, static_cast<std::uint64_t>(constant.named)));
      continue;
    }
    const int count = worst::arity(node);
    const std::uint64_t a = x[node.first], b = count > 1 ? x[node.second] : 0, c = count > 2 ? x[node.third] : 0;
    const Op op = node.kind == Kind::operation ? node.op : Op::select;
    switch (op) {
      case Op::add: x[k] = plus(a, b); break;
      case Op::sub: x[k] = plus(a, minus(b)); break;
      case Op::mul: x[k] = times(a, b); break;
      case Op::div: x[k] = b == 0 ? opaque(seed, node, a, b, c) : times(a, inverse(b)); break;
      case Op::fma: x[k] = plus(times(a, b), c); break;
      case Op::neg: x[k] = minus(a); break;
      case Op::convert: x[k] = a; break;
      case Op::select: x[k] = opaque(seed, node, a, b, node.third); break;
      default: x[k] = opaque(seed, node, a, b, c); break;
    }
  }
  return x;
}

}  // namespace

std::vector<std::uint8_t> zeros_in_reals(const worst::Circuit& circuit) {
  std::vector<std::uint8_t> out(circuit.nodes().size(), 1);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::vector<std::uint64_t> values = values_at(circuit, seed);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] &= values[k] == 0 ? 1 : 0;
  }
  return out;
}

}  // namespace reckon::compilations
