// Programs that obey the verifier, from a seed: nested loops and branches, memory, barriers where all threads come.
#pragma once

#include <random>

#include "kernel/builder.h"

namespace reckon::test {

class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : random_(seed), b_(program_) {}

  kernel::Program program() {
    using kernel::Type;
    for (std::size_t k = 0; k < kernel::Widths::scalars; ++k) {
      program_.widths.given[k] = program_.widths.kept[k] = program_.widths.registers[k] = 4;
    }
    kernel::Function& made = program_.functions.emplace_back();
    made.name = "random";
    made.threads = 64;
    const auto parameter = [&](std::string name, Type type) {
      const kernel::Value value = program_.fresh(type, {kernel::Program::Definition::Kind::parameter, 0});
      made.parameters.push_back({std::move(name), value});
      return value;
    };
    using kernel::Form, kernel::Space;
    const Type number = Type::number(ir::Scalar::f32);
    given_ = parameter("x", Type::memory(Space::global, number, Form::given));
    kept_ = parameter("out", Type::memory(Space::global, number, Form::kept));
    indices_.push_back(parameter(upto(2) == 0 ? "" : "n", Type::index()));
    flags_.push_back(parameter("c", Type::flag()));
    b_.set_region(&made.body);
    indices_.push_back(b_.thread());
    shared_ = b_.shared(0, 256, number);
    numbers_.push_back(b_.literal(ir::Literal{ir::Literal::Kind::rational, mpq_class(1, 3)}, ir::Scalar::f32));
    fill(6, true);
    b_.store(kept_, index(), number_value());
    return std::move(program_);
  }

 private:
  using Value = kernel::Value;

  std::size_t upto(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  template <class List>
  Value any(const List& list) {
    return list[upto(list.size())];
  }
  Value index() { return upto(4) == 0 ? b_.index(static_cast<std::int64_t>(upto(100)) - 20) : any(indices_); }
  Value number_value() {
    if (upto(6) == 0) return b_.zero(kernel::Type::number(ir::Scalar::f32));
    if (upto(6) == 0) return b_.rounded(ir::Scalar::f32, 0x3f800000 + upto(100));
    return any(numbers_);
  }

  /// Some operations. `together`: all threads of the block come here.
  void fill(int depth, bool together) {
    for (std::size_t k = 1 + upto(6); k > 0; --k) statement(depth, together);
  }

  void statement(int depth, bool together) {
    switch (upto(depth > 0 ? 12 : 8)) {
      case 0: indices_.push_back(b_.add(index(), index(), static_cast<kernel::Fits>(upto(3)))); break;
      case 1: indices_.push_back(b_.bit_and(index(), index())); break;
      case 2: flags_.push_back(b_.less(index(), index())); break;
      case 3: numbers_.push_back(b_.load(given_, index(), static_cast<kernel::Stream>(upto(3)), upto(9) - 4)); break;
      case 4: b_.store(kept_, index(), number_value()); break;
      case 5: {
        const Value operands[] = {number_value(), number_value()};
        const auto site = upto(2) == 0 ? ir::NodeId{} : ir::NodeId{static_cast<std::uint32_t>(upto(50))};
        numbers_.push_back(b_.apply(ir::Op::add, ir::Scalar::f32, ir::Scalar::f32, operands, site, upto(2) == 0));
        break;
      }
      case 6: numbers_.push_back(b_.select(any(flags_), number_value(), number_value())); break;
      case 7:
        if (together) {
          b_.barrier();
        } else {
          b_.store(shared_, b_.bit_and(index(), 63), number_value());
        }
        break;
      case 8:
      case 9: loop(depth); break;
      case 10: branch(depth); break;
      default: while_loop(depth); break;
    }
  }

  /// Fills a region in a scope of its own.
  template <class Fill>
  void inside(kernel::Region& region, Fill&& fill) {
    const auto before = std::tuple(indices_.size(), flags_.size(), numbers_.size());
    kernel::Region* around = b_.region();
    b_.set_region(&region);
    fill();
    b_.set_region(around);
    indices_.resize(std::get<0>(before));
    flags_.resize(std::get<1>(before));
    numbers_.resize(std::get<2>(before));
  }

  void loop(int depth) {
    const kernel::Type index = kernel::Type::index(), number = kernel::Type::number(ir::Scalar::f32);
    const bool uniform = upto(2) == 0;
    const Value first = uniform ? b_.index(0) : b_.bit_and(any(indices_), 7);
    const auto open =
        b_.open(kernel::Op::loop,
                {first, b_.index(100), b_.index(1 + static_cast<int>(upto(9))), number_value(), this->index()}, 1);
    b_.operation(open).unroll = upto(3) != 0;
    const Value counter = b_.region_parameter(open, 0, index), sum = b_.region_parameter(open, 0, number),
                carried = b_.region_parameter(open, 0, index);
    inside(b_.region_of(open, 0), [&] {
      indices_.push_back(counter);
      indices_.push_back(carried);
      numbers_.push_back(sum);
      fill(depth - 2, false);
      b_.region_of(open, 0).yields = {number_value(), any(indices_)};
    });
    const kernel::Type results[] = {number, index};
    const kernel::Values out = b_.close(open, results, *b_.region());
    numbers_.push_back(out[0]);
    indices_.push_back(out[1]);
  }

  void branch(int depth) {
    const kernel::Type number = kernel::Type::number(ir::Scalar::f32);
    const auto open = b_.open(kernel::Op::branch, {any(flags_)}, 2);
    const bool gives = upto(2) == 0, has_else = gives || upto(2) == 0;
    for (std::size_t side = 0; side < (has_else ? 2 : 1); ++side) {
      inside(b_.region_of(open, side), [&] {
        fill(depth - 2, false);
        if (gives) b_.region_of(open, side).yields = {number_value()};
      });
    }
    const kernel::Values out = b_.close(open, std::span(&number, gives ? 1 : 0), *b_.region());
    if (gives) numbers_.push_back(out[0]);
  }

  void while_loop(int depth) {
    const kernel::Type index = kernel::Type::index();
    const auto open = b_.open(kernel::Op::while_loop, {any(indices_)}, 2);
    const Value tested = b_.region_parameter(open, 0, index), next = b_.region_parameter(open, 1, index);
    inside(b_.region_of(open, 0), [&] {
      const Value flag = b_.greater(tested, 0);
      b_.region_of(open, 0).yields = {flag};
    });
    inside(b_.region_of(open, 1), [&] {
      indices_.push_back(next);
      fill(depth - 2, false);
      b_.region_of(open, 1).yields = {b_.lshr(next, 1)};
    });
    indices_.push_back(b_.close(open, {&index, 1}, *b_.region())[0]);
  }

  std::mt19937_64 random_;
  kernel::Program program_;
  kernel::Builder b_;
  Value given_, kept_, shared_;
  kernel::Values indices_, flags_, numbers_;
};

}  // namespace reckon::test
