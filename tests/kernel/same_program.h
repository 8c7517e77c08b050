// Whether two programs are the same but for the numbers of their values, operations, literals and tables.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>

#include "kernel/program.h"

namespace reckon::test {

class Comparison {
 public:
  Comparison(const kernel::Program& a, const kernel::Program& b) : a_(a), b_(b) {}

  /// The first difference; nothing if there is none.
  std::string run() {
    for (std::size_t k = 0; k < kernel::Widths::scalars; ++k) {
      expect(a_.widths.given[k] == b_.widths.given[k] && a_.widths.kept[k] == b_.widths.kept[k] &&
                 a_.widths.registers[k] == b_.widths.registers[k],
             "widths");
    }
    if (!expect(a_.functions.size() == b_.functions.size(), "number of functions")) return found_;
    for (std::size_t k = 0; k < a_.functions.size(); ++k) functions(a_.functions[k], b_.functions[k]);
    return found_;
  }

 private:
  bool expect(bool same, std::string_view what) {
    if (!same && found_.empty()) found_ = what;
    return same;
  }

  void functions(const kernel::Function& a, const kernel::Function& b) {
    expect(a.name == b.name && a.is_kernel == b.is_kernel && a.threads == b.threads && a.blocks == b.blocks, "head");
    if (!expect(a.parameters.size() == b.parameters.size(), "number of parameters")) return;
    for (std::size_t k = 0; k < a.parameters.size(); ++k) {
      expect(a.parameters[k].name == b.parameters[k].name && a.parameters[k].changes == b.parameters[k].changes,
             "parameter");
      define(a.parameters[k].value, b.parameters[k].value);
    }
    regions(a.body, b.body);
  }

  void define(kernel::Value a, kernel::Value b) {
    expect(a_.type(a) == b_.type(b), "type");
    expect(a_.definitions[a.id].kind == b_.definitions[b.id].kind, "definition");
    pairs_[a.id] = b.id;
  }

  void values(const kernel::Values& a, const kernel::Values& b) {
    if (!expect(a.size() == b.size(), "number of operands")) return;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const kernel::Constant *left = a_.as_constant(a[k]), *right = b_.as_constant(b[k]);
      if (!expect(!left == !right, "constant")) return;
      if (left == nullptr) {
        expect(pairs_.contains(a[k].id) && pairs_[a[k].id] == b[k].id, "operand");
      } else if (left->kind == kernel::Constant::Kind::literal) {
        expect(left->type == right->type && a_.literals[left->value] == b_.literals[right->value], "literal");
      } else {
        expect(left->kind == right->kind && left->type == right->type && left->value == right->value, "constant");
      }
    }
  }

  void regions(const kernel::Region& a, const kernel::Region& b) {
    if (!expect(a.parameters.size() == b.parameters.size(), "region's parameters")) return;
    for (std::size_t k = 0; k < a.parameters.size(); ++k) define(a.parameters[k], b.parameters[k]);
    if (!expect(a.operations.size() == b.operations.size(), "number of operations")) return;
    for (std::size_t k = 0; k < a.operations.size(); ++k) {
      operations(a_.operations[a.operations[k]], b_.operations[b.operations[k]]);
    }
    values(a.yields, b.yields);
  }

  void operations(const kernel::Operation& a, const kernel::Operation& b) {
    if (!expect(a.op == b.op && a.results == b.results && a.regions.size() == b.regions.size(), "operation")) return;
    const bool same = a.fits == b.fits && a.number_op == b.number_op && a.from == b.from && a.stream == b.stream &&
                      a.unroll == b.unroll && a.offset == b.offset && a.site == b.site;
    expect(same, fmt::format("fields of {}", kernel::spelling(a.op)));
    if (a.op == kernel::Op::table) {
      expect(a_.tables[static_cast<std::size_t>(a.number)] == b_.tables[static_cast<std::size_t>(b.number)], "table");
    } else {
      expect(a.number == b.number, fmt::format("number of {}", kernel::spelling(a.op)));
    }
    values(a.operands, b.operands);
    for (std::size_t k = 0; k < a.regions.size(); ++k) regions(a.regions[k], b.regions[k]);
    for (std::uint32_t k = 0; k < a.results; ++k) define(a.result(k), b.result(k));
  }

  const kernel::Program &a_, &b_;
  std::map<std::uint32_t, std::uint32_t> pairs_;
  std::string found_;
};

inline std::string difference(const kernel::Program& a, const kernel::Program& b) { return Comparison(a, b).run(); }

}  // namespace reckon::test
