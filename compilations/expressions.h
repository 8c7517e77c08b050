// How a result came about: expressions that share their parts, and their text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worst/circuit.h"

namespace reckon::compilations {

using ExpressionId = std::uint32_t;

class Expressions {
 public:
  ExpressionId leaf(std::string text) {
    list_.push_back({ir::Op::neg, std::move(text), {}, 0});
    return static_cast<ExpressionId>(list_.size() - 1);
  }
  ExpressionId operation(ir::Op op, int count, ExpressionId a, ExpressionId b = 0, ExpressionId c = 0) {
    list_.push_back({op, {}, {a, b, c}, count});
    return static_cast<ExpressionId>(list_.size() - 1);
  }
  /// As a program writes it; longer ones than 200 characters end in dots.
  std::string text(ExpressionId id) const;

 private:
  struct Expression {
    ir::Op op{};
    std::string leaf;  ///< empty for an operation
    ExpressionId operands[3];
    int count = 0;
  };
  void write(ExpressionId id, int around, std::string& out) const;
  std::vector<Expression> list_;
};

}  // namespace reckon::compilations
