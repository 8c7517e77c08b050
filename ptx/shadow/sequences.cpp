// `expf` as nvcc writes it (CUDA's libdevice): j = the integer nearest to x log2(e), clamped to [-126, 126];
// ex2.approx(x log2(e) - j) times 2^j, made of j's bits. In exact arithmetic that is exp(x), and so it is followed: the
// steps from x to the argument of ex2 as one product by the f32 nearest to log2(e), and 2^j as 1.
//
// `erff` compares |x| with 1.0027 and makes one of two polynomials of x^2 or |x|, which is the result where |x| is
// small; else it is 1 - ex2 of it, with the sign of x. Both give erf(x), and the comparison decides nothing else.
//
// The other functions are found by a table (library.cpp).
#include "ptx/shadow/sequences.h"

#include <algorithm>
#include <set>
#include <vector>

#include "ptx/emulate/decode.h"
#include "ptx/shadow/library.h"
#include "ptx/shadow/shadow.h"

namespace reckon::ptx {
namespace {

constexpr std::uint32_t log2_e = 0x3fb8aa3b, log2_e_rest = 0x32a57060;

class Finder {
 public:
  explicit Finder(const Function& function)
      : function_(function), definition_(function.registers.size(), none), uses_(function.registers.size(), 0) {
    for (std::uint32_t k = 0; k < function.instructions.size(); ++k) {
      const Instruction& one = function.instructions[k];
      if (one.guard) ++uses_[one.guard->reg];
      for (std::size_t n = 0; n < one.operands.size(); ++n) {
        const Operand& operand = one.operands[n];
        if (operand.kind != Operand::Kind::reg) continue;
        if (n > 0 || one.name == "st" || one.name == "red") ++uses_[operand.index];
        else define(operand.index, k);
      }
    }
    // Registers in addresses, lists and pairs: used, and perhaps defined.
    for (const Operand& child : function.children) {
      if (child.kind != Operand::Kind::reg) continue;
      ++uses_[child.index];
      definition_[child.index] = many;
    }
  }

  std::unordered_map<std::uint32_t, Sequence> find() {
    for (std::uint32_t k = 0; k < function_.instructions.size(); ++k) {
      try_at(k);
      try_error_function(k);
    }
    return std::move(found_);
  }

 private:
  static constexpr std::uint32_t none = ~0u, many = ~0u - 1;

  void define(std::uint32_t reg, std::uint32_t at) { definition_[reg] = definition_[reg] == none ? at : many; }
  const Instruction& at(std::uint32_t k) const { return function_.instructions[k]; }

  /// The only instruction that defines the register of an operand, if it has this opcode.
  std::optional<std::uint32_t> defined_by(const Operand& operand, std::string_view opcode) const {
    if (operand.kind != Operand::Kind::reg || operand.negated) return std::nullopt;
    const std::uint32_t k = definition_[operand.index];
    if (k == none || k == many || at(k).opcode != opcode || at(k).guard) return std::nullopt;
    return k;
  }
  bool is_used(std::uint32_t k, std::uint32_t times) const { return uses_[at(k).operands[0].index] == times; }
  /// Whether an operand is this f32, or a register that alone is moved to.
  bool is_constant(const Operand& operand, std::uint32_t bits) const {
    if (operand.kind == Operand::Kind::number) return operand.real && operand.real_bits == 32 && operand.bits == bits;
    auto moved = defined_by(operand, "mov.f32");
    if (!moved) moved = defined_by(operand, "mov.b32");
    return moved && at(*moved).operands.size() == 2 && at(*moved).operands[1].kind == Operand::Kind::number &&
           is_constant(at(*moved).operands[1], bits);
  }
  bool has(std::uint32_t k, std::size_t count) const { return at(k).operands.size() == count; }

  bool is_reg(const Operand& operand, std::uint32_t reg) const {
    return operand.kind == Operand::Kind::reg && operand.index == reg;
  }

  /// Whether an instruction writes the register of an operand.
  bool writes(std::uint32_t k, const Operand& operand) const {
    return !at(k).operands.empty() && at(k).name != "st" && is_reg(at(k).operands[0], operand.index);
  }

  /// At setp p, |x|, 1.0027.
  void try_error_function(std::uint32_t first) {
    constexpr std::uint32_t most = 64;
    const Instruction& compared = at(first);
    if (compared.name != "setp" || !has(first, 3) || !is_constant(compared.operands[2], 0x3f8060fe)) return;
    auto magnitude = defined_by(compared.operands[1], "abs.f32");
    if (!magnitude) magnitude = defined_by(compared.operands[1], "abs.ftz.f32");
    if (!magnitude || at(*magnitude).operands[1].kind != Operand::Kind::reg) return;
    const Operand& x = at(*magnitude).operands[1];
    if (*magnitude >= first) return;
    for (std::uint32_t k = *magnitude + 1; k < first; ++k) {
      if (writes(k, x)) return;
    }
    const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(function_.instructions.size(), first + most));
    // r = fma(p, q, q); ex2 of r; r = 1 - that with the sign of x
    std::optional<std::uint32_t> small, large;
    bool raised = false;
    for (std::uint32_t k = first + 1; k < end && !large; ++k) {
      const Instruction& one = at(k);
      if (writes(k, x)) return;
      if (one.name == "fma" && has(k, 4) && one.operands[2].kind == Operand::Kind::reg && !raised &&
          is_reg(one.operands[3], one.operands[2].index) && one.operands[0].kind == Operand::Kind::reg) {
        small = k;
      } else if (small && one.name == "ex2" && has(k, 2)) {
        raised = is_reg(one.operands[1], at(*small).operands[0].index);
        if (!raised) return;
      } else if (raised && (one.opcode == "copysign.f32" || one.opcode == "or.b32") &&
                 writes(k, at(*small).operands[0])) {
        large = k;
      }
    }
    if (!large) return;
    // The comparison is used for this alone.
    std::uint32_t uses = 0;
    for (std::uint32_t k = first + 1; k <= *large; ++k) {
      const Instruction& one = at(k);
      if (one.guard && one.guard->reg == compared.operands[0].index) ++uses;
      for (std::size_t n = 1; n < one.operands.size(); ++n) uses += is_reg(one.operands[n], compared.operands[0].index);
    }
    if (!is_used(first, uses)) return;
    if (at(*large).opcode == "copysign.f32" && !is_reg(at(*large).operands[1], x.index)) return;
    if (at(*large).opcode == "or.b32") {
      const Operand& other = at(*large).operands[1];
      const auto sign = defined_by(other, "and.b32");
      if (!sign || !is_used(*sign, 1) || !is_reg(at(*sign).operands[1], x.index)) return;
      found_[*sign].step = SequenceStep::inner;
    }
    found_[first].step = SequenceStep::inner;
    found_[*small] = {SequenceStep::result, Act::erf, {x}, {}};
    found_[*large] = {SequenceStep::result, Act::erf, {x}, {}};
  }

  void try_at(std::uint32_t last) {
    // y = fma(x, rest of log2(e), i); i = fma(x, log2(e), n); n = -m; m = add(M, ..); M = fma.rm(t, 252, 12582913)
    const Instruction& y = at(last);
    if (y.opcode != "fma.rn.f32" || y.guard || !has(last, 4) || !is_constant(y.operands[2], log2_e_rest)) return;
    const Operand& x = y.operands[1];
    if (x.kind != Operand::Kind::reg) return;
    const auto i = defined_by(y.operands[3], "fma.rn.f32");
    if (!i || !has(*i, 4) || !is_used(*i, 1) || !is_constant(at(*i).operands[2], log2_e)) return;
    const auto n = defined_by(at(*i).operands[3], "neg.f32");
    if (!n || !has(*n, 2) || !is_used(*n, 1)) return;
    const auto m = defined_by(at(*n).operands[1], "add.f32");
    if (!m || !has(*m, 3) || !is_used(*m, 1) || !is_constant(at(*m).operands[2], 0xcb40007f)) return;
    const auto magic = defined_by(at(*m).operands[1], "fma.rm.f32");
    if (!magic || !has(*magic, 4) || !is_used(*magic, 2) || !is_constant(at(*magic).operands[2], 0x437c0000) ||
        !is_constant(at(*magic).operands[3], 0x4b400001))
      return;
    const auto t = defined_by(at(*magic).operands[1], "cvt.sat.f32.f32");
    if (!t || !has(*t, 2) || !is_used(*t, 1)) return;
    const auto s = defined_by(at(*t).operands[1], "fma.rn.f32");
    if (!s || !has(*s, 4) || !is_used(*s, 1) || !is_constant(at(*s).operands[2], 0x3bbb989d) ||
        !is_constant(at(*s).operands[3], 0x3f000000))
      return;
    for (const std::uint32_t k : {*s, *i}) {
      const Operand& own = at(k).operands[1];
      if (own.kind != Operand::Kind::reg || own.index != x.index) return;
    }
    // x is the same throughout.
    if (*s > last) return;
    for (std::uint32_t k = *s; k < last; ++k) {
      const Instruction& one = at(k);
      if (one.name == "bra" || one.name == "brx" || one.name == "call") return;
      if (!one.operands.empty() && one.operands[0].kind == Operand::Kind::reg && one.operands[0].index == x.index)
        return;
    }
    // 2^j: the bits of M, shifted.
    std::optional<std::uint32_t> moved, shifted;
    for (std::uint32_t k = *magic; k < function_.instructions.size() && !shifted; ++k) {
      const Instruction& one = at(k);
      if (one.guard || one.operands.size() < 2 || one.operands[1].kind != Operand::Kind::reg) continue;
      if (one.opcode == "mov.b32" && one.operands[1].index == at(*magic).operands[0].index &&
          one.operands[0].kind == Operand::Kind::reg)
        moved = k;
      else if (moved && one.opcode == "shl.b32" && defined_by(one.operands[1], "mov.b32") == moved &&
               one.operands[2].kind == Operand::Kind::number && one.operands[2].bits == 23)
        shifted = k;
    }
    if (!shifted || !is_used(*moved, 1)) return;
    for (const std::uint32_t k : {*i, *n, *m, *magic, *t, *s}) found_[k].step = SequenceStep::inner;
    found_[last].step = SequenceStep::scaled;
    found_[*shifted].step = SequenceStep::one;
  }

  const Function& function_;
  std::vector<std::uint32_t> definition_, uses_;
  std::unordered_map<std::uint32_t, Sequence> found_;
};

}  // namespace

std::unordered_map<std::uint32_t, Sequence> find_sequences(const Function& function) {
  auto found = Finder(function).find();
  find_library_functions(function, found);
  return found;
}

bool follow_sequence(const Sequence& sequence, Decoder& decoder, Followed& how) {
  for (const Operand& operand : sequence.stand_ins) {
    if (how.stand_in_count < how.stand_ins.size())
      how.stand_ins[how.stand_in_count++] = decoder.source(operand, Type::f32);
  }
  switch (sequence.step) {
    case SequenceStep::inner: how.follow = follow_unwatched; break;
    case SequenceStep::one: how.follow = follow_one; break;
    case SequenceStep::scaled:
      how.follow = follow_scaled;
      how.act.act = Act::mul;
      how.act.format = numerics::Format::f32;
      how.operands = 1;
      how.factor = log2_e;
      break;
    case SequenceStep::result:
      how.follow = follow_function;
      how.act.act = sequence.act;
      how.act.plain = false;  // the library's function is not rounded correctly
      how.act.format = numerics::Format::f32;
      for (const Operand& operand : sequence.arguments)
        how.arguments[how.operands++] = decoder.source(operand, Type::f32);
      break;
  }
  return true;
}

}  // namespace reckon::ptx
