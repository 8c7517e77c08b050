// The place in a program where operations are put: at the end of a region so far, or, while an operation with regions
// is open, before that operation. So code that does not depend on a loop can be put before the loop from inside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include "kernel/program.h"

namespace reckon::kernel {

class Cursor {
 public:
  explicit Cursor(Program& program) : program_(program) {}

  Program& program() const { return program_; }
  /// New operations go to the end of this region. Null: nowhere.
  void set_region(Region* region) { region_ = region; }
  Region* region() const { return region_; }

  Type type(Value value) const { return program_.type(value); }
  std::int64_t bytes_of(Type type) const { return program_.widths.of(type); }

  // An operation with regions is opened, its regions are filled, and it is closed, which puts it where the cursor of
  // the region around is then.
  struct Open {
    std::uint32_t operation;
  };
  Open open(Op op, const Values& operands, std::size_t regions);
  Region& region_of(Open open, std::size_t k) { return program_.operations[open.operation].regions[k]; }
  Operation& operation(Open open) { return program_.operations[open.operation]; }
  Value region_parameter(Open open, std::size_t region, Type type);
  /// Closes an operation with results of these types. `around`: the region that the operation is put into.
  Values close(Open open, std::span<const Type> results, Region& around);

 protected:
  Operation& append(Op op, std::span<const Value> operands, std::span<const Type> results);
  Value simple(Op op, Type result, std::initializer_list<Value> operands = {});

 private:
  Program& program_;
  Region* region_ = nullptr;
};

/// Operations that are made while it lives are for this node.
class OriginGuard {
 public:
  OriginGuard(Cursor& cursor, ir::NodeId node)
      : origin_(cursor.program().origin), before_(std::exchange(origin_, node)) {}
  OriginGuard(const OriginGuard&) = delete;
  OriginGuard& operator=(const OriginGuard&) = delete;
  ~OriginGuard() { origin_ = before_; }

 private:
  ir::NodeId& origin_;
  ir::NodeId before_;
};

}  // namespace reckon::kernel
