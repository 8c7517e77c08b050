#include "ptx/emulate/pressure.h"

#include <algorithm>
#include <array>
#include <vector>

namespace reckon::ptx {
namespace {

using Set = std::vector<bool>;
constexpr std::uint64_t most_bits = std::uint64_t{1} << 29;

/// Instructions whose first operand is no result.
bool has_result(const Instruction& one) {
  static constexpr std::array<std::string_view, 14> without{"st",      "red",      "bra",       "brx",  "bar",
                                                            "barrier", "membar",   "fence",     "call", "cp",
                                                            "ret",     "stmatrix", "nanosleep", "exit"};
  return std::find(without.begin(), without.end(), one.name) == without.end() &&
         !(one.name == "wmma" && one.has("store"));
}

/// Calls `f` with each register of an operand, and whether it is within an address.
template <class F>
void for_registers(const Function& function, const Operand& operand, bool in_address, F&& f) {
  if (operand.kind == Operand::Kind::reg) f(operand.index, in_address);
  const bool inner = in_address || operand.kind == Operand::Kind::address;
  for (std::uint32_t k = 0; k < operand.count; ++k)
    for_registers(function, function.children[operand.first + k], inner, f);
}

class Liveness {
 public:
  explicit Liveness(const Function& function) : function_(function) {}

  std::optional<std::uint32_t> most() {
    find_blocks();
    const std::size_t registers = function_.registers.size();
    if (std::uint64_t{registers} * begins_.size() > most_bits) return std::nullopt;
    live_.assign(begins_.size(), Set(registers));
    for (bool changes = true; changes;) {
      changes = false;
      for (std::size_t block = begins_.size(); block-- > 0;) {
        Set set = after(block);
        for (std::size_t k = end(block); k-- > begins_[block];) step(function_.instructions[k], set);
        if (set != live_[block]) {
          live_[block] = std::move(set);
          changes = true;
        }
      }
    }
    std::uint32_t out = 0;
    for (std::size_t block = 0; block < begins_.size(); ++block) {
      Set set = after(block);
      std::int64_t words = count(set);
      out = std::max(out, static_cast<std::uint32_t>(words));
      for (std::size_t k = end(block); k-- > begins_[block];) {
        words += step(function_.instructions[k], set);
        out = std::max(out, static_cast<std::uint32_t>(words));
      }
    }
    return out;
  }

 private:
  /// Instructions that a branch leads to, or that follow one.
  void find_blocks() {
    const auto& all = function_.instructions;
    std::vector<bool> begins(all.size() + 1);
    begins[0] = true;
    for (std::size_t k = 0; k < all.size(); ++k) {
      for (const std::uint32_t target : targets(all[k])) begins[target] = begins[k + 1] = true;
      if (ends(all[k])) begins[k + 1] = true;
    }
    block_of_.resize(all.size() + 1);
    for (std::size_t k = 0; k <= all.size(); ++k) {
      if (begins[k] && k < all.size()) begins_.push_back(k);
      block_of_[k] = k < all.size() ? begins_.size() - 1 : begins_.size();
    }
  }
  std::size_t end(std::size_t block) const {
    return block + 1 < begins_.size() ? begins_[block + 1] : function_.instructions.size();
  }
  static bool ends(const Instruction& one) { return one.name == "ret" || one.name == "exit" || one.name == "trap"; }
  std::vector<std::uint32_t> targets(const Instruction& one) const {
    std::vector<std::uint32_t> out;
    for (const Operand& operand : one.operands) {
      if (operand.kind == Operand::Kind::label) out.push_back(operand.index);
      if (operand.kind == Operand::Kind::targets) out = function_.targets[operand.index];
    }
    return out;
  }
  Set after(std::size_t block) const {
    Set out(function_.registers.size());
    const Instruction& last = function_.instructions[end(block) - 1];
    const auto join = [&](std::size_t next) {
      if (next >= live_.size()) return;
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = out[k] || live_[next][k];
    };
    for (const std::uint32_t target : targets(last)) join(block_of_[target]);
    const bool always = (last.name == "bra" || last.name == "brx" || ends(last)) && !last.guard;
    if (!always) join(block + 1);
    return out;
  }
  std::int64_t words(std::uint32_t reg) const {
    const Type type = function_.registers[reg].type;
    return type == Type::pred ? 0 : std::max(bits_of(type) / 32, 1);
  }
  std::int64_t count(const Set& set) const {
    std::int64_t out = 0;
    for (std::uint32_t k = 0; k < set.size(); ++k) out += set[k] ? words(k) : 0;
    return out;
  }
  /// What is live before an instruction, of what is live after it; the change in registers.
  std::int64_t step(const Instruction& one, Set& set) const {
    std::int64_t change = 0;
    const auto give = [&](std::uint32_t reg, bool live) {
      if (set[reg] != live) change += live ? words(reg) : -words(reg);
      set[reg] = live;
    };
    const bool results = has_result(one);
    if (results && !one.guard && !one.operands.empty() && one.name != "wgmma")
      for_registers(function_, one.operands[0], false, [&](std::uint32_t reg, bool in_address) {
        if (!in_address) give(reg, false);
      });
    for (std::size_t k = 0; k < one.operands.size(); ++k) {
      const bool is_result = results && k == 0 && one.name != "wgmma";
      for_registers(function_, one.operands[k], false, [&](std::uint32_t reg, bool in_address) {
        if (!is_result || in_address) give(reg, true);
      });
    }
    if (one.guard) give(one.guard->reg, true);
    return change;
  }

  const Function& function_;
  std::vector<std::size_t> begins_, block_of_;
  std::vector<Set> live_;  ///< where each block begins
};

}  // namespace

std::optional<std::uint32_t> live_registers(const Function& function) {
  if (function.instructions.empty()) return 0;
  return Liveness(function).most();
}

}  // namespace reckon::ptx
