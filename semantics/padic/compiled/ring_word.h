// The words of numerics/padic/words.h as LLVM values: the ring's rules, instantiated with them, emit code. Each rule
// becomes a function of the module, which LLVM inlines or not; constants need no builder until they meet a value.
#pragma once

#include <cassert>
#include <string>

#include "codegen/scalars/scalar_code.h"
#include "numerics/padic/words.h"

namespace reckon::codegen {

/// A constant; or a value (of 64 bits; of 1 bit for a flag) and the builder that emits what follows.
class RingBits {
 public:
  Builder* builder() const { return builder_; }
  llvm::Value* given() const { return value_; }
  std::uint64_t constant() const { return constant_; }

 protected:
  explicit RingBits(std::uint64_t constant) : constant_(constant) {}
  RingBits(Builder& b, llvm::Value* value) : builder_(&b), value_(value) {}

  Builder* builder_ = nullptr;
  llvm::Value* value_ = nullptr;
  std::uint64_t constant_ = 0;
};

class RingFlag : public RingBits {
 public:
  RingFlag(bool constant) : RingBits(std::uint64_t{constant}) {}
  RingFlag(Builder& b, llvm::Value* value) : RingBits(b, value) {}
  llvm::Value* in(Builder& b) const { return value_ ? value_ : b.getInt1(constant_ != 0); }

  friend RingFlag operator!(const RingFlag& x) {
    if (!x.builder_) return {x.constant_ == 0};
    return {*x.builder_, x.builder_->CreateNot(x.value_)};
  }
  friend RingFlag operator&(const RingFlag& x, const RingFlag& y) {
    if (!x.builder_) return x.constant_ != 0 ? y : x;
    if (!y.builder_) return y.constant_ != 0 ? x : y;
    return {*x.builder_, x.builder_->CreateAnd(x.value_, y.value_)};
  }
  friend RingFlag operator|(const RingFlag& x, const RingFlag& y) { return !((!x) & (!y)); }
};

class RingWord : public RingBits {
 public:
  RingWord(std::uint64_t constant) : RingBits(constant) {}
  RingWord(Builder& b, llvm::Value* value) : RingBits(b, value) {}
  llvm::Value* in(Builder& b) const { return value_ ? value_ : b.getInt64(constant_); }

  // clang-format off
  friend RingWord operator+(const RingWord& x, const RingWord& y) { return joined(x, y, llvm::Instruction::Add); }
  friend RingWord operator-(const RingWord& x, const RingWord& y) { return joined(x, y, llvm::Instruction::Sub); }
  friend RingWord operator*(const RingWord& x, const RingWord& y) { return joined(x, y, llvm::Instruction::Mul); }
  friend RingWord operator&(const RingWord& x, const RingWord& y) { return joined(x, y, llvm::Instruction::And); }
  friend RingWord operator|(const RingWord& x, const RingWord& y) { return joined(x, y, llvm::Instruction::Or); }
  friend RingWord operator^(const RingWord& x, const RingWord& y) { return joined(x, y, llvm::Instruction::Xor); }
  friend RingWord operator/(const RingWord& x, std::uint64_t y) { return joined(x, y, llvm::Instruction::UDiv); }
  friend RingWord operator%(const RingWord& x, std::uint64_t y) { return joined(x, y, llvm::Instruction::URem); }
  friend RingWord operator<<(const RingWord& x, int y) { return joined(x, distance(y), llvm::Instruction::Shl); }
  friend RingWord operator>>(const RingWord& x, int y) { return joined(x, distance(y), llvm::Instruction::LShr); }
  friend RingFlag operator==(const RingWord& x, const RingWord& y) { return compared(x, y, llvm::CmpInst::ICMP_EQ); }
  friend RingFlag operator<(const RingWord& x, const RingWord& y) { return compared(x, y, llvm::CmpInst::ICMP_ULT); }
  // clang-format on

 private:
  static RingWord distance(int y) { return static_cast<std::uint64_t>(y); }
  static Builder* either(const RingWord& x, const RingWord& y) { return x.builder_ ? x.builder_ : y.builder_; }
  static RingWord joined(const RingWord& x, const RingWord& y, llvm::Instruction::BinaryOps op);
  static RingFlag compared(const RingWord& x, const RingWord& y, llvm::CmpInst::Predicate predicate);
};

RingWord select(const RingFlag& condition, const RingWord& x, const RingWord& y);
RingWord high_product(const RingWord& x, const RingWord& y);
RingFlag is_negative(const RingWord& x);
RingWord small_remainder(const RingWord& x, std::uint32_t modulus);

/// An array of the module with the entries of one of the tables.
class RingTable {
 public:
  RingTable(Builder& b, const char* name) : b_(b), name_(name) {}
  RingWord operator[](const RingWord& index) const;

 private:
  Builder& b_;
  const char* name_;
};
struct RingPoint {
  RingWord cos, sin;
};
class RingPoints {
 public:
  explicit RingPoints(Builder& b) : parts_(b, "circle") {}
  RingPoint operator[](const RingWord& index) const { return {parts_[index << 1], parts_[(index << 1) + 1]}; }

 private:
  RingTable parts_;
};
/// The tables of numerics/padic/tables.h, by their names.
struct RingTables {
  explicit RingTables(Builder& b)
      : index(b, "index"),
        rank(b, "rank"),
        inverse(b, "inverse"),
        inverse_q(b, "inverse_q"),
        root_q(b, "root_q"),
        inverse_r(b, "inverse_r"),
        low(b, "low"),
        high(b, "high"),
        circle(b) {}
  RingTable index, rank, inverse, inverse_q, root_q, inverse_r, low, high;
  RingPoints circle;
};
inline RingTables tables_for(const RingWord& word) {
  assert(word.builder() != nullptr);
  return RingTables(*word.builder());
}

using RingNumber = numerics::padic::Number<RingWord>;

// These give words and numbers as lists of words, for phis.
inline std::tuple<RingWord&> parts_of(RingWord& word) { return std::tie(word); }
template <class State>
auto parts_of(State& state) {
  return state.fields();
}

template <class F, class G>
auto branch(const RingFlag& condition, F&& then, G&& otherwise) -> decltype(then()) {
  using Result = decltype(then());
  if (!condition.builder()) return condition.constant() != 0 ? Result(then()) : Result(otherwise());
  Builder& b = *condition.builder();
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* yes = llvm::BasicBlock::Create(b.getContext(), "yes", function);
  auto* no = llvm::BasicBlock::Create(b.getContext(), "no", function);
  auto* after = llvm::BasicBlock::Create(b.getContext(), "after", function);
  b.CreateCondBr(condition.given(), yes, no);
  b.SetInsertPoint(yes);
  Result left = then();
  yes = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(no);
  Result right = otherwise();
  no = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  const auto merge = [&](RingWord& x, const RingWord& y) {
    llvm::PHINode* phi = b.CreatePHI(b.getInt64Ty(), 2);
    phi->addIncoming(x.in(b), yes);
    phi->addIncoming(y.in(b), no);
    x = RingWord(b, phi);
  };
  std::apply([&](auto&... x) { std::apply([&](auto&... y) { (merge(x, y), ...); }, parts_of(right)); }, parts_of(left));
  return left;
}

/// The table that the host's code calls by that name; null if it is not a table of the ring.
const void* ring_table(llvm::StringRef symbol);

/// Calls the function of a rule; `body` fills it in when it is first asked for.
llvm::CallInst* call_ring_function(Builder& b, const std::string& name, bool small, bool rare, bool gives_number,
                                   llvm::ArrayRef<llvm::Value*> arguments,
                                   llvm::function_ref<void(Builder&, llvm::Function*)> body);

template <class Rule>
constexpr bool is_small_rule = requires {
  Rule::small;
};

}  // namespace reckon::codegen

namespace reckon::numerics::padic {

template <>
struct Control<codegen::RingWord> {
  using W = codegen::RingWord;

  template <class State, class Condition, class Body>
  static State loop(State state, Condition&& condition, Body&& body) {
    codegen::Builder* builder = nullptr;
    std::apply([&](auto&... x) { ((builder = builder ? builder : x.builder()), ...); }, codegen::parts_of(state));
    assert(builder != nullptr);
    codegen::Builder& b = *builder;
    llvm::Function* function = b.GetInsertBlock()->getParent();
    llvm::BasicBlock* before = b.GetInsertBlock();
    auto* header = llvm::BasicBlock::Create(b.getContext(), "while", function);
    auto* inside = llvm::BasicBlock::Create(b.getContext(), "body", function);
    auto* after = llvm::BasicBlock::Create(b.getContext(), "done", function);
    b.CreateBr(header);
    b.SetInsertPoint(header);
    llvm::SmallVector<llvm::PHINode*, 5> phis;
    const auto enter = [&](W& x) {
      phis.push_back(b.CreatePHI(b.getInt64Ty(), 2));
      phis.back()->addIncoming(x.in(b), before);
      x = W(b, phis.back());
    };
    std::apply([&](auto&... x) { (enter(x), ...); }, codegen::parts_of(state));
    b.CreateCondBr(condition(std::as_const(state)).in(b), inside, after);
    b.SetInsertPoint(inside);
    State next = body(std::as_const(state));
    std::size_t k = 0;
    std::apply([&](auto&... x) { (phis[k++]->addIncoming(x.in(b), b.GetInsertBlock()), ...); },
               codegen::parts_of(next));
    b.CreateBr(header);
    b.SetInsertPoint(after);
    return state;
  }

  template <class Rule, class... X>
  static auto call(const X&... x) {
    using Result = decltype(Rule::of(x...));
    constexpr bool gives_number = std::is_same_v<Result, codegen::RingNumber>;
    codegen::Builder* builder = nullptr;
    ((builder = builder ? builder : x.a.builder() ? x.a.builder() : x.rest.builder()), ...);
    assert(builder != nullptr);
    codegen::Builder& b = *builder;
    llvm::SmallVector<llvm::Value*, 6> arguments;
    ((arguments.push_back(x.a.in(b)), arguments.push_back(x.rest.in(b))), ...);
    llvm::CallInst* result =
        codegen::call_ring_function(b, Rule::name, codegen::is_small_rule<Rule>, is_rare<Rule>, gives_number, arguments,
                                    [](codegen::Builder& inner, llvm::Function* function) {
                                      emit<Rule>(inner, function, std::make_index_sequence<sizeof...(X)>{});
                                    });
    if constexpr (gives_number)
      return codegen::RingNumber(W(b, b.CreateExtractValue(result, 0)), W(b, b.CreateExtractValue(result, 1)));
    else return W(b, result);
  }

  template <class Rule, std::size_t... k>
  static void emit(codegen::Builder& b, llvm::Function* function, std::index_sequence<k...>) {
    auto out = Rule::of(codegen::RingNumber(W(b, function->getArg(2 * k)), W(b, function->getArg(2 * k + 1)))...);
    if constexpr (std::is_same_v<decltype(out), codegen::RingNumber>) {
      llvm::Value* both = llvm::PoisonValue::get(function->getReturnType());
      b.CreateRet(b.CreateInsertValue(b.CreateInsertValue(both, out.a.in(b), 0), out.rest.in(b), 1));
    } else {
      b.CreateRet(out.in(b));
    }
  }
};

}  // namespace reckon::numerics::padic
