// A function of the library is found by its first constant, which an instruction takes beside the argument or its
// magnitude, and by those of its polynomials. All that is made of that instruction's result belongs to it, up to the
// one register on which alone what follows depends: the function's value. What is made of the argument alone and goes
// nowhere else belongs to it, too, and so do its own questions about the argument, which the row names.
//
// Steps of the function carry no values. Where the pattern of a value is no number (fpsan), they are carried out for
// another argument (`stand_in` of sequences.h), so that the function goes its usual way, and its value is the one that
// the semantics gives for the argument that is there.
#include "ptx/shadow/library.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace reckon::ptx {
namespace {

/// `setp` of the argument, or of its magnitude, with a constant.
struct Question {
  std::string_view relation;
  std::uint32_t constant;
};
constexpr std::uint32_t zero = 0, one = 0x3f800000, minus_one = 0xbf800000, infinity = 0x7f800000, least = 0x00800000;

struct LibraryFunction {
  Act act;
  std::string_view first;                  ///< the name of the first instruction
  std::uint32_t constant;                  ///< its constant
  std::array<std::uint32_t, 2> others;     ///< constants of its polynomials; the second may be 0
  std::string_view last;                   ///< the name of the instruction that gives the value; empty: any
  std::array<std::uint32_t, 2> chosen_by;  ///< of a last `selp`: 1, and the constant of the comparison that chooses
  std::array<Question, 9> questions;
  bool of_two = false;
  bool is_even = false;  ///< it takes the magnitude alone
};

// As nvcc 13.0 writes them. A function that begins as another one stands before it if it goes on after the other one's
// value.
constexpr LibraryFunction functions[] = {
    {Act::tan, "mul", 0x3f22f983, {0x3c190000}, "selp", {}, {{{"ltu", 0x47ce4780}, {"eq", infinity}}}},
    {Act::exp10, "fma", 0x3c57fa62, {0x33979a37}, "ex2", {}, {}},
    {Act::expm1, "mul", 0x3fb8aa3b, {0x3ab5ebe6}, "selp", {1, zero}, {{{"lt", 0x3ed1eb85}, {"eq", zero}}}},
    {Act::log10, "setp", least, {0xbe055027, 0x3ede5bd9}, "selp", {1, zero}, {{{"lt", least}}}},
    {Act::log, "setp", least, {0xbe055027}, "selp", {1, zero}, {{{"lt", least}}}},
    {Act::log2, "setp", least, {0x3dc6b27f}, "selp", {1, zero}, {{{"lt", least}}}},
    {Act::log1p, "add", one, {0xbd39bf78, 0x3dd80012}, "", {}, {{{"eq", zero}}}},
    {Act::tanh, "mul", 0x4038aa3b, {0x3c80f082}, "selp", {1, 0x3f19999a}, {{{"ge", 0x41102cb4}, {"ge", 0x3f19999a}}}},
    {Act::sinh, "mul", 0x3fb8aa3b, {0x363d0ada, 0xbe000000}, "selp", {1, one}, {{{"ge", one}}}},
    {Act::cosh, "mul", 0x3fb8aa3b, {0x3102e308, 0x3e000000}, "fma", {}, {}, false, true},
    {Act::atan, "setp", one, {0x3b2090aa}, "selp", {1, infinity}, {{{"leu", one}, {"gt", one}, {"le", infinity}}}},
    {Act::asin, "setp", 0x3f0f5c29, {0x3d4dd2f7}, "selp", {1, infinity}, {{{"eq", one}, {"gt", 0x3f0f5c29}}}},
    {Act::acos, "setp", 0x3f0f5c29, {0x3d10ecef}, "selp", {1, 0x3f0f5c29}, {{{"eq", one}, {"gt", 0x3f0f5c29}}}},
    {Act::erfc, "add", 0xc0800000, {0x3a69a091}, "selp", {1, zero}, {{{"gt", 0x4120e148}, {"lt", zero}}}},
    {Act::pow,
     "setp",
     least,
     {0x3a2c32e4, 0x391fcb8e},
     "selp",
     {1, 0x43180000},
     {{{"lt", least}, {"eq", one}, {"eq", zero}, {"gtu", infinity}, {"eq", infinity}, {"eq", minus_one}, {"lt", zero}}},
     true},
};
constexpr Question of_angles[] = {{"ltu", 0x47ce4780}, {"eq", infinity}};

class Body {
 public:
  explicit Body(const Function& function)
      : function_(function), definitions_(function.registers.size()), uses_(function.registers.size()) {
    for (std::uint32_t k = 0; k < size(); ++k) {
      const Instruction& each = at(k);
      if (each.guard) uses_[each.guard->reg].push_back(k);
      for (std::size_t n = 0; n < each.operands.size(); ++n) look_at(each.operands[n], k, n == 0 && !only_takes(each));
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(function_.instructions.size()); }
  const Instruction& at(std::uint32_t k) const { return function_.instructions[k]; }
  const std::vector<std::uint32_t>& definitions(std::uint32_t reg) const { return definitions_[reg]; }
  const std::vector<std::uint32_t>& uses(std::uint32_t reg) const { return uses_[reg]; }

  /// The register that an instruction defines, if it is one.
  std::optional<std::uint32_t> made_by(std::uint32_t k) const {
    const Instruction& each = at(k);
    if (each.operands.empty() || only_takes(each) || each.operands[0].kind != Operand::Kind::reg) return std::nullopt;
    return each.operands[0].index;
  }
  /// Whether an operand is this number of 32 bits, or a register that alone is moved to.
  bool is_constant(const Operand& operand, std::uint32_t bits) const {
    const Operand* number = &operand;
    if (operand.kind == Operand::Kind::reg) number = constant_in(operand.index);
    return number != nullptr && number->kind == Operand::Kind::number &&
           static_cast<std::uint32_t>(number->bits) == bits;
  }
  /// The number that is all that a register ever holds; null if there is none.
  const Operand* constant_in(std::uint32_t reg) const {
    if (definitions_[reg].size() != 1) return nullptr;
    const Instruction& moved = at(definitions_[reg][0]);
    const bool is_one = moved.name == "mov" && !moved.guard && moved.operands.size() == 2 &&
                        moved.operands[1].kind == Operand::Kind::number;
    return is_one ? &moved.operands[1] : nullptr;
  }
  bool takes_constant(std::uint32_t k, std::uint32_t bits) const {
    const auto& operands = at(k).operands;
    return std::any_of(operands.begin() + std::min<std::ptrdiff_t>(1, std::ssize(operands)), operands.end(),
                       [&](const Operand& operand) { return is_constant(operand, bits); });
  }
  /// The register whose magnitude is all that this one ever holds.
  std::optional<std::uint32_t> magnitude_of(std::uint32_t reg) const {
    if (definitions_[reg].size() != 1) return std::nullopt;
    const Instruction& made = at(definitions_[reg][0]);
    if (made.name != "abs" || made.guard || made.operands.size() != 2 || made.operands[1].kind != Operand::Kind::reg)
      return std::nullopt;
    return made.operands[1].index;
  }
  /// The registers that an instruction takes, its guard among them.
  std::vector<std::uint32_t> taken_by(std::uint32_t k) const {
    std::vector<std::uint32_t> out;
    const Instruction& each = at(k);
    if (each.guard) out.push_back(each.guard->reg);
    for (std::size_t n = 0; n < each.operands.size(); ++n) collect(each.operands[n], n == 0 && !only_takes(each), out);
    return out;
  }

 private:
  static bool only_takes(const Instruction& each) {
    return each.name == "st" || each.name == "red" || each.name == "bra" || each.name == "call";
  }
  void collect(const Operand& operand, bool is_defined, std::vector<std::uint32_t>& out) const {
    if (operand.kind == Operand::Kind::reg) {
      if (!is_defined) out.push_back(operand.index);
      return;
    }
    for (std::uint32_t k = 0; k < operand.count; ++k)
      collect(function_.children[operand.first + k], is_defined && operand.kind != Operand::Kind::address, out);
  }
  void look_at(const Operand& operand, std::uint32_t k, bool is_defined) {
    if (operand.kind == Operand::Kind::reg) {
      (is_defined ? definitions_ : uses_)[operand.index].push_back(k);
      return;
    }
    for (std::uint32_t child = 0; child < operand.count; ++child)
      look_at(function_.children[operand.first + child], k, is_defined && operand.kind != Operand::Kind::address);
  }

  const Function& function_;
  std::vector<std::vector<std::uint32_t>> definitions_, uses_;
};

/// What is made of the result of one instruction, in the order of the text.
class Region {
 public:
  Region(const Body& body, std::uint32_t first) : body_(body), first_(first), end_(first) { add(first); }

  std::uint32_t first() const { return first_; }
  std::uint32_t end() const { return end_; }  ///< the last instruction that was looked at
  bool has(std::uint32_t reg) const { return made_.contains(reg); }
  const std::set<std::uint32_t>& instructions() const { return inner_; }

  /// Looks at the next instruction; false after the last one.
  bool go_on() {
    if (end_ + 1 >= body_.size()) return false;
    ++end_;
    if (body_.at(end_).name == "call") return false;
    for (const std::uint32_t reg : body_.taken_by(end_)) {
      if (!has(reg)) continue;
      add(end_);
      break;
    }
    return true;
  }
  /// What of it is used after the last instruction that was looked at, or before the first one: blocks need not stand
  /// in the order in which they are gone through.
  std::vector<std::uint32_t> live() const {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t reg : made_) {
      const auto& uses = body_.uses(reg);
      if (!uses.empty() && (uses.back() > end_ || uses.front() < first_)) out.push_back(reg);
    }
    return out;
  }
  void forget(std::uint32_t reg) { made_.erase(reg); }

 private:
  void add(std::uint32_t k) {
    const auto made = body_.made_by(k);
    if (!made) return;
    inner_.insert(k);
    made_.insert(*made);
  }

  const Body& body_;
  std::uint32_t first_, end_;
  std::set<std::uint32_t> made_, inner_;
};

class LibraryFinder {
 public:
  LibraryFinder(const Function& function, std::unordered_map<std::uint32_t, Sequence>& found)
      : body_(function), found_(found) {}

  void find() {
    for (std::uint32_t k = 0; k < body_.size(); ++k) {
      if (found_.contains(k)) continue;
      for (const LibraryFunction& row : functions) {
        if (body_.at(k).name == row.first && body_.takes_constant(k, row.constant) && try_at(k, row)) break;
      }
      if (!found_.contains(k) && body_.at(k).name == "mul" && body_.takes_constant(k, 0x3f22f983)) try_angle(k);
    }
  }

 private:
  static constexpr std::uint32_t most = 500;  ///< instructions of a function

  /// What the first instruction takes besides constants.
  std::optional<std::uint32_t> taken_first(std::uint32_t k) const {
    std::optional<std::uint32_t> out;
    for (const std::uint32_t reg : body_.taken_by(k)) {
      if (body_.constant_in(reg) != nullptr) continue;
      if (out || body_.at(k).guard) return std::nullopt;
      out = reg;
    }
    return out;
  }

  bool has_constants(const std::array<std::uint32_t, 2>& constants, std::uint32_t from, std::uint32_t to) const {
    return std::all_of(constants.begin(), constants.end(), [&](std::uint32_t bits) {
      for (std::uint32_t k = from; k <= to && bits != 0; ++k) {
        if (body_.takes_constant(k, bits)) return true;
      }
      return bits == 0;
    });
  }

  /// Whether an instruction asks if one number is a NaN, as sm_100 and later do in the place of a comparison of its
  /// magnitude with infinity.
  bool asks_for_nan(std::uint32_t k) const {
    const Instruction& each = body_.at(k);
    return (each.has("num") || each.has("nan")) && each.operands.size() == 3 &&
           each.operands[1].kind == Operand::Kind::reg && each.operands[2].kind == Operand::Kind::reg &&
           each.operands[1].index == each.operands[2].index;
  }

  bool ends_at(const LibraryFunction& row, std::uint32_t k) const {
    const Instruction& each = body_.at(k);
    if (!row.last.empty() && each.name != row.last) return false;
    if (row.chosen_by[0] == 0) return true;
    const Operand& predicate = each.operands.back();
    if (predicate.kind != Operand::Kind::reg || body_.definitions(predicate.index).size() != 1) return false;
    const std::uint32_t asked = body_.definitions(predicate.index)[0];
    return body_.at(asked).name == "setp" &&
           (body_.takes_constant(asked, row.chosen_by[1]) || (row.chosen_by[1] == infinity && asks_for_nan(asked)));
  }

  bool try_at(std::uint32_t first, const LibraryFunction& row) {
    const auto taken = taken_first(first);
    if (!taken || !has_constants(row.others, first, std::min(first + most, body_.size() - 1))) return false;
    const std::uint32_t x = body_.magnitude_of(*taken).value_or(*taken);
    Region region(body_, first);
    while (region.end() - first < most && region.go_on()) {
      const std::uint32_t k = region.end();
      const auto made = body_.made_by(k);
      if (made && *made == x) return false;  // another number since
      if (!made || !region.has(*made) || !ends_at(row, k) || !has_constants(row.others, first, k)) continue;
      auto live = region.live();
      const auto scale = row.last == "ex2" ? power_of_two(live, *made) : std::nullopt;
      if (scale) std::erase(live, *scale);
      if (live.size() != 1 || live[0] != *made) continue;
      const std::uint32_t argument = row.is_even || takes_itself(region, x, row.questions) ? x : *taken;
      if (!accept(region, row, argument, {{*made, row.act}}, row.questions)) return false;
      if (scale) found_[body_.definitions(*scale)[0]].step = SequenceStep::one;
      return true;
    }
    return false;
  }

  /// What the result of `ex2` is multiplied by, perhaps in one rounding with what the kernel adds: the bits of an
  /// integer, shifted to the exponent's place.
  std::optional<std::uint32_t> power_of_two(const std::vector<std::uint32_t>& live, std::uint32_t raised) const {
    for (const std::uint32_t reg : live) {
      if (reg == raised || body_.definitions(reg).size() != 1) continue;
      const Instruction& moved = body_.at(body_.definitions(reg)[0]);
      if (moved.name != "mov" || moved.operands.size() != 2 || moved.operands[1].kind != Operand::Kind::reg) continue;
      const auto& shifted = body_.definitions(moved.operands[1].index);
      if (shifted.size() == 1 && body_.at(shifted[0]).name == "shl") return reg;
    }
    return std::nullopt;
  }

  /// The sine and the cosine share what reduces the angle to r and a quadrant, whose lower bits choose between the
  /// polynomials of r^2; the cosine takes the next quadrant.
  void try_angle(std::uint32_t first) {
    const auto x = taken_first(first);
    if (!x) return;
    Region region(body_, first);
    std::vector<std::pair<std::uint32_t, Act>> results;
    std::set<std::uint32_t> reduced;  // what the functions share
    std::uint32_t from = 0;
    while (region.end() - first < most && region.go_on()) {
      const std::uint32_t k = region.end();
      const Instruction& each = body_.at(k);
      const auto made = body_.made_by(k);
      if (made && *made == *x) return;
      if (!results.empty() && region.live().empty()) {
        accept(region, {}, *x, results, of_angles);
        return;
      }
      if (!made || !region.has(*made)) continue;
      if (each.name == "mul" && each.operands.size() == 3 && each.operands[1].kind == Operand::Kind::reg &&
          each.operands[2].kind == Operand::Kind::reg && each.operands[1].index == each.operands[2].index) {
        from = k;
        for (const std::uint32_t reg : region.live()) reduced.insert(reg);
        reduced.erase(*made);
      }
      if (from == 0 || !has_constants({0xb94d4153, 0xbab607ed}, from, k)) continue;
      std::vector<std::uint32_t> live = region.live();
      std::erase_if(live, [&](std::uint32_t reg) { return reduced.contains(reg) && reg != *made; });
      const bool is_one = live.size() == 1 && live[0] == *made && !has_sign_to_come(*made);
      const bool are_two = live.size() == 2 && has_sign_of_quadrant(live[0]) && has_sign_of_quadrant(live[1]);
      if (!is_one && !are_two) continue;
      for (const std::uint32_t reg : live) {
        results.emplace_back(reg, is_cosine(reg, from, is_one) ? Act::cos : Act::sin);
        region.forget(reg);
      }
      if (are_two && results[0].second == results[1].second) return;
      from = 0;
    }
  }
  /// Whether 1 was added to the quadrant for this result.
  bool is_cosine(std::uint32_t reg, std::uint32_t from, bool is_alone) const {
    constexpr std::uint32_t before = 8;
    const auto adds_one = [&](std::uint32_t k) {
      return body_.at(k).opcode == "add.s32" && body_.takes_constant(k, 1);
    };
    const std::uint32_t last = body_.definitions(reg).back();
    if (is_alone) {
      for (std::uint32_t k = from - std::min(from, before); k < last; ++k) {
        if (adds_one(k)) return true;
      }
      return false;
    }
    const auto quadrant = quadrant_of(reg);
    if (!quadrant) return false;
    const auto& made = body_.definitions(*quadrant);
    return !made.empty() && adds_one(made[0]);
  }
  bool has_sign_to_come(std::uint32_t reg) const {
    const auto& uses = body_.uses(reg);
    return std::any_of(uses.begin(), uses.end(), [&](std::uint32_t use) {
      const auto made = body_.made_by(use);
      return made && has_sign_of_quadrant(*made);
    });
  }
  bool has_sign_of_quadrant(std::uint32_t reg) const { return quadrant_of(reg).has_value(); }
  /// Of a `selp` by `setp` of q & 2: q.
  std::optional<std::uint32_t> quadrant_of(std::uint32_t reg) const {
    const std::uint32_t chosen = body_.definitions(reg).back();
    if (body_.at(chosen).name != "selp") return std::nullopt;
    const Operand& predicate = body_.at(chosen).operands.back();
    if (predicate.kind != Operand::Kind::reg || body_.definitions(predicate.index).size() != 1) return std::nullopt;
    const Operand& asked = body_.at(body_.definitions(predicate.index)[0]).operands[1];
    if (asked.kind != Operand::Kind::reg || body_.definitions(asked.index).size() != 1) return std::nullopt;
    const std::uint32_t masked = body_.definitions(asked.index)[0];
    const bool is_sign = body_.at(masked).name == "and" && body_.takes_constant(masked, 2) &&
                         body_.at(masked).operands[1].kind == Operand::Kind::reg;
    return is_sign ? std::optional(body_.at(masked).operands[1].index) : std::nullopt;
  }

  /// Whether the function takes a number itself, and not its magnitude alone: in a step, in what a step takes, or where
  /// it asks about it.
  bool takes_itself(const Region& region, std::uint32_t x, std::span<const Question> questions) const {
    const auto& uses = body_.uses(x);
    const auto is_step = [&](std::uint32_t k) { return region.instructions().contains(k); };
    return std::any_of(uses.begin(), uses.end(), [&](std::uint32_t k) {
      if (body_.at(k).name == "abs") return false;
      if (is_step(k)) return true;
      const auto made = body_.made_by(k);
      if (!made) return false;
      const auto& further = body_.uses(*made);
      return std::any_of(further.begin(), further.end(), is_step) || asks(k, {x}, questions);
    });
  }

  /// Whether a register is made of the arguments and constants alone.
  bool is_of(std::uint32_t reg, const std::vector<std::uint32_t>& arguments) {
    if (arguments != of_) {
      of_ = arguments;
      known_.clear();
    }
    return is_of_those(reg, 0);
  }
  bool is_of_those(std::uint32_t reg, int depth) {
    constexpr int deepest = 200;
    if (std::find(of_.begin(), of_.end(), reg) != of_.end() || body_.constant_in(reg) != nullptr) return true;
    const auto [at, is_new] = known_.emplace(reg, false);
    if (!is_new) return at->second;
    if (depth > deepest || body_.definitions(reg).size() != 1) return false;
    const std::uint32_t k = body_.definitions(reg)[0];
    if (body_.at(k).name == "ld" || body_.at(k).guard) return false;
    const auto taken = body_.taken_by(k);
    const bool is = !taken.empty() && std::all_of(taken.begin(), taken.end(),
                                                  [&](std::uint32_t each) { return is_of_those(each, depth + 1); });
    known_[reg] = is;
    return is;
  }

  /// The second argument of a function of two: what its steps take besides the first one.
  std::optional<std::uint32_t> other_argument(const Region& region, std::uint32_t x) {
    std::optional<std::uint32_t> out;
    for (const std::uint32_t k : region.instructions()) {
      for (const std::uint32_t reg : body_.taken_by(k)) {
        if (region.has(reg) || is_of(reg, {x})) continue;
        const std::uint32_t own = body_.magnitude_of(reg).value_or(reg);
        if (out && *out != own) return std::nullopt;
        out = own;
      }
    }
    return out;
  }

  /// Whether a comparison is by this relation, or one that says the same or the opposite: compilers turn branches
  /// round.
  static bool asks_for(const Instruction& each, std::string_view relation) {
    static constexpr std::array<std::string_view, 4> alike[] = {
        {"eq", "ne", "equ", "neu"}, {"lt", "ge", "ltu", "geu"}, {"gt", "le", "gtu", "leu"}};
    return std::any_of(std::begin(alike), std::end(alike), [&](const auto& names) {
      const auto has = [&](std::string_view name) { return each.has(name); };
      return std::find(names.begin(), names.end(), relation) != names.end() &&
             std::any_of(names.begin(), names.end(), has);
    });
  }

  /// Whether an instruction is one of the function's questions about its arguments.
  bool asks(std::uint32_t k, const std::vector<std::uint32_t>& arguments, std::span<const Question> questions) const {
    const Instruction& each = body_.at(k);
    if (each.name != "setp" || each.operands.size() != 3 || each.operands[1].kind != Operand::Kind::reg) return false;
    const std::uint32_t reg = body_.magnitude_of(each.operands[1].index).value_or(each.operands[1].index);
    return std::find(arguments.begin(), arguments.end(), reg) != arguments.end() &&
           std::any_of(questions.begin(), questions.end(), [&](const Question& question) {
             if (question.relation.empty()) return false;
             return (asks_for(each, question.relation) && body_.is_constant(each.operands[2], question.constant)) ||
                    (question.constant == infinity && asks_for_nan(k));
           });
  }

  bool accept(const Region& region, const LibraryFunction& row, std::uint32_t x,
              const std::vector<std::pair<std::uint32_t, Act>>& results, std::span<const Question> questions) {
    std::vector<std::uint32_t> arguments{x};
    if (row.of_two) {
      const auto y = other_argument(region, x);
      if (!y) return false;
      arguments.push_back(*y);
    }
    std::set<std::uint32_t> inner = region.instructions();
    std::set<std::uint32_t> magnitudes;
    for (const std::uint32_t k : region.instructions()) {
      for (const std::uint32_t reg : body_.taken_by(k)) {
        if (!region.has(reg) && !is_of(reg, arguments) && !is_result(reg, results)) return false;
      }
    }
    add_own(region, arguments, questions, results, inner);
    for (const std::uint32_t argument : arguments) {
      for (const std::uint32_t k : body_.uses(argument)) {
        const auto made = body_.made_by(k);
        if (made && body_.magnitude_of(*made) == argument) magnitudes.insert(*made);
      }
    }
    Sequence step{SequenceStep::inner, {}, {}, {}};
    for (const std::uint32_t reg : arguments) step.arguments.push_back(operand_of(reg));
    step.stand_ins = step.arguments;
    for (const std::uint32_t reg : magnitudes) step.stand_ins.push_back(operand_of(reg));
    for (const std::uint32_t k : inner) found_[k] = step;
    for (const auto& [reg, act] : results) {
      Sequence result = step;
      result.step = SequenceStep::result;
      result.act = act;
      for (const std::uint32_t k : body_.definitions(reg)) {
        if (k > region.first()) found_[k] = result;
      }
    }
    return true;
  }

  static bool is_result(std::uint32_t reg, const std::vector<std::pair<std::uint32_t, Act>>& results) {
    return std::any_of(results.begin(), results.end(), [&](const auto& each) { return each.first == reg; });
  }
  static Operand operand_of(std::uint32_t reg) {
    Operand out;
    out.kind = Operand::Kind::reg;
    out.index = reg;
    return out;
  }

  /// Instructions of the arguments alone whose results only the function takes, and its questions about them.
  void add_own(const Region& region, const std::vector<std::uint32_t>& arguments, std::span<const Question> questions,
               const std::vector<std::pair<std::uint32_t, Act>>& results, std::set<std::uint32_t>& inner) {
    constexpr std::uint32_t around = 60;
    const std::uint32_t from = region.first() - std::min(region.first(), around),
                        to = std::min(region.end() + around, body_.size() - 1);
    std::set<std::uint32_t> own;
    for (std::uint32_t k = from; k <= to; ++k) {
      const auto made = body_.made_by(k);
      if (!made || inner.contains(k) || body_.constant_in(*made) != nullptr) continue;
      if (std::find(arguments.begin(), arguments.end(), *made) != arguments.end()) continue;
      if (asks(k, arguments, questions) || (!takes_argument_as_question(k, arguments) && is_of(*made, arguments)))
        own.insert(k);
    }
    // What goes elsewhere is the kernel's own. A comparison with 0 that decides a branch may be: of the functions, pow
    // alone has such.
    for (bool changed = true; changed;) {
      changed = std::erase_if(own, [&](std::uint32_t k) {
                  const auto& uses = body_.uses(*body_.made_by(k));
                  const bool branches =
                      body_.at(k).name == "setp" &&
                      (arguments.size() == 2 || !body_.takes_constant(k, zero) || !asks(k, arguments, questions));
                  return !std::all_of(uses.begin(), uses.end(), [&](std::uint32_t use) {
                    const auto made = body_.made_by(use);
                    const std::string_view name = body_.at(use).name;
                    return inner.contains(use) || own.contains(use) || (made && is_result(*made, results)) ||
                           (branches && (name == "bra" || name == "or" || name == "and"));
                  });
                }) > 0;
    }
    inner.insert(own.begin(), own.end());
  }
  /// A comparison of an argument or its magnitude that the function does not ask is the kernel's.
  bool takes_argument_as_question(std::uint32_t k, const std::vector<std::uint32_t>& arguments) const {
    if (body_.at(k).name != "setp") return false;
    for (const std::uint32_t reg : body_.taken_by(k)) {
      const std::uint32_t own = body_.magnitude_of(reg).value_or(reg);
      if (std::find(arguments.begin(), arguments.end(), own) != arguments.end()) return true;
    }
    return false;
  }

  Body body_;
  std::unordered_map<std::uint32_t, Sequence>& found_;
  std::vector<std::uint32_t> of_;                  ///< what is_of was asked of last
  std::unordered_map<std::uint32_t, bool> known_;  ///< and what it said
};

}  // namespace

void find_library_functions(const Function& function, std::unordered_map<std::uint32_t, Sequence>& found) {
  LibraryFinder(function, found).find();
}

}  // namespace reckon::ptx
