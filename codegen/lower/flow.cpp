#include <bit>

#include "codegen/lower/writer.h"

namespace reckon::codegen {

namespace {

/// Pushes a scope for as long as it lives.
class ScopeGuard {
 public:
  ScopeGuard(Scope*& current, Scope& scope) : current_(current), outer_(current) {
    scope.parent = outer_;
    current_ = &scope;
  }
  ~ScopeGuard() { current_ = outer_; }

 private:
  Scope*& current_;
  Scope* outer_;
};

}  // namespace

std::vector<Type> Writer::types_of(const Values& values) const {
  std::vector<Type> out;
  for (const Value value : values) out.push_back(b_.type(value));
  return out;
}

Values Writer::loop(Value first, Value limit, Value step, const Values& initial, Body body, bool unroll) {
  Values operands{first, limit, step};
  operands.append(initial);
  const kernel::Builder::Open open = b_.open(kernel::Op::loop, operands, 1);
  b_.operation(open).unroll = unroll;
  const Value counter = b_.region_parameter(open, 0, Type::index());
  Values carried;
  for (const Value value : initial) carried.push_back(b_.region_parameter(open, 0, b_.type(value)));
  kernel::Region& region = b_.region_of(open, 0);
  Scope scope;
  scope.region = &region;
  {
    ScopeGuard entered(scope_, scope);
    resume();
    region.yields = body(counter, carried);
  }
  resume();
  return b_.close(open, types_of(region.yields), *scope_->region);
}

void Writer::for_range(Value first, Value limit, FunctionRef<void(Value)> body, bool unroll) {
  if_then(b_.less(first, limit), [&] {
    loop(
        first, limit, i64(1), {},
        [&](Value index, const Values&) {
          body(index);
          return Values{};
        },
        unroll);
  });
}

Values Writer::while_loop(const Values& initial, FunctionRef<Value(const Values&)> condition,
                          FunctionRef<Values(const Values&)> body) {
  const kernel::Builder::Open open = b_.open(kernel::Op::while_loop, initial, 2);
  const auto fill = [&](std::size_t k, FunctionRef<Values(const Values&)> part) {
    Values carried;
    for (const Value value : initial) carried.push_back(b_.region_parameter(open, k, b_.type(value)));
    Scope scope;
    scope.region = &b_.region_of(open, k);
    ScopeGuard entered(scope_, scope);
    resume();
    scope.region->yields = part(carried);
  };
  fill(0, [&](const Values& carried) { return Values{condition(carried)}; });
  fill(1, body);
  resume();
  return b_.close(open, types_of(initial), *scope_->region);
}

Values Writer::branch(Value condition, Arm then, Arm otherwise) {
  if (const auto decided = known(condition)) return *decided ? then() : otherwise();
  const kernel::Builder::Open open = b_.open(kernel::Op::branch, {condition}, 2);
  for (std::size_t arm = 0; arm < 2; ++arm) {
    Scope scope;
    scope.region = &b_.region_of(open, arm);
    scope.guard = true;
    ScopeGuard entered(scope_, scope);
    resume();
    scope.region->yields = arm == 0 ? then() : otherwise();
  }
  resume();
  return b_.close(open, types_of(b_.region_of(open, 0).yields), *scope_->region);
}

void Writer::if_then(Value condition, FunctionRef<void()> then) {
  branch(
      condition,
      [&] {
        then();
        return Values{};
      },
      [] { return Values{}; });
}

Values Writer::select(Value condition, const Values& yes, const Values& no) {
  Values out;
  for (std::size_t k = 0; k < yes.size(); ++k) out.push_back(b_.select(condition, yes[k], no[k]));
  return out;
}

void Writer::chains(const kernel::Chains& chains, const Values& operands,
                    FunctionRef<Values(Value leaf, const Values& values)> join) {
  const kernel::Builder::Open open = b_.open(kernel::Op::chains, operands, 1);
  b_.operation(open).number = static_cast<std::int64_t>(program_.chains.size());
  program_.chains.push_back(chains);
  const Value leaf = b_.region_parameter(open, 0, Type::index());
  Values values;
  for (std::size_t k = 2; k < operands.size(); k += 2)
    values.push_back(b_.region_parameter(open, 0, b_.type(operands[k]).element_type()));
  Scope scope;
  scope.region = &b_.region_of(open, 0);
  scope.guard = true;
  {
    ScopeGuard entered(scope_, scope);
    resume();
    scope.region->yields = join(leaf, values);
  }
  resume();
  static_cast<void>(b_.close(open, {}, *scope_->region));
}

void Writer::mma_tiles(const kernel::MmaTiles& tiles, const kernel::MmaOperands& operands, ir::NodeId site,
                       FunctionRef<Values(Value tile)> begin, FunctionRef<void(Value tile, const Values& sums)> then) {
  const kernel::Builder::Open open = b_.open(kernel::Op::mma_tiles, operands.list(), 2);
  b_.operation(open).site = site;
  b_.operation(open).number = static_cast<std::int64_t>(program_.mma_tiles.size());
  program_.mma_tiles.push_back(tiles);
  const auto fill = [&](std::size_t k, FunctionRef<Values(const Values&)> part) {
    Values parameters{b_.region_parameter(open, k, Type::index())};
    const Type sum = Type::number(ir::scalar_of(*tiles.unit.accumulator));
    for (std::int64_t e = 0; k == 1 && e < tiles.fragment(); ++e)
      parameters.push_back(b_.region_parameter(open, k, sum));
    Scope scope;
    scope.region = &b_.region_of(open, k);
    scope.guard = true;
    ScopeGuard entered(scope_, scope);
    resume();
    scope.region->yields = part(parameters);
  };
  fill(0, [&](const Values& parameters) { return begin(parameters[0]); });
  fill(1, [&](const Values& parameters) {
    then(parameters[0], Values(parameters.begin() + 1, parameters.end()));
    return Values{};
  });
  resume();
  static_cast<void>(b_.close(open, {}, *scope_->region));
}

void Writer::mma_rows(const kernel::MmaRows& rows, const kernel::MmaRowsOperands& operands, ir::NodeId site,
                      const RowParts& parts) {
  const kernel::Builder::Open open = b_.open(kernel::Op::mma_rows, operands.list(), rows.regions());
  b_.operation(open).site = site;
  b_.operation(open).number = static_cast<std::int64_t>(program_.mma_rows.size());
  program_.mma_rows.push_back(rows);
  const Type sum = Type::number(ir::scalar_of(*rows.unit.accumulator));
  // The region's parameters are so many indices, numbers, and values that have the types of `carried`.
  const auto fill = [&](std::size_t which, std::size_t indices, std::int64_t numbers, const Values& carried,
                        FunctionRef<Values(const Values&, const Values&, const Values&)> part) {
    Values places, sums, inside;
    for (std::size_t k = 0; k < indices; ++k) places.push_back(b_.region_parameter(open, which, Type::index()));
    for (std::int64_t k = 0; k < numbers; ++k) sums.push_back(b_.region_parameter(open, which, sum));
    for (const Type type : types_of(carried)) inside.push_back(b_.region_parameter(open, which, type));
    Scope scope;
    scope.region = &b_.region_of(open, which);
    scope.guard = true;
    ScopeGuard entered(scope_, scope);
    resume();
    return scope.region->yields = part(places, sums, inside);
  };
  fill(0, 1, 0, {}, [&](const Values& places, const Values&, const Values&) { return parts.where(places[0]); });
  Values carried;
  for (std::int64_t pass = 0; pass < rows.passes; ++pass) {
    carried = fill(kernel::MmaRows::begin_of(pass), 1, 0, carried,
                   [&](const Values& places, const Values&, const Values& before) {
                     return parts.begin(pass, places[0], before);
                   });
    fill(kernel::MmaRows::tile_of(pass), 2, rows.fragment(), carried,
         [&](const Values& places, const Values& sums, const Values& before) {
           return parts.tile(pass, places[0], places[1], sums, before);
         });
  }
  fill(rows.regions() - 1, 1, rows.results(), carried,
       [&](const Values& places, const Values& sums, const Values& before) {
         parts.end(places[0], sums, before);
         return Values{};
       });
  resume();
  static_cast<void>(b_.close(open, {}, *scope_->region));
}

void Writer::within(Scope& scope, FunctionRef<void()> body) {
  Scope* inner = scope_;
  scope_ = &scope;
  resume();
  body();
  scope_ = inner;
  resume();
}

Values Writer::in_scope(Scope& scope, Arm body) {
  scope.region = scope_->region;
  ScopeGuard entered(scope_, scope);
  return body();
}

std::optional<std::int64_t> Writer::divides(Value part, Value whole) const {
  const auto size = known(part), length = known(whole);
  if (!size || !length || *size < 1 || *length % *size != 0) return std::nullopt;
  return *length / *size;
}

Value Writer::add(Value x, Value y) {
  if (known(x) == 0) return y;
  if (known(y) == 0) return x;
  return b_.add(x, y, Fits::as_signed);
}

Value Writer::multiply(Value x, Value y) {
  if (known(x) == 1) return y;
  if (known(y) == 1) return x;
  return b_.mul(x, y, Fits::as_signed);
}

Value Writer::divide_up(Value x, Value y) {
  if (known(y) == 1) return x;
  return b_.udiv(b_.add(x, b_.sub(y, i64(1))), y);
}

Value Writer::smaller(Value x, Value y) { return b_.minimum(x, y); }

Value Writer::log2_up(Value x) {
  if (const auto fixed = known(x)) return i64(std::bit_width(static_cast<std::uint64_t>(*fixed - 1)));
  return b_.sub(i64(64), b_.leading_zeros(b_.sub(x, i64(1))));
}

}  // namespace reckon::codegen
