// Calls the member function that has an operation's name, so that a class of rules serves as a table of operations.
#pragma once

#include <optional>
#include <utility>

#include "ir/op.h"

namespace reckon::ir {

/// Member functions by operation, as types.
namespace operations {
#define RECKON_SCALAR(name, arity, spelling, result)                                                          \
  struct name {                                                                                               \
    template <class Members, class... V>                                                                      \
    requires requires(Members & members, V&&... values) { members.name(values...); }                          \
    static constexpr decltype(auto) call(Members& members, V&&... values) { return members.name(values...); } \
  };
#include "ir/ops.def"
}  // namespace operations

/// What `receive` makes of members.name(x[0], ...), `name` being that of the operation; nothing if there is no such
/// member. The requires-expression names its own parameters: g++ 12 finds nothing through captured variables.
template <class Members, class Operand, class Receive>
auto call_by_name(Op op, Members& members, const Operand* x, Receive&& receive)
    -> std::optional<decltype(receive(std::declval<Operand>()))> {
  const auto call =
      [&]<class Operation, std::size_t... k>(std::type_identity<Operation>,
                                             std::index_sequence<k...>) -> std::optional<decltype(receive(x[0]))> {
    if constexpr (requires(Members & m, const Operand* operands) { Operation::call(m, operands[k]...); }) {
      return receive(Operation::call(members, x[k]...));
    } else {
      return std::nullopt;
    }
  };
  switch (op) {
#define RECKON_SCALAR(name, arity, spelling, result) \
  case Op::name: return call(std::type_identity<operations::name>{}, std::make_index_sequence<arity>{});
#include "ir/ops.def"
    default: return std::nullopt;
  }
}

}  // namespace reckon::ir
